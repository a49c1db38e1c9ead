"""The ``fill`` option of MinMax-ODA and GPM: before the maximum degree is raised, also add links of contribution 0."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from topicweave.algorithms.greedy.problem import codes
from topicweave.kernels.filling import fill_phase, links_that_fit
from topicweave.kernels.labels import label_hashes, scramble

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from topicweave.algorithms.greedy.problem import Problem
    from topicweave.model import Interest


class Filling:
    """Adds links of contribution 0, and remembers at which point of the design each was added.

    Parameters
    ----------
    interest, problem
        The interest with all its nodes, and the problem with the nodes that the sweep works on. Nodes that share
        no topic with any other are linked, too.
    used
        Links that already exist, by node number.
    ties
        The order in which nodes look for partners: by number if ``lexicographic``, otherwise by a hash of their labels;
        ``balanced`` sorts by degree first.
    key
        Key of the hash by which labels are shuffled.
    prefer
        Links by node number to make before all others, in this order; None for no preference.
    """

    def __init__(
        self,
        interest: Interest,
        problem: Problem,
        used: NDArray[np.int64],
        ties: str,
        key: np.uint64,
        *,
        prefer: NDArray[np.int64] | None = None,
    ) -> None:
        self._problem = problem
        self._ties = ties
        self._used = used
        self._preferred = used[:0] if prefer is None else np.sort(prefer, axis=1)
        self._degree = np.bincount(used.ravel(), minlength=interest.num_nodes)
        numbers = np.arange(interest.num_nodes)
        shuffled = label_hashes(interest.nodes) + key
        self._key = numbers if ties == "lexicographic" else np.argsort(np.argsort(scramble(shuffled), kind="stable"))
        self._made: list[tuple[int, NDArray[np.int64]]] = []

    def fill(self, delta: int, links: NDArray[np.int32], degree: NDArray[np.int32]) -> None:
        """Add links of contribution 0 as long as the maximum degree stays at ``delta``.

        ``links`` are the links that the design has made so far; ``degree`` is updated.
        """
        names, num_nodes = self._problem.names, len(self._degree)
        self._degree[names] = degree[: len(names)]
        zeros = [made for _, made in self._made]
        there = np.concatenate((self._used, names[links].reshape(-1, 2), *zeros))
        wanted = self._preferred[~np.isin(codes(self._preferred, num_nodes), codes(there, num_nodes))]
        wanted = wanted[links_that_fit(wanted, self._degree, delta)]
        first = self._degree if self._ties == "balanced" else np.zeros_like(self._degree)
        order = np.lexsort((self._key, first))
        order = order[self._degree[order] < delta]
        taken = np.sort(codes(np.concatenate((there, wanted)), num_nodes))
        made = np.concatenate((wanted, fill_phase(order, self._degree, delta, taken)))
        self._made.append((len(links), made))
        degree[: len(names)] = self._degree[names]

    def woven(self, links: NDArray[np.int64], gains: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return all links in the order they were made, including links of contribution 0, and their contributions."""
        at = np.concatenate([np.full(len(made), place) for place, made in self._made] or [gains[:0]])
        zeros = np.concatenate([made for _, made in self._made] or [links[:0]])
        return np.insert(links, at, zeros, axis=0), np.insert(gains, at, 0)
