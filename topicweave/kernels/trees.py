"""Builds one spanning tree per topic, stored as the parent of each member.

All functions work on one topic. Its members are numbered by *place* (see :mod:`topicweave.kernels.topic_links`); its
links are a *graph*: ``(start, near, by, weight)``, the first three as from ``neighbours_within``, weight float64 by
link of the topic (empty if all links count the same). ``core`` marks the members that may pass messages on: those that
receive the topic, and the few publishers without which the others would not be connected. Searches pass only through
the core, so that all other members become leaves.
"""

import heapq

import numpy as np

from topicweave.kernels.intrinsics import take_next
from topicweave.kernels.jit import inner_njit, njit
from topicweave.kernels.topic_links import neighbours_within

DEPTH, LATENCY, LOAD = 0, 1, 2
NOBODY = -1
# for topics with at most this many members, the chosen root is at most one hop worse than the best
EXACT_MEMBERS = 2000
# how many roots are tried in larger topics, where any root is at most twice as far from the farthest member as the best
SEARCHES_BEYOND = 8
TOPICS_AT_A_TIME = 64


@njit
def search(graph, core, root, found):
    """Compute shortest distances from a root along paths whose inner members may relay; returns how many members were
    reached.

    found: (distance float64, -1 if unreached; reached_by int32: link of the topic; order int32: in the order reached)
    is filled.
    """
    start, near, by, weight = graph
    distance, reached_by, order = found
    distance[:] = -1.0
    distance[root] = 0.0
    reached_by[root] = NOBODY
    if len(weight):
        return _weighted_search(graph, core, root, found)
    order[0] = root
    head, tail = 0, 1
    while head < tail:
        v = order[head]
        head += 1
        if not core[v] and v != root:
            continue
        for i in range(start[v], start[v + 1]):
            w = near[i]
            if distance[w] < 0:
                distance[w] = distance[v] + 1
                reached_by[w] = by[i]
                order[tail] = w
                tail += 1
    return tail


@inner_njit
def _weighted_search(graph, core, root, found):
    start, near, by, weight = graph
    distance, reached_by, order = found
    done = np.zeros(len(core), np.bool_)
    heap = [(0.0, np.int64(root))]
    tail = 0
    while len(heap):
        far, v = heapq.heappop(heap)
        if done[v]:
            continue
        done[v] = True
        order[tail] = v
        tail += 1
        if not core[v] and v != root:
            continue
        for i in range(start[v], start[v + 1]):
            w = near[i]
            through = far + weight[by[i]]
            if not done[w] and (distance[w] < 0 or through < distance[w]):
                distance[w] = through
                reached_by[w] = by[i]
                heapq.heappush(heap, (through, np.int64(w)))
    return tail


@njit
def central_root(graph, core, found):
    """Find a good root: a member that may relay and from which even the farthest member is near. Returns -1 if some
    member cannot be reached.

    Every search gives lower bounds on the eccentricity of all other members (triangle inequality). The member with the
    lowest bound is tried next, then the one farthest from it, which raises the bounds; a root is good enough if it is
    within one hop (with weights: 1 %) of the lowest bound.
    """
    start, weight = graph[0], graph[3]
    distance, order = found[0], found[2]
    n = len(core)
    # the distance to the farthest member: exact for a member from which a search was made, at least this for the others
    bound = np.zeros(n)
    tried = np.zeros(n, np.bool_)
    root, most = NOBODY, -1
    for v in range(n):
        if core[v] and start[v + 1] - start[v] > most:
            root, most = v, start[v + 1] - start[v]
    best, best_root = np.inf, NOBODY
    for _try in range(n if n <= EXACT_MEMBERS else SEARCHES_BEYOND):
        for _ in range(2):  # search twice: from the root, and from the member farthest from it
            if search(graph, core, root, found) < n:
                return NOBODY
            tried[root] = True
            farthest = order[n - 1]
            radius = distance[farthest]
            if core[root] and radius < best:
                best, best_root = radius, root
            for v in range(n):
                bound[v] = max(bound[v], distance[v], radius - distance[v])
            root = farthest
            if tried[root]:
                break
        least, root = np.inf, NOBODY
        for v in range(n):
            if core[v]:
                least = min(least, bound[v])
                if not tried[v] and (root == NOBODY or bound[v] < bound[root]):
                    root = v
        if root == NOBODY or best <= (least * 1.01 if len(weight) else least + 1):
            break
    return best_root


@njit
def choose_core(start, near, receives, core):
    """Mark the members that may relay messages (the core), as bool (members): all receivers, and as few others as
    necessary.

    The nearest pieces are joined first, along paths with the fewest members that only publish; then each of these
    members is removed again if the others stay connected without it.
    """
    n = len(receives)
    if not receives.any():  # without receivers, any tree is as good as another
        core[:] = True
        return
    core[:] = receives
    if receives.all():
        return
    cost = np.empty(n, np.int64)
    before = np.empty(n, np.int64)
    added = np.zeros(n, np.bool_)
    while True:
        target = _next_to_join(start, near, core, cost, before)
        if target == NOBODY:
            break
        v = before[target] if not core[target] else target
        while v != NOBODY:
            if not core[v]:
                core[v] = True
                added[v] = True
            v = before[v]
    for v in range(n):
        if added[v]:
            core[v] = False
            if _next_to_join(start, near, core, cost, before) != NOBODY:
                core[v] = True


@inner_njit
def _next_to_join(start, near, core, cost, before):
    """Return the nearest core member that is not yet connected, through core members alone, with the first part of the
    core; -1 if there is none.

    The cost counts the members outside the core on the path, including the member itself. Members that cannot be
    reached at all are left to the search for a root, which then finds the topic disconnected.
    """
    n = len(core)
    cost[:] = n + 1
    # a double-ended queue that starts in the middle of the array: every entry is pushed at most twice
    queue = np.empty(4 * len(near) + 4, np.int64)
    head = 2 * len(near) + 2
    tail = head
    for v in range(n):
        if core[v]:
            cost[v], before[v] = 0, NOBODY
            queue[tail] = v
            tail += 1
            break
    while head < tail:
        v = queue[head]
        head += 1
        for i in range(start[v], start[v + 1]):
            w = near[i]
            through = cost[v] + (0 if core[w] else 1)
            if through < cost[w]:
                cost[w], before[w] = through, v
                if core[w]:
                    head -= 1
                    queue[head] = w
                else:
                    queue[tail] = w
                    tail += 1
    target, least = NOBODY, n + 1
    for v in range(n):
        away = cost[v] if core[v] else cost[v] - 1
        if 0 < away < least and cost[v] <= n:
            target, least = v, away
    return target


@njit
def least_loaded(graph, core, root, load, names, found):
    """Grow a tree from a root; each new member is attached to the member that relays least so far. Updates ``load``,
    int64 by node.

    names int32: the node of each place; found as for :func:`search`.
    """
    start, near, by, _ = graph
    distance, reached_by, order = found
    n = len(core)
    distance[:] = -1.0
    distance[root] = 0.0
    reached_by[root] = NOBODY
    order[0] = root
    head, tail = 0, 1
    heap = [(load[names[root]], np.int64(0), np.int64(0))]
    heap.pop()
    while tail < n:
        if head < tail:
            v = order[head]
            head += 1
            if core[v]:
                for i in range(start[v], start[v + 1]):
                    if distance[near[i]] < 0:
                        heapq.heappush(heap, (load[names[v]], np.int64(distance[v]), np.int64(i) * n + v))
        if not len(heap):
            break
        paid, depth, code = heapq.heappop(heap)
        v, i = code % n, code // n
        w = near[i]
        if distance[w] >= 0:
            continue
        if load[names[v]] != paid:  # this entry is outdated, because the node's load has grown since it was made
            heapq.heappush(heap, (load[names[v]], depth, code))
            continue
        load[names[v]] += 1
        distance[w] = distance[v] + 1
        reached_by[w] = by[i]
        order[tail] = w
        tail += 1
    return tail


@njit
def grow_trees(links, members, edge_weight, objective, load, result, work_counter):
    """Build the trees of all topics and write them to ``result``; several threads may do this at once, except for LOAD,
    where each tree depends on earlier ones.

    links as from ``topic_links``; members as from ``members_of``; edge_weight float64 by link of the overlay, used only
    for LATENCY; result as for :func:`write_tree`, and cut bool by topic: it is disconnected and has no tree.
    """
    topic_start, nodes, receives = members
    trees, cut = result
    while True:
        first = take_next(work_counter) * TOPICS_AT_A_TIME
        if first >= len(topic_start) - 1:
            return
        for t in range(first, min(first + TOPICS_AT_A_TIME, len(topic_start) - 1)):
            low, high = topic_start[t], topic_start[t + 1]
            begin, end = links[0][t], links[0][t + 1]
            ends = links[1][begin:end], links[2][begin:end], links[3][begin:end]
            names = nodes[low:high]
            if high > low:
                start, near, by = neighbours_within(ends[0], ends[1], len(names))
                weight = edge_weight[ends[2]] if objective == LATENCY else edge_weight[:0]
                graph = start, near, by, weight
                core = np.empty(len(names), np.bool_)
                choose_core(start, near, receives[low:high], core)
                found = np.empty(len(names)), np.empty(len(names), np.int32), np.empty(len(names), np.int32)
                root = central_root(graph, core, found)
                cut[t] = root == NOBODY
                if root != NOBODY:
                    if objective == LOAD:
                        least_loaded(graph, core, root, load, names, found)
                    else:
                        search(graph, core, root, found)
                    if objective != LATENCY:
                        chosen = np.sort(found[1][found[1] != NOBODY])
                        ends = ends[0][chosen], ends[1][chosen], ends[2][chosen]
                        hang_by_middle(ends, found)
                    write_tree(t, low, names, ends, found, trees)


@njit
def hang_by_middle(ends, found):
    """Choose the middle of a tree's longest path as its root, so that the farthest member is as near as possible, and
    search from there.

    The result is written to ``found``, as by :func:`search`.
    """
    start, near, by = neighbours_within(ends[0], ends[1], len(found[0]))
    graph = start, near, by, np.empty(0)
    core = np.ones(len(found[0]), np.bool_)
    search(graph, core, middle(graph, core, found), found)


@njit
def middle(graph, core, found):
    """The middle of a longest path of a tree; ``found`` is overwritten."""
    distance, reached_by, order = found
    start, near, by, _ = graph
    search(graph, core, 0, found)
    far = order[len(order) - 1]
    search(graph, core, far, found)
    v = order[len(order) - 1]
    for _ in range(int(distance[v]) // 2):
        for i in range(start[v], start[v + 1]):
            if by[i] == reached_by[v]:
                v = near[i]
                break
    return v


@njit
def write_tree(t, low, names, ends, found, trees):
    """Copy the result of a search into the arrays for all topics; ``low`` is where the members of this topic begin.

    trees: (parent int32: node, -1 for the root; depth int32; link int32: of the overlay, -1 for the root; degree int32:
    in the tree) by member, (hops int32: the most between two members; total_hops float64: the sum over all pairs) by
    topic.
    """
    one, other, link = ends
    _, reached_by, order = found
    parents, depths, chosen, degrees, hops, total_hops = trees
    n = len(names)
    parent = np.empty(n, np.int32)
    height = np.zeros(n, np.int64)
    size = np.ones(n, np.int64)
    degrees[low : low + n] = 1
    for k in range(n):
        v = order[k]
        if k == 0:
            parents[low + v], depths[low + v], chosen[low + v], degrees[low + v] = NOBODY, 0, NOBODY, 0
            continue
        by = reached_by[v]
        p = other[by] if one[by] == v else one[by]
        parent[v] = p
        parents[low + v], depths[low + v], chosen[low + v] = names[p], depths[low + p] + 1, link[by]
        degrees[low + p] += 1
    most, total = 0, 0.0
    for k in range(n - 1, 0, -1):
        v = order[k]
        p = parent[v]
        most = max(most, height[p] + height[v] + 1)
        height[p] = max(height[p], height[v] + 1)
        size[p] += size[v]
        total += float(size[v]) * float(n - size[v])
    hops[t], total_hops[t] = most, total
