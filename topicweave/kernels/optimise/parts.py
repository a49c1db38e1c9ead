"""Finds the parts into which topics fall when links are removed.

Before the removal, every topic was connected. Where the topic has another path of two or three links between the ends
of a lost link, the link is not missed; such paths are looked for in all topics at once. In the other topics, searches
start from all ends of missed links at once and take turns. Searches that meet are one part. As soon as only one part
has nodes left to visit, it is the *main* part, whose rest need not be visited; all other parts are small and have been
listed on the way.
"""

from typing import NamedTuple

import numpy as np

from topicweave.kernels.intrinsics import lowest, without_lowest
from topicweave.kernels.jit import njit
from topicweave.kernels.optimise.network import ONE, subscribes

MOST_ENDS = 32  # at most this many ends of removed links can be handled in any one topic


class Parts(NamedTuple):
    """Which parts the topics have fallen into, for each topic that a removed link may have cut; and scratch arrays.

    A touched topic is identified by its place in ``touched``. Part p < num_touched is the main part of that topic; the
    small parts follow. Counts are in ``num``: touched topics, parts, listed members, merges left, last stamp.

    Attributes
    ----------
    num
        int64 (6), see above.
    needed
        uint64 (lost links, words): the topics in which no short path replaces a removed link.
    shared
        uint64 (words): scratch.
    touched, place_of
        int32: the touched topics; and by topic, its place there or -1.
    left
        int32 (places): merges left in each touched topic.
    open, words
        The topics with merges left, as bits (uint64), and the words of these that had any (int32).
    label
        int32 (places, nodes): the small part that a node is in; 0 for the main part, and before the search.
    up
        int32 by part: the part it was merged into, or itself.
    part_topic, part_start, part_end, part_next, first_part
        int32: for each small part its topic's place, the range of its members, and the next small part of the same
        topic (0 for none); and by place the first small part.
    members
        int32: the members of all small parts.
    mark, queue, head, tail, group
        Scratch of the searches: stamps by node; by search, the nodes seen and how many of them were visited.
    """

    num: np.ndarray
    needed: np.ndarray
    shared: np.ndarray
    touched: np.ndarray
    place_of: np.ndarray
    left: np.ndarray
    open: np.ndarray
    words: np.ndarray
    label: np.ndarray
    up: np.ndarray
    part_topic: np.ndarray
    part_start: np.ndarray
    part_end: np.ndarray
    part_next: np.ndarray
    first_part: np.ndarray
    members: np.ndarray
    mark: np.ndarray
    queue: np.ndarray
    head: np.ndarray
    tail: np.ndarray
    group: np.ndarray


TOUCHED, PARTS, MEMBERS, MERGES, STAMP, WORDS = range(6)


@njit
def root_of(up, p):
    """The part into which part p has been merged; p itself if it has not been merged."""
    while up[p] != p:
        up[p] = up[up[p]]
        p = up[p]
    return p


@njit
def part_of(parts, place, v):
    """The part of a topic to which a subscriber now belongs; ``place`` is the topic's position in the list of affected
    topics.
    """
    p = parts.label[place, v]
    return root_of(parts.up, p if p > 0 else place)


@njit
def clear_parts(parts):
    """Empty the list of parts, before the next links are removed."""
    for p in range(parts.num[TOUCHED], parts.num[PARTS]):
        for i in range(parts.part_start[p], parts.part_end[p]):
            parts.label[parts.part_topic[p], parts.members[i]] = 0
    for i in range(parts.num[TOUCHED]):
        parts.place_of[parts.touched[i]] = -1
        parts.left[i] = 0
    for i in range(parts.num[WORDS]):
        parts.open[parts.words[i]] = 0
    parts.num[TOUCHED] = parts.num[PARTS] = parts.num[MEMBERS] = parts.num[MERGES] = parts.num[WORDS] = 0


@njit
def list_unbridged(net, u, v, parts, needed):
    """Set ``needed``, uint64 (words), to the common topics of u and v in which no path of two or three links replaces
    the link between them.
    """
    if net.degree[u] > net.degree[v]:
        u, v = v, u
    num_words = len(needed)
    for w in range(num_words):
        needed[w] = net.rows[u, w] & net.rows[v, w]
    parts.num[STAMP] += MOST_ENDS
    stamp = parts.num[STAMP]
    for i in range(net.start[v], net.start[v] + net.degree[v]):
        parts.mark[net.neighbours[i]] = stamp
    for i in range(net.start[u], net.start[u] + net.degree[u]):
        x = net.neighbours[i]
        if parts.mark[x] == stamp:
            for w in range(num_words):
                needed[w] &= ~net.rows[x, w]
    for i in range(net.start[u], net.start[u] + net.degree[u]):
        x = net.neighbours[i]
        some = np.uint64(0)
        for w in range(num_words):
            parts.shared[w] = needed[w] & net.rows[x, w]
            some |= parts.shared[w]
        if some == 0:
            continue
        for j in range(net.start[x], net.start[x] + net.degree[x]):
            y = net.neighbours[j]
            if parts.mark[y] == stamp:
                for w in range(num_words):
                    needed[w] &= ~(parts.shared[w] & net.rows[y, w])


@njit
def touch_topics(net, lost, num_lost, parts):
    """List in ``parts.touched`` the topics that may have fallen apart: those which one of these removed links, int64
    (.., 2), has served, and in which no short path replaces it.
    """
    for e in range(num_lost):
        list_unbridged(net, lost[e, 0], lost[e, 1], parts, parts.needed[e])
        for w in range(parts.needed.shape[1]):
            word = parts.needed[e, w]
            while word != 0:
                t = 64 * w + np.int64(lowest(word))
                word = without_lowest(word)
                if parts.place_of[t] < 0:
                    parts.place_of[t] = parts.num[TOUCHED]
                    parts.touched[parts.num[TOUCHED]] = t
                    parts.num[TOUCHED] += 1
    for place in range(parts.num[TOUCHED]):
        parts.up[place] = place
        parts.first_part[place] = 0
    parts.num[PARTS] = parts.num[TOUCHED]


@njit
def find_parts(net, lost, num_lost, parts):
    """Find the parts of all topics that lost a link and store them in ``parts``; the links must already be removed from
    the network.
    """
    clear_parts(parts)
    touch_topics(net, lost, num_lost, parts)
    for place in range(parts.num[TOUCHED]):
        split_topic(net, place, lost, num_lost, parts)
        if parts.left[place] > 0:
            open_topic(parts, parts.touched[place])


@njit
def open_topic(parts, t):
    """Record that a topic is not connected yet."""
    if parts.open[t >> 6] == 0:
        parts.words[parts.num[WORDS]] = t >> 6
        parts.num[WORDS] += 1
    parts.open[t >> 6] |= ONE << np.uint64(t & 63)


@njit
def count_merge(parts, place):
    """Record that two parts have been merged, in the affected topic at this place of the list."""
    parts.num[MERGES] -= 1
    parts.left[place] -= 1
    if parts.left[place] == 0:
        t = parts.touched[place]
        parts.open[t >> 6] &= ~(ONE << np.uint64(t & 63))


@njit
def split_topic(net, place, lost, num_lost, parts):
    """Find the parts into which one of the affected topics has fallen, and list the small ones.

    Links that a short path replaces split nothing, so every part has an end of one of the other links.
    """
    t = parts.touched[place]
    parts.num[STAMP] += MOST_ENDS
    stamp = parts.num[STAMP]
    mark, queue, head, tail, group = parts.mark, parts.queue, parts.head, parts.tail, parts.group
    num_searches = 0
    for e in range(num_lost):
        if (parts.needed[e, t >> 6] >> np.uint64(t & 63)) & ONE != 0:
            for side in range(2):
                v = lost[e, side]
                if mark[v] < stamp:
                    mark[v] = stamp + num_searches
                    queue[num_searches, 0] = v
                    head[num_searches], tail[num_searches], group[num_searches] = 0, 1, num_searches
                    num_searches += 1
    num_groups = num_open = num_searches
    while num_open > 1:
        for s in range(num_searches):
            if head[s] == tail[s]:
                continue
            v = queue[s, head[s]]
            head[s] += 1
            for i in range(net.start[v], net.start[v] + net.degree[v]):
                w = net.neighbours[i]
                if not subscribes(net, w, t):
                    continue
                if mark[w] < stamp:
                    mark[w] = stamp + s
                    queue[s, tail[s]] = w
                    tail[s] += 1
                else:
                    one, other = root_of(group, s), root_of(group, mark[w] - stamp)
                    if one != other:
                        group[max(one, other)] = min(one, other)
                        num_groups -= 1
                        num_open -= 1
            if head[s] == tail[s] and is_exhausted(head, tail, group, s, num_searches):
                num_open -= 1
            if num_open <= 1:
                break
        if num_groups == 1:
            return
    list_small_parts(place, num_searches, parts)


@njit
def is_exhausted(head, tail, group, s, num_searches):
    """Whether a group of searches that have met (the group of search s) has no nodes left to visit."""
    mine = root_of(group, s)
    for other in range(num_searches):
        if head[other] < tail[other] and root_of(group, other) == mine:
            return False
    return True


@njit
def list_small_parts(place, num_searches, parts):
    """List the small parts of the topic. Each group of searches that met has found one part; the main part is that of
    the group that still had nodes to visit, or of the last group if there is no such group. All others are small.
    """
    queue, head, tail, group = parts.queue, parts.head, parts.tail, parts.group
    seen_main = False
    for g in range(num_searches):
        if root_of(group, g) != g:
            continue
        is_small = is_exhausted(head, tail, group, g, num_searches)
        if not is_small or (not seen_main and is_last_group(group, g, num_searches)):
            seen_main = True
            continue
        p = parts.num[PARTS]
        parts.num[PARTS] += 1
        parts.num[MERGES] += 1
        parts.left[place] += 1
        parts.up[p] = p
        parts.part_topic[p] = place
        parts.part_next[p], parts.first_part[place] = parts.first_part[place], p
        parts.part_start[p] = parts.num[MEMBERS]
        for s in range(num_searches):
            if root_of(group, s) == g:
                for i in range(tail[s]):
                    v = queue[s, i]
                    parts.label[place, v] = p
                    parts.members[parts.num[MEMBERS]] = v
                    parts.num[MEMBERS] += 1
        parts.part_end[p] = parts.num[MEMBERS]


@njit
def is_last_group(group, g, num_searches):
    """Whether the group whose first search is g is the last one: no later search is the first of its group."""
    for s in range(g + 1, num_searches):
        if root_of(group, s) == s:
            return False
    return True
