"""From labelled pairs on Spark to an Interest on the driver.

The numbering is that of the sorted labels, so it does not depend on how the rows are spread. Labels are compared as
UTF-8 bytes, which is also Python's order of strings.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from pyspark.sql import functions as F

from topicweave.columns import NODE, REASON, TOPIC
from topicweave.model import Interest
from topicweave.pipeline.quality.counts import Counts
from topicweave.pipeline.spark.failures import spark_failures
from topicweave.pipeline.spark.session import runs_on_workers
from topicweave.pipeline.workers.encode import SCHEMA, code_partition, unpack_labels

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray
    from pyspark.sql import DataFrame


@dataclass(frozen=True)
class Encoded:
    """An interest, and the rows it came from.

    Attributes
    ----------
    interest
        Who subscribes to what.
    counts
        Where the rows went, duplicates among the valid ones.
    """

    interest: Interest
    counts: Counts

    @property
    def duplicates(self) -> int:
        """Valid rows that said what another had said."""
        return self.counts.valid - self.interest.num_subscriptions


def encode(pairs: DataFrame) -> Encoded:
    """Number the nodes and topics of (node, topic) pairs and bring them to the driver.

    ``pairs`` may have a column ``reason``: rows that have one are counted by it and left out.
    """
    reason = F.col(REASON) if REASON in pairs.columns else F.lit(None).cast("string")
    rows = pairs.select(NODE, TOPIC, reason.alias(REASON))
    with spark_failures("the subscriptions"):
        coded = rows.mapInArrow(runs_on_workers(code_partition), SCHEMA).toArrow()
    valid = coded["valid"].to_pylist()
    by_reason: Counter[str | None] = Counter({None: sum(valid)})
    for counted in coded["reasons"].to_pylist():
        by_reason.update(json.loads(counted))
    nodes, topics, keys = _joined(coded)
    del coded  # the largest thing here; what follows needs the room
    return Encoded(_interest(nodes, topics, keys), Counts.from_reasons(by_reason))


def _joined(coded: pa.Table) -> tuple[pa.Array, pa.Array, NDArray[np.int64]]:
    """The blocks of all partitions together: the labels, sorted, and a key for each pair."""
    # Cell by cell, for filtering the table would copy it; blocks that hold only bad rows have no labels.
    columns = ("node_labels", "topic_labels", "node_codes", "topic_codes")
    filled = np.flatnonzero(coded["valid"].to_numpy())
    cells = {name: [coded[name][int(row)].as_buffer() for row in filled] for name in columns}
    nodes, node_numbers = _merged(cells["node_labels"])
    topics, topic_numbers = _merged(cells["topic_labels"])
    node_codes = [np.frombuffer(cell, dtype=np.int32) for cell in cells["node_codes"]]
    topic_codes = [np.frombuffer(cell, dtype=np.int32) for cell in cells["topic_codes"]]
    keys = np.empty(sum(map(len, node_codes)), dtype=np.int64)
    start = 0
    for part, (ours, theirs) in enumerate(zip(node_codes, topic_codes, strict=True)):
        window = keys[start : start + len(ours)]
        start += len(window)
        window[:] = node_numbers[part][ours]
        window *= len(topics)
        window += topic_numbers[part][theirs]
    return nodes, topics, keys


def _interest(nodes: pa.Array, topics: pa.Array, keys: NDArray[np.int64]) -> Interest:
    """Turn keys (node × topics + topic, one for each pair) into a CSR; all work is on arrays, none on rows."""
    keys.sort()
    if len(keys):
        keys = keys[np.concatenate(([True], keys[1:] != keys[:-1]))]
    starts = np.searchsorted(keys, np.arange(len(nodes) + 1) * len(topics))
    keys %= max(len(topics), 1)
    return Interest(tuple(nodes.to_pylist()), tuple(topics.to_pylist()), starts.astype(np.int64), keys.astype(np.int32))


def _merged(packed: list[pa.Buffer]) -> tuple[pa.Array, list[NDArray[np.int32]]]:
    """All labels, sorted, and for each block the number of each of its own labels."""
    import pyarrow as pa
    import pyarrow.compute as pc

    chunks = [unpack_labels(one) for one in packed]
    together = pa.chunked_array(chunks, pa.string()).dictionary_encode()
    if not together.num_chunks:
        return pa.array([], pa.string()), []
    labels = together.chunk(0).dictionary
    order = pc.sort_indices(labels).to_numpy()
    numbers = np.empty(len(labels), dtype=np.int32)
    numbers[order] = np.arange(len(labels), dtype=np.int32)
    return labels.take(pa.array(order)), [numbers[chunk.indices.to_numpy()] for chunk in together.chunks]
