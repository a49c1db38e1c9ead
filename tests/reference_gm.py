"""Plain twins of the algorithms of GM: the greedy loop, Greedy Merge, and one sub-overlay per topic (§8.3)."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

from tests.reference_definitions import (
    Built,
    all_pairs,
    all_topics,
    filled,
    ordered,
    removed_components,
    subscribers,
    weights_at,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping
    from collections.abc import Set as AbstractSet

    Edge = tuple[int, int]
    TopicsOf = Mapping[int, AbstractSet[int]]
    Weights = dict[Edge, int]
    # Given the positive contributions and the whole overlay: the edges the rule allows next, none when it is done.
    Rule = Callable[[Weights, list[Edge]], set[Edge]]


def heaviest(weights: Weights) -> set[Edge]:
    largest = max(weights.values(), default=0)
    return {edge for edge, weight in weights.items() if weight == largest}


def gm_rule() -> Rule:
    """GM §6, Alg. 3 line 3: some edge of the highest contribution."""
    return lambda weights, overlay: heaviest(weights)


def greedy(
    topics_of: TopicsOf,
    rule: Rule,
    *,
    passes: int = 1,
    start: Iterable[Edge] = (),
    pairs: Iterable[Edge] | None = None,
    topics: Collection[int] | None = None,
    prefer: Iterable[Edge] = (),
    fill: bool = False,
    pick: Callable[[list[Edge]], Edge] = min,
) -> Built:
    """While the rule allows an edge, add one; recompute every contribution (SHADOW Alg. 2 for start and pairs).

    ``start`` counts for components, degrees and |E| but is not delivered; ``topics`` limits contributions only. A
    later pass (GM §6.4) starts with all components apart and may only use pairs not used before; its contributions
    are counted in its own pass. Edges of ``prefer`` come first among the allowed ones, in their order; else ``pick``
    chooses, given them in ascending order.
    """
    preferred = ordered(prefer)
    start = ordered(start)
    candidates = set(all_pairs(topics_of) if pairs is None else ordered(pairs)) - set(start)
    built = Built([], [], [])
    for number in range(passes):
        seen, before = (list(start) if number == 0 else []), len(built.edges)
        while True:
            weights = weights_at(topics_of, seen, candidates, topics)
            weights = filled(weights, candidates) if fill else weights
            allowed = rule(weights, start + built.edges)
            if not allowed:
                break
            edge = next((edge for edge in preferred if edge in allowed), None) or pick(sorted(allowed))
            built.edges.append(edge)
            built.contributions.append(weights[edge])
            seen.append(edge)
            candidates.remove(edge)
        built.passes.append(len(built.edges) - before)
    return built


def gm(topics_of: TopicsOf, passes: int = 1, **options: Any) -> Built:
    """Greedy Merge (GM §6)."""
    return greedy(topics_of, gm_rule(), passes=passes, **options)


def _union(topics_of: TopicsOf, edges_among: Callable[[list[int]], list[Edge]]) -> Built:
    """Topics in number order; an edge only the first time it appears."""
    per_topic = (edges_among(subscribers(topics_of, t)) for t in sorted(all_topics(topics_of)))
    edges = list(dict.fromkeys(edge for found in per_topic for edge in ordered(found)))
    return Built(edges, removed_components(topics_of, edges), [len(edges)])


def chain(topics_of: TopicsOf) -> Built:
    """Consecutive subscribers in node order."""
    return _union(topics_of, lambda nodes: list(pairwise(nodes)))


def ring(topics_of: TopicsOf) -> Built:
    """A chain, then the edge that closes it; two subscribers need none."""

    def edges_among(nodes: list[int]) -> list[Edge]:
        closing = [(nodes[0], nodes[-1])] if len(nodes) > 2 else []
        return list(pairwise(nodes)) + closing

    return _union(topics_of, edges_among)


def star(topics_of: TopicsOf) -> Built:
    """All subscribers to the one with most topics (the lowest-numbered of them), in node order."""

    def edges_among(nodes: list[int]) -> list[Edge]:
        centre = min(nodes, key=lambda v: (-len(topics_of[v]), v))
        return [(centre, v) for v in nodes if v != centre]

    return _union(topics_of, edges_among)
