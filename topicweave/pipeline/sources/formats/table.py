"""Table: describes how to open one input. Opening it gives the requested fields of every line, including lines that
cannot be used.

Whatever the format, the result has one column for each wanted field (strings), the content of the row, the file it came
from, and the reason why it cannot be used: null for most rows. No line is dropped here.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from topicweave.errors import ReadError
from topicweave.pipeline.sources.formats.files import (
    EDGES,
    FILE_FORMATS,
    JSONL,
    TABLE,
    TEXT_FORMATS,
    TSV,
    InputFile,
    Paths,
    as_paths,
    check_compression,
    detect_format,
    files_of,
    list_files,
)
from topicweave.pipeline.sources.formats.lines import check_silent_files, read_lines
from topicweave.pipeline.spark.failures import spark_failures

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyspark.sql import DataFrame, SparkSession


@dataclass(frozen=True)
class Table:
    """One input: files, a folder, a glob, a table of the Spark session, or a data frame.

    Attributes
    ----------
    path
        A path or several, a glob, a folder, the name of a table, or a data frame.
    format
        ``csv``, ``tsv``, ``jsonl``, ``parquet``, ``orc``, ``edges`` (two words per line), ``table``, or any format the
        session knows; detected from the name if not given.
    columns
        The columns of the wanted fields: field → column name, or position from 0 in a text file.
    header
        Whether text files begin with the names of the columns; None: yes, unless positions are given.
    separator, quote, comment
        The syntax of text files with columns; ``quote=""`` for no quoting, ``comment`` is what comment lines begin
        with.
    options
        Options for Spark's reader of every other format.
    """

    path: Paths | DataFrame
    format: str | None = None
    columns: Mapping[str, str | int] = field(default_factory=dict)
    header: bool | None = None
    separator: str | None = None
    quote: str = '"'
    comment: str | None = None
    options: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for what, given, least in (("separator", self.separator, 1), ("quote", self.quote, 0)):
            if given is not None and not least <= len(given) <= 1:
                raise ReadError(f"The {what} must be one character, but {given!r} was given.")
        if self.comment == "":
            raise ReadError("The beginning of comment lines is empty; leave it out if there are none.")

    def check_fields(self, fields: Sequence[str]) -> None:
        """Raise an error if a column was named for a field that will not be read."""
        for name in self.columns:
            if name not in fields:
                raise ReadError(
                    f"A column was named for the field {name!r}, but {self.name} is read for "
                    f"{', '.join(fields)}; name one of these."
                )

    def told(self) -> dict[str, Any]:
        """The options that differ from their defaults, as listed in the manifest; ``columns`` is not among them."""
        names = ("format", "header", "separator", "quote", "comment", "options")
        ordinary = Table("")
        return {name: getattr(self, name) for name in names if getattr(self, name) != getattr(ordinary, name)}

    @property
    def is_frame(self) -> bool:
        """Whether the input is a data frame."""
        from pyspark.sql import DataFrame

        return isinstance(self.path, DataFrame)

    @property
    def name(self) -> str:
        """The name of the input in messages."""
        return "the data frame" if self.is_frame else ", ".join(as_paths(self.path)[:3])  # type: ignore[arg-type]


def as_table(given: Any) -> Table:
    """Return a table as it is, or make one from a path, several paths, a table's name or a data frame."""
    from pyspark.sql import DataFrame

    if isinstance(given, Table):
        return given
    if isinstance(given, str | os.PathLike | DataFrame) or (
        isinstance(given, Sequence) and given and all(isinstance(path, str | os.PathLike) for path in given)
    ):
        return Table(given)
    raise ReadError(f"A {type(given).__name__} cannot be read; give a path, a data frame, or a Table.")


@dataclass(frozen=True)
class Opened:
    """A table that was opened: its rows, and the files they come from.

    Attributes
    ----------
    rows
        A column for each requested field, except for optional ones that the table does not have; and for each row its
        content, its file, and the reason why it cannot be used.
    frame
        What Spark read, with all columns, and their types if the format has types.
    """

    rows: DataFrame
    files: tuple[InputFile, ...]
    format: str
    has_header: bool = False
    frame: DataFrame | None = None

    def rows_with(self, fields: Sequence[str]) -> DataFrame:
        """The rows, with an added column of nulls for each of ``fields`` that the table does not have."""
        from pyspark.sql import functions as F

        missing = [name for name in fields if name not in self.rows.columns]
        return self.rows.withColumns({name: F.lit(None).cast("string") for name in missing}) if missing else self.rows


def open_table(spark: SparkSession, table: Table, wanted: Sequence[str], optional: Sequence[str] = ()) -> Opened:
    """Open a table and select the requested fields; optional fields that it does not have are left out."""
    from pyspark.sql import DataFrame

    table.check_fields([*wanted, *optional])
    with spark_failures(table.name):
        if isinstance(table.path, DataFrame):
            from topicweave.pipeline.sources.formats import structured

            rows = structured.select_fields(table.path, table.columns, wanted, optional, table.name)
            return Opened(rows, files_of(table.path), "data frame", frame=table.path)
        kind = table.format or detect_format(spark, table.path)
        if kind in TEXT_FORMATS:
            return _open_text(spark, table, as_paths(table.path), kind, wanted, optional)
        if kind == TABLE:
            frame = spark.table(as_paths(table.path)[0])
        else:
            frame = spark.read.format(kind).options(**table.options).load(as_paths(table.path))
        from topicweave.pipeline.sources.formats import structured

        has_files = kind in FILE_FORMATS
        rows = structured.select_fields(frame, table.columns, wanted, optional, table.name, has_files)
        return Opened(rows, files_of(frame), kind, frame=frame)


def _open_text(
    spark: SparkSession, table: Table, paths: list[str], kind: str, wanted: Sequence[str], optional: Sequence[str]
) -> Opened:
    if table.options:
        raise ReadError(
            f"Options of Spark's own reader ({', '.join(table.options)}) do not apply to {kind}, which is read line by "
            f"line here; say it with header, separator, quote or comment."
        )
    files = list_files(spark, paths)
    check_compression(file.path for file in files)
    lines = read_lines(spark, paths)
    check_silent_files(lines, files)
    if kind == JSONL:
        from topicweave.pipeline.sources.formats import json_lines

        return Opened(json_lines.select_fields(lines, table.columns, wanted, optional), files, kind)
    if kind == EDGES:
        from topicweave.pipeline.sources.formats import edge_list

        rows = edge_list.select_fields(lines, table.columns, wanted, table.comment, table.name)
        return Opened(rows, files, kind)
    from topicweave.pipeline.sources.formats import delimited

    layout = delimited.Layout(
        separator=table.separator or ("\t" if kind == TSV else ","),
        quote=table.quote,
        comment=table.comment,
        header=_has_header(table),
    )
    rows = delimited.select_fields(lines, table.columns, wanted, optional, layout, table.name)
    return Opened(rows, files, kind, has_header=layout.header)


def _has_header(table: Table) -> bool:
    by_position = any(isinstance(place, int) for place in table.columns.values())
    return not by_position if table.header is None else table.header
