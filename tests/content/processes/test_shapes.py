"""Shapes: everything that a user of the protocol sends is accepted, and nothing else."""

import asyncio

import pytest

from tests.content.protocol.soak import run
from topicweave.content.processes.framing import FrameError, frame, parse
from topicweave.content.processes.shapes import check_message, check_packet
from topicweave.content.protocol import Broker, InProcess, User


class Watched(InProcess):
    """A transport that keeps all that users send, as it would arrive over a wire."""

    def __init__(self):
        super().__init__()
        self.sent = []

    def send(self, source, target, packet):
        packet = parse(frame(packet)[4:])
        if len(source) > 1:
            self.sent.append((source, packet))
        super().send(source, target, packet)


def test_whatever_users_send_is_accepted():
    """They register, publish, move, change what they want, resume and leave."""

    async def scenario():
        transport = Watched()
        brokers = [Broker(name, "ab", transport) for name in "ab"]
        for broker in brokers:
            await broker.start()
        ann = User("ann", "a", ["news"], transport, known="ab", prices={"a": 1, "b": 2})
        bob = User("bob", "b", ["news"], transport, known="ab", willing=lambda target: False)
        await ann.start()
        await bob.start()
        ann.publish("news", {"deep": [None]}, {"x": 1})
        assert await brokers[0].move("ann", "b") == "moved"
        assert await brokers[1].move("bob", "a") == "declined"
        await asyncio.sleep(3)
        await bob.subscribe(["news", "sport"], [{"x": (0, None)}])
        await ann.stop()
        again = User("ann", "a", ["news"], transport, known="ab", resume=True)
        await again.start()
        await again.leave()
        await bob.leave()
        for broker in brokers:
            await broker.stop()
        return transport.sent

    sent = run(scenario())
    for user, packet in sent:
        check_packet(packet, user)
    kinds = {packet["kind"] for _, packet in sent}
    messages = {packet["message"]["kind"] for _, packet in sent if packet["kind"] == "message"}
    assert kinds == {"open", "opened", "message", "answer"}
    assert messages == {"register", "connect", "ping", "leave", "publish", "accept", "decline"}


PUBLICATION = {"publisher": "ann", "number": 0, "channel": "news", "body": None}


@pytest.mark.parametrize(
    ("message", "words"),
    [
        ({"kind": "forward", "users": {}, "publication": PUBLICATION}, "cannot send messages of kind 'forward'"),
        ({"kind": ["x"]}, "kind ''"),
        ([], "must be an object"),
        ({"kind": "ping", "visit": 1, "seen": {}}, "lacks the field 'number'"),
        ({"kind": "ping", "visit": True, "number": 0, "seen": {}}, "whole number"),
        ({"kind": "ping", "visit": 2**60, "number": 0, "seen": {}}, "whole number"),
        ({"kind": "ping", "visit": 1, "number": 0, "seen": {"x": 0.5}}, "whole number"),
        ({"kind": "ping", "visit": 1, "number": 0, "seen": []}, "object of numbers"),
        ({"kind": "publish", "visit": 1, "publication": PUBLICATION | {"publisher": "bob"}}, "under the name 'bob'"),
        ({"kind": "publish", "visit": 1, "publication": PUBLICATION | {"content": {"x": "1"}}}, "finite number"),
        ({"kind": "publish", "visit": 1, "publication": PUBLICATION | {"channel": "x" * 201}}, "200 characters"),
    ],
)
def test_what_users_must_not_send_is_named(message, words):
    """The message names the kind, the field, and what the field must be."""
    with pytest.raises(FrameError, match=words):
        check_message(message, "ann")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"channels": "news"}, "list of at most"),
        ({"channels": [1]}, "must be text"),
        ({"ranges": [{"x": [2, 1]}]}, "ends at 1"),
        ({"ranges": {}}, "list of at most"),
        ({"resume": 1}, "true or false"),
        ({"prices": {"a": -1}}, "negative"),
        ({"prices": [1]}, "object of at most"),
        ({"log": {}}, "lacks the field 'forgotten'"),
        ({"log": {"forgotten": {}, "published": {}, "entries": [[0, PUBLICATION], [0, PUBLICATION]]}}, "rising"),
        ({"log": {"forgotten": {}, "published": {}, "entries": [[0]]}}, "pairs"),
        ({"log": {"forgotten": {}, "published": {}, "entries": 5}}, "must be a list"),
        ({"log": 5}, "must be an object"),
    ],
)
def test_a_registration_is_looked_at_field_by_field(change, words):
    """A wrong one would end up in the tables of a broker."""
    log = {"forgotten": {}, "published": {}, "entries": []}
    message = {"kind": "register", "visit": 1, "channels": [], "seen": None, "log": log}
    check_message(message, "ann")
    with pytest.raises(FrameError, match=words):
        check_message(message | change, "ann")


def test_packets_that_are_not_of_the_protocol_are_refused():
    """And lists of numbers that are too long."""
    with pytest.raises(FrameError, match="packets of kind 'x'"):
        check_packet({"kind": "x"}, "ann")
    with pytest.raises(FrameError, match="at most 10,000 numbers"):
        check_packet({"kind": "answer", "session": "s", "expected": 0, "early": list(range(10_001))}, "ann")
    with pytest.raises(FrameError, match="must be a number"):
        check_packet({"kind": "open", "session": "s", "asked": "now"}, "ann")
