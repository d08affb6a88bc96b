"""Times small kernels of patterns that programs have, on drivers beside each other, and compares what they compute.

    python3 tests/patterns.py OURS.icd PEER.icd... [-- size_t] [-- FORM] [-- NAME...]

Needs pyopencl and numpy. The kernels are in `tests/patterns`. The type of their indices is `int`, or, where asked, `uint`, `long` or `size_t`; forms in which
programs write such kernels as well (`odd`, `grid`, `swapped`, `groups`, `flat`) are in `pattern_forms.py`. A name stands for all kernels that have it in theirs.
The drivers are loaded into one process, with one thread each, and take turns; figures are processor time, the least of five. The table has the ratio of the best
peer's time to ours, and microseconds a launch; rows are sorted by the ratio, the least first. Results are compared with those of the first driver, to a
hundredth.
"""

import math
import os
import pathlib
import re
import sys
import tempfile
import time
import warnings

from pattern_forms import FORMS, plain

HERE = pathlib.Path(__file__).parent / "patterns"
TYPES = dict(char="i1", uchar="u1", short="i2", ushort="u2", half="f2", int="i4", uint="u4", float="f4", long="i8", ulong="u8", double="f8")
INDICES = ("int", "uint", "long", "size_t")
# Atomic counters and writes to one place, of which any may be the last.
ANY_RESULT = ("stream compaction", "scatter")
# Seconds that the launches of one measurement take, about.
MEASURED = 0.006


def kernels(form):
    """Each kernel in a form: its name, source, work-items, group or none, arguments, and type or none."""
    for path in sorted(HERE.glob("*.cl")):
        for text in re.split(r"\n\n(?=// )", path.read_text())[1:]:
            title, launch, source = text.split("\n", 2)
            name, _, types = title[3:].partition(", for ")
            items, *arguments = launch[3:].split("; ")
            items, _, group = items.removeprefix("items ").partition(" in groups of ")
            items, group = (tuple(map(int, size.split(" x "))) if size else None for size in (items, group))
            if not (formed := form(source, items, group)):
                continue
            source, items, group, more = formed
            for kind in types.split() or [None]:
                yield f"{name} {kind}" if kind else name, source, items, group, arguments + more, kind


def argument(text, parameter, kind, generator):
    """The value of an argument as it is written: a number, or the array that a buffer has, and whether the kernel changes it."""
    if match := re.fullmatch(r"\w+ = (\S+)", text):
        of = next((name for name in re.findall(r"\w+", parameter) if name in TYPES or name == "T"), "int")
        return numpy.dtype(TYPES[kind if of == "T" else of]).type(float(match[1]) if "." in match[1] else int(match[1])), False
    elem, count, how = re.fullmatch(r"\w+: (\w+)\[(\d+)\] (.*)", text).groups()
    elem = kind if elem == "T" else elem
    scalar = elem.rstrip("0123456789")
    elem, count = numpy.dtype(TYPES[scalar]), int(count) * int(elem[len(scalar) :] or 1)
    how, changed = how.removesuffix(", changed"), how.endswith(", changed")
    if how == "of zeros":
        data = numpy.zeros(count, elem)
    elif match := re.fullmatch(r"by steps of (\d+)", how):
        data = (numpy.arange(count) * int(match[1])).astype(elem)
    elif match := re.fullmatch(r"of chains of (\d+)", how):
        data = numpy.arange(count) + 1
        data[int(match[1]) - 1 :: int(match[1])] = -1
        data = data.astype(elem)
    else:
        low, high = re.fullmatch(r"from (\S+) to (\S+)", how).groups()
        if elem.kind == "f":
            data = (generator.random(count) * (float(high) - float(low)) + float(low)).astype(elem)
        else:
            data = generator.integers(int(float(low)), int(float(high)), count, dtype=numpy.int64).astype(elem)
    return data, changed


class Driver:
    """A driver's device, and a kernel on it."""

    def __init__(self, platform):
        self.name = platform.name
        self.context = cl.Context([platform.get_devices()[0]])
        self.queue = cl.CommandQueue(self.context)

    def prepare(self, source, options, items, group, arguments):
        flags = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR
        values = [cl.Buffer(self.context, flags, hostbuf=value) if value.ndim else value for value, _ in arguments]
        self.kernel = cl.Program(self.context, source).build(options).k
        self.kernel.set_args(*values)
        self.items, self.group = items, group
        self.run(1)
        self.results = []
        for value, (data, changed) in zip(values, arguments):
            if changed:
                self.results.append(numpy.empty_like(data))
                cl.enqueue_copy(self.queue, self.results[-1], value)
        self.keep = values

    def run(self, launches):
        """Seconds of processor time a launch."""
        start = time.process_time()
        for _ in range(launches):
            cl.enqueue_nd_range_kernel(self.queue, self.kernel, self.items, self.group)
        self.queue.finish()
        return (time.process_time() - start) / launches


def measure(drivers, name, source, items, group, texts, kind, index):
    """Microseconds a launch by driver; None where one refuses the kernel."""
    parameters = re.search(r"kernel void k\((.*?)\)\n", source, re.S)[1].split(",")
    # The same numbers for each kernel.
    generator = numpy.random.default_rng(1)
    arguments = [argument(text, parameter, kind, generator) for text, parameter in zip(texts, parameters)]
    options = ["-cl-std=CL3.0", f"-DI={index}"] + ([f"-DT={kind}"] if kind else [])
    live = []
    for driver in drivers:
        try:
            driver.prepare(source, options, items, group, arguments)
            live.append(driver)
        except cl.Error as error:
            print(f"{name}: {driver.name}: {str(error).splitlines()[0]}", file=sys.stderr)
    for driver in live[1:]:
        pairs = zip(live[0].results, driver.results)
        same = all(numpy.allclose(a.astype("f8"), b.astype("f8"), 1e-2, 1e-3, equal_nan=True) for a, b in pairs)
        if not same and not name.startswith(ANY_RESULT):
            print(f"{name}: {driver.name} computes something else than {live[0].name}", file=sys.stderr)
    counts = [max(2, min(2000, int(MEASURED / max(driver.run(2), 1e-6)))) for driver in live]
    least = dict.fromkeys(live, math.inf)
    for _ in range(5):
        for driver, count in zip(live, counts):
            least[driver] = min(least[driver], driver.run(count) * 1e6)
    return [least.get(driver) for driver in drivers]


def main():
    files, *rest = " ".join(sys.argv[1:]).split(" -- ") if len(sys.argv) > 1 else [""]
    index = next((word for word in rest if word in INDICES), "int")
    form = next((FORMS[word] for word in rest if word in FORMS), plain)
    words = [word for word in rest if word not in INDICES and word not in FORMS]
    files = files.split()
    if not files:
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory() as vendors:
        for number, file in enumerate(files):
            pathlib.Path(vendors, f"{number}.icd").write_text(pathlib.Path(file).read_text())
        os.environ.update(OCL_ICD_VENDORS=vendors, BROLGA_CACHE="0", PYOPENCL_NO_CACHE="1", POCL_KERNEL_CACHE="0", CL_CACHE_DISABLE="1")
        os.environ.update(BROLGA_THREADS="1", POCL_MAX_PTHREAD_COUNT="1")
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
        global cl, numpy
        import numpy
        import pyopencl as cl

        warnings.simplefilter("ignore")

        # The loader may list them in any order.
        drivers = sorted((Driver(platform) for platform in cl.get_platforms()), key=lambda driver: driver.name != "Brolga")
    print(*(driver.name for driver in drivers), sep=", ")
    rows = []
    for name, source, items, group, texts, kind in kernels(form):
        if not words or any(word in name for word in words):
            times = measure(drivers, name, source, items, group, texts, kind, index)
            if times[0] is not None and any(times[1:]):
                rows.append((min(filter(None, times[1:])) / times[0], name, times))
    if not rows:
        sys.exit("nothing to compare: no kernel's name has one of these words, or no other driver ran it")
    for ratio, name, times in sorted(rows):
        print(f"{ratio:5.2f}  {name:32}", *(f"{one:9.1f}" if one else f"{'-':>9}" for one in times))
    for at, driver in enumerate(drivers[1:], 1):
        ratios = [times[at] / times[0] for _, _, times in rows if times[at]]
        mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
        print(f"{driver.name}: {mean:.2f} of {len(ratios)}, {sum(ratio < 0.95 for ratio in ratios)} below 0.95")
    print(f"the best of them: {math.exp(sum(math.log(ratio) for ratio, _, _ in rows) / len(rows)):.2f}")
    sys.stdout.flush()
    # Some drivers do not end in good order.
    os._exit(0)


main()
