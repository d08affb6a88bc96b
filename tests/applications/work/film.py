"""ffmpeg's filters through OpenCL, on pictures that it makes itself; compared with its filters of the same names without OpenCL."""

import os
import subprocess
import sys

FILTERS = {
    "avgblur": "sizeX=5:sizeY=5",
    "unsharp": "lx=7:ly=7:la=1.5",
    "transpose": "dir=clock",
    "sobel": "scale=1",
    "prewitt": "scale=1",
    "roberts": "scale=1",
    "convolution": "0m='1 2 1 2 4 2 1 2 1':0rdiv=0.0625",
    "dilation": "",
    "erosion": "",
    "nlmeans": "s=3:p=5:r=9",
    "overlay": "x=100:y=60",
}
FRAMES = {"nlmeans": 15}
name, phase = sys.argv[1:]


def command(opencl, frames, size, *output):
    words = ["ffmpeg", "-v", "error", "-nostdin", "-f", "lavfi", "-i", f"testsrc2=size={size}:rate=30"]
    up, down, kind = ("format=yuv420p", "null", "")
    if opencl:
        words += ["-init_hw_device", "opencl=o:0.0", "-filter_hw_device", "o"]
        up, down, kind = ("format=yuv420p,hwupload", "hwdownload,format=yuv420p", "_opencl")
    step = f"{name}{kind}={FILTERS[name]}".rstrip("=")
    if name == "overlay":
        words += ["-f", "lavfi", "-i", "smptebars=size=320x240:rate=30"]
        graph = f"[0]{up}[a];[1]{up}[b];[a][b]{step},{down}"
    else:
        graph = f"[0]{up},{step},{down}"
    return [*words, "-filter_complex", graph, "-frames:v", str(frames), *output]


if phase == "check":
    raw = ("-f", "rawvideo", "-pix_fmt", "yuv420p", "-")
    ours, expected = (subprocess.run(command(opencl, 3, "636x356", *raw), stdout=subprocess.PIPE).stdout for opencl in (True, False))
    if not expected or len(ours) != len(expected):
        sys.exit(f"{len(ours)} bytes came, not {len(expected)}")
    # At the borders, and in how they round, the two differ.
    far = sum(abs(a - b) > 4 for a, b in zip(ours, expected)) / len(expected)
    if far > 0.02:
        sys.exit(f"{far:.1%} of the bytes differ")
else:
    os.execvp("ffmpeg", command(True, FRAMES.get(name, 150), "1280x720", "-f", "null", "-"))
