"""Reads the event files of one micro-batch: each in its own format, and an unreadable file does not stop the others.

The content of a file must not depend on the files that happen to be read with it. So files are read together only if
they have the same format and, if it has columns, the same columns. If reading several fails, each half is read by
itself, and so on, until only the bad file is put aside.
"""

from __future__ import annotations

import os
import re
import tempfile
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from topicweave.columns import FILE, LINE, REASON
from topicweave.errors import ReadError, SparkError
from topicweave.pipeline.sources.event_rows import read_event_rows
from topicweave.pipeline.sources.formats.files import CSV, ORC, PARQUET, TSV, format_of_name
from topicweave.pipeline.spark.failures import spark_failures

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pyspark.sql import SparkSession

    from topicweave.pipeline.sources.event_rows import EventRow
    from topicweave.pipeline.sources.events import EventLog
    from topicweave.pipeline.sources.formats.table import Table

UNREADABLE = "the file cannot be read: "
# names without characters that are special to Hadoop, such as colons and brackets
PLAIN = re.compile(r"[\w.,+=@#~ -]+")
LONGEST_HEADER = 1 << 20


@dataclass
class EventFiles:
    """The content of some event files: the events, and everything else as entries for the quarantine."""

    events: list[EventRow] = field(default_factory=list)
    bad: list[dict[str, Any]] = field(default_factory=list)


def read_event_files(spark: SparkSession, log: EventLog, paths: Sequence[str]) -> EventFiles:
    """Read event files in the format that ``log`` describes. Problems of single files are recorded; only failures of
    Spark are raised.
    """
    found = EventFiles()
    for group in _groups(log.table, paths):
        _read(spark, log, group, found)
    # If two rows have the same sequence number, the same one must come first however the files are grouped into
    # batches.
    found.events.sort(key=lambda row: (row.event.sequence, row.file, row.event.content))
    return found


def local_path(uri: str) -> str:
    """A local path from the URI that Spark's file stream reports; unlike other URIs, it does not escape special
    characters.
    """
    local = re.fullmatch(r"file:(?://)?(/.*)", uri, re.DOTALL)
    return local[1] if local else uri


def _read(spark: SparkSession, log: EventLog, paths: list[str], found: EventFiles) -> None:
    try:
        with _named_plainly(paths) as names:
            table = replace(log.table, path=list(names))
            rows = read_event_rows(spark, table, is_whole_log=False, max_label_length=log.max_label_length)
            found.events += [replace(row, file=names.get(row.file, row.file)) for row in rows.events]
            found.bad += [{**entry, FILE: names.get(entry[FILE], entry[FILE])} for entry in rows.bad]
    except (ReadError, SparkError) as error:
        if isinstance(error, SparkError):
            _check_alive(spark, error)
        if len(paths) > 1:
            # look for unreadable files by halving, because few files are bad and reading them one by one is slow
            half = len(paths) // 2
            _read(spark, log, paths[:half], found)
            _read(spark, log, paths[half:], found)
        else:
            found.bad.append({REASON: f"{UNREADABLE}{error}", FILE: paths[0], LINE: ""})


def _check_alive(spark: SparkSession, error: SparkError) -> None:
    """If the error is due to Spark itself and not to a file, raise it."""
    try:
        with spark_failures("a row of its own"):
            spark.range(1).count()
    except SparkError:
        raise error from None


def _groups(table: Table, paths: Sequence[str]) -> list[list[str]]:
    groups: dict[object, list[str]] = {}
    for path in paths:
        kind = table.format or format_of_name(path)
        groups.setdefault((kind, LAYOUTS[kind](path, table) if kind in LAYOUTS else None), []).append(path)
    return list(groups.values())


def _header(path: str, table: Table) -> object:
    """What distinguishes the column layout of a text file: its first line, or None if files have no headers.

    For compressed and remote files it is the path, so that they are read one by one.
    """
    if table.header is False:
        return None
    if re.search(r"\.(gz|bz2|zst|deflate|snappy|lz4)$", path.lower()):
        return path
    try:
        with open(path, "rb") as file:
            while line := file.readline(LONGEST_HEADER):
                if line.strip() and not (table.comment and line.startswith(table.comment.encode())):
                    return line.strip()
    except OSError:
        pass
    return path


def _schema(path: str, _: Table) -> object:
    """The columns of a Parquet or ORC file (the path if they cannot be read): Spark uses the columns of one file for
    all files that it reads together.
    """
    import pyarrow as pa
    from pyarrow.dataset import dataset

    kind = format_of_name(path)
    try:
        return str(dataset(path, format=kind).schema.remove_metadata()) if os.path.getsize(path) else path
    except (OSError, ValueError, pa.ArrowException):
        return path


LAYOUTS = {CSV: _header, TSV: _header, PARQUET: _schema, ORC: _schema}
"""By format, a function whose result differs for files that must not be read together."""


@contextmanager
def _named_plainly(paths: Sequence[str]) -> Iterator[dict[str, str]]:
    """Aliases under which Spark can read the files, with the real name of each."""
    odd = [path for path in paths if os.path.isfile(path) and not PLAIN.fullmatch(os.path.basename(path))]
    with tempfile.TemporaryDirectory(prefix="topicweave-") as folder:
        names = {path: path for path in paths}
        for number, path in enumerate(odd):
            ending = "".join(re.findall(r"\.\w+", os.path.basename(path))[-2:])
            plain = Path(folder).resolve() / f"{number}{ending}"
            plain.symlink_to(os.path.abspath(path))
            del names[path]
            names[str(plain)] = path
        yield names
