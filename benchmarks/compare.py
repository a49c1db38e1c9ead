"""``python -m benchmarks.compare``: compares the results of the algorithms for one interest, but not their times.

The figures depend on the interest and the seed alone, so every machine prints the same table. Links and degrees are
counted on the overlay; connectivity and diameters come from the independent verifier.
"""

from __future__ import annotations

import argparse
import csv
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table

import topicweave as tw
from benchmarks.children import CHECKOUT

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

EXAMPLE = CHECKOUT / "examples" / "brokers.csv"
COLUMNS = ("algorithm", "links", "average degree", "maximum degree", "largest topic diameter", "topic-connected")

# The algorithms shown, in this order: title -> (name, parameters).
SHOWN: Mapping[str, tuple[str, dict[str, Any]]] = {
    "ring": ("ring", {}),
    "gm": ("gm", {}),
    "low, k=3": ("low", {"k": 3}),
    "minmax": ("minmax", {}),
    "cd2": ("cd2", {}),
}


@dataclass(frozen=True)
class Figures:
    """The values in one line of the table."""

    title: str
    links: int
    average_degree: float
    maximum_degree: int
    topic_diameter: float
    topic_connected: bool

    def cells(self) -> tuple[str, ...]:
        """The cells of the line as they are printed."""
        return (
            self.title,
            f"{self.links:,}",
            f"{self.average_degree:.2f}",
            f"{self.maximum_degree:,}",
            f"{self.topic_diameter:g}",
            "yes" if self.topic_connected else "no",
        )


def read(path: Path) -> tw.Interest:
    """Read a CSV file that has a header and the columns node and topic."""
    with path.open(newline="", encoding="utf-8") as file:
        return tw.Interest.from_pairs((row["node"], row["topic"]) for row in csv.DictReader(file))


def compare(interest: tw.Interest, *, seed: int = 0) -> Iterator[Figures]:
    """Run every algorithm of the table and measure its overlay."""
    for title, (name, parameters) in SHOWN.items():
        overlay = tw.design(interest, name, seed=seed, **parameters).overlay
        yield Figures(
            title,
            overlay.num_edges,
            overlay.average_degree,
            overlay.maximum_degree,
            float(tw.metrics.topic_diameters(interest, overlay).max()),
            tw.verify(interest, overlay).topic_connected,
        )


def markdown(rows: Sequence[Figures]) -> str:
    """The table in Markdown, as shown in the README."""
    lines = ["| " + " | ".join(COLUMNS) + " |", "|---|--:|--:|--:|--:|:-:|"]
    return "\n".join(lines + ["| " + " | ".join(row.cells()) + " |" for row in rows])


def update(readme: Path, rows: Sequence[Figures]) -> None:
    """Replace the table in the README."""
    text = readme.read_text(encoding="utf-8")
    header = markdown(()) + "\n"
    before, found, after = text.partition(header)
    if not found:
        raise SystemExit(
            f"{readme} has no table with the columns {', '.join(COLUMNS)}; put its two header lines there first."
        )
    lines = after.splitlines(keepends=True)
    rest = next((i for i, line in enumerate(lines) if not line.startswith("|")), len(lines))
    readme.write_text(before + markdown(rows) + "\n" + "".join(lines[rest:]), encoding="utf-8")


def printed(rows: Sequence[Figures]) -> Table:
    """The table as text for a terminal."""
    table = Table(*COLUMNS)
    for column in table.columns[1:]:
        column.justify = "right"
    for row in rows:
        table.add_row(*row.cells())
    return table


def main(arguments: Sequence[str] | None = None) -> int:
    """Run from the command line; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.compare", description=__doc__.partition("\n")[0])
    parser.add_argument(
        "file", nargs="?", type=Path, default=EXAMPLE, help="CSV with columns node, topic (the example)"
    )
    parser.add_argument("--seed", type=int, default=0, help="default: 0")
    parser.add_argument("--markdown", action="store_true", help="print the table as it stands in the README")
    parser.add_argument(
        "--readme", type=Path, metavar="FILE", help="put the table into this file, in place of the old one"
    )
    options = parser.parse_args(arguments)
    interest = read(options.file)
    rows = list(compare(interest, seed=options.seed))
    if options.readme:
        update(options.readme, rows)
        return 0
    if options.markdown:
        print(markdown(rows))
        return 0
    output = Console() if sys.stdout.isatty() else Console(width=120)
    output.print(f"{options.file.name}: {interest.num_nodes} nodes, {interest.num_topics} topics, "
                 f"{interest.num_subscriptions:,} subscriptions; seed {options.seed}", highlight=False)  # fmt: skip
    output.print(printed(rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
