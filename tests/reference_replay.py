"""Checks that a trace is one that the paper allows, whichever of the equally good links was chosen at each step."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from tests.reference_definitions import all_pairs, filled, ordered, weights_at
from tests.reference_gm import gm_rule
from tests.reference_low import low_rule, minmax_rule
from tests.reference_part import gpa_rule, gpm_rule

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping
    from collections.abc import Set as AbstractSet

    Edge = tuple[int, int]
    TopicsOf = Mapping[int, AbstractSet[int]]
    Weights = dict[Edge, int]
    # Given the positive contributions and the whole overlay: the edges the rule allows next, none when it is done.
    Rule = Callable[[Weights, list[Edge]], set[Edge]]


RULES: dict[str, Callable[..., Rule]] = {
    "gm": gm_rule,
    "gpa": gpa_rule,
    "minmax": minmax_rule,
    "gpm": gpm_rule,
    "low": low_rule,
}


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
        """Contributions and allowed edges now; if the pass allows none, continue with the next pass."""
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
        liked = next((e for e in preferred if e in allowed), edge)
        allowed = {liked} if liked in preferred else allowed
        assert edge in allowed, f"{where}, but of equally good ones {liked} was preferred"
        if weights[edge] == 0:  # no pair is preferred, and among pairs of contribution 0 the choice does not matter
            allowed = {edge}
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
