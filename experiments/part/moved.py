"""How the gap between the support of GPM and that of RandomM, at one point of a figure, changes with each
interpretation that the paper leaves open.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from experiments.designing import ask
from experiments.experiment import grid
from experiments.part.workloads import DRAWS, LAWS, SHORT, points_of, workload

if TYPE_CHECKING:
    from collections.abc import Mapping

    from experiments.designing import Asked
    from experiments.experiment import Point
    from experiments.results import Results
    from experiments.workload import Workload

EXPONENTS = {1.5: "s⁻¹·⁵", 2: "s⁻²", 2.5: "s⁻²·⁵", 3: "s⁻³"}
TENTHS = (0.4, 0.55, 0.7, 0.8)
"""Shares of the most popular tenth of the topics under Expo; 0.55 in GM, which this paper cites."""
TIES = ("lexicographic", "random")
FEW = 3
MOVES = 1.0
"""Points of change from which on a reading counts as changing the gap."""


@dataclass(frozen=True)
class Readings:
    """Other interpretations of the workload at one point of a figure.

    Attributes
    ----------
    num_nodes, num_topics
        The point.
    d
        The degree limit of GPM and RandomM at that point.
    """

    num_nodes: int
    num_topics: int
    d: int

    @property
    def gpm(self) -> Asked:
        return ask("gpm", d=self.d)

    @property
    def random(self) -> Asked:
        return ask("random_max", d=self.d)

    @property
    def random_avg(self) -> Asked:
        return ask("random_avg", m=self.d * self.num_nodes // 2)

    def at(self, law: str, draws: str, exponent: float = 2, tenth: float = 0.55) -> Workload:
        drawn = workload(law, self.num_nodes, self.num_topics, draws=draws, exponent=exponent)
        return replace(drawn, top_tenth=tenth)

    def points(self) -> tuple[Point, ...]:
        """The (subject, action) pairs that must be run."""
        plain = [self.at(law, draws) for law in LAWS for draws in DRAWS]
        steep = [self.at("Expo", draws, e, tenth) for draws in DRAWS for e in EXPONENTS for tenth in TENTHS]
        sizes = [self.at(law, draws, e) for law in LAWS for draws in DRAWS for e in EXPONENTS]
        return (
            *grid([*sizes, *steep], [self.gpm, self.random]),
            *grid(plain, [self.random_avg, *(replace(self.gpm, ties=ties) for ties in TIES)]),
        )

    def support(self, results: Results, used: Workload, asked: Asked) -> float:
        return points_of(results(used, asked, "support"))

    def gap(self, results: Results, used: Workload) -> float:
        return self.support(results, used, self.gpm) - self.support(results, used, self.random)

    def words(self, results: Results, draws: str, off: Mapping[str, float]) -> str:
        """Which interpretations change the gap, and whether one brings it within 5 points of the paper's."""
        base = {law: self.gap(results, self.at(law, draws)) for law in LAWS}
        moved = {
            (law, e): self.gap(results, self.at(law, draws, e)) - base[law] for law in LAWS for e in EXPONENTS if e != 2
        }
        steep = {t: self.gap(results, self.at("Expo", draws, tenth=t)) - base["Expo"] for t in TENTHS if t != 0.55}
        other = next(reading for reading in DRAWS if reading != draws)
        drawn = {law: self.gap(results, self.at(law, other)) - base[law] for law in LAWS}
        ties = max(
            abs(
                self.support(results, self.at(law, draws), replace(self.gpm, ties=name))
                - self.support(results, self.at(law, draws), self.gpm)
            )
            for law in LAWS for name in TIES
        )  # fmt: skip
        randomly = max(
            abs(self.support(results, used, self.random_avg) - self.support(results, used, self.random))
            for used in (self.at(law, draws) for law in LAWS)
        )
        others = {
            "other ties, which move GPM by at most": ties,
            "RandomA's links instead of RandomM's, by at most": randomly,
        }
        more = "".join(f"; {words} {value:.1f}" for words, value in others.items() if value >= MOVES)
        less = "; ".join(f"{words} {value:.1f}" for words, value in others.items() if value < MOVES)
        return (
            f"What moves it, measured at {self.num_nodes:,} nodes and {self.num_topics:,} topics: the law of the "
            "sizes, which is not printed, from s⁻² to "
            + ", ".join(
                f"{EXPONENTS[e]} {' / '.join(f'{moved[law, e]:+.1f}' for law in LAWS)}" for e in EXPONENTS if e != 2
            )
            + f"; {SHORT[other]} instead {' / '.join(f'{v:+.1f}' for v in drawn.values())}; the steepness of Expo, not "
            "printed either, from 55 % of the mass for a tenth of the topics to "
            + ", ".join(f"{100 * t:.0f} % {v:+.1f}" for t, v in steep.items())
            + more
            + (f". What does not by {MOVES:g} point: {less}. " if less else ". ")
            + self._nearest(results, draws, off)
        )

    def _nearest(self, results: Results, draws: str, off: Mapping[str, float]) -> str:
        """Of all interpretations tried: the closest one for each law, and those that fit all three laws."""
        base = {law: self.gap(results, self.at(law, draws)) for law in LAWS}
        left = {
            (law, reading, e, t): off[law] + self.gap(results, self.at(law, reading, e, t)) - base[law]
            for law in LAWS for reading in DRAWS for e in EXPONENTS for t in (TENTHS if law == "Expo" else (0.55,))
        }  # fmt: skip
        best = {law: min((key for key in left if key[0] == law), key=lambda key: abs(left[key])) for law in LAWS}
        serve = [
            f"{SHORT[reading]}, {EXPONENTS[e]}, {100 * t:.0f} %"
            for reading in DRAWS for e in EXPONENTS for t in TENTHS
            if all(abs(left[law, reading, e, t if law == "Expo" else 0.55]) <= 5 for law in LAWS)
        ]  # fmt: skip
        each = "; ".join(
            f"{law} {round(left[key], 1) + 0.0:+.1f} ({SHORT[key[1]]}, {EXPONENTS[key[2]]}"
            + (f", {100 * key[3]:.0f} %)" if law == "Expo" else ")")
            for law, key in best.items()
        )
        tried = len(DRAWS) * len(EXPONENTS) * len(TENTHS)
        if serve:
            listed = f" ({'; '.join(serve)})" if len(serve) <= FEW else ""
            all_three = f"{len(serve)} of the {tried} readings tried would have all three within 5{listed}"
        else:
            all_three = f"none of the {tried} readings tried would have all three within 5"
        return f"With these moves the nearest would be off by {each}; {all_three}."

    def table(self, results: Results) -> list[list[str]]:
        """A table with the support of GPM and of RandomM and their difference, for each interpretation."""
        rows = [["law", "draws", "sizes", "mass of the top tenth, %", "GPM, %", "RandomM, %", "gap, points"]]
        for law in LAWS:
            for draws in DRAWS:
                for exponent, words in EXPONENTS.items():
                    for tenth in TENTHS if law == "Expo" else (0.55,):
                        used = self.at(law, draws, exponent, tenth)
                        high, low = (self.support(results, used, asked) for asked in (self.gpm, self.random))
                        share = f"{100 * tenth:.0f}" if law == "Expo" else ""
                        rows.append([law, SHORT[draws], words, share, f"{high:.1f}", f"{low:.1f}", f"{high - low:.1f}"])
        return rows
