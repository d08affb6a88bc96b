//! Joint matrices, which SPV_INTEL_joint_matrix had before there were cooperative ones: the extension's revisions 1 to 7, in terms of these.
//!
//! A type names a layout of its own, which is how a machine may keep it and says nothing of memory. Revision 5 gave types a use; before, what a matrix is
//! in a multiplication follows from where it stands there. Revision 7 lets a type say what its components stand for.

use super::{Id, Instruction, MatrixType, Module, Type, newer};
use rspirv::spirv::CooperativeMatrixUse as Use;

/// What the components of a joint matrix stand for (Joint Matrix Component Type Interpretation).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Interpretation {
    /// Floats of which a multiplication sees ten bits of fraction.
    Tf32,
    /// Integers of 16 bits that are bfloat16.
    BFloat16,
}

/// What OpTypeJointMatrixINTEL says besides what a cooperative matrix's type does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Joint {
    /// A constant.
    pub layout: Id,
    /// The layout numbered 0 is RowMajor, as it is since types have uses; before, ColumnMajor was.
    pub rows_first: bool,
    /// What the components stand for, if that is not what they are.
    pub interpretation: Option<Interpretation>,
}

/// How a matrix lies in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MatrixLayout {
    /// Rows are contiguous.
    Rows,
    /// Columns are contiguous.
    Columns,
    /// The rows of B that one instruction multiplies lie together.
    Packed,
}

/// The operands of a multiplication by which A, B, C and the result have signed components.
const SIGNED: [u32; 4] = [1, 2, 4, 8];

impl MatrixType {
    /// What a layout is that a load or store of such a matrix names by this number; `None` if there is none.
    pub fn layout(&self, number: u64) -> Option<MatrixLayout> {
        let Some(joint) = self.joint else {
            return cooperative_layout(number);
        };
        let states_use = self.operands[3] != 0;
        match (number, self.used_as) {
            (0 | 1, _) if (number == 0) == joint.rows_first => Some(MatrixLayout::Rows),
            (0 | 1, _) => Some(MatrixLayout::Columns),
            // PackedA and PackedB became one when types got uses.
            (2, Some(Use::MatrixBKHR)) if states_use => Some(MatrixLayout::Packed),
            // The elements of A that one instruction multiplies are neighbours in a row.
            (2, None | Some(Use::MatrixAKHR)) => Some(MatrixLayout::Rows),
            (3, None | Some(Use::MatrixBKHR)) => Some(MatrixLayout::Packed),
            _ => None,
        }
    }
}

/// The layout that has this number for cooperative matrices.
pub fn cooperative_layout(number: u64) -> Option<MatrixLayout> {
    match number {
        0 => Some(MatrixLayout::Rows),
        1 => Some(MatrixLayout::Columns),
        newer::PACKED_LAYOUT => Some(MatrixLayout::Packed),
        _ => None,
    }
}

impl Module {
    /// May the module have matrices, cooperative or joint ones?
    pub fn has_matrices(&self) -> bool {
        self.has_capability(rspirv::spirv::Capability::CooperativeMatrixKHR) || self.has_newer_capability(newer::JOINT_MATRICES)
    }

    /// A multiplication's Cooperative Matrix Operands. One of joint matrices has none: what these would say is in its opcode and in its types.
    pub fn matrix_operands(&self, instruction: &Instruction<'_>) -> u32 {
        let signed: [bool; 4] = match instruction.op() {
            newer::JOINT_MAD => [true; 4],
            newer::JOINT_SU_MAD => [true, false, true, true],
            newer::JOINT_US_MAD => [false, true, true, true],
            newer::JOINT_UU_MAD => [false; 4],
            _ => return instruction.operands.get(3).copied().unwrap_or(0),
        };
        let operands = [0, 1, 2].map(|position| self.type_of(instruction.word(position)));
        let matrices = [operands[0], operands[1], operands[2], instruction.result_type].map(|ty| self.matrix(ty));
        let mut all = 0;
        for (position, matrix) in matrices.into_iter().enumerate() {
            let Some(matrix) = matrix else { continue };
            let is_integer = matches!(self.ty(matrix.component), Type::Int { .. });
            all |= match matrix.interpretation() {
                Some(Interpretation::Tf32) => newer::TF32_COMPONENTS,
                Some(Interpretation::BFloat16) => [
                    newer::BFLOAT16_COMPONENTS,
                    newer::BFLOAT16_COMPONENTS,
                    newer::BFLOAT16_C,
                    newer::BFLOAT16_RESULT,
                ][position],
                None if is_integer && signed[position] => SIGNED[position],
                None => 0,
            };
        }
        all
    }
}

impl MatrixType {
    /// What the components of a joint matrix stand for, if that is not what they are.
    pub fn interpretation(&self) -> Option<Interpretation> {
        self.joint?.interpretation
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layouts_by_their_numbers() {
        let matrix = |used_as: Option<Use>, states_use: bool| MatrixType {
            component: 1,
            operands: [2, 3, 4, if states_use { 5 } else { 0 }],
            rows: 16,
            columns: 16,
            used_as,
            length: 16,
            joint: Some(Joint {
                layout: 6,
                rows_first: states_use,
                interpretation: None,
            }),
        };
        let of = |matrix: MatrixType| [0, 1, 2, 3, 4].map(|number| matrix.layout(number));
        use MatrixLayout::{Columns, Packed, Rows};
        let all = [Some(Columns), Some(Rows), Some(Rows), Some(Packed), None];
        assert_eq!(of(matrix(None, false)), all);
        assert_eq!(of(matrix(Some(Use::MatrixAKHR), false))[2..], [Some(Rows), None, None]);
        assert_eq!(of(matrix(Some(Use::MatrixBKHR), false))[2..], [None, Some(Packed), None]);
        let [a, b, c] = [Use::MatrixAKHR, Use::MatrixBKHR, Use::MatrixAccumulatorKHR].map(|used_as| of(matrix(Some(used_as), true)));
        assert_eq!(a, [Some(Rows), Some(Columns), Some(Rows), None, None]);
        assert_eq!(b, [Some(Rows), Some(Columns), Some(Packed), Some(Packed), None]);
        assert_eq!(c, [Some(Rows), Some(Columns), None, None, None]);
        let cooperative = MatrixType {
            joint: None,
            ..matrix(Some(Use::MatrixBKHR), true)
        };
        assert_eq!(of(cooperative), [Some(Rows), Some(Columns), Some(Packed), None, None]);
    }
}
