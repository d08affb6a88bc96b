//! Programs that are nearly right: OpenCL C, options, SPIR-V and program binaries that were right before some of their parts were exchanged.

use super::random::Random;
use api::cl::*;
use api::raw::{FromC, In, Out};
use api::{context, kernel, kernel_info, platform, program};
use std::ffi::CString;
use std::ptr::null_mut;

const NONE: *mut c_void = null_mut();

const SOURCES: &[&str] = &[
    "typedef struct { float4 a; int b[3]; } S; kernel void k(global S *s, local float *l, float f) { int i = get_global_id(0); l[i] = f; barrier(CLK_LOCAL_MEM_FENCE); s[i].a += l[i ^ 1]; s[i].b[i % 3]++; }",
    "constant int table[4] = {1, 2, 3, 4}; int f(int n) { return n < 2 ? n : table[n & 3] + 1; } kernel void k(global int *r, uint n) { for (uint i = 0; i < n; i++) { if (i % 3 == 0) continue; r[i] = f(i); } atomic_add(r, 1); }",
    "kernel __attribute__((reqd_work_group_size(8, 1, 1))) void k(read_only image2d_t i, write_only image2d_t o, sampler_t s) { int2 at = (int2)(get_global_id(0), get_global_id(1)); write_imagef(o, at, read_imagef(i, s, at).zyxw * 0.5f); }",
    "#define N 16\n#pragma OPENCL EXTENSION cl_khr_fp64 : enable\nkernel void k(global double *d, global const char *restrict c) { private short p[N]; for (int i = 0; i < N; i++) p[i] = c[i]; d[get_global_id(0)] = sub_group_reduce_add(p[get_local_id(0) % N]) + sin(d[0]); printf(\"%d %s\\n\", p[1], \"x\"); }",
];

/// Texts that go in where something goes out.
const PARTS: &[&str] = &[
    "0",
    "-1",
    "1 << 31",
    "4294967296",
    "0x1p-149f",
    "(",
    ")",
    "{",
    "}",
    ";",
    ",",
    "*",
    "&",
    "[",
    "]",
    "->",
    "global ",
    "local ",
    "constant ",
    "private ",
    "kernel ",
    "volatile ",
    "void ",
    "half ",
    "double16 ",
    "image3d_t ",
    "event_t ",
    "bool ",
    "size_t ",
    "struct ",
    "typedef ",
    "for (;;)",
    "while (1)",
    "goto x;",
    "x:",
    "return",
    "asm(\"\")",
    "#if 1\n",
    "#include \"x\"\n",
    "/*",
    "//",
    "\"",
    "'",
    "\\",
    "\n",
    "\t",
    "\u{0}",
    "\u{7f}",
    "é",
    "__attribute__((overloadable))",
    "as_float",
    "barrier(0)",
    "get_global_id(3)",
    "sizeof",
    "?:",
    "%=",
    ">>=",
    "0.5h",
    "(float4)",
    ".s0123456789abcdef",
    "__builtin_unreachable()",
    "static ",
    "inline ",
    "extern ",
];

const OPTIONS: &[&str] = &[
    "",
    "-cl-std=CL1.2",
    "-cl-std=CL2.0",
    "-cl-std=CL3.0",
    "-cl-fast-relaxed-math",
    "-cl-opt-disable",
    "-D N=1",
    "-DX",
    "-I /nowhere",
    "-cl-kernel-arg-info",
    "-w",
    "-Werror",
    "-cl-denorms-are-zero",
    "-cl-uniform-work-group-size",
    "-g",
    "-cl-mad-enable",
    "-cl-no-signed-zeros",
    "-create-library",
    "-cl-std=",
    "-D",
    "-x spir",
    "-Xclang -load",
    "--help",
    "-o /dev/null",
    "-cl-single-precision-constant",
    "-D \"A=B C\"",
    "-D 'q",
    "\\",
    "-cl-intel-no-prera-scheduling",
    "-save-temps",
];

/// Each step is a mutation.
pub fn steps(seed: u64) -> usize {
    Random::new(seed).below(12) + 1
}

fn mutate_text(random: &mut Random, text: &mut Vec<u8>) {
    if text.is_empty() {
        return;
    }
    let (from, length) = (random.below(text.len()), random.below(12));
    let to = text.len().min(from + length);
    match random.below(5) {
        0 => drop(text.drain(from..to)),
        1 => {
            let part = random.of(PARTS).as_bytes().to_vec();
            drop(text.splice(from..to, part));
        }
        2 => {
            let part = text[from..to].to_vec();
            let place = random.below(text.len());
            drop(text.splice(place..place, part));
        }
        3 => text[from] = random.word() as u8,
        _ => {
            let part = random.of(PARTS).as_bytes().to_vec();
            drop(text.splice(from..from, part));
        }
    }
}

fn mutate_bytes(random: &mut Random, bytes: &mut Vec<u8>) {
    if bytes.is_empty() {
        return;
    }
    let at = random.below(bytes.len());
    match random.below(6) {
        0 => bytes[at] ^= 1 << random.below(8),
        1 => bytes[at] = random.word() as u8,
        2 => {
            let at = at & !3;
            let word = random.of(&[0_u32, 1, 2, u32::MAX, 0x8000_0000, 0xffff, 0x10000]).to_le_bytes();
            let end = bytes.len().min(at + 4);
            bytes[at..end].copy_from_slice(&word[..end - at]);
        }
        3 => bytes.truncate(at),
        4 => {
            let to = bytes.len().min(at + 4 * random.below(8));
            let part = bytes[at..to].to_vec();
            let place = random.below(bytes.len()) & !3;
            drop(bytes.splice(place..place, part));
        }
        _ => {
            let to = bytes.len().min(at + 4 * random.below(8));
            drop(bytes.drain(at..to));
        }
    }
}

struct Fixture {
    device: cl_device_id,
    context: cl_context,
}

fn out<T>(place: &mut T) -> Out<c_void> {
    // SAFETY: a valid place.
    unsafe { Out::from_c(std::ptr::from_mut(place).cast()) }
}

fn string(text: &CString) -> In<c_char> {
    // SAFETY: a string, which lives as long as the call.
    unsafe { In::from_c(text.as_ptr()) }
}

impl Fixture {
    fn new() -> Fixture {
        let (mut platform, mut device) = (NONE, NONE);
        api::platform::get_platform_ids(1, Out::from_mut(&mut platform), Out::null()).unwrap();
        platform::get_device_ids(platform, CL_DEVICE_TYPE_ALL, 1, Out::from_mut(&mut device), Out::null()).unwrap();
        let context = context::create_context(In::null(), 1, In::from_slice(&[device]), None, NONE).unwrap();
        Fixture { device, context }
    }

    fn of_source(&self, source: &[u8]) -> cl_program {
        let strings = [source.as_ptr().cast::<c_char>()];
        program::create_program_with_source(self.context, 1, In::from_slice(&strings), In::from_slice(&[source.len()])).unwrap()
    }

    fn of_binary(&self, binary: &[u8]) -> Result<cl_program, cl_int> {
        let (pointers, lengths, devices) = ([binary.as_ptr()], [binary.len()], [self.device]);
        let mut status = 0;
        let (devices, lengths) = (In::from_slice(&devices), In::from_slice(&lengths));
        program::create_program_with_binary(
            self.context,
            1,
            devices,
            lengths,
            In::from_slice(&pointers),
            Out::from_mut(&mut status),
        )
    }

    fn binary(&self, program: cl_program) -> Vec<u8> {
        let mut size = 0_usize;
        program::get_program_info(program, CL_PROGRAM_BINARY_SIZES, 8, out(&mut size), Out::null()).unwrap();
        let mut bytes = vec![0_u8; size];
        let mut pointer = bytes.as_mut_ptr();
        program::get_program_info(program, CL_PROGRAM_BINARIES, 8, out(&mut pointer), Out::null()).unwrap();
        bytes
    }

    /// Builds a program and asks all that can be asked about it; how many calls that were.
    fn build_and_ask(&self, program: cl_program, options: &CString) -> usize {
        let built = program::build_program(program, 0, In::null(), string(options), None, NONE).is_ok();
        let mut calls = 4;
        let (mut log, mut size) = ([0_u8; 256], 0);
        let _ = program::get_program_build_info(
            program,
            self.device,
            CL_PROGRAM_BUILD_LOG,
            256,
            out(&mut log),
            Out::from_mut(&mut size),
        );
        let mut kernels = [NONE; 8];
        let mut count = 0;
        let made = kernel::create_kernels_in_program(program, 8, Out::from_mut(&mut kernels[0]), Out::from_mut(&mut count));
        assert!(built || made.is_err());
        for &kernel in kernels.iter().take(if made.is_ok() { count as usize } else { 0 }) {
            for argument in 0..4 {
                let _ = kernel_info::get_kernel_arg_info(kernel, argument, CL_KERNEL_ARG_TYPE_NAME, 256, out(&mut log), Out::null());
            }
            let asked = kernel_info::get_kernel_work_group_info(kernel, NONE, CL_KERNEL_PRIVATE_MEM_SIZE, 8, out(&mut size), Out::null());
            assert_eq!(asked, Ok(()));
            kernel::release_kernel(kernel).unwrap();
            calls += 6;
        }
        program::release_program(program).unwrap();
        calls
    }
}

pub fn run(seed: u64, skipped: &dyn Fn(usize) -> bool) -> usize {
    if !compiler::source::available() {
        return 0;
    }
    let fixture = Fixture::new();
    let mut random = Random::new(seed);
    let count = random.below(12) + 1;
    let kind = random.below(4);
    let source = random.of(SOURCES);
    let mut options = random.of(OPTIONS).as_bytes().to_vec();
    // Each mutation has numbers of its own, whatever the others do.
    let seeds: Vec<u64> = (0..count).map(|_| random.word()).collect();
    let kept = seeds
        .iter()
        .enumerate()
        .filter(|(step, _)| !skipped(*step))
        .map(|(_, &seed)| Random::new(seed));
    let plain = CString::default();
    let calls = match kind {
        // OpenCL C, and options.
        0 | 1 => {
            let mut text = source.as_bytes().to_vec();
            for mut random in kept {
                if kind == 1 {
                    options.push(b' ');
                    options.extend(random.of(OPTIONS).bytes());
                    if random.once_in(3) {
                        mutate_text(&mut random, &mut options);
                    }
                } else {
                    mutate_text(&mut random, &mut text);
                }
            }
            options.retain(|&byte| byte != 0);
            let options = CString::new(options).unwrap();
            fixture.build_and_ask(fixture.of_source(&text), &options)
        }
        // A binary, and the SPIR-V in it.
        _ => {
            let built = fixture.of_source(source.as_bytes());
            let made = program::build_program(built, 0, In::null(), In::null(), None, NONE);
            assert_eq!(made, Ok(()), "{source}");
            let mut bytes = fixture.binary(built);
            program::release_program(built).unwrap();
            const MAGIC: [u8; 4] = 0x0723_0203_u32.to_le_bytes();
            let il = bytes.windows(4).position(|word| word == MAGIC).filter(|_| kind == 3);
            if let Some(il) = il {
                bytes.drain(..il);
                bytes.truncate(bytes.len() & !3);
            }
            for mut random in kept {
                mutate_bytes(&mut random, &mut bytes);
            }
            let program = match il {
                Some(_) => program::create_program_with_il(fixture.context, In::from_slice(&bytes), bytes.len()),
                None => fixture.of_binary(&bytes),
            };
            program.map_or(1, |program| fixture.build_and_ask(program, &plain))
        }
    };
    context::release_context(fixture.context).unwrap();
    calls
}
