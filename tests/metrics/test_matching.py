"""Interest and overlay of the same nodes, in whichever order each of them numbers these."""

import networkx as nx
import numpy as np
import pytest

import topicweave as tw
from topicweave.errors import InputError, OverlayError
from topicweave.metrics.matching import adjacency, check_nouns, matched_edges, topic_selection

INTEREST = tw.Interest.from_pairs([(node, "t") for node in "abcd"])
LINKS = [("a", "d"), ("b", "c"), ("c", "d")]


@pytest.mark.parametrize("order", ["abcd", "dcba", "cadb"])
def test_links_are_those_between_the_same_labels(order):
    """However the overlay numbers its nodes, its links are returned in the numbers of the interest."""
    overlay = tw.Overlay.from_pairs(LINKS, list(order))
    named = {frozenset(INTEREST.nodes[v] for v in edge) for edge in matched_edges(INTEREST, overlay).tolist()}
    assert named == {frozenset(link) for link in LINKS}
    expected = nx.to_numpy_array(nx.Graph(LINKS), nodelist=list(INTEREST.nodes))
    assert np.array_equal(adjacency(INTEREST, overlay).toarray(), expected)


def test_other_nodes_and_swapped_nouns_are_refused_by_name():
    """The sentence names a node, or says what was expected."""
    with pytest.raises(OverlayError, match="unknown nodes: 1 of its nodes, such as 'e'"):
        matched_edges(INTEREST, tw.Overlay.from_pairs([("a", "e")], list("abcde")))
    with pytest.raises(OverlayError, match="lacks 2 nodes of the interest, such as 'c'"):
        matched_edges(INTEREST, tw.Overlay.from_pairs([("a", "b")]))
    with pytest.raises(OverlayError, match="are swapped"):
        check_nouns(tw.Overlay.from_pairs(LINKS), INTEREST)
    with pytest.raises(OverlayError, match=r"give its \.overlay"):
        check_nouns(INTEREST, tw.design(INTEREST, "gm"))


def test_topics_are_selected_in_the_order_asked():
    """All of them without a list; an unknown topic is refused."""
    interest = tw.Interest.from_pairs([("a", topic) for topic in "xyz"])
    assert topic_selection(interest, None).tolist() == [0, 1, 2]
    assert topic_selection(interest, ["z", "x"]).tolist() == [2, 0]
    with pytest.raises(InputError, match="'w'"):
        topic_selection(interest, ["w"])
