"""Recomputes the bounds of all pairs from the current components, for a group of rows at a time.

Looking at single pairs is lazy, but when many bounds have become stale it is cheaper to count everything. Topics are
counted by words of 64, in one of two ways. *From columns*, which are the transposed bit rows: one instruction serves
several partners, however many share the topics. *From lists*: for a topic in which a node is away from home, all
subscribers, otherwise those who are away; this is cheap if few subscribe, or if nearly all are at home. Each word is
counted in the cheaper way.
"""

from typing import NamedTuple

import numpy as np

from topicweave.kernels.csr import starts_of
from topicweave.kernels.greedy.membership import num_away
from topicweave.kernels.greedy.pair_table import GROUP, SEGMENT, partner_base, raise_to_row
from topicweave.kernels.intrinsics import AT_A_TIME, ONE, list_bits, popcount, take_next
from topicweave.kernels.jit import inner_njit, njit, prange

# Costs in nanoseconds; only their ratios matter.
PASS_COST = 0.6  # per pair, however its topics are counted
# per pair and word of 64 topics when counting from columns; the second value holds while there are no links
COLUMN_COST, FRESH_COLUMN_COST = 0.12, 0.07
SUBSCRIPTION_COST, STEP_COST = 15.0, 1.0  # when counting from lists: per subscription, and per step through a list


class TopicViews(NamedTuple):
    """What counting common topics needs: bit columns for some groups of 64 topics, and lists of subscribers for the
    others.
    """

    # the topics of each node as transposed bit rows, for some groups of 64 topics [uint64 (groups, n + SEGMENT or
    # more)]
    columns: np.ndarray
    away_columns: np.ndarray  # like ``columns``, but only topics in which the node is not in the home component
    topic_indptr: np.ndarray  # where the list of each topic begins in ``subscribers`` [int64 (topics + 1)]
    subscribers: np.ndarray  # the subscribers of all topics that have a list, ascending for each topic [int32]
    away_indptr: np.ndarray  # like ``topic_indptr``, but only subscribers that are not in the home component
    away_subscribers: np.ndarray
    some_away: np.ndarray  # which topics are counted from lists, as bits [uint64 (words)]


@njit
def plan(members, num_pairs, sizes, column_cost):
    """Return the cost in nanoseconds of recounting all pairs, and which words (groups of 64 topics) to count from
    columns, bool (words).

    sizes int64 (topics): subscribers. To count a topic from lists takes as many steps as it has subscribers, times the
    number of those who are away from home.
    """
    away = num_away(members, sizes)
    by_lists = np.zeros(members.rows.shape[2], np.float64)
    for t in range(len(sizes)):
        if away[t] > 0:
            by_lists[t >> 6] += (SUBSCRIPTION_COST + STEP_COST * away[t]) * sizes[t]
    by_columns = num_pairs * column_cost
    cost, from_columns = num_pairs * PASS_COST, np.zeros(len(by_lists), np.bool_)
    for w in range(len(by_lists)):
        cost += min(by_lists[w], by_columns)
        from_columns[w] = by_lists[w] > by_columns
    return cost, from_columns


@njit
def list_subscribers(members, sizes, columns, away_columns, from_columns):
    """Return what counting needs, with lists of subscribers for those topics that are not connected yet and have no bit
    columns.

    sizes int64 (topics): subscribers.
    """
    rows, num_topics = members.rows, len(sizes)
    away = num_away(members, sizes)
    listed = np.zeros(rows.shape[2], np.uint64)
    of_topic, of_away = np.zeros(num_topics, np.int64), np.zeros(num_topics, np.int64)
    for t in range(num_topics):
        if away[t] > 0 and not from_columns[t >> 6]:
            listed[t >> 6] |= ONE << np.uint64(t & 63)
            of_topic[t], of_away[t] = sizes[t], away[t]
    topic_indptr, away_indptr = starts_of(of_topic), starts_of(of_away)
    subscribers = _list_by_topic(rows, np.int64(0), listed, topic_indptr)
    away_subscribers = _list_by_topic(rows, np.int64(1), listed, away_indptr)
    return TopicViews(columns, away_columns, topic_indptr, subscribers, away_indptr, away_subscribers, listed)


@inner_njit
def _list_by_topic(rows, kind, listed, indptr):
    """Return the nodes whose bit is set, for each topic of ``listed`` in turn."""
    nodes = np.empty(indptr[-1], np.int32)
    at = indptr[:-1].copy()
    topics = np.empty(64 * len(listed) + AT_A_TIME, np.int64)
    for v in range(len(rows)):
        num = np.uint64(0)
        for w in range(np.uint64(len(listed))):
            num = list_bits(rows[v, kind, w] & listed[w], w << np.uint64(6), topics, num)
        for i in range(num):
            t = topics[i]
            nodes[at[t]] = v
            at[t] += 1
    return nodes


@inner_njit
def _count_group(columns, away_columns, rows, num, base, counts):
    """Count, for some nodes and SEGMENT partners, the topics that a link between them may connect, from transposed bit
    rows: one instruction serves several partners.

    Four words of the partners stay in the cache for all these nodes.
    """
    words = columns.shape[0]
    counts[:num] = 0
    w = 0
    while w + 4 <= words:
        ps0, as0 = columns[w, base : base + SEGMENT], away_columns[w, base : base + SEGMENT]
        ps1, as1 = columns[w + 1, base : base + SEGMENT], away_columns[w + 1, base : base + SEGMENT]
        ps2, as2 = columns[w + 2, base : base + SEGMENT], away_columns[w + 2, base : base + SEGMENT]
        ps3, as3 = columns[w + 3, base : base + SEGMENT], away_columns[w + 3, base : base + SEGMENT]
        for i in range(num):
            u = rows[i]
            p0, a0, p1, a1 = columns[w, u], away_columns[w, u], columns[w + 1, u], away_columns[w + 1, u]
            p2, a2, p3, a3 = columns[w + 2, u], away_columns[w + 2, u], columns[w + 3, u], away_columns[w + 3, u]
            count = counts[i]
            for j in range(SEGMENT):
                both = popcount((p0 & as0[j]) | (a0 & ps0[j])) + popcount((p1 & as1[j]) | (a1 & ps1[j]))
                count[j] += both + popcount((p2 & as2[j]) | (a2 & ps2[j])) + popcount((p3 & as3[j]) | (a3 & ps3[j]))
        w += 4
    while w < words:
        ps0, as0 = columns[w, base : base + SEGMENT], away_columns[w, base : base + SEGMENT]
        for i in range(num):
            p0, a0 = columns[w, rows[i]], away_columns[w, rows[i]]
            count = counts[i]
            for j in range(SEGMENT):
                count[j] += popcount((p0 & as0[j]) | (a0 & ps0[j]))
        w += 1


@inner_njit
def _count_group_fresh(columns, rows, num, base, counts):
    """Do what :func:`_count_group` does, while no link has been made: then every node is away in all its topics, and
    there is less to read.
    """
    words = columns.shape[0]
    counts[:num] = 0
    w = 0
    while w + 4 <= words:
        b0, b1 = columns[w, base : base + SEGMENT], columns[w + 1, base : base + SEGMENT]
        b2, b3 = columns[w + 2, base : base + SEGMENT], columns[w + 3, base : base + SEGMENT]
        for i in range(num):
            u = rows[i]
            a0, a1, a2, a3 = columns[w, u], columns[w + 1, u], columns[w + 2, u], columns[w + 3, u]
            count = counts[i]
            for j in range(SEGMENT):
                count[j] += popcount(a0 & b0[j]) + popcount(a1 & b1[j]) + popcount(a2 & b2[j]) + popcount(a3 & b3[j])
        w += 4
    while w < words:
        b0 = columns[w, base : base + SEGMENT]
        for i in range(num):
            a0 = columns[w, rows[i]]
            count = counts[i]
            for j in range(SEGMENT):
                count[j] += popcount(a0 & b0[j])
        w += 1


@inner_njit
def _add_counts(counts, i, totals, row, offset):
    """Add up the two parts of the count, from columns and from lists, for one segment."""
    for j in range(SEGMENT):
        totals[row, np.uint64(offset + j)] += totals.dtype.type(counts[i, j])


@inner_njit
def _count_in_lists(indptr, nodes, topics, num, u, row):
    """For each of these topics, add 1 to the counts of all nodes after u that are in its list."""
    base = np.uint64(partner_base(u))
    for i in range(num):
        t = topics[i]
        j = indptr[t + 1] - 1
        first = indptr[t]
        while j >= first and nodes[j] > u:
            row[np.uint64(nodes[j]) - base] += row.dtype.type(1)
            j -= 1


@inner_njit
def _list_topics(rows, u, some_away, away, home):
    """List the topics of u that are counted from lists: in ``away`` those in which u is away from home, in ``home`` the
    others.

    Return how many there are of each.

    A topic counts for two nodes only if one of them is away; so a topic's full list is read if u is away in it,
    otherwise only the list of those who are.
    """
    num_away, num = np.uint64(0), np.uint64(0)
    for w in range(np.uint64(rows.shape[2])):
        num_away = list_bits(rows[u, 1, w] & some_away[w], w << np.uint64(6), away, num_away)
        num = list_bits(rows[u, 0, w] & ~rows[u, 1, w] & some_away[w], w << np.uint64(6), home, num)
    return num_away, num


@inner_njit
def _lower_row(bound, first, most, most_open, first_segment, last_segment, row, fresh):
    """Lower the bounds of the pairs of a row to the counts in ``row``, and the largest bound of each segment
    accordingly.
    """
    kind = row.dtype.type
    for s in range(np.uint64(first_segment), np.uint64(last_segment)):
        if most[s] == 0 and not fresh:
            continue
        offset = (s - np.uint64(first_segment)) * np.uint64(SEGMENT)
        pair = np.uint64(first) + offset
        largest = kind(0)
        for j in range(SEGMENT):
            largest = max(largest, row[offset + np.uint64(j)])
        if fresh:
            for j in range(SEGMENT):
                bound[pair + np.uint64(j)] = row[offset + np.uint64(j)]
            most[s] = most_open[s] = largest
            continue
        # if all counts of a segment are 0, its bounds are never read again, so they may stay as they are
        if largest > 0:
            largest = kind(0)
            for j in range(SEGMENT):
                x = min(bound[pair + np.uint64(j)], row[offset + np.uint64(j)])
                bound[pair + np.uint64(j)] = x
                largest = max(largest, x)
        most[s] = min(most[s], largest)
        most_open[s] = min(most_open[s], largest)


@njit
def count_rows(views, rows, pairs, first, last, fresh, work_counter):
    """Lower the bounds of the rows from ``first`` to ``last`` of the table of all pairs to the current contributions.

    rows: all bit rows. fresh: no link has been made, and there are no bounds yet. This is the work of one thread: it
    takes groups of rows as long as there are any.
    """
    bound, start, segment, _, most, most_open, row_most, row_open, _, _ = pairs
    columns, away_columns, topic_indptr, subscribers, away_indptr, away_subscribers, some_away = views
    any_listed = some_away.any()
    counts = np.empty((GROUP, SEGMENT), np.int64)  # numbers of common topics, from columns, for one segment of each row
    totals = np.empty((GROUP, start[1] - start[0]), bound.dtype)
    some = np.empty(GROUP, np.int64)
    away = np.empty(64 * rows.shape[2] + AT_A_TIME, np.int64)
    home = np.empty(64 * rows.shape[2] + AT_A_TIME, np.int64)
    while True:
        group = first // GROUP + take_next(work_counter)
        if group * GROUP >= last:
            break
        begin, end = max(first, group * GROUP), min(last, (group + 1) * GROUP)
        for u in range(begin, end):
            row = totals[u - begin]
            row[: start[u + 1] - start[u]] = 0
            if any_listed and (fresh or row_most[u] > 0):
                num_away, num_home = _list_topics(rows, u, some_away, away, home)
                _count_in_lists(topic_indptr, subscribers, away, num_away, u, row)
                _count_in_lists(away_indptr, away_subscribers, home, num_home, u, row)
        for k in range(segment[begin + 1] - segment[begin] if len(columns) > 0 else 0):
            base = partner_base(begin) + k * SEGMENT
            num = np.int64(0)
            for u in range(begin, end):
                some[num] = u
                num += fresh or most[segment[u] + k] > 0
            if fresh:
                _count_group_fresh(columns, some, num, base, counts)
            else:
                _count_group(columns, away_columns, some, num, base, counts)
            for i in range(num):
                _add_counts(counts, i, totals, some[i] - begin, k * SEGMENT)
        for u in range(begin, end):
            row = totals[u - begin]
            row[: u + 1 - partner_base(u)] = 0  # clear the entries of u and of the nodes before it, which are not pairs
            if fresh or row_most[u] > 0:
                _lower_row(bound, start[u], most, most_open, segment[u], segment[u + 1], row, fresh)
            raise_to_row(most, most_open, row_most, row_open, u, segment[u], segment[u + 1])


@njit(parallel=True)
def count_rows_on_threads(views, rows, pairs, first, last, fresh, work_counter, num_threads):
    """Do what :func:`count_rows` does, on the threads of the sweep; these stay active for a while afterwards and slow
    down other threads.
    """
    for _ in prange(num_threads):
        count_rows(views, rows, pairs, first, last, fresh, work_counter)
