"""lower_bound(): how few links, or how low a maximum degree, any overlay can have at best."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import numpy as np

from topicweave.algorithms.registry import Progress, ProgressCallback
from topicweave.errors import Argument, ParameterError
from topicweave.model import Interest
from topicweave.optimise.ascent import Ascent
from topicweave.optimise.certificate import Bound
from topicweave.optimise.tables import check_tables
from topicweave.parameters import (
    check_choice,
    check_count,
    check_function,
    check_kind,
    check_number,
    check_seed,
    check_whole,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

OBJECTIVES = ("links", "degree")
STEPS_PER_ROUND = 10
MOST_ROUNDS = 200


def lower_bound(
    interest: Interest,
    *,
    objective: str = "links",
    max_degree: int | None = None,
    seconds: float = 10.0,
    rounds: int | None = None,
    progress: ProgressCallback | None = None,
    seed: int = 0,
) -> Bound:
    """A number of links below which no topic-connected overlay exists, with a certificate that proves it.

    Parameters
    ----------
    interest
        The subscriptions.
    objective
        ``"links"``, or ``"degree"`` for the lowest maximum degree.
    max_degree
        Bound only overlays in which no node has more links than this; such a bound may be higher.
    seconds
        The longest time to search. The bound found by then is certified whenever the search ends; Ctrl-C ends it, too.
    rounds
        Number of rounds of ten steps, instead of a time; the same number gives the same bound on every machine.
    progress
        Called several times a second.
    seed
        Seed of the overlay that the search compares itself with.

    Examples
    --------
    >>> from topicweave import Interest, lower_bound
    >>> interest = Interest.from_sets({"a": ["x", "y"], "b": ["x", "z"], "c": ["y", "z"]})
    >>> bound = lower_bound(interest, rounds=1)
    >>> bound.links, bound.check()
    (3, 3.0)
    """
    check_kind(interest, Interest, "lower_bound() needs an Interest", "build one with Interest.from_pairs")
    check_choice("objective", objective, OBJECTIVES)
    check_number("seconds", seconds, 0)
    check_function("progress", progress)
    check_seed(seed)
    if rounds is not None:
        check_whole("rounds", rounds, 0)
    cap = None
    if max_degree is not None:
        if objective == "degree":
            raise ParameterError(
                "{cap} caps what {objective} is to bound; leave one of the two out.",
                cap=Argument("max_degree", max_degree), objective=Argument("objective", objective),
            )  # fmt: skip
        cap = np.full(interest.num_nodes, check_count("max_degree", max_degree), dtype=np.int64)
    check_tables(interest)  # check this first, because the design may take minutes
    begun = time.perf_counter()
    ascent = Ascent(
        interest, _known(interest, objective, cap, seed), cap=cap, is_for_degree=objective == "degree",
    )  # fmt: skip
    try:
        climb(
            ascent, lambda: rounds is None and time.perf_counter() > begun + seconds, rounds=rounds, progress=progress
        )
    except KeyboardInterrupt:
        if ascent.best < 0:
            raise
    value, certificate = ascent.certificate()
    return Bound(value, certificate, -(-ascent.num_steps // STEPS_PER_ROUND), time.perf_counter() - begun)


def climb(
    ascent: Ascent,
    is_over: Callable[[], bool],
    *,
    rounds: int | None = None,
    progress: ProgressCallback | None = None,
) -> None:
    """Make steps of the ascent until time or rounds are used up, or the prices stop moving."""
    told = 0.0
    for _ in range(STEPS_PER_ROUND * (MOST_ROUNDS if rounds is None else rounds)):
        if ascent.is_done or is_over():
            break
        ascent.step()
        if progress is not None and time.perf_counter() - told > 0.2:
            told = time.perf_counter()
            progress(Progress(f"bound {ascent.best:,.2f}", 0, 0.0))


def _known(interest: Interest, objective: str, cap: NDArray[np.int64] | None, seed: int) -> float:
    """The number of links (or the maximum degree) of a greedy overlay, which the ascent uses as an estimate of the
    optimum.
    """
    from topicweave.algorithms import design

    if interest.num_subscriptions == 0:
        return 0.0
    if objective == "degree":
        return float(design(interest, "minmax", seed=seed).overlay.maximum_degree)
    links = design(interest, "gm", seed=seed).overlay.num_edges
    # With a limit on degrees, the optimum may lie above the number of links that Greedy Merge needs without a limit.
    return float(links if cap is None else round(1.1 * links))
