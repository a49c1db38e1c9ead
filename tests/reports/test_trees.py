"""The statistics of trees as text."""

import topicweave as tw
from topicweave.reports.trees import WORDS, tree_rows


def test_every_figure_has_words_and_none_is_left_over():
    interest = tw.Interest.from_pairs([(node, "x") for node in "abc"])
    found = tw.deploy.trees(interest, tw.Overlay.from_pairs([("a", "b"), ("b", "c"), ("a", "c")]))
    assert set(WORDS) == set(found.figures())
    rows = dict(tree_rows(found.figures()))
    assert rows["links that no tree uses, which are not deployed"] == "1"
    assert rows["hops of a message, on average"] == "1.33"
    assert rows["made for"] == "depth"
    assert tree_rows({"meaning": "no trees here"}) == []
