//! A target for LLVM's libFuzzer, which keeps and changes the inputs that reach new code: `tests/fuzz.sh` builds and runs it.
//!
//! The first byte of an input chooses options, the rest is the program. Whatever becomes of it, the compiler says so. What doesn't (a panic, a
//! refusal without a word, too much time, memory or stack) ends the process, and leaves the input in a file.

#![no_main]

mod searched;

use opencl_c::{CompileOptions, Input, compile};
use searched::FEATURES;
use std::ffi::{c_char, c_int};
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::sync::OnceLock;

/// Called once, before the inputs.
#[unsafe(no_mangle)]
extern "C" fn LLVMFuzzerInitialize(_argc: *mut c_int, _argv: *mut *mut *mut c_char) -> c_int {
    // The compiler works on a thread of its own: what panics there would only be an internal error.
    std::panic::set_hook(Box::new(|panic| {
        eprintln!("{panic}");
        std::process::abort();
    }));
    0
}

/// Writes an input to the file that `FUZZ_INPUT` names: where a stack overflows, libFuzzer has no room to do so.
fn keep(data: &[u8]) {
    static FILE: OnceLock<Option<File>> = OnceLock::new();
    let file = FILE.get_or_init(|| File::create(std::env::var_os("FUZZ_INPUT")?).ok());
    if let Some(file) = file {
        let written = file.set_len(data.len() as u64).and_then(|()| file.write_all_at(data, 0));
        written.expect("the input is written");
    }
}

/// Called with each input.
///
/// # Safety
///
/// `data` has `size` bytes.
#[unsafe(no_mangle)]
unsafe extern "C" fn LLVMFuzzerTestOneInput(data: *const u8, size: usize) -> c_int {
    let data = match size {
        0 => &[],
        // SAFETY: the caller keeps the contract.
        _ => unsafe { std::slice::from_raw_parts(data, size) },
    };
    let Some((&choice, source)) = data.split_first() else { return 0 };
    let options = CompileOptions {
        version: [300, 200, 300, 120][usize::from(choice & 3)],
        features: FEATURES.map(String::from).to_vec(),
        debug_information: choice & 4 != 0,
        kernel_arg_info: choice & 8 != 0,
        whole: choice & 16 == 0,
        ..CompileOptions::default()
    };
    keep(data);
    let output = compile(&Input {
        name: "input.cl",
        source,
        headers: &[],
        options: &options,
    });
    assert!(output.product.is_some() || !output.log.is_empty(), "refused without a word");
    0
}
