#!/bin/sh
# Installs what it takes to build for aarch64 and to run that here: Debian's Rust for arm64, GCC, qemu and a loader. Where that can't be, it says why, and
# ends with 1. QEMU is another emulator than the first in PATH.
set -eu
library=/usr/lib/rustlib/aarch64-unknown-linux-gnu/lib
missing=
[ -x /usr/bin/cargo ] && [ -x /usr/bin/rustc ] && [ -d "$library" ] || missing="$missing rustc-web cargo-web libstd-rust-web-dev:arm64"
command -v aarch64-linux-gnu-gcc >/dev/null || missing="$missing gcc-aarch64-linux-gnu libc6-dev-arm64-cross"
command -v "${QEMU:-qemu-aarch64}" >/dev/null || missing="$missing qemu-user"
[ -e /usr/lib/aarch64-linux-gnu/libOpenCL.so.1 ] || missing="$missing ocl-icd-libopencl1:arm64"
[ -n "$missing" ] || exit 0
cannot() {
    echo "==> aarch64: not tested, since $*"
    exit 1
}
command -v apt-get >/dev/null && [ "$(dpkg --print-architecture)" = amd64 ] || cannot "there is no apt here to install$missing"
[ "$(id -u)" = 0 ] || cannot "only root may install$missing"
echo "==> aarch64: apt-get install$missing"
dpkg --add-architecture arm64
# shellcheck disable=SC2086 # they are words
{ apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing >/dev/null; } ||
    cannot "these packages can't be had:$missing"
