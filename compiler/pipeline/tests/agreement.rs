//! Validation compared with SPIRV-Tools' `spirv-val`, over some two thousand modules: each operation on each type, the modules of the tests, and what
//! clang makes of the kernels of the benchmarks and the demo. Where the two disagree, a note says which is right and why.
//!
//! `BROLGA_CORPUS=DIRECTORY cargo test -p brolga-compiler --test agreement` compares every `.spv` file below a directory as well (those of the Khronos
//! conformance tests, for one).

use compiler::environment::{Diagnostic, Environment, Severity, validate};
use compiler::spirv::{assemble, parse};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

const ORACLE: &str = "spirv-val";

const HEAD: &str = "\
; Version: 1.2
OpCapability Kernel
OpCapability Addresses
OpCapability Linkage
OpCapability Int8
OpCapability Int16
OpCapability Int64
OpCapability Float16
OpCapability Float64
OpCapability GenericPointer
OpMemoryModel Physical64 OpenCL
%void = OpTypeVoid
%bool = OpTypeBool
%char = OpTypeInt 8 0
%int = OpTypeInt 32 0
%long = OpTypeInt 64 0
%half = OpTypeFloat 16
%float = OpTypeFloat 32
%double = OpTypeFloat 64
%bool4 = OpTypeVector %bool 4
%int4 = OpTypeVector %int 4
%float4 = OpTypeVector %float 4
%int2 = OpTypeVector %int 2
%global = OpTypePointer CrossWorkgroup %int
%private = OpTypePointer Function %int
%generic = OpTypePointer Generic %int
%type = OpTypeFunction %void
%function = OpFunction %void None %type
%entry = OpLabel
";

const TYPES: [&str; 13] = [
    "bool", "char", "int", "long", "half", "float", "double", "bool4", "int4", "float4", "int2", "global", "generic",
];
const BINARY: [&str; 26] = [
    "IAdd",
    "ISub",
    "IMul",
    "UDiv",
    "SDiv",
    "UMod",
    "SRem",
    "SMod",
    "BitwiseOr",
    "BitwiseXor",
    "BitwiseAnd",
    "FAdd",
    "FSub",
    "FMul",
    "FDiv",
    "FRem",
    "FMod",
    "LogicalEqual",
    "LogicalNotEqual",
    "LogicalOr",
    "LogicalAnd",
    "ShiftLeftLogical",
    "ShiftRightLogical",
    "ShiftRightArithmetic",
    "Dot",
    "VectorTimesScalar",
];
const RELATIONS: [&str; 10] = [
    "IEqual",
    "INotEqual",
    "UGreaterThan",
    "SLessThanEqual",
    "FOrdEqual",
    "FUnordLessThan",
    "LessOrGreater",
    "Ordered",
    "PtrEqual",
    "Unordered",
];
const UNARY: [&str; 24] = [
    "SNegate",
    "FNegate",
    "Not",
    "LogicalNot",
    "IsNan",
    "IsFinite",
    "SignBitSet",
    "Any",
    "All",
    "BitCount",
    "ConvertFToU",
    "ConvertFToS",
    "ConvertSToF",
    "ConvertUToF",
    "UConvert",
    "SConvert",
    "FConvert",
    "ConvertPtrToU",
    "ConvertUToPtr",
    "PtrCastToGeneric",
    "GenericCastToPtr",
    "Bitcast",
    "CopyObject",
    "SatConvertSToU",
];
/// Result types that unary operations are tried with.
const RESULTS: [&str; 7] = ["bool", "int", "long", "float", "int4", "global", "generic"];

/// A module with a name.
type Named = (String, Vec<u8>);

fn generated() -> Vec<Named> {
    let mut modules = Vec::new();
    let mut module = |name: String, body: String| {
        let text = format!("{HEAD}{body}\nOpReturn\nOpFunctionEnd\n");
        modules.push((name, assemble(&text).expect("our own text")));
    };
    for op in BINARY {
        for ty in TYPES {
            for result in [ty, "int"] {
                let body = format!("%a = OpUndef %{ty}\n%r = Op{op} %{result} %a %a");
                module(format!("{op} {result}: {ty}, {ty}"), body);
            }
        }
        for (x, y) in [
            ("int", "long"),
            ("float", "double"),
            ("int4", "int"),
            ("float4", "float"),
            ("bool", "int"),
        ] {
            let body = format!("%a = OpUndef %{x}\n%b = OpUndef %{y}\n%r = Op{op} %{x} %a %b");
            module(format!("{op} {x}: {x}, {y}"), body);
        }
    }
    for op in RELATIONS {
        for ty in TYPES {
            for result in ["bool", "bool4", "int"] {
                let body = format!("%a = OpUndef %{ty}\n%r = Op{op} %{result} %a %a");
                module(format!("{op} {result}: {ty}, {ty}"), body);
            }
        }
    }
    for op in UNARY {
        for ty in TYPES {
            for result in RESULTS {
                module(
                    format!("{op} {result}: {ty}"),
                    format!("%a = OpUndef %{ty}\n%r = Op{op} %{result} %a"),
                );
            }
        }
    }
    for ty in TYPES {
        for condition in ["bool", "bool4", "int"] {
            let body = format!("%c = OpUndef %{condition}\n%a = OpUndef %{ty}\n%r = OpSelect %{ty} %c %a %a");
            module(format!("Select {ty}: {condition}"), body);
        }
    }
    modules
}

/// Files with this ending, in a directory and below.
fn files(directory: &Path, ending: &str, found: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(directory) else { return };
    for path in entries.flatten().map(|entry| entry.path()) {
        if path.is_dir() {
            files(&path, ending, found);
        } else if path.extension().is_some_and(|extension| extension == ending) {
            found.push(path);
        }
    }
    found.sort();
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The modules that the tests have as text.
fn committed() -> Vec<Named> {
    let mut found = Vec::new();
    for directory in ["tests/cases", "tests/demo", "compiler/tests/spirv"] {
        files(&root().join(directory), "spvasm", &mut found);
    }
    let assembled = found.iter().filter_map(|path| {
        let bytes = assemble(&std::fs::read_to_string(path).ok()?).ok()?;
        Some((path.display().to_string(), bytes))
    });
    assembled.collect()
}

/// What clang's SPIR-V back end makes of the OpenCL C in the tree; nothing where there is none.
fn compiled() -> Vec<Named> {
    let mut sources = Vec::new();
    for directory in ["tests/bench", "tests/demo"] {
        files(&root().join(directory), "cl", &mut sources);
    }
    let mut modules = Vec::new();
    for source in sources {
        for level in ["-O0", "-O2"] {
            let output = Command::new("clang-22")
                .args(["--target=spirv64", "-cl-std=CL3.0", level, "-w", "-c", "-o", "-"])
                .arg(&source)
                .output();
            if let Ok(output) = output
                && output.status.success()
            {
                modules.push((format!("{} {level}", source.display()), output.stdout));
            }
        }
    }
    modules
}

fn corpus() -> Vec<Named> {
    let mut found = Vec::new();
    if let Some(directory) = std::env::var_os("BROLGA_CORPUS") {
        for ending in ["spv", "spv64"] {
            files(Path::new(&directory), ending, &mut found);
        }
    }
    let read = |path: PathBuf| Some((path.display().to_string(), std::fs::read(&path).ok()?));
    found.into_iter().filter_map(read).collect()
}

/// What the oracle says: nothing, or what is wrong.
fn oracle(bytes: &[u8]) -> Result<(), String> {
    let mut child = Command::new(ORACLE)
        .args(["--target-env", "spv1.6", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| error.to_string())?;
    let written = child.stdin.take().map(|mut input| input.write_all(bytes));
    let output = child.wait_with_output().map_err(|error| error.to_string())?;
    if output.status.success() && matches!(written, Some(Ok(()))) {
        Ok(())
    } else {
        Err(String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned())
    }
}

/// Where the two may disagree, and who is right.
fn note(name: &str, ours: &Result<Vec<Diagnostic>, Vec<Diagnostic>>, theirs: &Result<(), String>) -> Option<&'static str> {
    match (ours, theirs) {
        (Err(errors), Ok(())) => {
            let environment = |diagnostic: &Diagnostic| !diagnostic.rule.section.starts_with("SPIR-V");
            if errors.iter().any(environment) {
                return Some("a rule of OpenCL's environment, which spirv-val is not asked about here");
            }
            // SPIR-V 3.52.11: operand and result have as many bits, and pointers keep their storage class.
            name.starts_with("Bitcast")
                .then_some("spirv-val takes pointers to be of any width and storage class; Brolga is right")
        }
        (Ok(_), Err(text)) if text.contains("OpConstantComposite Constituent") && text.contains("is not a constant") => {
            Some("initial values of OpenCL C hold addresses of variables, and compilers write them so; spirv-val is right by the letter")
        }
        (Ok(_), Err(text)) if text.contains("OpConstantFunctionPointerINTEL") => {
            Some("SPV_INTEL_function_pointers names functions before they are declared, which spirv-val does not know; Brolga is right")
        }
        (Ok(_), Err(text)) if text.contains("is not listed as an interface") => {
            Some("the variable is named by another's initial value alone, and not in the kernel's call tree; Brolga is right by the letter")
        }
        (Ok(_), Err(text)) if text.contains("Invalid number of bits") => {
            Some("integers of any width are SPV_INTEL_arbitrary_precision_integers', which spirv-val does not know; Brolga is right")
        }
        (Ok(_), Err(text)) if text.contains("Invalid capability operand") => {
            Some("a capability that is younger than the spirv-val which is installed; Brolga is right")
        }
        (Ok(warnings), Err(_)) => {
            let tolerated = warnings.iter().any(|diagnostic| diagnostic.severity == Severity::Warning);
            tolerated.then_some("the producer breaks a rule in a way that Brolga tolerates, and says so; spirv-val is right")
        }
        _ => None,
    }
}

#[test]
fn spirv_val_agrees() {
    if Command::new(ORACLE).arg("--version").output().is_err() {
        println!("skipped: {ORACLE} is not installed (Debian: spirv-tools)");
        return;
    }
    let environment = Environment::of_registry(vendors::Registry::everything());
    let modules: Vec<Named> = [generated(), committed(), compiled(), corpus()].concat();
    let next = AtomicUsize::new(0);
    let work = || {
        let mut notes = Vec::new();
        while let Some((name, bytes)) = modules.get(next.fetch_add(1, Ordering::Relaxed)) {
            let ours = match parse(bytes) {
                Ok(binary) => validate(binary, &environment, &[], false).map(|(_, warnings)| warnings),
                Err(_) => Err(Vec::new()),
            };
            let theirs = oracle(bytes);
            if ours.is_ok() == theirs.is_ok() {
                continue;
            }
            let told = ours
                .as_ref()
                .err()
                .map(|errors| compiler::environment::log(errors))
                .unwrap_or_default();
            let text = format!(
                "{name}\n  Brolga: {told}\n  {ORACLE}: {}",
                theirs.as_ref().err().map_or("", |text| text)
            );
            notes.push((note(name, &ours, &theirs), text));
        }
        notes
    };
    let threads = std::thread::available_parallelism().map_or(1, |count| count.get());
    let disagreements: Vec<_> = std::thread::scope(|scope| {
        let started: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        started.into_iter().flat_map(|thread| thread.join().expect("no panic")).collect()
    });
    println!("{} modules, {} disagreements", modules.len(), disagreements.len());
    assert!(modules.len() >= 500);
    let mut counts: std::collections::BTreeMap<&str, usize> = std::collections::BTreeMap::new();
    for (note, _) in &disagreements {
        *counts.entry(note.unwrap_or("without a note")).or_default() += 1;
    }
    for (note, count) in counts {
        println!("{count:5}  {note}");
    }
    let without: Vec<&str> = disagreements
        .iter()
        .filter(|(note, _)| note.is_none())
        .map(|(_, text)| text.as_str())
        .take(20)
        .collect();
    assert!(without.is_empty(), "{}", without.join("\n"));
}
