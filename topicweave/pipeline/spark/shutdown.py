"""Ending while Spark starts or works: no JVM is left behind, and nobody waits for jobs that nobody wants any more."""

from __future__ import annotations

import signal
from contextlib import contextmanager, suppress
from threading import current_thread, get_ident, main_thread
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

# What the command line of Spark's JVM, or of the script that becomes it, contains.
MARKS = ("spark-submit", "org.apache.spark")


@contextmanager
def no_orphan() -> Iterator[None]:
    """End the JVM of an interrupted start: it would wait for ever for a caller that has gone.

    PySpark keeps the process to itself until it has started, so it is looked for among the children that this process
    has got meanwhile; children that are not Spark belong to somebody else and stay.
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
                    child.kill()  # half started as it is, it may not listen to less
                    ended.add(child.pid)
        _forget(ended)
        raise


def _forget(ended: set[int]) -> None:
    """Let PySpark start a new JVM next time, where it would go on talking to one that has ended."""
    from pyspark import SparkContext

    gateway = SparkContext._gateway
    if gateway is not None and getattr(gateway, "proc", None) is not None and gateway.proc.pid in ended:
        gateway.shutdown()
        SparkContext._gateway = SparkContext._jvm = None


def abandon_spark(reason: BaseException) -> None:
    """From now on every call of Spark from this thread raises ``reason`` instead; for processes that are about to end.

    PySpark waits for the running job when reading its result is interrupted, and again when frames are released while
    the stack unwinds, and shows whatever that brings about in place of the interrupt.
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
    """Do not wait for Spark when this process is told to end; ``interrupt`` answered Ctrl-C before Spark started.

    (PySpark puts its own handler in that place, which cancels all jobs and waits until they have noticed.)
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
    """A signal handler that does what ``usual`` does and abandons Spark if that raises."""

    def end(number: int, frame: Any) -> None:
        try:
            usual(number, frame)
        except BaseException as reason:
            abandon_spark(reason)
            raise

    return end
