"""Topic-connected components of a bucket, against networkx."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from topicweave.pipeline.workers.components import HashClash, Memberships

SUBSCRIPTIONS = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 4)), min_size=1, max_size=40)
LINKS = st.lists(st.tuples(st.integers(0, 11), st.integers(0, 11)), max_size=25)


def build(subscriptions, links, keep_links=False):
    """Memberships whose nodes are hashed to large numbers."""
    nodes = np.array([node for node, _ in subscriptions], dtype=np.int64)
    members = Memberships(
        nodes * 1_000_003, nodes.astype(np.int32), np.array([topic for _, topic in subscriptions]), 5, keep_links
    )
    ends = np.array(links, dtype=np.int64).reshape(-1, 2)
    for part in np.array_split(ends, 3):
        members.add(
            part[:, 0] * 1_000_003, part[:, 0].astype(np.int32), part[:, 1] * 1_000_003, part[:, 1].astype(np.int32)
        )
    return members


def plain_components(subscriptions, links):
    """For each topic, the components of the links among its subscribers."""
    overlay = nx.Graph(links)
    found = {}
    for topic in {topic for _, topic in subscriptions}:
        subscribers = {node for node, other in subscriptions if other == topic}
        part = nx.Graph()
        part.add_nodes_from(subscribers)
        part.add_edges_from(overlay.subgraph(subscribers).edges)
        found[topic] = nx.number_connected_components(part)
    return found


@given(SUBSCRIPTIONS, LINKS)
def test_components_are_those_of_networkx(subscriptions, links):
    """Repeated rows, self-links, links of strangers and links given twice change nothing."""
    members = build(subscriptions, links + links[:3])
    pieces = members.components()
    first = np.unique(pieces, return_index=True)[1]
    found = np.bincount(members.topics[first], minlength=5)
    assert {topic: found[topic] for topic in np.flatnonzero(found)} == plain_components(subscriptions, links)
    assert len(members) == len(set(subscriptions))


def test_small_blocks_give_the_same(few_rows):
    """Looking up few candidates at a time and thinning out the links in between joins the same."""
    rng = np.random.default_rng(3)
    subscriptions = list(zip(rng.integers(0, 10, 60).tolist(), rng.integers(0, 5, 60).tolist(), strict=True))
    links = rng.integers(0, 10, (30, 2)).tolist()
    members = build(subscriptions, links * 5)
    assert members.num_edges <= 2 * len(members) < build(subscriptions, links * 5, keep_links=True).num_edges
    expected = plain_components(subscriptions, [tuple(link) for link in links if link[0] != link[1]])
    first = np.unique(members.components(), return_index=True)[1]
    assert {t: c for t, c in enumerate(np.bincount(members.topics[first], minlength=5)) if c} == expected


def test_equal_hashes_are_noticed():
    """Two nodes with one hash differ in the second hash, among subscriptions and in links."""
    same = np.array([7, 7])
    with pytest.raises(HashClash):
        Memberships(same, np.array([1, 2], np.int32), np.array([0, 0]), 1)
    members = Memberships(np.array([7, 8]), np.array([1, 1], np.int32), np.array([0, 0]), 1)
    with pytest.raises(HashClash):
        members.add(np.array([7]), np.array([2], np.int32), np.array([8]), np.array([1], np.int32))
