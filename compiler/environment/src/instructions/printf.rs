//! printf (OpenCL.std 2.3; OpenCL C 6.15.14): its format is constant, and the conversions in it are for the arguments.

use super::{Kind, Shape};
use crate::{Validator, deviations::Deviation, rules};
use device::printf::{Conversion, conversions};
use rspirv::spirv::{Op, StorageClass};
use spirv::{ConstantRef, ConstantValue, Id, Instruction, Type};

/// A format is read as far as this.
const LONGEST: usize = 1 << 16;

impl<'a> Validator<'a> {
    pub(super) fn printf(&mut self, instruction: &Instruction<'a>, operands: &'a [u32]) {
        self.result(instruction, self.shape(instruction.result_type).is_int32(), "a 32-bit integer");
        let Some((class, pointee)) = self.pointer(instruction, operands[0]) else {
            return;
        };
        let relaxed = self.declares_extension("SPV_EXT_relaxed_printf_string_address_space");
        if class != StorageClass::UniformConstant && !relaxed {
            let advice = "Put the string into UniformConstant, or declare SPV_EXT_relaxed_printf_string_address_space.";
            self.report.error_with(
                &rules::PRINTF_FORMAT,
                instruction.index,
                format!("it is a pointer to {class:?}"),
                advice,
            );
        }
        let byte = |type_id| {
            self.shape(type_id)
                == Shape {
                    kind: Kind::Int(8),
                    count: 1,
                }
        };
        let good = pointee == 0 || byte(pointee);
        let array = matches!(*self.module.ty(pointee), Type::Array { element, .. } if byte(element));
        let good = good || array && self.deviates(Deviation::PrintfArray, instruction);
        if !good {
            self.report
                .error(&rules::PRINTF_FORMAT, instruction.index, "it is no pointer to bytes");
        }
        for &operand in &operands[1..] {
            let shape = self.value_shape(operand);
            let good = shape.is_int() || shape.is_float() || matches!(shape.kind, Kind::Pointer(_));
            self.operand(instruction, good, || format!("%{operand} must be numbers or a pointer"));
        }
        if let Some(format) = self.text_at(operands[0])
            && let Some(fault) = self.fault_of_conversions(&format, &operands[1..])
        {
            // What it prints is undefined, and modules with such a call are valid.
            if self.strict {
                self.report.error(&rules::PRINTF_ARGUMENTS, instruction.index, fault);
            } else {
                self.report.warning(&rules::PRINTF_ARGUMENTS, instruction.index, fault);
            }
        }
    }

    /// What is wrong with a format's conversions.
    fn fault_of_conversions(&self, format: &[u8], arguments: &[Id]) -> Option<String> {
        let Some(conversions) = conversions(format) else {
            return Some("the format has a conversion that printf does not have".into());
        };
        if arguments.len() < conversions.len() {
            return Some(format!(
                "the format asks for {} arguments, and there are {}",
                conversions.len(),
                arguments.len()
            ));
        }
        let faulty = |(conversion, argument): &(&Conversion, &Id)| !self.fits(conversion, **argument);
        let (conversion, argument) = conversions.iter().zip(arguments).find(faulty)?;
        let letter = char::from(conversion.letter);
        Some(format!("%{argument} is no argument for {letter:?}"))
    }

    fn fits(&self, conversion: &Conversion, argument: Id) -> bool {
        let shape = self.value_shape(argument);
        let kind = match conversion.letter {
            b's' | b'p' => matches!(shape.kind, Kind::Pointer(_)),
            b'a' | b'A' | b'e' | b'E' | b'f' | b'F' | b'g' | b'G' => shape.is_float(),
            _ => shape.is_int(),
        };
        kind && shape.count as usize == conversion.components
    }

    /// The bytes before the first zero at a constant address, where the module says what is there.
    fn text_at(&self, pointer: Id) -> Option<Vec<u8>> {
        let mut at = pointer;
        // A chain of casts and of ways to the first byte leads to the variable.
        for _ in 0..8 {
            if let Some(variable) = self.module.global_variable(at) {
                return self.bytes(variable.initializer?);
            }
            let definition = self.module.definition(at)?;
            let (op, operands) = match definition.op() {
                Op::SpecConstantOp => (Op::from_u32(definition.word(0))?, definition.operands.get(1..)?),
                op => (op, definition.operands),
            };
            let untyped = matches!(
                op,
                Op::UntypedAccessChainKHR
                    | Op::UntypedInBoundsAccessChainKHR
                    | Op::UntypedPtrAccessChainKHR
                    | Op::UntypedInBoundsPtrAccessChainKHR
            );
            // An untyped chain has a type first.
            let (&base, indexes) = operands.get(usize::from(untyped)..)?.split_first()?;
            let first = indexes.iter().all(|&index| self.module.constant_bits(index) == Some(0));
            let leads = match op {
                _ if untyped => first,
                Op::Bitcast | Op::CopyObject => true,
                Op::AccessChain | Op::InBoundsAccessChain | Op::PtrAccessChain | Op::InBoundsPtrAccessChain => first,
                _ => false,
            };
            if !leads {
                return None;
            }
            at = base;
        }
        None
    }

    fn bytes(&self, constant: ConstantRef) -> Option<Vec<u8>> {
        let ConstantValue::Composite(parts) = &self.module.resolve(constant).value else {
            return matches!(self.module.resolve(constant).value, ConstantValue::Null).then(Vec::new);
        };
        let mut bytes = Vec::new();
        for &part in parts.iter().take(LONGEST) {
            match self.module.resolve(part).value {
                ConstantValue::Null | ConstantValue::Bits(0) => return Some(bytes),
                ConstantValue::Bits(bits) => bytes.push(u8::try_from(bits).ok()?),
                _ => return None,
            }
        }
        None
    }
}
