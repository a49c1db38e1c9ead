"""Bit rows: one bit per (node, topic), 64 topics to a machine word."""

import numba
import numpy as np
from numba.core import types
from numba.extending import intrinsic

from topicweave.kernels.jit import njit

if numba.config.DISABLE_JIT:

    def popcount(word):
        return int(word).bit_count()

else:

    @intrinsic
    def popcount(typing_context, word):
        """Count the bits set in a 64-bit word: one machine instruction, which LLVM also vectorises."""

        def codegen(context, builder, signature, arguments):
            return builder.ctpop(arguments[0])

        return types.int64(types.uint64), codegen


ONE = np.uint64(1)


@njit
def fill_bit_rows(indptr, topics, rows, first):
    """Set bit ``t`` of ``rows[v, 0]`` and ``rows[v, 1]`` for every topic ``t`` of node ``v``.

    indptr int64 (n + 1), topics int32 (subscriptions), rising for each node; rows uint64 (n, 2, words);
    first int32 (n, words): gets the place in topics where each word begins.
    """
    for v in range(len(indptr) - 1):
        s = indptr[v]
        for w in range(rows.shape[2]):
            first[v, w] = s
            word = np.uint64(0)
            while s < indptr[v + 1] and topics[s] >> 6 == w:
                word |= ONE << np.uint64(topics[s] & 63)
                s += 1
            rows[v, 0, w] = word
            rows[v, 1, w] = word
