//! SPV_INTEL_joint_matrix, a draft: loads, stores and constructions that check bounds, coordinates of components, and prefetches.

use super::joint_matrices::NAME;
use crate::drafts;
use brolga_tests::{Context, Program, Range};
use std::fmt::Write;

/// A type of matrices: of what, how many bytes that has, rows, columns, use, and layout in memory.
#[derive(Clone, Copy, Debug)]
struct Kind {
    ty: &'static str,
    bytes: usize,
    rows: usize,
    columns: usize,
    used_as: usize,
    layout: usize,
}

impl Kind {
    const fn new(ty: &'static str, bytes: usize, [rows, columns]: [usize; 2], used_as: usize, layout: usize) -> Kind {
        Kind {
            ty,
            bytes,
            rows,
            columns,
            used_as,
            layout,
        }
    }

    /// The line of an element in memory, and how far along it is.
    fn place(&self, row: usize, column: usize) -> [usize; 2] {
        let together = 4 / self.bytes;
        match self.layout {
            0 => [row, column],
            1 => [column, row],
            _ => [row / together, column * together + row % together],
        }
    }
}

const KINDS: [Kind; 10] = [
    Kind::new("%i8", 1, [8, 32], 0, 0),
    Kind::new("%i8", 1, [16, 64], 0, 1),
    Kind::new("%i8", 1, [32, 16], 1, 0),
    Kind::new("%i8", 1, [32, 8], 1, 2),
    Kind::new("%i8", 1, [64, 16], 1, 1),
    Kind::new("%f16", 2, [16, 8], 1, 2),
    Kind::new("%f16", 2, [8, 16], 0, 1),
    Kind::new("%f32", 4, [16, 16], 2, 0),
    Kind::new("%i32", 4, [8, 16], 2, 1),
    Kind::new("%f64", 8, [8, 4], 0, 0),
];

/// Of the memory that is loaded from and stored to: lines, elements of a line, and elements from line to line.
const HEIGHT: usize = 37;
const WIDTH: usize = 45;
const STRIDE: usize = 48;
/// Behind what is there.
const LINES: usize = HEIGHT + 2;

/// A kernel `k(from, loaded, stored, constructed, x, y)`, whose second and fourth buffers are dense.
fn bounds(kind: &Kind) -> Vec<u8> {
    let Kind {
        ty,
        rows,
        columns,
        used_as,
        layout,
        ..
    } = *kind;
    let mut text = head(&["CooperativeMatrixCheckedInstructionsINTEL", "CooperativeMatrixPrefetchINTEL"]);
    let mut numbers = vec![0, 1, 2, 3, rows, columns, HEIGHT, WIDTH, STRIDE];
    numbers.sort_unstable();
    numbers.dedup();
    for number in numbers {
        writeln!(text, "%n{number} = OpConstant %i32 {number}").unwrap();
    }
    writeln!(
        text,
        "%wide = OpConstant %i64 {WIDTH}
%g = OpTypePointer CrossWorkgroup {ty}
%M = OpTypeCooperativeMatrixKHR {ty} %n3 %n{rows} %n{columns} %n{used_as}
%type = OpTypeFunction %void %g %g %g %g %i32 %i32
%k = OpFunction %void None %type
%from = OpFunctionParameter %g
%loaded = OpFunctionParameter %g
%stored = OpFunctionParameter %g
%constructed = OpFunctionParameter %g
%x = OpFunctionParameter %i32
%y = OpFunctionParameter %i32
%entry = OpLabel
OpCooperativeMatrixPrefetchINTEL %from %x %y %n{rows} %n{columns} 1 %n{layout} %n{STRIDE}
%m = OpCooperativeMatrixLoadCheckedINTEL %M %from %x %y %n{layout} %n{HEIGHT} %wide %n{STRIDE} Aligned {bytes}
OpCooperativeMatrixStoreKHR %loaded %m %n0 %n{columns}
OpCooperativeMatrixStoreCheckedINTEL %stored %x %y %m %n{layout} %n{HEIGHT} %wide %n{STRIDE}
%one = OpLoad {ty} %from Aligned {bytes}
%c = OpCooperativeMatrixConstructCheckedINTEL %M %x %y %n{HEIGHT} %wide %one
OpCooperativeMatrixStoreKHR %constructed %c %n0 %n{columns}
OpReturn
OpFunctionEnd",
        bytes = kind.bytes,
    )
    .unwrap();
    compiler::spirv::assemble(&text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn head(capabilities: &[&str]) -> String {
    let mut text = String::from("; Version: 1.3\n");
    let all = [
        "Addresses",
        "Kernel",
        "Int8",
        "Int16",
        "Int64",
        "Float16",
        "Float64",
        "PackedCooperativeMatrixINTEL",
    ];
    for capability in all.iter().chain(capabilities) {
        writeln!(text, "OpCapability {capability}").unwrap();
    }
    for extension in ["SPV_KHR_cooperative_matrix", NAME] {
        writeln!(text, "OpExtension \"{extension}\"").unwrap();
    }
    text + "OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %k \"k\"
%void = OpTypeVoid
%i8 = OpTypeInt 8 0
%i32 = OpTypeInt 32 0
%i64 = OpTypeInt 64 0
%f16 = OpTypeFloat 16
%f32 = OpTypeFloat 32
%f64 = OpTypeFloat 64
"
}

fn check_bounds(context: &Context, kind: &Kind) {
    let program = Program::from_il(context, &bounds(kind)).expect("a program").build("");
    let program = program.unwrap_or_else(|log| panic!("{kind:?}: {log}"));
    let bytes = kind.bytes;
    // No byte is zero.
    let memory: Vec<u8> = (0..LINES * STRIDE * bytes).map(|at| (at % 251 + 1) as u8).collect();
    let from = context.buffer(&memory);
    for [x, y] in [
        [0, 0],
        [3, 5],
        [HEIGHT - 5, WIDTH - 7],
        [HEIGHT - 1, 0],
        [HEIGHT, WIDTH],
        [u32::MAX as usize, 2],
    ] {
        let count = kind.rows * kind.columns;
        let mut loaded = vec![0; count * bytes];
        let mut constructed = vec![0; count * bytes];
        let mut stored = vec![0xee; memory.len()];
        for row in 0..kind.rows {
            for column in 0..kind.columns {
                let here = (row * kind.columns + column) * bytes;
                let [line, along] = kind.place(row, column);
                if x + line < HEIGHT && y + along < WIDTH {
                    let there = ((x + line) * STRIDE + y + along) * bytes;
                    loaded[here..here + bytes].copy_from_slice(&memory[there..there + bytes]);
                    stored[there..there + bytes].copy_from_slice(&memory[there..there + bytes]);
                }
                if x + row < HEIGHT && y + column < WIDTH {
                    constructed[here..here + bytes].copy_from_slice(&memory[..bytes]);
                }
            }
        }
        let [of_load, of_construct] = [0, 1].map(|_| context.buffer(&vec![0xdd_u8; count * bytes]));
        let of_store = context.buffer(&vec![0xee_u8; memory.len()]);
        program.kernel("k").run(
            context,
            &Range::new([16]).local([16]),
            &[&from, &of_load, &of_store, &of_construct, &(x as u32), &(y as u32)],
        );
        assert_eq!(of_load.read(), loaded, "{kind:?} from {x}, {y}: loaded");
        assert_eq!(of_store.read(), stored, "{kind:?} to {x}, {y}: stored");
        assert_eq!(of_construct.read(), constructed, "{kind:?} at {x}, {y}: constructed");
    }
}

/// Each component of a matrix of bytes becomes its number, row by row, by what its coordinate is said to be.
fn coordinates(kind: &Kind) -> Vec<u8> {
    let (rows, columns, length) = (kind.rows, kind.columns, kind.rows * kind.columns / 16);
    let mut text = head(&["CooperativeMatrixInvocationInstructionsINTEL"]);
    for number in 0..=columns.max(rows) {
        writeln!(text, "%n{number} = OpConstant %i32 {number}").unwrap();
    }
    write!(
        text,
        "%i32x2 = OpTypeVector %i32 2
%g = OpTypePointer CrossWorkgroup %i8
%M = OpTypeCooperativeMatrixKHR %i8 %n3 %n{rows} %n{columns} %n{}
%type = OpTypeFunction %void %g
%k = OpFunction %void None %type
%to = OpFunctionParameter %g
%entry = OpLabel
%m0 = OpUndef %M\n",
        kind.used_as
    )
    .unwrap();
    for at in 0..length {
        write!(
            text,
            "%at{at} = OpCooperativeMatrixGetElementCoordINTEL %i32x2 %m{at} %n{at}
%row{at} = OpCompositeExtract %i32 %at{at} 0
%column{at} = OpCompositeExtract %i32 %at{at} 1
%before{at} = OpIMul %i32 %row{at} %n{columns}
%number{at} = OpIAdd %i32 %before{at} %column{at}
%byte{at} = OpUConvert %i8 %number{at}
%m{next} = OpCompositeInsert %M %byte{at} %m{at} {at}\n",
            next = at + 1
        )
        .unwrap();
    }
    write!(
        text,
        "OpCooperativeMatrixStoreKHR %to %m{length} %n0 %n{columns}\nOpReturn\nOpFunctionEnd\n"
    )
    .unwrap();
    compiler::spirv::assemble(&text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn check_coordinates(context: &Context, kind: &Kind) {
    let program = Program::from_il(context, &coordinates(kind)).expect("a program").build("");
    let program = program.unwrap_or_else(|log| panic!("{kind:?}: {log}"));
    let wanted: Vec<u8> = (0..kind.rows * kind.columns).map(|number| number as u8).collect();
    let to = context.buffer(&vec![0_u8; wanted.len()]);
    program.kernel("k").run(context, &Range::new([16]).local([16]), &[&to]);
    assert_eq!(to.read(), wanted, "{kind:?}");
}

/// In the process that asks for the draft.
#[test]
fn asked_for() {
    if std::env::var("BROLGA_WITH").as_deref() != Ok(NAME) {
        return; // Another test's work.
    }
    let context = Context::new();
    for kind in &KINDS {
        check_bounds(&context, kind);
        if kind.bytes == 1 {
            check_coordinates(&context, kind);
        }
    }
    println!("asked for and run");
}

#[test]
fn bounds_and_coordinates() {
    drafts::ask(NAME, "kernel::joint_matrix_bounds::asked_for", "asked for and run");
}
