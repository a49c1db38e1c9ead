"""Forms of call of the version before, which keep working for one release, with a warning that names the new form."""

from __future__ import annotations

import warnings
from functools import wraps
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")


def source_first(form: str) -> Callable[[Callable[Parameters, Result]], Callable[Parameters, Result]]:
    """Let a verb also be called with the session (or None) in front, and with ``stages=`` for ``progress=``."""

    def decorate(verb: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
        @wraps(verb)
        def call(*given: Any, **named: Any) -> Result:
            if given and (given[0] is None or is_session(given[0])):
                warn(f"The session is no longer the first argument: call {form}.")
                named.setdefault("spark", given[0])
                given = given[1:]
            if "stages" in named:
                warn(f"stages= is now progress=, an Observer: call {form.removesuffix(')')}, progress=...).")
                named["progress"] = named.pop("stages")
            return verb(*given, **named)

        return call

    return decorate


def takes_interest(verb: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """Let ``profile`` also be called with an interest in memory, for which no Spark is needed."""

    @wraps(verb)
    def call(*given: Any, **named: Any) -> Any:
        from topicweave.model import Interest
        from topicweave.reports.profile import profile

        if given and isinstance(given[0], Interest):
            warn("For an interest in memory call topicweave.reports.profile.profile(interest).")
            return profile(*given, **named)
        return verb(*given, **named)

    return call


def is_session(given: Any) -> bool:
    """Whether it is a session of any kind; by name, so that PySpark need not be loaded to find out."""
    return any(kind.__name__ == "SparkSession" for kind in type(given).__mro__)


def warn(sentence: str) -> None:
    warnings.warn(sentence, DeprecationWarning, stacklevel=3)
