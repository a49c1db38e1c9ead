"""The loop of the greedy family on arrays that are ready: its slices, its progress, and when to lower all bounds."""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numba import get_num_threads

from topicweave.algorithms.greedy import problem as build
from topicweave.algorithms.registry import Progress, ProgressCallback
from topicweave.kernels.greedy import finds, lots, recount, sweep
from topicweave.kernels.greedy import pair_table as table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from topicweave.kernels.greedy.membership import Membership

TIES = {"lexicographic": finds.LEXICOGRAPHIC, "random": finds.RANDOM, "balanced": finds.BALANCED}
SLICE_SECONDS = 0.1

Teller: TypeAlias = "Callable[[float], None]"
"""Is told now and then which share is done."""


@dataclass(frozen=True)
class Rule:
    """What a member of the family looks at.

    Attributes
    ----------
    spares_delta
        Prefers links that leave the maximum degree Δ as it is.
    ratio
        How many times more the best link must contribute before Δ is raised for it (k of low; inf: only at need).
    max_links, max_degree
        The budget; None for no limit.
    """

    spares_delta: bool = False
    ratio: float = np.inf
    max_links: int | None = None
    max_degree: int | None = None


def run_loop(
    reduced: build.Problem,
    members: Membership,
    candidates: table.Pairs | None,
    degree: NDArray[np.int32],
    rule: Rule,
    to_do: int,
    *,
    delta: int,
    num_used: int = 0,
    num_shown: int = 0,
    connected: int = 0,
    ties: str = "balanced",
    seed: int = 0,
    progress: ProgressCallback | None = None,
    phase: str = "linking",
    floor: int = 0,
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Run the loop on arrays that are ready; return the links, by numbers of the problem, and what they contributed.

    Parameters
    ----------
    reduced, members, candidates
        The problem, the components its nodes are in, and the bounded table of pairs (None: all pairs).
    degree
        Links of each node in the whole overlay, padded by ``SEGMENT``; raised in place.
    rule
        Which link to take.
    to_do
        How many merges connect everything.
    delta
        Maximum degree of the whole overlay.
    num_used, connected
        Links and merges there are already: they count for the budget and the progress.
    num_shown
        Links of those that the progress tells of: the ones of earlier rounds.
    floor
        The least contribution to go down to, when candidates come in rounds; 0 if they do not.
    """
    if candidates is None:
        candidates = first_candidates(
            reduced, members, None, np.empty((0, 2), dtype=np.int64), False, teller(None, None)
        )
    if not len(candidates.bound):  # a list of no pairs: the kernels would take it for all pairs
        return np.empty((0, 2), dtype=np.int32), np.empty(0, dtype=np.int64)
    threads = get_num_threads()
    control = sweep.first_control(
        num_used,
        sweep.NO_LIMIT if rule.max_links is None else rule.max_links,
        sweep.NO_LIMIT if rule.max_degree is None else rule.max_degree,
        rule.spares_delta, delta, TIES[ties], threads, floor,
    )  # fmt: skip
    masks = sweep.first_masks(degree, members.away, control[sweep.DELTA])
    links = np.empty((to_do, 2), dtype=np.int32)
    gains = np.empty(to_do, dtype=np.int32)
    which = np.empty(reduced.num_nodes, dtype=np.int64)
    lot = lots.room_for_lot(lots.lot_size(len(candidates.bound), len(candidates.partners) > 0))
    found = finds.room_for_finds(len(lot.entry), threads, reduced.names, TIES[ties], shuffle_key(seed))
    work = 1 << 20
    while control[sweep.PHASE] != sweep.DONE:
        before = time.perf_counter()
        sweep.sweep(
            members, candidates, found, degree, masks, reduced.topic_sizes, control, rule.ratio, which, lot, links,
            gains, work,
        )  # fmt: skip
        spent = time.perf_counter() - before
        done = (connected - int(control[sweep.COMPONENTS])) / max(1, to_do + connected)
        num_links = int(control[sweep.LINKS]) - num_used + num_shown
        tell = teller(progress, Progress(phase, num_links, done, int(control[sweep.LEVEL])))
        tell()
        if control[sweep.PHASE] == sweep.RECOUNT:
            _recount(reduced, members, candidates, tell)
            control[sweep.PHASE] = sweep.CHOOSE
            continue
        # A slice that was cut short says little about speed; one that ran long is halved at once.
        work = max(1 << 12, min(work * 2 if spent < SLICE_SECONDS / 2 else work, int(work * SLICE_SECONDS / spent) + 1))
    count = int(control[sweep.LINKS]) - num_used
    return links[:count], gains[:count].astype(np.int64)


@lru_cache(maxsize=16)
def shuffle_key(seed: int) -> np.uint64:
    """By which ties are shuffled."""
    return np.uint64(np.random.SeedSequence(seed).generate_state(1, np.uint64)[0])


def first_candidates(
    reduced: build.Problem,
    members: Membership,
    pairs: NDArray[np.int64] | None,
    used: NDArray[np.int64],
    fresh: bool,
    tell: Callable[[], None],
) -> table.Pairs:
    """The table of candidate pairs with their first bounds; used ones struck."""
    if pairs is not None:
        num_nodes = len(reduced.position)
        is_used = np.isin(build.codes(pairs, num_nodes), build.codes(used, num_nodes))
        candidates = build.listed_pairs(reduced, pairs[~is_used])
        table.count_listed_rows(members, candidates, get_num_threads())
        return candidates
    candidates = build.all_pairs(reduced)
    _recount(reduced, members, candidates, tell, first_time=True, fresh=fresh)
    if len(used):
        build.exclude(reduced, candidates, used)
    return candidates


def _recount(
    reduced: build.Problem,
    members: Membership,
    candidates: table.Pairs,
    tell: Callable[[], None],
    first_time: bool = False,
    fresh: bool = False,
) -> None:
    """Lower every bound of a dense table to what is true now; fresh: nobody is connected yet."""
    if first_time and not fresh:
        build.unbound(candidates)
    _, by_columns = recount.plan(members, len(candidates.bound), reduced.topic_sizes, fresh)
    threads = get_num_threads()
    columns, away = build.columns(members, by_columns)
    lists = build.subscriber_lists(reduced, members, by_columns)
    for part in slices(reduced.num_nodes, lambda share: tell()):
        turn = np.zeros(1, dtype=np.int64)
        recount.count_rows(columns, away, lists, members.rows, candidates, turn, part.start, part.stop, fresh, threads)


def teller(progress: ProgressCallback | None, step: Progress | None) -> Callable[[], None]:
    """A function that tells where we stand, or nothing if nobody listens."""
    return lambda: None if progress is None or step is None else progress(step)


def slices(length: int, tell: Teller) -> Iterator[slice]:
    """Parts of a whole that take about a tenth of a second each, so that progress is told and Ctrl-C honoured."""
    first, size = 0, 1024
    while first < length:
        tell(first / length)
        begun = time.perf_counter()
        yield slice(first, min(length, first + size))
        first += size
        spent = time.perf_counter() - begun
        size = max(256, min(4 * size, int(size * SLICE_SECONDS / max(spent, 1e-9))))
