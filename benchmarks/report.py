"""The results of a benchmark run: a table to read, and JSON for programs."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from rich.table import Table

if TYPE_CHECKING:
    from pathlib import Path

    from benchmarks.checks import Row
    from benchmarks.instances import Instance
    from benchmarks.lab import Timing
    from benchmarks.subjects import Subject

MARKS = {True: "[green]✓[/]", False: "[bold red]✗[/]", None: "·"}


@dataclass
class Results:
    """The result rows of each benchmark, and all times they were computed from."""

    date: str
    quick: bool
    machine: dict[str, Any]
    rows: dict[str, list[Row]] = field(default_factory=dict)
    timings: dict[tuple[Instance, Subject], Timing] = field(default_factory=dict)
    seconds: float = 0.0
    interrupted: bool = False

    @property
    def num_missed(self) -> int:
        """The number of limits that were missed; in quick runs, limits are not checked."""
        return sum(self.verdict(row) is False for rows in self.rows.values() for row in rows)

    def verdict(self, row: Row) -> bool | None:
        """Whether the row meets its limit; None if there is no limit to check."""
        return None if self.quick else row.passed

    def table(self, titles: dict[str, str]) -> Table:
        """The table as it is printed."""
        table = Table(title="quick run: sizes reduced, nothing judged" if self.quick else None, title_justify="left")
        table.add_column("what", overflow="fold")
        table.add_column("measured", justify="right", no_wrap=True)
        table.add_column("bar", justify="right", no_wrap=True)
        table.add_column("", justify="center")
        table.add_column("from", overflow="fold")
        for name, rows in self.rows.items():
            table.add_section()
            table.add_row(f"[bold]{titles[name]}[/] ({name})")
            for row in rows:
                bar = "" if row.bar is None else str(row.bar)
                value = f"{format_value(row.value)} {row.unit}".rstrip()
                table.add_row(row.what, value, bar, MARKS[self.verdict(row)], row.detail)
        return table

    def save(self, file: Path) -> None:
        """Write all results as JSON."""
        content = {
            "date": self.date,
            "quick": self.quick,
            "interrupted": self.interrupted,
            "seconds": self.seconds,
            "machine": self.machine,
            "rows": [self._row(case, row) for case, rows in self.rows.items() for row in rows],
            "timings": [
                {
                    "subject": subject.name,
                    "instance": asdict(instance),
                    "seconds": timing.seconds,
                    "facts": dict(timing.facts),
                }
                for (instance, subject), timing in self.timings.items()
            ],
        }
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")

    def _row(self, case: str, row: Row) -> dict[str, Any]:
        return {
            "case": case,
            "what": row.what,
            "value": row.value,
            "unit": row.unit,
            "bar": None if row.bar is None else str(row.bar),
            "passed": self.verdict(row),
            "detail": row.detail,
        }


def format_value(value: float) -> str:
    """Print whole numbers as they are and others with three significant digits, never in scientific notation."""
    if isinstance(value, int):
        return f"{value:,}"
    digits = 0 if abs(value) >= 100 else 1 if abs(value) >= 10 else 2 if abs(value) >= 1 else 3
    return f"{value:,.{digits}f}"
