//! A kernel in Zig, for the SPIR-V back end of Zig itself, whose library and calling conventions have changed their names with version 0.16.

const std = @import("std");
const is_new = @hasDecl(std, "lang");
const ids = if (is_new) std.spirv else std.gpu;
const Convention = if (is_new) std.lang.CallingConvention else std.builtin.CallingConvention;
const kernel: Convention = if (is_new) .{ .spirv_kernel = .{ .x = 8, .y = 1, .z = 1 } } else .spirv_kernel;

const Pair = struct { a: u32, b: u32 };

fn steps(start: u32) Pair {
    var pair: Pair = .{ .a = start, .b = 0 };
    while (pair.a != 1) : (pair.b += 1) {
        pair.a = if (pair.a % 2 == 0) pair.a / 2 else 3 * pair.a + 1;
    }
    return pair;
}

export fn collatz(out: [*]addrspace(.global) u32, n: u32) callconv(kernel) void {
    const i = ids.global_invocation_id[0];
    if (i < n) out[i] = steps(out[i]).b;
}
