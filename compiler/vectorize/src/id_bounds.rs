//! Arguments that ids must be below: `if (get_global_id(0) >= n) return;`.
//!
//! A launch that knows the argument need not run those work-items, and can have the last of the others in a gang that is full.

use crate::idle_groups::conditions;
use ir::*;
use smallvec::SmallVec;

/// Work-items whose id along a dimension is not below an argument do nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IdBound {
    /// The id's.
    pub dimension: u8,
    /// Where the argument is in the block, and how many bytes it has.
    argument: (u32, u32),
    /// What is added to it.
    plus: i64,
    /// It is extended with its sign.
    extends_sign: bool,
    /// It is compared as a signed number.
    is_signed: bool,
}

impl IdBound {
    /// As many ids from 0 on are below what the argument is in this block.
    pub fn ids(&self, block: &[u8]) -> Option<u64> {
        let (offset, bytes) = (self.argument.0 as usize, self.argument.1 as usize);
        let mut word = [0; 8];
        word.get_mut(..bytes)?.copy_from_slice(block.get(offset..offset + bytes)?);
        let unused = u64::BITS - 8 * self.argument.1;
        let bits = (u64::from_le_bytes(word).wrapping_add(self.plus as u64)) << unused;
        let number = match self.extends_sign {
            true => (bits as i64 >> unused) as u64,
            false => bits >> unused,
        };
        Some(match self.is_signed {
            true => (number as i64).max(0) as u64,
            false => number,
        })
    }
}

/// The bounds of a kernel that can't see how large the launch is. Ids must fit 31 bits.
pub fn id_bounds(func: &Function) -> SmallVec<[IdBound; 3]> {
    let mut bounds = SmallVec::new();
    let sees_size = |inst: Inst| {
        let builtin = Builtin::GlobalSize;
        matches!(func.inst(inst).data, InstData::Builtin { builtin: own, .. } if own == builtin || own == Builtin::GlobalLinearId || own.is_of_groups())
    };
    if !func.insts().any(sees_size) {
        for (condition, leaves) in conditions(func) {
            collect(func, condition, leaves, &mut bounds);
        }
    }
    bounds
}

/// Work-items leave where `condition` is `leaves`.
fn collect(func: &Function, condition: Value, leaves: bool, bounds: &mut SmallVec<[IdBound; 3]>) {
    match func.def_data(condition) {
        Some(&InstData::Unary { op: UnaryOp::Not, arg }) => collect(func, arg, !leaves, bounds),
        // Each of the two is enough.
        Some(&InstData::Binary { op, args }) if op == if leaves { BinaryOp::Or } else { BinaryOp::And } => {
            args.into_iter().for_each(|arg| collect(func, arg, leaves, bounds));
        }
        Some(&InstData::IntCompare { cc, args: [a, b] }) => {
            let cc = if leaves { cc } else { cc.inverted() };
            bounds.extend(match cc {
                IntCc::Sge | IntCc::Uge => bound(func, a, b, cc == IntCc::Sge),
                IntCc::Sle | IntCc::Ule => bound(func, b, a, cc == IntCc::Sle),
                _ => None,
            });
        }
        _ => {}
    }
}

/// That of an id by a number.
fn bound(func: &Function, id: Value, number: Value, is_signed: bool) -> Option<IdBound> {
    let dimension = id_dimension(func, id)?;
    let (number, extends_sign) = match *func.def_data(number)? {
        InstData::Convert {
            op: ConvertOp::SExt, arg, ..
        } => (arg, true),
        InstData::Convert {
            op: ConvertOp::ZExt, arg, ..
        } => (arg, false),
        _ => (number, is_signed),
    };
    let (argument, plus) = match *func.def_data(number)? {
        InstData::Binary {
            op: BinaryOp::Add,
            args: [argument, constant],
        } => (argument, func.signed_constant(constant)?),
        _ => (number, 0),
    };
    Some(IdBound {
        dimension,
        argument: (u32::try_from(func.argument(argument)?).ok()?, func.ty(argument).elem.bytes()),
        plus,
        extends_sign,
        is_signed,
    })
}

/// The dimension of a global id, as it is or in 32 bits, extended or not.
fn id_dimension(func: &Function, value: Value) -> Option<u8> {
    match *func.def_data(func.in_any_bits(value))? {
        InstData::Builtin {
            builtin: Builtin::GlobalId,
            dimension,
        } => Some(dimension),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ir::parse::parse_function;

    /// Of a kernel whose work-items leave where `v9` is true; `v3` is the id in 32 bits, `v4` and `v5` are numbers.
    fn bounds_of(lines: &str) -> SmallVec<[IdBound; 3]> {
        let text = format!(
            "function workitem @k {{
block0:
  v0 = builtin arguments
  v1 = load.i64 constant align 8 invariant dereferenceable [v0]
  v2 = builtin global_id 1
  v3 = trunc.i32 v2 rte
  v4 = load.i32 constant align 4 invariant dereferenceable [v0 + 8]
  v5 = load.i64 constant align 8 invariant dereferenceable [v0 + 16]
{lines}
  branch v9, block2, block1
block1:
  store v3, global align 4 [v1 + v2 * 4]
  jump block2
block2:
  return
}}"
        );
        id_bounds(&parse_function(&text).unwrap_or_else(|error| panic!("{error}\n{text}")))
    }

    /// The ids below, with these numbers.
    fn ids(lines: &str, small: i32, large: i64) -> Option<u64> {
        let mut block = [0; 24];
        block[8..12].copy_from_slice(&small.to_le_bytes());
        block[16..].copy_from_slice(&large.to_le_bytes());
        let bounds = bounds_of(lines);
        assert!(bounds.iter().all(|bound| bound.dimension == 1));
        bounds.first()?.ids(&block)
    }

    #[test]
    fn ids_below_an_argument() {
        let signed = "  v9 = icmp.sge v3, v4";
        assert_eq!([1000, 0, -5].map(|n| ids(signed, n, 0)), [Some(1000), Some(0), Some(0)]);
        let unsigned = "  v9 = icmp.ule v4, v3";
        assert_eq!([1000, -1].map(|n| ids(unsigned, n, 0)), [Some(1000), Some(u32::MAX.into())]);
        assert_eq!(ids("  v9 = icmp.uge v2, v5", 0, -1), Some(u64::MAX));
        assert_eq!(ids("  v9 = icmp.sge v2, v5", 0, -1), Some(0));
        // An int is extended before it is compared with a size_t.
        let extended = "  v6 = sext.i64 v4 rte\n  v9 = icmp.uge v2, v6";
        assert_eq!([7, -1].map(|n| ids(extended, n, 0)), [Some(7), Some(u64::MAX)]);
        let less = "  v6 = const.i32 -1\n  v7 = add v4, v6\n  v8 = icmp.slt v3, v7\n  v9 = not v8";
        assert_eq!([7, 0].map(|n| ids(less, n, 0)), [Some(6), Some(0)]);
    }

    #[test]
    fn what_bounds_nothing() {
        assert_eq!(bounds_of("  v9 = icmp.slt v3, v4").len(), 0, "those below leave");
        assert_eq!(bounds_of("  v9 = icmp.eq v3, v4").len(), 0);
        assert_eq!(bounds_of("  v6 = mul v3, v4\n  v9 = icmp.sge v6, v4").len(), 0);
        assert_eq!(
            bounds_of("  v6 = builtin global_size 0\n  v9 = icmp.sge v3, v4").len(),
            0,
            "it sees the size"
        );
        let both = |op: &str| bounds_of(&format!("  v6 = icmp.sge v3, v4\n  v7 = icmp.sge v2, v5\n  v9 = {op} v6, v7")).len();
        assert_eq!((both("or"), both("and")), (2, 0));
    }
}
