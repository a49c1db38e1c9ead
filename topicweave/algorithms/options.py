"""The options of design(), checked before anything is computed or read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from topicweave.algorithms.registry import ALGORITHMS, DEFAULT, Algorithm
from topicweave.errors import Argument, OverlayError, ParameterError
from topicweave.model import Design, Overlay
from topicweave.parameters import Offer, Parameter, check_kind, check_seed, fill, find_entry

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from numpy.typing import ArrayLike

    from topicweave.model import Requirements

TIES = ("balanced", "random", "lexicographic")
CANDIDATES = ("auto", "all", "near")
AUTO_NODES = 20_000  # with more nodes than this, candidates="auto" means near
NUM_CANDIDATES = 16

# Parameters that several algorithms share. The last one is for algorithms with a budget, the others for the greedy
# family.
SHARED = (
    Parameter("ties", str, "which of several equally good links to take", TIES[0], choices=TIES, noun="tie rule"),
    Parameter(
        "candidates", str, f"which pairs to choose from; near: a few partners for each node; auto: near beyond "
        f"{AUTO_NODES:,} nodes", "auto", choices=CANDIDATES, noun="way to choose candidates called",
    ),
    Parameter(
        "num_candidates", int, f"how many near partners a node gets in a round ({NUM_CANDIDATES} by default)",
        None, minimum=1,
    ),
    Parameter(
        "memory_limit", int, "the most bytes to use, also as 2G (three quarters of the free memory by default)", None,
        minimum=0, is_size=True,
    ),
    Parameter(
        "budget_ratio", float, "the share of what minmax uses, instead of a number", None, minimum=0, is_finite=True
    ),
)  # fmt: skip


@dataclass(frozen=True)
class Options:
    """An algorithm with all its options, checked as far as possible without the interest.

    Attributes
    ----------
    algorithm
        Its name.
    parameters
        Its own parameters, including defaults. A budget given by ``budget_ratio`` is not yet among them.
    ties, candidates, num_candidates, memory_limit, budget_ratio, start, prefer, pairs, topics, requirements, seed
        As in :func:`topicweave.design`.
    """

    algorithm: str
    parameters: Mapping[str, Any]
    ties: str
    candidates: str
    num_candidates: int | None
    memory_limit: int | None
    budget_ratio: float | None
    start: Overlay | None
    prefer: Overlay | None
    pairs: ArrayLike | None
    topics: Iterable[str] | None
    seed: int
    requirements: Requirements | None = None

    @property
    def entry(self) -> Algorithm:
        """The algorithm's entry in the table."""
        return ALGORITHMS[self.algorithm]

    @property
    def budget(self) -> Parameter | None:
        """The parameter that ``budget_ratio`` sets (``m`` or ``d``); None if no ratio was given."""
        return None if self.budget_ratio is None else _budget(self.entry)

    def num_near(self, num_nodes: int) -> int | None:
        """How many near candidates each node gets; None if all pairs, or an explicit list of pairs, are considered."""
        needs_all = self.pairs is not None or self.parameters.get("fill", False)
        is_auto = self.candidates == "auto" and not needs_all and num_nodes > AUTO_NODES
        if self.candidates == "near" or self.num_candidates is not None or is_auto:
            return self.num_candidates or NUM_CANDIDATES
        return None


def check_options(
    algorithm: str = DEFAULT,
    *,
    start: Overlay | None = None,
    prefer: Overlay | None = None,
    pairs: ArrayLike | None = None,
    topics: Iterable[str] | None = None,
    requirements: Requirements | None = None,
    seed: int = 0,
    **parameters: Any,
) -> Options:
    """Check the arguments of :func:`topicweave.design`; invalid ones raise the same errors as there.

    Parameters
    ----------
    parameters
        Parameters of the algorithm, and those that algorithms share (``SHARED``).
    """
    entry = find_entry("algorithm", algorithm, ALGORITHMS)
    names = {parameter.name for parameter in SHARED}
    given = {name: value for name, value in parameters.items() if name not in names}
    shared = fill(algorithm, SHARED, {name: value for name, value in parameters.items() if name in names})
    if not entry.goes_on:
        _refuse_greedy_options(algorithm, {"start": start, "prefer": prefer, "pairs": pairs, "topics": topics})
    _check_candidates(algorithm, entry, pairs, shared["candidates"], shared["num_candidates"])
    if given.get("fill") is True:
        _check_fill(pairs, shared["candidates"], shared["num_candidates"])
    _check_overlay("start", start)
    _check_overlay("prefer", prefer)
    _check_budget(algorithm, entry, shared["budget_ratio"], given)
    budget = None if shared["budget_ratio"] is None else _budget(entry)
    if requirements is not None:
        others = {"start": start, "pairs": pairs, "topics": topics, "num_candidates": shared["num_candidates"]}
        _check_requirements(algorithm, entry, requirements, others | given, shared["candidates"])
    own = [parameter for parameter in entry.parameters if parameter is not budget]
    return Options(
        algorithm, fill(algorithm, own, given), start=start, prefer=prefer, pairs=pairs, topics=topics,
        seed=check_seed(seed), requirements=requirements, **shared,
    )  # fmt: skip


# Arguments that cannot be combined with requirements, and the values they have when they are not used.
NOT_WITH_REQUIREMENTS = {
    "start": None, "pairs": None, "topics": None, "num_candidates": None, "fill": False,
}  # fmt: skip


def _check_requirements(
    name: str, entry: Algorithm, requirements: Any, given: Mapping[str, Any], candidates: str
) -> None:
    from topicweave.model import Requirements

    check_kind(
        requirements, Requirements, "requirements= needs Requirements", "make them with Requirements(max_hops=...)"
    )
    for made in requirements.names:
        if made not in entry.requirements:
            takers = [other for other, candidate in ALGORITHMS.items() if made in candidate.requirements]
            raise ParameterError(
                "{name!r} does not take the requirement {parameter}; {takers} do.",
                name=name, parameter=made, takers=", ".join(takers),
            )  # fmt: skip
    if not requirements.names:
        return
    unused = NOT_WITH_REQUIREMENTS
    used = [option for option, value in given.items() if option in unused and value is not unused[option]]
    if given.get("passes", 1) != 1:
        used.append("passes")
    if candidates == "near":
        used.append("candidates")
    if used:
        raise ParameterError(
            "{option} cannot be combined with requirements; leave it out, or say what you need by required= or "
            "allowed= of the requirements.",
            option=Argument(used[0]),
        )  # fmt: skip


def _refuse_greedy_options(name: str, given: Mapping[str, Any]) -> None:
    for option, value in given.items():
        if value is not None:
            raise ParameterError(
                "{name!r} does not take {option}; only {family} do.",
                name=name, option=Argument(option), family=_greedy_family(),
            )  # fmt: skip


def shared_parameters() -> list[Offer]:
    """The parameters that several algorithms share, each with the algorithms that take it."""
    greedy = tuple(name for name, entry in ALGORITHMS.items() if entry.goes_on)
    with_budget = tuple(name for name, entry in ALGORITHMS.items() if _budget(entry))
    return [Offer(one, with_budget if one.name == "budget_ratio" else greedy) for one in SHARED]


def _greedy_family() -> str:
    return ", ".join(name for name, entry in ALGORITHMS.items() if entry.goes_on)


def _check_candidates(
    name: str, entry: Algorithm, pairs: ArrayLike | None, candidates: str, num_candidates: int | None
) -> None:
    if candidates != "near" and num_candidates is None:
        return
    if not entry.goes_on:
        raise ParameterError(f"{name!r} does not choose from candidates; only {_greedy_family()} do.")
    if pairs is not None or candidates == "all":
        other = Argument("pairs") if pairs is not None else Argument("candidates", "all")
        raise ParameterError("Near candidates and {other} were both asked for; give one.", other=other)


def _check_fill(pairs: ArrayLike | None, candidates: str, num_candidates: int | None) -> None:
    """Refuse ``fill`` unless all pairs are considered: it adds pairs that contribute nothing, and those are never among
    the candidates.
    """
    if pairs is not None or candidates == "near" or num_candidates is not None:
        other = "near candidates" if pairs is None else Argument("pairs")
        raise ParameterError(
            "{fill} makes links that connect nothing, so it needs all pairs and not {other}; leave one of them out.",
            fill=Argument("fill", True), other=other,
        )  # fmt: skip


def _check_overlay(name: str, given: Any) -> None:
    if given is not None and not isinstance(given, Overlay):
        hint = "give its .overlay" if isinstance(given, Design) else "build one with Overlay.from_pairs"
        raise OverlayError(f"{name}= needs an Overlay, but got a {type(given).__name__}; {hint}.")


def _budget(entry: Algorithm) -> Parameter | None:
    return next((parameter for parameter in entry.parameters if parameter.from_ratio), None)


def _check_budget(name: str, entry: Algorithm, ratio: float | None, given: Mapping[str, Any]) -> None:
    if ratio is None:
        return
    budget = _budget(entry)
    if budget is None:
        raise ParameterError(
            "{name!r} has no budget, so {ratio} means nothing to it; {others} have one.",
            name=name, ratio=Argument("budget_ratio"),
            others=", ".join(other for other, candidate in ALGORITHMS.items() if _budget(candidate)),
        )  # fmt: skip
    if budget.name in given:
        raise ParameterError(
            "Both {ratio} and {budget} were given; give one.",
            ratio=Argument("budget_ratio", ratio), budget=Argument(budget.name, given[budget.name]),
        )  # fmt: skip
