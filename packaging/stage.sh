#!/bin/sh
# What packages have beside the library: stage.sh LIBRARY DIRECTORY PLACE. The library must have the command in it (feature `command`). DIRECTORY gets the library,
# the command, which finds the library at PLACE, its manual and completions, the driver for Level Zero that is beside LIBRARY, and bills of materials. Where the library is for another processor than
# this machine's, that one's compiler and qemu are needed. COMPILER is another compiler for the command.
set -eu
library=$(realpath "$1") place=$3
mkdir -p "$2"
stage=$(realpath "$2")
cd "$(dirname "$0")/.."
machine=$(python3 -c 'import sys; sys.path.insert(0, "packaging"); import project; print(project.machine(sys.argv[1])[0])' "$library")
compiler=cc emulator=
if [ "$machine" != "$(uname -m)" ]; then
    compiler=$machine-linux-gnu-gcc emulator=qemu-$machine
fi
install -m 644 "$library" "$stage/libbrolga.so"
install -m 644 "$(dirname "$library")/libze_brolga.so" "$stage/libze_brolga.so"
flags="-O2 -fstack-protector-strong -D_FORTIFY_SOURCE=2 -fPIE -pie -Wl,-z,relro,-z,now"
# shellcheck disable=SC2086 # they are words
${COMPILER:-$compiler} $flags -DLIBRARY="\"$place\"" -o "$stage/brolga" packaging/launcher.c
# The same command in this place, which writes its own manual and completions.
mkdir -p "$stage/here"
$compiler -DLIBRARY="\"$stage/libbrolga.so\"" -o "$stage/here/brolga" packaging/launcher.c
$emulator "$stage/here/brolga" documents "$stage"
python3 packaging/sbom.py "$library" >"$stage/brolga.cdx.json"
python3 packaging/sbom.py "$library" brolga-level-zero >"$stage/level-zero.cdx.json"
