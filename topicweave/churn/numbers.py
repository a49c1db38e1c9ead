"""Numbers: which events of a log have had their turn, told from their sequence numbers alone."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum, auto
from typing import TYPE_CHECKING, Any

from topicweave.model.event_schema import GREATEST_SEQUENCE, LEAST_SEQUENCE

if TYPE_CHECKING:
    from collections.abc import Mapping

FIRST = 1  # of a log, unless somebody says otherwise


class Turn(Enum):
    """Where a number stands."""

    TO_COME = auto()
    HAD = auto()
    LEFT_OUT = auto()  # a higher number was applied when this one had not come
    BEFORE_THE_LOG = auto()


@dataclass
class Numbers:
    """The numbers of a log: where it begins, how far it was applied, and what was left out on the way.

    Attributes
    ----------
    first
        The number that the log begins with; None where numbers may be left out and nobody has said it.
    last
        The number applied last; None before the first.
    left_out
        Numbers that had not come when a higher one was applied, as runs of first and last.
    """

    first: int | None = FIRST
    last: int | None = None
    left_out: list[list[int]] = field(default_factory=list)

    @property
    def following(self) -> int | None:
        """The number whose turn it is; None if that is whichever comes."""
        return self.first if self.last is None else self.last + 1

    def turn(self, number: int) -> Turn:
        """Where a number stands."""
        if self.first is not None and number < self.first:
            return Turn.BEFORE_THE_LOG
        if self.last is None or number > self.last:
            return Turn.TO_COME
        return Turn.LEFT_OUT if any(a <= number <= b for a, b in self.left_out) else Turn.HAD

    def move_to(self, number: int) -> None:
        """A number was applied: it is the last now, and those passed over are left out."""
        following = LEAST_SEQUENCE if self.following is None else self.following
        if number > following:
            self.left_out.append([following, number - 1])
        self.last = number

    def deal_with(self, number: int) -> None:
        """A number that was left out has been dealt with."""
        self.left_out = [run for a, b in self.left_out for run in _without(a, b, number)]

    def to_notes(self) -> dict[str, Any]:
        """For a snapshot."""
        return {"first": self.first, "last": self.last, "skipped": self.left_out}

    @classmethod
    def from_notes(cls, notes: Mapping[str, Any]) -> Numbers:
        """What :meth:`to_notes` gave; anything else is a ValueError."""
        first, last, runs = notes.get("first"), notes["last"], notes.get("skipped", [])
        if not all(number is None or is_number(number) for number in (first, last)):
            raise ValueError("a number of the log is none")
        if not isinstance(runs, list) or not all(_is_run(run) for run in runs):
            raise ValueError("the numbers left out are none")
        return cls(first, last, [list(run) for run in runs])


def is_number(value: Any) -> bool:
    """Whether it is a sequence number."""
    return type(value) is int and LEAST_SEQUENCE <= value <= GREATEST_SEQUENCE


def _is_run(run: Any) -> bool:
    return isinstance(run, list) and len(run) == 2 and all(map(is_number, run))


def _without(first: int, last: int, number: int) -> list[list[int]]:
    """The numbers from first to last except for one, as runs."""
    if not first <= number <= last:
        return [[first, last]]
    return [run for run in ([first, number - 1], [number + 1, last]) if run[0] <= run[1]]
