"""``python -m benchmarks.optimise``: links, certified gap and time of ``optimum``, with the limits to meet.

The random interests are drawn with seeds on which nothing was tuned. Bounds are proved again by SciPy and overlays
checked by the verifier, neither of which shares code with the search. The gap compares the links with the least whole
number that the bound allows, so 0 % is a proven optimum. A row is the mean of the gaps and the median of the seconds
over its seeds; for real data, which is not drawn, the seeds are those of the search. Seconds are CPU time of all
threads divided by two, after all code was compiled. Rows are stored in a file, so that a table can be put together from
several runs: ``--table`` prints the stored rows.
"""

from __future__ import annotations

import argparse
import json
import math
import statistics
import sys
import time
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import topicweave as tw
from benchmarks.children import CHECKOUT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

KEPT = CHECKOUT / "build" / "optimise.json"
DATA = CHECKOUT.parent / "shared" / "data"
FIRST_SEED = 1001
ROUNDING = 1e-6  # if a bound exceeds a whole number by less than this, it counts as that number
HEADER = (
    "case", "seeds", "gm", "optimum", "bound", "gap", "below gm", "maximum degree gm / optimum", "seconds", "bar",
    "met",
)  # fmt: skip


@dataclass(frozen=True)
class Bar:
    """What a case must achieve, and in what time: either a small enough gap, or enough links saved compared with gm."""

    gap: float | None = None
    below: float | None = None
    seconds: float | None = None

    def __str__(self) -> str:
        asked = f"gap ≤ {self.gap:.1%}" if self.gap is not None else ""
        if self.below is not None:
            asked = f"≥ {self.below:.0%} below" if self.below else "below gm"
        return asked + (f", {self.seconds:g} s" if self.seconds else "")


@dataclass(frozen=True)
class Case:
    """A test case: an interest given by seed and data folder, the time to search, and the limit to meet."""

    draw: Callable[[int, Path], tw.Interest]
    rounds: int
    bar: Bar
    bound_rounds: int = 80
    num_seeds: int = 3


@dataclass(frozen=True)
class Measured:
    """The results of a case for one seed."""

    seed: int
    gm: int
    links: int
    bound: float
    gm_degree: int
    degree: int
    seconds: float

    @property
    def gap(self) -> float:
        """By what share the number of links exceeds the least whole number that the bound allows."""
        return self.links / math.ceil(self.bound - ROUNDING) - 1


def _drawn(seed: int, data: Path, **workload: Any) -> tw.Interest:
    return tw.workloads.synthetic(**workload, seed=seed)


def _ten(num_nodes: int, num_topics: int = 100, **law: Any) -> Callable[[int, Path], tw.Interest]:
    return partial(_drawn, num_nodes=num_nodes, num_topics=num_topics, subscriptions=10, **law)


def _power(num_nodes: int, num_topics: int, sizes: tuple[int, int], **law: Any) -> Callable[[int, Path], tw.Interest]:
    return partial(_drawn, num_nodes=num_nodes, num_topics=num_topics, subscriptions=sizes, **law)


def _table(seed: int, data: Path, *, file: str) -> tw.Interest:
    return tw.workloads.read_edge_list(data / file).to_interest()


def _social(seed: int, data: Path, *, file: str, directed: bool) -> tw.Interest:
    return tw.workloads.social(tw.workloads.read_edge_list(data / file), directed=directed)


UNIFORM: dict[str, Any] = {"popularity": "uniform"}
ZIPF: dict[str, Any] = {"popularity": "zipf", "alpha": 0.5}
STEEP: dict[str, Any] = {"popularity": "zipf", "alpha": 2.0}
FAR_BELOW, BELOW = Bar(below=0.06, seconds=60), Bar(below=0.0)

CASES = {
    "uniform-100": Case(_ten(100, **UNIFORM), 8, Bar(0.005, seconds=1), 200, 20),
    "zipf-100": Case(_ten(100, **ZIPF), 8, Bar(0.005, seconds=1), 200, 20),
    "uniform-300": Case(_ten(300, **UNIFORM), 6, Bar(0.012, seconds=3), 200),
    "zipf-300": Case(_ten(300, **ZIPF), 6, Bar(0.012, seconds=3), 200),
    "uniform-1000": Case(_ten(1000, **UNIFORM), 20, Bar(0.018, seconds=12)),
    "zipf-1000": Case(_ten(1000, **ZIPF), 20, Bar(0.018, seconds=12)),
    "exponential-1000": Case(_ten(1000, popularity="exponential"), 30, Bar(0.04, seconds=40)),
    "zipf-10000": Case(_ten(10_000, 200, **ZIPF), 10, Bar(0.03, seconds=120), 30, 1),
    "uniform-10000": Case(_ten(10_000, 200, **UNIFORM), 10, Bar(0.03, seconds=120), 30, 1),
    "power-2000": Case(_power(2000, 200, (10, 90), **UNIFORM), 500, FAR_BELOW, 40),
    "power-1000-uniform": Case(_power(1000, 1000, (20, 600), **UNIFORM), 500, FAR_BELOW, 40),
    "power-1000-zipf": Case(_power(1000, 1000, (20, 600), **STEEP), 200, FAR_BELOW, 40),
    "lastfm": Case(partial(_table, file="lastfm_artists.pairs.tsv.gz"), 10, BELOW, 30, 1),
    "twitch": Case(partial(_table, file="twitch_interests.pairs.tsv.gz"), 10, BELOW, 10, 1),
    "facebook_ego": Case(partial(_social, file="facebook_ego.edges.txt.gz", directed=False), 20, BELOW, 30, 1),
    "twitter_careers": Case(partial(_social, file="twitter_careers.pairs.tsv.gz", directed=True), 10, BELOW, 30, 1),
}


def measure(case: Case, seed: int, data: Path) -> Measured:
    """Search for an overlay from scratch, compute the lower bound, and check both."""
    interest = case.draw(seed, data)
    greedy = tw.design(interest, "gm", seed=seed).overlay
    before = time.process_time()
    made = tw.design(interest, "optimum", rounds=case.rounds, seed=seed).overlay
    spent = (time.process_time() - before) / 2
    bound = tw.lower_bound(interest, rounds=case.bound_rounds)
    if not tw.verify(interest, made).topic_connected:
        raise AssertionError(f"With seed {seed} the overlay is not topic-connected.")
    return Measured(
        seed, greedy.num_edges, made.num_edges, bound.check(), greedy.maximum_degree, made.maximum_degree, spent
    )


def row(name: str, found: Sequence[Measured]) -> tuple[str, ...]:
    """The table row for a case."""
    case = CASES[name]
    gap = statistics.mean(each.gap for each in found)
    below = statistics.mean(1 - each.links / each.gm for each in found)
    seconds = statistics.median(each.seconds for each in found)
    one = found[0]
    is_met = (
        (case.bar.gap is None or gap <= case.bar.gap)
        and (case.bar.below is None or (below >= case.bar.below and below > 0))
        and (case.bar.seconds is None or seconds <= case.bar.seconds)
        and all(each.degree <= each.gm_degree for each in found)
    )
    return (
        name, f"{one.seed}-{found[-1].seed}" if len(found) > 1 else f"{one.seed}", f"{one.gm:,}", f"{one.links:,}",
        f"{one.bound:,.1f}", f"{gap:.2%}", f"{below:.1%}", f"{one.gm_degree} / {one.degree}", f"{seconds:.1f}",
        str(case.bar), "yes" if is_met else "no",
    )  # fmt: skip


def table(kept: dict[str, list[dict[str, Any]]]) -> list[str]:
    """The results as a Markdown table: links and degrees for the first seed, means and medians over all seeds."""
    lines = [f"| {' | '.join(HEADER)} |", f"|{'---|' * len(HEADER)}"]
    listed = ((name, [Measured(**each) for each in kept[name]]) for name in CASES if name in kept)
    return lines + [f"| {' | '.join(row(name, found))} |" for name, found in listed]


def run(names: Iterable[str], num_seeds: int | None, file: Path, data: Path) -> None:
    """Measure these cases, print the result for each seed when it is known, and store the rows."""
    tw.design(_ten(20)(0, data), "optimum", rounds=1)  # compile and load
    for name in names:
        found = []
        for seed in range(FIRST_SEED, FIRST_SEED + (num_seeds or CASES[name].num_seeds)):
            try:
                found.append(measure(CASES[name], seed, data))
            except tw.TopicweaveError as error:
                print(f"{name}: skipped, {error}", file=sys.stderr)
                break
            print(name, found[-1], f"gap {found[-1].gap:.2%}", flush=True)
        if found:
            kept = json.loads(file.read_text("utf-8")) if file.is_file() else {}
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(json.dumps(kept | {name: [asdict(each) for each in found]}, indent=1) + "\n", "utf-8")


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure the cases given on the command line, and print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.optimise", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"cases: {', '.join(CASES)} (all by default)")
    parser.add_argument("--seeds", type=int, metavar="N", help="so many seeds, instead of each case's own number")
    parser.add_argument("--table", action="store_true", help="measure nothing, print what is kept")
    parser.add_argument("--json", type=Path, default=KEPT, help="where rows are kept; build/optimise.json by default")
    parser.add_argument("--data", type=Path, default=DATA, help="folder of the real data; ../shared/data by default")
    given = parser.parse_args(arguments)
    for name in given.names:
        if name not in CASES:
            parser.error(f"There is no case {name!r}; choose from {', '.join(CASES)}.")
    if not given.table:
        run(given.names or CASES, given.seeds, given.json, given.data)
    if given.json.is_file():
        print("\n".join(table(json.loads(given.json.read_text("utf-8")))))


if __name__ == "__main__":
    main()
