"""The description of a run: which workload, which algorithm with which parameters, which seed. And its path."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from pathlib import PurePosixPath
from typing import Any

Sizes = int | tuple[int, int]


@dataclass(frozen=True)
class Workload:
    """A synthetic interest, up to its seed.

    Attributes
    ----------
    num_nodes, num_topics, popularity, subscriptions
        As in ``tw.workloads.synthetic``.
    alpha
        Exponent of ``"zipf"``; None for the other laws.
    draws
        ``"distinct"``: every node draws its number of topics, all different (``tw.workloads.synthetic``).
        ``"independent"``: a node of size s takes each topic t with probability min(1, s·q(t)), which is what the papers
        print; its number of topics is then s on average only, and less where s·q(t) exceeds 1.
    size_exponent
        Sizes between two bounds follow P(s) ∝ s^−size_exponent; other than 2 only for independent draws.
    """

    num_nodes: int
    num_topics: int
    popularity: str
    subscriptions: Sizes
    alpha: float | None = None
    draws: str = "distinct"
    size_exponent: float = 2

    @property
    def law(self) -> str:
        return self.popularity if self.alpha is None else f"{self.popularity}-{self.alpha:g}"

    @property
    def path(self) -> str:
        sizes = self.subscriptions if isinstance(self.subscriptions, int) else "{}-{}".format(*self.subscriptions)
        draws = "" if self.draws == "distinct" else f"_{self.draws}"
        exponent = "" if self.size_exponent == 2 else f"_exponent-{self.size_exponent:g}"
        return f"{self.law}_{self.num_nodes}x{self.num_topics}_s{sizes}{draws}{exponent}"


@dataclass(frozen=True)
class Asked:
    """An algorithm with its parameters; ``ties`` only for those that know ties."""

    algorithm: str
    parameters: tuple[tuple[str, float], ...] = ()
    ties: str | None = None

    @property
    def path(self) -> str:
        settings = [f"{name}-{value:g}" for name, value in self.parameters]
        return "_".join([self.algorithm, *settings, *([self.ties] if self.ties else [])])

    @property
    def options(self) -> dict[str, Any]:
        """What ``tw.design`` is called with."""
        return {**dict(self.parameters), **({"ties": self.ties} if self.ties else {})}


def ask(algorithm: str, *, ties: str | None = None, **parameters: float) -> Asked:
    """``ask("low", k=3)``."""
    return Asked(algorithm, tuple(parameters.items()), ties)


@dataclass(frozen=True)
class Run:
    """One run; equal descriptions give equal results on every machine, but for the seconds."""

    workload: Workload
    asked: Asked
    seed: int

    @property
    def path(self) -> PurePosixPath:
        """Where the result goes, below the folder of all results."""
        return PurePosixPath(self.workload.path, self.asked.path, f"seed-{self.seed}.json")

    @property
    def cost(self) -> float:
        """A rough guess at the work, for the order of runs and for the time left: pairs × words, and a fixed part."""
        pairs = self.workload.num_nodes**2 / 2 if self.asked.algorithm in PAIRWISE else 0.0
        return 5e6 + pairs * (4 + self.workload.num_topics / 64) + 200 * self.workload.num_nodes

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


PAIRWISE = ("gm", "low", "minmax", "gpa", "gpm")

# Quick runs divide nodes and link budgets, and topics and ranges of sizes, and fixed sizes by these.
FEWER_NODES, FEWER_TOPICS, SMALLER_SETS = 50, 10, 5


def reduced(run: Run) -> Run:
    """The same run in small, for trying every path of the code."""
    workload, asked = run.workload, run.asked
    sizes = workload.subscriptions
    parameters = tuple((n, max(1, v // FEWER_NODES) if n == "m" else v) for n, v in asked.parameters)
    small = replace(
        workload,
        num_nodes=max(12, workload.num_nodes // FEWER_NODES),
        num_topics=max(30, workload.num_topics // FEWER_TOPICS),
        subscriptions=max(2, sizes // SMALLER_SETS)
        if isinstance(sizes, int)
        else (max(2, sizes[0] // FEWER_TOPICS), max(4, sizes[1] // FEWER_TOPICS)),
    )
    return Run(small, replace(asked, parameters=parameters), run.seed)
