"""Naive twins of the algorithms: the executable specification.

Written from the papers with sets and dicts, recomputing everything at every step; shares no code with the package.
GM, LOW, PART and SHADOW name the papers, § their sections. Where a paper says "some edge", a rule here gives the *set*
of edges it allows; a twin takes the lexicographically least of them, and :func:`replay` accepts any of them.

``topics_of`` maps every node number to the set of its topic numbers; edges are pairs ``(u, v)`` with ``u < v``.
"""

from __future__ import annotations

import math
from collections import Counter, deque
from fractions import Fraction
from itertools import combinations, pairwise
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


# ---- definitions (GM §3, PART §III) ------------------------------------------------------------------------------


def topics_by_number(interest: Any) -> dict[int, set[int]]:
    """The topics of each node of an Interest, by number."""
    starts, flat = interest.indptr.tolist(), interest.indices.tolist()
    return {v: set(flat[starts[v] : starts[v + 1]]) for v in range(interest.num_nodes)}


def ordered(edges: Iterable[Iterable[Any]]) -> list[Edge]:
    """The edges as plain pairs with the smaller number first."""
    return [(min(u, v), max(u, v)) for u, v in ((int(a), int(b)) for a, b in edges)]


def all_topics(topics_of: TopicsOf) -> set[int]:
    """Topics that somebody subscribes to; one without subscribers counts 0 everywhere."""
    return set().union(*topics_of.values())


def subscribers(topics_of: TopicsOf, topic: int) -> list[int]:
    """V(t), rising."""
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


# ---- the rules of the greedy family ------------------------------------------------------------------------------


def _heaviest(weights: Weights) -> set[Edge]:
    largest = max(weights.values(), default=0)
    return {edge for edge, weight in weights.items() if weight == largest}


def _raising_least(weights: Weights, overlay: list[Edge]) -> Weights:
    """The edges that leave Δ as it is, if there are any among the positive ones; else all of them."""
    degrees = Counter(v for edge in overlay for v in edge)
    largest = maximum_degree(overlay)
    calm = {(u, v): weight for (u, v), weight in weights.items() if max(degrees[u], degrees[v]) < largest}
    return calm or weights


def gm_rule() -> Rule:
    """GM §6, Alg. 3 line 3: some edge of the highest contribution."""
    return lambda weights, overlay: _heaviest(weights)


def gpa_rule(m: int) -> Rule:
    """PART Alg. 1: as GM while |E| < m (printed ≤, which would add m + 1 edges)."""
    return lambda weights, overlay: _heaviest(weights) if len(overlay) < m else set()


def minmax_rule() -> Rule:
    """LOW §I-B: largest contribution among the edges which increase the maximum degree minimally."""
    return lambda weights, overlay: _heaviest(_raising_least(weights, overlay))


def gpm_rule(d: int) -> Rule:
    """PART Alg. 3: as MinMax-ODA; ends when Δ(E + e) > d (lines 5-6), so at once when Δ of the start is above d."""

    def allowed(weights: Weights, overlay: list[Edge]) -> set[Edge]:
        best = _heaviest(_raising_least(weights, overlay))
        return {edge for edge in best if maximum_degree([*overlay, edge]) <= d}

    return allowed


def low_rule(k: float) -> Rule:
    """LOW Alg. 1 lines 8-14: e1 (MinMax-ODA's) if w(e1) ≥ w(e2)/k, else e2 (GM's)."""

    def allowed(weights: Weights, overlay: list[Edge]) -> set[Edge]:
        if not weights:
            return set()
        calm = _raising_least(weights, overlay)
        is_enough = k == math.inf or max(calm.values()) * Fraction(str(k)) >= max(weights.values())
        return _heaviest(calm if is_enough else weights)

    return allowed


RULES: dict[str, Callable[..., Rule]] = {
    "gm": gm_rule,
    "gpa": gpa_rule,
    "minmax": minmax_rule,
    "gpm": gpm_rule,
    "low": low_rule,
}


# ---- the loop ----------------------------------------------------------------------------------------------------


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
    chooses, given them in rising order.
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


def gpa(topics_of: TopicsOf, m: int, **options: Any) -> Built:
    """GPA (PART §V)."""
    return greedy(topics_of, gpa_rule(m), **options)


def minmax(topics_of: TopicsOf, **options: Any) -> Built:
    """MinMax-ODA (LOW §I-B)."""
    return greedy(topics_of, minmax_rule(), **options)


def gpm(topics_of: TopicsOf, d: int, **options: Any) -> Built:
    """GPM (PART §VII)."""
    return greedy(topics_of, gpm_rule(d), **options)


def low(topics_of: TopicsOf, k: float, **options: Any) -> Built:
    """Low-ODA (LOW §III)."""
    return greedy(topics_of, low_rule(k), **options)


def budgets(topics_of: TopicsOf, ratio: float, **options: Any) -> tuple[int, int]:
    """(m, d) = floors of β·|E| and β·Δ of the literal MinMax-ODA design of the same interest (PART Eq. 36)."""
    design = minmax(topics_of, fill=True, **options).edges
    share = Fraction(str(ratio))  # as it is written: floating point makes 0.29 of 100 a little less than 29
    return math.floor(share * len(design)), math.floor(share * maximum_degree(design))


# ---- ties --------------------------------------------------------------------------------------------------------


def _scrambled(word: int) -> int:
    """The finaliser of splitmix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014)."""
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        word = (word ^ word >> shift) * factor % 2**64
    return word ^ word >> 31


def label_hash(label: str) -> int:
    """FNV-1a of the label's UTF-8 text, scrambled."""
    value = 14695981039346656037
    for octet in label.encode("utf-8", "surrogatepass"):
        value = (value ^ octet) * 1099511628211 % 2**64
    return _scrambled(value)


def tie_key(one: str, other: str, key_of_seed: int) -> int:
    """Where a pair of labels stands among equally good ones; the least comes first."""
    return _scrambled((label_hash(one) + label_hash(other) + key_of_seed) % 2**64)


# ---- replaying a trace made under other tie rules ----------------------------------------------------------------


def replay(
    topics_of: TopicsOf,
    edges: Iterable[Iterable[int]],
    rule: str,
    *,
    contributions: Iterable[int] | None = None,
    passes: int = 1,
    start: Iterable[Edge] = (),
    pairs: Iterable[Edge] | None = None,
    topics: Collection[int] | None = None,
    prefer: Iterable[Edge] = (),
    fill: bool = False,
    balanced: bool = False,
    key: Callable[[int, int], int] | None = None,
    **parameters: Any,
) -> None:
    """Assert that these edges, in this order, are what ``rule`` may make, whatever its ties.

    Every edge must have been allowed at its step, and the loop must have ended exactly when nothing was allowed any
    more. A pass ends where its rule allows nothing, so pass boundaries need not be given. ``parameters`` are those of
    the rule (k, m or d); ``contributions``, if given, are compared with those of the edge's own pass. Of those allowed,
    each must have been the first of ``prefer``, if any is in it. ``balanced``: else one whose ends had least links, the
    busier end first. ``key``: of these, the one for which it is least.
    """
    preferred = ordered(prefer)
    allowed_by = RULES[rule](**parameters)
    steps = [(int(u), int(v)) for u, v in edges]
    recorded = None if contributions is None else [int(weight) for weight in contributions]
    assert recorded is None or len(recorded) == len(steps), (
        f"{rule}: {len(steps)} edges but {len(recorded or [])} contributions"
    )
    start = ordered(start)
    candidates = set(all_pairs(topics_of) if pairs is None else ordered(pairs)) - set(start)
    done: list[Edge] = []
    seen, passes_left = list(start), passes - 1

    def look() -> tuple[Weights, set[Edge]]:
        """Contributions and allowed edges now; where the pass allows nothing, go on to the next one."""
        nonlocal seen, passes_left
        while True:
            weights = weights_at(topics_of, seen, candidates, topics)
            weights = filled(weights, candidates) if fill else weights
            allowed = allowed_by(weights, start + done)
            if allowed or not passes_left:
                return weights, allowed
            seen, passes_left = [], passes_left - 1

    for step, edge in enumerate(steps):
        where = f"{rule}{parameters or ''}, step {step}: took {edge}"
        assert edge[0] < edge[1], f"{where}, which is not (smaller, larger)"
        assert edge not in done, f"{where}, which it had taken before"
        assert edge in candidates, f"{where}, which is no candidate (start holds it, or pairs= leaves it out)"
        weights, allowed = look()
        assert allowed, f"{where}, but nothing was allowed any more: the loop should have ended"
        assert edge in allowed, (
            f"{where} of contribution {weights.get(edge, 0)}, but only {sorted(allowed)} of contribution "
            f"{sorted({weights[e] for e in allowed})} were allowed"
        )
        if weights[edge] == 0:  # any of them: which one connects nothing does not matter
            allowed = {edge}
        liked = next((e for e in preferred if e in allowed), edge)
        allowed = {liked} if liked in preferred else allowed
        assert edge in allowed, f"{where}, but of equally good ones {liked} was preferred"
        if balanced:
            degree = Counter(node for link in start + done for node in link)
            busy = {e: sorted((degree[e[0]], degree[e[1]]), reverse=True) for e in allowed}
            assert busy[edge] == min(busy.values()), f"{where} of degrees {busy[edge]}, but {busy} were allowed"
            allowed = {e for e in allowed if busy[e] == busy[edge]}
        if key is not None:
            first = min(allowed, key=lambda e: key(*e))
            assert edge == first, f"{where}, but of its equals {first} comes first by its key"
        assert recorded is None or recorded[step] == weights[edge], (
            f"{where}, recorded as contributing {recorded and recorded[step]}, but it contributes {weights[edge]}"
        )
        done.append(edge)
        seen.append(edge)
        candidates.remove(edge)
    _, allowed = look()
    assert not allowed, f"{rule}{parameters or ''}: ended after {len(steps)} edges, but {sorted(allowed)} were allowed"


# ---- constant diameter (LOW §VI) ---------------------------------------------------------------------------------


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


# ---- one sub-overlay per topic (GM §8.3 for the ring) ------------------------------------------------------------


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
    """Everybody to the subscriber with most topics (the lowest-numbered of them), in node order."""

    def edges_among(nodes: list[int]) -> list[Edge]:
        centre = min(nodes, key=lambda v: (-len(topics_of[v]), v))
        return [(centre, v) for v in nodes if v != centre]

    return _union(topics_of, edges_among)


# ---- random baselines and SpiderCast: what must hold whatever the dice say (PART §IX-A) --------------------------


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
    """Every topic of every node is covered as often as both choices together ask, or by everybody."""
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
