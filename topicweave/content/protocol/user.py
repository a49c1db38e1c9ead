"""User: publishes and receives; moves to another broker when asked, if it agrees; replaces a broker that dies."""

from __future__ import annotations

import asyncio
import heapq
import itertools
import secrets
from typing import TYPE_CHECKING, Any

from topicweave.content.matching.ranges import as_point, as_ranges, is_inside
from topicweave.content.protocol.guests import sendable
from topicweave.content.protocol.links import Links, end
from topicweave.content.protocol.log import NONE, Log

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from topicweave.content.matching.ranges import Ranges
    from topicweave.content.protocol.sessions import Message
    from topicweave.content.protocol.transport import Transport

# seconds between messages that report what this user has seen and check that the broker is alive
HEARTBEAT = 1.0
REGISTRATION = 5  # number of heartbeats after which an unanswered registration is repeated; this doubles each time
LONGEST_REGISTRATION = 40
LEAVING = 30.0  # how many seconds a leaving user waits for a broker to store all its publications


class User:
    """An actor that has subscriptions and makes publications.

    Parameters
    ----------
    name, broker
        Its name, and the broker it registers with.
    channels
        The channels it subscribes to.
    transport
        The transport for packets.
    known
        Brokers to try, one after the other, when its own does not answer; without any, it waits for its own.
    willing
        Decides whether to accept a move to a broker; by default every move. This is local policy, as in the paper.
    received
        Called with publisher, number, channel and body of every publication that arrives.
    ranges
        Conjunctions of ranges over attributes (:func:`topicweave.content.matching.as_ranges`): of the publications on
        its channels, only those inside one of them arrive; ``None`` for all.
    prices
        The price of a unit of traffic to each broker, if the brokers' plan does not know this user.
    resume
        Continue where a former life of this user, which has lost its memory, has ended: brokers remember for a minute
        what it had reported as received, and its subscriptions' publications since then arrive.
    """

    _log: Log

    def __init__(
        self,
        name: str,
        broker: str,
        channels: Iterable[str],
        transport: Transport,
        *,
        known: Iterable[str] = (),
        willing: Callable[[str], bool] = lambda target: True,
        received: Callable[[str, int, str, Any], None] = lambda publisher, number, channel, body: None,
        ranges: Iterable[Ranges] | None = None,
        resume: bool = False,
        prices: Mapping[str, float] | None = None,
    ) -> None:
        self.name = name
        self.broker = broker
        self.channels = sorted(channels)
        self.known = list(known)
        self.willing = willing
        self.received = received
        self.ranges = None if ranges is None else [as_ranges(one) for one in ranges]
        self.prices = dict(prices or {})
        self.was_resumed = False  # whether a broker remembered an earlier process of this user
        self.num_dropped = 0  # how many publications arrived a second time
        self.num_forgotten = 0  # how often publications were missing for so long that no broker stored them any more
        self._visit = 0
        self._is_new = True
        self._resume_wanted = resume
        self._life = secrets.token_hex(8)  # distinguishes this process from earlier ones of the same name
        self._former: list[str] | None = None  # the channels before the last change, until brokers know about it
        self._wished = 0  # the visit during which brokers were told about the last change
        # publisher -> pairs of numbers: after the first, continue after the second
        self._jumps: dict[str, tuple[int, int]] = {}
        self._seen: dict[str, int] = {}
        self._changed: dict[str, int] = {}  # what this user has seen but not yet reported to its broker
        # publications that arrived too early: publisher -> heap of (previous number, number, count, publication)
        self._early: dict[str, list[tuple[int, int, int, Message | None]]] = {}
        self._count = itertools.count()
        self._target: str | None = None  # the broker to which this user has agreed to move
        self._attempt = 0  # which of the broker's attempts to move this user is in progress
        self._held_from = 0  # the number of the first publication held back during the move
        self._held_until = 0.0  # when the broker will have given up on the move, even if our messages were lost
        self._registered = asyncio.Event()
        self._is_leaving = False
        self._left = asyncio.Event()
        self._unanswered_beats = 0
        self._patience = REGISTRATION
        self._beating: asyncio.Task[None] | None = None
        self._links = Links(name, transport, self._receive, self._lose, self._meet_again)

    async def start(self) -> None:
        """Register with the broker; returns when all brokers know the subscriptions."""
        await self._links.open()
        self._log = Log()
        self._register()
        self._beating = asyncio.get_running_loop().create_task(self._beat())
        await self._registered.wait()

    async def stop(self) -> None:
        """Stop at once, as in a crash: nobody is told."""
        await end(self._beating)
        await self._links.close()

    async def leave(self, timeout: float = LEAVING) -> bool:
        """Say goodbye and stop; returns whether some broker stores all publications of this user and no broker expects
        it back.
        """
        self._is_leaving = True
        self._say_something()
        try:
            await asyncio.wait_for(self._left.wait(), timeout)
        except TimeoutError:
            pass
        finally:
            await self.stop()
        return self._left.is_set()

    @property
    def num_published(self) -> int:
        return self._log.last + 1

    async def subscribe(self, channels: Iterable[str], ranges: Iterable[Ranges] | None = None) -> None:
        """Change the subscriptions; returns when all brokers know the new ones."""
        checked = None if ranges is None else [as_ranges(one) for one in ranges]
        if self._former is None:
            self._former = self.channels
        self.channels, self.ranges = sorted(channels), checked
        self._register()
        await self._registered.wait()

    def publish(self, channel: str, body: Any = None, content: Mapping[str, float] | None = None) -> int:
        """Publish, and return the publication's number; during a move, publications are held back until the move ends.

        ``content`` are the values of attributes, which are compared with the ranges of subscriptions.
        """
        publication = {"publisher": self.name, "number": self.num_published, "channel": channel, "body": body}
        if content is not None:
            publication["content"] = as_point(content)
        self._log.add(publication)
        if self._target is None:
            self._send_out(publication)
        return int(publication["number"])

    def _send_out(self, publication: Message) -> None:
        self._links.send(self.broker, {"kind": "publish", "visit": self._visit, "publication": publication})

    async def _beat(self) -> None:
        while True:
            await asyncio.sleep(HEARTBEAT)
            self._unanswered_beats += not self._registered.is_set()
            if self._unanswered_beats >= self._patience:
                self._patience = min(2 * self._patience, LONGEST_REGISTRATION)
                self._register()
            if self._target is not None and _now() >= self._held_until:
                # we were told neither to move nor to stay, so one of the messages was lost: start again
                self._register()
            self._say_something()

    def _say_something(self) -> None:
        is_held = self._target is not None
        number = self._held_from if is_held else self.num_published
        kind = "leave" if self._is_leaving and not is_held else "ping"
        self._links.send(self.broker, {"kind": kind, "visit": self._visit, "number": number, "seen": self._changed})
        self._changed = {}

    def _register(self) -> None:
        """Tell a broker, and through it all others, the user's name and what it has published and seen."""
        self._visit += 1
        self._target = None
        self._changed = {}
        self._unanswered_beats = 0
        self._registered.clear()
        if self._is_new or self._former is not None:
            self._wished = self._visit
        seen = None if self._is_new else dict(self._seen)
        data = {"visit": self._visit, "wished": self._wished, "channels": self.channels}
        data |= {"seen": seen, "log": self._log.state()}
        data |= {"ranges": sendable(self.ranges), "prices": self.prices}
        if self._is_new:
            data |= {"resume": self._resume_wanted, "life": self._life}
        elif self._former is not None:
            data["former"] = self._former
        self._links.send(self.broker, {"kind": "register", **data})

    def _lose(self, actor: str) -> None:
        """Handle an actor that does not answer; if it is our broker, register with another, preferably one that is not
        suspected to be dead.
        """
        if actor != self.broker:
            return
        here = self.known.index(actor) + 1 if actor in self.known else 0
        others = [*self.known[here:], *self.known[:here]]
        # first try the broker we were about to move to, because it may already have our data
        if self._target is not None:
            others.insert(0, self._target)
        trusted = [broker for broker in others if broker not in self._links.suspected]
        self._turn_to(next(iter(trusted or others), actor))
        self._register()

    def _meet_again(self, actor: str) -> None:
        """Handle an actor that has restarted; if it is our broker, it is running but no longer knows us."""
        if actor == self.broker:
            self._register()

    def _turn_to(self, broker: str) -> None:
        self.broker = broker
        self._links.suspected.discard(broker)  # try this broker once more, because it may be alive again

    # ---- incoming messages --------------------------------------------------------------------------------------

    def _receive(self, source: str, message: Message) -> None:
        kind = message["kind"]
        # other messages come from a broker that this user has given up on
        if kind in ("deliver", "forgotten") or source == self.broker:
            getattr(self, f"_on_{kind}")(message)

    def _on_registered(self, message: Message) -> None:
        if message["visit"] != self._visit:
            return
        self._patience = REGISTRATION
        if self._is_new:
            self._is_new = False
            self._begin(message)
        self._former = None
        for publisher, (before, number) in message["start"].items():
            if number > self._seen.get(publisher, NONE):
                self._jumps[publisher] = before, number
        for publisher in [*message["start"], *self._early]:
            self._hand_out(publisher)
        self._registered.set()

    def _begin(self, message: Message) -> None:
        """Resume from what brokers remember about an earlier process of this user; nothing has been delivered before
        this.
        """
        if message.get("resumed") is not None:
            self.was_resumed = True
            self._log = Log(message["resumed"]["log"])
            for publisher, number in message["resumed"]["seen"].items():
                self._seen[publisher] = max(number, self._seen.get(publisher, NONE))
        elif "first_number" in message:
            self._log.begin_at(message["first_number"])

    def _on_unknown(self, message: Message) -> None:
        if message["visit"] == self._visit:
            self._register()

    def _on_outdated(self, message: Message) -> None:
        """A broker knows a visit with a higher number under our name: register again with a number above that."""
        if message["visit"] == self._visit:
            self._visit = message["latest"]
            self._register()

    def _on_closing(self, message: Message) -> None:
        """Switch to another broker, because this one is about to leave."""
        self._lose(self.broker)

    def _on_left(self, message: Message) -> None:
        if message["visit"] == self._visit:
            self._left.set()

    def _on_request_to_move(self, message: Message) -> None:
        """Answer the broker that asks this user to move.

        If willing, hold back publications until we are told to go or to stay, or until the TTL has passed.
        """
        if message["visit"] != self._visit:
            return  # the request was sent before our latest registration
        target, attempt = message["target"], message["attempt"]
        answer = {"visit": self._visit, "attempt": attempt}
        if self._is_leaving or not self.willing(target):
            self._links.send(self.broker, {"kind": "decline", **answer})
            return
        if self._target is None:
            self._held_from = self.num_published
        self._target, self._attempt = target, attempt
        self._held_until = _now() + message["ttl"]
        self._links.send(self.broker, {"kind": "accept", **answer})

    def _is_agreed(self, message: Message) -> bool:
        agreed = self._visit, self._attempt
        return self._target is not None and (message["visit"], message["attempt"]) == agreed

    def _on_moved(self, message: Message) -> None:
        if not self._is_agreed(message):
            return
        self._turn_to(message["target"])
        self._visit += 1
        self._changed = {}
        data = {"visit": self._visit, "number": self._held_from, "seen": dict(self._seen)}
        self._links.send(self.broker, {"kind": "connect", **data})
        self._resume()

    def _on_stay(self, message: Message) -> None:
        if self._is_agreed(message):
            self._resume()

    def _resume(self) -> None:
        self._target = None
        for publication in self._log.since(self._held_from):
            self._send_out(publication)

    def _on_deliver(self, message: Message) -> None:
        """Deliver a publication if it is the next in order; store it if an earlier one is missing; drop it if it is a
        repeat.
        """
        publication = message["publication"]
        publisher = publication["publisher"]
        for previous, number in message.get("skipped", ()):
            self._keep(publisher, previous, number, None)
        self._keep(publisher, message["previous"], publication["number"], publication)
        self._hand_out(publisher)

    def _on_skipped(self, message: Message) -> None:
        """Handle a notice that no publication between two numbers matches this user's ranges."""
        for publisher, pairs in message["skipped"].items():
            for previous, number in pairs:
                self._keep(publisher, previous, number, None)
            self._hand_out(publisher)

    def _keep(self, publisher: str, previous: int, number: int, publication: Message | None) -> None:
        seen = self._seen.get(publisher, NONE)
        if number > seen:
            early = self._early.setdefault(publisher, [])
            heapq.heappush(early, (previous, number, next(self._count), publication))
        else:
            self.num_dropped += publication is not None
            self._changed[publisher] = seen  # report this again, because the broker may not know it

    def _on_forgotten(self, message: Message) -> None:
        if message["number"] > self._seen.get(message["publisher"], NONE):
            self.num_forgotten += 1
            self._see(message["publisher"], message["number"])
            self._hand_out(message["publisher"])

    def _see(self, publisher: str, number: int) -> None:
        self._seen[publisher] = self._changed[publisher] = number
        jump = self._jumps.get(publisher)
        if jump is not None and number >= jump[0]:
            del self._jumps[publisher]
            if number < jump[1]:
                self._see(publisher, jump[1])

    def _hand_out(self, publisher: str) -> None:
        """Deliver, in order, as many of the stored publications as possible.

        Between a publication and the number before it, there is nothing for this user: so it is next if that number has
        been seen, or a later one. A user that wants to resume does not know what it has seen before it is registered.
        """
        if self._is_new and self._resume_wanted:
            return
        if publisher in self._jumps and self._seen.get(publisher, NONE) >= self._jumps[publisher][0]:
            self._see(publisher, self._seen.get(publisher, NONE))
        early = self._early.get(publisher, [])
        ready: list[tuple[int, int, Message | None]] = []
        while True:
            while early and early[0][0] <= self._seen.get(publisher, NONE):
                _, number, count, publication = heapq.heappop(early)
                heapq.heappush(ready, (number, count, publication))
            if not ready:
                break
            number, _, publication = heapq.heappop(ready)
            if number <= self._seen.get(publisher, NONE):
                self.num_dropped += publication is not None
                continue
            self._see(publisher, number)
            if publication is not None and self._wants(publication):
                self.received(publisher, number, publication["channel"], publication["body"])
        if not early:
            self._early.pop(publisher, None)

    def _wants(self, publication: Message) -> bool:
        """Whether a publication is still wanted, as it may have been sent before the last change of subscriptions."""
        if publication["channel"] not in self.channels:
            return False
        content = publication.get("content") or {}
        return self.ranges is None or any(is_inside(content, one) for one in self.ranges)


def _now() -> float:
    return asyncio.get_running_loop().time()
