"""The pieces into which a topic's tree falls when some of its links are gone."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

Link = tuple[str, str]


class Pieces:
    """The members of a topic, grouped by the remaining parts (pieces) of its tree."""

    def __init__(self, members: set[str], links: Iterable[Link]) -> None:
        self.members = members
        self.number = len(members)
        self._above: dict[str, str] = {}
        self._size = dict.fromkeys(members, 1)
        for link in links:
            self.join(link)

    def _top(self, node: str) -> str:
        while node in self._above:
            node = self._above[node]
        return node

    def is_joined(self, link: Link) -> bool:
        return self._top(link[0]) == self._top(link[1])

    def is_alone(self, node: str) -> bool:
        """Whether a member is not connected to any other."""
        return self._size.get(node) == 1

    def connects(self, members: set[str]) -> bool:
        """Whether all these members are connected."""
        return len({self._top(node) for node in members}) <= 1

    def join(self, link: Link) -> bool:
        """Join the pieces at both ends of a link; returns False if they are in the same piece."""
        one, other = self._top(link[0]), self._top(link[1])
        if one == other:
            return False
        if self._size[one] < self._size[other]:
            one, other = other, one
        self._above[other] = one
        self._size[one] += self._size.pop(other)
        self.number -= 1
        return True

    def copy(self) -> Pieces:
        """A copy, for trying out changes."""
        made = Pieces.__new__(Pieces)
        made.members, made.number = self.members, self.number
        made._above, made._size = dict(self._above), dict(self._size)
        return made

    def outside_largest(self) -> set[str]:
        """All members outside the largest piece; every link between pieces has one of them as an end."""
        largest = max(self._size, key=lambda top: (self._size[top], top))
        return {node for node in self.members if self._top(node) != largest}
