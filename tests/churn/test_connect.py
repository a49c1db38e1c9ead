"""A repair makes the same links in one compiled call as by the loop of design, whichever table of pairs it uses."""

import sys

import numba
import numpy as np
import pytest

from topicweave import Interest, Overlay, design, workloads
from topicweave.algorithms.greedy.loop import listed_pairs
from topicweave.algorithms.greedy.problem import reduce
from topicweave.churn import Naive, Shadow, connect
from topicweave.kernels.churn.small_problem import list_pairs


@pytest.mark.parametrize("ties", ["lasting", "balanced", "random", "lexicographic"])
@pytest.mark.parametrize("kind", [Naive, Shadow])
def test_few_and_many_pairs_give_the_same_links(kind, ties, monkeypatch):
    interest = workloads.synthetic(num_nodes=120, num_topics=40, popularity="zipf", subscriptions=(2, 15), seed=4)
    overlay = design(interest, "low", k=3).overlay
    topics = {node: sorted(interest.topics_of(node)) for node in interest.nodes[:15]}

    def links_after_churn():
        maintainer = kind(interest, overlay, ties=ties)
        for node in topics:
            maintainer.leave(node)
        for node, wanted in topics.items():
            maintainer.join(node, wanted)
        return maintainer.overlay.to_pandas()

    in_one_call = links_after_churn()
    one_call = connect.connect_few
    monkeypatch.setattr(connect, "connect_few", lambda *given: (one_call(*given)[0], False))
    listed = links_after_churn()
    monkeypatch.setattr(connect, "MOST_LISTED", 0)
    dense = links_after_churn()
    assert in_one_call.equals(listed)
    assert in_one_call.equals(dense)


def test_a_repair_leaves_its_input_as_it_is():
    pieces = np.array([[0, -1, 1, -1], [-1, -1, 0, 1]], dtype=np.int32)
    members, before = np.arange(4, dtype=np.int32), pieces.copy()
    rows, degrees = np.zeros((4, 1), np.uint64), np.zeros(4, np.int32)
    links, is_done = connect.connect_few(
        members,
        pieces,
        -1,
        512,
        False,
        connect.NOBODY,
        np.empty(0, np.uint64),
        rows,
        degrees,
        1 << 30,
        connect.BOUNDS,
        3.0,
        0,
        np.uint64(0),
    )
    assert is_done
    assert links.tolist() == [[0, 2], [2, 3]]
    assert (pieces == before).all()
    assert members.tolist() == [0, 1, 2, 3]


def test_one_kind_of_table_so_that_the_sweep_is_compiled_once():
    reduced = reduce(Interest.from_sets({node: ["x"] for node in "abc"}), None)
    of_a_repair = list_pairs(3, 3, np.empty(0, reduced.bound_type))
    of_a_design = listed_pairs(reduced, np.array([[0, 1], [0, 2], [1, 2]]))
    assert numba.typeof(of_a_repair) == numba.typeof(of_a_design)
    assert [array.shape for array in of_a_repair] == [array.shape for array in of_a_design]


@pytest.mark.parametrize("in_one_call", [True, False])
def test_the_number_of_topics_changes_no_type(in_one_call, monkeypatch):
    """Otherwise the first leave that breaks 32,768 topics would silently compile the kernels a second time."""
    kinds = []

    def repair_of(num_topics):
        topics = tuple(f"{number:05d}" for number in range(num_topics))
        interest = Interest.from_matrix(np.ones((3, num_topics)), nodes=("a", "b", "c"), topics=topics)
        maintainer = Shadow(interest, Overlay.from_pairs([("a", "b"), ("b", "c")], labels=interest.nodes))
        maintainer.leave("b")
        return maintainer.overlay.pairs()

    def noting(kernel, gives):
        def call(*given):
            kinds.append([numba.typeof(value) for value in given])
            return gives(kernel(*given))

        return call

    monkeypatch.setattr(
        connect, "connect_few", noting(connect.connect_few, lambda done: done if in_one_call else (done[0], False))
    )
    monkeypatch.setattr(connect, "small_problem", noting(connect.small_problem, lambda arrays: arrays))
    assert repair_of(2) == repair_of(33_000) == [("a", "c")]
    few, many = kinds[: len(kinds) // 2], kinds[len(kinds) // 2 :]
    assert len(few) == (1 if in_one_call else 2)
    assert few == many


def compiled():
    """What is compiled of every kernel that has been loaded."""
    kernels = [module for name, module in list(sys.modules.items()) if name.startswith("topicweave.kernels")]
    found = {id(each): each for module in kernels for each in vars(module).values() if hasattr(each, "signatures")}
    return {(each.__module__, each.__name__, signature) for each in found.values() for signature in each.signatures}


def leave_a_star(num_topics):
    """The centre leaves, so every topic breaks."""
    topics = [f"t{t:05}" for t in range(num_topics)]
    interest = Interest.from_sets({node: topics for node in "abcdef"})
    star = Overlay.from_pairs([("a", node) for node in "bcdef"])
    maintainer = Shadow(interest, star)
    assert len(maintainer.leave("a").added) == 4


@pytest.mark.compiled
def test_a_leave_compiles_the_same_kernels_whatever_the_number_of_topics():
    """From 32,768 topics on, bounds would fit into fewer types; a second one costs 18 s during some event."""
    leave_a_star(5)
    before = compiled()
    assert any(name == "connect_few" for _, name, _ in before)
    leave_a_star(33_000)
    assert compiled() == before
