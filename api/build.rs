//! `cl-sys` wants to link with an OpenCL loader. The driver takes its types and constants only, so that an empty stand-in is enough, and
//! the driver builds where no loader is installed.

use std::path::PathBuf;
use std::{env, fs};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let Some(out) = env::var_os("OUT_DIR").map(PathBuf::from) else {
        return;
    };
    // A linker script that asks for nothing: GNU's linker takes no empty INPUT(), zig's nothing else than INPUT() or a comment.
    if fs::write(out.join("libOpenCL.so"), "/* nothing */\n").is_ok() {
        println!("cargo::rustc-link-search=native={}", out.display());
    }
}
