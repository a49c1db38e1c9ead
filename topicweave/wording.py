"""Phrases numbers and labels for messages."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def shortened(values: Sequence[object], count: int = 8, width: int = 40) -> str:
    """The first few values, quoted, each cut to a readable length."""
    shown = [repr(text if len(text) <= width else text[: width - 1] + "…") for text in map(str, values[:count])]
    return ", ".join(shown) + (", …" if len(values) > count else "")


def percent(fraction: float) -> str:
    """A share as a percentage, with enough digits to be different from 0 % and 100 %."""
    if 0 < fraction < 0.0001:
        return "less than 0.01 %"
    return f"{100 * fraction:.2f}".rstrip("0").rstrip(".") + " %"


def counted(number: int, noun: str, plural: str | None = None) -> str:
    """A number with its noun in the singular or plural: ``1 row``, ``2,000 rows``."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def label_in_words(label: str, width: int = 60) -> str:
    """A user's label for display: cut to a readable length, with every invisible character replaced by a mark."""
    printable = "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in label)
    return printable if len(printable) <= width else printable[: width - 1] + "…"


def link_changes(numbers: Mapping[str, int]) -> str:
    """Describes link changes: ``2,000 links kept, 3 added, 1 removed``."""
    return f"{counted(numbers['kept'], 'link')} kept, {numbers['added']:,} added, {numbers['removed']:,} removed"


def gap_in_words(gap: float) -> str:
    """How far a plan is from a certified bound, as text; a plan with fewer links than the bound cannot connect all
    topics.
    """
    if gap < 0:
        return "the plan has fewer, since topics are not connected"
    if gap == 0:
        return "the plan has exactly as many, so it is proved optimal"
    return f"the plan has at most {percent(gap)} more than needed"
