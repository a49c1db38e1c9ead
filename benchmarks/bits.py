"""Subscriptions as bit rows: one bit per (node, topic), 64 topics per word."""

# mypy: allow-untyped-calls, allow-untyped-decorators
from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numba
import numpy as np
from numba.core import types
from numba.extending import intrinsic

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from topicweave.model import Interest


def bit_rows(interest: Interest) -> NDArray[np.uint64]:
    """The subscriptions as words of shape (nodes, words); bit ``t % 64`` of word ``t // 64`` stands for topic ``t``."""
    words = max(1, -(-interest.num_topics // 64))
    flags = np.zeros((interest.num_nodes, words * 64), dtype=bool)
    node = np.repeat(np.arange(interest.num_nodes), np.diff(interest.indptr))
    flags[node, interest.indices] = True
    return np.packbits(flags, axis=1, bitorder="little").view(np.uint64)


if numba.config.DISABLE_JIT:

    def popcount(word: Any) -> int:
        """The number of bits that are set."""
        return int(word).bit_count()

else:

    @intrinsic
    def popcount(_context: Any, _word: Any) -> Any:
        """The number of bits that are set: one machine instruction, which the compiler can also vectorise."""

        def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
            return builder.ctpop(arguments[0])

        return types.int64(types.uint64), generate
