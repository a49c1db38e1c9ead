"""On the workers: packs subscriptions and links into blocks of bytes, sorted into buckets (groups of topics).

Spark moves a few thousand large rows instead of millions of small ones, and every bucket is processed by one call on
arrays. Rows of :data:`BLOCKS`, by kind:

* subscriptions: node hashes, node checks, topic numbers, the topic labels these numbers stand for;
* links: source hashes, source checks, target hashes, target checks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from topicweave.pipeline.workers.components import HashClash, Memberships
from topicweave.pipeline.workers.diameters import topic_diameters
from topicweave.pipeline.workers.encode import pack_labels, unpack_labels

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa
    from numpy.typing import NDArray

BLOCKS = "bucket INT, kind INT, first BINARY, second BINARY, third BINARY, fourth BINARY"
SUBSCRIPTIONS, LINKS = 0, 1
FIGURES = (
    "topic STRING, subscribers BIGINT, components BIGINT, diameter BIGINT, diameter_exact BOOLEAN, "
    "connectivity BIGINT, clash BOOLEAN"
)

ROWS_AT_A_TIME = 1_000_000
LINKS_AT_A_TIME = 200_000


class SplitSubscriptions:
    """Sorts rows of (node hash, node check, topic label, bucket of the topic) into one block per bucket."""

    def __init__(self, num_buckets: int) -> None:
        self.num_buckets = num_buckets

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        held: list[pa.RecordBatch] = []
        for batch in batches:
            held.append(batch)
            if sum(one.num_rows for one in held) >= ROWS_AT_A_TIME:
                yield from self._split(held)
                held = []
        if held:
            yield from self._split(held)

    def _split(self, batches: list[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        table = pa.Table.from_batches(batches)
        coded = table.column(2).dictionary_encode()
        if not table.num_rows:
            return
        labels = coded.chunk(0).dictionary
        codes = np.concatenate([chunk.indices.to_numpy() for chunk in coded.chunks])
        bucket_of_row = table.column(3).to_numpy()
        bucket_of_label = np.empty(len(labels), dtype=np.int32)
        bucket_of_label[codes] = bucket_of_row
        nodes, checks = table.column(0).to_numpy(), table.column(1).to_numpy()
        for bucket in range(self.num_buckets):
            rows = np.flatnonzero(bucket_of_row == bucket)
            if not len(rows):
                continue
            own = np.flatnonzero(bucket_of_label == bucket)
            number = np.zeros(len(labels), dtype=np.int32)
            number[own] = np.arange(len(own), dtype=np.int32)
            yield _block(
                bucket,
                SUBSCRIPTIONS,
                nodes[rows],
                checks[rows],
                number[codes[rows]],
                pack_labels(labels.take(pa.array(own))),
            )


def pack_links(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Packs rows of (source hash, source check, target hash, target check) into blocks that every bucket reads."""
    import pyarrow as pa

    held: list[pa.RecordBatch] = []
    for batch in batches:
        held.append(batch)
        if sum(one.num_rows for one in held) >= LINKS_AT_A_TIME:
            yield _links(pa.Table.from_batches(held))
            held = []
    if held:
        yield _links(pa.Table.from_batches(held))


class TopicFigures:
    """Computes one result row per topic from the blocks of a partition, sorted by bucket and kind."""

    def __init__(self, diameters: bool, connectivity: int = 1) -> None:
        self.diameters = diameters
        self.connectivity = connectivity

    @property
    def keeps_links(self) -> bool:
        """Whether the links themselves are needed, not only which subscriptions they join."""
        return self.diameters or self.connectivity > 1

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        blocks = ([column[row] for column in batch.columns] for batch in batches for row in range(batch.num_rows))
        block = next(blocks, None)
        while block is not None:
            bucket = block[0].as_py()
            subscriptions = []
            while block is not None and block[0].as_py() == bucket and block[1].as_py() == SUBSCRIPTIONS:
                subscriptions.append(block[2:])
                block = next(blocks, None)
            try:
                labels, members = self._members(subscriptions)
                del subscriptions
                while block is not None and block[0].as_py() == bucket:
                    members.add(*_arrays(block[2:], (np.int64, np.int32, np.int64, np.int32)))
                    block = next(blocks, None)
                yield self._figures(labels, members)
            except HashClash:
                yield _clash()
                return

    def _members(self, blocks: list[list[Any]]) -> tuple[pa.Array, Memberships]:
        import pyarrow as pa

        chunks = [unpack_labels(block[3].as_buffer()) for block in blocks]
        coded = pa.chunked_array(chunks, pa.string()).dictionary_encode()
        labels = coded.chunk(0).dictionary if coded.num_chunks else pa.array([], pa.string())
        nodes, checks, topics = [np.empty(0, np.int64)], [np.empty(0, np.int32)], [np.empty(0, np.int64)]
        for block, chunk in zip(blocks, coded.chunks, strict=True):
            ours, checked, numbers = _arrays(block[:3], (np.int64, np.int32, np.int32))
            nodes.append(ours)
            checks.append(checked)
            topics.append(chunk.indices.to_numpy().astype(np.int64)[numbers])
        joined = (np.concatenate(nodes), np.concatenate(checks), np.concatenate(topics))
        return labels, Memberships(*joined, num_topics=len(labels), keep_links=self.keeps_links)

    def _figures(self, labels: pa.Array, members: Memberships) -> pa.RecordBatch:
        import pyarrow as pa

        pieces = members.components()
        first = np.full(pieces.max(initial=-1) + 1, -1, dtype=np.int64)
        first[pieces[::-1]] = np.arange(len(pieces))[::-1]
        count = len(labels)
        components = np.bincount(members.topics[first], minlength=count)
        columns = {
            "topic": labels,
            "subscribers": pa.array(np.bincount(members.topics, minlength=count), pa.int64()),
            "components": pa.array(components, pa.int64()),
        }
        if self.diameters:
            found, exact = topic_diameters(members.pairs(), members.topics, count)
            cut = components > 1  # the diameter of a topic that is not connected is infinite; null stands for it
            columns |= {"diameter": pa.array(found, pa.int64(), mask=cut)}
            columns |= {"diameter_exact": pa.array(exact, pa.bool_(), mask=cut)}
        else:
            columns |= {"diameter": pa.nulls(count, pa.int64()), "diameter_exact": pa.nulls(count, pa.bool_())}
        if self.connectivity > 1:
            from topicweave.pipeline.workers.connectivity import topic_connectivity

            level = topic_connectivity(_distinct(members.pairs()), members.topics, count, self.connectivity)
            columns |= {"connectivity": pa.array(level, pa.int64())}
        else:
            columns |= {"connectivity": pa.nulls(count, pa.int64())}
        return pa.record_batch([*columns.values(), pa.array(np.zeros(count, bool))], [*columns, "clash"])


def _distinct(pairs: NDArray[np.int32]) -> NDArray[np.int32]:
    """The links between subscriptions, each once and in one direction, except links of a subscription to itself."""
    return np.unique(np.sort(pairs[:, pairs[0] != pairs[1]], axis=0), axis=1)


def _links(table: pa.Table) -> pa.RecordBatch:
    return _block(0, LINKS, *(column.to_numpy() for column in table.columns))


def _block(bucket: int, kind: int, *values: NDArray[Any] | bytes) -> pa.RecordBatch:
    import pyarrow as pa

    cells = [value if isinstance(value, bytes) else np.ascontiguousarray(value).tobytes() for value in values]
    columns = [pa.array([bucket], pa.int32()), pa.array([kind], pa.int32())]
    columns += [pa.array([cell], pa.binary()) for cell in cells]
    return pa.record_batch(columns, ["bucket", "kind", "first", "second", "third", "fourth"])


def _arrays(cells: list[Any], kinds: tuple[type, ...]) -> list[NDArray[Any]]:
    return [np.frombuffer(cell.as_buffer(), dtype=kind) for cell, kind in zip(cells, kinds, strict=True)]


def _clash() -> pa.RecordBatch:
    import pyarrow as pa

    names = [field.split()[0] for field in FIGURES.split(", ")]
    kinds = [pa.string(), pa.int64(), pa.int64(), pa.int64(), pa.bool_(), pa.int64(), pa.bool_()]
    values = [None] * 6 + [True]
    return pa.record_batch([pa.array([value], kind) for value, kind in zip(values, kinds, strict=True)], names)
