"""VkFFT by pyvkfft: sizes one after the other, as in its systematic test, which itself takes no CPU; compared with SciPy."""

import numpy as np
import pyopencl as cl
import pyopencl.array as cla
import scipy.fft
from pyvkfft.opencl import VkFFTApp

from timing import check, steady

context = cl.create_some_context()
queue = cl.CommandQueue(context)
random = np.random.default_rng(1)


def complex_numbers(*shape):
    return (random.random(shape, dtype=np.float32) + 1j * random.random(shape, dtype=np.float32)).astype(np.complex64)


def waited(value):
    queue.finish()
    return value


for n in [*range(2, 34), 49, 64, 97, 121, 128, 169, 256, 263, 1000, 1024, 2187, 4096, 8192]:
    x = complex_numbers(8, n)
    d = cla.to_device(queue, x)
    app = VkFFTApp(x.shape, x.dtype, queue, ndim=1, inplace=True)
    app.fft(d)
    check(f"c2c of {n}", d.get(), scipy.fft.fft(x, axis=1), 3e-6 * max(1, np.log2(n)))
    app.ifft(d)
    check(f"inverse c2c of {n}", d.get(), x, 3e-6 * max(1, np.log2(n)))
for n in (16, 30, 64, 100, 128):
    x = random.random((4, n, n), dtype=np.float32)
    d = cla.to_device(queue, x)
    half = cla.empty(queue, (4, n, n // 2 + 1), np.complex64)
    VkFFTApp(x.shape, x.dtype, queue, ndim=2, inplace=False, r2c=True).fft(d, half)
    check(f"r2c of {n} by {n}", half.get(), scipy.fft.rfft2(x, axes=(1, 2)), 3e-5)
    d = cla.to_device(queue, x)
    VkFFTApp(x.shape, x.dtype, queue, ndim=1, inplace=True, dct=2).fft(d)
    check(f"dct of {n}", d.get(), scipy.fft.dct(x, axis=2), 3e-5)

for name, shape, ndim in [("2^20", (1, 1 << 20), 1), ("1000 of 1000", (1000, 1000), 1), ("8 of 512 by 512", (8, 512, 512), 2), ("64 by 64 by 64", (64, 64, 64), 3), ("64 of 4093", (64, 4093), 1)]:
    x = complex_numbers(*shape)
    d, e = cla.to_device(queue, x), cla.empty(queue, shape, np.complex64)
    app = VkFFTApp(shape, x.dtype, queue, ndim=ndim, inplace=False)
    app.fft(d, e)
    check(name, e.get(), scipy.fft.fftn(x, axes=range(-ndim, 0)), 1e-4)
    steady(name, lambda: waited(app.fft(d, e)))
