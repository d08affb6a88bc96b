#!/bin/sh
# Puts Zig, as PyPI has it, where PATH=target/zig/path finds it; tests compile kernels with it. Says so where that can't be done, and goes on.
set -eu
cd "$(dirname "$0")/../.."
say() { printf '==> %s\n' "$*"; }
zig=$PWD/target/zig
[ -e "$zig/path/zig" ] && { say "Zig: there"; exit 0; }
python3 -c 'import venv, ensurepip' 2>/dev/null || { say "python3-venv is missing: going on without Zig"; exit 0; }
# The version that packages are built with.
package=$(grep '^ziglang==' packaging/requirements.txt)
say "pip install $package"
python3 -m venv "$zig/tools"
"$zig/tools/bin/pip" install -q --disable-pip-version-check "$package" || { say "pip can't install it: going on without Zig"; exit 0; }
mkdir -p "$zig/path"
ln -s ../tools/bin/python-zig "$zig/path/zig"
