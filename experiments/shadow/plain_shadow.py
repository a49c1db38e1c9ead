"""Shadow in plain Python, to try variants under churn: the choice of backups can weight nodes differently, and repairs
can count only some of a node's links as its degree.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

import topicweave as tw
from experiments.shadow.new_links import connect_by_new_degrees
from experiments.shadow.plain_backups import cover_by_primal_dual, cover_greedily
from experiments.shadow.replaying import EVENTS, JOIN, STEP, churn_of
from experiments.workload import Workload, interest_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from experiments.run import Find


@dataclass(frozen=True)
class PlainlyReplayed:
    """A run of :class:`PlainShadow` on the same trace as :class:`experiments.shadow.replaying.Replayed`.

    Attributes
    ----------
    weights
        The weight of a backup. ``"renewed"``: its current degree + primaries. ``"at first"``: the same, but the backups
        of the beginning are all chosen before any primary counts. ``"never"``: the degree a node had at the beginning,
        or after it joined.
    coverage
        λ.
    events
        Number of events.
    rule
        ``"greedy"`` or ``"primal_dual"`` backups.
    degrees
        The degrees that repairs keep low: in ``"all"`` links, or only in the ``"new"`` ones of the repair, as §III
        prints.
    """

    weights: str
    coverage: int = 3
    events: int = EVENTS
    rule: str = "greedy"
    degrees: str = "all"

    @property
    def path(self) -> str:
        degrees = "" if self.degrees == "all" else f"_{self.degrees}-degrees"
        rule = self.rule.replace("_", "-")
        return f"plain-{rule}_{self.weights.replace(' ', '-')}_coverage-{self.coverage}{degrees}_events-{self.events}"

    @property
    def is_timed(self) -> bool:
        return False

    def reduced(self) -> PlainlyReplayed:
        return replace(self, events=24)

    def cost(self, subject: Workload) -> float:
        return 5.0 + 0.04 * self.events

    def measure(self, subject: Workload, seed: int, find: Find) -> dict[str, Any]:
        interest = interest_of(subject, seed, find)
        events = churn_of(subject, interest, self.events, seed, find)
        shadow = PlainShadow(interest, events, self, seed)
        averages, maxima = [shadow.average_degree], [int(shadow.degree.max())]
        for event in events:
            (shadow.join if event.action == JOIN else shadow.leave)(event.node)
            averages.append(shadow.average_degree)
            maxima.append(int(shadow.degree.max()))
        return {
            "average_degree": [round(value, 4) for value in averages[::STEP]],
            "maximum_degree": maxima[::STEP],
            "maximum_degree_last": maxima[-1],
            "average_degree_last": averages[-1],
            "primaries_most": int(shadow.num_primaries.max()),
            "topic_connected": shadow.is_connected,
        }


class PlainShadow:
    """SHADOW Algorithms 6-11, in plain Python.

    Numbers identify all nodes that are ever present, and repairs are those of ``tw.design``.
    """

    def __init__(
        self, interest: tw.Interest, events: Iterable[tw.churn.Event], asked: PlainlyReplayed, seed: int
    ) -> None:  # fmt: skip
        topics = {node: interest.topics_of(node) for node in interest.nodes}
        topics |= {event.node: frozenset(event.topics or ()) for event in events if event.action == JOIN}
        self.all = tw.Interest.from_sets(topics)
        self.number = {node: place for place, node in enumerate(self.all.nodes)}
        self.wants = self.all.to_scipy().toarray().astype(bool)
        self.weights, self.coverage, self.seed = asked.weights, asked.coverage, seed
        self.counts_new = asked.degrees == "new"
        self.cover = cover_greedily if asked.rule == "greedy" else cover_by_primal_dual
        self.rng = np.random.default_rng(seed)
        self.present = np.zeros(len(self.wants), dtype=bool)
        self.present[[self.number[node] for node in interest.nodes]] = True
        pairs = tw.design(interest, "low", k=3, seed=seed).overlay.pairs()
        self.links = tw.Overlay.from_pairs(pairs, self.all.nodes).edges
        self.first_weight = self.degree.astype(np.float64)
        self.backups: dict[int, set[int]] = {v: set() for v in range(len(self.wants))}
        self.num_primaries = np.zeros(len(self.wants), dtype=np.int64)
        there = np.flatnonzero(self.present).tolist()
        chosen = {v: self._choose(v) for v in there} if asked.weights == "at first" else {}
        for v in there:
            self._set_backups(v, chosen[v] if chosen else self._choose(v))

    @property
    def degree(self) -> NDArray[np.int64]:
        return np.bincount(self.links.ravel(), minlength=len(self.wants))

    @property
    def average_degree(self) -> float:
        return float(2 * len(self.links) / self.present.sum())

    @property
    def is_connected(self) -> bool:
        there = {
            self.all.nodes[v]: self.all.topics_of(self.all.nodes[v]) for v in np.flatnonzero(self.present).tolist()
        }
        pairs = [(self.all.nodes[u], self.all.nodes[v]) for u, v in self.links.tolist()]
        return tw.verify(tw.Interest.from_sets(there), tw.Overlay.from_pairs(pairs, sorted(there))).topic_connected

    def join(self, node: str) -> None:
        v = self.number[node]
        self.present[v] = True
        self._set_backups(v, self._choose(v))
        self._repair(v, [(v, backup) for backup in sorted(self.backups[v])])
        self.first_weight[v] = self.degree[v]

    def leave(self, node: str) -> None:
        v = self.number[node]
        touching = (self.links == v).any(axis=1)
        neighbours = set(self.links[touching].ravel().tolist()) - {v}
        self.present[v] = False
        self.links = self.links[~touching]
        shadow = neighbours | self.backups[v]
        self._set_backups(v, set())
        self._repair(v, combinations(sorted(shadow), 2))
        for primary in sorted(u for u, backups in self.backups.items() if v in backups):
            self._set_backups(primary, self._choose(primary))

    def _choose(self, v: int) -> set[int]:
        """Choose backups for a node: λ disjoint sets of nodes, each of which covers all its topics."""
        free = self.present.copy()
        free[v] = False
        chosen: set[int] = set()
        for _ in range(self.coverage):
            weight = self.first_weight if self.weights == "never" else 1.0 * self.degree + self.num_primaries
            chosen.update(self.cover(self.wants, v, weight, free, self.rng))
        return chosen

    def _set_backups(self, v: int, chosen: set[int]) -> None:
        self.num_primaries[list(self.backups[v])] -= 1
        self.backups[v] = chosen
        self.num_primaries[list(chosen)] += 1

    def _repair(self, v: int, pairs: Iterable[tuple[int, int]]) -> None:
        """Reconnect the topics of a node by Low-ODA(3), using only these pairs."""
        listed = np.array(sorted((min(pair), max(pair)) for pair in pairs), dtype=np.int64).reshape(-1, 2)
        if self.counts_new and len(listed):
            topics = np.flatnonzero(self.wants[v])
            made = connect_by_new_degrees(self._there(), self.links, listed, topics, 3.0, self.rng)
            self.links = np.concatenate((self.links, made))
        elif len(listed):
            start = tw.Overlay(self.all.nodes, self.links)
            names = self.all.topics_of(self.all.nodes[v])
            design = tw.design(self.all, "low", k=3, start=start, pairs=listed, topics=names, seed=self.seed)
            self.links = design.overlay.edges

    def _there(self) -> NDArray[np.bool_]:
        """The subscriptions of all nodes that are present now."""
        there: NDArray[np.bool_] = self.wants & self.present[:, None]
        return there
