"""The files behind an input: which they are, how large, what is in them (by checksum)."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from topicweave.errors import ReadError
from topicweave.files import sha256
from topicweave.pipeline.spark.failures import readable_path, spark_failures

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

Paths = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]


@dataclass(frozen=True)
class InputFile:
    """A file that was read.

    Attributes
    ----------
    path
        Where it lies; a plain path for local files, a URI for others.
    size
        In bytes; ``None`` where only the reader of the format knows.
    """

    path: str
    size: int | None

    @property
    def is_local(self) -> bool:
        return re.match(r"\w{2,}:", self.path) is None and Path(self.path).is_file()

    def sha256(self) -> str | None:
        """The checksum of a local file; of others ``None``, for reading them again here would cost a download."""
        if not self.is_local:
            return None
        return sha256(self.path)


def as_paths(path: Paths) -> list[str]:
    """One path or several, as strings Spark takes; a leading ``~`` is the home folder."""
    several = [path] if isinstance(path, str | os.PathLike) else list(path)
    return [os.path.expanduser(os.fspath(one)) for one in several]


def list_files(spark: SparkSession, path: Paths) -> tuple[InputFile, ...]:
    """The files that a path, glob or folder stands for, sorted; Spark lists them, so any file system will do."""
    found = files_of(spark.read.format("text").load(as_paths(path)))
    if all(file.size is not None for file in found):
        return found
    # Sizes of files elsewhere cost a small job.
    rows = spark.read.format("binaryFile").load(as_paths(path)).select("path", "length").collect()
    return tuple(sorted((InputFile(readable_path(row[0]), row[1]) for row in rows), key=lambda file: file.path))


def files_of(frame: DataFrame) -> tuple[InputFile, ...]:
    """The files behind a data frame, as far as Spark knows them."""
    found = sorted(readable_path(uri) for uri in frame.inputFiles())
    return tuple(InputFile(path, os.path.getsize(path) if os.path.isfile(path) else None) for path in found)


def read_local_parquet(spark: SparkSession, path: Path) -> DataFrame:
    """A Parquet file of this machine as a data frame, wherever the workers are."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        table = pq.read_table(path)
    except (OSError, pa.ArrowInvalid) as error:
        raise ReadError(f"{path} cannot be read as Parquet ({error}); check the file.") from error
    with spark_failures(str(path)):
        return spark.createDataFrame(table)
