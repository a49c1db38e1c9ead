"""Links: what an actor sends to another arrives once and in order, whatever the transport does; or it is lost."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from topicweave.content.protocol.transport import Packet, Transport

Message = dict[str, Any]

RETRY = 0.2  # seconds without an answer until a packet is sent again
TRIES = 8  # so many times in vain, and the other is taken for dead
WINDOW = 64  # packets sent again at once
SAME_ANSWERS = 3  # so many answers that wait for the same packet, and it is sent again at once


@dataclass
class _Outgoing:
    next_number: int = 0
    unanswered: dict[int, Message] = field(default_factory=dict)
    tries: int = 0
    since: float = 0.0
    same_answers: int = 0


@dataclass
class _Incoming:
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
        Called with sender and message, in order and once each. When it has returned, the message is answered: an
        answered message has been dealt with.
    lost
        Called with the name of an actor that does not answer any more.
    """

    def __init__(
        self, name: str, transport: Transport, receive: Callable[[str, Message], None], lost: Callable[[str], None]
    ) -> None:
        self.name = name
        self._transport = transport
        self._receive = receive
        self._lost = lost
        self._outgoing: dict[str, _Outgoing] = {}
        self._incoming: dict[str, _Incoming] = {}
        self._gone: set[str] = set()
        self._waiting: list[tuple[dict[str, int], asyncio.Future[None]]] = []
        self._task: asyncio.Task[None] | None = None

    async def open(self) -> None:
        await self._transport.open(self.name, self._arrived)
        self._task = asyncio.get_running_loop().create_task(self._repeat())

    async def close(self) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        await self._transport.close(self.name)

    def send(self, target: str, message: Message) -> None:
        """Send a message; to an actor that is lost, it goes nowhere."""
        if target in self._gone:
            return
        out = self._outgoing.setdefault(target, _Outgoing())
        if not out.unanswered:
            out.since = asyncio.get_running_loop().time()
            out.tries = 0
        out.unanswered[out.next_number] = message
        self._transport.send(self.name, target, {"number": out.next_number, "message": message})
        out.next_number += 1

    def drained(self) -> asyncio.Future[None]:
        """Done when everything sent so far has been dealt with, or its receiver is lost."""
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        pending = {target: out.next_number for target, out in self._outgoing.items() if out.unanswered}
        self._waiting.append((pending, future))
        self._wake()
        return future

    def _wake(self) -> None:
        still = []
        for pending, future in self._waiting:
            for target in list(pending):
                out = self._outgoing.get(target)
                if out is None or not out.unanswered or next(iter(out.unanswered)) >= pending[target]:
                    del pending[target]
            if pending:
                still.append((pending, future))
            elif not future.done():
                future.set_result(None)
        self._waiting = still

    def _arrived(self, source: str, packet: Packet) -> None:
        if "answer" in packet:
            self._answered(source, packet["answer"])
            return
        incoming = self._incoming.setdefault(source, _Incoming())
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
        self._transport.send(self.name, source, {"answer": incoming.expected})

    def _answered(self, source: str, number: int) -> None:
        out = self._outgoing.get(source)
        if out is None:
            return
        before = len(out.unanswered)
        while out.unanswered:
            first = next(iter(out.unanswered))
            if first >= number:
                break
            del out.unanswered[first]
        if out.unanswered and len(out.unanswered) == before:  # later packets have arrived, but not this one
            out.same_answers += 1
            if out.same_answers % SAME_ANSWERS == 0:
                first = next(iter(out.unanswered))
                self._transport.send(self.name, source, {"number": first, "message": out.unanswered[first]})
        elif len(out.unanswered) < before:
            out.same_answers = 0
            out.tries = 0
            out.since = asyncio.get_running_loop().time()
            if self._waiting:
                self._wake()

    async def _repeat(self) -> None:
        while True:
            await asyncio.sleep(RETRY / 2)
            now = asyncio.get_running_loop().time()
            for target, out in list(self._outgoing.items()):
                if not out.unanswered or now - out.since < RETRY * (out.tries + 1):
                    continue
                # one try a turn: a loop that was held up does not make others look dead
                out.tries += 1
                if out.tries > TRIES:
                    self._give_up(target)
                    continue
                for number in list(out.unanswered)[:WINDOW]:
                    self._transport.send(self.name, target, {"number": number, "message": out.unanswered[number]})

    def _give_up(self, target: str) -> None:
        self._gone.add(target)
        self._outgoing.pop(target, None)
        self._wake()
        self._lost(target)
