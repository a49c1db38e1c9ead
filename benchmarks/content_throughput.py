"""Throughput of one broker process: publications in and out per second of its CPU time, over TCP."""

from __future__ import annotations

import asyncio
import socket
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import topicweave as tw
from benchmarks.checks import Row, at_least
from topicweave.content.processes import NetworkPlan
from topicweave.content.processes.launcher import Launcher, fetch_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from benchmarks.lab import Demand, Lab
    from topicweave.content.processes import Client, Publication

BODY = "x" * 1_000
MATCHING = 10  # how many subscriptions each publication matches
AHEAD = 2_000  # how many publications may be in flight
PATIENCE = 600.0  # seconds, on a machine that may be busy
NUM_PUBLISHERS = 5


@dataclass(frozen=True)
class Throughput:
    """Publications of 1 kB to a broker with 1,000 subscriptions, ten of which match each; clients are in this process.

    A hundred users subscribe to ten of a hundred channels each.
    """

    num_publications: int = 20_000
    num_users: int = 100
    num_channels: int = 100

    def demands(self) -> Sequence[Demand]:
        return []

    def rows(self, lab: Lab) -> Iterator[Row]:
        count = 200 if lab.quick else self.num_publications
        lab.tell(f"{count:,} publications")
        seconds = asyncio.run(self._run(count))
        lab.tell(None)
        subscriptions = f"{MATCHING * self.num_channels:,} subscriptions, {MATCHING} match"
        detail = f"{count:,} publications in {seconds:.2f} s of CPU"
        yield Row(f"in a second of CPU: {subscriptions}", count / seconds, unit="", bar=at_least(5_000), detail=detail)
        out = MATCHING * count / seconds
        yield Row(f"out a second of CPU: {subscriptions}", out, unit="", bar=at_least(50_000))

    async def _run(self, count: int) -> float:
        with tempfile.TemporaryDirectory() as folder:
            port, web = _free_port(), f"127.0.0.1:{_free_port()}"
            plan = NetworkPlan({"a": f"127.0.0.1:{port}"}, [[0.0]])
            plan.write(Path(folder) / "network.json")
            launcher = Launcher(plan, Path(folder) / "network.json", {"a": web}, ["--stay"])
            await launcher.start()
            clients: list[Client] = []
            try:
                return await self._measure(plan.addresses["a"], web, count, clients)
            finally:
                for client in clients:
                    await client.user.stop()
                await launcher.stop()

    async def _measure(self, address: str, web: str, count: int, clients: list[Client]) -> float:
        arrived = 0

        def receive(publication: Publication) -> None:
            nonlocal arrived
            arrived += 1

        for user in range(self.num_users):
            step = self.num_channels // MATCHING
            wanted = [f"c{(user + step * number) % self.num_channels}" for number in range(MATCHING)]
            clients.append(await _client(address, f"u{user}", wanted, receive))
        publishers = [await _client(address, f"p{number}", [], receive) for number in range(NUM_PUBLISHERS)]
        clients += publishers
        before = await _cpu(web)
        async with asyncio.timeout(PATIENCE):
            for number in range(count):
                publishers[number % NUM_PUBLISHERS].publish(f"c{number % self.num_channels}", BODY)
                while MATCHING * number - arrived > MATCHING * AHEAD or number % 100 == 0:
                    await asyncio.sleep(0.001)
                    if MATCHING * number - arrived <= MATCHING * AHEAD:
                        break
            while arrived < MATCHING * count:
                await asyncio.sleep(0.01)
        return await _cpu(web) - before


async def _client(address: str, name: str, channels: list[str], receive: object) -> Client:
    client = tw.content.connect(address, name, channels=channels, received=receive, resume=False, patience=PATIENCE)
    await client.__aenter__()
    return client


async def _cpu(web: str) -> float:
    """The CPU time that the broker has used, according to its metrics."""
    lines = (await fetch_text(web, "/metrics") or "").splitlines()
    return next(float(line.split()[1]) for line in lines if line.startswith("process_cpu_seconds_total "))


def _free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])
