#!/bin/sh
# Builds the driver and puts it where conda's ICD loader finds it. The recipe runs this with SRC_DIR and PREFIX; LIBRARY and COMMAND name what is built already.
set -eu
cd "${SRC_DIR:-$(dirname "$0")/../..}"
if [ -z "${LIBRARY:-}" ]; then
    cargo build --release -p brolga -p brolga-tool
    LIBRARY=target/release/libbrolga.so
    COMMAND=target/release/brolga
fi
install -D -m 755 "$LIBRARY" "$PREFIX/lib/libbrolga.so"
install -D -m 755 "$COMMAND" "$PREFIX/bin/brolga"
install -d "$PREFIX/etc/OpenCL/vendors"
# The path of the build's prefix: conda rewrites it where the package is installed.
echo "$PREFIX/lib/libbrolga.so" >"$PREFIX/etc/OpenCL/vendors/brolga.icd"
