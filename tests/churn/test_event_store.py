"""The event store: every event is applied once, whatever is repeated, truncated or killed."""

from __future__ import annotations

import itertools
from dataclasses import replace
from tempfile import TemporaryDirectory

import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import topicweave as tw
from tests.churn.traces import any_events
from topicweave.churn import Event, Shadow, event_store, snapshot
from topicweave.churn.event_store import Beginning, EventStore, Gap
from topicweave.churn.numbers import Numbers
from topicweave.churn.pace import Pace
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
    """The state after a process died between writing the changes and the snapshot."""
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
    """Whatever the order of arrival, the result equals that of the whole log; nothing is lost, and the gap is named."""
    whole = EventStore(tmp_path / "whole", lambda: Shadow(interest))
    whole.apply(events)
    state = EventStore(tmp_path / "state", lambda: Shadow(interest))
    assert state.apply(events[20:40]).num_applied == 0
    assert state.gap().sentence().startswith("Event 1 is missing; 20 later ones, 21 to 40, are kept and wait")
    state = EventStore(tmp_path / "state", no_start)
    done = state.apply(events[:10] + events[25:30])
    assert (done.num_applied, done.num_known) == (10, 5)
    state = EventStore(tmp_path / "state", no_start)
    assert "Event 11 is missing" in state.gap().sentence()
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
    """An event that arrives after a higher one was applied is refused, and this is recorded once; duplicates are
    recognised.
    """
    state = EventStore(tmp_path / "state", lambda: Shadow(interest), first=None, gaps="pass")
    state.apply([Event("join", "a", {"topic-00"}, 3), Event("join", "b", {"topic-00"}, 7)])
    assert (state.last, state.gap()) == (7, None)
    done = state.apply([Event("join", "c", {"topic-00"}, 5), Event("join", "a", {"topic-00"}, 3)])
    assert (done.num_applied, done.num_late, done.num_known) == (0, 1, 1)
    state = EventStore(tmp_path / "state", no_start, gaps="pass")
    done = state.apply([Event("join", "c", {"topic-00"}, 5)])
    assert (done.num_late, done.num_known) == (0, 1)
    found = {row["sequence"]: row["refused"] for row in state.changes()}
    assert found == {3: None, 5: "Event 5 arrived when it was the turn of 8; it was not applied.", 7: None}
    assert state.maintainer.topics_of("c") is None


@pytest.mark.parametrize("first", [0, 1, 10])
@pytest.mark.parametrize("arrival", list(itertools.permutations(range(4))))
def test_whatever_comes_first_the_log_begins_where_it_was_said_to(tmp_path, interest, first, arrival):
    """One event a file, in any order: what is below the first number is handed back, the rest is applied in order."""
    state = EventStore(tmp_path / "state", lambda: Shadow(interest), first=first)
    before = []
    for place in arrival:
        number = first - 1 + place
        before += state.apply([Event("join", f"x{place}", {"topic-00"}, number)]).before_the_log
    state = EventStore(tmp_path / "state", no_start)
    assert [event.node for event in before] == ["x0"]
    assert [(row["sequence"], row["refused"]) for row in state.changes()] == [(first + i, None) for i in range(3)]
    assert state.maintainer.topics_of("x0") is None


def test_a_state_that_begins_with_events_known_goes_on_after_them(tmp_path, interest):
    numbers = Numbers(None, 7)
    state = EventStore(tmp_path / "state", lambda: Beginning(Shadow(interest), numbers, {"plan": "p"}))
    done = state.apply([Event("join", f"x{number}", {"topic-00"}, number) for number in (3, 7, 8, 10)])
    assert (done.num_known, done.num_applied, state.gap().number) == (2, 1, 9)
    assert EventStore(tmp_path / "state", no_start).origin == {"plan": "p"}


def test_the_present_links_are_a_table(tmp_path, interest, events):
    """After every commit; and after a kill between the snapshot and the table, when the state is opened again."""
    table = tmp_path / "state" / "edges.parquet"
    state = EventStore(tmp_path / "state", lambda: Shadow(interest))

    def links():
        return [tuple(row.values()) for row in pq.read_table(table).to_pylist()]

    assert links() == state.maintainer.overlay.pairs()
    before = table.read_bytes()
    state.apply(events[:30])
    assert links() == state.maintainer.overlay.pairs()
    for damage in (before, b"PAR1", None):
        table.unlink() if damage is None else table.write_bytes(damage)
        state = EventStore(tmp_path / "state", no_start)
        assert links() == state.maintainer.overlay.pairs()


def test_impossible_events_are_counted_apart(tmp_path, interest):
    state = EventStore(tmp_path / "state", lambda: Shadow(interest))
    done = state.apply([Event("leave", "nobody", (), 1), Event("join", "x", {"topic-00"}, 2)])
    assert (done.num_applied, done.num_refused) == (1, 1)


@pytest.mark.parametrize("notes", [{"last": "x"}, {"last": 1, "waiting": 5}, {"last": 1, "waiting": [{}]},
                                   {"last": 1.5}, {"last": 2**70}, {"last": 1, "skipped": [[1]]},
                                   {"last": 1, "first": []}, {"last": 1, "waiting": [{"topic": 3}]}])  # fmt: skip
def test_forged_notes_are_refused_in_a_sentence(tmp_path, interest, notes):
    (tmp_path / "state").mkdir()
    snapshot.save(Shadow(interest), tmp_path / "state" / "snapshot", notes)
    with pytest.raises(ReadError, match="cannot be understood"):
        EventStore(tmp_path / "state", no_start)


def test_a_number_at_the_end_of_64_bits_stops_nothing(tmp_path, interest):
    """Where numbers may be left out it waits, also across restarts; only whoever says that it is right lets it in."""
    end = 2**63 - 1
    state = EventStore(tmp_path / "state", lambda: Shadow(interest), first=None, gaps="pass")
    far = [Event("join", "low", {"topic-00"}, -(2**63)), Event("join", "high", {"topic-00"}, end)]
    done = state.apply(far)
    assert (done.num_applied, done.before_the_log, set(state.waiting)) == (0, far[:1], {end})
    state = EventStore(tmp_path / "state", no_start, gaps="pass")
    done = state.apply([Event("join", f"x{number}", {"topic-00"}, number) for number in (1, 2, 5)] + far)
    assert (done.num_applied, done.before_the_log, done.num_known, state.last) == (3, far[:1], 1, 5)
    assert state.gap().sentence() == (
        f"From event 6 on more than 10 are missing; event {end} is kept and waits, because a single number so far "
        f"ahead may be a mistake. If it is none, continue by max_gap={end - 6}."
    )
    state = EventStore(tmp_path / "state", no_start, gaps="pass", max_gap=end - 6)
    done = state.apply([Event("join", "y", {"topic-00"}, 7)])
    assert (done.num_applied, state.last, state.gap()) == (2, end, None)
    state = EventStore(tmp_path / "state", no_start, gaps="pass")
    done = state.apply([Event("join", "z", {"topic-00"}, 8), *far[1:]])
    assert (done.num_late, done.num_known) == (1, 1)


def test_a_log_begins_where_two_events_are(tmp_path, interest):
    """A log may be cut from another one, or its numbers may be times; the first alone might be a mistake."""
    state = EventStore(tmp_path / "state", lambda: Shadow(interest), first=None, gaps="pass")
    assert state.apply([Event("join", "a", {"topic-00"}, 12_345_678)]).num_applied == 0
    assert "From event 1 on more than 10 are missing; event 12345678 is kept" in state.gap().sentence()
    assert state.apply([Event("join", "b", {"topic-00"}, 12_345_999)]).num_applied == 1
    state = EventStore(tmp_path / "state", no_start, gaps="pass")
    assert state.apply([Event("join", "c", {"topic-00"}, 12_346_000)]).num_applied == 2
    assert (state.last, state.gap()) == (12_346_000, None)


def test_batches_are_repaired_once(tmp_path, interest, events):
    """The links change with the last event of a batch; impossible ones are refused one by one; all stay connected."""
    state = EventStore(tmp_path / "state", lambda: Shadow(interest), pace=Pace(batch=10))
    done = state.apply([*events[:30], Event("leave", "nobody", (), 31), Event("join", "late", {"topic-00"}, 32)])
    assert (done.num_applied, done.num_refused) == (31, 1)
    changing = {row["sequence"] for row in state.changes() if row["added"] or row["removed"]}
    assert changing <= {10, 20, 30, 32}
    assert tw.verify(state.maintainer.interest, state.maintainer.overlay).topic_connected
    assert replayed(interest, state.changes()) == set(state.maintainer.overlay.pairs())


def replayed(interest, changes):
    """The links after each row of the changes is applied: first what is added, then what is removed."""
    links = set(Shadow(interest).overlay.pairs())
    for row in changes:
        for link in row["added"]:
            assert (link["source"], link["target"]) not in links
            links.add((link["source"], link["target"]))
        for link in row["removed"]:
            links.remove((link["source"], link["target"]))
    return links


def test_reoptimisations_are_rows_of_their_own_and_do_not_depend_on_the_cuts(tmp_path, interest, events):
    pace = Pace(budget=6, every=10)
    whole = EventStore(tmp_path / "whole", lambda: Shadow(interest), pace=pace)
    whole.apply(events)
    cut = EventStore(tmp_path / "cut", lambda: Shadow(interest), pace=pace)
    for first in range(0, 60, 7):
        cut.apply(events[first : first + 7])
        cut = EventStore(tmp_path / "cut", no_start, pace=pace)
    assert outcome(cut) == outcome(whole)
    rows = [row for row in whole.changes() if row["action"] == "reoptimise"]
    assert rows and all(row["sequence"] % 10 == 0 and row["node"] is None for row in rows)
    assert all(1 <= len(row["added"]) + len(row["removed"]) <= 6 for row in rows)
    assert replayed(interest, whole.changes()) == set(whole.maintainer.overlay.pairs())
    assert whole.apply(events).num_known == 60  # their rows are not taken for events


def test_what_cannot_be_read_among_the_changes_says_nothing(tmp_path, interest, events):
    """Events are then known by number only, and the stream continues."""
    state = EventStore(tmp_path / "state", lambda: Shadow(interest))
    state.apply(events[:10])
    next((tmp_path / "state" / "changes").glob("*.parquet")).write_bytes(b"PAR1 nothing")
    (tmp_path / "state" / "changes" / f"{1:020d}-{2:020d}.parquet").mkdir()
    state = EventStore(tmp_path / "state", no_start)
    done = state.apply(events[:20])
    assert (done.num_known, done.num_applied) == (10, 10)
    with pytest.raises(ReadError, match="cannot be read"):
        state.changes()


def test_leftovers_of_killed_processes_are_cleared(tmp_path, interest, events):
    state = EventStore(tmp_path / "state", lambda: Shadow(interest))
    state.apply(events[:10])
    (tmp_path / "state" / "quarantine").mkdir()
    left = [tmp_path / "state" / ".snapshot.4711", tmp_path / "state" / ".edges.parquet.1",
            tmp_path / "state" / "changes" / ".00000000000000000011-00000000000000000012.parquet.99",
            tmp_path / "state" / "quarantine" / ".rows-1.jsonl.gz.5"]  # fmt: skip
    for file in left:
        file.write_bytes(b"half")
    (tmp_path / "state" / "quarantine" / "rows-1.jsonl.gz").write_bytes(b"kept")
    EventStore(tmp_path / "state", no_start)
    assert not any(file.exists() for file in left)
    assert (tmp_path / "state" / "quarantine" / "rows-1.jsonl.gz").exists()


def test_a_state_that_has_lost_its_snapshot_does_not_begin_anew(tmp_path, interest, events):
    EventStore(tmp_path / "state", lambda: Shadow(interest)).apply(events[:10])
    (tmp_path / "state" / "snapshot").unlink()
    with pytest.raises(ReadError, match="has lost its snapshot"):
        EventStore(tmp_path / "state", no_start)


@pytest.mark.parametrize("moment", ["waiting", "applied", "same call", "refused"])
def test_a_number_that_comes_again_with_other_content_is_handed_back(tmp_path, interest, moment):
    """The first event is kept; the other is neither applied nor dropped silently, also after a restart."""
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


@settings(max_examples=30, deadline=None)
@given(waiting=st.lists(any_events(first=5), max_size=4, unique_by=lambda event: event.sequence), now=any_events())
def test_whatever_waits_or_was_applied_is_read_back_as_it_was(waiting, now):
    """For all labels and events: what waits is the same after a restart, and what was applied is known again."""
    now = replace(now, sequence=1)
    with TemporaryDirectory() as folder:
        EventStore(folder, lambda: Shadow(tw.Interest.from_sets({}))).apply([now, *waiting])
        again = EventStore(folder, no_start)
        assert again.waiting == {event.sequence: event for event in waiting}
        done = again.apply([now, *waiting])
        assert (done.num_known, done.num_applied, done.conflicting) == (1 + len(waiting), 0, [])


def test_a_snapshot_without_a_log_is_refused(tmp_path, interest):
    (tmp_path / "state").mkdir()
    snapshot.save(Shadow(interest), tmp_path / "state" / "snapshot")
    with pytest.raises(ReadError, match="does not belong to a stream of events"):
        EventStore(tmp_path / "state", no_start)


def test_one_event_that_waits_is_not_several():
    """The sentence about a gap is right for one event and for many."""
    assert Gap(3, 1, 4, 4).sentence().startswith("Event 3 is missing; event 4 is kept and waits for it.")
    assert "2 later ones, 4 to 5, are kept and wait for it. Supply it" in Gap(3, 2, 4, 5).sentence()
