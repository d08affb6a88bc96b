//! The functions as the interpreter executes them, against C's mathematics library in double precision.

use super::super::{LibraryCache, Precision, lower};
use super::*;
use device::abi::LaunchRecord;
use interpret::{Config, GlobalMemory, run};
use ir::verify::verify_module;
use std::f64::consts::{FRAC_PI_2, PI};

/// A function's values at each of `inputs`: f(x), or f(x, y) where there is a second operand. All by their bits.
fn values(op: StdOp, elem: Elem, inputs: &[u64], y: Option<(Elem, u64)>) -> Vec<u64> {
    values_with(Precision::default(), op, elem, inputs, y)
}

fn values_with(precision: Precision, op: StdOp, elem: Elem, inputs: &[u64], y: Option<(Elem, u64)>) -> Vec<u64> {
    replaced_with(precision, elem, inputs, |b, library, x| {
        let mut args = vec![x];
        args.extend(y.map(|(elem, bits)| b.constant(Type::scalar(elem), bits)));
        lower(b, library, op, &args).unwrap()[0]
    })
}

/// What a kernel makes of `inputs` that replaces each x by what `write` makes of it. All by their bits.
pub fn replaced(elem: Elem, inputs: &[u64], write: impl FnOnce(&mut Builder, &mut Library, Value) -> Value) -> Vec<u64> {
    replaced_with(Precision::default(), elem, inputs, write)
}

fn replaced_with(
    precision: Precision,
    elem: Elem,
    inputs: &[u64],
    write: impl FnOnce(&mut Builder, &mut Library, Value) -> Value,
) -> Vec<u64> {
    let mut module = Module::default();
    let mut library = Library {
        module: &mut module,
        cache: &mut LibraryCache::default(),
        precision,
    };
    let ty = Type::scalar(elem);
    let mut func = ir::Function::new("k", Level::WorkItem, &[]);
    let entry = func.add_block();
    let b = &mut Builder::new(&mut func, entry);
    let arguments = b.builtin(Builtin::Arguments, 0);
    let buffer = b.load(Type::I64, Address::base(arguments), MemInfo::new(Space::Constant, 8));
    let address = Address {
        index: Some(b.builtin(Builtin::GlobalId, 0)),
        scale: 8,
        ..Address::base(buffer)
    };
    let memory = MemInfo::new(Space::Global, elem.bytes());
    let x = b.load(ty, address, memory);
    let result = write(b, &mut library, x);
    b.store(result, address, memory);
    b.ret(&[]);
    let kernel = module.functions.push(func);
    verify_module(&module).unwrap();

    let mut values = inputs.to_vec();
    let items = [values.len() as u64, 1, 1];
    let arguments = [values.as_mut_ptr() as u64];
    let launch = LaunchRecord::new(arguments.as_ptr().cast(), items, items);
    let globals = GlobalMemory::new(&module);
    let config = Config {
        gang_width: 8,
        local_bytes: 0,
        globals: &globals.addresses,
        max_blocks: u64::MAX,
    };
    // SAFETY: the kernel touches 8 bytes of the buffer for each work-item, of which there are as many.
    unsafe { run(&module, kernel, &launch, &config) }.unwrap();
    values
}

/// A number of a format, as a double.
pub fn number(elem: Elem, bits: u64) -> f64 {
    match elem {
        Elem::F64 => f64::from_bits(bits),
        Elem::F32 => f64::from(f32::from_bits(bits as u32)),
        _ => f64::from(f32::from_bits(
            eval::convert(ConvertOp::FPromote, elem, Elem::F32, Rounding::Nearest, bits & 0xffff) as u32,
        )),
    }
}

/// Bits of the fraction, and the least and the greatest exponent of normal numbers.
fn format(elem: Elem) -> (i32, i32, i32) {
    match elem {
        Elem::F64 => (52, -1022, 1023),
        Elem::F32 => (23, -126, 127),
        _ => (10, -14, 15),
    }
}

/// The distance from the reference in units in the last place.
fn error(elem: Elem, bits: u64, reference: f64) -> f64 {
    let value = number(elem, bits);
    if reference.is_nan() || value.is_nan() {
        return if reference.is_nan() && value.is_nan() { 0.0 } else { f64::INFINITY };
    }
    if value == reference || value == number(elem, eval::from_f64(elem, reference)) {
        // Zeros have signs.
        let same = value != 0.0 || value.is_sign_negative() == reference.is_sign_negative();
        return if same { 0.0 } else { f64::INFINITY };
    }
    let (fraction, least, greatest) = format(elem);
    // Beyond the largest number the next one would be this power of two, which a double does not hold: all is halved.
    let over = f64::exp2(f64::from(greatest));
    let half = |x: f64| (x * 0.5).clamp(-over, over);
    let exponent = ((reference.to_bits() >> 52 & 0x7ff) as i32 - 1023).clamp(least, greatest);
    // The unit may be subnormal, and its half 0, so the difference is divided by parts.
    (half(value) - half(reference)).abs() / f64::exp2(f64::from(exponent)) * f64::exp2(f64::from(fraction + 1))
}

/// Special values, all exponents of both signs (or one in `step`), and what is near multiples of pi/2, of 1/4 and of powers of two.
pub fn inputs(elem: Elem, step: usize) -> Vec<u64> {
    let narrow = |x: f64| eval::from_f64(elem, x);
    let mut inputs: Vec<u64> = [0.0, -0.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, f64::MAX, f64::MIN, 1.0, -1.0]
        .map(narrow)
        .to_vec();
    let limits = [
        88.722_84,
        88.722_83,
        89.415_99,
        89.416,
        -103.972_08,
        -103.972_07,
        -103.278_93,
        128.0,
        -149.0,
        -150.0,
        38.531_84,
        -45.154_5,
        709.782_712_893_384,
        709.782_712_893_385,
        710.475_860_073_943_9,
        710.475_860_073_944,
        -745.133_219_101_941,
        -745.2,
        1024.0,
        -1074.0,
        -1075.0,
        308.254_715_559_916_7,
        -323.306_215_343_115_8,
        10.054,
        9.194,
        26.543,
        27.226,
        27.3,
    ];
    inputs.extend(limits.map(narrow));
    for n in 1..=200 {
        let n = f64::from(n);
        let near = [n * FRAC_PI_2, n, n * 0.25, 1.0].map(narrow);
        inputs.extend(
            near.iter()
                .flat_map(|&bits| [bits, bits + 1, bits - 1, bits | 1 << (elem.bits() - 1)]),
        );
        let step = f64::exp2(f64::from(-format(elem).0));
        inputs.extend([1.0 + n * step, 1.0 - n * step, -1.0 + n * step].map(narrow));
    }
    let mut state = 1u64;
    for high in (0..4096u64).step_by(step) {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let below = state >> 12;
        inputs.push((high << 52 | below) >> (64 - elem.bits()));
        // Most functions do what they do for numbers of usual size.
        let usual = narrow(f64::from_bits(1013 << 52 | below) * f64::exp2((high / step as u64 % 20) as f64));
        inputs.push(if state >> 63 == 0 { usual } else { usual | 1 << (elem.bits() - 1) });
    }
    // No signaling NaNs: C's library tells them from others.
    let quiet = 1 << (format(elem).0 - 1);
    inputs
        .iter()
        .map(|&bits| if number(elem, bits).is_nan() { bits | quiet } else { bits })
        .collect()
}

/// The greatest error of a function over all inputs, and where it is.
fn greatest_error(op: StdOp, elem: Elem, y: Option<(Elem, u64)>, reference: &dyn Fn(f64) -> f64) -> (f64, String) {
    // There are many second operands.
    greatest_error_of(op, elem, y, &inputs(elem, if y.is_some() { 8 } else { 1 }), reference)
}

/// The same over some inputs.
pub fn greatest_error_of(op: StdOp, elem: Elem, y: Option<(Elem, u64)>, inputs: &[u64], reference: &dyn Fn(f64) -> f64) -> (f64, String) {
    let mut greatest = (-1.0, String::new());
    // Tables of floats are for machines that have both.
    let is_double = elem == Elem::F64;
    for [has_tables, has_powers] in [[false, false], [is_double, !is_double], [true, true]] {
        let precision = Precision {
            has_tables,
            has_powers,
            has_slow_roots: !has_powers,
            ..Precision::default()
        };
        for (&x, value) in inputs.iter().zip(values_with(precision, op, elem, inputs, y)) {
            let x = number(elem, x);
            let expected = reference(x);
            let error = error(elem, value, expected);
            if error > greatest.0 {
                let by = format!(", {precision:?},");
                let what = format!("{op:?}({x:e}, {y:x?}){by} is {:e} instead of {expected:e}", number(elem, value));
                greatest = (error, what);
            }
        }
    }
    greatest
}

/// What the standard library has not, or computes by formulas of its own.
mod libm {
    unsafe extern "C" {
        pub safe fn acosh(x: f64) -> f64;
        pub safe fn asinh(x: f64) -> f64;
        pub safe fn atanh(x: f64) -> f64;
        pub safe fn exp10(x: f64) -> f64;
        pub safe fn lgamma(x: f64) -> f64;
        pub safe fn tgamma(x: f64) -> f64;
    }
}

fn evaluate(routine: Runtime, x: f64) -> f64 {
    f64::from_bits(routine.evaluate(&[x.to_bits()]).unwrap())
}

/// What a function ought to give.
pub type Reference = fn(f64) -> f64;

/// A function of one operand: errors seen and allowed (OpenCL C §7.4) for floats and for doubles, and the reference.
pub type Row = (StdOp, [f64; 2], [f64; 2], Reference);

/// What is left of half turns without full turns, exactly.
fn rest_of_turns(x: f64) -> f64 {
    x - 2.0 * (x * 0.5).round_ties_even()
}

fn sinpi(x: f64) -> f64 {
    let t = rest_of_turns(x);
    let near = if t.abs() > 0.5 { 1f64.copysign(t) - t } else { t };
    if near == 0.0 { 0f64.copysign(x) } else { (near * PI).sin() }
}

fn cospi(x: f64) -> f64 {
    let t = rest_of_turns(x).abs();
    if t < 0.25 { (t * PI).cos() } else { ((0.5 - t) * PI).sin() + 0.0 }
}

fn tanpi(x: f64) -> f64 {
    let (sin, cos) = (sinpi(x), cospi(x));
    if sin == 0.0 {
        return sin * cos.signum();
    }
    // At the poles the sine has the sign that is wanted.
    sin / cos
}

#[rustfmt::skip]
pub const TABLE: &[Row] = &[
    (StdOp::acos, [2.3, 1.0], [4.0, 4.0], f64::acos),
    (StdOp::acosh, [1.5, 1.0], [4.0, 4.0], |x| libm::acosh(x)),
    (StdOp::acospi, [2.2, 2.0], [5.0, 5.0], |x| x.acos() / PI),
    (StdOp::asin, [2.0, 2.0], [4.0, 4.0], f64::asin),
    (StdOp::asinh, [1.6, 2.0], [4.0, 4.0], |x| libm::asinh(x)),
    (StdOp::asinpi, [3.0, 2.0], [5.0, 5.0], |x| x.asin() / PI),
    (StdOp::atan, [2.0, 2.0], [5.0, 5.0], f64::atan),
    (StdOp::atanh, [1.6, 2.0], [5.0, 5.0], |x| libm::atanh(x)),
    (StdOp::atanpi, [2.0, 2.0], [5.0, 5.0], |x| x.atan() / PI),
    (StdOp::cbrt, [1.0, 1.0], [2.0, 2.0], f64::cbrt),
    (StdOp::cos, [2.2, 1.0], [4.0, 4.0], f64::cos),
    (StdOp::cosh, [1.5, 2.0], [4.0, 4.0], f64::cosh),
    (StdOp::cospi, [1.9, 2.0], [4.0, 4.0], cospi),
    (StdOp::erf, [3.7, 2.0], [16.0, 16.0], |x| evaluate(Runtime::ErfF64, x)),
    (StdOp::erfc, [4.7, 5.0], [16.0, 16.0], |x| evaluate(Runtime::ErfcF64, x)),
    (StdOp::exp, [0.8, 1.0], [3.0, 3.0], f64::exp),
    (StdOp::exp10, [0.8, 2.0], [3.0, 3.0], |x| libm::exp10(x)),
    (StdOp::exp2, [1.1, 1.0], [3.0, 3.0], f64::exp2),
    (StdOp::expm1, [1.2, 2.0], [3.0, 3.0], f64::exp_m1),
    (StdOp::log, [0.9, 1.0], [3.0, 3.0], f64::ln),
    (StdOp::log10, [0.9, 2.0], [3.0, 3.0], f64::log10),
    (StdOp::log1p, [1.4, 2.0], [2.0, 2.0], f64::ln_1p),
    (StdOp::log2, [0.9, 1.0], [3.0, 3.0], f64::log2),
    (StdOp::rsqrt, [1.4, 2.0], [2.0, 2.0], |x| 1.0 / x.sqrt()),
    (StdOp::sin, [2.2, 1.0], [4.0, 4.0], f64::sin),
    (StdOp::sincos, [1.3, 1.0], [4.0, 4.0], f64::sin),
    (StdOp::sinh, [2.1, 2.0], [4.0, 4.0], f64::sinh),
    (StdOp::sinpi, [3.2, 3.0], [4.0, 4.0], sinpi),
    (StdOp::tan, [2.5, 2.0], [5.0, 5.0], f64::tan),
    (StdOp::tanh, [2.7, 3.0], [5.0, 5.0], f64::tanh),
    (StdOp::tanpi, [3.0, 3.0], [6.0, 6.0], tanpi),
    (StdOp::tgamma, [0.6, 10.0], [16.0, 16.0], |x| libm::tgamma(x)),
];

#[test]
fn errors_are_within_limits() {
    let mut complaints = String::new();
    for &(op, seen, allowed, reference) in TABLE {
        for (n, elem) in [Elem::F32, Elem::F64].into_iter().enumerate() {
            let (error, what) = greatest_error(op, elem, None, &reference);
            if error > seen[n] || seen[n] > allowed[n] {
                complaints += &format!("{elem:?}: {error:.2} ulp, {what}\n");
            }
        }
    }
    assert!(complaints.is_empty(), "\n{complaints}");
}

/// Its zeros on the negative side have no digits to lose.
#[test]
fn the_logarithm_of_gamma() {
    for (elem, unit) in [(Elem::F32, f64::from(f32::EPSILON)), (Elem::F64, f64::EPSILON)] {
        let inputs = inputs(elem, 1);
        for (&x, got) in inputs.iter().zip(values(StdOp::lgamma, elem, &inputs, None)) {
            let (x, got) = (number(elem, x), number(elem, got));
            let want = number(elem, eval::from_f64(elem, libm::lgamma(x)));
            let close = (got - want).abs() <= 4.0 * unit * want.abs().max(1.0);
            assert!(
                close || got == want || (got.is_nan() && want.is_nan()),
                "lgamma({x:?}) is {got:?}, not {want:?}"
            );
        }
    }
}

/// Neighbours of multiples of pi/2, where rounding could bring what is next to 1 over it.
#[test]
fn sines_and_cosines_are_at_most_1() {
    let near = |turns: u32| (f64::from(turns) * FRAC_PI_2) as f32;
    let inputs: Vec<u64> = (0..4000)
        .flat_map(|turns| {
            let bits = near(turns).to_bits();
            (bits.saturating_sub(200)..bits + 200).step_by(7).map(u64::from)
        })
        .collect();
    for op in [StdOp::sinpi, StdOp::cospi] {
        let near_half: Vec<u64> = (0x3eff_0000..=0x3f00_8000).chain(0..=0x100).map(|bits| bits as u64).collect();
        for bits in values(op, Elem::F32, &near_half, None) {
            assert!(number(Elem::F32, bits).abs() <= 1.0, "{op:?} is {bits:#x}");
        }
    }
    assert_eq!(values(StdOp::sinpi, Elem::F32, &[0x3f00_0000], None), [0x3f80_0000]);
    for op in [StdOp::sin, StdOp::cos] {
        for (&x, bits) in inputs.iter().zip(values(op, Elem::F32, &inputs, None)) {
            let value = number(Elem::F32, bits);
            assert!(value.abs() <= 1.0, "{op:?} of {} is {value}", number(Elem::F32, x));
        }
    }
    assert_eq!(values(StdOp::cos, Elem::F32, &[0, 0x8000_0000], None)[..2], [0x3f80_0000; 2]);
}

/// x to the y for x of at least 0.
pub fn powr(x: f64, y: f64) -> f64 {
    let one_or_nothing = (x == 1.0 && y.is_infinite()) || (y == 0.0 && (x == 0.0 || x.is_infinite()));
    if x < 0.0 || x.is_nan() || y.is_nan() || one_or_nothing {
        f64::NAN
    } else {
        x.abs().powf(y)
    }
}

#[test]
fn powers() {
    let mut greatest = [[0f64; 2]; 2];
    let infinity = f64::INFINITY;
    for y in [
        0.0,
        -0.0,
        0.5,
        -0.5,
        1.0,
        -1.0,
        1.5,
        2.0,
        -2.0,
        3.0,
        -3.0,
        4.0,
        7.25,
        -1503.875,
        1e-3,
        1e9,
        -16_777_215.0,
        infinity,
        -infinity,
        f64::NAN,
    ] {
        for (n, elem) in [Elem::F32, Elem::F64].into_iter().enumerate() {
            let bits = eval::from_f64(elem, y);
            let y = number(elem, bits);
            let mut check = |m: usize, op, reference: &dyn Fn(f64) -> f64| {
                let (error, what) = greatest_error(op, elem, Some((elem, bits)), reference);
                assert!(error <= 16.0, "{error:.2} ulp, {what}");
                greatest[n][m] = greatest[n][m].max(error);
            };
            check(0, StdOp::pow, &|x| x.powf(y));
            check(1, StdOp::powr, &|x| powr(x, y));
        }
    }
    let seen = [[4.0, 4.0], [2.0, 1.0]];
    assert!(greatest <= seen, "{greatest:?}");
}

#[test]
fn whole_powers_and_roots() {
    let mut greatest = [[0f64; 2]; 2];
    for (n, elem) in [Elem::F32, Elem::F64].into_iter().enumerate() {
        for y in [0, 1, -1, 2, -3, 5, -5, 7, -7, 8, 17, 1 << 24 | 1, i32::MAX, i32::MIN] {
            let operand = Some((Elem::I32, u64::from(y as u32)));
            let (error, what) = greatest_error(StdOp::pown, elem, operand, &|x| x.powf(f64::from(y)));
            assert!(error <= 16.0, "{error:.2} ulp, {what}");
            greatest[n][0] = greatest[n][0].max(error);
        }
        // Other roots of doubles have no reference.
        let roots: [(i32, Reference); 7] = [
            (0, |_| f64::NAN),
            (1, |x| x),
            (-1, |x| 1.0 / x),
            (2, |x| if x < 0.0 { f64::NAN } else { x.abs().sqrt() }),
            (-2, |x| if x < 0.0 { f64::NAN } else { 1.0 / x.abs().sqrt() }),
            (3, f64::cbrt),
            (-3, |x| 1.0 / x.cbrt()),
        ];
        for (y, reference) in roots {
            let operand = Some((Elem::I32, u64::from(y as u32)));
            let (error, what) = greatest_error(StdOp::rootn, elem, operand, &reference);
            assert!(error <= 16.0, "{error:.2} ulp, {what}");
            greatest[n][1] = greatest[n][1].max(error);
        }
    }
    let seen = [[4.0, 1.0], [4.0, 1.0]];
    assert!(greatest <= seen, "{greatest:?}");
}

#[test]
fn functions_of_two_numbers() {
    let mut greatest = [[0f64; 3]; 2];
    let infinity = f64::INFINITY;
    for y in [
        0.0,
        -0.0,
        1.0,
        -1.0,
        0.4,
        1e-40,
        -3e38,
        5e-324,
        1e308,
        2e-160,
        7e200,
        infinity,
        -infinity,
        f64::NAN,
    ] {
        for (n, elem) in [Elem::F32, Elem::F64].into_iter().enumerate() {
            let bits = eval::from_f64(elem, y);
            let y = number(elem, bits);
            let mut check = |m: usize, op, limit: f64, reference: &dyn Fn(f64) -> f64| {
                let (error, what) = greatest_error(op, elem, Some((elem, bits)), reference);
                assert!(error <= limit, "{error:.2} ulp, {what}");
                greatest[n][m] = greatest[n][m].max(error);
            };
            check(0, StdOp::atan2, 6.0, &|x| x.atan2(y));
            check(1, StdOp::atan2pi, 6.0, &|x| x.atan2(y) / PI);
            check(2, StdOp::hypot, 4.0, &|x| x.hypot(y));
            check(2, StdOp::fmod, 0.0, &|x| x % y);
            let remainder = |x: f64| f64::from_bits(Runtime::RemainderF64.evaluate(&[x, y].map(f64::to_bits)).unwrap());
            check(2, StdOp::remainder, 0.0, &remainder);
            check(2, StdOp::remquo, 0.0, &remainder);
        }
    }
    let seen = [[2.0, 2.0, 0.0], [2.0, 2.0, 1.0]];
    assert!(greatest <= seen, "{greatest:?}");
}
