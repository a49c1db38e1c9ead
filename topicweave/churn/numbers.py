"""Which events of a log have been applied, are still to come or were skipped, judged by their sequence numbers."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum, auto
from typing import TYPE_CHECKING, Any

from topicweave.model.event_schema import GREATEST_SEQUENCE, LEAST_SEQUENCE

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

FIRST = 1  # the number of the first event of a log, unless another one is given
MAX_GAP = 10  # how many numbers in a row may be missing, where numbers may be missing at all


class Turn(Enum):
    """Whether a sequence number has been applied, is next, is still to come, or was skipped."""

    TO_COME = auto()
    HAD = auto()
    LEFT_OUT = auto()  # an event with a higher number was applied first, so this one was skipped
    BEFORE_THE_LOG = auto()


@dataclass
class Numbers:
    """The sequence numbers of a log: where it begins, which one was applied last, and which were skipped.

    Attributes
    ----------
    first
        The number that the log begins with; None if numbers may be missing and it was not given.
    last
        The last number applied; None before the first.
    left_out
        Numbers that had not arrived when a higher one was applied, as pairs of first and last.
    """

    first: int | None = FIRST
    last: int | None = None
    left_out: list[list[int]] = field(default_factory=list)

    @property
    def following(self) -> int | None:
        """The number that must be applied next; None if any number may come next."""
        return self.first if self.last is None else self.last + 1

    def turn(self, number: int) -> Turn:
        """Whether a sequence number has been applied, is next, is still to come, or was skipped."""
        if self.first is not None and number < self.first:
            return Turn.BEFORE_THE_LOG
        if self.last is None or number > self.last:
            return Turn.TO_COME
        return Turn.LEFT_OUT if any(a <= number <= b for a, b in self.left_out) else Turn.HAD

    def reachable(self, numbers: Iterable[int], max_gap: int) -> list[int]:
        """Those of some numbers to come, in order, that can be applied where numbers may be missing.

        At most ``max_gap`` in a row may be missing. A number further ahead may be a mistake, after which all others
        would come too late: it has to wait until there is another one above it, no further away from it than it is from
        the one before. So no single number makes a log jump, and a log that really goes on elsewhere does so as soon as
        two of its numbers are known.
        """
        ordered, found = sorted(numbers), []
        before = 0 if self.following is None else self.following - 1
        for place, number in enumerate(ordered):
            ahead = number - before
            is_alone = place + 1 == len(ordered) or ordered[place + 1] - number > ahead
            if ahead > max_gap + 1 and is_alone:
                break
            found.append(number)
            before = number
        return found

    def move_to(self, number: int) -> None:
        """Record that a number was applied: it becomes the last one, and all numbers in between count as skipped."""
        following = LEAST_SEQUENCE if self.following is None else self.following
        if number > following:
            self.left_out.append([following, number - 1])
        self.last = number

    def deal_with(self, number: int) -> None:
        """Record that a skipped number has been handled."""
        self.left_out = [run for a, b in self.left_out for run in _without(a, b, number)]

    def to_notes(self) -> dict[str, Any]:
        """These numbers in the form stored in a snapshot."""
        return {"first": self.first, "last": self.last, "skipped": self.left_out}

    @classmethod
    def from_notes(cls, notes: Mapping[str, Any]) -> Numbers:
        """Read what :meth:`to_notes` returned; raises a ValueError for anything else."""
        first, last, runs = notes.get("first"), notes["last"], notes.get("skipped", [])
        if not all(number is None or is_number(number) for number in (first, last)):
            raise ValueError("a number of the log is none")
        if not isinstance(runs, list) or not all(_is_run(run) for run in runs):
            raise ValueError("the numbers left out are none")
        return cls(first, last, [list(run) for run in runs])


def is_number(value: Any) -> bool:
    """Whether a value is a sequence number."""
    return type(value) is int and LEAST_SEQUENCE <= value <= GREATEST_SEQUENCE


def _is_run(run: Any) -> bool:
    return isinstance(run, list) and len(run) == 2 and all(map(is_number, run))


def _without(first: int, last: int, number: int) -> list[list[int]]:
    """All numbers from first to last except one, as a list of (first, last) ranges."""
    if not first <= number <= last:
        return [[first, last]]
    return [run for run in ([first, number - 1], [number + 1, last]) if run[0] <= run[1]]
