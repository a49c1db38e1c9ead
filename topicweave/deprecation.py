"""Names of the version before, which keep working for one release and say what to use instead."""

from __future__ import annotations

import warnings
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


def warn_renamed(old: str, new: str, stacklevel: int = 2) -> None:
    """Warn the caller's caller that something has another name now."""
    warnings.warn(
        f"{old} is called {new} now; the old name goes away with the next release.",
        DeprecationWarning,
        stacklevel=stacklevel + 1,
    )


def renamed(module: str, names: Mapping[str, str]) -> Callable[[str], Any]:
    """A module's ``__getattr__`` that finds names under which something was known before.

    Parameters
    ----------
    module
        The module's name.
    names
        For each old name, the full name of what it means now: module, a dot, and the name there.
    """

    def find(name: str) -> Any:
        if name not in names:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        where, _, new = names[name].rpartition(".")
        warn_renamed(f"{module}.{name}", names[name])
        return getattr(import_module(where), new)

    return find
