"""Runs long calls that ignore Ctrl-C so that the user can still interrupt them."""

from __future__ import annotations

from contextlib import suppress
from queue import Empty, Queue
from threading import Thread
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")


def interruptible(call: Callable[[], T], name: str) -> T:
    """Run a call in another thread of this name and wait for it: solvers and kernels ignore Ctrl-C, but the wait can be
    interrupted.

    An abandoned call continues to its end, unless the process ends first. Not for kernels that numba runs in parallel:
    not every threading layer allows two of them at once.
    """
    answers: Queue[tuple[list[T], BaseException | None]] = Queue()

    def work() -> None:
        try:
            answers.put(([call()], None))
        except BaseException as error:
            answers.put(([], error))

    Thread(target=work, name=name, daemon=True).start()
    while True:
        # without a timeout, this thread would not notice a signal that is delivered to another thread
        with suppress(Empty):
            found, error = answers.get(timeout=0.1)
            break
    if error is not None:
        raise error
    return found[0]
