"""Adviser: what a move saves by a broker's own knowledge is what the evaluator says."""

import numpy as np
import pytest

from topicweave.content import cost, evaluation_instance, sparse_instance
from topicweave.content.protocol.adviser import Adviser, GuestFacts, Report, facts_of, moved_message


def facts(market):
    """What brokers know of each user."""
    return {
        user: GuestFacts(
            {market.channels[c]: market.rate[i, c] for c in np.flatnonzero(market.rate[i])},
            [market.channels[c] for c in np.flatnonzero(market.subscribe[i])],
            market.need[i],
            dict(zip(market.brokers, market.access_price[i].tolist(), strict=True)),
        )
        for i, user in enumerate(market.users)
    }


def informed(market, place, name, known, core="steiner"):
    """The adviser of one broker after it has heard all others, and its guests."""
    adviser = Adviser(name, market.brokers, market.core_price, core, hysteresis=0.0)
    for j, broker in enumerate(market.brokers):
        guests = {market.users[i]: known[market.users[i]] for i in np.flatnonzero(place == j)}
        if broker == name:
            own = guests
        else:
            adviser.hear(broker, Report.of(guests.values(), market.capacity[j]).message())
    return adviser, own


@pytest.mark.parametrize("core", ["steiner", "multicast"])
@pytest.mark.parametrize("draw", [evaluation_instance, sparse_instance])
@pytest.mark.parametrize("seed", range(3))
def test_every_move_saves_what_it_says_and_the_first_is_the_best_of_its_user(draw, core, seed):
    """By the evaluator, which knows everything; and no broker is overloaded."""
    market = draw(30, 4, 8, seed=seed)
    place = np.arange(30) % 4
    adviser, guests = informed(market, place, market.brokers[0], facts(market), core)
    proposals = adviser.propose(guests, market.brokers[1:])
    assert proposals
    for number, (user, target, saved) in enumerate(proposals):
        before = cost(market, place, core).total
        i = market.user_numbers[user]
        if number == 0:
            costs = [cost(market, np.where(np.arange(30) == i, k, place), core).total for k in range(4)]
            assert market.brokers[int(np.argmin(costs))] == target
        place = np.where(np.arange(30) == i, market.brokers.index(target), place)
        assert before - cost(market, place, core).total == pytest.approx(saved)
    load = np.bincount(place, weights=market.need, minlength=4)
    assert (load[1:] <= market.limit[1:]).all()


def test_nobody_goes_where_there_is_no_room_or_no_price_or_who_rests():
    """Brokers that are not among the targets, reports without room, users without a price for their own broker."""
    market = sparse_instance(30, 4, 8, seed=1)
    known = facts(market)
    place = np.arange(30) % 4
    name = market.brokers[0]
    adviser, guests = informed(market, place, name, known)
    assert adviser.propose(guests, []) == []
    only = adviser.propose(guests, [market.brokers[2]])
    assert {target for _, target, _ in only} == {market.brokers[2]}
    resting = {only[0].user}
    assert only[0].user not in {user for user, _, _ in adviser.propose(guests, [market.brokers[2]], resting)}
    adviser.hear(market.brokers[2], Report(load=5, capacity=5).message())
    assert adviser.propose(guests, [market.brokers[2]]) == []
    blind = {user: GuestFacts(one.published, one.channels, one.need, {}) for user, one in guests.items()}
    assert adviser.propose(blind, market.brokers) == []
    adviser.hysteresis = 1e9
    assert adviser.propose(guests, market.brokers[1:]) == []


def test_a_report_tells_who_was_sent_where():
    """Others count a user at its new broker before that broker reports it itself."""
    guest = GuestFacts({"x": 2.0}, ["y"], 3.0, {"a": 1.0})
    adviser = Adviser("a", "abc", np.ones((3, 3)) - np.eye(3))
    adviser.hear("b", Report(load=1.0).message())
    moved = moved_message(guest, "b") | {"user": "ann"}
    assert facts_of(moved) == GuestFacts({"x": 2.0}, ["y"], 3.0, {})
    adviser.hear("c", Report().message() | {"moved": [moved]})
    assert adviser.reports["b"] == Report({"x": 2.0}, {"y": 1}, 4.0)
    adviser.forget("b")
    assert set(adviser.reports) == {"c"}
