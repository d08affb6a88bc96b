#!/bin/sh
# Runs the launch tests under ThreadSanitizer. The standard library is not built with it, so what it reports about memory that the library itself
# synchronizes (the last reference of an Arc, the channels of the tests) is left out.
set -e
cd "$(dirname "$0")/../.."
suppressions=$(mktemp)
trap 'rm -f "$suppressions"' EXIT
cat > "$suppressions" <<'END'
race:drop_slow
race:std::sync::mpsc
race:test::
END
TSAN_OPTIONS="suppressions=$suppressions history_size=4" \
RUSTC_BOOTSTRAP=1 \
RUSTFLAGS="-Zsanitizer=thread -Cunsafe-allow-abi-mismatch=sanitizer" \
cargo test -p brolga-device --test launches --target "$(rustc -vV | sed -n 's/^host: //p')" \
    --target-dir "${TMPDIR:-/tmp}/brolga-thread-sanitizer" "$@"
