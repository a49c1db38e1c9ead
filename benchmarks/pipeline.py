"""The Spark pipeline: the time of its stages relative to a minimal Spark job, and of a complete run relative to
starting Spark.
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

import numpy as np

from benchmarks.checks import Row, at_most
from benchmarks.children import CHECKOUT, run_child
from benchmarks.memory import peak_bytes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from benchmarks.lab import Demand, Lab

ROWS, NODES, TOPICS, LINKS_PER_NODE = 20_000_000, 1_000_000, 100_000, 5
QUICK = 100  # quick runs have this many times fewer rows
PARTITIONS, SPREAD_NODES = (1, 7, 200), 2_000
# a quick run uses few partitions, because each of them costs a task in every job, however few rows it has
QUICK_PARTITIONS = (1, 3)
COLD_ROWS = 100_000
SUBSCRIPTIONS, LINKS = "subscriptions", "links"

STARTING_SPARK = """
import sys
from pyspark.sql import SparkSession
spark = SparkSession.builder.master("local[*]").config("spark.ui.enabled", "false").getOrCreate()
spark.read.option("header", True).csv(sys.argv[1]).count()
"""
WHOLE_RUN = "import sys; from topicweave.cli.main import main; sys.exit(main())"


@dataclass(frozen=True)
class Stages:
    """The stages "read + clean + encode" and "verify", for twenty million rows with string labels on two cores."""

    def demands(self) -> Sequence[Demand]:
        return []

    def rows(self, lab: Lab) -> Iterator[Row]:
        lab.tell("Spark: read, clean, encode and verify in one session")
        with tempfile.TemporaryDirectory() as folder:
            scale = str(QUICK if lab.quick else 1)
            run_child("benchmarks.pipeline", "write", folder, scale)
            found = run_child("benchmarks.pipeline", "measure", folder, scale)
        lab.tell(None)
        bare, encoding, verifying = found["bare"], found["encode"], found["verify"]
        size = f"{found['rows']:,} rows, {found['nodes']:,} nodes, {found['topics']:,} topics"
        yield Row(
            f"read + clean + encode / bare groupBy(node).count: {size}",
            encoding / bare,
            bar=at_most(5),
            detail=f"{encoding:.1f} s / {bare:.1f} s, second runs in the session",
        )
        yield Row(f"peak memory of the Python driver: {size}", found["peak"] / 1e9, unit="GB", bar=at_most(1.5))
        yield Row(
            f"verify / read + clean + encode: {size}, {found['links']:,} links",
            verifying / encoding,
            bar=at_most(3),
            detail=f"{verifying:.1f} s / {encoding:.1f} s, second runs in the session",
        )


@dataclass(frozen=True)
class ColdRun:
    """A complete ``topicweave design`` in a fresh process, relative to starting Spark and counting the same file."""

    def demands(self) -> Sequence[Demand]:
        return []

    def rows(self, lab: Lab) -> Iterator[Row]:
        count = COLD_ROWS // (QUICK if lab.quick else 1)
        lab.tell("Spark: a whole cold run")
        with tempfile.TemporaryDirectory() as folder:
            path = write_csv(Path(folder) / "subscriptions.csv", count)
            design = [WHOLE_RUN, "design", str(path), "--algorithm", "low", "--k", "3", "--out"]
            # The first run does not count, because it compiles kernels and fills the disk cache.
            _cold([*design, str(Path(folder) / "first")])
            pairs = [
                (_cold([STARTING_SPARK, str(path)]), _cold([*design, str(Path(folder) / f"plan{turn}")]))
                for turn in range(1 if lab.quick else 3)
            ]
        lab.tell(None)
        starting, whole = (float(np.median([pair[side] for pair in pairs])) for side in (0, 1))
        yield Row(
            f"topicweave design / start Spark and count: CSV of {count:,} rows, cold",
            whole / starting,
            bar=at_most(3),
            detail=f"{whole:.1f} s / {starting:.1f} s",
        )


@dataclass(frozen=True)
class Partitions:
    """Does the result depend on how rows are partitioned? Designs for the same rows, shuffled into 1, 7 and 200
    partitions.
    """

    def demands(self) -> Sequence[Demand]:
        return []

    def rows(self, lab: Lab) -> Iterator[Row]:
        lab.tell("Spark: the same rows in different partitions")
        with tempfile.TemporaryDirectory() as folder:
            found = run_child("benchmarks.pipeline", "spread", folder, str(QUICK if lab.quick else 1))
        lab.tell(None)
        yield Row(
            f"different edges.parquet from {', '.join(map(str, found['partitions']))} partitions, rows shuffled: "
            f"{found['rows']:,} rows",
            found["different"],
            unit="",
            bar=at_most(1),
            detail=f"sha256 {found['sha256'][:16]}…",
        )


CHECKS = (Stages(), ColdRun(), Partitions())


def write_parquet(folder: Path, scale: int) -> None:
    """Write random subscriptions (readable labels, topics by Zipf's law, rows in random order) and random links."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng = np.random.default_rng(0)
    num_nodes, num_topics = NODES // scale, TOPICS // scale
    nodes = pa.array([f"broker-{number:07d}.site" for number in range(num_nodes)])
    topics = pa.array([f"plant/{number % 97:02d}/sensor-{number:06d}" for number in range(num_topics)])
    popularity = np.cumsum(np.arange(1, num_topics + 1) ** -0.7)
    names = rng.permutation(num_topics)
    (folder / SUBSCRIPTIONS).mkdir()
    (folder / LINKS).mkdir()
    for part in range(8):
        count = ROWS // scale // 8
        drawn = names[np.searchsorted(popularity, rng.random(count) * popularity[-1])]
        table = {"node": nodes.take(pa.array(rng.integers(0, num_nodes, count))), "topic": topics.take(pa.array(drawn))}
        pq.write_table(pa.table(table), folder / SUBSCRIPTIONS / f"part-{part}.parquet")
    for part in range(4):
        ends = rng.integers(0, num_nodes, (2, LINKS_PER_NODE * num_nodes // 4))
        pairs = {"source": nodes.take(pa.array(ends[0])), "target": nodes.take(pa.array(ends[1]))}
        pq.write_table(pa.table(pairs), folder / LINKS / f"part-{part}.parquet")


def write_csv(path: Path, count: int) -> Path:
    """Write a table of a few thousand brokers with ten topics each."""
    rng = np.random.default_rng(0)
    nodes, topics = rng.integers(0, max(count // 10, 2), count), rng.zipf(1.6, count) % 500
    lines = (
        f"broker-{node:05d},plant/{topic:03d}\n" for node, topic in zip(nodes.tolist(), topics.tolist(), strict=True)
    )
    with open(path, "w", encoding="utf-8") as file:
        file.write("node,topic\n")
        file.writelines(lines)
    return path


def measure_stages(folder: Path, scale: int) -> dict[str, Any]:
    """Measure the minimal job, the encoding and the verification alternately; the second runs count.

    Record the memory of this process.
    """
    from topicweave.pipeline import Subscriptions, Table, encode, session
    from topicweave.pipeline.connectivity import verify_frames

    subscriptions, links = str(folder / SUBSCRIPTIONS), str(folder / LINKS)
    spark = session("local[2]")

    def bare() -> None:
        counts = spark.read.parquet(subscriptions).groupBy("node").count()
        counts.write.mode("overwrite").parquet(str(folder / "counts"))

    def encoding() -> dict[str, int]:
        found = encode(Subscriptions(Table(subscriptions)).read(spark).pairs).interest
        return {"nodes": found.num_nodes, "topics": found.num_topics, "subscriptions": found.num_subscriptions}

    def verifying() -> int:
        records = Subscriptions(Table(subscriptions)).read(spark)
        return verify_frames(records.subscriptions, spark.read.parquet(links)).num_subscriptions

    seconds: dict[str, float] = {}
    for _ in range(2):
        seconds["bare"], _none = _timed(bare)
        seconds["encode"], sizes = _timed(encoding)
    peak = peak_bytes()
    for _ in range(2):
        seconds["verify"], verified = _timed(verifying)
    if verified != sizes["subscriptions"]:
        raise RuntimeError(f"{verified:,} subscriptions were verified, but {sizes['subscriptions']:,} encoded")
    spark.stop()
    return {**seconds, **sizes, "rows": ROWS // scale, "links": LINKS_PER_NODE * NODES // scale, "peak": peak}


def spread(folder: Path, scale: int) -> dict[str, Any]:
    """Design for the same subscriptions with different partitionings, and compare the written files byte by byte."""
    import pyarrow as pa

    from topicweave.pipeline import design, session
    from topicweave.workloads import synthetic

    partitions = PARTITIONS if scale == 1 else QUICK_PARTITIONS
    interest = synthetic(num_nodes=SPREAD_NODES // scale, num_topics=200, subscriptions=10, seed=0)
    pairs = np.array(list(interest.pairs()))
    spark = session("local[2]")
    written = []
    for count in partitions:
        shuffled = np.random.default_rng(count).permutation(pairs)
        frame = spark.createDataFrame(pa.table({"node": shuffled[:, 0], "topic": shuffled[:, 1]}))
        plan = design(frame.repartition(count), "low", k=3, out=folder / str(count), spark=spark)
        written += [file["sha256"] for file in plan.manifest["outputs"] if file["path"] == "edges.parquet"]
    spark.stop()
    return {"partitions": partitions, "rows": len(pairs), "different": len(set(written)), "sha256": written[0]}


def _timed(call: Callable[[], Any]) -> tuple[float, Any]:
    start = time.perf_counter()
    outcome = call()
    return time.perf_counter() - start, outcome


def _cold(arguments: list[str]) -> float:
    """How many seconds a fresh Python process takes to run a program."""
    command = [sys.executable, "-c", *arguments]
    start = time.perf_counter()
    done = subprocess.run(command, cwd=CHECKOUT, env=dict(os.environ), capture_output=True, text=True, check=False)
    seconds = time.perf_counter() - start
    if done.returncode:
        raise RuntimeError(f"{' '.join(arguments[1:])} ended with code {done.returncode}:\n{done.stderr}")
    return seconds


if __name__ == "__main__":
    task, place, scaled = sys.argv[1:]
    if task == "write":
        write_parquet(Path(place), int(scaled))
        print("{}")
    else:
        print(json.dumps({"measure": measure_stages, "spread": spread}[task](Path(place), int(scaled))))
