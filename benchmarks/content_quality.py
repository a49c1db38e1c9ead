"""How much the content methods save on the paper's instances.

The results of every instance are stored, so that a run can resume.
"""

from __future__ import annotations

import hashlib
import json
import statistics
import time
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING

import topicweave as tw
from benchmarks.checks import Row, at_least
from benchmarks.children import CHECKOUT
from topicweave.content.core import spanning_tree

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from numpy.typing import ArrayLike

    from benchmarks.lab import Demand, Lab

THREE = ("greedy_packing", "clustering", "steiner_mixing")
MARKETS: dict[str, Callable[..., tw.content.Instance]] = {
    "dense": tw.content.evaluation_instance,
    "sparse": tw.content.sparse_instance,
}
KEPT = CHECKOUT / "build" / "content-quality.json"


@dataclass(frozen=True)
class ContentQuality:
    """The mean cost reduction of each method, how much cheaper ``best`` is than the paper's three methods, and its gap
    to the lower bound.
    """

    sizes: tuple[int, ...] = (1_000, 3_000, 10_000)
    ratios: tuple[float, ...] = (0.1, 1.0, 10.0)
    num_instances: int = 5
    markets: tuple[str, ...] = tuple(MARKETS)

    def demands(self) -> Sequence[Demand]:
        return []

    def rows(self, lab: Lab) -> Iterator[Row]:
        kept = Kept(None if lab.quick else KEPT)
        wins = []
        sizes = (300,) if lab.quick else self.sizes
        seeds = range(2 if lab.quick else self.num_instances)
        for market, num_users, ratio in product(self.markets, sizes, self.ratios):
            found = [self._one(lab, kept, market, num_users, ratio, seed) for seed in seeds]
            mean = {name: statistics.mean(one[name] for one in found) for name in found[0]}
            won = [one["best"] / max(one[name] for name in THREE) for one in found]
            wins += won
            where = f"{market} market, {num_users:,} users, 100 per broker, price ratio {ratio:g}"
            shown = ", ".join(f"{name} {mean[name]:.3f}" for name in (*THREE, "best"))
            yield Row(
                f"least mean reduction: {where}", min(mean[name] for name in THREE), bar=at_least(1), detail=shown
            )
            yield Row(f"best / best of three, worst: {where}", min(won), bar=at_least(1))
            ceiling = statistics.mean(one["ceiling"] for one in found)
            yield Row(
                f"best / best of three, mean: {where}",
                statistics.mean(won),
                detail=f"{statistics.mean(won):.4f}, least {min(won):.4f}; no method above {ceiling:.4f}; "
                f"mean gap to the lower bound {100 * mean['gap']:.2f} %",
            )
        yield Row("best / best of three, mean of all", statistics.mean(wins), bar=at_least(1.02))

    def _one(self, lab: Lab, kept: Kept, market: str, num_users: int, ratio: float, seed: int) -> dict[str, float]:
        """For one instance: cost reductions of the methods, the gap between ``best`` and the lower bound, and how many
        times the bound the cheapest of the three other methods costs, which is the most that ``best`` could gain.
        """
        name = f"{market}, {num_users} users, price ratio {ratio:g}, instance {seed}"
        if name not in kept.found:
            lab.tell(name)
            instance = MARKETS[market](num_users, num_users // 100, price_ratio=ratio, seed=seed)
            made = {method: tw.content.assign(instance, method, seed=seed) for method in (*THREE, "best")}
            bound = tw.content.lower_bound(instance).total
            kept.add(
                name,
                {
                    **{method: one.reduction for method, one in made.items()},
                    "gap": 1 - bound / made["best"].cost.total,
                    "ceiling": min(made[method].cost.total for method in THREE) / bound,
                },
            )
            lab.tell(None)
        return kept.found[name]


@dataclass(frozen=True)
class ContentGap:
    """How far the cost of ``best`` may be above the optimum: its gap to the lower bound, for one instance of
    each kind.
    """

    sizes: tuple[int, ...] = (1_000, 3_000, 10_000)
    ratios: tuple[float, ...] = (0.1, 1.0, 10.0)

    def demands(self) -> Sequence[Demand]:
        return []

    def rows(self, lab: Lab) -> Iterator[Row]:
        for num_users, market, ratio in product((300,) if lab.quick else self.sizes, MARKETS, self.ratios):
            instance = MARKETS[market](num_users, num_users // 100, price_ratio=ratio, seed=0)
            what = f"gap: {market} market, {num_users:,} users, 100 per broker, price ratio {ratio:g}"
            lab.tell(what)
            start = time.process_time()
            found = tw.content.assign(instance, "best")
            between = time.process_time()
            bound = tw.content.lower_bound(instance)
            after = time.process_time()
            lab.tell(None)
            gap = 100 * (1 - bound.total / found.cost.total)
            cpu = f"{between - start:.1f} s and {after - between:.2f} s of CPU"
            yield Row(what, gap, "%", detail=f"best {found.cost.total:,.6g}, bound {bound.total:,.6g}; {cpu}")


@dataclass(frozen=True)
class TreeGain:
    """How much it saves to choose the shared tree by the traffic instead of using the minimum spanning tree, in % of
    the total cost.

    Measured for users placed by clustering, and once more when migration moves these users. The moves are then chosen
    under a shared tree that follows the traffic, and compared with moves chosen under one spanning tree per broker and
    channel, whose result is priced on the minimum spanning tree.
    """

    sizes: tuple[int, ...] = (5, 10, 20, 50)
    price_ratio: float = 0.3
    num_instances: int = 20
    # largest number of brokers for which migration is measured, because with more, all instances take minutes
    most_for_moves: int = 20

    def demands(self) -> Sequence[Demand]:
        return []

    def rows(self, lab: Lab) -> Iterator[Row]:
        for market, num_brokers in product(MARKETS, (4,) if lab.quick else self.sizes):
            where = f"{market} market, {num_brokers} brokers, price ratio {self.price_ratio:g}"
            lab.tell(where)
            gains: dict[str, list[float]] = {"placement given": [], "migration": []}
            for seed in range(2 if lab.quick else self.num_instances):
                num_users = max(20 * num_brokers, 100)
                instance = MARKETS[market](num_users, num_brokers, price_ratio=self.price_ratio, seed=seed)
                start = tw.content.assign(instance, "clustering", seed=seed).broker
                chosen = tw.content.cost(instance, start, "tree").total
                gains["placement given"].append(1 - chosen / _on_spanning_tree(instance, start))
                if num_brokers <= self.most_for_moves:
                    moved = tw.content.assign(instance, "migrate", start=start, core="multicast").broker
                    found = tw.content.assign(instance, "migrate", start=start, core="tree").cost.total
                    gains["migration"].append(1 - found / _on_spanning_tree(instance, moved))
            lab.tell(None)
            for what, values in gains.items():
                if values:
                    least, mean, most = (100 * one for one in (min(values), statistics.mean(values), max(values)))
                    yield Row(f"saved, mean: {what}, {where}", mean, "%", detail=f"from {least:.1f} to {most:.1f} %")
                    yield Row(f"saved, least: {what}, {where}", least, "%", bar=at_least(-1e-9))


def _on_spanning_tree(instance: tw.content.Instance, broker: ArrayLike) -> float:
    return tw.content.cost(instance, broker, "tree", tree=spanning_tree(instance)).total


class Kept:
    """The results so far, in a file that is discarded when the source code has changed."""

    def __init__(self, file: Path | None) -> None:
        self.file = file
        self.sources = _sources()
        self.found: dict[str, dict[str, float]] = {}
        if file is not None and file.is_file():
            content = json.loads(file.read_text(encoding="utf-8"))
            if content["sources"] == self.sources:
                self.found = content["instances"]

    def add(self, name: str, values: dict[str, float]) -> None:
        self.found[name] = values
        if self.file is not None:
            self.file.parent.mkdir(parents=True, exist_ok=True)
            content = {"sources": self.sources, "instances": self.found}
            self.file.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


def _sources() -> str:
    """A hash of the source code on which the results depend."""
    package = CHECKOUT / "topicweave"
    files = sorted([*package.glob("content/*.py"), *package.glob("kernels/content/*.py")])
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()
