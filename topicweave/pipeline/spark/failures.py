"""Turns errors of Spark into errors of topicweave that explain the problem in one sentence."""

from __future__ import annotations

import re
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote

from topicweave.errors import ReadError, Remedy, SetupError, SparkError, TooLargeError, TopicweaveError

if TYPE_CHECKING:
    from collections.abc import Iterator

# Text in Spark's error -> the class and message of our error. The first match counts.
KNOWN: tuple[tuple[str, type[TopicweaveError], str], ...] = (
    (r"PATH_NOT_FOUND", ReadError, "There is no file or folder at {path}; check the path."),
    (r"TABLE_OR_VIEW_NOT_FOUND", ReadError, "There is no table {path} in this session; check its name."),
    (
        r"Permission denied|AccessControlException|AccessDeniedException",
        ReadError,
        "{path} may not be read by this user; change its permissions or run as a user who may.",
    ),
    (
        r"UNABLE_TO_INFER_SCHEMA",
        ReadError,
        "{path} holds no data files of that format; check the path, or name the format.",
    ),
    (
        r"DATA_SOURCE_NOT_FOUND|ClassNotFoundException: Failed to find data source",
        ReadError,
        "Spark knows no such format ({detail}); {other_format} csv, tsv, jsonl, parquet, orc, table, or add the "
        "connector.",
    ),
    (
        r"ClassNotFoundException: Class org\.apache\.hadoop\.fs\.(?P<scheme>\w+)\.|"
        r"No FileSystem for scheme \"?(?P<other>\w+)",
        SetupError,
        "Spark lacks the connector for {path}; {setting}.",
    ),
    (
        r"EOFException|Unexpected end of (input stream|ZLIB)|premature EOF|compressed stream ended",
        ReadError,
        "{path} ends in the middle: the file is truncated; fetch it again, or decompress what is left of it.",
    ),
    (
        r"not a gzip file|incorrect header check|ZipException|invalid (block|stored block|distance|code)"
        r"|bad block header|data integrity|checksum error",
        ReadError,
        "{path} is not what its extension says: decompressing it failed; check the file, or rename it.",
    ),
    (
        r"is not a Parquet file|CANNOT_READ_FILE_FOOTER|Malformed ORC|FileFormatException|Invalid postscript",
        ReadError,
        "{path} is not a readable file of that format; check the file, or name the right format.",
    ),
    (
        r"No module named '(?P<module>[\w.]+)'",
        SetupError,
        "Spark's Python workers lack the module {module}; install topicweave's dependencies where the workers run "
        "and point PYSPARK_PYTHON to that Python.",
    ),
    (
        r"PYTHON_VERSION_MISMATCH",
        SetupError,
        "Spark's workers run another Python version than this process; set PYSPARK_PYTHON to the same version.",
    ),
    (
        r"spark\.driver\.maxResultSize",
        TooLargeError,
        "The subscriptions are larger than this session lets the driver receive; set spark.driver.maxResultSize to 0.",
    ),
    (
        r"OutOfMemoryError|MemoryError|Java heap space|SparkOutOfMemoryError",
        TooLargeError,
        "Spark ran out of memory; give the driver or the executors more (spark.driver.memory, spark.executor.memory).",
    ),
    (
        r"No space left on device",
        SetupError,
        "The disk that Spark keeps its working files on is full; free some space or set spark.local.dir to another.",
    ),
    (r"FAILED_READ_FILE", ReadError, "{path} could not be read ({detail}); check the file."),
)


# The scheme of an address, or the package of a missing class -> the package to add, and its version; None stands for
# the version of Hadoop.
CONNECTORS: dict[str, tuple[str, str | None]] = {
    **dict.fromkeys(("s3a", "s3"), ("org.apache.hadoop:hadoop-aws", None)),
    **dict.fromkeys(("abfs", "abfss", "azurebfs", "wasb", "wasbs"), ("org.apache.hadoop:hadoop-azure", None)),
    "gs": ("com.google.cloud.bigdataoss:gcs-connector", "hadoop3-2.2.26"),
}


@contextmanager
def spark_failures(what: str) -> Iterator[None]:
    """Turn errors of Spark inside the block into our own; ``what`` names the input if Spark's message does not."""
    from py4j.protocol import Py4JError  # type: ignore[import-untyped]
    from pyspark.errors import PySparkException

    try:
        with _hushed():
            yield
    except TopicweaveError:
        raise
    except (PySparkException, Py4JError) as error:
        raise explained(error, what) from error


@contextmanager
def _hushed() -> Iterator[None]:
    """Keep PySpark from printing the traceback of an error for which we print an explanation."""
    from pyspark.logger import PySparkLogger

    loggers = [PySparkLogger.getLogger(f"{kind}QueryContextLogger") for kind in ("DataFrame", "SQL")]
    before = [logger.disabled for logger in loggers]
    try:
        for logger in loggers:
            logger.disabled = True
        yield
    finally:
        for logger, was in zip(loggers, before, strict=True):
            logger.disabled = was


def explained(error: Exception, what: str) -> TopicweaveError:
    """The error of topicweave that explains an error of Spark."""
    story = _story(error)
    detail = _first_sentence(error)
    for pattern, kind, sentence in KNOWN:
        found = re.search(pattern, story)
        if found:
            path = _path_in(story) or what
            named = found.groupdict()
            package = _connector(named.pop("scheme", None) or named.pop("other", None) or "")
            return kind(
                sentence, path=path, detail=detail, other_format=Remedy.OTHER_FORMAT, setting=Remedy.SPARK_SETTING,
                package=package, **named,
            )  # fmt: skip
    return SparkError(
        "Spark failed while working on {what}: {detail}; {remedy} to see more.",
        what=what, detail=detail, remedy=Remedy.SPARK_LOG,
    )  # fmt: skip


def _connector(scheme: str) -> str:
    """The package that can read addresses with this scheme, in the version that fits Spark's Hadoop."""
    import pyspark

    jars = Path(pyspark.__file__).parent.glob("jars/hadoop-client-api-*.jar")
    version = next((jar.stem.rpartition("-")[2] for jar in jars), "VERSION")
    name, own = CONNECTORS.get(scheme, ("GROUP:CONNECTOR", None))
    return f"{name}:{own or version}"


def readable_path(uri: str) -> str:
    """A path as users write it, from a URI as Spark writes it."""
    local = re.fullmatch(r"file:(?://)?(/.*)", uri)
    return unquote(local[1]) if local else uri


def _story(error: BaseException) -> str:
    """The text of the error and of its causes, including the stack trace of the JVM."""
    parts = []
    seen: BaseException | None = error
    while seen is not None:
        parts += [str(seen), str(getattr(seen, "_stackTrace", "") or "")]
        seen = getattr(seen, "_cause", None) or seen.__cause__
    return "\n".join(parts)


def _path_in(story: str) -> str | None:
    found = re.search(
        r"(?:Path does not exist: |reading file |footer for file: |File |path )((?:file|hdfs|s3a?|gs|abfss?):[^\s,;]+)",
        story,
    ) or re.search(r"(?:Path does not exist: |view )(\S+)", story)
    return readable_path(found[1].rstrip(".")) if found else None


def _first_sentence(error: Exception) -> str:
    """What went wrong, without the errors wrapped around it: the innermost cause, if there is a stack trace."""
    text = str(getattr(error, "_desc", None) or error).strip()
    lines = [line.strip().removeprefix(": ") for line in text.splitlines() if line.strip()]
    named = [
        line.removeprefix("Caused by: ")
        for line in lines
        if re.match(r"(Caused by: )?(\w+\.)*\w*(Error|Exception)", line)
    ]
    said = (named or lines or [type(error).__name__])[-1]
    return re.sub(r"\s*SQLSTATE: \w+", "", said).rstrip(". ")
