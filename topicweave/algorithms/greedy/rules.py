"""The greedy family (GM, MinMax-ODA, Low-ODA, GPA, GPM): one loop and a table of rules.

*While something is not connected, add the link that the rule names; contributions fall.* The loop itself is in
``kernels/greedy/sweep.py`` and is run by ``loop.py`` beside this file. This file says what each member of the family
asks of the loop, and turns its answer into an outcome.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from topicweave.algorithms.greedy.loop import (
    NOBODY_PREFERRED,
    Rule,
    Task,
    first_bounds,
    preferred_pairs,
    run_loop,
    shuffle_key,
)
from topicweave.algorithms.greedy.problem import Problem, membership, reduce, table_bytes
from topicweave.algorithms.registry import Outcome, Progress, ProgressCallback
from topicweave.errors import Remedy
from topicweave.kernels.greedy import sweep
from topicweave.kernels.greedy.membership import connect_all
from topicweave.kernels.greedy.pair_table import SEGMENT
from topicweave.kernels.jit import is_compiled
from topicweave.model.design import Round
from topicweave.parameters import check_fits

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from topicweave.algorithms.greedy.near import Search
    from topicweave.model import Interest, Overlay

log = logging.getLogger("topicweave.algorithms")
# if all subscriptions are to one topic, and more nodes than this share it, they are simply linked in a row
CROWD = 10_000


def gm(interest: Interest, *, passes: int = 1, **options: Any) -> Outcome:
    """Greedy Merge: always take the link with the largest contribution.

    Solves Min-TCO (fewest links) within a factor log(Σ|T(v)|) of the optimum. With ``passes=k`` the design is repeated
    with unused pairs; every pass starts with no node connected, which gives k link-disjoint overlays.

    References
    ----------
    GM §6.1, Algorithms 1-3; passes: §6.4.
    """
    return _greedy(interest, Rule(), Options(passes=passes, **options))


def gpa(interest: Interest, *, m: int, **options: Any) -> Outcome:
    """Greedy for Partial TCO with an average-degree budget: like gm, but at most ``m`` links.

    References
    ----------
    PART §V, Algorithm 1; its loop condition ``|E| ≤ m`` is read as ``|E| < m``.
    """
    return _greedy(interest, Rule(max_links=m), Options(**options))


def minmax(interest: Interest, *, fill: bool = False, **options: Any) -> Outcome:
    """MinMax-ODA: among the links that raise the maximum degree least, take the one with the largest contribution.

    Solves MinMax-TCO (lowest maximum degree) within a factor O(log(|V|·|T|)) of the optimum. With ``fill=True`` links
    of contribution 0 are candidates as well, as in the papers: they are added before the maximum degree is raised.

    References
    ----------
    LOW §II-A.
    """
    return _greedy(interest, Rule(respects_max_degree=True, fills=fill), Options(**options))


def gpm(interest: Interest, *, d: int, fill: bool = False, **options: Any) -> Outcome:
    """Greedy for Partial TCO with a maximum-degree budget: like minmax, but no node gets more than ``d`` links.

    References
    ----------
    PART §VII, Algorithm 3.
    """
    return _greedy(interest, Rule(respects_max_degree=True, max_degree=d, fills=fill), Options(**options))


def low(interest: Interest, *, k: float = 3.0, **options: Any) -> Outcome:
    """Low-ODA: take what minmax would take, unless what gm would take contributes more than ``k`` times as much.

    The average degree is within O(k·log(|V|·|T|)) and the maximum degree within O(|V|/k·log(|V|·|T|)) of the optimum.

    References
    ----------
    LOW §III; SHADOW Algorithm 2 for a start overlay, given pairs and topics.
    """
    return _greedy(interest, Rule(respects_max_degree=True, ratio=k), Options(**options))


@dataclass(frozen=True)
class Options:
    """The options that every greedy algorithm takes besides its own parameters; see :func:`topicweave.design`.

    ``num_candidates`` is None for all pairs, or for given ones; ``search`` finds near candidates, by default in this
    process. Modules for near candidates are imported only when needed. ``excluded`` are pairs never to be linked.
    """

    passes: int = 1
    start: Overlay | None = None
    prefer: NDArray[np.int64] | None = None
    pairs: NDArray[np.int64] | None = None
    topics: NDArray[np.int64] | None = None
    ties: str = "balanced"
    seed: int = 0
    memory_limit: int | None = None
    progress: ProgressCallback | None = None
    num_candidates: int | None = None
    search: Search | None = None
    excluded: NDArray[np.int64] | None = None


def _greedy(interest: Interest, rule: Rule, options: Options) -> Outcome:
    if not is_compiled(Path(sweep.__file__)):
        log.info("compiling the sweep: up to a minute, once")
        if options.progress is not None:
            options.progress(Progress("compiling (first run only)", 0, 0.0))
    problem = reduce(interest, options.topics)
    _check_memory(interest, problem, options)
    used = begun = options.start.edges if options.start is not None else np.empty((0, 2), dtype=np.int64)
    edges: list[NDArray[np.int64]] = []
    gains: list[NDArray[np.int64]] = []
    starts: list[int] = []
    notes: list[str] = []
    rounds: list[Round] = []
    for number in range(options.passes):
        task = _begin_pass(interest, problem, rule, options, begun if number == 0 else begun[:0], used)
        task.phase = f"pass {number + 1} of {options.passes}" if options.passes > 1 else "linking"
        if options.num_candidates is not None:
            links, gain = _in_rounds(task, used, options, rounds)
        else:
            closed = used if options.excluded is None else np.concatenate((used, options.excluded))
            links, gain = run_loop(task, first_bounds(task, options.pairs, closed, is_fresh=task.connected == 0))
        added = problem.names[links].reshape(-1, 2)
        if task.filling is not None:
            added, gain = task.filling.woven(added, gain)
        starts.append(sum(len(gain) for gain in gains))
        edges.append(added)
        gains.append(gain)
        used = np.concatenate((used, added))
        if task.merges_left and number > 0:
            notes.append(
                f"Pass {number + 1} of {options.passes} left {task.merges_left} topic components unconnected: "
                "too few unused pairs remain."
            )
        if not len(added) and (number > 0 or not len(begun)):
            # If a pass makes no new link, later passes will not either, unless the start had already connected
            # everything.
            break
    return Outcome(np.concatenate(edges), np.concatenate(gains), tuple(starts), tuple(notes), tuple(rounds))


def _check_memory(interest: Interest, problem: Problem, options: Options) -> None:
    if options.num_candidates is None:
        needed = table_bytes(problem, None if options.pairs is None else len(options.pairs))
        remedy = Remedy.FEWER_PAIRS if options.pairs is None else Remedy.FEWER_GIVEN_PAIRS
    else:
        from topicweave.algorithms.greedy.problem import near_bytes

        needed, remedy = near_bytes(problem, options.num_candidates), Remedy.FEWER_CANDIDATES
    check_fits(f"Designing for {interest.num_nodes:,} nodes", needed, remedy, options.memory_limit)


def _begin_pass(
    interest: Interest,
    problem: Problem,
    rule: Rule,
    options: Options,
    begun: NDArray[np.int64],
    used: NDArray[np.int64],
) -> Task:
    """Prepare a pass of the algorithm: ``begun`` are links that exist at its start, ``used`` are all pairs that may not
    be linked again.
    """
    members = membership(problem, with_bits=_has_bits(problem, options))
    degree = np.zeros(problem.num_nodes + SEGMENT, dtype=np.int32)
    everywhere = np.bincount(used.ravel(), minlength=interest.num_nodes)
    degree[: problem.num_nodes] = everywhere[problem.names]
    inside = problem.position[begun]
    inside = inside[(inside >= 0).all(axis=1)]
    # an interest without links has nothing connected yet, so there is no need to compile the kernel
    connected = connect_all(members, inside) if len(inside) else 0
    filling = None
    if rule.fills:
        from topicweave.algorithms.filling import Filling

        filling = Filling(interest, problem, used, options.ties, shuffle_key(options.seed), prefer=options.prefer)
    return Task(
        problem,
        members,
        degree,
        rule,
        merges_left=len(problem.topics) - problem.num_topics - connected,
        delta=int(everywhere.max(initial=0)),
        connected=connected,
        num_used=len(used),
        ties=options.ties,
        seed=options.seed,
        preferred=NOBODY_PREFERRED if options.prefer is None else preferred_pairs(problem, options.prefer),
        filling=filling,
        progress=options.progress,
    )


def _has_bits(problem: Problem, options: Options) -> bool:
    if options.num_candidates is None:
        return True
    from topicweave.algorithms.greedy.problem import has_bits

    return has_bits(problem)


def is_one_crowd(task: Task, used: NDArray[np.int64]) -> bool:
    """Whether very many nodes share one topic and none is linked yet, so that all links contribute the same.

    A search for the best partners would compare all nodes with each other, only to find that all are equally good.
    """
    allowed = task.rule.max_degree is None or task.rule.max_degree >= 2
    is_crowd = task.problem.num_topics == 1 and task.problem.num_nodes > CROWD
    return is_crowd and not len(used) and allowed and task.ties == "balanced"


def link_in_a_row(task: Task, story: list[Round]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Link every node of the one topic to the next: as few links as any tree, and no node has more than two."""
    most = task.merges_left if task.rule.max_links is None else min(task.merges_left, task.rule.max_links)
    first = np.arange(most, dtype=np.int32)
    task.merges_left -= most
    story.append(Round(1, 0, most, most, task.merges_left))
    return np.column_stack((first, first + 1)), np.ones(most, dtype=np.int64)


def _in_rounds(
    task: Task, used: NDArray[np.int64], options: Options, story: list[Round]
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Run the main loop on near candidates, choosing new candidates before every round."""
    from topicweave.algorithms.greedy.near import Rounds, search

    if is_one_crowd(task, used):
        return link_in_a_row(task, story)
    links = [np.empty((0, 2), dtype=np.int32)]
    gains = [np.empty(0, dtype=np.int64)]
    rule, inside = task.rule, task.problem.position[used]
    known = inside[(inside >= 0).all(axis=1)]
    rounds = Rounds(task, options.num_candidates or 1, known, options.search or search)

    def tell(share: float) -> None:
        task.tell(f"round {rounds.number}: {share:.0%} of the search for partners")

    def has_budget() -> bool:
        return rule.max_links is None or task.num_used < rule.max_links

    while task.merges_left and has_budget() and (pairs := rounds.next(tell)) is not None:
        task.phase = f"round {rounds.number}"
        task.delta = max(task.delta, rounds.delta)
        found, gain = run_loop(task, pairs, floor=rounds.floor)
        links.append(found)
        gains.append(gain)
        story.append(Round(rounds.floor, rounds.num_searching, rounds.num_pairs, len(found), task.merges_left))
        log.info("round %d: %s", rounds.number, story[-1])
        if rounds.is_last and rule.max_degree is not None and not len(found):
            break  # every node that could still be connected has as many links as allowed
    return np.concatenate(links), np.concatenate(gains)
