"""Forwarding: every publication crosses each link of its planned tree once, and goes around what does not answer."""

import asyncio

import numpy as np
import pytest

from tests.content.protocol.soak import check, run
from topicweave.content import Instance, assign, sparse_instance
from topicweave.content.protocol import BrokerNetwork, InProcess
from topicweave.content.protocol.forwarding import Forwarding
from topicweave.content.protocol.traffic import Meter
from topicweave.content.protocol.trees import PlannedTrees


@pytest.mark.parametrize("core", ["steiner", "multicast"])
def test_the_cost_measured_is_the_cost_of_the_plan(core):
    """Every user publishes as often as the plan says; the price of each link times what crossed it is the core cost."""
    plan = assign(sparse_instance(30, 6, seed=1), "migrate", core=core)
    market = plan.instance
    prices = {
        name: dict(zip(market.brokers, row, strict=True))
        for name, row in zip(market.brokers, market.core_price, strict=True)
    }
    users = {
        user: (market.brokers[plan.broker[i]], [market.channels[c] for c in np.flatnonzero(market.subscribe[i])])
        for i, user in enumerate(market.users)
    }

    async def scenario():
        trees = PlannedTrees(market.brokers, market.core_price, core)
        async with BrokerNetwork(market.brokers, users, InProcess(), trees=trees) as network:
            for i, user in enumerate(market.users):
                for c in np.flatnonzero(market.rate[i]):
                    for _ in range(int(market.rate[i, c])):
                        network.publish(user, market.channels[c])
            await network.quiet()
            check(network)
            return {
                name: sum(count * prices[name][child] for child, count in broker.forwarding.num_sent.items())
                for name, broker in network.brokers.items()
            }

    measured = sum(run(scenario()).values())
    assert 0 < measured <= plan.cost.core * (1 + 1e-9)
    if core == "steiner":
        assert measured == pytest.approx(plan.cost.core)


def test_trees_follow_users_and_lead_around_a_relay_that_dies():
    """The relay between all others is killed: publications that it should have passed on arrive nevertheless."""
    core = np.full((4, 4), 2.0)
    core[3] = core[:, 3] = 1
    np.fill_diagonal(core, 0)
    market = Instance([[1], [0], [0]], [[0], [1], [1]], np.ones((3, 4)), core, 99, brokers=list("abcd"))
    users = {"ann": ("a", []), "bob": ("b", ["news"]), "cat": ("c", ["news"])}

    async def scenario():
        trees = PlannedTrees(market.brokers, market.core_price)
        async with BrokerNetwork("abcd", users, InProcess(), trees=trees) as network:
            network.publish("ann", "news")
            await network.quiet()
            relay = dict(network.brokers["d"].forwarding.num_sent)
            await network.kill("d")
            for _ in range(20):
                network.publish("ann", "news")
                await asyncio.sleep(0.2)
            await network.quiet()
            check(network)
            after = dict(network.brokers["a"].forwarding.num_sent)
            assert await network.move("cat", "b") == "moved"
            await asyncio.sleep(2)
            network.publish("ann", "news")
            await network.quiet()
            check(network)
            moved = dict(network.brokers["a"].forwarding.num_sent)
            return relay, after, {name: moved[name] - after.get(name, 0) for name in moved}

    relay, after, last = run(scenario())
    assert relay == {"b": 1, "c": 1}
    assert after["d"] > 1 and after["b"] + after.get("c", 0) > 0
    assert last["b"] == 1 and not last.get("c") and not last["d"]


def test_what_lies_behind_a_suspect_is_sent_by_whoever_suspects_it():
    """A broker passes on for one that does not answer."""
    sent, suspected = [], set()
    forwarding = Forwarding(
        "a", None, lambda to, message: sent.append((to, message)), lambda *_: None, suspected, Meter()
    )
    further = [["c", {"cat": 1}, []], ["d", {}, [["e", {"eve": 2}, []]]]]
    message = {"users": {}, "publication": {"number": 5}, "next": [["b", {"bob": 0}, further]]}
    forwarding.on_forward(message)
    assert [to for to, _ in sent] == ["b"] and sent[0][1]["next"] == further
    sent.clear()
    suspected.update("bd")
    forwarding.on_forward(message)
    assert {to: (message["users"], "next" in message) for to, message in sent} == {
        "b": ({"bob": 0}, False),
        "c": ({"cat": 1}, False),
        "d": ({}, False),
        "e": ({"eve": 2}, False),
    }
