"""Naive twins of the churn algorithms, from SHADOW's listings as settled; sets and dicts, everything recomputed.

Nodes and topics are any hashable, sortable things. ``topics_of`` maps every present node to its topics, ``overlay`` is
a set of pairs ``(u, v)`` with ``u < v``.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from collections.abc import Set as AbstractSet


def neighbours(overlay: Iterable[tuple[Any, Any]], v: Any) -> set[Any]:
    """Who is linked to v."""
    return {a if b == v else b for a, b in overlay if v in (a, b)}


def primaries(backups_of: Mapping[Any, AbstractSet[Any]], v: Any) -> set[Any]:
    """{u | v ∈ u.backups} (Struct 5)."""
    return {u for u, chosen in backups_of.items() if v in chosen}


def pairs_within(nodes: Iterable[Any]) -> set[tuple[Any, Any]]:
    """S × S as pairs u < v."""
    found = sorted(nodes)
    return {(u, v) for u in found for v in found if u < v}


def naive_candidates(topics_of: Mapping[Any, AbstractSet[Any]], joined: Any = None) -> set[tuple[Any, Any]]:
    """Alg. 3 line 2 (pairs with the newcomer), Alg. 4 line 3 (all pairs)."""
    return {pair for pair in pairs_within(topics_of) if joined is None or joined in pair}


def shadow_candidates_on_leave(near: AbstractSet[Any], backups: AbstractSet[Any]) -> set[tuple[Any, Any]]:
    """Alg. 7 lines 1-3."""
    return pairs_within(near | backups)


def shadow_candidates_on_join(joined: Any, backups: AbstractSet[Any]) -> set[tuple[Any, Any]]:
    """Alg. 10 lines 2-3."""
    return {(min(joined, u), max(joined, u)) for u in backups}


def backups_greedily(
    v: Any,
    topics_of: Mapping[Any, AbstractSet[Any]],
    overlay: Iterable[tuple[Any, Any]],
    backups_of: Mapping[Any, AbstractSet[Any]],
    coverage: int,
) -> list[Any]:
    """Alg. 11; ties by the lower node. ``backups_of`` is without those of v, which are being built."""
    chosen: list[Any] = []
    overlay = list(overlay)
    for _ in range(coverage):
        rest = set(topics_of[v])
        while True:
            candidates = [u for u in sorted(topics_of) if u != v and u not in chosen and topics_of[u] & rest]
            if not candidates:
                break
            weight = {u: len(neighbours(overlay, u)) + len(primaries(backups_of, u)) for u in candidates}
            best = min(candidates, key=lambda u: (Fraction(weight[u], len(topics_of[u] & rest)), u))
            chosen.append(best)
            rest -= topics_of[best]
    return chosen


def backups_by_primal_dual(
    v: Any,
    topics_of: Mapping[Any, AbstractSet[Any]],
    overlay: Iterable[tuple[Any, Any]],
    backups_of: Mapping[Any, AbstractSet[Any]],
    coverage: int,
    shuffled: Callable[[Sequence[Any]], Sequence[Any]],
) -> list[Any]:
    """Alg. 12; a random uncovered topic each time = the topics in random order, covered ones skipped.

    ``shuffled`` gives the order of a cover; ties go to the node with most topics of v, then to the lower; weight 0 is
    allowed and a topic without candidates is skipped (settled).
    """
    chosen: list[Any] = []
    overlay = list(overlay)
    for _ in range(coverage):
        rest = set(topics_of[v])
        weight = {
            u: len(neighbours(overlay, u)) + len(primaries(backups_of, u))
            for u in topics_of
            if u != v and u not in chosen
        }
        for topic in shuffled(sorted(topics_of[v])):
            if topic not in rest:
                continue
            candidates = [u for u in sorted(weight) if topic in topics_of[u] and u not in chosen]
            if not candidates:
                continue
            best = min(candidates, key=lambda u: (weight[u], -len(topics_of[u] & topics_of[v]), u))
            chosen.append(best)
            rest -= topics_of[best]
            least = weight[best]
            for u in candidates:
                weight[u] -= least
    return chosen


def check_backups(
    topics_of: Mapping[Any, AbstractSet[Any]],
    backups_of: Mapping[Any, AbstractSet[Any]],
    primaries_of: Mapping[Any, AbstractSet[Any]],
    coverage: int,
) -> None:
    """The properties of backups (Eq. 1, and Eq. 2 λ times where there are enough subscribers), and their mirror."""
    assert set(backups_of) == set(primaries_of) == set(topics_of)
    for v, chosen in backups_of.items():
        assert v not in chosen
        for u in chosen:
            assert topics_of[u] & topics_of[v], f"backup {u} of {v} shares no topic with it"
        for topic in topics_of[v]:
            others = {u for u in topics_of if u != v and topic in topics_of[u]}
            assert len(others & chosen) >= min(coverage, len(others)), f"topic {topic} of {v} has too few backups"
        assert primaries_of[v] == primaries(backups_of, v)


def pieces_without(
    v: Any, topics_of: Mapping[Any, AbstractSet[Any]], overlay: Iterable[tuple[Any, Any]]
) -> set[tuple[Any, frozenset[Any]]]:
    """For each topic of v, the pieces that its other subscribers form when v is not there."""
    found = set()
    links = [pair for pair in overlay if v not in pair]
    for topic in topics_of[v]:
        others = {u for u in topics_of if u != v and topic in topics_of[u]}
        while others:
            piece, fresh = set(), {min(others)}
            while fresh:
                piece |= fresh
                fresh = {u for x in fresh for u in neighbours(links, x) if u in others} - piece
            found.add((topic, frozenset(piece)))
            others -= piece
    return found


def best_star(
    v: Any, topics_of: Mapping[Any, AbstractSet[Any]], overlay: AbstractSet[tuple[Any, Any]], cap: int, room: int
) -> list[Any]:
    """Levelling: the nodes to link v to instead of its neighbours; none if more would be needed than it has.

    Greedily, the node in most pieces not reached yet, of those with fewer than ``cap`` other links, or else of the
    neighbours. Ties: a neighbour; less above ``cap - room``; more topics in common; the lower node.
    """
    near = neighbours(overlay, v)
    degree = {u: len(neighbours(overlay, u) - {v}) for u in topics_of}
    left = pieces_without(v, topics_of, overlay)
    chosen: list[Any] = []
    while left:
        if len(chosen) == len(near):
            return []
        reach = {u: sum(u in piece for _, piece in left) for u in topics_of if u != v}
        useful = [u for u in reach if reach[u]]
        candidates = [u for u in useful if degree[u] < cap] or [u for u in useful if u in near]
        best = min(
            candidates,
            key=lambda u: (
                -reach[u], u not in near, max(0, degree[u] - (cap - room)), -len(topics_of[u] & topics_of[v]), u
            ),
        )  # fmt: skip
        chosen.append(best)
        left = {(topic, piece) for topic, piece in left if best not in piece}
    return chosen
