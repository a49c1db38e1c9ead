"""Trees of large overlays: the time to build them, relative to the design, and the time of an export.

python -m benchmarks.trees [NODES]          both in one process, three turns; CPU seconds of all threads / 2
python -m benchmarks.trees --export [NODES] files for this many mosquitto brokers, written from a plan
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from pathlib import Path

import pyarrow.parquet as pq

import topicweave as tw

TOPICS_EACH = 20


def instance(num_nodes: int) -> tw.Interest:
    """An instance with a tenth as many topics as nodes, and 20 topics per node (Zipf 0.5)."""
    return tw.workloads.synthetic(
        num_nodes=num_nodes, num_topics=max(20, num_nodes // 10), popularity="zipf", alpha=0.5,
        subscriptions=TOPICS_EACH, seed=0,
    )  # fmt: skip


def beside_design(num_nodes: int, turns: int = 3) -> None:
    """Print the time to build the trees, divided by that of the design, measured alternately."""
    small = instance(2000)
    # run a small example first, so that everything used below is compiled
    tw.deploy.trees(small, tw.design(small, "gm", candidates="near").overlay)
    interest = instance(num_nodes)
    ratios = []
    for turn in range(turns):
        begun, wall = time.process_time(), time.perf_counter()
        overlay = tw.design(interest, "gm", candidates="auto").overlay
        design, design_wall = (time.process_time() - begun) / 2, time.perf_counter() - wall
        begun, wall = time.process_time(), time.perf_counter()
        found = tw.deploy.trees(interest, overlay)
        trees, trees_wall = (time.process_time() - begun) / 2, time.perf_counter() - wall
        ratios.append(trees / design)
        print(
            f"turn {turn + 1}: design {design:.1f} s ({design_wall:.1f} on the clock), trees {trees:.1f} s "
            f"({trees_wall:.1f}), ratio {ratios[-1]:.3f}; {found.figures()}",
            flush=True,
        )
    print(f"{num_nodes:,} nodes, median ratio {statistics.median(ratios):.3f} (bar 0.3)")


def export(num_nodes: int) -> None:
    """Print the time from a plan folder to checked configuration files on disk, for both layouts."""
    from topicweave.deploy.difference import unnamed_inventory
    from topicweave.pipeline import export as write_files

    interest = instance(num_nodes)
    planned = tw.design(interest, "gm")
    inventory = unnamed_inventory(tw.deploy.trees(interest, planned.overlay))
    with tempfile.TemporaryDirectory() as folder:
        plan = Path(folder) / "plan"
        write_plan(plan, interest, planned)
        for layout in ("inside", "sidecar"):
            begun, wall = time.process_time(), time.perf_counter()
            write_files(plan, out=Path(folder) / layout, inventory=inventory, layout=layout)
            seconds, wall = (time.process_time() - begun) / 2, time.perf_counter() - wall
            print(
                f"{num_nodes:,} brokers, {layout}: {seconds:.1f} s of CPU / 2 ({wall:.1f} on the clock) "
                f"for {sum(1 for _ in (Path(folder) / layout).rglob('*.conf')):,} files (bar 60)",
                flush=True,
            )


def write_plan(folder: Path, interest: tw.Interest, planned: tw.Design) -> None:
    """Write what an export reads of a plan."""
    from topicweave.pipeline.plan.manifest import new_manifest, write_manifest
    from topicweave.pipeline.plan.plan import edges_table, nodes_table, write_subscriptions
    from topicweave.pipeline.plan.target import EDGES, NODES

    folder.mkdir()
    pq.write_table(edges_table(planned), folder / EDGES)
    pq.write_table(nodes_table(interest, planned.overlay), folder / NODES)
    write_subscriptions(interest, folder)
    manifest = new_manifest("design", inputs=[], rows={}, parameters={}, seed=0, counts={}, seconds={})
    write_manifest(folder, manifest, {})


if __name__ == "__main__":
    sizes = [int(text.replace(",", "")) for text in sys.argv[1:] if not text.startswith("-")]
    if "--export" in sys.argv:
        export(sizes[0] if sizes else 10_000)
    else:
        beside_design(sizes[0] if sizes else 1_000_000)
