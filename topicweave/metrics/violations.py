"""Which requirements an overlay violates, and where; it shares no code with the algorithms that keep them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from topicweave.metrics.distances import topic_diameters
from topicweave.metrics.failures import separating_nodes
from topicweave.metrics.matching import matched_edges
from topicweave.wording import counted

if TYPE_CHECKING:
    from topicweave.model import Interest, Overlay, Requirements


@dataclass(frozen=True)
class Violation:
    """One way in which an overlay violates a requirement.

    Attributes
    ----------
    requirement
        The name of the requirement, as in :class:`topicweave.Requirements`.
    topic
        The topic concerned, or None.
    nodes
        The nodes concerned: those whose failure cuts the topic, the one with too many links, or the ends of a link.
    value, limit
        What was found, and the limit: hops for ``max_hops`` (infinite if the topic is in pieces), links for
        ``max_degree``, and the number of failures that cut the topic for ``connectivity``; None for others.
    """

    requirement: str
    topic: str | None = None
    nodes: tuple[str, ...] = ()
    value: float | None = None
    limit: int | None = None

    def __str__(self) -> str:
        nodes = " - ".join(map(repr, self.nodes))
        if self.requirement == "max_hops":
            value = "disconnected" if self.value == np.inf else f"{self.value:g} hops across"
            return f"topic {self.topic!r} is {value}, more than the {self.limit} allowed"
        if self.requirement == "connectivity":
            if self.value and not self.nodes:
                fail = f"{counted(int(self.value), 'node')} {'fails' if self.value == 1 else 'fail'}"
                return f"topic {self.topic!r} is cut when some {fail}"
            if self.value:
                verb = "fails" if len(self.nodes) == 1 else "fail"
                return f"topic {self.topic!r} is cut when {' and '.join(map(repr, self.nodes))} {verb}"
            if self.nodes:
                return f"topic {self.topic!r} has so few subscribers that {nodes} must be linked"
            return f"topic {self.topic!r} is disconnected"
        if self.requirement == "max_degree":
            return f"node {nodes} has {self.value:g} links, more than the {self.limit} allowed"
        said = {"forbidden": "is forbidden", "allowed": "is not among those allowed", "required": "is missing"}
        return f"the link {nodes} {said[self.requirement]}"


def find_violations(interest: Interest, overlay: Overlay, requirements: Requirements) -> tuple[Violation, ...]:
    """Find everything that violates the requirements: one violation for each topic, node or pair concerned."""
    found = [*_wrong_links(interest, overlay, requirements), *_overloaded(interest, overlay, requirements)]
    if requirements.max_hops is not None:
        diameter = topic_diameters(interest, overlay, inside=True)
        found += [
            Violation("max_hops", topic=interest.topics[t], value=float(diameter[t]), limit=requirements.max_hops)
            for t in np.flatnonzero(diameter > requirements.max_hops).tolist()
        ]
    if requirements.connectivity > 1:
        edges = matched_edges(interest, overlay)
        for t, cut, is_missing in separating_nodes(interest, edges, requirements.connectivity):
            found.append(
                Violation(
                    "connectivity",
                    topic=interest.topics[t],
                    nodes=tuple(interest.nodes[v] for v in cut),
                    value=None if is_missing else len(cut),
                    limit=requirements.connectivity - 1,
                )
            )
    return tuple(found)


def overlay_cost(interest: Interest, overlay: Overlay, requirements: Requirements) -> float | None:
    """The sum of the costs of all links; None if links have no costs."""
    if requirements.link_cost is None:
        return None
    return float(requirements.resolve(interest, ignore_unknown=True).costs(matched_edges(interest, overlay)).sum())


def _wrong_links(interest: Interest, overlay: Overlay, requirements: Requirements) -> list[Violation]:
    """Links that are forbidden or not allowed, and required links that are missing."""
    regions = requirements.regions or {}
    forbidden = set(requirements.forbidden)
    allowed = None if requirements.allowed is None else set(requirements.allowed)
    found = []
    links = {(min(pair), max(pair)) for pair in overlay.pairs()}
    for one, other in sorted(links):
        names = {
            (min(a, b), max(a, b)) for a in {one, regions.get(one, one)} for b in {other, regions.get(other, other)}
        }
        if names & forbidden:
            found.append(Violation("forbidden", nodes=(one, other)))
        if allowed is not None and not names & allowed:
            found.append(Violation("allowed", nodes=(one, other)))
    known = set(interest.nodes)
    for pair in requirements.required:
        if pair not in links and known.issuperset(pair):
            found.append(Violation("required", nodes=pair))
    return found


def _overloaded(interest: Interest, overlay: Overlay, requirements: Requirements) -> list[Violation]:
    caps = requirements.max_degree
    if caps is None:
        return []
    degree = dict(zip(overlay.labels, overlay.degrees.tolist(), strict=True))
    found = []
    for node in interest.nodes:
        limit = caps if isinstance(caps, int) else caps.get(node)
        if limit is not None and degree[node] > limit:
            found.append(Violation("max_degree", nodes=(node,), value=degree[node], limit=limit))
    return found
