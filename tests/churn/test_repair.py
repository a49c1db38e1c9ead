"""Every repair is what SHADOW's listings allow, as settled, by the greedy twin; the search is bounded."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests import reference, reference_churn
from tests.churn.traces import trace
from tests.instances import interests
from topicweave.churn import Naive, Shadow

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


def replay(topics_of, added, start, candidates, topics):
    """Assert that the links added are what low(3) may take, in this order."""
    plain, (added, start, candidates) = numbered(topics_of, added, start, candidates)
    reference.replay(plain, added, "low", start=start, pairs=candidates, topics=topics, k=3.0)


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=60)
@given(interest=interests(), topics=TOPICS)
def test_join(kind, interest, topics):
    """A join links the newcomer to candidates that the paper names, and to no other node."""
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
    """A leave is repaired with links among the candidates that the paper names."""
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


def test_visited_links_do_not_grow_with_the_overlay():
    """A leave looks at few links, however many there are: four times the nodes, far less than four times the links."""
    small, few = trace(200, 100)
    large, many = trace(800, 100)
    left = few.visited_links[few.where("leave")].mean(), many.visited_links[many.where("leave")].mean()
    assert large.num_edges > 3 * small.num_edges
    assert 0 < left[1] < 2.5 * left[0]
