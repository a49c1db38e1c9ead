"""Forms of call of the version before, which keep working for one release, with a warning that names the new form."""

from __future__ import annotations

import warnings
from functools import wraps
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")


def in_new_form(form: str, given: tuple[Any, ...], named: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments of a verb that may have the session (or None) in front, and ``stages=`` for ``progress=``."""
    if given and (given[0] is None or is_session(given[0])):
        warn(f"The session is no longer the first argument: call {form}.")
        given, named = given[1:], {"spark": given[0], **named}
    if "stages" in named:
        warn(f"stages= is now progress=, an Observer: call {form.removesuffix(')')}, progress=...).")
        named = {**named, "progress": named["stages"]}
        del named["stages"]
    return given, named


def takes_interest(verb: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """Let ``profile`` also be called with an interest in memory, for which no Spark is needed."""

    @wraps(verb)
    def call(*given: Any, **named: Any) -> Any:
        from topicweave.model import Interest
        from topicweave.reports.profile import profile

        if given and isinstance(given[0], Interest):
            warn("For an interest in memory call topicweave.reports.profile.profile(interest).", stacklevel=2)
            return profile(*given, **named)
        return verb(*given, **named)

    return call


def is_session(given: Any) -> bool:
    """Whether it is a session of any kind; by name, so that PySpark need not be loaded to find out."""
    return any(kind.__name__ == "SparkSession" for kind in type(given).__mro__)


def warn(sentence: str, stacklevel: int = 3) -> None:
    """Warn whoever called the verb; ``stacklevel`` counts the calls in between."""
    warnings.warn(sentence, DeprecationWarning, stacklevel=stacklevel + 1)
