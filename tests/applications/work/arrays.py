"""pyopencl's arrays, scans, sort and random numbers, compared with NumPy."""

import numpy as np
import pyopencl as cl
import pyopencl.algorithm
import pyopencl.array as cla
import pyopencl.clmath
import pyopencl.clrandom
import pyopencl.reduction
import pyopencl.scan

from timing import check, steady

context = cl.create_some_context()
queue = cl.CommandQueue(context)
random = np.random.default_rng(1)
N = 1 << 20
a, b = (random.random(N, dtype=np.float32) for _ in range(2))
da, db = (cla.to_device(queue, x) for x in (a, b))
k = random.integers(0, 1 << 30, N, dtype=np.uint32)
dk = cla.to_device(queue, k)


def waited(value):
    queue.finish()
    return value


check("expression", (da * 2 + db / (da + 1)).get(), a * 2 + b / (a + 1), 1e-5)
check("sin", pyopencl.clmath.sin(da).get(), np.sin(a), 1e-5)
check("sum", cla.sum(da).get(), a.sum(dtype=np.float64), 1e-5)
check("dot", cla.dot(da, db).get(), np.dot(a.astype(np.float64), b), 1e-5)
check("maximum", cla.max(da).get(), a.max(), 0)
total = pyopencl.scan.InclusiveScanKernel(context, np.uint32, "a+b", neutral="0")
check("scan", total(dk.copy()).get(), np.cumsum(k, dtype=np.uint32), 0)
sort = pyopencl.algorithm.RadixSort(context, "unsigned *k", "k[i]", ["k"], key_dtype=np.uint32)
check("sort", sort(dk)[0][0].get(), np.sort(k), 0)
found, count, _ = pyopencl.algorithm.copy_if(da, "ary[i] > 0.5f")
check("copy_if", found.get()[: int(count.get())], a[a > 0.5], 0)
generator = pyopencl.clrandom.PhiloxGenerator(context)
mean = generator.uniform(queue, N, np.float32).get().mean(dtype=np.float64)
check("random numbers", mean, 0.5, 0.01)

steady("expression", lambda: waited(da * 2 + db / (da + 1)))
steady("sum", lambda: waited(cla.sum(da)))
steady("dot", lambda: waited(cla.dot(da, db)))
steady("scan", lambda: waited(total(dk.copy())))
steady("sort", lambda: waited(sort(dk)))
steady("copy_if", lambda: waited(pyopencl.algorithm.copy_if(da, "ary[i] > 0.5f")))
steady("random numbers", lambda: waited(generator.uniform(queue, N, np.float32)))
