"""A trial: brokers and users live through a schedule in simulated time; what is seen from outside is recorded."""

import asyncio
from collections import Counter
from unittest import mock

from tests.content.protocol import simulated_time
from tests.content.protocol.excuses import ASKED
from tests.content.protocol.oracle import Change, Life, Record, Restart, judge, late
from tests.content.protocol.rough_transport import RoughTransport
from tests.content.protocol.schedules import Event
from topicweave.content.protocol import Broker, User, log
from topicweave.content.protocol.trees import PlannedTrees

PATIENCE = 150.0  # seconds after the last publication in which everything has to arrive
REPEATS = 8.0  # seconds to wait for what comes twice


def symmetric(prices):
    """Prices between brokers that are the same in both directions, and nothing on the diagonal."""
    return [[0.0 if i == j else prices[min(i, j)][max(i, j)] for j in range(len(prices))] for i in range(len(prices))]


class Trial:
    """One schedule, run once."""

    def __init__(self, schedule):
        self.schedule = schedule
        everyday = schedule.loss, schedule.repeat, schedule.delay, schedule.straggle
        self.transport = RoughTransport(*everyday, seed=schedule.seed)
        self.record = Record(kept=schedule.kept)
        self.brokers, self.users = {}, {}
        self.wall_clock = 1e9  # what time.time() says, less the loop's time
        self._counts = Counter()
        self._is_changing = Counter()  # users that are changing their subscriptions or restarting
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
        for time, user, channel, *value in self.schedule.publications:
            loop.call_at(time, self._publish, user, channel, *value)
        for event in self.schedule.events:
            loop.call_at(event.time, self._befall, event)
        calm = self.schedule.calm + sum(event.amount for event in self.schedule.events if event.kind == "leap")
        await self._until(calm + ASKED + self.schedule.ttl)
        self.late = list(late(self.record, calm, loop.time()))
        await self._until(max(self.schedule.end, self.schedule.publications[-1][0]) + ASKED)
        for name, user in self.users.items():
            for channel in user.channels:
                self._publish(name, channel, *([0.5] if self.schedule.prices else []))
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
        prices = self.schedule.prices
        trees = None if prices is None else PlannedTrees(self.schedule.brokers, symmetric(prices))
        self.brokers[name] = Broker(name, self.schedule.brokers, self.transport, ttl=self.schedule.ttl, trees=trees)
        await self.brokers[name].start()

    async def _join(self, event):
        (name,) = event.actors
        broker, channels = self.schedule.users[name]
        life = self.record.lives[name] = Life(channels, self.schedule.ranges.get(name))
        self.record.handed_out[name], self.record.times[name] = [], []
        user = self.users[name] = self._new_user(name, broker, life, channels, life.range)
        await user.start()
        life.registered = len(self.record.published)

    def _new_user(self, name, broker, life, channels, values, resume=False):
        def receive(publisher, number, channel, body):
            value = self.record.published[publisher, body][2:]
            user, one = self.users.get(name), (publisher, body)
            self.record.handed_out[name].append(one)
            self.record.times[name].append(asyncio.get_running_loop().time())
            if user is not None and self.schedule.prices is not None:
                inside = user.ranges is None or any(
                    low <= value[0] <= high for low, high in (r["x"] for r in user.ranges)
                )
                if channel not in user.channels or not inside or publisher == name:
                    self.record.unwanted.append((name, *one))

        return User(
            name,
            broker,
            channels,
            self.transport,
            known=() if name in self.schedule.loyal else self.schedule.brokers,
            received=receive,
            ranges=None if values is None else [{"x": values}],
            resume=resume,
        )

    def _publish(self, name, channel, *value):
        if name in self.users and self.record.lives[name].registered is not None:
            count = self._counts[name]
            self._counts[name] += 1
            self.record.published[name, count] = asyncio.get_running_loop().time(), channel, *value
            self.users[name].publish(channel, count, {"x": value[0]} if value else None)

    async def _change(self, event):
        """A user wants something else; while that is being announced, only what it wanted all the time is due."""
        name, channels, values = event.actors
        life = self.record.lives.get(name)
        if name not in self.users or life is None or life.registered is None or self._is_changing[name]:
            return
        self._is_changing[name] = True
        now = asyncio.get_running_loop().time()
        change = Change(now, len(self.record.published), channels, values)
        life.changes.append(change)
        user = self.users[name]
        await user.subscribe(channels, None if values is None else [{"x": values}])
        change.ended = len(self.record.published)
        self._is_changing[name] = False

    async def _restart(self, event):
        """A user crashes, and begins again without its memory under its name."""
        (name,) = event.actors
        life = self.record.lives.get(name)
        if name not in self.users or life is None or life.registered is None or self._is_changing[name]:
            return
        self._is_changing[name] = True
        user = self.users.pop(name)
        await user.stop()
        crash = asyncio.get_running_loop().time()
        await asyncio.sleep(event.lasts)
        self.record.begun.setdefault(name, []).append(len(self.record.handed_out[name]))
        values = user.ranges[0]["x"] if user.ranges else None
        again = self._new_user(name, user.broker, life, user.channels, values, resume=True)
        restart = Restart(crash, user.broker, num_published=len(self.record.published))
        life.restarts.append(restart)
        self.users[name] = again
        life.registered, registered = None, life.registered
        await again.start()
        life.registered = registered
        restart.back, restart.was_resumed = asyncio.get_running_loop().time(), again.was_resumed
        restart.num_published = len(self.record.published)
        self._is_changing[name] = False

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
        if (
            len(self.users) <= 2
            or self._is_changing[name]
            or self.record.lives.get(name, Life(())).registered is None
            or name not in self.users
        ):
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
