//! What SPIR-V has that the grammar (rspirv's tables) does not know yet, so that it is refused by its name and not by its number; some is taken.

use rspirv::grammar::OperandKind;

/// A working draft.
const JOINT_MATRIX: &str = "SPV_INTEL_joint_matrix";

/// PackedCooperativeMatrixINTEL
pub const PACKED_MATRICES: u32 = 6434;
/// CooperativeMatrixTF32ComponentTypeINTEL
pub const TF32_MATRICES: u32 = 6436;
/// CooperativeMatrixBFloat16ComponentTypeINTEL
pub const BFLOAT16_MATRICES: u32 = 6437;

/// PackedINTEL among the layouts of cooperative matrices.
pub const PACKED_LAYOUT: u64 = 2;
/// MatrixAAndBTF32ComponentsINTEL among the operands of their multiplication.
pub const TF32_COMPONENTS: u32 = 0x20;
/// MatrixAAndBBFloat16ComponentsINTEL
pub const BFLOAT16_COMPONENTS: u32 = 0x40;

/// What is left of an enumerant or a mask without what is taken, which has no operands of its own.
pub fn without_taken(kind: &OperandKind, word: u32) -> Option<u32> {
    match (kind, word) {
        (OperandKind::Capability, PACKED_MATRICES | TF32_MATRICES | BFLOAT16_MATRICES) => None,
        (OperandKind::CooperativeMatrixOperands, _) => Some(word & !(TF32_COMPONENTS | BFLOAT16_COMPONENTS)),
        _ => Some(word),
    }
}

/// Instructions: opcode, name, extension.
const OPCODES: &[(u16, &str, &str)] = &[
    (5121, "OpAbortKHR", "SPV_KHR_abort"),
    (5147, "OpConstantDataKHR", "SPV_KHR_constant_data"),
    (5148, "OpSpecConstantDataKHR", "SPV_KHR_constant_data"),
    (6193, "OpCooperativeMatrixLoadCheckedINTEL", JOINT_MATRIX),
    (6194, "OpCooperativeMatrixStoreCheckedINTEL", JOINT_MATRIX),
    (6195, "OpCooperativeMatrixConstructCheckedINTEL", JOINT_MATRIX),
    (6440, "OpCooperativeMatrixGetElementCoordINTEL", JOINT_MATRIX),
    (6448, "OpCooperativeMatrixApplyFunctionINTEL", JOINT_MATRIX),
    (6449, "OpCooperativeMatrixPrefetchINTEL", JOINT_MATRIX),
];

/// Capabilities: number, name, extension.
const CAPABILITIES: &[(u32, &str, &str)] = &[
    (5120, "AbortKHR", "SPV_KHR_abort"),
    (5146, "ConstantDataKHR", "SPV_KHR_constant_data"),
    (6192, "CooperativeMatrixCheckedInstructionsINTEL", JOINT_MATRIX),
    (6411, "CooperativeMatrixPrefetchINTEL", JOINT_MATRIX),
    (PACKED_MATRICES, "PackedCooperativeMatrixINTEL", JOINT_MATRIX),
    (6435, "CooperativeMatrixInvocationInstructionsINTEL", JOINT_MATRIX),
    (TF32_MATRICES, "CooperativeMatrixTF32ComponentTypeINTEL", JOINT_MATRIX),
    (BFLOAT16_MATRICES, "CooperativeMatrixBFloat16ComponentTypeINTEL", JOINT_MATRIX),
];

/// An instruction's name and extension.
pub fn opcode(opcode: u16) -> Option<(&'static str, &'static str)> {
    let found = OPCODES.iter().find(|(number, ..)| *number == opcode)?;
    Some((found.1, found.2))
}

/// A capability's name and extension.
pub fn capability(number: u32) -> Option<(&'static str, &'static str)> {
    let found = CAPABILITIES.iter().find(|(known, ..)| *known == number)?;
    Some((found.1, found.2))
}

/// An enumerant's name and extension.
pub fn enumerant(kind: OperandKind, word: u32) -> Option<(&'static str, &'static str)> {
    (kind == OperandKind::Capability).then(|| capability(word)).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grammar;

    /// Once the grammar knows it, it needs no row here.
    #[test]
    fn the_grammar_knows_none_of_it() {
        for &(opcode, name, _) in OPCODES {
            assert!(grammar::lookup(opcode.into()).is_none(), "{name}");
        }
        for &(number, name, _) in CAPABILITIES {
            assert!(grammar::enumerant(&OperandKind::Capability, number).is_none(), "{name}");
        }
    }

    #[test]
    fn refused_by_name() {
        let module = |words: [u32; 2]| {
            let header = [0x0723_0203, 0x0001_0200, 0, 8, 0];
            let bytes: Vec<u8> = header.iter().chain(&words).flat_map(|word| word.to_ne_bytes()).collect();
            crate::parse(&bytes).map(|_| ()).map_err(|error| error.to_string())
        };
        let declared = module([2 << 16 | 17, 5120]).unwrap_err();
        assert!(declared.contains("AbortKHR") && declared.contains("SPV_KHR_abort"), "{declared}");
        let used = module([2 << 16 | 5121, 1]).unwrap_err();
        assert!(used.contains("OpAbortKHR") && used.contains("SPV_KHR_abort"), "{used}");
        let checked = module([2 << 16 | 17, 6192]).unwrap_err();
        assert!(
            checked.contains("CooperativeMatrixCheckedInstructionsINTEL") && checked.contains("SPV_INTEL_joint_matrix"),
            "{checked}"
        );
        assert_eq!(module([2 << 16 | 17, 6]), Ok(()));
    }
}
