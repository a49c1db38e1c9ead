"""An experiment: one figure or table of a paper, as a grid of runs with what is judged by and drawn from them."""

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
    """A picture drawn from results alone.

    Attributes
    ----------
    name
        Of its files, for example ``"gm-2"``.
    caption
        What is to be seen, and which figure of the paper it redraws.
    draw
        Draws on an empty canvas.
    size
        Inches.
    number
        In the paper, where the name does not say it.
    """

    name: str
    caption: str
    draw: Callable[[Results, Canvas], None]
    size: tuple[float, float] = (6.0, 4.0)
    number: str = ""

    @property
    def title(self) -> str:
        """As the paper's readers call it; nothing for figures of our own."""
        paper, _, number = self.name.partition("-")
        if self.number:
            return f"{paper.upper()} Figures {self.number}"
        return f"{paper.upper()} Figure {number}" if number[:1].isdigit() and paper != "beyond" else ""


@dataclass(frozen=True)
class TableOf:
    """A table of figures: a title, a function from results to header and rows, and what there is to say about it."""

    title: str
    rows: Callable[[Results], list[list[str]]]
    note: str = ""


@dataclass(frozen=True)
class Experiment:
    """One figure or table.

    Attributes
    ----------
    name
        For the command line: paper and figure, like ``"gm-2"``.
    title
        For the page.
    points
        What has to be run, for every seed.
    claims, figures, tables
        What is judged by, drawn from and listed of the results.
    num_seeds
        Seeds 0, 1, … unless the command line says otherwise.
    borrowed
        Runs of another experiment that claims look at, and how many seeds that one has.
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
        """The data files it needs."""
        return tuple(dict.fromkeys(name for subject, _ in self.points for name in subject.files))

    def runs(self, num_seeds: int | None = None) -> Iterator[Run]:
        """Every run it needs."""
        yield from self.own_runs(num_seeds)
        for seed in range(num_seeds or self.num_seeds):
            for (subject, action), most in self.borrowed:
                if seed < most:
                    yield Run(subject, action, seed)

    def own_runs(self, num_seeds: int | None = None) -> Iterator[Run]:
        """Those that no other experiment lends."""
        for seed in range(num_seeds or self.num_seeds):
            for subject, action in self.points:
                yield Run(subject, action, seed)


def grid(subjects: Iterable[Subject], actions: Iterable[Action]) -> tuple[Point, ...]:
    """Every subject with every action."""
    listed = tuple(actions)
    return tuple((subject, action) for subject in subjects for action in listed)
