#!/bin/sh
# Cargo's RUSTC_WRAPPER for packages: paths in messages of the library are the same wherever it is built. RUSTFLAGS can't do it: they go into the names of
# the folders of what build scripts write, and these are in the messages as well.
compiler=$1
shift
exec "$compiler" "$@" --remap-path-prefix="$BROLGA_SOURCE=/brolga" --remap-path-prefix="${CARGO_HOME:-$HOME/.cargo}/registry/src=/crates"
