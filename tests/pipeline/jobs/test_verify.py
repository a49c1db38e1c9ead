"""The verifier on Spark, compared with the one in memory, and on inputs that it must survive."""

import importlib
import math
import zlib

import networkx
import numpy as np
import pyarrow as pa
import pytest

from topicweave import metrics
from topicweave.errors import BadRowsError, ReadError
from topicweave.model import Interest, Overlay
from topicweave.pipeline import Table, read_edges, verify
from topicweave.pipeline.connectivity import verify_frames
from topicweave.pipeline.workers.blocks import BLOCKS, SplitSubscriptions, TopicFigures, pack_links
from topicweave.pipeline.workers.components import HashClash, Memberships


def frames(spark, pairs, links):
    subscriptions = pa.table({"node": [a for a, _ in pairs], "topic": [b for _, b in pairs]})
    edges = pa.table(
        {"source": [a for a, _ in links], "target": [b for _, b in links]},
        pa.schema({"source": pa.string(), "target": pa.string()}),
    )
    return spark.createDataFrame(subscriptions), spark.createDataFrame(edges)


def random_case(seed, num_pairs=200, num_edges=70):
    rng = np.random.default_rng(seed)
    pairs = [
        (f"n{a}", f"t{b}") for a, b in zip(rng.integers(0, 40, num_pairs), rng.integers(0, 12, num_pairs), strict=True)
    ]
    interest = Interest.from_pairs(pairs)
    links = {tuple(sorted(pair)) for pair in rng.integers(0, interest.num_nodes, (num_edges, 2)).tolist()}
    edges = np.array([pair for pair in sorted(links) if pair[0] != pair[1]])
    return pairs, interest, Overlay(interest.nodes, edges)


@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.slow)])
def test_equals_the_verifier_in_memory(spark, seed):
    """Components, support, cut-off topics and diameters; rows repeated and spread over partitions."""
    pairs, interest, overlay = random_case(seed)
    subscriptions, edges = frames(spark, pairs + pairs[:50], overlay.pairs() + [(b, a) for a, b in overlay.pairs()])
    found = verify_frames(subscriptions.repartition(5), edges.repartition(3), diameters=True, num_buckets=3)
    report = metrics.verify(interest, overlay)
    assert found.components == report.components
    assert found.support == pytest.approx(report.support)
    assert found.disconnected_topics == tuple(sorted(report.disconnected_topics))
    assert found.topic_connected is report.topic_connected is False
    expected = metrics.topic_diameters(interest, overlay).tolist()
    assert None in found.topics["diameter"].to_pylist(), "a topic in pieces has none"
    assert found.topics["diameter"].to_pylist() == [None if math.isinf(hops) else hops for hops in expected]
    assert found.topics["diameter_exact"].to_pylist() == [None if math.isinf(hops) else True for hops in expected]


@pytest.mark.parametrize("most", [2, 3])
def test_connectivity_is_that_of_networkx(spark, most):
    """For every topic; links listed twice, in the other direction, and of a node to itself change nothing."""
    pairs, interest, overlay = random_case(5, num_edges=260)
    doubled = overlay.pairs() + [(b, a) for a, b in overlay.pairs()] + [("n1", "n1")]
    subscriptions, edges = frames(spark, pairs, doubled)
    found = verify_frames(subscriptions, edges, connectivity=most, num_buckets=3).topics["connectivity"].to_pylist()
    graph = overlay.to_networkx()
    parts = [graph.subgraph(interest.subscribers_of(topic)) for topic in interest.topics]
    levels = [min(most, networkx.node_connectivity(part) if len(part) > 1 else most) for part in parts]
    large = [i for i, part in enumerate(parts) if len(part) > most]
    assert [found[i] for i in large] == [levels[i] for i in large]
    assert len(set(found)) > 1


def test_connected_topics_strangers_and_no_links(spark):
    """Links of unknown nodes and self-links do not matter; without links every subscriber is alone."""
    pairs = [("a", "x"), ("b", "x"), ("c", "x"), ("c", "y")]
    subscriptions, edges = frames(spark, pairs, [("a", "b"), ("c", "b"), ("zz", "a"), ("c", "c")])
    found = verify_frames(subscriptions, edges, num_buckets=2)
    assert found.topic_connected and found.support == 1.0 and found.disconnected_topics == ()
    assert found.topics["subscribers"].to_pylist() == [3, 1]
    alone = verify_frames(subscriptions, edges.limit(0), num_buckets=2)
    assert alone.components == 4 and alone.support == 0.0 and alone.disconnected_topics == ("x",)


def blocks_of(pairs, links, num_buckets):
    """What reaches the last step, made without Spark: hashes are Python's own."""
    nodes = sorted({label for pair in [*pairs, *links] for label in pair})
    number = {label: place * 7919 for place, label in enumerate(nodes)}
    rows = pa.record_batch(
        [
            pa.array([number[n] for n, _ in pairs]),
            pa.array([1] * len(pairs), pa.int32()),
            pa.array([t for _, t in pairs]),
            pa.array([zlib.crc32(t.encode()) % num_buckets for _, t in pairs], pa.int32()),
        ],
        ["h", "c", "t", "b"],
    )
    checks = pa.array([1] * len(links), pa.int32())
    sources, targets = (pa.array([number[link[side]] for link in links], pa.int64()) for side in (0, 1))
    ends = pa.record_batch([sources, checks, targets, checks], ["a", "b", "c", "d"])
    split = [
        block
        for start in range(0, len(pairs), 5)
        for block in SplitSubscriptions(num_buckets)(iter([rows.slice(start, 5)]))
    ]
    packed = list(pack_links(ends.slice(start, 3) for start in range(0, len(links), 3)))
    for bucket in range(num_buckets):
        yield from (block for block in split if block.column("bucket")[0].as_py() == bucket)
        for block in packed:
            yield block.set_column(0, "bucket", pa.array([bucket], pa.int32()))


@pytest.mark.parametrize("num_buckets", [1, 4])
def test_buckets_and_blocks_do_not_matter(few_rows, num_buckets):
    """Many tiny blocks and buckets, bucket after bucket through one worker: the figures of the whole."""
    pairs, interest, overlay = random_case(7)
    results = list(TopicFigures(diameters=False)(blocks_of(pairs, overlay.pairs(), num_buckets)))
    table = pa.Table.from_batches(results).sort_by("topic")
    report = metrics.verify(interest, overlay)
    assert table["topic"].to_pylist() == list(interest.topics)
    assert sum(table["components"].to_pylist()) == report.components
    assert {field.split()[0] for field in BLOCKS.split(", ")} == set(
        next(blocks_of(pairs, overlay.pairs(), 1)).schema.names
    )


def test_a_topic_with_most_subscribers_is_no_special_case(few_rows):
    """One topic that all nodes want and a hub linked to all: looked up from the smaller side, in small steps."""
    nodes = np.arange(2000, dtype=np.int64)
    hub_topics = np.arange(50)
    members = Memberships(
        np.concatenate((nodes, np.zeros(50, np.int64))),
        np.zeros(2050, np.int32),
        np.concatenate((np.zeros(2000, np.int64), hub_topics)),
        50,
    )
    ends = nodes[1:]
    members.add(np.zeros(1999, np.int64), np.zeros(1999, np.int32), ends, np.zeros(1999, np.int32))
    assert len(np.unique(members.components())) == 50


def test_equal_hashes_lead_to_another_attempt(spark, monkeypatch):
    """A clash on a worker is reported, and the work repeated with other hashes."""
    pairs = [("a", "x"), ("b", "x")]
    subscriptions, edges = frames(spark, pairs, [("a", "b")])
    module = importlib.import_module("topicweave.pipeline.connectivity")
    seeds = []
    hashes = module._hashes

    def clashing(column, seed):
        from pyspark.sql import functions as F

        seeds.append(seed)
        same = [F.lit(5).cast("bigint").alias(f"{column}_hash"), F.hash(F.col(column)).alias(f"{column}_check")]
        return same if seed == 0 else hashes(column, seed)

    monkeypatch.setattr(module, "_hashes", clashing)
    assert module.verify_frames(subscriptions, edges, num_buckets=1).topic_connected
    assert set(seeds) == {0, 1}
    assert issubclass(HashClash, Exception)


def test_files_of_any_origin(spark, write):
    """Subscriptions and links from plain files; a file of links with a bad row is refused, whatever else is allowed."""
    path = write("subscriptions.csv", "node,topic\na,x\nb,x\nc,x\n")
    whole = verify(path, write("links.txt", "a b\nb c\n"), spark=spark)
    assert whole.topic_connected and whole.counts["subscriptions"].valid == 3
    partly = verify(path, write("links.csv", "target,source\na,b\n"), spark=spark)
    assert partly.disconnected_topics == ("x",)
    with pytest.raises(BadRowsError, match=r"at most 0 % may be bad: 1 × source is missing, .* Correct them\.$"):
        read_edges(spark, Table(write("bad.csv", "source,target\n,b\n")))
    with pytest.raises(ReadError, match="no column 'source'"):
        read_edges(spark, Table(path))


def test_links_that_connect_nobody_are_told(spark, write):
    path = write("subscriptions.csv", "node,topic\na,x\nb,x\nc,y\n")
    plain = verify(path, write("plain.csv", "source,target\na,b\n"), spark=spark).links
    assert (str(plain), plain.rows) == ("", 1)
    odd = "source,target\na,b\nb,a\na,b\nc,c\nc,c\nz,a\nb,y\n"
    links = verify(path, write("odd.csv", odd), spark=spark).links
    assert (links.rows, links.repeated, links.to_themselves, links.strangers, links.stranger) == (7, 3, 1, 2, "y")
    assert str(links) == (
        "In the 7 rows of links: 2 nodes, such as 'y', subscribed to nothing; 1 link of a node to itself; "
        "3 links listed again."
    )
    empty = verify(path, write("none.csv", "source,target\n"), spark=spark).links
    assert (str(empty), empty.rows) == ("", 0)
