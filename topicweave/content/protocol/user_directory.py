"""UserDirectory: where each user is and what it wants, as far as a broker has heard."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass
class _Entry:
    visit: int
    broker: str
    channels: list[str]


class UserDirectory:
    """A table of users; of two claims about the same user, the one of its later visit holds, whichever comes first."""

    def __init__(self) -> None:
        self._entries: dict[str, _Entry] = {}
        self._wanting: dict[str, dict[str, None]] = {}  # channel -> users

    def note(self, user: str, visit: int, broker: str, channels: list[str]) -> bool:
        """A broker says that a user is there; returns whether that is news."""
        known = self._entries.get(user)
        if known is not None and known.visit >= visit:
            return False
        self._entries[user] = _Entry(visit, broker, channels)
        for channel in channels:
            self._wanting.setdefault(channel, {})[user] = None
        return True

    def send_on(self, user: str, broker: str) -> None:
        """A user is about to go somewhere: what comes for it goes there, until it is heard of again."""
        self._entries[user].broker = broker

    def broker(self, user: str) -> str | None:
        known = self._entries.get(user)
        return known.broker if known else None

    def visit(self, user: str) -> int:
        known = self._entries.get(user)
        return known.visit if known else 0

    def wanting(self, channel: str) -> Iterator[tuple[str, str, list[str]]]:
        """Who wants a channel: users, their brokers and channels."""
        for user in self._wanting.get(channel, ()):
            entry = self._entries[user]
            yield user, entry.broker, entry.channels

    def all(self) -> dict[str, str]:
        return {user: entry.broker for user, entry in self._entries.items()}
