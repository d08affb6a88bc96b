"""The command ``brolga``: its work is a function of the driver's library, so that the compiler is in the wheel once."""

import ctypes
import os
import signal
import sys

from . import library_path


def run(arguments):
    """Runs the command with these arguments and gives its exit code."""
    line = [b"brolga", *map(os.fsencode, arguments)]
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    function = ctypes.CDLL(library_path()).brolga_main
    function.argtypes = [ctypes.c_int, ctypes.POINTER(ctypes.c_char_p)]
    function.restype = ctypes.c_int
    return function(len(line), (ctypes.c_char_p * (len(line) + 1))(*line, None))


def main():
    sys.exit(run(sys.argv[1:]))
