//! Conversions (SPIR-V 3.52.11).

use super::{Kind, Shape};
use crate::{Validator, deviations::Deviation};
use rspirv::spirv::{Op, StorageClass};
use spirv::Instruction;

impl<'a> Validator<'a> {
    /// `false` if the instruction is of another class.
    pub(super) fn conversion(&mut self, instruction: &Instruction<'a>, op: Op) -> bool {
        let result = self.shape(instruction.result_type);
        let value = self.value_shape(instruction.word(0));
        let same_count = result.count == value.count;
        match op {
            Op::ConvertFToU | Op::ConvertFToS | Op::ConvertSToF | Op::ConvertUToF => {
                let from_float = matches!(op, Op::ConvertFToU | Op::ConvertFToS);
                let (float, int) = if from_float { (value, result) } else { (result, value) };
                let (operand, wanted) = if from_float {
                    (value.is_any_float(), "floating-point numbers")
                } else {
                    (value.is_int(), "integers")
                };
                self.operand(instruction, operand, || format!("%{} must be {wanted}", instruction.word(0)));
                self.result(
                    instruction,
                    float.is_any_float() && int.is_int() && same_count,
                    "as many components of the other kind",
                );
            }
            Op::UConvert | Op::SConvert => {
                self.operand(instruction, value.is_int(), || format!("%{} must be integers", instruction.word(0)));
                let same = result.kind == value.kind;
                if same && value.is_int() && same_count && self.deviates(Deviation::ConvertToSameWidth, instruction) {
                    return true;
                }
                self.result(
                    instruction,
                    result.is_int() && same_count && !same,
                    "as many integers of another width",
                );
            }
            Op::FConvert => {
                self.operand(instruction, value.is_any_float(), || {
                    format!("%{} must be floating-point numbers", instruction.word(0))
                });
                let same = result.kind == value.kind;
                if same && value.is_any_float() && same_count && self.deviates(Deviation::ConvertToSameWidth, instruction) {
                    return true;
                }
                let good = result.is_any_float() && same_count && !same;
                self.result(instruction, good, "as many floating-point numbers of another width");
            }
            Op::SatConvertSToU | Op::SatConvertUToS => {
                self.operand(instruction, value.is_int(), || format!("%{} must be integers", instruction.word(0)));
                self.result(instruction, result.is_int() && same_count, "as many integers");
            }
            Op::ConvertFToBF16INTEL => {
                self.operand(instruction, value.kind == Kind::Float(32), || {
                    "Float Value must be 32-bit floating-point numbers".into()
                });
                self.result(instruction, result.kind == Kind::Int(16) && same_count, "as many 16-bit integers");
            }
            Op::RoundFToTF32INTEL => {
                self.operand(instruction, value.kind == Kind::Float(32), || {
                    "Float Value must be 32-bit floating-point numbers".into()
                });
                self.result(instruction, result == value, "the type of Float Value");
            }
            Op::ConvertBF16ToFINTEL => {
                self.operand(instruction, value.kind == Kind::Int(16), || {
                    "Bfloat16 Value must be 16-bit integers".into()
                });
                self.result(
                    instruction,
                    result.kind == Kind::Float(32) && same_count,
                    "as many 32-bit floating-point numbers",
                );
            }
            Op::ConvertPtrToU => {
                self.operand(instruction, is_pointer(value), || {
                    format!("%{} must be a pointer", instruction.word(0))
                });
                self.result(instruction, result.is_int() && same_count, "an integer");
            }
            Op::ConvertUToPtr => {
                self.operand(instruction, value.is_int(), || {
                    format!("%{} must be an integer", instruction.word(0))
                });
                self.result(instruction, is_pointer(result) && same_count, "a pointer");
            }
            Op::PtrCastToGeneric => {
                let from = matches!(
                    value.kind,
                    Kind::Pointer(StorageClass::Workgroup | StorageClass::CrossWorkgroup | StorageClass::Function)
                );
                self.operand(instruction, from, || {
                    "the pointer must be to Workgroup, CrossWorkgroup or Function".into()
                });
                self.result(
                    instruction,
                    result.kind == Kind::Pointer(StorageClass::Generic) && same_count,
                    "a pointer to Generic",
                );
                self.same_pointee(instruction);
            }
            Op::GenericCastToPtr | Op::GenericCastToPtrExplicit => {
                self.operand(instruction, value.kind == Kind::Pointer(StorageClass::Generic), || {
                    "the pointer must be to Generic".into()
                });
                let class = match result.kind {
                    Kind::Pointer(class @ (StorageClass::Workgroup | StorageClass::CrossWorkgroup | StorageClass::Function)) => Some(class),
                    _ => None,
                };
                self.result(
                    instruction,
                    class.is_some() && same_count,
                    "a pointer to Workgroup, CrossWorkgroup or Function",
                );
                if op == Op::GenericCastToPtrExplicit && class.is_some_and(|class| class as u32 != instruction.word(1)) {
                    self.operand_error(instruction, "Storage must be the result's storage class");
                }
                self.same_pointee(instruction);
            }
            Op::Bitcast => self.bitcast(instruction, result, value),
            _ => return false,
        }
        true
    }

    /// Casts between storage classes keep what is pointed to.
    fn same_pointee(&mut self, instruction: &Instruction<'a>) {
        let pointee = |type_id| {
            let component = self.module.components(type_id).1;
            self.module.ty(component).pointer().map(|(_, pointee)| pointee)
        };
        let (to, from) = (pointee(instruction.result_type), pointee(self.module.type_of(instruction.word(0))));
        let same = to == from || to == Some(0) || from == Some(0);
        if !same && !self.deviates(Deviation::CastOfPointee, instruction) {
            self.result_error(instruction, "it must point to the same type as the operand; add an OpBitcast");
        }
    }

    fn bitcast(&mut self, instruction: &Instruction<'a>, result: Shape, value: Shape) {
        let bits = |shape: Shape| match shape.kind {
            Kind::Int(width) | Kind::Float(width) => Some(width * shape.count),
            Kind::BFloat16 => Some(16 * shape.count),
            Kind::Float8(_) => Some(8 * shape.count),
            Kind::Pointer(_) => Some(self.module.address_bits * shape.count),
            _ => None,
        };
        let (to, from) = (bits(result), bits(value));
        let operand = instruction.word(0);
        if !self.operand(instruction, from.is_some(), || {
            format!("%{operand} must be a pointer, numbers, or a vector of numbers")
        }) {
            return;
        }
        if !self.result(
            instruction,
            to == from,
            "a pointer, numbers, or a vector of numbers, with as many bits as the operand",
        ) {
            return;
        }
        match (result.kind, value.kind) {
            (Kind::Pointer(to), Kind::Pointer(from)) => {
                self.result(instruction, to == from, "a pointer to the same storage class as the operand");
            }
            // A pointer is cast to and from integers, and since SPIR-V 1.5 vectors of them.
            (Kind::Pointer(_), other) | (other, Kind::Pointer(_)) => {
                let scalars = result.is_scalar() && value.is_scalar() || self.module.header().version >= (1, 5);
                self.operand(instruction, matches!(other, Kind::Int(_)) && scalars, || {
                    "a pointer is cast to and from integers (vectors of them since SPIR-V 1.5)".into()
                });
            }
            _ => {}
        }
    }
}

fn is_pointer(shape: Shape) -> bool {
    matches!(shape.kind, Kind::Pointer(_))
}
