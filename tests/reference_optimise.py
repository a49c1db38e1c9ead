"""Naive twins of the optimisers: by enumeration and by definition, with sets and dicts; no code of the package."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping
    from collections.abc import Set as AbstractSet

    Edge = tuple[int, int]
    TopicsOf = Mapping[int, AbstractSet[int]]


def classes(members: Collection[int], edges: Collection[Edge]) -> list[set[int]]:
    """The connected components of the members under the edges among them."""
    parts = [{v} for v in members]
    for u, v in edges:
        touched = [part for part in parts if u in part or v in part]
        if u in members and v in members and len(touched) == 2:
            parts = [part for part in parts if part not in touched] + [touched[0] | touched[1]]
    return parts


def is_connected(topics_of: TopicsOf, edges: Collection[Edge]) -> bool:
    """Whether every topic's subscribers are connected through subscribers."""
    topics = set().union(*topics_of.values())
    members = ({v for v in topics_of if t in topics_of[v]} for t in topics)
    return all(len(classes(each, edges)) == 1 for each in members)


def useful_pairs(topics_of: TopicsOf) -> list[Edge]:
    """Pairs of nodes with a common topic."""
    return [(u, v) for u, v in combinations(sorted(topics_of), 2) if topics_of[u] & topics_of[v]]


def maximum_degree(edges: Collection[Edge]) -> int:
    """The most links of a node."""
    ends = [v for edge in edges for v in edge]
    return max((ends.count(v) for v in ends), default=0)


def fewest_links(topics_of: TopicsOf, cap: int | None = None) -> int | None:
    """The links of the smallest topic-connected overlay (within a cap on degrees), by trying all; None for none."""
    pairs = useful_pairs(topics_of)
    for size in range(len(pairs) + 1):
        for edges in combinations(pairs, size):
            if (cap is None or maximum_degree(edges) <= cap) and is_connected(topics_of, edges):
                return size
    return None


def least_degree(topics_of: TopicsOf) -> int:
    """The least maximum degree of a topic-connected overlay."""
    return next(cap for cap in range(len(topics_of) + 1) if fewest_links(topics_of, cap) is not None)


def cheapest_tree(members: list[int], price: Mapping[Edge, int]) -> int:
    """What the cheapest spanning tree costs: the cheapest edge that joins two classes, again and again."""
    edges: list[Edge] = []
    cost = 0
    for edge in sorted(combinations(members, 2), key=lambda pair: price[pair]):
        if len(classes(members, [*edges, edge])) < len(classes(members, edges)):
            edges.append(edge)
            cost += price[edge]
    return cost


def projected(values: list[int], target: int) -> list[float]:
    """The nearest point to ``values`` with no part below 0 and this sum: the right amount is found by bisection."""
    low, high = min(values) - target - 1.0, float(max(values))
    for _ in range(200):
        amount = (low + high) / 2
        if sum(max(value - amount, 0.0) for value in values) > target:
            low = amount
        else:
            high = amount
    return [max(value - low, 0.0) for value in values]


def partitions(members: list[int]) -> Iterator[list[set[int]]]:
    """Every way to divide the members into classes."""
    if not members:
        yield []
        return
    first, *others = members
    for classes_of_others in partitions(others):
        yield [{first}, *classes_of_others]
        for place, each in enumerate(classes_of_others):
            yield [*classes_of_others[:place], {first, *each}, *classes_of_others[place + 1 :]]


def partition_program(topics_of: TopicsOf) -> tuple[list[Edge], list[list[int]], list[int]]:
    """The linear program that the bound is the dual of: pairs, a row of 0 and 1 for every partition, and its least sum.

    In every topic, a partition of its subscribers into k classes needs k - 1 links between classes.
    """
    pairs, rows, least = useful_pairs(topics_of), [], []
    for t in set().union(*topics_of.values()):
        for divided in partitions([v for v in topics_of if t in topics_of[v]]):
            if len(divided) > 1:
                of = {v: place for place, each in enumerate(divided) for v in each}
                rows.append([int(u in of and v in of and of[u] != of[v]) for u, v in pairs])
                least.append(len(divided) - 1)
    return pairs, rows, least
