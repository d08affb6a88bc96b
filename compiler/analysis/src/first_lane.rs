//! Where gangs start: zeros at the end of what the first lane of each has. Gangs are as wide as a power of two, and start at multiples of their width.
//!
//! With them `id & 31` and `id >> 5`, as kernels have them that were written for machines with sub-groups of that length, are known to grow from lane to
//! lane or to stay.

use super::facts::GangFacts;
use super::shape::Layout;
use interface::LocalSize;
use ir::*;

/// So many operations back it is looked for where a number comes from.
const DEPTH: u32 = 6;

/// Zeros at the end of an integer of the first lane, or of what all lanes have.
pub(super) fn zeros(func: &Function, value: Value, facts: &GangFacts) -> u32 {
    let of_builtin = |builtin, dimension| of_builtin(builtin, dimension, facts);
    zeros_within(func, value, &of_builtin, DEPTH)
}

/// Zeros at the end of an integer, whatever a kernel is told from outside.
pub fn trailing_zeros(func: &Function, value: Value) -> u32 {
    zeros_within(func, value, &|_, _| 0, DEPTH)
}

/// So many zeros at least; `of_builtin` says how many a built-in variable has.
fn zeros_within(func: &Function, value: Value, of_builtin: &dyn Fn(Builtin, u8) -> u32, depth: u32) -> u32 {
    let bits = func.ty(value).elem.bits();
    if let Some(constant) = func.constant(value) {
        return constant.trailing_zeros().min(bits);
    }
    let Some(depth) = depth.checked_sub(1) else { return 0 };
    let zeros = |value| zeros_within(func, value, of_builtin, depth);
    let found = match func.def_data(value) {
        Some(&InstData::Builtin { builtin, dimension }) => of_builtin(builtin, dimension),
        Some(&InstData::Binary { op, args: [a, b] }) => match op {
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::Or | BinaryOp::Xor => zeros(a).min(zeros(b)),
            BinaryOp::And => zeros(a).max(zeros(b)),
            BinaryOp::Mul => zeros(a) + zeros(b),
            BinaryOp::Shl => match func.constant(b) {
                Some(amount) if amount < u64::from(bits) => zeros(a) + amount as u32,
                _ => 0,
            },
            _ => 0,
        },
        Some(&InstData::Convert {
            op: ConvertOp::Trunc | ConvertOp::SExt | ConvertOp::ZExt,
            arg,
            ..
        }) if func.ty(arg).elem.is_int() => zeros(arg),
        _ => 0,
    };
    found.min(bits)
}

fn of_builtin(builtin: Builtin, dimension: u8, facts: &GangFacts) -> u32 {
    let width = facts.width.trailing_zeros();
    let is_along = matches!(facts.layout, Layout::Rows { dimension: along } if along == dimension);
    match builtin {
        Builtin::LocalLinearId => width,
        Builtin::SubGroupLocalId => u64::BITS,
        Builtin::LocalId if is_along => width,
        Builtin::GlobalId if is_along && facts.aligned_offset && !facts.ends_overlap[usize::from(dimension)] => {
            width.min(zeros_of_size(dimension, facts))
        }
        _ => 0,
    }
}

/// Those of the local size in a dimension.
fn zeros_of_size(dimension: u8, facts: &GangFacts) -> u32 {
    match facts.local_size {
        LocalSize::Exactly(size) => size[usize::from(dimension)].trailing_zeros(),
        LocalSize::Told { most, multiple, .. } => {
            let others = most.iter().enumerate().filter(|&(other, _)| other != usize::from(dimension));
            let is_alone = others.into_iter().all(|(_, &most)| most == 1);
            if is_alone { multiple.trailing_zeros() } else { 0 }
        }
    }
}

/// Lanes have other bits in common where gangs start elsewhere than at multiples of their width: the function takes apart ids along a dimension, as `id & 31`,
/// `id >> 5` or `id / 2` do.
pub fn takes_ids_apart(func: &Function, dimension: u8) -> bool {
    let order = cfg::reverse_postorder(func);
    let mut of_id = func.per_value(false);
    for inst in func.insts_of(&order) {
        let node = func.inst(inst);
        let found = match node.data {
            InstData::Builtin {
                builtin: Builtin::GlobalId,
                dimension: own,
            } => own == dimension,
            InstData::Convert { arg, .. } => of_id[arg],
            InstData::Binary { op, args: [a, b] } => {
                use BinaryOp::*;
                let apart = match op {
                    And | Or | Xor | LShr | AShr => true,
                    UDiv | SDiv | URem | SRem => func.constant(b).is_some_and(u64::is_power_of_two),
                    _ => false,
                };
                let is_of_id = of_id[a] || of_id[b];
                if apart && is_of_id {
                    return true;
                }
                is_of_id && matches!(op, Add | Sub | Mul | Shl)
            }
            _ => false,
        };
        if found {
            of_id[node.results[0]] = true;
        }
    }
    false
}

/// Bits of a linear value that differ from lane to lane, from the first on up to another, if lanes do not carry into what is above them.
pub(super) fn lane_bits(func: &Function, value: Value, stride: i64, facts: &GangFacts) -> Option<(u32, u32)> {
    let stride = u64::try_from(stride).ok().filter(|stride| stride.is_power_of_two())?;
    let (first, end) = (stride.trailing_zeros(), stride.trailing_zeros() + facts.width.trailing_zeros());
    (end <= func.ty(value).elem.bits() && zeros(func, value, facts) >= end).then_some((first, end))
}

#[cfg(test)]
mod tests {
    use super::takes_ids_apart;
    use crate::uniformity::{Shape, Uniformity};
    use crate::{GangFacts, gang_shape};
    use interface::LaunchFacts;
    use ir::Value;
    use ir::parse::parse_function;

    #[test]
    fn bits_of_ids() {
        let apart = |id: &str, operation: &str| {
            let text = format!(
                "function workitem @k {{\nblock0:\n  v0 = builtin {id}\n  v1 = trunc.i32 v0 rte\n  v2 = const.i32 1\n  v3 = add v1, v2\n  \
                 v4 = const.i32 4\n  v5 = {operation} v3, v4\n  return\n}}"
            );
            takes_ids_apart(&parse_function(&text).expect("the test's text is IR"), 0)
        };
        for operation in ["and", "xor", "lshr", "sdiv", "urem"] {
            assert!(apart("global_id 0", operation) && !apart("global_id 1", operation), "{operation}");
        }
        assert!(!apart("global_id 0", "mul") && !apart("global_size 0", "and"));
    }

    /// How what an operation with a constant makes of four times an id changes from lane to lane, in gangs of 16: none where it is not alike.
    fn stride_of(id: &str, operation: &str, constant: u32, local_size: [u64; 3], aligned_offset: bool) -> Option<i64> {
        let text = format!(
            "function workitem @k {{\nblock0:\n  v0 = builtin {id}\n  v1 = trunc.i32 v0 rte\n  v2 = const.i32 2\n  v3 = shl v1, v2\n  \
             v4 = const.i32 {constant}\n  v5 = {operation} v3, v4\n  return\n}}"
        );
        let func = parse_function(&text).expect("the test's text is IR");
        let launch = LaunchFacts {
            zero_offset: false,
            aligned_offset,
            ..LaunchFacts::usual(local_size)
        };
        let facts = GangFacts::new(gang_shape(Some(16), 16, local_size), &launch);
        let uniformity = Uniformity::of(&func, &facts).expect("there is no loop");
        match uniformity.shape(Value::from_u32(5)) {
            Shape::Uniform(_) => Some(0),
            Shape::Linear { stride, .. } => Some(stride),
            Shape::Varying => None,
        }
    }

    #[test]
    fn bits_of_lanes_stay_together() {
        let local = |operation: &str, constant: u32| stride_of("local_id 0", operation, constant, [64, 1, 1], true);
        for (operation, constant, stride) in [
            ("and", 0x3f, Some(4)),
            ("and", 0xff, Some(4)),
            ("and", 0xc0, Some(0)),
            ("and", 0x3, Some(0)),
            ("and", 0x1c, None),
            ("lshr", 6, Some(0)),
            ("ashr", 7, Some(0)),
            ("ashr", 1, Some(2)),
            ("lshr", 2, Some(1)),
            ("lshr", 3, None),
            // Modulo 32.
            ("lshr", 32, Some(4)),
        ] {
            assert_eq!(local(operation, constant), stride, "{operation} {constant}");
        }
    }

    #[test]
    fn gangs_start_at_multiples_of_their_width_in_groups_that_do() {
        let shifted = |id: &str, local_size: [u64; 3], aligned_offset: bool| stride_of(id, "lshr", 6, local_size, aligned_offset);
        assert_eq!(shifted("global_id 0", [64, 1, 1], true), Some(0));
        assert_eq!(shifted("global_id 0", [64, 1, 1], false), None);
        assert_eq!(shifted("global_id 0", [72, 1, 1], true), None);
        assert_eq!(shifted("local_id 0", [72, 1, 1], false), Some(0));
        assert_eq!(shifted("local_linear_id", [5, 7, 1], true), Some(0));
    }
}
