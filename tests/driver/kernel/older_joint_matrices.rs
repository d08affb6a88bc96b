//! Joint matrices as SPV_INTEL_joint_matrix had them before there were cooperative ones, in a process that asks for the draft.

use super::joint_matrices::{NAME, bfloat, float};
use crate::drafts;
use brolga_tests::{Context, Program, Range};
use std::fmt::Write;

/// What a component is.
#[derive(Clone, Copy)]
struct Component {
    ty: &'static str,
    bytes: usize,
    /// Component Type Interpretation; 0 for none.
    stands_for: u32,
    encode: fn(i64) -> u32,
}

const BYTE: Component = Component {
    ty: "%i8",
    bytes: 1,
    stands_for: 0,
    encode: |value| value as u32,
};
const INT: Component = Component {
    ty: "%i32",
    bytes: 4,
    ..BYTE
};
const FLOAT: Component = Component {
    ty: "%f32",
    bytes: 4,
    stands_for: 0,
    encode: float,
};
/// With a bit that is none of TF32's.
const TF32: Component = Component {
    stands_for: 1,
    encode: |value| float(value) | 0x1000,
    ..FLOAT
};
const BFLOAT: Component = Component {
    ty: "%i16",
    bytes: 2,
    stands_for: 2,
    encode: bfloat,
};

/// How a matrix lies in memory.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Lies {
    Rows,
    Columns,
    /// So many rows of a column together.
    Packed,
}

/// Which revision a module is of.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Revision {
    /// Without uses, as the specification numbers layouts: ColumnMajor, RowMajor, PackedA, PackedB.
    WithoutUse,
    /// The same by the translator from LLVM, in whose numbers RowMajor comes first.
    Translated,
    /// With uses and interpretations: RowMajor, ColumnMajor, and PackedB under its old number.
    WithUse,
    /// PackedA and PackedB are one.
    Packed,
}

impl Revision {
    fn number(self, lies: Lies) -> u32 {
        match (self, lies) {
            (Revision::WithoutUse, Lies::Rows) => 1,
            (Revision::WithoutUse, Lies::Columns) => 0,
            (_, Lies::Rows) => 0,
            (_, Lies::Columns) => 1,
            (Revision::Packed, Lies::Packed) => 2,
            (_, Lies::Packed) => 3,
        }
    }
}

struct Case {
    revision: Revision,
    op: &'static str,
    factor: Component,
    sum: Component,
    sizes: [usize; 3],
    a: Lies,
    b: Lies,
    /// The layout that the types of A and B name.
    kept: [u32; 2],
}

impl Case {
    fn module(&self) -> Vec<u8> {
        let [m, n, k] = self.sizes;
        let (ty, sum) = (self.factor.ty, self.sum.ty);
        let mut text = String::from("; Version: 1.0\n");
        if self.revision == Revision::Translated {
            text += "; Generator: 6\n";
        }
        for capability in [
            "Addresses",
            "Kernel",
            "Int8",
            "Int16",
            "Int64",
            "GenericPointer",
            "6118",
            "6436",
            "6437",
        ] {
            writeln!(text, "OpCapability {capability}").unwrap();
        }
        text += &format!(
            "OpExtension \"{NAME}\"
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %k \"k\"
%void = OpTypeVoid
%i8 = OpTypeInt 8 0
%i16 = OpTypeInt 16 0
%i32 = OpTypeInt 32 0
%i64 = OpTypeInt 64 0
%f32 = OpTypeFloat 32\n"
        );
        let lines = [self.line(k, self.a), self.line_of_b(), n + 3];
        let mut numbers = vec![0, 1, 2, 3, m, n, k];
        numbers.extend(lines);
        numbers.sort_unstable();
        numbers.dedup();
        for number in numbers {
            writeln!(text, "%n{number} = OpConstant %i32 {number}").unwrap();
        }
        let has_use = !matches!(self.revision, Revision::WithoutUse | Revision::Translated);
        let used_as = |used_as: u32, component: Component| match (has_use, component.stands_for) {
            (false, _) => String::new(),
            (true, 0) => format!(" %n{used_as}"),
            (true, stands_for) => format!(" %n{used_as} %n{stands_for}"),
        };
        let [a_line, b_line, c_line] = lines;
        let number = |lies: Lies| self.revision.number(lies);
        let same = if sum == ty { "%g" } else { "%gs" };
        let of_sums = match sum == ty {
            true => String::new(),
            false => format!("%gs = OpTypePointer CrossWorkgroup {sum}"),
        };
        write!(
            text,
            "%g = OpTypePointer CrossWorkgroup {ty}
{of_sums}
%gl = OpTypePointer CrossWorkgroup %i64
%generic = OpTypePointer Generic {ty}
%A = OpTypeJointMatrixINTEL {ty} %n{m} %n{k} %n{} %n3{}
%B = OpTypeJointMatrixINTEL {ty} %n{k} %n{n} %n{} %n3{}
%C = OpTypeJointMatrixINTEL {sum} %n{m} %n{n} %n0 %n3{}
%type = OpTypeFunction %void %g %g {same} %g %gl
%k = OpFunction %void None %type
%pa = OpFunctionParameter %g
%pb = OpFunctionParameter %g
%pc = OpFunctionParameter {same}
%pp = OpFunctionParameter %g
%pl = OpFunctionParameter %gl
%entry = OpLabel
%ga = OpPtrCastToGeneric %generic %pa
%a = OpJointMatrixLoadINTEL %A %ga %n{a_line} %n{} %n3
%b = OpJointMatrixLoadINTEL %B %pb %n{b_line} %n{} %n3 Volatile
%c0 = OpJointMatrixLoadINTEL %C %pc %n{c_line} %n{} %n3 Aligned 4
%e = OpVectorExtractDynamic {sum} %c0 %n1
%c1 = OpVectorInsertDynamic %C %c0 %e %n0
%f = OpVectorExtractDynamic {sum} %c0 %n0
%c = OpVectorInsertDynamic %C %c1 %f %n1
%r = OpJointMatrix{}INTEL %C %a %b %c %n3
OpJointMatrixStoreINTEL %pc %r %n{c_line} %n{} %n3
OpJointMatrixStoreINTEL %pp %b %n{b_line} %n{} %n3
%l = OpJointMatrixWorkItemLengthINTEL %i64 %A
%lv = OpJointMatrixWorkItemLengthINTEL %i64 %b
%both = OpIAdd %i64 %l %lv
OpStore %pl %both Aligned 8
OpReturn
OpFunctionEnd\n",
            self.kept[0],
            used_as(0, self.factor),
            self.kept[1],
            used_as(1, self.factor),
            used_as(2, self.sum),
            number(self.a),
            number(self.b),
            number(Lies::Rows),
            self.op,
            number(Lies::Rows),
            number(self.b),
        )
        .unwrap();
        compiler::spirv::assemble(&text).unwrap_or_else(|error| panic!("{error}\n{text}"))
    }

    fn line(&self, columns: usize, lies: Lies) -> usize {
        match lies {
            Lies::Columns => self.sizes[0] + 3,
            _ => columns + 3,
        }
    }

    fn together(&self, lies: Lies) -> usize {
        if lies == Lies::Packed { 4 / self.factor.bytes } else { 1 }
    }

    fn line_of_b(&self) -> usize {
        let [_, n, k] = self.sizes;
        match self.b {
            Lies::Rows => n + 3,
            Lies::Columns => k + 3,
            Lies::Packed => n * self.together(Lies::Packed) + 4,
        }
    }

    fn signs(&self) -> [bool; 2] {
        match self.op {
            "SUMad" => [true, false],
            "USMad" => [false, true],
            "UUMad" => [false, false],
            _ => [true, true],
        }
    }

    fn check(&self, context: &Context) {
        let [m, n, k] = self.sizes;
        let what = format!(
            "{:?} {} of {} {:?}, {:?} {:?}",
            self.revision, self.op, self.factor.ty, self.sizes, self.a, self.b
        );
        let program = Program::from_il(context, &self.module()).expect("a program").build("");
        let program = program.unwrap_or_else(|log| panic!("{what}: {log}"));
        let values = |count: usize, step: usize| (0..count).map(|at| (at * step % 23) as i64 - 11).collect::<Vec<i64>>();
        let (a, b, c) = (values(m * k, 7), values(k * n, 5), values(m * n, 3));
        // A byte is what its sign makes of it.
        let seen = |value: i64, signed: bool| if signed || self.factor.bytes != 1 { value } else { value & 0xff };
        let [of_a, of_b] = self.signs();
        // The kernel exchanges the first two components of each work-item: the elements of a row and those that are 16 behind.
        let exchanged = |at: usize| if at < 32 { at ^ 16 } else { at };
        let sum = |at: usize| {
            let products = (0..k).map(|k_| seen(a[at / n * k + k_], of_a) * seen(b[k_ * n + at % n], of_b));
            c[exchanged(at)] + products.sum::<i64>()
        };
        let expected: Vec<i64> = (0..m * n).map(sum).collect();
        let lay = |values: &[i64], component: Component, columns: usize, line: usize, lies: Lies| {
            let rows = values.len() / columns;
            let together = self.together(lies);
            let count = match lies {
                Lies::Columns => columns,
                _ => rows / together,
            };
            let mut bytes = vec![0xee; line * count * component.bytes];
            for (at, &value) in values.iter().enumerate() {
                let (row, column) = (at / columns, at % columns);
                let place = match lies {
                    Lies::Columns => column * line + row,
                    _ => row / together * line + column * together + row % together,
                };
                bytes[place * component.bytes..][..component.bytes]
                    .copy_from_slice(&(component.encode)(value).to_le_bytes()[..component.bytes]);
            }
            bytes
        };
        let (in_a, in_b) = (
            lay(&a, self.factor, k, self.line(k, self.a), self.a),
            lay(&b, self.factor, n, self.line_of_b(), self.b),
        );
        let [pa, pb, pc] = [&in_a, &in_b, &lay(&c, self.sum, n, n + 3, Lies::Rows)].map(|bytes| context.buffer(bytes));
        let copy = context.buffer(&vec![0xee_u8; in_b.len()]);
        let lengths = context.zeros::<u64>(1);
        program
            .kernel("k")
            .run(context, &Range::new([16]).local([16]), &[&pa, &pb, &pc, &copy, &lengths]);
        assert_eq!(pc.read(), lay(&expected, self.sum, n, n + 3, Lies::Rows), "{what}");
        assert_eq!(copy.read(), in_b, "{what}: what is stored");
        assert_eq!(lengths.read(), [((m * k + k * n) / 16) as u64], "{what}");
    }
}

/// In the process that asks for the draft.
#[test]
fn asked_for() {
    if std::env::var("BROLGA_WITH").as_deref() != Ok(NAME) {
        return; // Another test's work.
    }
    let context = Context::new();
    let revisions = [Revision::WithoutUse, Revision::Translated, Revision::WithUse, Revision::Packed];
    for revision in revisions {
        for op in ["Mad", "SUMad", "USMad", "UUMad"] {
            for (a, b) in [(Lies::Rows, Lies::Columns), (Lies::Columns, Lies::Rows), (Lies::Rows, Lies::Packed)] {
                for kept in [[1, 0], [2, 3]] {
                    Case {
                        revision,
                        op,
                        factor: BYTE,
                        sum: INT,
                        sizes: [8, 8, 32],
                        a,
                        b,
                        kept,
                    }
                    .check(&context);
                }
            }
        }
        // Without a use, matrices of one size and layout are of one type.
        let plain = [(INT, INT, [8, 4, 16], Lies::Columns), (FLOAT, FLOAT, [16, 16, 8], Lies::Columns)];
        let others = [
            (TF32, FLOAT, [16, 16, 8], Lies::Columns),
            (BFLOAT, FLOAT, [8, 8, 16], Lies::Packed),
            (BFLOAT, BFLOAT, [8, 8, 16], Lies::Packed),
        ];
        // An interpretation comes behind a use.
        let has_use = matches!(revision, Revision::WithUse | Revision::Packed);
        for (factor, sum, sizes, b) in plain.into_iter().chain(others.into_iter().filter(|_| has_use)) {
            Case {
                revision,
                op: "Mad",
                factor,
                sum,
                sizes,
                a: Lies::Rows,
                b,
                kept: [0, 1],
            }
            .check(&context);
        }
    }
    println!("asked for and run");
}

#[test]
fn before_there_were_cooperative_matrices() {
    drafts::ask(NAME, "kernel::older_joint_matrices::asked_for", "asked for and run");
}
