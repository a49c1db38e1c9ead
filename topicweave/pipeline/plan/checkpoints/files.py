"""The files that hold the result of a stage; incomplete ones are never used.

A file is completed by renaming it, so a killed run leaves no half-written one. It is a zip of arrays with a checksum
for each, so a file that was damaged by a failing disk or a power cut is noticed when it is read.
"""

from __future__ import annotations

import json
import logging
from typing import TYPE_CHECKING, Any

import numpy as np

from topicweave.files import write_atomically

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

log = logging.getLogger("topicweave.pipeline")

FACTS = "facts"


def save(path: Path, facts: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> None:
    """Write arrays, and facts that JSON can represent; errors of the operating system become a TargetError."""
    # Convert NumPy's numbers to Python's for JSON.
    text = json.dumps(facts, default=lambda number: number.item()).encode()
    content = {FACTS: np.frombuffer(text, dtype=np.uint8), **arrays}
    write_atomically(path, lambda file: np.savez(file, allow_pickle=False, **content))


def load(path: Path) -> tuple[dict[str, Any], dict[str, NDArray[Any]]] | None:
    """Read what was saved; None if it is missing or damaged."""
    try:
        with open(path, "rb") as file, np.load(file, allow_pickle=False) as content:
            arrays = {name: content[name] for name in content.files}
        return json.loads(arrays.pop(FACTS).tobytes()), arrays
    except FileNotFoundError:
        return None
    except Exception as error:  # a damaged file can fail in any way, and its content can simply be computed again
        log.warning("%s is damaged and not used (%s)", path, error)
        return None


def packed_labels(labels: Sequence[str]) -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
    """Labels in packed form: their UTF-8 bytes joined together, and the position where each begins."""
    import pyarrow as pa

    _, starts, text = pa.array(labels, pa.large_string()).buffers()
    content = np.frombuffer(text, dtype=np.uint8) if text is not None else np.empty(0, dtype=np.uint8)
    return np.frombuffer(starts, dtype=np.int64)[: len(labels) + 1], content


def unpacked_labels(starts: NDArray[np.int64], content: NDArray[np.uint8]) -> tuple[str, ...]:
    """The labels, given in packed form."""
    import pyarrow as pa

    if starts[-1] > len(content):
        raise ValueError(f"labels of {starts[-1]} bytes in {len(content)}")
    buffers = [None, pa.py_buffer(starts), pa.py_buffer(content)]
    return tuple(pa.Array.from_buffers(pa.large_string(), len(starts) - 1, buffers).to_pylist())
