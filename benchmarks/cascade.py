"""Why a new design differs from the links it should keep, and how far such differences spread: ``python -m
benchmarks.cascade``.

Old and new overlay are compared link by link, in the order in which the links were made, without the links of the node
that left.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING

import numpy as np

import topicweave as tw

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from topicweave.model import Design

MORE = "a pair contributes more than the next old link"
LATER = "the old link would raise Δ, and another will still do"
OTHER = "something else"
FEW_TOPICS = 20


@dataclass(frozen=True)
class Made:
    """A link with the circumstances under which it was made: its contribution, Δ afterwards, and whether it
    raised Δ.
    """

    pair: tuple[str, str]
    contribution: int
    delta: int
    raises: bool


@dataclass(frozen=True)
class Cascade:
    """The changes that follow when one node leaves.

    Attributes
    ----------
    topics, links
        Number of topics and links of the node that left.
    after
        How many links were made as before until the first that differs; all, if none differs.
    why
        What came instead: MORE, LATER or OTHER; empty if no link differs.
    new
        By the Δ at that time: how many links were made that the old overlay does not have.
    changed
        Links in one overlay only, not counting those of the node that left.
    """

    topics: int
    links: int
    after: int
    why: str
    new: Counter[int]
    changed: int


def links_made(design: Design) -> list[Made]:
    """The links of a design in the order they were made."""
    degree: Counter[str] = Counter()
    found, delta = [], 0
    for pair, contribution in zip(design.overlay.pairs(), design.trace.contribution.tolist(), strict=True):
        degree.update(pair)
        most = max(degree[node] for node in pair)
        found.append(Made(pair, contribution, max(delta, most), most > delta))
        delta = max(delta, most)
    return found


def cascade(before: Sequence[Made], after: Sequence[Made], leaver: str, topics: int) -> Cascade:
    """Compare the links made before and after ``leaver``, a node with this number of topics, has left."""
    old = [made for made in before if leaver not in made.pair]
    kept, now = {made.pair for made in old}, {made.pair for made in after}
    first = next((place for place, (a, b) in enumerate(zip(old, after, strict=False)) if a.pair != b.pair), None)
    new = Counter(made.delta for made in after if made.pair not in kept)
    why = "" if first is None else reason(old[first], after[first])
    return Cascade(
        topics, len(before) - len(old), len(after) if first is None else first, why, new, len(kept ^ now)
    )  # fmt: skip


def reason(old: Made, new: Made) -> str:
    if old.raises and not new.raises:
        return LATER
    return MORE if new.contribution > old.contribution else OTHER


def cascades(interest: tw.Interest, leavers: Sequence[str], seed: int) -> Iterator[Cascade]:
    """Let each of these nodes leave the complete interest, one at a time, and compare the designs."""
    design = tw.design(interest, "low", k=3, seed=seed)
    before = links_made(design)
    for leaver in leavers:
        rest = interest.restrict(nodes=[node for node in interest.nodes if node != leaver])
        again = tw.design(rest, "low", k=3, seed=seed, prefer=design.overlay)
        yield cascade(before, links_made(again), leaver, len(interest.topics_of(leaver)))


def table(found: Sequence[Cascade]) -> Iterator[str]:
    """A line for each node that left; the nodes whose leave changes least come first."""
    highest = max((max(one.new, default=0) for one in found), default=0)
    yield "topics links  as before  changed  new links while Δ was " + "".join(f"{d:6}" for d in range(1, highest + 1))
    for one in sorted(found, key=lambda one: one.changed):
        new = "".join(f"{one.new[delta] or '':>6}" for delta in range(1, highest + 1))
        yield f"{one.topics:6} {one.links:5} {one.after:10,} {one.changed:8,}  {'':22}{new}  {one.why}"


def summary(found: Sequence[Cascade]) -> Iterator[str]:
    """Lines that say which leaving nodes cause most of the changes, and how the changes begin."""
    whole = max(1, sum(one.changed for one in found))
    groups = {
        f"at most {FEW_TOPICS} topics": [one.changed for one in found if one.topics <= FEW_TOPICS],
        "more": [one.changed for one in found if one.topics > FEW_TOPICS],
    }
    for words, changed in groups.items():
        if changed:
            share = 100 * sum(changed) / whole
            yield f"{words}: {len(changed)} leavers, median {median(changed):,.0f} links, {share:.0f} % of all changes"
    for why, count in Counter(one.why for one in found if one.why).most_common():
        yield f"first departure of {count}: {why}"


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.cascade", description=__doc__)
    parser.add_argument("--nodes", type=int, default=2000)
    parser.add_argument("--topics", type=int, default=200)
    parser.add_argument("--leavers", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args(arguments)
    interest = tw.workloads.synthetic(
        given.nodes, given.topics, popularity="uniform", subscriptions=(10, 90), seed=given.seed
    )
    drawn = np.random.default_rng(given.seed).choice(given.nodes, given.leavers, replace=False)
    found = list(cascades(interest, [interest.nodes[v] for v in drawn.tolist()], given.seed))
    print(
        f"low, k=3, {given.nodes} nodes x {given.topics} topics, sizes 10-90; {given.leavers} leavers, each on its own"
    )
    print("\n".join((*table(found), *summary(found))))
    return 0


if __name__ == "__main__":
    sys.exit(main())
