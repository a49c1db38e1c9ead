"""Requirements: checked when made, equal by content, and translated to node numbers."""

import pickle
from dataclasses import replace
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from topicweave import Interest, Requirements
from topicweave.errors import InputError

NODES = "abcde"
INTEREST = Interest.from_pairs([(node, "t") for node in NODES])
EVERY_PAIR = np.array(list(combinations(range(5), 2)))


def permitted_pairs(requirements):
    """The permitted pairs, as texts of two labels."""
    resolved = requirements.resolve(INTEREST)
    return {NODES[u] + NODES[v] for u, v in EVERY_PAIR[resolved.permits(EVERY_PAIR)].tolist()}


def test_nothing_is_required_by_default():
    """No requirement is named, every pair is permitted and every node may be linked to all others."""
    resolved = Requirements().resolve(INTEREST)
    assert Requirements().names == ()
    assert resolved.permits_all and resolved.permits(EVERY_PAIR).all()
    assert resolved.caps.tolist() == [4] * 5 and resolved.max_hops == 0 and not resolved.has_costs
    assert resolved.weights(EVERY_PAIR).tolist() == [1.0] * 10


def test_equal_content_is_equal_and_hashes_alike():
    """The order and direction of pairs do not matter, and pickling keeps everything."""
    one = Requirements(forbidden=[("b", "a"), ("c", "d")], max_degree={"b": 1, "a": 2}, link_cost={("a", "b"): 1})
    other = Requirements(forbidden=[("d", "c"), ("a", "b")], max_degree={"a": 2, "b": 1}, link_cost={("b", "a"): 1.0})
    assert one == other and hash(one) == hash(other)
    assert pickle.loads(pickle.dumps(one)) == one
    assert replace(one) == one and replace(one, max_hops=3) != one
    assert len({one, other, Requirements()}) == 2


def test_it_cannot_be_changed():
    """Neither the object nor the mappings in it."""
    r = Requirements(max_degree={"a": 1}, regions={"a": "eu"})
    with pytest.raises(AttributeError):
        r.max_hops = 3
    for mapping in (r.max_degree, r.regions, pickle.loads(pickle.dumps(r)).max_degree):
        with pytest.raises(TypeError):
            mapping["a"] = 2


@pytest.mark.parametrize(
    "bad",
    [
        {"max_hops": 1}, {"max_hops": 2.5}, {"connectivity": 0}, {"connectivity": 4}, {"cost_weight": 1.5},
        {"max_degree": -1}, {"max_degree": {"a": -1}}, {"max_degree": "many"}, {"forbidden": "ab"},
        {"forbidden": ["ab"]}, {"forbidden": [("a", "a")]}, {"required": [("a",)]}, {"required": 3}, {"allowed": [1]},
        {"regions": ["eu"]}, {"regions": {"a": "b", "b": "eu"}}, {"link_cost": 3}, {"link_cost": [[0, 1]]},
        {"link_cost": [[0, -1], [-1, 0]]}, {"link_cost": [[0, 1], [2, 0]]}, {"link_cost": {}}, {"link_cost": "rtt"},
        {"link_cost": [[0, np.inf], [np.inf, 0]]}, {"link_cost": [[0, np.nan], [np.nan, 0]]},
        {"link_cost": {"a": (1, 2), "b": (3,)}}, {"link_cost": {("a", "b"): "far"}}, {"link_cost": {("a", "b"): None}},
        {"link_cost": pd.DataFrame([[0, 1], [1, 0]], index=["a", "b"], columns=["b", "a"])},
    ],
    ids=str,
)  # fmt: skip
def test_what_cannot_be_required_is_refused(bad):
    """With an error of ours, when the object is made."""
    with pytest.raises(InputError):
        Requirements(**bad)


@pytest.mark.parametrize(
    "unknown",
    [{"forbidden": [("a", "x")]}, {"required": [("a", "x")]}, {"allowed": [("x", "y")]}, {"max_degree": {"x": 1}}],
    ids=str,
)
def test_unknown_names_are_refused_unless_they_may_be_ignored(unknown):
    """A misspelt node would otherwise go unnoticed; after churn, the node may be gone."""
    r = Requirements(**unknown)
    with pytest.raises(InputError, match="'x'"):
        r.resolve(INTEREST)
    resolved = r.resolve(INTEREST, ignore_unknown=True)
    assert len(resolved.required) == 0 and resolved.caps.tolist() == [4] * 5


def test_forbidden_has_the_last_word():
    """A pair that is allowed and forbidden is not permitted, nor is one that is not listed as allowed."""
    assert permitted_pairs(Requirements(allowed=[("a", "b"), ("b", "c")], forbidden=[("c", "b")])) == {"ab"}


def test_regions_stand_for_their_nodes():
    """In pairs of regions, of a region with itself, and of a node with a region."""
    regions = {"a": "eu", "b": "eu", "c": "us", "d": "us"}
    assert permitted_pairs(Requirements(regions=regions, allowed=[("eu", "us")])) == {"ac", "ad", "bc", "bd"}
    assert permitted_pairs(Requirements(regions=regions, allowed=[("eu", "eu"), ("e", "us")])) == {"ab", "ce", "de"}
    closed = Requirements(regions=regions, allowed=[("a", "c"), ("a", "b")], forbidden=[("us", "eu")])
    assert permitted_pairs(closed) == {"ab"}


names = st.sampled_from([*NODES, "eu", "us"])
some_pairs = st.sets(st.tuples(names, names).filter(lambda pair: pair[0] != pair[1] or pair[0] in ("eu", "us")))


@given(st.none() | some_pairs, some_pairs, st.dictionaries(st.sampled_from(NODES), st.sampled_from(["eu", "us"])))
def test_permitted_pairs_are_those_of_the_definition(allowed, forbidden, regions):
    """Against plain sets: a name stands for itself or for the nodes of its region."""
    regions = {**regions, "a": "eu", "b": "us"}
    r = Requirements(allowed=allowed, forbidden=forbidden, regions=regions)

    def pairs_of(given):
        members = {name: {node for node in NODES if name in (node, regions.get(node))} for name in [*NODES, "eu", "us"]}
        return {min(u, v) + max(u, v) for one, other in given for u in members[one] for v in members[other] if u != v}

    every = {NODES[u] + NODES[v] for u, v in EVERY_PAIR.tolist()}
    expected = (every if allowed is None else pairs_of(allowed)) - pairs_of(forbidden)
    assert permitted_pairs(r) == expected


FORMS = {
    "matrix": [[abs(u - v) for v in range(5)] for u in range(5)],
    "frame": pd.DataFrame([[abs(u - v) for v in range(5)] for u in range(5)], index=list(NODES), columns=list(NODES)),
    "pairs": {(NODES[u], NODES[v]): v - u for u, v in EVERY_PAIR.tolist()},
    "coordinates": {node: (position, 7.0) for position, node in enumerate(NODES)},
}


@pytest.mark.parametrize("form", FORMS)
def test_costs_are_the_same_in_every_form(form):
    """Costs, their mean over the permitted pairs, and the weights made of them."""
    resolved = Requirements(link_cost=FORMS[form], cost_weight=0.25, forbidden=[("a", "e")]).resolve(INTEREST)
    assert resolved.costs(EVERY_PAIR).tolist() == [v - u for u, v in EVERY_PAIR.tolist()]
    mean = np.mean([v - u for u, v in EVERY_PAIR.tolist() if (u, v) != (0, 4)])
    assert resolved.mean_cost == pytest.approx(mean)
    assert resolved.weights(EVERY_PAIR)[3] == pytest.approx(0.75 + 0.25 * 4 / mean)


def test_costs_between_regions():
    """A node without a row of its own has that of its region; inside a region the cost is 0 unless stated."""
    r = Requirements(
        link_cost={("eu", "us"): 80, ("us", "us"): 5}, regions=dict.fromkeys("ab", "eu") | dict.fromkeys("cde", "us")
    )
    assert r.resolve(INTEREST).costs(np.array([[0, 1], [0, 2], [3, 4]])).tolist() == [0, 80, 5]
    with pytest.raises(InputError, match="no cost for node 'e'"):
        Requirements(link_cost={("eu", "us"): 80}, regions=dict.fromkeys("abcd", "eu")).resolve(INTEREST)
    with pytest.raises(InputError, match="2 rows"):
        Requirements(link_cost=[[0, 1], [1, 0]]).resolve(INTEREST)


def test_names_of_regions_and_nodes_must_differ():
    """Otherwise a pair would be ambiguous; an interest may bring such a node later."""
    with pytest.raises(InputError, match="'e' is the name of a node and of a region"):
        Requirements(regions={"a": "e"}).resolve(INTEREST)


def test_caps_are_per_node_or_for_all():
    """Nodes that the mapping does not list may be linked to all others."""
    assert Requirements(max_degree=2).resolve(INTEREST).caps.tolist() == [2] * 5
    assert Requirements(max_degree={"b": 1}).resolve(INTEREST).caps.tolist() == [4, 1, 4, 4, 4]
