"""Links deliver once and in order between two processes, and notice a restart, however late packets arrive."""

import asyncio
import random

import pytest

from tests.content.protocol import simulated_time
from tests.content.protocol.rough_transport import RoughTransport
from topicweave.content.protocol.links import Links


class Actor:
    """One end, for one life: it notes what happens."""

    def __init__(self, name, transport):
        self.heard, self.events = [], []
        self.links = Links(
            name,
            transport,
            receive=lambda source, message: (self.heard.append(message["body"]), self.events.append("message")),
            lost=lambda source: self.events.append("lost"),
            restarted=lambda source: self.events.append("restarted"),
        )

    def say(self, target, body):
        self.links.send(target, {"kind": "word", "body": body})


async def begin(name, transport):
    actor = Actor(name, transport)
    await actor.links.open()
    return actor


@pytest.mark.parametrize("gap", [0, 0.1, 0.5, 1.0, 2.0, 2.5, 3.0, 10.0])
@pytest.mark.parametrize("speaks_first", [False, True], ids=["old one first", "new one first"])
def test_a_restarted_actor_hears_what_is_said_to_it(gap, speaks_first):
    async def scenario():
        transport = RoughTransport()
        one, other = await begin("one", transport), await begin("other", transport)
        for number in range(30):
            one.say("other", number)
        other.say("one", "hello")
        await asyncio.sleep(1)
        assert other.heard == list(range(30))
        await other.links.close()
        await asyncio.sleep(gap)
        again = await begin("other", transport)
        if speaks_first:
            again.say("one", "hello again")
        for number in range(100, 200):
            one.say("other", number)
            await asyncio.sleep(0.1)
        await asyncio.sleep(5)
        assert one.events.count("restarted") == 1
        assert not again.events.count("restarted") and not again.events.count("lost")
        assert again.heard == list(range(again.heard[0], 200)) and again.heard[0] < 130
        await one.links.close()
        await again.links.close()

    simulated_time.run(scenario())


def test_a_restart_is_told_before_anything_from_the_new_life_is_delivered():
    """Anyone who hears from the new process must know by then that it has forgotten everything."""

    async def scenario():
        transport = RoughTransport()
        one, other = await begin("one", transport), await begin("other", transport)
        one.say("other", "hello")
        other.say("one", "hello")
        await asyncio.sleep(1)
        await other.links.close()
        one.events.clear()
        again = await begin("other", transport)
        again.say("one", "good morning")
        await asyncio.sleep(1)
        assert one.events == ["restarted", "message"]
        await one.links.close()
        await again.links.close()

    simulated_time.run(scenario())


def test_what_a_former_life_has_sent_does_not_disturb_the_present_one():
    """Every packet of the first life comes again, in any order, while the second one is heard."""

    class Repeating(RoughTransport):
        packets = ()

        def send(self, source, target, packet):
            self.packets = (*self.packets, (source, target, packet))
            super().send(source, target, packet)

    async def scenario():
        transport = Repeating()
        one, other = await begin("one", transport), await begin("other", transport)
        for number in range(20):
            one.say("other", number)
            other.say("one", number)
            await asyncio.sleep(0.3)
        await other.links.close()
        former = list(transport.packets)
        again = await begin("other", transport)
        again.say("one", "new")
        one.say("other", "to the former one")  # it does not know yet
        await asyncio.sleep(3)
        one.events.clear()
        again.events.clear()
        random.Random(0).shuffle(former)
        for source, target, packet in former:
            transport.send(source, target, packet)
        await asyncio.sleep(1)
        again.say("one", "still here")
        one.say("other", "so am I")
        await asyncio.sleep(3)
        assert one.events == ["message"] and one.heard[-2:] == ["new", "still here"]
        assert again.events == ["message"] and again.heard == ["so am I"]
        await one.links.close()
        await again.links.close()

    simulated_time.run(scenario())


@pytest.mark.parametrize("seed", range(20))
def test_lives_follow_each_other(seed):
    """Both are restarted again and again over a bad transport: each life hears each life once, in order, never back."""

    async def scenario():
        rng = random.Random(seed)
        transport = RoughTransport(loss=0.1, repeat=0.2, delay=0.1, straggle=0.1, seed=seed)
        all_lives = {"one": [], "other": []}

        async def begin_next(name):
            if all_lives[name]:
                await all_lives[name][-1].links.close()
            all_lives[name].append(await begin(name, transport))

        await begin_next("one")
        await begin_next("other")
        for number in range(300):
            for name, target in (("one", "other"), ("other", "one")):
                if rng.random() < 0.02:
                    await begin_next(name)
                all_lives[name][-1].say(target, (len(all_lives[name]), number))
            await asyncio.sleep(rng.choice([0, 0.1, 0.5]))
        for _ in range(60):  # to a suspect only the first goes out
            for name, target in (("one", "other"), ("other", "one")):
                all_lives[name][-1].say(target, (len(all_lives[name]), "end"))
            await asyncio.sleep(0.5)
        for lives in all_lives.values():
            for life in lives:
                numbers = [body for body in life.heard if body[1] != "end"]
                assert numbers == sorted(set(numbers))
            await lives[-1].links.close()
        for name, target in (("one", "other"), ("other", "one")):
            assert all_lives[name][-1].heard[-1] == (len(all_lives[target]), "end")

    simulated_time.run(scenario())


def test_a_slow_actor_is_reached_all_the_same():
    """Its answers take longer than our patience at first."""

    async def scenario():
        transport = RoughTransport()
        transport.slow("other", 3.0)
        one, other = await begin("one", transport), await begin("other", transport)
        for number in range(60):
            one.say("other", number)
            await asyncio.sleep(1)
        await asyncio.sleep(20)
        assert other.heard[-20:] == list(range(40, 60)) and other.heard == sorted(set(other.heard))
        await one.links.close()
        await other.links.close()

    simulated_time.run(scenario())
