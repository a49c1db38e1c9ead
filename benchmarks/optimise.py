"""``python -m benchmarks.optimise``: links, certified gap and time of the optimisers on named instances.

Every instance is made from its generator, parameters and seed, and named with a digest, so that others can compare.
Bounds are checked by SciPy and overlays by the verifier, neither of which shares code with the search. Seconds are CPU
time divided by two, kernels warm.
"""

from __future__ import annotations

import argparse
import hashlib
import time
from typing import Any, NamedTuple

import topicweave as tw

TEN: dict[str, Any] = {"num_topics": 100, "subscriptions": 10}
ZIPF: dict[str, Any] = {"popularity": "zipf", "alpha": 0.5}


class Instance(NamedTuple):
    """A workload, and how many rounds the search gets."""

    workload: dict[str, Any]
    rounds: int
    bound_rounds: int = 80


INSTANCES = {
    "uniform-100": Instance({"num_nodes": 100, "popularity": "uniform", **TEN}, 25),
    "zipf-100": Instance({"num_nodes": 100, **ZIPF, **TEN}, 25),
    "uniform-300": Instance({"num_nodes": 300, "popularity": "uniform", **TEN}, 12),
    "zipf-300": Instance({"num_nodes": 300, **ZIPF, **TEN}, 12),
    "uniform-1000": Instance({"num_nodes": 1000, "popularity": "uniform", **TEN}, 20),
    "zipf-1000": Instance({"num_nodes": 1000, **ZIPF, **TEN}, 20),
    "exponential-1000": Instance({"num_nodes": 1000, "popularity": "exponential", **TEN}, 30),
    "zipf-10000": Instance({"num_nodes": 10_000, **ZIPF, "num_topics": 200, "subscriptions": 10}, 10, 30),
    "uniform-10000": Instance(
        {"num_nodes": 10_000, "popularity": "uniform", "num_topics": 200, "subscriptions": 10}, 10, 30
    ),
    "power-2000": Instance(
        {"num_nodes": 2000, "popularity": "uniform", "num_topics": 200, "subscriptions": (10, 90)}, 300
    ),
    "power-1000": Instance(
        {"num_nodes": 1000, "popularity": "uniform", "num_topics": 1000, "subscriptions": (20, 600)}, 100
    ),
}


def digest(interest: tw.Interest) -> str:
    """The first letters of a hash of all subscriptions."""
    return hashlib.sha256(interest.indptr.tobytes() + interest.indices.tobytes()).hexdigest()[:12]


def measure(name: str, seed: int) -> str:
    """One row of the table."""
    instance = INSTANCES[name]
    interest = tw.workloads.synthetic(**instance.workload, seed=seed)
    greedy = tw.design(interest, "gm").overlay
    before = time.process_time()
    made = tw.design(interest, "optimum", rounds=instance.rounds).overlay
    spent = (time.process_time() - before) / 2
    bound = tw.lower_bound(interest, rounds=instance.bound_rounds)
    if not tw.verify(interest, made).topic_connected:
        raise AssertionError(f"{name} with seed {seed}: the overlay is not topic-connected")
    value = bound.check()
    return (
        f"| {name} | {seed} | {digest(interest)} | {greedy.num_edges:,} | {made.num_edges:,} | {value:,.1f} "
        f"| {made.num_edges / value - 1:.2%} | {1 - made.num_edges / greedy.num_edges:.1%} "
        f"| {greedy.maximum_degree} / {made.maximum_degree} | {spent:.1f} |"
    )


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"instances: {', '.join(INSTANCES)} (all by default)")
    parser.add_argument("--seeds", type=int, nargs="+", default=[1001])
    given = parser.parse_args()
    tw.design(tw.workloads.synthetic(num_nodes=20, num_topics=10, subscriptions=3, seed=0), "optimum", rounds=1)
    print("| instance | seed | digest | gm | optimum | bound | gap | below gm | maximum degree gm / optimum | s |")
    print("|---|--:|---|--:|--:|--:|--:|--:|--:|--:|")
    for name in given.names or INSTANCES:
        for seed in given.seeds:
            print(measure(name, seed), flush=True)


if __name__ == "__main__":
    main()
