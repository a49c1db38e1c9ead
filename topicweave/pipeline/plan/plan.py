"""Plan: an overlay that was designed, written and verified."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from topicweave.wording import counted

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from topicweave.model import Design, Interest
    from topicweave.pipeline.connectivity import Verification


@dataclass(frozen=True)
class Plan:
    """What the pipeline delivers.

    Attributes
    ----------
    interest, design
        What was designed for, and the result.
    verification
        What the independent check of the written links found.
    manifest
        Inputs, counts, parameters, versions and times.
    folder
        Where it was written; ``None`` when it was not to be kept.
    """

    interest: Interest
    design: Design
    verification: Verification
    manifest: Mapping[str, Any] = field(repr=False)
    folder: Path | None = None

    def summary(self) -> str:
        """A few lines for people."""
        rows = self.manifest["rows"]
        bad = sum(sum(part["quarantined"].values()) for part in rows["inputs"].values())
        ring = self.manifest["comparison"][1]
        lines = [
            self.design.summary(),
            f"  verified        {'every topic is connected' if self.verification.topic_connected else self._cut()}",
            f"  a ring per topic would have {counted(ring['links'], 'link')}, a full mesh "
            f"{self.manifest['comparison'][2]['links']:,}",
            f"  rows            {sum(part['read'] for part in rows['inputs'].values()):,} read, {bad:,} in quarantine, "
            f"{rows['duplicates']:,} repeated",
        ]
        if self.folder is not None:
            lines.append(f"  written to      {self.folder}")
        return "\n".join(lines)

    def _cut(self) -> str:
        cut = len(self.verification.disconnected_topics)
        return f"{cut:,} of {self.verification.num_topics:,} topics are in pieces"
