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
def fill_bit_rows(indptr, topics, rows):
    """Set bit ``t`` of ``rows[v]`` for every topic ``t`` of node ``v``.

    indptr int64 (n + 1), topics int32 (subscriptions), rows uint64 (n, words), zero on entry.
    """
    for v in range(len(indptr) - 1):
        for s in range(indptr[v], indptr[v + 1]):
            t = topics[s]
            rows[v, t >> 6] |= ONE << np.uint64(t & 63)
