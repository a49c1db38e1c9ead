"""Completion: after an event, adds links until the requirements are met again in the topics that it touched."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from topicweave.algorithms.greedy.loop import shuffle_key
from topicweave.churn.part import part_of
from topicweave.churn.registry import LASTING
from topicweave.errors import ImpossibleError, NotFoundError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from topicweave.algorithms.requirements.network import Network
    from topicweave.churn.difference import Gain, Loss
    from topicweave.churn.overlay_state import OverlayState
    from topicweave.churn.part import Part
    from topicweave.churn.repair import Repair
    from topicweave.metrics.violations import Violation
    from topicweave.model import Interest, Overlay, Requirements, Resolved

Link = tuple[str, str]


class Completion:
    """Keeps an overlay complete, that is, all its requirements met.

    Parameters
    ----------
    requirements
        What to meet.

    Attributes
    ----------
    open_topics
        Topics that do not meet the requirements at present.
    beyond
        Links that exist although they are not permitted or exceed a limit, because a topic would fall apart without
        them.
    proof
        Why the requirements cannot be met at present; empty if they are, or if there is no proof.
    num_redesigns
        How many events took a design of the whole overlay.
    """

    def __init__(self, requirements: Requirements) -> None:
        self.requirements = requirements
        self.open_topics: set[str] = set()
        self.beyond: set[Link] = set()
        self.proof = ""
        self.num_redesigns = 0

    @property
    def is_open(self) -> bool:
        """Whether any requirement is violated at present."""
        return bool(self.open_topics or self.beyond)

    def note_violations(self, violations: Iterable[Violation], overlay_state: OverlayState) -> None:
        """Record what an overlay that was made elsewhere violates."""
        for violation in violations:
            if violation.topic is not None:
                self.open_topics.add(violation.topic)
            elif violation.requirement == "max_degree":
                (node,) = violation.nodes
                self.beyond |= {_link(node, other) for other in overlay_state.neighbours_of(node)}
            elif violation.requirement != "required":
                self.beyond.add(_link(*violation.nodes))

    def to_notes(self) -> dict[str, Any]:
        """The state to store in a snapshot."""
        return {"topics": sorted(self.open_topics), "links": sorted(self.beyond), "redesigns": self.num_redesigns}

    def from_notes(self, notes: Mapping[str, Any]) -> None:
        """Restore what :meth:`to_notes` returned."""
        self.open_topics = set(notes["topics"])
        self.beyond = {_link(*link) for link in notes["links"]}
        self.num_redesigns = int(notes["redesigns"])

    def complete(self, repair: Repair) -> None:
        """Meet the requirements again in the topics that an event touched, and in topics where some were still
        violated.
        """
        begun = time.perf_counter()
        state = repair.state
        gone = {state.nodes.name(v) for v in repair.left}
        self._forget(state, gone)
        self._link_required(repair, gone)
        touched: set[int] = set(_union([*repair.losses, *repair.gains]).tolist())
        is_concerned = any(state.topics.name(t) in self.open_topics for t in touched)
        was_open = self.is_open
        touched |= {state.topics.number[name] for name in self.open_topics}
        for one, other in self.beyond:
            rows = state.rows[state.nodes.number[one]] & state.rows[state.nodes.number[other]]
            touched |= set(_bits(rows))
        touched = {t for t in touched if state.subscribers.length[t]}
        self.open_topics, beyond, self.beyond, self.proof = set(), self.beyond, set(), ""
        if not touched:
            return
        repair.links.unlink(_slots(state, beyond))
        part = part_of(state, np.array(sorted(touched), dtype=np.int32))
        repair.shadow_size = part.interest.num_nodes
        self._work(repair, part, may_redesign=is_concerned or not was_open)
        repair.repair_seconds += time.perf_counter() - begun

    # ---- the attempts ---------------------------------------------------------------------------------------------

    def _work(self, repair: Repair, part: Part, *, may_redesign: bool) -> None:
        """First try to add links only, then to replace some old ones, then to design the whole overlay again."""
        resolved = self._resolved(part)
        penalty = float(repair.parameters["k"])
        network, made = self._extended(repair, part, resolved, penalty)
        met = network.met()
        dropped = part.links[:0]
        if not met.all():
            rest = part.links[self._only_here(repair.state, part)]
            dropped = rest[network.delete(rest)]
            made = np.concatenate((made, *_extend(network, resolved, penalty)))
            made = made[~network.delete(made)]
            met = network.met()
        if not met.all() and may_redesign and self._redesign(repair):
            return
        self.open_topics = {part.interest.topics[t] for t in np.flatnonzero(~met).tolist()}
        # a link that was dropped and then made again counts once
        repair.links.unlink(part.slots[dropped].reshape(-1, 2))
        repair.links.link(part.slots[made].reshape(-1, 2))
        if self.open_topics:
            kept = np.concatenate((_without(part.links, dropped), made))
            self._connect_anyway(repair, part, resolved, penalty, kept)

    def _extended(
        self, repair: Repair, part: Part, resolved: Resolved, penalty: float
    ) -> tuple[Network, NDArray[np.int64]]:
        network = _network(part.interest, resolved, repair.parameters, len(part.links))
        network.add(part.links)
        made = np.concatenate(_extend(network, resolved, penalty))
        return network, made[~network.delete(made)]

    def designed(self, interest: Interest, chosen: Mapping[str, Any], prefer: Overlay | None = None) -> Overlay:
        """Design an overlay from scratch that meets the requirements; raises the same errors as a design."""
        from topicweave.algorithms import design

        ties = _ties(chosen["ties"])
        required = self._of(interest)
        return design(
            interest, "low", k=chosen["k"], ties=ties, seed=chosen["seed"], prefer=prefer, requirements=required
        ).overlay

    def _redesign(self, repair: Repair) -> bool:
        """Design the whole overlay again, keeping as many of the current links as possible; returns False if that
        fails.
        """
        state, gone = repair.state, set(repair.left)
        whole, present = state.interest(), state.overlay()
        interest = whole.restrict(nodes=[node for node in whole.nodes if state.nodes.number[node] not in gone])
        self.num_redesigns += 1
        try:
            made = self.designed(interest, repair.parameters, present)
        except ImpossibleError as error:
            self.proof = str(error)
            return False
        except NotFoundError:
            return False
        before, after = ({_link(*pair) for pair in overlay.pairs()} for overlay in (present, made))
        repair.links.unlink(_slots(state, before - after))
        repair.links.link(_slots(state, after - before))
        return True

    def _connect_anyway(
        self, repair: Repair, part: Part, resolved: Resolved, penalty: float, links: NDArray[np.int64]
    ) -> None:
        """Connect every topic whatever it takes: with permitted links that exceed the limits of nodes, and then with
        any links.
        """
        most = np.full(part.interest.num_nodes, max(part.interest.num_nodes - 1, 0), dtype=np.int64)
        free = replace(resolved, caps=most, cost_table=None, cost_points=None)
        nothing = np.empty(0, dtype=np.int64)
        open_to_all = replace(
            free, is_open=np.ones_like(free.is_open), exceptions=nothing, is_exception_open=nothing.astype(np.bool_)
        )
        from topicweave.kernels.requirements.potential import MERGING

        for relaxed in (free, open_to_all):
            network = _network(part.interest, relaxed, repair.parameters, len(links))
            network.add(links)
            made = network.extend(MERGING, penalty)
            links = np.concatenate((links, made))
            repair.links.link(part.slots[made].reshape(-1, 2))
            names = part.interest.nodes
            self.beyond |= {_link(names[u], names[v]) for u, v in made.tolist()}

    # ---- details --------------------------------------------------------------------------------------------------

    def _resolved(self, part: Part) -> Resolved:
        """The requirements in the node numbers of the part, with degree limits reduced by the links that nodes have
        outside the part.
        """
        resolved = self._of(part.interest).resolve(part.interest, ignore_unknown=True)
        most = max(part.interest.num_nodes - 1, 0)
        limit, caps = self.requirements.max_degree, np.full(part.interest.num_nodes, most, dtype=np.int64)
        if isinstance(limit, Mapping):
            caps = np.array([limit.get(node, most + left) for node, left in zip(
                part.interest.nodes, part.outside.tolist(), strict=True)], dtype=np.int64) - part.outside  # fmt: skip
        elif limit is not None:
            caps = limit - part.outside
        return replace(resolved, caps=np.clip(caps, 0, most), required=np.empty((0, 2), dtype=np.int64))

    def _of(self, interest: Interest) -> Requirements:
        """The requirements that concern only these nodes, because a design refuses names it does not know."""
        known = {*interest.nodes, *(self.requirements.regions or {}).values()}
        limit = self.requirements.max_degree
        found: dict[str, Any] = {
            name: None if pairs is None else [pair for pair in pairs if known.issuperset(pair)]
            for name in ("forbidden", "required", "allowed")
            for pairs in (getattr(self.requirements, name),)
        }
        if isinstance(limit, Mapping):
            found["max_degree"] = {node: number for node, number in limit.items() if node in known}
        return replace(self.requirements, **found)

    def _forget(self, state: OverlayState, gone: set[str]) -> None:
        """Forget topics and links that no longer exist."""
        self.open_topics = {name for name in self.open_topics if name in state.topics.number}
        self.beyond = {
            (one, other) for one, other in self.beyond
            if not gone & {one, other} and other in state.neighbours_of(one)
        }  # fmt: skip

    def _link_required(self, repair: Repair, gone: set[str]) -> None:
        """Make every required link whose ends are both present."""
        number = repair.state.nodes.number
        missing = {
            (one, other) for one, other in self.requirements.required
            if one in number and other in number and not gone & {one, other}
            and other not in repair.state.neighbours_of(one)
        }  # fmt: skip
        repair.links.link(_slots(repair.state, missing))

    def _only_here(self, state: OverlayState, part: Part) -> NDArray[np.bool_]:
        """Which links of the part serve no topic outside it."""
        one, other = part.slots[part.links[:, 0]], part.slots[part.links[:, 1]]
        here = np.zeros(state.rows.shape[1], dtype=np.uint64)
        for name in part.interest.topics:
            t = state.topics.number[name]
            here[t >> 6] |= np.uint64(1) << np.uint64(t & 63)
        needed = {_link(*pair) for pair in self.requirements.required}
        names = part.interest.nodes
        is_free = np.array([(names[u], names[v]) not in needed for u, v in part.links.tolist()], dtype=np.bool_)
        only: NDArray[np.bool_] = ~(state.rows[one] & state.rows[other] & ~here).any(axis=1) & is_free
        return only


def _network(interest: Interest, resolved: Resolved, chosen: Mapping[str, Any], num_given: int) -> Network:
    from topicweave.algorithms.requirements.network import Network

    key = shuffle_key(chosen["seed"])
    ties = _ties(chosen["ties"])
    return Network(interest, resolved, ties=ties, prefer=None, key=key, tell=_nobody, num_given=num_given)


def _ties(rule: str) -> str:
    """The tie rule under the name that design() uses."""
    return "balanced" if rule == LASTING else rule


def _nobody(count: int) -> None:
    """Ignore progress reports, because a repair does not show any."""


def _extend(network: Network, resolved: Resolved, penalty: float) -> list[NDArray[np.int64]]:
    """Connect every topic, then shorten paths, then add links so that topics survive failures.

    Returns the links added by each step.
    """
    from topicweave.kernels.requirements.potential import BLOCKS, HOPS, MERGING

    made = [network.extend(MERGING, penalty)]
    if resolved.max_hops:
        network.choose_centres()
        made.append(network.extend(HOPS, penalty))
    if resolved.connectivity > 1:
        made.append(network.extend(BLOCKS, penalty))
    return made


def _without(links: NDArray[np.int64], some: NDArray[np.int64]) -> NDArray[np.int64]:
    size = int(max(links.max(initial=0), some.max(initial=0))) + 1
    kept: NDArray[np.int64] = links[~np.isin(links[:, 0] * size + links[:, 1], some[:, 0] * size + some[:, 1])]
    return kept


def _union(changes: Iterable[Loss | Gain]) -> NDArray[np.int32]:
    """The topics of all changes of an event, possibly none."""
    several = [change.topics for change in changes]
    return np.unique(np.concatenate([np.empty(0, dtype=np.int32), *several]))


def _slots(state: OverlayState, links: Iterable[Link]) -> NDArray[np.int32]:
    number = state.nodes.number
    return np.array([(number[one], number[other]) for one, other in sorted(links)], dtype=np.int32).reshape(-1, 2)


def _bits(row: NDArray[np.uint64]) -> list[int]:
    from topicweave.churn.overlay_state import subscriptions

    found: list[int] = subscriptions(row.reshape(1, -1))[1].tolist()
    return found


def _link(one: str, other: str) -> Link:
    return (one, other) if one < other else (other, one)
