"""SourceProfile: statistics of an interest, and of the rows from which it was read."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any

from topicweave.pipeline.quality.reasons import left_out
from topicweave.reports.profile import Profile, profile

if TYPE_CHECKING:
    from collections.abc import Mapping

    from topicweave.pipeline.loading import Loaded
    from topicweave.pipeline.quality.reasons import Counts


@dataclass(frozen=True, eq=False)
class SourceProfile(Profile):
    """Statistics of an interest, and of the rows from which it was read.

    Attributes
    ----------
    counts
        Counts of the rows, by part of the input.
    rows
        The same with details, for JSON.
    """

    counts: Mapping[str, Counts] = field(repr=False)
    rows: Mapping[str, Any] = field(repr=False)

    def to_dict(self) -> dict[str, Any]:
        return {**super().to_dict(), "rows": dict(self.rows)}

    def summary(self) -> str:
        said = left_out(self.counts.values())
        return super().summary() + (f"\n{said}" if said else "")


def profile_loaded(loaded: Loaded, seed: int) -> SourceProfile:
    """The profile of a loaded source."""
    found = profile(loaded.interest, seed=seed)
    figures = {each.name: getattr(found, each.name) for each in fields(found)}
    return SourceProfile(**figures, counts=loaded.counts, rows=loaded.to_dict())
