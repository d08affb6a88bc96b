//! Operators on integers and floats, scalars and vectors.

use super::values::{Integer, doubles, floats, integers};
use brolga_tests::{Context, Plain, Range};

const COUNT: usize = 1000;

/// Runs a list of expressions in `x` and `y` over two arrays; the results of each expression in turn.
fn evaluate<T: Plain, R: Plain>(context: &Context, types: (&str, &str), expressions: &[&str], x: &[T], y: &[T]) -> Vec<Vec<R>> {
    let (operand, result) = types;
    let lines: String = expressions
        .iter()
        .enumerate()
        .map(|(i, expression)| format!("r[{i} * n + i] = {expression};\n"))
        .collect();
    let source = format!(
        "kernel void k(global const {operand} *a, global const {operand} *b, global {result} *r, ulong n) {{\n\
         size_t i = get_global_id(0); {operand} x = a[i], y = b[i];\n{lines}}}"
    );
    let program = context.program(&source, "-w -cl-std=CL1.2");
    let (a, b) = (context.buffer(x), context.buffer(y));
    let results = context.zeros::<R>(x.len() * expressions.len());
    program
        .kernel("k")
        .run(context, &Range::new([x.len()]), &[&a, &b, &results, &(x.len() as u64)]);
    results.read().chunks(x.len()).map(<[R]>::to_vec).collect()
}

#[track_caller]
fn compare<T: Plain, R: Plain>(
    what: &str,
    expression: &str,
    x: &[T],
    y: &[T],
    got: &[R],
    expected: impl Fn(T, T) -> R,
    same: impl Fn(R, R) -> bool,
) {
    for i in 0..x.len() {
        let want = expected(x[i], y[i]);
        assert!(
            same(got[i], want),
            "{what}: {expression} with x = {:?}, y = {:?}: got {:?}, not {:?}",
            x[i],
            y[i],
            got[i],
            want
        );
    }
}

macro_rules! integer_test {
    ($test:ident, $type:ty, $unsigned:ty) => {
        #[test]
        fn $test() {
            type T = $type;
            type Case = (&'static str, fn(T, T) -> T);
            const BITS: u32 = T::BITS;
            let cases: &[Case] = &[
                ("x + y", |x, y| x.wrapping_add(y)),
                ("x - y", |x, y| x.wrapping_sub(y)),
                ("x * y", |x, y| x.wrapping_mul(y)),
                ("x & y", |x, y| x & y),
                ("x | y", |x, y| x | y),
                ("x ^ y", |x, y| x ^ y),
                ("~x", |x, _| !x),
                ("-x", |x, _| x.wrapping_neg()),
                ("y == 0 || y == -1 ? x : x / y", |x, y| {
                    if y == 0 || y == !0 && T::MIN != 0 {
                        x
                    } else {
                        x.wrapping_div(y)
                    }
                }),
                ("y == 0 || y == -1 ? x : x % y", |x, y| {
                    if y == 0 || y == !0 && T::MIN != 0 {
                        x
                    } else {
                        x.wrapping_rem(y)
                    }
                }),
                ("x << (y & (8 * sizeof(x) - 1))", |x, y| x.wrapping_shl(y as u32 % BITS)),
                ("x >> (y & (8 * sizeof(x) - 1))", |x, y| x.wrapping_shr(y as u32 % BITS)),
                ("x < y", |x, y| (x < y) as T),
                ("x >= y", |x, y| (x >= y) as T),
                ("x == y", |x, y| (x == y) as T),
                ("x ? y : 3", |x, y| if x != 0 { y } else { 3 }),
                ("!x", |x, _| (x == 0) as T),
                ("min(x, y)", |x, y| x.min(y)),
                ("max(x, y)", |x, y| x.max(y)),
                ("add_sat(x, y)", |x, y| x.saturating_add(y)),
                ("sub_sat(x, y)", |x, y| x.saturating_sub(y)),
                ("abs_diff(x, y)", |x, y| x.abs_diff(y) as T),
                ("hadd(x, y)", |x, y| ((x as i128 + y as i128) >> 1) as T),
                ("rhadd(x, y)", |x, y| ((x as i128 + y as i128 + 1) >> 1) as T),
                ("mul_hi(x, y)", |x, y| {
                    ((x as i128).wrapping_mul(y as i128) as u128 >> BITS) as T
                }),
                ("rotate(x, y)", |x, y| {
                    x.rotate_left((y as $unsigned as u64 % BITS as u64) as u32)
                }),
                ("popcount(x)", |x, _| x.count_ones() as T),
                ("clz(x)", |x, _| x.leading_zeros() as T),
                ("clamp(x, (T)3, (T)100)", |x, _| x.clamp(3, 100)),
            ];
            let name = <T as Integer>::NAME;
            let context = Context::new();
            let (x, y) = (integers::<T>(COUNT, 2), integers::<T>(COUNT, 1));
            // The unsigned types' -1 is not the corner of division.
            let minus_one = if T::MIN == 0 { "y == 0" } else { "y == 0 || y == -1" };
            let texts: Vec<String> = cases
                .iter()
                .map(|(text, _)| {
                    text.replace("y == 0 || y == -1", minus_one)
                        .replace("(T)", &format!("({name})"))
                })
                .collect();
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            let results = evaluate::<T, T>(&context, (name, name), &texts, &x, &y);
            for ((text, expected), got) in cases.iter().zip(&results) {
                compare(name, text, &x, &y, got, expected, |a, b| a == b);
            }
        }
    };
}

integer_test!(chars, i8, u8);
integer_test!(uchars, u8, u8);
integer_test!(shorts, i16, u16);
integer_test!(ushorts, u16, u16);
integer_test!(ints, i32, u32);
integer_test!(uints, u32, u32);
integer_test!(longs, i64, u64);
integer_test!(ulongs, u64, u64);

#[test]
fn floats_are_correctly_rounded() {
    type Case = (&'static str, fn(f32, f32) -> f32);
    let cases: &[Case] = &[
        ("x + y", |x, y| x + y),
        ("x - y", |x, y| x - y),
        ("x * y", |x, y| x * y),
        ("-x", |x, _| -x),
        ("fabs(x)", |x, _| x.abs()),
        ("fma(x, y, x)", |x, y| x.mul_add(y, x)),
        ("floor(x)", |x, _| x.floor()),
        ("ceil(x)", |x, _| x.ceil()),
        ("trunc(x)", |x, _| x.trunc()),
        ("rint(x)", |x, _| x.round_ties_even()),
        ("round(x)", |x, _| x.round()),
        ("copysign(x, y)", |x, y| x.copysign(y)),
        ("x < y ? 1.0f : 2.0f", |x, y| if x < y { 1.0 } else { 2.0 }),
        ("x != y ? 1.0f : 2.0f", |x, y| if x != y { 1.0 } else { 2.0 }),
        ("isnan(x) ? 1.0f : 2.0f", |x, _| if x.is_nan() { 1.0 } else { 2.0 }),
    ];
    let context = Context::new();
    let (x, y) = (floats(COUNT, 2), floats(COUNT, 1));
    let texts: Vec<&str> = cases.iter().map(|(text, _)| *text).collect();
    let results = evaluate::<f32, f32>(&context, ("float", "float"), &texts, &x, &y);
    for ((text, expected), got) in cases.iter().zip(&results) {
        compare("float", text, &x, &y, got, expected, |a, b| {
            a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan()
        });
    }
}

#[test]
fn doubles_are_correctly_rounded() {
    type Case = (&'static str, fn(f64, f64) -> f64);
    let cases: &[Case] = &[
        ("x + y", |x, y| x + y),
        ("x - y", |x, y| x - y),
        ("x * y", |x, y| x * y),
        ("x / y", |x, y| x / y),
        ("sqrt(x)", |x, _| x.sqrt()),
        ("fma(x, y, x)", |x, y| x.mul_add(y, x)),
        ("floor(x)", |x, _| x.floor()),
        ("trunc(x)", |x, _| x.trunc()),
        ("x < y ? 1.0 : 2.0", |x, y| if x < y { 1.0 } else { 2.0 }),
    ];
    let context = Context::new();
    let (x, y) = (doubles(COUNT, 2), doubles(COUNT, 1));
    let texts: Vec<&str> = cases.iter().map(|(text, _)| *text).collect();
    let results = evaluate::<f64, f64>(&context, ("double", "double"), &texts, &x, &y);
    for ((text, expected), got) in cases.iter().zip(&results) {
        compare("double", text, &x, &y, got, expected, |a, b| {
            a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan()
        });
    }
}

#[test]
fn float_comparisons_of_each_kind() {
    type Case = (&'static str, fn(f32, f32) -> bool);
    let cases: &[Case] = &[
        ("x < y", |x, y| x < y),
        ("x <= y", |x, y| x <= y),
        ("x > y", |x, y| x > y),
        ("x >= y", |x, y| x >= y),
        ("x == y", |x, y| x == y),
        ("x != y", |x, y| x != y),
        ("!(x < y)", |x, y| !matches!(x.partial_cmp(&y), Some(std::cmp::Ordering::Less))),
        ("isless(x, y)", |x, y| x < y),
        ("islessgreater(x, y)", |x, y| x.partial_cmp(&y).is_some_and(|order| order.is_ne())),
        ("isordered(x, y)", |x, y| !x.is_nan() && !y.is_nan()),
        ("isunordered(x, y)", |x, y| x.is_nan() || y.is_nan()),
        ("isinf(x)", |x, _| x.is_infinite()),
        ("isfinite(x)", |x, _| x.is_finite()),
        ("isnormal(x)", |x, _| x.is_normal()),
        ("signbit(x)", |x, _| x.is_sign_negative()),
    ];
    let context = Context::new();
    let (x, y) = (floats(COUNT, 2), floats(COUNT, 1));
    let texts: Vec<&str> = cases.iter().map(|(text, _)| *text).collect();
    let results = evaluate::<f32, i32>(&context, ("float", "int"), &texts, &x, &y);
    for ((text, expected), got) in cases.iter().zip(&results) {
        // The sign of a NaN is nobody's promise.
        compare(
            "float",
            text,
            &x,
            &y,
            got,
            |x, y| expected(x, y) as i32,
            |a, b| a == b || text.starts_with("signbit") && x.iter().any(|x| x.is_nan()) && a == 0,
        );
    }
}

#[test]
fn vectors_work_by_component() {
    let source = "kernel void k(global const int4 *a, global const float4 *f, global int4 *r, global float4 *g, global int *s) {
        size_t i = get_global_id(0);
        int4 x = a[i];
        float4 y = f[i];
        r[i] = (x.wzyx * 3 + (int4)(1, 2, 3, 4)) ^ (x > 5);
        g[i] = y.s0213 * 2.0f + (float4)(y.hi, y.lo);
        s[i] = any(x < 0) + 2 * all(x > 0) + (int)dot(y, y);
        r[i].y += select(x, -x, x > 100).y;
    }";
    let context = Context::new();
    let program = context.program(source, "");
    let n = 333;
    let a: Vec<[i32; 4]> = integers::<i32>(n * 4, 2)
        .chunks(4)
        .map(|c| [c[0] >> 8, c[1] >> 8, c[2] >> 8, c[3] >> 8])
        .collect();
    let f: Vec<[f32; 4]> = (0..n).map(|i| [i as f32, 1.0, -(i as f32), 0.5]).collect();
    let (input, input_f) = (context.buffer(&a), context.buffer(&f));
    let (r, g, s) = (context.zeros::<[i32; 4]>(n), context.zeros::<[f32; 4]>(n), context.zeros::<i32>(n));
    program.kernel("k").run(&context, &Range::new([n]), &[&input, &input_f, &r, &g, &s]);
    let (r, g, s) = (r.read(), g.read(), s.read());
    for i in 0..n {
        let (x, y) = (a[i], f[i]);
        let mut want: [i32; 4] = std::array::from_fn(|c| (x[3 - c].wrapping_mul(3).wrapping_add(c as i32 + 1)) ^ -((x[c] > 5) as i32));
        want[1] = want[1].wrapping_add(if x[1] > 100 { -x[1] } else { x[1] });
        assert_eq!(r[i], want, "{i}");
        assert_eq!(
            g[i],
            [y[0] * 2.0 + y[2], y[2] * 2.0 + y[3], y[1] * 2.0 + y[0], y[3] * 2.0 + y[1]],
            "{i}"
        );
        let dot: f32 = y.iter().map(|v| v * v).sum();
        let want = x.iter().any(|&v| v < 0) as i32 + 2 * x.iter().all(|&v| v > 0) as i32 + dot as i32;
        assert_eq!(s[i], want, "{i}");
    }
}

#[test]
fn vectors_of_all_widths_are_loaded_and_stored() {
    let context = Context::new();
    for width in [2usize, 3, 4, 8, 16] {
        let source = format!(
            "kernel void k(global const short *a, global short *r, global const float{width} *f, global float{width} *g) {{
                size_t i = get_global_id(0);
                vstore{width}(vload{width}(i, a) + (short)1, i, r);
                g[i] = f[i] + 1;
            }}"
        );
        let program = context.program(&source, "");
        let n = 37;
        let stride = if width == 3 { 4 } else { width };
        let a: Vec<i16> = (0..n * width).map(|i| i as i16).collect();
        let f: Vec<f32> = (0..n * stride).map(|i| i as f32).collect();
        let (a, r, f, g) = (
            context.buffer(&a),
            context.zeros::<i16>(n * width),
            context.buffer(&f),
            context.zeros::<f32>(n * stride),
        );
        program.kernel("k").run(&context, &Range::new([n]), &[&a, &r, &f, &g]);
        assert_eq!(r.read(), (0..n * width).map(|i| i as i16 + 1).collect::<Vec<_>>(), "width {width}");
        let got = g.read();
        for i in (0..n * stride).filter(|i| i % stride < width) {
            assert_eq!(got[i], i as f32 + 1.0, "width {width}");
        }
    }
}
