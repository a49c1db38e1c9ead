"""Who imports whom when a package is loaded, and where that goes round in a circle."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from tests.house.source import Source, Tree, imported_from, is_for_type_checkers, run_on_import

if TYPE_CHECKING:
    from collections.abc import Iterable


def circles(tree: Tree, *, in_functions: bool = False) -> list[list[str]]:
    """The groups of modules each of which imports, by way of others, itself.

    Parameters
    ----------
    tree
        The package.
    in_functions
        Whether imports count that are carried out only when a function is called.
    """
    graph = {module: _imports(tree, source, in_functions) for module, source in tree.items()}
    return [sorted(group) for group in _components(graph) if len(group) > 1 or group[0] in graph[group[0]]]


def _imports(tree: Tree, source: Source, in_functions: bool) -> set[str]:
    found = set()
    for node in _all_but_typing(source) if in_functions else run_on_import(source.tree.body):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = imported_from(source, node)
            names = {f"{base}.{alias.name}" for alias in node.names}
            found |= names & tree.keys()
            if not names <= tree.keys():
                found.add(base)
    # Importing a.b.c runs the __init__ of a and a.b first; those that hold the importing file itself run already.
    above = _above(source.module)
    outer = {package for module in found for package in _above(module) if package not in above}
    return {module for module in found | outer if module in tree and module != source.module}


def _above(module: str) -> set[str]:
    parts = module.split(".")
    return {".".join(parts[:length]) for length in range(1, len(parts))}


def _all_but_typing(source: Source) -> Iterable[ast.AST]:
    """Every node that is not under ``if TYPE_CHECKING:``."""
    waiting: list[ast.AST] = [source.tree]
    while waiting:
        node = waiting.pop()
        yield node
        skipped = node.body if isinstance(node, ast.If) and is_for_type_checkers(node) else []
        waiting.extend(child for child in ast.iter_child_nodes(node) if child not in skipped)


def _components(graph: dict[str, set[str]]) -> list[list[str]]:
    """Strongly connected components, by who reaches whom."""
    reached = {module: _reached(graph, module) for module in graph}
    groups: list[list[str]] = []
    placed: set[str] = set()
    for module in graph:
        if module not in placed:
            group = [module, *(other for other in reached[module] if other != module and module in reached[other])]
            placed.update(group)
            groups.append(group)
    return groups


def _reached(graph: dict[str, set[str]], start: str) -> set[str]:
    found: set[str] = set()
    waiting = [start]
    while waiting:
        new = graph[waiting.pop()] - found
        found |= new
        waiting.extend(new)
    return found
