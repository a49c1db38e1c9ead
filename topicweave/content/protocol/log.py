"""Log: a user's latest publications, and for each receiver the order in which it must deliver them."""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from itertools import repeat
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from topicweave.content.protocol.sessions import Message

WINDOW = 60.0  # seconds
KEPT = 200  # this many publications are kept however old they are, because receivers may be slow on a very busy machine
_NO_CHANNEL = ""  # the key under which a log stores the number that precedes its first publication
NONE = -1  # the number that precedes the very first publication


class Log:
    """A user's latest publications, without gaps; of earlier ones, only the last number on each channel is known.

    Parameters
    ----------
    state
        The :meth:`state` of another log, to continue from there.
    """

    def __init__(self, state: dict[str, Any] | None = None) -> None:
        state = state or {"forgotten": {}, "published": {}, "entries": []}
        now = _now()
        self.published = Counter[str](state["published"])  # number of publications so far, by channel
        self._forgotten: dict[str, int] = dict(state["forgotten"])
        self._entries = deque((now - age, publication) for age, publication in state["entries"])
        self.heads = self._forgotten | {entry["channel"]: entry["number"] for _, entry in self._entries}
        self.last: int = max(self.heads.values(), default=NONE)

    def state(self) -> dict[str, Any]:
        """The whole log in a form that can be sent; it has ages instead of times, because brokers' clocks differ."""
        self._trim()
        now = _now()
        entries = [(now - time, publication) for time, publication in self._entries]
        return {"forgotten": dict(self._forgotten), "published": dict(self.published), "entries": entries}

    def add(self, publication: Message) -> None:
        """Add a publication; its number must follow the last one."""
        self._trim()
        self.last = self.heads[publication["channel"]] = publication["number"]
        self.published[publication["channel"]] += 1
        self._entries.append((_now(), publication))

    def begin_at(self, number: int) -> None:
        """Give the first publication this number, because receivers may remember lower ones."""
        self._forgotten[_NO_CHANNEL] = self.heads[_NO_CHANNEL] = self.last = number - 1

    @property
    def is_empty(self) -> bool:
        return not self._entries

    @property
    def is_old(self) -> bool:
        """Whether the user has published nothing for a long time."""
        return self.is_empty or self._entries[-1][0] < _now() - WINDOW

    def since(self, number: int) -> list[Message]:
        """The stored publications from this number on."""
        return [publication for _, publication in self._entries if publication["number"] >= number]

    def missing(self, channels: Iterable[str], seen: int) -> Iterator[tuple[int, Message]]:
        """The stored publications that a receiver of these channels has not seen, each with the number of its
        predecessor.
        """
        self._trim()
        previous = self.forgotten(channels)
        for _, publication in self._entries:
            if publication["channel"] in channels:
                if publication["number"] > seen:
                    yield previous, publication
                previous = publication["number"]

    def forgotten(self, channels: Iterable[str]) -> int:
        """The highest number of a publication on these channels that is no longer stored."""
        self._trim()
        return newest(self._forgotten, channels)

    def _trim(self) -> None:
        oldest = _now() - WINDOW
        while len(self._entries) > KEPT and self._entries[0][0] < oldest:
            _, publication = self._entries.popleft()
            self._forgotten[publication["channel"]] = publication["number"]


def newest(heads: Mapping[str, int], channels: Iterable[str]) -> int:
    """The number of the latest publication on any of the channels."""
    if not heads:  # most users publish nothing
        return NONE
    return max(map(heads.get, channels, repeat(NONE)), default=NONE)


def _now() -> float:
    return asyncio.get_running_loop().time()
