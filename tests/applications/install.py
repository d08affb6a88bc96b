"""Installs what programs need: packages by apt, and modules by pip in virtual environments under target/applications."""

import os
import shutil
import subprocess
import sys

from drivers import DIRECTORY


def run(*command, **options):
    """None, or the last line of what a command that failed said."""
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)
    except OSError as error:
        return str(error)
    return None if done.returncode == 0 else (done.stdout.strip().splitlines() or ["it failed"])[-1]


def present(package):
    done = subprocess.run(["dpkg-query", "-W", "-f", "${db:Status-Status}", package], capture_output=True, text=True)
    return done.stdout == "installed"


def by_apt(packages):
    missing = [package for package in packages if not present(package)]
    if not missing:
        return {}
    print("==> apt-get install", *missing, file=sys.stderr)
    root = [] if os.geteuid() == 0 else ["sudo"]
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    run(*root, "apt-get", "update", "-qq")
    # One at a time: what one system has, another may not.
    return {
        package: reason
        for package in missing
        if (reason := run(*root, "apt-get", "install", "-y", "-qq", "--no-install-recommends", package, env=environment))
    }


def by_pip(place, modules):
    directory = DIRECTORY / place
    if not (directory / "bin/pip").exists():
        if reason := run(sys.executable, "-m", "venv", directory):
            return dict.fromkeys(modules, reason)
    failed = {}
    for module in modules:
        stamp = directory / f"has-{module}"
        if stamp.exists():
            continue
        print("==> pip install", module, file=sys.stderr)
        if reason := run(directory / "bin/pip", "install", "-q", module):
            failed[module] = reason
        else:
            stamp.touch()
    return failed


def install(programs):
    """Why a program can't be run, by its name, for those that can't."""
    if not shutil.which("apt-get"):
        print("==> there is no apt here: what is missing stays so", file=sys.stderr)
        failed = {}
    else:
        failed = by_apt(sorted({package for program in programs for package in program.packages} | {"python3-venv"}))
    places = {}
    for program in programs:
        places.setdefault(program.place, {}).update(dict.fromkeys(program.modules))
    for place, modules in places.items():
        if place:
            failed |= {(place, module): reason for module, reason in by_pip(place, list(modules)).items()}
    reasons = {}
    for program in programs:
        for need in [*program.packages, *((program.place, module) for module in program.modules)]:
            if need in failed:
                reasons[program.name] = f"{need if isinstance(need, str) else need[1]} can't be installed: {failed[need]}"
    return reasons
