#!/bin/sh
# Installs the Debian packages in a root that debootstrap makes, beside ocl-icd and PoCL, uses them, and removes them: test.sh PACKAGE [SUITE]. PACKAGE is
# that of the OpenCL driver; that of the Level Zero driver is beside it.
# Needs root. The root is kept in target/packaging/root for the next time; the test works on a copy.
set -eu
cd "$(dirname "$0")/../.."
package=$(realpath "$1")
level_zero=$(echo "$package" | sed 's/brolga-opencl-icd/brolga-level-zero/')
suite=${2:-bookworm}
say() { printf '==> %s\n' "$*"; }

say "lintian"
lintian --fail-on error,warning "$package" "$level_zero"

base=$PWD/target/packaging/root-$suite.tar
if ! [ -e "$base" ]; then
    say "debootstrap $suite"
    scratch=$(mktemp -d)
    mirror=$(sed -n 's/^URIs: *//p; s/^deb \(\[[^]]*\] \)\?\([^ ]*\).*/\2/p' /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null | head -n 1)
    debootstrap --variant=minbase --include=ocl-icd-libopencl1,clinfo,pocl-opencl-icd "$suite" "$scratch" "$mirror" >"$scratch.log" 2>&1 ||
        { tail -n 20 "$scratch.log"; exit 1; }
    mkdir -p "$(dirname "$base")"
    tar cf "$base" -C "$scratch" .
    rm -rf "$scratch" "$scratch.log"
fi
root=$(mktemp -d)
trap 'umount "$root/proc" "$root/sys" 2>/dev/null || true; rm -rf --one-file-system "$root"' EXIT
tar xf "$base" -C "$root"
# PoCL asks /sys about the processors' topology, and aborts without it.
mount -t proc proc "$root/proc"
mount -t sysfs -o ro sysfs "$root/sys"
inside() { chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"; }
files() { (cd "$root" && find . -path ./proc -prune -o -path ./sys -prune -o -path ./var -prune -o -print | sort); }

files >"$root.before"
cp "$package" "$root/tmp/brolga.deb"
say "dpkg --install"
inside dpkg --install /tmp/brolga.deb
rm "$root/tmp/brolga.deb"
inside clinfo -l
inside clinfo -l | grep -q Brolga
inside clinfo -l | grep -q 'Portable Computing Language'
inside brolga --version
inside brolga env | head -n 1
inside brolga doctor
for file in /usr/share/man/man1/brolga.1.gz /usr/share/man/man1/brolga-doctor.1.gz /usr/share/bash-completion/completions/brolga \
    /usr/share/zsh/vendor-completions/_brolga /usr/share/fish/vendor_completions.d/brolga.fish; do
    [ -s "$root$file" ] || { say "$file is missing"; exit 1; }
done
inside dpkg-query -W -f '${Provides}\n' brolga-opencl-icd | grep -qw opencl-icd

say "the driver for Level Zero, alone"
cp "$level_zero" "$root/tmp/level-zero.deb"
inside dpkg --install /tmp/level-zero.deb
rm "$root/tmp/level-zero.deb"
driver=$(inside dpkg -L brolga-level-zero | grep '/libze_brolga\.so$')
# What it needs is there.
inside ldd "$driver"
if inside ldd "$driver" | grep -q 'not found'; then say "it lacks a library"; exit 1; fi
inside dpkg --purge brolga-level-zero
[ ! -e "$root$driver" ] || { say "it stays"; exit 1; }

say "dpkg --remove: the other driver stays"
inside dpkg --remove brolga-opencl-icd
inside clinfo -l | grep -q 'Portable Computing Language'
if inside clinfo -l | grep -q Brolga; then say "it is still found"; exit 1; fi
say "dpkg --purge: nothing is left"
inside dpkg --purge brolga-opencl-icd
files >"$root.after"
rm -rf "$root/root/.cache"
diff "$root.before" "$root.after" | grep -v '^[<>] \./root/\.cache' | grep '^[<>]' && { say "left behind"; exit 1; }
rm -f "$root.before" "$root.after"
say "the package is right"
