"""What a design will cost, told from sizes alone before anything is designed: coarse, and meant to be."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from topicweave.algorithms.greedy.problem import Problem
    from topicweave.model import Interest

# Of a process that has loaded what a design needs.
PYTHON_ITSELF = 150 << 20
# Of a label: a text of Python's, of a dozen letters, and its place in the list of them.
BYTES_PER_LABEL = 70
# What low with k = 3 takes on two cores, all pairs: within a factor of 2 of what was measured on 2,500 to 20,000 nodes
# with 100 and 1,000 topics, 10 and 20 to 600 of them a node.
MEASURED_ON, SECONDS_TO_BEGIN = 2, 0.05
SECONDS_PER_PAIR, SECONDS_PER_SUBSCRIPTION = 12e-9, 0.6e-6
# The same with near candidates, for each (node, candidate) and each subscription that is searched for them: fitted to
# the processor's time for 22,000 nodes with 1,000 topics, 10 and 20 to 200 of them a node. How many rounds there are
# depends on the interest, so this is no more than the order of magnitude. (By this, 100,000 nodes with 2 million
# subscriptions take 31 s, 1,000,000 with 20 million 308 s; gm, which is quicker than low, took 16 s and 307 s.)
SECONDS_PER_CANDIDATE, SECONDS_PER_SEARCHED_SUBSCRIPTION = 13e-6, 5e-6


@dataclass(frozen=True)
class Estimate:
    """What designing takes, roughly, with the candidates that ``candidates="auto"`` chooses.

    Attributes
    ----------
    memory
        Bytes of the process, Python with its libraries among them; Spark's own come on top.
    seconds
        On this machine, for low with k = 3.
    num_candidates
        Partners that each node is given in a round; ``None`` where all pairs are looked at.
    """

    memory: int
    seconds: float
    num_candidates: int | None = None

    @property
    def added_memory(self) -> int:
        """Bytes that the interest and its design take at most, beyond Python with its libraries.

        For buffers 32 MiB are counted, 64 MiB with near candidates, of which a small design fills only a part.
        """
        return self.memory - PYTHON_ITSELF

    @property
    def candidates(self) -> str:
        """What ``auto`` stands for here: ``"all"`` or ``"near"``."""
        return "all" if self.num_candidates is None else "near"


def estimate(interest: Interest) -> Estimate:
    """Estimate a greedy design.

    The arrays are counted by the function that ``memory_limit`` is held against; the interest itself and Python with
    its libraries are added.
    """
    from topicweave.algorithms.greedy.near import near_memory
    from topicweave.algorithms.greedy.problem import reduce, table_bytes
    from topicweave.algorithms.options import AUTO_NODES, NUM_CANDIDATES

    problem = reduce(interest, None)
    held = PYTHON_ITSELF + interest_bytes(interest)
    if interest.num_nodes > AUTO_NODES:
        listed = problem.num_nodes * NUM_CANDIDATES
        return Estimate(
            held + near_memory(problem, NUM_CANDIDATES), _seconds(_near_work(problem, listed)), NUM_CANDIDATES
        )
    return Estimate(held + table_bytes(problem, None), _seconds(_all_pairs_work(problem)))


def interest_bytes(interest: Interest) -> int:
    """What the subscriptions and the labels take."""
    labels = BYTES_PER_LABEL * (interest.num_nodes + interest.num_topics)
    return interest.indptr.nbytes + interest.indices.nbytes + labels


def _all_pairs_work(problem: Problem) -> float:
    pairs = problem.num_nodes * (problem.num_nodes - 1) // 2
    return SECONDS_PER_PAIR * pairs + SECONDS_PER_SUBSCRIPTION * len(problem.topics)


def _near_work(problem: Problem, num_listed: int) -> float:
    return SECONDS_PER_CANDIDATE * num_listed + SECONDS_PER_SEARCHED_SUBSCRIPTION * len(problem.topics)


def _seconds(work: float) -> float:
    return SECONDS_TO_BEGIN + work * MEASURED_ON / max(os.cpu_count() or 1, 1)
