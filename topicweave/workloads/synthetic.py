"""Synthetic interests: random subscriptions under a popularity law."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from topicweave.errors import Argument, ParameterError
from topicweave.model import Interest
from topicweave.parameters import check_fits, check_whole, seeded_generator
from topicweave.workloads.popularity import topic_probabilities
from topicweave.workloads.sampling import draw_distinct

if TYPE_CHECKING:
    from numpy.typing import NDArray

SIZE_EXPONENT = 2  # subscription sizes between two bounds follow P(s) ∝ s^−2


def synthetic(
    num_nodes: int,
    num_topics: int,
    *,
    popularity: str = "zipf",
    alpha: float = 0.5,
    subscriptions: int | tuple[int, int] = 10,
    seed: int = 0,
) -> Interest:
    """Random interest: every node draws distinct topics, popular ones more often.

    A node draws its topics one after another, each with its popularity among those the node does not have yet. The
    most popular topic is number 0; topics that nobody drew stay in the interest, without subscribers. The same
    arguments give the same interest on every machine.

    Parameters
    ----------
    num_nodes, num_topics
        How many of each; labels are ``node-0`` … and ``topic-0`` …, zero-padded so that they sort as numbers.
    popularity
        ``"zipf"``, ``"uniform"`` or ``"exponential"``; see :func:`topic_probabilities`.
    alpha
        Exponent of ``"zipf"``: 0.5 in GM and LOW, 2.0 in PART and SHADOW.
    subscriptions
        Topics per node: a number, or (smallest, largest) for sizes s with P(s) ∝ s^−2 between the two.
    seed
        Start of the random numbers.

    Raises
    ------
    TooLargeError
        The interest would not fit into memory; nothing was allocated.

    Examples
    --------
    >>> interest = synthetic(1000, 100, subscriptions=10, seed=1)
    >>> interest.num_nodes, interest.num_topics, interest.num_subscriptions
    (1000, 100, 10000)
    >>> interest.nodes[42], interest.topics[7]
    ('node-042', 'topic-07')
    """
    num_nodes, num_topics = check_whole("num_nodes", num_nodes, 1), check_whole("num_topics", num_topics, 1)
    bounds = _size_bounds(subscriptions, num_topics)
    check_fits(
        f"An interest of {num_nodes:,} nodes and {num_topics:,} topics", _num_bytes(num_nodes, num_topics, *bounds),
        "ask for fewer nodes, topics or subscriptions",
    )  # fmt: skip
    probabilities = topic_probabilities(num_topics, popularity, alpha=alpha)
    rng = seeded_generator(seed)
    sizes = _draw_sizes(rng, num_nodes, *bounds)
    codes = draw_distinct(rng, probabilities, sizes)
    return Interest.from_csr(
        _numbered("node", num_nodes),
        _numbered("topic", len(probabilities)),
        np.concatenate(([0], np.cumsum(sizes))),
        codes % len(probabilities),
    )


def _size_bounds(subscriptions: int | tuple[int, int], num_topics: int) -> tuple[int, int]:
    if isinstance(subscriptions, tuple | list):
        if len(subscriptions) != 2:
            raise ParameterError(
                "{parameter} must be a number or (smallest, largest), but is {value!r}; give one or two.",
                parameter="subscriptions", value=subscriptions,
            )  # fmt: skip
        smallest, largest = (check_whole("subscriptions", size, 1) for size in subscriptions)
    else:
        smallest = largest = check_whole("subscriptions", subscriptions, 1)
    if smallest > largest:
        given = Argument("subscriptions", (smallest, largest))
        raise ParameterError("{given} runs from more to less; give the smaller size first.", given=given)
    if largest > num_topics:
        raise ParameterError(
            f"A node cannot draw {largest} distinct topics of {num_topics}; give smaller subscriptions or more topics."
        )
    return smallest, largest


def _num_bytes(num_nodes: int, num_topics: int, smallest: int, largest: int) -> int:
    """What drawing takes: a label and some numbers for each node and topic, the codes being sorted, and the CSR."""
    # the mean of s^−2 over all numbers between the bounds, not only whole ones
    mean = smallest if smallest == largest else smallest * largest * math.log(largest / smallest) / (largest - smallest)
    return int(num_nodes * (110 + 40 * mean) + 100 * num_topics)


def _draw_sizes(rng: np.random.Generator, num_nodes: int, smallest: int, largest: int) -> NDArray[np.int64]:
    if smallest == largest:
        return np.full(num_nodes, smallest, dtype=np.int64)
    mass = np.arange(smallest, largest + 1, dtype=np.float64) ** -SIZE_EXPONENT
    cumulative = np.cumsum(mass)
    cumulative /= cumulative[-1]
    return smallest + np.searchsorted(cumulative, rng.random(num_nodes), side="right")


def _numbered(what: str, count: int) -> tuple[str, ...]:
    width = len(str(count - 1))
    return tuple(f"{what}-{number:0{width}d}" for number in range(count))
