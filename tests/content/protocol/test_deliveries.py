"""Deliveries: the match decides what a user gets, and what does not match holds nothing up."""

import asyncio
import random

import pytest

from tests.content.protocol.soak import run
from tests.reference_content import matching_by_scan
from topicweave.content.protocol import Broker, Faults, FaultyTransport, InProcess, User


@pytest.mark.parametrize("num_users", [3, 30])
def test_users_get_what_is_inside_their_ranges_in_order(num_users):
    """Few users are compared one by one, many by the index; packets are lost, repeated and late; users move."""
    rng = random.Random(num_users)
    boxes = {}
    for number in range(num_users):
        boxes[f"u{number}"] = [
            {name: (low := rng.randrange(8), low + rng.randrange(6)) for name in rng.sample("xy", rng.randint(0, 2))}
            for _ in range(rng.randint(1, 3))
        ]

    async def scenario():
        transport = FaultyTransport(InProcess(), Faults(delay=0.02, delayed=0.3, repeated=0.2, lost=0.05))
        brokers = {name: Broker(name, "ab", transport) for name in "ab"}
        got = {name: [] for name in boxes}
        users = [
            User(
                name,
                rng.choice("ab"),
                ["news"],
                transport,
                known="ab",
                ranges=box,
                received=lambda publisher, number, channel, body, name=name: got[name].append(body),
            )
            for name, box in boxes.items()
        ]
        publisher = User("ann", "a", [], transport, known="ab")
        for broker in brokers.values():
            await broker.start()
        await asyncio.gather(*(user.start() for user in (publisher, *users)))
        published = []
        for _ in range(60):
            content = {name: rng.randrange(10) for name in "xy" if rng.random() < 0.9}
            published.append(content)
            publisher.publish("news", content, content)
            if rng.random() < 0.2:
                user = rng.choice(users)
                home = brokers[user.broker]
                if home.can_move(user.name):
                    await home.move(user.name, rng.choice("ab"))
            await asyncio.sleep(0.05)
        await asyncio.sleep(30)
        skipped = sum(broker.deliveries.num_skipped for broker in brokers.values())
        forgotten = sum(user.num_forgotten for user in users)
        for actor in (publisher, *users, *brokers.values()):
            await actor.stop()
        return published, got, skipped, forgotten

    published, got, skipped, forgotten = run(scenario())
    for name, box in boxes.items():
        assert got[name] == [one for one in published if matching_by_scan(dict(enumerate(box)), one)]
    assert skipped > 0 and forgotten == 0
