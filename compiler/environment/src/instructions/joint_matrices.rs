//! Instructions of SPV_INTEL_joint_matrix, a draft: loads and stores that check bounds, coordinates of elements, and prefetches; and those that it had
//! before there were cooperative matrices.

use crate::{Validator, rules};
use rspirv::spirv::{Op, Scope};
use spirv::{Id, Instruction, newer};

impl<'a> Validator<'a> {
    /// `false` if the instruction is of another class.
    pub(super) fn joint_matrix(&mut self, instruction: &Instruction<'a>, op: Op) -> bool {
        match op {
            newer::LOAD_CHECKED => {
                let matrix = self.module.matrix(instruction.result_type).is_some();
                self.result(instruction, matrix, "a cooperative matrix");
                self.matrix_bounds(instruction, 1, 4);
                self.matrix_memory(instruction, instruction.result_type, [3, 6, 7]);
            }
            newer::STORE_CHECKED => {
                self.matrix_bounds(instruction, 1, 5);
                self.matrix_store(instruction, 3, [4, 7, 8]);
            }
            newer::CONSTRUCT_CHECKED => {
                let matrix = self.module.matrix(instruction.result_type).copied();
                if self.result(instruction, matrix.is_some(), "a cooperative matrix") {
                    self.matrix_bounds(instruction, 0, 2);
                    let component = matrix.map_or(0, |matrix| matrix.component);
                    self.same_type(instruction, 4..5, component);
                }
            }
            newer::ELEMENT_COORDINATE => {
                let shape = self.shape(instruction.result_type);
                let (_, part) = self.module.components(instruction.result_type);
                let good = shape.count == 2 && self.shape(part).is_int32();
                self.result(instruction, good, "a vector of two 32-bit integers");
                let matrix = self.module.matrix(self.module.type_of(instruction.word(0))).is_some();
                self.operand(instruction, matrix, || "Matrix must be a cooperative matrix".into());
                let index = self.value_shape(instruction.word(1)).is_int32();
                self.operand(instruction, index, || "Index must be a 32-bit integer".into());
            }
            newer::PREFETCH => {
                self.matrix_offsets(instruction, 1);
                for (position, name) in [(3, "Rows"), (4, "Columns")] {
                    let id = instruction.word(position);
                    let constant = self.value_shape(id).is_int32() && self.module.constant_bits(id).is_some();
                    self.operand(instruction, constant, || format!("{name} must be a constant, a 32-bit integer"));
                }
                self.matrix_memory(instruction, 0, [6, 7, 8]);
            }
            _ => return false,
        }
        true
    }

    /// Joint matrices.
    pub(super) fn older_joint_matrix(&mut self, instruction: &Instruction<'a>, op: Op) -> bool {
        match op {
            newer::JOINT_LOAD => {
                if self.result(instruction, self.is_joint(instruction.result_type), "a joint matrix") {
                    self.matrix_memory(instruction, instruction.result_type, [2, 1, 4]);
                }
                self.matrix_scope(instruction, 3);
            }
            newer::JOINT_STORE => {
                let joint = self.is_joint(self.module.type_of(instruction.word(1)));
                if self.operand(instruction, joint, || "Object must be a joint matrix".into()) {
                    self.matrix_store(instruction, 1, [3, 2, 5]);
                }
                self.matrix_scope(instruction, 4);
            }
            newer::JOINT_LENGTH => {
                let id = instruction.word(0);
                let joint = self.is_joint(id) || self.is_joint(self.module.type_of(id));
                self.operand(instruction, joint, || "it must be a joint matrix, or the type of one".into());
                let shape = self.shape(instruction.result_type);
                self.result(instruction, shape.is_int() && shape.is_scalar(), "an integer");
            }
            op if newer::is_joint_product(op) => {
                self.matrix_product(instruction);
                self.matrix_scope(instruction, 3);
            }
            _ => return false,
        }
        true
    }

    fn is_joint(&self, type_id: Id) -> bool {
        self.module.matrix(type_id).is_some_and(|matrix| matrix.joint.is_some())
    }

    /// The scope of an operation on a matrix, if it says one, is that of the matrix.
    fn matrix_scope(&mut self, instruction: &Instruction<'a>, position: usize) {
        let Some(&id) = instruction.operands.get(position) else {
            return;
        };
        if self.module.constant_bits(id) != Some(Scope::Subgroup as u64) {
            self.report
                .error(&rules::MATRIX_SCOPE, instruction.index, format!("%{id} is another"));
        }
    }

    fn matrix_offsets(&mut self, instruction: &Instruction<'a>, first: usize) {
        for (position, name) in [(first, "X offset"), (first + 1, "Y offset")] {
            let good = self.value_shape(instruction.word(position)).is_int32();
            self.operand(instruction, good, || format!("{name} must be a 32-bit integer"));
        }
    }

    /// Offsets, and the size of what is there.
    fn matrix_bounds(&mut self, instruction: &Instruction<'a>, offsets: usize, sizes: usize) {
        self.matrix_offsets(instruction, offsets);
        for (position, name) in [(sizes, "Height"), (sizes + 1, "Width")] {
            let good = self.is_integer(instruction.word(position));
            self.operand(instruction, good, || format!("{name} must be an integer"));
        }
    }
}
