"""Plain twins of the algorithms of LOW: MinMax-ODA, Low-ODA and the overlays of constant diameter (§VI)."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from tests.reference_definitions import Built, all_topics, maximum_degree, removed_components, subscribers
from tests.reference_gm import greedy, heaviest

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from collections.abc import Set as AbstractSet

    Edge = tuple[int, int]
    TopicsOf = Mapping[int, AbstractSet[int]]
    Weights = dict[Edge, int]
    # Given the positive contributions and the whole overlay: the edges the rule allows next, none when it is done.
    Rule = Callable[[Weights, list[Edge]], set[Edge]]


def raising_least(weights: Weights, overlay: list[Edge]) -> Weights:
    """The edges that leave Δ as it is, if there are any among the positive ones; else all of them."""
    degrees = Counter(v for edge in overlay for v in edge)
    largest = maximum_degree(overlay)
    calm = {(u, v): weight for (u, v), weight in weights.items() if max(degrees[u], degrees[v]) < largest}
    return calm or weights


def minmax_rule() -> Rule:
    """LOW §I-B: largest contribution among the edges which increase the maximum degree minimally."""
    return lambda weights, overlay: heaviest(raising_least(weights, overlay))


def low_rule(k: float) -> Rule:
    """LOW Alg. 1 lines 8-14: e1 (MinMax-ODA's) if w(e1) ≥ w(e2)/k, else e2 (GM's)."""

    def allowed(weights: Weights, overlay: list[Edge]) -> set[Edge]:
        if not weights:
            return set()
        calm = raising_least(weights, overlay)
        is_enough = k == math.inf or max(calm.values()) * Fraction(str(k)) >= max(weights.values())
        return heaviest(calm if is_enough else weights)

    return allowed


def minmax(topics_of: TopicsOf, **options: Any) -> Built:
    """MinMax-ODA (LOW §I-B)."""
    return greedy(topics_of, minmax_rule(), **options)


def low(topics_of: TopicsOf, k: float, **options: Any) -> Built:
    """Low-ODA (LOW §III)."""
    return greedy(topics_of, low_rule(k), **options)


def _stars(topics_of: TopicsOf, score: Callable[[int, int], Any]) -> Built:
    """Stars around the best-scoring node until no topic is left; ``score`` gets w_u and n_u, both counting u itself."""
    left = {t for t in all_topics(topics_of) if len(subscribers(topics_of, t)) > 1}
    edges: list[Edge] = []
    while left:
        scores = {}
        for u in sorted(topics_of):
            if wanted := topics_of[u] & left:
                w = sum(len(subscribers(topics_of, t)) for t in wanted)
                scores[u] = score(w, sum(bool(wanted & topics_of[v]) for v in topics_of))
        centre = min(scores, key=lambda u: (-scores[u], u))
        for v in sorted(topics_of):
            edge = (min(centre, v), max(centre, v))
            if v != centre and topics_of[centre] & topics_of[v] & left and edge not in edges:
                edges.append(edge)
        left -= topics_of[centre]
    return Built(edges, removed_components(topics_of, edges), [len(edges)])


def cd(topics_of: TopicsOf) -> Built:
    """CD-ODA: most neighbours n_u."""
    return _stars(topics_of, lambda w, n: n)


def cd1(topics_of: TopicsOf) -> Built:
    """CD-ODA-I: most weighted neighbours w_u."""
    return _stars(topics_of, lambda w, n: w)


def cd2(topics_of: TopicsOf) -> Built:
    """CD-ODA-II: densest, w_u / n_u (exact fractions, so that ties are ties)."""
    return _stars(topics_of, lambda w, n: Fraction(w, n))
