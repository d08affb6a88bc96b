"""OpenCV's functions through OpenCL (cv2.UMat), compared with what it computes without it."""

import sys

import cv2
import numpy as np

from timing import check, steady

cv2.ocl.setUseOpenCL(True)
if not cv2.ocl.useOpenCL():
    sys.exit("OpenCV takes no OpenCL device")
random = np.random.default_rng(1)
colour = cv2.GaussianBlur((random.random((1080, 1920, 3)) * 255).astype(np.uint8), (7, 7), 0)
grey = cv2.cvtColor(colour, cv2.COLOR_BGR2GRAY)
numbers = random.random((512, 512), dtype=np.float32)
matrix = np.float32([[0.9, 0.2, 5], [-0.15, 1.1, 3]])
kernel = np.float32([[1, 2, 1], [0, 1, 0], [-1, -2, -1]]) / 2
square = np.ones((5, 5), np.uint8)


def plain(value):
    return np.asarray(value.get() if isinstance(value, cv2.UMat) else value, dtype=np.float64)


def compare(name, function, *arrays, within=0.02):
    cv2.ocl.setUseOpenCL(False)
    expected = plain(function(*arrays))
    cv2.ocl.setUseOpenCL(True)
    images = [cv2.UMat(array) for array in arrays]
    found = plain(function(*images))
    # A rounding the other way may change what a few pixels are decided to be.
    far = np.abs(found - expected) > within * max(1.0, np.abs(expected).max())
    if far.mean() > 0.002:
        sys.exit(f"{name}: {far.mean():.1%} of the numbers are wrong")

    def work():
        function(*images)
        cv2.ocl.finish()

    steady(name, work, 0.5)


compare("resize", lambda x: cv2.resize(x, (1280, 720), interpolation=cv2.INTER_LINEAR), colour)
compare("resize, area", lambda x: cv2.resize(x, (640, 360), interpolation=cv2.INTER_AREA), colour)
compare("cvtColor, grey", lambda x: cv2.cvtColor(x, cv2.COLOR_BGR2GRAY), colour)
compare("cvtColor, HSV", lambda x: cv2.cvtColor(x, cv2.COLOR_BGR2HSV), colour)
compare("GaussianBlur", lambda x: cv2.GaussianBlur(x, (9, 9), 2), colour)
compare("medianBlur", lambda x: cv2.medianBlur(x, 3), colour)
compare("bilateralFilter", lambda x: cv2.bilateralFilter(x, 5, 30, 30), grey)
compare("filter2D", lambda x: cv2.filter2D(x, -1, kernel), colour)
compare("Sobel", lambda x: cv2.Sobel(x, cv2.CV_32F, 1, 0), grey)
compare("erode", lambda x: cv2.erode(x, square), grey)
compare("warpAffine", lambda x: cv2.warpAffine(x, matrix, (1920, 1080)), colour, within=0.1)
compare("Canny", lambda x: cv2.Canny(x, 50, 120), grey)
compare("equalizeHist", cv2.equalizeHist, grey)
compare("integral", cv2.integral, grey)
compare("matchTemplate", lambda x, y: cv2.matchTemplate(x, y, cv2.TM_CCORR_NORMED), grey[:360, :640].copy(), grey[40:61, 50:73].copy())
compare("optical flow", lambda x, y: cv2.calcOpticalFlowFarneback(x, y, None, 0.5, 3, 15, 3, 5, 1.1, 0), grey[:360, :640].copy(), np.roll(grey, 2, 1)[:360, :640].copy())
compare("denoising", lambda x: cv2.fastNlMeansDenoising(x, None, 10, 5, 11), grey[:180, :320].copy())
compare("dft", lambda x: cv2.dft(x, flags=cv2.DFT_COMPLEX_OUTPUT), numbers, within=1e-4)
compare("gemm", lambda x, y: cv2.gemm(x, y, 1.0, None, 0), numbers, numbers.T.copy(), within=1e-4)
