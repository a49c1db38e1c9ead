"""Rosters: what brokers say of the users they look after, and who of them knows most of a publisher."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from topicweave.content.protocol.log import NONE

if TYPE_CHECKING:
    from collections.abc import Mapping


class Claim(NamedTuple):
    """A broker's word on a user: during which visit it came there, and the latest number on each channel."""

    visit: int
    heads: Mapping[str, int]

    @property
    def rank(self) -> tuple[int, int]:
        """Of two claims, the later visit holds; of the same visit, the one that knows more."""
        return self.visit, max(self.heads.values(), default=NONE)


class Rosters:
    """The last roster of each broker."""

    def __init__(self) -> None:
        self._claims: dict[str, dict[str, Claim]] = {}

    def note(self, broker: str, claims: dict[str, Claim]) -> None:
        """A broker says whom it looks after: these and nobody else."""
        self._claims[broker] = claims

    def forget(self, broker: str) -> None:
        self._claims.pop(broker, None)

    def newest(self) -> dict[str, tuple[str, Claim]]:
        """For each publisher, the broker whose claim holds, and the claim; the order of rosters does not matter.

        A broker that has not heard where its user went still has old numbers. They must not hide the new ones.
        """
        newest: dict[str, tuple[str, Claim]] = {}
        for broker in sorted(self._claims):
            for user, claim in self._claims[broker].items():
                if user not in newest or newest[user][1].rank < claim.rank:
                    newest[user] = broker, claim
        return newest
