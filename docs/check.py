"""Checks the book: runs the console blocks of its pages, follows its links, and compares what is generated with what it is made from.

check.py [--write] [PAGE…]. With --write, what is generated is written instead of compared. Blocks marked `console` are run in the repository's root, one
shell a page, after `make`: lines after `$ ` (and `> `) are commands, the others what they print, where `…` stands for any text. Blocks marked `sh` are
not run: they install things, or need programs that the page names; the tests in packaging/ run those. For them, `check.py --program PAGE LANGUAGE` prints
the page's one block that is marked so.
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

DOCS = Path(__file__).resolve().parent
ROOT = DOCS.parent
BROLGA = ROOT / "target/release/brolga"
ENVIRONMENT = "# Environment variables\n\nThis page is made from the driver's own table: `brolga variables --markdown`. `BROLGA_DEBUG=help` prints it.\n\n"
BUILTINS = "# Built-in functions\n\nThis page is made from the compiler's own table: `brolga builtins --markdown`. `brolga builtins NAME` says more of one: what `gentype` stands for, and how many overloads this device has.\n\n"


def blocks(text, language="console"):
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.M | re.S)


def steps(block):
    """Commands of a block, each with the lines that it prints."""
    found = []
    for line in block.splitlines():
        if line.startswith("$ "):
            found.append([line[2:], []])
        elif line.startswith("> ") and not found[-1][1]:
            found[-1][0] += "\n" + line[2:]
        else:
            found[-1][1].append(line)
    return found


def matches(expected, printed):
    """Does every expected line occur, in this order? `…` stands for any text."""
    rest = iter(printed.splitlines())
    for line in expected:
        pattern = ".*".join(re.escape(part) for part in line.split("…"))
        if not any(re.fullmatch(pattern, candidate.rstrip()) for candidate in rest):
            return line
    return None


def run(page):
    failures = count = 0
    for block in blocks(page.read_text()):
        for command, expected in steps(block):
            with tempfile.TemporaryFile("w+") as output:
                code = subprocess.run(["bash", "-c", command], cwd=ROOT, stdout=output, stderr=output, timeout=300).returncode
                output.seek(0)
                printed = output.read()
            missing = matches(expected, printed)
            count += 1
            if code or missing is not None:
                failures += 1
                why = f"exit code {code}" if code else f"it does not print {missing!r}"
                print(f"{page.name}: {command}\n  {why}; it prints:\n{printed}")
    return count, failures


def links(page):
    """Relative links of a page that lead nowhere."""
    text = re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.M | re.S)
    targets = [target.split("#")[0] for target in re.findall(r"\]\(([^)]+)\)", text) if "://" not in target]
    return [target for target in targets if target and not (page.parent / target).exists()]


def generated(write):
    """Pages that are made by programs: is what is there what they make?"""
    for name, subcommand, head in [("environment.md", "variables", ENVIRONMENT), ("builtins.md", "builtins", BUILTINS)]:
        text = head + subprocess.run([BROLGA, subcommand, "--markdown"], check=True, capture_output=True, text=True).stdout
        page = DOCS / name
        if write:
            page.write_text(text)
        if page.read_text() != text:
            print(f"{page.name} is not what brolga {subcommand} --markdown prints: run docs/check.py --write")
            return 1
    return subprocess.run([sys.executable, DOCS / "plot.py", *([] if write else ["--check"])]).returncode


def main(arguments):
    if arguments[:1] == ["--program"]:
        page, language = arguments[1:]
        (block,) = blocks((DOCS / page).read_text(), language)
        sys.stdout.write(block)
        return 0
    if not BROLGA.exists():
        return f"{BROLGA} is not there: build it with `make`, or have `make check-book` do both"
    write = "--write" in arguments
    names = [argument for argument in arguments if not argument.startswith("--")]
    pages = [DOCS / name for name in names] or sorted(DOCS.glob("*.md"))
    summary = (DOCS / "SUMMARY.md").read_text()
    failures = generated(write)
    count = 0
    for page in pages:
        ran, failed = run(page)
        count += ran
        failures += failed
        for target in links(page):
            failures += 1
            print(f"{page.name}: {target} does not exist")
        if page.name != "SUMMARY.md" and f"({page.name})" not in summary:
            failures += 1
            print(f"{page.name} is not in SUMMARY.md")
    for page in (ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "ARCHITECTURE.md", "CONFORMANCE.md")):
        for target in links(page):
            failures += 1
            print(f"{page.name}: {target} does not exist")
    print(f"==> the book: {count} commands run, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
