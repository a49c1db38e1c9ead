"""Which of equally good links a repair takes: those that will last, away from the busiest nodes.

A link between nodes with many topics in common often connects topics that were connected anyway; it is idle now, but
when somebody leaves later, less breaks. So the more topics, the better, unless a node is near the maximum degree.
"""

import numpy as np

from topicweave.kernels.bits import popcount
from topicweave.kernels.jit import njit

ROOM_ON_JOIN, ROOM_ON_LEAVE = 4, 5  # a node whose degree is closer to the maximum than this comes later, by degree


@njit
def lasting_names(members, num_newcomers, rows, degree, delta):
    """Numbers for the members, int64; of two pairs, the one with the lower lowest number is taken first.

    Parameters
    ----------
    members
        int32: the newcomers first.
    num_newcomers
        Only pairs with one of them are candidates; -1 if all pairs are.
    rows, degree
        Subscriptions (uint64, by slot) and links (int32, by member).
    delta
        The maximum degree.
    """
    n = len(members)
    room = ROOM_ON_LEAVE if num_newcomers < 0 else ROOM_ON_JOIN
    key = np.empty(n, np.int64)
    for m in range(n):
        u = members[m]
        topics = 0
        for w in range(rows.shape[1]):
            # for a single newcomer what counts is known exactly: the topics in common with it
            word = rows[u, w] & rows[members[0], w] if num_newcomers == 1 else rows[u, w]
            topics += popcount(word)
        key[m] = (np.int64(max(0, degree[m] - (delta - room))) << 32) - topics
        if m < num_newcomers:
            key[m] = -(np.int64(1) << 62)
    names = np.empty(n, np.int64)
    order = np.argsort(key, kind="mergesort")
    for i in range(n):
        names[order[i]] = i
    return names
