"""Rosters: what brokers report about their users, and which broker knows most about a publisher."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from topicweave.content.protocol.log import NONE

if TYPE_CHECKING:
    from collections.abc import Mapping


class Claim(NamedTuple):
    """What a broker reports about a user: the number of its visit there (users count their visits to brokers), and the
    number of its latest publication on each channel.
    """

    visit: int
    heads: Mapping[str, int]

    @property
    def rank(self) -> tuple[int, int]:
        """A sort key for claims about the same user: later visits win; for the same visit, the claim with more
        publications.
        """
        return self.visit, max(self.heads.values(), default=NONE)


class Rosters:
    """The latest report of each broker."""

    def __init__(self) -> None:
        self._claims: dict[str, dict[str, Claim]] = {}

    def note(self, broker: str, claims: dict[str, Claim]) -> None:
        """Record which users a broker serves now; this replaces its earlier report."""
        self._claims[broker] = claims

    def forget(self, broker: str) -> None:
        self._claims.pop(broker, None)

    def newest(self) -> dict[str, tuple[str, Claim]]:
        """For each publisher, the broker that knows most about it, and what that broker reported; the order of reports
        does not matter.

        A broker that has not heard where its user went still reports old numbers, which must not hide the new ones.
        """
        newest: dict[str, tuple[str, Claim]] = {}
        for broker in sorted(self._claims):
            for user, claim in self._claims[broker].items():
                if user not in newest or newest[user][1].rank < claim.rank:
                    newest[user] = broker, claim
        return newest
