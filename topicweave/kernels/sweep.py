"""The greedy loop of the whole family, as a level sweep (GM Alg. 3, LOW §III, PART Alg. 1 and 3, SHADOW Alg. 2).

Contributions only fall. So the loop goes down level by level: lower the bounds of the pairs that could be at the level
(``pairs.refresh_rows``), gather those that still could in tie order, look at each exactly, link it if it is truly at
the level. Every pair of the level is looked at once; a pair that has fallen below is met again at its own level.

Ties: ``lexicographic`` by node numbers, ``random`` by a hash of them, ``balanced`` by the larger and then the smaller
degree of the two ends at that moment, then by the hash. Pairs are gathered in lots (of one hash range, or one range of
lower numbers), so ``balanced`` compares within a lot.

Rules differ in which pairs are *open*. ``gm`` and ``gpa``: all. ``minmax``, ``gpm`` and ``low``: those whose link
leaves the maximum degree Δ as it is. When no open pair is good enough (for minmax: has any contribution; for low: at
least 1/k of the best pair's) the best pair of all is linked, Δ rises, and everything is open again.

The loop stops after ``work`` units and goes on at the next call from what ``control`` holds, so that the caller can
report progress and honour Ctrl-C.
"""

import numpy as np

from topicweave.kernels.jit import njit
from topicweave.kernels.membership import bound_of, connect, contribution_of
from topicweave.kernels.pairs import SEGMENT, partner_base, refresh_few_rows, refresh_rows, reopen

# Fields of ``control`` (int64).
PHASE, LEVEL, MODE, DELTA, OPEN_CAP, TOP_CAP = 0, 1, 2, 3, 4, 5
ROWS, NEXT_ROW, FOUND, LISTED, NEXT_LISTED, KEPT, DEGREE, NEXT_DEGREE = 6, 7, 8, 9, 10, 11, 12, 13
LINKS, COMPONENTS, WHOLE_LOT, MAX_LINKS, MAX_DEGREE, USES_DELTA, TIES, OFFSET, WORKERS, LOOKED, NUM_CONTROL = (
    14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24,
)  # fmt: skip

CHOOSE, REFRESH, SETTLE, RECOUNT, DONE = 0, 1, 2, 3, 4  # phases
OPEN, ANY = 0, 1  # modes: among open pairs; the best of all, once
LEXICOGRAPHIC, RANDOM, BALANCED = 0, 1, 2  # tie rules

LOT = 1 << 14  # pairs gathered at a time: of more, most would have fallen before their turn
CHUNK = 1 << 14  # segments refreshed at a time
# What things cost, in nanoseconds, for recount_cost; only their ratios matter.
LOOK_COST, WORD_COST, STEP_COST, PASS_COST, COLUMN_COST = 8.0, 1.0, 1.4, 0.8, 0.4
FEW = 256  # segments not worth waking a second thread for
NO_LIMIT = 1 << 60


@njit
def tie_key(u, v, ties, seed):
    """Where the pair of nodes u < v stands among its equals (before degrees, for ``balanced``)."""
    key = (np.uint64(u) << np.uint64(32)) | np.uint64(v)
    if ties == LEXICOGRAPHIC:
        return key
    # splitmix64: a bijection of 64 bits, so distinct pairs never tie
    key = key + np.uint64(seed)
    key = (key ^ (key >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    key = (key ^ (key >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return key ^ (key >> np.uint64(31))


@njit
def recount_cost(members, num_pairs, sizes):
    """What lowering the bounds of all pairs costs, in nanoseconds: (from bit rows, from subscriber lists).

    Lists mean, for every topic, the subscribers away from home times all subscribers: dear at first, soon cheap.
    """
    by_columns = num_pairs * (PASS_COST + COLUMN_COST * members.rows.shape[2])
    by_lists = num_pairs * PASS_COST
    for t in range(len(sizes)):
        home = members.home[t]
        at_home = 0 if home < 0 else members.size[home]
        by_lists += STEP_COST * float(sizes[t] - at_home) * sizes[t]
    return by_columns, by_lists


@njit
def _recount_pays(members, pairs, control, sizes):
    """Whether lowering all bounds costs less than what was spent on single pairs since that was last done.

    So it at most doubles the time; and when most topics are nearly connected it saves most of what is left.
    """
    spent = (LOOK_COST + WORD_COST * members.rows.shape[2]) * control[LOOKED]
    if len(pairs.partners) > 0 or spent < PASS_COST * len(pairs.bound):
        return False
    by_columns, by_lists = recount_cost(members, len(pairs.bound), sizes)
    return min(by_columns, by_lists) < spent


@njit
def _choose(pairs, degree, control, ratio, lot_start):
    """Decide the next level and mode; list the rows to refresh."""
    best_open = 0
    best = 0
    delta = control[DELTA]
    for u in range(len(pairs.row_open)):
        if degree[u] < delta:
            best_open = max(best_open, pairs.row_open[u])
        best = max(best, pairs.row_most[u])
    best_open = min(best_open, control[OPEN_CAP])
    best = min(best, control[TOP_CAP])
    if control[LINKS] >= control[MAX_LINKS]:
        control[PHASE] = DONE
        return
    if best_open > 0 and (not control[USES_DELTA] or best_open >= best / ratio):
        control[MODE], control[LEVEL] = OPEN, best_open
    elif control[USES_DELTA] and best > 0 and delta < control[MAX_DEGREE]:
        control[MODE], control[LEVEL] = ANY, best
    else:
        control[PHASE] = DONE
        return
    lot_start[0] = np.uint64(0)
    control[PHASE] = REFRESH
    control[ROWS] = -1


@njit
def _list_rows(pairs, degree, control, which):
    count = 0
    limit = control[DELTA] if control[MODE] == OPEN else NO_LIMIT
    most = pairs.row_open if control[MODE] == OPEN else pairs.row_most
    for u in range(len(most)):
        if most[u] >= control[LEVEL] and degree[u] < limit:
            which[count] = u
            count += 1
    control[ROWS], control[NEXT_ROW], control[FOUND] = count, 0, 0


@njit
def _refresh(members, pairs, open_masks, control, which):
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
    # Where Δ matters a segment is opened anew for every Δ, so it pays to look further down at once.
    look = level - (level >> 2 if control[USES_DELTA] else level >> 4)
    if segments > FEW and workers > 1:
        refresh_rows(members.rows, members.away, mask, pairs, which[first:last], level, look, any_pair, workers)
    else:
        refresh_few_rows(members.rows, members.away, mask, pairs, which[first:last], level, look, any_pair)
    for i in range(first, last):
        control[FOUND] += pairs.found[which[i]]
        control[LOOKED] += pairs.looked[which[i]]
    control[NEXT_ROW] = last
    return segments


@njit
def _gather(pairs, degree, names, control, which, seed, lot_start, lot):
    """List the pairs at the level in tie order: all of them, or the first lot when they are many."""
    ties = control[TIES]
    lots = np.uint64(max(1, -(-control[FOUND] // LOT)))
    space = np.uint64(len(names)) << np.uint64(32) if ties == LEXICOGRAPHIC else np.uint64(0xFFFFFFFFFFFFFFFF)
    low = lot_start[0]
    high = low + (space - low) // lots
    control[WHOLE_LOT] = lots == np.uint64(1)
    limit = control[DELTA] if control[MODE] == OPEN else NO_LIMIT
    level = control[LEVEL]
    listed = len(pairs.partners) > 0
    most = pairs.most_open if control[MODE] == OPEN else pairs.most
    capacity = len(lot)
    count = 0
    keys = np.empty(capacity, np.uint64)
    for i in range(control[ROWS]):
        u = which[i]
        if pairs.found[u] == 0:
            continue
        for s in range(pairs.segment[u], pairs.segment[u + 1]):
            if most[s] < level:
                continue
            offset = (s - pairs.segment[u]) * SEGMENT
            for e in range(pairs.start[u] + offset, min(pairs.start[u] + offset + SEGMENT, pairs.start[u + 1])):
                if pairs.bound[e] < level:
                    continue
                v = pairs.partners[e] if listed else partner_base(u) + e - pairs.start[u]
                if degree[v] >= limit:
                    continue
                key = tie_key(min(names[u], names[v]), max(names[u], names[v]), ties, seed)
                if not control[WHOLE_LOT] and (key < low or key >= high):
                    continue
                if count == capacity:
                    return -1
                keys[count] = key
                lot[count, 0], lot[count, 1], lot[count, 2] = e, u, v
                count += 1
    order = np.argsort(keys[:count])
    lot[:count] = lot[:count][order]
    lot_start[0] = high
    control[LISTED], control[NEXT_LISTED], control[KEPT] = count, 0, 0
    control[DEGREE], control[NEXT_DEGREE] = 0, NO_LIMIT
    return count


@njit
def _settle(members, pairs, degree, open_masks, control, lot, links, gains, work):
    """Look at the gathered pairs in order and link those truly at the level; return the work left."""
    level, mode = control[LEVEL], control[MODE]
    limit = control[DELTA] if mode == OPEN else NO_LIMIT
    balanced = control[TIES] == BALANCED
    i = control[NEXT_LISTED]
    while i < control[LISTED] and work > 0:
        e, u, v = lot[i, 0], lot[i, 1], lot[i, 2]
        i += 1
        work -= 1
        now = int(members.away[u]) + int(members.away[v])
        if now >= level:
            if degree[u] >= limit or degree[v] >= limit:
                continue
            if balanced:
                key = (np.int64(max(degree[u], degree[v])) << 30) + min(degree[u], degree[v])
                if key > control[DEGREE]:  # not yet its turn: keep for a later round
                    control[NEXT_DEGREE] = min(control[NEXT_DEGREE], key)
                    lot[control[KEPT], 0], lot[control[KEPT], 1], lot[control[KEPT], 2] = e, u, v
                    control[KEPT] += 1
                    continue
            now = bound_of(members.rows, u, v)
            if now >= level:
                now = contribution_of(members, u, v, now)
        if now < level:
            pairs.bound[e] = now
            continue
        pairs.bound[e] = 0
        link = control[LINKS] - control[OFFSET]
        links[link, 0], links[link, 1] = u, v
        gains[link] = connect(members, u, v)
        degree[u] += 1
        degree[v] += 1
        control[LINKS] += 1
        control[COMPONENTS] -= level
        if control[USES_DELTA] and mode == ANY:
            control[DELTA] = max(control[DELTA], max(degree[u], degree[v]))
            control[OPEN_CAP] = NO_LIMIT
            reopen(pairs)
            open_masks[OPEN, :] = open_masks[ANY]
            _close(open_masks, degree, u, v, control[DELTA])
            control[PHASE] = CHOOSE
            return work
        _close(open_masks, degree, u, v, control[DELTA])
        if control[LINKS] >= control[MAX_LINKS]:
            control[PHASE] = DONE
            return work
    control[NEXT_LISTED] = i
    if i == control[LISTED]:
        if control[KEPT] > 0:
            control[LISTED], control[NEXT_LISTED], control[KEPT] = control[KEPT], 0, 0
            control[DEGREE], control[NEXT_DEGREE] = control[NEXT_DEGREE], NO_LIMIT
        elif control[WHOLE_LOT]:
            _finish_level(control)
        else:
            control[PHASE] = REFRESH
            control[ROWS] = -1
    return work


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
def sweep(
    members, pairs, degree, open_masks, names, sizes, control, ratio, seed, lot_start, which, lot, links, gains, work
):
    """Go on with the sweep for about ``work`` units; return the work left (0 or less when the slice is over).

    open_masks, bound type (2, n + SEGMENT): by mode, all bits set for nodes that may take links. names int64 (n): node
    numbers by which ties are broken. sizes int64 (topics): subscribers. ratio: k of ``low`` (inf for minmax and gpm).
    which int64 (n), lot int64 (capacity, 3): scratch. links int32 (capacity, 2), gains int32 (capacity): output.
    ``control[PHASE]`` says whether it is DONE, or whether the caller should lower all bounds (RECOUNT) and go on with
    CHOOSE; -1 as return value asks for a larger ``lot``.
    """
    while control[PHASE] != DONE and work > 0:
        if control[PHASE] == CHOOSE:
            if _recount_pays(members, pairs, control, sizes):
                control[LOOKED] = 0
                control[PHASE] = RECOUNT
                return 0
            _choose(pairs, degree, control, ratio, lot_start)
            work -= 1
        elif control[PHASE] == REFRESH:
            if control[ROWS] < 0:
                _list_rows(pairs, degree, control, which)
            work -= 16 * _refresh(members, pairs, open_masks, control, which)
            if control[NEXT_ROW] == control[ROWS]:
                if control[FOUND] == 0:
                    _finish_level(control)
                elif _gather(pairs, degree, names, control, which, seed, lot_start, lot) < 0:
                    return -1
                else:
                    control[PHASE] = SETTLE
        else:
            work = _settle(members, pairs, degree, open_masks, control, lot, links, gains, work)
    return max(work, 0)
