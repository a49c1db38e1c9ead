"""Placement: brokers that take turns reach about the cost of a central migration, and none accepts more than it can
carry.
"""

import asyncio
import math

import numpy as np
import pytest

from tests.content.protocol.soak import check, run
from topicweave.content import assign, cost, sparse_instance
from topicweave.content.protocol import BrokerNetwork, InProcess
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
