"""Random instances with users, brokers and prices: as in the paper's evaluation, or with other choices where the paper
leaves them open.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

import topicweave as tw

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

LARGE = 8_000

READINGS = {
    "plain": "one interval of interest per user; access prices U(0, 1); core prices the metric closure of U(0, 1)",
    "channels": "each user wants each channel with probability 1/2",
    "narrow": "intervals of interest of one channel in a hundred",
    "sparse": "a tenth as many channels as users; each user wants one and publishes on another one",
    "plane": "users and brokers at random places of a square, prices are distances",
    "alike": "access prices U(0.9, 1.1) of their mean: no broker is much nearer than another",
}


@dataclass(frozen=True)
class Market:
    """An instance of CONTENT, complete except for the seed.

    Attributes
    ----------
    num_users, num_brokers
        Sizes. The number of channels is 100, unless the reading says otherwise.
    price_ratio
        Mean access price over mean core price.
    reading
        How the paper is read where it leaves something open: a name of ``READINGS``.
    spare
        The total capacity as a multiple of the demand.
    """

    num_users: int
    num_brokers: int
    price_ratio: float = 1.0
    reading: str = "plain"
    spare: float = 2.0

    @property
    def path(self) -> str:
        reading = "" if self.reading == "plain" else f"_{self.reading}"
        spare = "" if self.spare == 2 else f"_spare-{self.spare:g}"
        return f"content_{self.num_users}x{self.num_brokers}_ratio-{self.price_ratio:g}{reading}{spare}"

    @property
    def is_large(self) -> bool:
        return self.num_users >= LARGE

    @property
    def files(self) -> tuple[str, ...]:
        return ()

    def reduced(self) -> Market:
        return replace(self, num_users=60 if self.is_large else 40, num_brokers=4)


# a cache of one instance is enough, because the methods for the same instance run one after the other
@lru_cache(maxsize=1)
def instance_of(market: Market, seed: int) -> tw.content.Instance:
    """The instance of a market for this seed."""
    draw = tw.content.sparse_instance if market.reading == "sparse" else tw.content.evaluation_instance
    plain = draw(market.num_users, market.num_brokers, price_ratio=market.price_ratio, spare=market.spare, seed=seed)
    if market.reading in ("plain", "sparse"):
        return plain
    return _fitted(plain, market, np.random.default_rng([seed, 1]))


def _fitted(plain: tw.content.Instance, market: Market, rng: np.random.Generator) -> tw.content.Instance:
    """The plain instance with one part drawn differently, and with prices and capacities adjusted to that."""
    subscribe, access, core = plain.subscribe, plain.access_price, plain.core_price
    if market.reading in SUBSCRIPTIONS:
        subscribe = SUBSCRIPTIONS[market.reading](subscribe.shape, rng)
    elif market.reading == "plane":
        users, brokers = rng.random((market.num_users, 2)), rng.random((market.num_brokers, 2))
        access = np.linalg.norm(users[:, None] - brokers[None], axis=2)
        core = np.linalg.norm(brokers[:, None] - brokers[None], axis=2)
        core = core * access.mean() / market.price_ratio / core[np.triu_indices(market.num_brokers, 1)].mean()
    else:
        access = access.mean() * rng.uniform(0.9, 1.1, access.shape)
    free = plain.replace(subscribe=subscribe, access_price=access, core_price=core, capacity=np.inf)
    capacity = max(market.spare * float(free.need.sum()) / market.num_brokers, float(free.need.max()))
    return free.replace(capacity=capacity)


def _half(shape: tuple[int, ...], rng: np.random.Generator) -> NDArray[np.bool_]:
    return rng.random(shape) < 0.5


def _one_in_a_hundred(shape: tuple[int, ...], rng: np.random.Generator) -> NDArray[np.bool_]:
    width = max(1, shape[1] // 100)
    first = rng.integers(0, shape[1] - width + 1, shape[0])[:, None]
    number = np.arange(shape[1])
    return np.asarray((first <= number) & (number < first + width))


SUBSCRIPTIONS: dict[str, Callable[[tuple[int, ...], np.random.Generator], NDArray[np.bool_]]] = {
    "channels": _half,
    "narrow": _one_in_a_hundred,
}
