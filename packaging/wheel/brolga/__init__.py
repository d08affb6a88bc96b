"""Brolga, an OpenCL driver for CPUs, as a package of Python.

pyopencl's wheel finds the driver by itself: this package puts a registration beside pyopencl's own ICD loader. Other programs are led to it by
``icd_path()``, or by the variables that ``python -m brolga env`` prints.
"""

import os
from pathlib import Path

__all__ = ["__version__", "icd_path", "library_path", "variables"]
__version__ = "@VERSION@"

_HERE = Path(__file__).resolve().parent


def library_path():
    """The driver: the path of ``libbrolga.so``."""
    return str(_HERE / "libbrolga.so")


def icd_path():
    """The path of a registration, ``brolga.icd``, alone in its directory, that holds the driver's absolute path.

    Where the package may not be written to, the registration is put into the user's cache directory.
    """
    wanted = library_path() + "\n"
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    for directory in (_HERE / "vendors", Path(cache) / "brolga-vendors"):
        file = directory / "brolga.icd"
        try:
            if file.read_text() == wanted:
                return str(file)
        except OSError:
            pass
        try:
            directory.mkdir(parents=True, exist_ok=True)
            # By rename: other processes may be reading it.
            new = directory / f"brolga.{os.getpid()}.tmp"
            new.write_text(wanted)
            os.replace(new, file)
        except OSError:
            continue
        return str(file)
    raise OSError(f"neither {_HERE} nor {cache} can be written to")


def variables():
    """The environment variables that lead an ICD loader to this driver, and to no other."""
    return {"OCL_ICD_VENDORS": os.path.dirname(icd_path())}
