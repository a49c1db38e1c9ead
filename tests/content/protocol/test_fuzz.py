"""Random schedules of cuts, deaths, revivals, slow brokers and clock jumps, judged by the documented guarantees."""

from dataclasses import replace

import pytest

from tests.content.protocol import fuzz
from tests.content.protocol.oracle import Life, Record, judge
from tests.content.protocol.schedules import Event, draw, enrich, shrink
from topicweave.content.protocol import Broker, User, user
from topicweave.content.protocol.links import Links
from topicweave.content.protocol.sessions import Incoming

QUICK, RICH, ALL = 20, 20, 500
AFTER_LEAPS = 1001484, 1002490  # a broker dies, by a clock that has leapt, when a user has just left it


def run(seed, is_rich=False):
    schedule = enrich(draw(seed)) if is_rich else draw(seed)
    wrong = fuzz.fault(schedule)
    command = f"python -m tests.content.protocol.fuzz --first {seed} --count 1 --shrink{' --rich' * is_rich}"
    assert not wrong, f"{wrong}\n{schedule}\nshrink it: {command}"


@pytest.mark.parametrize("seed", [*range(QUICK), *AFTER_LEAPS])
def test_the_guarantees_hold(seed):
    """A drawn schedule of everything that can happen breaks none of the protocol's promises."""
    run(seed)


@pytest.mark.parametrize("seed", range(RICH))
def test_the_guarantees_hold_along_trees_and_for_users_that_restart(seed):
    """With planned trees, matching by content, changes of subscriptions, and users that resume without memory."""
    run(seed, is_rich=True)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(RICH, ALL))
def test_the_guarantees_hold_in_many_rich_schedules(seed):
    """The same for many more schedules."""
    run(seed, is_rich=True)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(QUICK, ALL))
def test_the_guarantees_hold_in_many_schedules(seed):
    run(seed)


def test_a_schedule_is_the_same_again():
    assert str(draw(7)) == str(draw(7)) != str(draw(8))
    assert fuzz.examine(draw(7)) == fuzz.examine(draw(7))


def test_the_schedules_have_everything_in_them():
    kinds = {event.kind for seed in range(QUICK) for event in enrich(draw(seed)).events} - {"change", "restart"}
    assert len(kinds) == 10
    assert {"change", "restart"} <= {event.kind for event in enrich(draw(1)).events + enrich(draw(2)).events}
    kinds = {event.kind for seed in range(2 * QUICK) for event in draw(seed).events}
    assert kinds == {"clock", "crash", "cut", "death", "join", "leap", "leave", "move", "slow", "split"}
    gaps = [event.lasts for seed in range(2 * QUICK) for event in draw(seed).events if event.kind == "death"]
    assert None in gaps and sum(gap < 2.5 for gap in gaps if gap is not None) > 10


def test_the_oracle_sees_every_kind_of_fault():
    record = Record({"ann": Life(("x",), registered=1), "bob": Life(("y",), registered=0)})
    record.published = {("bob", count): (float(count), "x") for count in range(6)}
    record.handed_out = {"ann": [("bob", 0), ("bob", 2), ("bob", 1), ("bob", 1), ("bob", 5)], "bob": [("bob", 3)]}
    verdict = judge(record)
    assert verdict.lost == [("ann", "bob", 3), ("ann", "bob", 4)]
    assert verdict.twice == [("ann", "bob", 1)]
    assert verdict.disordered == [("ann", "bob", 1)]
    assert verdict.unwanted == [("bob", "bob", 3)]
    assert (verdict.num_expected, verdict.num_excused) == (5, 0)


def take_anything(self, source, peer, packet):
    """As if a session needed no opening: a new life joins the one that its former life had begun."""
    if peer.incoming is None or peer.incoming.session != packet["session"]:
        peer.incoming = Incoming(packet["session"], packet["token"])
    for message in peer.incoming.take(packet["number"], packet["message"]):
        self._receive(source, message)
    self._answer(source, peer.incoming)


def test_it_finds_sessions_that_outlive_a_life_and_shrinks_the_schedule(monkeypatch):
    """A check that cannot fail proves nothing."""
    monkeypatch.setattr(Links, "_on_message", take_anything)
    failing = next(schedule for schedule in map(draw, range(ALL)) if fuzz.fault(schedule))
    shrunk = shrink(failing, fuzz.fault)
    assert fuzz.fault(shrunk)
    assert 1 <= len(shrunk.events) < len(failing.events)
    assert any(event.kind == "death" for event in shrunk.events)


def test_it_finds_a_user_that_has_gone_mute(monkeypatch):
    schedule = draw(0)
    home = schedule.users["u0"][0]
    target = next(broker for broker in schedule.brokers if broker != home)
    schedule = replace(schedule, events=(Event(6.0, "move", ("u0", target)),))
    assert not fuzz.fault(schedule)
    monkeypatch.setattr(Broker, "_on_accept", lambda self, user, message: None)  # it is neither moved
    monkeypatch.setattr(User, "_on_stay", lambda self, message: None)  # nor does it stay
    monkeypatch.setattr(user, "_now", lambda: 0.0)  # nor lose patience
    assert "('u1', 'u0', " in fuzz.fault(schedule)
