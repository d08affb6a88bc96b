//! Tolerated deviations: where a producer in wide use breaks a rule harmlessly, its modules are taken, with the meaning that it intends, and a warning.
//!
//! What is tolerated is decided by what the module holds, and not by who signed it: linkers, optimizers and assemblers write headers of their own over
//! what a compiler made. Under `--strict`, nothing is tolerated.

use super::diagnostics::Rule;
use super::rules;

/// A rule that some producer breaks, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deviation {
    /// OpAny or OpAll of an integer or a vector of integers; their sign bits are meant.
    AnyAllOfIntegers,
    /// OpSConvert, OpUConvert or OpFConvert to the width that the operand has; nothing is to be done.
    ConvertToSameWidth,
    /// OpBitwiseAnd of a wider integer than its result; the low bits are meant.
    MaskOfWider,
    /// printf's format is a pointer to an array of bytes; its first byte is meant.
    PrintfArray,
    /// OpAtomicLoad has OpenCL C's numbers for its order and scope, and these in OpenCL C's order; some make no scope or semantics of SPIR-V.
    AtomicLoadNumbers,
    /// A vector of a number of components that OpenCL C has no type for, made by an optimization.
    OddVector,
    /// A cast between storage classes that changes what is pointed to; an OpBitcast is meant as well.
    CastOfPointee,
    /// A kernel argument that is a ByVal pointer to Function; the struct is passed by value.
    ByValArgument,
    /// An array in a struct that is a kernel's argument.
    ArrayInArgument,
    /// OpConstantNull of an opaque type with one operand too many, its type.
    NullWithOperand,
    /// A kernel argument of a type that OpenCL's host API has no name for, but a size.
    OddArgument,
    /// Alignment 4294967168; 128 is meant, extended from 8 bits with its sign.
    AlignmentWithSign,
    /// OpGroupNonUniformBroadcast from a lane that is no constant, in a module of a version before 1.5.
    BroadcastFromVariable,
    /// A constant's OpInBoundsPtrAccessChain from a variable to a byte: its last index counts bytes, whatever the variable's type is.
    ByteOffset,
    /// An access chain's result points to something else than its indices lead to, in the same storage class; the address that they lead to is meant.
    ChainPointee,
    /// The pointer of a vload or vstore is to something else than the vector's components; its address is what counts.
    VectorAccessPointee,
    /// 64-bit atomics without Int64Atomics.
    UndeclaredInt64Atomics,
    /// A pointer variable's initial value is a pointer to something else, in the same storage class; the same address is meant.
    InitializerPointee,
    /// A pointer variable's initial value is a null of the integers that are as wide as addresses; the null pointer is meant.
    NullNumber,
    /// A part of a composite constant is, or has in it, a pointer to something else in the same storage class, or an integer 0 for a null pointer; the same
    /// address is meant.
    PartOfOtherPointers,
    /// Built-in variables in UniformConstant; Input is meant.
    BuiltInInUniformConstant,
    /// An atomic instruction at scope Invocation, which OpenCL C's memory_scope_work_item becomes; no other work-item has to see it.
    AtomicOfInvocation,
    /// A barrier with the execution scope CrossDevice or Device, which the memory scope of OpenCL C's work_group_barrier becomes.
    BarrierBeyondGroup,
    /// Built-in variables of 32-bit integers where addresses have 64 bits; the low bits are meant.
    NarrowBuiltIn,
    /// An interface before version 1.4 that lists variables of other storage classes than Input, as since then.
    InterfaceOfAllClasses,
    /// A block stands before one that dominates it: the translator writes blocks as LLVM's optimizer left them.
    BlockOrder,
    /// OpDecorateId in a module of a version before 1.2: NoAliasINTEL's, above all.
    EarlyDecorateId,
    /// OpGroupAsyncCopy's number of elements or stride of 32 bits where addresses have 64.
    NarrowCopySize,
    /// Values of half with Float16Buffer alone.
    UndeclaredFloat16,
    /// The execution mode SubgroupSize without SubgroupDispatch, from OpenCL C's `intel_reqd_sub_group_size`.
    UndeclaredSubgroupDispatch,
    /// The execution mode FPFastMathDefault without FloatControls2: clang writes it wherever it may use SPV_KHR_float_controls2.
    UndeclaredFloatControls,
    /// A capability of SPV_INTEL_subgroups without the extension.
    UndeclaredIntelSubgroups,
    /// OpImageWrite with SignExtend or ZeroExtend in an environment that has it without operands: which of them, the image's format says already.
    ExtendedTexel,
}

const BACK_END: &str = "LLVM's SPIR-V back end";

const TRANSLATOR: &str = "Khronos's SPIR-V/LLVM translator";

const MLIR: &str = "MLIR's SPIR-V dialect";

const ZIG: &str = "Zig";

/// Of 2015. (Boost.Compute has such a module.)
const EARLY_TRANSLATOR: &str = "an early SPIR-V/LLVM translator";

/// A row of the table.
#[derive(Clone, Copy, Debug)]
pub struct Toleration {
    /// What is deviated from, and how.
    pub deviation: Deviation,
    /// The rule that is broken.
    pub rule: &'static Rule,
    /// The tools that are known to do it, for people.
    pub producers: &'static [&'static str],
    /// What is done with it.
    pub meaning: &'static str,
}

/// Everything that is tolerated.
pub static TOLERATED: &[Toleration] = &[
    Toleration {
        deviation: Deviation::AnyAllOfIntegers,
        rule: &rules::OPERAND_TYPE,
        producers: &[BACK_END],
        meaning: "integers are taken for their sign bits",
    },
    Toleration {
        deviation: Deviation::ConvertToSameWidth,
        rule: &rules::RESULT_TYPE,
        producers: &[BACK_END],
        meaning: "a conversion to the same width does nothing",
    },
    Toleration {
        deviation: Deviation::MaskOfWider,
        rule: &rules::OPERAND_TYPE,
        producers: &[BACK_END],
        meaning: "the operand's low bits are taken",
    },
    Toleration {
        deviation: Deviation::PrintfArray,
        rule: &rules::PRINTF_FORMAT,
        producers: &[BACK_END],
        meaning: "a pointer to an array of bytes is taken for one to its first byte",
    },
    Toleration {
        deviation: Deviation::AtomicLoadNumbers,
        rule: &rules::MEMORY_SCOPE,
        producers: &[BACK_END],
        meaning: "OpenCL C's memory_order and memory_scope are taken for SequentiallyConsistent and CrossDevice",
    },
    Toleration {
        deviation: Deviation::OddVector,
        rule: &rules::VECTOR_COUNT,
        producers: &[BACK_END, TRANSLATOR],
        meaning: "a vector may have any number of components",
    },
    Toleration {
        deviation: Deviation::CastOfPointee,
        rule: &rules::RESULT_TYPE,
        producers: &[BACK_END, TRANSLATOR],
        meaning: "the cast changes what is pointed to, too",
    },
    Toleration {
        deviation: Deviation::ByValArgument,
        rule: &rules::KERNEL_ARGUMENT,
        producers: &[BACK_END, TRANSLATOR],
        meaning: "a ByVal pointer to Function is a struct passed by value",
    },
    Toleration {
        deviation: Deviation::ArrayInArgument,
        rule: &rules::KERNEL_ARGUMENT,
        producers: &[BACK_END, TRANSLATOR],
        meaning: "arrays may be members of structs that are arguments",
    },
    Toleration {
        deviation: Deviation::NullWithOperand,
        rule: &rules::CONSTANT_OPERAND,
        producers: &[BACK_END],
        meaning: "the operand too many is passed over",
    },
    Toleration {
        deviation: Deviation::AlignmentWithSign,
        rule: &rules::ALIGNMENT,
        producers: &[BACK_END],
        meaning: "the alignment is 128",
    },
    Toleration {
        deviation: Deviation::BroadcastFromVariable,
        rule: &rules::OPERAND_TYPE,
        producers: &[BACK_END, TRANSLATOR],
        meaning: "as since SPIR-V 1.5, Id may be any value that is uniform in the sub-group",
    },
    Toleration {
        deviation: Deviation::ByteOffset,
        rule: &rules::RESULT_TYPE,
        producers: &[BACK_END],
        meaning: "the last index counts bytes",
    },
    Toleration {
        deviation: Deviation::ChainPointee,
        rule: &rules::RESULT_TYPE,
        producers: &[BACK_END],
        meaning: "the address that the indices lead to is cast to the result's type",
    },
    Toleration {
        deviation: Deviation::VectorAccessPointee,
        rule: &rules::OPERAND_TYPE,
        producers: &[BACK_END],
        meaning: "the pointer is taken for one to the vector's components",
    },
    Toleration {
        deviation: Deviation::UndeclaredInt64Atomics,
        rule: &rules::ATOMIC_TYPE,
        producers: &[BACK_END],
        meaning: "Int64Atomics is taken to be declared",
    },
    Toleration {
        deviation: Deviation::InitializerPointee,
        rule: &rules::VARIABLE_INITIALIZER,
        producers: &[BACK_END],
        meaning: "the initial value is cast to the variable's type",
    },
    Toleration {
        deviation: Deviation::NullNumber,
        rule: &rules::VARIABLE_INITIALIZER,
        producers: &[BACK_END],
        meaning: "the null pointer is taken to be meant",
    },
    Toleration {
        deviation: Deviation::PartOfOtherPointers,
        rule: &rules::CONSTANT_OPERAND,
        producers: &[BACK_END],
        meaning: "pointers are cast to the types that are wanted, and the integer 0 is the null pointer",
    },
    Toleration {
        deviation: Deviation::BuiltInInUniformConstant,
        rule: &rules::BUILT_IN_CLASS,
        producers: &[TRANSLATOR, EARLY_TRANSLATOR],
        meaning: "the variable is taken to be in Input",
    },
    Toleration {
        deviation: Deviation::OddArgument,
        rule: &rules::KERNEL_ARGUMENT,
        producers: &[BACK_END, TRANSLATOR],
        meaning: "the argument is passed as its bytes",
    },
    Toleration {
        deviation: Deviation::AtomicOfInvocation,
        rule: &rules::MEMORY_SCOPE,
        producers: &[BACK_END, TRANSLATOR],
        meaning: "the instruction is atomic for the work-group",
    },
    Toleration {
        deviation: Deviation::BarrierBeyondGroup,
        rule: &rules::EXECUTION_SCOPE,
        producers: &[BACK_END],
        meaning: "the work-items of the work-group wait for each other",
    },
    Toleration {
        deviation: Deviation::NarrowBuiltIn,
        rule: &rules::BUILT_IN_TYPE,
        producers: &[MLIR, ZIG],
        meaning: "the variable has the low 32 bits",
    },
    Toleration {
        deviation: Deviation::InterfaceOfAllClasses,
        rule: &rules::INTERFACE,
        producers: &[MLIR],
        meaning: "as since SPIR-V 1.4, an interface lists all variables",
    },
    Toleration {
        deviation: Deviation::BlockOrder,
        rule: &rules::BLOCK_ORDER,
        producers: &[TRANSLATOR],
        meaning: "blocks are put in order",
    },
    Toleration {
        deviation: Deviation::EarlyDecorateId,
        rule: &rules::VERSION_NEEDED,
        producers: &[TRANSLATOR],
        meaning: "OpDecorateId is taken to be of the version",
    },
    Toleration {
        deviation: Deviation::NarrowCopySize,
        rule: &rules::OPERAND_TYPE,
        producers: &[BACK_END],
        meaning: "the number is extended with zeros",
    },
    Toleration {
        deviation: Deviation::UndeclaredFloat16,
        rule: &rules::HALF_VALUE,
        producers: &[TRANSLATOR],
        meaning: "Float16 is taken to be declared",
    },
    Toleration {
        deviation: Deviation::UndeclaredSubgroupDispatch,
        rule: &rules::OPERAND_CAPABILITY,
        producers: &[TRANSLATOR],
        meaning: "SubgroupDispatch is taken to be declared",
    },
    Toleration {
        deviation: Deviation::UndeclaredFloatControls,
        rule: &rules::OPERAND_CAPABILITY,
        producers: &[BACK_END],
        meaning: "FloatControls2 is taken to be declared",
    },
    Toleration {
        deviation: Deviation::UndeclaredIntelSubgroups,
        rule: &rules::CAPABILITY_EXTENSION,
        producers: &[TRANSLATOR],
        meaning: "SPV_INTEL_subgroups is taken to be declared",
    },
    Toleration {
        deviation: Deviation::ExtendedTexel,
        rule: &rules::IMAGE_WRITE_OPERANDS,
        producers: &[TRANSLATOR],
        meaning: "the texel is converted as the image's format says",
    },
];

/// The row for a deviation.
pub fn toleration(deviation: Deviation) -> &'static Toleration {
    TOLERATED.iter().find(|row| row.deviation == deviation).unwrap_or(&TOLERATED[0])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_deviation_has_one_row() {
        for row in TOLERATED {
            assert_eq!(TOLERATED.iter().filter(|other| other.deviation == row.deviation).count(), 1);
            assert!(std::ptr::eq(toleration(row.deviation), row));
        }
    }
}
