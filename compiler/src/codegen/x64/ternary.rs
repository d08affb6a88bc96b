//! Two operations on bits as one: `vpternlogd` has a table of what three bits give. And a comparison of common bits with 0, as `vptestnmd`.

use super::arithmetic::of_width;
use super::encode::Imm;
use super::machine::{R, RmOf};
use super::masks::{TEST, TEST_NONE};
use super::ops;
use super::select::Selector;
use super::values::{Parts, Registers};
use crate::ir::{BinaryOp, Inst, InstData, IntCc, UnaryOp, Value};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

/// What the table gives for the first, the second and the third operand alone.
const COLUMNS: [u8; 3] = [0xf0, 0xcc, 0xaa];

/// Two operations as one.
#[derive(Clone, Copy, Debug)]
pub struct Ternary {
    /// The last is what may be in memory.
    operands: [Value; 3],
    table: u8,
}

impl Selector<'_> {
    /// Looks for operations on bits whose only use is another in the same block.
    pub fn find_ternaries(&mut self, insts: &[Inst]) {
        self.ternaries.clear();
        if !self.c.target.masks {
            return;
        }
        let func = self.func;
        // Operations that may become part of another.
        let mut open: FxHashSet<Value> = FxHashSet::default();
        for &inst in insts {
            let node = func.inst(inst);
            let Some(&result) = node
                .results
                .first()
                .filter(|&&result| func.ty(result).is_vector() && func.ty(result).elem.is_int())
            else {
                if let InstData::IntCompare {
                    cc: IntCc::Eq | IntCc::Ne,
                    args: [bits, zero],
                } = node.data
                    && func.constant(zero) == Some(0)
                    && open.remove(&bits)
                    && let Some(InstData::Binary { op: BinaryOp::And, .. }) = func.def_data(bits)
                {
                    self.passed_over.insert(bits);
                }
                continue;
            };
            let args: SmallVec<[Value; 2]> = match node.data {
                InstData::Binary { op, args } if is_bitwise(op) => args.into(),
                InstData::Unary { op: UnaryOp::Not, arg } => SmallVec::from_iter([arg]),
                _ => continue,
            };
            if let Some(&inner) = args.iter().find(|arg| open.contains(arg))
                && let Some(ternary) = self.ternary(result, inner)
            {
                open.remove(&inner);
                self.passed_over.insert(inner);
                self.ternaries.insert(result, ternary);
            } else if self.uses[result] == 1 {
                open.insert(result);
            }
        }
    }

    /// The operation with the one inside.
    fn ternary(&self, outer: Value, inner: Value) -> Option<Ternary> {
        let mut operands: SmallVec<[Value; 4]> = SmallVec::new();
        for value in [outer, inner] {
            self.func.def_data(value)?.for_each_operand(|&operand| {
                if operand != inner && !operands.contains(&operand) {
                    operands.push(operand);
                }
            });
        }
        if operands.len() > 3 {
            return None;
        }
        let first = *operands.first()?;
        operands.resize(3, first);
        // Constants are read from memory.
        operands.sort_by_key(|&operand| self.func.constant(operand).is_some());
        let mut known: FxHashMap<Value, u8> = FxHashMap::default();
        for (&operand, column) in operands.iter().zip(COLUMNS) {
            known.entry(operand).or_insert(column);
        }
        for value in [inner, outer] {
            let table = match *self.func.def_data(value)? {
                InstData::Unary { arg, .. } => !known[&arg],
                InstData::Binary { op, args } => {
                    let [a, b] = args.map(|arg| known[&arg]);
                    match op {
                        BinaryOp::And => a & b,
                        BinaryOp::Or => a | b,
                        _ => a ^ b,
                    }
                }
                _ => return None,
            };
            known.insert(value, table);
        }
        Some(Ternary {
            operands: [operands[0], operands[1], operands[2]],
            table: known[&outer],
        })
    }

    pub fn emit_ternary(&mut self, ternary: Ternary) -> Parts {
        let [first, second] = [0, 1].map(|index| self.get(ternary.operands[index]));
        let third = self.sources(ternary.operands[2]);
        // What a constant is spread by is the size of its elements.
        let (size, op) = match first.bytes {
            8 => (first.size(), &ops::VPTERNLOGQ),
            _ => (first.size(), &ops::VPTERNLOGD),
        };
        let regs: Registers = first
            .regs
            .iter()
            .zip(&second.regs)
            .zip(third)
            .map(|((&first, &second), third)| {
                let dst = self.c.vec();
                let operands = [R::Tied(dst, first), R::Use(second)];
                self.c
                    .machine(op, size, operands[0], operands[1], RmOf::Src(third), Imm::I8(ternary.table));
                dst
            })
            .collect();
        Parts::new(first.ty, first.bytes, regs)
    }

    /// Which lanes have bits in common, or none.
    pub fn test_bits(&mut self, cc: IntCc, bits: Value) -> Option<Parts> {
        let ty = self.func.ty(bits);
        if !self.c.target.masks || !ty.is_vector() {
            return None;
        }
        let (a, b) = match *self.func.def_data(bits)? {
            InstData::Binary {
                op: BinaryOp::And,
                args: [a, b],
            } if self.passed_over.contains(&bits) => (self.get(a), self.sources(b)),
            _ => return None,
        };
        let op = match cc {
            IntCc::Eq => TEST_NONE,
            IntCc::Ne => TEST,
            _ => return None,
        };
        Some(self.compare_to_mask_by(of_width(a.bytes, op), &a, &b, Imm::No))
    }
}

fn is_bitwise(op: BinaryOp) -> bool {
    matches!(op, BinaryOp::And | BinaryOp::Or | BinaryOp::Xor)
}
