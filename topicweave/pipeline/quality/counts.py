"""Counts: what became of every row that was read."""

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
    """Counts of the rows of one input: every row is valid, bad or ignored.

    Attributes
    ----------
    valid
        Rows that can be used.
    bad
        Rows in the quarantine, by reason.
    ignored
        Links of a node to itself, later events and the like, by reason; also headers, comments and blank lines, which
        are lines of the input but not rows.
    """

    valid: int
    bad: Mapping[str, int] = field(default_factory=dict)
    ignored: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def from_reasons(cls, by_reason: Mapping[str | None, int]) -> Counts:
        """Build the counts from numbers by reason; no reason means valid."""
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
        """All rows, without headers, comments and blank lines."""
        return self.valid + self.num_bad + sum(self.ignored[reason] for reason in self.ignored.keys() - NO_ROWS)

    @property
    def bad_fraction(self) -> float:
        """The share of bad rows among the rows that are not ignored."""
        return self.num_bad / (self.valid + self.num_bad) if self.num_bad else 0.0

    def top_reasons(self, number: int = 3) -> list[tuple[str, int]]:
        """The reasons with most rows."""
        return sorted(self.bad.items(), key=lambda item: (-item[1], item[0]))[:number]

    def to_dict(self) -> dict[str, Any]:
        """A dictionary for the manifest."""
        return {"read": self.read, "valid": self.valid, "quarantined": dict(self.bad), "ignored": dict(self.ignored)}


def check_max_bad_fraction(max_bad_fraction: float) -> None:
    """Raise unless it is a share between 0 and 1."""
    check_number("max_bad_fraction", max_bad_fraction, 0, 1)


def left_out(inputs: Iterable[Counts]) -> str:
    """A sentence about the bad rows of all inputs, or an empty text if there are none."""
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
    """The error that says how many rows are bad, for which reasons, and shows an example."""
    top = "; ".join(f"{number:,} × {reason}" for reason, number in counts.top_reasons())
    shown = "".join(f", such as {shortened([line], width=60)} in {file}" for file, line in examples)
    return BadRowsError(
        "{bad:,} of {rows} in {name} ({share}) cannot be used, but at most {allowed} may be bad: {reasons}. "
        "Correct them, or {remedy}.",
        bad=counts.num_bad,
        rows=counted(counts.valid + counts.num_bad, "row"),
        name=name,
        share=percent(counts.bad_fraction),
        allowed=percent(max_bad_fraction),
        reasons=top + shown,
        remedy=Remedy.MORE_BAD_ROWS,
    )
