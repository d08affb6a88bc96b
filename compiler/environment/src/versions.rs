//! The version of SPIR-V that brought each instruction and enumerant, as the specification's grammar has it: rspirv's tables have no versions.
//!
//! Only what is newer than 1.0 is here, and only what OpenCL's environment has a use for. What an extension brought first may be used before that
//! version by whoever declares the extension.

use rspirv::dr::Operand;
use rspirv::spirv::{BuiltIn, Capability, Decoration, ExecutionMode, GroupOperation, ImageOperands, LoopControl, Op, PackedVectorFormat};

/// Major and minor.
pub type Version = (u8, u8);

/// The version that has a capability in its core.
pub fn of_capability(capability: Capability) -> Version {
    use Capability as C;
    match capability {
        C::SubgroupDispatch | C::NamedBarrier | C::PipeStorage => (1, 1),
        C::GroupNonUniform
        | C::GroupNonUniformVote
        | C::GroupNonUniformArithmetic
        | C::GroupNonUniformBallot
        | C::GroupNonUniformShuffle
        | C::GroupNonUniformShuffleRelative
        | C::GroupNonUniformClustered => (1, 3),
        C::DenormPreserve | C::DenormFlushToZero | C::SignedZeroInfNanPreserve | C::RoundingModeRTE | C::RoundingModeRTZ => (1, 4),
        C::UniformDecoration | C::DotProduct | C::DotProductInputAll | C::DotProductInput4x8Bit | C::DotProductInput4x8BitPacked => (1, 6),
        _ => (1, 0),
    }
}

/// The version that has an instruction in its core, where no capability tells.
pub fn of_instruction(op: Op) -> Version {
    match op {
        Op::ModuleProcessed | Op::SizeOf => (1, 1),
        Op::ExecutionModeId | Op::DecorateId => (1, 2),
        Op::CopyLogical | Op::PtrEqual | Op::PtrNotEqual | Op::PtrDiff | Op::DecorateString | Op::MemberDecorateString => (1, 4),
        _ => (1, 0),
    }
}

/// The version that has an enumerant (of a mask: one bit) in its core; `None` if none has, since it is an extension's.
pub fn of_enumerant(operand: &Operand) -> Option<Version> {
    let version = match operand {
        Operand::Capability(capability) => of_capability(*capability),
        Operand::Decoration(decoration) => match decoration {
            Decoration::MaxByteOffset => (1, 1),
            Decoration::AlignmentId | Decoration::MaxByteOffsetId => (1, 2),
            Decoration::UniformId | Decoration::NoSignedWrap | Decoration::NoUnsignedWrap | Decoration::UserSemantic => (1, 4),
            _ => (1, 0),
        },
        Operand::ExecutionMode(mode) => match mode {
            ExecutionMode::Initializer | ExecutionMode::Finalizer | ExecutionMode::SubgroupSize | ExecutionMode::SubgroupsPerWorkgroup => {
                (1, 1)
            }
            ExecutionMode::SubgroupsPerWorkgroupId | ExecutionMode::LocalSizeId | ExecutionMode::LocalSizeHintId => (1, 2),
            ExecutionMode::DenormPreserve
            | ExecutionMode::DenormFlushToZero
            | ExecutionMode::SignedZeroInfNanPreserve
            | ExecutionMode::RoundingModeRTE
            | ExecutionMode::RoundingModeRTZ => (1, 4),
            _ => (1, 0),
        },
        Operand::LoopControl(control) => {
            let in_1_1 = LoopControl::DEPENDENCY_INFINITE | LoopControl::DEPENDENCY_LENGTH;
            let in_1_4 = LoopControl::MIN_ITERATIONS
                | LoopControl::MAX_ITERATIONS
                | LoopControl::ITERATION_MULTIPLE
                | LoopControl::PEEL_COUNT
                | LoopControl::PARTIAL_COUNT;
            match () {
                () if in_1_4.intersects(*control) => (1, 4),
                () if in_1_1.intersects(*control) => (1, 1),
                () => (1, 0),
            }
        }
        Operand::ImageOperands(operands) if operands.intersects(ImageOperands::NONTEMPORAL) => (1, 6),
        Operand::ImageOperands(operands) if operands.intersects(ImageOperands::SIGN_EXTEND | ImageOperands::ZERO_EXTEND) => (1, 4),
        Operand::GroupOperation(GroupOperation::ClusteredReduce) => (1, 3),
        Operand::BuiltIn(
            BuiltIn::SubgroupEqMask | BuiltIn::SubgroupGeMask | BuiltIn::SubgroupGtMask | BuiltIn::SubgroupLeMask | BuiltIn::SubgroupLtMask,
        ) => (1, 3),
        Operand::PackedVectorFormat(PackedVectorFormat::PackedVectorFormat4x8Bit) => (1, 6),
        _ => (1, 0),
    };
    let of_an_extension = version == (1, 0) && !operand.required_extensions().is_empty();
    // `Groups` has been in the core from the beginning, although an extension is named beside it.
    let groups = matches!(operand, Operand::Capability(Capability::Groups));
    (!of_an_extension || groups).then_some(version)
}
