"""The description of a run (subject, action, seed), and the path of its result."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, Protocol, Self

if TYPE_CHECKING:
    from collections.abc import Callable

    Find = Callable[[str], str]
    """The path of a data file, by its name."""


class Subject(Protocol):
    """What an action is applied to, up to its seed; a frozen dataclass."""

    @property
    def path(self) -> str:
        """A path that distinguishes it from all others."""

    @property
    def is_large(self) -> bool:
        """Whether two of these are too large for one worker's memory."""

    @property
    def files(self) -> tuple[str, ...]:
        """Names of the data files it is read from."""

    def reduced(self) -> Self:
        """A small version, for trying every path of the code."""


class Action(Protocol):
    """What is done with a subject, and measured; a frozen dataclass.

    An action that designs overlays also has ``algorithms``, the names of those it asks for: their code is part of the
    digest that identifies a result.
    """

    @property
    def path(self) -> str:
        """A path that distinguishes it from all others."""

    @property
    def is_timed(self) -> bool:
        """Whether its time is judged, so that nothing may run beside it."""

    def reduced(self) -> Self:
        """The action for a reduced subject."""

    def cost(self, subject: Any) -> float:
        """A rough estimate of the seconds it takes, for the order of runs and the remaining time."""

    def measure(self, subject: Any, seed: int, find: Find) -> dict[str, Any]:
        """Perform the action. The result, except for seconds and load, depends on the arguments alone."""


@dataclass(frozen=True)
class Run:
    """One run; equal descriptions give equal results on every machine, except for the seconds."""

    subject: Subject
    action: Action
    seed: int

    @property
    def path(self) -> PurePosixPath:
        """The path of the result, below the folder of all results."""
        return PurePosixPath(self.subject.path, self.action.path, f"seed-{self.seed}.json")

    @property
    def key(self) -> tuple[str, str, int]:
        """A key that distinguishes it from all others, in a table."""
        return self.subject.path, self.action.path, self.seed

    @property
    def cost(self) -> float:
        return self.action.cost(self.subject)

    @property
    def whole_worker(self) -> bool:
        return self.subject.is_large or self.action.is_timed

    def perform(self, find: Find) -> dict[str, Any]:
        return self.action.measure(self.subject, self.seed, find)

    def reduced(self) -> Run:
        return ReducedRun(self.subject.reduced(), self.action.reduced(), self.seed)

    def as_dict(self) -> dict[str, Any]:
        return {"on": type(self.subject).__name__, "do": type(self.action).__name__, **asdict(self)}


@dataclass(frozen=True)
class ReducedRun(Run):
    """A run of a quick trial: small, and not judged by time, so it may run beside others."""

    @property
    def whole_worker(self) -> bool:
        return False
