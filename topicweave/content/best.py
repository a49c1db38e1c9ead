"""best: several starting assignments, each improved by migration; then a search for the set of brokers to use."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from topicweave.content.assignment import MethodResult, Moves
from topicweave.content.clustering import clustering
from topicweave.content.cost import total_cost
from topicweave.content.exchange import exchange_users
from topicweave.content.greedy_packing import greedy_packing
from topicweave.content.interruption import interruptible
from topicweave.content.migration import improve_if_cheaper, improve_on_core, pricing_for
from topicweave.content.opening import close_brokers, open_brokers
from topicweave.content.steiner_mixing import draw_mixing, tree_weights
from topicweave.errors import InfeasibleError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import numpy as np
    from numpy.typing import NDArray

    from topicweave.content.instance import Instance
    from topicweave.kernels.content.reach import Pricing

# name of the thread in which each step of the search runs, so that Ctrl-C can interrupt it
SEARCH = "topicweave: search"


def best(instance: Instance, *, seeds: int, core: str, seed: int) -> MethodResult:
    """Start from the assignments of Steiner mixing (several draws), greedy packing and clustering; improve each by
    migration, and the cheapest one further.

    Unless the core is a single tree anyway, the next step moves users as if all brokers formed one tree, which brings
    them together, and from there under the core's own trees. The last steps close brokers as long as that saves cost,
    anneal the set of open brokers, and exchange users where brokers are full; each is followed by migration.

    Parameters
    ----------
    instance
        The problem.
    seeds
        Number of random draws of Steiner mixing to start from, in addition to taking the heaviest links.
    core
        Which kind of trees the cost of the core is computed with.
    seed
        Seed of the first draw.
    """
    broker, moves, total = _cheapest_start(instance, seeds, core, seed)
    first = () if core == "tree" else (meet_on_one_tree,)
    for step in (*first, close_brokers, open_brokers, exchange_users):
        taken = partial(take_step, step, instance, broker, core, seed)
        changed, made, reached = interruptible(taken, SEARCH)
        if reached < total:
            moves = Moves.join([moves, made.adding_up_to(total - reached)])
            broker, total = changed, reached
    return MethodResult(broker, moves)


def meet_on_one_tree(
    instance: Instance, start: NDArray[np.int64], pricing: Pricing, *, seed: int = 0
) -> tuple[NDArray[np.int64], Moves]:
    """Migrate with the costs of one tree shared by all brokers, then with the actual costs; returns the start unless
    the result is cheaper.
    """
    total = total_cost(instance, start, pricing)
    return improve_if_cheaper(instance, start, total, improve_on_core(instance, start, "tree")[0], pricing)


def take_step(
    step: Callable[..., tuple[NDArray[np.int64], Moves]],
    instance: Instance,
    broker: NDArray[np.int64],
    core: str,
    seed: int,
) -> tuple[NDArray[np.int64], Moves, float]:
    """Apply one step of the search to an assignment; return the new assignment, the moves and the cost."""
    changed, made = step(instance, broker, pricing_for(instance, broker, core), seed=seed)
    if core == "tree":  # the step moved users while the tree stayed the same, so now the tree is chosen again as well
        changed, more, _ = improve_on_core(instance, changed, core)
        made = Moves.join([made, more])
    return changed, made, total_cost(instance, changed, pricing_for(instance, changed, core))


def _cheapest_start(instance: Instance, seeds: int, core: str, seed: int) -> tuple[NDArray[np.int64], Moves, float]:
    """Improve every start by migration; return the cheapest result, the moves that led to it, and its cost."""
    winner: tuple[NDArray[np.int64], Moves, float] | None = None
    failure: InfeasibleError | None = None
    for start in _starts(instance, seeds, seed):
        try:
            broker, moves, _ = interruptible(lambda start=start: improve_on_core(instance, start(), core), SEARCH)  # type: ignore[misc]
        except InfeasibleError as error:  # one of the other starting points may still be feasible
            failure = error
            continue
        reached = total_cost(instance, broker, pricing_for(instance, broker, core))
        if winner is None or reached < winner[2]:
            winner = broker, moves, reached
    if winner is None:
        assert failure is not None
        raise failure
    return winner


def _starts(instance: Instance, seeds: int, seed: int) -> Iterator[Callable[[], NDArray[np.int64]]]:
    weights = tree_weights(instance)
    for number in range(seeds):
        yield lambda number=number: draw_mixing(instance, weights, "weighted", seed + number)  # type: ignore[misc]
    yield lambda: draw_mixing(instance, weights, "heaviest", seed)
    yield lambda: greedy_packing(instance, seed=seed).broker
    yield lambda: clustering(instance, seed=seed).broker
