"""Spark's errors as one sentence."""

import pytest

from topicweave.errors import ReadError, SetupError, SparkError, TooLargeError
from topicweave.pipeline.spark.failures import explained, readable_path


@pytest.mark.parametrize(
    ("story", "kind", "words"),
    [
        ("[PATH_NOT_FOUND] Path does not exist: file:/a%20b/x.csv. SQLSTATE: 42K03", ReadError, "at /a b/x.csv;"),
        (
            "[FAILED_READ_FILE] reading file file:///x.gz. \njava.io.EOFException: Unexpected end",
            ReadError,
            "truncated",
        ),
        ("java.io.IOException: not a gzip file", ReadError, "WHAT is not what its extension says"),
        ("x.FileNotFoundException: file:/secret.csv (Permission denied)", ReadError, "may not be read"),
        ("ModuleNotFoundError: No module named 'pyarrow'", SetupError, "lack the module pyarrow"),
        ("is bigger than spark.driver.maxResultSize (1024.0 MiB)", TooLargeError, "maxResultSize to 0"),
        (
            "java.lang.ClassNotFoundException: Class org.apache.hadoop.fs.s3a.S3AFileSystem not found",
            SetupError,
            "Spark lacks the connector for WHAT; start it with the setting spark.jars.packages=org.apache.hadoop:"
            "hadoop-aws:",
        ),
        ('UnsupportedFileSystemException: No FileSystem for scheme "gs"', SetupError, "gcs-connector:hadoop3"),
        ("java.lang.OutOfMemoryError: Java heap space", TooLargeError, "out of memory"),
        ("java.io.IOException: No space left on device", SetupError, "disk that Spark"),
        ("Traceback\nValueError: seven is not a colour", SparkError, "WHAT: ValueError: seven is not a colour"),
    ],
)
def test_sentence(story, kind, words):
    """Each known failure gets its class and says what to do; an unknown one says what Spark said."""
    error = explained(RuntimeError(story), "WHAT")
    assert type(error) is kind
    assert words in str(error)
    assert "\n" not in str(error)


def test_readable_path():
    """Paths as people write them."""
    assert readable_path("file:///data/a%20b") == readable_path("file:/data/a%20b") == "/data/a b"
    assert readable_path("hdfs://x/y") == "hdfs://x/y"
