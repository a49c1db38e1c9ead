"""Reads text files as lines, each with the name of its file and its unchanged bytes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from topicweave.columns import FILE, LINE
from topicweave.errors import ReadError
from topicweave.pipeline.quality import reasons
from topicweave.pipeline.sources.formats.files import SILENT_COMPRESSION, InputFile, Paths, as_paths
from topicweave.pipeline.spark.failures import readable_path

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import Column, DataFrame, SparkSession

BLOCK_START = "block_start"
BYTE_ORDER_MARK = "\ufeff"


def read_lines(spark: SparkSession, path: Paths) -> DataFrame:
    """The lines of text files, compressed or not: columns for the line, its file, and the position in the file at which
    the block starts that Spark reads the line with.

    Spark passes bytes through unchecked, so that undecodable lines arrive unchanged and can be recognised.
    """
    lines = spark.read.format("text").load(as_paths(path))
    return lines.select(
        without_mark("value").alias(LINE),
        F.col("_metadata.file_path").alias(FILE),
        F.col("_metadata.file_block_start").alias(BLOCK_START),
    )


def without_mark(column: str) -> Column:
    """The line without the byte order mark, if it has one."""
    line = F.col(column)
    return F.when(F.startswith(line, F.lit(BYTE_ORDER_MARK)), F.substring(line, 2, 2**31 - 1)).otherwise(line)


def reason_of_line(comment: str | Sequence[str] | None) -> Column:
    """Why a line is invalid even before it is parsed; null if it is valid so far."""
    line = F.col(LINE)
    marks = [comment] if isinstance(comment, str) else list(comment or ())
    reason = F.when(F.trim(line) == "", reasons.BLANK_LINE)
    for mark in marks:
        reason = reason.when(F.startswith(line, F.lit(mark)), reasons.COMMENT)
    return reason.when(~F.is_valid_utf8(line), reasons.NOT_UTF8)


def first_line(lines: DataFrame, comment: str | Sequence[str] | None, *, must_be_text: bool) -> str | None:
    """The first line of any of the files that is neither blank nor a comment; ``None`` if there is none.

    With ``must_be_text`` an undecodable first line is an error; otherwise the first decodable line is returned.
    """
    reason = reason_of_line(comment)
    wanted = reason.isNull() | (reason == reasons.NOT_UTF8) if must_be_text else reason.isNull()
    found = (
        lines.where((F.col(BLOCK_START) == 0) & wanted)
        .select(F.make_valid_utf8(LINE), F.is_valid_utf8(LINE), FILE)
        .limit(1)
        .collect()
    )
    if not found:
        return None
    line, is_text, file = found[0]
    if must_be_text and not is_text:
        raise ReadError(
            f"{readable_path(file)} does not begin with a line of UTF-8 text; check that it is the right file, "
            f"or convert it to UTF-8."
        )
    return str(line)


def check_silent_files(lines: DataFrame, files: Sequence[InputFile]) -> None:
    """Raise an error if a compressed file yielded no line although it is not empty.

    Some of Hadoop's decompressors read a file that is not quite in their format as empty.
    """
    doubtful = {file.path for file in files if SILENT_COMPRESSION.search(file.path) and file.size}
    if not doubtful:
        return
    speaking = {readable_path(row[0]) for row in lines.select(FILE).distinct().collect()}
    silent = sorted(doubtful - speaking)
    if silent:
        raise ReadError(
            f"{silent[0]} gave no line at all: it is damaged, or compressed in a way that Spark does not read; "
            f"decompress it, or compress it with gzip."
        )
