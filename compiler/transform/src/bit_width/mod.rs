//! Integers that are computed in another width: in fewer bits where nobody would see a difference, in more where that saves conversions.
//!
//! What is known of their bits ([`analysis::bits`]) says what may be computed so. A rule, one a pass, says what is, since it knows what is won by it.
//! [`rewrite`] changes the function, for all of them.
//!
//! | rule | from | to | what is won |
//! |---|---|---|---|
//! | [`demanded_bits`] | 64 | 32 | vectors of half the length; loops' variables that grow from lane to lane |
//! | [`narrow`] | 64 | 32 | conversions to floats and divisions that machines have for 32 bits alone; indices with a sign; parts of products |
//! | [`sixteen_bits`] | 32 | 16 | half the instructions for vectors of several registers |
//! | [`sixteen_bits::run_short`] | 32 | 16, 8 | extensions of `short` and `char`, and wider gangs |
//! | [`widen_indices`] | 32 | 64 | extensions of indices in loops |

pub mod demanded_bits;
pub mod narrow;
mod narrow_products;
pub mod sixteen_bits;
pub mod widen_indices;

use cranelift_entity::SecondaryMap;
use ir::*;

/// What becomes of an instruction.
#[derive(Debug)]
pub enum Fate {
    /// Nothing.
    Stays,
    /// It is computed in the other width, too, for those who want that.
    Beside(InstData),
    /// It is computed in the other width alone, and converted back like this for those who want it as it was.
    Instead(InstData, ConvertOp),
}

/// What is in the other width already, by what it stands for.
pub type Known = SecondaryMap<Value, Option<Value>>;

/// Says which integers are computed in another width.
pub trait Rule {
    /// What becomes of an instruction: what it is in the other width, with operands in their own. These come before it, but for loops' variables.
    fn inst(&self, func: &Function, inst: Inst, known: &Known) -> Fate;

    /// A block's parameter is computed in the other width: beside where that has fewer bits, instead where it has more.
    fn takes_param(&self, _func: &Function, _param: Value) -> bool {
        false
    }

    /// The value is converted where it is computed, instead of where it is wanted.
    fn is_converted_early(&self, _value: Value) -> bool {
        false
    }
}

/// The integer of this type that the value is an extension of.
pub fn extended_from(func: &Function, ty: Type, value: Value) -> Option<Value> {
    match func.def_data(value) {
        Some(&InstData::Convert {
            op: ConvertOp::SExt | ConvertOp::ZExt,
            arg,
            ..
        }) => (func.ty(arg) == ty).then_some(arg),
        _ => None,
    }
}

/// The integer of this type of which the value is the lower part, with nothing lost.
fn uncut(func: &Function, ty: Type, value: Value) -> Option<Value> {
    let inst = func.inst(func.def_inst(value)?);
    match inst.data {
        InstData::Convert {
            op: ConvertOp::Trunc, arg, ..
        } => (func.ty(arg) == ty && inst.flags.contains(Flags::NSW)).then_some(arg),
        _ => None,
    }
}

/// Has integers of the first type computed in the second as the rule says, in the blocks of a reverse postorder. True if something changed; what nobody
/// wants any more is left for `dce`.
pub fn rewrite(func: &mut Function, order: &[Block], [from, to]: [Type; 2], rule: &dyn Rule) -> bool {
    let mut widths = Widths {
        rule,
        from,
        to,
        known: func.per_value(None),
        map: ValueMap::default(),
        changed: false,
    };
    // (The entry's parameters are the function's.)
    for &block in &order[1..] {
        for param in func.block(block).params.clone() {
            if rule.takes_param(func, param) {
                widths.known[param] = Some(func.add_param(block, to));
                widths.changed = true;
            }
        }
    }
    for &block in order {
        let insts = func.take_insts(block);
        for param in func.block(block).params.clone() {
            if let Some(other) = widths.known[param].filter(|_| !widths.is_narrower()) {
                widths.bring_back(func, block, param, ConvertOp::Trunc, other);
            }
            widths.convert_early(func, block, param);
        }
        for inst in insts {
            let first = func.counts().1;
            widths.inst(func, block, inst);
            func.inherit_place(inst, first);
        }
    }
    func.substitute(&widths.map);
    widths.changed
}

struct Widths<'a> {
    rule: &'a dyn Rule,
    from: Type,
    to: Type,
    known: Known,
    map: ValueMap,
    changed: bool,
}

impl Widths<'_> {
    fn is_narrower(&self) -> bool {
        self.to.elem.bits() < self.from.elem.bits()
    }

    /// Writes an instruction to the end of a block, or what it has become.
    fn inst(&mut self, func: &mut Function, block: Block, inst: Inst) {
        if func.inst(inst).data.is_terminator() {
            self.hand_on(func, block, inst);
            func.block_mut(block).insts.push(inst);
            return;
        }
        let result = func.inst(inst).results.first().copied();
        if let Some(result) = result
            && let Some(value) = self.conversion(func, block, inst)
        {
            self.map.insert(result, value);
            return;
        }
        let (data, back) = match self.rule.inst(func, inst, &self.known) {
            Fate::Stays => (None, None),
            Fate::Beside(data) => (Some(data), None),
            Fate::Instead(data, back) => (Some(data), Some(back)),
        };
        if back.is_none() {
            func.block_mut(block).insts.push(inst);
        }
        let Some(result) = result else { return };
        if let Some(data) = data {
            self.changed = true;
            let value = self.computed(func, block, inst, data);
            if func.ty(value) == func.ty(result) {
                self.map.insert(result, value);
            } else {
                self.known[result] = Some(value);
                back.into_iter().for_each(|op| self.bring_back(func, block, result, op, value));
            }
        }
        self.convert_early(func, block, result);
    }

    /// Parameters in the other width are handed what is.
    fn hand_on(&self, func: &mut Function, block: Block, inst: Inst) {
        let mut data = func.inst(inst).data.clone();
        for target in data.targets_mut() {
            let params = func.block(target.block).params.clone();
            for (arg, param) in target.args.clone().into_iter().zip(params) {
                if self.known[param].is_some_and(|other| matches!(func.def(other), ValueDef::Param(..))) {
                    let arg = self.operand(&mut Builder::new(func, block), arg);
                    target.args.push(arg);
                }
            }
        }
        func.inst_mut(inst).data = data;
    }

    /// What a conversion gives of something that is in the other width: that, or a part of it.
    fn conversion(&self, func: &mut Function, block: Block, inst: Inst) -> Option<Value> {
        let InstData::Convert { op, ty, arg, .. } = func.inst(inst).data else {
            return None;
        };
        let known = self.known[arg]?;
        let is_part = match self.is_narrower() {
            true => op == ConvertOp::Trunc && ty.elem.bits() <= self.to.elem.bits(),
            false => op == ConvertOp::SExt && ty == self.to,
        };
        is_part.then(|| Builder::new(func, block).convert(op, ty.elem, known))
    }

    /// What an instruction has become, with operands in the other width.
    fn computed(&self, func: &mut Function, block: Block, inst: Inst, mut data: InstData) -> Value {
        let flags = func.inst(inst).flags;
        let mut b = Builder::new(func, block);
        data.for_each_operand_mut(|operand| {
            if b.ty(*operand) == self.from {
                *operand = self.operand(&mut b, *operand);
            }
        });
        // What does not wrap may do so in fewer bits.
        if !self.is_narrower() {
            b.flags = flags;
        }
        match data {
            InstData::Convert { ty, arg, .. } if b.ty(arg) == ty => arg,
            data => b.value(data),
        }
    }

    fn operand(&self, b: &mut Builder, value: Value) -> Value {
        if let Some(known) = self.known[value] {
            return known;
        }
        if let Some(constant) = b.func.signed_constant(value) {
            return b.constant(self.to, constant as u64);
        }
        if !self.is_narrower() {
            return uncut(b.func, self.to, value).unwrap_or_else(|| b.convert(ConvertOp::SExt, self.to.elem, value));
        }
        extended_from(b.func, self.to, value).unwrap_or_else(|| b.convert(ConvertOp::Trunc, self.to.elem, value))
    }

    fn bring_back(&mut self, func: &mut Function, block: Block, value: Value, op: ConvertOp, other: Value) {
        let mut b = Builder::new(func, block);
        // What is computed in more bits is the same number.
        b.flags |= if op == ConvertOp::Trunc { Flags::NSW } else { Flags::empty() };
        let back = b.convert(op, self.from.elem, other);
        self.map.insert(value, back);
    }

    fn convert_early(&mut self, func: &mut Function, block: Block, value: Value) {
        if self.rule.is_converted_early(value) {
            self.known[value] = Some(self.operand(&mut Builder::new(func, block), value));
        }
    }
}
