"""Links: deliver messages between two actors once and in order, whatever the transport does, as long as both are alive.

An actor that does not answer for about two seconds is *suspected*: unanswered messages to it are dropped, and the next
message starts a new session. To a suspect, only one message is in flight at a time, to find out whether it is there. As
soon as anything arrives from it, it is no longer suspected. So a suspicion may be wrong; it then costs messages, which
the actors must be able to do without (see ``broker.py``). The same holds for an actor that has been *restarted*, which
is recognised by its new life (see ``sessions.py``): messages that its former life had not answered are dropped.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
from typing import TYPE_CHECKING

from topicweave.content.protocol.sessions import Incoming, Message, Names, Outgoing, Peer, life_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from topicweave.content.protocol.transport import Packet, Transport

RETRY = 0.2  # seconds to wait for an answer before a packet is sent again; longer if answers are slow
LONGEST_RETRY = 1.0
TRIES = 8  # after this many waiting periods without any answer, the other actor is suspected to be dead
# the most packets repeated at once, and the most early packets listed in an answer
WINDOW = 256


class Links:
    """The links from one actor to all others, from its start to its end; they number, acknowledge and repeat messages.

    Parameters
    ----------
    name
        The actor's own name.
    transport
        The transport for packets.
    receive
        Called with sender and message, once per message and in order.
    lost
        Called with the name of an actor that does not answer, each time that is noticed.
    restarted
        Called with the name of an actor that answers but has forgotten everything, before anything else from it is
        delivered.
    """

    def __init__(
        self,
        name: str,
        transport: Transport,
        receive: Callable[[str, Message], None],
        lost: Callable[[str], None],
        restarted: Callable[[str], None],
    ) -> None:
        self.name = name
        self.suspected: set[str] = set()
        self._transport = transport
        self._resend_after: float = getattr(transport, "resend_after", 0.0)
        self._receive = receive
        self._lost = lost
        self._restarted = restarted
        self._names = Names()
        self._peers: dict[str, Peer] = {}
        self._turn: asyncio.TimerHandle | None = None
        self._is_open = False
        self._takes = {
            "open": self._on_open,
            "opened": self._on_opened,
            "message": self._on_message,
            "answer": self._on_answer,
            "reset": self._on_reset,
        }

    async def open(self) -> None:
        self._is_open = True
        await self._transport.open(self.name, self._arrived)

    async def close(self) -> None:
        self._is_open = False
        if self._turn is not None:
            self._turn.cancel()
        await self._transport.close(self.name)

    def send(self, target: str, message: Message) -> None:
        """Send a message; it is dropped if the target is suspected to be dead and is already being asked for a sign of
        life.
        """
        out = self._peer(target).out
        now = _now()
        if not out.unanswered:
            out.since, out.tries = now, 0
        elif target in self.suspected:
            return
        number = out.add(message, now)
        if out.token is not None:
            self._post(target, out, number)
        elif out.asked is None:
            self._ask(target, out)
        self._wake()

    def _peer(self, name: str) -> Peer:
        if name not in self._peers:
            self._peers[name] = Peer(Outgoing(self._names.new()))
        return self._peers[name]

    def _ask(self, target: str, out: Outgoing) -> None:
        out.asked = _now()
        self._transport.send(self.name, target, {"kind": "open", "session": out.session, "asked": out.asked})

    def _post(self, target: str, out: Outgoing, number: int) -> None:
        message = out.unanswered[number].message
        packet = {"kind": "message", "session": out.session, "token": out.token, "number": number, "message": message}
        self._transport.send(self.name, target, packet)

    # ---- incoming packets ---------------------------------------------------------------------------------------

    def _arrived(self, source: str, packet: Packet) -> None:
        if self._is_open:
            self.suspected.discard(source)
            self._takes[packet["kind"]](source, self._peer(source), packet)

    def _on_open(self, source: str, peer: Peer, packet: Packet) -> None:
        offer = peer.offer(packet["session"], self._names)
        opened = {"kind": "opened", "session": offer.session, "token": offer.token, "asked": packet["asked"]}
        self._transport.send(self.name, source, opened)

    def _on_opened(self, source: str, peer: Peer, packet: Packet) -> None:
        out = peer.out
        if out.session != packet["session"] or out.token is not None:
            return
        now = _now()
        out.token, out.since, out.tries = packet["token"], now, 0
        # "asked" is a time by our own clock that the other end has echoed
        peer.delay += (now - packet["asked"] - peer.delay) / 8
        for number, sent in out.unanswered.items():
            sent.first = sent.last = now
            self._post(source, out, number)
        self._adopt(source, peer, life_of(packet["token"]))

    def _on_message(self, source: str, peer: Peer, packet: Packet) -> None:
        incoming = peer.incoming
        if incoming is None or incoming.token != packet["token"]:
            incoming = peer.offered.get(packet["session"])
            if incoming is None or incoming.token != packet["token"]:
                self._transport.send(self.name, source, {"kind": "reset", "session": packet["session"]})
                return
            peer.incoming = incoming
            peer.offered.clear()
            self._adopt(source, peer, life_of(packet["session"]))
        for message in incoming.take(packet["number"], packet["message"]):
            self._receive(source, message)
        if not incoming.is_answer_due:  # packets that arrive in the same turn of the event loop share one answer
            incoming.is_answer_due = True
            asyncio.get_running_loop().call_soon(self._answer, source, incoming)

    def _answer(self, source: str, incoming: Incoming) -> None:
        incoming.is_answer_due = False
        if self._is_open:
            early = list(itertools.islice(incoming.early, WINDOW))
            answer = {"kind": "answer", "session": incoming.session, "expected": incoming.expected, "early": early}
            self._transport.send(self.name, source, answer)

    def _on_answer(self, source: str, peer: Peer, packet: Packet) -> None:
        out = peer.out
        if out.session != packet["session"]:
            return
        now = _now()
        answered = [number for number in packet["early"] if number in out.unanswered]
        answered += itertools.takewhile(lambda number: number < packet["expected"], out.unanswered)
        for number in answered:
            peer.delay += (now - out.unanswered.pop(number).first - peer.delay) / 8
        if answered:
            out.tries = 0
            out.since = now

    def _on_reset(self, source: str, peer: Peer, packet: Packet) -> None:
        if peer.out.session == packet["session"]:
            peer.forget(self._names)
            self._restarted(source)

    def _adopt(self, source: str, peer: Peer, life: str) -> None:
        is_other = peer.adopt(life, self._names)
        if peer.out.unanswered and peer.out.asked is None:
            self._ask(source, peer.out)
        if is_other:
            self._restarted(source)

    # ---- lost packets -------------------------------------------------------------------------------------------

    def _wake(self) -> None:
        """Start watching for unanswered packets; the watch ends when none are left."""
        if self._turn is None and self._is_open:
            self._turn = asyncio.get_running_loop().call_later(RETRY / 2, self._look_after)

    def _look_after(self) -> None:
        self._turn = None
        now = _now()
        for target, peer in list(self._peers.items()):
            if peer.out.unanswered:
                self._repeat(target, peer, now)
        if any(peer.out.unanswered for peer in self._peers.values()):
            self._wake()

    def _repeat(self, target: str, peer: Peer, now: float) -> None:
        out = peer.out
        retry = min(LONGEST_RETRY, max(RETRY, 2 * peer.delay))
        if now - out.since >= retry * (out.tries + 1):
            # Count at most one attempt per turn of the event loop: if our own loop was delayed, others must not be
            # taken for dead.
            out.tries += 1
        if out.tries > TRIES:
            self._give_up(target, peer)
        elif out.token is None:
            if out.asked is None or now - out.asked >= retry:
                self._ask(target, out)
        else:
            wait = max(retry, self._resend_after)
            late = (number for number, sent in out.unanswered.items() if now - sent.last >= wait)
            for number in list(itertools.islice(late, WINDOW)):
                out.unanswered[number].last = now
                self._post(target, out, number)

    def _give_up(self, target: str, peer: Peer) -> None:
        self.suspected.add(target)
        # If the session was never opened, try again under the same name, because the answer may just be slow.
        is_opened = peer.out.token is not None
        peer.out = Outgoing(self._names.new() if is_opened else peer.out.session)
        self._lost(target)


async def end(task: asyncio.Task[None] | None) -> None:
    """Cancel a task; if the task had already failed, raise its error."""
    if task is not None:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task


def _now() -> float:
    return asyncio.get_running_loop().time()
