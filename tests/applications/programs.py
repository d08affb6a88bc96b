"""The programs, each a command that gets the phase (check, cold, warm or steady) as its last word."""

import sys
from dataclasses import dataclass
from pathlib import Path

from drivers import DIRECTORY

HERE = Path(__file__).resolve().parent
PLAIN = ("cold", "warm")
ALL = ("cold", "warm", "steady")


@dataclass
class Program:
    name: str
    # A file of work/ and words for it.
    work: tuple
    phases: tuple = ALL
    # What apt installs; what pip installs, and in which environment.
    packages: tuple = ()
    modules: tuple = ()
    place: str = ""

    def command(self, phase):
        python = str(DIRECTORY / self.place / "bin/python") if self.place else sys.executable
        script, *words = self.work
        return [python, str(HERE / "work" / script), *words, phase]

    def library_path(self):
        # DPC++'s runtime is where pip puts it, which its loader does not look into.
        return str(DIRECTORY / "sycl/lib") if self.place == "sycl" else None


def with_pyopencl(name, script, *modules, packages=()):
    return Program(name, (script,), packages=packages, modules=("numpy", "scipy", "mako", "pyopencl", *modules), place="python")


HASHES = {
    "0": "MD5",
    "100": "SHA-1",
    "1400": "SHA-256",
    "1700": "SHA-512",
    "1000": "NTLM",
    "5600": "NetNTLMv2",
    "400": "phpass",
    "500": "md5crypt",
    "1800": "sha512crypt",
    "3200": "bcrypt",
    "13100": "Kerberos 5, TGS-REP",
    "22000": "WPA",
}
ROUTINES = "xaxpy xdot xgemv xger xgemm xsyrk xtrsv xgemmstridedbatched".split()
TUNERS = "xaxpy xdot xger copy_fast transpose_pad invert".split()
FILTERS = "avgblur unsharp transpose sobel prewitt roberts convolution dilation erosion nlmeans overlay".split()

PROGRAMS = [
    *(Program(f"hashcat: {name}", ("crack.py", mode), packages=("hashcat",)) for mode, name in HASHES.items()),
    *(Program(f"CLBlast's test: {name}", ("blas.py", "test", name), PLAIN, packages=("clblast-tests",)) for name in ROUTINES),
    *(Program(f"CLBlast's tuner: {name}", ("blas.py", "tuner", name), PLAIN, packages=("clblast-utils",)) for name in TUNERS),
    *(Program(f"ffmpeg: {name}", ("film.py", name), ("check", *PLAIN), packages=("ffmpeg",)) for name in FILTERS),
    with_pyopencl("pyopencl: arrays", "arrays.py"),
    with_pyopencl("pyvkfft", "transforms.py", "pyvkfft", packages=("g++", "ocl-icd-opencl-dev")),
    Program("OpenCV", ("pictures.py",), modules=("numpy", "opencv-python-headless"), place="python"),
    Program("LightGBM", ("boosting.py",), modules=("numpy", "lightgbm"), place="python"),
    Program("OpenMM", ("molecules.py",), modules=("numpy", "openmm"), place="python"),
    with_pyopencl("pyFAI", "rings.py", "pyfai"),
    with_pyopencl("silx", "signals.py", "silx"),
    Program("tinygrad", ("tensors.py",), modules=("numpy", "tinygrad"), place="python"),
    Program("dpnp", ("sycl_arrays.py",), modules=("dpctl", "dpnp"), place="sycl"),
]
