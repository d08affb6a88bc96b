//! Operations that some lanes do, and the choice between what they give and what was there.

use super::lanewise::*;
use ir::{BinaryOp, Builder, IntCc, Value, eval};

/// Either side of the choice is changed, by the first operand or the second, by a number of each lane's or a constant; or nothing there is the operand.
#[test]
fn choices_between_a_number_and_what_it_becomes() {
    let ops = [BinaryOp::Add, BinaryOp::Sub, BinaryOp::Or, BinaryOp::Xor, BinaryOp::And];
    let constants = [None, Some(1), Some(-1), Some(5)];
    for (op, elem) in ops.iter().flat_map(|&op| INTS.map(|elem| (op, elem))) {
        for (constant, form) in constants.iter().flat_map(|&constant| (0..8).map(move |form| (constant, form))) {
            let (where_on, swapped, opposite) = (form & 1 == 0, form & 2 == 0, form & 4 == 0);
            let cc = if opposite { IntCc::Sge } else { IntCc::Slt };
            let mask = u64::MAX >> (u64::BITS - elem.bits());
            let build = |b: &mut Builder, args: &[Value]| {
                let by = constant.map_or(args[1], |constant: i64| b.constant(b.ty(args[0]), constant as u64 & mask));
                let compared = b.icmp(cc, args[0], args[1]);
                let [x, y] = if swapped { [by, args[0]] } else { [args[0], by] };
                let changed = b.binary(op, x, y);
                match where_on {
                    true => b.select(compared, changed, args[0]),
                    false => b.select(compared, args[0], changed),
                }
            };
            let expected = |args: &[u64]| {
                let by = constant.map_or(args[1], |constant| constant as u64 & mask);
                let [x, y] = if swapped { [by, args[0]] } else { [args[0], by] };
                let holds = eval::int_compare(cc, elem, args[0], args[1]);
                Some(if holds == where_on { eval::binary(op, elem, x, y) } else { args[0] })
            };
            let (left, right) = pairs(elem, elem);
            let what = format!("choose {op} of {constant:?} {elem:?} in form {form}");
            check(&what, &[(elem, left), (elem, right)], elem, build, expected);
        }
    }
}
