//! Constants whose types differ from those that are wanted in what pointers point to alone: clang's back end, for which all pointers of a storage class
//! are one type, writes composites of such parts, and an integer 0 for a null pointer.

use super::Builder;
use crate::deviations::Deviation;
use rspirv::spirv::Op;
use rustc_hash::{FxHashMap, FxHashSet};
use spirv::{Constant, ConstantRef, ConstantValue, Id, Instruction, Type};

/// Constants that were given another type: the constant, the type, and the constant that came of it. What is shared is converted once.
pub(super) type Converted = FxHashMap<(ConstantRef, Id), Option<ConstantRef>>;

impl Builder<'_> {
    /// A part of an OpConstantComposite as one of the type that is wanted (`Deviation::PartOfOtherPointers`).
    pub(super) fn part_of_other_pointers(&mut self, instruction: &Instruction<'_>, part: ConstantRef, wanted: Id) -> Option<ConstantRef> {
        if instruction.op() != Op::ConstantComposite || !self.alike_but_for_pointers(wanted, self.module.resolve(part).type_id) {
            return None;
        }
        let part = self.converted(part, wanted)?;
        self.deviations.push((Deviation::PartOfOtherPointers, instruction.index));
        Some(part)
    }

    /// Do values of the two types have the same form in memory, but for what pointers point to, and integers in place of pointers?
    fn alike_but_for_pointers(&self, wanted: Id, given: Id) -> bool {
        let mut seen = FxHashSet::default();
        let mut open = vec![(wanted, given)];
        while let Some((wanted, given)) = open.pop() {
            if wanted == given || !seen.insert((wanted, given)) {
                continue;
            }
            match (self.module.ty(wanted), self.module.ty(given)) {
                (Type::Pointer { class: a, .. }, Type::Pointer { class: b, .. }) if a == b => {}
                (Type::Pointer { .. }, Type::Int { width }) if *width == self.module.address_bits => {}
                (Type::Array { element: a, length: m }, Type::Array { element: b, length: n }) if m == n => open.push((*a, *b)),
                (Type::Struct(a), Type::Struct(b)) if a.offsets == b.offsets => {
                    open.extend(a.members.iter().copied().zip(b.members.iter().copied()));
                }
                _ => return false,
            }
        }
        true
    }

    /// A constant as one of a type that is alike; `None` where an integer that is not 0 stands for a pointer.
    fn converted(&mut self, constant: ConstantRef, wanted: Id) -> Option<ConstantRef> {
        let Constant { type_id, value } = self.module.resolve(constant).clone();
        if type_id == wanted {
            return Some(constant);
        }
        if let Some(&known) = self.converted.get(&(constant, wanted)) {
            return known;
        }
        let value = match value {
            ConstantValue::Null | ConstantValue::Undef => Some(value),
            ConstantValue::Bits(0) => Some(ConstantValue::Null),
            ConstantValue::Bits(_) => None,
            ConstantValue::Composite(parts) => self.converted_parts(&parts, wanted),
            _ => Some(ConstantValue::Expression {
                op: Op::Bitcast,
                operands: [constant].into(),
            }),
        };
        let converted = value.map(|value| self.new_constant(wanted, value));
        self.converted.insert((constant, wanted), converted);
        converted
    }

    fn converted_parts(&mut self, parts: &[ConstantRef], wanted: Id) -> Option<ConstantValue> {
        let mut converted = Vec::with_capacity(parts.len());
        for (position, &part) in parts.iter().enumerate() {
            let wanted = self.part_type(wanted, position as u64)?;
            converted.push(self.converted(part, wanted)?);
        }
        Some(ConstantValue::Composite(converted.into()))
    }
}
