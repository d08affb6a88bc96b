use super::formats::{convert_float, sign_bit};
use super::*;

/// Numbers that look random, the same each time.
fn numbers() -> impl Iterator<Item = u64> {
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    std::iter::repeat_with(move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        // All exponents come up, and short fractions do.
        if state & 64 == 0 {
            state
        } else {
            state & (u64::MAX << (state & 63))
        }
    })
}

#[test]
fn float_conversions_agree_with_the_machine() {
    for bits in numbers().take(200_000) {
        let wide = f64::from_bits(bits);
        let narrow = f32::from_bits((bits >> 32) as u32);
        if !wide.is_nan() {
            let demoted = convert(ConvertOp::FDemote, Elem::F64, Elem::F32, Rounding::Nearest, bits);
            assert_eq!(demoted, u64::from((wide as f32).to_bits()), "{wide:e}");
        }
        if !narrow.is_nan() {
            let promoted = convert_float(Elem::F32, Elem::F64, Rounding::Nearest, bits >> 32);
            assert_eq!(promoted, f64::from(narrow).to_bits(), "{narrow:e}");
        }
        let to_int = |op, to| convert(op, Elem::F64, to, Rounding::Zero, bits);
        assert_eq!(to_int(ConvertOp::FToS, Elem::I64), wide as i64 as u64, "{wide:e}");
        assert_eq!(to_int(ConvertOp::FToU, Elem::I64), wide as u64, "{wide:e}");
        assert_eq!(to_int(ConvertOp::FToS, Elem::I8), u64::from(wide as i8 as u8), "{wide:e}");
        assert_eq!(to_int(ConvertOp::FToU, Elem::I32), u64::from(wide as u32), "{wide:e}");
        let from_int = |op, to| convert(op, Elem::I64, to, Rounding::Nearest, bits);
        assert_eq!(from_int(ConvertOp::SToF, Elem::F32), u64::from((bits as i64 as f32).to_bits()));
        assert_eq!(from_int(ConvertOp::UToF, Elem::F32), u64::from((bits as f32).to_bits()));
        assert_eq!(from_int(ConvertOp::SToF, Elem::F64), (bits as i64 as f64).to_bits());
        assert_eq!(from_int(ConvertOp::UToF, Elem::F64), (bits as f64).to_bits());
    }
}

#[test]
fn narrow_floats_round_trip_and_stand_in_order() {
    for elem in [Elem::F16, Elem::BF16] {
        let infinity = infinity_bits(elem);
        for magnitude in 0..=infinity {
            for bits in [magnitude, magnitude | sign_bit(elem)] {
                assert_eq!(from_f64(elem, to_f64(elem, bits)), bits, "{elem:?} {bits:#x}");
            }
            if magnitude == infinity {
                continue;
            }
            // Between two neighbours each rounding goes where its name says.
            let (low, high) = (to_f64(elem, magnitude), to_f64(elem, magnitude + 1));
            let ulp = to_f64(elem, magnitude.max(1)) - to_f64(elem, magnitude.max(1) - 1);
            let high_or_beyond = if high.is_infinite() { low + ulp } else { high };
            let middle = low + (high_or_beyond - low) / 2.0;
            for (value, nearest) in [
                (middle, magnitude + (magnitude & 1)),
                (f64::from_bits(middle.to_bits() - 1), magnitude),
                (f64::from_bits(middle.to_bits() + 1), magnitude + 1),
            ] {
                let round = |rounding| convert_float(Elem::F64, elem, rounding, value.to_bits());
                let negated = |rounding| convert_float(Elem::F64, elem, rounding, (-value).to_bits()) ^ sign_bit(elem);
                assert_eq!(round(Rounding::Nearest), nearest, "{value:e}");
                assert_eq!(negated(Rounding::Nearest), nearest, "{value:e}");
                assert_eq!(
                    [round(Rounding::Zero), round(Rounding::Down), negated(Rounding::Up)],
                    [magnitude; 3]
                );
                assert_eq!([round(Rounding::Up), negated(Rounding::Down)], [magnitude + 1; 2]);
            }
        }
    }
}

#[test]
fn integers_round_as_they_are_told() {
    let convert = |op, rounding, value: f64| signed(Elem::I32, super::convert(op, Elem::F64, Elem::I32, rounding, value.to_bits()));
    for (value, nearest, zero, up, down) in [
        (2.5, 2, 2, 3, 2),
        (3.5, 4, 3, 4, 3),
        (-0.5, 0, 0, 0, -1),
        (-1.5, -2, -1, -1, -2),
        (1e-300, 0, 0, 1, 0),
        (-1e-300, 0, 0, 0, -1),
        (f64::NAN, 0, 0, 0, 0),
        (f64::INFINITY, i32::MAX, i32::MAX, i32::MAX, i32::MAX),
    ] {
        for (rounding, expected) in [
            (Rounding::Nearest, nearest),
            (Rounding::Zero, zero),
            (Rounding::Up, up),
            (Rounding::Down, down),
        ] {
            assert_eq!(
                convert(ConvertOp::FToS, rounding, value),
                i64::from(expected),
                "{value:e} {rounding}"
            );
        }
    }
    // i64 to f32: the largest integer is no float.
    let toward = |rounding| super::convert(ConvertOp::SToF, Elem::I64, Elem::F32, rounding, i64::MAX as u64) as u32;
    assert_eq!(f32::from_bits(toward(Rounding::Up)), 9_223_372_036_854_775_807.0);
    assert_eq!(toward(Rounding::Down), toward(Rounding::Up) - 1);
}

#[test]
fn fused_multiply_add_of_narrow_floats_rounds_once() {
    // 1 + 2^-8 is half-way between two bf16; a little more than that goes up.
    let bf16 = |value: f64| from_f64(Elem::BF16, value);
    let a = bf16(1.0 + 1.0 / 128.0); // (1 + 2^-7)^2 = 1 + 2^-6 + 2^-14
    let squared = fma(Elem::BF16, a, a, bf16(-(2f64.powi(-14))));
    assert_eq!(to_f64(Elem::BF16, squared), 1.0 + 2f64.powi(-6));
    let half_way = fma(Elem::BF16, bf16(257.0 / 256.0 * 2.0), bf16(1.0), bf16(0.0));
    assert_eq!(to_f64(Elem::BF16, half_way), 2.0);
    let product = fma(Elem::BF16, bf16(1.5), bf16(1.0 + 3.0 / 128.0), bf16(1e-30));
    // 1.5 * (1 + 3 * 2^-7) = 1.5 + 9 * 2^-8, half-way; the addend decides.
    assert_eq!(to_f64(Elem::BF16, product), 1.5 + 10.0 / 256.0);
}

#[test]
fn integer_arithmetic_is_total() {
    for elem in [Elem::I8, Elem::I16, Elem::I32, Elem::I64] {
        let least = sign_bit(elem);
        let minus_one = elem.bit_mask();
        assert_eq!(binary(BinaryOp::SDiv, elem, least, minus_one), least);
        assert_eq!(binary(BinaryOp::SRem, elem, least, minus_one), 0);
        assert_eq!(binary(BinaryOp::UDiv, elem, 5, 0), 5);
        assert_eq!(binary(BinaryOp::SAddSat, elem, least, minus_one), least);
        assert_eq!(binary(BinaryOp::UAddSat, elem, minus_one, minus_one), minus_one);
        assert_eq!(binary(BinaryOp::SMulHi, elem, least, least), least >> 1);
        assert_eq!(unary(UnaryOp::Clz, elem, 0), u64::from(elem.bits()));
        assert_eq!(unary(UnaryOp::Ctz, elem, 0), u64::from(elem.bits()));
        assert_eq!(unary(UnaryOp::Abs, elem, least), least);
        assert_eq!(binary(BinaryOp::RotL, elem, least | 1, u64::from(elem.bits()) + 1), 3);
    }
    assert_eq!(unary(UnaryOp::Not, Elem::Mask, 1), 0);
    assert_eq!(unary(UnaryOp::ByteSwap, Elem::I16, 0x1234), 0x3412);
}

#[test]
fn lanes_that_are_known() {
    let text = "function workgroup @f {\nblock0(v0: i32x4):\n  v1 = lane iota i32x4\n  v2 = zext.i64x4 v1 rte\n  v3 = const.i64x4 100\n  v4 = mul v2, v3\n  \
                v5 = trunc.i8x4 v4 rte\n  v6 = sext.i32x4 v5 rte\n  v7 = add v6, v0\n  return\n}\n";
    let func = crate::parse::parse_function(text).expect("a function");
    let lanes = |value: &str| {
        let values = func.insts().flat_map(|inst| func.inst(inst).results.to_vec());
        let value = values.into_iter().find(|result| result.to_string() == value).expect("it is there");
        constant_lanes(&func, value)
    };
    assert_eq!(lanes("v4"), Some(vec![0, 100, 200, 300]));
    assert_eq!(lanes("v5"), Some(vec![0, 100, 200, 44]));
    assert_eq!(lanes("v6"), Some(vec![0, 100, 0xffff_ffc8, 44]));
    assert_eq!(lanes("v7"), None);
}
