#!/bin/sh
# Runs tests of the machine and of the object model under sanitizers of LLVM's: 'thread' for what launches, queues, events and callbacks do on
# several threads, 'address' for all of the object model's tests, with the kernels that they run; 'fuzz' for random calls under each, and
# mutated modules under 'address'. Without an argument: thread and address.
#
# The standard library is not built with them. What ThreadSanitizer reports about memory that the library itself synchronizes (the last reference
# of an Arc, the channels of the tests) is left out, and so are commands that an application lets race for the same bytes. Leaks are not looked
# for: a handle is a slot of a table that the sanitizer does not search, and many a test ends with handles that it was given.
set -eu
cd "$(dirname "$0")/.."
host=$(rustc -vV | sed -n 's/^host: //p')
suppressions=$(mktemp)
trap 'rm -f "$suppressions"' EXIT
cat > "$suppressions" <<'END'
race:drop_slow
race:std::sync::mpsc
race:test::
race:device::memory::
END
export TSAN_OPTIONS="suppressions=$suppressions history_size=4" ASAN_OPTIONS="detect_leaks=0 detect_stack_use_after_return=0"
# Sanitizers are not stable options of the compiler's.
export RUSTC_BOOTSTRAP=1

sanitized() {
    sanitizer=$1
    shift
    echo "==> $sanitizer: cargo test $*"
    RUSTFLAGS="-Zsanitizer=$sanitizer -Cunsafe-allow-abi-mismatch=sanitizer" cargo test --target "$host" \
        --config 'profile.dev.package."*".opt-level=0' \
        --target-dir "${TMPDIR:-/tmp}/brolga-$sanitizer-sanitizer" "$@"
}

for sanitizer in ${1:-thread address}; do
    case $sanitizer in
    thread)
        sanitized thread -p brolga-device --test launches
        sanitized thread -p brolga-api --test commands
        ;;
    address)
        sanitized address -p brolga-api --tests
        # This one fills the stack that it asked for, and is larger under the sanitizer.
        sanitized address -p brolga-device --tests -- --skip big_needs_are_met
        ;;
    fuzz)
        sanitized address -p brolga-api --test fuzz random_calls -- --nocapture
        MUTATED_MODULES=${MUTATED_MODULES:-200000}
        export MUTATED_MODULES
        sanitized address -p brolga-environment --lib many_mutated_modules -- --ignored --nocapture
        # clang is started by a child that shares the process's memory, as in vfork(): ThreadSanitizer stops with an error of its own there.
        export BROLGA_FRONTEND=own
        sanitized thread -p brolga-api --test fuzz random_calls -- --nocapture
        ;;
    *) echo "which sanitizer? thread, address or fuzz" >&2 && exit 1 ;;
    esac
done
