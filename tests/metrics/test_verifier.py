"""The verifier, against hand-computed instances and a plain search."""

import numpy as np
import pytest
from hypothesis import given, settings

from tests.metrics.plain import cases, topic_pieces
from topicweave.errors import OverlayError
from topicweave.metrics import topic_components, verify
from topicweave.model import Interest, Overlay


def test_square_by_hand(square):
    """sport's two subscribers face each other across the ring: TCC(∅) = 7, TCC(E) = 1 + 2 + 1, TCC(K) = 3."""
    interest, overlay = square
    report = verify(interest, overlay)
    assert not report.topic_connected
    assert report.components == 4
    assert report.components_least == 3
    assert report.components_unlinked == 7
    assert report.support == 3 / 4
    assert report.disconnected_topics == ("sport",)
    assert topic_components(interest, overlay).tolist() == [0, 1, 2, 1]


def test_square_with_its_diagonal(square):
    """The link that was missing makes every topic whole."""
    interest, overlay = square
    report = verify(interest, Overlay.from_pairs([*overlay.pairs(), ("a", "c")], labels=interest.nodes))
    assert report.topic_connected
    assert (report.support, report.components, report.disconnected_topics) == (1.0, 3, ())


def test_no_links_no_support(path):
    """Seven, two, two and three pieces; no topic is connected."""
    interest, _ = path
    report = verify(interest, Overlay.empty(interest.nodes))
    assert report.components == report.components_unlinked == 13
    assert report.support == 0.0
    assert report.disconnected_topics == ("all", "ends", "far", "odd")


@pytest.mark.parametrize(
    "interest",
    [
        Interest.from_pairs([]),
        Interest.from_sets({"a": [], "b": []}),
        Interest.from_pairs([("a", "x"), ("b", "y")]),
        Interest.from_matrix([[0, 0]]),
    ],
    ids=["nothing", "no topics", "lonely topics", "no subscribers"],
)
def test_nothing_to_join_is_full_support(interest):
    """The denominator TCC(∅) − TCC(K) is 0."""
    report = verify(interest, Overlay.empty(interest.nodes))
    assert report.topic_connected
    assert report.support == 1.0


def test_links_among_nodes_without_topics():
    interest = Interest.from_sets({"a": [], "b": [], "c": ["x"]})
    report = verify(interest, Overlay.from_pairs([("a", "b"), ("b", "c")], labels=interest.nodes))
    assert (report.topic_connected, report.components) == (True, 1)


@given(case=cases())
@settings(deadline=None, max_examples=200)
def test_agrees_with_a_plain_search(case):
    interest, overlay = case
    pieces = topic_pieces(interest, overlay)
    report = verify(interest, overlay)
    least = sum(1 for topic in interest.topics if interest.subscribers_of(topic))
    span = interest.num_subscriptions - least
    assert topic_components(interest, overlay).tolist() == pieces
    assert report.components == sum(pieces)
    assert report.components_least == least
    assert report.topic_connected == all(count <= 1 for count in pieces)
    assert report.support == ((interest.num_subscriptions - sum(pieces)) / span if span else 1.0)
    split = tuple(topic for topic, count in zip(interest.topics, pieces, strict=True) if count > 1)
    assert report.disconnected_topics == split


@given(case=cases())
@settings(deadline=None)
def test_small_chunks_change_nothing(case):
    """One link per chunk and folding after every block edge: the same answer as all at once."""
    from topicweave.metrics import blocks

    interest, overlay = case
    at_once = blocks.topic_blocks(interest, overlay)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(blocks, "CHUNK_ENTRIES", 1)
        patch.setattr(blocks, "MOST_PENDING", 0)
        piecemeal = blocks.topic_blocks(interest, overlay)
    for one, other in zip(at_once, piecemeal, strict=True):
        np.testing.assert_array_equal(one, other)


def test_folding_in_the_middle(monkeypatch):
    """300 nodes all with one topic, all pairs linked: far more block edges than subscriptions, folded many times."""
    from topicweave.metrics import blocks

    monkeypatch.setattr(blocks, "CHUNK_ENTRIES", 1000)
    monkeypatch.setattr(blocks, "MOST_PENDING", 1000)
    folds = []
    folded = blocks._folded
    monkeypatch.setattr(blocks, "_folded", lambda *given: folds.append(1) or folded(*given))
    nodes = [f"n{number:03d}" for number in range(300)]
    interest = Interest.from_sets({node: ["x"] for node in nodes})
    overlay = Overlay(nodes, np.stack(np.triu_indices(300, 1), axis=1))
    found = blocks.topic_blocks(interest, overlay)
    assert len(folds) > 10
    assert (found.components.tolist(), found.edges.tolist()) == ([1], [300 * 299 // 2])


def test_unknown_nodes_are_named(square):
    """A link of a node without subscriptions is refused by name."""
    interest, _ = square
    stranger = Overlay.from_pairs([("a", "b"), ("c", "d"), ("d", "zoe")])
    with pytest.raises(OverlayError, match=r"edges given for unknown nodes: 1 of its nodes, such as 'zoe'"):
        verify(interest, stranger)


def test_missing_nodes_are_named(square):
    """An overlay without d would say nothing about d."""
    interest, _ = square
    with pytest.raises(OverlayError, match=r"lacks 1 nodes of the interest, such as 'd'"):
        verify(interest, Overlay.from_pairs([("a", "b"), ("b", "c")]))


def test_labels_in_another_order_are_the_same_nodes(square):
    interest, overlay = square
    turned = Overlay.from_pairs(overlay.pairs(), labels=["d", "b", "a", "c"])
    assert verify(interest, turned) == verify(interest, overlay)


def test_summary_for_people(square, path):
    """The verdict first, then figures, then the topics that are cut."""
    text = verify(*square).summary()
    assert text.splitlines() == [
        "NOT topic-connected",
        "  support       0.7500",
        "  components    4 (at least 3)",
        "  disconnected  1 topics",
        "    sport",
    ]
    interest = Interest.from_sets({node: [f"t{n}" for n in range(7)] for node in "ab"})
    assert verify(interest, Overlay.empty(interest.nodes)).summary().endswith("t0, t1, t2, t3, t4 and 2 more")
    joined = verify(interest, Overlay.from_pairs([("a", "b")])).summary()
    assert joined.startswith("topic-connected\n")


def test_swapped_arguments_are_told():
    """Both arguments are of the right kinds, but in the wrong order."""
    interest = Interest.from_pairs([("a", "x"), ("b", "x")])
    with pytest.raises(OverlayError, match="swapped; give the interest first"):
        verify(Overlay(["a", "b"], [[0, 1]]), interest)
