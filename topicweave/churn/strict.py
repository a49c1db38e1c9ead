"""Strict: keeps an overlay within its requirements while nodes join, leave and change topics."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from topicweave.churn.candidates import Candidates
from topicweave.churn.completion import Completion
from topicweave.churn.events import DRAIN, LEAVE, checked_events
from topicweave.churn.maintainer import Maintainer
from topicweave.churn.registry import MAINTAINERS
from topicweave.errors import InputError, ParameterError
from topicweave.metrics import verify
from topicweave.model import Interest, Requirements
from topicweave.model.requirement_facts import from_facts, to_facts, with_names
from topicweave.parameters import check_kind, check_seed, fill

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from topicweave.churn.change import Change
    from topicweave.churn.difference import Gain, Loss
    from topicweave.churn.events import Event
    from topicweave.churn.repair import Repair
    from topicweave.metrics.violations import Violation
    from topicweave.model import Overlay


class Strict(Maintainer):
    """Keeps an overlay within its requirements: after each event, links are added in the topics that the event touched
    until everything is met again, and new links that turn out to be unnecessary are dropped.

    If an event makes the requirements impossible, or they cannot be met with the existing links, the whole overlay is
    designed again from scratch. If that does not help either, every topic still stays connected, if necessary by links
    that exceed a limit or are forbidden, and the change says what is violated. Later events try again.

    With ``connectivity=2`` every topic survives the death of any one node before its repair.

    Parameters
    ----------
    interest, overlay, k, ties, trim, seed
        See :class:`Maintainer`; without an overlay, ``low`` designs one that meets the requirements.
    requirements
        What the overlay must keep to; None for nothing besides connected topics. Not together with ``trim``.

    Attributes
    ----------
    requirements
        The same. A matrix of costs has the names of the first nodes.
    completion
        What is violated at present, if anything.

    Examples
    --------
    >>> from topicweave import Interest, Requirements
    >>> ring = Interest.from_pairs([(node, "news") for node in "abcd"])
    >>> strict = Strict(ring, requirements=Requirements(connectivity=2, max_degree=2))
    >>> strict.leave("a").violations, strict.num_edges
    ((), 3)
    """

    name: ClassVar[str] = "strict"

    def __init__(
        self,
        interest: Interest,
        overlay: Overlay | None = None,
        *,
        requirements: Requirements | None = None,
        seed: int = 0,
        **given: Any,
    ) -> None:
        check_kind(interest, Interest, "An Interest is needed", "build one with from_pairs")
        self._set_requirements(requirements, interest.nodes)
        chosen = fill(self.name, MAINTAINERS[self.name].parameters, given)
        if chosen["trim"] and self.requirements.names:
            raise ParameterError("trim would drop links that requirements need; leave one of them out.")
        is_given = overlay is not None
        if overlay is None and interest.num_subscriptions and self.requirements.names:
            overlay = self.completion.designed(interest, {**chosen, "seed": check_seed(seed)})
        super().__init__(interest, overlay, seed=seed, **given)
        if is_given:
            self.completion.note_violations(self.violations(), self.state)

    def violations(self) -> tuple[Violation, ...]:
        """What currently violates the requirements, as found by the verifier; this examines the whole overlay."""
        return verify(self.interest, self.overlay, self.requirements).violations

    def apply(self, events: Iterable[Event]) -> Change:
        several = list(checked_events(events))
        for event in several:
            self._check_cost_known(event)
        change = super().apply(several)
        if not self.completion.is_open:
            return change
        return replace(change, violations=self.violations(), proof=self.completion.proof)

    def reoptimise(self, budget: int) -> Change:
        """Raise an error, because reoptimisation cannot take requirements into account."""
        raise InputError("A strict maintainer does not reoptimise; design a new overlay with the same requirements.")

    def candidates(self, repair: Repair) -> Candidates:
        return Everything(repair, self.completion)

    def extra_state(self) -> dict[str, NDArray[Any]]:
        facts, costs = to_facts(self.requirements)
        text = json.dumps({"requirements": facts, "completion": self.completion.to_notes()})
        return {"requirements": np.frombuffer(text.encode(), dtype=np.uint8), "costs": costs}

    def restore(self, extra: Mapping[str, NDArray[Any]]) -> None:
        found = json.loads(extra["requirements"].tobytes())
        self._set_requirements(from_facts(found["requirements"], extra["costs"]), ())
        self.completion.from_notes(found["completion"])

    @property
    def num_redesigns(self) -> int:
        """How many events needed a new design of the whole overlay."""
        return self.completion.num_redesigns

    def _set_requirements(self, given: Requirements | None, nodes: Sequence[str]) -> None:
        if given is not None:
            check_kind(given, Requirements, "requirements= needs Requirements", "make them with tw.Requirements(...)")
        self.requirements = with_names(given or Requirements(), nodes)
        self.completion = Completion(self.requirements)

    def _check_cost_known(self, event: Event) -> None:
        """Before anything is changed, refuse a node whose links have no cost."""
        costs, regions = self.requirements.link_cost, self.requirements.regions or {}
        if costs is None or event.action in (LEAVE, DRAIN):
            return
        if not {event.node, regions.get(event.node, "")} & set(costs.names or ()):
            raise InputError(f"The link costs have no cost for node {event.node!r} (nor for its region); add it.")


class Everything(Candidates):
    """The candidates of Strict: none while an event is applied, because everything is completed at its end."""

    def __init__(self, repair: Repair, completion: Completion) -> None:
        super().__init__(repair)
        self.completion = completion

    def for_losses(self, losses: Sequence[Loss]) -> NDArray[np.int32] | None:
        return None

    def for_gains(self, gains: Sequence[Gain]) -> NDArray[np.int32] | None:
        return None

    def finish(self) -> None:
        self.completion.complete(self.repair)
