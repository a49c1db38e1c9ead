"""Forms of call of the version before, which keep working for one release, with a warning that names the new form."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from functools import wraps
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from topicweave.pipeline.connectivity import ListedLinks, Verification
    from topicweave.pipeline.quality.counts import Counts

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")


def source_first(form: str) -> Callable[[Callable[Parameters, Result]], Callable[Parameters, Result]]:
    """Let a verb also be called with the session (or None) in front, and with ``stages=`` for ``progress=``."""

    def decorate(verb: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
        @wraps(verb)
        def call(*given: Any, **named: Any) -> Result:
            if given and (given[0] is None or _is_session(given[0])):
                _warn(f"The session is no longer the first argument: call {form}.")
                named.setdefault("spark", given[0])
                given = given[1:]
            if "stages" in named:
                _warn(f"stages= is now progress=, an Observer: call {form.removesuffix(')')}, progress=...).")
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
            _warn("For an interest in memory call topicweave.reports.profile.profile(interest).")
            return profile(*given, **named)
        return verb(*given, **named)

    return call


@dataclass(frozen=True)
class VerifiedFiles:
    """What ``verify_files`` returned: the parts of a :class:`Verification`."""

    verification: Verification
    counts: Mapping[str, Counts]
    links: ListedLinks


def verify_files(*given: Any, **named: Any) -> VerifiedFiles:
    """The older name of :func:`topicweave.pipeline.verify`, which says the same in one object."""
    from topicweave.pipeline.verify import verify

    _warn("pipeline.verify_files is now pipeline.verify: call pipeline.verify(source, links, spark=...).")
    if given and (given[0] is None or _is_session(given[0])):
        named.setdefault("spark", given[0])
        given = given[1:]
    if "stages" in named:
        named["progress"] = named.pop("stages")
    if "edges" in named:
        named["links"] = named.pop("edges")
    found = verify(*given, **named)
    assert found.links is not None
    return VerifiedFiles(found, found.counts, found.links)


def _is_session(given: Any) -> bool:
    """Whether it is a session of any kind; by name, so that PySpark need not be loaded to find out."""
    return any(kind.__name__ == "SparkSession" for kind in type(given).__mro__)


def _warn(sentence: str) -> None:
    warnings.warn(sentence, DeprecationWarning, stacklevel=3)
