"""How many links a redesign changes: ``python -m benchmarks.redesign``.

One node leaves, and the overlay is designed again from scratch for the nodes that stay. Links that are in only one of
the two overlays are counted, except those of the node that left. With ``prefer`` the old overlay is passed to the new
design.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from statistics import mean, median
from typing import TYPE_CHECKING, Any

import numpy as np

import topicweave as tw

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

WAYS: dict[str, dict[str, Any]] = {
    "lexicographic": {"ties": "lexicographic"},
    "random": {"ties": "random"},
    "balanced": {"ties": "balanced"},
    "balanced, prefer": {"ties": "balanced", "prefer": True},
}


@dataclass(frozen=True)
class Redesign:
    """What changed when one node left.

    Attributes
    ----------
    changed
        Links in one overlay only, not counting those of the node that left.
    links_ratio, delta_rise
        Links relative to, and maximum degree above, those of a design for the same nodes without ``prefer``.
    """

    changed: int
    links_ratio: float
    delta_rise: int


def redesigns(
    interest: tw.Interest, leavers: Sequence[str], algorithm: str, options: dict[str, Any], *, prefers: bool
) -> Iterator[Redesign]:
    """Each of these nodes leaves the whole interest, one at a time."""
    before = tw.design(interest, algorithm, **options).overlay
    for leaver in leavers:
        rest = interest.restrict(nodes=[node for node in interest.nodes if node != leaver])
        fresh = tw.design(rest, algorithm, **options).overlay
        after = tw.design(rest, algorithm, prefer=before, **options).overlay if prefers else fresh
        kept = {pair for pair in before.pairs() if leaver not in pair}
        yield Redesign(
            len(kept ^ set(after.pairs())),
            after.num_edges / fresh.num_edges,
            after.maximum_degree - fresh.maximum_degree,
        )


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.redesign", description=__doc__)
    parser.add_argument("--nodes", type=int, default=2000)
    parser.add_argument("--topics", type=int, default=200)
    parser.add_argument("--leavers", type=int, default=20)
    parser.add_argument("--algorithm", default="low", choices=("gm", "minmax", "low"))
    parser.add_argument("--candidates", default="all", choices=("all", "near"))
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args(arguments)
    interest = tw.workloads.synthetic(
        given.nodes, given.topics, popularity="uniform", subscriptions=(10, 90), seed=given.seed
    )
    drawn = np.random.default_rng(given.seed).choice(given.nodes, given.leavers, replace=False)
    leavers = [interest.nodes[v] for v in drawn.tolist()]
    print(f"{given.algorithm}, {given.candidates} candidates, {given.nodes} nodes x {given.topics} topics, sizes 10-90")
    print(f"{given.leavers} leavers; links changed: mean, median, most; links / a fresh design's; Δ above it, at most")
    for name, way in WAYS.items():
        options = {"ties": way["ties"], "candidates": given.candidates, "seed": given.seed}
        found = list(redesigns(interest, leavers, given.algorithm, options, prefers="prefer" in way))
        changed = [one.changed for one in found]
        print(
            f"{name:<17} {mean(changed):8,.1f} {median(changed):8,.1f} {max(changed):7,}   "
            f"{mean(one.links_ratio for one in found):.4f}  {max(one.delta_rise for one in found):+d}"
        )
        print(f"{'':<17} {' '.join(map(str, sorted(changed)))}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
