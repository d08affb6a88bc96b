"""Checks what the project says of its crates: licences, sources and bans by deny.toml, that nothing is depended on that is not used
(`cargo machete`'s question), and that the operating system is met in one place.

A simple reading of both tools' rules, without their installation. Crates that only build or test the project are checked as well.
"""

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

from project import ROOT

CRATES_IO = "registry+https://github.com/rust-lang/crates.io-index"

# Where the driver meets the operating system (docs/platforms.md), and what else may name its functions: the arguments of the command inside the library.
# (What the command needs for itself, in tool/, is its own business.)
SYSTEM = "device/src/os/"
SYSTEM_TOO = {"icd/src/command.rs"}


def metadata():
    command = ["cargo", "metadata", "--format-version", "1", "--locked", "--filter-platform", "x86_64-unknown-linux-gnu"]
    return json.loads(subprocess.run(command, cwd=ROOT, check=True, capture_output=True).stdout)


def allowed(expression, licences):
    """Does a licence expression leave a choice of allowed licences? (AND binds no tighter than OR in what crates write.)"""
    choices = re.split(r" OR |/", expression.replace("(", "").replace(")", ""))
    return any(all(part.strip() in licences for part in choice.split(" AND ")) for choice in choices)


def licences_and_sources(packages, policy):
    for package in packages:
        name = f"{package['name']} {package['version']}"
        if not allowed(package["license"] or "", policy["licenses"]["allow"]):
            yield f"{name}: licence {package['license']!r} is not among those that deny.toml allows"
        if package["source"] not in (None, CRATES_IO):
            yield f"{name}: its source is {package['source']}"
        if package["name"] in (ban["crate"] for ban in policy["bans"]["deny"]):
            yield f"{name}: deny.toml bans it"


def versions(members):
    """A crate of a registry has its version in the workspace's Cargo.toml, and nowhere else."""
    for package in members:
        manifest = Path(package["manifest_path"])
        tables = tomllib.loads(manifest.read_text())
        for kind in ("dependencies", "dev-dependencies", "build-dependencies"):
            for name, value in tables.get(kind, {}).items():
                if not (isinstance(value, dict) and value.get("workspace")):
                    yield f"{manifest.relative_to(ROOT)}: {name} has its version here, and not in the workspace's Cargo.toml"


def unused(members):
    for package in members:
        folder = Path(package["manifest_path"]).parent
        others = {Path(member["manifest_path"]).parent for member in members} - {folder}
        files = [path for path in folder.rglob("*.rs") if not any(other in path.parents and folder in other.parents for other in others)]
        text = "\n".join(path.read_text() for path in files if "target" not in path.relative_to(folder).parts)
        for dependency in package["dependencies"]:
            name = (dependency["rename"] or dependency["name"]).replace("-", "_")
            if not re.search(rf"\b{name}\b", text):
                yield f"{package['name']}: nothing uses {dependency['name']}"


def system():
    """No source of the driver names functions of an operating system, but where that is their business. Tests may."""
    for top in ("api", "compiler", "device", "icd", "vendors"):
        for path in sorted((ROOT / top).rglob("*.rs")):
            name = path.relative_to(ROOT).as_posix()
            is_test = name.endswith("/tests.rs") or {"tests", "benches", "target"} & set(path.relative_to(ROOT).parts)
            if is_test or name.startswith(SYSTEM) or name in SYSTEM_TOO:
                continue
            text = path.read_text().split("\n#[cfg(test)]\nmod tests {")[0]
            for number, line in enumerate(text.split("\n"), 1):
                found = re.search(r"\blibc::(?!mem(cpy|move|set|cmp)\b)|\bstd::os::|\"/(proc|sys|dev)/", line.split("//")[0])
                if found:
                    yield f"{name}:{number}: '{found[0]}' is the operating system's, which is met in {SYSTEM}"


def main():
    found = metadata()
    policy = tomllib.loads((ROOT / "deny.toml").read_text())
    members = [package for package in found["packages"] if package["id"] in found["workspace_members"]]
    problems = [*licences_and_sources(found["packages"], policy), *versions(members), *unused(members), *system()]
    print("\n".join(problems + [f"==> {len(found['packages'])} crates, {len(problems)} problems"]))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
