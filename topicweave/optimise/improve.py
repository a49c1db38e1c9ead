"""improve(): turns an overlay into one with fewer links that connects the same topics."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from topicweave.algorithms.design import design
from topicweave.algorithms.registry import Outcome, Progress
from topicweave.errors import InputError, OverlayError, Remedy, TooLargeError
from topicweave.model import Design, Interest, Overlay, Trace
from topicweave.optimise.bound import climb
from topicweave.optimise.dives import Dives
from topicweave.optimise.link_search import LinkSearch
from topicweave.optimise.tables import num_threads_for, table_entries
from topicweave.parameters import check_count, check_function, check_kind, check_number, check_seed, check_whole

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from topicweave.algorithms.registry import ProgressCallback

KEEP = "keep"
MOVES_PER_ROUND, MOST_ROUNDS = 1000, 1_000_000
ASCENT_ROUNDS = 40  # number of rounds, of ten ascent steps each, before the first dive
# dives are skipped if linked nodes share more topics than this on average, because the ascent is too slow then
MOST_SHARED = 12.0
SECONDS_PER_ENTRY = 6e-10  # rough time per price and step of the ascent, on one thread
STEPS_OF_A_DIVE = 3000
SHARE_OF_DIVING = 0.7  # at most this share of the time is spent on dives
REPAIRS = 200
VAIN_MOVES, VAIN_MOVES_PER_LINK = 2000, 500


@dataclass
class Limits:
    """How much time the search may use, and which limits the overlay must respect.

    Attributes
    ----------
    cap
        The most links of each node.
    seconds, rounds
        When the search ends: after a time, or after this many rounds of a thousand moves.
    kept, most_changes
        The links of a running network, and how many may differ from them.
    progress, seed
        As in :func:`improve`.
    """

    cap: NDArray[np.int64]
    seconds: float
    rounds: int | None = None
    kept: NDArray[np.int64] | None = None
    most_changes: int | None = None
    progress: ProgressCallback | None = None
    seed: int = 0
    begun: float = field(default_factory=time.perf_counter)

    def is_over(self) -> bool:
        """Whether the time is up."""
        return self.is_used(1.0)

    def is_late_for_diving(self) -> bool:
        """Whether the first dive has used up its share of the time; the rest is for ruin and recreate."""
        return self.is_used(SHARE_OF_DIVING)

    def is_used(self, share: float) -> bool:
        """Whether this share of the time is used up."""
        return self.rounds is None and time.perf_counter() - self.begun > share * self.seconds

    def is_in_vain(self, state: LinkSearch) -> bool:
        """Whether so many moves in a row have failed that it is not worth spending the remaining time on more."""
        return self.rounds is None and state.num_vain_moves > VAIN_MOVES + VAIN_MOVES_PER_LINK * state.num_edges

    def tell(self, phase: str, links: int) -> None:
        """Report progress, if a progress function was given."""
        if self.progress is not None:
            self.progress(Progress(phase, links, 1.0))


@dataclass
class BestSoFar:
    """The best state so far, stored so that it is not lost if the search is interrupted."""

    state: LinkSearch


def improve(
    interest: Interest,
    overlay: Overlay,
    *,
    max_degree: int | str | None = KEEP,
    max_changes: int | None = None,
    prefer: Overlay | None = None,
    seconds: float = 10.0,
    rounds: int | None = None,
    progress: ProgressCallback | None = None,
    seed: int = 0,
) -> Design:
    """Connect the same topics with fewer links.

    Two searches are tried if both can pay off: diving along the prices of the bound, and ruin and recreate; the notes
    of the result say which of them found it. With ``max_changes`` or ``prefer`` only the second is used.

    Parameters
    ----------
    interest
        The subscriptions.
    overlay
        A topic-connected overlay of the same nodes. The result never has more links.
    max_degree
        The most links a node may have: ``"keep"`` for the current maximum degree, a number, or None for no limit. A
        node that already has more links gets no further ones.
    max_changes
        The most links by which the result may differ from ``prefer``, added and removed ones together.
    prefer
        The running network whose links should stay if that costs nothing; by default, with ``max_changes``, the overlay
        itself.
    seconds
        How long to search; Ctrl-C ends the search as well, and returns what was found.
    rounds
        Number of rounds of a thousand moves, instead of a time; the same seed and number give the same links on every
        machine.
    progress
        Called several times a second.
    seed
        Seed of all random choices.

    Raises
    ------
    OverlayError
        The overlay and the interest do not have the same nodes.
    InputError
        The overlay does not connect every topic.

    Examples
    --------
    >>> from topicweave import Interest, design, improve
    >>> interest = Interest.from_sets({"a": ["x", "y"], "b": ["x", "y"], "c": ["x", "y"], "d": ["y"]})
    >>> ring = design(interest, "ring").overlay
    >>> ring.num_edges, improve(interest, ring, rounds=1).overlay.num_edges
    (5, 3)
    """
    _check(interest, overlay, prefer)
    check_number("seconds", seconds, 0)
    check_function("progress", progress)
    if rounds is not None:
        check_whole("rounds", rounds, 0, MOST_ROUNDS)
    if max_changes is not None:
        max_changes = check_count("max_changes", max_changes, 0)
    kept = prefer if prefer is not None else (overlay if max_changes is not None else None)
    limits = Limits(
        cap_of(overlay, max_degree), seconds, rounds, None if kept is None else kept.edges, max_changes,
        progress, check_seed(seed),
    )  # fmt: skip
    links, notes = search(interest, overlay.edges, limits)
    # only a safeguard: the search should never end with more links than it began with
    if len(links) > overlay.num_edges:
        links = overlay.edges
    settings: dict[str, Any] = {
        "max_degree": max_degree, "max_changes": max_changes, "seconds": None if rounds is not None else seconds,
        "rounds": rounds, "seed": seed,
    }  # fmt: skip
    return _as_design(interest, links, settings, notes, time.perf_counter() - limits.begun)


def cap_of(overlay: Overlay, max_degree: int | str | None) -> NDArray[np.int64]:
    """The maximum number of links for each node; a node that already has more may keep them."""
    if isinstance(max_degree, str) and max_degree == KEEP:
        cap = overlay.maximum_degree
    else:
        cap = overlay.num_nodes if max_degree is None else check_count("max_degree", max_degree)
    return np.full(overlay.num_nodes, min(cap, max(overlay.num_nodes - 1, 1)), dtype=np.int64)


def search(interest: Interest, start: NDArray[np.int64], limits: Limits) -> tuple[NDArray[np.int64], tuple[str, ...]]:
    """Search for fewer links, starting from these; return the best links found, and notes for the user."""
    state = LinkSearch(
        interest, start, limits.cap, kept=limits.kept, most_changes=limits.most_changes, seed=limits.seed
    )
    found = BestSoFar(state)
    notes: list[str] = []
    try:
        state.trim(limits.is_over)
        if limits.kept is None and limits.rounds != 0 and _diving_may_pay(interest, start, limits):
            _with_dives(interest, found, limits, notes)
        else:
            notes.append("Ruin and recreate from the given links; a dive was not tried.")
            _run_moves(state, limits, None if limits.rounds is None else limits.rounds * MOVES_PER_ROUND)
    except KeyboardInterrupt:
        notes.append("Stopped before the time was up.")
    return found.state.links(), tuple(notes)


def _run_moves(state: LinkSearch, limits: Limits, most: int | None) -> None:
    """Run ruin and recreate until the time is up, or for at most this many moves."""
    done, slice_moves = 0, 20
    while not limits.is_over() and not limits.is_in_vain(state) and (most is None or done < most):
        before = time.perf_counter()
        moves = slice_moves if most is None else min(slice_moves, most - done)
        state.run(moves)
        done += moves
        limits.tell("ruin and recreate", state.num_edges)
        spent = time.perf_counter() - before
        slice_moves = max(1, min(int(slice_moves * min(2.0, 0.1 / max(spent, 1e-6))), 100_000))


def _diving_may_pay(interest: Interest, start: NDArray[np.int64], limits: Limits) -> bool:
    """Whether dives may help: pairs share few enough topics for the ascent to converge, and a dive fits into
    the time.
    """
    if not len(start):
        return False
    rows = interest.to_scipy().astype(np.int64)
    shared = float(rows[start[:, 0]].multiply(rows[start[:, 1]]).sum()) / len(start)
    if shared > MOST_SHARED:
        return False
    num_entries = table_entries(interest)
    expected = SECONDS_PER_ENTRY * num_entries * STEPS_OF_A_DIVE / num_threads_for(num_entries)
    return limits.rounds is not None or expected < SHARE_OF_DIVING * limits.seconds


def _with_dives(interest: Interest, found: BestSoFar, limits: Limits, notes: list[str]) -> None:
    """Dive, then continue the search from the better result; if price tables are small, repeat this for parts of the
    links.
    """
    try:
        dives = Dives(interest, found.state.num_edges, limits.cap, limits.seed)
    except TooLargeError as error:
        notes.append(f"No dive was tried: {error}")
        return
    climb(dives.ascent, limits.is_late_for_diving, rounds=ASCENT_ROUNDS, progress=limits.progress)
    dived = dives.dive(limits.is_late_for_diving, limits.progress)
    if dived is None:
        notes.append("Ruin and recreate from the given links, because a dive would have taken too long.")
        _run_moves(found.state, limits, None)
        return
    is_better = _take_better(interest, found, dived, limits)
    origin = "a dive" if is_better else "the given links, because a dive found no fewer"
    notes.append(f"Ruin and recreate from {origin}.")
    num_rounds = 0
    dives_again = dives.is_quick and is_better
    while limits.rounds is None or num_rounds < limits.rounds:
        if found.state.num_edges <= dives.least_links:
            notes.append(f"No overlay has fewer links: {dives.least_links:,} is the certified bound.")
            return
        if limits.is_over() or limits.is_in_vain(found.state):
            return
        if dives_again:
            before, num_vain = found.state.num_edges, found.state.num_vain_moves
            dived = dives.dive_again(found.state.links(), limits.is_over, limits.progress)
            if dived is None:
                return
            _take_better(interest, found, dived, limits)
            if found.state.num_edges == before:
                found.state.num_vain_moves = num_vain
        _run_moves(found.state, limits, MOVES_PER_ROUND)
        num_rounds += 1


def _take_better(interest: Interest, found: BestSoFar, dived: NDArray[np.int64], limits: Limits) -> bool:
    """Continue from the result of a dive unless it has more links than the best state so far, or degrees that cannot be
    repaired; return whether the result is taken.
    """
    other = LinkSearch(interest, _completed(interest, dived), limits.cap, seed=limits.seed + found.state.num_moves)
    is_within = other.repair_degrees(REPAIRS, limits.is_over)
    other.trim(limits.is_over)
    if not is_within or other.num_edges > found.state.num_edges:
        return False
    found.state = other
    return True


def _completed(interest: Interest, links: NDArray[np.int64]) -> NDArray[np.int64]:
    """The links, plus those that Greedy Merge adds where limits on degrees have left topics unconnected."""
    return design(interest, "gm", start=Overlay(interest.nodes, links), candidates="all").overlay.edges


def _check(interest: Interest, overlay: Overlay, prefer: Overlay | None) -> None:
    from topicweave.metrics import verify

    check_kind(interest, Interest, "improve() needs an Interest", "build one with Interest.from_pairs")
    for each in (overlay, prefer):
        if each is None:
            continue
        check_kind(each, Overlay, "improve() needs an Overlay", "build one with Overlay.from_pairs")
        if tuple(each.labels) != tuple(interest.nodes):
            raise OverlayError(
                f"The overlay has {each.num_nodes} nodes, the interest {interest.num_nodes}, or they come in another "
                f"order; build it with labels=interest.nodes."
            )
    found = verify(interest, overlay)
    if not found.topic_connected:
        raise InputError(
            "The overlay leaves {cut} topics disconnected, {topic!r} for one; {remedy}.",
            cut=len(found.disconnected_topics), topic=found.disconnected_topics[0], remedy=Remedy.COMPLETE,
        )  # fmt: skip


def _as_design(
    interest: Interest, links: NDArray[np.int64], settings: dict[str, Any], notes: tuple[str, ...], seconds: float
) -> Design:
    outcome = with_contributions(interest, links)
    least = int(np.count_nonzero(interest.topic_sizes))
    trace = Trace(outcome.contribution, interest.num_subscriptions, least, interest.num_subscriptions)
    return Design(Overlay(interest.nodes, links), "improve", settings, trace, seconds, notes)


def with_contributions(interest: Interest, links: NDArray[np.int64], notes: tuple[str, ...] = ()) -> Outcome:
    """The links in their order, with the contribution of each."""
    from topicweave.kernels.components import edge_contributions

    gains: NDArray[np.int64] = edge_contributions(interest.indptr, interest.indices, interest.num_topics, links)
    return Outcome(links, gains, notes=notes)
