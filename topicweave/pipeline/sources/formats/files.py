"""The files that make up an input: their names, sizes, formats and checksums."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from topicweave.errors import ReadError, Remedy
from topicweave.files import sha256
from topicweave.pipeline.spark.failures import readable_path, spark_failures

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pyspark.sql import DataFrame, SparkSession

Paths = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]

CSV, TSV, JSONL, PARQUET, ORC, EDGES, TABLE = "csv", "tsv", "jsonl", "parquet", "orc", "edges", "table"

TEXT_FORMATS = frozenset({CSV, TSV, JSONL, EDGES})
FILE_FORMATS = frozenset({PARQUET, ORC, "avro", "json", "xml"})

_BY_ENDING = {
    "csv": CSV,
    "tsv": TSV,
    "tab": TSV,
    "jsonl": JSONL,
    "ndjson": JSONL,
    "json": JSONL,
    "parquet": PARQUET,
    "pq": PARQUET,
    "orc": ORC,
    "txt": EDGES,
    "edges": EDGES,
    "edgelist": EDGES,
    "el": EDGES,
}
_COMPRESSION = r"\.(gz|bz2|zst|deflate|snappy|lz4)$"

# If a file with one of these extensions is not quite in the expected format, Hadoop's readers return no lines and no
# error.
SILENT_COMPRESSION = re.compile(r"\.(bz2|lz4|snappy|deflate)$", re.IGNORECASE)
_UNREAD_COMPRESSION = re.compile(r"\.(xz|lzma|zip|7z|rar|z|br|tar|tgz|tar\.\w+)$", re.IGNORECASE)


@dataclass(frozen=True)
class InputFile:
    """A file that was read.

    Attributes
    ----------
    path
        Its location: a plain path for local files, a URI for others.
    size
        In bytes; ``None`` if only the reader of the format knows.
    """

    path: str
    size: int | None

    @property
    def is_local(self) -> bool:
        return re.match(r"\w{2,}:", self.path) is None and Path(self.path).is_file()

    def sha256(self) -> str | None:
        """The checksum of a local file; ``None`` for other files, which would have to be downloaded again."""
        if not self.is_local:
            return None
        return sha256(self.path)


def as_paths(path: Paths) -> list[str]:
    """One path or several, as strings that Spark accepts; a leading ``~`` stands for the home folder."""
    several = [path] if isinstance(path, str | os.PathLike) else list(path)
    return [os.path.expanduser(os.fspath(one)) for one in several]


def list_files(spark: SparkSession, path: Paths) -> tuple[InputFile, ...]:
    """The files that a path, glob or folder stands for, sorted. Spark lists them, so this works on any file system."""
    found = files_of(spark.read.format("text").load(as_paths(path)))
    if all(file.size is not None for file in found):
        return found
    # For remote files, finding out the size takes a small Spark job.
    rows = spark.read.format("binaryFile").load(as_paths(path)).select("path", "length").collect()
    return tuple(sorted((InputFile(readable_path(row[0]), row[1]) for row in rows), key=lambda file: file.path))


def files_of(frame: DataFrame) -> tuple[InputFile, ...]:
    """The files from which a data frame is read, as far as Spark knows them."""
    found = sorted(readable_path(uri) for uri in frame.inputFiles())
    return tuple(InputFile(path, os.path.getsize(path) if os.path.isfile(path) else None) for path in found)


def read_local_parquet(spark: SparkSession, path: Path) -> DataFrame:
    """Read a local Parquet file into a data frame, even if the workers cannot see the file."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        table = pq.read_table(path)
    except (OSError, pa.ArrowInvalid) as error:
        raise ReadError(f"{path} cannot be read as Parquet ({error}); check the file.") from error
    with spark_failures(str(path)):
        return spark.createDataFrame(table)


def format_of_name(name: str) -> str | None:
    """The format that a file name indicates, or ``None``."""
    plain = re.sub(_COMPRESSION, "", name.lower())
    return _BY_ENDING.get(plain.rsplit(".", 1)[-1]) if "." in plain.rsplit("/", 1)[-1] else None


def check_compression(paths: Iterable[str]) -> None:
    """Raise an error for archives and compressed files that Spark would read as plain text."""
    for path in paths:
        if _UNREAD_COMPRESSION.search(path):
            raise ReadError(
                f"{path} is packed in a way that Spark cannot read; unpack it, or compress it with gzip, bzip2 or zstd."
            )


def detect_format(spark: SparkSession, path: Paths) -> str:
    """The format of an input whose format the caller has not given.

    A name with a known file extension decides. Otherwise it is a table of the session, or a folder whose files must
    agree.
    """
    paths = as_paths(path)
    named = {format_of_name(one) for one in paths}
    if len(named) == 1 and None not in named:
        return str(named.pop())
    if len(paths) == 1 and _is_table(spark, paths[0]):
        return TABLE
    files = list_files(spark, path)
    check_compression(file.path for file in files)
    found = Counter(format_of_name(file.path) for file in files)
    if len(found) == 1 and None not in found:
        return str(next(iter(found)))
    shown = ", ".join(paths[:3])
    if not files:
        raise ReadError(f"There is no file in {shown}; check the path.")
    strange = next((file.path for file in files if format_of_name(file.path) is None), None)
    seen = (
        f"{strange} has an unknown ending" if strange else f"files of {' and '.join(sorted(map(str, found)))} are mixed"
    )
    raise ReadError(
        "The format of {shown} is unknown: {seen}; {remedy} (csv, tsv, jsonl, parquet, orc, …).",
        shown=shown, seen=seen, remedy=Remedy.NAME_FORMAT,
    )  # fmt: skip


def _is_table(spark: SparkSession, name: str) -> bool:
    from pyspark.errors import AnalysisException

    if re.fullmatch(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*){0,2}", name) is None:
        return False
    try:
        return bool(spark.catalog.tableExists(name))
    except AnalysisException:  # raised if the name has more parts than table names can have
        return False
