#!/bin/sh
# Runs every test of the workspace, or of the packages that are named (-p NAME), and says how many ran. CARGO is another cargo than the first in
# PATH, TEST_ARGUMENTS are words for the tests' programs.
set -eu
[ $# -gt 0 ] || set -- --workspace
log=$(mktemp)
trap 'rm -f "$log"' EXIT
failed=0
# shellcheck disable=SC2086 # they are words
{ "${CARGO:-cargo}" test "$@" --no-fail-fast ${TEST_ARGUMENTS:+-- $TEST_ARGUMENTS} 2>&1 || echo "cargo test failed"; } | tee "$log"
grep -q '^cargo test failed' "$log" && failed=1
count() { sed -n "s/^test result: .*[ .]\([0-9]*\) $1;.*/\1/p" "$log" | awk '{ n += $1 } END { print n + 0 }'; }
printf '==> %s tests passed, %s failed, %s ignored\n' "$(count passed)" "$(count failed)" "$(count ignored)"
exit $failed
