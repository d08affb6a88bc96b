"""LightGBM's trees, whose histograms are made through OpenCL, compared with those that it makes without."""

import sys
import time

import lightgbm
import numpy as np

from timing import PHASE, check

random = np.random.default_rng(1)
x = random.random((60000, 28), dtype=np.float32)
y = (x[:, 0] * 3 + np.sin(x[:, 1] * 6) + x[:, 2] * x[:, 3] > 2.3).astype(int)
options = dict(objective="binary", verbose=-1, num_leaves=63, max_bin=63, num_threads=2, seed=1)


def train(device, rounds):
    data = lightgbm.Dataset(x, y, params=dict(max_bin=63)).construct()
    start, processor = time.perf_counter(), time.process_time()
    model = lightgbm.train({**options, "device_type": device}, data, rounds)
    return model, time.perf_counter() - start, time.process_time() - processor


if PHASE == "steady":
    # What begins each training, its builds too, is taken off.
    train("gpu", 1)
    (_, *few), (_, *many) = train("gpu", 5), train("gpu", 25)
    print("steady", *(f"{max(b - a, 0) / 20:.9f}" for a, b in zip(few, many)), "a tree")
    sys.exit()
model, *_ = train("gpu", 10)
expected, *_ = train("cpu", 10)
right, wanted = (((m.predict(x) > 0.5) == y).mean() for m in (model, expected))
check("share that is foretold", right, wanted, 0.01)
