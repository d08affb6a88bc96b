//! Operations on the bits of three values as one: `vpternlogd` has a table of what three bits give. And a comparison of common bits with 0, as
//! `vptestnmd`.

use super::encode::{Imm, Op, Size};
use super::forms::of_width;
use super::forms::{TEST, TEST_NONE};
use super::machine::{R, RmOf, Src};
use super::ops;
use super::parts::{Parts, Registers};
use super::selector::Selector;
use super::selector::Ternary;
use ir::{BinaryOp, Inst, InstData, IntCc, UnaryOp, Value};
use regalloc2::VReg;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// What the table gives for the first, the second and the third operand alone.
pub const COLUMNS: [u8; 3] = [0xf0, 0xcc, 0xaa];

impl Selector<'_> {
    /// Looks for operations on bits whose only use is another in the same block, as long as they have no more than three operands together.
    pub fn find_ternaries(&mut self, insts: &[Inst]) {
        self.ternaries.clear();
        if !self.c.target.masks {
            return;
        }
        let func = self.func;
        // Operations that may become part of another, and what they are made of.
        let mut open: FxHashMap<Value, Leaves> = FxHashMap::default();
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
                    && open.remove(&bits).is_some()
                    && !self.ternaries.contains_key(&bits)
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
            let parts: SmallVec<[Value; 2]> = args.iter().copied().filter(|arg| open.contains_key(arg)).collect();
            // All of them if they fit, else one, else none.
            let choices = std::iter::once(&parts[..])
                .chain(parts.chunks(1))
                .filter(|choice| !choice.is_empty());
            let found = choices
                .map(|choice| (choice, leaves(&args, choice, &open)))
                .find(|(_, leaves)| leaves.len() <= 3);
            let leaves = match found {
                Some((choice, leaves)) => {
                    for part in choice {
                        open.remove(part);
                        self.ternaries.remove(part);
                        self.passed_over.insert(*part);
                    }
                    self.ternaries.insert(result, self.ternary(result, &leaves));
                    leaves
                }
                None => leaves(&args, &[], &open),
            };
            if self.uses[result] == 1 {
                open.insert(result, leaves);
            }
        }
    }

    /// The operation that makes a value of its leaves.
    fn ternary(&self, result: Value, leaves: &Leaves) -> Ternary {
        let mut operands = leaves.clone();
        operands.resize(3, leaves[0]);
        // Constants are read from memory.
        operands.sort_by_key(|&operand| self.func.constant(operand).is_some());
        let mut known: FxHashMap<Value, u8> = FxHashMap::default();
        for (&operand, column) in operands.iter().zip(COLUMNS) {
            known.entry(operand).or_insert(column);
        }
        Ternary {
            operands: [operands[0], operands[1], operands[2]],
            table: self.table(result, &known),
        }
    }

    /// What a value is for each combination of what is known.
    fn table(&self, value: Value, known: &FxHashMap<Value, u8>) -> u8 {
        if let Some(&column) = known.get(&value) {
            return column;
        }
        match self.func.def_data(value) {
            Some(InstData::Binary { op, args: [a, b] }) => {
                let [a, b] = [a, b].map(|&arg| self.table(arg, known));
                match op {
                    BinaryOp::And => a & b,
                    BinaryOp::Or => a | b,
                    _ => a ^ b,
                }
            }
            Some(&InstData::Unary { arg, .. }) => !self.table(arg, known),
            _ => unreachable!("what is between a value and its leaves are operations on bits"),
        }
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
            .map(|((&first, &second), third)| self.by_table(op, size, [first, second], third, ternary.table))
            .collect();
        Parts::new(first.ty, first.bytes, regs)
    }

    /// What a table has for the bits of three operands.
    pub fn by_table(&mut self, op: &'static Op, size: Size, [first, second]: [VReg; 2], third: Src, table: u8) -> VReg {
        let dst = self.c.vec();
        let operands = [R::Tied(dst, first), R::Use(second)];
        self.c.machine(op, size, operands[0], operands[1], RmOf::Src(third), Imm::I8(table));
        dst
    }

    /// The bits of `b` where `which` has ones, and those of `a` elsewhere.
    pub fn choose_bits(&mut self, op: &'static Op, size: Size, a: VReg, b: VReg, which: Src) -> VReg {
        let [of_a, of_b, chosen] = COLUMNS;
        self.by_table(op, size, [a, b], which, (chosen & of_b) | (!chosen & of_a))
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

/// What a value is made of by operations on bits.
type Leaves = SmallVec<[Value; 4]>;

/// What operands are made of, where some of them are seen as what they are made of themselves.
fn leaves(args: &[Value], seen: &[Value], open: &FxHashMap<Value, Leaves>) -> Leaves {
    let mut leaves = Leaves::new();
    for arg in args {
        let made_of = match seen.contains(arg) {
            true => &open[arg][..],
            false => std::slice::from_ref(arg),
        };
        for &leaf in made_of {
            if !leaves.contains(&leaf) {
                leaves.push(leaf);
            }
        }
    }
    leaves
}

fn is_bitwise(op: BinaryOp) -> bool {
    matches!(op, BinaryOp::And | BinaryOp::Or | BinaryOp::Xor)
}
