"""An experiment: reproduces one figure or table of a paper by a grid of runs, on which claims and figures are based."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from experiments.run import Run

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from matplotlib.figure import Figure as Canvas

    from experiments.claim import Claim
    from experiments.results import Results
    from experiments.run import Action, Subject

    Point = tuple[Subject, Action]


@dataclass(frozen=True)
class Figure:
    """A picture that is drawn from results only.

    Attributes
    ----------
    name
        The name of its files, for example ``"gm-2"``.
    caption
        What it shows, and which figure of the paper it redraws.
    draw
        Draws on an empty canvas.
    size
        Inches.
    number
        The number in the paper, if the name does not contain it.
    """

    name: str
    caption: str
    draw: Callable[[Results, Canvas], None]
    size: tuple[float, float] = (6.0, 4.0)
    number: str = ""

    @property
    def title(self) -> str:
        """The title that the paper uses; empty for experiments that are not from a paper."""
        paper, _, number = self.name.partition("-")
        if self.number:
            return f"{paper.upper()} Figures {self.number}"
        return f"{paper.upper()} Figure {number}" if number[:1].isdigit() and paper != "beyond" else ""


@dataclass(frozen=True)
class TableOf:
    """A table to print: a title, a function from results to header and rows, and a note."""

    title: str
    rows: Callable[[Results], list[list[str]]]
    note: str = ""


@dataclass(frozen=True)
class Experiment:
    """The runs that reproduce one figure or table of a paper, with its claims and figures.

    Attributes
    ----------
    name
        The name on the command line: paper and figure, such as ``"gm-2"``.
    title
        The title on the page.
    points
        The (subject, action) pairs to run, for every seed.
    claims, figures, tables
        What is judged, drawn and listed from the results.
    num_seeds
        Seeds 0, 1, … unless the command line says otherwise.
    borrowed
        Runs of another experiment that claims use, and how many seeds that one has.
    """

    name: str
    title: str
    points: tuple[Point, ...]
    claims: tuple[Claim, ...] = ()
    figures: tuple[Figure, ...] = ()
    tables: tuple[TableOf, ...] = ()
    num_seeds: int = 3
    borrowed: tuple[tuple[Point, int], ...] = ()

    @property
    def paper(self) -> str:
        return self.name.partition("-")[0]

    @property
    def files(self) -> tuple[str, ...]:
        """The data files that the experiment needs."""
        return tuple(dict.fromkeys(name for subject, _ in self.points for name in subject.files))

    def runs(self, num_seeds: int | None = None) -> Iterator[Run]:
        """Every run it needs."""
        yield from self.own_runs(num_seeds)
        for seed in range(num_seeds or self.num_seeds):
            for (subject, action), most in self.borrowed:
                if seed < most:
                    yield Run(subject, action, seed)

    def own_runs(self, num_seeds: int | None = None) -> Iterator[Run]:
        """The runs that only this experiment needs."""
        for seed in range(num_seeds or self.num_seeds):
            for subject, action in self.points:
                yield Run(subject, action, seed)


def grid(subjects: Iterable[Subject], actions: Iterable[Action]) -> tuple[Point, ...]:
    """Combine every subject with every action."""
    listed = tuple(actions)
    return tuple((subject, action) for subject in subjects for action in listed)
