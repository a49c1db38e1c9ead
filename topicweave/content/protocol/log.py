"""Log: a publisher's latest publications, and their positions in what each receiver should get."""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from topicweave.content.protocol.sessions import Message

WINDOW = 60.0  # seconds
KEPT = 200  # publications kept even if they are older: on a very busy machine, a minute is not long
NONE = -1  # the number before the first


class Log:
    """A user's latest publications without a gap; of the earlier ones, only the last number on each channel.

    Parameters
    ----------
    state
        The :meth:`state` of another log, to continue from there.
    """

    def __init__(self, state: dict[str, Any] | None = None) -> None:
        state = state or {"forgotten": {}, "published": {}, "entries": []}
        now = _now()
        self.published = Counter[str](state["published"])  # number of publications ever made, by channel
        self._forgotten: dict[str, int] = dict(state["forgotten"])
        self._entries = deque((now - age, publication) for age, publication in state["entries"])
        self.heads = self._forgotten | {entry["channel"]: entry["number"] for _, entry in self._entries}
        self.last: int = max(self.heads.values(), default=NONE)

    def state(self) -> dict[str, Any]:
        """The whole log, with ages instead of times, because clocks differ between brokers."""
        self._trim()
        now = _now()
        entries = [(now - time, publication) for time, publication in self._entries]
        return {"forgotten": dict(self._forgotten), "published": dict(self.published), "entries": entries}

    def add(self, publication: Message) -> None:
        """Add a publication, whose number follows the last one."""
        self._trim()
        self.last = self.heads[publication["channel"]] = publication["number"]
        self.published[publication["channel"]] += 1
        self._entries.append((_now(), publication))

    @property
    def is_empty(self) -> bool:
        return not self._entries

    @property
    def is_old(self) -> bool:
        """Whether nothing has been published for long."""
        return self.is_empty or self._entries[-1][0] < _now() - WINDOW

    def since(self, number: int) -> list[Message]:
        """The kept publications from a number on."""
        return [publication for _, publication in self._entries if publication["number"] >= number]

    def missing(self, channels: Iterable[str], seen: int) -> Iterator[tuple[int, Message]]:
        """The kept publications after a number for a receiver of these channels, each with the number before it."""
        self._trim()
        previous = self.forgotten(channels)
        for _, publication in self._entries:
            if publication["channel"] in channels:
                if publication["number"] > seen:
                    yield previous, publication
                previous = publication["number"]

    def forgotten(self, channels: Iterable[str]) -> int:
        """The last number on these channels that is no longer kept."""
        self._trim()
        return newest(self._forgotten, channels)

    def _trim(self) -> None:
        oldest = _now() - WINDOW
        while len(self._entries) > KEPT and self._entries[0][0] < oldest:
            _, publication = self._entries.popleft()
            self._forgotten[publication["channel"]] = publication["number"]


def newest(heads: Mapping[str, int], channels: Iterable[str]) -> int:
    """The last number on any of the channels."""
    return max((heads.get(channel, NONE) for channel in channels), default=NONE)


def _now() -> float:
    return asyncio.get_running_loop().time()
