"""UserDirectory: which broker each user is at and what it subscribes to, as far as a broker knows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from topicweave.content.protocol.log import NONE, newest

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass
class _Entry:
    visit: int
    broker: str
    channels: list[str] | None  # None if the user does not answer or has left
    heard: float


class UserDirectory:
    """The users that a broker knows about. If two claims about a user conflict, the one about the user's later visit to
    a broker wins, whichever arrives first.
    """

    def __init__(self) -> None:
        self._entries: dict[str, _Entry] = {}
        self._wanting: dict[str, dict[str, None]] = {}  # channel -> users

    def note(self, user: str, visit: int, broker: str, channels: list[str] | None, now: float) -> bool:
        """Record a broker's claim that a user is, or recently was, connected to it; returns whether that is new
        information.
        """
        known = self._entries.get(user)
        if known is not None and known.visit >= visit:
            if known.visit == visit and known.broker == broker:
                known.heard = now
                self._want(user, known, channels)
            return False
        entry = known or _Entry(visit, broker, None, now)
        entry.visit, entry.broker, entry.heard = visit, broker, now
        self._entries[user] = entry
        self._want(user, entry, channels)
        return True

    def _want(self, user: str, entry: _Entry, channels: list[str] | None) -> None:
        if entry.channels == channels:
            return
        for channel in entry.channels or ():
            users = self._wanting[channel]
            del users[user]
            if not users:
                del self._wanting[channel]
        for channel in channels or ():
            self._wanting.setdefault(channel, {})[user] = None
        entry.channels = channels

    def send_on(self, user: str, broker: str) -> None:
        """From now on, send messages for a moving user to its new broker, even before that broker reports the user."""
        self._entries[user].broker = broker

    def forget(self, before: float) -> None:
        """Delete the users that no broker has reported since this time."""
        for user, entry in list(self._entries.items()):
            if entry.heard < before:
                self._want(user, entry, None)
                del self._entries[user]

    def broker(self, user: str) -> str | None:
        known = self._entries.get(user)
        return known.broker if known else None

    def visit(self, user: str) -> int:
        known = self._entries.get(user)
        return known.visit if known else 0

    def receivers(
        self, channel: str, publisher: str, heads: Mapping[str, int]
    ) -> dict[str, dict[str, tuple[int, int]]]:
        """The subscribers of a channel, except for the publisher, by broker. For each subscriber: the number of the
        publisher's latest publication on any of the subscriber's channels, and the subscriber's visit.
        """
        found: dict[str, dict[str, tuple[int, int]]] = {}
        for user in self._wanting.get(channel, ()):
            if user != publisher:
                entry = self._entries[user]
                channels = entry.channels or []
                number = heads.get(channel, NONE) if len(channels) == 1 else newest(heads, channels)
                found.setdefault(entry.broker, {})[user] = number, entry.visit
        return found

    def all(self) -> dict[str, str]:
        """The brokers of all connected users."""
        return {user: entry.broker for user, entry in self._entries.items() if entry.channels is not None}

    def __len__(self) -> int:
        """The number of known users, including those that no longer answer."""
        return len(self._entries)
