"""A plan folder as a source: what the plan was made for, as it was written with it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from topicweave.columns import NODE, TOPIC
from topicweave.errors import ReadError
from topicweave.pipeline.plan_files import SUBSCRIPTIONS, no_subscriptions
from topicweave.pipeline.quality.reasons import tag
from topicweave.pipeline.sources.formats.files import InputFile, read_local_parquet
from topicweave.pipeline.sources.formats.table import Table, open_table
from topicweave.pipeline.sources.records import Part, Records
from topicweave.pipeline.sources.source import Source
from topicweave.pipeline.spark.failures import spark_failures

if TYPE_CHECKING:
    import os

    from pyspark.sql import SparkSession


@dataclass(frozen=True)
class PlanFolder(Source):
    """The subscriptions that a plan was made for.

    A plan lies on the disk of this machine, which workers elsewhere cannot see: it is read here and handed to Spark.

    Attributes
    ----------
    folder
        The plan.
    """

    kind: ClassVar[str] = "plan"

    folder: str | os.PathLike[str]

    def __post_init__(self) -> None:
        if not self._path.is_file():  # at once: Spark takes seconds to start
            raise ReadError(no_subscriptions(self.folder))

    @property
    def _path(self) -> Path:
        return Path(self.folder).expanduser() / SUBSCRIPTIONS

    @property
    def tables(self) -> tuple[Table, ...]:
        return (Table(str(self._path)),)

    def read(self, spark: SparkSession) -> Records:
        """Read them; they are checked like any other input, for anybody may have changed the file."""
        name = str(self._path)
        opened = open_table(spark, Table(read_local_parquet(spark, self._path)), (NODE, TOPIC))
        with spark_failures(name):
            files = (InputFile(name, self._path.stat().st_size),)
            part = Part("subscriptions", name, tag(opened.rows, (NODE, TOPIC)), files)
            return Records((part,), part.rows)
