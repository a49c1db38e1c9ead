"""What a link would bring, against the definitions."""

import networkx as nx
import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tests.kernels.requirements.cases import NODES, PAIRS, interests, link_sets, network_of, numbered
from tests.reference_requirements import common, contribution, distances, members
from topicweave.kernels.requirements.potential import (
    BLOCKS,
    END_BONUS,
    HOPS,
    MERGING,
    choose_centre,
    collect_gains,
    gain_of_pair,
)
from topicweave.kernels.requirements.rows import refresh_topics, rows_for
from topicweave.kernels.requirements.topic_graph import graph_for


def gains_of(network, kind):
    """The gain of every pair, from both of its rows and from the pair alone, which must agree."""
    refresh_topics(kind, network.members, network.links, network.potential, graph_for(8, 8, 64))
    found = np.zeros((8, 8), dtype=np.int64)
    for u in range(8):
        work = rows_for(8, 8, 0)
        count = collect_gains(kind, network.members, network.links, network.potential, work, u)
        assert set(work.touched[:count].tolist()) == set(np.flatnonzero(work.gain).tolist())
        found[u] = work.gain
    assert np.array_equal(found, found.T)
    for u, v in np.argwhere(~np.eye(8, dtype=bool)).tolist():
        alone = gain_of_pair(kind, network.members, network.links, network.potential, work, u, v)
        assert alone == found[u, v] and (work.height == -1).all()
    return {(u, v): int(found[tuple(numbered([(u, v)])[0])]) for u, v in PAIRS}


@given(interests, link_sets)
def test_merging_gains_are_contributions(topics_of, links):
    """In how many topics the ends are in different components."""
    made = [set(link) for link in links]
    expected = {(u, v): contribution(topics_of, made, u, v) for u, v in PAIRS}
    assert gains_of(network_of(topics_of, links), MERGING) == expected


def block_gain(topics_of, links, topic, u, v):
    """How many blocks fewer a topic has after a link, and a bonus for each end in an end block; 0 if the link joins
    nothing, or components.
    """
    plain = nx.Graph([link for link in links if set(link) <= members(topics_of, topic)])
    if not {u, v} <= set(plain) or not nx.has_path(plain, u, v):
        return 0
    before, cuts = list(nx.biconnected_components(plain)), set(nx.articulation_points(plain))
    ends = set().union(*(block - cuts for block in before if len(block & cuts) == 1))
    plain.add_edge(u, v)
    merged = len(before) - len(list(nx.biconnected_components(plain)))
    return merged + END_BONUS * len({u, v} & ends) if merged else 0


@given(interests, link_sets)
def test_block_gains_are_the_blocks_merged(topics_of, links):
    """In every topic of more than two subscribers; two have to be linked."""
    expected = {}
    for u, v in PAIRS:
        total = 0
        for topic in common(topics_of, u, v):
            if len(members(topics_of, topic)) == 2:
                total += (u, v) not in links
            else:
                total += block_gain(topics_of, links, topic, u, v)
        expected[u, v] = total
    assert gains_of(network_of(topics_of, links, connectivity=2), BLOCKS) == expected


@given(interests, link_sets, st.sampled_from([2, 4, 6]))
def test_hop_gains_are_the_members_that_come_near(topics_of, links, limit):
    """Members farther from the centre than half the limit, that reach it through the new link in time."""
    network = network_of(topics_of, links, max_hops=limit)
    network.choose_centres()
    gains = gains_of(network, HOPS)
    made, radius = [set(link) for link in links], limit // 2
    for u, v in PAIRS:
        total = 0
        for topic in common(topics_of, u, v):
            t = network.interest.topics.index(topic)
            if not network.potential.is_unmet[t]:
                continue
            nodes = members(topics_of, topic)
            centre = sorted(nodes)[network.potential.centre[t]]
            depth = distances(nodes, made, centre)
            for near, far in ((u, v), (v, u)):
                if depth.get(near, 99) + 1 < depth.get(far, 99):
                    within = distances(nodes, made, far)
                    total += sum(
                        depth.get(w, 99) > radius and depth[near] + 1 + hops <= radius for w, hops in within.items()
                    )
        assert gains[u, v] == total


@given(interests, link_sets)
def test_the_centre_has_most_members_within_reach(topics_of, links):
    """Among equals, the shortest distances in total."""
    network = network_of(topics_of, links, max_hops=4)
    made = [set(link) for link in links]
    for t, topic in enumerate(network.interest.topics):
        choose_centre(network.members, network.links, network.potential, graph_for(8, 8, 64), t)
        nodes = members(topics_of, topic)

        def merit(c, nodes=nodes):
            hops = distances(nodes, made, c)
            return sum(h <= 2 for h in hops.values()), -sum(hops.get(v, len(nodes)) for v in nodes)

        assert merit(sorted(nodes)[network.potential.centre[t]]) == max(map(merit, nodes))


def test_nodes_are_numbered_in_the_order_of_their_labels():
    """The tests above rely on it."""
    assert network_of({node: {"t"} for node in NODES}).interest.nodes == tuple(NODES)
