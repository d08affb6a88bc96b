//! Lowers the modules in `compiler/lower/filetests`.
//!
//! A file is SPIR-V assembly (for `spirv-as`; `; generator: 43` at its head makes it a module of LLVM's), and behind it, as comments, what must become of it: the IR, or the errors. `BROLGA_BLESS=1 cargo test`
//! writes that part anew; look at the difference before committing it.

use super::lower;
use environment::{Environment, log, validate};
use interface::BuildOptions;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

/// Separates the module from what is expected.
const MARK: &str = "; becomes:";

fn assemble(text: &str) -> Result<Vec<u8>, String> {
    let mut child = Command::new("spirv-as")
        .args(["--target-env", "spv1.6", "--preserve-numeric-ids", "-o", "-", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| format!("spirv-as (Debian: spirv-tools): {error}"))?;
    let mut input = child.stdin.take().ok_or("spirv-as has no input")?;
    input.write_all(text.as_bytes()).map_err(|error| error.to_string())?;
    drop(input);
    let output = child.wait_with_output().map_err(|error| error.to_string())?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    let mut module = output.stdout;
    if let Some(generator) = text.lines().next().and_then(|line| line.strip_prefix("; generator: ")) {
        let generator: u32 = generator.parse().map_err(|_| "the generator is a number")?;
        module[8..12].copy_from_slice(&(generator << 16).to_ne_bytes());
    }
    Ok(module)
}

fn result_of(text: &str) -> Result<String, String> {
    let binary = spirv::parse(&assemble(text)?).map_err(|error| format!("error: {error}\n"))?;
    let (module, _) = validate(binary, &Environment::device(), &[], false).map_err(|errors| log(&errors))?;
    Ok(match lower(&[&module], &BuildOptions::default()) {
        Ok(lowered) => lowered.module.to_string(),
        Err(error) => error.log,
    })
}

fn run_file(path: &Path, bless: bool) -> Result<(), String> {
    let text = std::fs::read_to_string(path).map_err(|error| error.to_string())?;
    let input = text.split(MARK).next().unwrap_or_default().trim_end();
    let output: String = result_of(input)?
        .lines()
        .map(|line| format!("; {line}").trim_end().to_owned() + "\n")
        .collect();
    let wanted = format!("{input}\n\n{MARK}\n{output}");
    if text == wanted {
        Ok(())
    } else if bless {
        std::fs::write(path, wanted).map_err(|error| error.to_string())
    } else {
        Err(format!("the result is another now:\n{output}\n(BROLGA_BLESS=1 takes it as right)"))
    }
}

#[test]
fn files() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("filetests");
    let bless = std::env::var_os("BROLGA_BLESS").is_some();
    let mut failures = String::new();
    let mut count = 0;
    for entry in std::fs::read_dir(&directory).expect("the folder of the tests").flatten() {
        count += 1;
        if let Err(error) = run_file(&entry.path(), bless) {
            failures.push_str(&format!("{}: {error}\n", entry.path().display()));
        }
    }
    assert!(count > 0, "no tests in {}", directory.display());
    assert!(failures.is_empty(), "{failures}");
}

/// A struct that is passed by value and only read is no copy, whatever numbers ids have: not even that of a literal in the function.
#[test]
fn ids_may_have_the_numbers_of_literals() {
    let with_id = |id: &str| {
        let text = "OpCapability Addresses
            OpCapability Kernel
            OpMemoryModel Physical64 OpenCL
            OpEntryPoint Kernel %1001 \"k\"
            OpDecorate %STRUCT FuncParamAttr ByVal
            %1002 = OpTypeVoid
            %1003 = OpTypeInt 32 0
            %1004 = OpTypeVector %1003 4
            %1005 = OpTypeStruct %1004
            %1006 = OpTypePointer Function %1005
            %1007 = OpTypePointer Function %1004
            %1008 = OpTypePointer CrossWorkgroup %1003
            %1009 = OpConstant %1003 0
            %1010 = OpTypeFunction %1002 %1008 %1006
            %1001 = OpFunction %1002 None %1010
            %1011 = OpFunctionParameter %1008
            %STRUCT = OpFunctionParameter %1006
            %1012 = OpLabel
            %1013 = OpInBoundsAccessChain %1007 %STRUCT %1009
            %1014 = OpLoad %1004 %1013 Aligned 16
            %1015 = OpCompositeExtract %1003 %1014 2
            OpStore %1011 %1015 Aligned 4
            OpReturn
            OpFunctionEnd";
        result_of(&text.replace("STRUCT", id)).unwrap_or_else(|error| panic!("{error}"))
    };
    let text = with_id("1016");
    assert!(text.contains("load.i32"), "{text}");
    assert_eq!(text, with_id("2"));
}
