"""Uses a plan folder as an input of Spark: its subscriptions and links, or links from another list.

A plan is on the disk of this machine, which remote workers cannot see: it is read here and passed to Spark.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from topicweave.columns import NODE, ROLE, SOURCE, TARGET, TOPIC
from topicweave.errors import ReadError
from topicweave.pipeline.plan.target import EDGES, SUBSCRIPTIONS, no_subscriptions
from topicweave.pipeline.quality.reasons import ANY_LENGTH, MAX_LABEL_LENGTH, tag, valid
from topicweave.pipeline.quality.roles import tag_roles
from topicweave.pipeline.sources.formats.files import InputFile, as_paths, read_local_parquet
from topicweave.pipeline.sources.formats.table import Table, open_table
from topicweave.pipeline.sources.source import Part, Records, Source
from topicweave.pipeline.spark.failures import spark_failures

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


@dataclass(frozen=True)
class PlanFolder(Source):
    """A source that reads the subscriptions of a plan folder.

    Attributes
    ----------
    folder
        The plan.
    """

    kind: ClassVar[str] = "plan"

    folder: str | os.PathLike[str]

    def __post_init__(self) -> None:
        if not os.path.isfile(self._path):  # check this at once, because starting Spark takes seconds
            raise ReadError(no_subscriptions(self.folder))

    @property
    def _path(self) -> Path:
        return Path(self.folder).expanduser() / SUBSCRIPTIONS

    @property
    def tables(self) -> tuple[Table, ...]:
        return (Table(str(self._path)),)

    def read(self, spark: SparkSession) -> Records:
        """Read the subscriptions; they are checked like any other input, because the file may have been changed."""
        name = str(self._path)
        opened = open_table(spark, Table(read_local_parquet(spark, self._path)), (NODE, TOPIC), (ROLE,))
        with spark_failures(name):
            files = (InputFile(name, self._path.stat().st_size),)
            part = Part(
                "subscriptions", name, tag_roles(tag(opened.rows_with((ROLE,)), (NODE, TOPIC), ANY_LENGTH)), files
            )
            return Records((part,), part.rows)


def read_edges(spark: SparkSession, given: Table, *, max_label_length: int = MAX_LABEL_LENGTH) -> DataFrame:
    """Read the links of a plan folder, or of any table with ``source`` and ``target``; an invalid row is an error."""
    from pyspark.sql import DataFrame

    if not isinstance(given.path, DataFrame):
        paths = as_paths(given.path)
        if len(paths) == 1 and Path(paths[0]).is_dir() and (Path(paths[0]) / EDGES).is_file():
            given = replace(given, path=str(Path(paths[0]) / EDGES))
            max_label_length = ANY_LENGTH  # label lengths were already checked when the plan was made
            paths = as_paths(given.path)  # type: ignore[arg-type]
        if len(paths) == 1 and paths[0].endswith(".parquet") and Path(paths[0]).is_file():
            given = replace(given, path=read_local_parquet(spark, Path(paths[0])))
    opened = open_table(spark, given, (SOURCE, TARGET))
    with spark_failures(given.name):
        rows = tag(opened.rows, (SOURCE, TARGET), max_label_length)
        part = Part("edges", given.name, rows, opened.files, opened.has_header, given)
        part.check(part.count(), 0.0, is_fixed=True)
        return valid(rows).select(SOURCE, TARGET)
