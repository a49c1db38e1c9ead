"""Before the work: refuse what cannot succeed, then start Spark, and use the time its JVM takes to load the rest."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from pyspark.sql import SparkSession

    from topicweave.pipeline import SparkSettings, Stages


def check_paths(paths: Iterable[str | None], given: Mapping[str, Any], format_: str | None) -> None:
    """Raise at once for a file that is not there, where Spark would need many seconds to start and say the same.

    Only for paths that can be nothing else than files of this machine; about all others Spark knows better.
    """
    from topicweave.pipeline import Table
    from topicweave.pipeline.sources.presence import check_present

    check_present([Table(path, format=format_) for path in paths if path is not None], spark_of(given))


def spark_of(given: Mapping[str, Any]) -> SparkSettings:
    """How Spark is to be started, by the options of the command line."""
    from topicweave.cli.options import settings
    from topicweave.pipeline import SparkSettings

    return SparkSettings(
        given["master"], settings(given["conf"], "KEY=VALUE"), quiet=not given["spark_log"], ends_with_process=True
    )


def start_spark(stages: Stages, given: Mapping[str, Any], meanwhile: Callable[[], None] | None = None) -> SparkSession:
    """The Spark session the command line asks for.

    Parameters
    ----------
    stages
        Told about it.
    given
        The options of the command line.
    meanwhile
        Done in another thread while Spark starts, to have it ready later; if it fails, it will fail again where it is
        needed, and is heard there.
    """
    from topicweave.pipeline.job import open_job

    with open_job(spark=spark_of(given), progress=stages) as job:
        return job.start(meanwhile)
