"""design(): the one verb."""

from __future__ import annotations

import math
import time
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from topicweave.algorithms.greedy.loop import TIES
from topicweave.algorithms.greedy.near import AUTO_NODES, NUM_CANDIDATES
from topicweave.algorithms.outcome import Outcome, ProgressCallback
from topicweave.algorithms.registry import ALGORITHMS, Algorithm
from topicweave.errors import InputError, OverlayError, ParameterError
from topicweave.model import Design, Interest, Overlay, Trace
from topicweave.model.checks import check_kind
from topicweave.model.labels import find_numbers
from topicweave.parameters import (
    LARGEST,
    Parameter,
    check_choice,
    check_function,
    check_number,
    check_seed,
    check_whole,
    did_you_mean,
    fill,
    find_entry,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import ArrayLike, NDArray

    from topicweave.algorithms.greedy.near import Search

CANDIDATES = ("all", "near", "auto")


def design(
    interest: Interest,
    algorithm: str = "gm",
    *,
    start: Overlay | None = None,
    pairs: ArrayLike | None = None,
    topics: Iterable[str] | None = None,
    ties: str = "balanced",
    candidates: str = "auto",
    num_candidates: int | None = None,
    search: Search | None = None,
    budget_ratio: float | None = None,
    memory_limit: int | None = None,
    progress: ProgressCallback | None = None,
    seed: int = 0,
    **parameters: Any,
) -> Design:
    """Compute which links to make, so that every topic's subscribers are connected through subscribers alone.

    Parameters
    ----------
    interest
        Who subscribes to what.
    algorithm
        A name from ``ALGORITHMS``: gm, minmax, low, gpa, gpm, cd, cd1, cd2, ring, star, chain, random_avg, random_max,
        spidercast or spidercast_max. Each brings its own ``parameters`` (``k``, ``m``, ``d``, ``passes``, …).
    start
        Go on from this overlay (greedy family). Its links come first in the result and are not in the trace.
    pairs
        Consider only these pairs of node numbers, shape (m, 2) (greedy family).
    topics
        Connect only these topics, given by label (greedy family). Trace and support then speak of these topics.
    ties
        Which of several equally good links to take (greedy family): ``"balanced"`` the one whose ends have least links
        (among the few thousand first of a random order), ``"random"``, or ``"lexicographic"`` the one of lowest node
        numbers.
    candidates
        Which pairs to choose from (greedy family): ``"all"``; ``"near"``, for every node a few partners with which a
        link would merge most, found anew in rounds, for interests whose pairs are too many; or ``"auto"``, near for
        more than 20,000 nodes. ``pairs=`` takes the place of either.
    num_candidates
        How many partners a node gets in a round of ``"near"`` (default 16).
    search
        Who searches for near candidates; by default this process. :mod:`topicweave.pipeline` has Spark do it.
    budget_ratio
        Instead of ``m`` or ``d``: that share of what MinMax-ODA uses for the same interest, rounded down.
    memory_limit
        The most bytes to use (greedy family); default three quarters of what the machine has free.
    progress
        Called several times a second with a :class:`Progress` (greedy family; the others are done before that).
    seed
        Same seed, same result, whatever the number of threads.

    Raises
    ------
    InputError
        The interest is empty, or start, pairs or topics do not fit it.
    ParameterError
        Unknown algorithm or parameter, or a value outside its range.
    TooLargeError
        The pairs would not fit into memory; nothing was allocated.

    Examples
    --------
    >>> from topicweave import Interest, design
    >>> interest = Interest.from_sets({"a": ["news", "sport"], "b": ["news"], "c": ["sport"]})
    >>> design(interest, "gm").overlay.pairs()
    [('a', 'b'), ('a', 'c')]
    """
    chosen = find_entry("algorithm", algorithm, ALGORITHMS)
    check_kind(interest, Interest, "design() needs an Interest", "build one with Interest.from_pairs")
    if interest.num_subscriptions == 0:
        raise InputError(
            f"The interest is empty ({interest.num_nodes} nodes, no subscriptions); there is nothing to connect."
        )
    check_choice("tie rule", ties, list(TIES), parameter="ties")
    check_function("progress", progress)
    check_function("search", search, "leave it out to search here")
    seed = check_seed(seed)
    if memory_limit is not None:
        memory_limit = check_whole("memory_limit", memory_limit, 0)
    near = _near(algorithm, chosen, interest, pairs, candidates, num_candidates)
    options = _greedy_options(algorithm, chosen, interest, start, pairs, topics, ties, memory_limit, progress)
    if chosen.goes_on:
        options["num_candidates"] = near
        if search is not None:
            options["search"] = search
    budget = _budget(algorithm, chosen, budget_ratio, parameters)
    filled = fill(algorithm, chosen.parameters, {**parameters, budget.name: 0} if budget else parameters)
    if budget:  # only now: nothing is computed before everything that was given has been found to be in order
        reference = design(
            interest, "minmax", ties=ties, memory_limit=memory_limit, progress=progress, seed=seed,
            candidates=candidates, num_candidates=num_candidates, search=search,
        ).overlay  # fmt: skip
        whole = reference.num_edges if budget.from_ratio == "links" else reference.maximum_degree
        share = Fraction(str(float(budget_ratio or 0)))  # as written: 0.29 of 100 are 29, though not in floating point
        filled[budget.name] = min(math.floor(share * whole), LARGEST)

    before = time.perf_counter()
    try:
        result = chosen.function(interest, seed=seed, **filled, **options)
    except SystemError as error:
        # Pressed while numba looks for the kernel to call, Ctrl-C comes out as the cause of something else.
        if isinstance(error.__cause__, KeyboardInterrupt):
            raise KeyboardInterrupt from error
        raise
    seconds = time.perf_counter() - before
    if not isinstance(result, Outcome):
        result = Outcome(result, _contributions(interest, result))
    return _report(interest, algorithm, chosen, filled, options, start, seed, result, seconds)


def _budget(name: str, chosen: Algorithm, ratio: float | None, given: dict[str, Any]) -> Parameter | None:
    """The parameter that ``budget_ratio`` stands for, if it was given."""
    if ratio is None:
        return None
    budget = next((parameter for parameter in chosen.parameters if parameter.from_ratio), None)
    if budget is None:
        with_budget = ", ".join(n for n, a in ALGORITHMS.items() if any(p.from_ratio for p in a.parameters))
        raise ParameterError(f"{name!r} has no budget, so budget_ratio= means nothing to it; {with_budget} have one.")
    if budget.name in given:
        raise ParameterError(
            f"Both budget_ratio={ratio!r} and {budget.name}={given[budget.name]!r} were given; give one."
        )
    check_number("budget_ratio", ratio, 0, is_finite=True)
    return budget


def _near(
    name: str,
    chosen: Algorithm,
    interest: Interest,
    pairs: ArrayLike | None,
    candidates: str,
    num_candidates: int | None,
) -> int | None:
    """How many near candidates each node gets; None for all pairs, or those given."""
    if candidates not in CANDIDATES:
        raise ParameterError(
            f"There is no way {candidates!r} to choose candidates; {did_you_mean(str(candidates), CANDIDATES)}"
        )
    if num_candidates is not None:
        num_candidates = check_whole("num_candidates", num_candidates, 1)
    wanted = candidates == "near" or num_candidates is not None
    if wanted and not chosen.goes_on:
        family = ", ".join(n for n, a in ALGORITHMS.items() if a.goes_on)
        raise ParameterError(f"{name!r} does not choose from candidates; only {family} do.")
    if wanted and (pairs is not None or candidates == "all"):
        other = "pairs=" if pairs is not None else "candidates='all'"
        raise ParameterError(f"Near candidates and {other} were both asked for; give one.")
    if wanted or (candidates == "auto" and pairs is None and interest.num_nodes > AUTO_NODES):
        return num_candidates or NUM_CANDIDATES
    return None


def _greedy_options(
    name: str,
    chosen: Algorithm,
    interest: Interest,
    start: Overlay | None,
    pairs: ArrayLike | None,
    topics: Iterable[str] | None,
    ties: str,
    memory_limit: int | None,
    progress: ProgressCallback | None,
) -> dict[str, Any]:
    """Check what only the greedy family takes."""
    if not chosen.goes_on:
        for option, value in {"start": start, "pairs": pairs, "topics": topics}.items():
            if value is not None:
                family = ", ".join(n for n, a in ALGORITHMS.items() if a.goes_on)
                raise ParameterError(f"{name!r} does not take {option}=; only {family} do.")
        return {}
    if start is not None and not isinstance(start, Overlay):
        hint = "give its .overlay" if isinstance(start, Design) else "build one with Overlay.from_pairs"
        raise OverlayError(f"start= needs an Overlay, but got a {type(start).__name__}; {hint}.")
    if start is not None and tuple(start.labels) != tuple(interest.nodes):
        strange = next((label for label in start.labels if label not in interest.node_numbers), None)
        if strange is not None:
            raise OverlayError(
                f"The start overlay has node {strange!r}, which the interest does not know; restrict one to the other."
            )
        raise OverlayError(
            f"The start overlay has {start.num_nodes} nodes, the interest {interest.num_nodes}, or they come in "
            f"another order; build it with labels=interest.nodes."
        )
    return {
        "start": start,
        "pairs": None if pairs is None else _checked_pairs(pairs, interest.num_nodes),
        "topics": None if topics is None else find_numbers(topics, interest.topic_numbers, "topic"),
        "ties": ties,
        "memory_limit": memory_limit,
        "progress": progress,
    }


def _checked_pairs(given: ArrayLike, num_nodes: int) -> NDArray[np.int64]:
    try:
        pairs = np.asarray(given)
    except ValueError:
        raise InputError("Some of pairs= do not have two ends; give an array of shape (m, 2).") from None
    if pairs.size == 0:
        return np.empty((0, 2), dtype=np.int64)
    if pairs.ndim != 2 or pairs.shape[1] != 2 or pairs.dtype.kind not in "iu":
        raise InputError(
            f"pairs= must be whole node numbers of shape (m, 2), but shape {pairs.shape} of {pairs.dtype} was given."
        )
    if pairs.min() < 0 or pairs.max() >= num_nodes:
        bad = pairs[((pairs < 0) | (pairs >= num_nodes)).any(axis=1)][0].tolist()
        raise InputError(f"The pair {bad} names a node outside 0..{num_nodes - 1}; pairs= takes node numbers.")
    if np.any(pairs[:, 0] == pairs[:, 1]):
        node = int(pairs[pairs[:, 0] == pairs[:, 1]][0, 0])
        raise InputError(f"pairs= holds node {node} with itself; leave self-loops out.")
    return pairs.astype(np.int64)


def _contributions(interest: Interest, edges: NDArray[np.int64]) -> NDArray[np.int64]:
    from topicweave.kernels.components import edge_contributions

    gains: NDArray[np.int64] = edge_contributions(interest.indptr, interest.indices, interest.num_topics, edges)
    return gains


def _report(
    interest: Interest,
    name: str,
    chosen: Algorithm,
    filled: dict[str, Any],
    options: dict[str, Any],
    start: Overlay | None,
    seed: int,
    result: Outcome,
    seconds: float,
) -> Design:
    begun = start.edges if start is not None else np.empty((0, 2), dtype=np.int64)
    # With topics=, the trace and the support speak of these topics: they are what the links were chosen for.
    chosen_topics = options.get("topics")
    counted = interest if chosen_topics is None else _only(interest, chosen_topics)
    base = counted.num_subscriptions
    before = base - (int(_contributions(counted, begun).sum()) if len(begun) else 0)
    least = int(np.count_nonzero(counted.topic_sizes))
    overlay = Overlay(interest.nodes, np.concatenate((begun, result.edges)))
    shown = {**filled, "seed": seed}
    if chosen.goes_on:
        shown["ties"] = options["ties"]
        if options["num_candidates"] is not None:
            shown |= {"candidates": "near", "num_candidates": options["num_candidates"]}
    trace = Trace(result.contribution, before, least, base, result.pass_starts, result.rounds)
    limits = _limits(interest, filled, start, chosen_topics)
    made = Design(overlay, name, shown, trace, seconds, result.notes + limits)
    if made.support < 1 and not result.notes:
        has_budget = any(parameter.from_ratio for parameter in chosen.parameters)
        reasons = [
            reason
            for reason, applies in (
                ("the budget", has_budget),
                ("the pairs it was limited to", options.get("pairs") is not None),
                ("the candidates that were found", options.get("num_candidates") is not None),
                ("what the algorithm looks at, which does not promise to connect everything", not chosen.complete),
            )
            if applies
        ]
        note = f"{made.components - least:,} topic components are left unconnected, because of {reasons[0]}."
        if has_budget and options.get("pairs") is not None:
            note = note[:-1] + f" or {reasons[1]}."
        made = Design(overlay, name, shown, trace, seconds, (note, *limits))
    return made


def _limits(
    interest: Interest, filled: dict[str, Any], start: Overlay | None, topics: NDArray[np.int64] | None
) -> tuple[str, ...]:
    """What else to know of a result, because of what was given."""
    notes = []
    if topics is not None:
        notes.append(f"Only {len(set(topics.tolist())):,} of {interest.num_topics:,} topics were looked at.")
    if start is not None and start.num_edges > filled.get("m", math.inf):
        notes.append(f"The start has {start.num_edges:,} links already, more than m={filled['m']}.")
    if start is not None and start.maximum_degree > filled.get("d", math.inf):
        notes.append(f"The start has a node of {start.maximum_degree:,} links already, more than d={filled['d']}.")
    return tuple(notes)


def _only(interest: Interest, topics: NDArray[np.int64]) -> Interest:
    return interest.restrict(topics=[interest.topics[t] for t in topics.tolist()])
