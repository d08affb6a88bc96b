"""A driver as a process sees it: what leads the loader to it, and where caches are."""

import os
import shutil
from pathlib import Path

DIRECTORY = Path(__file__).resolve().parents[2] / "target/applications"


class Driver:
    def __init__(self, name, registrations, library_path=None):
        self.name = name
        self.registrations = str(Path(registrations).resolve())
        self.library_path = library_path

    def home(self, program):
        letters = "".join(letter if letter.isalnum() else "-" for letter in f"{self.name}-{program.name}")
        return DIRECTORY / "homes" / letters

    def forget(self, program):
        """Empties the home of a program: no cache is left."""
        home = self.home(program)
        shutil.rmtree(home, ignore_errors=True)
        (home / "tmp").mkdir(parents=True)

    def environment(self, program):
        home = self.home(program)
        libraries = [path for path in (program.library_path(), self.library_path, os.environ.get("LD_LIBRARY_PATH")) if path]
        return {
            **os.environ,
            "HOME": str(home),
            "XDG_CACHE_HOME": str(home / "cache"),
            "XDG_DATA_HOME": str(home / "data"),
            "TMPDIR": str(home / "tmp"),
            "BROLGA_CACHE": str(home / "brolga"),
            "POCL_CACHE_DIR": str(home / "pocl"),
            "OCL_ICD_VENDORS": self.registrations,
            "LD_LIBRARY_PATH": ":".join(libraries),
            # Which device the programs are to take: the only one, though it is no GPU.
            "PYOPENCL_CTX": "0",
            "OPENCV_OPENCL_DEVICE": ":CPU:",
            "DEV": "CL",
            "ONEAPI_DEVICE_SELECTOR": "opencl:cpu",
            "PYTHONWARNINGS": "ignore",
            # OpenMP's threads are not to spin while OpenCL's work, nor that to count as work.
            "OMP_WAIT_POLICY": "passive",
            # Not caches of OpenCL: the list of fonts takes seconds.
            "MPLBACKEND": "Agg",
            "MPLCONFIGDIR": str(DIRECTORY / "matplotlib"),
        }
