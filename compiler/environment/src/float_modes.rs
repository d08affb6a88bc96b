//! Execution modes and decorations about floating-point arithmetic (SPV_KHR_float_controls, SPV_KHR_float_controls2, SPV_INTEL_float_controls2).

use super::{Validator, rules};
use rspirv::spirv::{Capability, ExecutionMode as Mode, FPFastMathMode, Op};
use spirv::{EntryPoint, Instruction, Type};

/// Modes of which a width can have one.
const ALTERNATIVES: [&[Mode]; 3] = [
    &[
        Mode::RoundingModeRTE,
        Mode::RoundingModeRTZ,
        Mode::RoundingModeRTPINTEL,
        Mode::RoundingModeRTNINTEL,
    ],
    &[Mode::DenormPreserve, Mode::DenormFlushToZero],
    &[Mode::FloatingPointModeALTINTEL, Mode::FloatingPointModeIEEEINTEL],
];

impl<'a> Validator<'a> {
    /// An OpExecutionMode or OpExecutionModeId, if it is about floating-point arithmetic.
    pub(super) fn float_mode(&mut self, instruction: &Instruction<'a>) {
        let Some(mode) = Mode::from_u32(instruction.word(1)) else { return };
        let module = self.module;
        let Some(entry) = module.entry_points.iter().find(|entry| entry.function == instruction.word(0)) else {
            return;
        };
        let others = ALTERNATIVES.iter().find(|modes| modes.contains(&mode));
        if mode == Mode::FPFastMathDefault {
            self.fast_math_default(instruction, entry);
        } else if others.is_some() || mode == Mode::SignedZeroInfNanPreserve {
            let width = instruction.word(2);
            if !matches!(width, 16 | 32 | 64) {
                let detail = format!("{mode:?}: no floating-point type has {width} bits");
                self.report.error(&rules::EXECUTION_MODE_OPERAND, instruction.index, detail);
            }
            let against = |other: &&spirv::ExecutionMode| {
                let alternative = others.is_some_and(|modes| modes.contains(&other.mode));
                other.mode != mode && alternative && other.operands.first() == Some(&width)
            };
            if let Some(other) = entry.modes.iter().find(against) {
                let detail = format!("{mode:?} and {:?} for numbers of {width} bits", other.mode);
                self.report.error(&rules::EXECUTION_MODE_CONFLICT, instruction.index, detail);
            }
        }
        if mode == Mode::FloatingPointModeALTINTEL {
            let detail = "FloatingPointModeALTINTEL is for GPUs; this device computes by IEEE 754";
            self.report.error(&rules::EXECUTION_MODE_OPERAND, instruction.index, detail);
        }
    }

    fn fast_math_default(&mut self, instruction: &Instruction<'a>, entry: &EntryPoint) {
        let module = self.module;
        let fault = if instruction.op() != Op::ExecutionModeId {
            Some("FPFastMathDefault takes ids: OpExecutionModeId")
        } else if !matches!(module.ty(instruction.word(2)), Type::Float { .. }) {
            Some("FPFastMathDefault is for a scalar floating-point type")
        } else {
            None
        };
        if let Some(fault) = fault {
            return self.report.error(&rules::EXECUTION_MODE_OPERAND, instruction.index, fault);
        }
        let word = module.constant_bits(instruction.word(3)).unwrap_or(0) as u32;
        if let Some(fault) = self.fast_math_fault(word, true) {
            self.report.error(&rules::FAST_MATH_MODE, instruction.index, fault);
        }
        let older = |mode: &Mode| matches!(mode, Mode::ContractionOff | Mode::SignedZeroInfNanPreserve);
        if let Some(mode) = entry.modes.iter().map(|mode| mode.mode).find(older) {
            let detail = format!("FPFastMathDefault and {mode:?}");
            self.report.error(&rules::EXECUTION_MODE_CONFLICT, instruction.index, detail);
        }
    }

    /// What is wrong with an FPFastMathMode; `new` where FloatControls2 brings it.
    pub(super) fn fast_math_fault(&self, word: u32, new: bool) -> Option<&'static str> {
        if !new && !self.module.has_capability(Capability::FloatControls2) {
            return None;
        }
        let modes = FPFastMathMode::from_bits_retain(word);
        let needed = FPFastMathMode::ALLOW_CONTRACT | FPFastMathMode::ALLOW_REASSOC;
        if modes.contains(FPFastMathMode::FAST) {
            Some("Fast is used")
        } else if modes.contains(FPFastMathMode::ALLOW_TRANSFORM) && !modes.contains(needed) {
            Some("AllowTransform stands without them")
        } else {
            None
        }
    }
}
