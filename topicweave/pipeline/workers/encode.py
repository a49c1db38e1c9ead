"""On the workers: turns the pairs of a partition into numbers, with a list of the labels they stand for.

A partition of twenty million strings becomes two small dictionaries and two arrays of 32-bit codes without duplicates,
before anything is sent to the driver. Labels are sent as Arrow bytes, including those of the verifier.
"""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa
    from numpy.typing import NDArray

SCHEMA = (
    "node_labels BINARY, topic_labels BINARY, node_codes BINARY, topic_codes BINARY, roles BINARY, valid BIGINT, "
    "reasons STRING"
)

# How many rows are held and numbered at a time; larger values mean fewer dictionaries, but more memory per worker.
ROWS_AT_A_TIME = 4_000_000

LABEL = "label"


def code_partition(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Number batches of (node, topic, reason, role); yields one row of :data:`SCHEMA` for every few million pairs.

    Rows that have a reason, and so cannot be used, are counted by reason and not coded. A role is 1, 2 or 3; if there
    are no roles, every row has 1, and the column of roles stays empty.
    """
    import pyarrow.compute as pc

    nodes, topics, roles, held, reasons = [], [], [], 0, Counter[str]()
    for batch in batches:
        if batch.column(2).null_count < batch.num_rows:
            for item in batch.column(2).drop_null().value_counts():
                reasons[item["values"].as_py()] += item["counts"].as_py()
            batch = batch.filter(pc.is_null(batch.column(2)))
        if batch.num_rows:
            nodes.append(batch.column(0))
            topics.append(batch.column(1))
            if batch.num_columns > 3:
                roles.append(batch.column(3).to_numpy(zero_copy_only=False).astype(np.uint8))
            held += batch.num_rows
        if held >= ROWS_AT_A_TIME:
            yield _coded(nodes, topics, roles, reasons)
            nodes, topics, roles, held, reasons = [], [], [], 0, Counter()
    if held or reasons:
        yield _coded(nodes, topics, roles, reasons)


def _coded(
    nodes: list[pa.Array], topics: list[pa.Array], roles: list[NDArray[np.uint8]], reasons: Counter[str]
) -> pa.RecordBatch:
    import pyarrow as pa

    node_labels, node_codes = _dictionary(nodes)
    topic_labels, topic_codes = _dictionary(topics)
    valid = len(node_codes)
    keys = node_codes.astype(np.int64) * max(len(topic_labels), 1) + topic_codes
    role = np.concatenate(roles) if roles else np.empty(0, np.uint8)
    if np.any(role != 1):
        keys, role = fold_roles(keys, role)
    else:
        role = role[:0]
        keys.sort()
        keys = keys[np.concatenate(([True], keys[1:] != keys[:-1]))] if valid else keys
    node_codes, topic_codes = np.divmod(keys, max(len(topic_labels), 1))
    values = {
        "node_labels": pack_labels(node_labels),
        "topic_labels": pack_labels(topic_labels),
        "node_codes": node_codes.astype(np.int32).tobytes(),
        "topic_codes": topic_codes.astype(np.int32).tobytes(),
        "roles": role.tobytes(),
        "valid": valid,
        "reasons": json.dumps(reasons),
    }
    types = [pa.binary()] * 5 + [pa.int64(), pa.string()]
    return pa.record_batch(
        [pa.array([value], kind) for value, kind in zip(values.values(), types, strict=True)], list(values)
    )


def fold_roles(keys: NDArray[np.int64], roles: NDArray[np.uint8]) -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
    """Each key once, in ascending order, with all roles that occur with it combined."""
    order = np.argsort(keys, kind="stable")
    distinct, first = np.unique(keys[order], return_index=True)
    return distinct, np.bitwise_or.reduceat(roles[order], first)


def _dictionary(chunks: list[pa.Array]) -> tuple[pa.Array, NDArray[np.int32]]:
    """The distinct labels, and the number of the label in each row."""
    import pyarrow as pa

    coded = pa.chunked_array(chunks, pa.string()).dictionary_encode()
    if not coded.num_chunks:
        return pa.array([], pa.string()), np.empty(0, np.int32)
    codes = np.concatenate([chunk.indices.to_numpy() for chunk in coded.chunks])
    return coded.chunk(0).dictionary, codes


def pack_labels(labels: pa.Array) -> bytes:
    """Labels as bytes that another process can use without copying them."""
    import pyarrow as pa

    batch = pa.record_batch([labels], [LABEL])
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, batch.schema) as writer:
        writer.write_batch(batch)
    return bytes(sink.getvalue().to_pybytes())


def unpack_labels(packed: Any) -> pa.Array:
    """The labels, given packed bytes or a buffer."""
    import pyarrow as pa

    return pa.ipc.open_stream(packed).read_all()[LABEL].combine_chunks()
