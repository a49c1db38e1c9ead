"""State of the previous version: ``state_of_0_1`` was written by topicweave 0.1, and work continues from it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from topicweave.churn import Event, Shadow, load
from topicweave.churn.event_store import EventStore

STATE = Path(__file__).with_name("state_of_0_1")


@pytest.fixture
def state(tmp_path):
    shutil.copytree(STATE, tmp_path / "state")
    return tmp_path / "state"


def test_its_snapshot_goes_on_as_it_would_have_there(state):
    """Links, backups and random numbers: the next two events do what 0.1 did with them."""
    shadow = load(state / "snapshot")
    assert type(shadow) is Shadow
    assert shadow.parameters == {
        "k": 3.0, "trim": False, "ties": "lasting", "seed": 5, "coverage": 2, "backups": "primal_dual",
        "levelling": 0.0, "defer_backups": False,
    }  # fmt: skip
    assert shadow.overlay.pairs() == [
        ("n0", "n4"), ("n0", "n6"), ("n1", "n2"), ("n1", "n7"), ("n2", "n5"), ("n2", "n6"), ("n4", "n5"), ("n5", "x"),
    ]  # fmt: skip
    assert shadow.backups_of("n5") == {"n0", "n2", "n4", "x"}
    change = shadow.join("z", {"t0", "t5"})
    assert (change.added, change.removed) == ((("n1", "z"),), ())
    change = shadow.leave("n1")
    assert change.added == (("n2", "n7"), ("n7", "z"))
    assert change.removed == (("n1", "n2"), ("n1", "z"), ("n1", "n7"))


def test_what_waited_there_is_read_as_it_was(state):
    """A single topic was written without a list, also one that looks like a list; an empty label is refused today."""
    store = EventStore(state, lambda: pytest.fail("the state is there"))
    assert store.last == 2
    assert [(number, set(event.topics)) for number, event in sorted(store.waiting.items())] == [
        (4, {""}), (5, {'["p","q"]'}), (6, {"t1", "t2"}),
    ]  # fmt: skip
    done = store.apply([Event("join", "w", {"t1"}, 3)])
    assert done.num_applied == 3
    assert store.last == 6
    assert store.maintainer.topics_of("x") == {"t1", "t4", '["p","q"]'}
    assert ["blank" in (row["refused"] or "") for row in store.changes() if row["sequence"] == 4] == [True]


def test_its_changes_are_compared_as_far_as_they_say(state):
    """They name node and action, but not the topics."""
    store = EventStore(state, lambda: pytest.fail("the state is there"))
    done = store.apply([Event("join", "x", {"t1", "t4"}, 1), Event("leave", "n4", (), 2)])
    assert (done.num_known, [event.node for event in done.conflicting]) == (1, ["n4"])
    assert [row["sequence"] for row in store.changes()] == [1, 2]
