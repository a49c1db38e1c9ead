"""Plain twins of the algorithms of PART: GPA, GPM, and checks of its random baselines and of SpiderCast (§IX-A)."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from tests.reference_definitions import Built, all_pairs, is_tco, maximum_degree, subscribers
from tests.reference_gm import greedy, heaviest
from tests.reference_low import minmax, raising_least

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from collections.abc import Set as AbstractSet

    Edge = tuple[int, int]
    TopicsOf = Mapping[int, AbstractSet[int]]
    Weights = dict[Edge, int]
    # Given the positive contributions and the whole overlay: the edges the rule allows next, none when it is done.
    Rule = Callable[[Weights, list[Edge]], set[Edge]]


def gpa_rule(m: int) -> Rule:
    """PART Alg. 1: as GM while |E| < m (printed ≤, which would add m + 1 edges)."""
    return lambda weights, overlay: heaviest(weights) if len(overlay) < m else set()


def gpm_rule(d: int) -> Rule:
    """PART Alg. 3: as MinMax-ODA; ends when Δ(E + e) > d (lines 5-6), so at once when Δ of the start is above d."""

    def allowed(weights: Weights, overlay: list[Edge]) -> set[Edge]:
        best = heaviest(raising_least(weights, overlay))
        return {edge for edge in best if maximum_degree([*overlay, edge]) <= d}

    return allowed


def gpa(topics_of: TopicsOf, m: int, **options: Any) -> Built:
    """GPA (PART §V)."""
    return greedy(topics_of, gpa_rule(m), **options)


def gpm(topics_of: TopicsOf, d: int, **options: Any) -> Built:
    """GPM (PART §VII)."""
    return greedy(topics_of, gpm_rule(d), **options)


def budgets(topics_of: TopicsOf, ratio: float, **options: Any) -> tuple[int, int]:
    """(m, d) = floors of β·|E| and β·Δ of the literal MinMax-ODA design of the same interest (PART Eq. 36)."""
    design = minmax(topics_of, fill=True, **options).edges
    share = Fraction(str(ratio))  # as it is written: floating point makes 0.29 of 100 a little less than 29
    return math.floor(share * len(design)), math.floor(share * maximum_degree(design))


def check_simple(topics_of: TopicsOf, edges: Iterable[Iterable[int]]) -> list[Edge]:
    """Assert that these are distinct pairs u < v of known nodes; return them as plain pairs."""
    plain = [(int(u), int(v)) for u, v in edges]
    assert set(plain) <= set(all_pairs(topics_of)), f"not pairs u < v of known nodes: {plain}"
    assert len(set(plain)) == len(plain), f"an edge is there twice: {plain}"
    return plain


def _check_ended_at_tco(topics_of: TopicsOf, edges: list[Edge]) -> None:
    for length in range(len(edges)):
        assert not is_tco(topics_of, edges[:length]), f"went on to {len(edges)} edges, but {length} were a TCO"


def check_random_avg(topics_of: TopicsOf, edges: Iterable[Iterable[int]], m: int) -> None:
    """RandomA: ends exactly when m edges are used or the overlay is a TCO."""
    plain = check_simple(topics_of, edges)
    assert len(plain) <= m, f"{len(plain)} edges, but the budget is {m}"
    _check_ended_at_tco(topics_of, plain)
    assert len(plain) == m or is_tco(topics_of, plain), f"ended after {len(plain)} of {m} edges without a TCO"


def check_random_max(topics_of: TopicsOf, edges: Iterable[Iterable[int]], d: int) -> None:
    """RandomM: Δ ≤ d; ends exactly when no further pair fits under d or the overlay is a TCO."""
    plain = check_simple(topics_of, edges)
    assert maximum_degree(plain) <= d, f"Δ = {maximum_degree(plain)}, but the budget is {d}"
    _check_ended_at_tco(topics_of, plain)
    degrees = Counter(v for edge in plain for v in edge)
    room = [e for e in all_pairs(topics_of) if e not in plain and max(degrees[v] for v in e) < d]
    assert not room or is_tco(topics_of, plain), f"ended without a TCO, but {room[0]} still fits under {d}"


def _coverage(topics_of: TopicsOf, edges: Iterable[Edge]) -> Counter[tuple[int, int]]:
    """How many neighbours of v subscribe to t, for each (v, t); links count for both ends."""
    return Counter((x, t) for u, v in edges for t in topics_of[u] & topics_of[v] for x in (u, v))


def check_spidercast(topics_of: TopicsOf, edges: Iterable[Iterable[int]], k_greedy: int = 3, k_random: int = 1) -> None:
    """Every topic of every node is covered as often as both choices together ask, or by all its subscribers."""
    plain = check_simple(topics_of, edges)
    target = k_greedy + k_random
    covered = _coverage(topics_of, plain)
    for v in topics_of:
        for t in topics_of[v]:
            others = len(subscribers(topics_of, t)) - 1
            assert covered[v, t] >= min(target, others), (
                f"topic {t} of node {v} is covered {covered[v, t]} times, wanted {target} of {others} others"
            )
    for u, v in plain:
        assert topics_of[u] & topics_of[v], f"link {(u, v)} joins nodes without a common topic"


def check_spidercast_max(topics_of: TopicsOf, edges: Iterable[Iterable[int]], d: int) -> None:
    """SpiderCastM: Δ ≤ d, links only where interest is shared, and no such pair left with room at both ends."""
    plain = check_simple(topics_of, edges)
    assert maximum_degree(plain) <= d, f"Δ = {maximum_degree(plain)}, but the budget is {d}"
    degrees = Counter(v for edge in plain for v in edge)
    for u, v in all_pairs(topics_of):
        common = topics_of[u] & topics_of[v]
        assert common or (u, v) not in plain, f"link {(u, v)} joins nodes without a common topic"
        assert not common or (u, v) in plain or max(degrees[u], degrees[v]) >= d, (
            f"{(u, v)} share topics {sorted(common)} and both have fewer than {d} links, but are not linked"
        )


def replay_spidercast(
    topics_of: TopicsOf,
    edges: Iterable[Iterable[int]],
    order: Iterable[int],
    k_greedy: int = 3,
    k_random: int = 1,
    d: int | None = None,
) -> None:
    """Assert that nodes choosing in this order took these links, in this order; with ``d`` as SpiderCastM.

    Each link is greedy or random, by the choice that made it, and covers the common topics of its ends, at both ends,
    for that kind of coverage only. A greedy choice has one answer: who covers most of what greedy links cover too
    little, then has fewest links, then the lowest number. A random one may be any subscriber of the first topic that
    random links cover too little.
    """
    steps = iter(check_simple(topics_of, edges))
    neighbours: dict[int, set[int]] = {v: set() for v in topics_of}
    by_kind: dict[str, list[Edge]] = {"greedy": [], "random": []}
    most = math.inf if d is None else d

    def low(v: int, kind: str, target: int) -> set[int]:
        covering = [topics_of[sum(edge) - v] for edge in by_kind[kind] if v in edge]
        return {t for t in topics_of[v] if sum(t in topics for topics in covering) < target}

    def room(v: int) -> set[int]:
        others = topics_of.keys() - neighbours[v] - {v} if len(neighbours[v]) < most else set()
        return {w for w in others if topics_of[v] & topics_of[w] and len(neighbours[w]) < most}

    def take(v: int, kind: str, allowed: set[int]) -> None:
        edge = next(steps, None)
        assert edge is not None and v in edge and sum(edge) - v in allowed, f"{v} took {edge}, not one of {allowed}"
        neighbours[v].add(sum(edge) - v)
        neighbours[sum(edge) - v].add(v)
        by_kind[kind].append(edge)

    for v in order:
        greedy, random = k_greedy, k_random
        while True:
            while wanted := low(v, "greedy", greedy):
                rank = {
                    w: (-len(wanted & topics_of[w]), len(neighbours[w]), w) for w in room(v) if wanted & topics_of[w]
                }
                if not rank:
                    break
                take(v, "greedy", {min(rank, key=rank.__getitem__)})
            for t in sorted(topics_of[v]):
                while t in low(v, "random", random) and (wanting := {w for w in room(v) if t in topics_of[w]}):
                    take(v, "random", wanting)
            if d is None or not room(v):
                break
            greedy, random = greedy + 1, random + 1
    assert next(steps, None) is None, "links were taken after every node had chosen"
