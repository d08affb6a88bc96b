"""pyopencl's demo: the sum of two arrays on the driver, compared with numpy's."""

import numpy as np
import pyopencl as cl

platform = next(platform for platform in cl.get_platforms() if platform.name == "Brolga")
device = platform.get_devices()[0]
context = cl.Context([device])
queue = cl.CommandQueue(context)
rng = np.random.default_rng(1)
a, b = (rng.random(50000, dtype=np.float32) for _ in range(2))
flags = cl.mem_flags
inputs = [cl.Buffer(context, flags.READ_ONLY | flags.COPY_HOST_PTR, hostbuf=array) for array in (a, b)]
output = cl.Buffer(context, flags.WRITE_ONLY, a.nbytes)
if device.compiler_available:
    program = cl.Program(context, """
        __kernel void sum(__global const float *a, __global const float *b, __global float *result) {
            int i = get_global_id(0);
            result[i] = a[i] + b[i];
        }""").build()
    program.sum(queue, a.shape, None, *inputs, output)
else:
    # Without a compiler for OpenCL C, commands that need no kernel are what there is to see.
    print("no compiler for OpenCL C: no kernel was run")
    cl.enqueue_copy(queue, output, a + b)
result = np.empty_like(a)
cl.enqueue_copy(queue, result, output)
assert np.array_equal(result, a + b)
print(f"pyopencl {cl.VERSION_TEXT} on {platform.version}, {device.name}: right")
