"""Executes experiments on Spark: every run is a task, and its result is passed on as soon as it is known."""

from __future__ import annotations

import math
import time
import traceback
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol
from uuid import uuid4

from experiments.zipped import zipped_package
from topicweave.errors import SparkError, TopicweaveError
from topicweave.pipeline.spark.failures import spark_failures
from topicweave.pipeline.spark.session import is_embedded

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from concurrent.futures import Future
    from pathlib import PurePosixPath

    from pyspark import SparkContext
    from pyspark.resource import ResourceProfile
    from pyspark.sql import SparkSession

    Answer = tuple[float, Mapping[str, Any] | None, str]
    """Seconds and result of a run; or no result, and a sentence on what went wrong."""


PACKAGE = Path(__file__).resolve().parent
# Short runs are grouped into Spark jobs that take about this long and have at most this many tasks per slot.
SECONDS_PER_JOB, TASKS_PER_JOB = 3.0, 100


class Run(Protocol):
    """A run described so that it can be sent to a worker and executed there."""

    @property
    def path(self) -> PurePosixPath:
        """A path that identifies the run."""

    @property
    def cost(self) -> float:
        """A rough estimate of the run's time in seconds."""

    @property
    def whole_worker(self) -> bool:
        """Whether the run must be alone on a worker, because of its memory or because its time is measured."""

    def perform(self, find: Callable[[str], str]) -> Mapping[str, Any]:
        """Execute the run; ``find`` gives the path of a data file by name."""


class RunObserver:
    """An observer that does nothing; override the methods for what you want to know. ``on_begin`` is called from
    several threads.
    """

    def on_begin(self, run: Run) -> None:
        """Called when a run has been handed to Spark."""

    def on_done(self, run: Run, seconds: float) -> None:
        """Called when a run has ended, with the seconds it took on its worker."""


@dataclass(frozen=True)
class Failure:
    """A run that raised an error, with the error's message."""

    run: Run
    sentence: str


@dataclass(frozen=True)
class Crew:
    """The workers of Spark: how many runs they can execute at a time, and how a run gets a worker for itself."""

    slots: int
    cores: int
    profile: ResourceProfile | None
    """None if Spark is embedded: there is one worker then, and runs that need it for themselves run one by one."""


def perform_all(
    spark: SparkSession,
    runs: Iterable[Run],
    keep: Callable[[Run, Mapping[str, Any]], None],
    *,
    files: Iterable[Path] = (),
    observer: RunObserver | None = None,
) -> None:
    """Execute runs in this order, each as a Spark task; runs that need a whole worker come first.

    Short runs share a job, because a job costs a tenth of a second itself; a long run is a job of one task.

    Parameters
    ----------
    spark
        The session. Workers need topicweave; the experiments' code and ``files`` are sent to them.
    runs
        The runs. A run that raises does not stop the others.
    keep
        Called in this thread with each result as soon as its job has ended: if everything is killed, only the running
        jobs are lost, that is, the work of some seconds.
    files
        Data files that runs will look for by name.
    observer
        The observer of starts and ends.

    Raises
    ------
    SparkError
        Some runs failed; the message has the first.
    """
    seen = observer or RunObserver()
    context = spark.sparkContext
    with spark_failures("the code of the experiments"):
        context.addPyFile(zipped_package(PACKAGE))
        for file in files:
            context.addFile(str(file))
        crew = crew_of(context)
    listed = list(runs)
    whole = [run for run in listed if run.whole_worker]
    small = [run for run in listed if not run.whole_worker]
    # Work in two rounds, so that no small run is in progress while a run that needs the machine to itself is executed.
    embedded = crew.profile is None
    alone = [[run] for run in whole]
    failures = _round(context, alone, keep, seen, 1 if embedded else crew.slots, crew.profile, crew.cores)
    failures += _round(context, jobs_of(small, crew.slots), keep, seen, crew.slots, None, 1)
    if failures:
        first = failures[0]
        raise SparkError(
            f"{len(failures)} of {len(listed)} runs failed; the first is {first.run.path}: {first.sentence}; "
            f"the results of the others are kept, and the same command tries again those that are missing."
        )


def crew_of(context: SparkContext) -> Crew:
    """Find out how many runs Spark can execute at a time, and how a run can have a worker for itself."""
    if is_embedded(context.master or ""):
        return Crew(context.defaultParallelism, context.defaultParallelism, None)
    from pyspark.resource import ResourceProfileBuilder, TaskResourceRequests

    # run a tiny job first, because executors may register only after the session has started
    context.parallelize([0], 1).count()
    cores = _cores_of_largest_executor(context)
    profile = ResourceProfileBuilder().require(TaskResourceRequests().cpus(cores)).build
    return Crew(max(1, context.defaultParallelism), cores, profile)


def _cores_of_largest_executor(context: SparkContext) -> int:
    """The largest number of cores that any executor has; a task that asks for this many gets an executor to itself."""
    listed = context._jsc.sc().statusStore().executorList(True)
    found = [listed.apply(place) for place in range(listed.length())]
    cores = [int(executor.totalCores()) for executor in found if executor.id() != "driver"]
    return max(1, *cores)


def jobs_of(runs: Sequence[Run], slots: int) -> list[list[Run]]:
    """Group runs into Spark jobs of a few seconds each."""
    jobs: list[list[Run]] = []
    seconds = math.inf
    for run in runs:
        if seconds + run.cost > SECONDS_PER_JOB * slots or len(jobs[-1]) == TASKS_PER_JOB:
            jobs.append([])
            seconds = 0.0
        jobs[-1].append(run)
        seconds += run.cost
    return jobs


def _round(
    context: SparkContext,
    jobs: Sequence[Sequence[Run]],
    keep: Callable[[Run, Mapping[str, Any]], None],
    observer: RunObserver,
    num_threads: int,
    profile: ResourceProfile | None,
    cores: int,
) -> list[Failure]:
    """Execute several Spark jobs at a time, each from a thread that waits for it."""
    failures = []
    group = f"topicweave-{uuid4().hex}"

    def work(job: Sequence[Run]) -> list[Answer]:
        context.setJobGroup(group, str(job[0].path), interruptOnCancel=True)
        observer.on_begin(job[0])
        with spark_failures(str(job[0].path)):
            tasks = context.parallelize([(run, cores) for run in job], len(job)).map(_on_worker)
            answers: list[Answer] = (tasks.withResources(profile) if profile else tasks).collect()
        return answers

    pool = ThreadPoolExecutor(num_threads, "topicweave-run")
    try:
        waiting: dict[Future[list[Answer]], Sequence[Run]] = {pool.submit(work, job): job for job in jobs}
        for future in as_completed(waiting):
            job = waiting.pop(future)
            try:
                answers = future.result()
            except TopicweaveError as error:  # a failure of Spark itself, not of a particular run
                answers = [(0.0, None, str(error).rstrip("."))] * len(job)
            for run, (seconds, result, sentence) in zip(job, answers, strict=True):
                if result is None:
                    failures.append(Failure(run, sentence))
                else:
                    keep(run, result)
                observer.on_done(run, seconds)
    except BaseException:
        pool.shutdown(wait=False, cancel_futures=True)
        with suppress(Exception):  # after Ctrl-C, the JVM may have ended already
            context.cancelJobGroup(group)
        raise
    pool.shutdown()
    return failures


def _on_worker(task: tuple[Run, int]) -> Answer:
    """Execute a run on a worker; returns its time and result, or its error. Spark must not retry, because the error
    would come again.
    """
    import numba
    from pyspark import SparkFiles

    run, cores = task
    numba.set_num_threads(max(1, min(cores, numba.config.NUMBA_NUM_THREADS)))
    before = time.perf_counter()
    try:
        result = dict(run.perform(SparkFiles.get))
    except Exception as error:
        where = traceback.extract_tb(error.__traceback__)[-1]
        sentence = f"{type(error).__name__}: {error}".rstrip(".")
        return 0.0, None, f"{sentence} ({where.filename}, line {where.lineno})"
    return time.perf_counter() - before, result, ""
