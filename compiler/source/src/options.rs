//! Options of `clBuildProgram`, `clCompileProgram` and `clLinkProgram` (OpenCL API 3.0, §5.8.6 "Compiler Options" and §5.8.7 "Linker Options").
//!
//! The text is split into words once, each word is known or refused once; what is about code ends in
//! [`BuildOptions`](interface::BuildOptions), what is about the language becomes arguments of clang.

use interface::{BuildOptions, Checks};
pub use opencl_c::options::PreprocessorOption;
use std::fmt;

/// What begins the option that turns checked mode on.
const CHECKS: &str = "-brolga-check=";

/// Which entry point the options were given to: each takes its own set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// `clBuildProgram`: the compiler's options.
    Build,
    /// `clCompileProgram`: the compiler's options.
    Compile,
    /// `clLinkProgram`: the linker's options.
    Link,
}

/// The OpenCL C version asked for by `-cl-std=`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Standard {
    /// `CL1.0` (not in the specification's list; clang takes it)
    C10,
    /// `CL1.1`
    C11,
    /// `CL1.2`, also without `-cl-std`: the highest 1.x version of the device
    #[default]
    C12,
    /// `CL2.0`
    C20,
    /// `CL3.0`
    C30,
    /// `CL3.1`
    C31,
    /// `CLC++`, `CLC++1.0`
    Cpp10,
    /// `CLC++2021`
    Cpp2021,
}

impl Standard {
    /// Reads the value of `-cl-std=`.
    fn parse(value: &str) -> Option<Standard> {
        Some(match value {
            "CL1.0" => Standard::C10,
            "CL1.1" => Standard::C11,
            "CL1.2" => Standard::C12,
            "CL2.0" => Standard::C20,
            "CL3.0" => Standard::C30,
            "CL3.1" => Standard::C31,
            "CLC++" | "CLC++1.0" => Standard::Cpp10,
            "CLC++2021" => Standard::Cpp2021,
            _ => return None,
        })
    }

    /// The value of clang's `-cl-std=`. Clang 22 knows no OpenCL C 3.1: what is new in it are functions of extensions, which it knows by these.
    pub fn name(self) -> &'static str {
        match self {
            Standard::C10 => "CL1.0",
            Standard::C11 => "CL1.1",
            Standard::C12 => "CL1.2",
            Standard::C20 => "CL2.0",
            Standard::C30 | Standard::C31 => "CL3.0",
            Standard::Cpp10 => "CLC++1.0",
            Standard::Cpp2021 => "CLC++2021",
        }
    }

    /// Is it C++ for OpenCL?
    pub fn is_cpp(self) -> bool {
        matches!(self, Standard::Cpp10 | Standard::Cpp2021)
    }
}

/// Parsed options.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// What says something about code.
    pub code: BuildOptions,
    /// The language's version.
    pub standard: Standard,
    /// `-D`, `-U`, `-I` and `-include` in their order.
    pub preprocessor: Vec<PreprocessorOption>,
    /// `-cl-single-precision-constant`
    pub single_precision_constant: bool,
    /// `-w`
    pub no_warnings: bool,
    /// `-Werror`
    pub warnings_are_errors: bool,
    /// `-W<flag>` and `-Wno-<flag>`, as they are given.
    pub warning_flags: Vec<String>,
    /// `-g`: lines in SPIR-V.
    pub debug_information: bool,
    /// Given to `clBuildProgram`: the source is the whole program, and nothing outside names its functions but its kernels.
    pub whole: bool,
}

/// An option that was refused, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OptionError {
    /// The option as it was written.
    pub option: String,
    /// What is wrong with it.
    pub reason: String,
}

impl fmt::Display for OptionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "error: build option '{}': {}", self.option, self.reason)
    }
}

impl std::error::Error for OptionError {}

impl Options {
    /// Parses the options given to one of the three entry points.
    pub fn parse(text: &str, step: Step) -> Result<Options, OptionError> {
        Options::of_words(split(text)?.into_iter(), step)
    }

    /// Parses options that are words already, as those of a command line.
    pub fn of_words(mut words: impl Iterator<Item = String>, step: Step) -> Result<Options, OptionError> {
        let mut options = Options {
            whole: step == Step::Build,
            ..Options::default()
        };
        while let Some(word) = words.next() {
            options.take(&word, &mut words, step)?;
        }
        if step == Step::Link && !options.code.create_library && options.code.enable_link_options {
            return refuse("-enable-link-options", "needs -create-library");
        }
        Ok(options)
    }

    fn take(&mut self, word: &str, rest: &mut impl Iterator<Item = String>, step: Step) -> Result<(), OptionError> {
        match step {
            Step::Link if self.take_for_link(word) => Ok(()),
            Step::Link if word.starts_with(CHECKS) => self.add_checks(word),
            Step::Link => refuse(word, "the linker has no such option"),
            Step::Build | Step::Compile => {
                if self.take_for_math(word) || self.take_for_language(word)? || self.take_for_preprocessor(word, rest)? {
                    return Ok(());
                }
                match word {
                    "-create-library" | "-enable-link-options" => refuse(word, "is an option of clLinkProgram"),
                    "-x" | "-spir-std" => refuse(
                        word,
                        "SPIR binaries (cl_khr_spir) are not supported; give SPIR-V to clCreateProgramWithIL",
                    ),
                    _ => refuse(word, "there is no such option"),
                }
            }
        }
    }

    /// `-brolga-check=…`, an option of our own: checked mode, which needs lines.
    fn add_checks(&mut self, word: &str) -> Result<(), OptionError> {
        let list = word.strip_prefix(CHECKS).unwrap_or_default();
        match Checks::parse(list) {
            Ok(checks) => self.check(checks),
            Err(reason) => return refuse(word, &reason),
        }
        Ok(())
    }

    /// Checks kernels for more.
    pub fn check(&mut self, checks: Checks) {
        self.code.checks |= checks;
        self.debug_information |= !checks.is_empty();
    }

    /// §5.8.7: the options of a library, and those that may be changed at link time.
    fn take_for_link(&mut self, word: &str) -> bool {
        match word {
            "-create-library" => self.code.create_library = true,
            "-enable-link-options" => self.code.enable_link_options = true,
            "-cl-denorms-are-zero"
            | "-cl-no-signed-zeros"
            | "-cl-no-signed-zeroes"
            | "-cl-unsafe-math-optimizations"
            | "-cl-finite-math-only"
            | "-cl-fast-relaxed-math"
            | "-cl-no-subgroup-ifp" => return self.take_for_math(word),
            _ => return false,
        }
        true
    }

    /// §5.8.6.2, §5.8.6.3: math intrinsics and optimization.
    fn take_for_math(&mut self, word: &str) -> bool {
        let code = &mut self.code;
        match word {
            "-cl-single-precision-constant" => self.single_precision_constant = true,
            "-cl-denorms-are-zero" => code.denorms_are_zero = true,
            "-cl-fp32-correctly-rounded-divide-sqrt" => code.correctly_rounded_divide_sqrt = true,
            "-cl-opt-disable" => code.optimizations_disabled = true,
            // An option of OpenCL 1.0 that later versions still take: it says what is assumed anyway.
            "-cl-strict-aliasing" => {}
            "-cl-uniform-work-group-size" => code.uniform_work_group_size = true,
            // Sub-groups of a work-group never wait for each other here, so nothing relies on their independent progress.
            "-cl-no-subgroup-ifp" => {}
            "-cl-mad-enable" => code.mad_enable = true,
            "-cl-no-signed-zeros" | "-cl-no-signed-zeroes" => code.no_signed_zeros = true,
            "-cl-finite-math-only" => code.finite_math_only = true,
            "-cl-unsafe-math-optimizations" => {
                code.unsafe_math = true;
                code.no_signed_zeros = true;
                code.mad_enable = true;
            }
            "-cl-fast-relaxed-math" => {
                code.fast_relaxed_math = true;
                code.finite_math_only = true;
                code.unsafe_math = true;
                code.no_signed_zeros = true;
                code.mad_enable = true;
            }
            _ => return false,
        }
        true
    }

    /// §5.8.6.4 to §5.8.6.7: warnings, the version of OpenCL C, debugging, kernel argument information.
    fn take_for_language(&mut self, word: &str) -> Result<bool, OptionError> {
        match word {
            "-w" => self.no_warnings = true,
            "-Werror" => self.warnings_are_errors = true,
            // Not OpenCL's, but every front end's that is made of clang; programs use them.
            // A comma would hand words to the preprocessor, the assembler or the linker.
            flag if flag.len() > 2 && flag.starts_with("-W") && !flag.contains(',') => self.warning_flags.push(flag.to_owned()),
            "-cl-kernel-arg-info" => self.code.kernel_arg_info = true,
            // Also asks for more errors of the functions that enqueue on the device, which this device lacks.
            "-g" => self.debug_information = true,
            _ if word.starts_with(CHECKS) => self.add_checks(word)?,
            _ => match word.strip_prefix("-cl-std=") {
                Some(value) => match Standard::parse(value) {
                    Some(standard) => self.standard = standard,
                    None => {
                        return refuse(
                            word,
                            "the versions are CL1.0, CL1.1, CL1.2, CL2.0, CL3.0, CL3.1, CLC++1.0 and CLC++2021",
                        );
                    }
                },
                None => return Ok(false),
            },
        }
        Ok(true)
    }

    /// §5.8.6.1: `-D name`, `-D name=definition`, `-I dir`, and, as in C compilers, `-U name` and `-include file`, each as one word or two.
    fn take_for_preprocessor(&mut self, word: &str, rest: &mut impl Iterator<Item = String>) -> Result<bool, OptionError> {
        for flag in ["-D", "-U", "-I", "-include"] {
            let Some(joined) = word.strip_prefix(flag) else { continue };
            let value = match joined {
                "" => rest.next().unwrap_or_default(),
                _ => joined.to_owned(),
            };
            let name = value.split('=').next().unwrap_or_default();
            if value.is_empty() {
                return refuse(word, "a value must follow");
            }
            if matches!(flag, "-D" | "-U") && !is_macro_head(name) {
                return refuse(&format!("{flag} {value}"), "a macro's name must follow");
            }
            self.preprocessor.push(match flag {
                "-D" => PreprocessorOption::Define(value),
                "-U" => PreprocessorOption::Undefine(value),
                "-I" => PreprocessorOption::Directory(value.into()),
                _ => PreprocessorOption::Include(value),
            });
            return Ok(true);
        }
        Ok(false)
    }
}

/// A macro's name, or a name with parameters as in `f(x)=x`.
fn is_macro_head(name: &str) -> bool {
    name.starts_with(|c: char| c == '_' || c.is_ascii_alphabetic())
}

fn refuse<T>(option: &str, reason: &str) -> Result<T, OptionError> {
    Err(OptionError {
        option: option.to_owned(),
        reason: reason.to_owned(),
    })
}

/// Splits the text into words at white space. Quotes, single or double, keep white space in a word; a backslash takes a quote,
/// a backslash or a space as it is (and stands for itself before anything else, as in a path).
fn split(text: &str) -> Result<Vec<String>, OptionError> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote: Option<char> = None;
    let mut characters = text.chars().peekable();
    while let Some(c) = characters.next() {
        match (c, quote) {
            ('\\', None | Some('"')) if characters.peek().is_some_and(|&next| "\"'\\ ".contains(next)) => {
                word.get_or_insert_default().extend(characters.next());
            }
            (_, Some(open)) if c == open => quote = None,
            ('"' | '\'', None) => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (_, None) if c.is_whitespace() => words.extend(word.take()),
            _ => word.get_or_insert_default().push(c),
        }
    }
    if let Some(open) = quote {
        return refuse(&word.unwrap_or_default(), &format!("the closing {open} is missing"));
    }
    words.extend(word);
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn build(text: &str) -> Result<Options, OptionError> {
        Options::parse(text, Step::Build)
    }

    #[test]
    fn words_and_quotes() {
        let words = split(r#" -DA="x y"  '-I a b' -DS=\"s\" -I c\ d -DP=a\b "#).unwrap();
        assert_eq!(words, ["-DA=x y", "-I a b", "-DS=\"s\"", "-I", "c d", r"-DP=a\b"]);
        assert!(split("-D 'a").unwrap_err().reason.contains("closing '"));
    }

    #[test]
    fn definitions_keep_their_order() {
        let options = build("-D A -DB=2 -I inc -D f(x)=x").unwrap();
        let define = |text: &str| PreprocessorOption::Define(text.into());
        let expected = [
            define("A"),
            define("B=2"),
            PreprocessorOption::Directory("inc".into()),
            define("f(x)=x"),
        ];
        assert_eq!(options.preprocessor, expected);
        let more = build("-UA -include a.h").unwrap().preprocessor;
        assert_eq!(
            more,
            [PreprocessorOption::Undefine("A".into()), PreprocessorOption::Include("a.h".into())]
        );
    }

    #[test]
    fn options_imply_others() {
        let code = build("-cl-fast-relaxed-math").unwrap().code;
        assert!(code.finite_math_only && code.unsafe_math && code.no_signed_zeros && code.mad_enable);
        assert!(!code.denorms_are_zero);
    }

    #[test]
    fn the_language_version() {
        assert_eq!(build("").unwrap().standard, Standard::C12);
        assert_eq!(build("-cl-std=CL3.0").unwrap().standard, Standard::C30);
        assert_eq!(build("-cl-std=CL3.1").unwrap().standard, Standard::C31);
        assert!(build("-cl-std=CL9").unwrap_err().to_string().contains("'-cl-std=CL9'"));
    }

    #[test]
    fn what_is_unknown_is_named() {
        for bad in ["-foo", "x.cl", "-D", "-I", "-D =1", "-create-library", "-x spir", "-cl-std"] {
            assert!(build(bad).is_err(), "{bad}");
        }
        assert_eq!(build("-w -funroll").unwrap_err().option, "-funroll");
    }

    #[test]
    fn warnings_have_flags() {
        let options = build("-Wall -Wno-format -Werror").unwrap();
        assert_eq!(options.warning_flags, ["-Wall", "-Wno-format"]);
        assert!(options.warnings_are_errors);
        for other in ["-W", "-Wp,-MD,file", "-Wl,-s", "-Wa,-L"] {
            assert_eq!(build(other).unwrap_err().option, other);
        }
    }

    #[test]
    fn the_linker_takes_its_own() {
        assert!(
            Options::parse("-create-library -enable-link-options", Step::Link)
                .unwrap()
                .code
                .create_library
        );
        assert!(Options::parse("-cl-denorms-are-zero", Step::Link).unwrap().code.denorms_are_zero);
        assert!(Options::parse("-enable-link-options", Step::Link).is_err());
        assert!(Options::parse("-cl-mad-enable", Step::Link).is_err());
        assert!(Options::parse("-DA", Step::Link).is_err());
    }
}
