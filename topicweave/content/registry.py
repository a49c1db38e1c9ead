"""The table of methods: the only place that defines each one's name, function, parameters, summary and paper.

``topicweave.content.assign``, ``topicweave.pipeline.assign`` and the options of ``topicweave content assign`` are all
made from it: a method or parameter that is added here is available in all three.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from topicweave.content.best import best
from topicweave.content.clustering import clustering
from topicweave.content.exact import FORMS, exact
from topicweave.content.greedy_packing import greedy_packing
from topicweave.content.migration import STARTS, migrate
from topicweave.content.random_assignment import random_assignment
from topicweave.content.steiner_mixing import DRAWS, steiner_mixing
from topicweave.parameters import Parameter, find_entry

if TYPE_CHECKING:
    from collections.abc import Callable

    from topicweave.content.assignment import MethodResult

DEFAULT = "best"


@dataclass(frozen=True)
class Method:
    """An entry of the table: one method that assigns users to brokers.

    Attributes
    ----------
    function
        ``function(instance, *, seed, **parameters)``, which also takes ``core`` if its result depends on that.
    parameters
        Its parameters, with types, ranges and defaults.
    does
        One line on what it does.
    paper
        Where it is described.
    minimises_core
        Whether it minimises the cost of the core, and so has to know which kind of trees it uses.
    """

    function: Callable[..., MethodResult]
    parameters: tuple[Parameter, ...]
    does: str
    paper: str
    minimises_core: bool = False


METHODS: dict[str, Method] = {
    "random": Method(random_assignment, (), "every user at a random broker with room", "CONTENT §VI-B"),
    "greedy_packing": Method(
        greedy_packing, (), "every user at the cheapest broker with room", "CONTENT §III-A, Algorithm 1"
    ),
    "clustering": Method(
        clustering, (), "users with much traffic between them at one broker", "CONTENT §III-B, Algorithm 2"
    ),
    "steiner_mixing": Method(
        steiner_mixing,
        (
            Parameter(
                "draw", str, "draw a broker by the traffic of its trees, or take the one with most traffic",
                "weighted", choices=DRAWS,
            ),
        ),
        "a broker by the traffic of Steiner trees",
        "CONTENT §IV-B, Algorithm 3",
    ),
    "migrate": Method(
        migrate,
        (
            Parameter(
                "start", str, "the method whose assignment is improved",
                "steiner_mixing", choices=tuple(STARTS), noun="method to start from", takes_objects=True,
            ),
            Parameter("passes", int, "the most passes over all users; by default until no user moves", None, 1),
        ),
        "moves of single users until none lowers the cost",
        "CONTENT §IV-C",
        minimises_core=True,
    ),
    "exact": Method(
        exact,
        (
            Parameter("time_limit", float, "seconds after which the best found so far is taken", 60.0, 0),
            Parameter("form", str, "the form of the programme", "auto", choices=FORMS),
        ),
        "the proved optimum of a small instance, or a bound",
        "CONTENT §II-B",
        minimises_core=True,
    ),
    "best": Method(
        best,
        (Parameter("seeds", int, "how many draws of Steiner mixing to start from", 3, 0),),
        "several starts, migration, and closing of brokers if that pays off",
        "mixing and §IV-C of CONTENT; otherwise this project",
        minimises_core=True,
    ),
}  # fmt: skip


def find_method(name: Any) -> Method:
    """The method of this name; an unknown name is an error that suggests the most similar one."""
    return find_entry("method", name, METHODS)
