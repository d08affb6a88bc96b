#!/bin/sh
# Builds the libraries that packages ship, for glibc 2.28 and newer: portable.sh [TARGET]. Prints nothing but what cargo says; they are
# target/TARGET/release/libbrolga.so, with the command in it, and libze_brolga.so beside it.
#
# Zig links against the older glibc; it and its wrapper for cargo come from PyPI into target/packaging. Where Rust lacks the target's library
# (`rustup target add`), Debian's builds.
set -eu
cd "$(dirname "$0")/.."
target=${1:-$(uname -m)-unknown-linux-gnu}
tools=$PWD/target/packaging/tools
if ! cmp -s packaging/requirements.txt "$tools/ready"; then
    python3 -m venv "$tools"
    "$tools/bin/pip" install -q --disable-pip-version-check -r packaging/requirements.txt
    cp packaging/requirements.txt "$tools/ready"
fi
if ! [ -d "$(rustc --print target-libdir --target "$target")" ]; then
    tests/emulated/need.sh
    export RUSTC=/usr/bin/rustc CARGO=/usr/bin/cargo
fi
export BROLGA_SOURCE="$PWD" RUSTC_WRAPPER="$PWD/packaging/rustc.sh"
PATH=$tools/bin:$PATH ${CARGO:-cargo} zigbuild --release --target "$target.2.28" -p brolga -p brolga-level-zero --features brolga/command
