#!/bin/sh
# Installs what is missing to run OpenCL programs and tests, by apt; says what it does, and does nothing where nothing is missing.
set -eu

say() { printf '==> %s\n' "$*"; }
have_library() { for d in /lib /usr/lib /usr/local/lib /lib/*-linux-gnu /usr/lib/*-linux-gnu /lib64 /usr/lib64; do [ -e "$d/$1" ] && return 0; done; return 1; }
have_header() { [ -e "/usr/include/$1" ] || [ -e "/usr/local/include/$1" ]; }
have_clang() {
    [ -n "${BROLGA_CLANG:-}" ] && return 0
    for n in 22 23 24 25 26 27 28 29; do command -v "clang-$n" >/dev/null 2>&1 && return 0; done
    command -v clang >/dev/null 2>&1 && [ "$(clang -dumpversion | cut -d. -f1)" -ge 22 ]
}

missing=
have_library libOpenCL.so.1 || missing="$missing ocl-icd-libopencl1"
have_header CL/cl.h || missing="$missing opencl-c-headers"
have_library libze_loader.so.1 || missing="$missing libze1"
have_header level_zero/ze_api.h || missing="$missing libze-dev"
command -v cc >/dev/null 2>&1 || missing="$missing gcc libc6-dev"
command -v clinfo >/dev/null 2>&1 || missing="$missing clinfo"
command -v spirv-as >/dev/null 2>&1 || missing="$missing spirv-tools"
have_clang || missing="$missing clang"

command -v cargo >/dev/null 2>&1 || { say "Rust is missing: install it from https://rustup.rs (1.95 or newer)"; exit 1; }
if [ -z "$missing" ]; then
    say "ICD loader, OpenCL headers, Level Zero loader and headers, C compiler, clinfo, spirv-tools and clang 22 or newer: all there"
    exit 0
fi
if ! command -v apt-get >/dev/null 2>&1; then
    say "missing:$missing"
    say "there is no apt here: install these by your system's own means (clang must be 22 or newer), then run this again"
    exit 1
fi
root=
if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null 2>&1 || { say "missing:$missing; run as root, or install sudo"; exit 1; }
    root=sudo
fi
say "missing:$missing"
say "apt-get update"
$root apt-get update -qq
packages=
for package in $missing; do
    if [ "$package" = clang ]; then
        package=
        for n in 22 23 24 25; do
            [ -n "$(apt-cache search --names-only "^clang-$n\$")" ] && { package="clang-$n"; break; }
        done
        [ -n "$package" ] || { say "this system's packages have no clang 22 or newer (https://apt.llvm.org has); going on without OpenCL C"; continue; }
    fi
    case $package in
        libze*)
            [ -n "$(apt-cache search --names-only "^$package\$")" ] || { say "this system's packages have no $package; going on without the tests of Level Zero"; continue; }
            ;;
    esac
    packages="$packages $package"
done
if [ -n "$packages" ]; then
    say "apt-get install$packages"
    $root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $packages >/dev/null
fi
