"""The Spark session: the one the user has, or an embedded one that starts quickly and keeps quiet."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, TYPE_CHECKING

from topicweave.errors import SetupError
from topicweave.pipeline.spark.shutdown import no_orphan

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pyspark.sql import SparkSession

EMBEDDED = "local[*]"
OLDEST_JAVA = 17
INSTALL_JAVA = "install a JDK, for example: apt-get install openjdk-17-jre-headless (or brew install openjdk@17)"


@dataclass(frozen=True)
class SparkSettings:
    """How to start Spark when a job needs it; any job takes it as ``spark=``.

    Attributes
    ----------
    master, conf, memory, quiet
        As for :func:`session`.
    ends_with_process
        Whether Ctrl-C and being told to end do not wait for Spark. It cannot be used afterwards: for programs that end
        then, such as the command line.
    """

    master: str | None = None
    conf: Mapping[str, str] = field(default_factory=dict)
    memory: str | None = None
    quiet: bool = True
    ends_with_process: bool = False

    def start(self) -> SparkSession:
        """The session at hand, or a new one with these settings."""
        return session(self.master, self.conf, memory=self.memory, quiet=self.quiet)


def is_running() -> bool:
    """Whether there is a session already, in whatever thread."""
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

    return SparkSession.getActiveSession() is not None or SparkContext._active_spark_context is not None


def session(
    master: str | None = None, conf: Mapping[str, str] | None = None, *, memory: str | None = None, quiet: bool = True
) -> SparkSession:
    """Return the session at hand, or start one.

    A session that is already running is returned as it is, whatever else is asked for: it is the user's. When the start
    of a new one is interrupted, no JVM is left behind.

    Parameters
    ----------
    master
        Where to run; without it, embedded in this process on all cores.
    conf
        Spark settings, which win over ours.
    memory
        Memory of the driver, like ``"4g"``; a quarter of the machine, at most 8 GB, by default.
    quiet
        Whether Spark's own messages are switched off.
    """
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

    running = SparkSession.getActiveSession()
    if running is not None:
        return running
    if SparkContext._active_spark_context is not None:
        # Active in another thread. Our settings are left out, for they would be put into the user's session.
        return SparkSession.builder.getOrCreate()
    check_java()
    chosen = master or EMBEDDED
    settings = {**default_settings(chosen, memory or _default_memory(), quiet), **(conf or {})}
    builder = SparkSession.builder.master(chosen).appName("topicweave")
    for name, value in settings.items():
        builder = builder.config(name, value)
    with no_orphan(), _workers_use_this_python(chosen), _messages_kept(quiet) as messages:
        try:
            return builder.getOrCreate()
        except Exception as error:
            raise SetupError(
                f"Spark did not start on {chosen}: {_last_message(messages, error)}; "
                f"check the master's address and the settings given."
            ) from error


def default_settings(master: str, memory: str, quiet: bool) -> dict[str, str]:
    """Our settings for a session that is started here."""
    log_file = Path(__file__).with_name("log4j2.properties").as_uri()
    level = "OFF" if quiet else "WARN"
    settings = {
        "spark.driver.memory": memory,
        "spark.driver.extraJavaOptions": (
            f"-Dlog4j2.configurationFile={log_file} -Dtopicweave.spark.level={level} -XX:+UseParallelGC"
        ),
        "spark.driver.maxResultSize": "0",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.execution.arrow.pyspark.enabled": "true",
        "spark.sql.catalogImplementation": "in-memory",
    }
    if is_embedded(master):
        settings["spark.driver.host"] = settings["spark.driver.bindAddress"] = "127.0.0.1"
        settings["spark.sql.shuffle.partitions"] = str(max(4, 2 * (os.cpu_count() or 1)))
    return settings


def is_embedded(master: str) -> bool:
    """Whether Spark runs inside this process."""
    return re.fullmatch(r"local(\[.*\])?", master) is not None


def check_java() -> None:
    """Raise one clear sentence when there is no Java that Spark can use."""
    home = os.environ.get("JAVA_HOME")
    java = shutil.which("java", path=os.path.join(home, "bin")) if home else shutil.which("java")
    if java is None:
        where = f"JAVA_HOME ({home})" if home else "PATH"
        raise SetupError(f"Spark needs Java {OLDEST_JAVA} or newer, but there is none on {where}; {INSTALL_JAVA}.")
    version = _java_version(java)
    if version is not None and version < OLDEST_JAVA:
        raise SetupError(
            f"Spark needs Java {OLDEST_JAVA} or newer, but {java} is Java {version}; {INSTALL_JAVA} "
            f"and set JAVA_HOME to it."
        )


def _java_version(java: str) -> int | None:
    """The major version; from the JDK's own note where there is one, for starting a JVM only to ask takes time."""
    note = Path(java).resolve().parent.parent / "release"
    if note.is_file():
        text = note.read_text(errors="replace")
    else:
        try:
            text = subprocess.run([java, "-version"], capture_output=True, text=True, timeout=30, check=False).stderr
        except (OSError, subprocess.SubprocessError):
            return None
    found = re.search(r'(?:JAVA_VERSION=|version )"(?:1\.)?(\d+)', text)
    return int(found[1]) if found else None


def _default_memory() -> str:
    import psutil

    return f"{min(8192, max(1024, psutil.virtual_memory().total // 4 >> 20))}m"


@contextmanager
def _workers_use_this_python(master: str) -> Iterator[None]:
    """Embedded workers run this interpreter; without the hint Spark takes whatever ``python3`` is on the PATH."""
    if not is_embedded(master) or "PYSPARK_PYTHON" in os.environ:
        yield
        return
    os.environ["PYSPARK_PYTHON"] = sys.executable
    try:
        yield
    finally:
        del os.environ["PYSPARK_PYTHON"]


@contextmanager
def _messages_kept(quiet: bool) -> Iterator[IO[bytes] | None]:
    """Let the JVM that starts now write to a nameless file instead of the terminal.

    Java announces its incubator modules before any logging exists, so only the stream itself can be turned away.
    """
    if not quiet:
        yield None
        return
    with tempfile.TemporaryFile() as messages:
        terminal = os.dup(2)
        try:
            os.dup2(messages.fileno(), 2)
            yield messages
        finally:
            os.dup2(terminal, 2)
            os.close(terminal)


def _last_message(messages: IO[bytes] | None, error: Exception) -> str:
    lines = []
    if messages is not None:
        messages.seek(0)
        lines = [line for line in messages.read().decode(errors="replace").splitlines() if "rror" in line]
    return (lines or str(error).strip().splitlines() or [type(error).__name__])[-1].strip().rstrip(".")
