"""Names and call forms of the previous version, which keep working for one more release with a warning."""

from __future__ import annotations

import warnings
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


def warn_renamed(old: str, new: str, stacklevel: int = 2) -> None:
    """Warn that something has a new name; the warning points to the caller's caller."""
    warnings.warn(
        f"{old} is called {new} now; the old name goes away with the next release.",
        DeprecationWarning,
        stacklevel=stacklevel + 1,
    )


def renamed(module: str, names: Mapping[str, str]) -> Callable[[str], Any]:
    """Make a module's ``__getattr__``, which finds objects under their former names.

    Parameters
    ----------
    module
        The module's name.
    names
        For each old name, the full new name: module, a dot, and the name in that module.
    """

    def find(name: str) -> Any:
        if name not in names:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        where, _, new = names[name].rpartition(".")
        warn_renamed(f"{module}.{name}", names[name])
        return getattr(import_module(where), new)

    return find


def in_new_form(form: str, given: tuple[Any, ...], named: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments of a call in the new form; earlier versions took the session first, and ``stages=`` instead of
    ``progress=``.
    """
    if given and (given[0] is None or is_session(given[0])):
        warn_form(f"The session is no longer the first argument: call {form}.")
        given, named = given[1:], {"spark": given[0], **named}
    if "stages" in named:
        warn_form(f"stages= is now progress=, an Observer: call {form.removesuffix(')')}, progress=...).")
        named = {**named, "progress": named["stages"]}
        del named["stages"]
    return given, named


def is_session(given: Any) -> bool:
    """Whether an object is a Spark session of any kind, judged by its class name so that PySpark is not imported."""
    return any(kind.__name__ == "SparkSession" for kind in type(given).__mro__)


def warn_form(sentence: str, stacklevel: int = 3) -> None:
    """Warn about an old call form. The warning names the line ``stacklevel`` calls up (1: our caller)."""
    warnings.warn(sentence, DeprecationWarning, stacklevel=stacklevel + 1)
