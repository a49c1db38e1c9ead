"""Plain twins for trees: sets and dictionaries, every root and every set of relays tried."""

from itertools import chain, combinations


def members_of(interest, topic):
    return set(interest.subscribers_of(topic))


def receivers_of(interest, topic):
    number = interest.topic_numbers[topic]
    return {
        interest.nodes[v]
        for v in range(interest.num_nodes)
        for i in range(interest.indptr[v], interest.indptr[v + 1])
        if interest.indices[i] == number and interest.receives[i]
    }


def neighbours(overlay, members):
    near = {node: set() for node in members}
    for a, b in overlay.pairs():
        if a in near and b in near:
            near[a].add(b)
            near[b].add(a)
    return near


def distances(near, root, inner, weight=None):
    """Shortest distances through inner nodes, by repeated relaxation."""
    far = {root: 0}
    changed = True
    while changed:
        changed = False
        for node in list(far):
            if node not in inner and node != root:
                continue
            for other in near[node]:
                through = far[node] + (1 if weight is None else weight[frozenset((node, other))])
                if other not in far or through < far[other] - 1e-12:
                    far[other] = through
                    changed = True
    return far


def fewest_relays(interest, overlay, topic):
    """The least number of members that only publish and have to pass the topic on; None if it is in pieces."""
    members, receivers = members_of(interest, topic), receivers_of(interest, topic)
    near = neighbours(overlay, members)
    silent = sorted(members - receivers)
    if not receivers:
        return 0
    for size in range(len(silent) + 1):
        for extra in combinations(silent, size):
            if connects(near, members, receivers | set(extra)):
                return size
    return None


def connects(near, members, inner):
    """Whether the inner nodes are connected and every other node is next to one of them."""
    if len(members) == 1:
        return True
    root = min(inner)
    return distances(near, root, inner).keys() >= members


def radius(near, members, inner, weight=None):
    """The least distance within which some inner node reaches every node."""
    return min(max(distances(near, root, inner, weight)[node] for node in members) for root in inner)


def every_link(trees, topics):
    return set(chain.from_iterable(frozenset(pair) for topic in topics for pair in trees.edges(topic)))
