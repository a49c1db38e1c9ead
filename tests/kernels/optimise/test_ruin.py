"""Ruin and recreate: parts against plain components, moves that keep everything connected, caps and changes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import topicweave as tw
from tests.instances import nonempty_interests
from tests.reference import subscribers, topics_by_number
from tests.reference_optimise import classes, is_connected
from topicweave.kernels.optimise.network import is_linked, list_links, num_common, unlink
from topicweave.kernels.optimise.parts import MERGES, PARTS, TOUCHED, find_parts, part_of
from topicweave.kernels.optimise.ruin import merges_of
from topicweave.optimise.link_search import LinkSearch

ANY = np.full(64, 60, dtype=np.int64)


def search_of(interest, links, cap=60, **given):
    return LinkSearch(interest, links, np.full(interest.num_nodes, cap, dtype=np.int64), **given)


@given(nonempty_interests(max_nodes=9), st.integers(0, 10), st.integers(1, 6))
@settings(deadline=None)
def test_parts_are_the_components_of_what_is_left(interest, seed, num_lost):
    """Same classes as plain search finds; the number of merges is that of the components beyond the first. A topic is
    searched unless all its lost links are replaced by paths of two or three links, and then it is still connected.
    """
    links = tw.design(interest, "ring").overlay.edges
    state = search_of(interest, links)
    net, parts = state._net, state._parts
    draw = np.random.default_rng(seed)
    lost = links[draw.permutation(len(links))[:num_lost]].astype(np.int64)
    for u, v in lost:
        unlink(net, u, v)
    find_parts(net, lost, len(lost), parts)
    topics_of = topics_by_number(interest)
    left = [tuple(link) for link in list_links(net).tolist()]
    touched = set(parts.touched[: parts.num[TOUCHED]].tolist())
    near = {v: {u for link in left for u in link if v in link} - {v} for v in topics_of}
    assert touched == {
        t
        for u, v in lost.tolist()
        for t in topics_of[u] & topics_of[v]
        if not any(t in topics_of[x] & topics_of[y] and (x == y or y in near[x]) for x in near[u] for y in near[v])
    }
    assert all(
        len(classes(subscribers(topics_of, t), left)) == 1
        for u, v in lost.tolist()
        for t in (topics_of[u] & topics_of[v]) - touched
    )
    expected = {t: classes(subscribers(topics_of, t), left) for t in touched}
    assert parts.num[MERGES] == sum(len(each) - 1 for each in expected.values())
    assert parts.num[PARTS] == parts.num[TOUCHED] + parts.num[MERGES]
    for place in range(parts.num[TOUCHED]):
        found: dict[int, set[int]] = {}
        for v in subscribers(topics_of, int(parts.touched[place])):
            found.setdefault(int(part_of(parts, place, v)), set()).add(v)
        assert sorted(map(sorted, found.values())) == sorted(map(sorted, expected[int(parts.touched[place])]))
    for u in range(interest.num_nodes):
        for v in range(u):
            joined = sum(all(not {u, v} <= each for each in expected[t]) for t in touched & topics_of[u] & topics_of[v])
            assert merges_of(net, parts, u, v) == joined
            assert num_common(net, u, v) == len(topics_of[u] & topics_of[v])
            assert is_linked(net, u, v) == ((v, u) in left)


@given(nonempty_interests(max_nodes=9), st.integers(0, 5))
@settings(deadline=None)
def test_moves_keep_the_overlay_connected_and_within_the_cap(interest, seed):
    links = tw.design(interest, "ring").overlay.edges
    most = int(np.bincount(links.ravel(), minlength=1).max(initial=1)) if len(links) else 1
    state = search_of(interest, links, cap=most, seed=seed)
    state.run(50)
    after = state.links()
    assert is_connected(topics_by_number(interest), [tuple(link) for link in after.tolist()])
    assert len(after) == state.num_edges <= len(links)
    assert np.bincount(after.ravel(), minlength=1).max(initial=0) <= most
    assert (after[:, 0] < after[:, 1]).all() and len(np.unique(after, axis=0)) == len(after)


def test_trimming_leaves_no_needless_link():
    interest = tw.workloads.synthetic(num_nodes=20, num_topics=8, subscriptions=3, seed=3)
    state = search_of(interest, tw.design(interest, "ring").overlay.edges)
    state.trim()
    links = [tuple(link) for link in state.links().tolist()]
    topics_of = topics_by_number(interest)
    assert is_connected(topics_of, links)
    assert not any(is_connected(topics_of, [other for other in links if other != link]) for link in links)


@pytest.mark.parametrize("cap", [2, 3, 6])
def test_repair_moves_links_away_from_busy_nodes(cap):
    """A star of one topic becomes a tree within the cap."""
    interest = tw.Interest.from_pairs([(f"n{i:02}", "news") for i in range(12)])
    state = search_of(interest, tw.design(interest, "star").overlay.edges, cap=cap)
    assert state.repair_degrees(200)
    after = tw.Overlay(interest.nodes, state.links())
    assert after.maximum_degree <= cap and tw.verify(interest, after).topic_connected


def test_changes_are_counted():
    """Links added and removed are those by which the result differs, never more than allowed."""
    interest = tw.workloads.synthetic(num_nodes=30, num_topics=20, subscriptions=5, seed=3)
    links = tw.design(interest, "gm").overlay.edges
    state = search_of(interest, links, kept=links, most_changes=6)
    state.run(3000)
    differing = set(map(tuple, links.tolist())) ^ set(map(tuple, state.links().tolist()))
    assert len(differing) == state.num_changes <= 6
