#!/bin/sh
# Makes the archive for systems without a package of their own: build.sh LIBRARY DIRECTORY. It runs from where it is unpacked, or installs itself. The same
# input gives the same bytes. The command in it needs no newer glibc than the library does where zig is there to link it (packaging/portable.sh).
set -eu
library=$(realpath "$1")
mkdir -p "$2"
destination=$(realpath "$2")
cd "$(dirname "$0")/../.."
project() { python3 -c "import sys; sys.path.insert(0, 'packaging'); import project; print(project.$1)"; }
version=$(project VERSION)
machine=$(project "machine('$library')[0]")
name=brolga-$version-linux-$machine
work=target/archive/$name
rm -rf target/archive
if [ -e target/packaging/tools/ready ]; then
    export COMPILER="target/packaging/tools/bin/python -m ziglang cc -target $machine-linux-gnu.2.28"
fi
# $ORIGIN is where the command is, whoever moves both.
# shellcheck disable=SC2016 # the dynamic linker reads it
packaging/stage.sh "$library" target/archive/stage '$ORIGIN/../lib/libbrolga.so'
stage=target/archive/stage
install -D -m 755 "$stage/brolga" "$work/bin/brolga"
install -D -m 644 "$stage/libbrolga.so" "$work/lib/libbrolga.so"
install -D -m 644 "$stage/libze_brolga.so" "$work/lib/libze_brolga.so"
install -D -m 644 -t "$work/share/man/man1" "$stage"/man/*
install -D -m 644 "$stage/bash/brolga" "$work/share/bash-completion/completions/brolga"
install -D -m 644 "$stage/zsh/_brolga" "$work/share/zsh/site-functions/_brolga"
install -D -m 644 "$stage/fish/brolga.fish" "$work/share/fish/vendor_completions.d/brolga.fish"
install -D -m 644 -t "$work/share/doc/brolga" "$stage"/*.cdx.json LICENSE-APACHE LICENSE-MIT CHANGELOG.md
install -m 755 packaging/archive/install.sh "$work/install.sh"
tar --sort=name --mtime="@$(project 'source_date()')" --owner=0 --group=0 --numeric-owner --mode=u+rw,go+r,go-w -C target/archive -c "$name" |
    xz -9 >"$destination/$name.tar.xz"
ls "$destination/$name.tar.xz"
