"""A network on this machine, for tests: servers on free ports in one event loop, with the wire in between."""

import asyncio
import contextlib
import random
import socket

import numpy as np

from topicweave.content import assign, sparse_instance
from topicweave.content.processes import NetworkPlan, Server


def free_ports(count):
    """Ports that nobody uses at present, below those that the system gives to connections (32768 and above on Linux):
    otherwise a connection of another process could take one before a broker listens.
    """
    found = []
    while len(found) < count:
        port = random.randrange(10_000, 32_000)
        with contextlib.closing(socket.socket()) as one, contextlib.suppress(OSError):
            one.bind(("127.0.0.1", port))
            found += [port] if port not in found else []
    return found


def plan(num_brokers=3, num_users=12, seed=0):
    """A small planned network on free ports."""
    market = sparse_instance(num_users, num_brokers, 4, seed=seed)
    addresses = {name: f"127.0.0.1:{port}" for name, port in zip(market.brokers, free_ports(num_brokers), strict=True)}
    return NetworkPlan.of(assign(market, "migrate"), addresses=addresses)


@contextlib.asynccontextmanager
async def running(network, **options):
    """The brokers of a network, by name."""
    servers = {name: Server(network, name, **options) for name in network.brokers}
    for server in servers.values():
        await server.start()
    try:
        yield servers
    finally:
        for server in servers.values():
            await server.stop()


async def until(condition, seconds=20):
    """Wait for a condition."""
    async with asyncio.timeout(seconds):
        while not condition():
            await asyncio.sleep(0.01)


def prices(count, seed=0):
    """Symmetric prices between brokers."""
    found = np.triu(np.random.default_rng(seed).random((count, count)), 1)
    return (found + found.T).tolist()
