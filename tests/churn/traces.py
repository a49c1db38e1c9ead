"""A maintainer after a random trace, for the tests of what is done over time."""

from __future__ import annotations

import topicweave as tw
from topicweave.churn import Event, Shadow, replay
from topicweave.workloads import random_churn


def trace(num_nodes, num_events, seed=0, **options):
    """Shadow and what was replayed on it."""
    interest = tw.workloads.synthetic(num_nodes, 40, popularity="uniform", subscriptions=(3, 15), seed=seed)
    newcomers = tw.workloads.synthetic(num_events, 40, popularity="uniform", subscriptions=(3, 15), seed=seed + 1)
    events = [Event.from_record(row) for row in random_churn(interest, newcomers, num_events, seed=seed)]
    maintainer = Shadow(interest, **options)
    return maintainer, replay(maintainer, events)
