"""Parameters of algorithms: what they are called, what they may be, and how a bad value is answered."""

from __future__ import annotations

import math
from dataclasses import dataclass
from difflib import get_close_matches
from numbers import Real
from typing import TYPE_CHECKING, Any

from topicweave.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

REQUIRED = object()
LARGEST = 2**62  # whole numbers beyond it mean the same, and would not fit into the kernels' integers


@dataclass(frozen=True)
class Parameter:
    """One parameter of an algorithm.

    Attributes
    ----------
    name, kind
        How it is called; ``int`` or ``float``.
    minimum
        The least value allowed.
    help
        What it means, for people.
    default
        Taken when it is not given; ``REQUIRED`` if there is none.
    from_ratio
        For budgets: the figure of the MinMax-ODA design that ``budget_ratio`` is a share of (PART Eq. 36).
    """

    name: str
    kind: type[int | float]
    minimum: float
    help: str
    default: Any = REQUIRED
    from_ratio: str | None = None

    def check(self, value: Any) -> int | float:
        """Return the value as its kind, or say what is wrong with it."""
        if not isinstance(value, Real) or isinstance(value, bool) or value != value:
            raise ParameterError(f"{self.name} must be a number of at least {self.minimum:g}, but {value!r} was given.")
        if value < self.minimum:
            raise ParameterError(f"{self.name} must be at least {self.minimum:g}, but {value!r} was given.")
        if self.kind is float:
            try:
                return float(value)
            except OverflowError:  # of a whole number
                return math.inf
        if value == math.inf:
            raise ParameterError(f"{self.name} must be a whole number, but {value!r} was given.")
        whole: int = int(value)  # type: ignore[call-overload]
        if whole != value:
            raise ParameterError(f"{self.name} must be a whole number, but {value!r} was given.")
        return whole


def did_you_mean(name: str, known: Sequence[str]) -> str:
    """A closing clause that points at the likeliest spelling."""
    close = get_close_matches(str(name).lower(), known, n=1)
    return f"did you mean {close[0]!r}?" if close else "choose one of: " + ", ".join(known) + "."


def fill(algorithm: str, parameters: Sequence[Parameter], given: Mapping[str, Any]) -> dict[str, Any]:
    """Check the given values and fill in the defaults; a required one that is missing is an error."""
    known = [parameter.name for parameter in parameters]
    for name in given:
        if name not in known:
            what = f"its parameters are: {', '.join(known)}." if known else "it has none."
            raise ParameterError(f"{algorithm!r} has no parameter {name!r}; {what}")
    filled = {}
    for parameter in parameters:
        if parameter.name in given:
            checked = parameter.check(given[parameter.name])
            filled[parameter.name] = min(checked, LARGEST) if parameter.kind is int else checked
        elif parameter.default is REQUIRED:
            ratio = " or budget_ratio=" if parameter.from_ratio else ""
            raise ParameterError(f"{algorithm!r} needs {parameter.name}={ratio}: {parameter.help}.")
        else:
            filled[parameter.name] = parameter.default
    return filled
