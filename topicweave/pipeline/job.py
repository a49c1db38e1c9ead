"""Job: what every verb of the pipeline runs in: its source, its target, its stages, and Spark when it is needed.

What can be refused without Spark, such as an input that is not there, is refused before it starts, which takes seconds.
"""

from __future__ import annotations

import os
import re
import signal
import tempfile
from collections.abc import Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext, suppress
from functools import wraps
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any, ParamSpec, TypeAlias, TypeVar

from topicweave.errors import ReadError
from topicweave.pipeline.plan.target import Target, plan_folder
from topicweave.pipeline.sources.formats.files import FILE_FORMATS, TEXT_FORMATS, as_paths, format_of_name
from topicweave.pipeline.sources.formats.table import Table
from topicweave.pipeline.sources.source import Source
from topicweave.pipeline.sources.subscriptions import Subscriptions
from topicweave.pipeline.spark.progress import Observer, Stages
from topicweave.pipeline.spark.session import SITE_SETTINGS, SparkSettings, end_at_once, is_embedded, is_running

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from pyspark.sql import DataFrame, SparkSession

    SourceLike: TypeAlias = Source | Table | DataFrame | str | os.PathLike[str] | Sequence[str]
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
            fail again where it is needed, and is heard there. Python waits for it before it ends: a thread that is
            stopped inside a C++ library takes the process with it ("terminate called without an active exception").
        """
        if self._spark is not None:
            return self._spark
        interrupt = signal.getsignal(signal.SIGINT)
        helper = None if meanwhile is None or is_running() else Thread(target=_quietly, args=(meanwhile,))
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
                from topicweave.deprecation import in_new_form

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
        The folder to write, or None to keep nothing on disk. A :class:`Target` that has been entered already is used as
        it is.
    overwrite
        Whether a plan that is there already may be replaced.
    spark
        The session to use, or :class:`SparkSettings` to start one; None for the running one, or a new embedded one.
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


def as_source(given: SourceLike) -> Source:
    """A source as it is; a plan folder for what it was made for; anything else for a table of subscriptions."""
    from pyspark.sql import DataFrame

    if isinstance(given, Source) and not isinstance(given, Subscriptions):
        return given
    table = given.table if isinstance(given, Subscriptions) else given
    path = table.path if isinstance(table, Table) else table
    folder = plan_folder(path)
    if folder is not None:
        from topicweave.pipeline.plan.source import PlanFolder

        return PlanFolder(folder)
    if isinstance(given, Source):
        return given
    if isinstance(given, Table):
        return Subscriptions(given)
    if isinstance(given, str | os.PathLike | DataFrame) or (
        isinstance(given, Sequence) and given and all(isinstance(path, str | os.PathLike) for path in given)
    ):
        return Subscriptions(Table(given))
    raise ReadError(
        f"A {type(given).__name__} cannot be read; give a path, a data frame, a Table, or one of Subscriptions, "
        f"SocialGraph, EventLog, Clients."
    )


def check_present(tables: Iterable[Table], spark: Spark) -> None:
    """Raise for a file that is not there, if Spark would have to be started to find out.

    Only for paths that can be nothing else than files of this machine; about all others Spark knows better.
    """
    if not isinstance(spark, SparkSettings | None) or is_running():
        return
    settings = spark or SparkSettings()
    if settings.conf or not is_embedded(settings.master or "local") or any(map(os.getenv, SITE_SETTINGS)):
        return
    for table in tables:
        if table.is_frame or not (table.format is None or table.format in TEXT_FORMATS | FILE_FORMATS):
            continue
        for path in as_paths(table.path):  # type: ignore[arg-type]
            _check_file(path, table.format)


def _check_file(path: str, format_: str | None) -> None:
    if re.search(r"^\w{2,}:|[*?\[\]{}\\]", path):
        return
    may_be_table = re.fullmatch(r"\w+(\.\w+)*", path) and format_ is None and format_of_name(path) is None
    if not may_be_table and not os.path.exists(path):
        raise ReadError(f"There is no file or folder at {os.path.abspath(path)}; check the path.")


def _quietly(work: Callable[[], object]) -> None:
    with suppress(Exception):
        work()
