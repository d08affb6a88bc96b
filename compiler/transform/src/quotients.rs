//! Vectors divided by one scalar that is another in each iteration of a loop, as in trial division, are multiplied with its reciprocal.
//!
//! With doubles of 53 bits: `(a + 1/2) / d`, for numbers of 32 bits without a sign, is at least `1 / 2d` away from any integer that it must
//! not reach, and is computed, from a reciprocal and a sum that are rounded once each, with an error below `2^-19 / d`. So what is cut off
//! is right, and there is one division of scalars instead of one of several vectors. A divisor of zero counts as 1. ([`super::reciprocals`]
//! has been before: what doesn't change in a loop is worth integers.)

use ir::*;
use target::Machine;
use target::costs::LANES_BY_RECIPROCAL;

/// Several doubles at once.
fn has_vectors_of_doubles(machine: &Machine) -> bool {
    machine.registers.bytes >= 4 * Elem::F64.bytes()
}

/// Replaces. True if something changed.
pub fn run(func: &mut Function, machine: &Machine) -> bool {
    if !has_vectors_of_doubles(machine) || !func.insts().any(|inst| divided(func, inst).is_some()) {
        return false;
    }
    func.expand(|func, block, inst| {
        let (is_quotient, a, divisor) = divided(func, inst)?;
        Some(divide(&mut Builder::new(func, block), is_quotient, a, divisor))
    })
}

/// What an instruction divides by which scalar, and whether it wants the quotient or what is left.
fn divided(func: &Function, inst: Inst) -> Option<(bool, Value, Value)> {
    let InstData::Binary {
        op: op @ (BinaryOp::UDiv | BinaryOp::URem),
        args: [a, by],
    } = func.inst(inst).data
    else {
        return None;
    };
    let ty = func.ty(a);
    let by = func
        .splatted(by)
        .filter(|_| ty.elem == Elem::I32 && ty.lanes >= LANES_BY_RECIPROCAL)?;
    Some((op == BinaryOp::UDiv, a, by))
}

fn divide(b: &mut Builder, is_quotient: bool, a: Value, divisor: Value) -> Value {
    let lanes = b.ty(a).lanes;
    let one = b.i32(1);
    let divisor = b.binary(BinaryOp::UMax, divisor, one);
    let (unit, by) = (b.f64(1.0), b.convert(ConvertOp::UToF, Elem::F64, divisor));
    let reciprocal = b.fdiv(unit, by);
    let half = b.f64(0.5);
    let more = b.fmul(reciprocal, half);
    let [reciprocal, more] = [reciprocal, more].map(|value| b.splat(lanes, value));
    let number = b.convert(ConvertOp::UToF, Elem::F64, a);
    let quotient = b.fma(number, reciprocal, more);
    let quotient = b.convert(ConvertOp::FToU, Elem::I32, quotient);
    if is_quotient {
        return quotient;
    }
    let divisor = b.splat(lanes, divisor);
    let multiple = b.mul(quotient, divisor);
    b.sub(a, multiple)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ir::parse::parse_function;
    use ir::verify::verify;

    const TEXT: &str = "function workgroup @f -> i32 {
block0(v0: i32, v1: i32):
  v2 = lane splat i32x8 v0
  v3 = lane splat i32x8 v1
  v4 = urem v2, v3
  v5 = lane extract.0 i32 v4
  return v5
}";

    #[test]
    fn scalars_are_divided_by_once() {
        let machine = |name| Machine::named(name).expect("there is one");
        for (name, is_wide) in [("avx512", true), ("avx2", true), ("cranelift", false)] {
            let mut func = parse_function(TEXT).expect("the test's text is IR");
            assert_eq!(run(&mut func, &machine(name)), is_wide);
            verify(&func, None).expect("the pass keeps the rules");
            let text = func.to_string();
            assert_eq!(text.contains("fdiv"), is_wide, "{text}");
        }
        // Signed numbers, other sizes, and what differs from lane to lane.
        for other in [
            TEXT.replace("urem", "srem"),
            TEXT.replace("i32x8", "i32x4"),
            TEXT.replace("v4 = urem v2, v3", "v6 = lane iota i32x8\n  v7 = add v3, v6\n  v4 = urem v2, v7"),
        ] {
            assert!(!run(&mut parse_function(&other).expect("the test's text is IR"), &machine("avx2")));
        }
    }

    #[test]
    fn quotients_are_exact() {
        // What the code computes, with numbers at which it would be wrong first.
        let quotient = |a: u32, d: u32| {
            let reciprocal = 1.0 / f64::from(d.max(1));
            f64::from(a).mul_add(reciprocal, reciprocal * 0.5) as u32
        };
        let edges = |n: u32| [n.wrapping_sub(1), n, n.wrapping_add(1)];
        let mut state = 1u32;
        let mut random = move || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            state >> (state >> 27)
        };
        for _ in 0..20_000 {
            let d = random().max(1);
            let multiple = (random() / d).wrapping_mul(d);
            let largest = (u32::MAX / d).wrapping_mul(d);
            for a in [multiple, largest, u32::MAX].into_iter().flat_map(edges) {
                assert_eq!(quotient(a, d), a / d, "{a} / {d}");
            }
        }
        assert_eq!(quotient(u32::MAX, 0), u32::MAX);
    }
}
