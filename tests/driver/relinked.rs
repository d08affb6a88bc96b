//! Modules of clang that other tools have put together, and written their names into the header of: what is taken from clang is taken then, too.

use brolga_tests::{Argument, Context, Program, Range};
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Structs by value, printf, and what LLVM's back end writes in its own way.
const KERNELS: &str = include_str!("../linked/kernels.cl");
const FUNCTIONS: &str = include_str!("../linked/functions.cl");

/// Where a process that is a test finds the module whose kernel is to print.
const MODULE: &str = "BROLGA_TEST_MODULE";

/// A folder of this process, removed when it is dropped.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("brolga-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).expect("a folder for modules");
        fs::write(path.join("kernels.cl"), KERNELS).expect("a file");
        fs::write(path.join("functions.cl"), FUNCTIONS).expect("a file");
        Folder(path)
    }

    /// Runs a program here, its arguments separated by blanks; says so where it is not installed.
    fn run(&self, line: &str) -> Option<()> {
        let mut words = line.split_whitespace();
        let program = words.next().expect("a program");
        match Command::new(program).args(words).current_dir(&self.0).output() {
            Ok(output) => assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr)),
            Err(error) => {
                println!("skipped: {program}: {error}");
                return None;
            }
        }
        Some(())
    }

    fn module(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// As `struct S` of the kernels.
#[repr(C)]
struct Numbers {
    first: i32,
    rest: [i64; 3],
}

impl Argument for Numbers {
    fn value(&self) -> (usize, *const brolga_tests::cl_sys::c_void) {
        (size_of::<Self>(), std::ptr::from_ref(self).cast())
    }
}

fn program(context: &Context, module: &Path) -> Program {
    let il = fs::read(module).expect("the module");
    let built = Program::from_il(context, &il).expect("a program").build("");
    built.unwrap_or_else(|log| panic!("{}: {log}", module.display()))
}

/// This program again, with the test that prints alone.
fn printing(module: &OsStr) -> Output {
    Command::new(std::env::current_exe().expect("this test's program"))
        .args(["--exact", "relinked::prints_of_one_module", "--nocapture", "--test-threads=1"])
        .env(MODULE, module)
        .output()
        .expect("this test's program again")
}

/// Each kernel of a module does what it says.
fn check(module: &Path, has_sub_groups: bool) {
    let context = Context::new();
    let program = program(&context, module);
    let range = Range::new([8]).local([8]);
    let run = |name: &str, more: &[&dyn Argument]| {
        let out = context.zeros::<i32>(8);
        let arguments: Vec<&dyn Argument> = [&out as &dyn Argument].into_iter().chain(more.iter().copied()).collect();
        program.kernel(name).run(&context, &range, &arguments);
        out.read()
    };
    let numbers = Numbers {
        first: 100,
        rest: [1, 20, 3],
    };
    assert_eq!(run("by_value", &[&numbers]), [101, 120, 103, 101, 120, 103, 101, 120]);
    let sum = context.zeros::<i64>(1);
    assert_eq!(run("any_and_all", &[&sum]), [3, 3, 3, 2, 2, 0, 0, 0]);
    assert_eq!(sum.read(), [28 << 33]);
    if has_sub_groups {
        let (seconds, size) = (run("broadcast", &[&1u32]), run("size", &[])[0]);
        let expected: Vec<i32> = (0..8).map(|i| 3 * (i - i % size + 1)).collect();
        assert_eq!(seconds, expected);
    }
    let printed = printing(module.as_os_str());
    let text = String::from_utf8_lossy(&printed.stdout);
    assert!(
        printed.status.success() && text.contains("n is 7, linked"),
        "{}: {text}",
        module.display()
    );
}

/// Runs the kernel that prints, in a process whose stdout another test reads.
#[test]
fn prints_of_one_module() {
    let Some(module) = std::env::var_os(MODULE) else { return };
    let context = Context::new();
    let kernel = program(&context, Path::new(&module)).kernel("text");
    kernel.run(&context, &Range::new([4]), &[&7i32]);
}

/// Language and extensions that the kernels need.
const LANGUAGE: &str = "-cl-std=CL3.0 -Xclang -cl-ext=+cl_khr_int64_base_atomics,+__opencl_c_subgroups,+cl_khr_subgroup_ballot -DSUB_GROUPS \
                        -mllvm -spirv-ext=+SPV_EXT_relaxed_printf_string_address_space";

/// clang calls spirv-link where it is given several files.
#[test]
fn by_clang() {
    let folder = Folder::new("by-clang");
    for level in ["-O0", "-O2"] {
        let line = format!("clang-22 --target=spirv64 {LANGUAGE} {level} kernels.cl functions.cl -o linked.spv");
        let Some(()) = folder.run("spirv-link --version").and_then(|()| folder.run(&line)) else {
            return;
        };
        check(&folder.module("linked.spv"), true);
    }
}

#[test]
fn by_spirv_link() {
    let folder = Folder::new("by-spirv-link");
    for file in ["kernels", "functions"] {
        let line = format!("clang-22 --target=spirv64 {LANGUAGE} -c {file}.cl -o {file}.spv");
        let Some(()) = folder.run(&line) else { return };
    }
    for how in ["", "--create-library"] {
        let Some(()) = folder.run(&format!("spirv-link kernels.spv functions.spv {how} -o linked.spv")) else {
            return;
        };
        check(&folder.module("linked.spv"), true);
    }
}

/// The assembler writes its own name into what was disassembled.
#[test]
fn by_the_assembler() {
    let folder = Folder::new("by-assembler");
    let line = format!("clang-22 --target=spirv64 {LANGUAGE} kernels.cl functions.cl -o linked.spv");
    let steps = [
        "spirv-link --version",
        &line,
        "spirv-dis linked.spv -o linked.txt",
        "spirv-as --target-env spv1.4 linked.txt -o again.spv",
    ];
    if steps.iter().all(|step| folder.run(step).is_some()) {
        check(&folder.module("again.spv"), true);
    }
}

/// The Khronos translator's modules, linked.
#[test]
fn by_the_translator() {
    let folder = Folder::new("by-translator");
    for file in ["kernels", "functions"] {
        let compile = format!(
            "clang-14 -target spir64-unknown-unknown -cl-std=CL1.2 -O1 -emit-llvm -c {file}.cl -o {file}.bc -Xclang -finclude-default-header"
        );
        let translate = format!("llvm-spirv-14 {file}.bc -o {file}.spv");
        let Some(()) = folder.run(&compile).and_then(|()| folder.run(&translate)) else {
            return;
        };
    }
    let Some(()) = folder.run("spirv-link kernels.spv functions.spv -o linked.spv") else {
        return;
    };
    check(&folder.module("linked.spv"), false);
}
