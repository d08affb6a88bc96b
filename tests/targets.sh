#!/bin/sh
# Runs the compiler's and the driver's tests under each value of BROLGA_TARGET, and says which this machine lacks. What is used without being asked
# for has been seen by the other tests already.
set -eu
say() { printf '==> %s\n' "$*"; }
has() { grep -m1 '^flags' /proc/cpuinfo 2>/dev/null | grep -qw "$1"; }

usual=cranelift
if has avx2 && has fma && has bmi2; then usual=avx2; fi
if has avx512f && has avx512bw && has avx512dq && has avx512vl && has avx512cd; then usual=avx512; fi
for target in ${*:-cranelift avx2-base avx2 avx512-base avx512}; do
    case $target in
        avx2*) needed="avx2 fma f16c bmi2" ;;
        avx512*) needed="avx512f avx512bw avx512dq avx512vl avx512cd" ;;
        *) needed= ;;
    esac
    missing=
    for flag in $needed; do has "$flag" || missing="$missing $flag"; done
    if [ -n "$missing" ]; then
        say "BROLGA_TARGET=$target: not tested, since this machine has no$missing"
    elif [ "$target" = "$usual" ]; then
        say "BROLGA_TARGET=$target: what is used on this machine anyway"
    else
        # What the machine has beyond a target's base only changes which instructions operations become: the compiler's own tests see that.
        # The layers above the front end: what comes before is the same for all.
        layers="-p brolga-transform -p brolga-vectorize -p brolga-codegen -p brolga-compiler"
        case $target in
            *-base) what="the compiler" packages=$layers ;;
            *) what="the compiler and the driver" packages="$layers -p brolga-tests" ;;
        esac
        say "BROLGA_TARGET=$target: the tests of $what"
        # shellcheck disable=SC2086 # they are words
        BROLGA_TARGET=$target tests/check.sh $packages
    fi
done
