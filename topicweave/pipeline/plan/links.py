"""Links as they were written: of a plan folder, or of any other list of links."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from topicweave.columns import SOURCE, TARGET
from topicweave.pipeline.plan_files import EDGES
from topicweave.pipeline.quality.reasons import MAX_LABEL_LENGTH, tag, valid
from topicweave.pipeline.sources.formats.files import as_paths, read_local_parquet
from topicweave.pipeline.sources.formats.table import Table, open_table
from topicweave.pipeline.sources.records import Part
from topicweave.pipeline.spark.failures import spark_failures

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


def read_edges(spark: SparkSession, given: Table, *, max_label_length: int = MAX_LABEL_LENGTH) -> DataFrame:
    """The links of a plan folder or of any table with ``source`` and ``target``; a row that is no link is an error.

    A plan lies on the disk of this machine, which workers elsewhere cannot see: it is read here and handed to Spark.
    """
    from pyspark.sql import DataFrame

    if not isinstance(given.path, DataFrame):
        paths = as_paths(given.path)
        if len(paths) == 1 and Path(paths[0]).is_dir() and (Path(paths[0]) / EDGES).is_file():
            given = replace(given, path=str(Path(paths[0]) / EDGES))
            paths = as_paths(given.path)  # type: ignore[arg-type]
        if len(paths) == 1 and paths[0].endswith(".parquet") and Path(paths[0]).is_file():
            given = replace(given, path=read_local_parquet(spark, Path(paths[0])))
    opened = open_table(spark, given, (SOURCE, TARGET))
    with spark_failures(given.name):
        rows = tag(opened.rows, (SOURCE, TARGET), max_label_length)
        part = Part("edges", given.name, rows, opened.files, opened.has_header, given)
        part.check(part.count(), 0.0)
        return valid(rows).select(SOURCE, TARGET)
