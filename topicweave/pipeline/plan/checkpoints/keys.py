"""Keys that tell whether a run repeats an earlier one: one key for what is read, another for what is designed from it.

Everything that may change a result changes the key; some things that do not change the result do so, too, and cost a
repeated stage.
"""

from __future__ import annotations

import hashlib
import os
import pickle
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pyspark.sql import DataFrame

from topicweave.pipeline.plan.manifest import versions
from topicweave.pipeline.sources.formats.files import TABLE, detect_format

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyspark.sql import SparkSession

    from topicweave.pipeline.sources.formats.files import InputFile
    from topicweave.pipeline.sources.formats.table import Table
    from topicweave.pipeline.sources.source import Records, Source

PACKAGE = Path(__file__).resolve().parents[3]
HEXADECIMAL_DIGITS = 32
# Spark settings that may change what is read; the location of Spark's warehouse is an exception.
HEEDED, NOT_HEEDED = "spark.sql.", "spark.sql.warehouse.dir"


def input_key(spark: SparkSession, source: Source, records: Records) -> str | None:
    """A key for the result of reading; None if that depends on more than files and how they are read.

    Compute it before the files are read: if they change meanwhile, the key is that of the old files and never occurs
    again.
    """
    if not all(_is_of_files(spark, table) for table in source.tables) or not all(part.files for part in records.parts):
        return None
    stamps = [_stamp(spark, file) for file in records.files]
    settings = {name: value for name, value in spark.conf.getAll.items() if name.startswith(HEEDED)}
    settings.pop(NOT_HEEDED, None)
    return _digest(repr(source), stamps, sorted(settings.items()), versions(spark), _own_code())


def design_key(input_key: str, algorithm: str, parameters: Mapping[str, Any], seed: int) -> str | None:
    """A key for a design made from that input; None if a parameter cannot be written as text."""
    try:
        content = pickle.dumps(dict(sorted(parameters.items())), protocol=5)
    except (TypeError, AttributeError, pickle.PicklingError):
        return None
    return _digest(input_key, algorithm, seed, hashlib.sha256(content).hexdigest())


def _is_of_files(spark: SparkSession, table: Table) -> bool:
    """Whether the input consists of files: a data frame may have been made in any way, and a table may be a view that
    has been redefined.
    """
    if isinstance(table.path, DataFrame):
        return False
    return (table.format or detect_format(spark, table.path)) != TABLE


def _stamp(spark: SparkSession, file: InputFile) -> tuple[Any, ...]:
    """When a file was last changed.

    For local files also the inode and its change time, which no program can set back.
    """
    if file.is_local:
        found = os.stat(file.path)
        return file.path, found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino
    rows = spark.read.format("binaryFile").load(file.path).select("length", "modificationTime").collect()
    return file.path, [(row[0], str(row[1])) for row in rows]


def _own_code() -> str:
    """A checksum of this package, because its code may change between two releases."""
    content = hashlib.sha256()
    for file in sorted(PACKAGE.rglob("*.py")):
        content.update(file.relative_to(PACKAGE).as_posix().encode() + b"\0" + file.read_bytes() + b"\0")
    return content.hexdigest()


def _digest(*parts: Any) -> str:
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:HEXADECIMAL_DIGITS]
