"""Inputs that are not there are refused at once, where Spark would need many seconds to start and say the same."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from topicweave.errors import ReadError
from topicweave.pipeline.sources.formats.files import FILE_FORMATS, TEXT_FORMATS, as_paths, format_of_name
from topicweave.pipeline.spark.session import SparkSettings, is_embedded, is_running

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pyspark.sql import SparkSession

    from topicweave.pipeline.sources.formats.table import Table

# Where these are set, a plain path may lie on another file system and a plain name may be a table.
SITE_SETTINGS = ("HADOOP_CONF_DIR", "SPARK_CONF_DIR", "SPARK_HOME")


def check_present(tables: Iterable[Table], spark: SparkSession | SparkSettings | None) -> None:
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
            _check(path, table.format)


def _check(path: str, format_: str | None) -> None:
    if re.search(r"^\w{2,}:|[*?\[\]{}\\]", path):
        return
    may_be_table = re.fullmatch(r"\w+(\.\w+)*", path) and format_ is None and format_of_name(path) is None
    if not may_be_table and not os.path.exists(path):
        raise ReadError(f"There is no file or folder at {os.path.abspath(path)}; check the path.")
