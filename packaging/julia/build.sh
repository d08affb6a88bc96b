#!/bin/sh
# Makes libpocl.so, PoCL's prefixed entry points for a driver: build.sh LIBRARY DIRECTORY. Both libraries are in the directory then.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
library=$(realpath "$1")
mkdir -p "$2"
generated=$(mktemp -d)
trap 'rm -rf "$generated"' EXIT
nm -D --defined-only "$library" | sed -n 's/.* T \(cl[A-Z][A-Za-z]*\)$/FUNCTION(\1)/p' >"$generated/functions.h"
grep -q clGetPlatformIDs "$generated/functions.h" || { echo "$library exports no functions of OpenCL"; exit 1; }
cc -O2 -Wall -Wextra -Werror -shared -fPIC -fvisibility=hidden -Wl,-z,relro,-z,now -I "$generated" -o "$2/libpocl.so" "$here/libpocl.c" -ldl
[ "$(realpath "$2/libbrolga.so" 2>/dev/null)" = "$library" ] || install -m 755 "$library" "$2/libbrolga.so"
echo "$2/libpocl.so: $(grep -c . "$generated/functions.h") functions"
