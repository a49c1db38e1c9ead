"""A trial: brokers and users live through a schedule in simulated time; what is seen from outside is recorded."""

import asyncio
from collections import Counter
from unittest import mock

from tests.content.protocol import simulated_time
from tests.content.protocol.oracle import ASKED, Life, Record, judge, late
from tests.content.protocol.rough_transport import RoughTransport
from tests.content.protocol.schedules import Event
from topicweave.content.protocol import Broker, User, log

PATIENCE = 150.0  # seconds after the last publication in which everything has to arrive
REPEATS = 8.0  # seconds to wait for what comes twice


class Trial:
    """One schedule, run once."""

    def __init__(self, schedule):
        self.schedule = schedule
        everyday = schedule.loss, schedule.repeat, schedule.delay, schedule.straggle
        self.transport = RoughTransport(*everyday, seed=schedule.seed)
        self.record = Record()
        self.brokers, self.users = {}, {}
        self.wall_clock = 1e9  # what time.time() says, less the loop's time
        self._counts = Counter()
        self._tasks = []

    def run(self):
        """Returns the record; errors in any actor are raised."""

        def now():
            return self.wall_clock + asyncio.get_running_loop().time()

        with (
            mock.patch("time.time", now),
            mock.patch("time.time_ns", lambda: int(now() * 1e9)),
            mock.patch.object(log, "KEPT", self.schedule.kept),
        ):
            simulated_time.run(self._live())
        return self.record

    async def _live(self):
        loop = asyncio.get_running_loop()
        for name in self.schedule.brokers:
            await self._begin(name)
        for name in self.schedule.users:
            if name not in self.schedule.late:
                self._befall(Event(0.0, "join", (name,)))
        for time, user, channel in self.schedule.publications:
            loop.call_at(time, self._publish, user, channel)
        for event in self.schedule.events:
            loop.call_at(event.time, self._befall, event)
        calm = self.schedule.calm + sum(event.amount for event in self.schedule.events if event.kind == "leap")
        await self._until(calm + ASKED + self.schedule.ttl)
        self.late = list(late(self.record, calm, loop.time()))
        await self._until(max(self.schedule.end, self.schedule.publications[-1][0]) + ASKED)
        for name, user in self.users.items():
            for channel in user.channels:
                self._publish(name, channel)
        await self._settle()
        self.num_stuck = sum(not task.done() for task in self._tasks)
        for actor in (*self.users.values(), *self.brokers.values()):
            await actor.stop()
        for task in self._tasks:
            task.cancel()
        for error in await asyncio.gather(*self._tasks, return_exceptions=True):
            if isinstance(error, Exception):
                raise error

    async def _until(self, time):
        while (now := asyncio.get_running_loop().time()) < time:
            self.record.places.append((now, {name: user.broker for name, user in self.users.items()}))
            await asyncio.sleep(1.0)

    async def _settle(self):
        """Wait until everything has arrived and all brokers know where every user is."""
        loop = asyncio.get_running_loop()
        end = loop.time() + PATIENCE
        while loop.time() < end and not (self._all_has_arrived() and self._all_is_known()):
            await asyncio.sleep(2.0)
        await asyncio.sleep(REPEATS)
        self.is_settled = self._all_is_known()
        self.num_forgotten = sum(user.num_forgotten for user in self.users.values())

    def _all_has_arrived(self):
        return not judge(self.record).lost

    def _all_is_known(self):
        places = {name: user.broker for name, user in self.users.items()}
        return all(broker.place == places for broker in self.brokers.values())

    # ---- what happens -----------------------------------------------------------------------------------------

    def _befall(self, event):
        task = asyncio.get_running_loop().create_task(getattr(self, f"_{event.kind}")(event))
        self._tasks.append(task)

    def _disturb(self, lasts=0.0):
        """Something is wrong from now on; after a leap, that is later than the schedule says."""
        now = asyncio.get_running_loop().time()
        self.record.disturbed.append((now, now + lasts))

    async def _begin(self, name):
        self.brokers[name] = Broker(name, self.schedule.brokers, self.transport, ttl=self.schedule.ttl)
        await self.brokers[name].start()

    async def _join(self, event):
        (name,) = event.actors
        broker, channels = self.schedule.users[name]
        life = self.record.lives[name] = Life(channels)
        got = self.record.handed_out[name] = []
        user = self.users[name] = User(
            name,
            broker,
            channels,
            self.transport,
            known=() if name in self.schedule.loyal else self.schedule.brokers,
            received=lambda publisher, number, channel, body: got.append((publisher, body)),
        )
        await user.start()
        life.registered = len(self.record.published)

    def _publish(self, name, channel):
        if name in self.users and self.record.lives[name].registered is not None:
            count = self._counts[name]
            self._counts[name] += 1
            self.record.published[name, count] = asyncio.get_running_loop().time(), channel
            self.users[name].publish(channel, count)

    async def _split(self, event):
        now = asyncio.get_running_loop().time()
        self.record.splits.append((now, now + event.lasts, event.actors))
        await self._part(event)

    async def _cut(self, event):
        self._disturb(event.lasts)
        await self._part(event)

    async def _part(self, event):
        for pair in event.actors:
            self.transport.cut(*pair)
        await asyncio.sleep(event.lasts)
        for pair in event.actors:
            self.transport.repair(*pair)

    async def _death(self, event):
        (name,) = event.actors
        if name not in self.brokers or (event.lasts is None and len(self.brokers) == 1):
            return  # it is dead already, or the last one
        self._disturb(event.lasts or 0.0)
        self.record.deaths.append((asyncio.get_running_loop().time(), name))
        await self.brokers.pop(name).stop()
        if event.lasts is not None:
            await asyncio.sleep(event.lasts)
            await self._begin(name)

    async def _slow(self, event):
        self._disturb(event.lasts)
        self.transport.slow(event.actors[0], event.amount)
        await asyncio.sleep(event.lasts)
        self.transport.slow(event.actors[0], -event.amount)

    async def _clock(self, event):
        self.wall_clock += event.amount

    async def _leap(self, event):
        self._disturb(event.amount)
        asyncio.get_running_loop().leap(event.amount)

    async def _move(self, event):
        user, target = event.actors
        broker = self.brokers.get(self.users[user].broker) if user in self.users else None
        if broker is not None and broker.name != target:
            await broker.move(user, target)

    def _go(self, name):
        """Only users that have joined go, and two stay."""
        if len(self.users) <= 2 or self.record.lives.get(name, Life(())).registered is None or name not in self.users:
            return None
        user, life = self.users.pop(name), self.record.lives[name]
        life.gone, life.broker = asyncio.get_running_loop().time(), user.broker
        return user

    async def _leave(self, event):
        user = self._go(event.actors[0])
        if user is not None:
            self.record.lives[user.name].was_let_go = await user.leave()
            self.record.lives[user.name].broker = user.broker

    async def _crash(self, event):
        user = self._go(event.actors[0])
        if user is not None:
            await user.stop()
