"""Compares two versions of the package by running them alternately: is one slower than the other?

``python -m benchmarks.turns CHECKOUT [--rows 'gm*' ...] [--turns 9]`` runs every row with this version and with the one
in another checkout, each in a process of its own, taking turns. It prints how many times as long this version takes:
the median over the turns of the ratios of processor time, of the ratios of wall-clock time, and the ratio of the least
processor times. On a busy machine only processor time is meaningful. Rows use the public interface alone, so that older
versions can be compared as well.
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from fnmatch import fnmatch
from functools import cache, partial
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    Call = Callable[[], Any]
    Seconds = tuple[float, float]  # processor time and wall-clock time

CHECKOUT = Path(__file__).resolve().parents[1]
LEAST_SECONDS = 0.2  # shortest time of one measurement: a short call is repeated, and the mean is taken

LAWS = {"zipf 2.0": ("zipf", 2.0), "uniform": ("uniform", None), "exponential": ("exponential", None)}
RULES: dict[str, tuple[str, dict[str, Any]]] = {
    "gm": ("gm", {}),
    "gm random": ("gm", {"ties": "random"}),
    "gm lexicographic": ("gm", {"ties": "lexicographic"}),
    "minmax": ("minmax", {}),
    "low(3)": ("low", {"k": 3}),
    "gpm(4)": ("gpm", {"d": 4}),
}
NEAR = ("gm", "minmax", "low(3)")
PROGRAM = "import sys; from topicweave.cli.main import main; sys.exit(main())"
SOURCE, OUT = "{source}", "{out}"  # placeholders in the arguments of a command
METHODS = ("greedy_packing", "clustering", "steiner_mixing", "migrate")


# each row is a function that prepares a call, whose time is then measured without the preparation


@cache
def _interest(law: str, num_nodes: int) -> Any:
    from topicweave.workloads import synthetic

    kind, alpha = LAWS[law]
    given = {"alpha": alpha} if alpha else {}
    return synthetic(num_nodes, 1_000, popularity=kind, subscriptions=(20, 600), seed=0, **given)


def _designing(law: str, rule: str, num_nodes: int, candidates: str = "all") -> Call:
    import topicweave as tw

    algorithm, options = RULES[rule]
    interest = _interest(law, num_nodes)
    return lambda: tw.design(interest, algorithm, candidates=candidates, **options)


def _generation(law: str, num_nodes: int) -> Call:
    return lambda: _interest.__wrapped__(law, num_nodes)


def _replay(kind: str, num_events: int, num_nodes: int) -> Call:
    """Prepare a replay in which every event is one join or one leave, as in the SHADOW paper.

    The overlay begins with a fifth of ``num_nodes``.
    """
    import topicweave as tw
    from topicweave.workloads import random_churn, synthetic

    interest, newcomers = (
        synthetic(num, 200, subscriptions=(10, 90), seed=seed) for num, seed in ((num_nodes // 5, 0), (num_events, 1))
    )
    events = [tw.churn.Event.from_record(row) for row in random_churn(interest, newcomers, num_events, seed=0)]
    overlay = tw.design(interest, "low", k=3).overlay
    return lambda: tw.churn.replay(getattr(tw.churn, kind)(interest, overlay), events)


def _assignment(method: str, num_nodes: int, **core: str) -> Call:
    """An assignment and its cost; a core is given only to versions of the package that have more than one."""
    import inspect

    import topicweave as tw

    instance = tw.content.evaluation_instance(num_nodes, num_nodes // 100, 100)
    known = core if "core" in inspect.signature(tw.content.assign).parameters else {}
    return lambda: tw.content.assign(instance, method, seed=0, **known)


def _command(command: str, *arguments: str, is_large: bool = False) -> Callable[[int], Call]:
    """A complete command in a new process, applied to the example or to a file with all the nodes."""

    def prepare(num_nodes: int) -> Call:
        folder = Path(_folder().name)
        source = CHECKOUT / "examples" / "brokers.csv"
        if is_large:
            import pandas as pd

            source = folder / "large.parquet"
            pd.DataFrame(_interest("zipf 2.0", num_nodes).pairs(), columns=["node", "topic"]).to_parquet(source)
        given = [str(folder / word) if word == OUT else str(source) if word == SOURCE else word for word in arguments]
        return lambda: subprocess.run(
            [sys.executable, "-c", PROGRAM, command, *given], check=True, capture_output=True, cwd=folder
        )

    return prepare


@cache
def _folder() -> tempfile.TemporaryDirectory[str]:
    """The folder to which commands write; it is deleted when the process ends."""
    return tempfile.TemporaryDirectory()


ROWS: dict[str, Callable[[int], Call]] = {
    **{f"{rule}, {law}": partial(_designing, law, rule) for rule in RULES for law in LAWS},
    **{f"{rule} near, {law}": partial(_designing, law, rule, candidates="near") for rule in NEAR for law in LAWS},
    **{f"generation, {law}": partial(_generation, law) for law in LAWS},
    "churn, shadow": partial(_replay, "Shadow", 300),
    "churn, naive": partial(_replay, "Naive", 20),
    **{f"content, {method}": partial(_assignment, method) for method in METHODS},
    **{f"content, {method}, spanning trees": partial(_assignment, method, core="multicast") for method in METHODS},
    "command, --help": _command("--help"),
    "command, design": _command("design", SOURCE, "--out", OUT, "--overwrite"),
    "command, profile": _command("profile", SOURCE, is_large=True),
}
"""By name, a function that prepares a row for a number of nodes."""


# ---- a process for each version --------------------------------------------------------------------------------------


def work(num_nodes: int) -> None:
    """The main loop of a worker process: times the rows whose names it receives, with its own version of the
    package.
    """
    import topicweave

    calls: dict[str, Call] = {}
    print(Path(topicweave.__file__).parent, flush=True)
    for line in sys.stdin:
        row = line.strip()
        if row not in calls:
            calls[row] = ROWS[row](num_nodes)
            calls[row]()  # the first call compiles and loads code, so it is not timed
        before, began, runs, wall = _processor(), time.perf_counter(), 0, 0.0
        while wall < LEAST_SECONDS:
            calls[row]()
            runs, wall = runs + 1, time.perf_counter() - began
        print((_processor() - before) / runs, wall / runs, flush=True)


def _processor() -> float:
    """The processor time, in seconds, of this process and of its finished children."""
    waited_for = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + waited_for.ru_utime + waited_for.ru_stime


class Worker:
    """A process that times calls with the version of the package in one folder."""

    def __init__(self, folder: Path, num_nodes: int, num_threads: int) -> None:
        self.process = subprocess.Popen(
            [sys.executable, str(Path(__file__).resolve()), "--worker", str(num_nodes)],
            env={**os.environ, "PYTHONPATH": str(folder), "PYTHONSAFEPATH": "1", "NUMBA_NUM_THREADS": str(num_threads)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.stdin: IO[str] = self.process.stdin  # type: ignore[assignment]
        self.stdout: IO[str] = self.process.stdout  # type: ignore[assignment]
        if Path(self.stdout.readline().strip()) != folder / "topicweave":
            sys.exit(f"the worker of {folder} did not take its own package")

    def run(self, row: str) -> Seconds:
        """Processor and wall-clock seconds of a single row."""
        print(row, file=self.stdin, flush=True)
        processor, wall = self.stdout.readline().split()
        return float(processor), float(wall)

    def close(self) -> None:
        self.stdin.close()
        self.process.wait()


def in_turns(
    folders: Mapping[str, Path], rows: Sequence[str], *, num_nodes: int, num_threads: int, num_turns: int
) -> dict[str, dict[str, list[Seconds]]]:
    """Run the versions alternately; return the seconds of each run, by row and by version.

    The first run of a row, which compiles it, does not count. Every other turn goes through the versions backwards, so
    that no version always comes first.
    """
    workers = {name: Worker(folder.resolve(), num_nodes, num_threads) for name, folder in folders.items()}
    seconds: dict[str, dict[str, list[Seconds]]] = {row: defaultdict(list) for row in rows}
    try:
        for row in rows:
            for turn in range(num_turns + 1):
                for name in list(workers)[:: 1 if turn % 2 else -1]:
                    found = workers[name].run(row)
                    if turn > 0:
                        seconds[row][name].append(found)
            print(f"{row}: done", file=sys.stderr, flush=True)
    finally:
        for worker in workers.values():
            worker.close()
    return seconds


def ratio(one: Sequence[Seconds], other: Sequence[Seconds], clock: int = 0) -> float:
    """How many times as long one version took as the other: the median over alternating runs, in processor or
    wall-clock time.
    """
    return statistics.median(a[clock] / b[clock] for a, b in zip(one, other, strict=True))


def main(arguments: Iterable[str] | None = None) -> None:
    """Compare the versions given on the command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.turns", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("checkout", type=Path, nargs="?", help="the other version")
    parser.add_argument("--rows", nargs="+", default=["*"], metavar="PATTERN", help="rows of these names; default: all")
    parser.add_argument("--nodes", type=int, default=10_000)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--turns", type=int, default=9)
    parser.add_argument("--worker", type=int, help=argparse.SUPPRESS)
    given = parser.parse_args(None if arguments is None else list(arguments))
    if given.worker:
        work(given.worker)
        return
    if given.checkout is None:
        parser.error("name the checkout to compare with")
    rows = [row for row in ROWS if any(fnmatch(row, pattern) for pattern in given.rows)]
    seconds = in_turns(
        {"this": CHECKOUT, "other": given.checkout}, rows,
        num_nodes=given.nodes, num_threads=given.threads, num_turns=given.turns,
    )  # fmt: skip
    print("| row | processor, this / other | wall clock | least processor | seconds of processor |")
    print("|---|--:|--:|--:|--:|")
    for row, by in seconds.items():
        least = [min(processor for processor, _ in by[name]) for name in ("this", "other")]
        one, other = by["this"], by["other"]
        print(
            f"| {row} | {ratio(one, other):.2f} | {ratio(one, other, 1):.2f} | {least[0] / least[1]:.2f} "
            f"| {least[0]:.3f} |"
        )


if __name__ == "__main__":
    main()
