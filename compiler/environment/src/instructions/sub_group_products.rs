//! Products of matrices that a sub-group computes (SPV_INTEL_subgroup_matrix_multiply_accumulate; its OpenCL extensions for the combinations).

use super::Kind;
use crate::{Validator, rules};
use rspirv::spirv::{MatrixMultiplyAccumulateOperands, Op};
use spirv::{Id, Instruction};
use vendors::sub_group_products::{Operand, product};

impl<'a> Validator<'a> {
    /// `false` if the instruction is of another class.
    pub(super) fn sub_group_product(&mut self, instruction: &Instruction<'a>, op: Op) -> bool {
        if op != Op::SubgroupMatrixMultiplyAccumulateINTEL {
            return false;
        }
        let word = |position| instruction.word(position);
        let is_constant = self.value_shape(word(0)).is_int32();
        let depth = self.module.constant_bits(word(0)).filter(|_| is_constant);
        self.operand(instruction, depth.is_some(), || "K Dim must be a constant of 32 bits".into());
        let Some(depth) = depth else { return true };
        let types = [1, 2, 3].map(|position| self.module.type_of(word(position)));
        let types = [types[0], types[1], types[2], instruction.result_type];
        let operands = MatrixMultiplyAccumulateOperands::from_bits_truncate(word(4));
        let known = match types.map(|type_id| self.factor(type_id)) {
            [Some(a), Some(b), Some(c), Some(result)] => product(operands, depth, [a, b, c, result]).is_some(),
            _ => false,
        };
        if !known {
            let [a, b, c, result] = types.map(|type_id| format!("%{type_id}"));
            let detail = format!("K Dim is {depth}, A is of type {a}, B of {b}, C of {c}, the result of {result}, with {operands:?}");
            let advice = "The extension's table lists the combinations: A of 32-bit integers is for sub-groups of 8, A of 16-bit integers or floats for 16.";
            self.report.error_with(&rules::SUB_GROUP_PRODUCT, instruction.index, detail, advice);
        }
        true
    }

    /// A scalar or vector that such a product may have.
    fn factor(&self, type_id: Id) -> Option<Operand> {
        let shape = self.shape(type_id);
        let (is_float, width) = match shape.kind {
            Kind::Int(width) => (false, width),
            Kind::Float(width) => (true, width),
            _ => return None,
        };
        let count = shape.count;
        self.module.matrix(type_id).is_none().then_some(Operand { is_float, width, count })
    }
}
