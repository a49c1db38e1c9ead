"""Asking for memory before it is needed: tables larger than the caches are otherwise waited for, line by line."""

import numba

LINE_BYTES = 64

if numba.config.DISABLE_JIT:

    def prefetch(array, index):
        """Nothing to do for the interpreter."""

else:
    from llvmlite import ir
    from numba.core import cgutils, types
    from numba.extending import intrinsic
    from numba.np.arrayobj import make_array

    @intrinsic
    def prefetch(typing_context, array, index):
        """Ask for the cache line of ``array[index]`` (contiguous, one dimension) and go on."""

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
