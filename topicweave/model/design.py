"""Design: the result of an algorithm, and the steps that led to it."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from topicweave.model.overlay import Overlay


class Round(NamedTuple):
    """One round of a design with near candidates; every round has its own candidates.

    Attributes
    ----------
    floor
        The lowest contribution it considered.
    searching
        Searches for partners before it; if Δ is to be respected, a node may search twice.
    pairs, links
        The number of its candidates, and of the links it made.
    left
        Merges left after it.
    """

    floor: int
    searching: int
    pairs: int
    links: int
    left: int


@dataclass(frozen=True, eq=False)
class Trace:
    """How the number of topic components fell, link by link.

    Attributes
    ----------
    contribution
        For each added link (excluding those of ``start``), how many topic components it removed (in its pass).
    components_before
        TCC before the first added link.
    components_least
        TCC with all pairs linked. Together with ``support_base`` it turns TCC into support.
    support_base
        TCC without any link.
    pass_starts
        The first link of each pass (``gm`` with ``passes=k``). Every pass starts with no node connected, so the links
        of a later pass contribute within that pass, although the first pass has connected the overlay already.
    rounds
        The rounds, if near candidates were used; otherwise empty.
    """

    contribution: NDArray[np.int64] = field(repr=False)
    components_before: int
    components_least: int
    support_base: int
    pass_starts: tuple[int, ...] = (0,)
    rounds: tuple[Round, ...] = ()

    def __post_init__(self) -> None:
        self.contribution.setflags(write=False)

    @property
    def components(self) -> NDArray[np.int64]:
        """The number of topic components (TCC) after each added link."""
        removed = self.contribution.copy()
        if len(self.pass_starts) > 1:
            removed[self.pass_starts[1] :] = 0
        return self.components_before - np.cumsum(removed)

    @property
    def support(self) -> NDArray[np.float64]:
        """The support after each added link: the share of the necessary merging that is done (PART §V)."""
        span = self.support_base - self.components_least
        if span == 0:
            return np.ones(len(self.contribution))
        return (self.support_base - self.components) / span

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.contribution.setflags(write=False)  # pickle and deepcopy make the array writable again


@dataclass(frozen=True, eq=False)
class Design:
    """An overlay, with the algorithm and parameters that made it.

    Attributes
    ----------
    overlay
        The links.
    algorithm, parameters
        The algorithm and its parameters, including defaults.
    trace
        The contribution of each added link.
    seconds
        How long the algorithm took.
    notes
        Sentences for the user, for example that the budget was used up before every topic was connected.
    """

    overlay: Overlay
    algorithm: str
    parameters: Mapping[str, Any]
    trace: Trace
    seconds: float
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "parameters", MappingProxyType(dict(self.parameters)))

    @property
    def components(self) -> int:
        """The number of topic components (TCC) of the finished overlay, as counted by the algorithm."""
        after = self.trace.components
        return int(after[-1]) if len(after) else self.trace.components_before

    @property
    def support(self) -> float:
        """The support of the finished overlay, as counted by the algorithm; :func:`topicweave.verify` checks it
        independently.
        """
        span = self.trace.support_base - self.trace.components_least
        return (self.trace.support_base - self.components) / span if span else 1.0

    def summary(self) -> str:
        """A few lines to print."""
        settings = ", ".join(f"{name}={value}" for name, value in self.parameters.items() if value is not None)
        lines = [
            f"{self.algorithm}({settings})",
            f"  nodes           {self.overlay.num_nodes:,}",
            f"  links           {self.overlay.num_edges:,}",
            f"  average degree  {self.overlay.average_degree:.2f}",
            f"  maximum degree  {self.overlay.maximum_degree}",
            f"  support         {self.support:.4f}" + (" (topic-connected)" if self.support == 1 else ""),
            f"  seconds         {self.seconds:.3f}",
        ]
        return "\n".join([*lines, *(f"  note: {note}" for note in self.notes)])

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "parameters": dict(self.parameters)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, parameters=MappingProxyType(dict(state["parameters"])))
