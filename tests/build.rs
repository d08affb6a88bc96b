//! Finds the system's ICD loader to link with, and builds the C programs and SPIR-V files of `demo/` and `programs/`
//! into `target/programs/`.

use std::path::{Path, PathBuf};
use std::process::Command;

fn main() {
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("set by cargo"));
    link_loader(&out);

    // OUT_DIR is target/PROFILE/build/PACKAGE/out.
    let target = out.ancestors().nth(4).expect("OUT_DIR lies in the target directory");
    let programs = target.join("programs");
    std::fs::create_dir_all(&programs).expect("the target directory can be written to");
    println!("cargo::rustc-env=PROGRAMS={}", programs.display());
    for directory in ["demo", "programs"] {
        println!("cargo::rerun-if-changed={directory}");
        let mut files: Vec<PathBuf> = std::fs::read_dir(directory)
            .expect("a directory of this package")
            .flatten()
            .map(|entry| entry.path())
            .collect();
        files.sort();
        for file in files {
            match file.extension().and_then(|extension| extension.to_str()) {
                Some("c") => build_program(&file, &programs, &out),
                Some("spvasm") => assemble(&file, &programs),
                _ => {}
            }
        }
    }
}

/// Links with `libOpenCL.so.1`: the name without a number comes only with development packages, so it is made here.
fn link_loader(out: &Path) {
    let variable = |name| std::env::var(name).expect("set by cargo");
    let of_architecture = format!("/usr/lib/{}-linux-gnu", variable("CARGO_CFG_TARGET_ARCH"));
    // Only there is what another machine runs.
    let is_cross = variable("HOST") != variable("TARGET");
    let of_host = ["/usr/local/lib", &of_architecture, "/usr/lib64", "/usr/lib", "/lib"];
    let loader = of_host
        .iter()
        .filter(|&&directory| !is_cross || directory == of_architecture)
        .map(|directory| Path::new(directory).join("libOpenCL.so.1"))
        .find(|path| path.exists());
    let Some(loader) = loader else {
        println!(
            "cargo::warning=no libOpenCL.so.1 was found: tests need an ICD loader (Debian: ocl-icd-libopencl1; 'make check' installs it)"
        );
        return;
    };
    let link = out.join("libOpenCL.so");
    let _ = std::fs::remove_file(&link);
    std::os::unix::fs::symlink(&loader, &link).expect("OUT_DIR can be written to");
    println!("cargo::rustc-link-search=native={}", out.display());
}

/// A C host program, compiled and linked as its user would.
fn build_program(source: &Path, programs: &Path, loader: &Path) {
    let program = programs.join(source.file_stem().expect("a file name"));
    let Ok(compiler) = cc::Build::new().opt_level(2).try_get_compiler() else {
        return println!("cargo::warning=no C compiler: {} is not built", source.display());
    };
    let mut command = compiler.to_command();
    command.args([
        "-std=gnu11",
        "-Wall",
        "-Wextra",
        "-Werror",
        "-DCL_TARGET_OPENCL_VERSION=300",
        "-frounding-math",
        "-rdynamic",
        "-o",
    ]);
    command
        .arg(&program)
        .arg(source)
        .arg("-L")
        .arg(loader)
        .args(["-lOpenCL", "-lm", "-lpthread", "-ldl"]);
    report(command, source);
}

/// A SPIR-V module from its text.
fn assemble(source: &Path, programs: &Path) {
    let module = programs.join(source.file_name().expect("a file name")).with_extension("spv");
    let mut command = Command::new("spirv-as");
    command.args(["--target-env", "spv1.2", "-o"]).arg(module).arg(source);
    report(command, source);
}

fn report(mut command: Command, source: &Path) {
    match command.output() {
        Ok(output) if output.status.success() => {}
        Ok(output) => {
            let text = [output.stdout, output.stderr].concat();
            for line in String::from_utf8_lossy(&text).lines().take(20) {
                println!("cargo::warning={line}");
            }
            println!("cargo::warning={} is not built", source.display());
        }
        Err(error) => println!(
            "cargo::warning={} is not built: {}: {error}",
            source.display(),
            command.get_program().display()
        ),
    }
}
