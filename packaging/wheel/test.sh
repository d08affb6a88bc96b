#!/bin/sh
# Tests a wheel in fresh virtual environments: test.sh WHEEL [--sycl] [--this-system]. Without --sycl, dpctl and dpnp (hundreds of megabytes) are left out.
# --this-system: the library may need this system's glibc.
set -eu
cd "$(dirname "$0")/../.."
wheel=$(realpath "$1")
shift
sycl='' portable=yes
for option; do
    case $option in
        --sycl) sycl=yes ;;
        --this-system) portable='' ;;
        *) echo "test.sh: unknown option $option"; exit 2 ;;
    esac
done
say() { printf '==> %s\n' "$*"; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
unset OCL_ICD_VENDORS OCL_ICD_FILENAMES
export PYOPENCL_NO_CACHE=1 BROLGA_CACHE=0

size=$(stat -c %s "$wheel")
say "$(basename "$wheel"): $size bytes"
most=5242880
# What is made for this system alone is compressed by zlib, not by zopfli, which makes it 3 % smaller.
[ -n "$portable" ] || most=$((most / 100 * 105))
[ "$size" -le "$most" ] || { say "larger than $most bytes"; exit 1; }
unzip -q "$wheel" -d "$scratch/unpacked"
newest=$(objdump -T "$scratch/unpacked/brolga/libbrolga.so" | grep -o 'GLIBC_[0-9.]*' | sort -uV | tail -n 1)
say "the newest symbols of glibc that the library needs: $newest"
[ -z "$portable" ] || [ "$(printf 'GLIBC_2.28\n%s\n' "$newest" | sort -V | tail -n 1)" = GLIBC_2.28 ] || { say "newer than 2.28"; exit 1; }

# An environment with these packages, in this order; pyopencl's demo on the driver; the driver's end.
environment() {
    name=$1; shift
    python3 -m venv "$scratch/$name"
    for package; do "$scratch/$name/bin/pip" install -q --disable-pip-version-check "$package"; done
}
runs() {
    "$scratch/$1/bin/python" packaging/wheel/demo.py
}
without() {
    "$scratch/$1/bin/pip" uninstall -q -y brolga
    left=$(find "$scratch/$1" -iname '*brolga*')
    [ -z "$left" ] || { say "left behind:"; echo "$left"; exit 1; }
    say "$1: uninstalled, nothing left"
}

say "brolga first, then pyopencl"
environment first "$wheel" pyopencl
runs first
first=$scratch/first/bin
say "the book's first program"
python3 docs/check.py --program first-program.md python >"$scratch/first.py"
"$first/python" "$scratch/first.py" | tee "$scratch/first.txt"
grep -Fqx '[0. 2. 4. 6.]' "$scratch/first.txt"
"$first/pip" install -q --disable-pip-version-check --force-reinstall --no-deps pyopencl
runs first
"$first/pip" install -q --disable-pip-version-check --force-reinstall --no-deps "$wheel"
runs first
say "both reinstalled: still found"

say "an older brolga beside an older pyopencl, then each upgraded"
older=$(python3 packaging/wheel/build.py "$scratch/unpacked/brolga/libbrolga.so" "$scratch/older" 0.0.1)
environment upgraded "$older" 'pyopencl<2026'
runs upgraded
upgraded=$scratch/upgraded/bin
"$upgraded/pip" install -q --disable-pip-version-check --upgrade pyopencl
runs upgraded
"$upgraded/pip" install -q --disable-pip-version-check --upgrade "$wheel"
runs upgraded
"$upgraded/pip" list --disable-pip-version-check 2>/dev/null | grep -E '^(brolga|pyopencl) '
without upgraded

say "the command"
"$first/brolga" --version
"$first/brolga" env | head -n 1
"$first/brolga" assemble tool/src/doctor/triple.spvasm >"$scratch/triple.spv"
"$first/brolga" validate "$scratch/triple.spv"
eval "$("$first/python" -m brolga env)"
[ "$(cat "$OCL_ICD_VENDORS/brolga.icd")" = "$("$first/python" -c 'import brolga; print(brolga.library_path())')" ]
[ "$("$first/python" -m brolga icd-path)" = "$OCL_ICD_VENDORS/brolga.icd" ]
# clinfo's own loader is the system's.
if command -v clinfo >/dev/null; then clinfo -l | grep Brolga; fi
"$first/brolga" doctor || { say "brolga doctor sees a problem"; exit 1; }
unset OCL_ICD_VENDORS
without first

say "pyopencl first, then brolga"
environment second pyopencl "$wheel"
runs second
without second
"$scratch/second/bin/python" -c 'import pyopencl; assert not [p for p in pyopencl.get_platforms() if p.name == "Brolga"]' 2>/dev/null ||
    "$scratch/second/bin/python" -c 'import pyopencl' # no platform at all is an error of get_platforms

if [ -n "$sycl" ]; then
    say "dpctl, and the book's first program in SYCL"
    environment sycl "$wheel" dpnp
    eval "$("$scratch/sycl/bin/python" -m brolga env)"
    LD_LIBRARY_PATH=$scratch/sycl/lib ONEAPI_DEVICE_SELECTOR=opencl:cpu "$scratch/sycl/bin/python" - <<'END'
import dpctl, dpctl.memory
device = dpctl.SyclDevice()
memory = dpctl.memory.MemoryUSMShared(64)
memory.memset(7)
assert bytes(memory.copy_to_host()) == bytes([7] * 64)
assert device.driver_version and "Brolga" in device.sycl_platform.name, device.sycl_platform.name
print("dpctl:", device.sycl_platform.name, device.name)
END
    unset OCL_ICD_VENDORS
    ln -s "$scratch/sycl" "$scratch/V"
    python3 docs/check.py --program first-program.md sh >"$scratch/sycl.sh"
    (cd "$scratch" && sh -eu sycl.sh) | tee "$scratch/sycl.txt"
    grep -Eq ' (1000000\.0|1\.e\+06)$' "$scratch/sycl.txt"
    without sycl
fi
say "the wheel is right"
