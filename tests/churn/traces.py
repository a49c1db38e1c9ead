"""Any events at all; and a maintainer after a random trace, for the tests of what is done over time."""

from __future__ import annotations

from hypothesis import strategies as st

import topicweave as tw
from topicweave.churn import Event, Shadow, replay
from topicweave.model.event_schema import ACTIONS, GREATEST_SEQUENCE, LEAST_SEQUENCE
from topicweave.model.labels import BLANKS
from topicweave.workloads import random_churn

ODD_LABELS = ['["p","q"]', "[", '[""]', '"', "null", "{}", " x", "x ", "\0", "a\nb", "\\ud800", "NaN", "x\u2028y"]


@st.composite
def any_events(draw, first=LEAST_SEQUENCE):
    """Any event that there can be, with a number from ``first`` on."""
    text = st.text(st.characters(exclude_categories=["Cs"]), min_size=1).filter(lambda label: label.strip(BLANKS))
    labels = st.sampled_from(ODD_LABELS) | text
    action = draw(st.sampled_from(sorted(ACTIONS)))
    topics = draw(st.frozensets(labels, min_size=ACTIONS[action].needs_topic, max_size=3))
    number = draw(st.integers(first, GREATEST_SEQUENCE))
    time = draw(st.floats(allow_nan=False, allow_infinity=False))
    return Event(action, draw(labels), topics, number, time, draw(st.sampled_from(["subscribe", "publish", "both"])))


def trace(num_nodes, num_events, seed=0, **options):
    """Shadow and what was replayed on it."""
    interest = tw.workloads.synthetic(num_nodes, 40, popularity="uniform", subscriptions=(3, 15), seed=seed)
    newcomers = tw.workloads.synthetic(num_events, 40, popularity="uniform", subscriptions=(3, 15), seed=seed + 1)
    events = [Event.from_record(row) for row in random_churn(interest, newcomers, num_events, seed=seed)]
    maintainer = Shadow(interest, **options)
    return maintainer, replay(maintainer, events)
