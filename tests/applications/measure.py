"""Runs a program on drivers in turn, and keeps the least of what it took."""

import os
import signal
import subprocess
import sys
import tempfile
import time


def run(command, environment, directory, limit):
    """(seconds, seconds of processor time, exit code or the signal's name, output) of a process and its children."""
    with tempfile.TemporaryFile("w+", errors="replace") as output:
        start = time.monotonic()
        process = subprocess.Popen(command, env=environment, cwd=directory, stdin=subprocess.DEVNULL, stdout=output, stderr=output, start_new_session=True)
        ended = 0
        while not ended:
            ended, status, usage = os.wait4(process.pid, os.WNOHANG)
            if not ended:
                time.sleep(0.002)
                if time.monotonic() - start > limit:
                    os.killpg(process.pid, signal.SIGKILL)
                    ended, status, usage = os.wait4(process.pid, 0)
        taken = time.monotonic() - start
        process.returncode = status
        code = os.waitstatus_to_exitcode(status)
        output.seek(0)
        return taken, usage.ru_utime + usage.ru_stime, code, output.read()


def why(code, taken, limit, output):
    if taken > limit:
        return f"not done after {limit:.0f} s"
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    end = lines[-1][:160] if lines else "no word"
    return f"{signal.Signals(-code).name}: {end}" if code < 0 else end


def steady(output):
    """What the work alone took: lines `steady SECONDS PROCESSOR NAME`."""
    for line in output.splitlines():
        word, _, rest = line.partition(" ")
        if word == "steady":
            taken, processor, name = rest.split(" ", 2)
            yield name, [float(taken), float(processor)]


def least(old, new):
    return new if old is None else [min(pair) for pair in zip(old, new)]


def measure(program, drivers, rounds, limit, reason=None):
    row = {"program": program.name, "failed": {}, "cold": {}, "warm": {}, "steady": {}}
    if reason:
        row["failed"] = {driver.name: reason for driver in drivers}
    for number in range(rounds):
        for driver in drivers if number % 2 == 0 else reversed(drivers):
            for phase in program.phases:
                if driver.name in row["failed"] or (phase == "check" and number):
                    continue
                if phase in ("check", "cold"):
                    driver.forget(program)
                taken, processor, code, output = run(program.command(phase), driver.environment(program), driver.home(program) / "tmp", limit)
                print(f"==> {program.name}, {driver.name}, {phase}: {taken:.2f} s, {processor:.2f} s of processor time", file=sys.stderr)
                if code or taken > limit:
                    row["failed"][driver.name] = f"{phase}: {why(code, taken, limit, output)}"
                    print(output[-3000:], file=sys.stderr)
                elif phase == "steady":
                    for name, times in steady(output):
                        of = row["steady"].setdefault(name, {})
                        of[driver.name] = least(of.get(driver.name), times)
                elif phase != "check":
                    row[phase][driver.name] = least(row[phase].get(driver.name), [taken, processor])
    # A time of what was wrong later is not one.
    for name in row["failed"]:
        for times in (row["cold"], row["warm"], *row["steady"].values()):
            times.pop(name, None)
    return row
