"""Makes the wheel: build.py LIBRARY DIRECTORY [VERSION]. Prints its path. VERSION is for tests of upgrades; without it, it is the project's.

A wheel is a zip file with a list of its files; nothing but Python's own library is needed to write it. With zopfli, which takes half a minute, it is
3 % smaller. The same input gives the same bytes.
"""

import base64
import hashlib
import sys
import time
import zipfile
from pathlib import Path

try:
    import zopfli.zlib as zopfli
except ModuleNotFoundError:
    zopfli = None

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import sbom  # noqa: E402
from project import LICENCE, ROOT, VERSION, machine, source_date  # noqa: E402

# The dynamic linker puts in the directory of whoever loads the driver: pyopencl's own loader, which is in pyopencl/.libs.
REGISTRATION = "$ORIGIN/../../brolga/libbrolga.so\n"

METADATA = """\
Metadata-Version: 2.1
Name: brolga
Version: {version}
Summary: An OpenCL driver for CPUs: small, quick to compile, strict
License: {licence}
Classifier: Operating System :: POSIX :: Linux
Classifier: Programming Language :: Python :: 3
Requires-Python: >=3.8
Description-Content-Type: text/markdown

"""


def tag(library):
    return f"py3-none-manylinux_2_28_{machine(library)[0]}"


def files(library, version):
    """Every file of the wheel but the list itself: path and contents."""
    info = f"brolga-{version}.dist-info"
    metadata = METADATA.format(version=version, licence=LICENCE) + (HERE / "README.md").read_text()
    yield "brolga/libbrolga.so", library.read_bytes()
    for source in sorted((HERE / "brolga").glob("*.py")):
        yield f"brolga/{source.name}", source.read_text().replace("@VERSION@", version).encode()
    # brolga.icd_path() writes the real path into this one. It is listed, so that it goes with the rest.
    yield "brolga/vendors/brolga.icd", b"libbrolga.so\n"
    yield "pyopencl/.libs/brolga.icd", REGISTRATION.encode()
    yield f"{info}/METADATA", metadata.encode()
    yield f"{info}/WHEEL", f"Wheel-Version: 1.0\nGenerator: brolga\nRoot-Is-Purelib: false\nTag: {tag(library)}\n".encode()
    yield f"{info}/entry_points.txt", b"[console_scripts]\nbrolga = brolga._command:main\n"
    yield f"{info}/sboms/brolga.cdx.json", sbom.text(library).encode()
    for licence in ("LICENSE-APACHE", "LICENSE-MIT"):
        yield f"{info}/licenses/{licence}", (ROOT / licence).read_bytes()


class Zopfli:
    """Compresses as an object of zlib.compressobj() does, all at the end."""

    def __init__(self):
        self.contents = bytearray()

    def compress(self, part):
        self.contents += part
        return b""

    def flush(self):
        # Without the header and the checksum, which are zlib's and not the zip file's.
        return zopfli.compress(bytes(self.contents), numiterations=5)[2:-4]


def build(library, directory, version=VERSION):
    directory.mkdir(parents=True, exist_ok=True)
    path = directory / f"brolga-{version}-{tag(library)}.whl"
    info = f"brolga-{version}.dist-info"
    moment = time.gmtime(max(source_date(), 315_532_800))[:6]
    lines = []
    with zipfile.ZipFile(path, "w") as wheel:

        def add(name, contents):
            entry = zipfile.ZipInfo(name, moment)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = 3
            entry.external_attr = (0o100755 if name.endswith(".so") else 0o100644) << 16
            if not zopfli:
                return wheel.writestr(entry, contents, compresslevel=9)
            with wheel.open(entry, "w") as file:
                # What zipfile would have made of zlib.
                file._compressor = Zopfli()
                file.write(contents)

        for name, contents in files(library, version):
            add(name, contents)
            digest = base64.urlsafe_b64encode(hashlib.sha256(contents).digest()).rstrip(b"=").decode()
            lines.append(f"{name},sha256={digest},{len(contents)}\n")
        lines.append(f"{info}/RECORD,,\n")
        add(f"{info}/RECORD", "".join(lines).encode())
    return path


if __name__ == "__main__":
    print(build(Path(sys.argv[1]), Path(sys.argv[2]), *sys.argv[3:]))
