//! Decorations: each on a target that it is for (SPIR-V 3.20).

use super::deviations::Deviation;
use super::instructions::Kind;
use super::{Validator, rules};
use rspirv::spirv::{Decoration, FunctionParameterAttribute, Op};
use rustc_hash::{FxHashMap, FxHashSet};
use spirv::{Id, Type, What};

impl<'a> Validator<'a> {
    pub(super) fn decorations(&mut self) {
        let mut spec_ids = FxHashMap::default();
        let mut exports = FxHashSet::default();
        let groups = self.groups();
        for record in &self.module.decorations {
            let Some(decoration) = self.module.decoration_of(record.instruction) else {
                continue;
            };
            if groups.contains(&record.target) {
                continue;
            }
            let Some(definition) = self.module.definition(record.target) else {
                self.report.error(
                    &rules::ID_UNDEFINED,
                    record.instruction,
                    format!("%{} is not defined", record.target),
                );
                continue;
            };
            if record.member != 0 {
                self.member(record.instruction, record.target, record.member - 1);
                continue;
            }
            let good = match decoration.kind {
                Decoration::SpecId => {
                    let spec_id = decoration.operands.first().copied().unwrap_or(0);
                    if let Some(other) = spec_ids.insert(spec_id, record.target) {
                        let detail = format!("SpecId {spec_id} is that of %{other} too");
                        self.report.error(&rules::SPEC_ID, record.instruction, detail);
                    }
                    matches!(definition.op(), Op::SpecConstant | Op::SpecConstantTrue | Op::SpecConstantFalse)
                }
                Decoration::BuiltIn => spirv::is_variable(definition.op()),
                Decoration::Constant => spirv::is_variable(definition.op()) || definition.op() == Op::FunctionParameter,
                Decoration::CPacked => definition.op() == Op::TypeStruct,
                Decoration::FuncParamAttr => {
                    self.by_value(record.instruction, record.target, decoration.operands);
                    matches!(definition.op(), Op::FunctionParameter | Op::Function)
                }
                Decoration::Alignment | Decoration::MaxByteOffset => {
                    let value = decoration.operands.first().copied().unwrap_or(0);
                    let with_sign = |this: &mut Self| {
                        let instruction = this.module.instruction(record.instruction);
                        value == 0xffff_ff80 && this.deviates(Deviation::AlignmentWithSign, &instruction)
                    };
                    if decoration.kind == Decoration::Alignment && !value.is_power_of_two() && !with_sign(self) {
                        self.report
                            .error(&rules::ALIGNMENT, record.instruction, format!("Alignment {value}"));
                    }
                    matches!(self.module.value_type(record.target), Type::Pointer { .. })
                }
                Decoration::LinkageAttributes => {
                    self.linkage_name(record.instruction, record.target, &mut exports);
                    if self.module.entry_points.iter().any(|entry| entry.function == record.target) {
                        let detail = format!("%{} is one", record.target);
                        self.report.error(&rules::ENTRY_POINT_LINKAGE, record.instruction, detail);
                    }
                    spirv::is_variable(definition.op()) || definition.op() == Op::Function
                }
                Decoration::FPRoundingMode => is_rounded(definition.op()),
                Decoration::FPFastMathMode => {
                    let word = decoration.operands.first().copied().unwrap_or(0);
                    if let Some(wrong) = self.fast_math_fault(word, false) {
                        self.report.error(&rules::FAST_MATH_MODE, record.instruction, wrong);
                    }
                    let integers = definition.info.has_type && self.shape(definition.result_type).is_int();
                    self.module.record(record.target).what != What::Label && !integers
                }
                Decoration::SaturatedConversion => {
                    matches!(
                        definition.op(),
                        Op::ConvertFToU | Op::ConvertFToS | Op::SConvert | Op::UConvert | Op::SatConvertSToU | Op::SatConvertUToS
                    )
                }
                Decoration::SaturatedToLargestFloat8NormalConversionEXT => {
                    let converts = matches!(definition.op(), Op::FConvert | Op::ConvertSToF | Op::ConvertUToF);
                    converts && matches!(self.shape(definition.result_type).kind, Kind::Float8(_))
                }
                Decoration::NoSignedWrap | Decoration::NoUnsignedWrap => {
                    matches!(
                        definition.op(),
                        Op::IAdd | Op::ISub | Op::IMul | Op::ShiftLeftLogical | Op::SNegate | Op::SpecConstantOp | Op::ExtInst
                    )
                }
                _ => self.module.record(record.target).what != What::Label,
            };
            if !good {
                let detail = format!("{:?} is not for Op{:?}", decoration.kind, definition.op());
                self.report.error(&rules::DECORATION_TARGET, record.instruction, detail);
            }
        }
    }

    /// What is passed by its value, or returned through a pointer, is pointed to.
    fn by_value(&mut self, instruction: u32, parameter: Id, operands: &[u32]) {
        let attribute = operands.first().and_then(|&word| FunctionParameterAttribute::from_u32(word));
        let pointed = matches!(
            attribute,
            Some(FunctionParameterAttribute::ByVal | FunctionParameterAttribute::Sret)
        );
        let is_parameter = self.module.definition(parameter).is_some_and(|i| i.op() == Op::FunctionParameter);
        let typed = matches!(self.module.value_type(parameter).pointer(), Some((_, 1..)));
        if pointed && is_parameter && !typed {
            let detail = format!(
                "{:?} is for pointers that say what they point to, and %{parameter} is none",
                attribute.unwrap_or(FunctionParameterAttribute::ByVal)
            );
            self.report.error(&rules::DECORATION_TARGET, instruction, detail);
        }
    }

    /// Ids of decoration groups.
    fn groups(&self) -> FxHashSet<u32> {
        let before = self.module.binary.instructions().take_while(|i| i.op() != Op::Function);
        before.filter(|i| i.op() == Op::DecorationGroup).map(|i| i.result).collect()
    }

    fn member(&mut self, instruction: u32, target: u32, member: u32) {
        let good = matches!(self.module.ty(target), Type::Struct(ty) if (member as usize) < ty.members.len());
        if !good {
            self.report
                .error(&rules::DECORATION_TARGET, instruction, format!("%{target} has no member {member}"));
        }
    }

    fn linkage_name(&mut self, instruction: u32, target: u32, exports: &mut FxHashSet<String>) {
        use rspirv::spirv::LinkageType;
        let Some((name, kind)) = self.module.linkage(target) else { return };
        if kind == LinkageType::Export && !exports.insert(name.clone()) {
            self.report.error(&rules::EXPORT_NAME, instruction, format!("\"{name}\""));
        }
        if kind != LinkageType::Import && self.module.function(target).is_some_and(|function| function.blocks.is_empty()) {
            self.report
                .error(&rules::FUNCTION_BODY, instruction, "it is exported, but has no body");
        }
    }
}

/// Conversions that a rounding mode can be given for, and (SPV_INTEL_float_controls2 and OpenCL C's built-in functions) arithmetic.
fn is_rounded(op: Op) -> bool {
    matches!(
        op,
        Op::FConvert
            | Op::ConvertFToU
            | Op::ConvertFToS
            | Op::ConvertSToF
            | Op::ConvertUToF
            | Op::SConvert
            | Op::UConvert
            | Op::Store
            | Op::FAdd
            | Op::FSub
            | Op::FMul
            | Op::FDiv
            | Op::FRem
            | Op::ExtInst
    )
}
