"""Keeps users at their current brokers if possible: overloaded brokers give up users, and users without a broker get
one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from topicweave.content.capacity import no_room
from topicweave.errors import InfeasibleError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from topicweave.content.instance import Instance


def current_brokers(instance: Instance, current: Mapping[str, str]) -> NDArray[np.int64]:
    """The number of each user's current broker; -1 if it has none, or if that broker is gone or out of reach."""
    number = {name: j for j, name in enumerate(instance.brokers)}
    placed = np.array([number.get(current.get(user, ""), -1) for user in instance.users], dtype=np.int64)
    price = instance.access_price[np.arange(instance.num_users), placed]
    return np.where(np.isfinite(price), placed, -1)


def loads(instance: Instance, broker: NDArray[np.int64]) -> NDArray[np.float64]:
    """The load of each broker; users whose broker is -1 have none and count nowhere."""
    is_placed = broker >= 0
    load = np.bincount(broker[is_placed], weights=instance.need[is_placed], minlength=instance.num_brokers)
    return load.astype(np.float64)


def leaving_users(instance: Instance, home: NDArray[np.int64]) -> NDArray[np.int64]:
    """The users that must leave their current brokers, because those are overloaded.

    Of each broker as few as possible leave: those with most traffic, and last the one of those that suffice whose
    access elsewhere costs least. A user that can reach no other broker stays.
    """
    users = instance.by_need[home[instance.by_need] >= 0]
    load = loads(instance, home)
    leaving: list[int] = []
    for j in np.flatnonzero(load > instance.limit):
        others = np.delete(np.arange(instance.num_brokers), j)
        guests = users[home[users] == j]
        guests = guests[np.isfinite(instance.access_price[np.ix_(guests, others)]).any(axis=1)]
        if not len(guests):
            continue
        need = instance.need[guests]
        extra = need * (instance.access_price[np.ix_(guests, others)].min(axis=1) - instance.access_price[guests, j])
        gone, excess = 0, load[j] - instance.limit[j]
        while gone < len(guests) and need[gone] < excess:
            excess -= need[gone]
            gone += 1
        leaving += guests[:gone].tolist()
        enough = gone + np.flatnonzero(need[gone:] >= excess)
        if len(enough):
            leaving.append(int(guests[enough[extra[enough].argmin()]]))
    return np.array(leaving, dtype=np.int64)


def seat(instance: Instance, home: NDArray[np.int64]) -> NDArray[np.int64]:
    """An assignment within capacity in which most users stay at home.

    Users without a broker, and those that must leave an overloaded one, go to the cheapest broker with room, those with
    most traffic first; brokers that have users already come before others, because another broker makes trees larger.
    If none has room for a user, another user makes room by moving; one that has left its home
    anyway if possible.

    Raises
    ------
    InfeasibleError
        No broker has room for a user, not even if one other user moves; or a broker is overloaded by users that can
        reach no other.
    """
    broker = home.copy()
    broker[leaving_users(instance, home)] = -1
    is_placed = broker >= 0
    load = loads(instance, broker)
    over = np.flatnonzero(load > instance.limit)
    if len(over):
        j = over[0]
        raise InfeasibleError(
            f"Broker {instance.brokers[j]!r} has a load of {load[j]:g}, {load[j] - instance.capacity[j]:g} above its "
            f"capacity, from users that can reach no other broker; add capacity."
        )
    is_used = np.bincount(broker[is_placed], minlength=instance.num_brokers) > 0
    for i in instance.by_need[~is_placed[instance.by_need]].tolist():
        price = instance.access_price[i]
        fits = (load + instance.need[i] <= instance.limit) & np.isfinite(price)
        if fits.any():
            fits = fits & is_used if (fits & is_used).any() else fits
            broker[i] = int(np.where(fits, price, np.inf).argmin())
        else:
            other, there = _make_room(instance, home, broker, load, i)
            broker[i] = broker[other]
            load[broker[other]] -= instance.need[other]
            load[there] += instance.need[other]
            broker[other] = there
        load[broker[i]] += instance.need[i]
        is_used[broker[i]] = True
    return broker


def _make_room(
    instance: Instance, home: NDArray[np.int64], broker: NDArray[np.int64], load: NDArray[np.float64], i: int
) -> tuple[int, int]:
    """A user that could move so that user i can have its place, and where it would move to."""
    users = np.flatnonzero(broker >= 0)
    here, need, price = broker[users], instance.need[users], instance.access_price
    makes_room = (load[here] - need + instance.need[i] <= instance.limit[here]) & np.isfinite(price[i, here])
    users, here, need = users[makes_room], here[makes_room], need[makes_room]
    fits = load[None, :] + need[:, None] <= instance.limit[None, :]
    fits[np.arange(len(users)), here] = False
    put = np.where(fits, price[users], np.inf)
    cheapest = put.argmin(axis=1) if len(users) else np.empty(0, dtype=np.int64)
    is_possible = np.isfinite(put[np.arange(len(users)), cheapest])
    if not is_possible.any():
        raise no_room(instance, i, load)
    extra = np.full(len(users), np.inf)
    extra[is_possible] = (
        instance.need[i] * price[i, here] + need * (put[np.arange(len(users)), cheapest] - price[users, here])
    )[is_possible]
    is_home = here == home[users]
    chosen = int(np.lexsort((users, extra, is_home | ~is_possible))[0])
    return int(users[chosen]), int(cheapest[chosen])
