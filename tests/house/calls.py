"""The greedy core: its files, how many parameters its functions take, and how many calls cross a file."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from fnmatch import fnmatch
from typing import TYPE_CHECKING

from tests.house.source import FUNCTIONS, Source, Tree, dotted, targets

if TYPE_CHECKING:
    from collections.abc import Iterable

CORE = (
    "topicweave/kernels/greedy/*.py",
    "topicweave/algorithms/greedy/*.py",
    "topicweave/algorithms/greedy*.py",
)
MOST_PARAMETERS = 8


@dataclass(frozen=True)
class Calls:
    """Call sites of functions of the core, as ``file: function``."""

    within: tuple[str, ...]
    across: tuple[str, ...]

    @property
    def share(self) -> float:
        """The share that crosses a file."""
        return len(self.across) / max(1, len(self.within) + len(self.across))


def core_of(tree: Tree, patterns: Iterable[str] = CORE) -> list[Source]:
    """The files of the core, without ``__init__``."""
    kept = list(patterns)
    return [
        source
        for source in tree.values()
        if not source.is_package and any(fnmatch(source.path, pattern) for pattern in kept)
    ]


def helpers_of(tree: Tree, core: Iterable[Source]) -> list[Source]:
    """The other files of kernels, such as that of the machine instructions, except for the compiler's own."""
    left = {*(source.module for source in core), "topicweave.kernels.jit"}
    return [
        source for module, source in tree.items() if module.startswith("topicweave.kernels.") and module not in left
    ]


def count_parameters(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """How many parameters a function has; ``self`` and ``cls`` are none, ``*args`` is one."""
    given = function.args
    names = [parameter.arg for parameter in (*given.posonlyargs, *given.args)]
    own = names[:1] in (["self"], ["cls"])
    return len(names) - own + len(given.kwonlyargs) + (given.vararg is not None) + (given.kwarg is not None)


def long_signatures(core: Iterable[Source]) -> set[str]:
    """``file: function`` where there are more than eight parameters."""
    return {
        f"{source.path}: {node.name}"
        for source in core
        for node in ast.walk(source.tree)
        if isinstance(node, FUNCTIONS) and count_parameters(node) > MOST_PARAMETERS
    }


def count_calls(tree: Tree, core: Iterable[Source], helpers: Iterable[Source] = ()) -> Calls:
    """Every call in the core whose callee is a function of the core, found by local definition or import.

    Methods are not counted: of whose class an object is cannot be read from the syntax. Nor are classes.

    Parameters
    ----------
    tree
        The package, in which re-exported names are followed.
    core
        The files whose calls are counted.
    helpers
        Files of functions that the core calls and that are to be counted as well; all such calls cross a file.
    """
    callers = {source.module: source for source in core}
    defined = callers | {source.module: source for source in helpers}
    within: list[str] = []
    across: list[str] = []
    for source in callers.values():
        meant = targets(tree, source)
        for node in ast.walk(source.tree):
            name = dotted(node.func) if isinstance(node, ast.Call) else None
            if name is None:
                continue
            first, _, rest = name.partition(".")
            if not rest and first in source.functions and first not in meant:
                within.append(f"{source.path}: {name}")
                continue
            full = f"{meant[first]}.{rest}" if first in meant and rest else meant.get(first, "")
            module, _, function = full.rpartition(".")
            if module in defined and function in defined[module].functions:
                (within if module == source.module else across).append(f"{source.path}: {name}")
    return Calls(tuple(within), tuple(across))
