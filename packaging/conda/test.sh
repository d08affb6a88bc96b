#!/bin/sh
# Runs the recipe's script into a prefix and looks at the result with the system's loader: test.sh LIBRARY COMMAND
set -eu
LIBRARY=$(realpath "$1") COMMAND=$(realpath "$2")
cd "$(dirname "$0")/../.."
PREFIX=$(mktemp -d)
trap 'rm -rf "$PREFIX"' EXIT
export LIBRARY COMMAND PREFIX
packaging/conda/build.sh
OCL_ICD_VENDORS=$PREFIX/etc/OpenCL/vendors clinfo -l | grep Brolga
"$PREFIX/bin/brolga" --version
echo "==> the recipe's script is right"
