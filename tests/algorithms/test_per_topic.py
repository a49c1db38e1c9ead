"""ring, chain and star: edge by edge the twins."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests import instances, reference
from topicweave.algorithms.per_topic import chain, ring, star
from topicweave.metrics import topic_diameters, verify
from topicweave.model import Interest, Overlay

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Algorithm = Callable[..., NDArray[np.int64]]
    Twin = Callable[[reference.TopicsOf], reference.Built]

FAMILY = pytest.mark.parametrize(
    ("algorithm", "twin"),
    [(ring, reference.ring), (chain, reference.chain), (star, reference.star)],
    ids=["ring", "chain", "star"],
)

# The first, the last and some other topics have no subscriber, as when an interest is restricted to some nodes.
DESERTED = instances.interest_of({0: {1, 4}, 1: {1, 4}, 2: {1, 4}, 3: {0, 2, 3, 5}}).restrict(
    nodes=["n000", "n001", "n002"]
)


@FAMILY
@given(interest=instances.interests())
@example(interest=instances.loners())
@example(interest=instances.interest_of({0: {0}}))
@example(interest=instances.interest_of({0: set(), 1: set()}))
@example(interest=instances.interest_of({}))
@example(interest=DESERTED)
def test_equals_twin_edge_by_edge(algorithm: Algorithm, twin: Twin, interest: Interest) -> None:
    """The same edges in the same order, each where the first topic asks for it."""
    edges = algorithm(interest)
    assert edges.dtype == np.int64
    assert edges.shape == (len(edges), 2)
    assert edges.tolist() == [list(edge) for edge in twin(reference.topics_by_number(interest)).edges]


@FAMILY
@given(interest=instances.interests(), seed=st.integers(0, 3))
def test_is_topic_connected(algorithm: Algorithm, twin: Twin, interest: Interest, seed: int) -> None:
    """Connected by the independent verifier; the seed changes nothing."""
    edges = algorithm(interest, seed=seed)
    assert verify(interest, Overlay(interest.nodes, edges)).topic_connected
    assert np.array_equal(edges, algorithm(interest))


def test_four_brokers(four_brokers: Interest) -> None:
    """Topic 0: nodes 0 1; topic 1: nodes 0 1 2; topic 2: nodes 2 3. Node 0 is the first of three with two topics."""
    assert ring(four_brokers).tolist() == [[0, 1], [1, 2], [0, 2], [2, 3]]
    assert chain(four_brokers).tolist() == [[0, 1], [1, 2], [2, 3]]
    assert star(four_brokers).tolist() == [[0, 1], [0, 2], [2, 3]]


def test_star_centre_has_most_topics() -> None:
    """Node 2 has three topics, so it is the centre of topic 0 although others come first; its diameter is 2."""
    interest = instances.interest_of({0: {0}, 1: {0, 1}, 2: {0, 1, 2}, 3: {0}})
    edges = star(interest)
    assert edges.tolist() == [[0, 2], [1, 2], [2, 3]]
    assert np.asarray(topic_diameters(interest, Overlay(interest.nodes, edges))).tolist() == [2, 1, 0]


def test_long_ring_closes_where_its_topic_ends() -> None:
    """Two rings of five on different nodes: the first is closed before the second begins."""
    interest = instances.interest_of({v: {v // 5} for v in range(10)})
    first = [[0, 1], [1, 2], [2, 3], [3, 4], [0, 4]]
    assert ring(interest).tolist() == first + [[u + 5, v + 5] for u, v in first]
