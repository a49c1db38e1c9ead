"""The Spark session: the user's own, or an embedded one that starts quickly, prints nothing and ends at once.

If the process ends while Spark starts or works, no JVM is left behind, and nothing waits for unwanted jobs.
"""

from __future__ import annotations

import atexit
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from threading import current_thread, get_ident, main_thread
from typing import IO, TYPE_CHECKING, Any, TypeVar

from topicweave.errors import SetupError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from pyspark.sql import SparkSession

EMBEDDED = "local[*]"
# If one of these environment variables is set, a plain path may lead to another file system, and a plain name may be a
# table.
SITE_SETTINGS = ("HADOOP_CONF_DIR", "SPARK_CONF_DIR", "SPARK_HOME")
OLDEST_JAVA = 17
_COUNT = r"\s*0*[1-9]\d*\s*"
MASTERS = (
    rf"local(\[(\*|{_COUNT})(,{_COUNT})?\])?|local-cluster\[{_COUNT},{_COUNT},{_COUNT}\]|"
    r"spark://.+:\d+(,.+:\d+)*|yarn|k8s://.+|mesos://.+"
)
SECONDS_TO_CONNECT = 5.0
STACK = r"\s*(at [\w.$/<>]+\(|\.\.\. \d+ more)"  # lines of a stack trace of Java
INSTALL_JAVA = "install a JDK, for example: apt-get install openjdk-17-jre-headless (or brew install openjdk@17)"

Shipped = TypeVar("Shipped", bound=Any)

# Modules whose code runs on workers. Their code is sent along with the function, so that workers need NumPy, SciPy,
# pandas and PyArrow, but not this package. They must import names from each other, never whole modules.
_WORKER_MODULES = (
    "topicweave.pipeline.sources.filters",
    "topicweave.pipeline.workers.encode",
    "topicweave.pipeline.workers.blocks",
    "topicweave.pipeline.workers.components",
    "topicweave.pipeline.workers.connectivity",
    "topicweave.pipeline.workers.diameters",
)

# The command line of Spark's JVM, or of the script that starts it, contains one of these texts.
MARKS = ("spark-submit", "org.apache.spark")


@dataclass(frozen=True)
class SparkSettings:
    """How to start Spark if a job needs it; every job takes these settings as ``spark=``.

    Attributes
    ----------
    master, conf, memory, quiet
        As in :func:`session`.
    ends_with_process
        Whether Ctrl-C and termination signals do not wait for Spark. Spark cannot be used afterwards, so this is for
        programs that then end, such as the command line.
    """

    master: str | None = None
    conf: Mapping[str, str] = field(default_factory=dict)
    memory: str | None = None
    quiet: bool = True
    ends_with_process: bool = False

    def start(self) -> SparkSession:
        """Return the existing session, or start one with these settings."""
        return session(self.master, self.conf, memory=self.memory, quiet=self.quiet)


def is_running() -> bool:
    """Whether a session exists, in any thread."""
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

    return SparkSession.getActiveSession() is not None or SparkContext._active_spark_context is not None


def session(
    master: str | None = None, conf: Mapping[str, str] | None = None, *, memory: str | None = None, quiet: bool = True
) -> SparkSession:
    """Return the existing session, or start one.

    A running session is returned unchanged, whatever else is asked for, because it is the user's. If starting a new one
    is interrupted, no JVM is left behind.

    Parameters
    ----------
    master
        Spark's master; without it, Spark runs embedded on all cores of this machine. ``spark://HOST:PORT`` must accept
        connections from this machine, which is tested first; a master behind a proxy is refused.
    conf
        Spark settings, which override ours.
    memory
        Memory of the driver, such as ``"4g"``; by default a quarter of the machine's, at most 8 GB.
    quiet
        Whether Spark's own messages are switched off.
    """
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

    running = SparkSession.getActiveSession()
    if running is not None:
        return running
    if SparkContext._active_spark_context is not None:
        # A session is active in another thread. Our settings are not applied, because it belongs to the user.
        return SparkSession.builder.getOrCreate()
    check_java()
    chosen = master or EMBEDDED
    check_master(chosen)
    settings = {**default_settings(chosen, memory or _default_memory(), quiet), **(conf or {})}
    builder = SparkSession.builder.master(chosen).appName("topicweave")
    for name, value in settings.items():
        builder = builder.config(name, value)
    with ending_half_started_jvm(), _workers_use_this_python(chosen), _messages_kept(quiet) as messages:
        try:
            return builder.getOrCreate()
        except Exception as error:
            raise SetupError(
                f"Spark did not start on {chosen}: {_last_message(messages, error)}; "
                f"check the master's address and the settings given."
            ) from error


def runs_on_workers(function: Shipped) -> Shipped:
    """Mark a function that Spark sends to workers, together with what it uses from ``_WORKER_MODULES``."""
    from pyspark import cloudpickle

    for name in _WORKER_MODULES:
        module = sys.modules.get(name)
        if module is not None:
            cloudpickle.register_pickle_by_value(module)  # type: ignore[no-untyped-call]
    return function


def default_settings(master: str, memory: str, quiet: bool) -> dict[str, str]:
    """The settings for sessions that we start ourselves."""
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
    if is_embedded(master) and not any(map(os.getenv, SITE_SETTINGS)):
        # Spark creates this folder as soon as a table is requested, by default in the working folder.
        settings["spark.sql.warehouse.dir"] = _warehouse()
    if is_embedded(master):
        settings["spark.driver.host"] = settings["spark.driver.bindAddress"] = "127.0.0.1"
        settings["spark.sql.shuffle.partitions"] = str(max(4, 2 * (os.cpu_count() or 1)))
    return settings


@cache
def _warehouse() -> str:
    """The folder for Spark's warehouse; it belongs to this process alone, and is deleted when the process ends."""
    folder = os.path.join(tempfile.gettempdir(), f"topicweave-warehouse-{os.getpid()}")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def is_embedded(master: str) -> bool:
    """Whether Spark runs on this machine as part of this process, and not on a cluster."""
    return re.fullmatch(r"local(\[.*\])?", master) is not None


def check_master(master: str) -> None:
    """Raise a clear error if Spark's master cannot be reached; Spark itself would take more than a minute to
    give up.
    """
    if not re.fullmatch(MASTERS, master):
        raise SetupError(
            f"{master!r} is not a master that Spark knows; give local[N], spark://HOST:PORT, yarn or k8s://HOST:PORT."
        )
    if not master.startswith("spark://"):
        return
    reasons = []
    for address in master.removeprefix("spark://").split(","):
        host, _, port = address.rpartition(":")
        try:
            socket.create_connection((host.strip("[]"), int(port)), timeout=SECONDS_TO_CONNECT).close()
            return
        except (OSError, ValueError, OverflowError) as error:
            reasons.append(getattr(error, "strerror", None) or str(error))
    raise SetupError(
        f"There is no answer at {master} ({reasons[-1]}); check the address, and that the master runs there."
    )


def check_java() -> None:
    """Raise a clear error if there is no Java that Spark can use."""
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
    """The major version of Java, read from the JDK's release file if there is one, because starting a JVM to ask takes
    time.
    """
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
    """Make embedded workers run this interpreter; otherwise Spark uses whichever ``python3`` is on PATH."""
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
    """Make the JVM that is about to start write its messages to a temporary file instead of the terminal.

    Java announces its incubator modules before any logging exists, so only the stream itself can be redirected.
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
        said = messages.read().decode(errors="replace").splitlines()
        lines = [line for line in said if "rror" in line and not re.match(STACK, line)]
    told = [line for line in str(error).strip().splitlines() if not re.match(STACK, line)]
    return (
        (lines or told or [type(error).__name__])[-1].strip().removeprefix("Caused by: ").removeprefix(": ").rstrip(".")
    )


@contextmanager
def ending_half_started_jvm() -> Iterator[None]:
    """End the JVM if its start is interrupted; otherwise it would wait for its caller forever.

    PySpark hides the process until it has started, so it is searched for among the children that this process has
    started meanwhile; children that are not Spark are left alone.
    """
    import psutil

    this = psutil.Process()
    before = set(this.children())
    try:
        yield
    except (KeyboardInterrupt, SystemExit):
        ended = set()
        for child in set(this.children()) - before:
            with suppress(psutil.Error):
                if any(mark in " ".join(child.cmdline()) for mark in MARKS):
                    child.kill()  # a JVM that is still starting may ignore weaker signals
                    ended.add(child.pid)
        _forget(ended)
        raise


def _forget(ended: set[int]) -> None:
    """Let PySpark start a new JVM next time, because the old one has ended."""
    from pyspark import SparkContext

    gateway = SparkContext._gateway
    if gateway is not None and getattr(gateway, "proc", None) is not None and gateway.proc.pid in ended:
        gateway.shutdown()
        SparkContext._gateway = SparkContext._jvm = None


def abandon_spark(reason: BaseException) -> None:
    """Make every later call of Spark from this thread raise ``reason``; for processes that are about to end.

    When reading a result is interrupted, PySpark waits for the running job, and again when frames are released while
    the stack unwinds; errors from that would replace the interrupt.
    """
    from pyspark import SparkContext

    client: Any = getattr(SparkContext._gateway, "_gateway_client", None)
    if client is None:
        return
    call, thread = client.send_command, get_ident()

    def send_command(*arguments: Any, **options: Any) -> Any:
        if get_ident() == thread:
            raise reason
        return call(*arguments, **options)

    client.send_command = send_command


def end_at_once(interrupt: Any) -> None:
    """When this process is told to end, do not wait for Spark; ``interrupt`` is the handler of Ctrl-C from before Spark
    started.

    (PySpark installs its own handler, which cancels all jobs and waits until they have noticed.)
    """
    if current_thread() is not main_thread():
        return
    names = ("SIGTERM", "SIGHUP")
    numbers = [getattr(signal, name) for name in names if hasattr(signal, name)]
    usual = {signal.SIGINT: interrupt, **{number: signal.getsignal(number) for number in numbers}}
    for number, handler in usual.items():
        if handler is not None:
            signal.signal(number, _abandoning(handler) if callable(handler) else handler)


def _abandoning(usual: Callable[[int, Any], object]) -> Callable[[int, Any], None]:
    """A signal handler that calls ``usual`` and, if that raises an error, abandons Spark."""

    def end(number: int, frame: Any) -> None:
        try:
            usual(number, frame)
        except BaseException as reason:
            abandon_spark(reason)
            raise

    return end
