"""A repair makes the same links in one compiled call as by the loop of design, whichever table of pairs it uses."""

import numba
import numpy as np
import pytest

from topicweave import Interest, design, workloads
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
        np.empty(0, np.uint64),
        rows,
        degrees,
        1 << 30,
        np.empty(0, np.uint16),
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
