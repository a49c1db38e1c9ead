"""The floor, a practical lower limit for the time of a design: one parallel pass that counts the common topics of all
pairs by bit operations.

No greedy design can do with less, because it must know every pair's first contribution. There are two versions of this
pass, because one is several times as fast as the other:

``rows``
    Word by word along the two nodes' bit rows, the straightforward version. Limits are relative to this one.
``columns``
    The transposed words, so that one instruction works on the same word of several partners. The fastest known version.

Both return one array with the counts of all pairs in lexicographic order, 16 bits each.
"""

# mypy: allow-untyped-calls, allow-untyped-decorators
from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from benchmarks.bits import bit_rows, popcount
from topicweave.kernels.jit import njit, prange

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from topicweave.model import Interest

    Words = NDArray[np.uint64]
    Counts = NDArray[np.uint16]

BLOCK = 128  # number of nodes: two blocks of 16-word rows fill 32 kB, the size of a first-level cache


def prepare(interest: Interest, layout: str) -> Words:
    """The words that :func:`count` reads; the time to prepare them is not measured."""
    words = bit_rows(interest)
    return words if layout == "rows" else np.ascontiguousarray(words.T)


def count(words: Words, layout: str) -> Counts:
    """Count the common topics of each pair (0, 1), (0, 2), ..."""
    num_nodes = words.shape[0 if layout == "rows" else 1]
    counts = np.empty(num_nodes * (num_nodes - 1) // 2, dtype=np.uint16)
    _pass(words, num_nodes, layout == "rows", counts)
    return counts


def num_words(num_nodes: int, num_topics: int) -> int:
    """The number of words of 64 topics that a pass processes."""
    return num_nodes * (num_nodes - 1) // 2 * -(-num_topics // 64)


@njit
def _row_of(counts, num_nodes, i):  # type: ignore[no-untyped-def]
    """The counts for node i and each later node."""
    start = i * num_nodes - i * (i + 1) // 2
    return counts[start : start + num_nodes - 1 - i]


@njit
def _count_block_by_rows(words, i_start, i_end, j_start, j_end, counts, num_nodes):  # type: ignore[no-untyped-def]
    for i in range(i_start, i_end):
        row = _row_of(counts, num_nodes, i)
        for j in range(max(i + 1, j_start), j_end):
            common = 0
            for w in range(words.shape[1]):
                common += popcount(words[i, w] & words[j, w])
            row[j - i - 1] = common


@njit
def _count_block_by_columns(words, i_start, i_end, j_start, j_end, counts, num_nodes):  # type: ignore[no-untyped-def]
    common = np.empty(BLOCK, dtype=np.int64)
    num = words.shape[0]
    for i in range(i_start, i_end):
        start = max(i + 1, j_start)
        common[:] = 0
        w = 0
        while w + 8 <= num:  # eight words of node i are kept in registers during a whole pass over its partners
            a0, a1, a2, a3 = words[w, i], words[w + 1, i], words[w + 2, i], words[w + 3, i]
            a4, a5, a6, a7 = words[w + 4, i], words[w + 5, i], words[w + 6, i], words[w + 7, i]
            b0, b1 = words[w, start:j_end], words[w + 1, start:j_end]
            b2, b3 = words[w + 2, start:j_end], words[w + 3, start:j_end]
            b4, b5 = words[w + 4, start:j_end], words[w + 5, start:j_end]
            b6, b7 = words[w + 6, start:j_end], words[w + 7, start:j_end]
            for j in range(j_end - start):
                common[j] += (
                    popcount(a0 & b0[j])
                    + popcount(a1 & b1[j])
                    + popcount(a2 & b2[j])
                    + popcount(a3 & b3[j])
                    + popcount(a4 & b4[j])
                    + popcount(a5 & b5[j])
                    + popcount(a6 & b6[j])
                    + popcount(a7 & b7[j])
                )
            w += 8
        while w < num:
            a0 = words[w, i]
            b0 = words[w, start:j_end]
            for j in range(j_end - start):
                common[j] += popcount(a0 & b0[j])
            w += 1
        row = _row_of(counts, num_nodes, i)[start - i - 1 :]
        for j in range(j_end - start):
            row[j] = common[j]


# Earlier blocks of rows have more partners. So each iteration of the parallel loop takes one block from either end: all
# iterations then cost the same, and the threads finish together. The loop's index is unsigned, hence int64().


@njit(parallel=True)
def _pass(words, num_nodes, by_rows, counts):  # type: ignore[no-untyped-def]
    num_blocks = -(-num_nodes // BLOCK)
    for turn in prange((num_blocks + 1) // 2):
        early, late = np.int64(turn), num_blocks - 1 - np.int64(turn)
        for k in range(1 if early == late else 2):
            start = (early if k == 0 else late) * BLOCK
            end = min(num_nodes, start + BLOCK)
            for j_start in range(start, num_nodes, BLOCK):
                j_end = min(num_nodes, j_start + BLOCK)
                if by_rows:
                    _count_block_by_rows(words, start, end, j_start, j_end, counts, num_nodes)
                else:
                    _count_block_by_columns(words, start, end, j_start, j_end, counts, num_nodes)
