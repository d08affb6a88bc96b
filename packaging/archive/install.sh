#!/bin/sh
# Brolga, an OpenCL driver for CPUs. lib/libze_brolga.so is one for oneAPI Level Zero, which its loader takes by ZE_ENABLE_ALT_DRIVERS.
#
#   ./install.sh --here                 run it from this folder: says what to set, so that a loader finds it here
#   ./install.sh [PREFIX]               install it, in /usr/local if nothing is said, and register it for all programs
#   ./install.sh --uninstall [PREFIX]   take it away again
#
# DESTDIR goes before all paths.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
case ${1:-} in
    --here)
        mkdir -p "$here/vendors"
        echo "$here/lib/libbrolga.so" >"$here/vendors/brolga.icd"
        echo "export OCL_ICD_VENDORS='$here/vendors' ZE_ENABLE_ALT_DRIVERS='$here/lib/libze_brolga.so' PATH='$here/bin':\"\$PATH\""
        exit 0
        ;;
    --uninstall) action=uninstall && shift ;;
    -*) sed -n 's/^#   *//p' "$0" >&2 && exit 2 ;;
    *) action=install ;;
esac
prefix=${1:-/usr/local}
registration=${DESTDIR:-}/etc/OpenCL/vendors/brolga.icd
cd "$here"
files=$(find bin lib share -type f)
for file in $files; do
    installed=${DESTDIR:-}$prefix/$file
    if [ "$action" = uninstall ]; then
        rm -f "$installed"
        continue
    fi
    mkdir -p "$(dirname "$installed")"
    # Programs may be running on what was there: they keep it.
    cp "$file" "$installed.new"
    mv "$installed.new" "$installed"
done
if [ "$action" = uninstall ]; then
    rm -f "$registration"
    rmdir "${DESTDIR:-}$prefix/share/doc/brolga" 2>/dev/null || true
else
    mkdir -p "$(dirname "$registration")"
    echo "$prefix/lib/libbrolga.so" >"$registration"
    echo "installed; 'brolga doctor' says whether programs find it"
fi
