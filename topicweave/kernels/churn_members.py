"""The membership of a small problem: some nodes, some topics, and the pieces those nodes are in."""

import numpy as np

from topicweave.kernels.bits import ONE
from topicweave.kernels.jit import njit


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
