"""Counts: where every row that was read has gone."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from topicweave.errors import BadRowsError, Remedy
from topicweave.parameters import check_number
from topicweave.pipeline.quality.reasons import IGNORED, NO_ROWS
from topicweave.wording import counted, percent, shortened

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

MAX_BAD_FRACTION = 0.01


@dataclass(frozen=True)
class Counts:
    """Where the rows of one input went: every one is valid, bad or ignored.

    Attributes
    ----------
    valid
        Rows that can be used.
    bad
        Rows in the quarantine, by reason.
    ignored
        Links to oneself, later events and the like, by reason; headers, comments and blank lines, too, which are
        lines of the input but no rows.
    """

    valid: int
    bad: Mapping[str, int] = field(default_factory=dict)
    ignored: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def from_reasons(cls, by_reason: Mapping[str | None, int]) -> Counts:
        """Sort out counts by reason; no reason means valid."""
        named = {reason: number for reason, number in by_reason.items() if reason is not None and number}
        return cls(
            by_reason.get(None, 0),
            {reason: number for reason, number in sorted(named.items()) if reason not in IGNORED},
            {reason: number for reason, number in sorted(named.items()) if reason in IGNORED},
        )

    @property
    def num_bad(self) -> int:
        return sum(self.bad.values())

    @property
    def read(self) -> int:
        """All rows; headers, comments and blank lines are none."""
        return self.valid + self.num_bad + sum(self.ignored[reason] for reason in self.ignored.keys() - NO_ROWS)

    @property
    def bad_fraction(self) -> float:
        """The share of bad rows among those that should have been good."""
        return self.num_bad / (self.valid + self.num_bad) if self.num_bad else 0.0

    def top_reasons(self, number: int = 3) -> list[tuple[str, int]]:
        """The reasons that hit most rows."""
        return sorted(self.bad.items(), key=lambda item: (-item[1], item[0]))[:number]

    def to_dict(self) -> dict[str, Any]:
        """For the manifest."""
        return {"read": self.read, "valid": self.valid, "quarantined": dict(self.bad), "ignored": dict(self.ignored)}


def check_max_bad_fraction(max_bad_fraction: float) -> None:
    """Raise unless it is a share."""
    check_number("max_bad_fraction", max_bad_fraction, 0, 1)


def left_out(inputs: Iterable[Counts]) -> str:
    """A sentence about the bad rows of all inputs, or nothing where there are none."""
    reasons: Counter[str] = Counter()
    rows = 0
    for counts in inputs:
        rows += counts.read
        reasons.update(counts.bad)
    if not reasons:
        return ""
    why = "; ".join(f"{number:,} × {reason}" for reason, number in reasons.most_common(3))
    return f"Left out: {reasons.total():,} of {counted(rows, 'row')} ({why}{'; …' if len(reasons) > 3 else ''})."


def too_many_bad_rows(
    name: str, counts: Counts, max_bad_fraction: float, examples: Iterable[tuple[str, str]]
) -> BadRowsError:
    """The error that says how many rows are bad, why most of them are, and shows one."""
    top = "; ".join(f"{number:,} × {reason}" for reason, number in counts.top_reasons())
    shown = "".join(f", such as {shortened([line], width=60)} in {file}" for file, line in examples)
    return BadRowsError(
        "{bad:,} of {rows} in {name} ({share}) cannot be used, but at most {allowed} may be bad: {reasons}. "
        "Mend them, or {remedy}.",
        bad=counts.num_bad,
        rows=counted(counts.valid + counts.num_bad, "row"),
        name=name,
        share=percent(counts.bad_fraction),
        allowed=percent(max_bad_fraction),
        reasons=top + shown,
        remedy=Remedy.MORE_BAD_ROWS,
    )
