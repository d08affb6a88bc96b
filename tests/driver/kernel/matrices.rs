//! Cooperative matrices: each multiplication that the device has, in each layout, against the same done here.

use brolga_tests::{Context, Program, Range};
use std::fmt::Write;
use vendors::matrices::{Component, Variant, variants};

/// Numbers that look like any.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 33
    }

    /// A number that a component holds exactly, and so small that sums are exact, too, until they are rounded at the end.
    fn number(&mut self, component: Component) -> i64 {
        let bits = self.next() as i64;
        match component {
            // No zero, which has two signs.
            Component::F16 => bits % 3 * 2 - 3,
            Component::BF16 => bits % 61 * 2 - 59,
            Component::E4M3 | Component::E5M2 => bits % 17 - 8,
            Component::F32 | Component::F64 => bits % 101 * 2 - 99,
            Component::S8 => i64::from(bits as i8),
            Component::U8 => i64::from(bits as u8),
            Component::S32 => i64::from((bits << 3) as i32),
            Component::U32 => i64::from((bits << 3) as u32),
        }
    }
}

fn size(component: Component) -> usize {
    match component {
        Component::S8 | Component::U8 | Component::E4M3 | Component::E5M2 => 1,
        Component::F16 | Component::BF16 => 2,
        Component::F32 | Component::S32 | Component::U32 => 4,
        Component::F64 => 8,
    }
}

/// The type's name and declaration.
fn declared(component: Component) -> (&'static str, &'static str) {
    match component {
        Component::F16 => ("%f16", "OpTypeFloat 16"),
        Component::BF16 => ("%bf16", "OpTypeFloat 16 BFloat16KHR"),
        Component::E4M3 => ("%e4m3", "OpTypeFloat 8 Float8E4M3EXT"),
        Component::E5M2 => ("%e5m2", "OpTypeFloat 8 Float8E5M2EXT"),
        Component::F32 => ("%f32", "OpTypeFloat 32"),
        Component::F64 => ("%f64", "OpTypeFloat 64"),
        Component::S8 | Component::U8 => ("%i8", "OpTypeInt 8 0"),
        Component::S32 | Component::U32 => ("%i32", "OpTypeInt 32 0"),
    }
}

fn encode(component: Component, value: i64) -> Vec<u8> {
    match component {
        Component::F16 => half(value).to_ne_bytes().to_vec(),
        // Rounded to nearest even.
        Component::BF16 => {
            let bits = (value as f32).to_bits();
            ((bits + 0x7fff + (bits >> 16 & 1)) >> 16).to_ne_bytes()[..2].to_vec()
        }
        Component::E4M3 => vec![e4m3(half(value))],
        Component::E5M2 => vec![(half(value) >> 8) as u8],
        Component::F32 => (value as f32).to_ne_bytes().to_vec(),
        Component::F64 => (value as f64).to_ne_bytes().to_vec(),
        Component::S8 | Component::U8 => vec![value as u8],
        Component::S32 | Component::U32 => (value as u32).to_ne_bytes().to_vec(),
    }
}

/// A binary16 of few digits, and no small exponent, in the format E4M3.
fn e4m3(half: u16) -> u8 {
    let size = half & 0x7fff;
    let number = if size == 0 { 0 } else { (size >> 7) - (8 << 3) };
    ((half >> 8) & 0x80 | number) as u8
}

/// An integer of few digits as binary16.
fn half(value: i64) -> u16 {
    let size = value.unsigned_abs() as u16;
    if size == 0 {
        return 0;
    }
    let exponent = 15 - size.leading_zeros() as u16;
    let digits = (u32::from(size) << 10 >> exponent) as u16 & 0x3ff;
    (u16::from(value < 0) << 15) | (exponent + 15) << 10 | digits
}

/// A matrix in memory: lines of so many elements, each with something behind it that nobody reads or writes.
#[derive(Clone)]
struct Matrix {
    component: Component,
    shape: [usize; 2],
    by_columns: bool,
    values: Vec<i64>,
}

const BEHIND: usize = 3;

impl Matrix {
    fn random(random: &mut Random, component: Component, shape: [u32; 2], by_columns: bool) -> Matrix {
        let shape = shape.map(|size| size as usize);
        let values = (0..shape[0] * shape[1]).map(|_| random.number(component)).collect();
        Matrix {
            component,
            shape,
            by_columns,
            values,
        }
    }

    fn at(&self, row: usize, column: usize) -> i64 {
        self.values[row * self.shape[1] + column]
    }

    fn stride(&self) -> usize {
        self.shape[usize::from(!self.by_columns)] + BEHIND
    }

    fn bytes(&self) -> Vec<u8> {
        let [rows, columns] = self.shape;
        let mut bytes = vec![0xee; self.stride() * self.shape[usize::from(self.by_columns)] * size(self.component)];
        for row in 0..rows {
            for column in 0..columns {
                let element = if self.by_columns {
                    column * self.stride() + row
                } else {
                    row * self.stride() + column
                };
                let value = encode(self.component, self.at(row, column));
                bytes[element * value.len()..][..value.len()].copy_from_slice(&value);
            }
        }
        bytes
    }
}

/// `a * b + c`
fn product(variant: &Variant, a: &Matrix, b: &Matrix, c: &Matrix, by_columns: bool) -> Matrix {
    let [rows, columns] = c.shape;
    let component = variant.components[3];
    let element = |index: usize| {
        let (row, column) = (index / columns, index % columns);
        let products: i64 = (0..a.shape[1])
            .map(|k| a.at(row, k).wrapping_mul(b.at(k, column)))
            .fold(0, |sum, product| sum.wrapping_add(product));
        let c = c.at(row, column);
        match (component, variant.saturating) {
            (Component::S32, true) => i64::from((products as i32).saturating_add(c as i32)),
            (Component::U32, true) => i64::from((products as u32).saturating_add(c as u32)),
            _ => products.wrapping_add(c),
        }
    };
    Matrix {
        component,
        shape: c.shape,
        by_columns,
        values: (0..rows * columns).map(element).collect(),
    }
}

/// What a kernel does beside loading and storing.
#[derive(Clone, Copy, Default)]
struct Text<'a> {
    declarations: &'a str,
    variables: &'a str,
    /// Makes `%r` of `%a`, `%b` and `%c`.
    body: &'a str,
}

/// A module with a kernel `k(a, b, c, r)`; `%A`, `%B`, `%C` and `%R` are the matrices' types.
fn module(types: [(Component, [usize; 2], bool, usize); 4], text_of: &Text) -> Vec<u8> {
    let mut text = String::from(
        "; Version: 1.3
OpCapability Addresses
OpCapability Kernel
OpCapability Int8
OpCapability Int16
OpCapability Int64
OpCapability Float16
OpCapability Float64
OpCapability CooperativeMatrixKHR
OpCapability BFloat16CooperativeMatrixKHR
OpCapability Float8CooperativeMatrixEXT
OpExtension \"SPV_KHR_cooperative_matrix\"
OpExtension \"SPV_EXT_float8\"
OpExtension \"SPV_KHR_bfloat16\"
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %k \"k\"
%void = OpTypeVoid
%i32 = OpTypeInt 32 0
%bool = OpTypeBool
%f32 = OpTypeFloat 32
%subgroup = OpConstant %i32 3
%n0 = OpConstant %i32 0
%n1 = OpConstant %i32 1
%n2 = OpConstant %i32 2
%n3 = OpConstant %i32 3
",
    );
    let mut constants = vec![0, 1, 2, 3];
    let mut components = vec!["%i32", "%f32"];
    let mut parameters = String::new();
    for ((component, [rows, columns], _, stride), name) in types.into_iter().zip(["A", "B", "C", "R"]) {
        for value in [rows, columns, stride] {
            if !constants.contains(&value) {
                writeln!(text, "%n{value} = OpConstant %i32 {value}").unwrap();
                constants.push(value);
            }
        }
        let (id, declaration) = declared(component);
        if !components.contains(&id) {
            writeln!(text, "{id} = {declaration}").unwrap();
            components.push(id);
        }
        if !text.contains(&format!("%gp_{} =", &id[1..])) {
            writeln!(text, "%gp_{0} = OpTypePointer CrossWorkgroup %{0}", &id[1..]).unwrap();
        }
        let used_as = match name {
            "A" => 0,
            "B" => 1,
            _ => 2,
        };
        let declaration = format!("OpTypeCooperativeMatrixKHR {id} %subgroup %n{rows} %n{columns} %n{used_as}");
        match text.lines().find(|line| line.ends_with(&declaration)).map(str::to_owned) {
            // Each type is declared once.
            Some(line) => {
                let known = line.split(' ').next().unwrap().to_owned();
                writeln!(parameters, "{name} {known} {}", &id[1..]).unwrap();
            }
            None => {
                writeln!(text, "%{name} = {declaration}").unwrap();
                writeln!(parameters, "{name} %{name} {}", &id[1..]).unwrap();
            }
        }
    }
    let matrices: Vec<Vec<String>> = parameters.lines().map(|line| line.split(' ').map(String::from).collect()).collect();
    let pointers: Vec<String> = matrices.iter().map(|matrix| format!("%gp_{}", matrix[2])).collect();
    writeln!(text, "%type = OpTypeFunction %void {}", pointers.join(" ")).unwrap();
    let types_of = |part: &str| {
        let words = part.split_inclusive(|c: char| c.is_whitespace()).map(|word| {
            let known = matrices.iter().find(|matrix| word.trim_end().strip_prefix('%') == Some(&matrix[0]));
            known.map_or(word.to_owned(), |matrix| word.replace(word.trim_end(), &matrix[1]))
        });
        words.collect::<String>() + "\n"
    };
    text.push_str(&types_of(text_of.declarations));
    text.push_str("%k = OpFunction %void None %type\n");
    for (name, pointer) in ["a", "b", "c", "r"].into_iter().zip(&pointers) {
        writeln!(text, "%p{name} = OpFunctionParameter {pointer}").unwrap();
    }
    text.push_str("%entry = OpLabel\n");
    text.push_str(&types_of(text_of.variables));
    for (number, name) in ["a", "b", "c"].into_iter().enumerate() {
        let (_, _, by_columns, stride) = types[number];
        let ty = &matrices[number][1];
        let layout = usize::from(by_columns);
        writeln!(text, "%{name} = OpCooperativeMatrixLoadKHR {ty} %p{name} %n{layout} %n{stride}").unwrap();
    }
    text.push_str(&types_of(text_of.body));
    let (_, _, by_columns, stride) = types[3];
    writeln!(text, "OpCooperativeMatrixStoreKHR %pr %r %n{} %n{stride}", usize::from(by_columns)).unwrap();
    text.push_str("OpReturn\nOpFunctionEnd\n");
    compiler::spirv::assemble(&text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// What a variant's multiplication asks for.
fn operands(variant: &Variant) -> String {
    let mut names: Vec<String> = ["A", "B", "C", "Result"]
        .into_iter()
        .zip(variant.components)
        .filter(|(_, component)| matches!(component, Component::S8 | Component::S32))
        .map(|(name, _)| format!("Matrix{name}SignedComponentsKHR"))
        .collect();
    if variant.saturating {
        names.push("SaturatingAccumulationKHR".into());
    }
    names.join("|")
}

/// Runs a kernel on random matrices, and compares with what `expected` makes of them.
fn check(context: &Context, variant: &Variant, layouts: [bool; 4], text: &Text, expected: impl Fn(&Matrix, &Matrix, &Matrix) -> Matrix) {
    let mut random = Random(variant.sizes.iter().map(|&size| u64::from(size)).sum());
    let [m, n, k] = variant.sizes;
    let shapes = [[m, k], [k, n], [m, n]];
    let [a, b, c] = [0, 1, 2].map(|number| Matrix::random(&mut random, variant.components[number], shapes[number], layouts[number]));
    let expected = expected(&a, &b, &c);
    let types = [&a, &b, &c, &expected].map(|matrix| (matrix.component, matrix.shape, matrix.by_columns, matrix.stride()));
    let program = Program::from_il(context, &module(types, text)).expect("a program").build("");
    let program = program.unwrap_or_else(|log| panic!("{variant:?}: {log}"));
    let [a, b, c] = [a, b, c].map(|matrix| context.buffer(&matrix.bytes()));
    let want = expected.bytes();
    let r = context.buffer(&vec![0xee_u8; want.len()]);
    program.kernel("k").run(context, &Range::new([16]).local([16]), &[&a, &b, &c, &r]);
    let got = r.read();
    let differs = got.iter().zip(&want).position(|(got, want)| got != want);
    assert_eq!(differs, None, "{variant:?}, columns contiguous: {layouts:?}\n{}", text.body);
}

#[test]
fn products() {
    let context = Context::new();
    for (number, variant) in variants().enumerate() {
        let body = format!("%r = OpCooperativeMatrixMulAddKHR %R %a %b %c {}", operands(&variant));
        let text = Text {
            body: &body,
            ..Text::default()
        };
        for round in [number, 3 * number + 5] {
            let layouts = [0, 1, 2, 3].map(|bit| round >> bit & 1 == 1);
            check(&context, &variant, layouts, &text, |a, b, c| product(&variant, a, b, c, layouts[3]));
        }
    }
}

/// The multiplication of these sizes and components.
fn variant(sizes: [u32; 3], component: Component) -> Variant {
    let all = |variant: &Variant| variant.sizes == sizes && variant.components[0] == component && !variant.saturating;
    variants().find(all).expect("one that there is")
}

/// What is done to each element of C.
fn elementwise(component: Component, to: Component, text: Text, expected: impl Fn(i64) -> i64) {
    check(&Context::new(), &variant([16, 16, 16], component), [false; 4], &text, |_, _, c| {
        Matrix {
            component: to,
            values: c.values.iter().map(|&value| expected(value)).collect(),
            ..c.clone()
        }
    });
}

fn body(body: &str) -> Text<'_> {
    Text { body, ..Text::default() }
}

#[test]
fn arithmetic() {
    let floats = |text: &str, expected: fn(i64) -> i64| elementwise(Component::F32, Component::F32, body(text), expected);
    floats("%r = OpFNegate %R %c", |x| -x);
    floats("%x = OpFMul %R %c %c\n%y = OpFAdd %R %x %c\n%r = OpFSub %R %y %x", |x| x);
    floats("%x = OpFAdd %R %c %c\n%r = OpFDiv %R %x %c", |_| 2);
    let integers = |text: &str, expected: fn(i32) -> i32| {
        elementwise(Component::S32, Component::S32, body(text), |x| i64::from(expected(x as i32)));
    };
    integers("%r = OpSNegate %R %c", i32::wrapping_neg);
    integers("%x = OpIMul %R %c %c\n%r = OpISub %R %x %c", |x| x.wrapping_mul(x).wrapping_sub(x));
    let declarations = "%many = OpConstant %i32 77\n%all = OpConstantComposite %R %many";
    let text = |body| Text {
        declarations,
        body,
        ..Text::default()
    };
    let by_many = |body, expected: fn(i32) -> i32| {
        elementwise(Component::S32, Component::S32, text(body), |x| i64::from(expected(x as i32)));
    };
    by_many("%r = OpIAdd %R %c %all", |x| x.wrapping_add(77));
    by_many("%r = OpSDiv %R %c %all", |x| x / 77);
    by_many("%r = OpUDiv %R %c %all", |x| (x as u32 / 77) as i32);
    by_many("%one = OpCompositeConstruct %R %n1\n%r = OpIAdd %R %one %all", |_| 78);
}

#[test]
fn conversions() {
    let text = |declarations, body| Text {
        declarations,
        body,
        ..Text::default()
    };
    let other = "%other = OpTypeCooperativeMatrixKHR %i32 %subgroup %n16 %n16 %n2";
    elementwise(
        Component::F32,
        Component::F32,
        text(
            other,
            "%x = OpConvertFToS %other %c\n%y = OpIAdd %other %x %x\n%r = OpConvertSToF %R %y",
        ),
        |x| 2 * x,
    );
    // To another of C's type, whose constants have other names: what is the same matrix to the device is another type to the module.
    let again = "%again = OpConstant %i32 16\n%other = OpTypeCooperativeMatrixKHR %i32 %subgroup %again %n16 %n2";
    elementwise(
        Component::S32,
        Component::S32,
        text(again, "%x = OpBitcast %other %c\n%y = OpIAdd %other %x %x\n%r = OpBitcast %R %y"),
        |x| 2 * x,
    );
    let half = "%f16 = OpTypeFloat 16\n%other = OpTypeCooperativeMatrixKHR %f16 %subgroup %n16 %n16 %n2";
    elementwise(
        Component::F32,
        Component::F32,
        text(half, "%x = OpFConvert %other %c\n%y = OpFNegate %other %x\n%r = OpFConvert %R %y"),
        |x| -x,
    );
}

/// Bytes that are multiplied are spread over work-items in another way than what they are converted to, and from.
#[test]
fn conversions_of_factors() {
    let variant = variant([16, 16, 16], Component::S8);
    let declarations = "%wide_a = OpTypeCooperativeMatrixKHR %i32 %subgroup %n16 %n16 %n0
%wide_b = OpTypeCooperativeMatrixKHR %i32 %subgroup %n16 %n16 %n1";
    let widened = "%x = OpSConvert %wide_a %a\n%y = OpSConvert %wide_b %b\n";
    let narrowed = "%v = OpUConvert %A %x\n%w = OpUConvert %B %y\n";
    let product_of = |factors| format!("%r = OpCooperativeMatrixMulAddKHR %R {factors} %c {}", operands(&variant));
    for body in [
        format!("{widened}{}", product_of("%x %y")),
        format!("{widened}{narrowed}{}", product_of("%v %w")),
    ] {
        for layouts in [[false; 4], [true, true, false, false]] {
            let text = Text {
                declarations,
                body: &body,
                ..Text::default()
            };
            check(&Context::new(), &variant, layouts, &text, |a, b, c| {
                product(&variant, a, b, c, layouts[3])
            });
        }
    }
}

/// Elements one by one, by an index that is not known before.
#[test]
fn components() {
    let text = Text {
        declarations: "%fp_R = OpTypePointer Function %R\n%fp_f32 = OpTypePointer Function %f32\n%three = OpConstant %f32 3",
        variables: "%m = OpVariable %fp_R Function",
        body: "OpStore %m %c
%length = OpCooperativeMatrixLengthKHR %i32 %R
OpBranch %head
%head = OpLabel
%i = OpPhi %i32 %n0 %entry %next %step
%more = OpULessThan %bool %i %length
OpLoopMerge %end %step None
OpBranchConditional %more %step %end
%step = OpLabel
%place = OpAccessChain %fp_f32 %m %i
%old = OpLoad %f32 %place
%new = OpFMul %f32 %old %three
OpStore %place %new
%next = OpIAdd %i32 %i %n1
OpBranch %head
%end = OpLabel
%r = OpLoad %R %m",
    };
    elementwise(Component::F32, Component::F32, text, |x| 3 * x);
    // Each is one work-item's: all that work-items count together is what the matrix has.
    let text = Text {
        declarations: "%yes = OpConstantTrue %bool",
        body: "%first = OpCompositeExtract %i32 %c 0
%plus = OpIAdd %i32 %first %n1
%x = OpCompositeInsert %R %plus %c 0
%last = OpCompositeExtract %i32 %x 15
%y = OpCompositeInsert %R %last %x 15
%minus = OpISub %i32 %plus %n1
%z = OpCompositeInsert %R %minus %y 0
%r = OpCopyObject %R %z",
        ..Text::default()
    };
    elementwise(Component::S32, Component::S32, text, |x| x);
}

/// Through local memory, by pointers to vectors, whose size strides count in.
#[test]
fn local_memory() {
    let text = Text {
        declarations: "%f32x4 = OpTypeVector %f32 4
%n64 = OpConstant %i32 64
%lines = OpTypeArray %f32x4 %n64
%lp_lines = OpTypePointer Workgroup %lines
%lp_f32x4 = OpTypePointer Workgroup %f32x4
%i64 = OpTypeInt 64 0
%four = OpConstant %i64 4
%all = OpConstant %i32 264
%local = OpVariable %lp_lines Workgroup",
        body: "%start = OpInBoundsAccessChain %lp_f32x4 %local %n0
OpCooperativeMatrixStoreKHR %start %c %n0 %four Aligned 16
OpControlBarrier %n2 %n2 %all
%x = OpCooperativeMatrixLoadKHR %R %start %n1 %four Aligned 16
OpCooperativeMatrixStoreKHR %start %x %n1 %four Volatile
OpControlBarrier %n2 %n2 %all
%r = OpCooperativeMatrixLoadKHR %R %start %n0 %four Nontemporal",
        ..Text::default()
    };
    elementwise(Component::F32, Component::F32, text, |x| x);
}
