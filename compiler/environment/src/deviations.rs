//! Tolerated deviations: where a producer in wide use breaks a rule harmlessly, its modules are taken, with the meaning that it intends, and a warning.
//!
//! A deviation applies to its producers alone; the same words from another are refused. Under `--strict`, nothing is tolerated.

use super::diagnostics::Rule;
use super::rules;
use spirv::LLVM_BACKEND;

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
    /// The pointer of a vload or vstore is to something else than the vector's components; its address is what counts.
    VectorAccessPointee,
    /// 64-bit atomics without Int64Atomics.
    UndeclaredInt64Atomics,
    /// A pointer variable's initial value is a pointer to something else, in the same storage class; the same address is meant.
    InitializerPointee,
    /// A pointer variable's initial value is a null of the integers that are as wide as addresses; the null pointer is meant.
    NullNumber,
    /// Built-in variables in UniformConstant; Input is meant.
    BuiltInInUniformConstant,
    /// An atomic instruction at scope Invocation, which OpenCL C's memory_scope_work_item becomes; no other work-item has to see it.
    AtomicOfInvocation,
    /// A block stands before one that dominates it: the translator writes blocks as LLVM's optimizer left them.
    BlockOrder,
    /// OpDecorateId in a module of a version before 1.2: NoAliasINTEL's, above all.
    EarlyDecorateId,
    /// A shuffle of SPV_INTEL_subgroups on half without Float16; Float16Buffer's halves can be moved as well.
    ShuffleOfBufferHalf,
    /// The execution mode SubgroupSize without SubgroupDispatch, from OpenCL C's `intel_reqd_sub_group_size`.
    UndeclaredSubgroupDispatch,
    /// The execution mode FPFastMathDefault without FloatControls2: clang writes it wherever it may use SPV_KHR_float_controls2.
    UndeclaredFloatControls,
    /// A capability of SPV_INTEL_subgroups without the extension.
    UndeclaredIntelSubgroups,
}

/// A tool that writes modules.
#[derive(Debug)]
pub struct Producer {
    /// Its registered number (SPIRV-Headers, spir-v.xml).
    pub number: u16,
    /// Its name, for people.
    pub name: &'static str,
}

static BACK_END: Producer = Producer {
    number: LLVM_BACKEND,
    name: "LLVM's SPIR-V back end",
};

static TRANSLATOR: Producer = Producer {
    number: 6,
    name: "Khronos's SPIR-V/LLVM translator",
};

/// Its predecessors of 2015 wrote a number that was given to spiregg later, which writes no kernels. (Boost.Compute has such a module.)
static EARLY_TRANSLATOR: Producer = Producer {
    number: 14,
    name: "an early SPIR-V/LLVM translator",
};

/// A row of the table.
#[derive(Clone, Copy, Debug)]
pub struct Toleration {
    /// What is deviated from, and how.
    pub deviation: Deviation,
    /// The rule that is broken.
    pub rule: &'static Rule,
    /// The tools that do it.
    pub producers: &'static [&'static Producer],
    /// What is done with it.
    pub meaning: &'static str,
}

/// Everything that is tolerated.
pub static TOLERATED: &[Toleration] = &[
    Toleration {
        deviation: Deviation::AnyAllOfIntegers,
        rule: &rules::OPERAND_TYPE,
        producers: &[&BACK_END],
        meaning: "integers are taken for their sign bits",
    },
    Toleration {
        deviation: Deviation::ConvertToSameWidth,
        rule: &rules::RESULT_TYPE,
        producers: &[&BACK_END],
        meaning: "a conversion to the same width does nothing",
    },
    Toleration {
        deviation: Deviation::MaskOfWider,
        rule: &rules::OPERAND_TYPE,
        producers: &[&BACK_END],
        meaning: "the operand's low bits are taken",
    },
    Toleration {
        deviation: Deviation::PrintfArray,
        rule: &rules::PRINTF_FORMAT,
        producers: &[&BACK_END],
        meaning: "a pointer to an array of bytes is taken for one to its first byte",
    },
    Toleration {
        deviation: Deviation::AtomicLoadNumbers,
        rule: &rules::MEMORY_SCOPE,
        producers: &[&BACK_END],
        meaning: "OpenCL C's memory_order and memory_scope are taken for SequentiallyConsistent and CrossDevice",
    },
    Toleration {
        deviation: Deviation::OddVector,
        rule: &rules::VECTOR_COUNT,
        producers: &[&BACK_END, &TRANSLATOR],
        meaning: "a vector may have any number of components",
    },
    Toleration {
        deviation: Deviation::CastOfPointee,
        rule: &rules::RESULT_TYPE,
        producers: &[&BACK_END, &TRANSLATOR],
        meaning: "the cast changes what is pointed to, too",
    },
    Toleration {
        deviation: Deviation::ByValArgument,
        rule: &rules::KERNEL_ARGUMENT,
        producers: &[&BACK_END, &TRANSLATOR],
        meaning: "a ByVal pointer to Function is a struct passed by value",
    },
    Toleration {
        deviation: Deviation::ArrayInArgument,
        rule: &rules::KERNEL_ARGUMENT,
        producers: &[&BACK_END, &TRANSLATOR],
        meaning: "arrays may be members of structs that are arguments",
    },
    Toleration {
        deviation: Deviation::NullWithOperand,
        rule: &rules::CONSTANT_OPERAND,
        producers: &[&BACK_END],
        meaning: "the operand too many is passed over",
    },
    Toleration {
        deviation: Deviation::AlignmentWithSign,
        rule: &rules::ALIGNMENT,
        producers: &[&BACK_END],
        meaning: "the alignment is 128",
    },
    Toleration {
        deviation: Deviation::BroadcastFromVariable,
        rule: &rules::OPERAND_TYPE,
        producers: &[&BACK_END, &TRANSLATOR],
        meaning: "as since SPIR-V 1.5, Id may be any value that is uniform in the sub-group",
    },
    Toleration {
        deviation: Deviation::ByteOffset,
        rule: &rules::RESULT_TYPE,
        producers: &[&BACK_END],
        meaning: "the last index counts bytes",
    },
    Toleration {
        deviation: Deviation::VectorAccessPointee,
        rule: &rules::OPERAND_TYPE,
        producers: &[&BACK_END],
        meaning: "the pointer is taken for one to the vector's components",
    },
    Toleration {
        deviation: Deviation::UndeclaredInt64Atomics,
        rule: &rules::ATOMIC_TYPE,
        producers: &[&BACK_END],
        meaning: "Int64Atomics is taken to be declared",
    },
    Toleration {
        deviation: Deviation::InitializerPointee,
        rule: &rules::VARIABLE_INITIALIZER,
        producers: &[&BACK_END],
        meaning: "the initial value is cast to the variable's type",
    },
    Toleration {
        deviation: Deviation::NullNumber,
        rule: &rules::VARIABLE_INITIALIZER,
        producers: &[&BACK_END],
        meaning: "the null pointer is taken to be meant",
    },
    Toleration {
        deviation: Deviation::BuiltInInUniformConstant,
        rule: &rules::BUILT_IN_CLASS,
        producers: &[&TRANSLATOR, &EARLY_TRANSLATOR],
        meaning: "the variable is taken to be in Input",
    },
    Toleration {
        deviation: Deviation::OddArgument,
        rule: &rules::KERNEL_ARGUMENT,
        producers: &[&BACK_END, &TRANSLATOR],
        meaning: "the argument is passed as its bytes",
    },
    Toleration {
        deviation: Deviation::AtomicOfInvocation,
        rule: &rules::MEMORY_SCOPE,
        producers: &[&BACK_END, &TRANSLATOR],
        meaning: "the instruction is atomic for the work-group",
    },
    Toleration {
        deviation: Deviation::BlockOrder,
        rule: &rules::BLOCK_ORDER,
        producers: &[&TRANSLATOR],
        meaning: "blocks are put in order",
    },
    Toleration {
        deviation: Deviation::EarlyDecorateId,
        rule: &rules::VERSION_NEEDED,
        producers: &[&TRANSLATOR],
        meaning: "OpDecorateId is taken to be of the version",
    },
    Toleration {
        deviation: Deviation::ShuffleOfBufferHalf,
        rule: &rules::INTEL_SUBGROUP_TYPE,
        producers: &[&TRANSLATOR],
        meaning: "Float16 is taken to be declared",
    },
    Toleration {
        deviation: Deviation::UndeclaredSubgroupDispatch,
        rule: &rules::OPERAND_CAPABILITY,
        producers: &[&TRANSLATOR],
        meaning: "SubgroupDispatch is taken to be declared",
    },
    Toleration {
        deviation: Deviation::UndeclaredFloatControls,
        rule: &rules::OPERAND_CAPABILITY,
        producers: &[&BACK_END],
        meaning: "FloatControls2 is taken to be declared",
    },
    Toleration {
        deviation: Deviation::UndeclaredIntelSubgroups,
        rule: &rules::CAPABILITY_EXTENSION,
        producers: &[&TRANSLATOR],
        meaning: "SPV_INTEL_subgroups is taken to be declared",
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
