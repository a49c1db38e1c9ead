"""Numbers: which sequence numbers are next where some may be missing, and what a single wrong one can do."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

import topicweave as tw
from topicweave.churn import Event, Shadow
from topicweave.churn.event_store import EventStore
from topicweave.churn.numbers import Numbers

NUMBERS = st.integers(1, 60) | st.sampled_from([100, 1000, 10**6, 2**62, 2**63 - 1])


@pytest.mark.parametrize(
    ("last", "waiting", "ready"),
    [
        (4, [5, 6], [5, 6]),
        (4, [15, 16], [15, 16]),
        (4, [15], [15]),
        (4, [16], []),
        (4, [16, 28], [16]),
        (4, [16, 29], []),
        (4, [7, 900], [7]),
        (4, [104, 204, 304], [104, 204]),
        (None, [3, 900], [3]),
        (None, [900, 1700, 5000], [900]),
        (None, [-3, 2], [-3, 2]),
    ],
)
def test_what_is_far_ahead_waits_for_company(last, waiting, ready):
    """Ten numbers may be missing; beyond that, the next one must not be further away than the one before."""
    assert Numbers(None, last).reachable(waiting, 10) == ready


@given(st.integers(0, 50), st.sets(NUMBERS), st.integers(1, 20))
def test_no_number_alone_makes_a_log_jump(last, waiting, max_gap):
    """What is ready comes first, and each of it is near the one before, or the next one is no further away."""
    waiting = {last + number for number in waiting}
    ready = Numbers(None, last).reachable(waiting, max_gap)
    assert ready == sorted(waiting)[: len(ready)]
    rest = sorted(waiting)[len(ready) :]
    for place, number in enumerate([*ready, *rest[:1]]):
        ahead = number - (ready[place - 1] if place else last)
        further = [other - number for other in waiting if other > number]
        assert (ahead <= max_gap + 1 or (bool(further) and min(further) <= ahead)) == (place < len(ready))


@pytest.mark.parametrize("seed", range(30))
def test_a_single_wrong_number_costs_no_more_than_a_few_events(tmp_path, seed):
    """Wherever it comes in a log without gaps, and whatever it is: at most ten events come too late for it, and one
    has its number.
    """
    rng = random.Random(seed)
    wrong = Event("join", "wrong", {"t"}, rng.choice([0, -5, -(2**63), 2**63 - 1, 5000, rng.randint(1, 60)]))
    log = [Event("join", f"n{number}", {"t"}, number) for number in range(1, 41)]
    log.insert(rng.randint(0, 40), wrong)
    gaps, first = rng.choice([("pass", None), ("pass", 1), ("wait", 1)])
    at, handed_back = 0, []
    while at < len(log):
        begin = lambda: Shadow(tw.Interest.from_sets({}))  # noqa: E731
        state = EventStore(tmp_path / "state", begin, first=first, gaps=gaps)
        until = at + rng.randint(1, 7)
        done = state.apply(log[at:until])
        handed_back += done.conflicting + done.before_the_log
        at = until
    applied = {row["node"] for row in state.changes() if row["refused"] is None}
    missing = {f"n{number}" for number in range(1, 41)} - applied
    late = {row["node"] for row in state.changes() if row["refused"] is not None}
    assert missing <= late | {event.node for event in handed_back}
    assert len(missing) <= (11 if gaps == "pass" else 1)
    assert state.last >= 40
