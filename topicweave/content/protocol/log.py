"""Log: a publisher's latest publications, for those who may have missed some when a broker died."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from topicweave.content.protocol.links import Message


WINDOW = 60.0  # seconds; a user notices after a few that its broker is dead, but others may die meanwhile


class Log:
    """Publications of one user, by rising number, kept for ``WINDOW`` seconds.

    Parameters
    ----------
    entries
        Publications with their ages, as :meth:`entries` gives them.
    """

    def __init__(self, entries: Iterable[tuple[float, Message]] = ()) -> None:
        now = _now()
        self._entries = deque((now - age, publication) for age, publication in entries)
        self.last = self._entries[-1][1]["number"] if self._entries else -1

    def add(self, publication: Message) -> bool:
        """Keep a publication, and say whether it is new: one that is sent again is not."""
        self._trim()
        if publication["number"] <= self.last:
            return False
        self.last = publication["number"]
        self._entries.append((_now(), publication))
        return True

    def entries(self) -> list[tuple[float, Message]]:
        """What is kept, with ages: clocks differ between brokers."""
        self._trim()
        now = _now()
        return [(now - time, publication) for time, publication in self._entries]

    def after(self, number: int) -> Iterator[Message]:
        """What is kept of later numbers."""
        return (publication for _, publication in self._entries if publication["number"] > number)

    def _trim(self) -> None:
        oldest = _now() - WINDOW
        while self._entries and self._entries[0][0] < oldest:
            self._entries.popleft()


def _now() -> float:
    return asyncio.get_running_loop().time()
