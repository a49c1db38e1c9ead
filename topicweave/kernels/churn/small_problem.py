"""Builds the greedy algorithm's arrays for a repair: only a few nodes, the topics that fell apart, and the piece each
node is in.

Among equally good links a repair takes those that will last, away from the busiest nodes. A link between nodes with
many common topics often connects topics that are connected already; it adds nothing now, but less breaks when a node
leaves later. So pairs with more common topics come first, unless an end is near the maximum degree. If topic trees are
maintained, nodes whose files change anyway come before all others.
"""

import numpy as np

from topicweave.kernels.greedy.membership import Membership
from topicweave.kernels.greedy.pair_table import SEGMENT, PairTable, count_listed_rows
from topicweave.kernels.greedy.sweep import sweep_listed
from topicweave.kernels.intrinsics import AT_A_TIME, ONE, popcount
from topicweave.kernels.jit import njit

# subtracted from the sorting keys of nodes that must be reconfigured anyway: low keys come first
TOLD = np.int64(1) << 60
# After a join or a leave, a node whose degree is within this margin of the maximum gets a new link only as a last
# resort; among such nodes, those with fewer links come first.
ROOM_ON_JOIN, ROOM_ON_LEAVE = 4, 5


@njit
def set_bits(row, topics):
    """Set the bits of these topics in ``row``."""
    for t in topics:
        row[t >> 6] |= ONE << np.uint64(t & 63)


@njit
def clear_bits(row, topics):
    """Clear the bits of these topics in ``row``."""
    for t in topics:
        row[t >> 6] &= ~(ONE << np.uint64(t & 63))


@njit
def drop_unconcerned(members, pieces, num_newcomers):
    """Drop the members that have none of the topics; return the remaining members, pieces and number of newcomers."""
    num_topics, num_members = pieces.shape
    kept = np.empty(num_members, np.int64)
    count = 0
    newcomers = 0
    for m in range(num_members):
        concerned = False
        for t in range(num_topics):
            concerned = concerned or pieces[t, m] >= 0
        if concerned:
            kept[count] = m
            count += 1
            newcomers += m < num_newcomers
    left = np.empty((num_topics, count), pieces.dtype)
    for t in range(num_topics):
        for i in range(count):
            left[t, i] = pieces[t, kept[i]]
    return members[kept[:count]], left, newcomers


@njit
def list_pairs(num_nodes, count, kind):
    """Return a table of candidate pairs: each of the first ``count`` nodes with all nodes after it. The bounds on their
    contributions are 0 for now, and have the type of ``kind``.
    """
    start, segment = np.zeros(num_nodes + 1, np.int64), np.zeros(num_nodes + 1, np.int64)
    for u in range(num_nodes):
        length = num_nodes - 1 - u if u < count else 0
        start[u + 1] = start[u] + length
        segment[u + 1] = segment[u] + (length + SEGMENT - 1) // SEGMENT
    partners = np.empty(start[num_nodes], np.int32)
    for u in range(count):
        for v in range(u + 1, num_nodes):
            partners[start[u] + v - u - 1] = v
    bound = np.zeros(start[num_nodes], kind.dtype)
    most = np.zeros((2, segment[num_nodes] + SEGMENT), kind.dtype)
    row_most = np.zeros((2, num_nodes), kind.dtype)
    seen = np.zeros((2, num_nodes), np.int64)
    return PairTable(bound, start, segment, partners, most[0], most[1], row_most[0], row_most[1], seen[0], seen[1])


@njit
def count_topics(pieces):
    """Return where the topics of each node begin in CSR form (``indptr``, int64), given the piece of each node in each
    topic (topics, nodes), with -1 for no subscription.
    """
    num_topics, num_nodes = pieces.shape
    indptr = np.zeros(num_nodes + 1, np.int64)
    for t in range(num_topics):
        for v in range(num_nodes):
            if pieces[t, v] >= 0:
                indptr[v + 1] += 1
    for v in range(num_nodes):
        indptr[v + 1] += indptr[v]
    return indptr


@njit
def fill_membership(pieces, members, first_of):
    """Fill the arrays of a :class:`topicweave.kernels.greedy.membership.Membership`; return how many merges of
    components are still needed.

    members: its arrays, of which only ``indptr`` is filled. first_of int32 (labels of pieces), scratch of -1.
    """
    rows, first, label, following, size, owner, home, home_size, newest, _, away, indptr, topics = members
    num_topics, num_nodes = pieces.shape
    place = indptr[:-1].copy()
    merges_left = 0
    for t in range(num_topics):
        word, bit = t >> 6, ONE << np.uint64(t & 63)
        largest = -1
        num_pieces = 0
        for v in range(num_nodes):
            piece = pieces[t, v]
            if piece < 0:
                continue
            s = place[v]
            place[v] += 1
            topics[s] = t
            owner[s] = v
            if not rows[v, 0, word]:
                first[v, word] = s
            rows[v, 0, word] |= bit
            if first_of[piece] < 0:
                first_of[piece] = s
                label[s], following[s], size[s] = s, s, 1
                num_pieces += 1
                if largest < 0:
                    largest = s
            else:
                head = first_of[piece]
                label[s], following[s] = head, following[head]
                following[head] = s
                size[head] += 1
                if size[head] > size[largest]:
                    largest = head
        home[t] = largest
        if largest >= 0:
            home_size[t], newest[t] = size[largest], following[largest]
        merges_left += num_pieces - 1
        for v in range(num_nodes):
            piece = pieces[t, v]
            if piece >= 0 and first_of[piece] != largest:
                rows[v, 1, word] |= bit
                away[v] += 1
        for v in range(num_nodes):
            if pieces[t, v] >= 0:
                first_of[pieces[t, v]] = -1
    return merges_left


@njit
def lasting_names(members, num_newcomers, rows, degree, delta, told):
    """Return a number for each member, by which ties are broken: among equally good pairs, the pair that contains the
    lowest number is linked first.

    Parameters
    ----------
    members
        int32: newcomers come first.
    num_newcomers
        Only pairs with a newcomer are candidates; -1 if all pairs are.
    rows, degree
        Subscriptions (uint64, by slot: the number that the maintainer gives to a node) and numbers of links (int32, by
        member).
    delta
        The maximum degree.
    told
        bool by slot: nodes whose files change anyway and which therefore come first; empty if that does not matter.
    """
    n = len(members)
    room = ROOM_ON_LEAVE if num_newcomers < 0 else ROOM_ON_JOIN
    key = np.empty(n, np.int64)
    for m in range(n):
        u = members[m]
        topics = 0
        for w in range(rows.shape[1]):
            # with a single newcomer, count only the topics that it has in common with the other node
            word = rows[u, w] & rows[members[0], w] if num_newcomers == 1 else rows[u, w]
            topics += popcount(word)
        key[m] = (np.int64(max(0, degree[m] - (delta - room))) << 32) - topics
        if len(told) and told[u]:
            key[m] -= TOLD
        if m < num_newcomers:
            key[m] = -(np.int64(1) << 62)
    names = np.empty(n, np.uint64)
    order = np.argsort(key, kind="mergesort")
    for i in range(n):
        names[order[i]] = i
    return names


@njit
def small_problem(members, pieces, num_newcomers, most_listed, lasting, told, names, rows, degrees, cap, kind):
    """Build all arrays of the greedy algorithm for a repair in one call, because each call from Python costs more than
    the work itself.

    Parameters
    ----------
    members, pieces
        int32 (members) and int32 (topics, members): the piece of each member, -1 if it does not subscribe.
    num_newcomers
        Only pairs with one of the first this many members are candidates; -1 for all pairs.
    most_listed
        All pairs are listed for at most this many members; for more, the returned table is empty.
    lasting
        Whether ties go to links that last (see :func:`lasting_names`); otherwise they go by ``names``.
    told
        As in :func:`lasting_names`.
    names
        uint64 by slot: hashes of labels that break ties otherwise; empty for the slots themselves.
    rows, degrees
        Subscriptions and degrees of all nodes, by slot.
    cap
        If the maximum degree is higher than this, the greedy algorithm is told this number instead.
    kind
        An empty array whose type the bounds get.

    Returns
    -------
    Remaining members, their names for ties, indptr and topics (CSR by member), membership, pairs, degrees (padded), the
    maximum degree, merges left.
    """
    members, pieces, num_first = drop_unconcerned(members, pieces, max(num_newcomers, 0))
    num_topics, n = pieces.shape
    words = max(1, (num_topics + 63) // 64)
    indptr = count_topics(pieces)
    count = indptr[n]
    topics = np.empty(count, np.int32)
    each, of_topic = np.empty((4, count), np.int32), np.empty((3, num_topics), np.int32)
    membership = Membership(
        np.zeros((n, 2, words), np.uint64), np.zeros((n, words), np.int32), each[0], each[1], each[2], each[3],
        of_topic[0], of_topic[1], of_topic[2], np.empty((3, 64 * words + AT_A_TIME), np.int64),
        np.zeros(n + SEGMENT, kind.dtype), indptr, topics,
    )  # fmt: skip
    highest = -1
    for t in range(num_topics):
        for m in range(n):
            highest = max(highest, pieces[t, m])
    merges_left = fill_membership(pieces, membership, np.full(highest + 1, -1, np.int32))
    degree = np.zeros(n + SEGMENT, np.int32)
    for m in range(n):
        degree[m] = degrees[members[m]]
    delta = np.int64(min(degrees.max(), cap))
    if lasting:
        names = lasting_names(members, num_first if num_newcomers >= 0 else -1, rows, degree, delta, told)
    elif len(names) > 0:
        names = names[members]
    else:
        names = members.astype(np.uint64)
    listed = num_newcomers >= 0 or n <= most_listed
    pairs = list_pairs(n, (num_first if num_newcomers >= 0 else n) if listed else 0, kind)
    count_listed_rows(membership, pairs, np.zeros(1, np.int64))
    return members, names, indptr, topics, membership, pairs, degree, delta, merges_left


@njit
def connect_few(
    members, pieces, num_newcomers, most_listed, lasting, told, names, rows, degrees, cap, kind, ratio, ties, seed
):
    """Do a whole repair in one call if it has few candidate pairs; returns the new links, and whether the repair is
    done.

    Arguments as in :func:`small_problem`, and ratio, ties, seed as in
    :func:`topicweave.kernels.greedy.sweep.sweep_listed`.
    """
    members, names, _, _, membership, pairs, degree, delta, merges_left = small_problem(
        members, pieces, num_newcomers, most_listed, lasting, told, names, rows, degrees, cap, kind
    )
    if len(pairs.bound) == 0:
        return np.empty((0, 2), np.int32), merges_left == 0
    rule = np.empty(2, np.uint64)
    rule[0], rule[1] = ties, seed
    links = sweep_listed(membership, pairs, names, degree, ratio, delta, rule, merges_left)
    for i in range(len(links)):
        links[i, 0], links[i, 1] = members[links[i, 0]], members[links[i, 1]]
    return links, True
