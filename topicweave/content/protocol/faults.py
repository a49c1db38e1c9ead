"""Faults: a transport that delays, repeats and loses packets at random, reproducibly for a given seed."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from topicweave.content.protocol.transport import Packet, Receiver, Transport


@dataclass(frozen=True)
class Faults:
    """How faulty a transport is: the longest delay in seconds, and the shares of packets that are delayed, repeated and
    lost.
    """

    delay: float = 0.0
    delayed: float = 1.0
    repeated: float = 0.0
    lost: float = 0.0
    seed: int = 0


class FaultyTransport:
    """Adds faults to another transport; packets are delayed individually, so they may also arrive out of order."""

    def __init__(self, inner: Transport, faults: Faults) -> None:
        self.inner = inner
        self.faults = faults
        self.num_delayed = self.num_repeated = self.num_lost = 0
        self._random = Random(faults.seed)
        self._cut: set[tuple[str, str]] = set()

    def cut(self, source: str, target: str) -> None:
        """Lose every packet from one actor to another until :meth:`repair` is called."""
        self._cut.add((source, target))

    def repair(self, source: str, target: str) -> None:
        """Let packets pass again after :meth:`cut`."""
        self._cut.discard((source, target))

    async def open(self, name: str, receiver: Receiver) -> None:
        await self.inner.open(name, receiver)

    def send(self, source: str, target: str, packet: Packet) -> None:
        chance = self._random.random
        if chance() < self.faults.lost or (source, target) in self._cut:
            self.num_lost += 1
            return
        copies = 1
        if chance() < self.faults.repeated:
            self.num_repeated += 1
            copies = 2
        for _ in range(copies):
            if self.faults.delay > 0 and chance() < self.faults.delayed:
                self.num_delayed += 1
                asyncio.get_running_loop().call_later(
                    chance() * self.faults.delay, self.inner.send, source, target, packet
                )
            else:
                self.inner.send(source, target, packet)

    async def close(self, name: str) -> None:
        await self.inner.close(name)
