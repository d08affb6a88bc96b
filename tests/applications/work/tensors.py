"""tinygrad: products, convolutions, an attention and a training step, compared with NumPy."""

import numpy as np
from tinygrad import Context, Device, Tensor, TinyJit, nn

from timing import check, steady

check("device", Device.DEFAULT == "CL", True, 0)
random = np.random.default_rng(1)


def numbers(*shape):
    return random.random(shape, dtype=np.float32) - 0.5


def repeated(name, function, *arrays, expected=None, within=1e-4):
    tensors = [Tensor(array).realize() for array in arrays]
    jitted = TinyJit(lambda *values: function(*values).realize())
    result = jitted(*tensors).numpy()
    if expected is not None:
        check(name, result, expected, within)
    # The second call records, the third is the first that is replayed.
    for _ in range(2):
        check(name, jitted(*tensors).numpy(), result, 1e-5)

    def work():
        jitted(*tensors)
        Device["CL"].synchronize()

    steady(name, work)


a, b = numbers(512, 512), numbers(512, 512)
repeated("product", lambda x, y: x @ y, a, b, expected=a @ b)
image, weights = numbers(4, 8, 64, 64), numbers(16, 8, 3, 3)
windows = np.lib.stride_tricks.sliding_window_view(image, (3, 3), axis=(2, 3))
repeated("convolution", lambda x, w: x.conv2d(w), image, weights, expected=np.einsum("nchwij,ocij->nohw", windows, weights))
q, k, v = (numbers(4, 128, 64) for _ in range(3))
scores = np.exp(q @ k.transpose(0, 2, 1) / 8)
repeated("attention", lambda x, y, z: x.scaled_dot_product_attention(y, z), q, k, v, expected=scores / scores.sum(-1, keepdims=True) @ v)
repeated("sum", lambda x: x.sum(), numbers(1 << 20), within=1e-3)
x = numbers(1024, 1024)
repeated("softmax", lambda x: x.softmax(), x, expected=np.exp(x) / np.exp(x).sum(-1, keepdims=True))
repeated("GELU", lambda x: x.gelu(), x, expected=x * 0.5 * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3))))

# A network learns where a line is.
points = numbers(256, 16)
labels = (points.sum(1) > 0).astype(np.float32)
first, second = Tensor(numbers(16, 64)).realize(), Tensor(numbers(64, 1)).realize()
optimizer = nn.optim.SGD([first, second], lr=0.5)
inputs, targets = Tensor(points).realize(), Tensor(labels).realize()


@TinyJit
def learn():
    loss = (inputs @ first).relu().matmul(second).squeeze(1).binary_crossentropy_logits(targets)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.realize()


with Context(TRAINING=1):
    losses = [learn().item() for _ in range(40)]
    check("what was learnt", losses[-1] < losses[0] * 0.6, True, 0)
    steady("training step", lambda: learn().item())
