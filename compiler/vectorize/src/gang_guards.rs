//! Conditions that lanes fulfil together: found out by comparing scalars.
//!
//! Of `i < n`, where `i` grows from lane to lane and `n` is uniform, the last lane tells whether it holds for all, and the first whether
//! for any. [`gang_guards`] finds a few such comparisons that stand for a condition; [`super::vectorize`] writes them.

use analysis::uniformity::{Shape, Uniformity};
use ir::*;
use target::costs::effort::CONDITIONS;

/// A condition over whole gangs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Together {
    /// Never, as lanes differ.
    Never,
    /// Where a uniform mask is what is said.
    Uniform(Value, bool),
    /// Where an extreme lane of the linear value compares so with the uniform value.
    Extreme {
        /// How.
        cc: IntCc,
        /// Grows or shrinks from lane to lane.
        linear: Value,
        /// The same in all lanes.
        uniform: Value,
        /// The extreme lane's value is `linear` plus this.
        steps: i64,
        /// The lanes may wrap, one after the other; the last lane's value is `linear` plus this.
        wraps: Option<i64>,
    },
    /// Where the uniform value is none of the linear values, which follow one another.
    NotAmong {
        /// The first.
        first: Value,
        /// What must not be there.
        uniform: Value,
    },
    /// Where both hold.
    Both(Box<Together>, Box<Together>),
}

/// When all lanes of a gang have the value `wanted` of a mask. `None` where scalars don't tell.
pub fn together(func: &Function, uniformity: &Uniformity, width: u32, mask: Value, wanted: bool) -> Option<Together> {
    all(func, uniformity, width, mask, wanted, CONDITIONS)
}

fn all(func: &Function, uniformity: &Uniformity, width: u32, mask: Value, wanted: bool, depth: u32) -> Option<Together> {
    if uniformity.shape(mask).is_uniform() {
        return Some(Together::Uniform(mask, wanted));
    }
    let depth = depth.checked_sub(1)?;
    match *func.def_data(mask)? {
        InstData::Unary { op: UnaryOp::Not, arg } => all(func, uniformity, width, arg, !wanted, depth),
        InstData::Binary { op, args: [a, b] } if op == if wanted { BinaryOp::And } else { BinaryOp::Or } => {
            let a = all(func, uniformity, width, a, wanted, depth)?;
            let b = all(func, uniformity, width, b, wanted, depth)?;
            Some(Together::Both(Box::new(a), Box::new(b)))
        }
        InstData::IntCompare { cc, args: [a, b] } => {
            let cc = if wanted { cc } else { cc.inverted() };
            match (uniformity.shape(a), uniformity.shape(b)) {
                (shape @ Shape::Linear { .. }, Shape::Uniform(_)) => compare(func, width, cc, (a, shape), b),
                (Shape::Uniform(_), shape @ Shape::Linear { .. }) => compare(func, width, cc.swapped(), (b, shape), a),
                _ => None,
            }
        }
        _ => None,
    }
}

fn compare(func: &Function, width: u32, cc: IntCc, (linear, shape): (Value, Shape), uniform: Value) -> Option<Together> {
    let Shape::Linear {
        stride,
        no_signed_wrap,
        no_unsigned_wrap,
    } = shape
    else {
        return None;
    };
    let span = stride.checked_mul(i64::from(width) - 1)?;
    // So small that lanes can't meet by going round.
    if span.unsigned_abs() >= 1 << (func.ty(linear).elem.bits() - 1) {
        return None;
    }
    let upper = matches!(cc, IntCc::Slt | IntCc::Sle | IntCc::Ult | IntCc::Ule);
    // The lane with the largest value decides about "less", the one with the smallest about "greater".
    let last = upper == (stride > 0);
    let extreme = |wraps| Together::Extreme {
        cc,
        linear,
        uniform,
        steps: if last { span } else { 0 },
        wraps,
    };
    let no_wrap = match cc {
        IntCc::Eq => return Some(Together::Never),
        IntCc::Ne if stride == 1 => return Some(Together::NotAmong { first: linear, uniform }),
        IntCc::Ne => return None,
        IntCc::Slt | IntCc::Sle | IntCc::Sgt | IntCc::Sge => no_signed_wrap,
        IntCc::Ult | IntCc::Ule | IntCc::Ugt | IntCc::Uge => no_unsigned_wrap,
    };
    match no_wrap {
        true => Some(extreme(None)),
        // Lanes that wrap have both the largest number and the smallest among them.
        false => (stride.abs() == 1).then(|| extreme(Some(span))),
    }
}

/// Writes that lanes don't wrap, or that it makes no difference: the comparison holds for all numbers.
fn stays_in_order(b: &mut Builder, cc: IntCc, first: Value, uniform: Value, span: i64) -> Value {
    let last = b.binary_imm(BinaryOp::Add, first, span);
    let (low, high) = if span > 0 { (first, last) } else { (last, first) };
    let bits = b.ty(first).elem.bits();
    let largest = 1i64.wrapping_shl(bits - 1).wrapping_sub(1);
    let (signed, all) = match cc {
        IntCc::Slt | IntCc::Sgt => (true, None),
        IntCc::Sle => (true, Some(largest)),
        IntCc::Sge => (true, Some(!largest)),
        IntCc::Ule => (false, Some(-1)),
        IntCc::Uge => (false, Some(0)),
        _ => (false, None),
    };
    let in_order = b.icmp(if signed { IntCc::Sle } else { IntCc::Ule }, low, high);
    match all {
        Some(all) => {
            let holds = b.icmp_imm(IntCc::Eq, uniform, all);
            b.or(in_order, holds)
        }
        None => in_order,
    }
}

/// Writes the condition: a scalar mask. `raw` gives a uniform value, or lane 0 of a linear one.
pub fn write(condition: &Together, b: &mut Builder, lanes: u16, raw: &dyn Fn(Value) -> Value) -> Value {
    match condition {
        Together::Never => b.mask(Type::MASK, false),
        Together::Uniform(mask, wanted) => {
            let mask = raw(*mask);
            if *wanted { mask } else { b.not(mask) }
        }
        Together::Extreme {
            cc,
            linear,
            uniform,
            steps,
            wraps,
        } => {
            let (first, uniform) = (raw(*linear), raw(*uniform));
            b.flags = Flags::empty();
            let value = if *steps == 0 {
                first
            } else {
                b.binary_imm(BinaryOp::Add, first, *steps)
            };
            let compared = b.icmp(*cc, value, uniform);
            match *wraps {
                Some(span) => {
                    let in_order = stays_in_order(b, *cc, first, uniform, span);
                    b.and(compared, in_order)
                }
                None => compared,
            }
        }
        Together::NotAmong { first, uniform } => {
            let (first, uniform) = (raw(*first), raw(*uniform));
            let distance = b.sub(uniform, first);
            b.icmp_imm(IntCc::Uge, distance, i64::from(lanes))
        }
        Together::Both(one, other) => {
            let (one, other) = (write(one, b, lanes, raw), write(other, b, lanes, raw));
            b.and(one, other)
        }
    }
}

/// The values that [`write()`] asks for.
pub fn operands(condition: &Together, visit: &mut impl FnMut(Value)) {
    match *condition {
        Together::Never => {}
        Together::Uniform(mask, _) => visit(mask),
        Together::Extreme { linear, uniform, .. } => [linear, uniform].into_iter().for_each(visit),
        Together::NotAmong { first, uniform } => [first, uniform].into_iter().for_each(visit),
        Together::Both(ref one, ref other) => {
            operands(one, visit);
            operands(other, visit);
        }
    }
}
