"""Each proof that no overlay exists, on the smallest case; the error names the nodes, topics or pairs that prove it."""

import pytest

import topicweave as tw
from topicweave import Interest, Requirements
from topicweave.errors import ImpossibleError, InputError

FOUR = Interest.from_sets({node: ["t"] for node in "abcd"})
PATH = [("a", "b"), ("b", "c"), ("c", "d")]

PROOFS = {
    "required and forbidden": (
        {"required": [("a", "b")], "forbidden": [("a", "b")]}, {"pairs": (("a", "b"),)}, "'a' - 'b' is required, but"
    ),
    "too many required": (
        {"required": [("a", "b"), ("a", "c")], "max_degree": {"a": 1}},
        {"nodes": ("a",), "pairs": (("a", "b"), ("a", "c"))}, "2 required links",
    ),
    "a node without links": ({"max_degree": {"b": 0}}, {"nodes": ("b",), "topics": ("t",)}, "needs at least 1 there"),
    "too few neighbours": (
        {"max_degree": {"b": 1}, "connectivity": 2}, {"nodes": ("b",)}, "topic 't' needs at least 2"
    ),
    "too few links for a tree": ({"max_degree": 1}, {"topics": ("t",)}, "may have 4 links together, but need 6"),
    "not connected": (
        {"forbidden": [("a", "b"), ("a", "c"), ("a", "d")]}, {"topics": ("t",), "pairs": (("a", "b"),)}, "no path"
    ),
    "too long": ({"allowed": PATH, "max_hops": 2}, {"topics": ("t",), "pairs": (("a", "d"),)}, "more than 2 hops"),
    "cut by one": ({"allowed": PATH, "connectivity": 2}, {"nodes": ("b",)}, "failure of 'b'"),
    "cut by two": ({"allowed": [*PATH, ("a", "d")], "connectivity": 3}, {"nodes": ("a", "c")}, "'a' and 'c'"),
}  # fmt: skip


@pytest.mark.parametrize("name", PROOFS)
def test_a_proof(name):
    """Raised by design, with the labels as fields."""
    requirements, fields, sentence = PROOFS[name]
    with pytest.raises(ImpossibleError, match=sentence) as caught:
        tw.design(FOUR, "gm", requirements=Requirements(**requirements))
    assert {field: caught.value.fields[field] for field in fields} == fields


def test_nobody_reaches_all_others():
    """Moore's bound: with two links each, a node has at most four others within two hops."""
    six = Interest.from_sets({node: ["t"] for node in "abcdef"})
    with pytest.raises(ImpossibleError, match="more than 4 others within 2 hops"):
        tw.design(six, "gm", requirements=Requirements(max_degree=2, max_hops=2))


def test_a_small_topic_needs_every_link():
    """With connectivity 3, three subscribers have to be linked to each other."""
    three = Interest.from_sets({node: ["t"] for node in "abc"})
    with pytest.raises(ImpossibleError) as caught:
        tw.design(three, "gm", requirements=Requirements(connectivity=3, forbidden=[("a", "c")]))
    assert caught.value.fields["nodes"] == ("a", "c")


def test_unknown_costs_are_bad_input():
    """The link can be made unless it is forbidden."""
    cost = {("a", "b"): 1, ("b", "c"): 1, ("c", "d"): 1}
    with pytest.raises(InputError, match="cost of the link 'a' - 'c' is unknown"):
        tw.design(FOUR, "gm", requirements=Requirements(link_cost=cost))
    made = tw.design(FOUR, "gm", requirements=Requirements(link_cost=cost, allowed=PATH))
    assert sorted(made.overlay.pairs()) == PATH
