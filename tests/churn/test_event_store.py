"""The event store: every event once, whatever is repeated, cut or killed."""

from __future__ import annotations

import pytest

import topicweave as tw
from topicweave.churn import Event, Shadow, event_store, snapshot
from topicweave.churn.event_store import EventStore
from topicweave.errors import ReadError
from topicweave.workloads import random_churn


@pytest.fixture
def interest():
    return tw.workloads.synthetic(40, 20, subscriptions=(2, 8), seed=2)


@pytest.fixture
def events(interest):
    newcomers = tw.workloads.synthetic(40, 20, subscriptions=(2, 8), seed=3)
    return [Event.from_record(row) for row in random_churn(interest, newcomers, 60, seed=1)]


def outcome(found):
    return found.last, found.maintainer.overlay.pairs(), found.changes()


def test_cuts_repetitions_and_order_change_nothing(tmp_path, interest, events, monkeypatch):
    whole = EventStore(tmp_path / "whole", lambda: Shadow(interest))
    assert whole.apply(events).num_applied == 60
    monkeypatch.setattr(event_store, "SLICE", 7)
    cut = EventStore(tmp_path / "cut", lambda: Shadow(interest))
    for first in range(0, 60, 9):
        cut.apply(reversed(events[max(0, first - 3) : first + 9]))
        cut = EventStore(tmp_path / "cut", lambda: pytest.fail("the state is there"))
    assert outcome(cut) == outcome(whole)
    done = cut.apply(events)
    assert (done.num_applied, done.num_known, done.conflicting) == (0, 60, [])
    assert [row["sequence"] for row in whole.changes()] == list(range(1, 61))


def test_changes_beyond_the_snapshot_are_thrown_away(tmp_path, interest, events, monkeypatch):
    """As if the process had died between writing the changes and the snapshot."""
    state = EventStore(tmp_path / "state", lambda: Shadow(interest))
    state.apply(events[:20])

    def dies(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(event_store, "save", dies)
        with pytest.raises(KeyboardInterrupt):
            state.apply(events[20:40])
    assert len(list((tmp_path / "state" / "changes").iterdir())) == 2
    again = EventStore(tmp_path / "state", lambda: pytest.fail("the state is there"))
    assert len(again.changes()) == 20
    again.apply(events)
    whole = EventStore(tmp_path / "whole", lambda: Shadow(interest))
    whole.apply(events[:20])
    whole.apply(events[20:])
    assert outcome(again) == outcome(whole)


def test_impossible_events_are_refused_and_written_down(tmp_path, interest):
    state = EventStore(tmp_path / "state", lambda: Shadow(interest), first=5)
    state.apply([Event("leave", "nobody", (), 5), Event("join", "x", {"topic-00"}, 6)])
    refused = [row["refused"] for row in state.changes()]
    assert "There is no node 'nobody'" in refused[0]
    assert refused[1] is None
    assert state.last == 6


def no_start():
    pytest.fail("the state is there")


def test_an_event_that_comes_too_early_waits_also_across_restarts(tmp_path, interest, events):
    """Whatever the order of arrival, the outcome is that of the whole log; nothing is lost, and the gap is named."""
    whole = EventStore(tmp_path / "whole", lambda: Shadow(interest))
    whole.apply(events)
    state = EventStore(tmp_path / "state", lambda: Shadow(interest))
    assert state.apply(events[20:40]).num_applied == 0
    assert state.gap().sentence().startswith("Event 1 has not come; 20 later ones, 21 to 40, are kept and wait")
    state = EventStore(tmp_path / "state", no_start)
    done = state.apply(events[:10] + events[25:30])
    assert (done.num_applied, done.num_known) == (10, 5)
    state = EventStore(tmp_path / "state", no_start)
    assert "Event 11 has not come" in state.gap().sentence()
    assert state.apply(events[40:]).num_applied == 0
    state = EventStore(tmp_path / "state", no_start)
    assert state.apply(events[10:20]).num_applied == 50
    assert state.gap() is None
    assert outcome(state) == outcome(whole)
    assert outcome(EventStore(tmp_path / "state", no_start)) == outcome(whole)


def test_a_crash_between_slices_keeps_what_waits(tmp_path, interest, events, monkeypatch):
    """Events that wait since an earlier batch are in no file that will be read again, so they must survive."""
    monkeypatch.setattr(event_store, "SLICE", 7)
    state = EventStore(tmp_path / "state", lambda: Shadow(interest))
    state.apply(events[30:])
    saves = []

    def dies(*arguments):
        saves.append(0)
        if len(saves) == 3:
            raise KeyboardInterrupt
        return snapshot.save(*arguments)

    with monkeypatch.context() as patch:
        patch.setattr(event_store, "save", dies)
        with pytest.raises(KeyboardInterrupt):
            state.apply(events[:30])
    again = EventStore(tmp_path / "state", no_start)
    assert again.last == 14
    again.apply(events[:30])
    whole = EventStore(tmp_path / "whole", lambda: Shadow(interest))
    whole.apply(events)
    assert outcome(again) == outcome(whole)


def test_numbers_may_be_left_out_if_so_asked(tmp_path, interest):
    """Then an event that comes after a higher one is refused, which is written down once; duplicates are known."""
    state = EventStore(tmp_path / "state", lambda: Shadow(interest), gaps="pass")
    state.apply([Event("join", "a", {"topic-00"}, 3), Event("join", "b", {"topic-00"}, 7)])
    assert (state.last, state.gap()) == (7, None)
    done = state.apply([Event("join", "c", {"topic-00"}, 5), Event("join", "a", {"topic-00"}, 3)])
    assert (done.num_applied, done.num_late, done.num_known) == (0, 1, 1)
    state = EventStore(tmp_path / "state", no_start, gaps="pass")
    done = state.apply([Event("join", "c", {"topic-00"}, 5)])
    assert (done.num_late, done.num_known) == (0, 1)
    found = {row["sequence"]: row["refused"] for row in state.changes()}
    assert found == {3: None, 5: "Event 5 came when it was the turn of 8; it was not applied.", 7: None}
    assert state.maintainer.topics_of("c") is None


@pytest.mark.parametrize("start", [0, 1])
def test_a_log_begins_with_0_or_1(tmp_path, interest, start):
    state = EventStore(tmp_path / "state", lambda: Shadow(interest))
    events = [Event("join", f"x{number}", {"topic-00"}, number) for number in range(start, start + 3)]
    assert state.apply(events).num_applied == 3


def test_an_event_before_the_first_is_refused(tmp_path, interest):
    state = EventStore(tmp_path / "state", lambda: Shadow(interest), first=10)
    assert state.apply([Event("join", "x", {"topic-00"}, 4), Event("join", "y", {"topic-00"}, 10)]).num_applied == 1
    state = EventStore(tmp_path / "state", no_start)
    assert [row["sequence"] for row in state.changes() if row["refused"]] == [4]
    assert state.maintainer.topics_of("x") is None
    assert state.apply([Event("join", "x", {"topic-00"}, 4)]).num_known == 1


@pytest.mark.parametrize("moment", ["waiting", "applied", "same call", "refused"])
def test_a_number_that_comes_again_with_other_content_is_handed_back(tmp_path, interest, moment):
    """What came first stands; the other is neither applied nor dropped in silence, also after a restart."""
    first = {"waiting": 2, "applied": 1, "same call": 1, "refused": 1}[moment]
    one = Event("leave", "nobody", (), first) if moment == "refused" else Event("join", "x", {"topic-00"}, first)
    other, same = Event("join", "x", {"topic-01"}, first), Event(one.action, one.node, one.topics, first, 7.5)
    state = EventStore(tmp_path / "state", lambda: Shadow(interest))
    if moment != "same call":
        state.apply([one])
        state = EventStore(tmp_path / "state", no_start)
        done = state.apply([other, same])
        assert (done.num_applied, done.num_known) == (0, 1)
    else:
        done = state.apply([one, other, same])
        assert (done.num_applied, done.num_known) == (1, 1)
    assert done.conflicting == [other]
    state.apply([Event("join", "y", {"topic-02"}, 1)])
    assert state.maintainer.topics_of("x") == (None if moment == "refused" else {"topic-00"})


def test_a_drain_is_two_changes_in_order(tmp_path, interest):
    """First the links that replace those of the node, then the node and its links go."""
    state = EventStore(tmp_path / "state", lambda: Shadow(interest))
    hub = max(interest.nodes, key=lambda node: len(interest.topics_of(node)))
    state.apply([Event("drain", hub, (), 1)])
    replaces, removes = state.changes()
    assert (replaces["sequence"], removes["sequence"]) == (1, 1)
    assert replaces["added"] and not replaces["removed"]
    assert removes["removed"] and not removes["added"]
    assert state.maintainer.topics_of(hub) is None


@pytest.mark.parametrize("topic", ["", " ", '["p","q"]', "[", "x"])
@pytest.mark.parametrize("action", ["subscribe", "unsubscribe", "join"])
def test_whatever_waits_is_read_back_as_it_was(tmp_path, interest, action, topic):
    event = Event(action, "x", [topic], 5)
    EventStore(tmp_path / "state", lambda: Shadow(interest)).apply([event])
    assert EventStore(tmp_path / "state", no_start).waiting == {5: event}


def test_a_snapshot_without_a_log_is_refused(tmp_path, interest):
    (tmp_path / "state").mkdir()
    snapshot.save(Shadow(interest), tmp_path / "state" / "snapshot")
    with pytest.raises(ReadError, match="does not belong to a stream of events"):
        EventStore(tmp_path / "state", no_start)
