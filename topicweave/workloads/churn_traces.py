"""Churn traces: sequences of joins and leaves made from a seed, as rows in the format of events.

Every trace is a list of dictionaries with ``sequence`` (1, 2, 3 and so on), ``time``, ``node``, ``action`` and
``topic`` (a list for a join, None for a leave), which can be written to a file as they are and read by
:meth:`topicweave.churn.Event.from_record`. A node only leaves if it is present.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from topicweave.errors import ParameterError
from topicweave.model import Interest
from topicweave.model.labels import as_label, find_numbers
from topicweave.parameters import (
    LARGEST,
    check_count,
    check_fits,
    check_kind,
    check_number,
    check_whole,
    seeded_generator,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    Row = dict[str, Any]

DAY = 86_400.0
BYTES_OF_ROW = 500  # rough memory per row in bytes
MOST_RACKS = 1_000_000


def random_churn(interest: Interest, newcomers: Interest, num_events: int, *, seed: int = 0) -> list[Row]:
    """Joins and leaves with equal probability (SHADOW §VI); the newcomers join in order, again and again.

    Parameters
    ----------
    interest
        The nodes that are present at the beginning, with their topics.
    newcomers
        The nodes whose topics the joining nodes have; joining nodes get labels with a prefix that makes them unique.
    num_events
        Number of events.
    seed
        Seed of the random numbers.
    """
    rng = seeded_generator(seed)
    trace = _Trace(interest, newcomers)
    num_events = _checked_length("num_events", num_events)
    for number in range(num_events):
        if rng.random() < 0.5 or not trace.present:
            trace.join(float(number))
        else:
            trace.leave(float(number), int(rng.integers(len(trace.present))))
    return trace.rows


def poisson_sessions(
    interest: Interest,
    newcomers: Interest,
    *,
    days: float = 1.0,
    joins_per_day: float = 1000.0,
    mean_stay: float = DAY / 4,
    swing: float = 0.8,
    seed: int = 0,
) -> list[Row]:
    """Joins as a Poisson process whose rate varies over the day, and stays of exponentially distributed length; times
    are in seconds.

    Parameters
    ----------
    interest, newcomers, seed
        As in :func:`random_churn`; the nodes present at the beginning draw their stays from the same distribution,
        starting at time 0.
    days
        Length of the trace in days.
    joins_per_day
        The mean rate of joins.
    mean_stay
        The mean stay in seconds.
    swing
        The rate is ``1 + swing · sin`` of the time of day: 0 for a constant rate, at most 1.
    """
    for name, value, least in (("days", days, 0), ("joins_per_day", joins_per_day, 0), ("mean_stay", mean_stay, 0)):
        check_number(name, value, least, is_finite=True)
    check_number("swing", swing, 0, 1)
    days, joins_per_day, mean_stay = float(days), float(joins_per_day), float(mean_stay)
    _checked_length("days times joins_per_day", math.ceil(min(days * joins_per_day, LARGEST)), 0)
    rng = seeded_generator(seed)
    end = days * DAY
    peak = joins_per_day / DAY * (1 + swing)
    times = np.sort(rng.uniform(0, end, rng.poisson(peak * end)))
    # keeps each arrival with the probability for its time of day (the thinning method)
    kept = rng.random(len(times)) * (1 + swing) < 1 + swing * np.sin(2 * np.pi * times / DAY)
    joins = times[kept]
    trace = _Trace(interest, newcomers)
    first = rng.exponential(mean_stay, len(trace.present))
    leaves = [(float(at), label) for at, label in zip(first, trace.present, strict=True) if at < end]
    moments: list[tuple[float, str | None]] = [*leaves, *((float(at), None) for at in joins)]
    stays = rng.exponential(mean_stay, len(joins))
    labels = trace.names_to_come(len(joins))
    moments += [
        (float(at + stay), name) for at, stay, name in zip(joins, stays, labels, strict=True) if at + stay < end
    ]
    for at, who in sorted(moments, key=lambda moment: (moment[0], moment[1] or "")):
        if who is None:
            trace.join(at)
        else:
            trace.leave(at, trace.place[who])
    return trace.rows


def mass_leaves(
    interest: Interest, newcomers: Interest, num_events: int, *, rack_size: int = 20, num_racks: int = 3, seed: int = 0
) -> list[Row]:
    """Random churn in which from time to time a whole rack leaves: nodes next to each other in label order, all at the
    same time.

    Parameters
    ----------
    interest, newcomers, num_events, seed
        As in :func:`random_churn`; the other events are the same as there.
    rack_size, num_racks
        How many nodes leave together, and how often.
    """
    num_events = _checked_length("num_events", num_events)
    rack_size, num_racks = check_count("rack_size", rack_size), check_whole("num_racks", num_racks, 1, MOST_RACKS)
    rng = seeded_generator(seed)
    trace = _Trace(interest, newcomers)
    failures = set(np.linspace(0, num_events, num_racks + 2)[1:-1].astype(int).tolist())
    for number in range(num_events):
        if number in failures and trace.present:
            labels = sorted(trace.present)
            first = int(rng.integers(max(1, len(labels) - rack_size + 1)))
            for label in labels[first : first + rack_size]:
                trace.leave(float(number), trace.place[label])
        elif rng.random() < 0.5 or not trace.present:
            trace.join(float(number))
        else:
            trace.leave(float(number), int(rng.integers(len(trace.present))))
    return trace.rows


def flash_crowd(
    interest: Interest, newcomers: Interest, topic: str, *, crowd: int = 200, stay: float = 100.0, seed: int = 0
) -> list[Row]:
    """A crowd that wants one topic at once: all newcomers join with it among their topics, and leave again.

    Parameters
    ----------
    interest, newcomers, seed
        As in :func:`random_churn`.
    topic
        The topic that all of them want besides their own; it must be a topic of ``interest`` or ``newcomers``.
    crowd
        How many nodes join, one per second.
    stay
        The mean stay in seconds; all have left at the end.
    """
    stay = check_number("stay", stay, 0, is_finite=True)
    crowd = _checked_length("crowd", crowd)
    rng = seeded_generator(seed)
    trace = _Trace(interest, newcomers)
    find_numbers([topic], interest.topic_numbers | newcomers.topic_numbers, "topic")
    topic = as_label(topic, "topic")
    names = trace.names_to_come(crowd)
    arrivals = np.arange(crowd, dtype=np.float64)
    moments = [(float(at), 0, name) for at, name in zip(arrivals, names, strict=True)]
    moments += [(float(at + rng.exponential(stay)), 1, name) for at, name in zip(arrivals, names, strict=True)]
    for at, kind, name in sorted(moments):
        if kind == 0:
            trace.join(at, topic)
        else:
            trace.leave(at, trace.place[name])
    return trace.rows


def _checked_length(name: str, value: Any, minimum: int = 1) -> int:
    """Check that the number of events is in range and fits into memory."""
    count = check_count(name, value, minimum)
    check_fits(f"A trace of {count:,} events", count * BYTES_OF_ROW, "ask for fewer")
    return count


CHURN_TRACES: dict[str, Callable[..., list[Row]]] = {
    "random": random_churn,
    "poisson": poisson_sessions,
    "mass_leaves": mass_leaves,
    "flash_crowd": flash_crowd,
}
"""The traces by name."""


class _Trace:
    """The rows of a trace so far, and the nodes that are present."""

    def __init__(self, interest: Interest, newcomers: Interest) -> None:
        for given in (interest, newcomers):
            check_kind(given, Interest, "A trace needs an Interest", "build one with Interest.from_pairs")
        self.rows: list[Row] = []
        self.present = list(interest.nodes)
        self.place = {label: number for number, label in enumerate(self.present)}
        self._topics = [sorted(wanted) for wanted in newcomers.to_sets().values()]
        if not self._topics:
            raise ParameterError("newcomers has no node whose topics joining nodes could have; give at least one.")
        self._joined = 0

    def names_to_come(self, count: int) -> list[str]:
        """The labels of the next nodes to join."""
        return [f"new-{self._joined + number:07d}" for number in range(count)]

    def join(self, time: float, extra: str | None = None) -> None:
        """Let the next node join."""
        label = self.names_to_come(1)[0]
        topics = self._topics[self._joined % len(self._topics)]
        self._joined += 1
        self.place[label] = len(self.present)
        self.present.append(label)
        self._add(time, label, "join", topics if extra is None else sorted({*topics, extra}))

    def leave(self, time: float, number: int) -> None:
        """Let the node at this position of the list of nodes leave."""
        label, last = self.present[number], self.present.pop()
        del self.place[label]
        if label != last:
            self.present[number] = last
            self.place[last] = number
        self._add(time, label, "leave", None)

    def _add(self, time: float, node: str, action: str, topic: list[str] | None) -> None:
        row = {"sequence": len(self.rows) + 1, "time": time, "node": node, "action": action, "topic": topic}
        self.rows.append(row)
