"""The greedy loop of the whole family, as a level sweep (GM Alg. 3, LOW §III, PART Alg. 1 and 3, SHADOW Alg. 2).

Contributions only fall. So the loop goes down level by level: lower the bounds of the pairs that could be at the level
(``kernels.refresh``), gather those that still could in tie order, look at each exactly, link it if it is truly at
the level. Every pair of the level is looked at once; a pair that has fallen below is met again at its own level.

Ties: ``lexicographic`` by node numbers, ``random`` by a hash of them, ``balanced`` by the larger and then the smaller
degree of the two ends at that moment, then by the hash. Pairs are taken in lots (``kernels.lots``), so ``balanced``
compares within a lot.

Rules differ in which pairs are *open*. ``gm`` and ``gpa``: all. ``minmax``, ``gpm`` and ``low``: those whose link
leaves the maximum degree Δ as it is. When no open pair is good enough (for minmax: has any contribution; for low: at
least 1/k of the best pair's) the best pair of all is linked, Δ rises, and everything is open again.

Near candidates come in rounds: then a round ends at a level of its own (``FLOOR``), or when Δ rose.

The loop stops after ``work`` units and goes on at the next call from what ``control`` holds, so that the caller can
report progress and honour Ctrl-C.
"""

import numpy as np

from topicweave.kernels.greedy.finds import BALANCED, forget, room_for_finds
from topicweave.kernels.greedy.lots import (
    MOST_PUT_BACK,
    RANK_BITS,
    degrees_first,
    gather,
    line_up,
    lot_size,
    room_for_lot,
    sift_down,
    sift_up,
)
from topicweave.kernels.greedy.membership import (
    bound_of,
    connect_by_bits,
    connect_by_lists,
    contribution_by_lists,
    contribution_of,
)
from topicweave.kernels.greedy.pair_table import SEGMENT
from topicweave.kernels.greedy.recount import PASS_COST, plan
from topicweave.kernels.greedy.refresh import refresh_rows, refresh_some, reopen
from topicweave.kernels.jit import njit

# Fields of ``control`` (int64).
PHASE, LEVEL, MODE, DELTA, OPEN_CAP, TOP_CAP = 0, 1, 2, 3, 4, 5
ROWS, NEXT_ROW, FOUND, LOOKED, IN_LOT, NEXT = 6, 7, 8, 9, 10, 11
LINKS, OFFSET, COMPONENTS, MAX_LINKS, MAX_DEGREE, USES_DELTA, TIES, WORKERS = 12, 13, 14, 15, 16, 17, 18, 19
FLOOR = 20  # least level of this round; 0 = there are no rounds
IN_HEAP = 21  # pairs of the lot that wait in the heap
ASK_AT = 22  # value of LOOKED at which to ask again whether to lower all bounds
JUST_OPENED = 23  # Δ has risen, so everything is open again
NUM_CONTROL = 24

CHOOSE, REFRESH, SETTLE, RECOUNT, DONE = 0, 1, 2, 3, 4  # phases
OPEN, ANY = 0, 1  # modes: among open pairs; the best of all, once

CHUNK = 1 << 16  # segments refreshed at a time
# What a look at a pair costs, and each word of its bit rows, in nanoseconds, as far as counting anew would save it.
LOOK_COST, WORD_COST = 6.0, 0.5
ROUNDING = 1e-12  # 21 / 1.4 is above 15 in floating point
EARLIER = 3.0  # what was spent counts so many times when Δ has just risen
# Segments to open: fewer are not worth a second thread. Over all pairs the threads are awake, levels follow each other
# so closely; listed pairs are often a few of an event under churn, and waking costs more.
FEW, FEW_LISTED = 64, 512
NO_LIMIT = 1 << 60


@njit
def first_control(num_links, max_links, max_degree, uses_delta, delta, ties, workers, floor):
    """What ``control`` holds before the sweep; NO_LIMIT for budgets that there are not."""
    control = np.zeros(NUM_CONTROL, np.int64)
    control[OPEN_CAP] = control[TOP_CAP] = NO_LIMIT
    control[LINKS] = control[OFFSET] = num_links
    control[MAX_LINKS], control[MAX_DEGREE] = max_links, max_degree
    control[USES_DELTA], control[DELTA] = uses_delta, delta if uses_delta else NO_LIMIT
    control[TIES], control[WORKERS], control[FLOOR] = ties, workers, floor
    control[PHASE] = DONE if delta > max_degree else CHOOSE
    return control


@njit
def first_masks(degree, kind, delta):
    """By mode, which nodes may take links at first; kind: an array of the type of bounds."""
    masks = np.full((2, len(degree)), ~kind.dtype.type(0), kind.dtype)
    for v in range(len(degree)):
        if degree[v] >= delta:
            masks[OPEN, v] = 0
    return masks


@njit
def _recount_pays(members, pairs, control, sizes):
    """Whether lowering all bounds costs less than what was spent on single pairs since that was last done.

    So it at most doubles the time; and when most topics are nearly connected it saves most of what is left. When Δ has
    just risen, everything is open again, and so much will be looked at that a third of the cost is reason enough.
    """
    spent = (LOOK_COST + WORD_COST * members.rows.shape[2]) * control[LOOKED]
    if control[JUST_OPENED]:
        spent *= EARLIER
    control[JUST_OPENED] = 0
    control[ASK_AT] = control[LOOKED] + control[LOOKED] // 16 + 1 if len(pairs.partners) == 0 else NO_LIMIT
    if len(pairs.partners) > 0 or spent < PASS_COST * len(pairs.bound):
        return False
    return plan(members, len(pairs.bound), sizes, False)[0] < spent


@njit
def _choose(pairs, open_masks, control, ratio):
    """Decide the next level and mode."""
    best_open = min(np.int64(_largest(pairs.row_open, open_masks[OPEN], 0, len(pairs.row_open))), control[OPEN_CAP])
    best = min(np.int64(_largest(pairs.row_most, open_masks[ANY], 0, len(pairs.row_most))), control[TOP_CAP])
    if control[LINKS] >= control[MAX_LINKS]:
        control[PHASE] = DONE
        return
    enough = best / ratio * (1 - ROUNDING)
    if best_open > 0 and (not control[USES_DELTA] or best_open >= enough):
        control[MODE], control[LEVEL] = OPEN, best_open
    elif control[USES_DELTA] and best > 0 and control[DELTA] < control[MAX_DEGREE]:
        control[MODE], control[LEVEL] = ANY, best
        if control[FLOOR] > max(1.0, enough):  # open pairs below the floor, not listed yet, may be good enough
            control[PHASE] = DONE
            return
    else:
        control[PHASE] = DONE
        return
    if control[LEVEL] < control[FLOOR]:
        control[PHASE] = DONE
        return
    control[PHASE] = REFRESH
    control[ROWS] = -1


@njit
def _largest(bounds, mask, first, last):
    """The largest of these bounds of nodes that may take links."""
    kind = bounds.dtype.type
    largest = kind(0)
    for u in range(np.uint64(first), np.uint64(last)):
        largest = max(largest, kind(bounds[u] & mask[u]))
    return largest


@njit
def _list_rows(pairs, finds, open_masks, control, which):
    """List the rows that may have a pair of the level."""
    forget(finds)
    mask = open_masks[control[MODE]]
    bounds = pairs.row_open if control[MODE] == OPEN else pairs.row_most
    count = 0
    for first in range(0, len(bounds), SEGMENT):  # most blocks of rows have none
        last = min(first + SEGMENT, len(bounds))
        if _largest(bounds, mask, first, last) >= control[LEVEL]:
            for u in range(first, last):
                which[count] = u
                count += bounds[u] & mask[u] >= control[LEVEL]
    control[ROWS], control[NEXT_ROW], control[FOUND] = count, 0, 0


@njit
def _are_few_to_open(pairs, rows, level, any_pair):
    """Whether few segments of these rows can hold a pair of the level."""
    most = pairs.most if any_pair else pairs.most_open
    few = FEW if len(pairs.partners) == 0 else FEW_LISTED
    count = 0
    for u in rows:
        for m in most[pairs.segment[u] : pairs.segment[u + 1]]:
            count += m >= level
        if count > few:
            return False
    return True


@njit
def _refresh(members, pairs, finds, open_masks, control, which):
    """Refresh the next rows of the list; return the work done."""
    first = control[NEXT_ROW]
    last = first
    segments = 0
    while last < control[ROWS] and segments < CHUNK:
        segments += pairs.segment[which[last] + 1] - pairs.segment[which[last]]
        last += 1
    mask = open_masks[control[MODE]]
    any_pair = control[MODE] == ANY
    level, workers = control[LEVEL], control[WORKERS]
    turn = np.zeros(1, np.int64)
    look = level - (level >> 4)  # to look somewhat below the level saves a later visit
    if workers > 1 and not _are_few_to_open(pairs, which[first:last], level, any_pair):
        refresh_rows(members, mask, pairs, finds, turn, which[first:last], level, look, any_pair, workers)
    else:
        # Waking the others would cost more than a little work.
        refresh_some(members, mask, pairs, finds, 0, turn, which[first:last], level, look, any_pair)
    for i in range(first, last):
        control[FOUND] += pairs.found[which[i]]
        control[LOOKED] += pairs.looked[which[i]]
    control[NEXT_ROW] = last
    return segments


@njit
def _settle(members, pairs, degree, open_masks, control, lot, links, gains, work):
    """Look at the pairs of the lot in order and link those truly at the level; return the work left.

    NEXT counts the pairs that are through, or wait in the heap. Under ``balanced`` the next is the first of line and
    heap; if its degrees have risen, and it is still at the level, it has to wait.
    """
    level, mode, balanced = control[LEVEL], control[MODE], control[TIES] == BALANCED
    mask = open_masks[mode]
    rows, away, bound = members.rows, members.away, pairs.bound
    indptr, topics, label, has_bits = members.indptr, members.topics, members.label, rows.shape[2] > 0
    entry, us, vs, order, put_back = lot.entry, lot.u, lot.v, lot.order, lot.put_back
    line, heap = lot.line, lot.heap
    while work > 0:
        work -= 1
        in_line, waiting = control[IN_LOT] - control[NEXT], control[IN_HEAP]
        if in_line == 0 and waiting == 0:
            _finish_lot(control)
            return work
        has_waited = waiting > 0 and (in_line == 0 or heap[0] < line[control[NEXT]])
        place = heap[0] if has_waited else line[control[NEXT]]
        rank = place & ((1 << RANK_BITS) - 1) if balanced else control[NEXT]
        i = order[rank]
        u, v = us[i], vs[i]
        is_open = mask[u] != 0 and mask[v] != 0
        now = 0
        has_to_wait = False
        if is_open:
            now = np.int64(away[u]) + np.int64(away[v])  # unsigned ones would make it a float
            if now >= level:
                now = bound_of(rows, u, v) if has_bits else contribution_by_lists(indptr, topics, label, u, v)
            if now >= level and balanced:
                new_place = degrees_first(degree, us, vs, order, rank)
                has_to_wait = new_place != place and put_back[rank] < MOST_PUT_BACK
                place = new_place
            if now >= level and has_bits and not has_to_wait:
                now = contribution_of(rows, members.first, label, u, v, now)
        if has_waited:
            heap[0] = heap[waiting - 1]
            control[IN_HEAP] = waiting = waiting - 1
            sift_down(heap, waiting, 0)
        else:
            control[NEXT] += 1
        if has_to_wait:
            put_back[rank] += 1
            sift_up(heap, place, waiting)
            control[IN_HEAP] = waiting + 1
            continue
        if not is_open:
            continue
        if now < level:
            bound[entry[i]] = now
            continue
        bound[entry[i]] = 0
        link = control[LINKS] - control[OFFSET]
        links[link, 0], links[link, 1] = u, v
        gains[link] = connect_by_bits(members, u, v) if has_bits else connect_by_lists(members, u, v)
        degree[u] += 1
        degree[v] += 1
        control[LINKS] += 1
        control[COMPONENTS] -= level
        if control[COMPONENTS] + len(links) == 0:  # all merges that were to do are done
            control[PHASE] = DONE
            return work
        if mode == ANY:
            control[DELTA] = max(control[DELTA], max(degree[u], degree[v]))
            control[OPEN_CAP], control[JUST_OPENED] = NO_LIMIT, 1
            reopen(pairs)
            open_masks[OPEN, :] = open_masks[ANY]
        _close(open_masks, degree, u, v, control[DELTA])
        if mode == ANY or control[LINKS] >= control[MAX_LINKS]:
            # Where pairs come in rounds, new ones are looked for as soon as everything is open again.
            control[PHASE] = CHOOSE if control[FLOOR] == 0 else DONE
            return work
    return work


@njit
def _finish_lot(control):
    """Go on with the next lot of the level if there may be one, else with the next level."""
    if control[FOUND] > control[IN_LOT]:
        control[PHASE] = REFRESH
        control[ROWS] = -1
    else:
        _finish_level(control)


@njit
def _close(open_masks, degree, u, v, delta):
    """Nodes that have Δ links may take no more."""
    if degree[u] >= delta:
        open_masks[OPEN, u] = 0
    if degree[v] >= delta:
        open_masks[OPEN, v] = 0


@njit
def _finish_level(control):
    if control[MODE] == OPEN:
        control[OPEN_CAP] = control[LEVEL] - 1
        if not control[USES_DELTA]:
            control[TOP_CAP] = control[LEVEL] - 1
    else:
        control[TOP_CAP] = control[LEVEL] - 1
    control[PHASE] = CHOOSE


@njit
def sweep(members, pairs, finds, degree, open_masks, sizes, control, ratio, which, lot, links, gains, work):
    """Go on with the sweep for about ``work`` units.

    open_masks, bound type (2, n + SEGMENT): by mode, all bits set for nodes that may take links. sizes int64 (topics):
    subscribers. ratio: k of ``low`` (inf for minmax and gpm). finds, which int64 (n), lot: scratch.
    links int32 (to do, 2), gains int32 (to do): output, with room for as many links as merges connect everything.
    ``control[PHASE]`` says whether it is DONE, or whether the caller should lower all bounds (RECOUNT) and go on with
    CHOOSE.
    """
    while control[PHASE] != DONE and work > 0:
        if control[PHASE] == CHOOSE:
            is_asked = control[LOOKED] >= control[ASK_AT] or control[JUST_OPENED]
            if is_asked and _recount_pays(members, pairs, control, sizes):
                control[LOOKED] = control[ASK_AT] = 0
                control[PHASE] = RECOUNT
                return
            _choose(pairs, open_masks, control, ratio)
            work -= 1
        elif control[PHASE] == REFRESH:
            if control[ROWS] < 0:
                _list_rows(pairs, finds, open_masks, control, which)
            work -= 16 * _refresh(members, pairs, finds, open_masks, control, which)
            if control[NEXT_ROW] < control[ROWS]:
                continue
            if control[FOUND] == 0:
                _finish_level(control)
                continue
            control[IN_LOT], control[NEXT], control[IN_HEAP] = gather(finds, control[FOUND], lot), 0, 0
            if control[TIES] == BALANCED:
                line_up(degree, lot, control[IN_LOT])
            control[PHASE] = SETTLE
            work -= control[IN_LOT] // 8
        else:
            work = _settle(members, pairs, degree, open_masks, control, lot, links, gains, work)


@njit
def sweep_listed(members, pairs, names, degree, ratio, delta, ties, seed, to_do):
    """All of the sweep for few listed pairs in one call, as ``low`` (ratio: its k); return the links.

    Under churn a call from Python costs more than the work. names int64 (n), ties, seed: as of Finds.
    """
    control = first_control(0, NO_LIMIT, NO_LIMIT, 1, delta, ties, 1, 0)
    masks = first_masks(degree, members.away, control[DELTA])
    lot = room_for_lot(lot_size(len(pairs.bound), True))
    finds = room_for_finds(len(lot.entry), 1, names, ties, seed)
    which = np.empty(len(names), np.int64)
    links, gains = np.empty((to_do, 2), np.int32), np.empty(to_do, np.int32)
    no_sizes = np.empty(0, np.int64)  # they matter for dense tables alone
    sweep(members, pairs, finds, degree, masks, no_sizes, control, ratio, which, lot, links, gains, NO_LIMIT)
    return links[: control[LINKS]]
