"""Real sockets as a transport: any packet, in order, and actors that come and go."""

import asyncio

from topicweave.content.protocol import TcpTransport


async def until(condition):
    async with asyncio.timeout(10):
        while not condition():
            await asyncio.sleep(0.005)


def test_packets_of_any_size_arrive_in_order_from_several_actors():
    """Text beyond ASCII, nested values, and more bytes than a socket takes at once."""

    async def scenario():
        transport, heard = TcpTransport(), []
        await transport.open("home", lambda source, packet: heard.append((source, packet)))
        sent = {
            name: [{"n": n, "text": "ä\n" * (n * 50_000), "deep": [{}, None, n / 2]} for n in range(5)] for name in "xy"
        }
        for name in sent:
            await transport.open(name, lambda source, packet: None)
        for n in range(5):
            for name, packets in sent.items():
                transport.send(name, "home", packets[n])
        await until(lambda: len(heard) == 10)
        for name in ("home", *sent):
            await transport.close(name)
        return sent, heard

    sent, heard = asyncio.run(scenario())
    for name, packets in sent.items():
        assert [packet for source, packet in heard if source == name] == packets


def test_an_actor_that_is_back_under_its_name_is_reached_again():
    """What is sent to it in the meantime is lost, and so is what one sends who has closed."""

    async def scenario():
        transport, heard = TcpTransport(), []
        await transport.open("a", lambda source, packet: None)
        await transport.open("b", lambda source, packet: heard.append(packet["n"]))
        transport.send("a", "b", {"n": 1})
        await until(lambda: heard == [1])
        await transport.close("b")
        transport.send("a", "b", {"n": 2})
        transport.send("b", "a", {"n": 3})
        await transport.open("b", lambda source, packet: heard.append(packet["n"]))
        transport.send("a", "b", {"n": 4})
        await until(lambda: 4 in heard)
        await transport.close("a")
        await transport.close("b")
        return heard

    assert asyncio.run(scenario()) == [1, 4]
