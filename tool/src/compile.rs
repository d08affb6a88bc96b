//! `brolga compile`, `brolga preprocess`: OpenCL C by the driver's own front end.

use clap::{Arg, ArgMatches, Command};
use compiler::environment::Environment;
use compiler::source::{Features, Making, Options, SourceRequest, Step, compile_file};
use opencl_c::Product;
use std::io::{Read, Write};

/// What the arguments say.
#[derive(Default)]
struct Arguments {
    file: Option<String>,
    output: Option<String>,
    check: bool,
    /// `-c`: a module for others to link to, as `clCompileProgram` makes; otherwise the whole program, as `clBuildProgram` does.
    object: bool,
    options: Vec<String>,
}

impl Arguments {
    fn of(words: &[String]) -> Result<Arguments, String> {
        let mut arguments = Arguments::default();
        let mut words = words.iter();
        while let Some(word) = words.next() {
            match word.as_str() {
                "-o" => arguments.output = Some(words.next().ok_or("a file must follow -o")?.clone()),
                "--check" => arguments.check = true,
                "-c" | "--object" => arguments.object = true,
                // Options whose value may be a word of its own.
                "-D" | "-U" | "-I" | "-include" => {
                    arguments.options.push(word.clone());
                    arguments.options.extend(words.next().cloned());
                }
                word if word.starts_with('-') && word != "-" => arguments.options.push(word.to_owned()),
                _ if arguments.file.is_some() => return Err(format!("one file at a time: {word}")),
                _ => arguments.file = Some(word.clone()),
            }
        }
        Ok(arguments)
    }
}

/// The words behind the name of the subcommand, as `clBuildProgram` would have them as options, and the file.
fn words(about: &'static str, name: &'static str) -> Command {
    Command::new(name).about(about).arg(
        Arg::new("WORD")
            .num_args(1..)
            .required(true)
            .trailing_var_arg(true)
            .allow_hyphen_values(true)
            .help("A file (- for standard input), -o FILE, --check for diagnostics only, -c for a module to link with others, and options as clBuildProgram takes them"),
    )
}

/// The place of `brolga compile` on the command line.
pub fn command() -> Command {
    words("Compile OpenCL C to SPIR-V by the driver's own front end", "compile")
}

/// The place of `brolga preprocess` on the command line.
pub fn preprocess_command() -> Command {
    words("Show OpenCL C without directives and macros", "preprocess")
}

/// `brolga compile`.
pub fn run(arguments: &ArgMatches) -> u8 {
    exit_code("compile", arguments, Making::Module)
}

/// `brolga preprocess`.
pub fn preprocess(arguments: &ArgMatches) -> u8 {
    exit_code("preprocess", arguments, Making::Text)
}

fn exit_code(name: &str, arguments: &ArgMatches, making: Making) -> u8 {
    let words: Vec<String> = arguments.get_many::<String>("WORD").unwrap_or_default().cloned().collect();
    match make(&words, making) {
        Ok(true) => 0,
        Ok(false) => 1,
        Err(message) => super::refuse(name, &message),
    }
}

fn make(words: &[String], making: Making) -> Result<bool, String> {
    let arguments = Arguments::of(words)?;
    let file = arguments.file.ok_or("which file?")?;
    let step = if arguments.object { Step::Compile } else { Step::Build };
    let options = Options::of_words(arguments.options.into_iter(), step).map_err(|error| error.to_string())?;
    let source = read(&file).map_err(|error| format!("{file}: {error}"))?;
    let registry = Environment::device().registry;
    let opencl = registry.clang_opencl();
    let request = SourceRequest {
        source: &source,
        headers: &[],
        options: &options,
        features: Features {
            opencl: &opencl,
            version: registry.opencl_version(),
            ..Features::default()
        },
    };
    let making = if arguments.check { Making::Nothing } else { making };
    let output = compile_file(&request, &file, making);
    eprint!("{}", output.log);
    let bytes = match output.product {
        None => return Ok(false),
        Some(Product::Nothing) => return Ok(true),
        Some(Product::Text(text)) => text.into_bytes(),
        Some(Product::Spirv(words)) => words.iter().flat_map(|word| word.to_le_bytes()).collect(),
    };
    let to = match (arguments.output, making) {
        (Some(file), _) => Some(file),
        (None, Making::Module) => Some(beside(&file)),
        (None, _) => None,
    };
    match to.filter(|file| file != "-") {
        Some(file) => std::fs::write(&file, bytes).map_err(|error| format!("{file}: {error}"))?,
        None => std::io::stdout().write_all(&bytes).map_err(|error| error.to_string())?,
    }
    Ok(true)
}

fn read(file: &str) -> std::io::Result<Vec<u8>> {
    match file {
        "-" => {
            let mut text = Vec::new();
            std::io::stdin().read_to_end(&mut text)?;
            Ok(text)
        }
        _ => std::fs::read(file),
    }
}

/// The name of a module without one: `a.spv` for `a.cl`, standard output for standard input.
fn beside(file: &str) -> String {
    match file {
        "-" => "-".to_owned(),
        _ => format!("{}.spv", file.strip_suffix(".cl").unwrap_or(file)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The words of the module that is made of a program.
    fn compiled(name: &str, source: &str, options: &[&str]) -> Vec<u32> {
        let at = |suffix: &str| std::env::temp_dir().join(format!("brolga-{}-{name}.{suffix}", std::process::id()));
        let (file, module) = (at("cl"), at("spv"));
        std::fs::write(&file, source).expect("the file is written");
        let mut words: Vec<String> = options.iter().map(|word| word.to_string()).collect();
        words.extend(["-o".to_owned(), module.display().to_string(), file.display().to_string()]);
        assert_eq!(make(&words, Making::Module), Ok(true));
        let bytes = std::fs::read(&module).expect("there is a module");
        for path in [file, module] {
            std::fs::remove_file(path).expect("it was there");
        }
        bytes
            .chunks_exact(4)
            .map(|word| u32::from_le_bytes(word.try_into().expect("four bytes")))
            .collect()
    }

    #[test]
    fn an_object_is_one_to_link() {
        let source = "int other(int); int own(int x) { return x; } kernel void k(global int *p) { *p = own(*p); }";
        // OpCapability Linkage
        let has_linkage = |words: &[u32]| words.windows(2).any(|pair| pair == [(2 << 16) | 17, 5]);
        assert!(has_linkage(&compiled("object", source, &["-c"])));
        assert!(!has_linkage(&compiled("program", source, &[])));
    }
}
