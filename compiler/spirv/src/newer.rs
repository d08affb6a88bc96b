//! What SPIR-V has that the grammar (rspirv's tables) does not know yet: some is taken, the rest is refused by its name and not by its number.

use rspirv::grammar::{Instruction as Grammar, LogicalOperand, OperandKind, OperandQuantifier};
use rspirv::spirv::Op;

/// A working draft.
const JOINT_MATRIX: &str = "SPV_INTEL_joint_matrix";
/// Its revisions 8 to 10, which nothing writes.
const OLDER_JOINT_MATRIX: &str = "an older draft of SPV_INTEL_joint_matrix";

/// JointMatrixINTEL: the extension before there were cooperative matrices.
pub const JOINT_MATRICES: u32 = 6118;
/// PackedCooperativeMatrixINTEL
pub const PACKED_MATRICES: u32 = 6434;
/// CooperativeMatrixInvocationInstructionsINTEL
pub const MATRIX_INVOCATIONS: u32 = 6435;
/// CooperativeMatrixTF32ComponentTypeINTEL
pub const TF32_MATRICES: u32 = 6436;
/// CooperativeMatrixBFloat16ComponentTypeINTEL
pub const BFLOAT16_MATRICES: u32 = 6437;
/// CooperativeMatrixCheckedInstructionsINTEL
pub const CHECKED_MATRICES: u32 = 6192;
/// CooperativeMatrixPrefetchINTEL
pub const MATRIX_PREFETCH: u32 = 6411;

/// PackedINTEL among the layouts of cooperative matrices.
pub const PACKED_LAYOUT: u64 = 2;
/// MatrixAAndBTF32ComponentsINTEL among the operands of their multiplication.
pub const TF32_COMPONENTS: u32 = 0x20;
/// MatrixAAndBBFloat16ComponentsINTEL
pub const BFLOAT16_COMPONENTS: u32 = 0x40;
/// MatrixCBFloat16ComponentsINTEL
pub const BFLOAT16_C: u32 = 0x80;
/// MatrixResultBFloat16ComponentsINTEL
pub const BFLOAT16_RESULT: u32 = 0x100;
/// All of these.
pub const INTERPRETATIONS: u32 = TF32_COMPONENTS | BFLOAT16_COMPONENTS | BFLOAT16_C | BFLOAT16_RESULT;

// Opcodes as rspirv's type, which has no others than it knows. Each is one of graphics' that no environment has: modules that have it are refused for
// its capability, before anybody asks what it does.

/// OpCooperativeMatrixLoadCheckedINTEL
pub const LOAD_CHECKED: Op = Op::CooperativeMatrixLoadTensorNV;
/// OpCooperativeMatrixStoreCheckedINTEL
pub const STORE_CHECKED: Op = Op::CooperativeMatrixStoreTensorNV;
/// OpCooperativeMatrixConstructCheckedINTEL
pub const CONSTRUCT_CHECKED: Op = Op::CooperativeMatrixConvertNV;
/// OpCooperativeMatrixGetElementCoordINTEL
pub const ELEMENT_COORDINATE: Op = Op::CooperativeMatrixReduceNV;
/// OpCooperativeMatrixPrefetchINTEL
pub const PREFETCH: Op = Op::CooperativeMatrixPerElementOpNV;
/// OpTypeJointMatrixINTEL
pub const TYPE_JOINT: Op = Op::TypeCooperativeMatrixNV;
/// OpJointMatrixLoadINTEL
pub const JOINT_LOAD: Op = Op::CooperativeMatrixLoadNV;
/// OpJointMatrixStoreINTEL
pub const JOINT_STORE: Op = Op::CooperativeMatrixStoreNV;
/// OpJointMatrixMadINTEL
pub const JOINT_MAD: Op = Op::CooperativeMatrixMulAddNV;
/// OpJointMatrixSUMadINTEL
pub const JOINT_SU_MAD: Op = Op::CooperativeVectorMatrixMulNV;
/// OpJointMatrixUSMadINTEL
pub const JOINT_US_MAD: Op = Op::CooperativeVectorMatrixMulAddNV;
/// OpJointMatrixUUMadINTEL
pub const JOINT_UU_MAD: Op = Op::CooperativeVectorOuterProductAccumulateNV;
/// OpJointMatrixWorkItemLengthINTEL
pub const JOINT_LENGTH: Op = Op::CooperativeMatrixLengthNV;

/// An instruction that is taken.
pub(crate) struct Row {
    pub opcode: u16,
    /// The capability that it needs.
    pub capability: u32,
    pub grammar: Grammar<'static>,
}

const fn one(kind: OperandKind) -> LogicalOperand {
    LogicalOperand {
        kind,
        quantifier: OperandQuantifier::One,
    }
}

const fn perhaps(kind: OperandKind) -> LogicalOperand {
    LogicalOperand {
        kind,
        quantifier: OperandQuantifier::ZeroOrOne,
    }
}

const fn row(opcode: u16, capability: u32, opname: &'static str, stand_in: Op, operands: &'static [LogicalOperand]) -> Row {
    Row {
        opcode,
        capability,
        grammar: Grammar {
            opname,
            opcode: stand_in,
            capabilities: &[],
            extensions: &[],
            operands,
        },
    }
}

const TYPE: LogicalOperand = one(OperandKind::IdResultType);
const RESULT: LogicalOperand = one(OperandKind::IdResult);
const ID: LogicalOperand = one(OperandKind::IdRef);
const STRIDE: LogicalOperand = perhaps(OperandKind::IdRef);
const MEMORY: LogicalOperand = perhaps(OperandKind::MemoryAccess);
const SCOPE: LogicalOperand = one(OperandKind::IdScope);
/// A, B, C; of later revisions, which had none, a scope may be missing.
const MAD: &[LogicalOperand] = &[TYPE, RESULT, ID, ID, ID, perhaps(OperandKind::IdScope)];

pub(crate) static INSTRUCTIONS: [Row; 13] = [
    row(
        6119,
        JOINT_MATRICES,
        "TypeJointMatrixINTEL",
        TYPE_JOINT,
        // Component type, rows, columns, layout, scope, use, interpretation
        &[
            RESULT,
            ID,
            ID,
            ID,
            ID,
            SCOPE,
            perhaps(OperandKind::IdRef),
            perhaps(OperandKind::IdRef),
        ],
    ),
    row(
        6120,
        JOINT_MATRICES,
        "JointMatrixLoadINTEL",
        JOINT_LOAD,
        // Pointer, stride, layout
        &[TYPE, RESULT, ID, ID, ID, SCOPE, MEMORY],
    ),
    row(
        6121,
        JOINT_MATRICES,
        "JointMatrixStoreINTEL",
        JOINT_STORE,
        // Pointer, object, stride, layout
        &[ID, ID, ID, ID, SCOPE, MEMORY],
    ),
    row(6122, JOINT_MATRICES, "JointMatrixMadINTEL", JOINT_MAD, MAD),
    row(6128, JOINT_MATRICES, "JointMatrixSUMadINTEL", JOINT_SU_MAD, MAD),
    row(6129, JOINT_MATRICES, "JointMatrixUSMadINTEL", JOINT_US_MAD, MAD),
    row(6130, JOINT_MATRICES, "JointMatrixUUMadINTEL", JOINT_UU_MAD, MAD),
    row(
        6410,
        JOINT_MATRICES,
        "JointMatrixWorkItemLengthINTEL",
        JOINT_LENGTH,
        // A type, or a matrix
        &[TYPE, RESULT, ID],
    ),
    row(
        6193,
        CHECKED_MATRICES,
        "CooperativeMatrixLoadCheckedINTEL",
        LOAD_CHECKED,
        // Pointer, X and Y offset, layout, height, width
        &[TYPE, RESULT, ID, ID, ID, ID, ID, ID, STRIDE, MEMORY],
    ),
    row(
        6194,
        CHECKED_MATRICES,
        "CooperativeMatrixStoreCheckedINTEL",
        STORE_CHECKED,
        // Pointer, X and Y offset, object, layout, height, width
        &[ID, ID, ID, ID, ID, ID, ID, STRIDE, MEMORY],
    ),
    row(
        6195,
        CHECKED_MATRICES,
        "CooperativeMatrixConstructCheckedINTEL",
        CONSTRUCT_CHECKED,
        // X and Y offset, height, width, value
        &[TYPE, RESULT, ID, ID, ID, ID, ID],
    ),
    row(
        6440,
        MATRIX_INVOCATIONS,
        "CooperativeMatrixGetElementCoordINTEL",
        ELEMENT_COORDINATE,
        // Matrix, index
        &[TYPE, RESULT, ID, ID],
    ),
    row(
        6449,
        MATRIX_PREFETCH,
        "CooperativeMatrixPrefetchINTEL",
        PREFETCH,
        // Pointer, X and Y offset, rows, columns, cache level, layout
        &[ID, ID, ID, ID, ID, one(OperandKind::LiteralInteger), ID, STRIDE],
    ),
];

/// Instructions that are not taken: opcode, name, extension.
const OPCODES: &[(u16, &str, &str)] = &[
    (5121, "OpAbortKHR", "SPV_KHR_abort"),
    (5147, "OpConstantDataKHR", "SPV_KHR_constant_data"),
    (5148, "OpSpecConstantDataKHR", "SPV_KHR_constant_data"),
    (6184, "OpTypeJointMatrixINTEL", OLDER_JOINT_MATRIX),
    // The draft does not say which function of a function object is called.
    (6448, "OpCooperativeMatrixApplyFunctionINTEL", JOINT_MATRIX),
];

/// Capabilities: number, name, extension. Those of joint matrices are taken.
const CAPABILITIES: &[(u32, &str, &str)] = &[
    (5120, "AbortKHR", "SPV_KHR_abort"),
    (5146, "ConstantDataKHR", "SPV_KHR_constant_data"),
    (JOINT_MATRICES, "JointMatrixINTEL", JOINT_MATRIX),
    (CHECKED_MATRICES, "CooperativeMatrixCheckedInstructionsINTEL", JOINT_MATRIX),
    (MATRIX_PREFETCH, "CooperativeMatrixPrefetchINTEL", JOINT_MATRIX),
    (PACKED_MATRICES, "PackedCooperativeMatrixINTEL", JOINT_MATRIX),
    (MATRIX_INVOCATIONS, "CooperativeMatrixInvocationInstructionsINTEL", JOINT_MATRIX),
    (TF32_MATRICES, "CooperativeMatrixTF32ComponentTypeINTEL", JOINT_MATRIX),
    (BFLOAT16_MATRICES, "CooperativeMatrixBFloat16ComponentTypeINTEL", JOINT_MATRIX),
];

/// Is it one of the multiplications of joint matrices?
pub fn is_joint_product(op: Op) -> bool {
    matches!(op, JOINT_MAD | JOINT_SU_MAD | JOINT_US_MAD | JOINT_UU_MAD)
}

/// What is left of an enumerant or a mask without what is taken, which has no operands of its own.
pub fn without_taken(kind: &OperandKind, word: u32) -> Option<u32> {
    match kind {
        OperandKind::Capability if capability(word).is_some_and(|(_, extension)| extension == JOINT_MATRIX) => None,
        OperandKind::CooperativeMatrixOperands => Some(word & !INTERPRETATIONS),
        _ => Some(word),
    }
}

/// The value of an enumerant by its name.
pub fn named(kind: &OperandKind, name: &str) -> Option<u32> {
    let found = CAPABILITIES.iter().find(|(_, known, _)| *known == name)?;
    (*kind == OperandKind::Capability).then_some(found.0)
}

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
        for row in &INSTRUCTIONS {
            let known = rspirv::grammar::INSTRUCTION_TABLE.iter();
            let known = known.filter(|grammar| grammar.opcode as u32 == u32::from(row.opcode) || grammar.opname == row.grammar.opname);
            assert_eq!(known.count(), 0, "{}", row.grammar.opname);
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
        let applied = module([2 << 16 | 6448, 1]).unwrap_err();
        assert!(applied.contains("OpCooperativeMatrixApplyFunctionINTEL"), "{applied}");
        let older = module([2 << 16 | 6184, 1]).unwrap_err();
        assert!(older.contains("OpTypeJointMatrixINTEL") && older.contains("older draft"), "{older}");
        let short = module([2 << 16 | 6119, 1]).unwrap_err();
        assert!(short.contains("OpTypeJointMatrixINTEL: operands are missing"), "{short}");
        let short = module([2 << 16 | 6449, 1]).unwrap_err();
        assert!(short.contains("OpCooperativeMatrixPrefetchINTEL: operands are missing"), "{short}");
        assert_eq!(module([2 << 16 | 17, 6]), Ok(()));
    }

    #[test]
    fn read_and_written() {
        let text = "OpCapability CooperativeMatrixPrefetchINTEL\nOpCooperativeMatrixPrefetchINTEL %1 %2 %2 %3 %3 1 %4 %5\n\
                    %6 = OpCooperativeMatrixLoadCheckedINTEL %7 %1 %2 %2 %4 %3 %3 %5 Aligned 4\n\
                    %8 = OpTypeJointMatrixINTEL %9 %3 %3 %4 %5\n%10 = OpJointMatrixLoadINTEL %8 %1 %2 %3 %4 Aligned 4\n\
                    OpJointMatrixStoreINTEL %1 %10 %2 %3 %4\n%11 = OpJointMatrixSUMadINTEL %8 %10 %10 %10 %4";
        let binary = crate::parse(&crate::assemble(text).unwrap()).unwrap();
        let lines: Vec<String> = (0..binary.len())
            .map(|index| crate::disassemble(&binary, index, &|_| None))
            .collect();
        assert_eq!(lines.join("\n"), text);
        assert_eq!(binary.instruction(1).op(), PREFETCH);
    }
}
