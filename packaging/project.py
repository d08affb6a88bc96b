"""What packages say of the project, read from the project: version, licence, time of the last commit."""

import os
import subprocess
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
WORKSPACE = tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["package"]
VERSION = WORKSPACE["version"]
LICENCE = WORKSPACE["license"]


# Processors that there are packages for: the number that ELF has for each, the name that Rust and wheels have for it, and Debian's.
MACHINES = {62: ("x86_64", "amd64"), 183: ("aarch64", "arm64")}


def machine(library):
    """Which processor a library is for: the name that Rust and wheels have for it, and Debian's."""
    return MACHINES[int.from_bytes(Path(library).read_bytes()[18:20], "little")]


def source_date():
    """Seconds since 1970 that stand for the time of a build: ``SOURCE_DATE_EPOCH``, else the last commit's, so that builds can be repeated."""
    given = os.environ.get("SOURCE_DATE_EPOCH")
    if given:
        return int(given)
    shown = subprocess.run(["git", "log", "-1", "--format=%ct"], cwd=ROOT, capture_output=True, text=True)
    return int(shown.stdout) if shown.returncode == 0 and shown.stdout.strip() else 1_700_000_000
