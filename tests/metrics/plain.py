"""Plain twins of the metrics, written from the definitions with sets and queues, and small random cases for them."""

from collections import deque
from itertools import combinations
from math import inf

from hypothesis import strategies as st

from topicweave.model import Interest, Overlay


@st.composite
def cases(draw, most_nodes=8, most_topics=5):
    """An interest and an overlay among its nodes; nodes without topics and topics without subscribers occur."""
    nodes = [f"n{number}" for number in range(draw(st.integers(1, most_nodes)))]
    topics = [f"t{number}" for number in range(draw(st.integers(1, most_topics)))]
    wanted = draw(st.lists(st.frozensets(st.sampled_from(topics)), min_size=len(nodes), max_size=len(nodes)))
    matrix = [[topic in one for topic in topics] for one in wanted]
    interest = Interest.from_matrix(matrix, nodes, topics)
    pairs = list(combinations(nodes, 2))
    links = draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []
    return interest, Overlay.from_pairs(links, labels=nodes)


def neighbours(links, nodes):
    """Who is linked to whom among these nodes."""
    near = {node: set() for node in nodes}
    for one, other in links:
        if one in near and other in near:
            near[one].add(other)
            near[other].add(one)
    return near


def hops_from(start, near):
    """Hops from one node to every node it reaches."""
    hops, queue = {start: 0}, deque([start])
    while queue:
        node = queue.popleft()
        for other in near[node] - hops.keys():
            hops[other] = hops[node] + 1
            queue.append(other)
    return hops


def count_pieces(near):
    """Connected components."""
    left, pieces = set(near), 0
    while left:
        left -= hops_from(next(iter(left)), near).keys()
        pieces += 1
    return pieces


def topic_pieces(interest, overlay):
    """Connected components of each topic's sub-overlay."""
    return [count_pieces(neighbours(overlay.pairs(), interest.subscribers_of(topic))) for topic in interest.topics]


def topic_hops(interest, overlay, topic, inside):
    """Hops between all ordered pairs of distinct subscribers, infinite if there is no path."""
    members = interest.subscribers_of(topic)
    near = neighbours(overlay.pairs(), members if inside else interest.nodes)
    found = {one: hops_from(one, near) for one in members}
    return [found[one].get(other, inf) for one in members for other in members - {one}]


def fewest_strangers(interest, overlay, topic):
    """The true filtering cost: the least number of other nodes that join the subscribers, by trying all sets."""
    members = interest.subscribers_of(topic)
    others = set(interest.nodes) - members
    for count in range(len(others) + 1):
        for chosen in combinations(sorted(others), count):
            if count_pieces(neighbours(overlay.pairs(), members | set(chosen))) <= 1:
                return count
    return inf
