"""OpenCV's functions through OpenCL (cv2.UMat), compared with what OpenCV computes without it. Ends with 1 if one differs."""

import sys

import cv2
import numpy as np

cv2.ocl.setUseOpenCL(True)
if not cv2.ocl.useOpenCL():
    sys.exit("OpenCV sees no OpenCL device (OPENCV_OPENCL_DEVICE=:CPU: lets it take a CPU)")
device = cv2.ocl.Device.getDefault()
print(device.name(), device.OpenCLVersion())

random = np.random.default_rng(1)
HEIGHT, WIDTH = 211, 317
wrong = []
count = 0


def picture(kind, channels):
    noise = random.random((HEIGHT, WIDTH, channels), dtype=np.float32)
    noise = noise if kind == "f32" else (noise * 255).astype(np.uint8)
    return cv2.GaussianBlur(noise, (3, 3), 0)


def plain(value):
    return np.asarray(value.get() if isinstance(value, cv2.UMat) else value, dtype=np.float64)


def compare(name, function, *arguments, within):
    """`within` is how far numbers may be apart: as it is if 1 or more, else relative to the largest one."""
    global count
    count += 1
    cv2.ocl.setUseOpenCL(False)
    expected = function(*arguments)
    cv2.ocl.setUseOpenCL(True)
    found = function(*(cv2.UMat(value) if isinstance(value, np.ndarray) else value for value in arguments))
    if not isinstance(expected, (tuple, list)):
        expected, found = (expected,), (found,)
    for a, b in zip(map(plain, expected), map(plain, found)):
        bound = within if within >= 1 else within * max(1.0, np.abs(a).max())
        # A rounding the other way may change what a few pixels are decided to be.
        if a.shape != b.shape or (np.abs(a - b) > bound).mean() > 0.002:
            wrong.append(name)
            print("differs:", name)


AFFINE = np.float32([[0.9, 0.2, 5], [-0.15, 1.1, 3]])
PERSPECTIVE = np.vstack([AFFINE, np.float32([1e-4, 2e-4, 1])])
KERNEL = np.float32([[1, 2, 1], [0, 1, 0], [-1, -2, -1]]) / 2
SQUARE = np.ones((3, 3), np.uint8)
X, Y = np.meshgrid(np.arange(WIDTH, dtype=np.float32), np.arange(HEIGHT, dtype=np.float32))
MAPS = X * 0.93 + Y * 0.1 - 3, Y * 1.05 - X * 0.05 + 2

for kind in ("u8", "f32"):
    exact, near = (1, 8) if kind == "u8" else (1e-4, 2e-2)
    for channels in (1, 3, 4):
        a = picture(kind, channels)
        b = a[::-1].copy()
        what = f"{kind}x{channels}"
        for flag in (cv2.INTER_NEAREST, cv2.INTER_LINEAR, cv2.INTER_CUBIC, cv2.INTER_AREA):
            for size in ((151, 103), (451, 303)):
                compare(f"resize {what} {flag} {size}", lambda x: cv2.resize(x, size, interpolation=flag), a, within=exact)
        for flag in (cv2.INTER_NEAREST, cv2.INTER_LINEAR, cv2.INTER_CUBIC):
            compare(f"warpAffine {what} {flag}", lambda x: cv2.warpAffine(x, AFFINE, (WIDTH, HEIGHT), flags=flag), a, within=near)
            compare(f"warpPerspective {what} {flag}", lambda x: cv2.warpPerspective(x, PERSPECTIVE, (WIDTH, HEIGHT), flags=flag), a, within=near)
        for border in (cv2.BORDER_CONSTANT, cv2.BORDER_REPLICATE, cv2.BORDER_REFLECT_101):
            compare(f"remap {what} {border}", lambda x, p, q: cv2.remap(x, p, q, cv2.INTER_LINEAR, borderMode=border), a, *MAPS, within=near)
        for size, sigma in ((5, 1.2), (11, 2.5)):
            compare(f"GaussianBlur {what} {size}", lambda x: cv2.GaussianBlur(x, (size, size), sigma), a, within=exact)
        compare(f"blur {what}", lambda x: cv2.blur(x, (5, 3)), a, within=exact)
        compare(f"filter2D {what}", lambda x: cv2.filter2D(x, -1, KERNEL), a, within=exact)
        compare(f"Sobel {what}", lambda x: cv2.Sobel(x, cv2.CV_32F, 1, 0), a, within=1e-4)
        compare(f"Laplacian {what}", lambda x: cv2.Laplacian(x, cv2.CV_32F, ksize=3), a, within=1e-4)
        compare(f"medianBlur {what}", lambda x: cv2.medianBlur(x, 3), a, within=exact)
        compare(f"erode {what}", lambda x: cv2.erode(x, SQUARE), a, within=exact)
        compare(f"pyrDown {what}", cv2.pyrDown, a, within=exact)
        compare(f"pyrUp {what}", cv2.pyrUp, a, within=exact)
        compare(f"copyMakeBorder {what}", lambda x: cv2.copyMakeBorder(x, 3, 4, 5, 6, cv2.BORDER_REFLECT), a, within=exact)
        compare(f"threshold {what}", lambda x: cv2.threshold(x, 0.5 if kind == "f32" else 128, 1, cv2.THRESH_BINARY)[1], a, within=exact)
        compare(f"addWeighted {what}", lambda x, y: cv2.addWeighted(x, 0.3, y, 0.6, 1), a, b, within=exact)
        compare(f"flip {what}", lambda x: cv2.flip(x, -1), a, within=exact)
        compare(f"transpose {what}", cv2.transpose, a, within=exact)
        compare(f"meanStdDev {what}", cv2.meanStdDev, a, within=1e-4)
        if channels == 1:
            compare(f"integral {what}", cv2.integral, a, within=1e-4)
        if channels < 4:
            for method in range(6):
                compare(f"matchTemplate {what} {method}", lambda x, y: cv2.matchTemplate(x, y, method), a, a[40:61, 50:73].copy(), within=2e-3)
        if channels == 3:
            for code in ("BGR2GRAY", "BGR2RGB", "BGR2HSV", "BGR2HLS", "BGR2YCrCb", "BGR2YUV", "BGR2XYZ", "BGR2Luv", "BGR2BGRA"):
                compare(f"cvtColor {what} {code}", lambda x: cv2.cvtColor(x, getattr(cv2, "COLOR_" + code)), a, within=2 if kind == "u8" else 2e-3)

a = picture("u8", 1)
b = np.roll(a, 2, 1)
compare("Canny", lambda x: cv2.Canny(x, 50, 120), a, within=1)
compare("adaptiveThreshold", lambda x: cv2.adaptiveThreshold(x, 255, cv2.ADAPTIVE_THRESH_MEAN_C, cv2.THRESH_BINARY, 11, 2), a, within=1)
compare("equalizeHist", cv2.equalizeHist, a, within=1)
compare("CLAHE", cv2.createCLAHE(2.0, (8, 8)).apply, a, within=1)
compare("cornerHarris", lambda x: cv2.cornerHarris(x, 2, 3, 0.04), a, within=1e-4)
compare("fastNlMeansDenoising", lambda x: cv2.fastNlMeansDenoising(x, None, 10, 5, 11), a, within=1)
compare("calcOpticalFlowFarneback", lambda x, y: cv2.calcOpticalFlowFarneback(x, y, None, 0.5, 3, 15, 3, 5, 1.1, 0), a, b, within=0.05)
a = picture("f32", 1)[:128, :128].copy()
compare("dft", lambda x: cv2.dft(x, flags=cv2.DFT_COMPLEX_OUTPUT), a, within=1e-4)
compare("gemm", lambda x, y: cv2.gemm(x, y, 1.0, None, 0), a, a.T.copy(), within=1e-4)
compare("exp", cv2.exp, a, within=1e-5)
print(f"{count} functions, {len(wrong)} differ")
sys.exit(bool(wrong))
