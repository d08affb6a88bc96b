#!/bin/sh
# Builds the packages from two copies of the last commit, in folders of different names, and compares them byte by byte: reproducible.sh [DIRECTORY].
# DIRECTORY gets the wheel, the Debian package and the archive.
set -eu
cd "$(dirname "$0")/.."
packaging/need.sh
kept=${1:-target/dist}
mkdir -p "$kept"
kept=$(realpath "$kept")
commit=$(git rev-parse HEAD)
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct "$commit")
export SOURCE_DATE_EPOCH
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
for folder in one another/and/deeper; do
    copy=$scratch/$folder
    mkdir -p "$copy"
    git archive "$commit" | tar x -C "$copy"
    mkdir -p "$copy/target/packaging"
    [ ! -e target/packaging/tools ] || ln -s "$PWD/target/packaging/tools" "$copy/target/packaging/tools"
    (
        cd "$copy"
        export CARGO_TARGET_DIR="$copy/target"
        packaging/portable.sh
        library=target/$(uname -m)-unknown-linux-gnu/release/libbrolga.so
        target/packaging/tools/bin/python packaging/wheel/build.py "$library" target/dist
        packaging/deb/build.sh "$library" target/dist
        packaging/archive/build.sh "$library" target/dist
    )
    # What differs can be looked at; the rest of a build is large.
    mkdir -p "$scratch/dist/$folder"
    mv "$copy"/target/dist/* "$scratch/dist/$folder/"
    rm -rf "${scratch:?}/${folder%%/*}"
done
(cd "$scratch/dist/one" && sha256sum -- *) >"$scratch/sums"
(cd "$scratch/dist/another/and/deeper" && sha256sum -c "$scratch/sums") || {
    # They are kept for diffoscope, or cmp of what is in them.
    mv "$scratch/dist" "$kept/differ"
    echo "==> the two builds differ: see $kept/differ"
    exit 1
}
cp "$scratch"/dist/one/* "$kept/"
echo "==> two builds of $commit in different folders are the same, byte by byte"
