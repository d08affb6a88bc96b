//! The functions as the interpreter executes them, against the standard library's in double precision.

use super::super::LibraryCache;
use super::*;
use crate::interpret::{Config, run};
use crate::ir::verify::verify_module;
use device::abi::LaunchRecord;
use std::sync::atomic::AtomicU32;

/// A function's values at each of `inputs`, by a kernel that replaces x by f(x), or by f(x, y) where there is a second operand.
fn values(op: StdOp, inputs: &[f32], y: Option<(Elem, u32)>) -> Vec<f32> {
    let mut module = Module::default();
    let mut library = Library {
        module: &mut module,
        cache: &mut LibraryCache::default(),
        precision: Default::default(),
    };
    let mut func = Function::new("k", Level::WorkItem, &[]);
    let entry = func.add_block();
    let b = &mut Builder::new(&mut func, entry);
    let arguments = b.builtin(Builtin::Arguments, 0);
    let buffer = b.load(Type::I64, Address::base(arguments), MemInfo::new(Space::Constant, 8));
    let address = Address {
        index: Some(b.builtin(Builtin::GlobalId, 0)),
        scale: 4,
        ..Address::base(buffer)
    };
    let x = b.load(Type::F32, address, MemInfo::new(Space::Global, 4));
    let mut args = vec![x];
    args.extend(y.map(|(elem, bits)| b.constant(Type::scalar(elem), u64::from(bits))));
    let results = lower(b, &mut library, op, &args).unwrap();
    b.store(results[0], address, MemInfo::new(Space::Global, 4));
    b.ret(&[]);
    let kernel = module.functions.push(func);
    verify_module(&module).unwrap();

    let mut values = inputs.to_vec();
    let items = [values.len() as u64, 1, 1];
    let arguments = [values.as_mut_ptr() as u64];
    let launch = LaunchRecord {
        arguments: arguments.as_ptr().cast(),
        printf: std::ptr::null_mut(),
        work_dim: 1,
        stop: AtomicU32::new(0),
        global_offset: [0; 3],
        global_size: items,
        local_size: items,
        group_count: [1; 3],
    };
    let config = Config {
        gang_width: 8,
        local_bytes: 0,
        globals: &[],
        max_blocks: u64::MAX,
    };
    // SAFETY: the kernel touches an element of the buffer for each work-item, of which there are as many.
    unsafe { run(&module, kernel, &launch, &config) }.unwrap();
    values
}

/// The distance from the reference in units in the last place of an f32.
fn error(value: f32, reference: f64) -> f64 {
    if reference.is_nan() || value.is_nan() {
        return if reference.is_nan() && value.is_nan() { 0.0 } else { f64::INFINITY };
    }
    let rounded = reference as f32;
    if value == rounded {
        // Zeros have signs.
        let same = value != 0.0 || value.is_sign_negative() == reference.is_sign_negative();
        return if same { 0.0 } else { f64::INFINITY };
    }
    // Beyond the largest number the next one would be 2^128.
    let finite = |x: f64| x.clamp(-(2f64.powi(128)), 2f64.powi(128));
    let exponent = (((rounded.to_bits() >> 23) & 0xff).clamp(1, 254)) as i32 - 127;
    (finite(f64::from(value)) - finite(reference)).abs() / 2f64.powi(exponent - 23)
}

/// Special values, all exponents of both signs, and what is near multiples of pi/2 and powers of two.
fn inputs() -> Vec<f32> {
    let mut inputs = vec![0.0, -0.0, f32::INFINITY, f32::NEG_INFINITY, f32::NAN, f32::MAX, f32::MIN];
    inputs.extend([
        1.0,
        -1.0,
        88.722_84,
        88.722_83,
        -103.972_08,
        -103.972_07,
        -103.278_93,
        128.0,
        -149.0,
        -150.0,
        38.531_84,
        -45.154_5,
    ]);
    inputs.extend((1..=200).flat_map(|n| {
        let near = n as f32 * std::f32::consts::FRAC_PI_2;
        [
            near,
            near.next_up(),
            -near.next_down(),
            n as f32,
            1.0 + n as f32 * f32::EPSILON,
            1.0 - n as f32 * f32::EPSILON,
        ]
    }));
    let mut state = 1u32;
    for high in (0..=0xffff).step_by(16) {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        inputs.push(f32::from_bits(high << 16 | state >> 12));
    }
    inputs
}

fn check(op: StdOp, limit: f64, reference: fn(f64) -> f64) {
    let inputs = inputs();
    for (&x, value) in inputs.iter().zip(values(op, &inputs, None)) {
        let expected = reference(f64::from(x));
        let error = error(value, expected);
        assert!(error <= limit, "{op:?}({x:e}) is {value:e} instead of {expected:e}: {error} ulp");
    }
}

#[test]
fn exponential_functions() {
    check(StdOp::exp, 1.0, f64::exp);
    check(StdOp::exp2, 1.0, f64::exp2);
    check(StdOp::exp10, 1.0, |x| 10f64.powf(x));
}

#[test]
fn logarithms() {
    check(StdOp::log, 1.0, f64::ln);
    check(StdOp::log2, 2.0, f64::log2);
    check(StdOp::log10, 2.0, f64::log10);
}

#[test]
fn trigonometric_functions() {
    check(StdOp::sin, 2.0, f64::sin);
    check(StdOp::cos, 2.0, f64::cos);
    check(StdOp::tan, 4.0, f64::tan);
    check(StdOp::sincos, 2.0, f64::sin);
}

#[test]
fn powers() {
    let inputs = inputs();
    let check = |op, y, limit: f64, reference: &dyn Fn(f64) -> f64| {
        for (&x, value) in inputs.iter().zip(values(op, &inputs, Some(y))) {
            let expected = reference(f64::from(x));
            let error = error(value, expected);
            assert!(
                error <= limit,
                "{op:?}({x:e}, {y:x?}) is {value:e} instead of {expected:e}: {error} ulp"
            );
        }
    };
    let infinity = f32::INFINITY;
    for y in [
        0.0,
        -0.0,
        0.5,
        -0.5,
        1.0,
        -1.0,
        2.0,
        3.0,
        -3.0,
        7.25,
        1e-3,
        1e9,
        -16_777_215.0,
        infinity,
        -infinity,
        f32::NAN,
    ] {
        let wide = f64::from(y);
        check(StdOp::pow, (Elem::F32, y.to_bits()), 2.0, &|x| x.powf(wide));
        check(StdOp::powr, (Elem::F32, y.to_bits()), 2.0, &|x| {
            let one_or_nothing = (x == 1.0 && wide.is_infinite()) || (wide == 0.0 && (x == 0.0 || x.is_infinite()));
            if x < 0.0 || x.is_nan() || wide.is_nan() || one_or_nothing {
                f64::NAN
            } else {
                x.abs().powf(wide)
            }
        });
    }
    for n in [0, 1, -1, 2, -3, 17, 1 << 24 | 1, i32::MAX, i32::MIN] {
        check(StdOp::pown, (Elem::I32, n as u32), 2.0, &|x| x.powf(f64::from(n)));
    }
}
