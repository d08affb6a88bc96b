//! Arithmetic of halves is arithmetic of floats, rounded after each operation.
//!
//! Most machines convert between the two, and have no operations on halves. Said in the IR, what several operations use is converted once, what
//! a loop doesn't change before it, and it is seen how long all takes. The result is what the operation itself would give: sums, products,
//! quotients and roots of numbers of p bits that are rounded to 2p + 2 bits or more, and then to p, are as if rounded once (Figueroa: When
//! is double rounding innocuous?, 1995); a fused multiply-add rounds to odd first (Boldo, Melquiond: Emulation of FMA and correctly
//! rounded sums, 2008).

use ir::*;
use target::Machine;

/// Rewrites, as far as the machine does not have the operations. True if something changed.
pub fn run(func: &mut Function, machine: &Machine) -> bool {
    match machine.has_half_arithmetic {
        true => rewrite(func, |data, elem| elem == Elem::F16 && is_of_machines(data)),
        false => rewrite(func, |_, _| false),
    }
}

/// The operation is one of those that machines have which have some, and do no slower than twice as many of floats: Sapphire Rapids is busy with a root or a
/// quotient of 32 halfs 1.4 times as long as with two of 16 floats and the conversions.
fn is_of_machines(data: &InstData) -> bool {
    use BinaryOp::*;
    match data {
        InstData::Unary { op, .. } => *op != UnaryOp::Sqrt,
        InstData::FloatCompare { .. } | InstData::Fma { .. } => true,
        InstData::Binary { op, .. } => matches!(op, FAdd | FSub | FMul | FMin | FMax | FMinNum | FMaxNum),
        _ => false,
    }
}

/// Rewrites what is not kept.
fn rewrite(func: &mut Function, keeps: impl Fn(&InstData, Elem) -> bool) -> bool {
    func.expand(|func, block, inst| wide(func, block, inst, &keeps))
}

/// The result of an operation on halves, by way of floats.
fn wide(func: &mut Function, block: Block, inst: Inst, keeps: &impl Fn(&InstData, Elem) -> bool) -> Option<Value> {
    let mut data = func.inst(inst).data.clone();
    let of = |func: &Function, value: Value| {
        let elem = func.ty(value).elem;
        matches!(elem, Elem::F16 | Elem::BF16) && !keeps(&data, elem)
    };
    match data {
        // What is about the sign's bit alone is done as it is.
        InstData::Unary { op, arg } if of(func, arg) && !matches!(op, UnaryOp::FNeg | UnaryOp::FAbs) => {}
        InstData::Binary { op, args: [a, _] } if of(func, a) && op != BinaryOp::CopySign => {}
        InstData::FloatCompare { args: [a, _], .. } if of(func, a) => {}
        InstData::Fma { args } if func.ty(args[0]).elem == Elem::F16 && of(func, args[0]) => {
            let mut b = Builder::new(func, block);
            let [x, y, z] = args.map(|arg| b.convert(ConvertOp::FPromote, Elem::F32, arg));
            let sum = fused(&mut b, x, y, z);
            return Some(b.convert(ConvertOp::FDemote, Elem::F16, sum));
        }
        _ => return None,
    }
    let half = func.ty(func.result(inst)).elem;
    let mut b = Builder::new(func, block);
    data.for_each_operand_mut(|operand| *operand = b.convert(ConvertOp::FPromote, Elem::F32, *operand));
    let value = b.value(data);
    Some(match half {
        Elem::Mask => value,
        half => b.convert(ConvertOp::FDemote, half, value),
    })
}

/// `x * y + z`, rounded to odd: where something is lost, the last bit is 1. Operands have so few bits that the product is exact.
fn fused(b: &mut Builder, x: Value, y: Value, z: Value) -> Value {
    let product = b.fmul(x, y);
    let sum = b.fadd(product, z);
    // What the sum has lost (Knuth's TwoSum).
    let from_z = b.fsub(sum, product);
    let from_product = b.fsub(sum, from_z);
    let lost = b.fsub(product, from_product);
    let lost_of_z = b.fsub(z, from_z);
    let error = b.fadd(lost, lost_of_z);
    let [zero, last] = [(Elem::F32, 0), (Elem::I32, 1)].map(|(elem, bits)| {
        let ty = b.ty(sum).with_elem(elem);
        b.constant(ty, bits)
    });
    // (That of an infinite sum is no number.)
    let inexact = b.fcmp(FloatCc::One, error, zero);
    let [sum_bits, error_bits] = [sum, error].map(|value| b.bitcast(Elem::I32, value));
    // One less where the rest lies toward zero, then odd: of an odd sum that is the sum.
    let signs = b.xor(sum_bits, error_bits);
    let step = b.binary_imm(BinaryOp::AShr, signs, 31);
    let below = b.add(sum_bits, step);
    let odd = b.or(below, last);
    let bits = b.select(inexact, odd, sum_bits);
    b.bitcast(Elem::F32, bits)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What an operation gives, done as it is and by way of floats.
    fn both(write: impl Fn(&mut Builder) -> Value) -> [u64; 2] {
        [false, true].map(|wide| {
            let mut func = Function::new("f", Level::WorkGroup, &[Type::I64]);
            let entry = func.add_block();
            let mut b = Builder::new(&mut func, entry);
            let result = write(&mut b);
            let bits = match b.ty(result).elem {
                Elem::Mask => b.convert(ConvertOp::MaskToInt, Elem::I16, result),
                _ => b.bitcast(Elem::I16, result),
            };
            let bits = b.convert(ConvertOp::ZExt, Elem::I64, bits);
            b.ret(&[bits]);
            if wide {
                assert!(rewrite(&mut func, |_, _| false));
            }
            super::super::fold::run(&mut func);
            let InstData::Return { values } = func.terminator(entry) else {
                panic!("it returns")
            };
            let bits = func.constant(values[0]).expect("it is folded");
            // One NaN for all.
            if (0x7c01..0x8000).contains(&(bits & 0x7fff)) {
                0x7e00
            } else {
                bits
            }
        })
    }

    #[test]
    fn results_are_those_of_halves() {
        let mut state = 1u64;
        let mut random = |below: u64| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 33) % below
        };
        // Numbers of all kinds, near each other more often than not.
        let edges = [
            0, 1, 0x3ff, 0x400, 0x3c00, 0x3c01, 0x3bff, 0x7bff, 0x7c00, 0x7e00, 0x8000, 0x8001, 0xbc00,
        ];
        let ops = [
            BinaryOp::FAdd,
            BinaryOp::FSub,
            BinaryOp::FMul,
            BinaryOp::FDiv,
            BinaryOp::FMin,
            BinaryOp::FMax,
        ];
        for round in 0..60_000 {
            let [x, y, z] = [0; 3].map(|_| match random(4) {
                0 => edges[random(edges.len() as u64) as usize],
                1 => 0x3800 + random(0x800),
                _ => random(1 << 16),
            });
            let half = |b: &mut Builder, bits| b.constant(Type::F16, bits);
            let [as_is, wide] = both(|b| {
                let [x, y, z] = [x, y, z].map(|bits| half(b, bits));
                match round % 4 {
                    0 => {
                        let op = ops[round / 4 % ops.len()];
                        b.binary(op, x, y)
                    }
                    1 if round % 8 == 1 => b.unary(UnaryOp::Sqrt, x),
                    1 => b.fcmp(FloatCc::Olt, x, y),
                    _ => b.fma(x, y, z),
                }
            });
            assert_eq!(as_is, wide, "{round}: {x:#x} {y:#x} {z:#x}");
        }
    }

    /// A machine that has arithmetic of halves takes sums as they are, and quotients and roots by way of floats.
    #[test]
    fn slow_operations_are_those_of_floats() {
        let mut machine = Machine::named("sapphire-rapids").expect("there is one");
        machine.has_half_arithmetic = true;
        let mut func = Function::new("f", Level::WorkGroup, &[Type::F16]);
        let entry = func.add_block();
        let (x, y) = (func.add_param(entry, Type::F16), func.add_param(entry, Type::F16));
        let mut b = Builder::new(&mut func, entry);
        let sum = b.fadd(x, y);
        let quotient = b.fdiv(sum, y);
        let root = b.unary(UnaryOp::Sqrt, quotient);
        b.ret(&[root]);
        assert!(run(&mut func, &machine));
        let is_of_halves = |inst: &Inst| matches!(func.inst(*inst).results[..], [result] if func.ty(result) == Type::F16);
        let of_halves: Vec<&InstData> = func
            .insts_of(&[entry])
            .filter(is_of_halves)
            .map(|inst| &func.inst(inst).data)
            .collect();
        let is_demotion = |data: &&&InstData| matches!(data, InstData::Convert { .. });
        assert_eq!((of_halves.len(), of_halves.iter().filter(is_demotion).count()), (3, 2), "{func}");
    }

    #[test]
    fn what_is_rounded_twice_is_rounded_to_odd_first() {
        // 1.0009765625 * 1.5 lies half way between two halves; what is added is lost in a float.
        for (z, expected) in [(0, 0x3e02), (0x0001, 0x3e02), (0x8001, 0x3e01)] {
            let results = both(|b| {
                let [x, y, z] = [0x3c01, 0x3e00, z].map(|bits| b.constant(Type::F16, bits));
                b.fma(x, y, z)
            });
            assert_eq!(results, [expected; 2]);
        }
    }
}
