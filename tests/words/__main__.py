"""``python -m tests.words --count 100 --seed 1`` draws comments, docstrings and sentences of the docs at random.

Give the list to someone who does not know the project, and count what puzzles them. Each line names its place; below
it stands what a reader of the file sees beside it: the line of code, or the section of the page.
"""

from __future__ import annotations

import argparse
import ast
import io
import random
import re
import tokenize
from functools import cache
from pathlib import Path
from typing import NamedTuple

CHECKOUT = Path(__file__).resolve().parents[2]
CODE = ("topicweave", "experiments", "benchmarks")
PAGES = ("README.md", "CONTRIBUTING.md", "docs")
FOR_TOOLS = ("fmt:", "type:", "mypy:", "noqa")
SHORTEST = 20
"""Characters below which there is nothing to judge, as in ``# fmt: skip``."""


class Passage(NamedTuple):
    """Something to read: its place, its text on one line, and what stands beside it."""

    place: str
    text: str
    beside: str = ""


@cache
def passages() -> list[Passage]:
    """Everything that can be drawn, in the order of the files."""
    code = [file for room in CODE for file in sorted((CHECKOUT / room).rglob("*.py"))]
    pages = [file for page in PAGES for file in sorted(_markdown(CHECKOUT / page))]
    return [found for file in code for found in of_code(file)] + [found for file in pages for found in of_page(file)]


def _markdown(place: Path) -> list[Path]:
    if place.is_file():
        return [place]
    return [file for file in place.rglob("*.md") if not {"_build", "claims"} & set(file.parts)]


def of_code(file: Path) -> list[Passage]:
    """Comments, joined where they run over several lines, and docstrings up to their first blank line."""
    text = file.read_text(encoding="utf-8")
    name = file.relative_to(CHECKOUT)
    lines = [*text.splitlines(), ""]
    found: list[tuple[int, str, int]] = []  # line, words, line of the code that they are about
    last = -1
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type != tokenize.COMMENT or any(mark in token.string for mark in FOR_TOOLS):
            continue
        line, words = token.start[0], token.string.strip("#- ")
        is_own_line = token.line.lstrip().startswith("#")
        if is_own_line and line == last + 1:
            found[-1] = (found[-1][0], f"{found[-1][1]} {words}", line + 1)
        else:
            found.append((line, words, line + is_own_line))
        last = line if is_own_line else -1
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            words = ast.get_docstring(node) or ""
            line = getattr(node, "lineno", 0)
            found.append((max(line, 1), " ".join(words.split("\n\n")[0].split()), line))
    return [
        Passage(f"{name}:{line}", words, lines[about - 1].partition("  #")[0].strip() if about else "")
        for line, words, about in found
        if len(words) >= SHORTEST
    ]


def of_page(file: Path) -> list[Passage]:
    """Sentences outside code blocks and tables."""
    name = file.relative_to(CHECKOUT)
    prose = re.sub(r"```.*?```", "", file.read_text(encoding="utf-8"), flags=re.DOTALL)
    blocks, heading = [], ""
    for block in re.split(r"\n\n|\n(?=\s*(?:[-*]|\d+\.) )", prose):
        if block.lstrip().startswith("#"):
            heading = block.strip()
        elif not block.lstrip().startswith(("|", "<")):
            blocks.append((heading, " ".join(block.split())))
    return [
        Passage(str(name), one, heading)
        for heading, block in blocks
        for one in re.split(r"(?<=[.:?!]) (?=[A-Z*`\[])", block)
        if len(one) >= SHORTEST
    ]


def drawn(count: int, seed: int) -> list[Passage]:
    """A random sample of passages; the same for the same seed and the same source tree."""
    everything = passages()
    return random.Random(seed).sample(everything, min(count, len(everything)))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m tests.words", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    for number, one in enumerate(drawn(given.count, given.seed), start=1):
        print(f"{number:>3}. [{one.place}] {one.text}" + (f"\n        | {one.beside}" if one.beside else ""))
