"""A crowd that moves and publishes while the transport, and brokers, fail: what the protocol's tests put it through."""

import asyncio
import random

from tests.content.protocol import simulated_time
from topicweave.content.protocol import BrokerNetwork, Faults, InProcess

BAD = Faults(delay=0.02, delayed=0.3, repeated=0.2)
LOSSY = Faults(delay=0.02, delayed=0.3, repeated=0.2, lost=0.05)


def run(scenario, make=InProcess):
    """Over real sockets in real time, else in simulated time: the same on a machine that is busy as on an idle one."""
    if make is InProcess:
        return simulated_time.run(asyncio.wait_for(scenario, 10_000))
    return asyncio.run(asyncio.wait_for(scenario, 900))


def crowd(num_users, num_brokers, num_channels=8, wanted=3, seed=0):
    """Users spread over brokers, each with a few channels."""
    rng = random.Random(seed)
    channels = [f"c{c}" for c in range(num_channels)]
    brokers = [f"b{b}" for b in range(num_brokers)]
    users = {f"u{u}": (rng.choice(brokers), rng.sample(channels, wanted)) for u in range(num_users)}
    return brokers, channels, users


def check(network):
    """Nothing lost, repeated, reordered."""
    audit = network.audit
    assert audit.num_expected > 0
    assert (audit.num_lost, audit.num_repeated, audit.num_reordered, audit.num_unexpected) == (0, 0, 0, 0)
    assert not any(user.num_forgotten for user in network.users.values())


async def soak(
    transport,
    num_users,
    num_brokers,
    num_moves,
    *,
    seed=0,
    num_publications=0,
    spares=0,
    dying=0,
    at_once=1,
    cuts=0,
    refusing=0.1,
    movers=8,
    pause=0.01,
    ttl=5.0,
    quiet=300,
):
    """Publications flow while users move at random, so many moves and publications at least; some decline.

    Spare brokers die while being moved to, and ``dying`` brokers, so many ``at_once``, while they serve users. Where a
    transport is cut, in one direction or both, between two actors or around one, actors that live take each other
    for dead.
    """
    rng = random.Random(seed)
    brokers, channels, users = crowd(num_users, num_brokers, seed=seed)
    extra = [f"spare{s}" for s in range(spares)]
    outcomes = {"moved": 0, "declined": 0, "failed": 0}
    network = BrokerNetwork(
        brokers + extra,
        users,
        transport,
        willing=lambda user, target: target in extra or rng.random() > refusing,
        ttl=ttl,
    )
    async with network:
        done = asyncio.Event()

        def numbers():
            return (user.num_published for user in network.users.values())

        async def publish():
            while not done.is_set():
                network.publish(rng.choice(list(users)), rng.choice(channels))
                await asyncio.sleep(pause)

        async def move():
            while outcomes["moved"] < num_moves or sum(numbers()) < num_publications:
                user, target = rng.choice(list(users)), rng.choice(brokers)
                outcome = "failed" if network.home(user) is None else await network.move(user, target)
                outcomes[outcome] += 1
                if outcome == "failed":
                    await asyncio.sleep(0.01)  # some fail at once

        async def murder():
            for spare in extra:
                await asyncio.sleep(0.2)
                victim = rng.choice(list(users))
                await network.brokers[spare].stop()  # dead before the replica arrives, and no other actor knows yet
                assert await network.move(victim, spare) == "failed"

        async def strike():
            while len(brokers) > num_brokers - dying:
                await asyncio.sleep(1.0)
                served = []
                for _ in range(at_once):
                    name = brokers.pop()
                    served += network.brokers[name].users
                    await network.kill(name)
                    await asyncio.sleep(rng.choice([0, 0.01, 0.1]))
                while not all(network.users[user].broker in brokers for user in served):
                    await asyncio.sleep(0.05)  # one after the other

        async def separate():
            for _ in range(cuts):
                await asyncio.sleep(rng.uniform(0, 2))
                one, actors = rng.choice(brokers), [*brokers, *users]
                others = rng.choice([actors, brokers, rng.sample(actors, 3)])
                ways = [(one, other) for other in others], [(other, one) for other in others]
                pairs = [pair for way in rng.choice([ways[:1], ways[1:], ways]) for pair in way]
                for pair in pairs:
                    transport.cut(*pair)
                await asyncio.sleep(rng.uniform(0.5, 6))
                for pair in pairs:
                    transport.repair(*pair)

        publishing = asyncio.create_task(publish())
        await asyncio.gather(*(move() for _ in range(movers)), murder(), strike(), separate())
        done.set()
        await publishing
        await network.quiet(quiet)
        await everybody_knows(network, brokers)
    return network, outcomes


async def everybody_knows(network, brokers):
    """All brokers hear of every move, sooner or later."""
    places = {user: actor.broker for user, actor in network.users.items()}
    while not all(network.brokers[name].place == places for name in brokers):
        await asyncio.sleep(0.1)


if __name__ == "__main__":  # the same with processes, in real time
    from tests.content.processes.soak import main

    raise SystemExit(main())
