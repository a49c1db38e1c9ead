"""What each trick of the greedy core brings: the package without it, against the package.

``python -m benchmarks.ablation [names] [--nodes 10000] [--threads 1] [--turns 7] [--json FILE]`` copies the package
once for every trick, takes the trick out of the copy by replacing a few lines of source, and runs the designs of
``python -m benchmarks gm rules growth`` in turns, each copy in a process of its own. What is printed for a row is by
how many per cent the processor time (the least of all turns; with several threads, the wall-clock time) grows without
the trick. A replacement whose lines are no longer in the source is an error.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    Edit = tuple[str, str, str]  # file below topicweave/, lines, lines instead

PACKAGE = Path(__file__).parents[1] / "topicweave"
QUEUE, TABLE = "kernels/greedy/level_queue.py", "kernels/greedy/pair_table.py"
RECOUNT, SWEEP, PROBLEM = "kernels/greedy/recount.py", "kernels/greedy/sweep.py", "algorithms/greedy/problem.py"

TRICKS: dict[str, list[Edit]] = {
    "counting all pairs again": [(SWEEP, "if is_asked and _recount_pays(", "if False and _recount_pays(")],
    "lists in a recount": [(RECOUNT, "SUBSCRIPTION_COST, STEP_COST = 15.0,", "SUBSCRIPTION_COST, STEP_COST = 1e12,")],
    "nodes by falling size": [(PROBLEM, "(sizes.max(initial=0) - sizes) * len(sizes)", "(sizes == 0) * len(sizes)")],
    "batches": [(QUEUE, "LEAST_BATCH, MOST_BATCH = 1 << 14,", "LEAST_BATCH, MOST_BATCH = 1 << 22,")],
    "looking below the level": [(TABLE, "kind(level - (level >> 4))", "kind(level)")],
    "prefetching segments": [(TABLE, "                prefetch(bound, pair)\n", "                pass\n")],
    "groups of 16 rows": [
        (
            TABLE,
            "take_next(buffer.work_counter) * GROUP\n            end = min(i + GROUP, len(rows))\n",
            "take_next(buffer.work_counter)\n            end = min(i + 1, len(rows))\n",
        )
    ],
    "one thread for few segments": [(TABLE, "elif _are_few_to_open(pairs, rows, level, any_pair):", "elif False:")],
    "bits listed eight at a time": [("kernels/intrinsics.py", "AT_A_TIME = 8 ", "AT_A_TIME = 1 ")],
    "four columns at a time": [(RECOUNT, "while w + 4 <= words:", "while w + 4 <= 0:")],
    "fresh columns": [
        (
            RECOUNT,
            "            if fresh:\n                _count_group_fresh",
            "            if False:\n                _count_group_fresh",
        )
    ],
    "sorting by bytes": [
        (
            QUEUE,
            "    size = len(keys)\n    any_set",
            "    if first_byte == 8:\n        return np.arange(len(keys))\n"
            '    return np.argsort(keys >> np.uint64(8 * first_byte), kind="mergesort")\n'
            "    size = len(keys)\n    any_set",
        )
    ],
    "a line before the heap": [
        (
            QUEUE,
            "    ranks = _sort_by_bytes(keys, 0 if size > FEW_TO_SORT else 8)\n",
            "    for rank in range(size):\n"
            "        sift_up(batch.heap, (np.int64(keys[rank]) << RANK_BITS) + rank, rank)\n"
            "    size = 0\n    ranks = keys\n",
        ),
        (
            SWEEP,
            "line_up(nodes.degree, batch, state.in_batch)\n",
            "line_up(nodes.degree, batch, state.in_batch)\n"
            "                state.next_in_line = state.in_heap = state.in_batch\n",
        ),
    ],
    "recounting earlier when Δ rose": [(SWEEP, "EARLIER = 3.0", "EARLIER = 1.0")],
    "aligned arrays": [
        (PROBLEM, "skip = -room.ctypes.data % LINE_BYTES", "skip = (8 - room.ctypes.data) % LINE_BYTES")
    ],
}

LAWS = {"zipf 2.0": ("zipf", 2.0), "uniform": ("uniform", None), "exponential": ("exponential", None)}
RULES = {
    "gm": ("gm", {}),
    "gm random": ("gm", {"ties": "random"}),
    "gm lexicographic": ("gm", {"ties": "lexicographic"}),
    "minmax": ("minmax", {}),
    "low(3)": ("low", {"k": 3}),
    "gpm(4)": ("gpm", {"d": 4}),
}
ROWS = [(rule, law) for rule in RULES for law in LAWS]


def work(num_nodes: int) -> None:
    """Time the rows whose numbers come in; what a worker does, with its own copy of the package."""
    import topicweave as tw
    from topicweave.workloads import synthetic

    interests = {
        law: synthetic(
            num_nodes, 1_000, popularity=kind, subscriptions=(20, 600), seed=0, **({"alpha": a} if a else {})
        )
        for law, (kind, a) in LAWS.items()
    }
    warm = synthetic(300, 100, subscriptions=(5, 40), seed=0)
    for algorithm, options in RULES.values():
        tw.design(warm, algorithm, **options)
    print(Path(tw.__file__).parent, flush=True)
    for line in sys.stdin:
        rule, law = ROWS[int(line)]
        algorithm, options = RULES[rule]
        before, began = time.process_time(), time.perf_counter()
        tw.design(interests[law], algorithm, candidates="all", **options)
        print(time.process_time() - before, time.perf_counter() - began, flush=True)


def copy_without(edits: Sequence[Edit], folder: Path) -> None:
    """Copy the package and apply the edits."""
    shutil.copytree(PACKAGE, folder / "topicweave", ignore=shutil.ignore_patterns("__pycache__"))
    for file, lines, instead in edits:
        path = folder / "topicweave" / file
        source = path.read_text()
        if lines not in source:
            sys.exit(f"{file} no longer holds what the ablation replaces:\n{lines}")
        path.write_text(source.replace(lines, instead))


class Worker:
    """A process that runs designs with a copy of the package."""

    def __init__(self, folder: Path, num_nodes: int, num_threads: int = 1) -> None:
        self.process = subprocess.Popen(
            [sys.executable, str(Path(__file__).resolve()), "--worker", "--nodes", str(num_nodes)],
            env={**os.environ, "PYTHONPATH": str(folder), "PYTHONSAFEPATH": "1", "NUMBA_NUM_THREADS": str(num_threads)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.stdin: IO[str] = self.process.stdin  # type: ignore[assignment]
        self.stdout: IO[str] = self.process.stdout  # type: ignore[assignment]
        self.folder = folder

    def wait(self) -> None:
        """Until everything is compiled."""
        if Path(self.stdout.readline().strip()) != self.folder / "topicweave":
            sys.exit(f"the worker of {self.folder} did not take its own copy")

    def run(self, row: int) -> tuple[float, float]:
        """Processor and wall-clock seconds of a design."""
        print(row, file=self.stdin, flush=True)
        processor, wall = self.stdout.readline().split()
        return float(processor), float(wall)


def main(arguments: Iterable[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.ablation")
    parser.add_argument("names", nargs="*", metavar="name", help="tricks; default: all")
    parser.add_argument("--nodes", type=int, default=10_000)
    parser.add_argument("--threads", type=int, default=1, help="more than one needs an idle machine")
    parser.add_argument("--turns", type=int, default=7)
    parser.add_argument("--rules", nargs="+", choices=RULES, default=list(RULES), metavar="rule", help="default: all")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args(None if arguments is None else list(arguments))
    if given.worker:
        work(given.nodes)
        return
    tricks = given.names or list(TRICKS)
    with tempfile.TemporaryDirectory() as room:
        folders = {name: Path(room).resolve() / str(number) for number, name in enumerate(["", *tricks])}
        for name, folder in folders.items():
            copy_without(TRICKS[name] if name else [], folder)
        workers = {name: Worker(folder, given.nodes, given.threads) for name, folder in folders.items()}
        for name, worker in workers.items():  # they compile at the same time
            worker.wait()
            print(f"ready: {name or 'the package'}", file=sys.stderr)
        seconds: dict[str, dict[str, list[tuple[float, float]]]] = defaultdict(lambda: defaultdict(list))
        for _ in range(given.turns):
            for row, (rule, law) in ((row, names) for row, names in enumerate(ROWS) if names[0] in given.rules):
                for name, worker in workers.items():
                    seconds[f"{rule}, {law}"][name].append(worker.run(row))
        for worker in workers.values():
            worker.stdin.close()
            worker.process.wait()
    if given.json:
        given.json.write_text(json.dumps(seconds, indent=1))
    print("| without | " + " | ".join(seconds) + " |")
    print("|---" * (len(seconds) + 1) + "|")
    clock = 0 if given.threads == 1 else 1
    least = {row: {name: min(each[clock] for each in runs) for name, runs in by.items()} for row, by in seconds.items()}
    print("| (seconds) | " + " | ".join(f"{by['']:.3f}" for by in least.values()) + " |")
    for name in tricks:
        print(f"| {name} | " + " | ".join(f"{100 * (by[name] / by[''] - 1):+.0f}" for by in least.values()) + " |")


if __name__ == "__main__":
    main()
