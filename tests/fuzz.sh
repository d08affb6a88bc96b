#!/bin/sh
# Searches for programs in OpenCL C that the driver's own front end fails on, for SECONDS (60): LLVM's libFuzzer changes the programs of the tests,
# and keeps what reaches new code in target/fuzz/corpus. What fails is left in target/fuzz. More seeds, one a file: SEEDS=DIRECTORY.
# Needs clang's run-time library (Debian: libclang-rt-22-dev).
set -eu
cd "$(dirname "$0")/.."
library=$(for version in 22 21 20 19 18; do
    ls /usr/lib/llvm-$version/lib/clang/$version/lib/linux/libclang_rt.fuzzer-"$(uname -m)".a 2>/dev/null
done | head -n 1)
[ -n "$library" ] || {
    echo "clang's libFuzzer is not here (Debian: libclang-rt-22-dev)"
    exit 1
}
host=$(rustc -vV | sed -n 's/^host: //p')
# What libFuzzer follows: edges, and the operands of comparisons.
flags='-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=3 -Cllvm-args=-sanitizer-coverage-inline-8bit-counters'
flags="$flags -Cllvm-args=-sanitizer-coverage-pc-table -Cllvm-args=-sanitizer-coverage-trace-compares -Ccodegen-units=1"
flags="$flags -Cdebug-assertions -Clink-arg=$library -Clink-arg=-lstdc++"
program=$(RUSTFLAGS="$flags" cargo test --release --target "$host" --target-dir target/fuzz/build -p brolga-opencl-c --features coverage \
    --test coverage --no-run 2>&1 | tee /dev/stderr | sed -n 's/.*Executable.*(\(.*\))$/\1/p')
mkdir -p target/fuzz/corpus target/fuzz/seeds
# Each seed begins with the byte that chooses the options.
find tests/opencl_c compiler/opencl-c/tests/diagnostics tests/checked ${SEEDS:+"$SEEDS"} -name '*.cl' | while read -r file; do
    { printf '\0' && cat "$file"; } > "target/fuzz/seeds/$(echo "$file" | tr / _)"
done
sed -n '/^const WORDS/,/^];/s/^    \("[^\\ ]*"\),$/\1/p' compiler/opencl-c/tests/mutated.rs > target/fuzz/words
FUZZ_INPUT=target/fuzz/input "$program" -max_total_time="${1:-60}" -max_len=4096 -timeout=20 -rss_limit_mb=3000 -dict=target/fuzz/words \
    -artifact_prefix=target/fuzz/ -print_final_stats=1 target/fuzz/corpus target/fuzz/seeds || {
    code=$?
    echo "exit code $code; the last input is target/fuzz/input"
    exit $code
}
