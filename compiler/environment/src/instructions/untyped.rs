//! Untyped pointers (SPV_KHR_untyped_pointers): access chains that bring the type that they walk, prefetches and group copies that count bytes. Loads,
//! stores and the rest are where those of typed pointers are.

use super::{Kind, Shape};
use crate::Validator;
use rspirv::spirv::{Op, Scope, StorageClass};
use spirv::{Id, Instruction, Type};

impl<'a> Validator<'a> {
    /// `false` if the instruction is of another class.
    pub(super) fn untyped(&mut self, instruction: &Instruction<'a>, op: Op) -> bool {
        match op {
            Op::UntypedAccessChainKHR | Op::UntypedInBoundsAccessChainKHR => self.untyped_chain(instruction, false),
            Op::UntypedPtrAccessChainKHR | Op::UntypedInBoundsPtrAccessChainKHR => self.untyped_chain(instruction, true),
            Op::UntypedPrefetchKHR => self.untyped_prefetch(instruction),
            Op::UntypedGroupAsyncCopyKHR => self.untyped_copy(instruction),
            _ => return false,
        }
        true
    }

    fn untyped_chain(&mut self, instruction: &Instruction<'a>, element: bool) {
        let [base_type, base] = [instruction.word(0), instruction.word(1)];
        let Some((class, _)) = self.pointer(instruction, base) else {
            return;
        };
        let walked = self.module.find_type(base_type);
        let sized = self.module.layout(base_type).is_some();
        let pointer = matches!(walked, Some(Type::Pointer { .. }));
        if !self.operand(instruction, sized && (element || !pointer), || {
            let kinds = if element { "a type" } else { "a type that is no pointer, and" };
            format!("Base Type, %{base_type}, must be {kinds} of a value in memory")
        }) {
            return;
        }
        if element {
            self.integer_operand(instruction, 2, "Element");
        }
        let indexes = instruction.operands.get(if element { 3 } else { 2 }..).unwrap_or(&[]);
        if self.part_at(instruction, base_type, indexes).is_some() {
            let result = self.module.ty(instruction.result_type).pointer();
            self.result(
                instruction,
                result == Some((class, 0)),
                &format!("OpTypeUntypedPointerKHR, to {class:?} as the base"),
            );
        }
    }

    fn integer_operand(&mut self, instruction: &Instruction<'a>, position: usize, name: &str) {
        let shape = self.value_shape(instruction.word(position));
        self.operand(instruction, shape.is_int() && shape.is_scalar(), || {
            format!("{name} must be an integer")
        });
    }

    /// A hint: pointer, bytes, and all or none of RW, Locality and Cache Type.
    fn untyped_prefetch(&mut self, instruction: &Instruction<'a>) {
        if let Some((class, _)) = self.pointer(instruction, instruction.word(0)) {
            self.operand(instruction, class == StorageClass::CrossWorkgroup, || {
                "the pointer must be to CrossWorkgroup".into()
            });
        }
        self.integer_operand(instruction, 1, "Num Bytes");
        let hints = &instruction.operands[2..];
        self.operand(instruction, matches!(hints.len(), 0 | 3), || {
            "RW, Locality and Cache Type are there together, or none of them is".into()
        });
        for ((&hint, name), most) in hints.iter().zip(["RW", "Locality", "Cache Type"]).zip([1, 3, 1]) {
            let good = self.value_shape(hint).is_int() && self.module.constant_bits(hint).is_some_and(|value| value <= most);
            self.operand(instruction, good, || format!("{name} must be an integer constant from 0 to {most}"));
        }
    }

    /// Scope, destination, source, bytes of an element, elements, stride in bytes, event.
    fn untyped_copy(&mut self, instruction: &Instruction<'a>) {
        let word = |position| instruction.word(position);
        self.execution_scope(instruction, word(0), &[Scope::Workgroup]);
        let pointers = [word(1), word(2)].map(|id: Id| self.module.value_type(id).pointer());
        let classes = matches!(
            pointers,
            [Some((StorageClass::Workgroup, 0)), Some((StorageClass::CrossWorkgroup, 0))]
                | [Some((StorageClass::CrossWorkgroup, 0)), Some((StorageClass::Workgroup, 0))]
        );
        self.operand(instruction, classes, || {
            "the pointers must be untyped, one to Workgroup, and the other to CrossWorkgroup".into()
        });
        let size = Shape {
            kind: Kind::Int(self.module.address_bits),
            count: 1,
        };
        for position in 3..6 {
            self.operand(instruction, self.value_shape(word(position)) == size, || {
                "Element Num Bytes, Num Elements and Stride must be integers of the address width".into()
            });
        }
        let event = |type_id: Id| *self.module.ty(type_id) == Type::Event;
        let (given, gives) = (event(self.module.type_of(word(6))), event(instruction.result_type));
        self.operand(instruction, given, || "Event must be of OpTypeEvent".into());
        self.result(instruction, gives, "OpTypeEvent");
        let operands = instruction.operands.get(7..).unwrap_or(&[]);
        self.memory_operands(instruction, operands, true);
    }
}
