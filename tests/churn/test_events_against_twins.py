"""Every event is what SHADOW's listings allow, as settled: the repairs by the greedy twin, the backups by theirs."""

from __future__ import annotations

from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import topicweave as tw
from tests import reference, reference_churn
from tests.instances import interests
from topicweave.churn import Naive, Shadow
from topicweave.churn.shadow import ShadowSet
from topicweave.kernels.churn.backups import random_below

KINDS = {
    "naive": lambda interest, **o: Naive(interest, **o),
    "primal_dual": lambda interest, **o: Shadow(interest, backups="primal_dual", **o),
    "greedy": lambda interest, **o: Shadow(interest, backups="greedy", **o),
}
TOPICS = st.frozensets(st.integers(0, 7).map(lambda t: f"t{t:04}"), max_size=6)


def edges(maintainer):
    return set(maintainer.overlay.pairs())


def topics_by_label(maintainer):
    return {node: set(wanted) for node, wanted in maintainer.interest.to_sets().items()}


def numbered(topics_of, *link_sets):
    """The same with node numbers in label order, as the greedy twin wants them."""
    number = {label: i for i, label in enumerate(sorted(topics_of))}
    return {number[v]: wanted for v, wanted in topics_of.items()}, [
        [tuple(sorted((number[a], number[b]))) for a, b in links] for links in link_sets
    ]


def backups(maintainer):
    return (
        {node: maintainer.backups_of(node) for node in maintainer.interest.nodes} if maintainer.name == "shadow" else {}
    )


def replay(topics_of, added, start, candidates, topics):
    """Assert that the links added are what low(3) may take, in this order."""
    plain, (added, start, candidates) = numbered(topics_of, added, start, candidates)
    reference.replay(plain, added, "low", start=start, pairs=candidates, topics=topics, k=3.0)


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=60)
@given(interest=interests(), topics=TOPICS)
def test_join(kind, interest, topics):
    maintainer = KINDS[kind](interest)
    before = edges(maintainer)
    change = maintainer.join("m", topics)
    topics_of = topics_by_label(maintainer)
    if kind == "naive":
        candidates = reference_churn.naive_candidates(topics_of, "m")
    else:
        candidates = reference_churn.shadow_candidates_on_join("m", maintainer.backups_of("m"))
    replay(topics_of, change.added, before, candidates, set(topics))
    assert change.removed == ()
    assert edges(maintainer) == before | set(change.added)


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=60)
@given(interest=interests().filter(lambda found: found.num_nodes > 0), data=st.data())
def test_leave(kind, interest, data):
    maintainer = KINDS[kind](interest)
    node = data.draw(st.sampled_from(interest.nodes))
    topics, before, near = (
        interest.topics_of(node),
        edges(maintainer),
        reference_churn.neighbours(edges(maintainer), node),
    )
    chosen = maintainer.backups_of(node) if kind != "naive" else frozenset()
    change = maintainer.leave(node)
    topics_of = topics_by_label(maintainer)
    left = {link for link in before if node not in link}
    if kind == "naive":
        candidates = reference_churn.naive_candidates(topics_of)
    else:
        candidates = reference_churn.shadow_candidates_on_leave(near, set(chosen))
    replay(topics_of, change.added, left, candidates, set(topics))
    assert set(change.removed) == before - left
    assert edges(maintainer) == left | set(change.added)


@pytest.mark.parametrize("rule", ["primal_dual", "greedy"])
@settings(max_examples=60)
@given(
    interest=interests().filter(lambda found: found.num_nodes > 0), coverage=st.integers(1, 3), seed=st.integers(0, 5)
)
def test_backups_of_a_joining_node(rule, interest, coverage, seed):
    """Slots follow the labels here (m sorts after none of n000...), so ties fall alike."""
    maintainer = Shadow(interest, backups=rule, coverage=coverage, seed=seed)
    before, links = backups(maintainer), edges(maintainer)
    state = maintainer.backups.random.copy()
    topics = frozenset(interest.topics[:5]) | {"t0001"}
    maintainer.state.topic_slots(topics)  # their order is that of slots, so give them theirs first
    slot = maintainer.state.topics.number

    def shuffled(rising):
        order = sorted(rising, key=slot.__getitem__)
        for i in range(len(order) - 1, 0, -1):
            j = int(random_below(state, i + 1))
            order[i], order[j] = order[j], order[i]
        return order

    topics_of = {**{v: set(wanted) for v, wanted in interest.to_sets().items()}, "z": set(topics)}
    if rule == "greedy":
        expected = reference_churn.backups_greedily("z", topics_of, links, before, coverage)
    else:
        expected = reference_churn.backups_by_primal_dual("z", topics_of, links, before, coverage, shuffled)
    with patch.object(ShadowSet, "finish"):  # Step III might build them again
        maintainer.join("z", topics)
    assert maintainer.backups_of("z") == set(expected)


def test_random_below_is_fair():
    """Each of seven numbers about equally often (χ² with 6 degrees of freedom below its 99.9 % point)."""
    state = np.array([12345], dtype=np.uint64)
    counts = np.bincount([random_below(state, 7) for _ in range(7000)], minlength=7)
    assert len(counts) == 7
    assert ((counts - 1000) ** 2 / 1000).sum() < 22.46


def test_greedy_and_primal_dual_differ_on_purpose(four_brokers):
    """With coverage 1, greedy takes the one node with both topics; primal-dual may need two."""
    greedy = Shadow(four_brokers, backups="greedy", coverage=1)
    assert greedy.backups_of("n000") == {"n001"}
    assert tw.verify(greedy.interest, greedy.overlay).topic_connected
