"""A soak with real processes: ``python -m tests.content.processes.soak --minutes 10`` prints what the oracle says.

Broker processes on this machine decide who moves where; some are killed by ``kill -9`` and return later. Users in this
process publish over TCP, join, leave, and restart without their memory under their names.
"""

import argparse
import asyncio
import contextlib
import random
import signal
import sys
import tempfile
from collections import Counter
from pathlib import Path

import topicweave as tw
from tests.content.processes.local import free_ports
from tests.content.protocol.oracle import Life, Record, Restart, judge
from topicweave.content.processes import NetworkPlan
from topicweave.content.processes.launcher import Launcher

PATIENCE = 300.0  # seconds for a registration, or until everything has arrived, on a machine that may be busy
JOINING = 10  # users that register at the same time at the beginning
QUIET = 30.0  # if nothing arrives for so many seconds after the end, nothing more will
SETTLING = 60.0  # seconds before the end in which nobody dies, leaves or restarts


class Soak:
    """Brokers as processes, users as clients, and a record of all that they publish and receive."""

    def __init__(self, num_brokers, num_users, seconds, *, deaths=3, rate=0.5, window=20.0, seed=0):
        self.rng = random.Random(seed)
        self.num_users, self.seconds, self.num_deaths, self.rate, self.window = num_users, seconds, deaths, rate, window
        self.market = tw.content.sparse_instance(num_users, num_brokers, max(num_users // 10, 2), seed=seed)
        plan = tw.content.assign(self.market, "random", seed=seed)
        ports, web = free_ports(num_brokers), free_ports(num_brokers)
        self.plan = NetworkPlan.of(
            plan, addresses={name: f"127.0.0.1:{port}" for name, port in zip(self.market.brokers, ports, strict=True)}
        )
        self.web = {name: f"127.0.0.1:{port}" for name, port in zip(self.market.brokers, web, strict=True)}
        self.record, self.clients, self.counts = Record(), {}, Counter()
        self.roles = {user: user for user in self.market.users}  # whose rates, prices and channels a user has
        self.events = Counter()
        self.latest = 0.0  # when something arrived

    async def run(self):
        """Returns the record."""
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "network.json"
            self.plan.write(file)
            self.launcher = Launcher(self.plan, file, self.web, ["--window", str(self.window)])
            try:
                await self.launcher.start()
                print(f"{len(self.plan.brokers)} brokers listen", flush=True)
                joining = asyncio.Semaphore(JOINING)
                await asyncio.gather(*(self._join(user, joining) for user in self.market.users))
                print(f"{len(self.clients)} users are registered", flush=True)
                self.end = self._now() + self.seconds
                watching = asyncio.create_task(self._watch())
                await asyncio.gather(self._publish(), self._kill(), self._churn())
                await self._settle()
                watching.cancel()
                states = await self.launcher.states()
                self.events["moved by brokers"] = sum(state["moved"] for state in states.values())
            finally:
                for client in self.clients.values():
                    await client.user.stop()
                await self.launcher.stop()
        return self.record

    def _now(self):
        return asyncio.get_running_loop().time()

    def _wanted(self, user):
        return [
            channel
            for c, channel in enumerate(self.market.channels)
            if self.market.subscribe[self.market.user_numbers[self.roles[user]], c]
        ]

    def _client(self, user, resume=False):
        got, times = self.record.handed_out.setdefault(user, []), self.record.times.setdefault(user, [])

        def receive(publication):
            got.append((publication.publisher, publication.body))
            self.latest = self._now()
            times.append(self.latest)

        role = self.roles[user]
        addresses = [self.plan.addresses[self.plan.homes[role]], *self.plan.addresses.values()]
        return tw.content.connect(
            addresses,
            user,
            channels=self._wanted(user),
            received=receive,
            prices=None if user in self.plan.prices else self.plan.prices[role],
            resume=resume,
            patience=PATIENCE,
        )

    async def _join(self, user, joining):
        async with joining:
            life = self.record.lives[user] = Life(tuple(self._wanted(user)))
            client = self._client(user)
            await client.__aenter__()
        self.clients[user] = client
        life.registered = len(self.record.published)

    async def _publish(self):
        """Each user publishes what the market says, at the given rate on average."""
        pause = 1 / (self.rate * self.num_users)
        while self._now() < self.end:
            user = self.rng.choice(list(self.clients))
            rates = self.market.publish[self.market.user_numbers[self.roles[user]]]
            self._publish_one(user, self.market.channels[int(rates.argmax())])
            await asyncio.sleep(self.rng.expovariate(1 / pause))

    def _publish_one(self, user, channel):
        count = self.counts[user]
        self.counts[user] += 1
        self.record.published[user, count] = self._now(), channel
        self.clients[user].publish(channel, count)

    async def _kill(self):
        for number in range(self.num_deaths):
            await asyncio.sleep(max(self.seconds - SETTLING, self.seconds / 2) / (self.num_deaths + 1))
            victim = self.plan.brokers[number % len(self.plan.brokers)]
            process = self.launcher.processes[victim]
            process.send_signal(signal.SIGKILL)
            await process.wait()
            self.events["brokers killed"] += 1
            now, lasts = self._now(), self.rng.uniform(1, 15)
            self.record.deaths.append((now, victim))
            self.record.disturbed.append((now, now + lasts))
            await asyncio.sleep(lasts)
            await self.launcher.start_one(victim)

    async def _churn(self):
        """Every few seconds a user leaves and a new one comes, or one restarts."""
        number = 0
        while self._now() < self.end - min(SETTLING, self.seconds / 2):
            await asyncio.sleep(self.seconds / 60)
            user = self.rng.choice(list(self.clients))
            client, life = self.clients.pop(user), self.record.lives[user]
            if number % 2:
                life.gone, life.broker = self._now(), client.user.broker
                life.was_let_go = await client.leave()
                self.events["left"] += 1
                new = f"new {number}"
                self.roles[new] = self.roles[user]
                await self._join(new, contextlib.nullcontext())
                self.events["joined"] += 1
            else:
                await client.user.stop()
                crash = self._now()
                self.record.begun.setdefault(user, []).append(len(self.record.handed_out[user]))
                again = self._client(user, resume=True)
                await again.__aenter__()
                restart = Restart(crash, client.user.broker, self._now(), len(self.record.published))
                restart.was_resumed = again.user.was_resumed
                life.restarts.append(restart)
                self.events["restarted"] += 1
                self.events["resumed"] += again.user.was_resumed
                self.clients[user] = again
            number += 1

    async def _watch(self):
        """Note every second who is where."""
        while True:
            self.record.places.append((self._now(), {name: one.user.broker for name, one in self.clients.items()}))
            await asyncio.sleep(1.0)

    async def _settle(self):
        """Wait until nothing has arrived for a while: brokers ask for what is missing at least every six seconds."""
        until = self._now() + PATIENCE
        while self._now() < min(until, self.latest + QUIET):
            await asyncio.sleep(1)


def main(arguments=None):
    """Run a soak; the exit code says whether anything was lost, repeated or out of order."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--brokers", type=int, default=10)
    parser.add_argument("--users", type=int, default=300)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--deaths", type=int, default=3)
    parser.add_argument("--rate", type=float, default=0.5, help="publications of each user a second")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(arguments)
    soak = Soak(
        options.brokers,
        options.users,
        60 * options.minutes,
        deaths=options.deaths,
        rate=options.rate,
        seed=options.seed,
    )
    verdict = judge(asyncio.run(soak.run()))
    print(verdict)
    print(
        ", ".join(f"{name} {number}" for name, number in soak.events.items()),
        f"publications {len(soak.record.published)}",
    )
    return 0 if verdict.is_good else 1


if __name__ == "__main__":
    sys.exit(main())
