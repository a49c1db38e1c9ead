"""Clients of a network of brokers over real sockets: they publish, receive, move, resume and are refused."""

import asyncio

import pytest

import topicweave as tw
from tests.content.processes.local import plan, running, until
from topicweave.content.processes import Limits, NetworkPlan
from topicweave.errors import InputError


def test_publications_reach_who_wants_them_through_any_broker():
    """A client knows one address, is told about the other brokers, moves, and continues when its broker dies."""

    async def scenario():
        network = plan()
        first, second, third = network.brokers
        async with running(network, token="secret", is_deciding=False) as servers:
            address = network.addresses[first]
            async with (
                tw.content.connect(address, "ann", channels=["news"], token="secret") as ann,
                tw.content.connect(address, "bob", channels=["news", "sport"], token="secret") as bob,
            ):
                assert sorted(ann.user.known) == sorted(network.brokers)
                for number in range(50):
                    bob.publish("news", {"n": number, "text": "ä" * 1000})
                arriving = aiter(ann)
                got = [await anext(arriving) for _ in range(50)]
                assert [one.body["n"] for one in got] == list(range(50))
                assert {(one.publisher, one.channel) for one in got} == {("bob", "news")}
                assert await servers[first].broker.move("ann", second) == "moved"
                assert await servers[first].broker.move("bob", third) == "moved"
                await until(lambda: "ann" in servers[second].broker.users)
                bob.publish("news", "moved")
                assert (await anext(arriving)).body == "moved"
                await servers.pop(second).stop()
                bob.publish("news", "after a death")
                assert (await anext(arriving)).body == "after a death"
                assert ann.user.broker != second
            await until(lambda: not any(server.broker.place for server in servers.values()))

    asyncio.run(scenario())


def test_what_a_client_wants_is_said_by_ranges():
    """The channels follow from them, and from the content of publications."""

    async def scenario():
        base = plan(2)
        network = NetworkPlan(base.addresses, base.core_price, edges={"price": [0, 10, 20, 30]})
        address = next(iter(network.addresses.values()))
        async with (
            running(network, is_deciding=False),
            tw.content.connect(address, "ann", ranges=[{"price": (5, 15)}]) as ann,
            tw.content.connect(address, "bob") as bob,
        ):
            assert ann.user.channels == ["price 0..10", "price 10..20"]
            for price in (4, 5, 12, 16, 25):
                bob.publish(content={"price": price}, body=price)
            arriving = aiter(ann)
            assert [(await anext(arriving)).body for _ in range(2)] == [5, 12]
            await ann.subscribe(ranges=[{"price": (20, None)}])
            bob.publish(content={"price": 12}, body=12)
            bob.publish(content={"price": 25}, body=25)
            assert (await anext(arriving)).body == 25
            with pytest.raises(InputError, match="needs a channel"):
                bob.publish(body=1)

    asyncio.run(scenario())


def test_a_client_that_begins_again_goes_on_where_it_had_stopped():
    """It crashes without notice; what is published in the meantime arrives, in order."""

    async def scenario():
        network = plan(2)
        first, second = network.addresses.values()
        async with running(network, is_deciding=False), tw.content.connect(first, "bob") as bob:
            ann = tw.content.connect(first, "ann", channels=["news"])
            await ann.__aenter__()
            bob.publish("news", 1)
            assert (await anext(aiter(ann))).body == 1
            await asyncio.sleep(2.5)
            await ann.user.stop()
            bob.publish("news", 2)
            async with tw.content.connect(second, "ann", channels=["news"]) as again:
                bob.publish("news", 3)
                arriving = aiter(again)
                assert [(await anext(arriving)).body for _ in range(2)] == [2, 3]
                assert again.user.was_resumed

    asyncio.run(scenario())


def test_a_user_may_have_the_name_of_a_broker():
    """As in plans whose users have the names of their places; others see that name, and so does the network's page."""

    async def scenario():
        network = plan(2, num_users=9)  # brokers and users are numbered with one digit
        (name, first), (other, second) = network.addresses.items()
        async with (
            running(network) as servers,
            tw.content.connect(first, name, channels=["news"]) as one,
            tw.content.connect(second, other, channels=["news"]) as two,
        ):
            one.publish("news", 1)
            two.publish("news", 2)
            assert (await anext(aiter(one)))[::3] == (other, 2) and (await anext(aiter(two)))[::3] == (name, 1)
            states = [server.state()[1] for server in servers.values()]
            assert {user for state in states for user in state["users"]} == {name, other}
            assert all(server._prices(one.user.name) == network.prices[name] for server in servers.values())

    asyncio.run(scenario())


def test_who_is_not_let_in_is_told_why():
    """A wrong token, a name that is too long, too many users, nobody there, an address without a port."""

    async def scenario():
        network = plan(1)
        (address,) = network.addresses.values()
        async with running(network, token="secret", limits=Limits(most_users=1), is_deciding=False):
            for options, words in (
                ({"name": "ann", "token": "guess"}, "token"),
                ({"name": "x" * 201, "token": "secret"}, "1 to 200 characters"),
            ):
                with pytest.raises(InputError, match=words):
                    await tw.content.connect(address, **options).__aenter__()
            async with tw.content.connect(address, "ann", token="secret"):
                with pytest.raises(InputError, match="1 users already"):
                    await tw.content.connect(address, "bob", token="secret").__aenter__()
        with pytest.raises(InputError, match="No broker lets user 'ann' in"):
            await tw.content.connect(address, "ann").__aenter__()

    asyncio.run(scenario())
    with pytest.raises(InputError, match="host:port"):
        tw.content.connect("localhost", "ann")
    with pytest.raises(InputError, match="not connected"):
        tw.content.connect("localhost:1", "ann").publish("x")
