"""Table: what a broker knows about all traffic, as arrays, and the moves of its users that lower the cost."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from topicweave.kernels.content.reach import Pricing

_ROUNDS = 8  # how many times to alternate between single users and groups before reporting to the others
_LEAST = 1e-9  # the share of the access cost that a move must save, because less may be a rounding error


class Move(NamedTuple):
    """A move of one of the broker's users: its number, its new broker, and the cost per second saved."""

    user: int
    target: int
    saved: float


class Table(NamedTuple):
    """What a broker knows about all traffic, as arrays.

    ``here`` is the broker's own number. ``access`` (users × brokers), ``need``, ``rate`` (users × channels) and
    ``wanted`` are of its users; ``limit`` and ``load`` are by broker; ``published`` and ``subscribers`` (channels ×
    brokers) are of all users.
    """

    pricing: Pricing
    code: int
    here: int
    access: NDArray[np.float64]
    need: NDArray[np.float64]
    rate: NDArray[np.float64]
    wanted: list[list[int]]
    limit: NDArray[np.float64]
    load: NDArray[np.float64]
    published: NDArray[np.float64]
    subscribers: NDArray[np.int32]

    def moves(self, order: NDArray[np.int64], hysteresis: float) -> list[Move]:
        """Alternate between moves of single users and of groups, as long as they lower the cost by enough.

        The table is changed as if they had been made. ``order`` are the users that may move; the move of a user or a
        group must save the share ``hysteresis`` of its access cost here.
        """
        made: list[Move] = []
        for _ in range(_ROUNDS):
            rest = order[~np.isin(order, [move.user for move in made])]
            singles = self.single_moves(rest, hysteresis)
            rest = rest[~np.isin(rest, [move.user for move in singles])]
            group = self.group_moves(rest, hysteresis) if len(rest) else []
            self._carry_out(group)
            made += singles + group
            if not group:
                break
        return made

    def single_moves(self, order: NDArray[np.int64], hysteresis: float) -> list[Move]:
        """Move each user in turn to the broker where the cost is lowest, if that is an improvement."""
        moves = self._pass(self.access, self.limit, order, self.load, self.published, self.subscribers)
        kept = [
            one for one in moves if one.saved >= hysteresis * self.need[one.user] * self.access[one.user, self.here]
        ]
        self._carry_out([one for one in moves if one not in kept], back=True)
        return kept

    def _carry_out(self, moves: list[Move], *, back: bool = False) -> None:
        """Update loads, rates and subscribers for these moves; with ``back``, undo them."""
        for user, target, _ in moves:
            origin, end = (target, self.here) if back else (self.here, target)
            for broker, sign in ((origin, -1), (end, 1)):
                self.load[broker] += sign * self.need[user]
                self.published[:, broker] += sign * self.rate[user]
                self.subscribers[self.wanted[user], broker] += sign
        np.maximum(self.published, 0.0, out=self.published)

    def _pass(
        self,
        access: NDArray[np.float64],
        limit: NDArray[np.float64],
        order: NDArray[np.int64],
        load: NDArray[np.float64],
        published: NDArray[np.float64],
        subscribers: NDArray[np.int32],
    ) -> list[Move]:
        from topicweave.kernels.content.moves import migrate_pass
        from topicweave.kernels.content.reach import MULTICAST
        from topicweave.kernels.content.reach_moves import reach_pass

        count = len(self.need)
        broker = np.full(count, self.here, dtype=np.int64)
        start = np.concatenate(([0], np.cumsum([len(own) for own in self.wanted]))).astype(np.int64)
        flat = np.array([c for own in self.wanted for c in own], dtype=np.int64)
        moved, origin, saved = np.empty(count, dtype=np.int64), np.empty(count, dtype=np.int64), np.empty(count)
        step = migrate_pass if self.code == MULTICAST else reach_pass
        prices = self.pricing.price if self.code == MULTICAST else self.pricing
        price = self.access[:, self.here]
        least = _LEAST * float((self.need * np.where(np.isfinite(price), price, 0.0)).sum())
        number = step(
            prices, access, self.need, self.rate, start, flat, limit, order, least, broker, load, published,
            subscribers, moved, origin, saved,
        )  # fmt: skip
        users = moved[:number].tolist()
        return [Move(user, int(broker[user]), gain) for user, gain in zip(users, saved[:number].tolist(), strict=True)]

    def group_moves(self, order: NDArray[np.int64], hysteresis: float) -> list[Move]:
        """Move users that share a channel to one broker together if no single move would pay off; the best such group,
        if it saves enough. If there is none, take others along, for whom it pays to follow the group.
        """
        groups = list(self._groups(order))
        best = max(groups, key=lambda group: group[2], default=None)
        if best is not None and self._is_worth(best[0], best[2], hysteresis):
            return _shared(*best)
        found: list[Move] = []
        for users, target, saved in groups:
            followers = self._followers(users, target, order)
            total = saved + sum(move.saved for move in followers)
            together = [*users, *(move.user for move in followers)]
            if total > sum(move.saved for move in found) and self._is_worth(together, total, hysteresis):
                found = _shared(together, target, total)
        return found

    def _is_worth(self, users: list[int], saved: float, hysteresis: float) -> bool:
        stake = float((self.need[users] * self.access[users, self.here]).sum())
        return saved > max(hysteresis, _LEAST) * stake

    def _groups(self, order: NDArray[np.int64]) -> Iterator[tuple[list[int], int, float]]:
        """For every channel, the users here that publish on it or subscribe to it, the best broker for them together,
        and what that saves, which may be negative.
        """
        members: dict[int, list[int]] = {}
        for user in order.tolist():
            for c in {*self.wanted[user], *np.flatnonzero(self.rate[user]).tolist()}:
                members.setdefault(c, []).append(user)
        for users in members.values():
            if len(users) <= len(order) // 2 + 1:
                target, saved = self._best_target(users)
                if target >= 0:
                    yield users, target, saved

    def _followers(self, users: list[int], target: int, order: NDArray[np.int64]) -> list[Move]:
        """The moves to the same broker that pay off, one after the other, once these users have moved there."""
        tried = self._replace(
            load=self.load.copy(), published=self.published.copy(), subscribers=self.subscribers.copy()
        )
        tried._carry_out(_shared(users, target, 0.0))
        limit = np.full(len(self.limit), -np.inf)
        limit[target] = self.limit[target]
        rest = order[~np.isin(order, users)]
        return tried._pass(self.access, limit, rest, tried.load, tried.published, tried.subscribers)

    def _best_target(self, users: list[int]) -> tuple[int, float]:
        """The broker where these users together would cost least, and what that saves; -1 if none has room."""
        need = float(self.need[users].sum())
        channels = np.flatnonzero(self.rate[users].sum(axis=0))
        channels = np.union1d(channels, [c for user in users for c in self.wanted[user]]).astype(np.int64)
        published, subscribers = self.published[channels], self.subscribers[channels]
        rates = self.rate[users][:, channels].sum(axis=0)
        counts = np.zeros(self.published.shape[0], dtype=np.int32)
        for user in users:
            counts[self.wanted[user]] += 1
        counts = counts[channels]
        before = self._core(published, subscribers)
        least, target = np.inf, -1
        for k in np.flatnonzero(self.load + need <= self.limit).tolist():
            if k == self.here:
                continue
            after_published, after_subscribers = published.copy(), subscribers.copy()
            after_published[:, self.here] -= rates
            after_published[:, k] += rates
            after_subscribers[:, self.here] -= counts
            after_subscribers[:, k] += counts
            difference = self._access_difference(users, [k] * len(users))
            difference += self._core(after_published, after_subscribers) - before
            if difference < least:
                least, target = difference, k
        return target, -least

    def _access_difference(self, users: list[int], targets: list[int]) -> float:
        prices = self.access[users, targets] - self.access[users, self.here]
        return float((self.need[users] * prices).sum())

    def _core(self, published: NDArray[np.float64], subscribers: NDArray[np.int32]) -> float:
        from topicweave.kernels.content.reach import core_cost

        return float(core_cost(self.pricing, np.maximum(published, 0.0), np.ascontiguousarray(subscribers))[0])


def _shared(users: list[int], target: int, saved: float) -> list[Move]:
    """Moves to one broker that only pay off together, with the saving divided equally among them."""
    return [Move(user, target, saved / len(users)) for user in users]
