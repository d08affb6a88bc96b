//! Mathematical functions, within the specification's bounds (OpenCL C 3.0 §7.4), over the whole range of floats.

use super::values::{Random, floats, ulps};
use brolga_tests::{Context, Range};

/// Floats of all magnitudes and a dense set where functions live.
fn inputs() -> Vec<f32> {
    let mut values = floats(20_000, 3);
    let mut random = Random(7);
    values.extend((0..20_000).map(|_| (random.next() as i64 as f64 / 2f64.powi(63) * 100.0) as f32));
    values.extend((0..20_000).map(|_| (random.next() as i64 as f64 / 2f64.powi(63) * 2.0) as f32));
    values
}

fn evaluate(expressions: &[&str], x: &[f32], y: &[f32]) -> Vec<Vec<f32>> {
    let context = Context::new();
    let lines: String = expressions
        .iter()
        .enumerate()
        .map(|(i, expression)| format!("r[{i} * n + i] = {expression};\n"))
        .collect();
    let source = format!(
        "kernel void k(global const float *a, global const float *b, global float *r, ulong n) {{ size_t i = get_global_id(0); float x = a[i], y = b[i];\n{lines}}}"
    );
    let program = context.program(&source, "");
    let (a, b, r) = (
        context.buffer(x),
        context.buffer(y),
        context.zeros::<f32>(x.len() * expressions.len()),
    );
    program
        .kernel("k")
        .run(&context, &Range::new([x.len()]), &[&a, &b, &r, &(x.len() as u64)]);
    r.read().chunks(x.len()).map(<[f32]>::to_vec).collect()
}

/// An expression, its bound in units in the last place, and what it should be.
type Unary = (&'static str, f64, fn(f64) -> f64);

#[track_caller]
fn unary(cases: &[Unary]) {
    let x = inputs();
    let texts: Vec<&str> = cases.iter().map(|case| case.0).collect();
    for ((text, bound, expected), got) in cases.iter().zip(evaluate(&texts, &x, &x)) {
        for (&x, got) in x.iter().zip(got) {
            let want = expected(f64::from(x));
            assert!(
                ulps(got, want) <= *bound,
                "{text}, x = {x:?} ({:#x}): got {got:?}, not {want:?}: {} ulp",
                x.to_bits(),
                ulps(got, want)
            );
        }
    }
}

#[test]
fn exponentials_and_logarithms() {
    unary(&[
        ("exp(x)", 3.0, f64::exp),
        ("exp2(x)", 3.0, f64::exp2),
        ("exp10(x)", 3.0, |x| 10f64.powf(x)),
        ("expm1(x)", 3.0, f64::exp_m1),
        ("log(x)", 3.0, f64::ln),
        ("log2(x)", 3.0, f64::log2),
        ("log10(x)", 3.0, f64::log10),
        ("log1p(x)", 2.0, f64::ln_1p),
    ]);
}

#[test]
fn trigonometry() {
    unary(&[
        ("sin(x)", 4.0, f64::sin),
        ("cos(x)", 4.0, f64::cos),
        ("tan(x)", 5.0, f64::tan),
        ("asin(x)", 4.0, f64::asin),
        ("acos(x)", 4.0, f64::acos),
        ("atan(x)", 5.0, f64::atan),
    ]);
}

#[test]
fn hyperbolic_functions() {
    unary(&[
        ("sinh(x)", 4.0, f64::sinh),
        ("cosh(x)", 4.0, f64::cosh),
        ("tanh(x)", 5.0, f64::tanh),
        ("asinh(x)", 4.0, f64::asinh),
        ("acosh(x)", 4.0, f64::acosh),
        ("atanh(x)", 5.0, f64::atanh),
    ]);
}

#[test]
fn roots_and_quotients() {
    unary(&[
        ("sqrt(x)", 3.0, f64::sqrt),
        ("rsqrt(x)", 2.0, |x| 1.0 / x.sqrt()),
        ("cbrt(x)", 2.0, f64::cbrt),
        ("1.0f / x", 2.5, |x| 1.0 / x),
    ]);
}

#[test]
fn of_two_arguments() {
    type Case = (&'static str, f64, fn(f64, f64) -> f64);
    let cases: &[Case] = &[
        ("pow(x, y)", 16.0, f64::powf),
        ("atan2(x, y)", 6.0, f64::atan2),
        ("hypot(x, y)", 4.0, f64::hypot),
        ("x / y", 2.5, |x, y| x / y),
        ("fmod(x, y)", 0.0, |x, y| x % y),
        ("fdim(x, y)", 0.5, |x, y| {
            if x.is_nan() || y.is_nan() {
                f64::NAN
            } else if x > y {
                x - y
            } else {
                0.0
            }
        }),
    ];
    let x = inputs();
    let mut y = x.clone();
    let mut random = Random(11);
    for i in (1..y.len()).rev() {
        y.swap(i, random.below(i + 1));
    }
    let texts: Vec<&str> = cases.iter().map(|case| case.0).collect();
    for ((text, bound, expected), got) in cases.iter().zip(evaluate(&texts, &x, &y)) {
        for ((&x, &y), got) in x.iter().zip(&y).zip(got) {
            let want = expected(f64::from(x), f64::from(y));
            assert!(
                ulps(got, want) <= *bound,
                "{text}, x = {x:?}, y = {y:?}: got {got:?}, not {want:?}: {} ulp",
                ulps(got, want)
            );
        }
    }
}

#[test]
fn minima_and_maxima_prefer_numbers() {
    let x = [1.0, f32::NAN, -0.0, f32::INFINITY, f32::NAN];
    let y = [2.0, 3.0, 5.0, f32::NAN, f32::NAN];
    let got = evaluate(&["fmin(x, y)", "fmax(x, y)"], &x, &y);
    assert_eq!(got[0][..4], [1.0, 3.0, -0.0, f32::INFINITY]);
    assert_eq!(got[1][..4], [2.0, 3.0, 5.0, f32::INFINITY]);
    assert!(got[0][4].is_nan() && got[1][4].is_nan());
}

#[test]
fn parts_of_numbers() {
    let context = Context::new();
    let source = "kernel void k(global const float *a, global float *r, global int *e) {
        size_t i = get_global_id(0); int x; float whole;
        r[4 * i] = frexp(a[i], &x); e[2 * i] = x;
        r[4 * i + 1] = ldexp(a[i], 3);
        r[4 * i + 2] = modf(a[i], &whole); r[4 * i + 3] = whole;
        e[2 * i + 1] = ilogb(a[i]);
    }";
    let program = context.program(source, "");
    let values = [1.0f32, -6.5, 0.3, 1e-42, 12345.678, 0.0];
    let (a, r, e) = (context.buffer(&values), context.zeros::<f32>(24), context.zeros::<i32>(12));
    program.kernel("k").run(&context, &Range::new([6]), &[&a, &r, &e]);
    let (r, e) = (r.read(), e.read());
    for (i, value) in values.iter().enumerate() {
        assert_eq!(
            r[4 * i] * 2f32.powi(e[2 * i].max(-100)) * 2f32.powi((e[2 * i] + 100).min(0)),
            *value
        );
        assert!(*value == 0.0 || (0.5..1.0).contains(&r[4 * i].abs()));
        assert_eq!(r[4 * i + 1], value * 8.0);
        assert_eq!((r[4 * i + 2], r[4 * i + 3]), (value.fract(), value.trunc()));
        assert!(*value == 0.0 || e[2 * i + 1] == value.abs().log2().floor() as i32);
    }
}

#[test]
fn common_and_geometric_functions() {
    let context = Context::new();
    let source = "kernel void k(global float *r) {
        float4 a = (float4)(1, 2, 3, 4), b = (float4)(4, 3, 2, 1);
        r[0] = dot(a, b); r[1] = length(a.xyz); r[2] = distance(a, b); r[3] = mix(1.0f, 3.0f, 0.25f);
        r[4] = step(2.0f, 1.0f) + smoothstep(0.0f, 1.0f, 0.5f); r[5] = sign(-3.0f); r[6] = degrees(M_PI_F); r[7] = clamp(7.0f, 1.0f, 5.0f);
        float4 c = cross(a, b); r[8] = c.x; r[9] = c.y; r[10] = c.z; r[11] = fast_length(a); r[12] = normalize(b).x; r[13] = mad(2.0f, 3.0f, 4.0f);
    }";
    let program = context.program(source, "");
    let r = context.zeros::<f32>(14);
    program.kernel("k").run(&context, &Range::new([1]), &[&r]);
    let want = [
        20.0,
        14f32.sqrt(),
        20f32.sqrt(),
        1.5,
        0.5,
        -1.0,
        180.0,
        5.0,
        -5.0,
        10.0,
        -5.0,
        30f32.sqrt(),
        4.0 / 30f32.sqrt(),
        10.0,
    ];
    for (i, (got, want)) in r.read().into_iter().zip(want).enumerate() {
        assert!((got - want).abs() <= want.abs() * 1e-5, "r[{i}]: {got}, not {want}");
    }
}

/// Angles in half turns are exact where they are multiples of a quarter (7.5.1, edge cases).
#[test]
fn quarters_of_half_turns() {
    let context = Context::new();
    let source = "kernel void k(global float *f, global double *d, float inf) {
        int i = get_global_id(0);
        float y = i & 1 ? -1 : 1, x = i & 2 ? -1 : 1;
        if (i & 4) { x *= inf; y *= inf; }
        f[2 * i] = atanpi(y); f[2 * i + 1] = atan2pi(y, x);
        d[2 * i] = atanpi((double)y); d[2 * i + 1] = atan2pi((double)y, (double)x);
    }";
    let (f, d) = (context.zeros::<f32>(16), context.zeros::<f64>(16));
    context
        .program(source, "")
        .kernel("k")
        .run(&context, &Range::new([8]), &[&f, &d, &f32::INFINITY]);
    let expected = |i: usize| {
        let sign = if i & 1 == 0 { 1.0 } else { -1.0 };
        [
            if i & 4 == 0 { 0.25 } else { 0.5 } * sign,
            if i & 2 == 0 { 0.25 } else { 0.75 } * sign,
        ]
    };
    let expected: Vec<f64> = (0..8).flat_map(expected).collect();
    assert_eq!(d.read(), expected);
    assert_eq!(f.read().into_iter().map(f64::from).collect::<Vec<_>>(), expected);
}
