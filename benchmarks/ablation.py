"""How much each optimisation of the greedy core gains: the package is compared with copies in which one of them is
removed.

``python -m benchmarks.ablation [names] [--rows PATTERN ...] [--nodes 10000] [--threads 2] [--turns 7] [--json FILE]``
copies the package once for every optimisation (*trick*), takes the trick out of the copy by replacing a few lines of
source, and runs rows of ``python -m benchmarks.turns`` in turns, each copy in a process of its own. What is printed for
a row is by how many per cent the processor time grows without the trick: the median over the turns. It is an error if
the lines to replace are no longer in the source.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tempfile
from fnmatch import fnmatch
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.turns import ROWS, in_turns, ratio

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    Edit = tuple[str, str, str]  # a file below topicweave/, the lines to replace, and the replacement

DESIGNS = ("gm, *", "minmax, *", "low(3), *", "gpm(4), *")  # the columns of the table in docs/how-it-is-fast.md
PACKAGE = Path(__file__).parents[1] / "topicweave"
MEMBERS = "kernels/greedy/membership.py"
QUEUE, TABLE = "kernels/greedy/level_queue.py", "kernels/greedy/pair_table.py"
RECOUNT, SWEEP, PROBLEM = "kernels/greedy/recount.py", "kernels/greedy/sweep.py", "algorithms/greedy/problem.py"

TRICKS: dict[str, list[Edit]] = {
    "counting all pairs again": [(SWEEP, "if is_asked and _recount_pays(", "if False and _recount_pays(")],
    "lists in a recount": [(RECOUNT, "SUBSCRIPTION_COST, STEP_COST = 15.0,", "SUBSCRIPTION_COST, STEP_COST = 1e12,")],
    "nodes by falling size": [(PROBLEM, "(sizes.max(initial=0) - sizes) * len(sizes)", "(sizes == 0) * len(sizes)")],
    "batches": [(QUEUE, "LEAST_BATCH, MOST_BATCH = 1 << 14,", "LEAST_BATCH, MOST_BATCH = 1 << 22,")],
    "looking below the level": [(SWEEP, "level - (level >> 4) if state.uses_delta", "level if state.uses_delta")],
    "prefetching segments": [(TABLE, "                prefetch(bound, pair)\n", "                pass\n")],
    "prefetching components": [
        (MEMBERS, "    prefetch(members.size, component)\n", "    return\n    prefetch(members.size, component)\n")
    ],
    "groups of 16 rows": [
        (
            TABLE,
            "take_next(buffer.work_counter) * GROUP\n            end = min(i + GROUP, len(rows))\n",
            "take_next(buffer.work_counter)\n            end = min(i + 1, len(rows))\n",
        )
    ],
    "one thread for few segments": [(TABLE, "elif _are_few_to_open(pairs, rows, sought):", "elif False:")],
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
            "line_up(nodes.degree, buffer, batch, state.in_batch)\n",
            "line_up(nodes.degree, buffer, batch, state.in_batch)\n"
            "                state.next_in_line = state.in_heap = state.in_batch\n",
        ),
    ],
    "recounting earlier when Δ rose": [(SWEEP, "EARLIER = 3.0", "EARLIER = 1.0")],
    "aligned arrays": [(PROBLEM, "skip = -raw.ctypes.data % LINE_BYTES", "skip = (8 - raw.ctypes.data) % LINE_BYTES")],
}


def copy_without(edits: Sequence[Edit], folder: Path) -> None:
    """Copy the package to a folder and apply these edits to the copy."""
    shutil.copytree(PACKAGE, folder / "topicweave", ignore=shutil.ignore_patterns("__pycache__"))
    for file, lines, instead in edits:
        path = folder / "topicweave" / file
        source = path.read_text()
        if lines not in source:
            sys.exit(f"{file} no longer holds what the ablation replaces:\n{lines}")
        path.write_text(source.replace(lines, instead))


def main(arguments: Iterable[str] | None = None) -> None:
    """Run the comparison, given command-line arguments."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.ablation")
    parser.add_argument("names", nargs="*", metavar="name", help="tricks; default: all")
    parser.add_argument("--nodes", type=int, default=10_000)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--turns", type=int, default=7)
    parser.add_argument(
        "--rows",
        nargs="+",
        default=DESIGNS,
        metavar="PATTERN",
        help="rows of these names; default: designs of all pairs",
    )

    parser.add_argument("--json", type=Path)
    given = parser.parse_args(None if arguments is None else list(arguments))
    tricks = given.names or list(TRICKS)
    with tempfile.TemporaryDirectory() as room:
        folders = {name: Path(room) / str(number) for number, name in enumerate(["", *tricks])}
        for name, folder in folders.items():
            copy_without(TRICKS[name] if name else [], folder)
        seconds = in_turns(
            folders, [row for row in ROWS if any(fnmatch(row, pattern) for pattern in given.rows)],
            num_nodes=given.nodes, num_threads=given.threads, num_turns=given.turns,
        )  # fmt: skip
    if given.json:
        given.json.write_text(json.dumps(seconds, indent=1))
    print("| without | " + " | ".join(seconds) + " |")
    print("|---" * (len(seconds) + 1) + "|")
    print("| (seconds) | " + " | ".join(f"{min(by[''])[0]:.3f}" for by in seconds.values()) + " |")
    for name in tricks:
        grown = (100 * (ratio(by[name], by[""]) - 1) for by in seconds.values())
        print(f"| {name} | " + " | ".join(f"{each:+.0f}" for each in grown) + " |")


if __name__ == "__main__":
    main()
