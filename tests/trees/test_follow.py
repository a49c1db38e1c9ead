"""Trees that follow events, against counting pieces with networkx."""

import random

import networkx as nx
import pytest

import topicweave as tw
from topicweave.errors import InputError
from topicweave.trees import check_trees, trees
from topicweave.trees.follow import FollowedTrees


class Sets:
    """The overlay after an event, in plain sets."""

    def __init__(self, wanted, links):
        self.wanted, self.links = wanted, links

    def members(self, topic):
        return {node for node, topics in self.wanted.items() if topic in topics}

    def silent(self, topic):
        """Nobody only publishes here; publishers are tried in tests/churn/test_trees.py."""
        return set()

    def neighbours_of(self, node):
        return {other for link in self.links if node in link for other in link} - {node}

    def model(self):
        """As the package's own nouns."""
        interest = tw.Interest.from_sets(self.wanted)
        return interest, tw.Overlay.from_pairs(sorted(self.links), interest.nodes)


def links_by_topic(found):
    """The links of each tree, smaller label first."""
    return {topic: {tuple(sorted(pair)) for pair in found.edges(topic)} for topic in found.interest.topics}


@pytest.mark.parametrize("seed", range(6))
def test_what_is_left_of_a_tree_stays_and_the_fewest_links_join_its_pieces(seed):
    """A link or node is removed, or a node gets a topic: exactly the links needed to join the pieces are added."""
    rng = random.Random(seed)
    nodes = [f"n{v}" for v in range(9)]
    wanted = {node: set(rng.sample("uvwxyz", 3)) for node in nodes}
    network = Sets(wanted, {(a, b) for a in nodes for b in nodes if a < b and wanted[a] & wanted[b]})
    followed = FollowedTrees(trees(*network.model()))
    for _ in range(15):
        before = links_by_topic(followed.trees(*network.model()))
        removed, changed = set(), set()
        if rng.random() < 0.5 and (used := sorted(set().union(*before.values()))):
            removed = {rng.choice(used)}
            left = network.links - removed
            whole = all(
                not (m := network.members(t)) or nx.is_connected(graph_of(m, [k for k in left if m.issuperset(k)]))
                for t in before
            )
            removed = removed if whole else set()
            network.links -= removed
        else:
            node, topic = rng.choice(nodes), rng.choice(sorted(before))
            if wanted[node] != {topic} and len(network.members(topic)) > 2:
                wanted[node] ^= {topic}
                changed = {topic}
                network.links |= {(a, b) for a in nodes for b in nodes if a < b and wanted[a] & wanted[b]}
        told = followed.follow(removed, changed, network)
        interest, overlay = network.model()
        found = followed.trees(interest, overlay)
        assert check_trees(interest, overlay, {topic: found.edges(topic) for topic in interest.topics}) == []
        after = links_by_topic(found)
        for topic in before.keys() | after.keys():
            members = network.members(topic)
            kept = {k for k in before.get(topic, ()) if k not in removed and members.issuperset(k)}
            assert kept <= after.get(topic, set())
            pieces = nx.number_connected_components(graph_of(members, kept)) if members else 1
            assert len(after.get(topic, set()) - kept) == pieces - 1
        assert {(c.topic, c.link) for c in told if c.is_added} == {
            (topic, link) for topic in after for link in after[topic] - before.get(topic, set())
        }


def graph_of(nodes, links):
    """Nodes and links as networkx has them."""
    graph = nx.Graph()
    graph.add_nodes_from(nodes)
    graph.add_edges_from(links)
    return graph


def test_a_topic_that_the_overlay_does_not_connect_is_named():
    """And filters, whose trees are shared, are not followed."""
    network = Sets({"a": {"x"}, "b": {"x"}}, {("a", "b")})
    followed = FollowedTrees(trees(*network.model()))
    network.links.clear()
    with pytest.raises(InputError, match="does not connect topic 'x'"):
        followed.follow({("a", "b")}, (), network)
    wild = Sets({"a": {"x/#"}, "b": {"x/#"}}, {("a", "b")})
    with pytest.raises(InputError, match="'x/#' is a filter"):
        FollowedTrees(trees(*wild.model()))
