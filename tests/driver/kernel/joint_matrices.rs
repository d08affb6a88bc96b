//! SPV_INTEL_joint_matrix, which is a draft: packed layouts, and TF32 and bfloat16 in cooperative matrices of floats and integers. In a process that asks
//! for it. What checks bounds is in `joint_matrix_bounds.rs`.

use crate::drafts;
use brolga_tests::{Context, Program, Range};
use std::fmt::Write;

pub const NAME: &str = "SPV_INTEL_joint_matrix";

/// A product of 16-bit or smaller factors, or of floats: their type, how many bytes it has, and how a small integer is written in it.
struct Factor {
    ty: &'static str,
    bytes: usize,
    encode: fn(i64) -> u32,
    operands: u32,
    /// The same of what is added to.
    sum: (&'static str, usize, fn(i64) -> u32),
}

pub(super) fn float(value: i64) -> u32 {
    (value as f32).to_bits()
}

/// Rounded to nearest even.
pub(super) fn bfloat(value: i64) -> u32 {
    let bits = float(value);
    (bits + 0x7fff + (bits >> 16 & 1)) >> 16
}

const BYTE: Factor = Factor {
    ty: "%i8",
    bytes: 1,
    encode: |value| value as u32,
    operands: 0xf,
    sum: ("%i32", 4, |value| value as u32),
};

const BFLOAT: Factor = Factor {
    ty: "%bf16",
    bytes: 2,
    encode: bfloat,
    operands: 0,
    sum: ("%f32", 4, float),
};

/// All is bfloat16.
const BFLOAT_SUMS: Factor = Factor {
    sum: ("%bf16", 2, bfloat),
    ..BFLOAT
};

const BFLOAT_SUMS_BITS: Factor = Factor {
    ty: "%i16",
    operands: 0x1c0,
    sum: ("%i16", 2, bfloat),
    ..BFLOAT
};

const BFLOAT_BITS: Factor = Factor {
    ty: "%i16",
    operands: 0x40,
    ..BFLOAT
};

/// With a bit that is none of TF32's.
const TF32: Factor = Factor {
    ty: "%f32",
    bytes: 4,
    encode: |value| float(value) | 0x1000,
    operands: 0x20,
    sum: ("%f32", 4, float),
};

fn module(factor: &Factor, [m, n, k]: [usize; 3], layout: usize) -> Vec<u8> {
    let (ty, (sum, ..)) = (factor.ty, factor.sum);
    let mut text = String::from("; Version: 1.3\n");
    for capability in [
        "Addresses",
        "Kernel",
        "Int8",
        "Int16",
        "BFloat16TypeKHR",
        "BFloat16CooperativeMatrixKHR",
        "PackedCooperativeMatrixINTEL",
        "CooperativeMatrixTF32ComponentTypeINTEL",
        "CooperativeMatrixBFloat16ComponentTypeINTEL",
    ] {
        writeln!(text, "OpCapability {capability}").unwrap();
    }
    for extension in ["SPV_KHR_cooperative_matrix", "SPV_KHR_bfloat16", NAME] {
        writeln!(text, "OpExtension \"{extension}\"").unwrap();
    }
    text += "OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %k \"k\"
%void = OpTypeVoid
%i8 = OpTypeInt 8 0
%i16 = OpTypeInt 16 0
%i32 = OpTypeInt 32 0
%f32 = OpTypeFloat 32
%bf16 = OpTypeFloat 16 BFloat16KHR\n";
    let lines = [k + 3, packed_line(factor, n, layout), n + 3];
    let mut numbers = vec![0, 1, 2, 3, m, n, k];
    numbers.extend(lines);
    numbers.sort_unstable();
    numbers.dedup();
    for number in numbers {
        writeln!(text, "%n{number} = OpConstant %i32 {number}").unwrap();
    }
    let [a_line, b_line, c_line] = lines;
    // Each type is declared once.
    let (gs, of_sums) = match sum == ty {
        true => ("%g", String::new()),
        false => ("%gs", format!("%gs = OpTypePointer CrossWorkgroup {sum}")),
    };
    writeln!(
        text,
        "%g = OpTypePointer CrossWorkgroup {ty}
{of_sums}
%A = OpTypeCooperativeMatrixKHR {ty} %n3 %n{m} %n{k} %n0
%B = OpTypeCooperativeMatrixKHR {ty} %n3 %n{k} %n{n} %n1
%C = OpTypeCooperativeMatrixKHR {sum} %n3 %n{m} %n{n} %n2
%type = OpTypeFunction %void %g %g {gs} %g
%k = OpFunction %void None %type
%pa = OpFunctionParameter %g
%pb = OpFunctionParameter %g
%pc = OpFunctionParameter {gs}
%pp = OpFunctionParameter %g
%entry = OpLabel
%a = OpCooperativeMatrixLoadKHR %A %pa %n0 %n{a_line}
%b = OpCooperativeMatrixLoadKHR %B %pb %n{layout} %n{b_line}
%c = OpCooperativeMatrixLoadKHR %C %pc %n0 %n{c_line}
%r = OpCooperativeMatrixMulAddKHR %C %a %b %c {operands}
OpCooperativeMatrixStoreKHR %pc %r %n0 %n{c_line}
OpCooperativeMatrixStoreKHR %pp %b %n{layout} %n{b_line}
OpReturn
OpFunctionEnd",
        operands = factor.operands,
    )
    .unwrap();
    compiler::spirv::assemble(&text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// Elements from a line of B in memory to the next.
fn packed_line(factor: &Factor, columns: usize, layout: usize) -> usize {
    match layout {
        2 => columns * (4 / factor.bytes) + 4,
        _ => columns + 3,
    }
}

/// A matrix's lines, with something behind each.
fn lines(factor: &Factor, values: &[i64], columns: usize, line: usize, together: usize) -> Vec<u8> {
    let rows = values.len() / columns;
    let mut bytes = vec![0xee; line * (rows / together) * factor.bytes];
    for (at, &value) in values.iter().enumerate() {
        let (row, column) = (at / columns, at % columns);
        let place = row / together * line + column * together + row % together;
        bytes[place * factor.bytes..][..factor.bytes].copy_from_slice(&(factor.encode)(value).to_le_bytes()[..factor.bytes]);
    }
    bytes
}

fn check(context: &Context, factor: &Factor, [m, n, k]: [usize; 3], layout: usize) {
    let what = format!("{} in {m}x{n}x{k}, layout {layout}", factor.ty);
    let il = module(factor, [m, n, k], layout);
    let program = Program::from_il(context, &il).expect("a program").build("");
    let program = program.unwrap_or_else(|log| panic!("{what}: {log}"));
    let values = |count: usize, step: usize| (0..count).map(|at| (at * step % 23) as i64 - 11).collect::<Vec<i64>>();
    let (a, b, c) = (values(m * k, 7), values(k * n, 5), values(m * n, 3));
    let together = if layout == 2 { 4 / factor.bytes } else { 1 };
    let of_b = lines(factor, &b, n, packed_line(factor, n, layout), together);
    let (_, bytes, encode) = factor.sum;
    let sums = Factor { bytes, encode, ..TF32 };
    let sum = |at: usize| c[at] + (0..k).map(|k_| a[at / n * k + k_] * b[k_ * n + at % n]).sum::<i64>();
    let expected = lines(&sums, &(0..m * n).map(sum).collect::<Vec<i64>>(), n, n + 3, 1);
    let [pa, pb, pc] = [lines(factor, &a, k, k + 3, 1), of_b.clone(), lines(&sums, &c, n, n + 3, 1)].map(|bytes| context.buffer(&bytes));
    let copy = context.buffer(&vec![0xee_u8; of_b.len()]);
    program
        .kernel("k")
        .run(context, &Range::new([16]).local([16]), &[&pa, &pb, &pc, &copy]);
    assert_eq!(pc.read(), expected, "{what}");
    assert_eq!(copy.read(), of_b, "{what}: what is stored");
}

/// In the process that asks for the draft.
#[test]
fn asked_for() {
    if std::env::var("BROLGA_WITH").as_deref() != Ok(NAME) {
        return; // Another test's work.
    }
    let context = Context::new();
    for layout in [0, 2] {
        for sizes in [[8, 8, 32], [8, 16, 32], [16, 16, 64]] {
            check(&context, &BYTE, sizes, layout);
        }
        for sizes in [[8, 8, 16], [8, 16, 16], [16, 16, 32]] {
            check(&context, &BFLOAT, sizes, layout);
            check(&context, &BFLOAT_BITS, sizes, layout);
            check(&context, &BFLOAT_SUMS, sizes, layout);
            check(&context, &BFLOAT_SUMS_BITS, sizes, layout);
        }
    }
    for sizes in [[4, 4, 4], [8, 16, 16], [16, 16, 16]] {
        check(&context, &TF32, sizes, 0);
    }
    println!("asked for and run");
}

#[test]
fn packed_layouts_and_other_interpretations() {
    drafts::ask(NAME, "kernel::joint_matrices::asked_for", "asked for and run");
    // Whoever does not ask is told how.
    if std::env::var("BROLGA_WITH").is_err() {
        let context = Context::new();
        let il = module(&BYTE, [8, 16, 32], 2);
        let program = Program::from_il(&context, &il).expect("a program");
        let log = program.build("").expect_err("a refusal");
        assert!(log.contains("PackedCooperativeMatrixINTEL") && log.contains("BROLGA_WITH"), "{log}");
    }
}
