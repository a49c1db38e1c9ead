"""The table of claims: on the console, and as Markdown between the markers of a page."""

from __future__ import annotations

import platform
from collections import Counter
from dataclasses import dataclass
from importlib import metadata
from typing import TYPE_CHECKING

from rich.table import Table

import topicweave as tw
from experiments.claim import DOES_NOT, HOLDS, IN_SHAPE, NOT_JUDGED

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from experiments.claim import Claim, Finding

BEGIN, END = "<!-- claims: begin -->", "<!-- claims: end -->"
COLUMNS = ("claim", "what the paper says", "setting", "measured", "verdict", "reason, remarks")
COLOURS = {HOLDS: "green", IN_SHAPE: "yellow", DOES_NOT: "bold red", NOT_JUDGED: "dim"}
PACKAGES = ("numpy", "scipy", "numba")


@dataclass(frozen=True)
class Row:
    """A claim, how many seeds were run for it, and what was found."""

    claim: Claim
    num_seeds: int
    finding: Finding

    def cells(self) -> tuple[str, ...]:
        return (
            self.claim.id,
            f"{self.claim.says} (Holds if: {self.claim.test}.)",
            f"{self.claim.setting}; {self.num_seeds} seeds",
            self.finding.measured,
            self.finding.verdict,
            self.finding.reason,
        )


def console_table(rows: Sequence[Row], *, quick: bool) -> Table:
    """The table that is printed."""
    table = Table(title="quick run: sizes reduced, the figures mean nothing" if quick else None, show_lines=True)
    for column in COLUMNS:
        table.add_column(column, overflow="fold", no_wrap=column in ("claim", "verdict"))
    for row in rows:
        name, says, setting, measured, verdict, reason = row.cells()
        table.add_row(name, says, setting, measured, f"[{COLOURS[verdict]}]{verdict}[/]", reason)
    return table


def summary(rows: Sequence[Row]) -> str:
    """How many rows hold."""
    counts = Counter(row.finding.verdict for row in rows)
    if counts[NOT_JUDGED]:
        return f"{len(rows)} rows, not judged: sizes were reduced."
    return f"{len(rows)} rows: {counts[HOLDS]} hold, {counts[IN_SHAPE]} hold in shape, {counts[DOES_NOT]} do not hold."


def markdown(rows: Sequence[Row], command: str) -> str:
    """What stands between the markers."""
    used = ", ".join(f"{name} {metadata.version(name)}" for name in PACKAGES)
    versions = f"topicweave {tw.__version__}, Python {platform.python_version()}, {used}"
    lines = [
        f"Written by `{command}` with {versions}. {summary(rows)}",
        "",
        f"| {' | '.join(COLUMNS)} |",
        f"|{'---|' * len(COLUMNS)}",
    ]
    for row in rows:
        name, says, setting, measured, verdict, reason = (cell.replace("|", "\\|") for cell in row.cells())
        lines.append(f"| {name} | {says} | {setting} | {measured} | **{verdict}** | {reason} |")
    return "\n".join(lines)


def has_markers(page: Path) -> bool:
    """Whether the page has a place for the table."""
    text = page.read_text(encoding="utf-8") if page.is_file() else ""
    return text.count(BEGIN) == text.count(END) == 1 and text.index(BEGIN) < text.index(END)


def write_between_markers(page: Path, text: str) -> None:
    """Replace what stands between the markers, and nothing else."""
    before, _, rest = page.read_text(encoding="utf-8").partition(BEGIN)
    _, _, after = rest.partition(END)
    page.write_text(f"{before}{BEGIN}\n{text}\n{END}{after}", encoding="utf-8")
