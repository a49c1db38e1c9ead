"""Brokers: restarted ones swallow nothing, stale ones hide nothing, users who left are forgotten."""

import asyncio
import time

import pytest

from tests.content.protocol.soak import check, run
from topicweave.content.protocol import BrokerNetwork, Faults, FaultyTransport, InProcess, User

NEWS = {"ann": ("b0", ["news"]), "bob": ("b1", ["news"])}


async def publish(network, user, times, pause=0.1):
    for _ in range(times):
        network.publish(user, "news")
        await asyncio.sleep(pause)


@pytest.mark.parametrize("gap", [0, 0.1, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 10.0])
def test_a_broker_that_is_soon_back_swallows_nothing(gap):
    """Its user, who only listens, must be served again at once, and not when its numbers happen to run out."""

    async def scenario():
        async with BrokerNetwork(["b0", "b1"], NEWS, InProcess()) as network:
            await publish(network, "bob", 50)
            await network.kill("b0")
            publishing = asyncio.create_task(publish(network, "bob", 600))
            await asyncio.sleep(gap)
            await network.revive("b0")
            await asyncio.sleep(6)
            arrived = network.audit.num_arrived
            assert arrived > 50 + 10 * gap
            await publishing
            await network.quiet(10)
            check(network)

    run(scenario())


@pytest.mark.parametrize("step", [-3600, -1, 3600])
@pytest.mark.parametrize("gap", [0.5, 5.0])
def test_a_clock_that_was_set_back_at_a_restart_does_not_matter(monkeypatch, step, gap):
    async def scenario():
        async with BrokerNetwork(["b0", "b1"], NEWS, InProcess()) as network:
            network.users["ann"].known = []  # it waits for its own
            await publish(network, "bob", 10)
            await network.kill("b0")
            await asyncio.sleep(gap)
            now = time.time() + step
            monkeypatch.setattr(time, "time", lambda: now)
            monkeypatch.setattr(time, "time_ns", lambda: int(now * 1e9))
            await network.revive("b0")
            await publish(network, "bob", 300)
            await publish(network, "ann", 10)
            await network.quiet(20)
            check(network)
            assert network.brokers["b0"].users == ["ann"]

    run(scenario())


@pytest.mark.parametrize(("home", "foreign"), [("b0", "b1"), ("b1", "b0")])
def test_numbers_of_a_former_broker_hide_nothing(home, foreign):
    """ann has gone from one broker to another, which it cannot hear; b2 hears both, the former last."""
    users = {"ann": (home, ["news"]), "bob": ("b2", ["news"])}

    async def scenario():
        transport = FaultyTransport(InProcess(), Faults())

        def both_ways(change, one, other):
            change(one, other)
            change(other, one)

        async with BrokerNetwork(["b0", "b1", "b2"], users, transport) as network:
            network.users["ann"].known = [home, foreign]
            await publish(network, "ann", 20, 0.05)
            both_ways(transport.cut, home, foreign)
            both_ways(transport.cut, home, "ann")
            await publish(network, "ann", 100, 0.05)
            assert network.users["ann"].broker == foreign
            both_ways(transport.cut, foreign, "b2")
            await asyncio.sleep(0.5)
            both_ways(transport.cut, home, "b2")
            await publish(network, "ann", 80, 0.05)
            both_ways(transport.repair, foreign, "b2")
            await asyncio.sleep(0.6)
            both_ways(transport.repair, home, "b2")
            await publish(network, "ann", 500, 0.05)
            await network.quiet(10)  # while the two are still apart
            check(network)

    run(scenario())


class Watching(InProcess):
    """Counts messages of a kind that are sent on behalf of a user."""

    num_for_cat = 0

    def send(self, source, target, packet):
        message = packet.get("message", {})
        users = message.get("users", {}) if message.get("kind") in ("forward", "redirect") else {}
        is_for_cat = "cat" in users or (target == "cat" and message.get("kind") == "deliver")
        self.num_for_cat += is_for_cat
        super().send(source, target, packet)


@pytest.mark.parametrize("goodbye", [True, False], ids=["leaves", "dies"])
@pytest.mark.parametrize("channels", [["news"], []], ids=["subscriber", "publisher alone"])
def test_users_who_have_gone_vanish_from_every_table(goodbye, channels):
    users = NEWS | {"cat": ("b1", channels)}

    async def scenario():
        async with BrokerNetwork(["b0", "b1", "b2"], users, transport := Watching()) as network:
            network.publish("cat", "news")
            await publish(network, "bob", 5)
            assert all("cat" in broker.place for broker in network.brokers.values())
            if goodbye:
                assert await network.leave("cat")
                await asyncio.sleep(2)
            else:
                await network.users["cat"].stop()
                await asyncio.sleep(15)
                await publish(network, "ann", 1)  # an actor that does not answer is noticed now at the latest
                await asyncio.sleep(5)
            for broker in network.brokers.values():
                assert sorted(broker.place) == ["ann", "bob"]
            so_far = transport.num_for_cat
            await publish(network, "bob", 50)
            await publish(network, "ann", 50)
            assert transport.num_for_cat == so_far
            await asyncio.sleep(150)
            assert [broker.num_known for broker in network.brokers.values()] == [2, 2, 2]
            assert network.audit.arrived["cat", "ann"] == [0]

    run(scenario())


def test_users_that_died_with_their_broker_vanish_too():
    users = NEWS | {"cat": ("b2", ["news"])}

    async def scenario():
        async with BrokerNetwork(["b0", "b1", "b2"], users, InProcess()) as network:
            await network.kill("b2")
            await network.users["cat"].stop()
            await asyncio.sleep(100)
            for broker in network.brokers.values():
                assert sorted(broker.place) == ["ann", "bob"] and broker.num_known == 2

    run(scenario())


def test_what_a_user_published_before_it_left_still_arrives():
    """Its receiver was out of reach at that moment."""

    async def scenario():
        transport = FaultyTransport(InProcess(), Faults())
        async with BrokerNetwork(["b0", "b1"], NEWS, transport) as network:
            for pair in (("b0", "b1"), ("b1", "b0")):
                transport.cut(*pair)
            await publish(network, "ann", 10)
            assert await network.leave("ann")
            await asyncio.sleep(20)
            for pair in (("b0", "b1"), ("b1", "b0")):
                transport.repair(*pair)
            await network.quiet(15)
            assert network.audit.arrived["ann", "bob"] == list(range(10))

    run(scenario())


def test_what_a_user_published_that_died_on_its_way_to_another_broker_still_arrives():
    """It had been told to move, and never arrived: its old broker must not have discarded its log."""
    users = {"ann": ("b0", ["news"]), "bob": ("b2", ["news"])}

    async def scenario():
        transport = FaultyTransport(InProcess(), Faults())
        async with BrokerNetwork(["b0", "b1", "b2"], users, transport, ttl=3) as network:
            for one, other in (("b0", "b2"), ("b1", "b2")):
                transport.cut(one, other)
                transport.cut(other, one)
            await publish(network, "ann", 10)
            transport.cut("b0", "ann")
            network.users["ann"]._on_moved = lambda message: None
            transport.repair("b0", "ann")
            assert await network.move("ann", "b1") == "moved"
            await network.users["ann"].stop()
            await asyncio.sleep(10)
            for one, other in (("b0", "b2"), ("b1", "b2")):
                transport.repair(one, other)
                transport.repair(other, one)
            await asyncio.sleep(15)
            assert network.audit.arrived["ann", "bob"] == list(range(10))

    run(scenario())


def test_a_name_is_free_again_for_somebody_new():
    """The brokers still remember the visits of the former one."""

    async def scenario():
        async with BrokerNetwork(["b0", "b1"], NEWS, transport := InProcess()) as network:
            for target in ("b0", "b1", "b0", "b1"):
                await network.move("bob", target)
            await network.users.pop("bob").leave()
            got = []
            again = User("bob", "b0", ["news"], transport, received=lambda *publication: got.append(publication[:2]))
            await asyncio.wait_for(again.start(), 30)
            await asyncio.sleep(2)
            network.publish("ann", "news")
            await asyncio.sleep(5)
            assert got == [("ann", 0)]
            assert {broker.place["bob"] for broker in network.brokers.values()} == {"b0"}
            await again.stop()

    run(scenario())
