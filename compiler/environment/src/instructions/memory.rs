//! Memory and pointers (SPIR-V 3.52.8, and the pointer casts' kin).

use super::Kind;
use crate::{Validator, deviations::Deviation, rules};
use rspirv::spirv::{Op, StorageClass};
use spirv::{Id, Instruction, MemoryOperands, Type};

impl<'a> Validator<'a> {
    /// `false` if the instruction is of another class.
    pub(super) fn memory(&mut self, instruction: &Instruction<'a>, op: Op) -> bool {
        let operands = instruction.operands;
        let [a, b] = [instruction.word(0), instruction.word(1)];
        match op {
            Op::Variable | Op::UntypedVariableKHR => self.local_variable(instruction),
            Op::Load => {
                if let Some((_, pointee)) = self.pointer(instruction, a) {
                    self.result(
                        instruction,
                        leads_to(pointee, instruction.result_type),
                        "the type that the pointer points to",
                    );
                    self.in_memory(instruction, instruction.result_type);
                }
                self.memory_operands(instruction, &operands[1..], false);
            }
            Op::Store => {
                if let Some((class, pointee)) = self.pointer(instruction, a) {
                    let stored = self.module.type_of(b);
                    self.same_type(instruction, 1..2, if pointee == 0 { stored } else { pointee });
                    self.writable(instruction, class);
                    self.in_memory(instruction, stored);
                }
                self.memory_operands(instruction, &operands[2..], false);
            }
            Op::CopyMemory | Op::CopyMemorySized => {
                let (target, source) = (self.pointer(instruction, a), self.pointer(instruction, b));
                if let (Some((class, to)), Some((_, from))) = (target, source) {
                    self.writable(instruction, class);
                    if op == Op::CopyMemory {
                        let copied = if to == 0 { from } else { to };
                        let alike = leads_to(from, copied);
                        self.operand(instruction, alike && copied != 0, || {
                            "both must point to the same type, or one of them to no type".into()
                        });
                        self.in_memory(instruction, copied);
                    }
                }
                let fixed = if op == Op::CopyMemory { 2 } else { 3 };
                if op == Op::CopyMemorySized {
                    self.size(instruction);
                }
                self.memory_operands(instruction, &operands[fixed..], true);
            }
            Op::AccessChain | Op::InBoundsAccessChain => self.access_chain(instruction, 1),
            Op::PtrAccessChain | Op::InBoundsPtrAccessChain => {
                let element = self.value_shape(b);
                self.operand(instruction, element.is_int() && element.is_scalar(), || {
                    "Element must be an integer".into()
                });
                self.access_chain(instruction, 2);
            }
            Op::PtrEqual | Op::PtrNotEqual | Op::PtrDiff => {
                let type_id = self.module.type_of(a);
                let good = matches!(self.module.ty(type_id), Type::Pointer { .. });
                self.operand(instruction, good, || "the operands must be pointers".into());
                let untyped = |id: Id| self.module.value_type(id).pointer().filter(|_| op != Op::PtrDiff);
                let alike = match (untyped(a), untyped(b)) {
                    (Some((first, x)), Some((second, y))) => first == second && (x == 0 || y == 0),
                    _ => false,
                };
                if !alike {
                    self.same_type(instruction, 1..2, type_id);
                }
                if op == Op::PtrDiff {
                    let result = self.shape(instruction.result_type);
                    self.result(instruction, result.is_int() && result.is_scalar(), "an integer");
                    let sized = self
                        .module
                        .ty(type_id)
                        .pointer()
                        .is_some_and(|(_, pointee)| pointee == 0 || self.module.layout(pointee).is_some());
                    self.operand(instruction, !good || sized, || "what the pointers point to has no size".into());
                } else {
                    self.result(instruction, *self.module.ty(instruction.result_type) == Type::Bool, "a Boolean");
                }
            }
            Op::GenericPtrMemSemantics => {
                let good = self.value_shape(a).kind == Kind::Pointer(StorageClass::Generic);
                self.operand(instruction, good, || "the pointer must be to Generic".into());
                self.result(instruction, self.shape(instruction.result_type).is_int32(), "a 32-bit integer");
            }
            Op::SizeOf => {
                if let Some((_, pointee)) = self.pointer(instruction, a) {
                    self.in_memory(instruction, pointee);
                }
                self.result(instruction, self.shape(instruction.result_type).is_int32(), "a 32-bit integer");
            }
            Op::LifetimeStart | Op::LifetimeStop => {
                if let Some((class, _)) = self.pointer(instruction, a) {
                    self.operand(instruction, class == StorageClass::Function, || {
                        "the pointer must be to Function".into()
                    });
                }
            }
            Op::VariableLengthArrayINTEL => {
                let private = self
                    .module
                    .ty(instruction.result_type)
                    .pointer()
                    .filter(|(class, _)| *class == StorageClass::Function);
                self.result(instruction, private.is_some(), "a pointer to Function");
                if let Some((_, pointee)) = private {
                    self.in_memory(instruction, pointee);
                }
                let count = self.value_shape(a);
                self.operand(instruction, count.is_int() && count.is_scalar(), || {
                    "Length must be an integer".into()
                });
            }
            Op::SaveMemoryINTEL => {
                let good = self.module.ty(instruction.result_type).pointer().is_some();
                self.result(instruction, good, "a pointer");
            }
            Op::RestoreMemoryINTEL => {
                self.pointer(instruction, a);
            }
            Op::MaskedGatherINTEL => {
                let (count, component) = self.module.components(instruction.result_type);
                let pointers = self.gathered(instruction, a, instruction.word(2), count, component);
                self.result(instruction, count > 1 && pointers, "a vector of what the pointers point to");
                self.same_type(instruction, 3..4, instruction.result_type);
                self.alignment(instruction, b);
            }
            Op::MaskedScatterINTEL => {
                let (count, component) = self.module.components(self.module.type_of(a));
                let good = self.gathered(instruction, b, instruction.word(3), count, component);
                self.operand(instruction, count > 1 && good, || {
                    "the values must be a vector of what the pointers point to".into()
                });
                self.alignment(instruction, instruction.word(2));
            }
            _ => return false,
        }
        true
    }

    /// Is `pointers` a vector of `count` pointers to `pointee`, and `mask` as many Booleans?
    fn gathered(&mut self, instruction: &Instruction<'a>, pointers: Id, mask: Id, count: u32, pointee: Id) -> bool {
        let (lanes, pointer) = self.module.components(self.module.type_of(pointers));
        let mask = self.value_shape(mask);
        self.operand(instruction, mask.is_bool() && mask.count == count, || {
            "the mask must be as many Booleans".into()
        });
        lanes == count && self.module.ty(pointer).pointer().is_some_and(|(_, to)| to == pointee)
    }

    fn alignment(&mut self, instruction: &Instruction<'a>, alignment: u32) {
        if !alignment.is_power_of_two() && alignment != 0 {
            self.report
                .error(&rules::ALIGNMENT, instruction.index, format!("{alignment} is none"));
        }
    }

    /// Storage class and pointee of an operand that must be a pointer.
    pub(super) fn pointer(&mut self, instruction: &Instruction<'a>, id: Id) -> Option<(StorageClass, Id)> {
        let found = self.module.value_type(id).pointer();
        self.operand(instruction, found.is_some(), || format!("%{id} must be a pointer"));
        found
    }

    /// Only what has a size can be loaded and stored.
    fn in_memory(&mut self, instruction: &Instruction<'a>, pointee: Id) {
        if self.module.layout(pointee).is_none() {
            self.operand_error(instruction, format!("%{pointee} is the type of no value in memory"));
        }
    }

    pub(super) fn writable(&mut self, instruction: &Instruction<'a>, class: StorageClass) {
        if matches!(class, StorageClass::UniformConstant | StorageClass::Input) {
            self.report
                .error(&rules::READ_ONLY, instruction.index, format!("the pointer is to {class:?}"));
        }
    }

    fn size(&mut self, instruction: &Instruction<'a>) {
        let id = instruction.word(2);
        let shape = self.value_shape(id);
        self.operand(instruction, shape.is_int() && shape.is_scalar(), || {
            "Size must be an integer".into()
        });
        if self.module.constant_bits(id) == Some(0) {
            self.operand_error(instruction, "a constant Size must not be 0");
        }
    }

    /// One set of memory operands, or two for copies (since 1.4).
    pub(super) fn memory_operands(&mut self, instruction: &Instruction<'a>, words: &'a [u32], copy: bool) {
        let (first, rest) = MemoryOperands::read(words);
        self.memory_operand(instruction, &first);
        if !rest.is_empty() {
            if copy && self.module.header().version < (1, 4) {
                self.operand_error(instruction, "a second set of memory operands needs SPIR-V 1.4");
            }
            self.memory_operand(instruction, &MemoryOperands::read(rest).0);
        }
    }

    fn memory_operand(&mut self, instruction: &Instruction<'a>, operands: &MemoryOperands) {
        if operands.aligned.is_some_and(|alignment| !alignment.is_power_of_two()) {
            self.report.error(
                &rules::ALIGNMENT,
                instruction.index,
                format!("Aligned {}", operands.aligned.unwrap_or(0)),
            );
        }
        const KNOWN: u32 = 0x3_0007; // Volatile, Aligned, Nontemporal, and the two aliasing masks
        if operands.mask & !KNOWN != 0 {
            self.operand_error(instruction, "memory operands of the Vulkan memory model are not OpenCL's");
        }
    }

    /// Is it a constant address that counts bytes (`Module::byte_offset`)?
    fn counts_bytes(&self, instruction: &Instruction<'a>, fixed: usize) -> bool {
        let constants: Option<Vec<_>> = instruction.operands[1..].iter().map(|&id| self.module.constant_ref(id)).collect();
        let base = self.module.type_of(instruction.word(0));
        let counts = |constants: Vec<_>| self.module.byte_offset(instruction.result_type, base, &constants).is_some();
        fixed == 2 && self.body.is_none() && constants.is_some_and(counts)
    }

    /// `fixed` operands come before the indices.
    fn access_chain(&mut self, instruction: &Instruction<'a>, fixed: usize) {
        let base = instruction.word(0);
        let Some((class, mut at)) = self.pointer(instruction, base) else {
            return;
        };
        if self.counts_bytes(instruction, fixed) && self.deviates(Deviation::ByteOffset, instruction) {
            return;
        }
        if fixed == 2 && self.module.layout(at).is_none() {
            return self.operand_error(instruction, format!("%{at}, which the base points to, has no size"));
        }
        match self.part_at(instruction, at, instruction.operands.get(fixed..).unwrap_or(&[])) {
            Some(part) => at = part,
            None => return,
        }
        let result = self.module.ty(instruction.result_type).pointer();
        let alike = result.is_some_and(|(to, _)| to == class);
        let good = result == Some((class, at)) || alike && self.deviates(Deviation::ChainPointee, instruction);
        if !good {
            self.result_error(instruction, format!("it must be a pointer to {class:?}, to %{at}"));
        }
    }

    /// The type of the part of `at` that indices lead to; `None`, and told, if they lead nowhere.
    pub(super) fn part_at(&mut self, instruction: &Instruction<'a>, mut at: Id, indexes: &[Id]) -> Option<Id> {
        for &index in indexes {
            let shape = self.value_shape(index);
            if !self.operand(instruction, shape.is_int() && shape.is_scalar(), || {
                format!("the index %{index} must be an integer")
            }) {
                return None;
            }
            at = match self.module.ty(at) {
                Type::Struct(ty) => {
                    let Some(position) = self.module.constant_bits(index) else {
                        let detail = format!("%{index}, the index into a struct, must be an integer constant");
                        self.operand_error(instruction, detail);
                        return None;
                    };
                    match ty.members.get(usize::try_from(position).unwrap_or(usize::MAX)) {
                        Some(&member) => member,
                        None => {
                            let detail = format!("member {position}, but %{at} has {}", ty.members.len());
                            self.report.error(&rules::INDEX_RANGE, instruction.index, detail);
                            return None;
                        }
                    }
                }
                _ => match self.module.elements(at) {
                    Some((part, _)) => part,
                    None => {
                        self.operand_error(instruction, format!("there are more indices than %{at} has parts"));
                        return None;
                    }
                },
            };
        }
        Some(at)
    }
}

/// Does a pointer to `pointee` lead to a value of the type? An untyped one leads to what the instruction says.
pub(super) fn leads_to(pointee: Id, type_id: Id) -> bool {
    pointee == 0 || pointee == type_id
}
