#!/bin/sh
# Unpacks the archive, runs the driver from there by the system's loader, installs it below another root, and takes it away again:
# test.sh ARCHIVE [--this-system]. With the latter, it may need a glibc newer than 2.28.
set -eu
archive=$(realpath "$1")
say() { printf '==> %s\n' "$*"; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
tar xf "$archive" -C "$scratch"
mv "$scratch"/brolga-* "$scratch/a folder"
cd "$scratch/a folder"

say "from where it is unpacked"
settings=$(./install.sh --here)
(
    eval "$settings"
    clinfo -l | grep Brolga
    brolga --version
    BROLGA_CACHE=0 brolga doctor
    # A loader, where there is one, asks for this function first.
    python3 -c "import ctypes, os; ctypes.CDLL(os.environ['ZE_ENABLE_ALT_DRIVERS']).zeGetGlobalProcAddrTable"
)
newest=$(objdump -T bin/brolga lib/libbrolga.so lib/libze_brolga.so 2>/dev/null | grep -o 'GLIBC_[0-9.]*' | sort -uV | tail -n 1)
say "the newest symbols of glibc are $newest"
[ "${2:-}" = --this-system ] || [ "$(printf 'GLIBC_2.28\n%s\n' "$newest" | sort -V | tail -n 1)" = GLIBC_2.28 ] || { say "newer than 2.28"; exit 1; }

say "installed"
export DESTDIR="$scratch/root"
./install.sh /opt/brolga
[ "$(cat "$DESTDIR/etc/OpenCL/vendors/brolga.icd")" = /opt/brolga/lib/libbrolga.so ]
"$DESTDIR/opt/brolga/bin/brolga" --version
for file in lib/libze_brolga.so share/man/man1/brolga-doctor.1 share/zsh/site-functions/_brolga share/doc/brolga/LICENSE-MIT; do
    [ -s "$DESTDIR/opt/brolga/$file" ] || { say "$file is missing"; exit 1; }
done
./install.sh --uninstall /opt/brolga
left=$(find "$DESTDIR" -type f)
[ -z "$left" ] || { say "left behind: $left"; exit 1; }
if ./install.sh --nonsense 2>/dev/null; then say "a wrong option is taken"; exit 1; fi
say "the archive is right"
