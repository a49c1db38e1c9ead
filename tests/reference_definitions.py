"""The definitions of the papers as plain Python (GM §3, PART §III): components, contribution, support, degrees."""

from __future__ import annotations

from collections import Counter, deque
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping
    from collections.abc import Set as AbstractSet

    Edge = tuple[int, int]
    TopicsOf = Mapping[int, AbstractSet[int]]
    Weights = dict[Edge, int]
    # Given the positive contributions and the whole overlay: the edges the rule allows next, none when it is done.
    Rule = Callable[[Weights, list[Edge]], set[Edge]]


class Built(NamedTuple):
    """What a twin delivers: edges in the order added, what each contributed, and how many each pass added."""

    edges: list[Edge]
    contributions: list[int]
    passes: list[int]


def topics_by_number(interest: Any) -> dict[int, set[int]]:
    """The topics of each node of an Interest, by number."""
    starts, flat = interest.indptr.tolist(), interest.indices.tolist()
    return {v: set(flat[starts[v] : starts[v + 1]]) for v in range(interest.num_nodes)}


def ordered(edges: Iterable[Iterable[Any]]) -> list[Edge]:
    """The edges as plain pairs with the smaller number first."""
    return [(min(u, v), max(u, v)) for u, v in ((int(a), int(b)) for a, b in edges)]


def all_topics(topics_of: TopicsOf) -> set[int]:
    """Topics with at least one subscriber; a topic without subscribers counts 0 everywhere."""
    return set().union(*topics_of.values())


def subscribers(topics_of: TopicsOf, topic: int) -> list[int]:
    """V(t), ascending."""
    return sorted(v for v in topics_of if topic in topics_of[v])


def all_pairs(topics_of: TopicsOf) -> list[Edge]:
    """K, the complete overlay."""
    return list(combinations(sorted(topics_of), 2))


def components(topics_of: TopicsOf, edges: Iterable[Edge], topic: int) -> list[set[int]]:
    """The connected components of the sub-overlay induced by V(t), by breadth-first search."""
    neighbours: dict[int, set[int]] = {v: set() for v in subscribers(topics_of, topic)}
    for u, v in edges:
        if u in neighbours and v in neighbours:
            neighbours[u].add(v)
            neighbours[v].add(u)
    found: list[set[int]] = []
    unseen = set(neighbours)
    while unseen:
        first = min(unseen)
        piece, queue = {first}, deque([first])
        while queue:
            for v in neighbours[queue.popleft()] - piece:
                piece.add(v)
                queue.append(v)
        found.append(piece)
        unseen -= piece
    return found


def tcc(topics_of: TopicsOf, edges: Iterable[Edge], topics: Collection[int] | None = None) -> int:
    """TCC(E): components summed over all topics, or over these."""
    edges = list(edges)
    counted = all_topics(topics_of) if topics is None else all_topics(topics_of) & set(topics)
    return sum(len(components(topics_of, edges, t)) for t in counted)


def contribution(topics_of: TopicsOf, edges: Iterable[Edge], edge: Edge, topics: Collection[int] | None = None) -> int:
    """How many topic-connected components the edge removes from this overlay."""
    edges = list(edges)
    return tcc(topics_of, edges, topics) - tcc(topics_of, [*edges, edge], topics)


def support(topics_of: TopicsOf, edges: Iterable[Edge]) -> float:
    """(TCC(∅) − TCC(E)) / (TCC(∅) − TCC(K)); 1 when the denominator is 0 (PART Eq. 35, left-hand form)."""
    apart, least = tcc(topics_of, []), tcc(topics_of, all_pairs(topics_of))
    return 1.0 if apart == least else (apart - tcc(topics_of, edges)) / (apart - least)


def is_tco(topics_of: TopicsOf, edges: Iterable[Edge]) -> bool:
    """Every topic's subscribers reach each other through subscribers alone."""
    edges = list(edges)
    return all(len(components(topics_of, edges, t)) == 1 for t in all_topics(topics_of))


def maximum_degree(edges: Iterable[Edge]) -> int:
    """Δ of the overlay."""
    return max(Counter(v for edge in edges for v in edge).values(), default=0)


def removed_components(topics_of: TopicsOf, edges: Iterable[Edge], start: Iterable[Edge] = ()) -> list[int]:
    """By how much TCC falls at each of these edges, added in turn to the overlay ``start``."""
    overlay, removed = list(start), []
    for edge in edges:
        removed.append(contribution(topics_of, overlay, edge))
        overlay.append(edge)
    return removed


def weights_at(
    topics_of: TopicsOf, overlay: Iterable[Edge], candidates: Iterable[Edge], topics: Collection[int] | None = None
) -> Weights:
    """The positive contributions among the candidates: common topics in which the two ends are in different pieces."""
    overlay = list(overlay)
    counted = all_topics(topics_of) if topics is None else all_topics(topics_of) & set(topics)
    piece_of = {
        t: {v: number for number, piece in enumerate(components(topics_of, overlay, t)) for v in piece} for t in counted
    }
    weights = {}
    for u, v in candidates:
        common = topics_of[u] & topics_of[v] & counted
        if weight := sum(piece_of[t][u] != piece_of[t][v] for t in common):
            weights[u, v] = weight
    return weights


def filled(weights: Weights, candidates: Iterable[Edge]) -> Weights:
    """The literal reading (LOW Lemma 1, PART §VII): until there is a TCO, edges of contribution 0 count as well."""
    return {**dict.fromkeys(candidates, 0), **weights} if weights else {}
