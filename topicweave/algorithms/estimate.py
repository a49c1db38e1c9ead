"""Rough estimates of what a design will cost, from the sizes of its input alone."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from topicweave.algorithms.greedy.problem import Problem
    from topicweave.model import Interest

# Memory in bytes of a process that has loaded everything a design needs.
PYTHON_ITSELF = 150 << 20
# Memory in bytes per label: a Python string of about a dozen letters, and its entry in a list.
BYTES_PER_LABEL = 70
# Seconds that the algorithm low with k = 3 takes on two cores when it considers all pairs: to begin, per pair, and per
# subscription. The estimate is within a factor of 2 of the times measured for 2,500 to 20,000 nodes, 100 and 1,000
# topics, 10 and 20 to 600 topics per node.
MEASURED_ON, SECONDS_TO_BEGIN = 2, 0.05
SECONDS_PER_PAIR, SECONDS_PER_SUBSCRIPTION = 12e-9, 0.6e-6
# Seconds that it takes when only near candidates are considered: per (node, candidate) pair and per subscription
# searched. The constants are fitted to the processor time for 22,000 nodes, 1,000 topics, 10 and 20 to 200 topics per
# node. The number of rounds depends on the interest, so only the order of magnitude is right. (The estimate for 100,000
# nodes with 2 million subscriptions is 31 s, and 308 s for 1,000,000 nodes with 20 million; gm, which is faster than
# low, took 16 s and 307 s.)
SECONDS_PER_CANDIDATE, SECONDS_PER_SEARCHED_SUBSCRIPTION = 13e-6, 5e-6


@dataclass(frozen=True)
class Estimate:
    """Roughly how much memory and time a design takes if it is run with ``candidates="auto"``.

    Attributes
    ----------
    memory
        Bytes of the process, including Python and its libraries but not Spark.
    seconds
        Seconds on this machine, for low with k = 3.
    num_candidates
        Partners that each node gets in a round; ``None`` if all pairs are candidates.
    """

    memory: int
    seconds: float
    num_candidates: int | None = None

    @property
    def added_memory(self) -> int:
        """The peak memory of the interest and its design in bytes, not counting Python and its libraries.

        Buffers count as 32 MiB (64 MiB with near candidates), although a small design fills only part of them.
        """
        return self.memory - PYTHON_ITSELF

    @property
    def candidates(self) -> str:
        """Which kind of candidates ``"auto"`` chooses here: ``"all"`` or ``"near"``."""
        return "all" if self.num_candidates is None else "near"


def estimate(interest: Interest) -> Estimate:
    """Estimate memory and time of a greedy design.

    The arrays are counted by the same function that checks ``memory_limit``; the interest itself and Python with its
    libraries are added.
    """
    from topicweave.algorithms.greedy.problem import near_bytes, reduce, table_bytes
    from topicweave.algorithms.options import AUTO_NODES, NUM_CANDIDATES

    problem = reduce(interest, None)
    held = PYTHON_ITSELF + interest_bytes(interest)
    if interest.num_nodes > AUTO_NODES:
        listed = problem.num_nodes * NUM_CANDIDATES
        return Estimate(
            held + near_bytes(problem, NUM_CANDIDATES), _seconds(_near_work(problem, listed)), NUM_CANDIDATES
        )
    return Estimate(held + table_bytes(problem, None), _seconds(_all_pairs_work(problem)))


def interest_bytes(interest: Interest) -> int:
    """The memory, in bytes, that the subscriptions and the labels need."""
    labels = BYTES_PER_LABEL * (interest.num_nodes + interest.num_topics)
    return interest.indptr.nbytes + interest.indices.nbytes + labels


def _all_pairs_work(problem: Problem) -> float:
    pairs = problem.num_nodes * (problem.num_nodes - 1) // 2
    return SECONDS_PER_PAIR * pairs + SECONDS_PER_SUBSCRIPTION * len(problem.topics)


def _near_work(problem: Problem, num_listed: int) -> float:
    return SECONDS_PER_CANDIDATE * num_listed + SECONDS_PER_SEARCHED_SUBSCRIPTION * len(problem.topics)


def _seconds(work: float) -> float:
    return SECONDS_TO_BEGIN + work * MEASURED_ON / max(os.cpu_count() or 1, 1)
