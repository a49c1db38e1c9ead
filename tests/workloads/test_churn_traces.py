"""Churn traces: seeded, well-formed, and of the kind they say."""

from __future__ import annotations

import numpy as np
import pytest

import topicweave as tw
from topicweave.churn import Event, Shadow, replay
from topicweave.errors import InputError, ParameterError
from topicweave.workloads import CHURN_TRACES, flash_crowd, mass_leaves, poisson_sessions, random_churn

PARAMETERS = {
    "random": {"num_events": 120},
    "poisson": {"days": 1.0, "joins_per_day": 80.0},
    "mass_leaves": {"num_events": 120, "rack_size": 8},
    "flash_crowd": {"topic": "topic-03", "crowd": 40},
}


@pytest.fixture(scope="module")
def interest():
    return tw.workloads.synthetic(60, 20, subscriptions=(2, 8), seed=2)


@pytest.fixture(scope="module")
def newcomers():
    return tw.workloads.synthetic(50, 20, subscriptions=(2, 8), seed=3)


@pytest.mark.parametrize("name", CHURN_TRACES)
def test_traces_can_be_carried_out_and_depend_on_the_seed_alone(name, interest, newcomers):
    rows = CHURN_TRACES[name](interest, newcomers, seed=4, **PARAMETERS[name])
    assert rows == CHURN_TRACES[name](interest, newcomers, seed=4, **PARAMETERS[name])
    assert rows != CHURN_TRACES[name](interest, newcomers, seed=5, **PARAMETERS[name])
    assert [row["sequence"] for row in rows] == list(range(1, len(rows) + 1))
    assert np.all(np.diff([row["time"] for row in rows]) >= 0)
    maintainer = Shadow(interest)
    replay(maintainer, [Event.from_record(row) for row in rows])
    assert tw.verify(maintainer.interest, maintainer.overlay).topic_connected


def test_random_churn_is_half_joins(interest, newcomers):
    joins = sum(row["action"] == "join" for row in random_churn(interest, newcomers, 1000, seed=1))
    assert 420 < joins < 580


def test_sessions_swing_with_the_day(interest, newcomers):
    rows = poisson_sessions(interest, newcomers, days=4, joins_per_day=2000, swing=0.9, seed=1)
    times = np.array([row["time"] for row in rows if row["action"] == "join"]) % 86_400
    assert 1700 * 4 < len(times) < 2300 * 4
    assert np.count_nonzero(times < 43_200) > 2.5 * np.count_nonzero(times >= 43_200)


def test_racks_go_at_once(interest, newcomers):
    """Twice, eight nodes leave at the same moment."""
    rows = mass_leaves(interest, newcomers, 120, rack_size=8, num_racks=2, seed=1)
    times = [row["time"] for row in rows if row["action"] == "leave"]
    assert sum(times.count(moment) == 8 for moment in set(times)) == 2


def test_flash_crowd_wants_the_topic_and_goes(interest, newcomers):
    rows = flash_crowd(interest, newcomers, "topic-03", crowd=40, seed=1)
    assert all("topic-03" in row["topic"] for row in rows if row["action"] == "join")
    assert len(rows) == 80


@pytest.mark.parametrize("options", [{"swing": 2}, {"days": -1}, {"mean_stay": "long"}])
def test_parameters_out_of_range(interest, newcomers, options):
    """Each wrong value is refused."""
    with pytest.raises(ParameterError):
        poisson_sessions(interest, newcomers, **options)


@pytest.mark.parametrize("name", CHURN_TRACES)
@pytest.mark.parametrize("given", [None, 5, {"a": ["x"]}])
def test_traces_need_interests(name, interest, given):
    """Something else in place of either interest is refused with what it is."""
    for pair in ((interest, given), (given, interest)):
        with pytest.raises(InputError, match=f"needs an Interest, but got a {type(given).__name__}; build one"):
            CHURN_TRACES[name](*pair, **PARAMETERS[name])


@pytest.mark.parametrize(("topic", "says"), [("chess", "no topic 'chess' among the 20 known"), (None, "missing")])
def test_a_crowd_wants_a_topic_that_there_is(interest, newcomers, topic, says):
    with pytest.raises(InputError, match=says):
        flash_crowd(interest, newcomers, topic)
