#!/bin/sh
# Looks at packages for aarch64 on another machine: emulated.sh WHEEL DEB ARCHIVE. Under qemu, the command of each finds its driver by the ICD loader, and runs a
# kernel on it.
set -eu
cd "$(dirname "$0")/.."
wheel=$(realpath "$1") deb=$(realpath "$2") archive=$(realpath "$3")
say() { printf '==> %s\n' "$*"; }
tests/emulated/need.sh
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
emulator=$(command -v "${QEMU:-qemu-aarch64}")
compiler=aarch64-linux-gnu-gcc
$compiler -O2 -shared -fPIC -DEMULATOR="\"$emulator\"" -o "$scratch/exec.so" tests/emulated/exec.c
run() { env BROLGA_CACHE=0 BROLGA_FRONTEND=own "$emulator" -E LD_PRELOAD="$scratch/exec.so" "$@"; }

# What the command says that is in a library, which is registered nowhere else.
answers() {
    $compiler -DLIBRARY="\"$1\"" -o "$scratch/brolga" packaging/launcher.c
    mkdir -p "$scratch/vendors"
    echo "$1" >"$scratch/vendors/brolga.icd"
    export OCL_ICD_VENDORS="$scratch/vendors"
    run "$scratch/brolga" --version
    run "$scratch/brolga" doctor || { say "brolga doctor sees a problem"; exit 1; }
}

size=$(stat -c %s "$wheel")
say "$(basename "$wheel"): $size bytes"
[ "$size" -le 5242880 ] || { say "larger than 5 MiB"; exit 1; }
unzip -q "$wheel" -d "$scratch/wheel"
library=$scratch/wheel/brolga/libbrolga.so
newest=$(objdump -T "$library" 2>/dev/null | grep -o 'GLIBC_[0-9.]*' | sort -uV | tail -n 1)
say "it needs $(readelf -d "$library" | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p' | tr '\n' ' '); the newest symbols of glibc are $newest"
[ "$(printf 'GLIBC_2.28\n%s\n' "$newest" | sort -V | tail -n 1)" = GLIBC_2.28 ] || { say "newer than 2.28"; exit 1; }
answers "$library"

say "$(basename "$deb")"
dpkg-deb --field "$deb" Package Architecture Depends
dpkg-deb --extract "$deb" "$scratch/deb"
installed=$scratch/deb/usr/lib/aarch64-linux-gnu/brolga/libbrolga.so
[ "/$(realpath --relative-to "$scratch/deb" "$installed")" = "$(cat "$scratch/deb/etc/OpenCL/vendors/brolga.icd")" ]
answers "$installed"
[ -s "$scratch/deb/usr/share/man/man1/brolga-doctor.1.gz" ]

say "$(basename "$archive")"
tar xf "$archive" -C "$scratch"
unpacked=$(echo "$scratch"/brolga-*-linux-aarch64)
eval "$("$unpacked/install.sh" --here)"
run "$unpacked/bin/brolga" --version
run "$unpacked/bin/brolga" doctor || { say "brolga doctor sees a problem"; exit 1; }
say "the packages are right"
