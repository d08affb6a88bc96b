#!/bin/sh
# Builds the library that packages ship: for glibc 2.28 and newer, with the command in it. Prints nothing but what cargo says; the library is
# target/x86_64-unknown-linux-gnu/release/libbrolga.so.
#
# Zig links against the older glibc; it and its wrapper for cargo come from PyPI into target/packaging.
set -eu
cd "$(dirname "$0")/.."
tools=$PWD/target/packaging/tools
if ! [ -e "$tools/ready" ]; then
    python3 -m venv "$tools"
    "$tools/bin/pip" install -q --disable-pip-version-check -r packaging/requirements.txt
    touch "$tools/ready"
fi
export BROLGA_SOURCE="$PWD" RUSTC_WRAPPER="$PWD/packaging/rustc.sh"
PATH=$tools/bin:$PATH cargo zigbuild --release --target x86_64-unknown-linux-gnu.2.28 -p brolga --features command
