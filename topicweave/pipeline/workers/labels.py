"""Labels on their way between processes: an Arrow array as bytes, and back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa

LABEL = "label"


def pack_labels(labels: pa.Array) -> bytes:
    """An array as bytes that another process can open without copying."""
    import pyarrow as pa

    batch = pa.record_batch([labels], [LABEL])
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, batch.schema) as writer:
        writer.write_batch(batch)
    return bytes(sink.getvalue().to_pybytes())


def unpack_labels(packed: Any) -> pa.Array:
    """The array again, from bytes or a buffer."""
    import pyarrow as pa

    return pa.ipc.open_stream(packed).read_all()[LABEL].combine_chunks()
