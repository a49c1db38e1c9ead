"""The ledger: every event once, whatever is repeated, cut or killed."""

from __future__ import annotations

import pytest

import topicweave as tw
from topicweave.churn import Event, Shadow, ledger
from topicweave.churn.ledger import Ledger, locked
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
    state = Ledger(tmp_path / "state", lambda: Shadow(interest))
    state.apply([Event("leave", "nobody", (), 5), Event("join", "x", {"topic-00"}, 6)])
    refused = [row["refused"] for row in state.changes()]
    assert "There is no node 'nobody'" in refused[0]
    assert refused[1] is None
    assert state.last == 6


def test_two_processes_cannot_use_one_state(tmp_path):
    with locked(tmp_path), pytest.raises(TargetError, match="Another process"), locked(tmp_path):
        pass
