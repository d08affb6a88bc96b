//! Composites (SPIR-V 3.52.12).

use crate::{Validator, rules};
use rspirv::spirv::Op;
use spirv::{Id, Instruction, Type};
use std::collections::HashSet;

impl<'a> Validator<'a> {
    /// `false` if the instruction is of another class.
    pub(super) fn composite(&mut self, instruction: &Instruction<'a>, op: Op) -> bool {
        let operands = instruction.operands;
        let [a, b] = [instruction.word(0), instruction.word(1)];
        match op {
            Op::VectorExtractDynamic => {
                let (count, component) = self.module.components(self.module.type_of(a));
                let matrix = self.module.matrix(self.module.type_of(a)).is_some();
                self.operand(instruction, matrix || count > 1, || format!("%{a} must be a vector"));
                self.index(instruction, b);
                self.result(
                    instruction,
                    component == instruction.result_type,
                    "the type of the vector's components",
                );
            }
            Op::VectorInsertDynamic => {
                let (count, component) = self.module.components(instruction.result_type);
                let matrix = self.module.matrix(instruction.result_type).is_some();
                self.result(instruction, matrix || count > 1, "a vector");
                self.same_type(instruction, 0..1, instruction.result_type);
                self.same_type(instruction, 1..2, component);
                self.index(instruction, instruction.word(2));
            }
            Op::VectorShuffle => self.shuffle(instruction),
            Op::CompositeConstruct => self.construct(instruction),
            Op::CompositeExtract => {
                let found = self.follow(instruction, self.module.type_of(a), &operands[1..]);
                if let Some(found) = found {
                    self.result(instruction, found == instruction.result_type, "the type of the part");
                }
            }
            Op::CompositeInsert => {
                self.same_type(instruction, 1..2, instruction.result_type);
                if let Some(found) = self.follow(instruction, instruction.result_type, &operands[2..]) {
                    self.same_type(instruction, 0..1, found);
                }
            }
            Op::CopyObject => {
                self.same_type(instruction, 0..1, instruction.result_type);
                let value = *self.module.ty(instruction.result_type) != Type::Void;
                self.result(instruction, value, "a type of values");
            }
            Op::CopyLogical => {
                let from = self.module.type_of(a);
                let alike = from != instruction.result_type && self.alike(instruction.result_type, from);
                self.result(instruction, alike, "another type than the operand's, with the same parts");
            }
            _ => return false,
        }
        true
    }

    fn index(&mut self, instruction: &Instruction<'a>, id: Id) {
        let shape = self.value_shape(id);
        self.operand(instruction, shape.is_int() && shape.is_scalar(), || {
            format!("the index %{id} must be an integer")
        });
    }

    fn shuffle(&mut self, instruction: &Instruction<'a>) {
        let [a, b] = [0, 1].map(|position| self.module.components(self.module.type_of(instruction.word(position))));
        let (count, component) = self.module.components(instruction.result_type);
        let literals = &instruction.operands[2..];
        self.operand(instruction, a.0 > 1 && b.0 > 1 && a.1 == b.1, || {
            "the operands must be vectors of one component type".into()
        });
        let good = count > 1 && component == a.1 && literals.len() == count as usize;
        self.result(
            instruction,
            good,
            "a vector of the operands' component type, with a component a literal",
        );
        let beyond = literals.iter().find(|&&literal| literal != u32::MAX && literal >= a.0 + b.0);
        if let Some(literal) = beyond {
            self.report.error(
                &rules::INDEX_RANGE,
                instruction.index,
                format!("component {literal}; there are {}", a.0 + b.0),
            );
        }
    }

    fn construct(&mut self, instruction: &Instruction<'a>) {
        let operands = instruction.operands;
        match self.module.ty(instruction.result_type) {
            Type::Vector { component, count } => {
                let mut total = 0u64;
                for &operand in operands {
                    let (parts, part) = self.module.components(self.module.type_of(operand));
                    total += u64::from(parts);
                    self.operand(instruction, part == *component, || {
                        format!("%{operand} must be, or have components, of type %{component}")
                    });
                }
                let good = total == u64::from(*count) && operands.len() >= 2;
                self.operand(instruction, good, || {
                    format!("there must be two or more constituents, of {count} components in all")
                });
            }
            Type::Array { element, length } => {
                if *length == operands.len() as u64 {
                    self.same_type(instruction, 0..operands.len(), *element);
                } else {
                    self.wrong_count(instruction, "constituent", *length as usize, operands.len());
                }
            }
            Type::Struct(ty) => {
                if ty.members.len() != operands.len() {
                    return self.wrong_count(instruction, "constituent", ty.members.len(), operands.len());
                }
                for (position, &member) in ty.members.iter().enumerate() {
                    self.same_type(instruction, position..position + 1, member);
                }
            }
            Type::CooperativeMatrix(matrix) => {
                if operands.len() == 1 {
                    self.same_type(instruction, 0..1, matrix.component);
                } else {
                    self.wrong_count(instruction, "constituent", 1, operands.len());
                }
            }
            _ => self.result_error(instruction, "it must be a vector, array, struct or cooperative matrix"),
        }
    }

    /// The type of the part that literal indices lead to.
    fn follow(&mut self, instruction: &Instruction<'a>, start: Id, indices: &[u32]) -> Option<Id> {
        let mut at = start;
        for &index in indices {
            let (length, next) = match self.module.ty(at) {
                Type::Struct(ty) => (ty.members.len() as u64, ty.members.get(index as usize).copied()),
                _ => match self.module.elements(at) {
                    Some((part, count)) => (count, Some(part)),
                    None => {
                        self.operand_error(instruction, format!("%{at} has no parts"));
                        return None;
                    }
                },
            };
            if u64::from(index) >= length {
                self.report.error(
                    &rules::INDEX_RANGE,
                    instruction.index,
                    format!("index {index}, but %{at} has {length} parts"),
                );
                return None;
            }
            at = next?;
        }
        Some(at)
    }

    /// Do two types match logically (SPIR-V 3.52.12, OpCopyLogical)?
    fn alike(&self, a: Id, b: Id) -> bool {
        let mut seen = HashSet::new();
        let mut open = vec![(a, b)];
        while let Some((a, b)) = open.pop() {
            if a == b || !seen.insert((a, b)) {
                continue;
            }
            match (self.module.ty(a), self.module.ty(b)) {
                (Type::Array { element: a, length: m }, Type::Array { element: b, length: n }) if m == n => open.push((*a, *b)),
                (Type::Struct(a), Type::Struct(b)) if a.members.len() == b.members.len() => {
                    open.extend(a.members.iter().copied().zip(b.members.iter().copied()));
                }
                _ => return false,
            }
        }
        true
    }
}
