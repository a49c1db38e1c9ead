"""quarantine/: the bad rows, in a form in which they can be corrected and read again."""

from __future__ import annotations

import base64
import gzip
import json
from typing import IO, TYPE_CHECKING, Any

from topicweave.columns import BYTES, FILE, LINE, REASON
from topicweave.files import write_atomically
from topicweave.pipeline.spark.failures import readable_path, spark_failures

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from pyspark.sql import DataFrame

NAME = "rows.jsonl.gz"


def write_quarantine(rows: DataFrame, folder: Path) -> int:
    """Write the bad rows as JSON lines with ``reason``, ``file``, ``line``, and ``bytes`` (base64) for what is not
    text.

    The rows come to the driver partition by partition and go straight to the file, so that any number of them fits and
    executors need no access to this disk.
    """
    return write_entries(entries(rows), folder)


def entries(rows: DataFrame) -> Iterator[dict[str, Any]]:
    """The bad rows as they will be written, partition by partition."""
    with spark_failures("bad rows"):
        for row in rows.select(REASON, FILE, LINE, BYTES).toLocalIterator(prefetchPartitions=True):
            raw = {} if row[3] is None else {BYTES: base64.b64encode(row[3]).decode()}
            yield {REASON: row[0], FILE: readable_path(row[1]), LINE: row[2], **raw}


def write_entries(found: Iterable[dict[str, Any]], folder: Path, name: str = NAME) -> int:
    """Write entries to a file of the folder, which appears only when it is complete; return how many there are."""
    folder.mkdir(exist_ok=True)
    count = 0

    def write(raw: IO[bytes]) -> None:
        nonlocal count
        # The gzip header contains neither a file name nor a time, so that the same rows always give the same bytes.
        with gzip.GzipFile("", "wb", mtime=0, fileobj=raw) as file:
            for entry in found:
                file.write(json.dumps(entry, ensure_ascii=False).encode() + b"\n")
                count += 1

    write_atomically(folder / name, write)
    return count
