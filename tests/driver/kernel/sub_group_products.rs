//! Products of matrices whose columns are a sub-group's work-items (cl_intel_subgroup_matrix_multiply_accumulate, and its _tf32): each function against the
//! product of the matrices that its arguments are, as the extension of SPIR-V spreads them.

use brolga_tests::cl_sys::CL_INVALID_WORK_GROUP_SIZE;
use brolga_tests::{Context, Range};

/// A context; `None` where the functions are not declared.
fn context() -> Option<Context> {
    (!super::left_to_clang("clang has none of these functions")).then(Context::new)
}

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
}

/// A small integer as IEEE 754 has it, with so many bits of exponent and fraction.
fn float(value: i64, exponent: u32, fraction: u32) -> u32 {
    if value == 0 {
        return 0;
    }
    let size = value.unsigned_abs() as u32;
    let log = size.ilog2();
    let digits = (size << fraction >> log) & ((1 << fraction) - 1);
    (u32::from(value < 0) << (exponent + fraction)) | ((log + (1 << (exponent - 1)) - 1) << fraction) | digits
}

/// How elements are written.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Format {
    Integer(u32, bool),
    Half,
    BFloat,
    Float,
    /// With bits of the fraction that nobody looks at.
    TF32,
}

impl Format {
    fn bits(self) -> u32 {
        match self {
            Format::Integer(bits, _) => bits,
            Format::Half | Format::BFloat => 16,
            Format::Float | Format::TF32 => 32,
        }
    }

    /// What it writes exactly; of floats, so little that sums are exact, too.
    fn number(self, random: &mut Random, few: bool) -> i64 {
        let any = random.next() as i64;
        match self {
            Format::Integer(32, _) => i64::from((any << 3) as i32),
            Format::Integer(bits, signed) => any % (1 << bits) - if signed { 1 << (bits - 1) } else { 0 },
            _ if few => any % 3 - 1,
            _ => any % 15 - 7,
        }
    }

    fn encode(self, value: i64) -> u32 {
        match self {
            Format::Integer(32, _) => value as u32,
            Format::Integer(bits, _) => value as u32 & ((1 << bits) - 1),
            Format::Half => float(value, 5, 10),
            Format::BFloat => float(value, 8, 7),
            Format::Float => float(value, 8, 23),
            Format::TF32 if value == 0 => 0,
            Format::TF32 => float(value, 8, 23) | 0x1abc,
        }
    }
}

/// A function: its name, with the types of its arguments and of the result for m rows.
struct Function {
    name: String,
    a: Format,
    b: Format,
    sum: Format,
    depth: usize,
    sub_group: usize,
}

impl Function {
    /// The scalar types of A, B and C, and how many A has.
    fn types(&self, rows: usize) -> ([&'static str; 3], usize) {
        let signed = |format: Format| matches!(format, Format::Integer(_, true) | Format::Half | Format::BFloat);
        let a = match (self.sub_group, signed(self.a)) {
            _ if self.a == Format::TF32 => "float",
            (8, true) => "int",
            (8, false) => "uint",
            (_, true) => "short",
            (_, false) => "ushort",
        };
        let b = match signed(self.b) {
            _ if self.b == Format::TF32 => "float",
            true => "int",
            false => "uint",
        };
        let c = match self.sum {
            Format::Half => "half",
            Format::BFloat => "short",
            Format::Float => "float",
            _ => "int",
        };
        let of_a = if self.a == Format::TF32 { rows.div_ceil(2) } else { rows };
        ([a, b, c], of_a)
    }

    /// Sets an element of A among the work-items' arguments, which are so many bytes each.
    fn set_a(&self, bytes: &mut [u8], [row, column]: [usize; 2], value: u32, rows: usize) {
        let (_, count) = self.types(rows);
        let component = if self.a == Format::TF32 { 4 } else { 16 / self.sub_group * 2 };
        let (item, component_at, bit) = if self.sub_group <= self.depth {
            let each = self.depth / self.sub_group;
            (column / each, row, column % each * self.a.bits() as usize)
        } else {
            let share = self.sub_group / self.depth;
            (row % share * self.depth + column, row / share, 0)
        };
        set(&mut bytes[(item * count + component_at) * component..], bit, value);
    }
}

/// Sets bits that are zeros.
fn set(bytes: &mut [u8], bit: usize, value: u32) {
    for (byte, part) in bytes[bit / 8..].iter_mut().zip((value << (bit % 8)).to_le_bytes()) {
        *byte |= part;
    }
}

fn functions() -> Vec<Function> {
    let mut all = Vec::new();
    for sub_group in [8, 16] {
        for (bits, depth) in [(8, 32), (4, 64)] {
            for [a, b] in [[true, true], [true, false], [false, true], [false, false]] {
                let letter = |signed| if signed { 'i' } else { 'u' };
                all.push(Function {
                    name: format!("{}{bits}_{}{bits}_matrix_mad_k{depth}", letter(a), letter(b)),
                    a: Format::Integer(bits, a),
                    b: Format::Integer(bits, b),
                    sum: Format::Integer(32, true),
                    depth,
                    sub_group,
                });
            }
        }
        for (name, format) in [("f16", Format::Half), ("bf16", Format::BFloat)] {
            for sum in [Format::Float, format] {
                all.push(Function {
                    name: format!("{name}_{name}_matrix_mad_k16"),
                    a: format,
                    b: format,
                    sum,
                    depth: 16,
                    sub_group,
                });
            }
        }
    }
    // Sums of 16 bits, and TF32, are for sub-groups of 16 alone.
    all.retain(|function| function.sub_group == 16 || function.sum.bits() == 32);
    all.push(Function {
        name: "tf32_tf32_matrix_mad_k8".into(),
        a: Format::TF32,
        b: Format::TF32,
        sum: Format::Float,
        depth: 8,
        sub_group: 16,
    });
    all
}

const ROWS: [usize; 4] = [1, 2, 4, 8];

fn kernel(function: &Function, rows: usize) -> String {
    let ([a, b, c], of_a) = function.types(rows);
    let vector = |ty: &str, count: usize| if count == 1 { ty.to_string() } else { format!("{ty}{count}") };
    let (a, c, name) = (vector(a, of_a), vector(c, rows), &function.name);
    let (sub_group, number) = (function.sub_group, function.sum.bits());
    format!(
        "kernel void {name}_{sub_group}_{number}_{rows}(global const {a} *a, global const {b}8 *b, global const {c} *c, global {c} *r) {{
            size_t i = get_global_id(0);
            r[i] = intel_sub_group_{name}(a[i], b[i], c[i]);
        }}\n"
    )
}

/// Each function with each number of rows, in groups of two sub-groups.
#[test]
fn functions_of_each_shape() {
    let Some(context) = context() else { return };
    let functions = functions();
    let kernels = functions.iter().flat_map(|function| ROWS.map(|rows| kernel(function, rows)));
    let source: String = ["#pragma OPENCL EXTENSION cl_khr_fp16: enable\n".into()]
        .into_iter()
        .chain(kernels)
        .collect();
    let program = context.program(&source, "-cl-std=CL3.0");
    let mut random = Random(7);
    for function in &functions {
        let (n, depth) = (function.sub_group, function.depth);
        for rows in ROWS {
            let (_, of_a) = function.types(rows);
            let a_component = if function.a == Format::TF32 { 4 } else { 16 / n * 2 };
            let sum_bytes = function.sum.bits() as usize / 8;
            let [mut a, mut b] = [of_a * a_component, 32].map(|each| vec![0u8; 4 * n * each]);
            let [mut c, mut expected] = [0, 1].map(|_| vec![0u8; 4 * n * rows * sum_bytes]);
            for sub_group in 0..4 {
                let few = function.sum.bits() == 16;
                let mut matrix = |format: Format, size: usize| -> Vec<i64> { (0..size).map(|_| format.number(&mut random, few)).collect() };
                let (of_a_values, of_b, of_c) = (
                    matrix(function.a, rows * depth),
                    matrix(function.b, depth * n),
                    matrix(function.sum, rows * n),
                );
                let a = &mut a[sub_group * n * of_a * a_component..];
                for (at, &value) in of_a_values.iter().enumerate() {
                    function.set_a(a, [at / depth, at % depth], function.a.encode(value), rows);
                }
                for (at, &value) in of_b.iter().enumerate() {
                    let (k, column) = (at / n, at % n);
                    let bit = k * function.b.bits() as usize;
                    set(&mut b[(sub_group * n + column) * 32..], bit, function.b.encode(value));
                }
                for (at, &value) in of_c.iter().enumerate() {
                    let (row, column) = (at / n, at % n);
                    let place = ((sub_group * n + column) * rows + row) * sum_bytes;
                    set(&mut c[place..], 0, function.sum.encode(value));
                    let factors = |k: usize| (of_a_values[row * depth + k], of_b[k * n + column]);
                    let bits = match function.a {
                        Format::TF32 => {
                            let number = |value: i64| f32::from_bits(Format::TF32.encode(value) & !0x1fff);
                            let products = (0..depth).map(factors).map(|(a, b)| number(a) * number(b));
                            (value as f32 + products.sum::<f32>()).to_bits()
                        }
                        _ => function
                            .sum
                            .encode(value + (0..depth).map(factors).map(|(a, b)| a * b).sum::<i64>()),
                    };
                    set(&mut expected[place..], 0, bits);
                }
            }
            let name = format!("{}_{n}_{}_{rows}", function.name, function.sum.bits());
            let [a, b, c] = [a, b, c].map(|bytes| context.buffer(&bytes));
            let r = context.zeros::<u8>(expected.len());
            let range = Range::new([4 * n]).local([2 * n]);
            program.kernel(&name).run(&context, &range, &[&a, &b, &c, &r]);
            let differs = r.read().iter().zip(&expected).position(|(got, want)| got != want);
            assert_eq!(differs, None, "{name}");
        }
    }
}

#[test]
fn conversions_to_tf32() {
    let Some(context) = context() else { return };
    let source = "kernel void k(global float *r) {
        r[0] = intel_convert_tfloat32_as_float(1.0f + 0x1p-11f);
        r[1] = intel_convert_tfloat322_as_float2((float2)(1.0f, 1.0f + 0x1.8p-10f)).y;
        r[2] = intel_convert_tfloat3216_as_float16((float16)(1.0f + 0x1.2p-11f)).sf;
    }";
    let r = context.zeros::<f32>(3);
    context.program(source, "").kernel("k").run(&context, &Range::new([1]), &[&r]);
    assert_eq!(r.read(), [1.0, 1.0 + 2.0 / 1024.0, 1.0 + 1.0 / 1024.0]);
}

/// The operands' types say how large the sub-group is; a kernel that asks for another size, or launches that cut it off, are refused.
#[test]
fn sizes_of_sub_groups() {
    let Some(context) = context() else { return };
    let source = |attribute: &str, a: &str| {
        format!(
            "{attribute} kernel void k(global int *r) {{
                r[get_global_id(0)] = intel_sub_group_i8_i8_matrix_mad_k32(({a})0, (int8)0, (int)get_sub_group_size());
            }}"
        )
    };
    let asks = |size: u32| format!("__attribute__((intel_reqd_sub_group_size({size})))");
    for (attribute, a, size) in [
        (String::new(), "int", 8),
        (asks(8), "int", 8),
        (String::new(), "short", 16),
        (asks(16), "short", 16),
    ] {
        let kernel = context.program(&source(&attribute, a), "-cl-std=CL3.0").kernel("k");
        let r = context.zeros::<i32>(48);
        kernel.run(&context, &Range::new([48]).local([48]), &[&r]);
        assert_eq!(r.read(), [size; 48], "{attribute} {a}");
        kernel.run(&context, &Range::new([48]), &[&r]);
        let status = kernel.enqueue(&context, &Range::new([48]).local([12])).err();
        assert_eq!(status, Some(CL_INVALID_WORK_GROUP_SIZE), "{attribute} {a}");
    }
    for (attribute, a, size) in [(asks(16), "int", 8), (asks(8), "short", 16), (asks(32), "int", 8)] {
        let log = context.build(&source(&attribute, a), "-cl-std=CL3.0").expect_err("a refusal");
        assert!(log.contains(&format!("its matrices are for sub-groups of {size}")), "{log}");
    }
    let both = "kernel void k(global int *r) {
        int x = intel_sub_group_i8_i8_matrix_mad_k32((int)0, (int8)0, 1);
        r[get_global_id(0)] = intel_sub_group_i8_i8_matrix_mad_k32((short)0, (int8)0, x);
    }";
    let log = context.build(both, "-cl-std=CL3.0").expect_err("a refusal");
    assert!(log.contains("others for sub-groups of 16"), "{log}");
}

/// Each function of the split form, in which two sub-groups have a half of A each, against the one in which each sub-group has all of it.
#[test]
fn of_two_sub_groups() {
    let Some(context) = context() else { return };
    for (elements, [a, b], sum, depth) in [
        ("i8_i8", ["int", "int8"], "int", 32),
        ("i8_u8", ["int", "uint8"], "int", 32),
        ("u8_i8", ["uint", "int8"], "int", 32),
        ("u8_u8", ["uint", "uint8"], "int", 32),
        ("bf16_bf16", ["int", "int8"], "float", 16),
        ("f16_f16", ["int", "int8"], "float", 16),
    ] {
        for rows in [2, 4, 8] {
            split(&context, elements, [a, b, sum], depth, rows);
        }
    }
}

fn split(context: &Context, elements: &str, [a, b, sum]: [&str; 3], depth: usize, rows: usize) {
    let half = rows / 2;
    let part = if half == 1 { a.to_owned() } else { format!("{a}{half}") };
    let load = |count: usize, first: &str| {
        let words: Vec<String> = (0..count).map(|row| format!("all[({first} + {row}) * 8 + lane]")).collect();
        words.join(", ")
    };
    let source = format!(
        "kernel void k(global const {a} *as, global const {b} *bs, global {sum}{rows} *sums, global {sum}{rows} *whole) {{
            size_t i = get_global_id(0);
            uint lane = get_sub_group_local_id(), sub = get_sub_group_id();
            global const {a} *all = as + i / 16 * {rows} * 8;
            {part} part = ({part})({});
            {a}{rows} both = ({a}{rows})({});
            {sum}{rows} before = sums[i];
            sums[i] = intel_sub_group_{elements}_split_matrix_mad_k{depth}(part, bs[i], before);
            whole[i] = intel_sub_group_{elements}_matrix_mad_k{depth}(both, bs[i], before);
        }}",
        load(half, &format!("(sub & 1) * {half}")),
        load(rows, "0"),
    );
    let mut random = Random(depth as u64 + rows as u64);
    // As halves or bfloat16, bits are numbers below two.
    let kept = match elements {
        "bf16_bf16" => 0x3fff_3fff,
        "f16_f16" => 0x3bff_3bff,
        _ => u32::MAX,
    };
    let mut words = |count: usize| (0..count).map(|_| random.next() as u32 & kept).collect::<Vec<u32>>();
    let (of_a, of_b) = (words(4 * rows * 8), words(64 * 8));
    let before: Vec<u32> = (0..64 * rows)
        .map(|number| if sum == "float" { (number as f32).to_bits() } else { number as u32 })
        .collect();
    let [of_a, of_b, sums] = [of_a, of_b, before.clone()].map(|words| context.buffer(&words));
    let whole = context.buffer(&vec![0_u32; 64 * rows]);
    let kernel = context.program(&source, "-cl-std=CL3.0").kernel("k");
    for local in [32, 16] {
        kernel.run(context, &Range::new([64]).local([local]), &[&of_a, &of_b, &sums, &whole]);
        assert_eq!(sums.read(), whole.read(), "{elements}, {rows} rows, {local} work-items");
        assert_ne!(sums.read(), before, "{elements}, {rows} rows");
    }
}
