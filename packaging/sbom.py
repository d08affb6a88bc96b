"""The software bill of materials, CycloneDX 1.5: every crate that is in what packages ship, from Cargo's own resolution. sbom.py LIBRARY [CRATE…] prints it;
the crates are those that what is shipped is made of, the library and the command if none is named."""

import json
import subprocess
import sys
from datetime import datetime, timezone

from project import LICENCE, ROOT, VERSION, machine, source_date


def shipped(library, made_of):
    """The crates that some are built from; not what only builds or tests them."""
    command = ["cargo", "metadata", "--format-version", "1", "--locked", "--filter-platform", f"{machine(library)[0]}-unknown-linux-gnu"]
    metadata = json.loads(subprocess.run(command, cwd=ROOT, check=True, capture_output=True).stdout)
    packages = {package["id"]: package for package in metadata["packages"]}
    nodes = {node["id"]: node for node in metadata["resolve"]["nodes"]}
    open_ids = [identity for identity, package in packages.items() if package["name"] in made_of]
    seen = set()
    while open_ids:
        identity = open_ids.pop()
        if identity in seen:
            continue
        seen.add(identity)
        for dependency in nodes[identity]["deps"]:
            if any(kind["kind"] is None for kind in dependency["dep_kinds"]):
                open_ids.append(dependency["pkg"])
    return sorted((packages[identity] for identity in seen), key=lambda package: (package["name"], package["version"]))


def component(package):
    return {
        "type": "library",
        "name": package["name"],
        "version": package["version"],
        "purl": f"pkg:cargo/{package['name']}@{package['version']}",
        "licenses": [{"expression": (package["license"] or "NOASSERTION").replace("/", " OR ")}],
    }


def document(library, made_of):
    moment = datetime.fromtimestamp(source_date(), timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {
            "timestamp": moment,
            "component": {"type": "library", "name": "brolga", "version": VERSION, "licenses": [{"expression": LICENCE}]},
        },
        "components": [component(package) for package in shipped(library, made_of)],
    }


def text(library, made_of=("brolga", "brolga-tool")):
    return json.dumps(document(library, made_of), indent=1) + "\n"


if __name__ == "__main__":
    sys.stdout.write(text(sys.argv[1], *([sys.argv[2:]] if sys.argv[2:] else [])))
