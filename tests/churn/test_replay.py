"""Replay: the figures of every event, and what cannot be replayed."""

from __future__ import annotations

import pytest

import topicweave as tw
from tests.churn.traces import trace
from topicweave.churn import Shadow, replay
from topicweave.errors import InputError
from topicweave.workloads import random_churn


@pytest.fixture(scope="module")
def interest():
    return tw.workloads.synthetic(60, 20, subscriptions=(2, 8), seed=2)


@pytest.fixture(scope="module")
def newcomers():
    return tw.workloads.synthetic(50, 20, subscriptions=(2, 8), seed=3)


def test_replay_counts_what_happened():
    """There is a figure for every event, and the last ones are those of the maintainer afterwards."""
    maintainer, found = trace(60, 50)
    assert len(found.actions) == len(found.seconds) == 50
    assert found.nodes[-1] == maintainer.num_nodes
    assert found.maximum_degree[-1] == maintainer.maximum_degree
    assert found.average_degree[-1] == maintainer.average_degree
    assert (found.changed == found.added + found.removed).all()


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda m, rows: replay(m, rows), r"An Event was asked for, but got a dict .*Event\.from_record"),
        (lambda m, rows: replay(m, None), "A list of events was asked for"),
        (lambda m, rows: replay(m, "events.jsonl"), "A list of events was asked for"),
        (lambda m, rows: replay(None, []), r"replay\(\) needs a maintainer, but got a NoneType"),
        (lambda m, rows: replay(m, [], each=5), "each must be a function"),
    ],
)
def test_what_cannot_be_replayed(interest, newcomers, call, says):
    """The rows of a trace, first of all: the sentence says how they become events."""
    with pytest.raises(InputError, match=says):
        call(Shadow(interest), random_churn(interest, newcomers, 3))
