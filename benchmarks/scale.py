"""Complete runs of ``topicweave design --candidates near`` from ten thousand to a million nodes, each in fresh
processes.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.checks import Row, at_most
from benchmarks.children import CHECKOUT

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from benchmarks.lab import Demand, Lab

SIZES = 10_000, 30_000, 100_000, 300_000, 1_000_000
TOPICS_EACH = 20
MOST_GIGABYTES = 12
QUICK = 100  # quick runs divide the numbers of nodes by this


@dataclass(frozen=True)
class Scale:
    """The time and memory of complete runs, with a tenth as many topics as nodes and 20 topics per node (Zipf 0.5)."""

    def demands(self) -> Sequence[Demand]:
        return []

    def rows(self, lab: Lab) -> Iterator[Row]:
        runs: dict[int, dict[str, Any]] = {}
        with tempfile.TemporaryDirectory(prefix="topicweave-scale-") as folder:
            for size in SIZES:
                lab.tell(f"{size:,} nodes, from file to verified plan")
                runs[size] = _run(Path(folder), size // (QUICK if lab.quick else 1))
                yield from self._told(size, runs)

    def _told(self, size: int, runs: dict[int, dict[str, Any]]) -> Iterator[Row]:
        now = runs[size]
        stages = ", ".join(f"{stage} {spent:.0f}" for stage, spent in now["stages"].items())
        yield Row(f"{size:,} nodes, seconds", now["seconds"], "s", detail=stages)
        bar = at_most(MOST_GIGABYTES) if size == SIZES[-1] else None
        yield Row(f"{size:,} nodes, memory of all processes", now["gigabytes"], "GB", bar=bar, detail=now["plan"])
        for base, limit in ((10_000, 15), (100_000, 13)):
            if size == 10 * base:
                growth = now["seconds"] / runs[base]["seconds"]
                yield Row(f"{size:,} / {base:,} nodes, time", growth, bar=at_most(limit))


def _run(folder: Path, num_nodes: int) -> dict[str, Any]:
    rows, plan = folder / f"{num_nodes}.parquet", folder / f"plan-{num_nodes}"
    command = Path(sys.executable).with_name("topicweave")
    shape = ["--nodes", num_nodes, "--topics", max(TOPICS_EACH, num_nodes // 10), "--subscriptions", TOPICS_EACH]
    subprocess.run([command, "generate", *map(str, shape), "--out", rows], check=True, capture_output=True)
    begun = time.perf_counter()
    arguments = ["design", str(rows), "--algorithm", "gm", "--candidates", "near", "--out", str(plan)]
    with subprocess.Popen(
        [command, *arguments], cwd=CHECKOUT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    ) as run:
        most = _watch(run)
        said = run.stderr.read().decode() if run.stderr else ""
    seconds = time.perf_counter() - begun
    rows.unlink()
    if run.returncode:
        raise RuntimeError(f"topicweave {' '.join(arguments)} ended with code {run.returncode}:\n{said}")
    manifest = json.loads((plan / "manifest.json").read_text())
    overlay, verified = manifest["overlay"], manifest["verification"]["topic_connected"]
    told = (
        f"{overlay['links']:,} links, {overlay['average_degree']:.2f} a node, at most {overlay['maximum_degree']}, "
        f"{len(manifest['candidates']['rounds'])} rounds, {'verified' if verified else 'NOT CONNECTED'}"
    )
    return {"seconds": seconds, "gigabytes": most / 1e9, "stages": manifest["seconds"], "plan": told}


def _watch(run: subprocess.Popen[bytes]) -> int:
    """Wait for a process to end; return the peak memory of it and all its children together."""
    most = 0
    while True:
        try:
            run.wait(0.5)
        except subprocess.TimeoutExpired:
            most = max(most, sum(map(_held, _family(run.pid))))
        else:
            return most


def _family(first: int) -> list[int]:
    """A process and all its descendants."""
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            except OSError:
                continue
            children.setdefault(parent, []).append(int(entry.name))
    found = [first]
    for process in found:
        found.extend(children.get(process, ()))
    return found


def _held(process: int) -> int:
    """The memory in bytes that a process uses; memory shared with others counts in part."""
    try:
        lines = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("Pss:")), 0)


CHECKS = (Scale(),) if os.path.isdir("/proc/self") else ()
