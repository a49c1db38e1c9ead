"""Instance: which users publish and want what, the prices of links, and the capacities of brokers."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from topicweave.content import validation
from topicweave.content.capacity import SLACK, as_capacity, check_demand
from topicweave.model.labels import numbers_by_label
from topicweave.parameters import check_kind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

# with at most this many brokers, the cheapest trees over all sets of brokers are computed in advance, in a few
# milliseconds
_MOST_TABLED = 12
_ARRAYS = ("publish", "subscribe", "access_price", "core_price", "capacity")


@dataclass(frozen=True, eq=False)
class Instance:
    """A problem of content-based publish/subscribe (CONTENT §II, with the channels of §IV-A), validated and immutable.

    Parameters
    ----------
    publish
        Users × channels: the rate at which each user publishes on each channel.
    subscribe
        Users × channels: whether a user wants a channel.
    access_price
        Users × brokers: the price of a unit of traffic between user and broker; infinite if the user cannot reach the
        broker.
    core_price
        Brokers × brokers: the same on the link between two brokers; infinite if there is no link. Prices that differ by
        direction are replaced by their mean, and traffic takes a detour that is cheaper than a link; ``notes`` say so.
    capacity
        The most traffic (in and out, of its users) each broker can carry; a single number for all
        brokers, or one number per broker.
    users, brokers, channels
        Labels; numbers by default.

    Raises
    ------
    InputError
        Arrays whose shapes do not match; negative, missing or infinite values; brokers that cannot reach each other.
    InfeasibleError
        All brokers together cannot carry the demand, a user needs more than any broker it can reach has, or it can
        reach none.

    Examples
    --------
    >>> Instance([[1, 0], [0, 2]], [[0, 1], [1, 0]], access_price=[[1], [1]], core_price=[[0]], capacity=9)
    Instance(2 users, 1 broker, 2 channels)
    """

    publish: NDArray[np.float64] = field(repr=False)
    subscribe: NDArray[np.bool_] = field(repr=False)
    access_price: NDArray[np.float64] = field(repr=False)
    core_price: NDArray[np.float64] = field(repr=False)
    capacity: NDArray[np.float64] = field(repr=False)
    users: Sequence[str] = ()
    brokers: Sequence[str] = ()
    channels: Sequence[str] = ()
    notes: tuple[str, ...] = ()

    def __init__(
        self,
        publish: ArrayLike,
        subscribe: ArrayLike,
        access_price: ArrayLike,
        core_price: ArrayLike,
        capacity: ArrayLike,
        *,
        users: Sequence[Any] | None = None,
        brokers: Sequence[Any] | None = None,
        channels: Sequence[Any] | None = None,
    ) -> None:
        given = validation.as_matrix(publish, "publish", "users × channels")
        num_users, num_channels = given.shape
        access = validation.as_matrix(access_price, "access_price", "users × brokers", rows=(num_users, "users"))
        num_brokers = access.shape[1]
        validation.check_sizes(num_users, num_brokers, num_channels)
        names = {
            "users": validation.label_all(users, num_users, "user"),
            "brokers": validation.label_all(brokers, num_brokers, "broker"),
            "channels": validation.label_all(channels, num_channels, "channel"),
        }
        validation.check_values(given, "publish", names["users"], names["channels"], ("user", "channel"))
        validation.check_values(
            access, "access_price", names["users"], names["brokers"], ("user", "broker"), may_be_infinite=True
        )
        validation.check_reachable(access, names["users"])
        core, notes = validation.as_core_price(core_price, names["brokers"])
        arrays = {
            "publish": given,
            "subscribe": validation.as_subscriptions(subscribe, given.shape, names["users"], names["channels"]),
            "access_price": access,
            "core_price": core,
            "capacity": as_capacity(capacity, names["brokers"]),
        }
        for name, value in {**arrays, **names}.items():
            object.__setattr__(self, name, value)
        for array in arrays.values():
            array.setflags(write=False)
        paths = validation.describe_paths(core, self.path_price, names["brokers"])
        object.__setattr__(self, "notes", (*notes, *paths))
        check_demand(self.need, self.capacity, access, self.users)

    @property
    def num_users(self) -> int:
        return len(self.users)

    @property
    def num_brokers(self) -> int:
        return len(self.brokers)

    @property
    def num_channels(self) -> int:
        return len(self.channels)

    @cached_property
    def _paths(self) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        price, before = validation.cheapest_paths(self.core_price)
        price.setflags(write=False)
        before.setflags(write=False)
        return price, before

    @property
    def path_price(self) -> NDArray[np.float64]:
        """The price of the cheapest path between any two brokers, which may lead through others (brokers × brokers)."""
        return self._paths[0]

    @property
    def path_before(self) -> NDArray[np.int64]:
        """The broker before the target on the cheapest path between any two brokers; the source if they are linked
        directly.
        """
        return self._paths[1]

    @cached_property
    def steiner_table(self) -> NDArray[np.float64]:
        """For every set of brokers and every single broker, the weight of the cheapest tree that joins them; sets are
        coded as bits.

        No rows if there are many brokers.
        """
        from topicweave.kernels.content.relays import steiner_table

        if self.num_brokers > _MOST_TABLED:
            return np.empty((0, self.num_brokers))
        table: NDArray[np.float64] = steiner_table(self.path_price, np.arange(self.num_brokers), self.num_brokers)
        return table

    @cached_property
    def reaches_all(self) -> bool:
        """Whether every user can reach every broker."""
        return bool(np.isfinite(self.access_price).all())

    @cached_property
    def rate(self) -> NDArray[np.float64]:
        """The publishing rates ``publish``, but 0 on channels to which no other user subscribes."""
        num_wanting = self.subscribe.sum(axis=0)
        rate = np.where(num_wanting - self.subscribe > 0, self.publish, 0.0)
        rate.setflags(write=False)
        return rate

    @cached_property
    def outflow(self) -> NDArray[np.float64]:
        """The rate at which each user sends (``b_out`` in the paper)."""
        return np.asarray(self.rate.sum(axis=1))

    @cached_property
    def inflow(self) -> NDArray[np.float64]:
        """The rate at which each user receives, not counting its own publications (``b_in`` in the paper)."""
        own = np.einsum("ic,ic->i", self.rate, self.subscribe)
        # The difference of two large sums may be slightly negative where it should be zero.
        return np.asarray(np.maximum(self.subscribe @ self.rate.sum(axis=0) - own, 0.0))

    @cached_property
    def need(self) -> NDArray[np.float64]:
        """How much of a broker's capacity each user needs, for sending and receiving."""
        need = self.inflow + self.outflow
        need.setflags(write=False)
        return need

    @cached_property
    def limit(self) -> NDArray[np.float64]:
        """The capacities plus a small allowance for rounding errors; methods compare loads with these."""
        return np.asarray(self.capacity * (1 + SLACK))

    @cached_property
    def by_need(self) -> NDArray[np.int64]:
        """The users in descending order of traffic; users with equal traffic in order of number."""
        # Round, because users who want everything have the same total traffic except for rounding errors.
        steps = np.round(self.need / max(float(self.need.max()), 1e-300) * 2.0**40)
        return np.argsort(-steps, kind="stable").astype(np.int64)

    @cached_property
    def user_numbers(self) -> dict[str, int]:
        return numbers_by_label(self.users)

    def replace(self, **changes: Any) -> Instance:
        """A copy of the instance with some arrays or labels replaced."""
        kept = {name: getattr(self, name) for name in (*_ARRAYS, "users", "brokers", "channels")}
        return Instance(**{**kept, **changes})

    def __getstate__(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in (*_ARRAYS, "users", "brokers", "channels", "notes")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        for name in _ARRAYS:
            getattr(self, name).setflags(write=False)  # pickle and deepcopy make the arrays writable again

    def __repr__(self) -> str:
        sizes = ((self.num_users, "user"), (self.num_brokers, "broker"), (self.num_channels, "channel"))
        return f"Instance({', '.join(f'{n} {what}' + ('s' if n != 1 else '') for n, what in sizes)})"


def check_instance(given: Any, who: str) -> None:
    """Raise an error if the argument is not an instance."""
    check_kind(given, Instance, f"{who} needs an Instance", "build one first")
