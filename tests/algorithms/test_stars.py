"""CD-ODA, CD-ODA-I and CD-ODA-II: edge by edge the twins, and every topic a star."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests import instances, reference, reference_low
from topicweave.algorithms.stars import cd, cd1, cd2
from topicweave.metrics import topic_diameters, verify
from topicweave.model import Interest, Overlay

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Algorithm = Callable[..., NDArray[np.int64]]
    Twin = Callable[[reference.TopicsOf], reference.Built]

FAMILY = pytest.mark.parametrize(
    ("algorithm", "twin"), [(cd, reference.cd), (cd1, reference.cd1), (cd2, reference.cd2)], ids=["cd", "cd1", "cd2"]
)


def drawn_interest(num_nodes: int, num_topics: int, size: int, skew: float, seed: int = 0) -> Interest:
    """Up to ``size`` topics per node, drawn towards the low numbers the more, the higher the skew."""
    rng = np.random.default_rng(seed)
    drawn = (num_topics * rng.random((num_nodes, size)) ** skew).astype(int)
    return instances.interest_of({v: set(row) for v, row in enumerate(drawn.tolist())})


@FAMILY
@given(interest=instances.interests())
@example(interest=instances.loners())
@example(interest=instances.interest_of({0: {0}}))
@example(interest=instances.interest_of({}))
def test_equals_twin_edge_by_edge(algorithm: Algorithm, twin: Twin, interest: Interest) -> None:
    """The same edges in the same order, nodes without topics and topics with one subscriber included."""
    edges = algorithm(interest)
    assert edges.dtype == np.int64
    assert edges.shape == (len(edges), 2)
    assert edges.tolist() == [list(edge) for edge in twin(reference.topics_by_number(interest)).edges]


@FAMILY
@pytest.mark.parametrize("skew", [1.0, 4.0])
def test_equals_twin_with_rare_and_popular_topics(
    algorithm: Algorithm, twin: Twin, skew: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """140 nodes: several words of bits, and topics too rare to be held as bits beside popular ones."""
    monkeypatch.setattr(reference_low, "removed_components", lambda *_: [])  # not looked at here, and slow
    interest = drawn_interest(num_nodes=140, num_topics=60, size=3, skew=skew)
    sizes = np.diff(interest.subscribers[0])
    assert sizes.min() * 64 < interest.num_nodes <= sizes.max() * 64
    assert algorithm(interest).tolist() == [list(edge) for edge in twin(reference.topics_by_number(interest)).edges]


@FAMILY
@given(interest=instances.interests(), seed=st.integers(0, 3))
def test_every_topic_has_diameter_two(algorithm: Algorithm, twin: Twin, interest: Interest, seed: int) -> None:
    """Topic-connected by the independent verifier, with diameters of at most 2; the seed changes nothing."""
    overlay = Overlay(interest.nodes, algorithm(interest, seed=seed))
    assert verify(interest, overlay).topic_connected
    assert np.all(np.asarray(topic_diameters(interest, overlay)) <= 2)
    assert np.array_equal(overlay.edges, algorithm(interest))


def test_scores_disagree(crowd_and_couple: Interest) -> None:
    """The crowd has most neighbours and weight (5 against 2 and 4), the couple is denser (4/2 against 5/5)."""
    crowd, couple = [[0, 1], [0, 2], [0, 3], [0, 4]], [[5, 6]]
    assert cd(crowd_and_couple).tolist() == crowd + couple
    assert cd1(crowd_and_couple).tolist() == crowd + couple
    assert cd2(crowd_and_couple).tolist() == couple + crowd


def test_densities_are_compared_exactly() -> None:
    """Equal densities tie to the lowest number, however they are written.

    Nodes 0-2 share topic 0: density 3/3. Any two of nodes 3-5 share a topic: 4/3 each. Nodes 6-8 share topics 4, 5
    and 6, and 7 and 8 topic 7 as well: 9/3, 11/3, 11/3. After centres 7 and 3, topic 3 is left to nodes 4 and 5 with
    density 2/2, which is no more than 3/3, so node 0 comes first.
    """
    interest = instances.interest_of(
        {0: {0}, 1: {0}, 2: {0}, 3: {1, 2}, 4: {2, 3}, 5: {3, 1}, 6: {4, 5, 6}, 7: {4, 5, 6, 7}, 8: {4, 5, 6, 7}}
    )
    assert cd2(interest).tolist() == [[6, 7], [7, 8], [3, 4], [3, 5], [0, 1], [0, 2], [4, 5]]


def test_growing_number_of_links() -> None:
    """More links than nodes: the buffer of the kernel has to grow, more than once."""
    numbers = count()
    pairs = {(u, v): next(numbers) for u in range(20) for v in range(u + 1, 20)}
    interest = instances.interest_of({v: [t for pair, t in pairs.items() if v in pair] for v in range(20)})
    for algorithm in (cd, cd1, cd2):
        assert algorithm(interest).tolist() == [list(pair) for pair in pairs]
