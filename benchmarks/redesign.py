"""How many links change if an overlay is designed again: ``python -m benchmarks.redesign``.

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
    "balanced, prefer": {"ties": "balanced", "keeps": "prefer"},
    "balanced, start": {"ties": "balanced", "keeps": "start"},
}
ROUNDS, AT_A_TIME = 8, 20


@dataclass(frozen=True)
class Redesign:
    """What changed in the new design when one node had left.

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
    interest: tw.Interest, leavers: Sequence[str], algorithm: str, options: dict[str, Any], *, keeps: str = ""
) -> Iterator[Redesign]:
    """Let each of these nodes leave the complete interest, one at a time; ``keeps`` is the argument (``prefer`` or
    ``start``) by which the new design gets the old links, if it gets them.
    """
    before = tw.design(interest, algorithm, **options).overlay
    for leaver in leavers:
        yield redesign(interest, before, {leaver}, algorithm, options, keeps)[0]


def redesign(
    interest: tw.Interest, before: tw.Overlay, leavers: set[str], algorithm: str, options: dict[str, Any], keeps: str
) -> tuple[Redesign, tw.Interest, tw.Overlay]:
    """Design again after some nodes have left; return what changed."""
    rest = interest.restrict(nodes=[node for node in interest.nodes if node not in leavers])
    left = [pair for pair in before.pairs() if leavers.isdisjoint(pair)]
    fresh = tw.design(rest, algorithm, **options).overlay
    old = {keeps: tw.Overlay.from_pairs(left, labels=rest.nodes)} if keeps else {}
    after = tw.design(rest, algorithm, **old, **options).overlay if keeps else fresh
    found = Redesign(
        len(set(left) ^ set(after.pairs())),
        after.num_edges / fresh.num_edges,
        after.maximum_degree - fresh.maximum_degree,
    )
    return found, rest, after


def rounds(
    interest: tw.Interest, leavers: Sequence[str], algorithm: str, options: dict[str, Any], keeps: str
) -> list[Redesign]:
    """Let a few nodes at a time leave, several times, and make each new design from the previous one."""
    overlay = tw.design(interest, algorithm, **options).overlay
    found = []
    for first in range(0, len(leavers), AT_A_TIME):
        gone = set(leavers[first : first + AT_A_TIME])
        one, interest, overlay = redesign(interest, overlay, gone, algorithm, options, keeps)
        found.append(one)
    return found


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
        found = list(redesigns(interest, leavers, given.algorithm, options, keeps=way.get("keeps", "")))
        changed = [one.changed for one in found]
        print(
            f"{name:<17} {mean(changed):8,.1f} {median(changed):8,.1f} {max(changed):7,}   "
            f"{mean(one.links_ratio for one in found):.4f}  {max(one.delta_rise for one in found):+d}"
        )
        print(f"{'':<17} {' '.join(map(str, sorted(changed)))}")
    print(f"{ROUNDS} redesigns, each without {AT_A_TIME} more; links changed: mean; at the end links, Δ as above")
    several = np.random.default_rng(given.seed + 1).permutation(given.nodes)[: ROUNDS * AT_A_TIME]
    for keeps in ("prefer", "start"):
        options = {"candidates": given.candidates, "seed": given.seed}
        ends = rounds(interest, [interest.nodes[v] for v in several.tolist()], given.algorithm, options, keeps)
        print(
            f"{keeps:<17} {mean(one.changed for one in ends):8,.1f}   {ends[-1].links_ratio:.4f}  "
            f"{ends[-1].delta_rise:+d}"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
