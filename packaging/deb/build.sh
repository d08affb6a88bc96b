#!/bin/sh
# Makes the Debian packages with debhelper: build.sh LIBRARY DIRECTORY. The library must have the command in it (feature `command`), and the driver for
# Level Zero must be beside it. The packages are for the processor that the library is for; where that is another one than this machine's, its compiler and qemu are needed.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
library=$(realpath "$1")
mkdir -p "$2"
destination=$(realpath "$2")
command -v dh >/dev/null || { echo "debhelper is missing: apt install debhelper"; exit 1; }

cd "$root"
version=$(python3 -c 'import sys; sys.path.insert(0, "packaging"); import project; print(project.VERSION)')
SOURCE_DATE_EPOCH=$(python3 -c 'import sys; sys.path.insert(0, "packaging"); import project; print(project.source_date())')
export SOURCE_DATE_EPOCH
work=$root/target/deb/brolga-$version
rm -rf "$root/target/deb"
mkdir -p "$work"
cp -r "$here/debian" "$work/debian"

architecture=$(python3 -c 'import sys; sys.path.insert(0, "packaging"); import project; print(project.machine(sys.argv[1])[1])' "$library")
if [ "$architecture" != "$(dpkg --print-architecture)" ]; then
    # debhelper takes these from the environment.
    eval "$(dpkg-architecture -a "$architecture" -s)"
fi
packaging/stage.sh "$library" "$work/stage" "/usr/lib/$(dpkg-architecture -qDEB_HOST_MULTIARCH)/brolga/libbrolga.so"

# The MIT licence, indented and with dots for empty lines, as the format of that file has it.
licence=$(sed 's/^$/./; s/^/ /' LICENSE-MIT)
awk -v licence="$licence" '$0 == "@MIT@" { print licence; next } { print }' "$here/debian/copyright" >"$work/debian/copyright"
cat >"$work/debian/changelog" <<END
brolga ($version) unstable; urgency=medium

  * Version $version; see CHANGELOG.md for what is new.

 -- The Brolga developers <brolga@localhost>  $(date -u -R -d "@$SOURCE_DATE_EPOCH")
END
chmod +x "$work/debian/rules"
(cd "$work" && ./debian/rules binary)
mv "$root"/target/deb/*.deb "$destination/"
ls "$destination"/brolga-*.deb
