"""Users: none falls silent, whatever happens to a move, and leaving means that a broker has everything it published."""

import asyncio

import pytest

from tests.content.protocol.soak import check, run
from topicweave.content.protocol import BrokerNetwork, Faults, FaultyTransport, InProcess

NEWS = {"ann": ("b0", ["news"]), "bob": ("b1", ["news"])}


@pytest.mark.parametrize("lasts", [1.6, 2.0, 2.2, 2.4, 2.6, 2.8, 3.0, 3.4])
@pytest.mark.parametrize("asked", [0.2, 0.6, 1.0, 1.4])
@pytest.mark.parametrize("way", [("b0", "ann"), ("ann", "b0")], ids=["from its broker", "to its broker"])
def test_a_request_that_comes_after_a_new_registration_does_not_make_a_user_mute(way, asked, lasts):
    """The link is cut one way while the broker asks; the user registers again, then the old request comes."""

    async def scenario():
        transport = FaultyTransport(InProcess(), Faults())
        async with BrokerNetwork(["b0", "b1"], NEWS, transport, ttl=5) as network:
            network.users["ann"].known = []
            await asyncio.sleep(3)
            transport.cut(*way)
            await asyncio.sleep(asked)
            moving = asyncio.create_task(network.brokers["b0"].move("ann", "b1"))
            await asyncio.sleep(lasts - asked)
            transport.repair(*way)
            for _ in range(300):
                network.publish("ann", "news")
                await asyncio.sleep(0.02)
            await network.quiet(15)
            check(network)
            assert await asyncio.wait_for(moving, 10) in ("moved", "failed")

    run(scenario())


@pytest.mark.parametrize("lost", ["accept", "replicate", "replicated", "moved", "connect", "stay"])
@pytest.mark.parametrize("fails", [False, True], ids=["it would move", "it would stay"])
def test_no_lost_word_makes_a_user_mute(lost, fails):
    """Whichever message of a move is lost for good, the user publishes again after the TTL at the latest."""

    async def scenario():
        async with BrokerNetwork(["b0", "b1", "b2"], NEWS, InProcess(), ttl=4) as network:
            for actor in (*network.brokers.values(), *network.users.values()):
                post = actor._links.send
                actor._links.send = lambda target, message, post=post: message["kind"] != lost and post(target, message)
            if fails:
                await network.kill("b2")
            moving = asyncio.create_task(network.brokers["b0"].move("ann", "b2" if fails else "b1"))
            await asyncio.sleep(0.5)
            for _ in range(20):
                network.publish("ann", "news")
                network.publish("bob", "news")
                await asyncio.sleep(0.1)
            assert await asyncio.wait_for(moving, 10) in ("moved", "failed")
            await network.quiet(15)
            check(network)

    run(scenario())


def test_goodbye_waits_for_a_broker_that_has_everything():
    """Its broker dies with everything it has just received; another one takes its log before the user leaves."""

    async def scenario():
        async with BrokerNetwork(["b0", "b1"], NEWS, InProcess()) as network:
            await network.kill("b0")
            for _ in range(10):
                network.publish("ann", "news")
            assert await network.leave("ann")
            await network.quiet(10)
            assert network.audit.arrived["ann", "bob"] == list(range(10))

    run(scenario())


def test_goodbye_in_the_middle_of_a_move():
    async def scenario():
        async with BrokerNetwork(["b0", "b1", "b2"], NEWS, InProcess(), ttl=3) as network:
            await network.kill("b2")
            moving = asyncio.create_task(network.brokers["b0"].move("ann", "b2"))
            await asyncio.sleep(0.1)
            network.publish("ann", "news")  # held back
            assert await network.leave("ann")
            assert await moving == "failed"
            await network.quiet(10)
            assert network.audit.arrived["ann", "bob"] == [0]

    run(scenario())


def test_goodbye_to_nobody_says_so():
    async def scenario():
        async with BrokerNetwork(["b0"], {"ann": ("b0", [])}, InProcess()) as network:
            await network.kill("b0")
            assert not await network.users["ann"].leave(timeout=5)

    run(scenario())
