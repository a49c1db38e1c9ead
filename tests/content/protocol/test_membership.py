"""Membership: brokers join a running network, leave it, and are forgotten."""

import asyncio

from tests.content.protocol.soak import check, run
from topicweave.content.protocol import Broker, BrokerNetwork, InProcess
from topicweave.content.protocol.membership import Membership


def test_a_broker_that_joins_is_known_to_all_and_takes_in_users():
    """It is told of one broker only."""

    async def scenario():
        transport = InProcess()
        users = {"ann": ("a", ["news"]), "bob": ("b", ["news"])}
        async with BrokerNetwork("ab", users, transport) as network:
            late = network.brokers["c"] = Broker("c", ["a"], transport, card={"capacity": 7})
            await late.start(is_joining=True)
            await asyncio.sleep(3)
            assert {name: broker.peers for name, broker in network.brokers.items()} == {
                "a": {"b", "c"},
                "b": {"a", "c"},
                "c": {"a", "b"},
            }
            assert network.brokers["b"].membership.cards["c"] == {"capacity": 7}
            assert await network.move("ann", "c") == "moved"
            network.publish("bob", "news")
            network.publish("ann", "news")
            await network.quiet()
            check(network)

    run(scenario())


def test_a_broker_that_leaves_loses_nothing_and_is_forgotten():
    """Its users move, also the one that declines; nobody is moved there any more."""

    async def scenario():
        transport = InProcess()
        users = {f"u{number}": ("abc"[number % 3], ["news"]) for number in range(9)}
        willing = lambda user, target: user != "u0"  # noqa: E731
        async with BrokerNetwork("abc", users, transport, willing=willing, ttl=5) as network:
            for number in range(9):
                network.publish(f"u{number}", "news")
            leaving = asyncio.create_task(network.brokers["a"].drain())
            for number in range(60):
                network.publish(f"u{number % 9}", "news")
                await asyncio.sleep(0.2)
                if number == 10:
                    assert await network.move("u1", "a") == "failed"
            await leaving
            await network.brokers.pop("a").stop()
            await network.quiet()
            check(network)
            await asyncio.sleep(3)
            assert all(broker.peers == {"b", "c"} - {name} for name, broker in network.brokers.items())
            assert "a" not in {user.broker for user in network.users.values()}

    run(scenario())


def test_brokers_say_hello_to_those_they_hear_of():
    """Once, and only news is answered."""
    sent = []
    one = Membership("a", ["b"], lambda to, message: sent.append((to, message["kind"])))
    one.on_peers("b", {"names": ["a", "b", "c"], "cards": {"c": {}, "z": {}}})
    assert one.peers == {"b", "c"} and sent == [("c", "hello")] and set(one.cards) == {"a", "c"}
    one.on_hello("d", {"card": {}})
    one.on_hello("d", {"card": {}})
    assert sent[1:] == [("d", "peers")]
    one.on_goodbye("d", {})
    assert one.peers == {"b", "c"}
