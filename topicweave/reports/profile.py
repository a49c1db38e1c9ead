"""Profile: statistics of an interest, before anything is designed for it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from topicweave.algorithms.estimate import PYTHON_ITSELF, Estimate, estimate
from topicweave.reports.distribution import range_in_words, shares_in_words, spread, zipf_exponent
from topicweave.wording import percent

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from topicweave.model import Interest

SAMPLED_PAIRS = 200_000


@dataclass(frozen=True, eq=False)
class Profile:
    """Statistics of an interest.

    Attributes
    ----------
    sizes, popularity
        Topics of each node; subscribers of each topic.
    zipf_exponent
        The α for which popularity ∝ rank^−α is most likely.
    common_topics
        Number of topics that two nodes share, averaged over all pairs.
    pairs_in_touch
        Share of the pairs that have a common topic, from a sample of pairs.
    cost
        Roughly what designing takes, and with which candidates.
    advice
        Which algorithm is suitable, in sentences.
    """

    num_nodes: int
    num_topics: int
    num_subscriptions: int
    sizes: NDArray[np.int64] = field(repr=False)
    popularity: NDArray[np.int64] = field(repr=False)
    zipf_exponent: float
    common_topics: float
    pairs_in_touch: float
    cost: Estimate
    advice: tuple[str, ...]

    @property
    def single_subscriber_share(self) -> float:
        """The share of topics with only one subscriber, which need no links."""
        return float(np.mean(self.popularity == 1)) if self.num_topics else 0.0

    def to_dict(self) -> dict[str, Any]:
        """All statistics as a dictionary for JSON, with the two distributions as CCDFs."""
        return {
            "nodes": self.num_nodes,
            "topics": self.num_topics,
            "subscriptions": self.num_subscriptions,
            "subscription_sizes": spread(self.sizes),
            "topic_popularity": spread(self.popularity),
            "zipf_exponent": round(self.zipf_exponent, 4),
            "mean_common_topics_of_two_nodes": self.common_topics,
            "share_of_pairs_with_a_common_topic": self.pairs_in_touch,
            "share_of_topics_with_one_subscriber": self.single_subscriber_share,
            "estimated_memory_bytes": self.cost.memory,
            "estimated_added_memory_bytes": self.cost.added_memory,
            "estimated_seconds": self.cost.seconds,
            "estimated_candidates": self.cost.candidates,
            "estimated_num_candidates": self.cost.num_candidates,
            "advice": list(self.advice),
        }

    def summary(self) -> str:
        """A table to print."""
        rows = [
            ("nodes", f"{self.num_nodes:,}"),
            ("topics", f"{self.num_topics:,}"),
            ("subscriptions", f"{self.num_subscriptions:,}"),
            ("topics of a node", range_in_words(self.sizes)),
            ("  share with at least", shares_in_words(self.sizes)),
            ("subscribers of a topic", range_in_words(self.popularity)),
            ("  share with at least", shares_in_words(self.popularity)),
            ("popularity like Zipf", f"α = {self.zipf_exponent:.2f}"),
            ("topics with one subscriber", percent(self.single_subscriber_share)),
            ("common topics of two nodes", f"{self.common_topics:.3g} on average"),
            ("pairs with a common topic", percent(self.pairs_in_touch)),
            ("a design takes roughly", _cost(self.cost)),
        ]
        table = "\n".join(f"{name:<28}{value}" for name, value in rows)
        return table + "".join(f"\n{sentence}" for sentence in self.advice)


def profile(interest: Interest, *, seed: int = 0) -> Profile:
    """Compute the statistics of an interest; ``seed`` determines the random sample of pairs."""
    sizes = np.diff(interest.indptr)
    popularity = np.bincount(interest.indices, minlength=interest.num_topics)
    cost = estimate(interest)
    return Profile(
        num_nodes=interest.num_nodes,
        num_topics=interest.num_topics,
        num_subscriptions=interest.num_subscriptions,
        sizes=sizes,
        popularity=popularity,
        zipf_exponent=zipf_exponent(popularity),
        common_topics=_common_topics(popularity, interest.num_nodes),
        pairs_in_touch=_pairs_in_touch(interest, seed),
        cost=cost,
        advice=_advice(interest.num_nodes, sizes, popularity, cost),
    )


def _common_topics(popularity: NDArray[np.int64], num_nodes: int) -> float:
    pairs = num_nodes * (num_nodes - 1) / 2
    return float((popularity.astype(np.float64) * (popularity - 1) / 2).sum() / pairs) if pairs else 0.0


def _pairs_in_touch(interest: Interest, seed: int) -> float:
    if interest.num_nodes < 2:
        return 0.0
    rng = np.random.default_rng(seed)
    # A sparse product costs as much as its sampled rows contain, so the number of sampled pairs depends on the size of
    # the rows.
    mean = max(interest.num_subscriptions / interest.num_nodes, 1)
    count = max(1000, int(min(SAMPLED_PAIRS, 20_000_000 / mean)))
    one = rng.integers(0, interest.num_nodes, count)
    other = (one + rng.integers(1, interest.num_nodes, count)) % interest.num_nodes
    matrix = interest.to_scipy().astype(np.int32)
    shared = matrix[one].multiply(matrix[other]).sum(axis=1)
    return float(np.mean(np.asarray(shared).ravel() > 0))


def _advice(num_nodes: int, sizes: NDArray[np.int64], popularity: NDArray[np.int64], cost: Estimate) -> tuple[str, ...]:
    from topicweave.parameters import default_limit

    advice = []
    if cost.memory > default_limit():
        what, instead = (
            ("all pairs", "use near candidates only")
            if cost.num_candidates is None
            else ("near candidates", "use fewer near candidates per node")
        )
        advice.append(
            f"{num_nodes:,} nodes are too many to look at {what} with the memory that is free here: {instead}, "
            f"or use ring, which needs no candidates but makes many more links."
        )
    heavy = sizes.max(initial=0) > 20 * max(float(np.median(sizes)) if len(sizes) else 0.0, 1.0)
    if heavy:
        advice.append(
            "A few nodes have far more topics than the others: low with k = 3 keeps them from becoming hubs, "
            "gm would link nearly every node to them, with the fewest links overall."
        )
    else:
        advice.append(
            "Nodes have about equally many topics: low with k = 3 makes few links with even degrees; "
            "gm has the fewest links, minmax the smallest maximum degree."
        )
    if len(popularity) and np.mean(popularity == 1) > 0.3:
        advice.append("Many topics have a single subscriber and need no link; they cost only memory.")
    if len(popularity) and popularity.max(initial=0) > 0.9 * num_nodes:
        advice.append("Nearly all nodes subscribe to one topic: its links alone connect almost all nodes.")
    return tuple(advice)


def _bytes(size: float) -> str:
    for unit in ("bytes", "kB", "MB", "GB"):
        if size < 1000 or unit == "GB":
            return f"{size:,.0f} {unit}" if unit != "GB" else f"{size:,.1f} GB"
        size /= 1000
    raise AssertionError


def _cost(cost: Estimate) -> str:
    way = (
        "all pairs"
        if cost.num_candidates is None
        else f"near candidates, {cost.num_candidates} for each node; the order of magnitude"
    )
    memory = f"{_bytes(cost.added_memory)} at most, beside the {_bytes(PYTHON_ITSELF)} of Python and its libraries"
    return f"{memory}, {_duration(cost.seconds)} (low, k = 3, {way})"


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.1f} s"
    return f"{seconds / 60:.0f} minutes" if seconds < 5400 else f"{seconds / 3600:.1f} hours"
