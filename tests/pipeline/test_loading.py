"""Numbering that does not depend on how rows are spread."""

import numpy as np
import pyarrow as pa
import pytest

from topicweave.model import Interest
from topicweave.pipeline import encode
from topicweave.pipeline.loading import _interest, _joined
from topicweave.pipeline.workers.encode import code_partition


def random_pairs(count, seed=0):
    rng = np.random.default_rng(seed)
    return [(f"n{a}é", f"t{b}") for a, b in zip(rng.integers(0, 50, count), rng.integers(0, 20, count), strict=True)]


def frame_of(spark, pairs):
    return spark.createDataFrame(pa.table({"node": [n for n, _ in pairs], "topic": [t for _, t in pairs]}))


@pytest.mark.parametrize("partitions", [1, 7, 40])
def test_partitions_do_not_matter(spark, partitions):
    """One partition or many, empty ones among them: the same interest."""
    pairs = random_pairs(400)
    encoded = encode(frame_of(spark, pairs).repartition(partitions))
    assert encoded.interest == Interest.from_pairs(pairs)
    assert encoded.counts.valid == 400
    assert encoded.duplicates == 400 - len(set(pairs))


def test_blocks_do_not_matter(few_rows):
    """A partition coded in many small blocks says the same as in one; reasons are counted, not coded."""
    rows = [
        ("b", "y", None),
        ("a", "x", None),
        (None, None, "bad"),
        ("b", "y", None),
        ("c", "x", None),
        ("d", "z", None),
        (None, None, "bad"),
    ]
    batches = [
        pa.record_batch(
            [pa.array([row[i] for row in part], pa.string()) for i in range(3)], ["node", "topic", "reason"]
        )
        for part in (rows[:2], rows[2:5], rows[5:])
    ]
    blocks = list(code_partition(iter(batches)))
    assert len(blocks) > 1
    assert sum(block.column("valid")[0].as_py() for block in blocks) == 5
    assert "".join(block.column("reasons")[0].as_py() for block in blocks).count("bad") == 2
    interest = _interest(*_joined(pa.Table.from_batches(blocks)))
    assert interest == Interest.from_pairs([row[:2] for row in rows if row[2] is None])


def test_nothing_gives_an_empty_interest(spark):
    """No rows, and only bad rows."""
    assert encode(frame_of(spark, [("a", "x")]).limit(0)).interest == Interest.from_pairs([])
    bad = spark.createDataFrame([("a", "x", "bad")], "node STRING, topic STRING, reason STRING")
    encoded = encode(bad)
    assert encoded.interest.num_nodes == 0 and encoded.counts.bad == {"bad": 1}


def test_labels_are_ordered_as_python_orders_them(spark):
    """Spark, Arrow and Python must agree on the order of labels, beyond the 16-bit characters as well."""
    labels = ["z", "ä", "\uffee", "𐐷", "a", "A", "~", "10", "9"]
    encoded = encode(frame_of(spark, [(label, label) for label in labels]))
    assert list(encoded.interest.nodes) == sorted(labels)
