"""Runs that design an overlay, and what is measured about it."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

import topicweave as tw
from experiments.workload import Interested, interest_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from experiments.run import Find

PAIRWISE = ("gm", "low", "minmax", "gpa", "gpm")
BUDGETED_BY_LINKS = ("gpa", "random_avg")
REDUCED = {"m": 20, "k_greedy": 1, "d": 3, "k": 2, "budget_ratio": 0.5, "degree_ratio": 0.5}
"""Parameters of quick runs."""


@dataclass(frozen=True)
class Asked:
    """An algorithm with its parameters.

    Attributes
    ----------
    algorithm, parameters
        As in ``tw.design``; ``budget_ratio`` (β) is converted to links or degrees of MinMax-ODA here, once per
        interest. ``degree_ratio`` is a β for algorithms with a budget of links, which get as many as a maximum degree
        of β·Δ would allow, V·⌊β·Δ⌋/2.
    ties
        The tie rule, for algorithms that have one; None for the default.
    in_full
        Whether distances, redundancy and time are measured as well. A tiny design is made before a timed one, to load
        most of the compiled code; what only a larger design needs may still be loaded within the measured time.
    """

    algorithm: str
    parameters: tuple[tuple[str, float], ...] = ()
    ties: str | None = None
    in_full: bool = False

    @property
    def path(self) -> str:
        settings = [f"{name}-{value:g}" for name, value in self.parameters]
        words = [self.algorithm, *settings, *([self.ties] if self.ties else []), *(["full"] if self.in_full else [])]
        return "_".join(words)

    @property
    def algorithms(self) -> tuple[str, ...]:
        """The algorithms that the result depends on; with a relative budget, MinMax-ODA is one of them."""
        return (self.algorithm, "minmax") if "ratio" in self.path else (self.algorithm,)

    @property
    def is_timed(self) -> bool:
        return self.in_full

    def reduced(self) -> Asked:
        return replace(self, parameters=tuple((name, REDUCED.get(name, value)) for name, value in self.parameters))

    def cost(self, subject: Interested) -> float:
        pairs = subject.num_nodes**2 / 2
        pairwise = self.algorithm in PAIRWISE or "ratio" in self.path
        looked_at = (4 + subject.num_topics / 64) * (pairs if pairwise else 0.0)
        return 0.02 + 2e-9 * looked_at + 2e-5 * subject.num_nodes * (20 if self.in_full else 1)

    def measure(self, subject: Interested, seed: int, find: Find) -> dict[str, Any]:
        interest = interest_of(subject, seed, find)
        options = self._options(subject, seed, find)
        if self.in_full:
            # a tiny design first, to load most of the compiled code
            tw.design(_tiny(), self.algorithm, **_small_enough(options))
        made = tw.design(interest, self.algorithm, seed=seed, **options)
        answer = {
            "links": made.overlay.num_edges,
            "average_degree": made.overlay.average_degree,
            "maximum_degree": made.overlay.maximum_degree,
            "subscriptions": interest.num_subscriptions,
            "published_moves": published_moves(interest),
            "ring_links_by_topic": ring_links_by_topic(interest),
            "seconds": made.seconds,
        }
        report = tw.verify(interest, made.overlay)
        answer |= {"support": report.support, "topic_connected": report.topic_connected}
        if self.in_full:
            answer |= _in_full(interest, made.overlay)
        if self.algorithm in ("gm", "gpa", "minmax", "low") and self.in_full:
            answer["support_by_share"] = support_by_share(interest, made)
        return answer

    def _options(self, subject: Interested, seed: int, find: Find) -> dict[str, Any]:
        """The arguments for ``tw.design``."""
        options: dict[str, Any] = {**dict(self.parameters), **({"ties": self.ties} if self.ties else {})}
        ratio, by_degree = options.pop("budget_ratio", None), options.pop("degree_ratio", None)
        if ratio is None and by_degree is None:
            return options
        links, degree = minmax_of(subject, seed, find(subject.files[0]) if subject.files else None)
        if by_degree is not None:
            options["m"] = math.floor(by_degree * degree) * subject.num_nodes // 2
        elif self.algorithm in BUDGETED_BY_LINKS:
            options["m"] = math.floor(ratio * links)
        else:
            options["d"] = math.floor(ratio * degree)
        return options


def ask(algorithm: str, *, ties: str | None = None, in_full: bool = False, **parameters: float) -> Asked:
    """A short way to name an algorithm with parameters, such as ``ask("low", k=3)``."""
    return Asked(algorithm, tuple(parameters.items()), ties, in_full)


@lru_cache(maxsize=2)
def minmax_of(subject: Interested, seed: int, path: str | None) -> tuple[int, int]:
    """The number of links and the maximum degree of MinMax-ODA with ``fill=True``; budgets are given as shares of these
    (PART Eq. 36).
    """
    made = tw.design(interest_of(subject, seed, lambda _: str(path)), "minmax", fill=True, seed=seed).overlay
    return made.num_edges, made.maximum_degree


def _in_full(interest: tw.Interest, overlay: tw.Overlay) -> dict[str, Any]:
    """Redundancy, and distances in some topics from some subscribers of each: enough for the mean diameter, while the
    maximum found is only a lower bound.

    Only connected topics count; the diameters are 0 if there are none.
    """
    shared = [interest.topics[t] for t in np.flatnonzero(np.diff(interest.subscribers[0]) > 1).tolist()]
    some = np.random.default_rng(0).permutation(len(shared))[:MEASURED_TOPICS]
    chosen = [shared[place] for place in some.tolist()]
    distances = tw.metrics.topic_distances(interest, overlay, topics=chosen, sample=MEASURED_SUBSCRIBERS)
    finite = np.isfinite(distances.diameter)
    redundancy = tw.metrics.redundancy(interest, overlay)
    return {
        "mean_topic_diameter": float(distances.diameter[finite].mean()) if finite.any() else 0.0,
        "maximum_topic_diameter": float(distances.diameter[finite].max()) if finite.any() else 0.0,
        "mean_topic_hops": float(distances.mean_hops[finite].mean()) if finite.any() else 0.0,
        "redundancy": float(redundancy.mean()),
    }


MEASURED_TOPICS, MEASURED_SUBSCRIBERS = 200, 20
SHARES = tuple(round(0.05 * step, 2) for step in range(1, 21))


def support_by_share(interest: tw.Interest, made: tw.Design) -> list[float]:
    """The support that the first 5, 10, … 100 % of the links provide, in the order in which they were added."""
    gained = np.concatenate(([0], np.cumsum(made.trace.contribution)))
    return [float(gained[math.floor(share * (len(gained) - 1))] / gained[-1]) for share in SHARES]


def published_moves(interest: tw.Interest) -> int:
    """How often the data structures of GM's paper move a pair from one list to another for this interest: Σ_t (n_t −
    1)(n_t − 2) / 2.

    Every pair of subscribers of a topic loses that topic once (GM Algorithm 3, lines 7-11), when the components that
    its ends are in are merged. Of these pairs, the n_t − 1 links that merge components are taken, and all others are
    moved to another list. So the number does not depend on which links GM takes.
    """
    subscribers = _subscribers(interest)
    return int(((subscribers - 1) * (subscribers - 2) // 2).sum())


def ring_links_by_topic(interest: tw.Interest) -> int:
    """The total number of links of a ring per topic if no link is shared, so that a pair in two rings counts twice."""
    subscribers = _subscribers(interest)
    return int(np.where(subscribers > 2, subscribers, subscribers - 1).sum())


def _subscribers(interest: tw.Interest) -> NDArray[np.int64]:
    """The number of subscribers of each topic that has any."""
    counts = np.bincount(interest.indices, minlength=interest.num_topics).astype(np.int64)
    return counts[counts > 0]


def _tiny() -> tw.Interest:
    return tw.workloads.synthetic(60, 20, subscriptions=4)


def _small_enough(options: dict[str, Any]) -> dict[str, Any]:
    return {name: min(value, 50) if name == "m" else value for name, value in options.items()}
