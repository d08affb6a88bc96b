# Brolga: an OpenCL driver for CPUs.
#
#   make            build the driver: target/release/libbrolga.so, and target/vendors/brolga.icd that leads a loader to it
#   make demo       install what is missing, build, run a real OpenCL program on the driver
#   make check      install what is missing, build, run all tests
#   make check-aarch64  build for aarch64, run its tests under qemu (QUICK=1: what a change must pass; CPUS, SEEDS, STEPS)
#   make fuzz       a million mutated modules through the front of the compiler; random calls, programs and binaries (FUZZ_SECONDS each)
#   make fuzz-quick  a minute of each
#   make sanitize   tests of threads and memory under LLVM's sanitizers
#   make outside    build, run programs written elsewhere: clinfo, clpeak, OpenCV, pyopencl's and SYCL's tests
#   make programs   build, time programs written elsewhere (hashcat, CLBlast, ffmpeg, OpenCV, OpenMM and others) beside the drivers of BESIDE="NAME=DIRECTORY …"
#                   (LIBRARIES="NAME=PATH …": what their libraries need; ROUNDS; PROGRAMS: words of names)
#   make conformance CTS=DIR
#                   run the OpenCL conformance tests that were built in DIR, in their wimpy mode, or (FULL=1) all that a submission needs;
#                   TARGETS="avx2 cranelift" names code generators, LIMIT=SECONDS is what a line of the list of tests may take
#   make bench      compare with every other OpenCL driver on this machine (ONLY=PART-OF-A-NAME: some rows, or a family); the run is target/bench.json,
#                   its pictures target/bench-*.svg
#   make wheel      a wheel for Python in target/dist (pyopencl finds the driver by it)
#   make deb        a Debian package in target/dist
#   make archive    an archive for other systems in target/dist
#                   (TARGET=aarch64-unknown-linux-gnu: for Arm, on any machine, as with wheel, deb and check-packages)
#   make check-packages  build all three, install each where nothing else is, use it, remove it (needs root, apt and PyPI);
#                   QUICK=1: with a library for this system's glibc, and without SYCL
#   make level-zero build the driver for oneAPI Level Zero: target/release/libze_brolga.so
#   make book       the book of docs/, as HTML in target/book
#   make check-book run the book's commands, follow its links
#   make policy     licences and sources of crates, dependencies that nothing uses, functions of the system where they should not be
#   make reproducible    build the packages in two folders, and compare
#   make install    put the driver where the system's programs find it (PREFIX, DESTDIR)
#   make uninstall  take it away again

PREFIX  ?= /usr/local
DESTDIR ?=
# Which build the tests and the registration file use: release or debug.
PROFILE ?= release
# How long `make fuzz` runs each search.
FUZZ_SECONDS ?= 60
# Other registration files that `make bench` compares with.
PEERS   ?= /etc/OpenCL/vendors

export CARGO_TARGET_DIR := $(CURDIR)/target
LIBRARY := target/$(PROFILE)/libbrolga.so
VENDORS := target/vendors/brolga.icd
# The machine that packages are for.
TARGET ?= $(shell uname -m)-unknown-linux-gnu
MACHINE := $(firstword $(subst -, ,$(TARGET)))
WHEEL := target/dist/brolga-*_$(MACHINE).whl
DEB := target/dist/brolga-opencl-icd_*_$(if $(filter aarch64,$(MACHINE)),arm64,amd64).deb
ARCHIVE := target/dist/brolga-*-linux-$(MACHINE).tar.xz
# The library that packages ship (packaging/portable.sh); with QUICK=1, one that needs this system's glibc, to test packages by.
PORTABLE := $(if $(QUICK),target/packaging/libbrolga.so,target/$(TARGET)/release/libbrolga.so)
CARGO_PROFILE := $(if $(filter release,$(PROFILE)),--release,)
SAY := @printf '==> %s\n'

.PHONY: all build level-zero need demo check check-aarch64 fuzz fuzz-quick sanitize outside programs conformance bench portable wheel deb archive check-packages book check-book policy reproducible install uninstall clean
all: build

build:
	$(SAY) "building the driver ($(PROFILE))"
	cargo build $(CARGO_PROFILE) -p brolga -p brolga-tool
	@mkdir -p target/vendors
	@printf '%s\n' "$(CURDIR)/$(LIBRARY)" > $(VENDORS)
	$(SAY) "$(LIBRARY): $$(( $$(stat -c %s $(LIBRARY)) / 1024 )) KiB; needs $$(readelf -d $(LIBRARY) | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p' | tr '\n' ' ')"
	$(SAY) "run any OpenCL program on it: OCL_ICD_VENDORS=$(CURDIR)/target/vendors PROGRAM"

level-zero:
	$(SAY) "building the driver for Level Zero ($(PROFILE))"
	cargo build $(CARGO_PROFILE) -p brolga-level-zero
	$(SAY) "run any Level Zero program on it: ZE_ENABLE_ALT_DRIVERS=$(CURDIR)/target/$(PROFILE)/libze_brolga.so PROGRAM"

need:
	@tests/need.sh

demo: need build
	$(SAY) "building the demo, a C program (tests/demo)"
	cargo build -p brolga-tests
	$(SAY) "what the system's ICD loader finds (clinfo -l)"
	@OCL_ICD_VENDORS=$(CURDIR)/target/vendors clinfo -l
	$(SAY) "running the demo through the loader"
	OCL_ICD_VENDORS=$(CURDIR)/target/vendors target/programs/mandelbrot tests/demo/mandelbrot.cl target/programs/mandelbrot.spv target/mandelbrot

check: need build
	$(SAY) "running all tests"
	@tests/check.sh

check-aarch64:
	@tests/aarch64.sh $(if $(QUICK),quick,full)

fuzz:
	$(SAY) "a million mutated modules through parsing, validation and lowering"
	cargo test --release -p brolga-environment --lib -- --ignored --nocapture many_mutated_modules
	$(SAY) "a million mutated programs in OpenCL C through the driver's own front end"
	OPENCL_C_INPUTS=1000000 cargo test --release -p brolga-opencl-c --test mutated -- --nocapture
	$(SAY) "programs in OpenCL C that reach new code of the front end, $(FUZZ_SECONDS) seconds"
	tests/fuzz.sh $(FUZZ_SECONDS)
	$(SAY) "random calls of the host API, nearly right programs and binaries, $(FUZZ_SECONDS) seconds each"
	BROLGA_FUZZ_SECONDS=$(FUZZ_SECONDS) cargo test --release -p brolga-api --test fuzz -- --test-threads 1 --include-ignored --nocapture
	$(SAY) "the same calls under AddressSanitizer and ThreadSanitizer"
	BROLGA_FUZZ_SECONDS=$(FUZZ_SECONDS) tests/sanitize.sh fuzz

# About a minute of each, on builds that the tests have made.
fuzz-quick:
	$(SAY) "mutated modules through parsing, validation and lowering"
	cargo test -p brolga-environment --lib -- --ignored --nocapture many_mutated_modules
	$(SAY) "mutated programs in OpenCL C through the driver's own front end"
	OPENCL_C_INPUTS=10000 cargo test -p brolga-opencl-c --test mutated -- --nocapture
	$(SAY) "random calls of the host API, nearly right programs and binaries, 60 seconds each"
	BROLGA_FUZZ_SECONDS=60 cargo test -p brolga-api --test fuzz -- --nocapture random_calls nearly_right_programs

sanitize:
	$(SAY) "tests under ThreadSanitizer and AddressSanitizer"
	@tests/sanitize.sh

outside: need build
	@tests/outside.sh

programs: need build
	python3 tests/applications $(foreach peer,$(BESIDE),--peer $(peer)) $(foreach path,$(LIBRARIES),--peer-library-path $(path)) $(if $(ROUNDS),--rounds $(ROUNDS)) $(foreach word,$(PROGRAMS),--only $(word))

conformance: build
	@test -n "$(CTS)" || { echo "say where the conformance tests were built: make conformance CTS=DIR"; exit 1; }
	tests/conformance.py "$(CTS)" --library $(LIBRARY) $(if $(FULL),--full) $(foreach target,$(TARGETS),--target $(target)) $(if $(LIMIT),--limit $(LIMIT))

bench: build
	$(SAY) "what reading and checking a module costs"
	cargo bench -q -p brolga-compiler --bench validation
	$(SAY) "what a kernel costs from the IR to machine code, by its size"
	cargo bench -q -p brolga-compiler --bench compile_time
	$(SAY) "measuring Brolga and the drivers of $(PEERS)"
	@mkdir -p target/bench-vendors && rm -f target/bench-vendors/*
	@cp $(VENDORS) target/bench-vendors/
	@for icd in $(PEERS)/*.icd; do case $$icd in *brolga.icd|*'*'*) ;; *) cp $$icd target/bench-vendors/ ;; esac; done
	OCL_ICD_VENDORS=$(CURDIR)/target/bench-vendors RUSTICL_ENABLE=llvmpipe cargo run --release -q -p brolga-tests --bin bench -- --json target/bench.json $(ONLY)
	@python3 docs/plot.py target/bench.json target

portable:
	@packaging/need.sh
ifdef QUICK
	$(SAY) "building the library of the packages, for this system"
	cargo build --release -p brolga -p brolga-level-zero --features brolga/command
	install -D -m 755 target/release/libbrolga.so $(PORTABLE)
	install -D -m 755 target/release/libze_brolga.so $(dir $(PORTABLE))libze_brolga.so
else
	$(SAY) "building the library of the packages, for glibc 2.28 and newer"
	packaging/portable.sh $(TARGET)
endif

wheel: portable
	$(SAY) "making the wheel"
	$(if $(QUICK),python3,target/packaging/tools/bin/python) packaging/wheel/build.py $(PORTABLE) target/dist
	$(if $(QUICK),,target/packaging/tools/bin/auditwheel show $(WHEEL))

deb: portable
	$(SAY) "making the Debian package"
	packaging/deb/build.sh $(PORTABLE) target/dist

archive: portable
	$(SAY) "making the archive"
	packaging/archive/build.sh $(PORTABLE) target/dist

check-packages: wheel deb archive
ifneq ($(MACHINE),$(shell uname -m))
	packaging/emulated.sh $(WHEEL) $(DEB) $(ARCHIVE)
else
	packaging/wheel/test.sh $(WHEEL) $(if $(QUICK),--this-system,--sycl)
	packaging/deb/test.sh $(DEB)
	packaging/archive/test.sh $(ARCHIVE) $(if $(QUICK),--this-system)
	packaging/julia/test.sh $(PORTABLE)
	packaging/conda/test.sh $(PORTABLE) target/archive/stage/here/brolga
	packaging/github-action/test.sh $(WHEEL)
endif

book:
	$(SAY) "making the book"
	@test -x target/packaging/mdbook/bin/mdbook || cargo install -q mdbook --version 0.5.4 --locked --no-default-features --root target/packaging/mdbook --target-dir target/packaging/mdbook-build
	target/packaging/mdbook/bin/mdbook build docs

check-book: build
	$(SAY) "running the book's commands, following its links"
	python3 docs/check.py

policy:
	@python3 packaging/policy.py
	@if cargo deny --version >/dev/null 2>&1; then cargo deny check licenses bans sources; fi

reproducible:
	packaging/reproducible.sh

install:
	@test -f target/release/libbrolga.so || { echo "run 'make' first"; exit 1; }
	$(SAY) "installing $(DESTDIR)$(PREFIX)/lib/libbrolga.so"
	install -D -m 755 target/release/libbrolga.so $(DESTDIR)$(PREFIX)/lib/libbrolga.so
	$(SAY) "installing $(DESTDIR)$(PREFIX)/bin/brolga"
	install -D -m 755 target/release/brolga $(DESTDIR)$(PREFIX)/bin/brolga
	$(SAY) "registering it in $(DESTDIR)/etc/OpenCL/vendors/brolga.icd"
	install -d $(DESTDIR)/etc/OpenCL/vendors
	sed 's|.*|$(PREFIX)/lib/&|' OpenCL.icd > $(DESTDIR)/etc/OpenCL/vendors/brolga.icd
	chmod 644 $(DESTDIR)/etc/OpenCL/vendors/brolga.icd
	@test ! -f target/release/libze_brolga.so || printf '==> installing %s\n' "$(DESTDIR)$(PREFIX)/lib/libze_brolga.so"
	@test ! -f target/release/libze_brolga.so || install -D -m 755 target/release/libze_brolga.so $(DESTDIR)$(PREFIX)/lib/libze_brolga.so

uninstall:
	$(SAY) "removing the driver from $(DESTDIR)$(PREFIX)"
	rm -f $(DESTDIR)$(PREFIX)/lib/libbrolga.so $(DESTDIR)$(PREFIX)/lib/libze_brolga.so $(DESTDIR)$(PREFIX)/bin/brolga $(DESTDIR)/etc/OpenCL/vendors/brolga.icd

clean:
	cargo clean
