"""Requirements in plain Python, from their definitions: sets and dicts, everything worked out again at every step."""

from __future__ import annotations

from itertools import combinations
from math import inf


def common(topics_of, u, v):
    """The topics of a pair."""
    return topics_of[u] & topics_of[v]


def members(topics_of, topic):
    """The subscribers of a topic."""
    return {node for node, topics in topics_of.items() if topic in topics}


def distances(nodes, links, source):
    """Hops from the source to every node that it reaches inside ``nodes``."""
    hops, layer = {source: 0}, {source}
    while layer:
        layer = {w for w in nodes - hops.keys() if any({v, w} in links for v in layer)}
        hops.update(dict.fromkeys(layer, max(hops.values()) + 1))
    return hops


def components(topics_of, links, topic):
    """The pieces that the subscribers of a topic form."""
    left, found = members(topics_of, topic), []
    while left:
        piece = set(distances(left, links, min(left)))
        found.append(piece)
        left -= piece
    return found


def contribution(topics_of, links, u, v):
    """In how many topics the pair is in different components."""
    return sum(
        not any({u, v} <= piece for piece in components(topics_of, links, topic)) for topic in common(topics_of, u, v)
    )


def is_met(topics_of, links, topic, max_hops=0, connectivity=1):
    """Whether a topic meets the hop limit and survives the failure of any ``connectivity`` - 1 nodes."""
    nodes = members(topics_of, topic)
    if len(nodes) <= connectivity:
        return all({u, v} in links for u, v in combinations(nodes, 2))
    for v in nodes:
        hops = distances(nodes, links, v)
        if hops.keys() != nodes or (max_hops and max(hops.values()) > max_hops):
            return False
    for number in range(1, connectivity):
        for failed in combinations(nodes, number):
            rest = nodes - set(failed)
            if distances(rest, links, min(rest)).keys() != rest:
                return False
    return True


def permitted_greedy(topics_of, is_permitted, weight, caps, rank, penalty=1.0, prefer=(), counts_loads=True):
    """The greedy rule over permitted links: by contribution per weight, divided by the penalty if the link raises the
    maximum degree; then preferred links, those whose ends have fewest links, and those of the lowest rank.

    With an infinite penalty the maximum degree is raised only if no other link contributes.
    """
    links, delta = [], 0
    while True:
        degree = {v: sum(v in link for link in links) for v in topics_of}
        best = None
        for u, v in combinations(sorted(topics_of), 2):
            if not is_permitted(u, v) or degree[u] >= caps[u] or degree[v] >= caps[v]:
                continue
            score = contribution(topics_of, links, u, v) / weight(u, v)
            if max(degree[u], degree[v]) >= delta:
                score /= penalty
            key = (score, {u, v} in prefer, -(degree[u] + degree[v]) * counts_loads, -rank(u, v))
            if score > 0 and (best is None or key > best[0]):
                best = (key, (u, v))
        if best is None:
            if penalty < inf or delta >= max(caps.values()):
                return [tuple(sorted(link)) for link in links]
            delta += 1
            continue
        links.append(set(best[1]))
        delta = max(delta, *(degree[v] + 1 for v in best[1]))


def reverse_deletion(topics_of, links, order, max_hops=0, connectivity=1):
    """Go through the links in order and remove each without which no topic that is met would cease to be."""
    left = [set(link) for link in links]
    every_topic = set().union(*topics_of.values())
    met = {topic for topic in every_topic if is_met(topics_of, left, topic, max_hops, connectivity)}
    for link in order:
        without = [other for other in left if other != set(link)]
        topics = common(topics_of, *link)
        if topics <= met and all(is_met(topics_of, without, topic, max_hops, connectivity) for topic in topics):
            left = without
    return {tuple(sorted(link)) for link in left}


def lightest(topics_of, pairs, weight, caps, required=(), max_hops=0, connectivity=1):
    """The lightest overlay of these pairs that meets everything, by trying all; None if there is none."""
    every_topic = set().union(*topics_of.values())
    best = None
    free = [pair for pair in pairs if pair not in required]
    for bits in range(1 << len(free)):
        chosen = [*required, *(pair for i, pair in enumerate(free) if bits >> i & 1)]
        total = sum(weight(*pair) for pair in chosen)
        if best is not None and total >= best[0]:
            continue
        if any(sum(v in pair for pair in chosen) > caps[v] for v in topics_of):
            continue
        links = [set(pair) for pair in chosen]
        if all(is_met(topics_of, links, topic, max_hops, connectivity) for topic in every_topic):
            best = (total, chosen)
    return best


def can_be_met(topics_of, pairs, caps, required=(), max_hops=0, connectivity=1):
    """Whether any choice of these pairs meets everything, by trying all; a choice is given up as soon as a topic would
    not be met even with all pairs about which nothing is decided yet.
    """
    free = [pair for pair in pairs if pair not in required]
    every_topic = set().union(*topics_of.values())

    def fits(some):
        return all(sum(v in pair for pair in some) <= caps[v] for v in topics_of)

    def is_good(some, topics):
        return all(is_met(topics_of, some, topic, max_hops, connectivity) for topic in topics)

    def search(chosen, at):
        if not fits(chosen):
            return False
        left = [pair for pair in free[at:] if fits([*chosen, pair])]
        most = [*chosen, *left]
        if not is_good([set(pair) for pair in most], every_topic):
            return False
        if fits(most):
            return True
        at = free.index(left[0])
        return search([*chosen, free[at]], at + 1) or search(chosen, at + 1)

    return search(list(required), 0)


def length(topics_of, links, topic):
    """The diameter of a topic and the mean distance of two of its members together."""
    nodes = members(topics_of, topic)
    hops = [h for v in nodes for w, h in distances(nodes, links, v).items() if w != v]
    return max(hops, default=0) + (sum(hops) / len(hops) if hops else 0)


def best_exchange(topics_of, links, link, is_permitted, caps, value, max_hops=0, connectivity=1):
    """What the value of the overlay can become if one link is replaced by any other so that all topics are met; the
    present value if nothing is better, and that without the link if it is needless.
    """
    every_topic = set().union(*topics_of.values())
    rest = [one for one in links if one != set(link)]

    def is_good(some):
        return all(is_met(topics_of, some, topic, max_hops, connectivity) for topic in every_topic)

    if is_good(rest):
        return value(rest)
    found = [value(links)]
    for u, v in combinations(sorted(topics_of), 2):
        with_pair = [*rest, {u, v}]
        is_full = any(sum(w in one for one in with_pair) > caps[w] for w in (u, v))
        if {u, v} in links or is_full or not is_permitted(u, v):
            continue
        if is_good(with_pair):
            found.append(value(with_pair))
    return min(found)
