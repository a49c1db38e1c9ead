"""The greedy family (GM, MinMax-ODA, Low-ODA, GPA, GPM): one loop, a table of rules.

*While something is not connected, take the link that the rule names; add it; contributions fall.* The loop itself is
in ``kernels/greedy/sweep.py``, run by ``loop.py`` beside this file, which says what each member of the family asks of
it, and what came out.
"""

from __future__ import annotations

import logging
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from topicweave.algorithms.greedy import near
from topicweave.algorithms.greedy import problem as build
from topicweave.algorithms.greedy.loop import Rule, first_candidates, run_loop, teller
from topicweave.algorithms.registry import Outcome, Progress, ProgressCallback
from topicweave.errors import Remedy
from topicweave.kernels.greedy import pair_table as table
from topicweave.kernels.greedy import sweep
from topicweave.kernels.greedy.membership import Membership, connect_all
from topicweave.kernels.jit import is_compiled
from topicweave.model.design import Round
from topicweave.model.memory import check_fits

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from topicweave.model import Interest, Overlay

log = logging.getLogger("topicweave.algorithms")


def gm(interest: Interest, *, passes: int = 1, **options: Any) -> Outcome:
    """Greedy Merge: always the link of largest contribution.

    Solves Min-TCO (fewest links) within a factor log(Σ|T(v)|) of the optimum. With ``passes=k`` the whole is repeated
    with unused pairs, every pass starting with all components apart, which gives k link-disjoint overlays.

    References
    ----------
    GM §6.1, Algorithms 1-3; passes: §6.4.
    """
    return _greedy(interest, Rule(), passes=passes, **options)


def gpa(interest: Interest, *, m: int, **options: Any) -> Outcome:
    """Greedy for Partial TCO with an Average-degree budget: as gm, at most ``m`` links.

    References
    ----------
    PART §V, Algorithm 1; its loop condition ``|E| ≤ m`` is read as ``|E| < m``.
    """
    return _greedy(interest, Rule(max_links=m), **options)


def minmax(interest: Interest, **options: Any) -> Outcome:
    """MinMax-ODA: the link of largest contribution among those that raise the maximum degree least.

    Solves MinMax-TCO (least maximum degree) within a factor O(log(|V|·|T|)) of the optimum.

    References
    ----------
    LOW §II-A.
    """
    return _greedy(interest, Rule(spares_delta=True), **options)


def gpm(interest: Interest, *, d: int, **options: Any) -> Outcome:
    """Greedy for Partial TCO with a Maximum-degree budget: as minmax, no node above degree ``d``.

    References
    ----------
    PART §VII, Algorithm 3.
    """
    return _greedy(interest, Rule(spares_delta=True, max_degree=d), **options)


def low(interest: Interest, *, k: float = 3.0, **options: Any) -> Outcome:
    """Low-ODA: what minmax would take, unless what gm would take contributes more than ``k`` times as much.

    Average degree within O(k·log(|V|·|T|)), maximum degree within O(|V|/k·log(|V|·|T|)) of the optimum.

    References
    ----------
    LOW §III; SHADOW Algorithm 2 for a start overlay, given pairs and topics.
    """
    return _greedy(interest, Rule(spares_delta=True, ratio=k), **options)


def _greedy(
    interest: Interest,
    rule: Rule,
    *,
    passes: int = 1,
    start: Overlay | None = None,
    pairs: NDArray[np.int64] | None = None,
    topics: NDArray[np.int64] | None = None,
    ties: str = "balanced",
    seed: int = 0,
    memory_limit: int | None = None,
    progress: ProgressCallback | None = None,
    num_candidates: int | None = None,
    search: near.Search = near.search,
) -> Outcome:
    if not is_compiled(Path(sweep.__file__)):
        log.info("compiling the sweep: up to a minute, once")
        if progress is not None:
            progress(Progress("compiling (first run only)", 0, 0.0))
    reduced = build.reduce(interest, topics)
    if num_candidates is None:
        needed = build.table_bytes(reduced, None if pairs is None else len(pairs))
        remedy = Remedy.FEWER_PAIRS if pairs is None else Remedy.FEWER_GIVEN_PAIRS
    else:
        needed, remedy = near.memory(reduced, num_candidates), Remedy.FEWER_CANDIDATES
    check_fits(f"Designing for {interest.num_nodes:,} nodes", needed, remedy, memory_limit)
    begun = start.edges if start is not None else np.empty((0, 2), dtype=np.int64)
    used = begun
    edges: list[NDArray[np.int64]] = []
    gains: list[NDArray[np.int64]] = []
    starts: list[int] = []
    notes: list[str] = []
    rounds: list[Round] = []
    for number in range(passes):
        added, gain, left = _one_pass(
            interest, reduced, rule, begun if number == 0 else begun[:0], used, pairs, ties, seed, progress,
            f"pass {number + 1} of {passes}" if passes > 1 else "linking", num_candidates, search, rounds,
        )  # fmt: skip
        starts.append(sum(len(gain) for gain in gains))
        edges.append(added)
        gains.append(gain)
        used = np.concatenate((used, added))
        if left and number > 0:
            notes.append(
                f"Pass {number + 1} of {passes} left {left} topic components unconnected: too few unused pairs remain."
            )
        if not len(added) and (number > 0 or not len(begun)):
            break  # neither will any later pass find a pair; but a start that connects everything says nothing of them
    return Outcome(np.concatenate(edges), np.concatenate(gains), tuple(starts), tuple(notes), tuple(rounds))


def _one_pass(
    interest: Interest,
    reduced: build.Problem,
    rule: Rule,
    begun: NDArray[np.int64],
    used: NDArray[np.int64],
    pairs: NDArray[np.int64] | None,
    ties: str,
    seed: int,
    progress: ProgressCallback | None,
    phase: str,
    num_candidates: int | None,
    search: near.Search,
    rounds: list[Round],
) -> tuple[NDArray[np.int64], NDArray[np.int64], int]:
    """Run the loop once; return the links, what they contributed, and how many merges are still to do."""
    members = build.membership(reduced, has_bits=num_candidates is None or near.has_bits(reduced))
    degree = np.zeros(reduced.num_nodes + table.SEGMENT, dtype=np.int32)
    everywhere = np.bincount(used.ravel(), minlength=interest.num_nodes)
    degree[: reduced.num_nodes] = everywhere[reduced.names]
    inside = reduced.position[begun]
    inside = inside[(inside >= 0).all(axis=1)]
    connected = connect_all(members, inside, np.zeros_like(degree))
    to_do = len(reduced.topics) - reduced.num_topics - connected
    total = max(1, to_do + connected)
    begin: dict[str, Any] = {
        "delta": int(everywhere.max(initial=0)), "num_used": len(used), "connected": connected, "ties": ties,
        "seed": seed, "progress": progress, "phase": phase,
    }  # fmt: skip
    if num_candidates is not None:
        links, contribution = _in_rounds(
            reduced, members, degree, rule, to_do, used, num_candidates, search, rounds, begin
        )
    else:
        tell = teller(progress, Progress("counting", 0, connected / total))
        candidates = first_candidates(reduced, members, pairs, used, connected == 0, tell)
        links, contribution = run_loop(reduced, members, candidates, degree, rule, to_do, **begin)
    return reduced.names[links].reshape(-1, 2), contribution, to_do - int(contribution.sum())


def _in_rounds(
    reduced: build.Problem,
    members: Membership,
    degree: NDArray[np.int32],
    rule: Rule,
    to_do: int,
    used: NDArray[np.int64],
    num_candidates: int,
    search: near.Search,
    story: list[Round],
    begin: dict[str, Any],
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Run the loop on near candidates, chosen anew for every round."""
    links = [np.empty((0, 2), dtype=np.int32)]
    gains = [np.empty(0, dtype=np.int64)]
    merged = 0
    inside = reduced.position[used]
    rounds = near.Rounds(
        reduced, members, degree, num_candidates, spares_delta=rule.spares_delta, ratio=rule.ratio,
        max_degree=rule.max_degree, struck=inside[(inside >= 0).all(axis=1)], seed=begin["seed"], search=search,
    )  # fmt: skip
    total = max(1, to_do + begin["connected"])

    def tell(share: float) -> None:
        if begin["progress"] is not None:
            phase = f"round {rounds.number}: {share:.0%} of the search for partners"
            begin["progress"](Progress(phase, sum(map(len, links)), (begin["connected"] + merged) / total))

    def has_budget() -> bool:
        return rule.max_links is None or begin["num_used"] + sum(map(len, links)) < rule.max_links

    while merged < to_do and has_budget() and (candidates := rounds.next(tell)) is not None:
        now = {
            "delta": max(begin["delta"], int(degree.max())), "num_shown": sum(map(len, links)),
            "num_used": begin["num_used"] + sum(map(len, links)),
            "connected": begin["connected"] + merged, "phase": f"round {rounds.number}", "floor": rounds.floor,
        }  # fmt: skip
        found, gain = run_loop(reduced, members, candidates, degree, rule, to_do - merged, **{**begin, **now})
        links.append(found)
        gains.append(gain)
        merged += int(gain.sum())
        story.append(Round(rounds.floor, rounds.num_searching, rounds.num_pairs, len(found), to_do - merged))
        log.info("round %d: %s", rounds.number, story[-1])
        if rounds.is_last and rule.max_degree is not None and not len(found):
            break  # whoever could still be connected has as many links as allowed
    return np.concatenate(links), np.concatenate(gains)
