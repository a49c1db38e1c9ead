"""From labelled pairs on Spark to an Interest on the driver.

The numbering is that of the sorted labels, so it does not depend on how the rows are spread. Labels are compared as
UTF-8 bytes, which is also Python's order of strings.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from pyspark.sql import functions as F

from topicweave.model import Interest
from topicweave.pipeline.columns import NODE, REASON, TOPIC
from topicweave.pipeline.counts import Counts
from topicweave.pipeline.failures import spark_failures
from topicweave.pipeline.partition_codes import SCHEMA, code_partition
from topicweave.pipeline.shipping import runs_on_workers

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
    import pyarrow.compute as pc

    reason = F.col(REASON) if REASON in pairs.columns else F.lit(None).cast("string")
    rows = pairs.select(NODE, TOPIC, reason.alias(REASON))
    with spark_failures("the subscriptions"):
        coded = rows.mapInArrow(runs_on_workers(code_partition), SCHEMA).toArrow()
    by_reason: Counter[str | None] = Counter({None: sum(coded["valid"].to_pylist())})
    for counted in coded["reasons"].to_pylist():
        by_reason.update(json.loads(counted))
    coded = coded.filter(pc.greater(coded["valid"], 0))
    nodes, node_numbers = _merged(coded["node_labels"])
    topics, topic_numbers = _merged(coded["topic_labels"])
    keys = _keys(coded, node_numbers, topic_numbers, len(topics))
    del coded, node_numbers, topic_numbers  # the largest things here; what follows needs the room
    return Encoded(_interest(nodes, topics, keys), Counts.from_reasons(by_reason))


def _interest(nodes: pa.Array, topics: pa.Array, keys: NDArray[np.int64]) -> Interest:
    """Turn keys, one for each pair, into a CSR; all work is on arrays, none on rows."""
    keys.sort()
    if len(keys):
        keys = keys[np.concatenate(([True], keys[1:] != keys[:-1]))]
    starts = np.searchsorted(keys, np.arange(len(nodes) + 1) * len(topics))
    keys %= max(len(topics), 1)
    return Interest(tuple(nodes.to_pylist()), tuple(topics.to_pylist()), starts.astype(np.int64), keys.astype(np.int32))


def _merged(packed: pa.ChunkedArray) -> tuple[pa.Array, list[NDArray[np.int64]]]:
    """All labels, sorted, and for each partition the number of each of its own labels."""
    import pyarrow as pa
    import pyarrow.compute as pc

    chunks = [pa.ipc.open_stream(one.as_buffer()).read_all()["label"].combine_chunks() for one in packed]
    together = pa.chunked_array(chunks, pa.string()).dictionary_encode()
    if not together.num_chunks:
        return pa.array([], pa.string()), []
    labels = together.chunk(0).dictionary
    order = pc.sort_indices(labels).to_numpy()
    numbers = np.empty(len(labels), dtype=np.int64)
    numbers[order] = np.arange(len(labels))
    return labels.take(pa.array(order)), [numbers[chunk.indices.to_numpy()] for chunk in together.chunks]


def _keys(
    coded: pa.Table, node_numbers: list[NDArray[np.int64]], topic_numbers: list[NDArray[np.int64]], num_topics: int
) -> NDArray[np.int64]:
    """One number for each pair: node × topics + topic."""

    def codes(cell: Any) -> NDArray[np.int32]:
        return np.frombuffer(cell.as_buffer(), dtype=np.int32)

    keys = np.empty(sum(len(codes(cell)) for cell in coded["node_codes"]), dtype=np.int64)
    start = 0
    for part, (nodes, topics) in enumerate(zip(coded["node_codes"], coded["topic_codes"], strict=True)):
        window = keys[start : start + len(codes(nodes))]
        start += len(window)
        np.take(node_numbers[part], codes(nodes), out=window)
        window *= num_topics
        window += topic_numbers[part][codes(topics)]
    return keys
