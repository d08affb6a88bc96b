//! MLIR's SPIR-V dialect, op by op (`mlir/ops.txt`): each in a module that `mlir-translate-22` serializes, which runs and gives what it should, or is
//! refused by the rule that the table names.

use crate::consistency::device::Reported;
use crate::drafts;
use crate::kernel::joint_matrices::NAME as JOINT_MATRICES;
use brolga_tests::{Context, Program, Range};
use std::io::Write;
use std::process::{Command, Stdio};

const TRANSLATOR: &str = "mlir-translate-22";
/// What still knows joint matrices.
const EARLIER_TRANSLATOR: &str = "mlir-translate-16";

/// How many ops the dialect's documentation describes.
const OPS: usize = 261;

/// A line of the table.
struct Op<'t> {
    name: &'t str,
    verdict: Vec<&'t str>,
    capabilities: Vec<&'t str>,
    extensions: Vec<&'t str>,
    body: &'t str,
    /// What stands beside the kernel in the module.
    beside: &'t str,
}

fn table(text: &str) -> Vec<Op<'_>> {
    let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with("//"));
    lines
        .map(|line| {
            let fields: Vec<&str> = line.split(" | ").map(str::trim).collect();
            let (capabilities, extensions) = fields[2].split_once(',').unwrap_or((fields[2], ""));
            Op {
                name: fields[0],
                verdict: fields[1].split_whitespace().collect(),
                capabilities: capabilities.split_whitespace().collect(),
                extensions: extensions.split_whitespace().collect(),
                body: fields[3],
                beside: fields.get(4).copied().unwrap_or(""),
            }
        })
        .collect()
}

impl Op<'_> {
    /// Work-items that it is for: one, or those of a matrix.
    fn items(&self) -> usize {
        match self.capabilities.contains(&"CooperativeMatrixKHR") || self.is_of_joint_matrices() {
            true => vendors::matrices::SUB_GROUP_SIZE as usize,
            false => 1,
        }
    }

    /// The module in MLIR's text.
    fn text(&self) -> String {
        let store = match self.verdict[0] {
            "i32" => "spirv.Store \"CrossWorkgroup\" %out, %r : i32",
            "f32" => "%q = spirv.Bitcast %r : f32 to i32\nspirv.Store \"CrossWorkgroup\" %out, %q : i32",
            "bool" => {
                "%zero = spirv.Constant 0 : i32\n%q = spirv.Select %r, %one, %zero : i1, i32\nspirv.Store \"CrossWorkgroup\" %out, %q : i32"
            }
            _ => "",
        };
        let capabilities = ["Kernel", "Addresses", "Int64"]
            .into_iter()
            .chain(self.capabilities.iter().copied());
        let listed = ["@id", "@text"]
            .into_iter()
            .filter(|name| self.beside.contains(&format!("{name} ")));
        let interface: String = listed.map(|name| format!(", {name}")).collect();
        // An execution mode comes behind the entry point.
        let beside = self.beside.replace("; ", "\n");
        let (before, after) = if beside.starts_with("spirv.ExecutionMode") {
            ("", beside.as_str())
        } else {
            (beside.as_str(), "")
        };
        format!(
            "spirv.module Physical64 OpenCL requires #spirv.vce<v1.5, [{}], [{}]> {{
{before}
spirv.func @k(%out: !spirv.ptr<i32, CrossWorkgroup>) \"None\" {{
%a = spirv.Constant 12 : i32
%b = spirv.Constant 5 : i32
%one = spirv.Constant 1 : i32
%wide = spirv.Constant 0 : i64
%x = spirv.Constant 2.5 : f32
%y = spirv.Constant 4.0 : f32
%h = spirv.Constant 0.5 : f32
%t = spirv.Constant true
%f = spirv.Constant false
%va = spirv.Constant dense<[1, 2, 3, 4]> : vector<4xi32>
%vx = spirv.Constant dense<[1.0, 2.0, 3.0, 4.0]> : vector<4xf32>
{}
{store}
spirv.Return
}}
spirv.EntryPoint \"Kernel\" @k{interface}
{after}
}}
",
            capabilities.collect::<Vec<_>>().join(", "),
            self.extensions.join(", "),
            self.body.replace(';', "\n"),
        )
    }

    /// Those are of a draft, and no longer of the dialect.
    fn is_of_joint_matrices(&self) -> bool {
        self.extensions.contains(&JOINT_MATRICES)
    }

    /// What serializes it.
    fn translator(&self) -> &'static str {
        if self.is_of_joint_matrices() {
            EARLIER_TRANSLATOR
        } else {
            TRANSLATOR
        }
    }

    /// The module's bytes.
    fn module(&self) -> Result<Vec<u8>, String> {
        serialize(self.translator(), &self.text())
    }
}

fn is_installed(translator: &str) -> bool {
    let there = Command::new(translator).arg("--version").output().is_ok();
    if !there {
        println!("skipped: {translator} is not installed, which makes modules (Debian, apt.llvm.org: mlir-22-tools, mlir-16-tools)");
    }
    there
}

fn serialize(translator: &str, text: &str) -> Result<Vec<u8>, String> {
    let mut child = Command::new(translator)
        .args(["--no-implicit-module", "--serialize-spirv"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| error.to_string())?;
    child
        .stdin
        .take()
        .expect("piped")
        .write_all(text.as_bytes())
        .map_err(|error| error.to_string())?;
    let output = child.wait_with_output().map_err(|error| error.to_string())?;
    if output.status.success() {
        Ok(output.stdout)
    } else {
        Err(String::from_utf8_lossy(&output.stderr).into_owned())
    }
}

/// Builds, and where it builds runs a group of so many; the first word of the buffer.
fn run(context: &Context, il: &[u8], items: usize) -> Result<u32, String> {
    let program = Program::from_il(context, il)
        .map_err(|status| format!("clCreateProgramWithIL: {status}"))?
        .build("")?;
    let out = context.zeros::<u32>(64);
    program.kernel("k").run(context, &Range::new([items]).local([items]), &[&out]);
    Ok(out.read()[0])
}

fn judge(context: &Context, op: &Op<'_>) -> Result<(), String> {
    let il = op.module().map_err(|error| format!("{}: {error}", op.translator()))?;
    let got = run(context, &il, op.items());
    let value = op.verdict.get(1).copied().unwrap_or("");
    let same = |expected: u32| match &got {
        Ok(word) if *word == expected => Ok(()),
        Ok(word) => Err(format!("{word}, expected {expected}")),
        Err(log) => Err(log.clone()),
    };
    match op.verdict[0] {
        "i32" | "bool" | "stores" => same(value.parse().expect("a word")),
        "f32" => {
            let expected: f32 = value.parse().expect("a float");
            let word = got?;
            let near = (f32::from_bits(word) - expected).abs() <= 4.0 * f32::EPSILON * expected.abs();
            near.then_some(())
                .ok_or_else(|| format!("{}, expected {expected}", f32::from_bits(word)))
        }
        "graphics" | "environment" => match got {
            Ok(_) => Err("it runs, although the table says that it is refused".into()),
            Err(log) => {
                let unsaid: Vec<&&str> = op.verdict[1..]
                    .iter()
                    .filter(|rule| !log.contains(&format!("rule {rule} ")))
                    .collect();
                unsaid
                    .is_empty()
                    .then_some(())
                    .ok_or_else(|| format!("refused, but not by {unsaid:?}:\n{log}"))
            }
        },
        other => Err(format!("there is no verdict {other}")),
    }
}

#[test]
fn the_dialect_of_mlir() {
    let text = include_str!("../mlir/ops.txt");
    let ops = table(text);
    let count = |verdicts: &[&str]| ops.iter().filter(|op| verdicts.contains(&op.verdict[0])).count();
    println!(
        "{} ops: {} run, {} are refused as graphics, {} by rules of the environment",
        ops.len(),
        count(&["i32", "f32", "bool", "stores"]),
        count(&["graphics"]),
        count(&["environment"])
    );
    assert_eq!(ops.len(), OPS);
    if !is_installed(TRANSLATOR) {
        return;
    }
    let context = Context::new();
    let reported = Reported::of(&context.device);
    // A row that is not enabled keeps its ops from running; the registry says why. MLIR spells one capability in its own way.
    let is_off = |op: &Op<'_>| {
        let known = |name: &str| name.parse::<rspirv::spirv::Capability>().is_ok();
        let off = |name: &&str| known(name) && !reported.has_capability(name);
        op.verdict[0] != "graphics" && op.capabilities.iter().any(|name| off(&name.replace("Bf", "BF").as_str()))
    };
    for op in ops.iter().filter(|op| is_off(op)) {
        println!("spirv.{} waits for a row of the registry: {:?}", op.name, op.capabilities);
        assert!(
            op.module().and_then(|il| run(&context, &il, op.items())).is_err(),
            "{} runs, but is not reported",
            op.name
        );
    }
    let faults: Vec<String> = ops
        .iter()
        .filter(|op| !is_off(op) && !op.is_of_joint_matrices())
        .filter_map(|op| judge(&context, op).err().map(|fault| format!("spirv.{}: {fault}", op.name)))
        .collect();
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
}

/// Its ops for joint matrices, in the process that asks for the draft.
#[test]
fn joint_matrices_asked_for() {
    if std::env::var("BROLGA_WITH").as_deref() != Ok(JOINT_MATRICES) {
        return; // Another test's work.
    }
    let context = Context::new();
    let ops = table(include_str!("../mlir/ops.txt"));
    let ops: Vec<_> = ops.iter().filter(|op| op.is_of_joint_matrices()).collect();
    assert_eq!(ops.len(), 4);
    for op in ops {
        judge(&context, op).unwrap_or_else(|fault| panic!("spirv.{}: {fault}", op.name));
    }
    println!("asked for and run");
}

#[test]
fn joint_matrices() {
    if !is_installed(EARLIER_TRANSLATOR) {
        return;
    }
    drafts::ask(JOINT_MATRICES, "mlir::joint_matrices_asked_for", "asked for and run");
    // Whoever does not ask is told of the draft.
    if std::env::var("BROLGA_WITH").is_err() {
        let context = Context::new();
        for op in table(include_str!("../mlir/ops.txt")).iter().filter(|op| op.is_of_joint_matrices()) {
            let refused = op.module().and_then(|il| run(&context, &il, op.items()));
            let log = refused.expect_err(op.name);
            assert!(
                log.contains("JointMatrixINTEL") && log.contains("BROLGA_WITH"),
                "spirv.{}: {log}",
                op.name
            );
        }
    }
}

/// spirv.SpecConstantOperation with each opcode that the dialect's documentation lists and its verifier takes (which are those of scalars; of
/// vectors' parts, which have literals, the serializer makes no valid instruction).
#[test]
fn operations_on_specialization_constants() {
    if !is_installed(TRANSLATOR) {
        return;
    }
    let context = Context::new();
    let mut faults = Vec::new();
    // The constants are 42 and 12.
    for (operation, expected) in [
        ("\"spirv.IAdd\"(%s, %c) : (i32, i32) -> i32", 54),
        ("\"spirv.ISub\"(%s, %c) : (i32, i32) -> i32", 30),
        ("\"spirv.IMul\"(%s, %c) : (i32, i32) -> i32", 504),
        ("\"spirv.UDiv\"(%s, %c) : (i32, i32) -> i32", 3),
        ("\"spirv.SDiv\"(%s, %c) : (i32, i32) -> i32", 3),
        ("\"spirv.UMod\"(%s, %c) : (i32, i32) -> i32", 6),
        ("\"spirv.SRem\"(%s, %c) : (i32, i32) -> i32", 6),
        ("\"spirv.SMod\"(%s, %c) : (i32, i32) -> i32", 6),
        ("\"spirv.SNegate\"(%s) : (i32) -> i32", 42u32.wrapping_neg()),
        ("\"spirv.Not\"(%s) : (i32) -> i32", !42),
        ("\"spirv.ShiftRightLogical\"(%s, %c) : (i32, i32) -> i32", 0),
        ("\"spirv.ShiftRightArithmetic\"(%s, %c) : (i32, i32) -> i32", 0),
        ("\"spirv.ShiftLeftLogical\"(%s, %c) : (i32, i32) -> i32", 42 << 12),
        ("\"spirv.BitwiseOr\"(%s, %c) : (i32, i32) -> i32", 46),
        ("\"spirv.BitwiseXor\"(%s, %c) : (i32, i32) -> i32", 38),
        ("\"spirv.BitwiseAnd\"(%s, %c) : (i32, i32) -> i32", 8),
        ("\"spirv.IEqual\"(%s, %c) : (i32, i32) -> i1", 0),
        ("\"spirv.INotEqual\"(%s, %c) : (i32, i32) -> i1", 1),
        ("\"spirv.ULessThan\"(%s, %c) : (i32, i32) -> i1", 0),
        ("\"spirv.SLessThan\"(%s, %c) : (i32, i32) -> i1", 0),
        ("\"spirv.UGreaterThan\"(%s, %c) : (i32, i32) -> i1", 1),
        ("\"spirv.SGreaterThan\"(%s, %c) : (i32, i32) -> i1", 1),
        ("\"spirv.ULessThanEqual\"(%s, %c) : (i32, i32) -> i1", 0),
        ("\"spirv.SLessThanEqual\"(%s, %c) : (i32, i32) -> i1", 0),
        ("\"spirv.UGreaterThanEqual\"(%s, %c) : (i32, i32) -> i1", 1),
        ("\"spirv.SGreaterThanEqual\"(%s, %c) : (i32, i32) -> i1", 1),
        ("\"spirv.LogicalOr\"(%u, %f) : (i1, i1) -> i1", 1),
        ("\"spirv.LogicalAnd\"(%u, %f) : (i1, i1) -> i1", 0),
        ("\"spirv.LogicalNot\"(%u) : (i1) -> i1", 0),
        ("\"spirv.LogicalEqual\"(%u, %f) : (i1, i1) -> i1", 0),
        ("\"spirv.LogicalNotEqual\"(%u, %f) : (i1, i1) -> i1", 1),
        ("\"spirv.Select\"(%u, %s, %c) : (i1, i32, i32) -> i32", 42),
        ("\"spirv.UConvert\"(%s) : (i32) -> i64", 42),
        ("\"spirv.SConvert\"(%s) : (i32) -> i64", 42),
    ] {
        let result = match operation.rsplit(' ').next() {
            Some("i1") => "%zero = spirv.Constant 0 : i32; %r = spirv.Select %o, %one, %zero : i1, i32",
            Some("i64") => "%r = spirv.UConvert %o : i64 to i32",
            _ => "%r = spirv.IAdd %o, %nothing : i32",
        };
        let body = format!(
            "%s = spirv.mlir.referenceof @s : i32; %c = spirv.mlir.referenceof @c : i32; %u = spirv.mlir.referenceof @u : i1; %nothing = spirv.Constant 0 : i32; %o = spirv.SpecConstantOperation wraps {operation}; {result}"
        );
        let op = Op {
            name: "SpecConstantOperation",
            verdict: vec!["i32", ""],
            capabilities: Vec::new(),
            extensions: Vec::new(),
            body: &body,
            beside: "spirv.SpecConstant @s = 42 : i32; spirv.SpecConstant @c = 12 : i32; spirv.SpecConstant @u = true",
        };
        let got = op.module().and_then(|il| run(&context, &il, op.items()));
        if got.as_ref() != Ok(&expected) {
            faults.push(format!("{operation}: {got:?}, expected {expected}"));
        }
    }
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
}
