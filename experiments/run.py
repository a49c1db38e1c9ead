"""The description of a run (subject, action, seed), and where its result is stored."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, Protocol, Self

if TYPE_CHECKING:
    from collections.abc import Callable

    Find = Callable[[str], str]
    """The path of a data file, by its name."""


class Subject(Protocol):
    """What an action is applied to, such as a workload; complete except for the seed; a frozen dataclass."""

    @property
    def path(self) -> str:
        """A path that no other subject has."""

    @property
    def is_large(self) -> bool:
        """Whether two such subjects would not fit into one worker's memory together."""

    @property
    def files(self) -> tuple[str, ...]:
        """The names of the data files that the subject is read from."""

    def reduced(self) -> Self:
        """A small version of the subject, to try out all parts of the code."""


class Action(Protocol):
    """What is done with a subject and measured about it; a frozen dataclass.

    An action that designs overlays also has ``algorithms``, the names of those it asks for: their code is part of the
    digest that identifies a result.
    """

    @property
    def path(self) -> str:
        """A path that no other action has."""

    @property
    def is_timed(self) -> bool:
        """Whether its time is judged, so that nothing else may run at the same time."""

    def reduced(self) -> Self:
        """The version of the action for a reduced subject."""

    def cost(self, subject: Any) -> float:
        """A rough estimate of the seconds needed, for sorting runs and showing the remaining time."""

    def measure(self, subject: Any, seed: int, find: Find) -> dict[str, Any]:
        """Perform the action. Apart from times and machine load, the result depends only on the arguments."""


@dataclass(frozen=True)
class Run:
    """A run: equal descriptions give equal results on every machine, apart from times."""

    subject: Subject
    action: Action
    seed: int

    @property
    def path(self) -> PurePosixPath:
        """The path of the result file, relative to the folder of all results."""
        return PurePosixPath(self.subject.path, self.action.path, f"seed-{self.seed}.json")

    @property
    def key(self) -> tuple[str, str, int]:
        """A key that identifies the run in a table."""
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
    """A run of a quick trial: small, and not judged by time, so that others may run at the same time."""

    @property
    def whole_worker(self) -> bool:
        return False
