"""The main loop of the greedy family: builds the table of pairs, runs the loop in time slices, and reports progress.

The sweep itself is in ``kernels/greedy/sweep.py``. It is called here slice by slice; when it asks for it, all bounds
are lowered between two slices.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numba import get_num_threads

from topicweave.algorithms.greedy.problem import aligned, codes
from topicweave.algorithms.registry import Progress, ProgressCallback
from topicweave.kernels.csr import starts_of
from topicweave.kernels.greedy import level_queue, recount, sweep
from topicweave.kernels.greedy.level_queue import Preferred, TieOrder
from topicweave.kernels.greedy.pair_table import SEGMENT, PairTable, count_listed_rows
from topicweave.kernels.intrinsics import LINE_BYTES
from topicweave.kernels.jit import on_threads

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from topicweave.algorithms.filling import Filling
    from topicweave.algorithms.greedy.problem import Problem
    from topicweave.kernels.greedy.membership import Membership

TIES = {"lexicographic": level_queue.LEXICOGRAPHIC, "random": level_queue.RANDOM, "balanced": level_queue.BALANCED}
NOBODY_PREFERRED = Preferred(*(np.empty(0, dtype=kind) for kind in (np.int64, np.int32, np.int64)))
SLICE_SECONDS = 0.1
GOLDEN = np.uint64(0x9E3779B97F4A7C15)  # multiplier that spreads topic numbers over 64 bits
PAIRS_PER_THREAD = 96 << 10  # with fewer pairs, starting a thread and compiling the parallel sweep do not pay off

ProgressFn: TypeAlias = "Callable[[float], None]"
"""Called now and then with the share of the work that is done."""


@dataclass(frozen=True)
class Rule:
    """How a member of the greedy family chooses its links.

    Attributes
    ----------
    respects_max_degree
        Whether it prefers links that do not raise the maximum degree Δ.
    ratio
        How many times as much the best link must contribute for Δ to be raised (k of low; inf: only if no other link is
        left).
    max_links, max_degree
        The budget; None for no limit.
    fills
        Whether it adds links of contribution 0 before it raises Δ.
    """

    respects_max_degree: bool = False
    ratio: float = np.inf
    max_links: int | None = None
    max_degree: int | None = None
    fills: bool = False


@dataclass
class Task:
    """What a design has to connect, and how much of it is connected so far.

    Attributes
    ----------
    problem, members
        The problem, and the topic components of its nodes.
    degree
        Number of links of each node in the whole overlay, padded by ``SEGMENT``.
    rule
        How the next link is chosen.
    merges_left, connected
        The number of merges that connect everything, and how many have been made.
    delta
        Maximum degree of the whole overlay.
    num_used
        Links that already exist and count towards the budget.
    num_shown
        Links that progress reports.
    ties, seed
        The tie rule, and the seed by which ties are shuffled.
    preferred
        Pairs that come first among equally good ones, whatever the tie rule.
    filling
        The object that makes the links of contribution 0, if the rule asks for them.
    progress, phase
        The function to call with progress, and the name of the current phase.
    """

    problem: Problem
    members: Membership
    degree: NDArray[np.int32]
    rule: Rule
    merges_left: int
    delta: int
    connected: int = 0
    num_used: int = 0
    num_shown: int = 0
    ties: str = "balanced"
    seed: int = 0
    preferred: Preferred = NOBODY_PREFERRED
    filling: Filling | None = None
    progress: ProgressCallback | None = None
    phase: str = "linking"

    @property
    def share(self) -> float:
        """The share of the necessary merging that is done."""
        return self.connected / max(1, self.merges_left + self.connected)

    def tell(self, phase: str | None = None, level: int = 0) -> None:
        """Report progress, if a progress function was given."""
        if self.progress is not None:
            self.progress(Progress(phase or self.phase, self.num_shown, self.share, level))


def preferred_pairs(problem: Problem, links: NDArray[np.int64]) -> Preferred:
    """Preferred links, given as node numbers in order of preference, in the form that the kernels look up.

    Links that cannot connect anything are left out.
    """
    lower, higher = low_and_high(problem, links).T
    order = np.lexsort((higher, lower))
    start = starts_of(np.bincount(lower, minlength=problem.num_nodes))
    return Preferred(start, higher[order].astype(np.int32), order)


def run_loop(
    task: Task, pairs: PairTable | None = None, *, floor: int = 0
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Run the loop until it is done and update the task; return the links, as node numbers of the problem, and their
    contributions.

    Parameters
    ----------
    task
        What is to be connected.
    pairs
        The candidates with their first bounds; None for all pairs of nodes.
    floor
        The lowest contribution to consider when candidates come in rounds; 0 otherwise.
    """
    if pairs is None:
        pairs = first_bounds(task, None, np.empty((0, 2), dtype=np.int64), is_fresh=False)
    if not len(pairs.bound):  # the kernels would read an empty list of candidates as "all pairs"
        return np.empty((0, 2), dtype=np.int32), np.empty(0, dtype=np.int64)
    rule = task.rule
    state = np.zeros(1, dtype=sweep.STATE)[0]
    state.ratio, state.uses_delta = rule.ratio, rule.respects_max_degree
    state.delta = max(task.delta, int(task.degree.max()))
    state.max_links = sweep.NO_LIMIT if rule.max_links is None else rule.max_links
    state.max_degree = sweep.NO_LIMIT if rule.max_degree is None else rule.max_degree
    state.links_before, state.merges_left = task.num_used, task.merges_left
    state.floor, state.fills = floor, task.filling is not None
    num_threads = threads_for(pairs)
    ties = np.array([TIES[task.ties], shuffle_key(task.seed)], dtype=np.uint64)
    problem = task.problem
    names = problem.names.astype(np.uint64) if task.ties == "lexicographic" else problem.marks
    order = TieOrder(names, ties, task.preferred)
    nodes, buffer, batch, output = sweep.begin(
        state, task.members, pairs, task.degree, order, problem.topic_sizes, num_threads
    )
    whole, shown, work = task.merges_left + task.connected, task.num_shown, 1 << 20
    while state.phase != sweep.DONE:
        before = time.perf_counter()
        state.work = work
        sweep.sweep(state, task.members, pairs, nodes, buffer, batch, output, num_threads if num_threads > 1 else None)
        spent = time.perf_counter() - before
        task.merges_left, task.connected = int(state.merges_left), whole - int(state.merges_left)
        task.num_shown = shown + int(state.num_edges - state.links_before)
        task.tell(level=int(state.level))
        if state.phase == sweep.RECOUNT:
            lower_all_bounds(task, pairs, level=int(state.level))
            state.phase = sweep.CHOOSE
            continue
        if state.phase == sweep.FILL and task.filling is not None:
            task.filling.fill(int(state.delta), output.links[: int(state.num_edges - state.links_before)], task.degree)
            nodes.open_masks[sweep.OPEN][task.degree >= state.delta] = 0
            state.phase = sweep.CHOOSE
            continue
        # After a slice that was cut short the speed is uncertain, so the next slice may be at most twice as long. A
        # slice that took too long is halved.
        work = max(1 << 12, min(work * 2 if spent < SLICE_SECONDS / 2 else work, int(work * SLICE_SECONDS / spent) + 1))
    count = int(state.num_edges) - task.num_used
    task.num_used = int(state.num_edges)
    return output.links[:count], output.gains[:count].astype(np.int64)


@lru_cache(maxsize=16)
def shuffle_key(seed: int | tuple[int, ...]) -> np.uint64:
    """Turn the seed into the key that decides the order of equally good links."""
    return np.uint64(np.random.SeedSequence(seed).generate_state(1, np.uint64)[0])


def slices(length: int, tell: ProgressFn) -> Iterator[slice]:
    """Split the work into slices of about a tenth of a second, so that progress is reported and Ctrl-C handled between
    them.
    """
    first, size = 0, 1024
    while first < length:
        tell(first / length)
        begun = time.perf_counter()
        yield slice(first, min(length, first + size))
        first += size
        spent = time.perf_counter() - begun
        size = max(256, min(4 * size, int(size * SLICE_SECONDS / max(spent, 1e-9))))


# ---- tables of the pairs that may be linked --------------------------------------------------------------------------


def first_bounds(task: Task, given: NDArray[np.int64] | None, used: NDArray[np.int64], *, is_fresh: bool) -> PairTable:
    """The table of all pairs, or of the given ones, with initial upper bounds on contributions; pairs already linked
    are left out.

    ``is_fresh`` says that no link has been made yet.
    """
    problem = task.problem
    if given is not None:
        num_nodes = len(problem.position)
        pairs = listed_pairs(problem, given[~np.isin(codes(given, num_nodes), codes(used, num_nodes))])
        on_threads(threads_for(pairs), count_listed_rows, task.members, pairs)
        return pairs
    pairs = all_pairs(problem)
    if not is_fresh:
        for bounds in (pairs.bound, pairs.most, pairs.most_open, pairs.row_most):
            bounds.fill(np.iinfo(bounds.dtype).max)
    lower_all_bounds(task, pairs, is_fresh=is_fresh, phase="counting")
    ends = np.sort(problem.position[used], axis=1)
    ends = ends[ends[:, 0] >= 0]
    pairs.bound[pairs.start[ends[:, 0]] + ends[:, 1] - ends[:, 0] // SEGMENT * SEGMENT] = 0
    return pairs


def lower_all_bounds(
    task: Task, pairs: PairTable, *, is_fresh: bool = False, phase: str | None = None, level: int = 0
) -> None:
    """Recompute the bounds of a table of all pairs: each becomes the contribution that the pair has now.

    ``is_fresh`` says that no link has been made and there are no bounds yet.
    """
    members, sizes = task.members, task.problem.topic_sizes
    cost = recount.FRESH_COLUMN_COST if is_fresh else recount.COLUMN_COST
    _, from_columns = recount.plan(members, len(pairs.bound), sizes, cost)
    views = recount.list_subscribers(members, sizes, *columns(members, from_columns), from_columns)
    num_threads = threads_for(pairs)
    for part in slices(task.problem.num_nodes, lambda share: task.tell(phase, level)):
        what = views, members.rows, pairs, part.start, part.stop, is_fresh, np.zeros(1, dtype=np.int64)
        if num_threads == 1:  # on a single thread, call a simpler function, which compiles faster
            recount.count_rows(*what)
        else:
            recount.count_rows_on_threads(*what, num_threads)


def threads_for(pairs: PairTable) -> int:
    """The number of threads on which to count all pairs of a table."""
    num_threads: int = get_num_threads()
    return min(num_threads, 1 + len(pairs.bound) // PAIRS_PER_THREAD)


def columns(members: Membership, wanted: NDArray[np.bool_]) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """For each topic, which nodes subscribe to it and which of them are not connected yet, as bits; only for some
    groups of 64 topics.
    """
    num_nodes, words = len(members.rows), int(np.count_nonzero(wanted))
    # Use an odd number of cache lines per column. If columns were a multiple of a memory page apart, they would evict
    # each other from the cache.
    per_line = LINE_BYTES // 8
    lines = -(-(num_nodes + SEGMENT) // per_line) | 1
    turned = aligned((2, words, lines * per_line), np.uint64)
    turned[:, :, :num_nodes] = members.rows[:, :, wanted].transpose(1, 2, 0)
    turned[:, :, num_nodes:] = 0
    return turned[0], turned[1]


def all_pairs(problem: Problem) -> PairTable:
    """The table of every pair of nodes; the bounds are still to be computed."""
    row = np.arange(problem.num_nodes, dtype=np.int64)
    segment = starts_of((problem.num_nodes - 1) // SEGMENT - row // SEGMENT + 1)
    return table_of(problem, segment * SEGMENT, segment, np.empty(0, dtype=np.int32))


def low_and_high(problem: Problem, given: NDArray[np.int64]) -> NDArray[np.int64]:
    """Convert pairs of node numbers to the numbering of the problem, lower end first; drop pairs with an end outside
    the problem.
    """
    ends = np.sort(problem.position[given], axis=1)
    inside: NDArray[np.int64] = ends[(ends[:, 0] >= 0) & (ends[:, 0] < ends[:, 1])]
    return inside


def listed_pairs(problem: Problem, given: NDArray[np.int64]) -> PairTable:
    """The table of the given pairs, each listed once; pairs that cannot connect anything are left out."""
    ends = low_and_high(problem, given)
    code = np.unique(ends[:, 0] * problem.num_nodes + ends[:, 1])
    lengths = np.bincount(code // problem.num_nodes, minlength=problem.num_nodes)
    partners = (code % problem.num_nodes).astype(np.int32)
    return table_of(problem, starts_of(lengths), starts_of(-(-lengths // SEGMENT)), partners)


def table_of(
    problem: Problem, start: NDArray[np.int64], segment: NDArray[np.int64], partners: NDArray[np.int32]
) -> PairTable:
    """Make the table of candidate pairs from its rows; upper bounds on contributions are still to be computed."""
    kind = problem.bound_type
    return PairTable(
        bound=aligned((int(start[-1]),), kind),
        start=start,
        segment=segment,
        partners=partners,
        most=np.zeros(int(segment[-1]) + SEGMENT, dtype=kind),
        most_open=np.zeros(int(segment[-1]) + SEGMENT, dtype=kind),
        row_most=np.zeros(problem.num_nodes, dtype=kind),
        row_open=np.zeros(problem.num_nodes, dtype=kind),
        found=np.zeros(problem.num_nodes, dtype=np.int64),
        looked=np.zeros(problem.num_nodes, dtype=np.int64),
    )


def pairs_between_components(
    problem: Problem, members: Membership, draw: Callable[[NDArray[np.uint64]], NDArray[np.uint64]]
) -> NDArray[np.int64]:
    """For each component of a topic that is not connected to the largest, a pair of a node inside it with one outside,
    which is chosen by the random numbers that ``draw`` makes from hashes.
    """
    roots = np.flatnonzero(members.label == np.arange(len(members.label)))
    topic = problem.topics[roots]
    first = np.full(problem.num_topics, -1, dtype=np.int64)
    first[topic[::-1]] = roots[::-1]
    home = np.where(members.home < 0, first, members.home)[topic]
    away = roots != home
    start, nodes = problem.by_topic
    marks = problem.marks[members.owner[roots]] + topic.astype(np.uint64) * GOLDEN
    drawn = (draw(marks) >> np.uint64(11)) * 2.0**-53
    anybody = nodes[start[topic] + (drawn * np.diff(start)[topic]).astype(np.int64)]
    pairs = np.column_stack((members.owner[roots], np.where(drawn < 0.5, anybody, members.owner[home])))[away]
    chosen: NDArray[np.int64] = pairs[pairs[:, 0] != pairs[:, 1]].astype(np.int64)
    return chosen
