"""No JVM is left behind when starting Spark is interrupted."""

from __future__ import annotations

import os
import signal
import subprocess
from contextlib import contextmanager, suppress
from glob import glob
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

# What the command line of Spark's JVM, or of the script that becomes it, has in it.
MARKS = ("spark-submit", "org.apache.spark")


@contextmanager
def no_orphan() -> Iterator[None]:
    """End the JVM of an interrupted start: it would wait for ever for a caller that has gone.

    PySpark keeps the process to itself until it has started, so it is looked for among the children that this process
    has got meanwhile; those that are no Spark are somebody else's and stay.
    """
    before = _children()
    try:
        yield
    except (KeyboardInterrupt, SystemExit):
        begun = {child for child in _children() - before if any(mark in _command(child) for mark in MARKS)}
        for child in begun:
            with suppress(OSError):
                os.kill(child, signal.SIGKILL)  # it may not listen to less, half started as it is
        _forget(begun)
        raise


def _forget(ended: set[int]) -> None:
    """Let PySpark start anew next time, where it would go on talking to a JVM that has ended."""
    from pyspark import SparkContext

    gateway = SparkContext._gateway
    if gateway is not None and getattr(gateway, "proc", None) is not None and gateway.proc.pid in ended:
        gateway.shutdown()
        SparkContext._gateway = SparkContext._jvm = None


def _children() -> set[int]:
    """The processes this one has started."""
    lists = [Path(task, "children") for task in glob("/proc/self/task/*")]
    if lists and all(file.exists() for file in lists):
        return {int(child) for file in lists for child in file.read_text().split()}
    asked = subprocess.run(["pgrep", "-P", str(os.getpid())], capture_output=True, text=True, check=False)
    return {int(child) for child in asked.stdout.split()}


def _command(process: int) -> str:
    """The command line of a process, as far as it can be known."""
    file = Path(f"/proc/{process}/cmdline")
    with suppress(OSError):
        if file.exists():
            return file.read_bytes().decode(errors="replace")
    asked = subprocess.run(["ps", "-o", "args=", "-p", str(process)], capture_output=True, text=True, check=False)
    return asked.stdout
