"""The description of a run: on what, what is done, with which seed. And its path."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, Protocol, Self

if TYPE_CHECKING:
    from collections.abc import Callable

    Find = Callable[[str], str]
    """The path of a data file, by its name."""


class Subject(Protocol):
    """What something is run on, up to its seed; a frozen dataclass."""

    @property
    def path(self) -> str:
        """Tells it from all others."""

    @property
    def is_large(self) -> bool:
        """Whether two of these are too much for one worker's memory."""

    @property
    def files(self) -> tuple[str, ...]:
        """Names of the data files it is read from."""

    def reduced(self) -> Self:
        """The same in small, for trying every path of the code."""


class Action(Protocol):
    """What is done with a subject, and measured; a frozen dataclass.

    One that designs overlays also has ``algorithms``, the names of those it asks for: their code is part of the digest
    by which a result is known.
    """

    @property
    def path(self) -> str:
        """Tells it from all others."""

    @property
    def is_timed(self) -> bool:
        """Whether its time is judged, so that nothing may run beside it."""

    def reduced(self) -> Self:
        """The same for a reduced subject."""

    def cost(self, subject: Any) -> float:
        """A rough guess at the seconds it takes, for the order of runs and the time left."""

    def measure(self, subject: Any, seed: int, find: Find) -> dict[str, Any]:
        """Do it. All that comes out, seconds and the load apart, depends on the arguments alone."""


@dataclass(frozen=True)
class Run:
    """One run; equal descriptions give equal results on every machine, but for the seconds."""

    subject: Subject
    action: Action
    seed: int

    @property
    def path(self) -> PurePosixPath:
        """Where the result goes, below the folder of all results."""
        return PurePosixPath(self.subject.path, self.action.path, f"seed-{self.seed}.json")

    @property
    def key(self) -> tuple[str, str, int]:
        """Tells it from all others, in a table."""
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
    """A run of a quick trial: small, and nobody looks at its time, so it may run beside others."""

    @property
    def whole_worker(self) -> bool:
        return False
