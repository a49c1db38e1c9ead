"""The greedy family (GM, MinMax-ODA, Low-ODA, GPA, GPM): one loop, a table of rules.

*While something is not connected, take the link that the rule names; add it; contributions fall.* The loop is
:func:`topicweave.kernels.sweep.sweep`; this file gives it its arrays, slices its work, and says what came out.
"""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numba import get_num_threads

from topicweave.algorithms import near
from topicweave.algorithms import problem as build
from topicweave.algorithms.memory import NEAR, check_memory
from topicweave.algorithms.outcome import Outcome, Progress, ProgressCallback
from topicweave.kernels import finds
from topicweave.kernels import pairs as table
from topicweave.kernels import sweep as loop
from topicweave.kernels.jit import is_compiled
from topicweave.kernels.membership import Membership, connect_all
from topicweave.model.design import Round

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from topicweave.model import Interest, Overlay

log = logging.getLogger("topicweave.algorithms")

TIES = {"lexicographic": finds.LEXICOGRAPHIC, "random": finds.RANDOM, "balanced": finds.BALANCED}
SLICE_SECONDS = 0.1


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


def gm(interest: Interest, *, passes: int = 1, **options: Any) -> Outcome:
    """Greedy Merge: always the link of largest contribution.

    Solves Min-TCO (fewest links) within a factor log(Σ|T(v)|) of the optimum. With ``passes=k`` the whole is repeated
    with unused pairs, every pass starting with all components apart, which gives k link-disjoint overlays.

    References
    ----------
    GM §6.1, Algorithms 1-3; passes: §6.4.
    """
    return _greedy(interest, Rule(), passes=passes, **options)


def gpa(interest: Interest, *, m: int, **options: Any) -> Outcome:
    """Greedy for Partial TCO with an Average-degree budget: as gm, at most ``m`` links.

    References
    ----------
    PART §V, Algorithm 1; its loop condition ``|E| ≤ m`` is read as ``|E| < m``.
    """
    return _greedy(interest, Rule(max_links=m), **options)


def minmax(interest: Interest, **options: Any) -> Outcome:
    """MinMax-ODA: the link of largest contribution among those that raise the maximum degree least.

    Solves MinMax-TCO (least maximum degree) within a factor O(log(|V|·|T|)) of the optimum.

    References
    ----------
    LOW §II-A.
    """
    return _greedy(interest, Rule(spares_delta=True), **options)


def gpm(interest: Interest, *, d: int, **options: Any) -> Outcome:
    """Greedy for Partial TCO with a Maximum-degree budget: as minmax, no node above degree ``d``.

    References
    ----------
    PART §VII, Algorithm 3.
    """
    return _greedy(interest, Rule(spares_delta=True, max_degree=d), **options)


def low(interest: Interest, *, k: float = 3.0, **options: Any) -> Outcome:
    """Low-ODA: what minmax would take, unless what gm would take contributes more than ``k`` times as much.

    Average degree within O(k·log(|V|·|T|)), maximum degree within O(|V|/k·log(|V|·|T|)) of the optimum.

    References
    ----------
    LOW §III; SHADOW Algorithm 2 for a start overlay, given pairs and topics.
    """
    return _greedy(interest, Rule(spares_delta=True, ratio=k), **options)


def _greedy(
    interest: Interest,
    rule: Rule,
    *,
    passes: int = 1,
    start: Overlay | None = None,
    pairs: NDArray[np.int64] | None = None,
    topics: NDArray[np.int64] | None = None,
    ties: str = "balanced",
    seed: int = 0,
    memory_limit: int | None = None,
    progress: ProgressCallback | None = None,
    num_candidates: int | None = None,
    search: near.Search = near.search,
) -> Outcome:
    if not is_compiled(Path(loop.__file__)):
        log.info("compiling the sweep: half a minute, once")
        if progress is not None:
            progress(Progress("compiling (first run only)", 0, 0.0))
    reduced = build.reduce(interest, topics)
    if num_candidates is None:
        needed = build.table_bytes(reduced, None if pairs is None else len(pairs))
        check_memory(interest.num_nodes, needed, memory_limit)
    else:
        check_memory(interest.num_nodes, near.memory(reduced, num_candidates), memory_limit, NEAR)
    begun = start.edges if start is not None else np.empty((0, 2), dtype=np.int64)
    used = begun
    edges: list[NDArray[np.int64]] = []
    gains: list[NDArray[np.int64]] = []
    starts: list[int] = []
    notes: list[str] = []
    rounds: list[Round] = []
    for number in range(passes):
        added, gain, left = _one_pass(
            interest, reduced, rule, begun if number == 0 else begun[:0], used, pairs, ties, seed, progress,
            f"pass {number + 1} of {passes}" if passes > 1 else "linking", num_candidates, search, rounds,
        )  # fmt: skip
        starts.append(sum(len(gain) for gain in gains))
        edges.append(added)
        gains.append(gain)
        used = np.concatenate((used, added))
        if left and number > 0:
            notes.append(
                f"Pass {number + 1} of {passes} left {left} topic components unconnected: too few unused pairs remain."
            )
        if not len(added):
            break  # neither will any later pass find a pair
    return Outcome(np.concatenate(edges), np.concatenate(gains), tuple(starts), tuple(notes), tuple(rounds))


def _one_pass(
    interest: Interest,
    reduced: build.Problem,
    rule: Rule,
    begun: NDArray[np.int64],
    used: NDArray[np.int64],
    pairs: NDArray[np.int64] | None,
    ties: str,
    seed: int,
    progress: ProgressCallback | None,
    phase: str,
    num_candidates: int | None,
    search: near.Search,
    rounds: list[Round],
) -> tuple[NDArray[np.int64], NDArray[np.int64], int]:
    """Run the loop once; return the links, what they contributed, and how many merges are still to do."""
    members = build.membership(reduced, has_bits=num_candidates is None or near.has_bits(reduced))
    degree = np.zeros(reduced.num_nodes + table.SEGMENT, dtype=np.int32)
    everywhere = np.bincount(used.ravel(), minlength=interest.num_nodes)
    degree[: reduced.num_nodes] = everywhere[reduced.names]
    inside = reduced.position[begun]
    inside = inside[(inside >= 0).all(axis=1)]
    connected = connect_all(members, inside, np.zeros_like(degree))
    to_do = len(reduced.topics) - reduced.num_topics - connected
    total = max(1, to_do + connected)
    begin: dict[str, Any] = {
        "delta": int(everywhere.max(initial=0)), "num_used": len(used), "connected": connected, "ties": ties,
        "seed": seed, "progress": progress, "phase": phase,
    }  # fmt: skip
    if num_candidates is not None:
        links, contribution = _in_rounds(
            reduced, members, degree, rule, to_do, used, num_candidates, search, rounds, begin
        )
    else:
        tell = _teller(progress, Progress("counting", 0, connected / total))
        candidates = _candidates(reduced, members, pairs, used, connected == 0, tell)
        links, contribution = run_loop(reduced, members, candidates, degree, rule, to_do, **begin)
    ends = np.sort(reduced.names[links], axis=1).reshape(-1, 2)
    return ends, contribution, to_do - int(contribution.sum())


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
        candidates = _candidates(reduced, members, None, np.empty((0, 2), dtype=np.int64), False, _teller(None, None))
    control = _control(rule, ties, num_used, delta)
    control[loop.FLOOR] = floor
    kind = members.away.dtype
    masks = np.full((2, len(degree)), np.iinfo(kind).max, dtype=kind)
    masks[loop.OPEN, degree >= control[loop.DELTA]] = 0
    links = np.empty((to_do, 2), dtype=np.int32)
    gains = np.empty(to_do, dtype=np.int32)
    which = np.empty(reduced.num_nodes, dtype=np.int64)
    room = build.lot_size(candidates)
    lot = build.lot(room)
    found = build.finds(reduced, room, control[loop.WORKERS], TIES[ties], _shuffle_key(seed))
    sizes = np.bincount(reduced.topics, minlength=reduced.num_topics).astype(np.int64)
    work = 1 << 20
    while control[loop.PHASE] != loop.DONE:
        before = time.perf_counter()
        loop.sweep(
            members, candidates, found, degree, masks, sizes, control, rule.ratio, which, lot, links, gains, work
        )
        spent = time.perf_counter() - before
        done = (connected - int(control[loop.COMPONENTS])) / max(1, to_do + connected)
        num_links = int(control[loop.LINKS]) - num_used + num_shown
        tell = _teller(progress, Progress(phase, num_links, done, int(control[loop.LEVEL])))
        tell()
        if control[loop.PHASE] == loop.RECOUNT:
            _recount(reduced, members, candidates, tell)
            control[loop.PHASE] = loop.CHOOSE
            continue
        # A slice that was cut short says little about speed; one that ran long is halved at once.
        work = max(1 << 12, min(work * 2 if spent < SLICE_SECONDS / 2 else work, int(work * SLICE_SECONDS / spent) + 1))
    count = int(control[loop.LINKS]) - num_used
    return links[:count], gains[:count].astype(np.int64)


def _in_rounds(
    reduced: build.Problem,
    members: Membership,
    degree: NDArray[np.int32],
    rule: Rule,
    to_do: int,
    used: NDArray[np.int64],
    num_candidates: int,
    search: near.Search,
    story: list[Round],
    begin: dict[str, Any],
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Run the loop on near candidates, chosen anew for every round."""
    links = [np.empty((0, 2), dtype=np.int32)]
    gains = [np.empty(0, dtype=np.int64)]
    merged = 0
    inside = reduced.position[used]
    rounds = near.Rounds(
        reduced, members, degree, num_candidates, spares_delta=rule.spares_delta, ratio=rule.ratio,
        struck=inside[(inside >= 0).all(axis=1)], seed=begin["seed"], search=search,
    )  # fmt: skip
    total = max(1, to_do + begin["connected"])

    def tell(share: float) -> None:
        if begin["progress"] is not None:
            phase = f"round {rounds.number}: {share:.0%} of the search for partners"
            begin["progress"](Progress(phase, sum(map(len, links)), (begin["connected"] + merged) / total))

    while merged < to_do and (candidates := rounds.next(tell)) is not None:
        now = {
            "delta": max(begin["delta"], int(degree.max())), "num_shown": sum(map(len, links)),
            "num_used": begin["num_used"] + sum(map(len, links)),
            "connected": begin["connected"] + merged, "phase": f"round {rounds.number}", "floor": rounds.floor,
        }  # fmt: skip
        found, gain = run_loop(reduced, members, candidates, degree, rule, to_do - merged, **{**begin, **now})
        links.append(found)
        gains.append(gain)
        merged += int(gain.sum())
        story.append(Round(rounds.floor, rounds.num_searching, rounds.num_pairs, len(found), to_do - merged))
        log.info("round %d: %s", rounds.number, story[-1])
    return np.concatenate(links), np.concatenate(gains)


@lru_cache(maxsize=16)
def _shuffle_key(seed: int) -> np.uint64:
    return np.uint64(np.random.SeedSequence(seed).generate_state(1, np.uint64)[0])


def _control(rule: Rule, ties: str, num_links: int, delta: int) -> NDArray[np.int64]:
    control = np.zeros(loop.NUM_CONTROL, dtype=np.int64)
    control[loop.OPEN_CAP] = control[loop.TOP_CAP] = loop.NO_LIMIT
    control[loop.LINKS] = num_links
    control[loop.OFFSET] = num_links
    control[loop.MAX_LINKS] = loop.NO_LIMIT if rule.max_links is None else rule.max_links
    control[loop.MAX_DEGREE] = loop.NO_LIMIT if rule.max_degree is None else rule.max_degree
    control[loop.USES_DELTA] = rule.spares_delta
    control[loop.DELTA] = delta if rule.spares_delta else loop.NO_LIMIT
    control[loop.TIES] = TIES[ties]
    control[loop.WORKERS] = get_num_threads()
    if rule.max_degree is not None and delta > rule.max_degree:
        control[loop.PHASE] = loop.DONE
    return control


def _candidates(
    reduced: build.Problem,
    members: Membership,
    pairs: NDArray[np.int64] | None,
    used: NDArray[np.int64],
    fresh: bool,
    tell: Callable[[], None],
) -> table.Pairs:
    """The table of candidate pairs with their first bounds; used ones struck."""
    if pairs is not None:
        code = np.sort(pairs, axis=1) @ np.array([len(reduced.position), 1])
        taken = np.sort(used, axis=1) @ np.array([len(reduced.position), 1])
        candidates = build.listed_pairs(reduced, pairs[~np.isin(code, taken)])
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
    """Lower every bound of a dense table to what is true now, the cheaper way; fresh: nobody is connected yet."""
    num_pairs = max(1, len(candidates.bound))
    sizes = np.bincount(reduced.topics, minlength=reduced.num_topics)
    by_columns, by_lists = loop.recount_cost(members, num_pairs, sizes)
    threads = get_num_threads()
    by_bits = (by_columns / 2 if fresh else by_columns) <= by_lists
    if first_time and not (fresh and by_bits):
        build.unbound(candidates)
    if by_bits:
        columns, away = build.columns(members)
        for first, last in _row_slices(reduced.num_nodes, by_columns / num_pairs):
            table.count_rows_by_columns(columns, away, candidates, first, last, fresh, threads)
            tell()
    else:
        lists = build.subscriber_lists(reduced, members)
        for first, last in _row_slices(reduced.num_nodes, by_lists / num_pairs):
            table.count_rows_by_lists(lists, candidates, first, last, threads)
            tell()


def _teller(progress: ProgressCallback | None, step: Progress | None) -> Callable[[], None]:
    """A function that tells where we stand, or nothing if nobody listens."""
    return lambda: None if progress is None or step is None else progress(step)


def _row_slices(num_rows: int, cost: float) -> Iterator[tuple[int, int]]:
    """Rows in slices short enough for Ctrl-C; cost = nanoseconds per pair."""
    step = max(1, int(SLICE_SECONDS * 1e9 / max(1.0, num_rows * cost)))
    for first in range(0, num_rows, step):
        yield first, min(num_rows, first + step)
