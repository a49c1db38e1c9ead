"""Plans, inventories and real brokers for the tests of deploy."""

import random

import pytest

import topicweave as tw
from demo.cluster import find_mosquitto, free_ports
from tests.trees.conftest import spread_overlay
from topicweave.deploy.inventory import Broker, Inventory

needs_brokers = pytest.mark.skipif(find_mosquitto() is None, reason="mosquitto is not here; run: make brokers")


def example(num_nodes):
    """The first brokers of examples/brokers.csv."""
    from demo.cluster import CHECKOUT

    rows = [tuple(line.split(",")) for line in (CHECKOUT / "examples/brokers.csv").read_text().split()[1:]]
    nodes = set(sorted({node for node, _ in rows})[:num_nodes])
    return tw.Interest.from_pairs([row for row in rows if row[0] in nodes])


def inventory_of(nodes, real=False):
    nodes = list(nodes)
    ports = free_ports(2 * len(nodes)) if real else range(10_000, 10_000 + 2 * len(nodes))
    return Inventory(Broker(name, "127.0.0.1", ports[2 * i], ports[2 * i + 1]) for i, name in enumerate(nodes))


def random_plan(seed, num_nodes=8, num_topics=6, start=0):
    """An interest with some publishers, trees over a random overlay of it."""
    rng = random.Random(seed)
    nodes = [f"b{v}" for v in range(start, start + num_nodes)]
    topics = [f"p{t % 3}/t{t}" for t in range(num_topics)]
    pairs = [(node, topic) for node in nodes for topic in topics if rng.random() < 0.5] or [(nodes[0], topics[0])]
    publishers = [(node, topic) for node in nodes for topic in topics if rng.random() < 0.1]
    interest = tw.Interest.from_pairs(pairs, publishers=publishers)
    return tw.deploy.trees(interest, spread_overlay(interest, rng))
