//! What is written instead of the operations, against their definitions.

use super::super::floats::tests::{inputs, number, replaced};
use super::*;

fn same(elem: Elem, left: u64, right: u64) -> bool {
    left == right || number(elem, left).is_nan() && number(elem, right).is_nan()
}

#[test]
fn fractions_and_exponents() {
    for elem in [Elem::F32, Elem::F64] {
        let inputs = inputs(elem, 2);
        for (op, limit) in [BinaryOp::Fraction, BinaryOp::Exponent]
            .into_iter()
            .flat_map(|op| [1.0, 4.0 / 3.0, 1.5, 2.0].map(|limit| (op, limit)))
        {
            let limit = eval::from_f64(elem, limit);
            for flags in [Flags::empty(), Flags::AFN, Flags::NINF, Flags::AFN | Flags::NINF] {
                let with = |write: fn(&mut Builder, BinaryOp, [Value; 2], Flags) -> Option<Value>| {
                    replaced(elem, &inputs, |b, _, x| {
                        let limit = b.constant(Type::scalar(elem), limit);
                        write(b, op, [x, limit], flags).unwrap_or_else(|| b.binary(op, x, limit))
                    })
                };
                for values in [with(by_bits), with(by_instructions)] {
                    for (&bits, value) in inputs.iter().zip(values) {
                        let x = number(elem, bits);
                        let subnormal = x.abs()
                            < if elem == Elem::F32 {
                                f32::MIN_POSITIVE.into()
                            } else {
                                f64::MIN_POSITIVE
                            };
                        let left_out = match op {
                            _ if flags.contains(Flags::NINF) && !(x > 0.0 && x < f64::INFINITY) => true,
                            _ if flags.contains(Flags::AFN) && subnormal => x != 0.0 || op == BinaryOp::Fraction,
                            // Only one of the two is a NaN, or infinite.
                            BinaryOp::Fraction => x.is_nan() || x == 0.0 || x == f64::INFINITY,
                            _ => x < 0.0,
                        };
                        let expected = eval::binary(op, elem, bits, limit);
                        assert!(
                            left_out || same(elem, value, expected),
                            "{op} of {x:e}, {flags:?}: {value:#x} is not {expected:#x}"
                        );
                        // Nothing that is left out is infinite where the other part is to be.
                        assert!(op == BinaryOp::Exponent || x.is_nan() || x < 0.0 || number(elem, value).is_finite());
                    }
                }
            }
        }
    }
}

#[test]
fn products_with_any_power_of_two() {
    for elem in [Elem::F32, Elem::F64] {
        let inputs = inputs(elem, 4);
        for power in [
            0,
            1,
            -1,
            24,
            -25,
            127,
            -126,
            200,
            -200,
            276,
            -277,
            1023,
            -1074,
            2000,
            -2100,
            i32::MAX,
            i32::MIN,
        ] {
            let values = replaced(elem, &inputs, |b, _, x| {
                let power = b.i32(power);
                let power = b.convert(ConvertOp::SToF, elem, power);
                by_bits(b, BinaryOp::Scale, [x, power], Flags::empty()).unwrap()
            });
            for (&x, value) in inputs.iter().zip(values) {
                let expected = eval::binary(BinaryOp::Scale, elem, x, eval::from_f64(elem, power.into()));
                assert!(
                    same(elem, value, expected),
                    "{:e} times 2^{power}: {value:#x} is not {expected:#x}",
                    number(elem, x)
                );
            }
        }
    }
}
