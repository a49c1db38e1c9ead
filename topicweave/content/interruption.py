"""Long calls that ignore Ctrl-C, run so that the caller can be interrupted."""

from __future__ import annotations

from contextlib import suppress
from queue import Empty, Queue
from threading import Thread
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")


def interruptible(call: Callable[[], T], name: str) -> T:
    """Make a call in another thread of this name: solvers and kernels ignore Ctrl-C, but the waiting thread does not.

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
        with suppress(Empty):  # with an endless wait, a signal delivered to another thread would not be noticed
            found, error = answers.get(timeout=0.1)
            break
    if error is not None:
        raise error
    return found[0]
