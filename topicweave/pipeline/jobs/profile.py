"""The job that describes a source: statistics of its subscriptions and its rows."""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from topicweave.pipeline.job import as_source, check_present, load_libraries, open_job, verb
from topicweave.pipeline.loading import load_in
from topicweave.pipeline.quality.reasons import MAX_BAD_FRACTION, check_max_bad_fraction

if TYPE_CHECKING:
    from collections.abc import Callable

    from topicweave.pipeline.job import SourceLike, Spark
    from topicweave.pipeline.source_profile import SourceProfile
    from topicweave.pipeline.spark.progress import Observer

NEEDED_LATER = ("pandas", "scipy.optimize", "scipy.sparse")

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")


def takes_interest(verb: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """Let ``profile`` also accept an interest in memory, which needs no Spark."""

    @wraps(verb)
    def call(*given: Any, **named: Any) -> Any:
        from topicweave.deprecation import warn_form
        from topicweave.model import Interest
        from topicweave.reports.profile import profile

        if given and isinstance(given[0], Interest):
            warn_form("For an interest in memory call topicweave.reports.profile.profile(interest).", stacklevel=2)
            return profile(*given, **named)
        return verb(*given, **named)

    return call


@takes_interest
@verb("pipeline.profile(source, spark=...)")
def profile(
    source: SourceLike,
    *,
    max_bad_fraction: float = MAX_BAD_FRACTION,
    spark: Spark = None,
    progress: Observer | None = None,
    seed: int = 0,
) -> SourceProfile:
    """Show sizes, popularity, overlap, what designing will cost, and which algorithm is suitable.

    Parameters
    ----------
    source
        What to read; a path, table or data frame is taken for subscriptions.
    max_bad_fraction
        The share of bad rows up to which the good ones are used.
    spark, progress
        The session, and the observer of progress: see :func:`open_job`.
    seed
        Seed of the random sample of node pairs.

    Raises
    ------
    ReadError, BadRowsError
        The input cannot be read, or too much of it is bad.
    """
    from topicweave.pipeline.source_profile import profile_loaded

    check_max_bad_fraction(max_bad_fraction)
    readable = as_source(source)
    check_present(readable.tables, spark)
    with open_job(spark=spark, progress=progress) as job:
        job.start(meanwhile=lambda: load_libraries(NEEDED_LATER))
        loaded = load_in(job, readable, max_bad_fraction)
        loaded.records.release()
        with job.stages.stage("profile"):
            return profile_loaded(loaded, seed)
