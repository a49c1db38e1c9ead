"""Calls in one event loop as a transport: who receives what, in which order."""

import asyncio

from topicweave.content.protocol import InProcess


def test_packets_arrive_in_order_once_the_caller_has_yielded():
    """Never within send(), so an actor finishes what it is doing before it hears of anything."""

    async def scenario():
        transport, heard = InProcess(), []
        await transport.open("a", lambda source, packet: heard.append((source, packet["n"])))
        await transport.open("b", lambda source, packet: None)
        for n in range(3):
            transport.send("b", "a", {"n": n})
        before = list(heard)
        await asyncio.sleep(0)
        return before, heard

    assert asyncio.run(scenario()) == ([], [("b", 0), ("b", 1), ("b", 2)])


def test_who_has_closed_neither_receives_nor_is_heard():
    """Not even what was in flight; and a packet to an unknown name is lost silently."""

    async def scenario():
        transport, heard = InProcess(), []
        for name in "abc":
            await transport.open(name, lambda source, packet, name=name: heard.append((name, source)))
        transport.send("a", "b", {})
        transport.send("c", "a", {})
        transport.send("a", "nobody", {})
        await transport.close("b")
        await transport.close("c")
        await asyncio.sleep(0)
        await transport.open("b", lambda source, packet: heard.append(("b again", source)))
        transport.send("a", "b", {})
        await asyncio.sleep(0)
        return heard

    assert asyncio.run(scenario()) == [("b again", "a")]
