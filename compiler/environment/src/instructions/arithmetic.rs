//! Arithmetic, bits, relations and logic (SPIR-V 3.52.13 to 3.52.15).

use super::{Kind, Shape};
use crate::{Validator, deviations::Deviation, rules};
use rspirv::spirv::{Capability, Op, PackedVectorFormat};
use spirv::{Instruction, Type};

/// Which operands and results an instruction takes.
#[derive(Clone, Copy)]
enum Class {
    Int,
    Float,
    Bool,
}

impl Class {
    fn holds(self, shape: Shape) -> bool {
        match self {
            Class::Int => shape.is_int(),
            Class::Float => shape.is_float(),
            Class::Bool => shape.is_bool(),
        }
    }

    fn text(self) -> &'static str {
        match self {
            Class::Int => "an integer or a vector of integers",
            Class::Float => "a floating-point number or a vector of them",
            Class::Bool => "a Boolean or a vector of Booleans",
        }
    }
}

impl<'a> Validator<'a> {
    /// `false` if the instruction is of another class.
    pub(super) fn arithmetic(&mut self, instruction: &Instruction<'a>, op: Op) -> bool {
        match op {
            Op::SNegate
            | Op::IAdd
            | Op::ISub
            | Op::IMul
            | Op::UDiv
            | Op::SDiv
            | Op::UMod
            | Op::SRem
            | Op::SMod
            | Op::Not
            | Op::BitwiseOr
            | Op::BitwiseXor
            | Op::BitReverse => self.uniform(instruction, Class::Int),
            Op::BitwiseAnd => self.bitwise_and(instruction),
            Op::FNegate | Op::FAdd | Op::FSub | Op::FMul | Op::FDiv | Op::FRem | Op::FMod => self.uniform(instruction, Class::Float),
            Op::LogicalEqual | Op::LogicalNotEqual | Op::LogicalOr | Op::LogicalAnd | Op::LogicalNot => {
                self.uniform(instruction, Class::Bool)
            }
            Op::ShiftRightLogical | Op::ShiftRightArithmetic | Op::ShiftLeftLogical => self.shift(instruction),
            Op::IEqual
            | Op::INotEqual
            | Op::UGreaterThan
            | Op::SGreaterThan
            | Op::UGreaterThanEqual
            | Op::SGreaterThanEqual
            | Op::ULessThan
            | Op::SLessThan
            | Op::ULessThanEqual
            | Op::SLessThanEqual => self.relation(instruction, Class::Int),
            Op::FOrdEqual
            | Op::FUnordEqual
            | Op::FOrdNotEqual
            | Op::FUnordNotEqual
            | Op::FOrdLessThan
            | Op::FUnordLessThan
            | Op::FOrdGreaterThan
            | Op::FUnordGreaterThan
            | Op::FOrdLessThanEqual
            | Op::FUnordLessThanEqual
            | Op::FOrdGreaterThanEqual
            | Op::FUnordGreaterThanEqual
            | Op::IsNan
            | Op::IsInf
            | Op::IsFinite
            | Op::IsNormal
            | Op::SignBitSet
            | Op::LessOrGreater
            | Op::Ordered
            | Op::Unordered => self.relation(instruction, Class::Float),
            Op::Any | Op::All => self.any_all(instruction),
            Op::Select => self.select(instruction),
            Op::Dot => self.dot(instruction),
            Op::VectorTimesScalar => {
                let shape = self.shape(instruction.result_type);
                if self.result(
                    instruction,
                    shape.is_float() && shape.count > 1,
                    "a vector of floating-point numbers",
                ) {
                    self.same_type(instruction, 0..1, instruction.result_type);
                    let component = self.module.components(instruction.result_type).1;
                    self.same_type(instruction, 1..2, component);
                }
            }
            Op::IAddCarry | Op::ISubBorrow | Op::UMulExtended | Op::SMulExtended => self.extended_arithmetic(instruction),
            Op::BitFieldInsert | Op::BitFieldSExtract | Op::BitFieldUExtract => self.bit_field(instruction, op),
            Op::BitCount => {
                let (result, base) = (self.shape(instruction.result_type), self.value_shape(instruction.word(0)));
                self.result(
                    instruction,
                    result.is_int() && result.count == base.count,
                    "integers, as many as the operand",
                );
                self.operand(instruction, base.is_int(), || "Base must be integers".into());
            }
            Op::SDot | Op::UDot | Op::SUDot | Op::SDotAccSat | Op::UDotAccSat | Op::SUDotAccSat => self.integer_dot(instruction, op),
            Op::ExpectKHR => {
                let shape = self.shape(instruction.result_type);
                self.result(instruction, shape.is_int() || shape.is_bool(), "integers or Booleans");
                self.same_type(instruction, 0..2, instruction.result_type);
            }
            Op::AssumeTrueKHR => {
                let good = *self.module.value_type(instruction.word(0)) == Type::Bool;
                self.operand(instruction, good, || "the condition must be a Boolean".into());
            }
            Op::ArithmeticFenceEXT => {
                self.uniform(instruction, Class::Float);
            }
            _ => return false,
        }
        true
    }

    /// Result and operands have one type.
    fn uniform(&mut self, instruction: &Instruction<'a>, class: Class) {
        let shape = self.shape(instruction.result_type);
        if self.result(instruction, class.holds(shape), class.text()) {
            self.same_type(instruction, 0..instruction.operands.len(), instruction.result_type);
        }
    }

    fn bitwise_and(&mut self, instruction: &Instruction<'a>) {
        let (result, first) = (self.shape(instruction.result_type), self.value_shape(instruction.word(0)));
        let wider = match (result.kind, first.kind) {
            (Kind::Int(narrow), Kind::Int(wide)) => wide > narrow && result.count == first.count,
            _ => false,
        };
        if wider && self.deviates(Deviation::MaskOfWider, instruction) {
            self.same_type(instruction, 1..2, instruction.result_type);
        } else {
            self.uniform(instruction, Class::Int);
        }
    }

    fn shift(&mut self, instruction: &Instruction<'a>) {
        let shape = self.shape(instruction.result_type);
        self.result(instruction, shape.is_int(), Class::Int.text());
        self.same_type(instruction, 0..1, instruction.result_type);
        let by = self.value_shape(instruction.word(1));
        self.operand(instruction, by.is_int() && by.count == shape.count, || {
            "Shift must be integers, as many as Base".into()
        });
    }

    fn relation(&mut self, instruction: &Instruction<'a>, class: Class) {
        let result = self.shape(instruction.result_type);
        let type_id = self.module.type_of(instruction.word(0));
        let shape = self.shape(type_id);
        self.operand(instruction, class.holds(shape), || {
            format!("%{} must be {}", instruction.word(0), class.text())
        });
        self.same_type(instruction, 1..instruction.operands.len(), type_id);
        self.result(
            instruction,
            result.is_bool() && result.count == shape.count,
            "Booleans, as many as the operands have components",
        );
    }

    fn any_all(&mut self, instruction: &Instruction<'a>) {
        let good = *self.module.ty(instruction.result_type) == Type::Bool;
        self.result(instruction, good, "a Boolean");
        let vector = self.value_shape(instruction.word(0));
        if vector.is_int() && self.deviates(Deviation::AnyAllOfIntegers, instruction) {
            return;
        }
        self.operand(instruction, vector.is_bool() && vector.count > 1, || {
            "the operand must be a vector of Booleans".into()
        });
    }

    fn select(&mut self, instruction: &Instruction<'a>) {
        let condition = self.value_shape(instruction.word(0));
        let (count, _) = self.module.components(instruction.result_type);
        let ty = self.module.ty(instruction.result_type);
        if matches!(ty, Type::Image(_) | Type::SampledImage { .. }) {
            self.report.error(&rules::OPAQUE_CHOICE, instruction.index, "");
        }
        let selectable = !matches!(ty, Type::Void | Type::Function { .. } | Type::Opaque(_));
        self.result(instruction, selectable, "a type of values");
        if ty.is_aggregate() && self.module.header().version < (1, 4) {
            self.report.error_with(
                &rules::SELECT_AGGREGATE,
                instruction.index,
                "",
                "Declare SPIR-V version 1.4 in the header.",
            );
        }
        self.same_type(instruction, 1..3, instruction.result_type);
        let good = condition.is_bool() && (condition.count == count || condition.count == 1);
        self.operand(instruction, good, || "Condition must be a Boolean, or one a component".into());
        if good && condition.count == 1 && count > 1 && self.module.header().version < (1, 4) {
            self.report.error_with(
                &rules::SELECT_AGGREGATE,
                instruction.index,
                "one Boolean selects between vectors",
                "Make Condition a vector of Booleans, or declare SPIR-V version 1.4 in the header.",
            );
        }
    }

    fn dot(&mut self, instruction: &Instruction<'a>) {
        let type_id = self.module.type_of(instruction.word(0));
        let (count, component) = self.module.components(type_id);
        let shape = self.shape(type_id);
        if shape.kind == Kind::BFloat16 {
            self.needs_any(instruction, &[Capability::BFloat16DotProductKHR]);
        }
        let good = count > 1 && shape.is_any_float();
        self.operand(instruction, good, || {
            "the operands must be vectors of floating-point numbers".into()
        });
        self.same_type(instruction, 1..2, type_id);
        self.result(
            instruction,
            component == instruction.result_type,
            "the type of the operands' components",
        );
    }

    fn extended_arithmetic(&mut self, instruction: &Instruction<'a>) {
        let Type::Struct(ty) = self.module.ty(instruction.result_type) else {
            return self.result_error(instruction, "it must be a struct of two members");
        };
        let good = matches!(ty.members[..], [low, high] if low == high && self.shape(low).is_int());
        let member = ty.members.first().copied().unwrap_or(0);
        if self.result(instruction, good, "a struct of two members of the same integer type") {
            self.same_type(instruction, 0..2, member);
        }
    }

    fn bit_field(&mut self, instruction: &Instruction<'a>, op: Op) {
        let shape = self.shape(instruction.result_type);
        let values = if op == Op::BitFieldInsert { 2 } else { 1 };
        self.result(instruction, shape.is_int(), Class::Int.text());
        self.same_type(instruction, 0..values, instruction.result_type);
        for position in values..values + 2 {
            let operand = self.value_shape(instruction.word(position));
            let good = operand.is_int() && operand.is_scalar();
            self.operand(instruction, good, || "Offset and Count must be integers".into());
        }
    }

    /// Beside DotProduct, a capability for the operands' form is declared.
    fn dot_product_input(&mut self, instruction: &Instruction<'a>, packed: bool, bytes: bool) {
        let needed: &[Capability] = match (packed, bytes) {
            (true, _) => &[Capability::DotProductInput4x8BitPacked],
            (false, true) => &[Capability::DotProductInput4x8Bit, Capability::DotProductInputAll],
            (false, false) => &[Capability::DotProductInputAll],
        };
        self.needs_any(instruction, needed);
    }

    fn integer_dot(&mut self, instruction: &Instruction<'a>, op: Op) {
        let accumulates = matches!(op, Op::SDotAccSat | Op::UDotAccSat | Op::SUDotAccSat);
        let format_at = if accumulates { 3 } else { 2 };
        let format = instruction.operands.get(format_at).copied();
        let result = self.shape(instruction.result_type);
        let types = [0, 1].map(|position| self.module.type_of(instruction.word(position)));
        let [left, right] = types.map(|type_id| self.shape(type_id));
        let packed = left.is_scalar();
        let good = if packed {
            left.is_int32() && right.is_int32()
        } else {
            left.is_int() && right.is_int() && left.count == right.count && left.kind == right.kind
        };
        self.operand(instruction, good, || {
            "the operands must be vectors of integers, or 32-bit integers with a packed vector format".into()
        });
        let bytes = left.kind == Kind::Int(8) && left.count == 4;
        self.dot_product_input(instruction, packed, bytes);
        if packed != (format == Some(PackedVectorFormat::PackedVectorFormat4x8Bit as u32)) {
            self.operand_error(instruction, "Packed Vector Format must be given for scalars, and only for them");
        }
        let width = |shape: Shape| match shape.kind {
            Kind::Int(width) => width,
            _ => 0,
        };
        let least = if packed { 8 } else { width(left) };
        self.result(
            instruction,
            result.is_scalar() && width(result) >= least,
            "an integer at least as wide as the operands' components",
        );
        if accumulates {
            self.same_type(instruction, 2..3, instruction.result_type);
        }
    }
}
