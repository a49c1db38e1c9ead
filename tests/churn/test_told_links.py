"""Links that change no further file when a node leaves, against networkx and plain sets."""

import random

import networkx as nx
import numpy as np
import pytest

import topicweave as tw
from topicweave.churn.link_changes import star
from topicweave.churn.told_links import ToldLinks


def taken_out(interest, overlay, leaver):
    """A node taken out before any repair: (maintainer, trees before, removed links, slots of the nodes that stay)."""
    maintainer = tw.churn.Shadow(interest, overlay, seed=0)
    maintainer.follow_trees()
    before, state = maintainer.trees, maintainer.state
    slot = state.nodes.number[leaver]
    removed = [tuple(sorted((leaver, other))) for other in state.neighbours_of(leaver)]
    state.unsubscribe(slot, state.topics_of(slot))
    state.unlink(star(slot, state.content("neighbours", slot)))
    stay = [state.nodes.number[name] for name in interest.nodes if name != leaver]
    return maintainer, before, removed, stay


def chosen_links(maintainer, removed, leaver, stay, cap=1000):
    found = ToldLinks(maintainer.state, maintainer.followed_trees, removed, {leaver}, cap)
    return list(maintainer.state.label_pairs(found.choose(np.array(stay, dtype=np.int32)).tolist()))


@pytest.mark.parametrize("seed", range(25))
def test_only_files_that_change_anyway_name_new_links_and_every_such_link_that_helps_is_made(seed):
    """Each link joins pieces of some tree when it is made, no node exceeds the maximum degree, and none is left out."""
    rng = random.Random(seed)
    nodes = [f"n{v}" for v in range(12)]
    interest = tw.Interest.from_sets({node: set(rng.sample("uvwxyz", 3)) for node in nodes})
    overlay = tw.design(interest, rng.choice(["gm", "low"]), seed=seed).overlay
    leaver = rng.choice(nodes)
    maintainer, before, removed, stay = taken_out(interest, overlay, leaver)
    links = {link for link in overlay.pairs() if leaver not in link}
    trees = {topic: {tuple(sorted(pair)) for pair in before.edges(topic)} for topic in interest.topics}
    told = {max(link) for found in trees.values() for link in found if leaver in link} - {leaver}
    graphs = {}
    for topic, found in trees.items():
        if any(leaver in link for link in found):
            graphs[topic] = graph = nx.Graph()
            members = interest.subscribers_of(topic) - {leaver}
            graph.add_nodes_from(members)
            graph.add_edges_from(link for link in found if leaver not in link)
            graph.add_edges_from(link for link in links if members.issuperset(link) and max(link) in told)
    degree = nx.Graph(list(links)).degree
    most = max((number for _, number in degree), default=0)
    made = nx.Graph(list(links))
    made.add_nodes_from(nodes)
    for link in chosen_links(maintainer, removed, leaver, stay):
        assert max(link) in told
        assert not made.has_edge(*link)
        assert joined(graphs, link)
        made.add_edge(*link)
        for topic in joined(graphs, link):
            graphs[topic].add_edge(*link)
    assert max(number for _, number in made.degree) <= most
    for teller in told:
        for other in nodes:
            if other < teller and other != leaver and max(made.degree[teller], made.degree[other]) < most:
                assert made.has_edge(other, teller) or not joined(graphs, (other, teller))


def joined(graphs, link):
    """The topics of which both ends are members, and which the link would bring together."""
    return [topic for topic, graph in graphs.items() if graph.has_node(link[0]) and graph.has_node(link[1])
            and not nx.has_path(graph, *link)]  # fmt: skip


def test_members_that_only_publish_are_left_to_the_usual_repair():
    """d, whose file changes anyway, only publishes: links to it would make it relay between a and b."""
    elsewhere = [(node, "y") for node in "efg"]  # f has two links, so d may have two
    links = [("a", "c"), ("b", "c"), ("c", "d"), ("e", "f"), ("f", "g")]
    for role, expected in (("publishers", []), ("subscribers", [("a", "d"), ("b", "d")])):
        subscribed = [(node, "x") for node in ("abc" if role == "publishers" else "abcd")] + elsewhere
        interest = tw.Interest.from_pairs(subscribed, publishers=[("d", "x")])
        overlay = tw.Overlay.from_pairs(links, interest.nodes)
        maintainer, _, removed, stay = taken_out(interest, overlay, "c")
        assert sorted(chosen_links(maintainer, removed, "c", stay)) == expected
