"""What the programs of this folder share: the phase, how work is timed, and what a wrong result ends with."""

import sys
import time

PHASE = sys.argv[-1]


def steady(name, work, seconds=1.0):
    """Does the work; in the phase for it, again and again, and says what the least took (by the clock, and of the processor)."""
    work()
    if PHASE != "steady":
        return
    clocks = []
    end = time.perf_counter() + seconds
    while len(clocks) < 3 or (time.perf_counter() < end and len(clocks) < 1000):
        start, processor = time.perf_counter(), time.process_time()
        work()
        clocks.append((time.perf_counter() - start, time.process_time() - processor))
    print("steady", *(f"{min(times):.9f}" for times in zip(*clocks)), name)


def check(name, found, expected, within):
    """Ends the process where numbers are further apart than `within` of the largest one."""
    import numpy as np

    found, expected = np.asarray(found), np.asarray(expected)
    if found.dtype == bool:
        found, expected = found.astype(int), expected.astype(int)
    if found.shape != expected.shape:
        sys.exit(f"{name}: the shape is {found.shape}, not {expected.shape}")
    apart = np.abs(found - expected).max() / max(np.abs(expected).max(), 1e-30)
    if not apart <= within:
        sys.exit(f"{name}: wrong by {apart:.2g} of the largest number")
