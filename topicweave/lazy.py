"""Loads the names of a package when they are first used, so that importing the package is quick.

A package lists its names with the modules that define them, and imports them a second time under ``TYPE_CHECKING``,
where type checkers and editors look for them.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


def loader(package: str, module_of: Mapping[str, str]) -> Callable[[str], Any]:
    """Make a package's ``__getattr__``, which loads a name from the module that defines it, or a module of that name.

    Parameters
    ----------
    package
        The package's ``__name__``.
    module_of
        By name, the module that defines it.
    """

    def find(name: str) -> Any:
        if name not in module_of:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module = import_module(module_of[name])
        return module if module_of[name] == f"{package}.{name}" else getattr(module, name)

    return find
