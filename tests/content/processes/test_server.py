"""Server: a broker tells its state and metrics, decides, and lets its users go before it stops."""

import asyncio
from dataclasses import replace

import pytest

import topicweave as tw
from tests.content.processes.local import free_ports, plan, running, until
from topicweave.content.processes import Server
from topicweave.content.processes.launcher import fetch
from topicweave.content.processes.web import Web
from topicweave.errors import InputError


async def get(address, request):
    """The whole answer to a request, as text."""
    host, port = address.split(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    writer.write(request.encode())
    answer = (await reader.read()).decode()
    writer.close()
    return answer


def test_a_broker_tells_its_state_and_metrics():
    """As JSON and in the form of Prometheus: every sample has a help text and a type."""

    async def scenario():
        network = replace(plan(2), unit="bytes")
        (first, second), (web,) = network.brokers, free_ports(1)
        server = Server(network, first, web=f"127.0.0.1:{web}")
        other = Server(network, second)
        await server.start()
        await other.start()
        async with (
            tw.content.connect(network.addresses[first], "ann", channels=['a"b']) as ann,
            tw.content.connect(network.addresses[second], "bob") as bob,
        ):
            for _ in range(5):
                bob.publish('a"b', "x" * 98)
            arriving = aiter(ann)
            for _ in range(5):
                await anext(arriving)
            state = await fetch(f"127.0.0.1:{web}")
            metrics = await get(f"127.0.0.1:{web}", "GET /metrics HTTP/1.1\r\n\r\n")
        await server.stop()
        await other.stop()
        return state, metrics, first, second

    state, metrics, first, second = asyncio.run(scenario())
    assert state["name"] == first and list(state["users"]) == ["ann"] and state["peers"] == [second]
    assert state["load"] > 5 and state["unit"] == "bytes"  # it would be 1 at most in publications
    assert state["expected"]["total"] > 0
    head, _, body = metrics.partition("\r\n\r\n")
    assert "200 OK" in head and "version=0.0.4" in head
    samples = {}
    for line in body.splitlines():
        if not line.startswith("#"):
            name, value = line.rsplit(" ", 1)
            samples[name] = float(value)
            assert f"# TYPE {name.partition('{')[0]} " in body and f"# HELP {name.partition('{')[0]} " in body
    assert samples["topicweave_content_users"] == 1 and samples["topicweave_content_delivered_total"] == 5


def test_a_broker_that_is_asked_to_end_hands_its_users_over():
    """They move to cheap brokers; nothing is lost, and the others forget the broker that left."""

    async def scenario():
        network = plan(3)
        first, *others = network.brokers
        users = [user for user, home in network.homes.items()][:4]
        async with running(network, is_deciding=False) as servers:
            address = network.addresses[first]
            got = {user: [] for user in users}
            clients = [
                tw.content.connect(address, user, channels=["news"], received=got[user].append) for user in users
            ]
            for client in clients:
                await client.__aenter__()
            await until(lambda: len(servers[first].broker.users) == 4)
            draining = asyncio.create_task(servers.pop(first).drain())
            for number in range(50):
                clients[0].publish("news", number)
                await asyncio.sleep(0.02)
            await draining
            await until(lambda: all(len(got[user]) == 50 for user in users[1:]))
            assert all([one.body for one in got[user]] == list(range(50)) for user in users[1:])
            for user in users:
                prices = network.prices[user]
                assert any(user in servers[name].broker.users for name in others)
                cheapest = min(others, key=prices.__getitem__)
                assert user in servers[cheapest].broker.users
            assert all(first not in server.broker.peers for server in servers.values())
            for client in clients:
                await client.user.stop()

    asyncio.run(scenario())


def test_only_brokers_of_the_plan_are_served():
    """The error lists them."""
    with pytest.raises(InputError, match="no broker 'x' in the plan; there are 0, 1"):
        Server(plan(2), "x")


def test_pages_are_answered_and_nothing_else():
    """Unknown paths and methods are reported; anything that is not a request is dropped."""

    async def scenario():
        web = Web("127.0.0.1:0", {"/a": lambda: ("text/plain", "ä"), "/b": lambda: ("application/json", {"n": 1})})
        await web.start()
        address = f"127.0.0.1:{web.port}"
        requests = (
            "GET /a HTTP/1.1\r\n\r\n",
            "GET /x HTTP/1.1\r\n\r\n",
            "PUT /a HTTP/1.1\r\n\r\n",
            "x" * 9000 + "\r\n\r\n",
        )
        answers = [await get(address, request) for request in requests]
        assert await fetch(address, "/b?x=1") == {"n": 1}
        await web.stop()
        return answers

    found, missing, refused, dropped = asyncio.run(scenario())
    assert found.endswith("\r\n\r\nä") and "Content-Length: 2\r\n" in found
    assert "404" in missing and "/a /b" in missing and "405" in refused and dropped == ""
