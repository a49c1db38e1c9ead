"""The interests for which overlays are designed: random, sampled from a social graph, or read from a table."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

import topicweave as tw

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from experiments.run import Find

Sizes = int | tuple[int, int]

LARGE = 8_000
"""From this many nodes on, a run has its worker for itself."""

# Sizes for quick runs, so small that most points of a grid fall together into one run.
FEW_NODES, MORE_NODES, FEW_TOPICS, MORE_TOPICS = 12, 24, 20, 30


@dataclass(frozen=True)
class Workload:
    """A random interest, complete except for the seed.

    Attributes
    ----------
    num_nodes, num_topics, popularity, subscriptions
        As in ``tw.workloads.synthetic``.
    alpha
        Exponent of ``"zipf"``; None for the other laws.
    draws
        ``"distinct"``: every node draws its number of topics, all different (``tw.workloads.synthetic``).
        ``"independent"``: a node of size s takes each topic t with probability min(1, s·q(t)), which is what the papers
        print; its number of topics is then s on average only, and less where s·q(t) exceeds 1.
    size_exponent, size_law, top_tenth
        As in ``tw.workloads.synthetic``.
    """

    num_nodes: int
    num_topics: int
    popularity: str
    subscriptions: Sizes
    alpha: float | None = None
    draws: str = "distinct"
    size_exponent: float = 2
    size_law: str = "power"
    top_tenth: float = 0.55

    @property
    def law(self) -> str:
        return self.popularity if self.alpha is None else f"{self.popularity}-{self.alpha:g}"

    @property
    def path(self) -> str:
        sizes = self.subscriptions if isinstance(self.subscriptions, int) else "{}-{}".format(*self.subscriptions)
        draws = "" if self.draws == "distinct" else f"_{self.draws}"
        exponent = "" if self.size_exponent == 2 else f"_exponent-{self.size_exponent:g}"
        law = "" if self.size_law == "power" else f"_{self.size_law}"
        tenth = "" if self.top_tenth == 0.55 else f"_tenth-{self.top_tenth:g}"
        return f"{self.law}_{self.num_nodes}x{self.num_topics}_s{sizes}{draws}{law}{exponent}{tenth}"

    @property
    def is_large(self) -> bool:
        return self.num_nodes >= LARGE

    @property
    def files(self) -> tuple[str, ...]:
        return ()

    def reduced(self) -> Workload:
        return replace(
            self,
            num_nodes=MORE_NODES if self.is_large else FEW_NODES,
            num_topics=FEW_TOPICS if self.num_topics < 1_000 else MORE_TOPICS,
            subscriptions=4 if isinstance(self.subscriptions, int) else (2, 8),
            size_exponent=2 if self.size_exponent == 2 else 3,
            top_tenth=0.55 if self.top_tenth == 0.55 else 0.7,
        )

    def draw(self, seed: int, find: Find) -> tw.Interest:
        if self.draws == "independent":
            return _drawn_independently(self, seed)
        return tw.workloads.synthetic(
            self.num_nodes,
            self.num_topics,
            popularity=self.popularity,
            alpha=0.0 if self.alpha is None else self.alpha,
            top_tenth=self.top_tenth,
            subscriptions=self.subscriptions,
            size_law=self.size_law,
            size_exponent=self.size_exponent,
            seed=seed,
        )

    def probabilities(self) -> NDArray[np.float64]:
        """The probability with which each topic is drawn, the most popular first."""
        alpha = 0.0 if self.alpha is None else self.alpha
        return tw.workloads.topic_probabilities(
            self.num_topics, self.popularity, alpha=alpha, top_tenth=self.top_tenth
        )  # fmt: skip


@dataclass(frozen=True)
class Social:
    """A breadth-first sample of a social graph; the seed chooses the user from which it is grown.

    Attributes
    ----------
    file
        Name of a file of pairs.
    num_nodes
        Users of the sample.
    directed
        Whether the first user of a pair follows the second; otherwise both follow each other.
    """

    file: str
    num_nodes: int
    directed: bool = False

    @property
    def num_topics(self) -> int:
        return self.num_nodes

    @property
    def path(self) -> str:
        return f"{self.file.partition('.')[0]}_{self.num_nodes}" + ("_directed" if self.directed else "")

    @property
    def is_large(self) -> bool:
        return self.num_nodes >= LARGE

    @property
    def files(self) -> tuple[str, ...]:
        return (self.file,)

    def reduced(self) -> Social:
        return replace(self, num_nodes=2 * MORE_NODES if self.is_large else 2 * FEW_NODES)

    def draw(self, seed: int, find: Find) -> tw.Interest:
        sample = tw.workloads.bfs_sample(_edges(find(self.file)), self.num_nodes, seed=seed)
        return tw.workloads.social(sample.edges, directed=self.directed)


@dataclass(frozen=True)
class Table:
    """A table of subscriptions, used as it is; the seed only matters for random choices of algorithms.

    Attributes
    ----------
    file
        Name of a file of (node, topic) pairs.
    num_nodes, num_topics
        Its sizes, for estimating the work.
    """

    file: str
    num_nodes: int
    num_topics: int

    @property
    def path(self) -> str:
        return self.file.partition(".")[0] + ("" if self.num_nodes > FEW_NODES else "_few")

    @property
    def is_large(self) -> bool:
        return self.num_nodes >= LARGE

    @property
    def files(self) -> tuple[str, ...]:
        return (self.file,)

    def reduced(self) -> Table:
        return replace(self, num_nodes=FEW_NODES)

    def draw(self, seed: int, find: Find) -> tw.Interest:
        interest = _edges(find(self.file)).to_interest()
        return interest if self.num_nodes > FEW_NODES else tw.Interest.from_pairs(list(interest.pairs())[:200])


Interested = Workload | Social | Table


@lru_cache(maxsize=1)
def _edges(path: str) -> tw.workloads.EdgeList:
    return tw.workloads.read_edge_list(path)


@lru_cache(maxsize=2)  # runs are sorted by subject, so the next run often needs the same data
def _drawn(subject: Interested, seed: int, path: str | None) -> tw.Interest:
    return subject.draw(seed, lambda _: str(path))


def interest_of(subject: Interested, seed: int, find: Find) -> tw.Interest:
    """The interest that belongs to a subject and a seed."""
    return _drawn(subject, seed, find(subject.files[0]) if subject.files else None)


def _drawn_independently(workload: Workload, seed: int) -> tw.Interest:
    """Draw each (node, topic) pair independently: a node of size s takes topic t with probability min(1, s·q(t))."""
    rng = np.random.default_rng(seed)
    popularity = workload.probabilities()
    sizes = workload.subscriptions
    smallest, largest = (sizes, sizes) if isinstance(sizes, int) else sizes
    possible = np.arange(smallest, largest + 1, dtype=np.float64)
    mass = possible**-workload.size_exponent
    drawn = rng.choice(possible, size=workload.num_nodes, p=mass / mass.sum())
    taken = np.zeros((workload.num_nodes, workload.num_topics), dtype=bool)
    for node, size in enumerate(drawn):  # row by row, because a matrix of floats would take eight times as much memory
        taken[node] = rng.random(workload.num_topics) < size * popularity
    return tw.Interest.from_matrix(taken)
