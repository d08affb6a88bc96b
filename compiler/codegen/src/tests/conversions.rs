//! Conversions between numbers, lane by lane.

use super::lanewise::*;
use ir::{BinaryOp, Builder, ConvertOp, Elem, InstData, Rounding, Value, eval};

/// Next to what lies between two floats.
#[test]
fn long_integers_between_floats() {
    let near = |bits: u32| {
        let middle = (1u64 << bits | 1 << (bits - 24)) as i64;
        [-2049, -2048, -1, 0, 1, 1024, 2047, 2048].map(|step| middle + step)
    };
    let some: Vec<i64> = (36..63).flat_map(near).collect();
    let mut values: Vec<u64> = some.iter().flat_map(|&value| [value as u64, -value as u64]).collect();
    values.extend(std::iter::repeat_n(u64::MAX, values.len().next_multiple_of(32) - values.len()));
    for op in [ConvertOp::SToF, ConvertOp::UToF] {
        check_conversion_of(op, (Elem::I64, values.clone()), Elem::F32, Rounding::Nearest, false);
    }
}

fn check_conversion(op: ConvertOp, from: Elem, to: Elem, rounding: Rounding, saturate: bool) {
    check_conversion_of(op, (from, singles(from)), to, rounding, saturate);
}

fn check_conversion_of(op: ConvertOp, numbers: (Elem, Vec<u64>), to: Elem, rounding: Rounding, saturate: bool) {
    let from = numbers.0;
    let inputs = [numbers];
    let build = |b: &mut Builder, args: &[Value]| {
        let ty = b.ty(args[0]).with_elem(to);
        b.value(InstData::Convert {
            op,
            ty,
            arg: args[0],
            rounding,
            saturate,
        })
    };
    let expected = |args: &[u64]| {
        let result = eval::convert(op, from, to, rounding, args[0]);
        let open = matches!(op, ConvertOp::FToS | ConvertOp::FToU) && !saturate;
        // What does not fit is open; rounded to a wider type it would be another number.
        let fits = || {
            let value = eval::to_f64(from, args[0]);
            let rounded = match rounding {
                Rounding::Nearest => value.round_ties_even(),
                Rounding::Zero => value.trunc(),
                Rounding::Up => value.ceil(),
                Rounding::Down => value.floor(),
            };
            let limit = 2f64.powi(to.bits() as i32);
            match op {
                ConvertOp::FToS => rounded >= -limit / 2.0 && rounded < limit / 2.0,
                _ => rounded >= 0.0 && rounded < limit,
            }
        };
        (!open || fits()).then_some(result)
    };
    let what = format!("{op} {from:?} to {to:?} {rounding} {saturate}");
    check(&what, &inputs, to, build, expected);
}

#[test]
fn conversions_between_integers() {
    for from in INTS {
        for to in INTS {
            let ops: &[ConvertOp] = match from.bits().cmp(&to.bits()) {
                std::cmp::Ordering::Less => &[ConvertOp::ZExt, ConvertOp::SExt],
                std::cmp::Ordering::Greater => &[ConvertOp::Trunc],
                std::cmp::Ordering::Equal => &[],
            };
            for &op in ops {
                check_conversion(op, from, to, Rounding::Nearest, false);
            }
        }
    }
}

/// Brought within the limits of the shorter type, signed or unsigned, in either order, or within others.
#[test]
fn truncations_that_saturate() {
    for (from, to) in [(Elem::I32, Elem::I16), (Elem::I32, Elem::I8), (Elem::I16, Elem::I8)] {
        let half = 1i64 << (to.bits() - 1);
        for (least, most) in [(-half, half - 1), (0, 2 * half - 1), (-half, half - 2), (1, 2 * half - 1), (-half, 2 * half - 1)] {
            for least_first in [true, false] {
                let bits = |number: i64| number as u64 & u64::MAX >> (64 - from.bits());
                let build = |b: &mut Builder, args: &[Value]| {
                    let ty = b.ty(args[0]);
                    let mut limits = [(BinaryOp::SMax, least), (BinaryOp::SMin, most)];
                    if !least_first {
                        limits.reverse();
                    }
                    let limited = limits.iter().fold(args[0], |value, &(op, limit)| {
                        let limit = b.constant(ty, bits(limit));
                        b.binary(op, value, limit)
                    });
                    b.convert(ConvertOp::Trunc, to, limited)
                };
                let expected = |args: &[u64]| {
                    let unused = 64 - from.bits();
                    let number = ((args[0] << unused) as i64) >> unused;
                    Some(number.clamp(least, most) as u64 & u64::MAX >> (64 - to.bits()))
                };
                let what = format!("{from:?} within {least} and {most} to {to:?}");
                check(&what, &[(from, singles(from))], to, build, expected);
            }
        }
    }
}

#[test]
fn cuts_of_what_fits_and_what_does_not() {
    for from in INTS {
        for to in INTS.into_iter().filter(|to| to.bits() < from.bits()) {
            let (bits, most) = (u64::from(to.bits()), to.bit_mask());
            let above = u64::from(from.bits()) - bits;
            let by = [
                (BinaryOp::UMin, most),
                (BinaryOp::UMin, most + 1),
                (BinaryOp::And, most),
                (BinaryOp::And, most << 1),
                (BinaryOp::LShr, above),
                (BinaryOp::LShr, above - 1),
            ];
            for (op, by) in by {
                let build = |b: &mut Builder, args: &[Value]| {
                    let less = b.binary_imm(op, args[0], by as i64);
                    b.convert(ConvertOp::Trunc, to, less)
                };
                let expected = |args: &[u64]| Some(eval::binary(op, from, args[0], by) & most);
                check(&format!("{op} {by:#x} of {from:?} cut to {to:?}"), &[(from, singles(from))], to, build, expected);
            }
        }
    }
}

#[test]
fn conversions_between_floats() {
    for from in FLOATS {
        for to in FLOATS {
            if from.bits() < to.bits() {
                check_conversion(ConvertOp::FPromote, from, to, Rounding::Nearest, false);
            }
            if from.bits() > to.bits() {
                for &(rounding, _) in Rounding::NAMES {
                    check_conversion(ConvertOp::FDemote, from, to, rounding, false);
                }
            }
        }
    }
}

/// Singles that are rounded to halves and go on as singles, also where the halves are needed, too.
#[test]
fn singles_rounded_to_halves() {
    for &(rounding, _) in Rounding::NAMES {
        for halves_are_needed in [false, true] {
            let round = |b: &mut Builder, args: &[Value]| {
                let half = b.value(InstData::Convert {
                    op: ConvertOp::FDemote,
                    ty: b.ty(args[0]).with_elem(Elem::F16),
                    arg: args[0],
                    rounding,
                    saturate: false,
                });
                let single = b.convert(ConvertOp::FPromote, Elem::F32, half);
                match halves_are_needed {
                    true => {
                        let again = b.convert(ConvertOp::FPromote, Elem::F32, half);
                        b.fadd(single, again)
                    }
                    false => single,
                }
            };
            let expected = |args: &[u64]| {
                let half = eval::convert(ConvertOp::FDemote, Elem::F32, Elem::F16, rounding, args[0]);
                let single = eval::convert(ConvertOp::FPromote, Elem::F16, Elem::F32, Rounding::Nearest, half);
                Some(match halves_are_needed {
                    true => eval::binary(BinaryOp::FAdd, Elem::F32, single, single),
                    false => single,
                })
            };
            let label = format!("rounded to half {rounding:?}, needed: {halves_are_needed}");
            check(&label, &[(Elem::F32, singles(Elem::F32))], Elem::F32, round, expected);
        }
    }
}

#[test]
fn conversions_of_floats_to_integers() {
    for from in FLOATS {
        for to in INTS {
            for op in [ConvertOp::FToS, ConvertOp::FToU] {
                for &(rounding, _) in Rounding::NAMES {
                    for saturate in [false, true] {
                        check_conversion(op, from, to, rounding, saturate);
                    }
                }
            }
        }
    }
}

#[test]
fn conversions_of_integers_to_floats() {
    for from in INTS {
        for to in FLOATS {
            for op in [ConvertOp::SToF, ConvertOp::UToF] {
                for &(rounding, _) in Rounding::NAMES {
                    check_conversion(op, from, to, rounding, false);
                }
            }
        }
    }
}

#[test]
fn bits_and_masks_as_other_types() {
    for from in Elem::ALL {
        for to in Elem::ALL {
            if from != to && from != Elem::Mask && to != Elem::Mask && from.bits() == to.bits() {
                check_conversion(ConvertOp::Bitcast, from, to, Rounding::Nearest, false);
            }
        }
    }
    for elem in INTS {
        check_conversion(ConvertOp::MaskToInt, Elem::Mask, elem, Rounding::Nearest, false);
        check_conversion(ConvertOp::IntToMask, elem, Elem::Mask, Rounding::Nearest, false);
    }
}
