"""Synthetic interests: random subscriptions in which some topics are more popular than others."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from topicweave.errors import Argument, ParameterError
from topicweave.model import Interest
from topicweave.parameters import Parameter, check_count, check_fits, fill, seeded_generator
from topicweave.workloads.popularity import POPULAR_MASS, topic_probabilities
from topicweave.workloads.sampling import draw_distinct

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

SIZE_LAWS: dict[str, Callable[[int], int]] = {
    "power": lambda smallest: 0,
    "shifted_power": lambda smallest: smallest - 1,
}
"""What each law subtracts from a size before taking the power: nothing, or so much that sizes start at 1."""

SIZE_PARAMETERS = (
    Parameter(
        "size_law", str, "how the probability of sizes in a range falls; shifted_power: as a power of s - smallest + 1",
        "power", choices=tuple(SIZE_LAWS), noun="law of sizes called",
    ),
    Parameter("size_exponent", float, "the exponent of that power", 2.0, minimum=0, maximum=32),
)  # fmt: skip


def synthetic(
    num_nodes: int,
    num_topics: int,
    *,
    popularity: str = "zipf",
    alpha: float = 0.5,
    top_tenth: float = POPULAR_MASS,
    subscriptions: int | tuple[int, int] = 10,
    size_law: str = "power",
    size_exponent: float = 2.0,
    seed: int = 0,
) -> Interest:
    """Make random subscriptions: every node draws distinct topics, popular ones more often.

    A node draws its topics one after another, each with probability in proportion to its popularity among those the
    node does not have yet. The most popular topic is number 0; topics that no node drew stay in the interest, without
    subscribers. The same arguments give the same interest on every machine.

    Parameters
    ----------
    num_nodes, num_topics
        Number of each; labels are ``node-0`` … and ``topic-0`` …, zero-padded so that they sort as numbers.
    popularity
        ``"zipf"``, ``"uniform"`` or ``"exponential"``; see :func:`topic_probabilities`.
    alpha, top_tenth
        Exponent of ``"zipf"`` and steepness of ``"exponential"``; :func:`topic_probabilities` says which paper used
        which value.
    subscriptions
        Topics per node: a number (10 in GM and LOW), or (smallest, largest) for random sizes between the two: 20 to
        600 in PART, 10 to 90 in SHADOW.
    size_law
        How the probability of a size s in that range falls. ``"power"``: P(s) ∝ s^−a; SHADOW says only "power law",
        PART says nothing. ``"shifted_power"``: P(s) ∝ (s − smallest + 1)^−a, which reproduces PART's figures.
    size_exponent
        The a of both laws, from 0 (all sizes alike) to 32. The figures of PART fit 2, those of SHADOW fit 4.
    seed
        Seed of the random numbers.

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
    num_nodes, num_topics = check_count("num_nodes", num_nodes), check_count("num_topics", num_topics)
    bounds = _size_bounds(subscriptions, num_topics)
    law = fill("synthetic", SIZE_PARAMETERS, {"size_law": size_law, "size_exponent": size_exponent})
    check_fits(
        f"An interest of {num_nodes:,} nodes and {num_topics:,} topics",
        _num_bytes(num_nodes, num_topics, *bounds, **law),
        "ask for fewer nodes, topics or subscriptions",
    )
    probabilities = topic_probabilities(num_topics, popularity, alpha=alpha, top_tenth=top_tenth)
    rng = seeded_generator(seed)
    sizes = _draw_sizes(rng, num_nodes, *bounds, **law)
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
        smallest, largest = (check_count("subscriptions", size) for size in subscriptions)
    else:
        smallest = largest = check_count("subscriptions", subscriptions)
    if smallest > largest:
        given = Argument("subscriptions", (smallest, largest))
        raise ParameterError("{given} runs from more to less; give the smaller size first.", given=given)
    if largest > num_topics:
        raise ParameterError(
            f"A node cannot draw {largest} distinct topics of {num_topics}; give smaller subscriptions or more topics."
        )
    return smallest, largest


def _num_bytes(
    num_nodes: int, num_topics: int, smallest: int, largest: int, size_law: str = "power", size_exponent: float = 2.0
) -> int:
    """The memory in bytes needed to draw subscriptions: labels and numbers of nodes and topics, arrays being sorted,
    and the result.
    """
    mean = float(smallest)
    if smallest < largest:  # the mean over all real numbers in the range, not only whole ones
        off = SIZE_LAWS[size_law](smallest)
        low, high = smallest - off - 0.5, largest - off + 0.5
        ratio = _integral(low, high, 1 - size_exponent) / _integral(low, high, -size_exponent)
        mean = max(mean, off + low * ratio)
    return int(num_nodes * (110 + 40 * mean) + 100 * num_topics)


def _integral(low: float, high: float, power: float) -> float:
    """The integral of x^power in multiples of low^power, which by itself could overflow or underflow a float."""
    if power == -1:
        return low * math.log(high / low)
    return low * math.expm1((power + 1) * math.log(high / low)) / (power + 1)


def _draw_sizes(
    rng: np.random.Generator, num_nodes: int, smallest: int, largest: int, size_law: str, size_exponent: float
) -> NDArray[np.int64]:
    if smallest == largest:
        return np.full(num_nodes, smallest, dtype=np.int64)
    off = SIZE_LAWS[size_law](smallest)
    mass = np.arange(smallest - off, largest - off + 1, dtype=np.float64) ** -size_exponent
    cumulative = np.cumsum(mass)
    cumulative /= cumulative[-1]
    return smallest + np.searchsorted(cumulative, rng.random(num_nodes), side="right")


def _numbered(what: str, count: int) -> tuple[str, ...]:
    width = len(str(count - 1))
    return tuple(f"{what}-{number:0{width}d}" for number in range(count))
