"""Compares designs under requirements with designs without: links, degrees, hops, costs and time.

python -m benchmarks.requirements [hops] [diameter2] [failures] [costs PRICES.csv] [times [NODES TOPICS]]

Without arguments: hops, diameter2 and failures. ``costs`` needs a square table of prices between places.
"""

from __future__ import annotations

import sys
import time

import numpy as np

import topicweave as tw
from topicweave import Interest, Overlay, Requirements

HOPS = {12: (1.17, None), 10: (1.27, None), 8: (1.44, 16), 6: (1.75, 20), 4: (2.35, 60)}


def zipf(num_nodes: int, num_topics: int) -> Interest:
    """Subscriptions with ten topics per node, Zipf 0.5."""
    return tw.workloads.synthetic(
        num_nodes=num_nodes, num_topics=num_topics, popularity="zipf", alpha=0.5, subscriptions=10, seed=0
    )


def timed(interest: Interest, algorithm: str, **arguments: object) -> tuple[Overlay, float, float]:
    """An overlay, with half the CPU seconds of all threads and the wall-clock seconds that it took."""
    begun, wall = time.process_time(), time.perf_counter()
    overlay = tw.design(interest, algorithm, **arguments).overlay  # type: ignore[arg-type]
    return overlay, (time.process_time() - begun) / 2, time.perf_counter() - wall


def warm_up() -> None:
    """Run everything once for a few nodes, so that all kernels are compiled."""
    small = zipf(60, 12)
    for algorithm in ("gm", "low", "cd2", "cd_max"):
        tw.design(small, algorithm)
    for made in ({"max_hops": 4, "connectivity": 2}, {"link_cost": {node: (1.0, 2.0) for node in small.nodes}}):
        tw.design(small, "low", requirements=Requirements(**made))  # type: ignore[arg-type]


def hops() -> None:
    """Links and maximum degree of ``low`` under hop limits, relative to those without."""
    interest = zipf(1000, 100)
    plain, _, _ = timed(interest, "low")
    across = tw.metrics.topic_diameters(interest, plain).max()
    print(f"low(3): {plain.num_edges:,} links, maximum degree {plain.maximum_degree}, {across:.0f} hops")
    for limit, (bar, cap) in HOPS.items():
        overlay, cpu, wall = timed(interest, "low", requirements=Requirements(max_hops=limit))
        across = tw.metrics.topic_diameters(interest, overlay).max()
        print(
            f"max_hops={limit}: {across:.0f} hops, {overlay.num_edges / plain.num_edges:.3f} x links (bar {bar}), "
            f"maximum degree {overlay.maximum_degree} (bar {cap or '-'}), {cpu:.1f} s CPU / 2, {wall:.1f} s",
            flush=True,
        )


def diameter2() -> None:
    """The curve of ``cd_max``, maximum degree against links, relative to ``cd2``."""
    for subscriptions in (10, 20, 30, 50):
        interest = tw.workloads.synthetic(
            num_nodes=100, num_topics=100, popularity="uniform", subscriptions=subscriptions, seed=0
        )
        base, star = tw.design(interest, "cd2").overlay, tw.design(interest, "star").overlay
        print(
            f"s={subscriptions}: cd2 {base.num_edges:,} links, maximum degree {base.maximum_degree}; one star per "
            f"topic {star.num_edges / base.num_edges:.2f} x, {star.maximum_degree}"
        )
        lowest = tw.design(interest, "cd_max").overlay.maximum_degree
        for delta in sorted({lowest, *range(lowest + 1, lowest + 8), *range(lowest + 8, 100, 8), 99}):
            overlay = tw.design(interest, "cd_max", delta=delta).overlay
            print(
                f"  delta={delta}: maximum degree {overlay.maximum_degree} "
                f"({1 - overlay.maximum_degree / base.maximum_degree:.0%} lower), "
                f"{overlay.num_edges / base.num_edges:.3f} x links",
                flush=True,
            )


def failures() -> None:
    """Links, degree and topic diameter under ``connectivity=2``, relative to ``gm``."""
    for nodes, topics in ((1000, 100), (300, 100)):
        interest = zipf(nodes, topics)
        plain, _, _ = timed(interest, "gm")
        overlay, cpu, wall = timed(interest, "gm", requirements=Requirements(connectivity=2))
        before, after = (tw.metrics.topic_diameters(interest, one).mean() for one in (plain, overlay))
        print(
            f"connectivity=2, {nodes:,} nodes: {overlay.num_edges / plain.num_edges:.3f} x links (bar 1.35, aim 1.27), "
            f"maximum degree {overlay.maximum_degree} (bar 11), mean topic diameter {before:.1f} -> {after:.1f} (bar: "
            f"half), {cpu:.1f} s CPU / 2, {wall:.1f} s",
            flush=True,
        )


def costs(path: str) -> None:
    """The total cost and the number of links of ``gm`` for nodes in cities, relative to a design without costs."""
    prices = tw.content.read_prices(path)
    shapes = {"zipf, 10 topics each": ("zipf", 10), "uniform, 10 to 90 topics each": ("uniform", (10, 90))}
    for title, (popularity, subscriptions) in shapes.items():
        interest = tw.workloads.synthetic(
            num_nodes=600, num_topics=100, popularity=popularity, alpha=0.5, subscriptions=subscriptions, seed=0
        )
        drawn = np.random.default_rng(0).integers(len(prices.places), size=interest.num_nodes)
        city = {node: f"city {prices.places[place]}" for node, place in zip(interest.nodes, drawn, strict=True)}
        named = tw.content.Prices(tuple(f"city {place}" for place in prices.places), prices.matrix)
        plain = tw.design(interest, "gm").overlay
        for weight in (0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.7, 0.9, 1.0):
            r = Requirements(link_cost=named, regions=city, cost_weight=weight)
            overlay, cpu, wall = timed(interest, "gm", requirements=r)
            base, cost = (tw.verify(interest, one, r).cost for one in (plain, overlay))
            assert base is not None and cost is not None
            print(
                f"{title}, cost_weight={weight}: {cost / base:.3f} x cost, {overlay.num_edges / plain.num_edges:.3f} x "
                f"links, {cpu:.1f} s CPU / 2, {wall:.1f} s",
                flush=True,
            )


def times(num_nodes: int, num_topics: int) -> None:
    """The time under each requirement, relative to ``gm`` measured just before."""
    interest = zipf(num_nodes, num_topics)
    nodes = interest.nodes
    rng = np.random.default_rng(0)
    ends = [pair for pair in rng.integers(len(nodes), size=(1000, 2)).tolist() if pair[0] != pair[1]]
    points = {node: tuple(rng.random(2).tolist()) for node in nodes}
    plain, _, _ = timed(interest, "gm")
    kinds: dict[str, tuple[Requirements, int]] = {
        "forbidden, 1,000 pairs": (Requirements(forbidden=[(nodes[u], nodes[v]) for u, v in ends]), 3),
        "max_degree one below": (Requirements(max_degree=plain.maximum_degree - 1), 3),
        "link_cost, coordinates": (Requirements(link_cost=points), 3),
        "connectivity=2": (Requirements(connectivity=2), 20),
        "max_hops=8": (Requirements(max_hops=8), 20),
    }
    for title, (made, bar) in kinds.items():
        _, base, _ = timed(interest, "gm")
        overlay, cpu, wall = timed(interest, "gm", requirements=made)
        print(
            f"{title}: {cpu / base:.1f} x gm (bar {bar}; {base:.2f} -> {cpu:.2f} s CPU / 2, {wall:.1f} s "
            f"on the clock), {overlay.num_edges / plain.num_edges:.3f} x links, maximum degree "
            f"{overlay.maximum_degree}",
            flush=True,
        )


def main(arguments: list[str]) -> int:
    """Run the parts named on the command line."""
    warm_up()
    parts = list(arguments) or ["hops", "diameter2", "failures"]
    while parts:
        part = parts.pop(0)
        if part == "costs":
            costs(parts.pop(0))
        elif part == "times":
            sizes = (int(parts.pop(0)), int(parts.pop(0))) if parts and parts[0].isdigit() else (10_000, 1000)
            times(*sizes)
        else:
            {"hops": hops, "diameter2": diameter2, "failures": failures}[part]()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
