//! Integers of any width up to 64 bits (SPV_INTEL_arbitrary_precision_integers): where they may stand. The extension says nothing of groups, atomics,
//! images and the built-in functions of OpenCL C, none of which has such a type.

use crate::{Validator, rules};
use rspirv::spirv::{Capability, Op, OpenclStd100Op as Std};
use spirv::{ExtendedSet, Instruction, grammar};

impl<'a> Validator<'a> {
    /// `false`, and told, if the instruction has such integers and does not take them.
    pub(super) fn takes_odd_integers(&mut self, instruction: &Instruction<'a>, op: Op) -> bool {
        if !self.module.has_capability(Capability::ArbitraryPrecisionIntegersINTEL) || self.is_for_any_width(instruction, op) {
            return true;
        }
        let module = self.module;
        let mut odd = module.odd_width(instruction.result_type);
        let mut visit = |kind, words: &[u32]| {
            if grammar::is_id(&kind) {
                odd = odd.or(module.odd_width(module.type_of(words[0])));
            }
        };
        let _ = grammar::walk(
            instruction.info,
            instruction.result_type,
            instruction.operands,
            &*module.binary,
            &mut visit,
        );
        if let Some(width) = odd {
            let advice = "Convert it to 8, 16, 32 or 64 bits before, and its result back.";
            self.report.error_with(
                &rules::ODD_INTEGER,
                instruction.index,
                format!("it has integers of {width} bits"),
                advice,
            );
        }
        odd.is_none()
    }

    fn is_for_any_width(&self, instruction: &Instruction<'a>, op: Op) -> bool {
        match op {
            Op::IAdd | Op::ISub | Op::IMul | Op::UDiv | Op::SDiv | Op::UMod | Op::SRem | Op::SMod | Op::SNegate | Op::Not => true,
            Op::BitwiseAnd | Op::BitwiseOr | Op::BitwiseXor | Op::BitCount | Op::BitReverse | Op::IAddCarry | Op::ISubBorrow => true,
            Op::ShiftLeftLogical | Op::ShiftRightLogical | Op::ShiftRightArithmetic => true,
            Op::IEqual | Op::INotEqual | Op::ULessThan | Op::ULessThanEqual | Op::UGreaterThan | Op::UGreaterThanEqual => true,
            Op::SLessThan | Op::SLessThanEqual | Op::SGreaterThan | Op::SGreaterThanEqual => true,
            Op::UConvert | Op::SConvert | Op::SatConvertSToU | Op::SatConvertUToS | Op::ConvertPtrToU | Op::ConvertUToPtr => true,
            Op::ConvertFToU | Op::ConvertFToS | Op::ConvertUToF | Op::ConvertSToF => true,
            Op::Load | Op::Store | Op::CopyMemory | Op::Variable | Op::UntypedVariableKHR => true,
            Op::UntypedAccessChainKHR | Op::UntypedInBoundsAccessChainKHR => true,
            Op::UntypedPtrAccessChainKHR | Op::UntypedInBoundsPtrAccessChainKHR => true,
            Op::AccessChain | Op::InBoundsAccessChain | Op::PtrAccessChain | Op::InBoundsPtrAccessChain => true,
            Op::CompositeConstruct | Op::CompositeExtract | Op::CompositeInsert | Op::CopyObject | Op::CopyLogical => true,
            Op::VectorShuffle | Op::VectorExtractDynamic | Op::VectorInsertDynamic => true,
            Op::Select | Op::Phi | Op::Switch | Op::FunctionCall | Op::ReturnValue | Op::Undef | Op::ExpectKHR => true,
            Op::ExtInst if self.module.extended_set(instruction.word(0)) == Some(ExtendedSet::OpenClStd) => matches!(
                Std::from_u32(instruction.word(1)),
                Some(Std::s_max | Std::s_min | Std::u_max | Std::u_min)
            ),
            // Debug information.
            Op::ExtInst => true,
            _ => false,
        }
    }
}
