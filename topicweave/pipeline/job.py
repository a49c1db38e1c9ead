"""Job: holds what every run needs, which is an output folder, a record of its stages, and Spark if necessary.

Everything that can be refused without Spark, such as a missing input, is refused before Spark starts, which takes
seconds.
"""

from __future__ import annotations

import os
import re
import signal
import tempfile
from collections.abc import Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext, suppress
from functools import wraps
from importlib import import_module
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

# If work that began while Spark starts takes this many seconds longer than the start, it is reported as a stage.
UNNOTICED = 0.3


class Job:
    """One run of a job; created by :func:`open_job`.

    Attributes
    ----------
    target
        The folder being written, locked until the job ends; None if nothing is written.
    stages
        Reports progress to the observer and measures time.
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
        """Where to write: this folder becomes the output when the job succeeds, and is deleted otherwise."""
        if self.target is not None:
            return self.target.folder
        if self._folder is None:
            self._folder = Path(self._cleanup.enter_context(tempfile.TemporaryDirectory(prefix="topicweave-")))
        return self._folder

    @property
    def settings(self) -> SparkSettings:
        """How to start Spark; not used if a session was given."""
        return self._settings

    @property
    def has_spark(self) -> bool:
        """Whether there is a Spark session already."""
        return self._spark is not None or is_running()

    @property
    def spark(self) -> SparkSession:
        """The Spark session, which is started when first used."""
        return self.start()

    def start(self, meanwhile: Callable[[], object] | None = None) -> SparkSession:
        """Return the Spark session; if it has to be started, do something else meanwhile.

        Parameters
        ----------
        meanwhile
            Called in another thread while a new session starts, to have its result ready later. If it fails, it will
            fail again where it is needed, and the error is raised there. Python waits for it before the process ends: a
            thread that is stopped inside a C++ library would crash the process ("terminate called without an active
            exception").
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
        """Enter a context manager, which is left when the job ends."""
        return self._cleanup.enter_context(context)

    def writing(self) -> AbstractContextManager[None]:
        """Turn errors of the operating system, while files are written, into one-sentence messages."""
        return nullcontext() if self.target is None else self.target.writing()

    def publish(self) -> Path | None:
        """Rename the folder to its final name, which completes the output. Returns its path; None if there is no
        output.
        """
        return None if self.target is None else self.target.publish()


def verb(form: str) -> Callable[[Callable[Parameters, Result]], Callable[Parameters, Result]]:
    """Decorate the function of a job; callers that use the previous version's call form are shown the new one,
    ``form``.
    """

    def decorate(function: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
        @wraps(function)
        def call(*given: Any, **named: Any) -> Result:
            is_none_first = len(given) > 1 and given[0] is None
            has_session = is_none_first or (given and type(given[0]).__name__ == "SparkSession")
            if "stages" in named or has_session:
                from topicweave.deprecation import in_new_form

                given, named = in_new_form(form, given, named)
            return function(*given, **named)

        return call

    return decorate


@contextmanager
def open_job(
    out: Out = None, *, overwrite: bool = False, spark: Spark = None, progress: Observer | Stages | None = None
) -> Iterator[Job]:
    """Begin a job: the output folder is locked at once, before Spark starts, and stays locked until the job ends.

    Parameters
    ----------
    out
        The folder to write, or None to write nothing. A :class:`Target` that has been entered already is used as it is.
    overwrite
        Whether an existing plan may be replaced.
    spark
        The session to use, or :class:`SparkSettings` to start one; None for the running session, or a new embedded one.
    progress
        The observer that progress is reported to.

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
    """Turn what a job was given into a source; a source is returned unchanged.

    A plan folder stands for the subscriptions it was made for; anything else is taken for a table of subscriptions.
    """
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


def load_libraries(names: Iterable[str]) -> None:
    """Import what later stages need while waiting for Spark to start."""
    for name in names:
        import_module(name)


def check_present(tables: Iterable[Table], spark: Spark, *, are_folders: bool = False) -> None:
    """Report missing files now, if otherwise Spark would have to be started to notice them.

    Only paths that are certain to be local files are checked; for all others, Spark decides whether they exist.

    Parameters
    ----------
    tables
        What will be read.
    spark
        The session in which it will be read.
    are_folders
        Whether each must be a folder, in which files appear; a name can then not be that of a table in the session.
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
            if re.search(r"^\w{2,}:|[*?\[\]{}\\]", path):
                continue
            if are_folders:
                _check_folder(path)
            else:
                _check_file(path, table.format)


def _check_folder(path: str) -> None:
    if not os.path.exists(path):
        raise ReadError(f"There is no folder at {os.path.abspath(path)}; check the path.")
    if not os.path.isdir(path):
        raise ReadError(
            f"{path} is a file, but a folder of event files is followed; name the folder, or a pattern such as {path}*."
        )


def _check_file(path: str, format_: str | None) -> None:
    may_be_table = re.fullmatch(r"\w+(\.\w+)*", path) and format_ is None and format_of_name(path) is None
    if not may_be_table and not os.path.exists(path):
        raise ReadError(f"There is no file or folder at {os.path.abspath(path)}; check the path.")


def _quietly(work: Callable[[], object]) -> None:
    with suppress(Exception):
        work()
