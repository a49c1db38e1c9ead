"""The table of methods: the one place where a name gets its function, parameters, what it does, and its paper."""

from __future__ import annotations

import math
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from topicweave.content.best import best
from topicweave.content.clustering import clustering
from topicweave.content.exact import exact
from topicweave.content.greedy_packing import greedy_packing
from topicweave.content.migration import migrate
from topicweave.content.random_assignment import random_assignment
from topicweave.content.steiner_mixing import steiner_mixing
from topicweave.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from topicweave.content.assignment import MethodResult


@dataclass(frozen=True)
class Setting:
    """A parameter of a method: its default, and the least number allowed (``None``: not a number)."""

    default: Any
    least: float | None = None
    is_whole: bool = True

    def check(self, name: str, value: Any) -> Any:
        """The value, or one sentence on what is wrong with it."""
        if self.least is None or (value is None and self.default is None):
            return value
        is_number = isinstance(value, (int, float)) or hasattr(value, "__index__")
        if not is_number or isinstance(value, bool) or math.isnan(value) or value < self.least:
            raise ParameterError(f"{name} must be a number of at least {self.least:g}, but {value!r} was given.")
        if self.is_whole and int(value) != value:
            raise ParameterError(f"{name} must be a whole number, but {value!r} was given.")
        return int(value) if self.is_whole else float(value)


@dataclass(frozen=True)
class Method:
    """One way to assign users to brokers.

    Attributes
    ----------
    function
        ``function(instance, *, seed, **parameters)``.
    parameters
        What may be set, with defaults.
    does
        What it does, in a line.
    paper
        Where it is described.
    """

    function: Callable[..., MethodResult]
    parameters: Mapping[str, Setting]
    does: str
    paper: str


METHODS: Mapping[str, Method] = MappingProxyType(
    {
        "random": Method(random_assignment, {}, "every user at a random broker with room", "CONTENT §VI-B"),
        "greedy_packing": Method(
            greedy_packing, {}, "every user at the cheapest broker with room", "CONTENT §III-A, Algorithm 1"
        ),
        "clustering": Method(
            clustering, {}, "users with much traffic between them at one broker", "CONTENT §III-B, Algorithm 2"
        ),
        "steiner_mixing": Method(
            steiner_mixing, {}, "a broker drawn by the traffic of Steiner trees", "CONTENT §IV-B, Algorithm 3"
        ),
        "migrate": Method(
            migrate,
            {"start": Setting("steiner_mixing"), "passes": Setting(None, 1)},
            "moves of single users until none lowers the cost",
            "CONTENT §IV-C",
        ),
        "exact": Method(
            exact,
            {"time_limit": Setting(60.0, 0.0, is_whole=False)},
            "the proved optimum of a small instance, or a bound",
            "CONTENT §II-B",
        ),
        "best": Method(
            best,
            {"seeds": Setting(3, 0)},
            "several starts, migration, and brokers closed where that pays",
            "mixing and §IV-C of CONTENT, and ours",
        ),
    }
)
