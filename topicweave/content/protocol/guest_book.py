"""GuestBook: the users that a broker serves, and what it tells other brokers about them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from topicweave.content.protocol.log import NONE, newest
from topicweave.content.protocol.rosters import Claim

if TYPE_CHECKING:
    from collections.abc import Iterator

    from topicweave.content.protocol.guests import Guest
    from topicweave.content.protocol.sessions import Message


class GuestBook(dict[str, "Guest"]):
    """A broker's users (its guests) by name, including users that have left but whose log is still kept."""

    def known(self, user: str, message: Message) -> Guest | None:
        """The guest that sent a message or that it is about; None if there is no such guest."""
        guest = self.get(user)
        is_known = guest is not None and guest.is_connected and guest.visit == message["visit"]
        return guest if is_known else None

    def start(self, user: str, former: list[str], channels: list[str]) -> dict[str, tuple[int, int]]:
        """Map each publisher at this broker that has published on new channels of the user to two numbers.

        The first is the number of its latest publication on the user's former channels, the second of its latest one on
        the user's present channels.
        """
        found = {}
        for name, guest in self.items():
            before, number = newest(guest.log.heads, former), newest(guest.log.heads, channels)
            if name != user and number > before:
                found[name] = before, number
        return found

    def last_number(self, publisher: str) -> int:
        """The highest number of a user's publications that any guest here has seen, or that its own log contains."""
        own = self[publisher].log.last if publisher in self else NONE
        return max([own, *(guest.seen.get(publisher, NONE) for guest in self.values())])

    def roster(self) -> dict[str, Any]:
        """The report that a broker sends to all others at every heartbeat: for each of its users, the visit, the
        channels, and the numbers of its latest publications.
        """
        return {
            user: (guest.visit, guest.wanted, {} if guest.log.is_empty else dict(guest.log.heads))
            for user, guest in self.items()
        }

    def missing(
        self, newest_claims: dict[str, tuple[str, Claim]], beginners: set[str], now: float
    ) -> Iterator[tuple[str, Message]]:
        """Requests to other brokers for publications that our users should have received some time ago."""
        heads = {publisher: claim.heads for publisher, (_, claim) in newest_claims.items()}
        for guest in self.values():
            if not guest.is_connected or guest.name in beginners:
                continue  # this user cannot receive anything, or has only just registered
            by_broker: dict[str, dict[str, int]] = {}
            for publisher in guest.overdue(heads, now):
                broker = newest_claims[publisher][0]
                by_broker.setdefault(broker, {})[publisher] = guest.seen.get(publisher, NONE)
            for broker, seen in by_broker.items():
                question = {"kind": "missing", "user": guest.name, "visit": guest.visit}
                yield broker, question | {"channels": guest.channels, "seen": seen}


def claims(roster: dict[str, Any]) -> dict[str, Claim]:
    """What a broker's report about its users (its roster) says about publishers."""
    return {user: Claim(visit, heads) for user, (visit, _, heads) in roster.items()}
