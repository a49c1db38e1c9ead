"""RandomA and RandomM: what must hold whatever is drawn; and the kernel for components, on which they and all traces
rely.
"""

from __future__ import annotations

from collections import Counter
from itertools import combinations, permutations
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests import instances, reference
from topicweave.algorithms import random_links as random_pairs
from topicweave.algorithms.random_links import random_avg, random_max
from topicweave.kernels.components import edge_contributions
from topicweave.metrics import verify
from topicweave.model import Overlay

if TYPE_CHECKING:
    from topicweave.model import Interest


@pytest.fixture(params=["listed", "drawn"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Both ways of drawing are tested, because small interests would always be listed."""
    if request.param == "drawn":
        monkeypatch.setattr(random_pairs, "LISTED_PAIRS", 0)
    return request.param


@pytest.mark.parametrize("listed_pairs", [0, 1 << 20])
@given(interest=instances.interests(), m=st.integers(0, 40), d=st.integers(0, 9), seed=st.integers(0, 99))
@example(interest=instances.interest_of({}), m=1, d=1, seed=0)
@example(interest=instances.loners(), m=9, d=9, seed=0)
def test_budgets_and_endings(listed_pairs: int, interest: Interest, m: int, d: int, seed: int) -> None:
    """Distinct pairs, within the budget, ending exactly when it is used up or the overlay is topic-connected."""
    topics_of = reference.topics_by_number(interest)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(random_pairs, "LISTED_PAIRS", listed_pairs)
        by_number, by_degree = random_avg(interest, m=m, seed=seed), random_max(interest, d=d, seed=seed)
    for edges in (by_number, by_degree):
        assert edges.dtype == np.int64
        assert edges.shape == (len(edges), 2)
    reference.check_random_avg(topics_of, by_number, m)
    reference.check_random_max(topics_of, by_degree, d)


def test_no_budget_no_links(single_topic: Interest) -> None:
    """With a budget of 0 nothing may be linked."""
    assert random_avg(single_topic, m=0).shape == (0, 2)
    assert random_max(single_topic, d=0).shape == (0, 2)


def test_seed_decides(way: str) -> None:
    """Same seed, same links; another seed, others."""
    interest = instances.single_topic(60)
    for draw in (lambda seed: random_avg(interest, m=30, seed=seed), lambda seed: random_max(interest, d=2, seed=seed)):
        assert np.array_equal(draw(7), draw(7))
        assert not np.array_equal(draw(7), draw(8))


def test_pairs_come_without_common_interest(way: str) -> None:
    """The first of two links joins a pair with common topics only 2 times in 6."""
    interest = instances.interest_of({0: {0}, 1: {0}, 2: {1}, 3: {1}})
    firsts = Counter(tuple(random_avg(interest, m=2, seed=seed)[0].tolist()) for seed in range(300))
    assert set(firsts) == set(combinations(range(4), 2))
    assert chi_square(firsts, 6) < 20.5  # exceeded once in 1,000 if uniform (5 degrees of freedom)


def test_orders_of_links_are_equally_likely(way: str) -> None:
    """Every ordered choice of two of three pairs is equally frequent: no pair occurs twice, and none is preferred."""
    interest = instances.interest_of({0: {0, 1}, 1: {0, 2}, 2: {1, 2}})
    found = Counter(tuple(map(tuple, random_avg(interest, m=2, seed=seed).tolist())) for seed in range(600))
    assert set(found) == set(permutations(combinations(range(3), 2), 2))
    assert chi_square(found, 6) < 20.5


def test_maximum_degree_leaves_all_matchings_equally_likely(way: str) -> None:
    """Six nodes, one link each: 15 perfect matchings, all reached, none preferred."""
    interest = instances.single_topic(6)
    found = Counter(tuple(sorted(map(tuple, random_max(interest, d=1, seed=seed).tolist()))) for seed in range(900))
    assert len(found) == 15
    assert chi_square(found, 15) < 36.1  # 14 degrees of freedom


def chi_square(found: Counter[tuple[object, ...]], num_classes: int) -> float:
    """How far the counts are from being equal."""
    expected = found.total() / num_classes
    return sum((number - expected) ** 2 / expected for number in found.values())


@pytest.mark.parametrize(("m", "d"), [(300, 2), (10_000, 15), (10**7, 199)])
def test_sparse_and_dense_budgets(m: int, d: int, way: str) -> None:
    """200 nodes with topics of two: from almost no pairs to almost all, however they are drawn."""
    interest = instances.interest_of({v: {v // 2, 100 + (v + 1) // 2} for v in range(200)})
    for edges, full in (
        (random_avg(interest, m=m), m),
        (random_max(interest, d=d), 100 * d),
    ):
        overlay = Overlay(interest.nodes, edges)  # refuses an edge that comes twice
        if verify(interest, overlay).topic_connected:
            assert not verify(interest, Overlay(interest.nodes, edges[:-1])).topic_connected
        else:
            assert full - 10 <= len(edges) <= full
    assert overlay.maximum_degree <= d


@given(data=st.data(), interest=instances.interests())
def test_contributions_equal_the_definition(data: st.DataObject, interest: Interest) -> None:
    """What each edge removes from TCC, with and without leading edges left out."""
    pairs = data.draw(instances.pair_subsets(interest))
    num_unreported = data.draw(st.integers(0, len(pairs)))
    edges = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    expected = reference.removed_components(reference.topics_by_number(interest), pairs)
    found = edge_contributions(interest.indptr, interest.indices, interest.num_topics, edges)
    assert found.dtype == np.int64
    assert found.tolist() == expected
    found = edge_contributions(interest.indptr, interest.indices, interest.num_topics, edges, num_unreported)
    assert found.tolist() == expected[num_unreported:]
