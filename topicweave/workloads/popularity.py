"""Topic popularity: how likely each topic is to be chosen (GM §8, LOW §V, PART §IX-B)."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from topicweave.errors import Argument, ParameterError
from topicweave.parameters import Parameter, check_count, check_fits, fill

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

POPULAR_SHARE = 0.10
POPULAR_MASS = 0.55  # the share of all subscriptions that go to the most popular tenth of the topics, as in GM and LOW
# the most iterations to find the rate of the exponential law; the closer the law is to uniform, the more are needed
MOST_STEPS = 100_000
LARGEST_RATIO = 1e300  # largest ratio between the popularity of two topics; a larger one would overflow a float


def _uniform(num_topics: int, alpha: float, top_tenth: float = POPULAR_MASS) -> NDArray[np.float64]:
    return np.ones(num_topics)


def _zipf(num_topics: int, alpha: float, top_tenth: float = POPULAR_MASS) -> NDArray[np.float64]:
    if alpha * math.log(num_topics) > math.log(LARGEST_RATIO):
        raise ParameterError(
            "{alpha} makes topic {topic} less likely than any float can say; give an alpha below {most:.1f}.",
            alpha=Argument("alpha", alpha), topic=num_topics, most=math.log(LARGEST_RATIO) / math.log(num_topics),
        )  # fmt: skip
    return np.arange(1, num_topics + 1, dtype=np.float64) ** -alpha


def _exponential(num_topics: int, alpha: float, top_tenth: float = POPULAR_MASS) -> NDArray[np.float64]:
    return np.exp(-exponential_rate(top_tenth) * np.arange(1, num_topics + 1) / num_topics)


POPULARITIES: dict[str, Callable[..., NDArray[np.float64]]] = {
    "zipf": _zipf,
    "uniform": _uniform,
    "exponential": _exponential,
}
"""Unnormalised weights by name of the law, as functions of the number of topics, alpha and top_tenth."""

PARAMETERS = (
    Parameter("popularity", str, "how the popularity of topics falls", "zipf", choices=tuple(POPULARITIES)),
    Parameter("alpha", float, "exponent of zipf", 0.5, minimum=0, is_finite=True),
    Parameter(
        "top_tenth", float, "share of the mass that exponential gives to the most popular tenth of the topics",
        POPULAR_MASS, minimum=POPULAR_SHARE, maximum=0.999,
    ),
)  # fmt: skip


@lru_cache(maxsize=16)
def exponential_rate(top_tenth: float = POPULAR_MASS) -> float:
    """The λ for which p_i ∝ e^(−λ i/|T|) gives this share of the probability to the most popular 10 % of the topics.

    The first n topics hold (1 − e^(−λ n/|T|)) / (1 − e^(−λ)), which depends on n/|T| only: one λ serves every |T|.
    """
    # start from an upper bound: with this rate, the top tenth would have a larger share
    rate = -math.log1p(-top_tenth) / POPULAR_SHARE
    for _ in range(MOST_STEPS):  # this fixed-point iteration converges
        nearer = -math.log1p(top_tenth * math.expm1(-rate)) / POPULAR_SHARE
        if nearer == rate:
            break
        rate = nearer
    return rate


def topic_probabilities(
    num_topics: int, popularity: str = "zipf", *, alpha: float = 0.5, top_tenth: float = POPULAR_MASS
) -> NDArray[np.float64]:
    """The probability with which each topic is drawn, the most popular first.

    Parameters
    ----------
    num_topics
        Number of topics.
    popularity
        ``"uniform"``; ``"zipf"``, p_i ∝ i^−alpha; or ``"exponential"``, p_i ∝ e^(−λ i/|T|).
    alpha
        Exponent of ``"zipf"``, 0 or more: 0.5 in GM and LOW, 2.0 in PART and SHADOW. The other laws ignore it.
    top_tenth
        Steepness of ``"exponential"``, from 0.1 to 0.999: the share of all subscriptions that the most popular 10 % of
        the topics get, which determines λ. GM prints 0.55 (λ ≈ 8). The figures of PART fit 0.841, which results if λ is
        computed with a decimal instead of a natural logarithm. The other laws ignore it.

    Examples
    --------
    >>> topic_probabilities(2, "zipf", alpha=1).round(3).tolist()
    [0.667, 0.333]
    """
    count = check_count("num_topics", num_topics)
    law = fill("topic_probabilities", PARAMETERS, {"popularity": popularity, "alpha": alpha, "top_tenth": top_tenth})
    check_fits(f"The probabilities of {count:,} topics", 24 * count, "ask for fewer")
    weights = POPULARITIES[law["popularity"]](count, law["alpha"], law["top_tenth"])
    probabilities: NDArray[np.float64] = weights / weights.sum()
    return probabilities
