"""dpnp, whose arrays are SYCL's on OpenCL, compared with NumPy."""

import dpnp
import numpy as np

from timing import check, steady

random = np.random.default_rng(1)
a, b = (random.random((1024, 1024), dtype=np.float32) for _ in range(2))
da, db = dpnp.asarray(a), dpnp.asarray(b)
flat, whole = random.random(1 << 20), random.integers(0, 1000, 1 << 20)
dflat, dwhole = dpnp.asarray(flat), dpnp.asarray(whole)

CASES = [
    ("a + b * 2", lambda m, x, y, f, w: x + y * 2),
    ("exp(a)", lambda m, x, y, f, w: m.exp(x)),
    ("sin of doubles", lambda m, x, y, f, w: m.sin(f)),
    ("hypot", lambda m, x, y, f, w: m.hypot(x, y)),
    ("sum", lambda m, x, y, f, w: m.sum(x, axis=0)),
    ("max", lambda m, x, y, f, w: m.max(f)),
    ("cumsum", lambda m, x, y, f, w: m.cumsum(f)),
    ("sort", lambda m, x, y, f, w: m.sort(f)),
    ("argsort", lambda m, x, y, f, w: f[m.argsort(f)]),
    ("unique", lambda m, x, y, f, w: m.unique(w)),
    ("where", lambda m, x, y, f, w: m.where(x > y, x, y)),
    ("mask", lambda m, x, y, f, w: f[f > 0.5]),
    ("transposed copy", lambda m, x, y, f, w: m.ascontiguousarray(x.T)),
    ("product", lambda m, x, y, f, w: x @ y),
]
for name, function in CASES:
    check(name, dpnp.asnumpy(function(dpnp, da, db, dflat, dwhole)), function(np, a, b, flat, whole), 1e-4)

    def work():
        function(dpnp, da, db, dflat, dwhole)
        da.sycl_queue.wait()

    steady(name, work, 0.5)
