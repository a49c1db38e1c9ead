"""The main loop of all greedy algorithms, level by level (GM Alg. 3, LOW §III, PART Alg. 1 and 3, SHADOW Alg. 2).

Contributions only fall, so a contribution counted earlier stays an upper bound, and a pair is looked at when its turn
may have come, not whenever something near it changes::

    while pairs are left and the budget lasts:
        choose    the next level: the largest bound of an open pair (or of any pair, once, when Δ has to rise)
        refresh   lower the bounds of the pairs that could be at the level; note those that still could
        gather    the noted pairs into a batch, in tie order
        settle    take them in that order; count each exactly; link it if it is truly at the level, else lower its bound
        if the batch did not hold all pairs of the level: refresh again, else go on below the level

When a level is done, no pair anywhere contributes as much, so each link has the largest contribution at its time.

**Ties** go to preferred pairs first, in their own order. Then they go by node numbers (``lexicographic``), by a hash of
the two labels (``random``), or by the larger and then the smaller current degree of the two ends, then by the hash
(``balanced``; degrees are compared within a batch).

**Rules** differ in which pairs are *open*. ``gm`` and ``gpa``: all. ``minmax``, ``gpm`` and ``low``: those whose link
does not raise the maximum degree Δ. When no open pair is good enough (for minmax: has any contribution; for low: has at
least 1/k of the best pair's), the best pair of all is linked, Δ rises, and every pair is open again.

**Rounds.** Near candidates come in rounds: a round ends at a level of its own (``floor``), or when Δ has risen.

Glossary
--------
members : Membership
    Which topic-connected component each subscription is in; bit rows to count contributions from.
pairs : PairTable
    An upper bound for every candidate pair, in rows and segments that know their largest one.
buffer : CandidateBuffer
    Per thread, the pairs that may be at the level, as found by the refresh.
batch : Batch
    The pairs that are settled next, sorted.
nodes : Nodes
    Per node, its degree and whether it may take links.
output : Output
    The links made, and the contribution of each.
state : STATE
    The progress of the sweep, and the parameters of the rule. The sweep returns after some work, so that the caller can
    report progress and honour Ctrl-C, and continues at the next call.
"""

from typing import NamedTuple

import numpy as np

from topicweave.kernels.greedy.level_queue import (
    BALANCED,
    MOST_PUT_BACK,
    RANK_BITS,
    Preferred,
    TieOrder,
    batch_size,
    empty_buffer,
    gather,
    line_up,
    new_batch,
    new_buffer,
    place_of,
    sift_down,
    sift_up,
)
from topicweave.kernels.greedy.membership import bound_or_count, connect, contribution_of
from topicweave.kernels.greedy.pair_table import SEGMENT, Sought, refresh, reopen
from topicweave.kernels.greedy.recount import COLUMN_COST, PASS_COST, plan
from topicweave.kernels.jit import inner_njit, njit

CHOOSE, REFRESH, SETTLE, RECOUNT, DONE, FILL = 0, 1, 2, 3, 4, 5  # phases
OPEN, ANY = 0, 1  # the two modes: take open pairs; or take one link among all pairs
NO_LIMIT = 1 << 60

_FIELDS = [
    # set by the caller
    ("ratio", np.float64),  # a pair may raise Δ if it is this many times as good as any open one; inf: if none is open
    ("uses_delta", np.int64),  # whether links that do not raise Δ take precedence
    ("delta", np.int64),  # Δ, the maximum degree; NO_LIMIT if the rule ignores it
    ("max_degree", np.int64),  # the budget for Δ; NO_LIMIT for none
    ("max_links", np.int64),
    ("links_before", np.int64),  # existing links, which count towards the budget
    ("merges_left", np.int64),  # merges left until everything is connected
    ("floor", np.int64),  # lowest contribution accepted in this round; 0 if there are no rounds
    ("fills", np.int64),  # whether links of contribution 0 are added before Δ rises
    ("work", np.int64),  # how much to do before returning; examining one pair is one unit of work
    # how far the sweep has got
    ("phase", np.int64),
    ("mode", np.int64),
    ("level", np.int64),
    ("num_edges", np.int64),  # number of links, including existing ones
    ("filled", np.int64),  # the Δ for which links of contribution 0 were last added, or 0
    ("open_cap", np.int64),  # no open pair contributes more than this
    ("top_cap", np.int64),  # no pair contributes more than this
    ("just_opened", np.int64),  # whether Δ has just risen, which opens every pair again
    ("num_rows", np.int64),  # number of rows to refresh for this level; -1 if not listed yet
    ("next_row", np.int64),  # which of these rows comes next
    ("num_found", np.int64),  # how many pairs of the level the refresh has found
    ("num_looked", np.int64),  # how many pairs were computed from bit rows since all bounds were last recomputed
    ("ask_at", np.int64),  # the value of num_looked at which to consider recomputing all bounds
    ("in_batch", np.int64),
    ("num_preferred", np.int64),  # number of preferred pairs in the batch, which come first
    ("next_in_line", np.int64),  # position in the batch: all pairs before it are done, or wait in the heap
    ("in_heap", np.int64),  # number of pairs of the batch that wait in the heap
]
STATE = np.dtype((np.record, np.dtype(_FIELDS, align=True)))

CHUNK = 1 << 16  # number of segments that are refreshed at a time
# nanoseconds that it takes to look at a single pair, and in addition for each word of its bit rows
LOOK_COST, WORD_COST = 6.0, 0.5
ROUNDING = 1e-12  # needed because 21 / 1.4 is above 15 in floating point
EARLIER = 3.0  # just after Δ has risen, work on single pairs is multiplied by this in the decision on a recount


class Nodes(NamedTuple):
    """What the sweep knows about nodes, and the number of subscribers of each topic."""

    degree: np.ndarray  # int32 (n + SEGMENT)
    open_masks: np.ndarray  # by mode, all bits are set for nodes that may take links [uint16/32 (2, n + SEGMENT)]
    rows: np.ndarray  # the rows to refresh [int64 (n)]
    topic_sizes: np.ndarray  # number of subscribers; may be empty for listed pairs [int64 (topics)]


class Output(NamedTuple):
    """The links made, with space for as many as could be needed."""

    links: np.ndarray  # int32 (merges, 2)
    gains: np.ndarray  # the contribution of each link made [int32 (merges)]


@njit
def begin(state, members, pairs, degree, order, topic_sizes, num_buffers):
    """Prepare a sweep with the settings in ``state``; return nodes, buffer, batch and output.

    order: a TieOrder. num_buffers: one for each thread.
    """
    if not state.uses_delta:
        state.delta = NO_LIMIT
    state.phase = DONE if state.uses_delta and state.delta > state.max_degree else CHOOSE
    state.num_edges = state.links_before
    state.open_cap = state.top_cap = NO_LIMIT
    masks = np.full((2, len(degree)), ~members.away.dtype.type(0), members.away.dtype)
    for v in range(len(degree)):
        if degree[v] >= state.delta:
            masks[OPEN, v] = 0
    nodes = Nodes(degree, masks, np.empty(len(degree), np.int64), topic_sizes)
    batch = new_batch(batch_size(len(pairs.bound), len(pairs.partners) > 0))
    buffer = new_buffer(len(batch.candidate), num_buffers, order)
    output = Output(np.empty((state.merges_left, 2), np.int32), np.empty(state.merges_left, np.int32))
    return nodes, buffer, batch, output


@njit
def sweep(state, members, pairs, nodes, buffer, batch, output, num_threads):
    """Continue the sweep for about ``state.work`` units of work.

    num_threads: None for one thread, for which much less has to be compiled. Afterwards ``state.phase`` is DONE, or
    says what the caller should do before it continues: lower all bounds (RECOUNT) or add empty links (FILL).
    """
    balanced = buffer.ties[0] == BALANCED
    while state.phase != DONE and state.work > 0:
        if state.phase == CHOOSE:
            is_asked = state.num_looked >= state.ask_at or state.just_opened
            if is_asked and _recount_pays(state, members, pairs, nodes.topic_sizes):
                state.num_looked = state.ask_at = 0
                state.phase = RECOUNT
                return
            _choose(state, pairs, nodes.open_masks)
            if state.phase == FILL:
                return
            state.work -= 1
        elif state.phase == REFRESH:
            state.work -= 16 * _refresh(state, members, pairs, nodes, buffer, num_threads)
            if state.next_row < state.num_rows:
                continue
            if state.num_found == 0:
                _finish_level(state)
                continue
            state.in_batch, state.next_in_line, state.in_heap = gather(buffer, state.num_found, batch), 0, 0
            if balanced:
                state.num_preferred = line_up(nodes.degree, buffer, batch, state.in_batch)
            state.phase = SETTLE
            state.work -= state.in_batch // 8
        else:
            state.work = _settle(state, members, pairs, nodes, batch, output, balanced)


# ---- choose ----------------------------------------------------------------------------------------------------------


@inner_njit(inline="always")
def _recount_pays(state, members, pairs, topic_sizes):
    """Whether recomputing all bounds costs less than the work spent on single pairs since that was last done.

    So a recount at most doubles the time; when most topics are nearly connected it saves most of the remaining work.
    When Δ has just risen, many pairs that are open again will be looked at, so a third of the cost is reason enough.
    """
    spent = (LOOK_COST + WORD_COST * members.rows.shape[2]) * state.num_looked
    if state.just_opened:
        spent *= EARLIER
    state.just_opened = 0
    state.ask_at = state.num_looked + state.num_looked // 16 + 1 if len(pairs.partners) == 0 else NO_LIMIT
    if len(pairs.partners) > 0 or spent < PASS_COST * len(pairs.bound):
        return False
    return plan(members, len(pairs.bound), topic_sizes, COLUMN_COST)[0] < spent


@inner_njit(inline="always")
def _choose(state, pairs, open_masks):
    """Decide which contribution to look for next, and whether among open or all pairs."""
    zero, num_rows = np.int64(0), len(pairs.row_open)
    best_open = min(np.int64(_largest(pairs.row_open, open_masks[OPEN], zero, num_rows)), state.open_cap)
    best = min(np.int64(_largest(pairs.row_most, open_masks[ANY], zero, num_rows)), state.top_cap)
    enough = best / state.ratio * (1 - ROUNDING)
    state.phase = DONE
    if state.num_edges >= state.max_links:
        return
    if best_open > 0 and (not state.uses_delta or best_open >= enough):
        state.mode, state.level = OPEN, best_open
    elif state.fills and state.filled < state.delta:
        state.phase, state.filled = FILL, state.delta
        return
    elif state.uses_delta and best > 0 and state.delta < state.max_degree:
        state.mode, state.level = ANY, best
        # end the round if an open pair that contributes less than the floor may be good enough
        if state.floor > max(1.0, enough):
            return
    else:
        return
    if state.level >= state.floor:
        state.phase, state.num_rows = REFRESH, -1


@inner_njit
def _largest(bounds, mask, first, last):
    """The largest of these bounds, counting only nodes that may take links."""
    kind = bounds.dtype.type
    largest = kind(0)
    for u in range(np.uint64(first), np.uint64(last)):
        largest = max(largest, kind(bounds[u] & mask[u]))
    return largest


# ---- refresh ---------------------------------------------------------------------------------------------------------


@inner_njit(inline="always")
def _refresh(state, members, pairs, nodes, buffer, num_threads):
    """Update the bounds of the next rows that may hold a pair of the level; return the work done."""
    if state.num_rows < 0:
        empty_buffer(buffer)
        _list_rows(state, pairs, nodes)
    first = state.next_row
    last = first
    segments = 0
    while last < state.num_rows and segments < CHUNK:
        segments += pairs.segment[nodes.rows[last] + 1] - pairs.segment[nodes.rows[last]]
        last += 1
    rows, mask, level = nodes.rows[first:last], nodes.open_masks[state.mode], state.level
    look_from = level - (level >> 4) if state.uses_delta else level
    refresh(members, mask, pairs, buffer, rows, Sought(level, look_from, state.mode == ANY), num_threads)
    for u in rows:
        state.num_found += pairs.found[u]
        state.num_looked += pairs.looked[u]
    state.next_row = last
    return segments


@inner_njit(inline="always")
def _list_rows(state, pairs, nodes):
    """List the rows that may hold a pair of the level."""
    mask = nodes.open_masks[state.mode]
    bounds = pairs.row_open if state.mode == OPEN else pairs.row_most
    level, count = state.level, 0
    for first in range(0, len(bounds), SEGMENT):  # skip whole blocks of rows, because most have no such pair
        last = min(first + SEGMENT, len(bounds))
        if _largest(bounds, mask, first, last) >= level:
            for u in range(first, last):
                nodes.rows[count] = u
                count += bounds[u] & mask[u] >= level
    state.num_rows, state.next_row, state.num_found = count, 0, 0


# ---- settle ----------------------------------------------------------------------------------------------------------


@inner_njit
def _settle(state, members, pairs, nodes, batch, output, balanced):
    """Link those pairs of the batch, in order, that still contribute as much as the level; return the work left.

    Under ``balanced`` the next pair is the first of line and heap; a pair at the level whose degrees have risen has to
    wait.
    """
    level, work = state.level, state.work
    mask, degree = nodes.open_masks[state.mode], nodes.degree
    rows, away, bound = members.rows, members.away, pairs.bound
    indptr, topics, label, has_bits = members.indptr, members.topics, members.label, rows.shape[2] > 0
    candidates, order, put_back, line, heap = batch.candidate, batch.order, batch.put_back, batch.line, batch.heap
    while work > 0:
        work -= 1
        in_line, waiting = state.in_batch - state.next_in_line, state.in_heap
        if in_line == 0 and waiting == 0:
            if state.num_found > state.in_batch:  # the level may have more pairs than fit into one batch
                state.phase, state.num_rows = REFRESH, -1
            else:
                _finish_level(state)
            return work
        has_waited = waiting > 0 and (in_line == 0 or heap[0] < line[state.next_in_line])
        place = heap[0] if has_waited else line[state.next_in_line]
        rank = place & ((1 << RANK_BITS) - 1) if balanced else state.next_in_line
        candidate = candidates[order[rank]]
        u, v = np.int64(candidate.u), np.int64(candidate.v)
        is_open = mask[u] != 0 and mask[v] != 0
        now = 0
        has_to_wait = False
        if is_open:
            now = np.int64(away[u]) + np.int64(away[v])  # signed: mixing in unsigned integers would give a float
            if now >= level:
                now = bound_or_count(rows, indptr, topics, label, u, v)
            if now >= level and balanced:
                new_place = place_of(degree[u], degree[v], rank, state.num_preferred)
                has_to_wait = new_place != place and put_back[rank] < MOST_PUT_BACK
                place = new_place
            if now >= level and has_bits and not has_to_wait:
                now = contribution_of(rows, members.first, label, u, v, now)
        if has_waited:
            waiting -= 1
            heap[0] = heap[waiting]
            sift_down(heap, waiting)
        else:
            state.next_in_line += 1
        if has_to_wait:
            put_back[rank] += 1
            sift_up(heap, place, waiting)
            waiting += 1
        state.in_heap = waiting
        if has_to_wait or not is_open:
            continue
        if now < level:
            bound[candidate.entry] = now
            continue
        bound[candidate.entry] = 0
        gain = connect(members, u, v)
        if _add_link(state, pairs, nodes, output, u, v, gain):
            return work
    return work


@inner_njit(inline="always")
def _add_link(state, pairs, nodes, output, u, v, gain):
    """Record a link and raise Δ if necessary; return whether the batch must end here."""
    degree, open_masks = nodes.degree, nodes.open_masks
    link = state.num_edges - state.links_before
    output.links[link, 0], output.links[link, 1], output.gains[link] = u, v, gain
    degree[u] += 1
    degree[v] += 1
    state.num_edges += 1
    state.merges_left -= state.level
    if state.merges_left == 0:
        state.phase = DONE
        return True
    if state.mode == ANY:
        state.delta = max(state.delta, np.int64(max(degree[u], degree[v])))
        state.open_cap, state.just_opened = NO_LIMIT, 1
        reopen(pairs)
        for w in range(open_masks.shape[1]):
            open_masks[OPEN, w] = open_masks[ANY, w]
    for w in (u, v):
        if degree[w] >= state.delta:
            open_masks[OPEN, w] = 0
    if state.mode == ANY or state.num_edges >= state.max_links:
        # If candidates come in rounds, this round ends here: all pairs are open again, so a new search is needed.
        state.phase = CHOOSE if state.floor == 0 else DONE
        return True
    return False


@inner_njit
def _finish_level(state):
    if state.mode == OPEN:
        state.open_cap = state.level - 1
    if state.mode == ANY or not state.uses_delta:
        state.top_cap = state.level - 1
    state.phase = CHOOSE


@njit
def sweep_listed(members, pairs, names, degree, ratio, delta, ties, merges_left):
    """Run a whole sweep over a few listed pairs in one call, by the rule of ``low`` with k = ratio; return the links.

    Under churn a call from Python costs more than the work. names uint64 (n), ties uint64 (2): as in TieOrder.
    """
    states = np.zeros(1, STATE)
    state = states[0]
    state.ratio, state.uses_delta, state.delta = ratio, 1, delta
    state.max_degree = state.max_links = state.work = NO_LIMIT
    state.merges_left = merges_left
    no_sizes = np.empty(0, np.int64)  # numbers of subscribers are needed only if all pairs are candidates
    order = TieOrder(names, ties, Preferred(no_sizes, np.empty(0, np.int32), no_sizes))
    nodes, buffer, batch, output = begin(state, members, pairs, degree, order, no_sizes, np.int64(1))
    sweep(state, members, pairs, nodes, buffer, batch, output, None)
    return output.links[: states[0].num_edges]  # ``states`` must live until here, because it owns the memory
