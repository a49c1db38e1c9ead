"""A short text (digest) that identifies the code a result depends on, so that results of earlier code can be recognised
as stale.

The modules that define a run's subject and action, the algorithms it asks for, and every module that these import,
directly or not, are read as syntax trees. Comments, docstrings and layout do not count, nor does code that only checks
arguments and words messages, so that rewording makes no result stale.
"""

from __future__ import annotations

import ast
import hashlib
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from topicweave.algorithms import ALGORITHMS
from topicweave.parameters import Deferred

if TYPE_CHECKING:
    from collections.abc import Iterator

    from experiments.run import Run

CHECKOUT = Path(__file__).resolve().parents[1]
OURS = ("topicweave", "experiments")
SHORTCUTS = {
    "design": "topicweave.algorithms.design",
    "verify": "topicweave.metrics.verifier",
    **{room: f"topicweave.{room}" for room in ("algorithms", "churn", "content", "metrics", "optimise", "workloads")},
}
"""What attributes of ``import topicweave as tw`` stand for."""
NEUTRAL = {
    # of this table, only the entries of the algorithms that a run uses are part of its digest
    "topicweave.algorithms.registry",
    "topicweave.columns",
    "topicweave.deprecation",
    "topicweave.errors",
    "topicweave.parameters",
    "topicweave.wording",
}
"""Modules that check arguments and word messages, and change no result."""
NOT_ENTERED = (
    "topicweave.algorithms.requirements",
    "topicweave.content.matching",
    "topicweave.content.processes",
    "topicweave.content.protocol",
    "topicweave.kernels.requirements",
)
"""Packages that are loaded when they are first used, and that no experiment uses: no paper states requirements, and
CONTENT's figures are about placements, not running brokers. A test performs runs of every kind and looks.
"""


def digest_of(run: Run) -> str:
    """A string that identifies the code on which the result of the run depends."""
    algorithms = tuple(getattr(run.action, "algorithms", ()))
    modules = {type(run.subject).__module__, type(run.action).__module__}
    return _digest_of(tuple(sorted(modules)), algorithms)


@cache  # a few thousand runs have only a few dozen different digests
def _digest_of(modules: tuple[str, ...], algorithms: tuple[str, ...]) -> str:
    digest = hashlib.sha256()
    functions = {_where(algorithm) for algorithm in algorithms}
    for name in sorted(reached_from(tuple(sorted({*modules, *functions})))):
        digest.update(f"{name}:{_code_of(name)}\n".encode())
    for algorithm in algorithms:
        defaults = [(one.name, repr(one.default)) for one in ALGORITHMS[algorithm].parameters if not one.is_required]
        digest.update(f"{algorithm}:{defaults}\n".encode())
    return digest.hexdigest()[:16]


def _where(algorithm: str) -> str:
    """The module that contains an algorithm's function."""
    function = ALGORITHMS[algorithm].function
    return str(function.path).partition(":")[0] if isinstance(function, Deferred) else function.__module__


@cache
def reached_from(modules: tuple[str, ...]) -> frozenset[str]:
    """These modules, and the modules of this checkout that they import, directly or not."""
    reached: set[str] = set()
    waiting = list(modules)
    while waiting:
        name = waiting.pop()
        if name not in reached:
            reached.add(name)
            waiting.extend(_imports_of(name))
    return frozenset(reached)


def _file_of(module: str) -> Path | None:
    """The file of a module; None if it is not a module of this checkout."""
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
    found = {name for name in _imported_names(module) if _file_of(name) is not None}
    entered = {name for name in found if not f"{name}.".startswith(tuple(f"{room}." for room in NOT_ENTERED))}
    return frozenset(entered - NEUTRAL - {"topicweave"})


def _imported_names(module: str) -> Iterator[str]:
    """The modules that a module may import; for ``from a import b`` both a and a.b, because b may be a module."""
    file = _file_of(module)
    package = module if file is not None and file.name == "__init__.py" else module.rpartition(".")[0]
    for node in ast.walk(_tree_of(module)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            source = ".".join([*above, *([node.module] if node.module else [])])
            yield from (source, *(f"{source}.{alias.name}" for alias in node.names))
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "tw":
            yield SHORTCUTS.get(node.attr, "topicweave.model")
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.startswith("topicweave."):
            yield node.value.partition(":")[0]  # imported when used


class _Bare(ast.NodeTransformer):
    """Removes code without effect: docstrings, and imports that only type checkers use."""

    def visit_Expr(self, node: ast.Expr) -> ast.Expr | None:
        is_text = isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
        return None if is_text else node

    def visit_If(self, node: ast.If) -> ast.AST | None:
        if isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            return None
        return self.generic_visit(node)
