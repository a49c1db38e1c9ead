"""The ledger: every event once, whatever is repeated, cut or killed."""

from __future__ import annotations

import pytest

import topicweave as tw
from topicweave.churn import Event, Shadow, snapshot
from topicweave.churn import event_store as ledger
from topicweave.churn.event_store import Ledger, locked
from topicweave.errors import TargetError
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
    whole = Ledger(tmp_path / "whole", lambda: Shadow(interest))
    assert whole.apply(events) == 60
    monkeypatch.setattr(ledger, "SLICE", 7)
    cut = Ledger(tmp_path / "cut", lambda: Shadow(interest))
    for first in range(0, 60, 9):
        cut.apply(reversed(events[max(0, first - 3) : first + 9]))
        cut = Ledger(tmp_path / "cut", lambda: pytest.fail("the state is there"))
    assert outcome(cut) == outcome(whole)
    assert cut.apply(events) == 0
    assert cut.passed_over == 60
    assert [row["sequence"] for row in whole.changes()] == list(range(1, 61))


def test_changes_beyond_the_snapshot_are_thrown_away(tmp_path, interest, events, monkeypatch):
    """As if the process had died between writing the changes and the snapshot."""
    state = Ledger(tmp_path / "state", lambda: Shadow(interest))
    state.apply(events[:20])

    def dies(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(ledger, "save", dies)
        with pytest.raises(KeyboardInterrupt):
            state.apply(events[20:40])
    assert len(list((tmp_path / "state" / "changes").iterdir())) == 2
    again = Ledger(tmp_path / "state", lambda: pytest.fail("the state is there"))
    assert len(again.changes()) == 20
    again.apply(events)
    whole = Ledger(tmp_path / "whole", lambda: Shadow(interest))
    whole.apply(events[:20])
    whole.apply(events[20:])
    assert outcome(again) == outcome(whole)


def test_impossible_events_are_refused_and_written_down(tmp_path, interest):
    state = Ledger(tmp_path / "state", lambda: Shadow(interest), first=5)
    state.apply([Event("leave", "nobody", (), 5), Event("join", "x", {"topic-00"}, 6)])
    refused = [row["refused"] for row in state.changes()]
    assert "There is no node 'nobody'" in refused[0]
    assert refused[1] is None
    assert state.last == 6


def test_two_processes_cannot_use_one_state(tmp_path):
    with locked(tmp_path), pytest.raises(TargetError, match="Another process"), locked(tmp_path):
        pass


def no_start():
    pytest.fail("the state is there")


def test_an_event_that_comes_too_early_waits_also_across_restarts(tmp_path, interest, events):
    """Whatever the order of arrival, the outcome is that of the whole log; nothing is lost, and the gap is named."""
    whole = Ledger(tmp_path / "whole", lambda: Shadow(interest))
    whole.apply(events)
    state = Ledger(tmp_path / "state", lambda: Shadow(interest))
    assert state.apply(events[20:40]) == 0
    assert state.missing().startswith("Event 1 has not come; 20 later ones, from 21 to 40, are kept")
    state = Ledger(tmp_path / "state", no_start)
    assert state.apply(events[:10] + events[25:30]) == 10
    assert state.passed_over == 5
    state = Ledger(tmp_path / "state", no_start)
    assert "Event 11 has not come" in state.missing()
    assert state.apply(events[40:]) == 0
    state = Ledger(tmp_path / "state", no_start)
    assert state.apply(events[10:20]) == 50
    assert state.missing() is None
    assert outcome(state) == outcome(whole)
    assert outcome(Ledger(tmp_path / "state", no_start)) == outcome(whole)


def test_a_crash_between_slices_keeps_what_waits(tmp_path, interest, events, monkeypatch):
    """Events that wait since an earlier batch are in no file that will be read again, so they must survive."""
    monkeypatch.setattr(ledger, "SLICE", 7)
    state = Ledger(tmp_path / "state", lambda: Shadow(interest))
    state.apply(events[30:])
    saves = []

    def dies(*arguments):
        saves.append(0)
        if len(saves) == 3:
            raise KeyboardInterrupt
        return snapshot.save(*arguments)

    with monkeypatch.context() as patch:
        patch.setattr(ledger, "save", dies)
        with pytest.raises(KeyboardInterrupt):
            state.apply(events[:30])
    again = Ledger(tmp_path / "state", no_start)
    assert again.last == 14
    again.apply(events[:30])
    whole = Ledger(tmp_path / "whole", lambda: Shadow(interest))
    whole.apply(events)
    assert outcome(again) == outcome(whole)


def test_numbers_may_be_left_out_if_so_asked(tmp_path, interest):
    """Then an event that comes after a higher one is refused, which is written down once; duplicates are known."""
    state = Ledger(tmp_path / "state", lambda: Shadow(interest), gaps="pass")
    state.apply([Event("join", "a", {"topic-00"}, 3), Event("join", "b", {"topic-00"}, 7)])
    assert (state.last, state.missing()) == (7, None)
    assert state.apply([Event("join", "c", {"topic-00"}, 5), Event("join", "a", {"topic-00"}, 3)]) == 0
    assert (state.late, state.passed_over) == (1, 1)
    state = Ledger(tmp_path / "state", no_start, gaps="pass")
    state.apply([Event("join", "c", {"topic-00"}, 5)])
    assert (state.late, state.passed_over) == (0, 1)
    found = {row["sequence"]: row["refused"] for row in state.changes()}
    assert found == {3: None, 5: "Event 5 came when it was the turn of 8; it was not applied.", 7: None}
    assert state.maintainer.topics_of("c") is None


@pytest.mark.parametrize("start", [0, 1])
def test_a_log_begins_with_0_or_1(tmp_path, interest, start):
    state = Ledger(tmp_path / "state", lambda: Shadow(interest))
    events = [Event("join", f"x{number}", {"topic-00"}, number) for number in range(start, start + 3)]
    assert state.apply(events) == 3


def test_an_event_before_the_first_is_refused(tmp_path, interest):
    state = Ledger(tmp_path / "state", lambda: Shadow(interest), first=10)
    assert state.apply([Event("join", "x", {"topic-00"}, 4), Event("join", "y", {"topic-00"}, 10)]) == 1
    state = Ledger(tmp_path / "state", no_start)
    assert [row["sequence"] for row in state.changes() if row["refused"]] == [4]
    assert state.maintainer.topics_of("x") is None
