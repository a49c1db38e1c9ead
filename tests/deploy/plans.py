"""Plan folders without Spark: written by the same functions as the pipeline's."""

import pyarrow.parquet as pq

import topicweave as tw
from topicweave.pipeline.plan.manifest import new_manifest, write_manifest
from topicweave.pipeline.plan.plan import edges_table, nodes_table, write_subscriptions
from topicweave.pipeline.plan.target import EDGES, NODES


def write_plan(folder, interest, algorithm="low", **parameters):
    """Design an overlay and write it as a plan folder; the verifier's tables and the report are left out."""
    folder.mkdir()
    planned = tw.design(interest, algorithm, **parameters)
    pq.write_table(edges_table(planned), folder / EDGES)
    pq.write_table(nodes_table(interest, planned.overlay), folder / NODES)
    write_subscriptions(interest, folder)
    manifest = new_manifest("design", inputs=[], rows={}, parameters={}, seed=0, counts={}, seconds={})
    write_manifest(folder, manifest, {})
    return folder


def write_inventory(path, inventory, **columns):
    """An inventory as a CSV file, with these further columns."""
    lines = [",".join(["name", "host", "port", "sidecar_port", *columns])]
    lines += [",".join([b.name, b.host, str(b.port), str(b.sidecar_port), *columns.values()]) for b in inventory]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path
