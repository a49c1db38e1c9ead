"""What numba cannot express is written as LLVM intrinsics: bits of 64-bit words, prefetching, a work counter shared by
threads.

Each function is written twice: in plain Python for ``NUMBA_DISABLE_JIT=1``, and as an intrinsic for compiled code.
"""

import numba
import numpy as np
from numba.core import types
from numba.extending import intrinsic

from topicweave.kernels.jit import njit

ONE = np.uint64(1)
AT_A_TIME = 8  # how many bits are listed at a time: most words have fewer set, so that few branches are mispredicted
LINE_BYTES = 64  # size of a cache line in bytes

if numba.config.DISABLE_JIT:

    def popcount(word):
        return int(word).bit_count()

    def lowest(word):
        return np.uint64((int(word) & -int(word)).bit_length() - 1 if word else 64)

    def without_lowest(word):
        return np.uint64(int(word) & (int(word) - 1)) if word else word

    def at_least(array, first, least):
        return np.uint64(sum(int(array[int(first) + i] >= least) << i for i in range(64)))

    def prefetch(array, index):
        """Does nothing: plain Python code does not need prefetching."""

    def take_next(counter):
        counter[0] += 1
        return int(counter[0]) - 1

else:
    from llvmlite import ir
    from numba.core import cgutils
    from numba.np.arrayobj import make_array

    @intrinsic
    def popcount(typing_context, word):
        """Count the bits set in a 64-bit word: one machine instruction, which LLVM also vectorises."""

        def codegen(context, builder, signature, arguments):
            return builder.ctpop(arguments[0])

        return types.int64(types.uint64), codegen

    @intrinsic
    def lowest(typing_context, word):
        """The position of the lowest bit set in a 64-bit word; 64 if none is set."""

        def codegen(context, builder, signature, arguments):
            return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 0))

        return types.uint64(types.uint64), codegen

    @njit(forceinline=True)
    def without_lowest(word):
        """The word without its lowest set bit."""
        return word & (word - ONE)

    @intrinsic
    def at_least(typing_context, array, first, least):
        """A word with one bit for each of 64 elements from ``first`` on, set if the element is ``least`` or more.

        array (unsigned, contiguous, one-dimensional) must have that many elements. LLVM turns this into a few vector
        comparisons, which it does not do for a loop over the bits.
        """

        def codegen(context, builder, signature, arguments):
            kind = signature.args[0].dtype
            view = make_array(signature.args[0])(context, builder, arguments[0])
            elements, numbers = (ir.VectorType(each, 64) for each in (context.get_value_type(kind), ir.IntType(32)))
            place = builder.bitcast(builder.gep(view.data, [arguments[1]]), elements.as_pointer())
            undefined = ir.Constant(elements, ir.Undefined)
            first_of_least = builder.insert_element(undefined, arguments[2], ir.Constant(ir.IntType(32), 0))
            all_least = builder.shuffle_vector(first_of_least, undefined, ir.Constant(numbers, [0] * 64))
            reaches = builder.icmp_unsigned(">=", builder.load(place, align=kind.bitwidth // 8), all_least)
            return builder.bitcast(reaches, ir.IntType(64))

        return types.uint64(array, types.uint64, array.dtype), codegen

    @intrinsic
    def prefetch(typing_context, array, index):
        """Ask the processor to load the cache line of ``array[index]`` (contiguous, one-dimensional) in advance."""

        def codegen(context, builder, signature, arguments):
            number, for_reading, keep, data = ir.IntType(32), 0, 3, 1
            view = make_array(signature.args[0])(context, builder, arguments[0])
            place = builder.gep(view.data, [arguments[1]])
            kind = ir.FunctionType(ir.VoidType(), [cgutils.voidptr_t, number, number, number])
            ask = builder.module.declare_intrinsic("llvm.prefetch", [cgutils.voidptr_t], kind)
            constants = [ir.Constant(number, value) for value in (for_reading, keep, data)]
            builder.call(ask, [builder.bitcast(place, cgutils.voidptr_t), *constants])
            return context.get_dummy_value()

        return types.void(array, types.intp), codegen

    @intrinsic
    def take_next(typing_context, counter):
        """Take the next piece of work: returns ``counter[0]`` (int64, from 0) and increases it by 1, safely between
        threads.

        Whichever thread is free takes the next piece, because with shares of equal size all would wait for the slowest
        core. The array must come from outside the parallel function: numba may assume that an array made inside never
        changes.
        """

        def codegen(context, builder, signature, arguments):
            place = make_array(signature.args[0])(context, builder, arguments[0]).data
            return builder.atomic_rmw("add", place, ir.Constant(ir.IntType(64), 1), "monotonic")

        return types.int64(counter), codegen


@njit(forceinline=True)
def list_bits(word, base, listed, count):
    """Append to a list the position of each bit that is set in a word, plus ``base``; return the new length.

    All arguments are unsigned. listed has space for AT_A_TIME more.
    """
    end = count + np.uint64(popcount(word))
    while count < end:
        for i in range(AT_A_TIME):  # entries beyond the count are overwritten later
            listed[count + np.uint64(i)] = base + lowest(word)
            word = without_lowest(word)
        count += np.uint64(AT_A_TIME)
    return end
