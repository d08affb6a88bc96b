//! Demanded bits: how many of an integer's lower bits anybody looks at.
//!
//! Sums, products and bits of numbers depend on no higher bits of these than the ones that are wanted of them. All other operations look at
//! all bits. One walk over a work list, from uses to what is used.

use cranelift_entity::SecondaryMap;
use ir::*;

/// All that an integer may have.
const ALL: u8 = 64;

/// How many lower bits are looked at, by value.
#[derive(Clone, Debug, PartialEq)]
pub struct Demanded {
    bits: SecondaryMap<Value, u8>,
}

impl Demanded {
    /// Computes them for the uses in these blocks.
    pub fn new(func: &Function, order: &[Block]) -> Demanded {
        let mut this = Demanded { bits: func.per_value(0) };
        let mut work: Vec<(Value, u8)> = Vec::new();
        // By block: the jumps to it.
        let mut jumps = func.per_block(Vec::new());
        for inst in func.insts_of(order) {
            let data = &func.inst(inst).data;
            match data {
                InstData::Jump { .. } => {}
                InstData::Branch { condition, .. } => work.push((*condition, ALL)),
                _ if of_operands(func, data, ALL).is_some() => {}
                _ => data.for_each_operand(|&value| work.push((value, ALL))),
            }
            for target in data.targets() {
                if jumps[target.block].last() != Some(&inst) {
                    jumps[target.block].push(inst);
                }
            }
        }
        while let Some((value, bits)) = work.pop() {
            if this.bits[value] >= bits {
                continue;
            }
            this.bits[value] = bits;
            match func.def(value) {
                ValueDef::Result(inst, _) => {
                    let data = &func.inst(inst).data;
                    if let Some(bits) = of_operands(func, data, bits) {
                        data.for_each_operand(|&value| work.push((value, bits)));
                    }
                }
                ValueDef::Param(block, index) => {
                    for &jump in &jumps[block] {
                        let targets = func.inst(jump).data.targets();
                        let here = targets.iter().filter(|target| target.block == block);
                        work.extend(here.map(|target| (target.args[index as usize], bits)));
                    }
                }
            }
        }
        this
    }

    /// No more than so many of the value's lower bits make a difference to anybody.
    pub fn of(&self, value: Value) -> u32 {
        self.bits[value].into()
    }
}

/// How many lower bits of its operands so many lower bits of an operation's result depend on, if not on all.
fn of_operands(func: &Function, data: &InstData, bits: u8) -> Option<u8> {
    match *data {
        InstData::Convert {
            op: ConvertOp::Trunc, ty, ..
        } => Some(bits.min(ty.elem.bits() as u8)),
        InstData::Convert {
            op: ConvertOp::SExt | ConvertOp::ZExt,
            arg,
            ..
        } => Some(bits.min(func.ty(arg).elem.bits() as u8)),
        // (Its amount is a constant.)
        InstData::Binary { op: BinaryOp::Shl, args } if is_modular(func, data) => {
            func.constant(args[1]).map(|amount| bits.saturating_sub(amount as u8))
        }
        _ => is_modular(func, data).then_some(bits),
    }
}

/// The lower half of the result, and what is below it, depends on as many bits of the operands alone.
pub fn is_modular(func: &Function, data: &InstData) -> bool {
    match data {
        InstData::Binary { op, args } if func.ty(args[0]).elem.is_int() => match op {
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => true,
            BinaryOp::Shl => func
                .constant(args[1])
                .is_some_and(|amount| amount < u64::from(func.ty(args[0]).elem.bits() / 2)),
            _ => false,
        },
        InstData::Unary { op, arg } => matches!(op, UnaryOp::Neg | UnaryOp::Not) && func.ty(*arg).elem.is_int(),
        InstData::Select { .. } => true,
        _ => false,
    }
}
