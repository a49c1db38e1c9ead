"""Speed of content assignment: methods relative to a matrix product for all pairs of users, and reading on Spark
relative to counting rows.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import topicweave as tw
from benchmarks.checks import Bar, Row, at_most

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from benchmarks.lab import Demand, Lab
    from topicweave.content import Instance

ROUNDS = 3
FLOOR_RUNS = 5
EVALUATIONS = 20
MOST_FOR_BEST = 10_000  # most users × brokers for which the slow method ``best`` is timed as well
THREE = ("greedy_packing", "clustering", "steiner_mixing")
PARQUET_ROWS = 20_000_000


@dataclass(frozen=True)
class ContentSpeed:
    """The time of each method, divided by that of one float32 product ``publish @ subscribe.T`` measured alternately.

    The product's output is allocated beforehand; it is run several times in a row and the fastest run counts; for the
    methods the median does.
    """

    num_users: int = 10_000
    num_brokers: int = 100
    num_channels: int = 100
    price_ratio: float = 1.0

    def demands(self) -> Sequence[Demand]:
        return []

    def rows(self, lab: Lab) -> Iterator[Row]:
        shrink = 20 if lab.quick else 1
        instance = tw.content.evaluation_instance(
            self.num_users // shrink,
            max(2, self.num_brokers // shrink),
            self.num_channels,
            price_ratio=self.price_ratio,
        )
        calls, bars = self._calls(instance)
        seconds: dict[str, list[float]] = {name: [] for name in calls}
        for call in calls.values():
            call()  # compile and load
        for _ in range(2 if lab.quick else ROUNDS):
            for name, call in calls.items():
                lab.tell(f"{name} on {instance!r}")
                for _ in range(FLOOR_RUNS if name == "floor" else 1):
                    start = time.perf_counter()
                    call()
                    seconds[name].append(time.perf_counter() - start)
                lab.tell(None)
        floor = min(seconds["floor"])
        for name, bar in bars.items():
            median = statistics.median(seconds[name])
            what = f"{name}: {instance!r}, price ratio {self.price_ratio:g}"
            yield Row(what, median / floor, bar=bar, detail=f"{median:.4f} s / {floor:.4f} s")

    def _calls(self, instance: Instance) -> tuple[dict[str, Callable[[], Any]], dict[str, Bar]]:
        from topicweave.content.core import core_pricing
        from topicweave.content.migration import improve
        from topicweave.content.registry import METHODS

        publish = instance.rate.astype(np.float32)
        subscribe = instance.subscribe.astype(np.float32).T
        product = np.zeros((instance.num_users, instance.num_users), dtype=np.float32)
        packed = METHODS["greedy_packing"].function(instance, seed=0).broker
        mixed = METHODS["steiner_mixing"].function(instance, seed=0).broker
        pricing = {core: core_pricing(instance, core) for core in ("multicast", "steiner")}
        return {
            "floor": lambda: np.matmul(publish, subscribe, out=product),
            "cost": lambda: tw.content.cost(instance, packed, "multicast"),
            "cost, steiner": lambda: tw.content.cost(instance, packed),
            **{name: lambda name=name: METHODS[name].function(instance, seed=0) for name in THREE},  # type: ignore[misc]
            "migrate, first pass": lambda: improve(instance, mixed, pricing["multicast"], 1),
            "migrate, first pass, steiner": lambda: improve(instance, mixed, pricing["steiner"], 1),
        }, {
            "cost": at_most(0.05),
            "cost, steiner": at_most(0.05),
            "greedy_packing": at_most(0.1),
            "clustering": at_most(10),
            "steiner_mixing": at_most(40),
            "migrate, first pass": at_most(2),
            "migrate, first pass, steiner": at_most(2),
        }


@dataclass(frozen=True)
class CoreSpeed:
    """How much longer it takes to compute the cost with relays than with spanning trees, if users want little; measured
    alternately.

    The median of several runs of twenty evaluations each; the seconds of the other methods are shown for comparison.
    """

    num_users: int = 1_000
    num_brokers: int = 100

    def demands(self) -> Sequence[Demand]:
        return []

    def rows(self, lab: Lab) -> Iterator[Row]:
        instance = tw.content.sparse_instance(
            200 if lab.quick else self.num_users, 20 if lab.quick else self.num_brokers
        )
        for method in ("random", "greedy_packing", "clustering", "steiner_mixing"):
            lab.tell(f"{method} on {instance!r}")
            broker = tw.content.assign(instance, method).broker
            seconds: dict[str, list[float]] = {core: [] for core in ("multicast", "steiner")}
            for _ in range(1 + (2 if lab.quick else ROUNDS)):  # the first run does not count
                for core, spent in seconds.items():
                    start = time.process_time()
                    for _ in range(EVALUATIONS):
                        tw.content.cost(instance, broker, core)
                    spent.append((time.process_time() - start) / EVALUATIONS)
            lab.tell(None)
            ours, paper = (statistics.median(seconds[core][1:]) for core in ("steiner", "multicast"))
            what = f"cost with relays / with spanning trees: {instance!r}, placed by {method}"
            yield Row(what, ours / paper, bar=at_most(5), detail=f"{1e3 * ours:.3f} ms / {1e3 * paper:.3f} ms")


@dataclass(frozen=True)
class MethodSeconds:
    """CPU seconds of one run of each method, for each way to price the traffic between brokers, with kernels loaded."""

    sizes: tuple[tuple[int, int], ...] = ((1_000, 10), (1_000, 50))

    def demands(self) -> Sequence[Demand]:
        return []

    def rows(self, lab: Lab) -> Iterator[Row]:
        markets = {"dense": tw.content.evaluation_instance, "sparse": tw.content.sparse_instance}
        for market, draw in markets.items():
            for users, brokers in ((60, 6),) if lab.quick else self.sizes:
                instance = draw(users, brokers)
                for name, method in tw.content.METHODS.items():
                    if name in ("random", "exact") or (name == "best" and users * brokers > MOST_FOR_BEST):
                        continue
                    for core in tw.content.CORES if method.minimises_core else ("steiner",):
                        lab.tell(f"{name}, {core}, on {instance!r}")
                        tw.content.assign(draw(30, 4), name, core=core)
                        start = time.process_time()
                        found = tw.content.assign(instance, name, core=core)
                        seconds = time.process_time() - start
                        lab.tell(None)
                        about = f", {core}" if method.minimises_core else ""
                        where = f"{users:,} users, {brokers} brokers, {market}"
                        yield Row(f"{name}{about}: {where}", seconds, "s", detail=f"cost {found.cost.total:,.6g}")


@dataclass(frozen=True)
class ContentTraffic:
    """Time to turn a log of publications into an Instance, divided by that of counting its rows by user on Spark; the
    second run of each counts.
    """

    num_rows: int = PARQUET_ROWS

    def demands(self) -> Sequence[Demand]:
        return []

    def rows(self, lab: Lab) -> Iterator[Row]:
        from topicweave.pipeline import Table, session
        from topicweave.pipeline.sources.traffic import Publications, read_traffic

        num_rows = 20_000 if lab.quick else self.num_rows
        spark = session()
        with tempfile.TemporaryDirectory() as folder:
            path, wishes = str(Path(folder) / "log.parquet"), str(Path(folder) / "wishes.csv")
            names = write_log(path, wishes, num_rows)
            prices = tw.content.Prices(names, np.ones((len(names), len(names))) - np.eye(len(names)))

            def ours() -> None:
                read_traffic(spark, Publications(Table(path)), Table(wishes)).instance(prices, names[:10])

            def bare() -> None:
                spark.read.parquet(path).groupBy("user").count().toArrow()

            seconds = {}
            for name, call in (("bare", bare), ("ours", ours)):
                for _ in range(2):
                    lab.tell(f"{name}: {num_rows:,} publications")
                    start = time.perf_counter()
                    call()
                    seconds[name] = time.perf_counter() - start
                    lab.tell(None)
        detail = f"{seconds['ours']:.2f} s / {seconds['bare']:.2f} s"
        what = f"publications to Instance / count by user: {num_rows:,} rows of Parquet"
        yield Row(what, seconds["ours"] / seconds["bare"], bar=at_most(5), detail=detail)


def write_log(path: str, wishes: str, num_rows: int, num_users: int = 1_000) -> tuple[str, ...]:
    """Write a log of publications, and one range of values for every user; returns the users."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng = np.random.default_rng(0)
    names = tuple(f"user{number:04d}" for number in range(num_users))
    labels = pa.array(names)
    kinds = {"user": pa.string(), "value": pa.float64(), "bytes": pa.int64(), "time": pa.float64()}
    with pq.ParquetWriter(path, pa.schema(list(kinds.items()))) as file:
        for start in range(0, num_rows, 1_000_000):
            count = min(1_000_000, num_rows - start)
            file.write_table(
                pa.table(
                    {
                        "user": labels.take(pa.array(rng.integers(0, num_users, count))),
                        "value": rng.random(count),
                        "bytes": rng.integers(1, 1500, count),
                        "time": start + np.arange(count, dtype=np.float64),
                    }
                )
            )
    low, high = np.sort(rng.random((2, num_users)), axis=0)
    rows = [f"{name},value,{a},{b}" for name, a, b in zip(names, low, high, strict=True)]
    Path(wishes).write_text("\n".join(["user,attribute,low,high", *rows]) + "\n")
    return names
