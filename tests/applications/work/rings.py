"""pyFAI: a picture of rings integrated over their angles, compared with its code for processors."""

import logging

import numpy as np
from pyFAI.detectors import detector_factory
from pyFAI.integrator.azimuthal import AzimuthalIntegrator

from timing import check, steady

logging.disable(logging.WARNING)
detector = detector_factory("Pilatus1M")
integrator = AzimuthalIntegrator(dist=0.2, poni1=0.09, poni2=0.08, detector=detector, wavelength=1e-10)
random = np.random.default_rng(1)
angle = integrator.twoThetaArray(detector.shape)
picture = (1000 + 900 * np.cos(angle * 200) + random.normal(size=detector.shape) * 10).astype(np.float32)

for kind in ("csr", "lut", "histogram"):
    for split in ("bbox",) if kind != "histogram" else ("no",):
        work = lambda: integrator.integrate1d_ng(picture, 1000, unit="2th_deg", method=(split, kind, "opencl"))  # noqa: E731
        expected = integrator.integrate1d_ng(picture, 1000, unit="2th_deg", method=(split, kind, "cython"))
        found = work()
        check(f"1d, {kind}", found.intensity, expected.intensity, 2e-4)
        steady(f"1d, {kind}", work)
found = integrator.integrate2d_ng(picture, 500, 90, unit="2th_deg", method=("bbox", "csr", "opencl"))
expected = integrator.integrate2d_ng(picture, 500, 90, unit="2th_deg", method=("bbox", "csr", "cython"))
check("2d, csr", found.intensity, expected.intensity, 2e-3)
steady("2d, csr", lambda: integrator.integrate2d_ng(picture, 500, 90, unit="2th_deg", method=("bbox", "csr", "opencl")))
clipped = integrator.sigma_clip(picture, 1000, unit="2th_deg", method=("no", "csr", "opencl"), error_model="azimuthal")
expected = integrator.sigma_clip(picture, 1000, unit="2th_deg", method=("no", "csr", "cython"), error_model="azimuthal")
check("sigma clipping", clipped.intensity, expected.intensity, 2e-3)
steady("sigma clipping", lambda: integrator.sigma_clip(picture, 1000, unit="2th_deg", method=("no", "csr", "opencl"), error_model="azimuthal"))
