"""Files that hold what a stage made: they are there and whole, or they are not used.

A file appears by being renamed, so a run that is killed leaves none that is half written. It is a zip of arrays, which
has a checksum for each of them, so one that a failing disk or a power cut has torn is noticed when it is read.
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
    """Write arrays, and facts that JSON can hold; a TargetError says what the operating system refuses."""
    # Numbers of NumPy become Python's.
    text = json.dumps(facts, default=lambda number: number.item()).encode()
    content = {FACTS: np.frombuffer(text, dtype=np.uint8), **arrays}
    write_atomically(path, lambda file: np.savez(file, allow_pickle=False, **content))


def load(path: Path) -> tuple[dict[str, Any], dict[str, NDArray[Any]]] | None:
    """What was saved, or None if it is not there or not whole."""
    try:
        with open(path, "rb") as file, np.load(file, allow_pickle=False) as content:
            arrays = {name: content[name] for name in content.files}
        return json.loads(arrays.pop(FACTS).tobytes()), arrays
    except FileNotFoundError:
        return None
    except Exception as error:  # a torn file may fail in any way; what it held can be made again
        log.warning("%s is damaged and not used (%s)", path, error)
        return None


def packed_labels(labels: Sequence[str]) -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
    """Labels as the places where each begins, and their UTF-8 bytes one after the other."""
    import pyarrow as pa

    _, starts, text = pa.array(labels, pa.large_string()).buffers()
    content = np.frombuffer(text, dtype=np.uint8) if text is not None else np.empty(0, dtype=np.uint8)
    return np.frombuffer(starts, dtype=np.int64)[: len(labels) + 1], content


def unpacked_labels(starts: NDArray[np.int64], content: NDArray[np.uint8]) -> tuple[str, ...]:
    """The labels again."""
    import pyarrow as pa

    if starts[-1] > len(content):
        raise ValueError(f"labels of {starts[-1]} bytes in {len(content)}")
    buffers = [None, pa.py_buffer(starts), pa.py_buffer(content)]
    return tuple(pa.Array.from_buffers(pa.large_string(), len(starts) - 1, buffers).to_pylist())
