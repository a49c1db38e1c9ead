"""Placement: brokers that take turns reach about the cost of a central migration, and none accepts more than it can
carry.
"""

import asyncio
import math
from dataclasses import replace

import numpy as np
import pytest

from tests.content.protocol.soak import check, run
from topicweave.content import Instance, assign, cost, sparse_instance
from topicweave.content.processes import NetworkPlan
from topicweave.content.protocol import Broker, BrokerNetwork, InProcess, User
from topicweave.content.protocol.adviser import Adviser
from topicweave.content.protocol.placement import Placement
from topicweave.content.protocol.trees import PlannedTrees

WINDOW = 10.0


async def publishing(network, market, phase):
    """Every user publishes at its rates, twice a second for a rate of 1."""
    for number in range(10**6):
        for i, user in enumerate(market.users):
            for c in np.flatnonzero(market.rate[i]):
                if (number + i) % 4 == 0 and user in network.users:
                    network.publish(user, market.channels[c])
        await asyncio.sleep(phase)


def test_brokers_improve_a_random_placement_while_they_run():
    """By counts of what passes through them; two of them die, publications flow all the time, and nothing is lost."""
    market = sparse_instance(40, 5, 6, seed=3)
    start = assign(market, "random", seed=3)
    best = assign(market, "migrate", start=start)
    names = market.brokers
    users = {
        user: (names[start.broker[i]], [market.channels[c] for c in np.flatnonzero(market.subscribe[i])])
        for i, user in enumerate(market.users)
    }
    prices = {user: dict(zip(names, market.access_price[i].tolist(), strict=True)) for i, user in enumerate(users)}

    async def scenario():
        trees = PlannedTrees(names, market.core_price)
        async with BrokerNetwork(names, users, InProcess(), trees=trees) as network:
            placements = {}
            for name, broker in network.brokers.items():
                broker.window = WINDOW
                for user in broker.users:
                    broker.traffic[user] = type(broker.traffic[user])(0.0, WINDOW)
                adviser = Adviser(name, names, market.core_price)
                placements[name] = Placement(broker, adviser, prices.__getitem__, window=WINDOW)
                placements[name].start()
            flow = asyncio.create_task(publishing(network, market, 0.5))
            await asyncio.sleep(4 * WINDOW)
            reached = np.array([names.index(network.users[user].broker) for user in market.users])
            moves = sum(placement.num_moved for placement in placements.values())
            for name in names[:2]:
                await placements.pop(name).stop()
                await network.kill(name)
            await asyncio.sleep(2 * WINDOW)
            turns = {placement.turn for placement in placements.values()}
            await asyncio.sleep(WINDOW)
            later = {placement.turn for placement in placements.values()}
            flow.cancel()
            await network.quiet()
            check(network)
            for placement in placements.values():
                await placement.stop()
            return reached, moves, turns, later

    reached, moves, turns, later = run(scenario())
    assert cost(market, reached).total <= 1.1 * best.cost.total < 0.8 * start.cost.total
    assert 0 < moves <= 3 * len(users)
    assert min(later) > max(turns)  # the turn goes around without the dead


@pytest.mark.parametrize("at_once", [1, 2])
def test_a_broker_that_two_others_choose_at_once_takes_in_no_more_than_it_can(at_once):
    """There is room for one of two users, however their moves coincide."""

    async def scenario():
        users = {"ann": ("a", ["x"]), "bob": ("b", ["x"]), "cat": ("c", [])}
        async with BrokerNetwork("abc", users, InProcess()) as network:
            for _ in range(40):
                network.publish("cat", "x")
                await asyncio.sleep(0.1)
            target = network.brokers["c"]
            need = network.brokers["a"].traffic["ann"].need(4.0)
            target.capacity = target.load + 1.5 * need
            moves = [network.move("ann", "c"), network.move("bob", "c")]
            outcomes = await asyncio.gather(*moves) if at_once == 2 else [await move for move in moves]
            assert target.load <= target.capacity < math.inf
            assert sorted(outcomes) == ["failed", "moved"]
            await network.quiet()
            check(network)

    run(scenario())


async def followed(plan, size):
    """Run a plan in which bob publishes ten times a second; then try to move ann to him, where her link is cheaper.

    Returns the load of his broker, the cost a second, where ann was at the end, and what came of the attempt.
    """
    transport = InProcess()
    options = {"trees": plan.trees(), "unit": plan.unit, "window": WINDOW}
    brokers = {name: Broker(name, plan.brokers, transport, capacity=plan.capacity[name], **options) for name in "ab"}
    channels = {"ann": ["x"], "bob": []}
    users = {user: User(user, plan.homes[user], channels[user], transport, known=plan.brokers) for user in channels}
    placements = [
        Placement(broker, Adviser(name, plan.brokers, plan.core_price), plan.prices.__getitem__, window=WINDOW)
        for name, broker in brokers.items()
    ]
    for actor in (*brokers.values(), *users.values()):
        await actor.start()
    for placement in placements:
        placement.start()
    for _ in range(300):
        users["bob"].publish("x", "m" * (size - 2))
        await asyncio.sleep(0.1)
    load = brokers["b"].load
    spent = sum(
        facts.need * facts.prices[placement.broker.name]
        for placement in placements
        for facts in placement.guests().values()
    ) + brokers["b"].core_rate({"a": plan.core_price[1][0]})
    place = users["ann"].broker
    outcome = await brokers["a"].move("ann", "b") if place == "a" else "moved"
    for actor in (*placements, *users.values(), *brokers.values()):
        await actor.stop()
    return load, spent, place, outcome


def test_a_plan_in_bytes_keeps_its_capacity_in_bytes_while_it_runs(tmp_path):
    """A broker refuses a user who would overload it in bytes; counting publications, it would take her."""
    size, rate = 100, 10
    market = Instance(
        [[size * rate], [0]], [[0], [1]], [[math.inf, 1], [3, 1]], [[0, 1], [1, 0]], [math.inf, 1.5 * size * rate],
        users=["bob", "ann"], brokers=["a", "b"], channels=["x"],
    )  # fmt: skip
    NetworkPlan.of(assign(market, "greedy_packing"), unit="bytes").write(tmp_path / "network.json")
    plan = NetworkPlan.read(tmp_path)
    assert plan.homes == {"ann": "a", "bob": "b"}
    load, spent, place, outcome = run(followed(plan, size))
    assert load == pytest.approx(size * rate, rel=0.05) and spent == pytest.approx(plan.expected["total"], rel=0.05)
    assert (place, outcome) == ("a", "failed")
    _, _, place, outcome = run(followed(replace(plan, capacity={"a": math.inf, "b": 2.5 * size * rate}), size))
    assert (place, outcome) == ("b", "moved")
    load, _, place, outcome = run(followed(replace(plan, unit="publications"), size))
    assert load == pytest.approx(2 * rate, rel=0.05) and (place, outcome) == ("b", "moved")
