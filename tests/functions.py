"""Times each built-in function of numbers of OpenCL C, in each type, on drivers beside each other.

    python3 tests/functions.py OURS.icd PEER.icd... [-- NAME...]

Needs pyopencl and numpy. A name is that of a function (`pow`) or of one in a type (`pow.double`). Each driver runs in a process of its own, on one
processor, and all figures are processor time: the least of seven, so that other programs disturb them little. Results are not looked at: the tests of
`compiler/builtins` and the CTS do that. The table has nanoseconds an evaluation, the ratio to the best of the others, and the milliseconds of the first
call, from source on. Rows are sorted by the ratio, the least first.
"""

import json
import math
import os
import subprocess
import sys
import time

ITEMS, ROUNDS, GROUP = 8192, 32, 256

UNARY = """acos acosh acospi asin asinh asinpi atan atanh atanpi cbrt ceil cos cosh cospi erf erfc exp exp2 exp10 expm1 fabs floor lgamma log log2 log10
log1p logb rint round rsqrt sin sinh sinpi sqrt tan tanh tanpi tgamma trunc degrees radians sign""".split()
BINARY = "atan2 atan2pi copysign fdim fmax fmin fmod hypot maxmag minmag nextafter pow powr remainder step".split()
LESS_EXACT = "cos exp exp2 exp10 log log2 log10 recip rsqrt sin sqrt tan".split()

# Of the first operand; others are from -8 to 8.
RANGES = {
    **dict.fromkeys("acos acospi asin asinpi atanh".split(), (-0.9, 0.9)),
    **dict.fromkeys("log log2 log10 sqrt rsqrt".split(), (0.1, 50)),
    **dict.fromkeys("pow powr pown rootn".split(), (0.1, 9)),
    "acosh": (1, 9),
    "log1p": (-0.5, 50),
    "tgamma": (0.5, 9),
    "lgamma": (0.5, 20),
}

FLOATS = {
    **{name: f"{name}(x)" for name in UNARY},
    **{name: f"{name}(x, y)" for name in BINARY},
    "ldexp": "ldexp(x, k)",
    "pown": "pown(x, k)",
    "rootn": "rootn(x, k + 9)",
    "sincos": "two_sincos(x)",
    "fract": "two_fract(x)",
    "modf": "two_modf(x)",
    "frexp": "two_frexp(x)",
    "remquo": "two_remquo(x, y)",
    "ilogb": "(T)ilogb(x)",
    "fma": "fma(x, y, x)",
    "mix": "mix(x, y, (T)0.3)",
    "smoothstep": "smoothstep((T)-1, (T)3, x)",
    "clamp": "clamp(x, (T)-1, (T)3)",
    "x / y": "x / y",
    "convert_int": "(T)convert_int(x)",
    "convert_int_rte": "(T)convert_int_rte(x)",
    "convert_char_sat": "(T)convert_char_sat(x)",
    "dot, 4": "dot((T4)(x, y, x, y), (T4)(y, x, x, y))",
    "cross, 4": "cross((T4)(x, y, x, 0), (T4)(y, x, 1, 0)).x",
    "length, 3": "length((T3)(x, y, x))",
    "distance, 4": "distance((T4)(x, y, x, y), (T4)(y))",
    "normalize, 4": "normalize((T4)(x, y, x, y)).x",
}
SINGLE = {
    **{f"{kind}_{name}": f"{kind}_{name}(x)" for kind in ("native", "half") for name in LESS_EXACT},
    **{f"{kind}_{name}": f"{kind}_{name}(x, y)" for kind in ("native", "half") for name in ("divide", "powr")},
}
INTEGERS = {
    **{name: f"{name}(x, y)" for name in "add_sat sub_sat mul_hi rotate hadd rhadd min max".split()},
    **{name: f"{name}(x, y, x)" for name in "mad_hi mad_sat".split()},
    **{name: f"{name}(x)" for name in "clz popcount".split()},
    "abs_diff": "(T)abs_diff(x, y)",
    "clamp": "clamp(x, (T)3, (T)(y | (T)3))",
    "x * y": "x * y",
    "x / y": "x / (T)(y | (T)1)",
    "x % y": "x % (T)(y | (T)1)",
    "x << y": "x << y",
    "x >> y": "x >> y",
    "convert_float": "(T)((float)x * 0.5f)",
}
OF_32_BITS = {"mad24": "mad24(x & 0xffff, y & 0xffff, x)", "mul24": "mul24(x & 0xffff, y & 0xffff)"}

TWO_RESULTS = """
T two_sincos(T x) { T c, s = sincos(x, &c); return s + c; }
T two_fract(T x) { T c, s = fract(x, &c); return s + c; }
T two_modf(T x) { T c, s = modf(x, &c); return s + c; }
T two_frexp(T x) { int k; T s = frexp(x, &k); return s + (T)k; }
T two_remquo(T x, T y) { int k; T s = remquo(x, y, &k); return s + (T)k; }
"""
HEAD = """
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#define T {0}
#define T3 {0}3
#define T4 {0}4
"""
KERNEL = """
kernel void k(global const T *restrict a, global const T *restrict b, global T *restrict o) {{
    size_t i = get_global_id(0);
    T x = a[i], y = b[i], s = 0;
    int k = (int)(i & 7) - 3;
    for (int j = 0; j < {rounds}; j++) {{
        s {combine}= {call};
        {next}
    }}
    o[i] = s;
}}
"""


def cases():
    """(function, type, its kernel's source, the range of x or none)."""
    for kind in ("float", "double", "half"):
        for name, call in {**FLOATS, **(SINGLE if kind == "float" else {})}.items():
            low, high = RANGES.get(name, (0.1, 8) if name in SINGLE else (-8, 8))
            # x and y go slowly to the middle of their ranges.
            step = f"x = x * (T)0.984375f + (T){(low + high) / 2 / 64}f; y = y * (T)0.984375f + (T)0.02f;"
            kernel = KERNEL.format(rounds=ROUNDS, combine="+", call=call, next=step)
            yield name, kind, HEAD.format(kind) + TWO_RESULTS + kernel, (low, high)
    for kind in ("char", "uchar", "short", "ushort", "int", "uint", "long", "ulong"):
        for name, call in {**INTEGERS, **(OF_32_BITS if kind in ("int", "uint") else {})}.items():
            step = "x = (T)(x * (T)5 + (T)77); y = (T)(y + (T)3);"
            yield name, kind, HEAD.format(kind) + KERNEL.format(rounds=ROUNDS, combine="^", call=call, next=step), None


def measure(names):
    """Prints {function.type: [nanoseconds an evaluation, milliseconds of the first call]} of the first device."""
    import numpy as np
    import pyopencl as cl

    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    context = cl.Context([cl.get_platforms()[0].get_devices()[0]])
    queue = cl.CommandQueue(context)
    kinds = dict(float="f4", double="f8", half="f2", char="i1", uchar="u1", short="i2", ushort="u2", int="i4", uint="u4", long="i8", ulong="u8")
    flags = cl.mem_flags
    found = {}
    for name, kind, source, span in cases():
        key = f"{name}.{kind}"
        if names and not {name, key} & set(names):
            continue
        random = np.random.default_rng(1)
        dtype = np.dtype(kinds[kind])
        if span:
            a = (random.random(ITEMS) * (span[1] - span[0]) + span[0]).astype(dtype)
            b = (random.random(ITEMS) * 4 + 0.5).astype(dtype)
        else:
            a, b = (random.integers(0, 256, ITEMS * dtype.itemsize, np.uint8).view(dtype) for _ in range(2))
        start = time.process_time()
        try:
            kernel = cl.Program(context, source).build().k
        except cl.Error:
            # Not all drivers have all of them.
            continue
        inputs = [cl.Buffer(context, flags.READ_ONLY | flags.COPY_HOST_PTR, hostbuf=data) for data in (a, b)]
        output = cl.Buffer(context, flags.WRITE_ONLY, a.nbytes)
        kernel.set_args(*inputs, output)

        def run(launches):
            start = time.process_time()
            for _ in range(launches):
                cl.enqueue_nd_range_kernel(queue, kernel, (ITEMS,), (GROUP,))
            queue.finish()
            return (time.process_time() - start) / launches

        run(1)
        first = time.process_time() - start
        launches = max(2, min(400, int(0.012 / max(run(2), 1e-6))))
        least = min(run(launches) for _ in range(7))
        found[key] = [least / (ITEMS * ROUNDS) * 1e9, first * 1e3]
    json.dump(found, sys.stdout)


def measured(registration, names):
    caches = dict(BROLGA_CACHE="0", PYOPENCL_NO_CACHE="1", POCL_KERNEL_CACHE="0", CL_CACHE_DISABLE="1", PYTHONWARNINGS="ignore")
    environment = {**os.environ, **caches, "OCL_ICD_VENDORS": os.path.abspath(registration)}
    command = [sys.executable, __file__, "--measure", *names]
    return json.loads(subprocess.run(command, env=environment, stdout=subprocess.PIPE, check=True).stdout)


def mean(ratios):
    return math.exp(sum(map(math.log, ratios)) / len(ratios))


def compare(registrations, names):
    ours, *peers = [measured(registration, names) for registration in registrations]
    rows = []
    for key, (time_taken, first) in ours.items():
        others = [peer[key][0] if key in peer else math.nan for peer in peers]
        best = min((other for other in others if other == other), default=math.nan)
        rows.append((best / time_taken, key, time_taken, others, first))
    rows.sort(key=lambda row: row[0] if row[0] == row[0] else math.inf)
    for ratio, key, time_taken, others, first in rows:
        print(f"{key:26} {time_taken:8.3f} ns", *(f"{other:8.3f}" for other in others), f"{ratio:6.2f}  first call {first:6.1f} ms")
    for registration, peer in zip(registrations[1:], peers):
        both = [(peer[key], ours[key]) for key in ours if key in peer]
        calls, firsts = ([theirs[n] / own[n] for theirs, own in both] for n in range(2))
        below = sum(ratio < 1 for ratio in calls)
        print(f"{registration}: {len(both)} rows, {mean(calls):.2f} times as fast, {below} below 1; first calls {mean(firsts):.1f} times as fast")


def main():
    arguments = sys.argv[1:]
    if arguments[:1] == ["--measure"]:
        measure(arguments[1:])
        return
    split = arguments.index("--") if "--" in arguments else len(arguments)
    if not arguments[:split]:
        sys.exit(__doc__)
    compare(arguments[:split], arguments[split + 1 :])


main()
