//! Blocks of two-dimensional memory that a sub-group loads, stores or prefetches together (SPV_INTEL_2d_block_io).

use crate::{Validator, rules};
use rspirv::spirv::{Op, StorageClass};
use spirv::{Id, Instruction, Type};

/// Names of the operands that are constants.
const CONSTANTS: [&str; 4] = ["Element Size", "Block Width", "Block Height", "Block Count"];

impl<'a> Validator<'a> {
    /// `false` if the instruction is of another class.
    pub(super) fn block_2d(&mut self, instruction: &Instruction<'a>, op: Op) -> bool {
        let word = |position| instruction.word(position);
        // Where the memory's base is, and the pointer to the work-item's own share.
        let (base, own) = match op {
            Op::Subgroup2DBlockLoadINTEL | Op::Subgroup2DBlockLoadTransposeINTEL | Op::Subgroup2DBlockLoadTransformINTEL => (4, Some(9)),
            Op::Subgroup2DBlockPrefetchINTEL => (4, None),
            Op::Subgroup2DBlockStoreINTEL => (5, Some(4)),
            _ => return false,
        };
        self.block_2d_sizes(instruction, op);
        if let Some((class, _)) = self.pointer(instruction, word(base)) {
            self.operand(instruction, class == StorageClass::CrossWorkgroup, || {
                "the base pointer must be to CrossWorkgroup".into()
            });
        }
        for (position, name) in (base + 1..).zip(["Memory Width", "Memory Height", "Memory Pitch"]) {
            let shape = self.value_shape(word(position));
            self.operand(instruction, shape.is_int() && shape.is_scalar(), || {
                format!("{name} must be an integer")
            });
        }
        let coordinate = self.value_shape(word(base + 4));
        self.operand(instruction, coordinate.is_int() && coordinate.count == 2, || {
            "Coordinate must be a vector of two integers".into()
        });
        if let Some(own) = own
            && let Some((class, pointee)) = self.pointer(instruction, word(own))
        {
            self.operand(instruction, class == StorageClass::Function, || {
                "the work-item's pointer must be to Function".into()
            });
            let words = pointee == 0 || self.shape(pointee).is_int32();
            self.operand(instruction, op != Op::Subgroup2DBlockLoadTransformINTEL || words, || {
                "Dst Pointer must be to 32-bit integers".into()
            });
        }
        true
    }

    fn block_2d_sizes(&mut self, instruction: &Instruction<'a>, op: Op) {
        let constant = |this: &Self, id: Id| {
            let number = *this.module.value_type(id) == Type::Int { width: 32 };
            this.module.constant_bits(id).filter(|_| number)
        };
        let mut sizes = [0; 4];
        for (position, name) in CONSTANTS.iter().enumerate() {
            match constant(self, instruction.word(position)) {
                Some(value @ 1..) => sizes[position] = value,
                _ => return self.operand_error(instruction, format!("{name} must be a constant of 32 bits, and not 0")),
            }
        }
        let [element, width, height, count] = sizes;
        let multiple = match element {
            1 => 4,
            2 => 2,
            4 | 8 => 1,
            _ => return self.operand_error(instruction, format!("Element Size is {element}, and not 1, 2, 4 or 8")),
        };
        if width % multiple != 0 {
            let detail = format!("Block Width is {width}, no multiple of {multiple}, as elements of {element} bytes ask for");
            self.operand_error(instruction, detail);
        }
        if op == Op::Subgroup2DBlockLoadTransformINTEL && element > 2 {
            self.operand_error(instruction, "only elements of 1 or 2 bytes are packed into 32 bits");
        }
        // What a sub-group of one work-item keeps must fit into private memory; in registers of a GPU it is far less.
        let bytes = [element, width.next_power_of_two(), height.next_power_of_two(), count];
        let fits = bytes
            .iter()
            .try_fold(1u64, |all, &one| all.checked_mul(one))
            .is_some_and(|all| all <= 1 << 16);
        if !fits {
            let detail = format!("{count} blocks of {width} x {height} elements are more than 64 KiB");
            self.report.error(&rules::OPERAND_TYPE, instruction.index, detail);
        }
    }
}
