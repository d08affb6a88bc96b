#!/usr/bin/env python3
"""Runs a built OpenCL conformance test suite on the driver, and says what came of it.

    tests/conformance.py CTS [--full] [--target NAME]… [--only REGEX] [--skip REGEX] [--limit SECONDS] [--test-limit SECONDS] [--launcher COMMAND] [--compare DIR] [--table]

CTS is the suite's build directory, or the source directory that has `build` in it. Each line of the suite's list of tests
(`opencl_conformance_tests_full.csv`) is run in processes of its own, through the system's loader, once for each code generator
(`--target`, the values of BROLGA_TARGET; none is what the machine gets by default). What a line gave is in
`target/conformance/MODE/TARGET/LINE.json`, with the output beside it, so a run that was interrupted goes on where it was. Lines whose
results were given by another build of the library are run again.

A line may take `--limit` seconds of processor time, and a test of it `--test-limit`: the same work passes on a busy machine. A test that uses no
processor for `--stall` seconds has hung. A test that crashes, hangs or takes longer is recorded as such, and the line goes on with the tests that
follow it. Tests that nothing was said of, since the line's time was up or the program left them out, are recorded as `unknown`.

`--launcher` is a command that runs the programs, for instance an emulator of the processor that suite and library were built for
(`--launcher "qemu-aarch64 -cpu cortex-a72"`).

`--compare` names an earlier run's directory (`target/conformance/MODE/TARGET`, moved elsewhere) and lists the tests that differ. `--table` runs nothing
and prints the table of what is recorded. The exit code is 1 where a test fails, crashes, or is worse than in the run that it is compared with.
"""

import argparse
import hashlib
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# What can come of a test, in the order of the table's columns.
OUTCOMES = ["pass", "fail", "skip", "crash", "timeout", "unknown"]
BAD = {"fail", "crash"}
# Programs whose own arguments' parser drops their name, so that the first argument stands for it and is not seen.
NAMELESS = {"test_non_uniform_work_group"}
# How the harness says what came of a test, in the lines of its output.
ENDS = {"passed": "pass", "FAILED": "fail", "skipped": "skip"}


def lines_of(cts):
    """The list of tests: a name and a command line each. Lines for one kind of device carry it in front."""
    for line in (cts / "test_conformance/opencl_conformance_tests_full.csv").read_text().splitlines():
        fields = [field.strip() for field in line.split(",")]
        if line.startswith("#") or len(fields) < 2:
            continue
        if fields[0].startswith("CL_DEVICE_TYPE_"):
            if fields[0] != "CL_DEVICE_TYPE_CPU":
                continue
            fields = fields[1:]
        yield fields[0], fields[1].split()


def file_name(name):
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")


def tests_of(program, environment, launcher):
    """The names of a program's tests, in the order in which it runs them."""
    output = subprocess.run([*launcher, program, "--list"], env=environment, capture_output=True, text=True, timeout=60).stdout
    names = []
    for line in output.splitlines():
        word = line.strip()
        if re.fullmatch(r"[0-9]*[A-Za-z_][A-Za-z0-9_*+<>=!&|/%^~-]*", word) and word not in names:
            names.append(word)
    return names


def said(output, names):
    """Which tests the output says to have ended, and which one it says to have begun last."""
    ended, begun = {}, None
    known = set(names)
    for line in output.splitlines():
        words = line.split()
        if len(words) >= 2 and words[0] in known and words[1] in ENDS:
            ended[words[0]] = ENDS[words[1]]
        elif len(words) == 1 and words[0].removesuffix("...") in known and words[0].endswith("..."):
            begun = words[0].removesuffix("...")
    return ended, begun if begun not in ended else None


def processor_time(pid):
    """Seconds of processor time that a process has used, with its children that have ended (the compilers of OpenCL C)."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0
    # Fields 14 to 17 of proc(5), counted from the third.
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")


class Line:
    """A line of the list on one code generator."""

    def __init__(self, cts, name, command, directory, wimpy):
        self.name, self.command, self.wimpy = name, command, wimpy
        self.program = cts / "test_conformance" / command[0]
        self.result = directory / (file_name(name) + ".json")
        self.log = directory / (file_name(name) + ".log")

    def recorded(self):
        try:
            return json.loads(self.result.read_text())
        except (OSError, ValueError):
            return None

    def run(self, environment, identity, options):
        """Runs the line to its end, or to the end of its time."""
        names = tests_of(self.program, environment, options.launcher)
        # A line that names its tests runs these, and a pattern of the list means all that it matches.
        given = self.command[1:]
        left = [name for name in names if any(word == name or word.endswith("*") and name.startswith(word[:-1]) for word in given)]
        other = [word for word in given if word not in names and not word.endswith("*")]
        narrowed = bool(left)
        left = left or list(names)
        tests, begun, used = {}, time.monotonic(), 0
        self.log.write_text("")
        while left:
            if used > options.limit:
                break
            output, end, seconds = self.process(other + (left if narrowed else []), environment, options.limit - used, options)
            used += seconds
            ended, running = said(output, names)
            outcome = self.answers(environment)
            ended.update(outcome)
            news = {name: ended[name] for name in left if name in ended}
            tests.update(news)
            left = [name for name in left if name not in tests]
            if end == "exit" or not left:
                break
            # One that did not end took the others with it.
            culprit = running if running in left else left[0]
            tests[culprit] = end
            left.remove(culprit)
            narrowed = True
        tests.update({name: "unknown" for name in left})
        counts = {outcome: sum(value == outcome for value in tests.values()) for outcome in OUTCOMES}
        record = {
            "line": self.name,
            "command": self.command,
            "library": identity,
            "seconds": round(time.monotonic() - begun, 1),
            "processor": round(used, 1),
            "counts": counts,
            "tests": dict(sorted(tests.items())),
        }
        self.result.write_text(json.dumps(record, indent=1) + "\n")
        return record

    def answers(self, environment):
        """What the program itself wrote of its results, if it came to its end."""
        path = Path(environment["CL_CONFORMANCE_RESULTS_FILENAME"])
        try:
            results = json.loads(path.read_text())["results"]
            path.unlink()
            return results
        except (OSError, ValueError, KeyError):
            return {}

    def process(self, arguments, environment, limit, options):
        """Runs the program: its output; `exit`, `crash` or `timeout`; and seconds of processor time."""
        name = [self.program.name] if self.program.name in NAMELESS else []
        words = [*options.launcher, self.program, *name, *arguments] + (["-w"] if self.wimpy else [])
        with open(self.log, "a+b") as log:
            start = log.tell()
            # A group of its own, so that children of a test end with it.
            child = subprocess.Popen(words, cwd=self.program.parent, env=environment, stdout=log, stderr=log, process_group=0)
            chunks, end = [], None
            # Processor time that the running test began with; when the program used the processor last, and how much it had used by then.
            test_begun, used, moved = 0, 0, time.monotonic()
            with open(self.log, "rb") as said:
                said.seek(start)
                while end is None:
                    time.sleep(0.1)
                    running, now = child.poll() is None, time.monotonic()
                    if running and (time_used := processor_time(child.pid)) > used:
                        used, moved = time_used, now
                    news = said.read().decode(errors="replace")
                    chunks.append(news)
                    if re.search(r"^\S+\.\.\.$", news, re.MULTILINE):
                        test_begun, moved = used, now
                    if not running:
                        end = "crash" if child.returncode < 0 else "exit"
                    elif used - test_begun > options.test_limit or used > limit or now - moved > options.stall:
                        os.killpg(child.pid, signal.SIGKILL)
                        child.wait()
                        end = "timeout"
                return "".join(chunks), end, used


def table(records, missing):
    """The table of what was recorded, in Markdown; what failed; which lines were not run."""
    rows = ["| Suite | pass | fail | skip | crash | timeout | unknown | seconds |", "|---|--:|--:|--:|--:|--:|--:|--:|"]
    total = dict.fromkeys(OUTCOMES, 0)
    for record in records:
        counts = record["counts"]
        for outcome in OUTCOMES:
            total[outcome] += counts[outcome]
        rows.append("| " + " | ".join([record["line"], *(str(counts[outcome]) for outcome in OUTCOMES), f"{record['seconds']:.0f}"]) + " |")
    seconds = sum(record["seconds"] for record in records)
    rows.append("| **all** | " + " | ".join([*(str(total[outcome]) for outcome in OUTCOMES), f"{seconds:.0f}"]) + " |")
    for record in records:
        for name, outcome in record["tests"].items():
            if outcome in BAD:
                rows.append(f"{record['line']}: {name}: {outcome}")
    if missing:
        rows.append("\nNot run: " + ", ".join(missing) + ".")
    return "\n".join(rows)


def differences(records, earlier):
    """Tests that an earlier run says something else of; and how many of them are worse now."""
    found, worse = [], 0
    for record in records:
        try:
            before = json.loads((earlier / (file_name(record["line"]) + ".json")).read_text())["tests"]
        except (OSError, ValueError):
            continue
        for name, now in record["tests"].items():
            then = before.get(name, "unknown")
            if then != now and "unknown" not in (then, now):
                found.append(f"{record['line']}: {name}: {then}, now {now}")
                worse += now in BAD and then not in BAD
    return found, worse


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cts", type=Path)
    parser.add_argument("--full", action="store_true", help="all that a submission needs; otherwise the suite's wimpy mode")
    parser.add_argument("--target", action="append", default=[], help="a value of BROLGA_TARGET; may be given several times")
    parser.add_argument("--only", default="", help="lines whose name matches")
    parser.add_argument("--skip", default="^$", help="lines whose name does not match")
    parser.add_argument("--limit", type=float, default=8 * 3600, help="seconds of processor time for a line")
    parser.add_argument("--test-limit", type=float, default=1800, help="seconds of processor time for a test")
    parser.add_argument("--stall", type=float, default=600, help="seconds in which a test that has not hung uses the processor")
    parser.add_argument("--library", type=Path, default=ROOT / "target/release/libbrolga.so")
    parser.add_argument("--out", type=Path, default=ROOT / "target/conformance")
    parser.add_argument("--launcher", type=shlex.split, default=[], help="a command that runs the programs, such as an emulator")
    parser.add_argument("--compare", type=Path)
    parser.add_argument("--table", action="store_true")
    options = parser.parse_args()
    cts = options.cts.resolve()
    if (cts / "build").is_dir():
        cts = cts / "build"
    identity = hashlib.sha256(options.library.read_bytes()).hexdigest()[:16]
    mode = "full" if options.full else "wimpy"
    bad = False
    for target in options.target or ["default"]:
        directory = (options.out / mode / target).resolve()
        directory.mkdir(parents=True, exist_ok=True)
        vendors = directory / "vendors"
        vendors.mkdir(exist_ok=True)
        (vendors / "brolga.icd").write_text(f"{options.library.resolve()}\n")
        environment = os.environ | {
            "OCL_ICD_VENDORS": str(vendors),
            "CL_CONFORMANCE_RESULTS_FILENAME": str(directory / "results.tmp"),
            "BROLGA_CACHE": "0",
        }
        environment.pop("OCL_ICD_FILENAMES", None)
        if target != "default":
            environment["BROLGA_TARGET"] = target
        if not options.full:
            environment["CL_WIMPY_MODE"] = "1"
        records, missing = [], []
        for name, command in lines_of(cts):
            line = Line(cts, name, command, directory, not options.full)
            if not re.search(options.only, name) or re.search(options.skip, name):
                continue
            if not line.program.exists():
                missing.append(f"{name} (not built)")
                continue
            record = line.recorded()
            if not options.table and (record is None or record["library"] != identity):
                print(f"{target}: {name} …", end=" ", flush=True)
                record = line.run(environment, identity, options)
                counts = record["counts"]
                print(", ".join(f"{counts[outcome]} {outcome}" for outcome in OUTCOMES if counts[outcome]), f"in {record['seconds']:.0f} s", flush=True)
            if record is not None:
                records.append(record)
            else:
                missing.append(name)
        print(f"\n{target}, {mode}\n\n{table(records, missing)}")
        bad |= any(outcome in BAD for record in records for outcome in record["tests"].values())
        if options.compare:
            found, worse = differences(records, options.compare)
            print("\n".join(found) or "no test differs from the earlier run")
            bad |= worse > 0
    return int(bad)


if __name__ == "__main__":
    sys.exit(main())
