"""What to do when one broker fails."""

import topicweave as tw


def test_a_ring_survives_each_failure_and_a_chain_is_cut():
    interest = tw.Interest.from_pairs([(node, "x") for node in "abcd"])
    ring = tw.Overlay.from_pairs([("a", "b"), ("b", "c"), ("c", "d"), ("a", "d")])
    found = tw.deploy.trees(interest, ring)
    by_node = {failure.node: failure for failure in tw.deploy.failures(found)}
    assert all(not failure.cut_topics for failure in by_node.values())
    assert by_node["a"].changes == (tw.deploy.TreeChange("x", ("c", "d"), "both", True),)
    chain = tw.deploy.trees(interest, tw.Overlay.from_pairs([("a", "b"), ("b", "c"), ("c", "d")]))
    assert [failure.cut_topics for failure in tw.deploy.failures(chain, ["b", "d"])] == [("x",), ()]
