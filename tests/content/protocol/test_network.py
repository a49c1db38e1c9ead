"""The migration protocol: none lost, none twice, order kept, whatever the transport does."""

import asyncio
import random
from dataclasses import replace

import numpy as np
import pytest

from tests.content.protocol.soak import BAD, LOSSY, check, crowd, run, soak
from topicweave.content import Instance, assign
from topicweave.content.protocol import (
    Broker,
    BrokerNetwork,
    DeliveryAudit,
    Faults,
    FaultyTransport,
    InProcess,
    TcpTransport,
    User,
    log,
)
from topicweave.errors import InputError


@pytest.mark.parametrize("faults", [Faults(), BAD, LOSSY], ids=["clean", "delays and repeats", "losses"])
@pytest.mark.parametrize("make", [InProcess, TcpTransport])
def test_users_move_while_publications_flow(make, faults):
    network, outcomes = run(soak(FaultyTransport(make(), faults), 20, 4, 60), make)
    check(network)
    assert outcomes["moved"] >= 60 and outcomes["declined"] > 0


def test_without_faults_nothing_is_sent_in_vain():
    network, _ = run(soak(FaultyTransport(InProcess(), BAD), 20, 4, 300))
    check(network)
    assert network.num_dropped == 0


def test_the_foreign_broker_dies_during_replicate():
    transport = FaultyTransport(InProcess(), BAD)
    network, outcomes = run(soak(transport, 20, 4, 40, spares=2, ttl=1.0))
    check(network)
    assert outcomes["moved"] >= 40


@pytest.mark.parametrize("make", [InProcess, pytest.param(TcpTransport, marks=pytest.mark.slow)])
@pytest.mark.parametrize("step", ["_on_accept", "_on_replicated"])
def test_the_home_broker_dies_during_replicate(make, step):
    """At the moment it hears of the acceptance, or of the replica; with publications of all kinds on their way."""

    async def scenario():
        brokers, channels, users = crowd(12, 3, num_channels=4)
        users["u0"] = ("b0", ["c0", "c1"])
        async with BrokerNetwork(brokers, users, FaultyTransport(make(), BAD), ttl=5) as network:
            home = network.brokers["b0"]
            heard = asyncio.Event()
            setattr(home, step, lambda source, message: heard.set())
            rng = random.Random(1)

            async def publish(times):
                for _ in range(times):
                    network.publish(rng.choice(list(users)), rng.choice(channels))
                    await asyncio.sleep(0.001)

            await publish(50)
            moving = asyncio.create_task(network.move("u0", "b1"))
            await asyncio.gather(heard.wait(), publish(30))
            await network.kill("b0")
            await publish(200)
            assert await moving == "failed"
            await network.quiet(300)
            check(network)
            assert network.users["u0"].broker == "b1"  # where its data may be already
            assert await network.move("u0", "b2") == "moved"
            await publish(50)
            await network.quiet(300)
            check(network)

    run(scenario(), make)


def test_the_home_broker_dies_while_it_redirects():
    """The user has moved, but not all brokers know: what its home had for it comes from the others' logs."""

    async def scenario():
        users = {"ann": ("b0", ["news"]), "bob": ("b1", ["news"]), "cat": ("b2", ["news"])}
        async with BrokerNetwork(["b0", "b1", "b2"], users, InProcess(), ttl=5) as network:
            home = network.brokers["b0"]
            home._on_forward = lambda source, message: None  # it has received what it never redirects
            network.publish("cat", "news")
            assert await network.move("ann", "b1") == "moved"
            network.publish("cat", "news")
            await network.kill("b0")
            await asyncio.sleep(0.1)
            network.publish("cat", "news")
            await asyncio.sleep(0.1)
            assert network.audit.arrived["cat", "ann"] == []
            await network.quiet()
            check(network)
            assert network.audit.arrived["cat", "ann"] == [0, 1, 2]

    run(scenario())


@pytest.mark.parametrize("seed", range(6))
def test_brokers_die_while_they_serve(seed):
    """Users find another broker, and lose nothing by it, while others move."""
    faults = replace(LOSSY, seed=seed)
    network, outcomes = run(soak(FaultyTransport(InProcess(), faults), 16, 5, 50, dying=1 + seed % 3, seed=seed, ttl=3))
    check(network)
    assert outcomes["moved"] >= 50


@pytest.mark.parametrize("seed", range(4))
def test_brokers_die_at_the_same_time(seed):
    faults = replace(LOSSY, seed=seed)
    transport = FaultyTransport(InProcess(), faults)
    network, outcomes = run(soak(transport, 16, 5, 50, dying=4, at_once=2, seed=seed, ttl=3))
    check(network)
    assert outcomes["moved"] >= 50


def test_brokers_die_over_tcp():
    """Two of five brokers die while users move over real sockets, and the promises hold."""
    network, outcomes = run(soak(FaultyTransport(TcpTransport(), LOSSY), 16, 5, 50, dying=2, at_once=2), TcpTransport)
    check(network)
    assert outcomes["moved"] >= 50


@pytest.mark.parametrize("seed", range(6))
def test_actors_that_live_are_taken_for_dead(seed):
    faults = replace(LOSSY, seed=seed)
    transport = FaultyTransport(InProcess(), faults)
    network, outcomes = run(soak(transport, 12, 4, 50, cuts=4, dying=seed % 2, seed=seed, ttl=3))
    check(network)
    assert outcomes["moved"] >= 50


def test_all_brokers_die_and_one_comes_back():
    """Users keep what they publish meanwhile."""

    async def scenario():
        async with BrokerNetwork(["b0", "b1"], one_broker_each(), transport := InProcess()) as network:
            await network.kill("b0")
            await network.kill("b1")
            for _ in range(3):
                network.publish("ann", "news")
                network.publish("bob", "news")
                await asyncio.sleep(5)
            network.brokers["b1"] = Broker("b1", ["b0", "b1"], transport)
            await network.brokers["b1"].start()
            await network.quiet()
            check(network)
            assert network.audit.arrived["ann", "bob"] == [0, 1, 2]

    run(scenario())


def test_what_is_missed_for_more_than_a_minute_is_forgotten(monkeypatch):
    monkeypatch.setattr(log, "KEPT", 1)

    async def scenario():
        transport = FaultyTransport(InProcess(), Faults())
        async with BrokerNetwork(["b0", "b1"], one_broker_each(), transport) as network:
            pairs = [(one, other) for one in ("b0", "ann") for other in ("b1", "bob")]
            for one, other in pairs:  # two halves that know nothing of each other
                transport.cut(one, other)
                transport.cut(other, one)
            network.publish("ann", "news")
            await asyncio.sleep(50)
            network.publish("ann", "news")
            await asyncio.sleep(15)
            for one, other in pairs:
                transport.repair(one, other)
                transport.repair(other, one)
            network.publish("ann", "news")
            await network.quiet(10)
            assert network.audit.arrived["ann", "bob"] == [1, 2]
            assert network.users["bob"].num_forgotten == 1

    run(scenario())


def test_a_new_user_begins_with_what_is_published_from_then_on():
    async def scenario():
        async with BrokerNetwork(["b0", "b1"], one_broker_each(), transport := InProcess()) as network:
            network.publish("ann", "news")
            network.publish("bob", "news")
            await network.quiet()
            got = []
            late = User("cat", "b1", ["news"], transport, received=lambda *publication: got.append(publication))
            await late.start()
            await asyncio.sleep(10)
            network.publish("ann", "news", "first")
            await asyncio.sleep(10)
            await late.stop()
            assert got == [("ann", 1, "news", "first")]

    run(scenario())


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100))
def test_everything_happens_at_once(seed):
    """Losses, cuts, deaths and a spare broker in one run, and the promises hold."""
    faults = replace(LOSSY, seed=seed)
    transport = FaultyTransport(InProcess(), faults)
    network, _ = run(soak(transport, 16, 6, 100, cuts=6, dying=4, at_once=2, spares=1, seed=seed, ttl=3))
    check(network)


@pytest.mark.slow
@pytest.mark.parametrize("make", [InProcess, TcpTransport])
def test_soak(make):
    """200 users, 10 brokers, 5,000 moves, with all faults, in real time."""
    transport = FaultyTransport(make(), Faults(delay=0.01, delayed=0.1, repeated=0.05, lost=0.01))
    faults = {"spares": 3, "dying": 3, "ttl": 30.0}
    scenario = soak(transport, 200, 10, 5000, num_publications=1500, movers=40, pause=0.002, quiet=900, **faults)
    network, outcomes = asyncio.run(asyncio.wait_for(scenario, 3000))
    check(network)
    assert outcomes["moved"] >= 5000 and outcomes["declined"] > 100
    assert transport.num_repeated > 10_000 and transport.num_lost > 2_000 and transport.num_delayed > 20_000
    assert network.audit.num_expected > 100_000  # deliveries: publications flowed all the while


def one_broker_each():
    return {"ann": ("b0", ["news"]), "bob": ("b1", ["news", "sport"])}


def test_the_foreign_broker_takes_over_what_home_knew():
    async def scenario():
        async with BrokerNetwork(["b0", "b1"], one_broker_each(), InProcess()) as network:
            for _ in range(3):
                network.publish("ann", "sport")
            network.publish("ann", "news")
            await network.quiet()
            assert network.brokers["b0"].summarize("ann") == {"sport": 3, "news": 1}
            assert await network.move("ann", "b1") == "moved"
            await network.quiet()
            assert network.brokers["b0"].users == [] and sorted(network.brokers["b1"].users) == ["ann", "bob"]
            assert network.brokers["b1"].summarize("ann") == {"sport": 3, "news": 1}
            network.publish("ann", "sport")
            network.publish("bob", "news")
            await network.quiet()
            check(network)
            assert network.audit.arrived["bob", "ann"] == [0] and network.audit.arrived["ann", "bob"] == [
                0,
                1,
                2,
                3,
                4,
            ]

    run(scenario())


def test_a_user_that_declines_stays():
    async def scenario():
        network = BrokerNetwork(
            ["b0", "b1"], one_broker_each(), InProcess(), willing=lambda user, target: user != "ann"
        )
        async with network:
            assert await network.move("ann", "b1") == "declined"
            assert await network.move("bob", "b0") == "moved"
            network.publish("bob", "news")
            await network.quiet()
            assert network.users["ann"].broker == "b0" and network.audit.arrived["bob", "ann"] == [0]

    run(scenario())


def test_moves_to_nowhere_fail():
    """To where the user is, to a broker that is not there, or asked of one that has no such user: nothing changes."""

    async def scenario():
        async with BrokerNetwork(["b0", "b1"], one_broker_each(), InProcess()) as network:
            assert await network.move("ann", "b0") == "failed"
            assert await network.move("ann", "b9") == "failed"
            assert await network.brokers["b1"].move("ann", "b0") == "failed"  # not its user
            with pytest.raises(InputError, match="needs an Assignment, but got a str"):
                await network.follow("folder")
            assert network.home("ann") is network.brokers["b0"]

    run(scenario())


def test_after_the_ttl_a_silent_broker_does_not_hold_up_a_user():
    async def scenario():
        users = {"ann": ("b0", ["news"]), "bob": ("b1", ["news"])}
        async with BrokerNetwork(["b0", "b1", "b2"], users, InProcess(), ttl=0.3) as network:
            await network.kill("b2")
            assert await network.move("ann", "b1") == "moved"
            network.publish("bob", "news")
            await network.quiet(10)
            check(network)
            assert network.home("ann") is network.brokers["b1"]

    run(scenario())


def test_users_follow_an_assignment():
    """Users whose broker differs in the other assignment move, and then all are where it says."""
    rng = np.random.default_rng(3)
    core = np.ones((3, 3))
    instance = Instance(rng.random((9, 4)), rng.random((9, 4)) < 0.5, rng.random((9, 3)), core, 99)
    start, goal = assign(instance, "random"), assign(instance, "best")
    users = {
        name: (instance.brokers[start.broker[i]], [instance.channels[c] for c in np.flatnonzero(instance.subscribe[i])])
        for i, name in enumerate(f"user{u}" for u in instance.users)
    }

    async def scenario():
        named = instance.replace(users=list(users))
        async with BrokerNetwork(instance.brokers, users, InProcess()) as network:
            outcomes = await network.follow(assign(named, "migrate", start=goal.broker))
            await network.quiet()
            assert outcomes == {"moved": int(np.count_nonzero(start.broker != goal.broker))}
            assert [network.users[name].broker for name in users] == [instance.brokers[b] for b in goal.broker]

    run(scenario())


def hand_out_at_once(self, message):
    publication = message["publication"]
    if publication["number"] > self._seen.get(publication["publisher"], -1):
        self._seen[publication["publisher"]] = publication["number"]
        self.received(publication["publisher"], publication["number"], publication["channel"], publication["body"])


def hand_out_again(self, message):
    publication = message["publication"]
    self.received(publication["publisher"], publication["number"], publication["channel"], publication["body"])
    User._original(self, message)


@pytest.mark.parametrize(
    ("actor", "step", "instead", "fault"),
    [
        (User, "_on_deliver", hand_out_at_once, "num_lost"),  # drops what has been overtaken
        (User, "_on_deliver", hand_out_again, "num_repeated"),
        (Broker, "_catch_up", lambda self: None, "num_lost"),
    ],
    ids=["without waiting for the previous one", "without dropping", "without asking for what is missing"],
)
def test_each_step_is_needed(monkeypatch, actor, step, instead, fault):
    """A check that cannot fail proves nothing: without the step, the audit notices."""
    monkeypatch.setattr(actor, "_original", getattr(actor, step), raising=False)
    monkeypatch.setattr(actor, step, instead)
    network, _ = run(soak(FaultyTransport(InProcess(), BAD), 20, 4, 100, dying=1, quiet=10))
    assert getattr(network.audit, fault) > 0


def test_the_old_names_work_and_say_what_to_use():
    from topicweave.content import protocol

    with pytest.warns(DeprecationWarning, match=r"Ledger is called .*DeliveryAudit now"):
        assert protocol.Ledger is DeliveryAudit
    with pytest.warns(DeprecationWarning, match=r"Network is called .*BrokerNetwork now"):
        network = protocol.Network(["b0"], {}, InProcess())
    with pytest.warns(DeprecationWarning, match=r"BrokerNetwork\.audit"):
        assert network.ledger is network.audit
    with pytest.raises(AttributeError, match="no attribute 'Nothing'"):
        protocol.Nothing  # noqa: B018
