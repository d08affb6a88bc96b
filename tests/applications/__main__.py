"""Times programs that were written elsewhere, from their start to their end, on drivers beside each other, and prints one table.

    python3 tests/applications [--peer NAME=DIRECTORY]… [--peer-library-path NAME=PATH]… [--rounds N] [--only WORD]… [--json FILE] [--no-install]

Ours is the driver of `target/vendors` (or `--ours DIRECTORY`); DIRECTORY is a folder as OCL_ICD_VENDORS takes it, and PATH what a peer's libraries need
in LD_LIBRARY_PATH. What is missing is installed by apt, and by pip in virtual environments in `target/applications`.

A program runs with a home directory of its own, in which all caches are: its own, its libraries' and the driver's. *Cold* is a whole process whose home
is empty, *warm* the same process again, and *steady* the work alone, in a third one, once it has been done. Drivers take turns, each goes first in
every other round, and the least of all rounds is what counts. Each program compares what it computes with another computation of it (its own test, NumPy's,
the same without OpenCL); where that fails there is no time, but the reason. `--json` is also written, with all figures, to `target/applications.json`.
"""

import argparse
import json
import sys
from pathlib import Path

import install
from drivers import Driver
from measure import measure
from programs import PROGRAMS
from table import markdown

ROOT = Path(__file__).resolve().parents[2]


def pair(text):
    name, separator, value = text.partition("=")
    if not separator:
        raise argparse.ArgumentTypeError(f"{text}: NAME=VALUE is wanted")
    return name, value


def main():
    parser = argparse.ArgumentParser(prog="python3 tests/applications", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ours", default=str(ROOT / "target/vendors"))
    parser.add_argument("--peer", type=pair, action="append", default=[])
    parser.add_argument("--peer-library-path", type=pair, action="append", default=[])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--limit", type=float, default=600, help="seconds that a process may take")
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--json", type=Path, default=ROOT / "target/applications.json")
    parser.add_argument("--no-install", action="store_true")
    arguments = parser.parse_args()
    libraries = dict(arguments.peer_library_path)
    drivers = [Driver("Brolga", arguments.ours)] + [Driver(name, directory, libraries.get(name)) for name, directory in arguments.peer]
    programs = [program for program in PROGRAMS if not arguments.only or any(word.lower() in program.name.lower() for word in arguments.only)]
    if not programs:
        sys.exit("no program has such a name")
    reasons = {} if arguments.no_install else install.install(programs)
    found = []
    for program in programs:
        found.append(measure(program, drivers, arguments.rounds, arguments.limit, reasons.get(program.name)))
        arguments.json.parent.mkdir(parents=True, exist_ok=True)
        arguments.json.write_text(json.dumps(found, indent=1) + "\n")
    print(markdown(found, [driver.name for driver in drivers]))
    sys.exit(any("Brolga" in row["failed"] for row in found))


main()
