"""Ending at once while Spark works: whoever is told to stop must not wait for jobs that nobody wants any more."""

from __future__ import annotations

from threading import get_ident
from typing import Any

from pyspark import SparkContext


def let_go_of_spark(reason: BaseException) -> None:
    """From now on every call of Spark from this thread raises ``reason`` instead; for processes that are about to end.

    PySpark waits for the running job when reading its result is interrupted, and again when frames are released while
    the stack unwinds, and shows whatever that brings about in place of the interrupt.
    """
    client: Any = getattr(SparkContext._gateway, "_gateway_client", None)
    if client is None:
        return
    call, thread = client.send_command, get_ident()

    def send_command(*arguments: Any, **options: Any) -> Any:
        if get_ident() == thread:
            raise reason
        return call(*arguments, **options)

    client.send_command = send_command
