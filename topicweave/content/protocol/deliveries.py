"""Deliveries: passes publications on to a broker's users if the content matches."""

from __future__ import annotations

from typing import TYPE_CHECKING

from topicweave.content.matching.ranges import is_inside

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from topicweave.content.matching import RangeIndex
    from topicweave.content.protocol.forwarding import Receivers
    from topicweave.content.protocol.guest_book import GuestBook
    from topicweave.content.protocol.guests import Guest, Replica
    from topicweave.content.protocol.sessions import Message
    from topicweave.content.protocol.user_directory import UserDirectory

# up to this many subscriptions with ranges are compared one by one, because the index has to load compiled code
_FEW = 8


class Deliveries:
    """Decides what happens to a publication that is meant for a user of this broker.

    The number before a publication is of use only if its sender knew to which channels the user subscribes now: if not,
    there may be others in between, and the user's broker will ask for them.

    A publication on one of the user's channels that is not inside its ranges is not sent to it. The user learns only
    that there is nothing for it between two numbers, together with the next publication that does match, or at the
    next beat.

    Parameters
    ----------
    name
        The broker.
    guests, replicas, directory
        The users that are here, about to arrive, and elsewhere.
    send
        Sends a message to a user or a broker.
    """

    def __init__(
        self,
        name: str,
        guests: GuestBook,
        replicas: Mapping[str, Replica],
        directory: UserDirectory,
        send: Callable[[str, Message], None],
    ) -> None:
        self.name = name
        self.num_delivered = self.num_skipped = 0
        self.on_delivered: Callable[[str, Message], None] | None = None  # counts traffic
        self._guests = guests
        self._replicas = replicas
        self._directory = directory
        self._send = send
        self._index: RangeIndex[tuple[str, int]] | None = None
        self._indexed: dict[str, int] = {}  # user -> how many of its subscriptions with ranges are in the index

    def pass_on(self, receivers: Receivers, publication: Message) -> None:
        """Pass a publication on to users that are here, about to arrive, or have moved to another broker."""
        matching: set[str] | None = None
        for user, link in receivers.items():
            guest = self._guests.get(user)
            if guest is None or not guest.is_connected:
                self._send_after(user, link, publication)
                continue
            previous, visit = link
            if visit < guest.wished:
                continue
            if guest.ranges is not None:
                if matching is None:
                    matching = self._matching(publication.get("content") or {})
                if user not in matching:
                    guest.skip(publication["publisher"], previous, publication["number"])
                    self.num_skipped += 1
                    continue
            self._deliver(guest, previous, publication)

    def _deliver(self, guest: Guest, previous: int, publication: Message) -> None:
        message = {"kind": "deliver", "previous": previous, "publication": publication}
        if guest.skipped:
            skipped = guest.skipped.pop(publication["publisher"], None)
            if skipped:
                message["skipped"] = skipped
        self.num_delivered += 1
        self._send(guest.name, message)
        if self.on_delivered is not None:
            self.on_delivered(guest.name, publication)

    def _send_after(self, user: str, link: Sequence[int], publication: Message) -> None:
        broker = self._directory.broker(user)
        if user in self._replicas:
            self._replicas[user].redirected.append((link, publication))
        elif broker not in (None, self.name):
            message = {"kind": "redirect", "users": {user: link}, "publication": publication}
            self._send(str(broker), message)

    def flush(self) -> None:
        """Tell every user which publications it need not wait for."""
        for guest in self._guests.values():
            if guest.skipped and guest.is_connected:
                self._send(guest.name, {"kind": "skipped", "skipped": guest.skipped})
                guest.skipped = {}

    # ---- the index ----------------------------------------------------------------------------------------------

    def note(self, user: str) -> None:
        """Update the index after a user has arrived, left, or changed its ranges."""
        guest = self._guests.get(user)
        ranges = guest.ranges if guest is not None and guest.is_connected else None
        for number in range(self._indexed.pop(user, 0)):
            if self._index is not None:
                self._index.remove((user, number))
        if ranges is None:
            return
        self._indexed[user] = len(ranges)
        if self._index is not None:
            for number, one in enumerate(ranges):
                self._index.add((user, number), one)

    def _matching(self, content: Mapping[str, float]) -> set[str]:
        """The users here whose ranges contain a publication."""
        if self._index is None:
            if sum(self._indexed.values()) <= _FEW:
                return {user for user in self._indexed if self._is_inside(user, content)}
            self._build()
        assert self._index is not None
        return {user for user, _ in self._index.match(content)}

    def _is_inside(self, user: str, content: Mapping[str, float]) -> bool:
        return any(is_inside(content, one) for one in self._guests[user].ranges or ())

    def _build(self) -> None:
        from topicweave.content.matching import RangeIndex

        self._index = RangeIndex()
        for user in self._indexed:
            for number, one in enumerate(self._guests[user].ranges or ()):
                self._index.add((user, number), one)
