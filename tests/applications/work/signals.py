"""silx: medians, convolutions, back projection and key points of pictures, compared with SciPy or with what the picture must give."""

import logging

import numpy as np
import scipy.ndimage
from silx.opencl.backprojection import Backprojection
from silx.opencl.convolution import Convolution
from silx.opencl.medfilt import MedianFilter2D
from silx.opencl.projection import Projection
from silx.opencl.sift import SiftPlan

from timing import check, steady

logging.disable(logging.WARNING)
random = np.random.default_rng(1)
N = 512
picture = scipy.ndimage.gaussian_filter(random.random((N, N)), 2).astype(np.float32)
picture = (picture - picture.min()) / (picture.max() - picture.min()) * 255

median = MedianFilter2D((N, N), kernel_size=(5, 5), devicetype="CPU")
found = median.medfilt2d(picture)
check("median", found, scipy.ndimage.median_filter(picture, 5, mode="nearest"), 1e-6)
steady("median", lambda: median.medfilt2d(picture))

weights = np.exp(-(np.linspace(-2, 2, 15) ** 2)).astype(np.float32)
convolution = Convolution((N, N), weights, devicetype="CPU")
expected = scipy.ndimage.convolve(picture.astype(np.float64), np.outer(weights, weights), mode="reflect")
check("convolution", convolution(picture), expected, 1e-4)
steady("convolution", lambda: convolution(picture))

# What is projected and projected back has its mass at the same place.
y, x = np.mgrid[:256, :256]
disc = ((x - 150) ** 2 + (y - 110) ** 2 < 40**2).astype(np.float32)
projection = Projection((256, 256), 180, devicetype="CPU")
sinogram = projection(disc)
check("projection", sinogram.sum(axis=1), np.full(180, disc.sum()), 0.02)
back = Backprojection(sinogram.shape, devicetype="CPU")
result = back(sinogram)
mass = np.clip(result, 0, None) * (result > result.max() / 2)
check("back projection", [(mass * x).sum() / mass.sum(), (mass * y).sum() / mass.sum()], [150, 110], 0.02)
steady("projection", lambda: projection(disc))
steady("back projection", lambda: back(sinogram))

sift = SiftPlan(picture.shape, picture.dtype, devicetype="CPU")
points, again = sift(picture), sift(np.ascontiguousarray(picture[::-1]))
check("number of key points", len(again), len(points), 0.05)
steady("key points", lambda: sift(picture))
