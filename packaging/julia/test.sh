#!/bin/sh
# Builds libpocl.so for a driver and runs a kernel by it, from C: test.sh LIBRARY
set -eu
cd "$(dirname "$0")/../.."
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
packaging/julia/build.sh "$1" "$scratch"
nm -D --defined-only "$scratch/libpocl.so" | awk '$3 !~ /^POcl/ { print "a name that is not PoCL'"'"'s:", $3; bad = 1 } END { exit bad }'
cc -Wall -Werror -DCL_TARGET_OPENCL_VERSION=300 -o "$scratch/test" packaging/julia/test.c -ldl
spirv-as --target-env spv1.4 tool/src/doctor/triple.spvasm -o "$scratch/triple.spv"
"$scratch/test" "$scratch/libpocl.so" "$scratch/triple.spv"
