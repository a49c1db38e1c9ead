"""Registrations: users that lose their memory and come back, and users that change their subscriptions."""

import asyncio
import time

import pytest

from tests.content.protocol.soak import run
from topicweave.content.processes.shapes import MOST_WHOLE
from topicweave.content.protocol import Broker, Faults, FaultyTransport, InProcess, User
from topicweave.content.protocol.guests import Registration
from topicweave.content.protocol.registrations import GAP, Registrations, first_number


def note(got):
    """What a user calls with each publication: appends publisher and body to a list."""
    return lambda publisher, number, channel, body: got.append((publisher, body))


class World:
    """Brokers a, b and c, and users that note what they get."""

    def __init__(self):
        self.transport = FaultyTransport(InProcess(), Faults())
        self.brokers = {name: Broker(name, "abc", self.transport) for name in "abc"}
        self.users, self.got = {}, {}

    async def user(self, name, broker, channels, **options):
        got = self.got.setdefault(name, [])
        user = User(name, broker, channels, self.transport, known="abc", received=note(got), **options)
        self.users[name] = user
        await user.start()
        return user


def live(story):
    """Run a story in simulated time."""

    async def scenario():
        world = World()
        for broker in world.brokers.values():
            await broker.start()
        await story(world)
        for actor in (*world.users.values(), *world.brokers.values()):
            await actor.stop()

    run(scenario())


@pytest.mark.parametrize("where", "ab")
def test_a_user_that_restarts_goes_on_after_what_it_had_reported(where):
    """At its broker or at another one: it gets what was published in the meantime, and others get what it publishes."""

    async def story(world):
        ann = await world.user("ann", "a", ["news"])
        bob = await world.user("bob", "b", ["news"])
        bob.publish("news", 0)
        ann.publish("news", "before")
        await asyncio.sleep(3)
        await ann.stop()
        for body in (1, 2, 3):
            bob.publish("news", body)
            await asyncio.sleep(3)
        ann = await world.user("ann", where, ["news"], resume=True)
        assert ann.was_resumed and ann.num_published == 1
        ann.publish("news", "after")
        bob.publish("news", 4)
        await asyncio.sleep(10)
        assert world.got["ann"] == [("bob", body) for body in range(5)]
        assert world.got["bob"] == [("ann", "before"), ("ann", "after")]
        assert all(broker.place == {"ann": where, "bob": "b"} for broker in world.brokers.values())

    live(story)


def test_a_user_whose_memory_died_with_its_broker_is_heard_all_the_same():
    """It numbers what it publishes above everything that others remember."""

    async def story(world):
        ann = await world.user("ann", "a", ["news"])
        bob = await world.user("bob", "b", ["news"])
        for body in range(5):
            ann.publish("news", body)
        await asyncio.sleep(3)
        await ann.stop()
        await world.brokers.pop("a").stop()
        await asyncio.sleep(5)
        ann = await world.user("ann", "b", ["news"], resume=True)
        assert not ann.was_resumed
        assert ann.publish("news", 5) >= 4 + GAP
        bob.publish("news", "to ann")
        await asyncio.sleep(5)
        assert world.got["bob"] == [("ann", body) for body in range(6)]
        assert world.got["ann"] == [("bob", "to ann")]

    live(story)


def test_a_user_is_heard_by_those_whose_broker_did_not_answer_when_it_began_again():
    """The broker that it comes to cannot ask them which numbers they know."""

    async def story(world):
        ann = await world.user("ann", "a", ["news"])
        await world.user("bob", "b", ["news"])
        for body in range(5):
            ann.publish("news", body)
        await asyncio.sleep(3)
        await ann.stop()
        await world.brokers.pop("a").stop()
        pairs = [("b", "c"), ("c", "b"), ("b", "ann"), ("ann", "b")]
        for pair in pairs:
            world.transport.cut(*pair)
        await asyncio.sleep(5)
        ann = await world.user("ann", "c", ["news"], resume=True)
        for body in range(5, 10):
            ann.publish("news", body)
        for pair in pairs:
            world.transport.repair(*pair)
        await asyncio.sleep(10)
        assert world.got["bob"] == [("ann", body) for body in range(10)]

    live(story)


def test_a_user_is_heard_by_those_that_lost_their_broker_when_it_began_again():
    """The broker that died is back at once and knows nothing; those that remember have not found it yet."""

    async def story(world):
        ann = await world.user("ann", "a", ["news"])
        await world.user("bob", "a", ["news"])
        for body in range(5):
            ann.publish("news", body)
        await asyncio.sleep(3)
        await ann.stop()
        await world.brokers["a"].stop()
        world.brokers["a"] = Broker("a", "abc", world.transport)
        await world.brokers["a"].start()
        ann = await world.user("ann", "a", ["news"], resume=True)
        for body in range(5, 10):
            ann.publish("news", body)
        await asyncio.sleep(10)
        assert world.got["bob"] == [("ann", body) for body in range(10)]

    live(story)


def test_a_user_that_changes_its_channels_gets_what_is_published_from_then_on():
    """Nothing that it had subscribed to is lost, and nothing old comes on the new channel."""

    async def story(world):
        ann = await world.user("ann", "a", ["news"])
        bob = await world.user("bob", "b", [])
        for number in range(10):
            bob.publish("news", ("news", number))
            bob.publish("sport", ("sport", number))
        await asyncio.sleep(1)
        await ann.subscribe(["news", "sport"])
        bob.publish("sport", ("sport", 10))
        await asyncio.sleep(0.5)  # it is not asked for what is missing: that would take longer
        assert [body for _, body in world.got["ann"]] == [("news", number) for number in range(10)] + [("sport", 10)]
        await ann.subscribe(["sport"], [{"x": (0, 1)}])
        bob.publish("news", "unwanted")
        bob.publish("sport", "outside", {"x": 2})
        bob.publish("sport", "inside", {"x": 1})
        await asyncio.sleep(5)
        assert world.got["ann"][11:] == [("bob", "inside")]

    live(story)


def test_a_broker_that_has_not_heard_of_a_change_hides_nothing():
    """It sends publications with the number before them on the channels that the user had wanted until then."""

    async def story(world):
        ann = await world.user("ann", "a", ["news"])
        bob = await world.user("bob", "b", [])
        bob.publish("news", 0)
        await asyncio.sleep(1)
        pairs = [("a", "b"), ("b", "a")]
        for pair in pairs:
            world.transport.cut(*pair)
        await asyncio.sleep(5)
        await ann.subscribe(["news", "sport"])
        for number in range(1, 101):
            if number == 20:
                for pair in pairs:
                    world.transport.repair(*pair)
            bob.publish(["sport", "news"][number % 2], number)
            await asyncio.sleep(0.05)
        await asyncio.sleep(10)
        assert [body for _, body in world.got["ann"]] == list(range(101))

    live(story)


def test_a_user_without_memory_hands_out_nothing_before_it_knows_what_it_has_seen():
    """What comes before the answer to its registration is kept until then."""

    async def story(world):
        bob = await world.user("bob", "b", [])
        ann = await world.user("ann", "a", ["news"])
        bob.publish("news", 0)
        await asyncio.sleep(3)
        await ann.stop()
        bob.publish("news", 1)
        again = User("ann", "a", ["news"], world.transport, known="abc", received=note(world.got["ann"]), resume=True)
        world.users["ann"] = again
        for number, previous in (0, -1), (2, 1):
            publication = {"publisher": "bob", "number": number, "channel": "news", "body": number}
            again._on_deliver({"kind": "deliver", "previous": previous, "publication": publication})
        await again.start()
        bob.publish("news", 2)
        await asyncio.sleep(5)
        assert world.got["ann"] == [("bob", number) for number in range(3)]

    live(story)


def test_an_attempt_to_register_is_no_former_life():
    """The broker has registered the user, but its answer is lost. When the user asks again, all that the broker
    remembers is the first attempt, and that must not count as a resumption.
    """

    async def story(world):
        world.transport.cut("a", "b")  # so that it takes some seconds to give up waiting for b
        ann = User("ann", "a", ["news"], world.transport, resume=True)
        world.users["ann"] = ann
        starting = asyncio.create_task(ann.start())
        await asyncio.sleep(1)
        assert world.brokers["a"].users == ["ann"]
        world.transport.cut("a", "ann")
        await asyncio.sleep(8)
        assert not starting.done() and world.brokers["a"].users == []
        world.transport.repair("a", "ann")
        await starting
        assert not ann.was_resumed

    live(story)


def test_a_crashed_user_is_remembered_for_a_minute_and_no_longer():
    """After that, no table holds its name."""

    async def story(world):
        ann = await world.user("ann", "a", ["news"])
        await asyncio.sleep(2)
        await ann.stop()
        await asyncio.sleep(50)
        assert all(broker.place == {} for broker in world.brokers.values())
        assert world.brokers["a"].num_known == 1
        await asyncio.sleep(100)
        assert all(broker.num_known == 0 for broker in world.brokers.values())

    live(story)


def test_a_user_that_leaves_without_having_published_is_missed_by_nobody():
    """All brokers hear of it, although its own has nothing of it to keep."""

    async def story(world):
        ann = await world.user("ann", "a", ["news"])
        await asyncio.sleep(2)
        assert await ann.leave()
        await asyncio.sleep(2)
        assert all(broker.place == {} for broker in world.brokers.values())
        await asyncio.sleep(70)
        assert all(broker.num_known == 0 for broker in world.brokers.values())

    live(story)


def test_the_answers_of_brokers_are_combined():
    """The latest pair of numbers counts, whichever broker is heard first."""
    registration = Registration(1, {"a", "b"}, [])
    registration.heard("a", {"ann": (3, 5)}, 7)
    registration.heard("b", {"ann": (-1, 6), "bob": (1, 2)}, 4)
    assert registration.start == {"ann": (3, 6), "bob": (1, 2)}
    assert registration.last_number == 7 and registration.is_new and not registration.missing


def test_numbers_begin_where_nobody_remembers_higher_ones():
    """If some brokers did not answer, above the time; otherwise above the known numbers, or after the last of its
    own.
    """
    registration = Registration(1, {"a", "b"}, [], last_number=7)
    assert first_number(registration, 7) is None and first_number(registration, 6) == 7 + GAP
    waiting = Registrations()
    waiting["ann"] = registration
    waiting.lose("c")
    assert registration.is_certain
    waiting.lose("b")
    before = time.time() * 1e6 - 1
    assert before < first_number(registration, 7) < MOST_WHOLE


def test_a_registration_waits_for_its_former_broker_no_longer_than_it_lives():
    """Or than some seconds."""
    waiting = Registrations()
    waiting.recall({"visit": 1}, "ann", "a", now=0.0)
    assert waiting.unanswered(1.0) == [] == waiting.unanswered(1.0, lost="b")
    assert waiting.recalled("ann", 2) is None
    assert waiting.unanswered(1.0, lost="a") == [("ann", {"visit": 1})]
    waiting.recall({"visit": 3}, "ann", "a", now=0.0)
    assert waiting.recalled("ann", 3) == {"visit": 3} and waiting.unanswered(99.0) == []
