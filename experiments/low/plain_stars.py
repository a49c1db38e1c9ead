"""CD-ODA and its variants in plain NumPy, to examine which centres they choose."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from experiments.workload import Workload, interest_of

if TYPE_CHECKING:
    import topicweave as tw
    from experiments.run import Find


class Star(NamedTuple):
    """A star: its centre, how many topics that has, how many nodes tied with it for the most neighbours, and how many
    links the star adds.
    """

    centre: int
    topics: int
    equals: int
    links: int


@dataclass(frozen=True)
class Centres:
    """All stars that ``"cd"`` or ``"cd2"`` makes, one after the other.

    Attributes
    ----------
    algorithm
        As in ``tw.design``.
    ties
        ``"lowest number"``, as in ``tw.design``; ``"most topics"`` or ``"fewest topics"``.
    """

    algorithm: str
    ties: str = "lowest number"

    @property
    def path(self) -> str:
        return f"centres_{self.algorithm}_{self.ties.replace(' ', '-')}"

    @property
    def is_timed(self) -> bool:
        return False

    def reduced(self) -> Centres:
        return self

    def cost(self, subject: Workload) -> float:
        return 0.02

    def measure(self, subject: Workload, seed: int, find: Find) -> dict[str, Any]:
        stars = plain_stars(interest_of(subject, seed, find), self.algorithm, self.ties)
        return {
            "stars": len(stars),
            "links": sum(star.links for star in stars),
            "links_per_star": float(np.mean([star.links for star in stars])),
            "topics_per_centre": float(np.mean([star.topics for star in stars])),
            "topics_of_first": stars[0].topics,
            "equals_of_first": stars[0].equals,
        }


def plain_stars(interest: tw.Interest, algorithm: str, ties: str = "lowest number") -> list[Star]:
    """Repeatedly take the best centre, link it to all nodes that share a remaining topic with it, and remove its
    topics.
    """
    wants = interest.to_scipy().toarray().astype(np.int64)
    number = np.arange(len(wants))
    rest = wants.sum(axis=0) > 1
    linked = np.eye(len(wants), dtype=bool)
    stars = []
    while (wants * rest).any():
        common = (wants * rest) @ wants.T
        neighbours = np.maximum((common > 0).sum(axis=1), 1)  # a node counts as its own neighbour, as in the paper
        score = neighbours if algorithm == "cd" else common.sum(axis=1) / neighbours
        score = np.where(common.diagonal() > 0, score, 0)
        topics = common.diagonal()
        order = {"lowest number": number, "most topics": -topics, "fewest topics": topics}[ties]
        best = int(np.lexsort((number, order, -score))[0])
        new = (common[best] > 0) & ~linked[best]
        linked[best] |= new
        linked[:, best] |= new
        stars.append(Star(best, int(wants[best].sum()), int((score == score[best]).sum()), int(new.sum())))
        rest &= wants[best] == 0
    return stars
