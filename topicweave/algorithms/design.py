"""design(): compute an overlay with any of the algorithms."""

from __future__ import annotations

import math
import time
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from topicweave.algorithms.options import AUTO_NODES, Options, check_options
from topicweave.algorithms.registry import DEFAULT, Algorithm, Outcome, ProgressCallback
from topicweave.errors import Argument, InputError, OverlayError, ParameterError
from topicweave.model import Design, Interest, Overlay, Trace
from topicweave.model.labels import find_numbers
from topicweave.parameters import LARGEST, check_function, check_kind

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import ArrayLike, NDArray

    from topicweave.algorithms.greedy.near import Search
    from topicweave.model import Requirements

NO_LIMITS: dict[str, Any] = {"start": None, "prefer": None, "pairs": None, "topics": None, "requirements": None}


def design(
    interest: Interest,
    algorithm: str = DEFAULT,
    *,
    start: Overlay | None = None,
    prefer: Overlay | None = None,
    pairs: ArrayLike | None = None,
    topics: Iterable[str] | None = None,
    requirements: Requirements | None = None,
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
    """Compute which links to make so that every topic's subscribers reach each other through subscribers alone.

    Parameters
    ----------
    interest
        The subscriptions: which node subscribes to which topic.
    algorithm
        A name from ``ALGORITHMS``: gm, minmax, low, gpa, gpm, cd, cd1, cd2, cd_max, gm2, harary, ring, star, chain,
        random_avg, random_max, spidercast, spidercast_max, optimum or exact. Each brings its own ``parameters``
        (``k``, ``m``, ``d``, ``passes``, …).
    start
        Start from this overlay and add links to it (greedy family). Its links come first in the result and are not in
        the trace.
    prefer
        Among links of equal contribution, take those of this overlay first (greedy family), so that a new design after
        nodes have joined, left or changed their topics keeps most links of the previous one. Links of nodes that are
        not in the interest are ignored.
    pairs
        Consider only these pairs of node numbers, shape (m, 2) (greedy family).
    topics
        Connect only these topics, given by label (greedy family). Trace and support then refer to these topics only.
    requirements
        What the overlay must keep to besides: hop limits, failures, costs, limits on the links of each node, forbidden,
        required and allowed links (gm, minmax and low; gpa and gpm take those on links). Not together with start,
        pairs, topics or near candidates.
    ties
        Which of several equally good links to take (greedy family): ``"balanced"`` the one whose ends have the fewest
        links (among the first few thousand in a random order), ``"random"``, or ``"lexicographic"`` the one with the
        lowest node numbers. Random choices depend on the seed and on the labels of the two ends, not on which other
        nodes exist.
    candidates
        Which pairs to choose from (greedy family): ``"all"``; ``"near"``, a few partners for every node, those with
        which a link would contribute most, searched again in every round, for interests with too many pairs to look at;
        or ``"auto"``, near for more than 20,000 nodes. ``pairs=`` takes the place of either.
    num_candidates
        The number of partners that each node gets in a round of ``"near"`` (default 16).
    search
        The function that searches for near candidates; by default it runs in this process. :mod:`topicweave.pipeline`
        passes one that runs on Spark.
    budget_ratio
        The budget ``m`` or ``d`` as a share of what MinMax-ODA uses for the same interest, rounded down (PART Eq. 36).
        MinMax-ODA is run as the papers describe it (``fill=True``), which is possible for up to 20,000 nodes.
    memory_limit
        The most memory to use, in bytes (greedy family); by default three quarters of the machine's free memory.
    progress
        Called several times a second with a :class:`Progress` (greedy family, optimum and exact; the others finish too
        quickly to report progress).
    seed
        The same seed gives the same result, whatever the number of threads.

    Raises
    ------
    InputError
        The interest is empty, or start, pairs or topics do not fit it.
    ParameterError
        Unknown algorithm or parameter, or a value outside its range.
    TooLargeError
        The pairs would not fit into memory; nothing was allocated.
    ImpossibleError
        No overlay meets the requirements; the error names the topics, nodes or pairs that prove it.
    NotFoundError
        The search found no overlay that meets the requirements; the error carries the best design found.

    Examples
    --------
    >>> from topicweave import Interest, design
    >>> interest = Interest.from_sets({"a": ["news", "sport"], "b": ["news"], "c": ["sport"]})
    >>> design(interest, "gm").overlay.pairs()
    [('a', 'b'), ('a', 'c')]
    """
    options = check_options(
        algorithm, start=start, prefer=prefer, pairs=pairs, topics=topics, ties=ties, candidates=candidates,
        num_candidates=num_candidates, memory_limit=memory_limit, budget_ratio=budget_ratio, seed=seed,
        requirements=requirements, **parameters,
    )  # fmt: skip
    return design_with(interest, options, search=search, progress=progress)


def design_with(
    interest: Interest, options: Options, *, search: Search | None = None, progress: ProgressCallback | None = None
) -> Design:
    """Do what :func:`design` does, with options already checked by :func:`check_options`."""
    check_kind(interest, Interest, "design() needs an Interest", "build one with Interest.from_pairs")
    if interest.num_subscriptions == 0:
        raise InputError(
            f"The interest is empty ({interest.num_nodes} nodes, no subscriptions); there is nothing to connect."
        )
    check_function("progress", progress)
    check_function("search", search, "leave it out to search here")
    entry = options.entry
    greedy = _greedy_arguments(interest, options, search, progress) if entry.goes_on else {}
    parameters = dict(options.parameters)
    if options.budget is not None:  # computed only now, so that bad input is reported first
        parameters[options.budget.name] = _share(interest, options, progress)
    parameters = {parameter.name: parameters[parameter.name] for parameter in entry.parameters}
    telling = {"progress": progress} if entry.tells_progress else {}
    before = time.perf_counter()
    is_met = True
    result: Outcome | NDArray[np.int64]
    try:
        if options.requirements is not None and options.requirements.names:
            from topicweave.algorithms.requirements.entry import design_under

            result, is_met = design_under(interest, options, parameters, greedy)
        else:
            result = entry.function(interest, seed=options.seed, **parameters, **greedy, **telling)
    except SystemError as error:
        # If Ctrl-C is pressed while numba looks up a kernel, the KeyboardInterrupt arrives as the cause of another
        # error.
        if isinstance(error.__cause__, KeyboardInterrupt):
            raise KeyboardInterrupt from error
        raise
    seconds = time.perf_counter() - before
    if not isinstance(result, Outcome):
        result = Outcome(result, _contributions(interest, result))
    made = _report(interest, options, parameters, greedy, result, seconds)
    if not is_met:
        from topicweave.algorithms.requirements.entry import refuse

        refuse(interest, options.requirements, made)
    return made


def rehearse(options: Options) -> None:
    """Design an overlay of two nodes, to load (and, the first time, compile) what the real design will need.

    If even two nodes need more memory than allowed, the real design will report it too.
    """
    two = Interest.from_pairs([("a", "t"), ("b", "t")])
    design_with(two, replace(options, **NO_LIMITS))


def _share(interest: Interest, options: Options, progress: ProgressCallback | None) -> int:
    """Translate ``budget_ratio`` into a budget: that share of what MinMax-ODA with ``fill=True`` uses (PART Eq. 36)."""
    assert options.budget is not None
    if interest.num_nodes > AUTO_NODES:
        raise ParameterError(
            "{ratio} is a share of what MinMax-ODA uses over all pairs, which {nodes:,} nodes have too many of; "
            "give {budget}.",
            ratio=Argument("budget_ratio", options.budget_ratio), nodes=interest.num_nodes,
            budget=Argument(options.budget.name),
        )  # fmt: skip
    literal = replace(
        options, algorithm="minmax", parameters={"fill": True}, budget_ratio=None, candidates="all",
        num_candidates=None, **NO_LIMITS,
    )  # fmt: skip
    reference = design_with(interest, literal, progress=progress).overlay
    whole = reference.num_edges if options.budget.from_ratio == "links" else reference.maximum_degree
    # exact decimal arithmetic: 0.29 of 100 is 29, but not in floating point
    share = Fraction(str(options.budget_ratio))
    return min(math.floor(share * whole), LARGEST)


def _greedy_arguments(
    interest: Interest, options: Options, search: Search | None, progress: ProgressCallback | None
) -> dict[str, Any]:
    """The arguments that only the greedy family takes, translated to node numbers of the interest."""
    if options.start is not None:
        _check_nodes(options.start, interest)
    pairs, topics = options.pairs, options.topics
    return {
        "start": options.start,
        "prefer": None if options.prefer is None else _known_links(options.prefer, interest),
        "pairs": None if pairs is None else _checked_pairs(pairs, interest.num_nodes),
        "topics": None if topics is None else find_numbers(topics, interest.topic_numbers, "topic"),
        "ties": options.ties,
        "memory_limit": options.memory_limit,
        "progress": progress,
        "num_candidates": options.num_near(interest.num_nodes),
        **({} if search is None else {"search": search}),
    }


def _check_nodes(start: Overlay, interest: Interest) -> None:
    if tuple(start.labels) == tuple(interest.nodes):
        return
    strange = next((label for label in start.labels if label not in interest.node_numbers), None)
    if strange is not None:
        raise OverlayError(
            f"The start overlay has node {strange!r}, which the interest does not know; restrict one to the other."
        )
    raise OverlayError(
        f"The start overlay has {start.num_nodes} nodes, the interest {interest.num_nodes}, or they come in "
        f"another order; build it with labels=interest.nodes."
    )


def _known_links(overlay: Overlay, interest: Interest) -> NDArray[np.int64]:
    """The links of an overlay as node numbers of the interest; links to nodes that the interest does not have are left
    out.
    """
    if tuple(overlay.labels) == tuple(interest.nodes):
        return overlay.edges.astype(np.int64)
    known = interest.node_numbers
    number = np.fromiter((known.get(label, -1) for label in overlay.labels), np.int64, count=overlay.num_nodes)
    links = number[overlay.edges].reshape(-1, 2)
    found: NDArray[np.int64] = links[(links >= 0).all(axis=1)]
    return found


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
    options: Options,
    parameters: dict[str, Any],
    greedy: dict[str, Any],
    result: Outcome,
    seconds: float,
) -> Design:
    start = options.start
    begun = start.edges if start is not None else np.empty((0, 2), dtype=np.int64)
    # When only some topics are designed (topics=), the trace and the support cover just those, because the links were
    # chosen for them.
    topics = greedy.get("topics")
    counted = interest if topics is None else _only(interest, topics)
    base = counted.num_subscriptions
    before = base - (int(_contributions(counted, begun).sum()) if len(begun) else 0)
    least = int(np.count_nonzero(counted.topic_sizes))
    overlay = Overlay(interest.nodes, np.concatenate((begun, result.edges)))
    shown = {**parameters, "seed": options.seed}
    if options.requirements is not None:
        shown["requirements"] = options.requirements.names
    if greedy:
        shown["ties"] = options.ties
        if greedy["num_candidates"] is not None:
            shown |= {"candidates": "near", "num_candidates": greedy["num_candidates"]}
    trace = Trace(result.contribution, before, least, base, result.pass_starts, result.rounds)
    limits = _limits(interest, parameters, start, topics)
    made = Design(overlay, options.algorithm, shown, trace, seconds, result.notes + limits)
    if made.support < 1 and not result.notes:
        note = _why_unconnected(made.components - least, options.entry, greedy)
        made = replace(made, notes=(note, *limits))
    return made


def _why_unconnected(num_left: int, entry: Algorithm, greedy: dict[str, Any]) -> str:
    has_budget = any(parameter.from_ratio for parameter in entry.parameters)
    has_pairs = greedy.get("pairs") is not None
    if has_budget:
        reason = "the budget or the pairs it was limited to" if has_pairs else "the budget"
    elif has_pairs:
        reason = "the pairs it was limited to"
    elif greedy.get("num_candidates") is not None:
        reason = "the candidates that were found"
    else:
        reason = "what the algorithm looks at, which does not promise to connect everything"
    return f"{num_left:,} topic components are left unconnected, because of {reason}."


def _limits(
    interest: Interest, filled: dict[str, Any], start: Overlay | None, topics: NDArray[np.int64] | None
) -> tuple[str, ...]:
    """Notes for the user: how the arguments of the call limit what the result can be."""
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
