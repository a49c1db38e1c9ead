"""Backups are those of SHADOW's listings, by their twins."""

from __future__ import annotations

from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import topicweave as tw
from tests import reference_churn
from tests.instances import interests
from topicweave.churn import Shadow
from topicweave.churn.shadow import ShadowSet
from topicweave.errors import InputError
from topicweave.kernels.churn.backups import random_below


def edges(maintainer):
    return set(maintainer.overlay.pairs())


def backups(maintainer):
    return (
        {node: maintainer.backups_of(node) for node in maintainer.interest.nodes} if maintainer.name == "shadow" else {}
    )


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


@pytest.mark.parametrize("ask", [Shadow.backups_of, Shadow.primaries_of])
def test_backups_of_nobody(four_brokers, ask):
    """A node that is not there is refused by name, with how many are known."""
    with pytest.raises(InputError, match="There is no node 'nobody' among the 4 known"):
        ask(Shadow(four_brokers), "nobody")
