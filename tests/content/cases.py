"""Random small instances whose numbers are sums of powers of two, so that ties are real and sums are exact."""

from __future__ import annotations

import numpy as np

from topicweave.content import Instance
from topicweave.content.validation import metric_closure


def dyadic(seed: int, num_users: int = 6, num_brokers: int = 3, num_channels: int = 3, spare: float = 2.0) -> Instance:
    """An instance with multiples of 1/8 everywhere; many ties."""
    rng = np.random.default_rng(seed)
    publish = rng.integers(0, 5, (num_users, num_channels)) * (rng.random((num_users, num_channels)) < 0.6) / 8
    subscribe = rng.random((num_users, num_channels)) < 0.5
    access = rng.integers(0, 9, (num_users, num_brokers)) / 8
    core = np.triu(rng.integers(1, 9, (num_brokers, num_brokers)), 1) / 8
    core = metric_closure(core + core.T)
    free = Instance(publish, subscribe, access, core, np.inf)
    return free.replace(capacity=max(spare * free.need.sum() / num_brokers, free.need.max() * 1.01))


def smooth(seed: int, num_users: int = 6, num_brokers: int = 3, num_channels: int = 3, **more: float) -> Instance:
    """The paper's kind of instance, without ties; core prices from very small to very large."""
    from topicweave.content import evaluation_instance

    ratio = float(np.random.default_rng(seed).choice([0.02, 0.1, 1, 10]))
    return evaluation_instance(num_users, num_brokers, num_channels, price_ratio=ratio, seed=seed, **more)


SMALL = [dyadic(seed, 3 + seed % 6, 1 + seed % 4, 1 + seed % 5) for seed in range(60)]


def broken(seed: int, most_users: int = 8, most_brokers: int = 4, most_channels: int = 3) -> Instance:
    """A random instance, one in two with core links and access links missing; capacity from ample to tight.

    Core prices are as drawn: many are above the price of a detour.
    """
    rng = np.random.default_rng([seed, 21])
    sizes = ((2, most_users), (1, most_brokers), (1, most_channels))
    users, brokers, channels = (int(rng.integers(low, high + 1)) for low, high in sizes)
    publish = rng.integers(0, 9, (users, channels)) * (rng.random((users, channels)) < 0.5) / 4
    subscribe = rng.random((users, channels)) < rng.choice([0.3, 0.6])
    access = rng.integers(0, 17, (users, brokers)) / 8 if seed % 3 else rng.random((users, brokers)) * 2
    core = np.triu(rng.random((brokers, brokers)) * rng.choice([0.3, 1, 4]), 1)
    core = core + core.T
    if seed % 2:
        links = np.triu(rng.random((brokers, brokers)) < 0.4, 1)
        order = rng.permutation(brokers)
        links[np.minimum(order[1:], order[:-1]), np.maximum(order[1:], order[:-1])] = False  # a path stays
        core[links | links.T] = np.inf
        reached = rng.random((users, brokers)) < 0.7
        reached[np.arange(users), rng.integers(0, brokers, users)] = True
        access = np.where(reached, access, np.inf)
    free = Instance(publish, subscribe, access, core, np.inf)
    spare = rng.choice([1.3, 2.0, 4.0])
    return free.replace(capacity=max(spare * free.need.sum() / brokers, free.need.max() * 1.01))
