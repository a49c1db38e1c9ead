"""Experiments on Spark: every run is one task, and its result is passed on as soon as it is known."""

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
# A job of short runs takes about this long on each slot, and has at most this many tasks.
SECONDS_PER_JOB, TASKS_PER_JOB = 3.0, 100


class Run(Protocol):
    """One run: a description that can be sent to a worker and executed there."""

    @property
    def path(self) -> PurePosixPath:
        """What distinguishes this run from all others."""

    @property
    def cost(self) -> float:
        """A rough estimate of its seconds."""

    @property
    def whole_worker(self) -> bool:
        """Whether nothing else may run beside it: because of its memory, or because its time is measured."""

    def perform(self, find: Callable[[str], str]) -> Mapping[str, Any]:
        """Execute the run; ``find`` returns the path of a file that was sent along, by its name."""


class RunObserver:
    """Does nothing; override the methods for what you want to observe. ``on_begin`` is called in several threads."""

    def on_begin(self, run: Run) -> None:
        """A run was given to Spark."""

    def on_done(self, run: Run, seconds: float) -> None:
        """A run has ended after this many seconds on its worker."""


@dataclass(frozen=True)
class Failure:
    """A run that raised, and its message."""

    run: Run
    sentence: str


@dataclass(frozen=True)
class Crew:
    """The workers: how many runs at a time, and how a run gets a worker for itself."""

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
    """Execute runs, each as one Spark task, in the order given; those that need a whole worker come first.

    Short runs share a job, because a job costs a tenth of a second itself; a long run is a job of one task.

    Parameters
    ----------
    spark
        The session. Workers need topicweave; the experiments' code and ``files`` are sent to them.
    runs
        The runs. A run that raises does not stop the others.
    keep
        Called in this thread with each result as soon as its job has ended: if everything is killed, only the running
        jobs are lost, which are some seconds.
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
    # Two rounds: no small run is in progress while a run that must be alone is.
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
    """How many runs Spark can execute at a time, and what a whole worker is."""
    if is_embedded(context.master or ""):
        return Crew(context.defaultParallelism, context.defaultParallelism, None)
    from pyspark.resource import ResourceProfileBuilder, TaskResourceRequests

    context.parallelize([0], 1).count()  # executors may register after the session has started; a job waits for one
    cores = _cores_of_largest_executor(context)
    profile = ResourceProfileBuilder().require(TaskResourceRequests().cpus(cores)).build
    return Crew(max(1, context.defaultParallelism), cores, profile)


def _cores_of_largest_executor(context: SparkContext) -> int:
    """The most cores of any executor: a task that asks for so many has an executor to itself, whichever it gets."""
    listed = context._jsc.sc().statusStore().executorList(True)
    found = [listed.apply(place) for place in range(listed.length())]
    cores = [int(executor.totalCores()) for executor in found if executor.id() != "driver"]
    return max(1, *cores)


def jobs_of(runs: Sequence[Run], slots: int) -> list[list[Run]]:
    """Groups of runs: jobs of a few seconds each."""
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
    """Execute jobs, ``num_threads`` at a time: every thread waits for one job."""
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
            except TopicweaveError as error:  # Spark's own failure, which does not belong to a particular run
                answers = [(0.0, None, str(error).rstrip("."))] * len(job)
            for run, (seconds, result, sentence) in zip(job, answers, strict=True):
                if result is None:
                    failures.append(Failure(run, sentence))
                else:
                    keep(run, result)
                observer.on_done(run, seconds)
    except BaseException:
        pool.shutdown(wait=False, cancel_futures=True)
        with suppress(Exception):  # at Ctrl-C the JVM may be gone already
            context.cancelJobGroup(group)
        raise
    pool.shutdown()
    return failures


def _on_worker(task: tuple[Run, int]) -> Answer:
    """Seconds and result of a run, or what went wrong: a run that raises would raise again, so Spark need not retry."""
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
