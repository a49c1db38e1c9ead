"""The files of a package as syntax trees, and what the names in them stand for."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    Function = ast.FunctionDef | ast.AsyncFunctionDef

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


@dataclass(frozen=True, eq=False)
class Source:
    """One file.

    Attributes
    ----------
    module
        Its dotted name; that of the folder for an ``__init__``.
    path
        From the folder that holds the package, with slashes.
    text
        What it says.
    """

    module: str
    path: str
    text: str

    @cached_property
    def tree(self) -> ast.Module:
        return ast.parse(self.text, self.path)

    @property
    def num_lines(self) -> int:
        return len(self.text.splitlines())

    @property
    def is_package(self) -> bool:
        return self.path.endswith("__init__.py")

    @property
    def package(self) -> str:
        """What relative imports start from."""
        return self.module if self.is_package else self.module.rpartition(".")[0]

    @cached_property
    def functions(self) -> dict[str, Function]:
        """Functions and methods by their names, of several equal ones the last."""
        return {node.name: node for node in ast.walk(self.tree) if isinstance(node, FUNCTIONS)}


Tree = dict[str, Source]


def read_package(root: Path, name: str = "topicweave") -> Tree:
    """All files of the package in a folder, by module."""
    found = {}
    for file in sorted((root / name).rglob("*.py")):
        path = file.relative_to(root)
        parts = path.parent.parts if file.name == "__init__.py" else path.with_suffix("").parts
        module = ".".join(parts)
        found[module] = Source(module, path.as_posix(), file.read_text(encoding="utf-8"))
    return found


def imported_from(source: Source, node: ast.ImportFrom) -> str:
    """The module that a ``from … import`` names, in full."""
    if not node.level:
        return node.module or ""
    package = source.package.split(".")
    base = package[: len(package) - node.level + 1]
    return ".".join([*base, *([node.module] if node.module else [])])


def targets(tree: Tree, source: Source) -> dict[str, str]:
    """What the imported names of a file stand for, wherever in it they are imported: dotted names.

    What a package re-exports is followed to where it is defined.
    """
    meant: dict[str, str] = {}
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                meant[alias.asname or alias.name.partition(".")[0]] = (
                    alias.name if alias.asname else alias.name.partition(".")[0]
                )
        elif isinstance(node, ast.ImportFrom):
            module = imported_from(source, node)
            for alias in node.names:
                meant[alias.asname or alias.name] = definition(tree, module, alias.name)
    return meant


def definition(tree: Tree, module: str, name: str, depth: int = 5) -> str:
    """Where a name that is imported from a module is defined, as far as the package itself goes."""
    if module in tree and depth > 0:
        for node in tree[module].tree.body:
            if isinstance(node, ast.ImportFrom):
                for alias in node.names:
                    if (alias.asname or alias.name) == name:
                        return definition(tree, imported_from(tree[module], node), alias.name, depth - 1)
    return f"{module}.{name}"


def dotted(node: ast.expr) -> str | None:
    """``a.b.c`` as text, None for anything else."""
    parts = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return ".".join([node.id, *reversed(parts)]) if isinstance(node, ast.Name) else None


def is_for_type_checkers(node: ast.stmt) -> bool:
    """Whether this is ``if TYPE_CHECKING:``."""
    return isinstance(node, ast.If) and (dotted(node.test) or "").split(".")[-1] == "TYPE_CHECKING"


def run_on_import(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements that are run when a file is imported: all but those of functions."""
    for node in body:
        yield node
        if isinstance(node, FUNCTIONS):
            continue
        blocks = [getattr(node, part, []) for part in ("body", "orelse", "finalbody")]
        if is_for_type_checkers(node):
            blocks = blocks[1:]
        for handler in getattr(node, "handlers", []):
            blocks.append(handler.body)
        for block in blocks:
            yield from run_on_import(block)
