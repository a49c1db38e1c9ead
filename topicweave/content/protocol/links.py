"""Links: what an actor sends to another arrives once and in order, whatever the transport does, while both answer.

An actor that does not answer for about two seconds is *suspected*: what it has not answered is dropped, and the next
message begins a new session. To a suspect only one message is on its way at a time: the question whether it is there.
As soon as anything comes from it, it is a suspect no more. So a suspicion may be wrong; it costs messages, which the
actors must be able to do without (see ``broker.py``).
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from topicweave.content.protocol.transport import Packet, Transport

Message = dict[str, Any]

RETRY = 0.2  # seconds without an answer until a packet is sent again; more where answers take long
LONGEST_RETRY = 1.0
TRIES = 8  # so many times that long without any answer, and the other is suspected
WINDOW = 256  # packets sent again at once, and early ones listed in an answer


@dataclass
class _Sent:
    message: Message
    first: float
    last: float


@dataclass
class _Outgoing:
    # by the clock, so that an actor that starts anew under its old name is not taken for its former self
    session: int = field(default_factory=time.time_ns)
    next_number: int = 0
    unanswered: dict[int, _Sent] = field(default_factory=dict)
    tries: int = 0
    since: float = 0.0
    delay: float = 0.0  # until an answer comes, smoothed

    @property
    def retry(self) -> float:
        return min(LONGEST_RETRY, max(RETRY, 2 * self.delay))


@dataclass
class _Incoming:
    session: int
    expected: int = 0
    early: dict[int, Message] = field(default_factory=dict)
    answer_due: bool = False


class Links:
    """One actor's links to all others: numbers, answers, repeats.

    Parameters
    ----------
    name
        The actor's own name.
    transport
        What carries packets.
    receive
        Called with sender and message, in order and once each.
    lost
        Called with the name of an actor that does not answer, each time it is given up.
    """

    def __init__(
        self, name: str, transport: Transport, receive: Callable[[str, Message], None], lost: Callable[[str], None]
    ) -> None:
        self.name = name
        self.suspected: set[str] = set()
        self._transport = transport
        self._receive = receive
        self._lost = lost
        self._outgoing: dict[str, _Outgoing] = {}
        self._incoming: dict[str, _Incoming] = {}
        self._task: asyncio.Task[None] | None = None

    async def open(self) -> None:
        await self._transport.open(self.name, self._arrived)
        self._task = asyncio.get_running_loop().create_task(self._repeat())

    async def close(self) -> None:
        await end(self._task)
        await self._transport.close(self.name)

    def send(self, target: str, message: Message) -> None:
        """Send a message; to a suspect that is being asked whether it is there, it goes nowhere."""
        out = self._outgoing.setdefault(target, _Outgoing())
        now = asyncio.get_running_loop().time()
        if not out.unanswered:
            out.since = now
            out.tries = 0
        elif target in self.suspected:
            return
        out.unanswered[out.next_number] = _Sent(message, now, now)
        self._post(target, out, out.next_number)
        out.next_number += 1

    def _post(self, target: str, out: _Outgoing, number: int) -> None:
        packet = {"session": out.session, "number": number, "message": out.unanswered[number].message}
        self._transport.send(self.name, target, packet)

    def _arrived(self, source: str, packet: Packet) -> None:
        self.suspected.discard(source)
        if "answer" in packet:
            self._answered(source, packet)
            return
        incoming = self._incoming.get(source)
        if incoming is None or incoming.session < packet["session"]:
            incoming = self._incoming[source] = _Incoming(packet["session"])
        elif incoming.session > packet["session"]:
            return
        number = packet["number"]
        if number >= incoming.expected:
            incoming.early[number] = packet["message"]
            while incoming.expected in incoming.early:
                message = incoming.early.pop(incoming.expected)
                incoming.expected += 1
                self._receive(source, message)
        if not incoming.answer_due:  # one answer for all that arrives in this turn of the loop
            incoming.answer_due = True
            asyncio.get_running_loop().call_soon(self._answer, source, incoming)

    def _answer(self, source: str, incoming: _Incoming) -> None:
        incoming.answer_due = False
        early = list(itertools.islice(incoming.early, WINDOW))
        self._transport.send(
            self.name, source, {"session": incoming.session, "answer": incoming.expected, "early": early}
        )

    def _answered(self, source: str, packet: Packet) -> None:
        out = self._outgoing.get(source)
        if out is None or out.session != packet["session"]:
            return
        now = asyncio.get_running_loop().time()
        answered = [number for number in packet["early"] if number in out.unanswered]
        answered += itertools.takewhile(lambda number: number < packet["answer"], out.unanswered)
        for number in answered:
            sent = out.unanswered.pop(number)
            out.delay += (now - sent.first - out.delay) / 8
        if answered:
            out.tries = 0
            out.since = now

    async def _repeat(self) -> None:
        while True:
            await asyncio.sleep(RETRY / 2)
            now = asyncio.get_running_loop().time()
            for target, out in list(self._outgoing.items()):
                if not out.unanswered:
                    continue
                if now - out.since >= out.retry * (out.tries + 1):
                    # one try a turn: a loop that was held up does not make others look dead
                    out.tries += 1
                if out.tries > TRIES:
                    self._give_up(target, out)
                    continue
                late = (number for number, sent in out.unanswered.items() if now - sent.last >= out.retry)
                for number in list(itertools.islice(late, WINDOW)):
                    out.unanswered[number].last = now
                    self._post(target, out, number)

    def _give_up(self, target: str, out: _Outgoing) -> None:
        self.suspected.add(target)
        self._outgoing[target] = _Outgoing(session=max(out.session + 1, time.time_ns()))
        self._lost(target)


async def end(task: asyncio.Task[None] | None) -> None:
    """Cancel a task; if it has failed before, its error comes out here."""
    if task is not None:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task
