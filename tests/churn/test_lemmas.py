"""SHADOW Lemmas 1-4, checked against every overlay of tiny interests.

Each says that a call of Algorithm 2 leaves a topic-connected overlay and adds few links: with C components too many,
k for the paper's ρ, and the fewest links m and the least maximum degree D of any topic-connected overlay of the nodes
and topics it looks at, at most k·m·ln C links, rounded up, while the maximum degree rises by at most
(n/(2k) + 1)·(3·(D + 1)·ln C + 1). The constants are those in the proofs of LOW's Theorems 1 and 2, which the lemmas
cite.
"""

from __future__ import annotations

from functools import lru_cache
from math import floor, log

import numpy as np
import pytest

import topicweave as tw
from tests.every_overlay import every_overlay
from tests.instances import interest_of
from tests.reference_churn import neighbours, pieces_without
from topicweave.churn import Naive, Shadow

NUM_CASES = 60


@lru_cache(maxsize=1)
def cases():
    """Interests of seven nodes, from sparse to dense."""
    rng = np.random.default_rng(7)
    found = []
    for _ in range(NUM_CASES):
        wanted = rng.random((7, rng.integers(2, 7))) < rng.uniform(0.2, 0.7)
        found.append({node: set(np.flatnonzero(row).tolist()) for node, row in enumerate(wanted)})
    return found


@lru_cache(maxsize=4096)
def optimum(wanted):
    """The fewest links and the least maximum degree of a topic-connected overlay of nodes with these topics."""
    known = every_overlay(dict(enumerate(map(set, wanted))))
    return int(known.links[known.is_tco].min()), int(known.maximum_degree[known.is_tco].min())


def check_degrees(before, change_links, after, wanted, excess, k):
    """The bounds on links added and on the maximum degree, where ``excess`` components are too many."""
    if excess == 0:
        assert change_links == 0
        return
    fewest, least = optimum(tuple(frozenset(topics) for topics in wanted))
    assert change_links <= floor(k * fewest * log(excess)) + 1
    assert after <= before + (len(wanted) / (2 * k) + 1) * (floor(3 * (least + 1) * log(excess)) + 1)


def check_connected(maintainer):
    """Checked on the overlay of every topic, without the maintainer's own search."""
    interest = maintainer.interest
    number = {topic: place for place, topic in enumerate(interest.topics)}
    known = every_overlay({v: {number[t] for t in interest.topics_of(node)} for v, node in enumerate(interest.nodes)})
    assert known.is_tco[known.number([tuple(edge) for edge in maintainer.overlay.edges.tolist()])]


@pytest.mark.parametrize("k", [1, 3])
def test_lemma_1(k):
    """Algorithm 2, starting from any overlay, with all pairs as candidates."""
    rng = np.random.default_rng(1)
    for topics_of in cases():
        topics_of = {v: topics_of[v] for v in range(6)}
        interest = interest_of(topics_of)
        if not interest.num_subscriptions:
            continue
        known = every_overlay(topics_of)
        start = int(rng.integers(len(known.tcc)))
        links = [pair for bit, pair in enumerate(known.pairs) if start >> bit & 1 and rng.random() < 0.5]
        start = known.number(links)
        made = tw.design(interest, "low", k=k, start=tw.Overlay(interest.nodes, sorted(links) or np.empty((0, 2), int)))
        end = known.number([tuple(edge) for edge in made.overlay.edges.tolist()])
        assert known.is_tco[end]
        assert end & start == start
        check_degrees(
            int(known.maximum_degree[start]), int(known.links[end] - known.links[start]),
            int(known.maximum_degree[end]), list(topics_of.values()), int(known.tcc[start] - known.tcc[-1]), k,
        )  # fmt: skip


KINDS = {"lemma_2_naive": (Naive, {}), "lemma_3_shadow": (Shadow, {}), "thin_shadow": (Shadow, {"coverage": 1})}


@pytest.mark.parametrize("k", [1, 3])
@pytest.mark.parametrize("name", KINDS)
def test_lemmas_2_and_3_on_leaves(name, k):
    """Algorithm 4 looks at all nodes that stay, Algorithm 7 at the shadow set: neighbours and backups."""
    kind, options = KINDS[name]
    for place, topics_of in enumerate(cases()):
        maintainer = kind(interest_of(topics_of), k=k, **options)
        leaver = f"n{place % 7:03}"
        of_node = {node: set(topics) for node, topics in maintainer.interest.to_sets().items()}
        links = set(maintainer.overlay.pairs())
        shadow = set(of_node) - {leaver}
        if kind is Shadow:
            shadow = neighbours(links, leaver) | maintainer.backups_of(leaver)
        lost = pieces_without(leaver, of_node, links)
        excess = len(lost) - len({topic for topic, _ in lost})
        before = maintainer.maximum_degree
        change = maintainer.leave(leaver)
        check_connected(maintainer)
        assert all(a in shadow and b in shadow for a, b in change.added)
        wanted = [of_node[node] & of_node[leaver] for node in sorted(shadow)]
        check_degrees(before, len(change.added), maintainer.maximum_degree, wanted, excess, k)


@pytest.mark.parametrize("k", [1, 3])
@pytest.mark.parametrize("name", KINDS)
def test_lemmas_2_and_4_on_joins(name, k):
    """Algorithm 3 links the newcomer to any node, Algorithm 10 to its backups."""
    kind, options = KINDS[name]
    for topics_of in cases():
        first = {v: topics_of[v] for v in range(5)}
        interest = interest_of(first)
        maintainer = kind(interest, k=k, **options)
        before = maintainer.maximum_degree
        topics = {f"t{t:04}" for t in topics_of[5]}
        change = maintainer.join("n005", topics)
        check_connected(maintainer)
        shadow = set(interest.nodes) if kind is Naive else maintainer.backups_of("n005")
        assert all("n005" in pair and (set(pair) - {"n005"}) <= shadow for pair in change.added)
        of_node = maintainer.interest.to_sets()
        excess = sum(any(topic in of_node[node] for node in interest.nodes) for topic in topics)
        wanted = [of_node[node] & topics for node in (*sorted(shadow), "n005")]
        check_degrees(before, len(change.added), maintainer.maximum_degree, wanted, excess, k)
