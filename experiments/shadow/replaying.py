"""Runs that replay churn: a maintainer on the paper's trace of events, and new designs at the same moments."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

import topicweave as tw
from experiments.workload import Workload, interest_of

if TYPE_CHECKING:
    from experiments.run import Find

    Links = set[tuple[str, str]]

EVENTS = 1_000
STEP = 10
"""Curves have a point every this many events."""
BETWEEN = 20
"""Events from one static design to the next: each takes the time of a hundred events."""
JOIN = "join"


@dataclass(frozen=True)
class Replayed:
    """A run of a maintainer, with its parameters, on a trace in which joins and leaves are equally likely.

    Attributes
    ----------
    maintainer
        ``"shadow"`` or ``"naive"``.
    coverage, backups
        Parameters of Shadow.
    ties
        As in ``tw.design``.
    compared
        Whether static designs are made as well, and time is taken.
    events
        Number of events.
    k
        Parameter of Low-ODA, at the beginning and in repairs: the paper's ρ.
    """

    maintainer: str = "shadow"
    coverage: int = 3
    backups: str = "primal_dual"
    ties: str = "balanced"
    compared: bool = False
    events: int = EVENTS
    k: float = 3

    @property
    def path(self) -> str:
        how = f"_coverage-{self.coverage}_{self.backups}" if self.maintainer == "shadow" else ""
        how += "" if self.k == 3 else f"_k-{self.k:g}"
        return f"{self.maintainer}{how}_{self.ties}_events-{self.events}" + ("_compared" if self.compared else "")

    @property
    def algorithms(self) -> tuple[str, ...]:
        return ("low",)

    @property
    def is_timed(self) -> bool:
        return self.compared

    def reduced(self) -> Replayed:
        return replace(self, events=24)

    def cost(self, subject: Workload) -> float:
        return self.events * ((0.03 if self.maintainer == "naive" else 0.004) + (0.02 if self.compared else 0.0))

    def measure(self, subject: Workload, seed: int, find: Find) -> dict[str, Any]:
        interest = interest_of(subject, seed, find)
        events = churn_of(subject, interest, self.events, seed, find)
        maintainer = self._maintainer(interest, seed)
        if self.compared:
            tw.churn.replay(self._maintainer(interest, seed), events[:6])  # compile and load
        begun = (maintainer.average_degree, maintainer.maximum_degree, maintainer.num_edges)
        static = Static(maintainer, self.k, self.ties, seed) if self.compared else None
        links: list[int] = []

        def each(event: tw.churn.Event, change: tw.churn.Change) -> None:
            links.append(maintainer.num_edges - len(change.added) + len(change.removed))
            if static is not None:
                static.look(event)

        size_of = {node: len(interest.topics_of(node)) for node in interest.nodes}
        size_of |= {event.node: len(event.topics or ()) for event in events if event.action == JOIN}
        found = tw.churn.replay(maintainer, events, each)
        joins = found.where(JOIN)
        answer: dict[str, Any] = {
            "average_degree": [begun[0], *found.average_degree[STEP - 1 :: STEP].round(4).tolist()],
            "maximum_degree": [begun[1], *found.maximum_degree[STEP - 1 :: STEP].tolist()],
            "maximum_degree_last": int(found.maximum_degree[-1]),
            "average_degree_last": float(found.average_degree[-1]),
            "changed_join": float(found.changed[joins].mean()),
            "changed_leave": float(found.changed[~joins].mean()),
            "topic_connected": tw.verify(maintainer.interest, maintainer.overlay).topic_connected,
        }
        if static is not None:
            answer |= static.figures()
            for kind, chosen in ((JOIN, joins), ("leave", ~joins)):
                answer[f"repair_ms_{kind}"] = float(1e3 * found.repair_seconds[chosen].mean())
                answer[f"event_ms_{kind}"] = float(1e3 * found.seconds[chosen].mean())
                answer[f"changed_share_{kind}"] = float((found.changed / links)[chosen].mean())
            answer["load"] = os.getloadavg()[0]  # how busy the machine was, so that readers can judge the times
            shadow_shares = found.shadow_size[~joins] / found.nodes[~joins]
            answer["shadow_share"], answer["shadow_share_most"] = (
                float(shadow_shares.mean()),
                float(shadow_shares.max()),
            )
            answer["event_ms_most"] = float(1e3 * found.seconds.max())
            answer["links_first"] = begun[2]
            if self.ties == "balanced":  # values for each event, for scatter plots like those of the paper
                answer |= {
                    "is_join": joins.astype(int).tolist(),
                    "topics": [size_of[event.node] for event in events],
                    "changed": found.changed.tolist(),
                    "links": links,
                    "shadow_size": found.shadow_size.tolist(),
                    "repair_ms": (1e3 * found.repair_seconds).round(4).tolist(),
                }
        return answer

    def _maintainer(self, interest: tw.Interest, seed: int) -> tw.churn.Maintainer:
        overlay = tw.design(interest, "low", k=self.k, ties=self.ties, seed=seed).overlay
        # repairs as in the paper, so without our additions levelling and trim
        options: dict[str, Any] = {"k": self.k, "ties": self.ties, "levelling": 0, "trim": False, "seed": seed}
        if self.maintainer == "naive":
            return tw.churn.Naive(interest, overlay, **options)
        return tw.churn.Shadow(interest, overlay, coverage=self.coverage, backups=self.backups, **options)


NEWCOMERS = 1_000_000
"""Added to the seed of the nodes that join, so that they differ from those that are present."""


def churn_of(
    subject: Workload, interest: tw.Interest, num_events: int, seed: int, find: Find
) -> list[tw.churn.Event]:  # fmt: skip
    """The paper's trace of events, in which joins and leaves are equally likely."""
    newcomers = interest_of(replace(subject, num_nodes=max(10, num_events // 2)), seed + NEWCOMERS, find)
    rows = tw.workloads.random_churn(interest, newcomers, num_events, seed=seed)
    return [tw.churn.Event.from_record(row) for row in rows]


class Static:
    """Makes new designs by Low-ODA at some of the events of a replay, and records their degrees, their times, and how
    many links differ from one event to the next.
    """

    def __init__(self, maintainer: tw.churn.Maintainer, k: float, ties: str, seed: int) -> None:
        self.maintainer, self.k, self.ties, self.seed = maintainer, k, ties, seed
        self.average: list[float] = []
        self.maximum: list[int] = []
        self.above_average: list[float] = []
        self.above_maximum: list[int] = []
        self.milliseconds: list[float] = []
        self.rows: list[tuple[int, int, int]] = []
        self._before: Links = set()

    def look(self, event: tw.churn.Event) -> None:
        """Make new designs before and after some of the events."""
        place = event.sequence % BETWEEN
        if place not in (BETWEEN - 1, 0):
            return
        made = tw.design(self.maintainer.interest, "low", k=self.k, ties=self.ties, seed=self.seed)
        links = set(made.overlay.pairs())
        self.milliseconds.append(1e3 * made.seconds)
        if place == 0:
            changed = len(links ^ self._before)
            self.rows.append((int(event.action == JOIN), changed, len(self._before)))
            self.average.append(made.overlay.average_degree)
            self.maximum.append(made.overlay.maximum_degree)
            self.above_average.append(self.maintainer.average_degree - made.overlay.average_degree)
            self.above_maximum.append(self.maintainer.maximum_degree - made.overlay.maximum_degree)
        self._before = links

    def figures(self) -> dict[str, Any]:
        """The values measured so far."""
        rows = np.array(self.rows, dtype=np.float64).reshape(-1, 3)
        return {
            "low_average_degree": self.average,
            "low_maximum_degree": self.maximum,
            "above_average": float(np.mean(self.above_average)),
            "above_maximum": float(np.mean(self.above_maximum)),
            "low_ms": float(np.mean(self.milliseconds)),
            "low_changed": float(rows[:, 1].mean()),
            "low_changed_share": float((rows[:, 1] / rows[:, 2]).mean()),
            **{
                f"low_changed_share_{kind}": float((rows[chosen, 1] / rows[chosen, 2]).mean()) if chosen.any() else None
                for kind, chosen in ((JOIN, rows[:, 0] == 1), ("leave", rows[:, 0] == 0))
            },
        }
