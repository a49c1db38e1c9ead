"""The page of claims as Markdown: an overview of verdicts, a short row per claim, and a page of details per
experiment.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from experiments.claim import DOES_NOT, HOLDS, IN_SHAPE, NOT_JUDGED, NOT_MEASURED, STALE
from experiments.report import words
from experiments.report.sections import counts_of, summary
from experiments.report.tables import ENDING
from experiments.table import PAPERS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from experiments.report.sections import Row, Section

VERDICTS = (HOLDS, IN_SHAPE, DOES_NOT, NOT_JUDGED, NOT_MEASURED, STALE)
COLUMNS = ("claim", "setting", "measured", "verdict")
LONGEST = 240
"""Most characters of a cell on the page; the details have the whole text."""


def page(sections: Sequence[Section]) -> str:
    """The page that readers open first, with an overview and short rows."""
    return "\n".join(_page(sections)) + "\n"


def _page(sections: Sequence[Section]) -> Iterator[str]:
    yield from (f"# {words.TITLE}", "", *words.INTRODUCTION, "")
    yield from _overview(sections)
    yield from (f"**{summary(sections)}**", "", "```", *_commands(), "```", "")
    yield from (f"Written by `python -m experiments report` with {words.written_by()}.", "")
    yield from ("How to read it:", "", *(f"- {line}" for line in words.HOW_TO_READ), "")
    for paper, title in PAPERS.items():
        of_paper = [section for section in sections if section.experiment.paper == paper]
        if of_paper:
            yield from (f"## {title}", "")
            for section in of_paper:
                yield from _short(section)
    yield from ("```{toctree}", ":hidden:", "", *(f"claims/{s.experiment.name}" for s in sections), "```")


def _overview(sections: Sequence[Section]) -> Iterator[str]:
    """A table of papers by verdict; verdicts that do not occur are left out."""
    counts = {paper: counts_of([s for s in sections if s.experiment.paper == paper]) for paper in PAPERS}
    shown = [verdict for verdict in VERDICTS if any(counted[verdict] for counted in counts.values())]
    rows = [
        [f"[{title}](#{anchor(title)})", *(str(counts[paper][verdict]) for verdict in shown)]
        for paper, title in PAPERS.items()
        if counts[paper]
    ]
    yield from _table([["", *shown], *rows])


def _commands() -> list[str]:
    width = max(len(command) for command, _ in words.COMMANDS)
    return [f"{command:<{width}}  # {meaning}" for command, meaning in words.COMMANDS]


def anchor(title: str) -> str:
    """The link anchor of a heading, as GitHub and MyST form it."""
    kept = [c for c in title.lower() if c.isalnum() or c in "-_ "]
    return "".join(kept).replace(" ", "-")


def _short(section: Section) -> Iterator[str]:
    """A heading that links to the details, followed by a short row for each claim."""
    name = section.experiment.name
    yield from (f"### [{section.experiment.title}](claims/{name}.md)", "")
    if section.rows:
        yield from _table([list(COLUMNS), *(_short_row(row, name) for row in section.rows)])
    elif section.tables:
        yield from ("Tables only; nothing a paper says is judged by them.", "")


def _short_row(row: Row, name: str) -> list[str]:
    why = f" ([why](claims/{name}.md))" if row.finding.reason else ""
    return [
        f"**{row.claim.id}** {row.claim.says}",
        f"{shortened(row.claim.setting)}; {row.num_seeds} seeds",
        shortened(row.finding.measured),
        f"{_verdict(row)}{why}",
    ]


def _verdict(row: Row) -> str:
    return f"**{row.finding.verdict}**" + (f", {STALE}" if row.is_stale else "")


def shortened(text: str) -> str:
    """The text cut to at most two sentences, and to as many parts of them as fit."""
    kept = " ".join(re.split(r"(?<=[.!?]) ", text)[:2])
    if len(kept) > LONGEST:
        parts = kept.split("; ")
        while len(parts) > 1 and len("; ".join(parts)) > LONGEST:
            parts.pop()
        kept = "; ".join(parts)
    if len(kept) > LONGEST:
        kept = kept[:LONGEST].rsplit(" ", 1)[0]
    return kept if kept == text else f"{kept.rstrip(' ;,.')} …"


def details(section: Section) -> str:
    """The details of an experiment: figures, claims with reasons, tables."""
    return "\n".join(_details(section)) + "\n"


def _details(section: Section) -> Iterator[str]:
    name = section.experiment.name
    yield from (f"# {section.experiment.title}", "", "[All claims](../claims.md)", "")
    if section.missing:
        yield from (f"*{section.missing}*", "")
    for figure in section.figures:
        if figure.title:
            yield from (f"## {figure.title}", "")
        yield from (f"![{figure.caption}]({figure.name}.svg)", "", f"*{figure.caption}*", "")
    if section.rows:
        yield from ("## Claims", "")
    for row in section.rows:
        yield from _claim(row)
    for title, rows, note in section.tables:
        yield from (f"## {title}", "", *_table(rows), *([note, ""] if note else []))
    if accepted := accepted_in(section):
        yield from (accepted, "")
    yield from (f"Results of every run: [{name}{ENDING}]({name}{ENDING})", "")


def accepted_in(section: Section) -> str:
    """How many results were measured with an earlier version of the code and accepted; empty if none."""
    earlier = sum(bool(section.known[run].measured_with) for run in section.own if run not in section.results.stale)
    if not earlier:
        return ""
    return (
        f"{earlier:,} of these {len(section.own):,} results were measured with an earlier version of the code. They "
        "are taken as valid because a random sample of all results from that version came out the same when it was "
        "measured again with the present code (`python -m experiments confirm`)."
    )


def _claim(row: Row) -> Iterator[str]:
    yield from (f"**{row.claim.id}: {row.claim.says}** {_verdict(row)}.", "")
    yield f"- Setting: {row.claim.setting}; {row.num_seeds} seeds."
    yield f"- It holds if: {row.claim.test}."
    if row.finding.measured:
        yield f"- Measured: {row.finding.measured}."
    if row.finding.reason:
        yield f"- {row.finding.reason}"
    yield ""


def _table(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    header, *body = ([cell.replace("|", "\\|") for cell in row] for row in rows)
    yield f"| {' | '.join(header)} |"
    yield f"|{'---|' * len(header)}"
    for row in body:
        yield f"| {' | '.join(row)} |"
    yield ""
