"""The page as HTML: one file that needs nothing but the figures beside it."""

from __future__ import annotations

import re
from html import escape
from typing import TYPE_CHECKING

from experiments.claim import DOES_NOT, HOLDS, IN_SHAPE
from experiments.report import words
from experiments.report.markdown import COLUMNS, anchor, cells, difference, not_holding
from experiments.report.sections import summary
from experiments.table import PAPERS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from experiments.report.sections import Section

CLASSES = {HOLDS: "holds", IN_SHAPE: "shape", DOES_NOT: "not"}
STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; color: #222; max-width: 1200px; margin: 2rem auto; padding: 0 1rem; }
h1, h2, h3 { line-height: 1.2; } h2 { border-bottom: 2px solid #ddd; padding-bottom: .3rem; margin-top: 3rem; }
table { border-collapse: collapse; width: 100%; font-size: 13px; margin: 1rem 0; display: block; overflow-x: auto; }
th, td { border: 1px solid #ddd; padding: .4rem .6rem; text-align: left; vertical-align: top; }
th { background: #f4f4f4; } figure { margin: 1rem 0; } img { max-width: 100%; height: auto; }
figcaption, .note { color: #555; font-size: 13px; } code, pre { background: #f4f4f4; padding: .1rem .3rem; }
pre { padding: .8rem; overflow-x: auto; }
.holds { background: #dff3e3; } .shape { background: #fdf3d1; } .not { background: #fbdcd9; }
"""


def page(sections: Sequence[Section]) -> str:
    """The whole page."""
    return "\n".join(_lines(sections)) + "\n"


def inline(text: str) -> str:
    """Text with ``**bold**`` and ``*emphasis*``."""
    safe = escape(text, quote=False)
    return re.sub(r"\*([^*]+)\*", r"<em>\1</em>", re.sub(r"\*\*([^*]+)\*\*", r"<strong>\1</strong>", safe))


def _lines(sections: Sequence[Section]) -> Iterator[str]:
    yield "<!DOCTYPE html>"
    yield f'<html lang="en"><head><meta charset="utf-8"><title>{escape(words.TITLE)}</title>'
    yield f'<meta name="viewport" content="width=device-width"><style>{STYLE}</style></head><body>'
    yield f"<h1>{escape(words.TITLE)}</h1>"
    yield from (f"<p>{inline(line)}</p>" for line in words.INTRODUCTION)
    commands = "\n".join(f"{command}  # {meaning}" for command, meaning in words.COMMANDS)
    yield f"<pre>{escape(commands)}</pre>"
    yield f"<p>Written by <code>python -m experiments report</code> with {escape(words.written_by())}.</p>"
    yield f"<p><strong>{escape(summary(sections))}</strong></p><ul>"
    for paper, title in PAPERS.items():
        links = [_link(s) for s in sections if s.experiment.paper == paper]
        if links:
            yield f"<li><strong>{escape(title)}</strong>: {' · '.join(links)}</li>"
    yield "</ul><ul>"
    yield from (f"<li>{inline(line)}</li>" for line in words.HOW_TO_READ)
    yield "</ul>"
    rows = not_holding(sections)
    if rows:
        yield f"<p>{escape(words.DIFFERENCES)}</p><ul>"
        yield from (f"<li>{inline(difference(row))}</li>" for row in rows)
        yield "</ul>"
    for paper, title in PAPERS.items():
        of_paper = [section for section in sections if section.experiment.paper == paper]
        if of_paper:
            yield f"<h2>{escape(title)}</h2>"
            for section in of_paper:
                yield from _section(section)
    yield "</body></html>"


def _link(section: Section) -> str:
    return f'<a href="#{anchor(section.experiment.title)}">{escape(section.experiment.title)}</a>'


def _section(section: Section) -> Iterator[str]:
    yield f'<h3 id="{anchor(section.experiment.title)}">{escape(section.experiment.title)}</h3>'
    if section.missing:
        yield f'<p class="note">{escape(section.missing)}</p>'
    for figure in section.figures:
        source, caption = f"claims/{figure.name}", escape(figure.caption)
        named = f' id="{anchor(figure.title)}"' if figure.title else ""
        yield f'<figure{named}><a href="{source}.png"><img src="{source}.svg" alt="{caption}"></a>'
        yield f"<figcaption>{caption}</figcaption></figure>"
    if section.rows:
        kinds = [CLASSES.get(row.finding.verdict, "") for row in section.rows]
        yield from _table([list(COLUMNS), *(cells(row) for row in section.rows)], kinds)
    for title, rows, note in section.tables:
        yield f"<h4>{escape(title)}</h4>"
        yield from _table(rows, [""] * (len(rows) - 1))
        yield f'<p class="note">{inline(note)}</p>'
    name = section.experiment.name
    yield f'<p class="note">Results: <a href="claims/{name}.csv">{name}.csv</a></p>'


def _table(rows: Sequence[Sequence[str]], kinds: Sequence[str]) -> Iterator[str]:
    header, *body = rows
    yield "<table><tr>" + "".join(f"<th>{escape(cell)}</th>" for cell in header) + "</tr>"
    for kind, row in zip(kinds, body, strict=True):
        opening = f'<tr class="{kind}">' if kind else "<tr>"
        yield opening + "".join(f"<td>{inline(cell)}</td>" for cell in row) + "</tr>"
    yield "</table>"
