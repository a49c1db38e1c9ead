"""Malformed, oversized, truncated and misplaced frames: the sender is told, nothing crashes, and nobody else
notices.
"""

import asyncio
import gc
import json
import random
import resource
import sys

import pytest

import topicweave as tw
from tests.content.processes.local import plan, running
from topicweave.content.processes import Limits
from topicweave.content.processes.framing import LENGTH, frame

QUICK, ALL = 400, 10_000
HELLO = {"wire": 1, "name": "mallory", "role": "user", "token": ""}
VALUES = [None, True, -1, 0, 2**70, 1e308, "", "x" * 300, "\ud800", [], [[]], {}, {"a": {}}, [1, "x"], {"": -5}]


def packets(rng):
    """Packets that a user might send, some fields of which are replaced, dropped or added."""
    publication = {"publisher": "mallory", "number": rng.choice([0, 5]), "channel": "news", "body": "bad"}
    log = {"forgotten": {}, "published": {}, "entries": [[0.0, publication]]}
    messages = [
        {"kind": "register", "visit": rng.choice([1, 9]), "channels": ["news"], "seen": {}, "log": log, "ranges": None},
        {"kind": "publish", "visit": 1, "publication": publication},
        {"kind": "ping", "visit": 1, "number": 0, "seen": {"ann": 3}},
        {"kind": "connect", "visit": 2, "number": 0, "seen": {}},
        {"kind": "leave", "visit": 1, "number": 0, "seen": {}},
        {"kind": "accept", "visit": 1, "attempt": 1},
        {"kind": rng.choice(["forward", "roster", "goodbye", "hello", "replicate", "placed", "report", "recall"])},
    ]
    message = _spoiled(rng, rng.choice(messages))
    session = {"session": "s.0", "token": rng.choice(["t.0", "s.0", ""])}
    kinds = [
        {"kind": "open", "session": f"s.{rng.randrange(99)}", "asked": 0.0},
        {"kind": "opened", **session, "asked": 0.0},
        {"kind": "message", **session, "number": rng.choice([0, 1, 2**40]), "message": message},
        {"kind": "answer", "session": "s.0", "expected": 3, "early": [5]},
        {"kind": "reset", "session": "s.0"},
    ]
    return _spoiled(rng, rng.choice(kinds)) if rng.random() < 0.6 else rng.choice(kinds)


def _spoiled(rng, packet):
    packet = json.loads(json.dumps(packet))
    place = packet
    while rng.random() < 0.5 and any(isinstance(value, dict) and value for value in place.values()):
        place = rng.choice([value for value in place.values() if isinstance(value, dict) and value])
    key = rng.choice(list(place))
    if rng.random() < 0.3:
        del place[key]
    else:
        place[key] = rng.choice(VALUES)
    return packet


def frames(rng):
    """Bytes of one connection: usually a valid beginning, and then anything."""
    if rng.random() < 0.2:
        yield frame(_spoiled(rng, HELLO))
    elif rng.random() < 0.9:
        yield frame(HELLO)
    for _ in range(rng.randrange(1, 8)):
        kind = rng.random()
        if kind < 0.6:
            yield _framed(packets(rng))
        elif kind < 0.7:
            yield rng.randbytes(rng.randrange(1, 200))
        elif kind < 0.8:
            yield LENGTH.pack(rng.choice([2**32 - 1, 2**25, 0, 7])) + b"[" * rng.randrange(20)
        elif kind < 0.9:
            data = rng.choice([b"[" * 5000, b'{"kind":' * 900, b"NaN", b'"' + b"\xff" * 9 + b'"', b"1" * 9000, b"{}"])
            yield LENGTH.pack(len(data)) + data
        else:
            whole = _framed(packets(rng))
            yield whole[: rng.randrange(len(whole))]


def _framed(packet):
    data = json.dumps(packet).encode()
    return LENGTH.pack(len(data)) + data


async def attack(address, rng, count):
    """Send this many frames over many connections; returns how many errors came back."""
    host, port = address.split(":")
    sent = errors = 0
    while sent < count:
        reader, writer = await asyncio.open_connection(host, int(port))
        try:
            for data in frames(rng):
                sent += 1
                writer.write(data)
                if rng.random() < 0.3:
                    await writer.drain()
                    await asyncio.sleep(0)
            if rng.random() < 0.5:
                writer.write_eof()
                async with asyncio.timeout(1):
                    errors += b'"error"' in await reader.read()
        except (OSError, TimeoutError):
            pass
        finally:
            writer.close()
    return errors


def run(count):
    """Attack two brokers while two users publish; returns the reported errors, and by how many bytes memory grew."""

    async def scenario():
        failures = []
        asyncio.get_running_loop().set_exception_handler(lambda loop, context: failures.append(context))
        network = plan(2)
        limits = Limits(longest_frame=2**20, hello=1.0)
        async with running(network, is_deciding=False, limits=limits) as servers:
            first, second = network.addresses.values()
            async with (
                tw.content.connect(first, "ann", channels=["news"]) as ann,
                tw.content.connect(second, "bob", channels=["news"]) as bob,
            ):
                done = asyncio.Event()
                sent = 0

                async def publish():
                    nonlocal sent
                    while not done.is_set():
                        bob.publish("news", sent)
                        sent += 1
                        await asyncio.sleep(0.01)

                publishing = asyncio.create_task(publish())
                rng = random.Random(1)
                errors = await attack(first, rng, count // 2)
                gc.collect()
                before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
                errors += await attack(second, rng, count // 4) + await attack(first, rng, count // 4)
                gc.collect()
                grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
                done.set()
                await publishing
                got = []
                async with asyncio.timeout(30):
                    async for one in ann:
                        if one.publisher == "bob":
                            got.append(one.body)
                        if len(got) == sent:
                            break
                assert got == list(range(sent))
                refused = sum(server.sockets.num_refused for server in servers.values())
        assert not failures, failures[:3]
        return errors, refused, grown * (1 if sys.platform == "darwin" else 1024)

    return asyncio.run(scenario())


def test_frames_that_are_not_right_hurt_nobody():
    """Two users keep publishing and receiving all the time; every publication arrives once and in order."""
    errors, refused, _ = run(QUICK)
    assert errors > 10 and refused > 10


@pytest.mark.slow
def test_ten_thousand_frames_that_are_not_right_hurt_nobody():
    """Memory does not grow between the first half of the frames and the second."""
    errors, _, grown = run(ALL)
    assert errors > 100 and grown < 20e6
