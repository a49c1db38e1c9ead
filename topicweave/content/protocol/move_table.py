"""Table: what a broker knows about all traffic, as arrays, and the moves of its users that lower the cost."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
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
        if it saves enough.
        """
        candidates = self._by_channel(order)
        best = max(candidates, key=lambda moves: sum(move.saved for move in moves), default=[])
        users = [move.user for move in best]
        stake = float((self.need[users] * self.access[users, self.here]).sum())
        return best if best and sum(move.saved for move in best) > max(hysteresis, _LEAST) * stake else []

    def _by_channel(self, order: NDArray[np.int64]) -> list[list[Move]]:
        """For every channel, the best broker for all users here that publish on it or subscribe to it."""
        found = []
        allowed = set(order.tolist())
        members: dict[int, list[int]] = {}
        for user in order.tolist():
            for c in {*self.wanted[user], *np.flatnonzero(self.rate[user]).tolist()}:
                members.setdefault(c, []).append(user)
        for users in members.values():
            if 1 < len(users) <= len(allowed) // 2 + 1:
                found.append(self._together(users))
        return found

    def _together(self, users: list[int]) -> list[Move]:
        """The best broker for these users together."""
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
        best, target = 0.0, -1
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
            if difference < best:
                best, target = difference, k
        return _shared(users, [target] * len(users), -best) if target >= 0 else []

    def _access_difference(self, users: list[int], targets: list[int]) -> float:
        prices = self.access[users, targets] - self.access[users, self.here]
        return float((self.need[users] * prices).sum())

    def _core(self, published: NDArray[np.float64], subscribers: NDArray[np.int32]) -> float:
        from topicweave.kernels.content.reach import core_cost

        return float(core_cost(self.pricing, np.maximum(published, 0.0), np.ascontiguousarray(subscribers))[0])


def _shared(users: list[int], targets: list[int], saved: float) -> list[Move]:
    """Moves that only pay off together, with the saving divided equally among them."""
    return [Move(user, target, saved / len(users)) for user, target in zip(users, targets, strict=True)]
