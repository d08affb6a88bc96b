//! Conversions between numbers.

use super::values::{doubles, floats, integers};
use brolga_tests::{Context, Plain, Range};

const COUNT: usize = 1000;

#[track_caller]
fn convert<A: Plain, B: Plain>(from: &str, expression: &str, to: &str, values: &[A], expected: impl Fn(A) -> B) {
    let context = Context::new();
    let source = format!(
        "kernel void k(global const {from} *a, global {to} *r) {{ size_t i = get_global_id(0); {from} x = a[i]; r[i] = {expression}; }}"
    );
    let program = context.program(&source, "-cl-std=CL1.2");
    let (a, r) = (context.buffer(values), context.zeros::<B>(values.len()));
    program.kernel("k").run(&context, &Range::new([values.len()]), &[&a, &r]);
    for (value, got) in values.iter().zip(r.read()) {
        let want = expected(*value);
        assert!(got == want, "{expression} of {value:?}: got {got:?}, not {want:?}");
    }
}

#[test]
fn between_integers() {
    convert("int", "(char)x", "char", &integers::<i32>(COUNT, 0), |x| x as i8);
    convert("char", "(long)x", "long", &integers::<i8>(COUNT, 0), |x| x as i64);
    convert("uchar", "(int)x", "int", &integers::<u8>(COUNT, 0), |x| x as i32);
    convert("short", "(ulong)x", "ulong", &integers::<i16>(COUNT, 0), |x| x as u64);
    convert("long", "(uint)x", "uint", &integers::<i64>(COUNT, 0), |x| x as u32);
}

#[test]
fn with_saturation() {
    convert("int", "convert_uchar_sat(x)", "uchar", &integers::<i32>(COUNT, 0), |x| {
        x.clamp(0, 255) as u8
    });
    convert("int", "convert_char_sat(x)", "char", &integers::<i32>(COUNT, 0), |x| {
        x.clamp(-128, 127) as i8
    });
    convert("ulong", "convert_int_sat(x)", "int", &integers::<u64>(COUNT, 0), |x| {
        x.min(i32::MAX as u64) as i32
    });
    convert("long", "convert_ushort_sat(x)", "ushort", &integers::<i64>(COUNT, 0), |x| {
        x.clamp(0, 65535) as u16
    });
    convert("float", "convert_int_sat(x)", "int", &floats(COUNT, 0), |x| x as i32);
    convert("float", "convert_uchar_sat(x)", "uchar", &floats(COUNT, 0), |x| x as u8);
    convert("float", "convert_ulong_sat(x)", "ulong", &floats(COUNT, 0), |x| x as u64);
    convert("double", "convert_int_sat(x)", "int", &doubles(COUNT, 0), |x| x as i32);
}

#[test]
fn integers_to_floats() {
    convert("int", "(float)x", "float", &integers::<i32>(COUNT, 0), |x| x as f32);
    convert("uint", "(float)x", "float", &integers::<u32>(COUNT, 0), |x| x as f32);
    convert("long", "(float)x", "float", &integers::<i64>(COUNT, 0), |x| x as f32);
    convert("ulong", "(float)x", "float", &integers::<u64>(COUNT, 0), |x| x as f32);
    convert("ulong", "(double)x", "double", &integers::<u64>(COUNT, 0), |x| x as f64);
    convert("char", "(double)x", "double", &integers::<i8>(COUNT, 0), |x| x as f64);
}

#[test]
fn floats_to_integers_truncate_or_round_as_asked() {
    let small: Vec<f32> = (-2000..2000).map(|i| i as f32 * 0.25).collect();
    convert("float", "(int)x", "int", &small, |x| x as i32);
    convert("float", "convert_int_rte(x)", "int", &small, |x| x.round_ties_even() as i32);
    convert("float", "convert_int_rtp(x)", "int", &small, |x| x.ceil() as i32);
    convert("float", "convert_int_rtn(x)", "int", &small, |x| x.floor() as i32);
    convert("float", "convert_long(x)", "long", &small, |x| x as i64);
}

#[test]
fn between_floats() {
    let doubles: Vec<f64> = doubles(COUNT, 0).into_iter().filter(|x| !x.is_nan()).collect();
    let floats: Vec<f32> = floats(COUNT, 0).into_iter().filter(|x| !x.is_nan()).collect();
    convert("double", "(float)x", "float", &doubles, |x| x as f32);
    convert("float", "(double)x", "double", &floats, |x| x as f64);
}

#[test]
fn bits_are_reinterpreted() {
    convert(
        "float",
        "as_uint(x)",
        "uint",
        &integers::<u32>(COUNT, 0)
            .into_iter()
            .map(f32::from_bits)
            .filter(|x| !x.is_nan())
            .collect::<Vec<_>>(),
        f32::to_bits,
    );
    convert("uint", "as_uchar4(x).s1", "uchar", &integers::<u32>(COUNT, 0), |x| (x >> 8) as u8);
    convert("long", "as_double(x) == as_double(x)", "int", &integers::<i64>(COUNT, 0), |x| {
        !f64::from_bits(x as u64).is_nan() as i32
    });
}

#[test]
fn halves_in_memory() {
    let context = Context::new();
    let source = "kernel void k(global const ushort *a, global float *f, global half *back) {
        size_t i = get_global_id(0);
        f[i] = vload_half(i, (global const half *)a);
        vstore_half_rte(f[i], i, back);
    }";
    let program = context.program(source, "");
    let all: Vec<u16> = (0..=u16::MAX).collect();
    let (a, f, back) = (
        context.buffer(&all),
        context.zeros::<f32>(all.len()),
        context.zeros::<u16>(all.len()),
    );
    program.kernel("k").run(&context, &Range::new([all.len()]), &[&a, &f, &back]);
    let (f, back) = (f.read(), back.read());
    for half in all {
        let (exponent, fraction) = (half >> 10 & 31, f32::from(half & 1023));
        let magnitude = match exponent {
            0 => fraction * 2f32.powi(-24),
            31 if fraction == 0.0 => f32::INFINITY,
            31 => f32::NAN,
            _ => (1024.0 + fraction) * 2f32.powi(i32::from(exponent) - 25),
        };
        let want = if half >> 15 == 1 { -magnitude } else { magnitude };
        let got = f[half as usize];
        assert!(
            got.to_bits() == want.to_bits() || got.is_nan() && want.is_nan(),
            "{half:#x}: {got}, not {want}"
        );
        assert!(
            back[half as usize] == half || want.is_nan(),
            "{half:#x} came back as {:#x}",
            back[half as usize]
        );
    }
}

#[test]
fn bfloat16() {
    let context = Context::new();
    let source = "kernel void k(global const float4 *f, global ushort4 *u, global float *back) {
        int i = get_global_id(0);
        u[i] = intel_convert_bfloat164_as_ushort4(f[i]);
        back[i] = intel_convert_as_bfloat16_float(u[i].y) + intel_convert_as_bfloat16_float(intel_convert_bfloat16_as_ushort(f[i].x));
    }";
    let program = context.program(source, "");
    let mut values: Vec<f32> = vec![
        0.0,
        -0.0,
        1.0,
        1.003_906_3,
        1.011_718_8,
        f32::MAX,
        f32::INFINITY,
        1e-40,
        3.1,
        -2.7,
        65535.0,
        -1e30,
    ];
    values.extend((0..52).map(|n| (n as f32 * 0.37).exp()));
    let (f, u, back) = (
        context.buffer(&values),
        context.zeros::<u16>(values.len()),
        context.zeros::<f32>(values.len() / 4),
    );
    program.kernel("k").run(&context, &Range::new([values.len() / 4]), &[&f, &u, &back]);
    // To the nearest, ties to even.
    let round = |x: f32| {
        let bits = x.to_bits();
        ((bits + 0x7fff + (bits >> 16 & 1)) >> 16) as u16
    };
    let widen = |bits: u16| f32::from_bits(u32::from(bits) << 16);
    assert_eq!(u.read(), values.iter().map(|&x| round(x)).collect::<Vec<_>>());
    let want: Vec<f32> = values.chunks(4).map(|f| widen(round(f[1])) + widen(round(f[0]))).collect();
    assert_eq!(back.read(), want);
}

/// Ids are small numbers; less something, without a sign, some of them are large ones.
#[test]
fn differences_of_ids_have_no_sign() {
    let context = Context::new();
    let source = "kernel void k(global float *r) {
        size_t i = get_global_id(0);
        r[i] = (float)(i - 5) + (float)((long)i - 40);
    }";
    let r = context.zeros::<f32>(256);
    let range = Range::new([256]).local([64]);
    context.program(source, "").kernel("k").run(&context, &range, &[&r]);
    let want = |i: u64| i.wrapping_sub(5) as f32 + (i as i64 - 40) as f32;
    assert_eq!(r.read(), (0..256).map(want).collect::<Vec<_>>());
}
