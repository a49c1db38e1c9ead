"""Shortlists: what their partners are worth falls with the components, and their pairs come once, as rows."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from topicweave.algorithms.greedy.problem import membership, reduce
from topicweave.kernels.greedy.membership import connect
from topicweave.kernels.greedy.near import NOBODY
from topicweave.kernels.greedy.shortlists import Shortlists, lower_worth, lower_worth_on_threads, pairs_worth
from topicweave.workloads import synthetic

NODES, PARTNERS = 40, 5


def drawn_lists(seed, largest=9):
    """Partners at random, none of them the node itself, some places empty."""
    rng = np.random.default_rng(seed)
    partner = np.array([rng.permutation(np.delete(np.arange(NODES), u))[:PARTNERS] for u in range(NODES)], np.int32)
    worth = rng.integers(0, largest, (NODES, PARTNERS)).astype(np.int32)
    partner[worth == 0] = NOBODY
    return Shortlists(partner, worth, np.zeros((1, NODES), np.int32))


@given(seed=st.integers(0, 50), floor=st.integers(1, 9), num_more=st.integers(0, 4))
def test_pairs_of_enough_worth_come_once_as_rows(seed, floor, num_more):
    """Also where both ends have each other in mind: then the larger of the two numbers is the bound."""
    lists = drawn_lists(seed)
    rng = np.random.default_rng(seed)
    more = np.array([rng.choice(NODES, 2, replace=False) for _ in range(num_more)], np.int64).reshape(-1, 2)
    more_worth = rng.integers(1, 12, num_more)
    expected = {}
    offered = [(u, v, w) for u in range(NODES) for v, w in zip(lists.partner[u], lists.worth[u], strict=True)]
    offered = [each for each in offered if each[2] >= floor]
    for u, v, worth in [*offered, *zip(*more.T, more_worth, strict=True)]:
        pair = int(min(u, v)), int(max(u, v))
        expected[pair] = max(expected.get(pair, 0), int(worth))
    start, partners, bounds = pairs_worth(lists, more, more_worth, floor)
    rows = np.repeat(np.arange(NODES), np.diff(start))
    listed = list(zip(rows.tolist(), partners.tolist(), strict=True))
    assert listed == sorted(expected)
    assert dict(zip(listed, bounds.tolist(), strict=True)) == expected


@pytest.mark.parametrize("num_threads", [None, 1, 2])
def test_worth_is_lowered_to_what_a_link_merges_now(num_threads):
    """Counted again by sets of components; only where it may reach the floor, and only for the nodes asked for."""
    problem = reduce(synthetic(NODES, 30, subscriptions=(3, 12), seed=2), None)
    members = membership(problem)
    lists = drawn_lists(3, largest=40)
    rng = np.random.default_rng(4)
    for _ in range(60):
        connect(members, *rng.choice(NODES, 2, replace=False))
    before, floor, first, last = lists.worth.copy(), 6, 4, 33
    what = members, lists, floor, first, last, np.zeros(1, np.int64)
    lower_worth(*what) if num_threads is None else lower_worth_on_threads(*what, num_threads)
    component = [
        {int(members.topics[s]): int(members.label[s]) for s in range(members.indptr[v], members.indptr[v + 1])}
        for v in range(NODES)
    ]
    for u in range(NODES):
        for k, v in enumerate(lists.partner[u].tolist()):
            if first <= u < last and before[u, k] >= floor:
                common = component[u].keys() & component[v].keys()
                assert lists.worth[u, k] == sum(component[u][t] != component[v][t] for t in common)
            else:
                assert lists.worth[u, k] == before[u, k]
