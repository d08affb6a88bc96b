#!/bin/sh
# Builds the library of the packages from two copies of the last commit, in folders of different names, and compares them byte by byte, with the wheels made from them.
set -eu
cd "$(dirname "$0")/.."
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
for folder in one another/and/deeper; do
    mkdir -p "$scratch/$folder"
    git archive HEAD | tar x -C "$scratch/$folder"
    mkdir -p "$scratch/$folder/target/packaging"
    [ ! -e target/packaging/tools ] || ln -s "$PWD/target/packaging/tools" "$scratch/$folder/target/packaging/tools"
    (
        cd "$scratch/$folder"
        SOURCE_DATE_EPOCH=$(git -C "$OLDPWD" log -1 --format=%ct)
        export SOURCE_DATE_EPOCH CARGO_TARGET_DIR="$PWD/target"
        packaging/portable.sh
        python3 packaging/wheel/build.py target/x86_64-unknown-linux-gnu/release/libbrolga.so target/dist
    )
done
(cd "$scratch/one/target/dist" && sha256sum ./*.whl) >"$scratch/sums"
(cd "$scratch/another/and/deeper/target/dist" && sha256sum -c "$scratch/sums")
echo "==> two builds in different folders are the same, byte by byte"
