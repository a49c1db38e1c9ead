"""Private names of one file that another one uses, and modules that are given another name."""

from __future__ import annotations

import ast
import importlib.util
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeGuard

from tests.house.source import FUNCTIONS, Source, Tree, definition, dotted, imported_from, targets

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

OWN = {"self", "cls"}
ATTRIBUTE_BY_NAME = {"getattr", "setattr", "hasattr", "delattr"}
NAMED_TUPLE = {"_replace", "_asdict", "_fields", "_make", "_field_defaults"}
LIBRARIES = {
    "_exit": "os._exit ends a process without the clean-up of others; documented",
    "_active_spark_context": "which session is open; PySpark has no public way to ask without opening one",
    "_gateway": "the connection to Java: PySpark would go on talking to one that has ended",
    "_gateway_client": "what sends PySpark's calls to Java, stopped when the process is about to end",
    "_jvm": "forgotten together with the connection to Java",
    "_desc": "the message of an error of Spark, without what str() wraps around it",
    "_cause": "the error of Spark that led to this one",
    "_stackTrace": "where in Java an error came from",
    "_insert": "where numba notes the entry point for Python, which functions called by compiled code alone lack",
    "_compile_for_args": "what numba does at a call from Python, which would jump to address 0 without an entry point",
}
"""Names of libraries that are private but have no public counterpart, each with what it is needed for."""
CONVENTIONS = {
    "numpy": "np",
    "pandas": "pd",
    "pyarrow": "pa",
    "pyarrow.compute": "pc",
    "pyarrow.parquet": "pq",
    "matplotlib": "mpl",
    "matplotlib.pyplot": "plt",
    "pyspark.sql.functions": "F",
    "pyspark.sql.types": "T",
    "topicweave": "tw",
}
"""The short names that the documentation of these libraries itself uses."""


def private_uses(tree: Tree, libraries: Collection[str] = tuple(LIBRARIES)) -> set[str]:
    """``file: name`` for every private name of another file, or of a library, that is used.

    Parameters
    ----------
    tree
        The package.
    libraries
        The names of libraries that may be used.
    """
    defined = {source.path: _defined(source) for source in tree.values()}
    ours = set().union(*defined.values())  # a name that one of our files defines does not come from a library
    allowed = NAMED_TUPLE | (set(libraries) - ours)
    return {
        f"{source.path}: {name}"
        for source in tree.values()
        for name in _foreign(tree, source, defined[source.path])
        if name.rpartition(".")[2] not in allowed
    }


def _foreign(tree: Tree, source: Source, own: set[str]) -> Iterator[str]:
    """The private names that a file uses and does not define."""
    meant = targets(tree, source)
    for node in ast.walk(source.tree):
        if isinstance(node, ast.ImportFrom):
            module = imported_from(source, node)
            for alias in node.names:
                if _is_private(alias.name):
                    yield f"{module}.{alias.name}"
        elif isinstance(node, ast.Attribute) and _is_private(node.attr):
            base = dotted(node.value)
            first = (base or "").partition(".")[0]
            if base in OWN or _is_super(node.value):
                continue
            # what a module or class of another file has under this name is not what this file defines
            if node.attr not in own or (base is not None and "." not in base and first in meant):
                yield f"{base or ast.unparse(node.value)}.{node.attr}"
        elif isinstance(node, ast.Call) and dotted(node.func) in ATTRIBUTE_BY_NAME:
            whose, name = node.args[:2]
            text = str(name.value) if isinstance(name, ast.Constant) else ""
            if _is_private(text) and dotted(whose) not in OWN and text not in own:
                yield f"{ast.unparse(whose)}.{text}"
        elif isinstance(node, ast.Call) and _is_namespace_update(node.func):
            whose = node.func.value.args[0]
            for keyword in node.keywords:
                if _is_private(keyword.arg or "") and dotted(whose) not in OWN:
                    yield f"{ast.unparse(whose)}.{keyword.arg}"


def _is_private(name: str) -> bool:
    return name.startswith("_") and name != "_" and not name.endswith("__")


def _is_namespace_update(function: ast.expr) -> TypeGuard[Any]:
    """Whether it is the ``vars(x).update`` of a call, which sets attributes of x by their names."""
    return (
        isinstance(function, ast.Attribute)
        and function.attr == "update"
        and isinstance(function.value, ast.Call)
        and dotted(function.value.func) == "vars"
        and len(function.value.args) == 1
    )


def _is_super(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and dotted(node.func) == "super"


def _defined(source: Source) -> set[str]:
    """The names that this file defines: functions, classes, variables, attributes of ``self`` and ``cls``."""
    names = set()
    for node in ast.walk(source.tree):
        if isinstance(node, (*FUNCTIONS, ast.ClassDef)):
            names.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
        elif (
            isinstance(node, ast.Attribute)
            and isinstance(node.ctx, ast.Store)
            and isinstance(node.value, ast.Name)
            and node.value.id in OWN
        ):
            names.add(node.attr)
    return names


# ---- modules under another name -----------------------------------------------------------------------------------


def renamed_modules(tree: Tree) -> set[str]:
    """``file: module as name`` for every module that is imported under a name of the file's own."""
    found = set()
    for source in tree.values():
        for node in ast.walk(source.tree):
            if isinstance(node, ast.Import):
                pairs = [(alias.name, alias.asname) for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                base = imported_from(source, node)
                pairs = [(f"{base}.{alias.name}", alias.asname) for alias in node.names]
            else:
                continue
            for module, name in pairs:
                if name is None or name == module.rpartition(".")[2] or CONVENTIONS.get(module) == name:
                    continue
                base, _, last = module.rpartition(".")
                ours = base.partition(".")[0] in tree
                is_module = definition(tree, base, last) in tree if ours else _is_library_module(module)
                if isinstance(node, ast.Import) or is_module:
                    found.add(f"{source.path}: {module} as {name}")
    return found


@cache
def _is_library_module(module: str) -> bool:
    """Whether an installed library has this module; found by its files, for importing it may take long."""
    top, _, rest = module.partition(".")
    try:
        spec = importlib.util.find_spec(top)
    except ValueError:
        return False
    folders = spec.submodule_search_locations if spec is not None else None
    inside = Path(*rest.split("."))
    return any(
        (Path(folder) / inside).with_suffix(".py").is_file() or (Path(folder) / inside / "__init__.py").is_file()
        for folder in folders or ()
    )
