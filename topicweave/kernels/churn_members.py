"""The membership of a small problem: some nodes, some topics, and the pieces those nodes are in."""

import numpy as np

from topicweave.kernels.bits import ONE
from topicweave.kernels.jit import njit


@njit
def set_bits(row, topics):
    """Set the bits of these topics."""
    for t in topics:
        row[t >> 6] |= ONE << np.uint64(t & 63)


@njit
def clear_bits(row, topics):
    """Clear the bits of these topics."""
    for t in topics:
        row[t >> 6] &= ~(ONE << np.uint64(t & 63))


@njit
def drop_unconcerned(members, pieces, num_newcomers):
    """Leave out the members that subscribe to none of the topics; return members, pieces and newcomers left."""
    num_topics, num_members = pieces.shape
    kept = 0
    newcomers = 0
    for m in range(num_members):
        concerned = False
        for t in range(num_topics):
            concerned = concerned or pieces[t, m] >= 0
        if concerned:
            members[kept] = members[m]
            pieces[:, kept] = pieces[:, m]
            kept += 1
            newcomers += m < num_newcomers
    return members[:kept].copy(), pieces[:, :kept].copy(), newcomers


@njit
def list_pairs(num_nodes, count, segment_length):
    """Row starts, first segments and partners of the pairs of the first ``count`` nodes with all later ones."""
    start, segment = np.zeros(num_nodes + 1, np.int64), np.zeros(num_nodes + 1, np.int64)
    for u in range(num_nodes):
        length = num_nodes - 1 - u if u < count else 0
        start[u + 1] = start[u] + length
        segment[u + 1] = segment[u] + (length + segment_length - 1) // segment_length
    partners = np.empty(start[num_nodes], np.int32)
    for u in range(count):
        for v in range(u + 1, num_nodes):
            partners[start[u] + v - u - 1] = v
    return start, segment, partners


@njit
def count_topics(pieces):
    """indptr int64 of the CSR by node of a table of pieces (topics, nodes), -1 for no subscription."""
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
def fill_membership(pieces, indptr, topics, members, first_of):
    """Fill the arrays of a :class:`topicweave.kernels.membership.Membership`; return how many merges are to do.

    topics int32 (subscriptions), output: CSR by node. first_of int32 (labels of pieces), scratch of -1.
    """
    rows, first, label, following, size, owner, home, away = members
    num_topics, num_nodes = pieces.shape
    place = indptr[:-1].copy()
    to_do = 0
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
        to_do += num_pieces - 1
        for v in range(num_nodes):
            piece = pieces[t, v]
            if piece >= 0 and first_of[piece] != largest:
                rows[v, 1, word] |= bit
                away[v] += 1
        for v in range(num_nodes):
            if pieces[t, v] >= 0:
                first_of[pieces[t, v]] = -1
    return to_do
