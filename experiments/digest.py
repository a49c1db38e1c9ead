"""Which code a result depends on, in one short text: results of other code are stale.

A run names the modules it uses; their files and those of every module that they import, directly or not, are read as
syntax trees. Comments, docstrings and layout do not count, so that rewording something makes no result stale.
"""

from __future__ import annotations

import ast
import hashlib
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

CHECKOUT = Path(__file__).resolve().parents[1]
OURS = ("topicweave", "experiments")


def digest_of(modules: Iterable[str]) -> str:
    """A text that changes when the code of one of these modules, or of one that they import, changes."""
    digest = hashlib.sha256()
    for name in sorted(reached_from(tuple(sorted(set(modules))))):
        digest.update(f"{name}:{_code_of(name)}\n".encode())
    return digest.hexdigest()[:16]


@cache
def reached_from(modules: tuple[str, ...]) -> frozenset[str]:
    """The modules of this checkout that these are or import, directly or not."""
    reached: set[str] = set()
    waiting = list(modules)
    while waiting:
        name = waiting.pop()
        if name not in reached:
            reached.add(name)
            waiting.extend(_imports_of(name))
    return frozenset(reached)


def _file_of(module: str) -> Path | None:
    """Where a module is written; None if it is not a module of this checkout."""
    base = CHECKOUT.joinpath(*module.split("."))
    if module.split(".")[0] not in OURS:
        return None
    return next((file for file in (base.with_suffix(".py"), base / "__init__.py") if file.is_file()), None)


@cache
def _tree_of(module: str) -> ast.Module:
    file = _file_of(module)
    if file is None:
        raise ValueError(f"{module} is not a module of this checkout, so no result can depend on it.")
    return _Bare().visit(ast.parse(file.read_bytes()))  # type: ignore[no-any-return]


@cache
def _code_of(module: str) -> str:
    return ast.dump(_tree_of(module))


@cache
def _imports_of(module: str) -> frozenset[str]:
    return frozenset(name for name in _imported_names(module) if _file_of(name) is not None)


def _imported_names(module: str) -> Iterator[str]:
    """What a module may import; of ``from a import b`` both a and a.b, for b may be a module."""
    file = _file_of(module)
    package = module if file is not None and file.name == "__init__.py" else module.rpartition(".")[0]
    for node in ast.walk(_tree_of(module)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            source = ".".join([*above, *([node.module] if node.module else [])])
            yield from (source, *(f"{source}.{alias.name}" for alias in node.names))


class _Bare(ast.NodeTransformer):
    """Takes out what does nothing when the code runs: docstrings, and imports for type checkers alone."""

    def visit_Expr(self, node: ast.Expr) -> ast.Expr | None:
        is_text = isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
        return None if is_text else node

    def visit_If(self, node: ast.If) -> ast.AST | None:
        if isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            return None
        return self.generic_visit(node)
