"""A transport for trials: everyday losses, repeats, delays and stragglers, links cut one way, actors that are slow."""

import asyncio
import random
from collections import Counter

STRAGGLING = 20.0  # seconds: several lives and sessions of an actor


class RoughTransport:
    """Packets as calls in the same event loop; what a former life of an actor has sent still arrives."""

    def __init__(self, loss=0.0, repeat=0.0, delay=0.0, straggle=0.0, seed=0):
        self.loss, self.repeat, self.delay, self.straggle = loss, repeat, delay, straggle
        self.num_sent = 0
        self._random = random.Random(seed)
        self._receivers = {}
        self._cut = Counter()
        self._slow = Counter()

    def cut(self, source, target):
        self._cut[source, target] += 1

    def repair(self, source, target):
        self._cut[source, target] -= 1

    def slow(self, actor, seconds):
        """All that it sends and gets takes so much longer from now on; a negative number takes that back."""
        self._slow[actor] += seconds

    async def open(self, name, receiver):
        self._receivers[name] = receiver

    async def close(self, name):
        self._receivers.pop(name, None)

    def send(self, source, target, packet):
        if source not in self._receivers:
            return
        self.num_sent += 1
        chance = self._random.random
        if self._cut[source, target] > 0 or chance() < self.loss:
            return
        for _ in range(1 + (chance() < self.repeat)):
            late = self._slow[source] + self._slow[target]
            late = chance() * self.delay + (late and late * (0.5 + chance()))
            if chance() < self.straggle:
                late += chance() * STRAGGLING
            asyncio.get_running_loop().call_later(late, self._arrive, source, target, packet)

    def _arrive(self, source, target, packet):
        receiver = self._receivers.get(target)
        if receiver is not None:
            receiver(source, packet)
