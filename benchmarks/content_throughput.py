"""Throughput of one broker process: publications in and out per second of its CPU time, over TCP."""

from __future__ import annotations

import asyncio
import socket
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

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
WARM = 200  # publications before those that are measured, for which compiled code is loaded


@dataclass(frozen=True)
class Throughput:
    """Publications of 1 kB to a broker with 1,000 subscriptions, ten of which match each; clients are in this process.

    A hundred users have ten subscriptions each: to ten of a hundred channels, or, ``by_content``, to ten ranges of an
    attribute, whose values are divided into a hundred channels. Each range is as wide as a channel and overlaps two.
    """

    by_content: bool = False
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
        kind = "ranges" if self.by_content else "subscriptions to channels"
        subscriptions = f"{MATCHING * self.num_channels:,} {kind}, {MATCHING} match"
        detail = f"{count:,} publications in {seconds:.2f} s of CPU"
        yield Row(f"in a second of CPU: {subscriptions}", count / seconds, unit="", bar=at_least(5_000), detail=detail)
        out = MATCHING * count / seconds
        yield Row(f"out a second of CPU: {subscriptions}", out, unit="", bar=at_least(50_000))

    async def _run(self, count: int) -> float:
        with tempfile.TemporaryDirectory() as folder:
            port, web = _free_port(), f"127.0.0.1:{_free_port()}"
            edges = {"value": [float(border) for border in range(self.num_channels + 1)]} if self.by_content else {}
            plan = NetworkPlan({"a": f"127.0.0.1:{port}"}, [[0.0]], edges=edges)
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
            clients.append(await _client(address, f"u{user}", receive, **self._wanted(user)))
        publishers = [await _client(address, f"p{number}", receive) for number in range(NUM_PUBLISHERS)]
        clients += publishers

        async def publish(first: int, last: int) -> None:
            for number in range(first, last):
                publishers[number % NUM_PUBLISHERS].publish(body=BODY, **self._about(number))
                while MATCHING * number - arrived > MATCHING * AHEAD or number % 100 == 0:
                    await asyncio.sleep(0.001)
                    if MATCHING * number - arrived <= MATCHING * AHEAD:
                        break
            while arrived < MATCHING * last:
                await asyncio.sleep(0.01)

        async with asyncio.timeout(PATIENCE):
            await publish(0, WARM)
            before = await _cpu(web)
            await publish(WARM, WARM + count)
        return await _cpu(web) - before

    def _wanted(self, user: int) -> dict[str, Any]:
        """What a user subscribes to: ranges begin at all tenths, and neighbours belong to different users."""
        if self.by_content:
            starts = (number * self.num_channels / MATCHING + user / MATCHING for number in range(MATCHING))
            return {"ranges": [{"value": (start, start + 1.0)} for start in starts]}
        step = self.num_channels // MATCHING
        return {"channels": [f"c{(user + step * number) % self.num_channels}" for number in range(MATCHING)]}

    def _about(self, number: int) -> dict[str, Any]:
        """Channel or content of a publication; values are never at the end of a range, nor among the first ranges,
        where fewer match.
        """
        if self.by_content:
            return {"content": {"value": 1.003 + 0.01 * (37 * number % (100 * (self.num_channels - 2)))}}
        return {"channel": f"c{number % self.num_channels}"}


async def _client(address: str, name: str, receive: object, **wanted: Any) -> Client:
    client = tw.content.connect(address, name, received=receive, resume=False, patience=PATIENCE, **wanted)
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
