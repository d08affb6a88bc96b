//! A kernel on each code generator that the machine can run, through the driver as a program meets it.

use super::opencl::Library;
use super::{Finding, child};
use std::path::PathBuf;
use target::BackEnd;

const ABOUT: &str = "Self-test";

/// `x[i] = x[i] * 3 + i`
const KERNEL: &str = include_str!("triple.spvasm");

/// One finding a code generator.
pub fn findings() -> Vec<Finding> {
    let Some(library) = library() else {
        return vec![Finding::problem(
            ABOUT,
            "libbrolga.so is nowhere to be found",
            "install the driver; it belongs beside this command (PREFIX/lib), or where a registration says",
        )];
    };
    let available = BackEnd::available();
    let tested = BackEnd::NAMES.iter().filter(|(_, back_end)| available.contains(back_end));
    tested.map(|&(name, _)| tested_on(&library, name)).collect()
}

fn tested_on(library: &str, target: &'static str) -> Finding {
    let result = child::run(|| {
        // SAFETY: the child has one thread.
        unsafe { std::env::set_var("BROLGA_TARGET", target) };
        run(library)
    });
    match result {
        Ok(_) => Finding::good(ABOUT, format!("{target}: a kernel gives the right result")),
        Err(error) => Finding::problem(
            ABOUT,
            format!("{target}: {error} ({library})"),
            "please report this with the output of brolga doctor --json; meanwhile BROLGA_TARGET=cranelift may help",
        ),
    }
}

fn run(library: &str) -> Result<String, String> {
    let il = compiler::spirv::assemble(KERNEL)?;
    let library = Library::open(library)?;
    let platforms = library.platforms(c"clIcdGetPlatformIDsKHR")?;
    let platform = platforms.first().ok_or("the driver shows no platform")?;
    let words: Vec<u32> = (0..1000).map(|word| word ^ 0x55).collect();
    let expected: Vec<u32> = words.iter().zip(0..).map(|(word, index)| word * 3 + index).collect();
    match platform.run(&il, c"triple", &words)? == expected {
        true => Ok(String::new()),
        false => Err("a kernel gives a wrong result".into()),
    }
}

/// The driver that belongs to this command: in the same process (the wheel), beside it, or in the `lib` of its prefix.
pub fn library() -> Option<String> {
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap_or_default();
    let loaded = maps.lines().filter_map(|line| Some(&line[line.find('/')?..]));
    let loaded = loaded.filter(|path| path.ends_with("/libbrolga.so")).map(PathBuf::from);
    let command = std::env::current_exe().ok()?;
    let beside = command.parent()?;
    let architecture = format!("../lib/{}-linux-gnu/libbrolga.so", std::env::consts::ARCH);
    let places = ["libbrolga.so", "../lib/libbrolga.so", &architecture].map(|place| beside.join(place));
    let mut found = loaded.chain(places).filter(|path| path.exists());
    found.next().map(|path| path.canonicalize().unwrap_or(path).display().to_string())
}
