"""The page as Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from experiments.claim import DOES_NOT
from experiments.report import words
from experiments.report.sections import summary
from experiments.table import PAPERS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from experiments.report.sections import Row, Section

COLUMNS = ("claim", "what the paper says", "setting", "measured", "verdict", "reason, remarks")


def page(sections: Sequence[Section]) -> str:
    """The whole page."""
    return "\n".join(_lines(sections)) + "\n"


def _lines(sections: Sequence[Section]) -> Iterator[str]:
    yield from (f"# {words.TITLE}", "", *words.INTRODUCTION, "", "```", *_commands(), "```", "")
    yield f"Written by `python -m experiments report` with {words.written_by()}. **{summary(sections)}**"
    yield from ("", *_index(sections), "", "How to read it:", "", *(f"- {line}" for line in words.HOW_TO_READ), "")
    yield from _differences(sections)
    for paper, title in PAPERS.items():
        of_paper = [section for section in sections if section.experiment.paper == paper]
        if of_paper:
            yield from (f"## {title}", "")
            for section in of_paper:
                yield from _section(section)


def _commands() -> list[str]:
    width = max(len(command) for command, _ in words.COMMANDS)
    return [f"{command:<{width}}  # {meaning}" for command, meaning in words.COMMANDS]


def _index(sections: Sequence[Section]) -> Iterator[str]:
    """Any figure is one click away."""
    for paper, title in PAPERS.items():
        links = [
            f"[{s.experiment.title}](#{anchor(s.experiment.title)})" for s in sections if s.experiment.paper == paper
        ]
        if links:
            yield f"- **{title}**: {' · '.join(links)}"


def anchor(title: str) -> str:
    """What a heading is called in links, as GitHub and MyST make it."""
    kept = [c for c in title.lower() if c.isalnum() or c in "-_ "]
    return "".join(kept).replace(" ", "-")


def _differences(sections: Sequence[Section]) -> Iterator[str]:
    """What does not hold, first."""
    rows = not_holding(sections)
    if rows:
        yield from (words.DIFFERENCES, "", *(f"- {difference(row)}" for row in rows), "")


def not_holding(sections: Sequence[Section]) -> list[Row]:
    """The rows that do not hold."""
    return [row for section in sections for row in section.rows if row.finding.verdict == DOES_NOT]


def difference(row: Row) -> str:
    """A row that does not hold, in a line."""
    return f"**{row.claim.id}**: {row.claim.says} {row.claim.setting}. *{row.finding.reason}*"


def _section(section: Section) -> Iterator[str]:
    yield from (f"### {section.experiment.title}", "")
    if section.missing:
        yield from (f"*{section.missing}*", "")
    for figure in section.figures:
        if figure.title:
            yield from (f"#### {figure.title}", "")
        yield from (f"![{figure.caption}](claims/{figure.name}.png)", "")
        yield from (f"*{figure.caption}* ([SVG](claims/{figure.name}.svg))", "")
    if section.rows:
        yield from _table([list(COLUMNS), *(cells(row) for row in section.rows)])
    for title, rows, note in section.tables:
        yield from (f"**{title}**", "", *_table(rows), *([note, ""] if note else []))
    yield from (f"Results: [{section.experiment.name}.csv](claims/{section.experiment.name}.csv)", "")


def cells(row: Row) -> list[str]:
    """A claim as a row of the table."""
    return [
        row.claim.id,
        f"{row.claim.says} (Holds if: {row.claim.test}.)",
        f"{row.claim.setting}; {row.num_seeds} seeds",
        row.finding.measured,
        f"**{row.finding.verdict}**",
        row.finding.reason,
    ]


def _table(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    header, *body = ([cell.replace("|", "\\|") for cell in row] for row in rows)
    yield f"| {' | '.join(header)} |"
    yield f"|{'---|' * len(header)}"
    for row in body:
        yield f"| {' | '.join(row)} |"
    yield ""
