"""Does an overlay stay within given limits? Answers the decision problems of GM §9 (SOC) for a given overlay."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from topicweave.metrics.distances import topic_diameters
from topicweave.metrics.filtering import filtering_cost
from topicweave.metrics.matching import check_nouns
from topicweave.parameters import check_number

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from topicweave.model import Interest, Overlay


@dataclass(frozen=True)
class Satisfaction:
    """The answer of :func:`satisfies`; it counts as true if every limit is respected.

    Attributes
    ----------
    figures
        The measured value for each given limit.
    violated
        The limits that are exceeded.
    undecided
        The limits that may or may not be kept. Only ``filtering`` can be undecided: its figure is an upper bound on a
        number that is NP-hard to find. An undecided limit does not count as kept.
    """

    figures: Mapping[str, float] = field(default_factory=dict)
    violated: tuple[str, ...] = ()
    undecided: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return not self.violated and not self.undecided


def satisfies(
    interest: Interest,
    overlay: Overlay,
    *,
    average_degree: float | None = None,
    maximum_degree: float | None = None,
    average_diameter: float | None = None,
    maximum_diameter: float | None = None,
    filtering: float | None = None,
) -> Satisfaction:
    """Check whether an overlay stays within limits on its degree and routing cost (GM §9).

    Parameters
    ----------
    interest, overlay
        The subscriptions, and the links among the same nodes.
    average_degree, maximum_degree
        Limits on the links per node.
    average_diameter, maximum_diameter
        Limits on the topic diameters. As in GM §9 a path may pass through any node of the overlay, subscriber or not.
        The average is taken over all topics that have a subscriber.
    filtering
        Limit on the filtering cost, summed over all topics.
    """
    check_nouns(interest, overlay)
    limits = {
        "average_degree": average_degree,
        "maximum_degree": maximum_degree,
        "average_diameter": average_diameter,
        "maximum_diameter": maximum_diameter,
        "filtering": filtering,
    }
    asked = {name: check_number(name, limit, 0) for name, limit in limits.items() if limit is not None}
    if any("diameter" in name for name in asked):
        diameters = topic_diameters(interest, overlay, inside=False)[_num_subscribers(interest) > 0]
    if "filtering" in asked:
        strangers = filtering_cost(interest, overlay)
    measures: dict[str, Callable[[], float]] = {
        "average_degree": lambda: overlay.average_degree,
        "maximum_degree": lambda: overlay.maximum_degree,
        "average_diameter": lambda: diameters.mean() if len(diameters) else 0.0,
        "maximum_diameter": lambda: diameters.max(initial=0),
        "filtering": lambda: strangers.sum(),
    }
    figures = {name: float(measures[name]()) for name in asked}
    above = tuple(name for name, limit in asked.items() if figures[name] > limit)
    undecided = tuple(
        name for name in above if name == "filtering" and _fewest_strangers(interest, strangers) <= asked[name]
    )
    return Satisfaction(figures, tuple(name for name in above if name not in undecided), undecided)


def _num_subscribers(interest: Interest) -> NDArray[np.int64]:
    return np.diff(interest.subscribers[0])


def _fewest_strangers(interest: Interest, strangers: NDArray[np.float64]) -> float:
    """A lower bound on the filtering cost of all topics, derived from the approximate trees.

    A tree found for s subscribers has at most 2(1 − 1/s) times the links of the smallest one (Kou, Markowsky and
    Berman 1981), and the smallest one has s − 1 links plus one for each node that is not a subscriber. A topic in
    several pieces needs at least one such node.
    """
    if np.isinf(strangers).any():
        return np.inf
    broken = strangers > 0
    subscribers = _num_subscribers(interest)[broken]
    smallest = np.ceil((strangers[broken] + subscribers - 1) * subscribers / (2 * (subscribers - 1)) - 1e-9)
    return float(np.maximum(1, smallest - (subscribers - 1)).sum())
