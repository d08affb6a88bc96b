#!/bin/sh
# Builds the driver and its tests for aarch64, and runs them under qemu's user mode: `aarch64.sh` all of them, `aarch64.sh quick` what a change
# must pass. Debian's packages have all that it takes (Rust for arm64, GCC, qemu, a loader); what is missing is installed where apt and root are
# there, and where they are not, it says so and tests nothing.
#
# CPUS are the processors that qemu plays. cortex-a72 has neither atomic instructions nor arithmetic of halves, max has all that qemu knows.
# SEEDS is how many random kernels are tried on each. STEPS is a pattern (grep -E) of the steps to take, by what they say they are. QEMU is another
# emulator than the first in PATH. LIMIT is how many seconds a step may take before it counts as hung.
set -eu
cd "$(dirname "$0")/.."

say() { printf '==> %s\n' "$*"; }
extent=${1:-full}
case $extent in
    # The processor that has less; and not what computes for minutes there (the demo, products of matrices of each type and shape, checks of calls), nor
    # what is the same on each processor.
    quick)
        cpus=${CPUS:-cortex-a72} seeds=${SEEDS:-10} limit=${LIMIT:-900}
        left_out="--skip programs::demo --skip matrices::products --skip before_there_were_cooperative_matrices --skip sub_group_products"
        left_out="$left_out --skip functions_that_stay_calls_are_checked --skip conformance:: --skip consistency:: --skip mlir::"
        ;;
    *) cpus=${CPUS:-cortex-a72 max} seeds=${SEEDS:-2000} limit=${LIMIT:-14400} left_out= ;;
esac

if [ "$(uname -m)" = aarch64 ]; then
    say "aarch64: this machine is one, so that 'make check' has tested it"
    exit 0
fi
tests/emulated/need.sh || exit 0

# The distribution's Rust, whatever the pinned one is: that has no library for aarch64.
target=$PWD/target/aarch64
export RUSTC=/usr/bin/rustc RUSTDOC=/usr/bin/rustdoc CARGO=/usr/bin/cargo CARGO_TARGET_DIR="$target" CARGO_BUILD_TARGET=aarch64-unknown-linux-gnu
export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER=aarch64-linux-gnu-gcc CC_aarch64_unknown_linux_gnu=aarch64-linux-gnu-gcc
say "aarch64: building with $($RUSTC --version) and $(aarch64-linux-gnu-gcc --version | head -1)"
mkdir -p "$target/vendors"
emulator=$(command -v "${QEMU:-qemu-aarch64}")
release=$("$emulator" --version | sed -n '1s/.*version \([0-9.]*\).*/\1/p')
preloaded() {
    aarch64-linux-gnu-gcc -O2 -Wall -Wextra -Werror -shared -fPIC "$1" -o "$target/$2.so" "tests/emulated/$3.c"
}
preloaded "-DEMULATOR=\"$emulator\"" exec exec
for kibibytes in 16 64; do preloaded -DKIBIBYTES=$kibibytes pages$kibibytes pages; done
preload() { export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUNNER="$emulator -E LD_PRELOAD=$1"; }
preload "$target/exec.so"
$CARGO build -p brolga
echo "$target/aarch64-unknown-linux-gnu/debug/libbrolga.so" >"$target/vendors/brolga.icd"
export OCL_ICD_VENDORS="$target/vendors"

# Clang would be a child of each program that is built; our own front end is part of what is tested.
export BROLGA_FRONTEND=own
say "aarch64: left out are gdb, which sees the emulator and not the program, clinfo, which is not emulated, and limits of memory, which are the emulator's"
TEST_ARGUMENTS="$left_out --skip gdb_ --skip clinfo_runs_clean --skip memory_that_is_scarce --skip small_stacks --skip no_stack"
if [ "${release%%.*}" -lt 8 ]; then
    # Copies of programs that have threads fail an assertion of its own ("cpu == current_cpu") or wait for ever; the driver's children begin as such here.
    say "aarch64: tests of fork() and of children are left out, which qemu $release does not survive (8 and newer do)"
    TEST_ARGUMENTS="$TEST_ARGUMENTS --skip fork --skip os::child"
fi
export TEST_ARGUMENTS
# A test that starts a program copies the emulator with its threads. In the copy, GLib before 2.76 may wait for ever for the lock of its slices, which
# another thread had (seen in qemu 7.2's tcg_tb_insert); malloc has its locks looked after. What emulators before 8 have like that gets a second attempt.
export G_SLICE=always-malloc
[ "${release%%.*}" -lt 8 ] && attempts=2 || attempts=1

log=$(mktemp)
trap 'rm -f "$log"' EXIT
steps=0 broken=0 passed=0 failed=0 ignored=0
# One step: what it is, and the arguments of check.sh.
step() {
    if ! printf '%s\n' "$1" | grep -Eq -- "${STEPS:-.}"; then
        say "aarch64, $cpu: left out: $1"
        return
    fi
    say "aarch64, $cpu under qemu $release: $1"
    shift
    attempt=1
    while
        # A copy that waits for ever hears nothing but this signal.
        { timeout --signal=KILL "$limit" tests/check.sh "$@" 2>&1 || echo "this step ended with $?"; } | tee "$log"
        grep -q '^this step ended with 137$' "$log"
    do
        say "aarch64: no end after $limit seconds (attempt $attempt of $attempts)"
        [ "$attempt" -lt "$attempts" ] || break
        attempt=$((attempt + 1))
    done
    steps=$((steps + 1))
    if grep -q '^this step ended with' "$log"; then broken=$((broken + 1)); fi
    counts=$(sed -n 's/^==> \([0-9]*\) tests passed, \([0-9]*\) failed, \([0-9]*\) ignored$/\1 \2 \3/p' "$log" | tail -1)
    # shellcheck disable=SC2086 # they are numbers
    set -- ${counts:-0 0 0}
    passed=$((passed + $1)) failed=$((failed + $2)) ignored=$((ignored + $3))
}

for cpu in $cpus; do
    export QEMU_CPU=$cpu
    step "the driver through the ICD loader" -p brolga-tests --test driver
    # Other tests that heed it, those of single passes among them, would take half an hour with as many.
    export BROLGA_SEEDS="$seeds"
    step "$seeds random kernels at every width" -p brolga-compiler --test random_kernels
    unset BROLGA_SEEDS
    step "the machine's layer" -p brolga-device
    for kibibytes in 16 64; do
        [ "$extent $kibibytes" = "quick 16" ] && continue
        preload "$target/exec.so:$target/pages$kibibytes.so"
        step "the machine's layer with pages of $kibibytes KiB" -p brolga-device
    done
    preload "$target/exec.so"
    step "code of each operation on each type" -p brolga-codegen
    [ "$extent" = quick ] || step "all other tests" --workspace --exclude brolga-codegen --exclude brolga-device --exclude brolga-tests
done
[ "$steps" != 0 ] || { say "aarch64: no step is like '$STEPS'"; exit 1; }
say "aarch64: $steps steps, $broken of them failed; $passed tests passed, $failed failed, $ignored ignored"
[ "$broken" = 0 ]
