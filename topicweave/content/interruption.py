"""Long calls that do not hear Ctrl-C, made so that whoever waits for them does."""

from __future__ import annotations

from contextlib import suppress
from queue import Empty, Queue
from threading import Thread
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")


def interruptible(call: Callable[[], T], name: str) -> T:
    """Make a call in another thread of this name: solvers and kernels do not hear Ctrl-C, but the waiting thread does.

    An abandoned call goes on to its end, unless the process ends first. Not for kernels that numba runs in parallel:
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
        with suppress(Empty):  # waiting without end, a signal that came to another thread would not be noticed
            found, error = answers.get(timeout=0.1)
            break
    if error is not None:
        raise error
    return found[0]
