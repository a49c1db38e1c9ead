"""Work taken piece by piece: whichever thread is free takes the next.

Shares of equal size would be as slow as the slowest core: one that other programs use as well, or that was built to
save power.
"""

import numba

if numba.config.DISABLE_JIT:

    def next_turn(turn):
        turn[0] += 1
        return int(turn[0]) - 1

else:
    from llvmlite import ir
    from numba.core import types
    from numba.extending import intrinsic
    from numba.np.arrayobj import make_array

    @intrinsic
    def next_turn(typing_context, turn):
        """The number of the next piece, from 0: what ``turn[0]`` (int64) holds, raised for the next to come.

        The array comes from outside the parallel function: of one made inside numba may believe that it never changes.
        """

        def codegen(context, builder, signature, arguments):
            counter = make_array(signature.args[0])(context, builder, arguments[0]).data
            return builder.atomic_rmw("add", counter, ir.Constant(ir.IntType(64), 1), "monotonic")

        return types.int64(turn), codegen
