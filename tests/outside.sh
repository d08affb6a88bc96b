#!/bin/sh
# Runs OpenCL programs that were written elsewhere on the driver: clinfo, clpeak, pyopencl's examples and tests, OpenCV, and SYCL's (dpctl, dpnp).
# Installs what is missing (by apt, and pip in a virtual environment under target/).
set -eu
cd "$(dirname "$0")/.."
say() { printf '==> %s\n' "$*"; }
root=; [ "$(id -u)" = 0 ] || root=sudo
missing=
command -v clpeak >/dev/null 2>&1 || missing="$missing clpeak"
python3 -c 'import venv, ensurepip' 2>/dev/null || missing="$missing python3-venv"
if [ -n "$missing" ]; then
    say "apt-get install$missing"
    $root apt-get update -qq
    $root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing >/dev/null
fi
directory=$PWD/target/outside
if ! [ -e "$directory/ready-with-opencv" ]; then
    say "installing pyopencl and OpenCV in $directory"
    python3 -m venv "$directory"
    "$directory/bin/pip" install -q pyopencl mako pytest matplotlib scikit-build-core nanobind cmake pillow opencv-python-headless
    version=$("$directory/bin/pip" list --format=freeze | sed -n 's/^pyopencl==//p')
    # Its tests and examples are in the source package only; pip asks for the tools that would build it, cmake among them.
    PATH="$directory/bin:$PATH" "$directory/bin/pip" download -q --no-deps --no-build-isolation --no-binary pyopencl -d "$directory" "pyopencl==$version"
    tar xf "$directory"/pyopencl-*.tar.gz -C "$directory"
    touch "$directory/ready-with-opencv"
fi
if ! [ -e "$directory/ready-with-sycl" ]; then
    say "installing dpctl and dpnp in $directory/sycl (2 GB)"
    python3 -m venv "$directory/sycl"
    "$directory/sycl/bin/pip" install -q dpctl dpnp pytest scipy
    touch "$directory/ready-with-sycl"
fi
source=$(echo "$directory"/pyopencl-*/)
export OCL_ICD_VENDORS="$PWD/target/vendors/" PYOPENCL_CTX=0 PYOPENCL_NO_CACHE=1 MPLBACKEND=Agg BROLGA_CACHE="$PWD/target/cache"
failed=
check() {
    name=$1; shift
    if "$@" >"$directory/log" 2>&1 </dev/null; then say "$name: right"; else failed="$failed $name"; say "$name: FAILED"; tail -n 15 "$directory/log"; fi
}
clinfo_is_clean() { clinfo >"$directory/clinfo" 2>&1 && ! grep -n 'error -' "$directory/clinfo"; }
check clinfo clinfo_is_clean
check clpeak clpeak
check OpenCV env OPENCV_OPENCL_DEVICE=:CPU: timeout 1800 "$directory/bin/python" tests/opencv.py
cd "$source/examples"
for example in dump-properties demo demo_array demo_elementwise demo_elementwise_complex demo-struct-reduce demo_meta_template narray pi-monte-carlo transpose n-body image_filters_using_image2d_t; do
    check "pyopencl: $example.py" timeout 600 "$directory/bin/python" $example.py
done
cd "$source/test"
for test in test_wrapper test_algorithm test_arrays_in_structs test_enqueue_copy; do
    # test_get_info wants an attribute of images that pyopencl's own class has not (`img.image`), unless the platform is Intel's or PoCL.
    check "pyopencl: $test.py" timeout 1800 "$directory/bin/python" -m pytest -q -x -k "not test_get_info" $test.py
    tail -n 1 "$directory/log"
done
# SYCL's runtime is DPC++'s; its modules are SPIR-V. (test_cython_api builds an extension, which is not of OpenCL.)
sycl() { LD_LIBRARY_PATH="$directory/sycl/lib" ONEAPI_DEVICE_SELECTOR=opencl:cpu timeout 3600 "$directory/sycl/bin/python" -m pytest -q -W ignore "$@"; }
cd "$directory"
check "SYCL: dpctl's tests" sycl -k "not test_cython_api" --pyargs dpctl
tail -n 1 "$directory/log"
for test in test_sum test_sort test_histogram test_linalg test_fft test_random; do
    check "SYCL: dpnp's $test.py" sycl --pyargs dpnp.tests.$test
    tail -n 1 "$directory/log"
done
[ -z "$failed" ] || { say "failed:$failed"; exit 1; }
