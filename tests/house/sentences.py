"""Every test says in a sentence what it shows: in its docstring, or in a name that is one."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

FEWEST_WORDS = 5
"""A name with at least this many words, as ``an_empty_batch_changes_nothing``, is a sentence by itself."""


def without_sentence(root: Path) -> list[str]:
    """One line for each test that lacks one: its file and its name."""
    found = []
    for file in sorted((root / "tests").rglob("test_*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name.startswith("test_"):
                words = node.name.removeprefix("test_").split("_")
                if ast.get_docstring(node) is None and len(words) < FEWEST_WORDS:
                    found.append(f"{file.relative_to(root).as_posix()}: {node.name}")
    return found
