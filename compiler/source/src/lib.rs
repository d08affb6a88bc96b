//! OpenCL C to SPIR-V, by our own front end ([`own`]) or by clang as a child process; [`Frontend`] says which. No LLVM is ever loaded into the
//! host's process.
//!
//! [`Options::parse`] reads what `clBuildProgram` was given, [`compile`] makes SPIR-V of a source. Which extensions and features the
//! language has is the registry's business: [`Features`] hands it over.

mod arguments;
pub mod cache;
mod child;
mod clang;
mod command;
mod diagnostics;
mod frontend;
mod headers;
mod intel;
mod mipmaps;
mod options;
mod own;
mod prelude;
mod whole;

pub use clang::{Clang, clang};
pub use diagnostics::SOURCE_NAME;
pub use frontend::{Frontend, refused_by_own};
pub use options::{OptionError, Options, PreprocessorOption, Standard, Step};
pub use own::{Making, compile_file};

use crate::cache::{Cache, Key};
use child::{End, Output as Ended};
use command::Product;
use headers::HeaderDirectory;
use interface::{BuildError, BuildErrorKind};
use std::ffi::OsString;
use std::path::Path;
use std::sync::OnceLock;

/// What clang is given before every program; [`prelude::prelude`] adds what this program needs.
const PRELUDE: &[u8] = include_bytes!("prelude.cl");

/// What the device lets OpenCL C use, as the registry derives it.
#[derive(Clone, Copy, Debug)]
pub struct Features<'a> {
    /// Extensions and features of the language: `cl_khr_fp64`, `__opencl_c_fp64`, …
    pub opencl: &'a [&'a str],
    /// SPIR-V extensions that clang may use.
    pub spirv: &'a [&'a str],
    /// The machine has a fused multiply-add: `a * b + c` may become one, and programs are told that it is fast (`FP_FAST_FMAF`).
    pub fused_multiply_add: bool,
    /// The device's version of OpenCL: 3.0 or later.
    pub version: (u8, u8),
}

impl Default for Features<'_> {
    /// OpenCL 3.1 without any feature that is optional.
    fn default() -> Self {
        Features {
            opencl: &[],
            spirv: &[],
            fused_multiply_add: true,
            version: (3, 1),
        }
    }
}

/// A program to compile.
#[derive(Clone, Copy, Debug)]
pub struct SourceRequest<'a> {
    /// OpenCL C.
    pub source: &'a [u8],
    /// Embedded headers: name as in `#include`, text.
    pub headers: &'a [(String, Vec<u8>)],
    /// The options of the build.
    pub options: &'a Options,
    /// What the language has.
    pub features: Features<'a>,
}

impl<'a> SourceRequest<'a> {
    /// The source, and the embedded headers.
    fn texts(&self) -> impl Iterator<Item = &'a [u8]> + Clone {
        let headers = self.headers.iter().map(|(_, text)| text.as_slice());
        std::iter::once(self.source).chain(headers)
    }
}

/// What came of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compiled {
    /// SPIR-V.
    pub il: Vec<u8>,
    /// Warnings.
    pub log: String,
    /// Which front end made it: [`Frontend::Own`] or [`Frontend::Clang`].
    pub by: Frontend,
}

/// Is there a compiler (`CL_DEVICE_COMPILER_AVAILABLE`)? Always, unless clang alone is asked for and missing.
pub fn available() -> bool {
    Frontend::chosen() != Frontend::Clang || clang().is_ok()
}

/// Compiles a program, with the front end that is asked for.
pub fn compile(request: &SourceRequest) -> Result<Compiled, BuildError> {
    check_version(request)?;
    frontend::compile(request, Frontend::chosen())
}

/// Compiles a program in another way, after the rest of the driver has refused what `before` was: by clang where our own front end made it; where
/// clang did, without optimization, or with it where the options disable it (clang's SPIR-V back end makes wrong SPIR-V of some of what it is given,
/// and when the program comes to it in another form it may not).
pub fn compile_otherwise(request: &SourceRequest, before: &Compiled) -> Result<Compiled, BuildError> {
    match before.by {
        Frontend::Own => frontend::instead_of_own(request, "the driver refused its SPIR-V"),
        _ => compile_with(request, Product::otherwise(request.options), Cache::of_this_user()),
    }
}

/// Compiles a program by clang, or finds what the same program became before.
fn compile_by_clang(request: &SourceRequest) -> Result<Compiled, BuildError> {
    compile_with(request, Product::asked_for(request.options), Cache::of_this_user())
}

/// Refuses a version of the language that is newer than the device.
fn check_version(request: &SourceRequest) -> Result<(), BuildError> {
    let (major, minor) = request.features.version;
    if request.options.standard == Standard::C31 && (major, minor) < (3, 1) {
        return Err(source_error(format!(
            "error: build option '-cl-std=CL3.1': this device has OpenCL {major}.{minor}, and OpenCL C 3.1 comes with OpenCL 3.1; \
             -cl-std=CL3.0 is the newest that it has\n"
        )));
    }
    Ok(())
}

fn compile_with(request: &SourceRequest, product: Product, cache: Option<&Cache>) -> Result<Compiled, BuildError> {
    let clang = clang().map_err(|advice| BuildError {
        kind: BuildErrorKind::NoCompiler,
        log: format!("error: {advice}\n"),
    })?;
    let compilation = Compilation::new(clang, request, product)?;
    let place = cache.and_then(|cache| Some((cache, compilation.key()?)));
    if let Some(known) = place.as_ref().and_then(|(cache, key)| Compiled::decode(&cache.get(key)?)) {
        return Ok(known);
    }
    let compiled = debug::timed("OpenCL C to SPIR-V, by clang", || compilation.run())?;
    if let Some((cache, key)) = place {
        cache.put(&key, &compiled.encode());
    }
    Ok(compiled)
}

impl Compiled {
    /// As it is kept: the log's length, the log, the SPIR-V.
    fn encode(&self) -> Vec<u8> {
        [&(self.log.len() as u64).to_le_bytes()[..], self.log.as_bytes(), &self.il].concat()
    }

    fn decode(bytes: &[u8]) -> Option<Compiled> {
        let (length, rest) = bytes.split_first_chunk::<8>()?;
        let (log, il) = rest.split_at_checked(usize::try_from(u64::from_le_bytes(*length)).ok()?)?;
        let log = String::from_utf8(log.to_vec()).ok()?;
        is_spirv(il).then(|| Compiled {
            il: il.to_vec(),
            log,
            by: Frontend::Clang,
        })
    }
}

/// A compilation under way.
struct Compilation<'a> {
    clang: &'a Clang,
    request: &'a SourceRequest<'a>,
    /// SPIR-V, optimized or not.
    product: Product,
    /// The source, with what this program needs before it, and with a name for diagnostics.
    input: OnceLock<Vec<u8>>,
    /// What the preprocessor makes of the source, if it can.
    preprocessed: OnceLock<Option<Vec<u8>>>,
    directory: Option<HeaderDirectory>,
    /// Options that let the embedded headers be found.
    header_options: Vec<String>,
    /// The request's options, with directories that do not depend on where clang stands.
    options: Options,
}

impl<'a> Compilation<'a> {
    fn new(clang: &'a Clang, request: &'a SourceRequest<'a>, product: Product) -> Result<Self, BuildError> {
        let mut compilation = Compilation {
            clang,
            request,
            product,
            input: OnceLock::new(),
            preprocessed: OnceLock::new(),
            directory: None,
            header_options: Vec::new(),
            options: request.options.clone(),
        };
        if !request.headers.is_empty() {
            let directory =
                HeaderDirectory::create(request.headers).map_err(|error| source_error(format!("error: embedded headers: {error}\n")))?;
            // clang stands in the directory, so that its files come first; what is relative to the host's directory is made absolute.
            if let Ok(host) = std::env::current_dir() {
                for option in &mut compilation.options.preprocessor {
                    if let PreprocessorOption::Directory(path) = option {
                        *path = host.join(&*path);
                    }
                }
                compilation.options.preprocessor.push(PreprocessorOption::Directory(host));
            }
            compilation.header_options.push("-I.".into());
            compilation.directory = Some(directory);
        }
        Ok(compilation)
    }

    /// The names in a program say what goes before it. The preprocessor is asked for them where the program's texts do not show them all.
    fn input(&self) -> &[u8] {
        self.input.get_or_init(|| {
            let all_shown = prelude::shows_all_names(self.request.texts());
            let prelude = match (!all_shown).then(|| self.preprocessed()).flatten() {
                Some(text) => prelude::prelude(std::iter::once(text)),
                // Where the preprocessor fails, so will the compiler, which says why.
                None => prelude::prelude(self.request.texts().chain(self.options.preprocessor.iter().filter_map(definition))),
            };
            input(&prelude, self.request.source)
        })
    }

    fn preprocessed(&self) -> Option<&[u8]> {
        let text = self.preprocessed.get_or_init(|| {
            let output = self.clang(Product::Preprocessed).ok().filter(|output| output.end == End::Exit(0))?;
            Some(output.stdout)
        });
        text.as_deref()
    }

    fn clang(&self, product: Product) -> Result<Ended, BuildError> {
        let words = command::arguments(&self.options, &self.request.features, product, &self.header_options);
        match product {
            Product::Preprocessed => self.clang_with(&words, &input("", self.request.source)),
            _ => self.clang_with(&words, self.input()),
        }
    }

    fn clang_with(&self, words: &[OsString], input: &[u8]) -> Result<Ended, BuildError> {
        let directory: Option<&Path> = self.directory.as_ref().map(|directory| directory.base.as_path());
        child::run(&self.clang.path, words, input, directory).map_err(|error| BuildError {
            kind: BuildErrorKind::NoCompiler,
            log: format!("error: {} could not be run: {error}\n", self.clang.path.display()),
        })
    }

    /// Is the program one to be compiled as a whole (`whole`)?
    fn is_whole(&self) -> bool {
        self.product == Product::Optimized && self.options.whole && whole::is_large(self.request.texts())
    }

    /// All that the outcome depends on, or nothing where it depends on the time.
    fn key(&self) -> Option<Key> {
        let mentions = |word: &str| {
            self.request
                .texts()
                .any(|text| text.windows(word.len()).any(|window| window == word.as_bytes()))
        };
        if mentions("__DATE__") || mentions("__TIME") {
            return None;
        }
        let mut key = Key::new(if self.is_whole() { "whole source" } else { "source" });
        key.add(self.clang.identity.as_bytes());
        for word in command::arguments(&self.options, &self.request.features, self.product, &self.header_options) {
            key.add(word.as_encoded_bytes());
        }
        key.add(PRELUDE);
        key.add(&prelude::version().to_le_bytes());
        key.add(self.request.source);
        for (name, text) in self.request.headers {
            key.add(name.as_bytes());
            key.add(text);
        }
        // Files on the disk: what the preprocessor makes of them now is the surest sign that they are what they were.
        if mentions("include") || mentions("embed") {
            key.add(self.preprocessed()?);
        }
        Some(key)
    }

    fn run(&self) -> Result<Compiled, BuildError> {
        let arguments = self.request.options.code.kernel_arg_info;
        let hint = b"vec_type_hint";
        let hints = self.request.source.windows(hint.len()).any(|window| window == hint);
        if !arguments && !hints {
            return self.spirv();
        }
        // The second run is of use only beside a first one that succeeds, and costs no time beside it.
        std::thread::scope(|scope| {
            let llvm = scope.spawn(|| self.clang(Product::Llvm));
            let mut compiled = self.spirv()?;
            if let Ok(Ok(llvm)) = llvm.join() {
                arguments::add_to(&mut compiled.il, &String::from_utf8_lossy(&llvm.stdout), arguments);
            }
            Ok(compiled)
        })
    }

    fn spirv(&self) -> Result<Compiled, BuildError> {
        let output = match self.is_whole() {
            true => self.whole()?,
            false => self.clang(self.product)?,
        };
        let log = diagnostics::readable(&output.stderr);
        match output.end {
            End::Exit(0) if is_spirv(&output.stdout) => {
                let other = if command::has_odd_widths(&output.stdout) {
                    self.otherwise()
                } else {
                    None
                };
                Ok(other.unwrap_or(Compiled {
                    il: output.stdout,
                    log,
                    by: Frontend::Clang,
                }))
            }
            _ if diagnostics::is_crash(&output) => self
                .otherwise()
                .ok_or_else(|| source_error(diagnostics::of_crash(&output, self.request.source, self.clang))),
            // It was not started: the system's loader, say, had no memory for its libraries.
            End::Exit(127) => Err(BuildError {
                kind: BuildErrorKind::NoCompiler,
                log: format!("error: clang can't be started: {log}"),
            }),
            _ => Err(source_error(match log.is_empty() {
                true => format!("error: clang ended with {:?} and said nothing\n", output.end),
                false => log,
            })),
        }
    }

    /// SPIR-V of a whole program, by two runs of clang.
    fn whole(&self) -> Result<Ended, BuildError> {
        let llvm = self.clang(Product::Unoptimized)?;
        if llvm.end != End::Exit(0) {
            return Ok(llvm);
        }
        let spirv = self.clang_with(&command::optimized(&self.request.features), &whole::internal(&llvm.stdout))?;
        let stderr = [llvm.stderr, spirv.stderr].concat();
        Ok(Ended { stderr, ..spirv })
    }

    /// clang's SPIR-V back end does not take all that its optimizer makes, nor all that is written. The program's other form may fare better.
    fn otherwise(&self) -> Option<Compiled> {
        if self.product != Product::asked_for(&self.options) {
            return None;
        }
        let output = self.clang(Product::otherwise(&self.options)).ok()?;
        let good = output.end == End::Exit(0) && is_spirv(&output.stdout);
        good.then(|| Compiled {
            log: diagnostics::readable(&output.stderr),
            il: output.stdout,
            by: Frontend::Clang,
        })
    }
}

/// What some editors put before a text in UTF-8. clang takes it at the start of a file only, and there is the prelude.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// What clang is given.
fn input(prelude: &str, source: &[u8]) -> Vec<u8> {
    [
        PRELUDE,
        format!("{prelude}#line 1 \"{}\"\n", diagnostics::SOURCE_NAME).as_bytes(),
        source.strip_prefix(BYTE_ORDER_MARK).unwrap_or(source),
    ]
    .concat()
}

/// What an option defines a macro as.
fn definition(option: &PreprocessorOption) -> Option<&[u8]> {
    match option {
        PreprocessorOption::Define(text) => Some(text.as_bytes()),
        _ => None,
    }
}

fn is_spirv(bytes: &[u8]) -> bool {
    bytes.len() >= 20 && bytes.len().is_multiple_of(4) && bytes.starts_with(&0x0723_0203_u32.to_le_bytes())
}

fn source_error(log: String) -> BuildError {
    BuildError {
        kind: BuildErrorKind::Source,
        log,
    }
}

#[cfg(test)]
mod tests;
