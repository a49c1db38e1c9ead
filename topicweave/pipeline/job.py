"""Job: what every verb of the pipeline runs in: its target, its stages, and Spark when it is needed."""

from __future__ import annotations

import signal
import tempfile
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext, suppress
from functools import wraps
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any, ParamSpec, TypeAlias, TypeVar

from topicweave.pipeline.plan.target import Target
from topicweave.pipeline.spark.progress import Observer, Stages
from topicweave.pipeline.spark.session import SparkSettings, end_at_once, is_running

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterator

    from pyspark.sql import SparkSession

    Out: TypeAlias = str | os.PathLike[str] | Target | None
    Spark: TypeAlias = SparkSession | SparkSettings | None

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")
Entered = TypeVar("Entered")

# Seconds that work begun while Spark starts may take longer without being called a stage of its own.
UNNOTICED = 0.3


class Job:
    """One run of a verb. Made by :func:`open_job`.

    Attributes
    ----------
    target
        The folder in the making, locked until the job ends; None when nothing is to be kept.
    stages
        Tells the observer what is going on, and keeps the time.
    """

    def __init__(self, target: Target | None, spark: Spark, stages: Stages, cleanup: ExitStack) -> None:
        self.target = target
        self.stages = stages
        self._cleanup = cleanup
        self._folder: Path | None = None
        self._settings = spark if isinstance(spark, SparkSettings) else SparkSettings()
        self._spark = None if isinstance(spark, SparkSettings) else spark

    @property
    def folder(self) -> Path:
        """Where to write: it becomes the target when published, and goes away with the job otherwise."""
        if self.target is not None:
            return self.target.folder
        if self._folder is None:
            self._folder = Path(self._cleanup.enter_context(tempfile.TemporaryDirectory(prefix="topicweave-")))
        return self._folder

    @property
    def settings(self) -> SparkSettings:
        """How Spark is started, unless a session was given."""
        return self._settings

    @property
    def has_spark(self) -> bool:
        """Whether there is a session, so that none will have to be started."""
        return self._spark is not None or is_running()

    @property
    def spark(self) -> SparkSession:
        """The session; started at first use."""
        return self.start()

    def start(self, meanwhile: Callable[[], object] | None = None) -> SparkSession:
        """Start Spark unless it runs already.

        Parameters
        ----------
        meanwhile
            Done in another thread while a new session starts, to have its result ready later. If it fails, it will
            fail again where it is needed, and is heard there.
        """
        if self._spark is not None:
            return self._spark
        interrupt = signal.getsignal(signal.SIGINT)
        helper = None if meanwhile is None or is_running() else Thread(target=_quietly, args=(meanwhile,), daemon=True)
        with self.stages.stage("start Spark"):
            if helper is not None:
                helper.start()
            self._spark = self._settings.start()
        if self._settings.ends_with_process:
            end_at_once(interrupt)
        if helper is not None:
            helper.join(UNNOTICED)
            if helper.is_alive():
                with self.stages.stage("prepare"):
                    helper.join()
        return self._spark

    def enter(self, context: AbstractContextManager[Entered]) -> Entered:
        """Enter a context that is left with the job."""
        return self._cleanup.enter_context(context)

    def writing(self) -> AbstractContextManager[None]:
        """Turn what the operating system refuses while the folder is written into one sentence."""
        return nullcontext() if self.target is None else self.target.writing()

    def publish(self) -> Path | None:
        """Give the target its name: from here on it is finished. Returns where it is; None if nothing is kept."""
        return None if self.target is None else self.target.publish()


def verb(form: str) -> Callable[[Callable[Parameters, Result]], Callable[Parameters, Result]]:
    """Decorate a verb: ``form`` is how to call it, for those who call it as in the version before."""

    def decorate(function: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
        @wraps(function)
        def call(*given: Any, **named: Any) -> Result:
            if "stages" in named or (given and (given[0] is None or type(given[0]).__name__ == "SparkSession")):
                from topicweave.pipeline.older_calls import in_new_form

                given, named = in_new_form(form, given, named)
            return function(*given, **named)

        return call

    return decorate


@contextmanager
def open_job(
    out: Out = None, *, overwrite: bool = False, spark: Spark = None, progress: Observer | Stages | None = None
) -> Iterator[Job]:
    """Begin a job: the target is taken and locked at once, before Spark starts, and held until the job ends.

    Parameters
    ----------
    out
        The folder to write, or None to keep nothing. A :class:`Target` that has been entered already is used as it is.
    overwrite
        Whether a plan that is there already may be replaced.
    spark
        The session to use, or how to start one; None for the running one, or a new embedded one.
    progress
        Told what is going on.

    Raises
    ------
    TargetError
        The folder exists already, is being written by another run, or cannot be written.
    """
    with ExitStack() as cleanup:
        target = out if isinstance(out, Target) or out is None else cleanup.enter_context(Target(out, overwrite))
        stages = progress if isinstance(progress, Stages) else Stages(progress)
        yield Job(target, spark, stages, cleanup)


def _quietly(work: Callable[[], object]) -> None:
    with suppress(Exception):
        work()
