//! Constants: literals, composites, specialization, OpSpecConstantOp; and module-scope variables.

use super::Builder;
use super::types::with_continuations;
use crate::rules;
use rspirv::spirv::{Decoration, Op, SamplerAddressingMode, SamplerFilterMode, StorageClass};
use spirv::fold::{Folded, Scalar, fold, mask};
use spirv::{
    Constant, ConstantRef, ConstantValue, FloatEncoding, GlobalVariable, Id, Instruction, SpecConstant, Type, What, container_bits,
};

impl Builder<'_> {
    pub(super) fn declare_constant(&mut self, instruction: &Instruction<'_>) {
        if matches!(
            instruction.op(),
            Op::ConstantCompositeContinuedINTEL | Op::SpecConstantCompositeContinuedINTEL
        ) {
            return;
        }
        if self.type_operand(instruction, instruction.result_type).is_none() {
            return;
        }
        self.set_type(instruction.result, instruction.result_type);
        if let Some(value) = self.constant_value(instruction) {
            let constant = self.new_constant(instruction.result_type, value);
            self.set_index(instruction.result, What::Constant, constant.0 as usize);
        }
    }

    /// OpUndef in a function is a constant like one outside.
    pub(super) fn new_constant(&mut self, type_id: Id, value: ConstantValue) -> ConstantRef {
        self.module.constants.push(Constant { type_id, value });
        ConstantRef(self.module.constants.len() as u32 - 1)
    }

    fn bad_constant<T>(&mut self, instruction: &Instruction<'_>, detail: &str) -> Option<T> {
        self.report.error(&rules::CONSTANT_TYPE, instruction.index, detail);
        None
    }

    fn constant_value(&mut self, instruction: &Instruction<'_>) -> Option<ConstantValue> {
        let ty = self.module.ty(instruction.result_type).clone();
        match instruction.op() {
            Op::Undef if ty == Type::Void => self.bad_constant(instruction, "there is no value of type void"),
            Op::Undef => Some(ConstantValue::Undef),
            Op::ConstantNull => match ty {
                Type::Void | Type::Function { .. } | Type::Opaque(_) => self.bad_constant(instruction, "the type has no null value"),
                _ => Some(ConstantValue::Null),
            },
            op @ (Op::ConstantTrue | Op::ConstantFalse | Op::SpecConstantTrue | Op::SpecConstantFalse) => {
                if ty != Type::Bool {
                    return self.bad_constant(instruction, "it must be OpTypeBool");
                }
                let value = matches!(op, Op::ConstantTrue | Op::SpecConstantTrue);
                let set = self.specialized(instruction, 1).map(|bits| bits != 0);
                Some(ConstantValue::Bool(set.unwrap_or(value)))
            }
            Op::Constant | Op::SpecConstant => self.literal(instruction, &ty),
            Op::ConstantComposite => self.composite(instruction, Op::ConstantCompositeContinuedINTEL),
            Op::SpecConstantComposite => self.composite(instruction, Op::SpecConstantCompositeContinuedINTEL),
            Op::SpecConstantOp => self.operation(instruction),
            Op::ConstantSampler => {
                if ty != Type::Sampler {
                    return self.bad_constant(instruction, "it must be OpTypeSampler");
                }
                if instruction.word(1) > 1 {
                    return self.bad_constant(instruction, "Param must be 0 or 1");
                }
                Some(ConstantValue::Sampler {
                    addressing: SamplerAddressingMode::from_u32(instruction.word(0))?,
                    normalized: instruction.word(1) == 1,
                    filter: SamplerFilterMode::from_u32(instruction.word(2))?,
                })
            }
            Op::ConstantPipeStorage => {
                if ty != Type::PipeStorage {
                    return self.bad_constant(instruction, "it must be OpTypePipeStorage");
                }
                let [packet_size, packet_align, capacity] = [0, 1, 2].map(|position| instruction.word(position));
                Some(ConstantValue::PipeStorage {
                    packet_size,
                    packet_align,
                    capacity,
                })
            }
            Op::ConstantFunctionPointerINTEL => {
                let is_function = self.module.definition(instruction.word(0)).is_some_and(|i| i.op() == Op::Function);
                if !is_function || ty.pointer().is_none() {
                    return self.bad_constant(instruction, "it must be a pointer to a function, and name a function");
                }
                Some(ConstantValue::Address(instruction.word(0)))
            }
            op => {
                self.report
                    .error(&rules::INSTRUCTION_UNSUPPORTED, instruction.index, format!("Op{op:?}"));
                None
            }
        }
    }

    fn literal(&mut self, instruction: &Instruction<'_>, ty: &Type) -> Option<ConstantValue> {
        let (Type::Int { width } | Type::Float { width, .. }) = *ty else {
            return self.bad_constant(instruction, "it must be an integer or floating-point type");
        };
        let bits = u64::from(instruction.word(0)) | u64::from(instruction.word(1)) << 32;
        if mask(bits, width) != bits {
            let detail = format!("the literal {bits:#x} has bits beyond the {width} of its type");
            let advice = "Types have no signedness in OpenCL: extend the literal with zeros.";
            self.report.error_with(&rules::CONSTANT_LITERAL, instruction.index, detail, advice);
        }
        Some(ConstantValue::Bits(mask(
            self.specialized(instruction, container_bits(width) / 8).unwrap_or(bits),
            width,
        )))
    }

    /// The value that the application gave for a specialization constant of `size` bytes, if it gave one.
    fn specialized(&mut self, instruction: &Instruction<'_>, size: u32) -> Option<u64> {
        if !matches!(instruction.op(), Op::SpecConstant | Op::SpecConstantTrue | Op::SpecConstantFalse) {
            return None;
        }
        let spec_id = *self.module.decoration(instruction.result, Decoration::SpecId)?.first()?;
        self.module.spec_constants.push(SpecConstant {
            spec_id,
            id: instruction.result,
            size,
        });
        let (_, bytes) = self.specialization.iter().rev().find(|(id, _)| *id == spec_id)?;
        if bytes.len() != size as usize {
            let detail = format!("SpecId {spec_id} takes {size} bytes, not {}", bytes.len());
            self.report.error(&rules::SPECIALIZATION_SIZE, instruction.index, detail);
            return None;
        }
        Some(bytes.iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte)))
    }

    /// The constant that an operand names: one that was declared before, or an address.
    fn constant_operand(&mut self, instruction: &Instruction<'_>, id: Id) -> Option<ConstantRef> {
        if let Some(constant) = self.module.constant_ref(id) {
            return Some(constant);
        }
        if self.module.global_variable(id).is_some() {
            if let Some(&address) = self.addresses.get(&id) {
                return Some(address);
            }
            let address = self.new_constant(self.module.type_of(id), ConstantValue::Address(id));
            self.addresses.insert(id, address);
            return Some(address);
        }
        let rule = match self.module.definition(id) {
            None => &rules::ID_UNDEFINED,
            Some(definition) if spirv::is_constant(definition.op()) && definition.index < instruction.index => return None, // told already
            Some(definition) if spirv::is_constant(definition.op()) || spirv::is_variable(definition.op()) => &rules::ID_ORDER,
            Some(_) => &rules::CONSTANT_OPERAND,
        };
        self.report.error(rule, instruction.index, format!("%{id}"));
        None
    }

    fn composite(&mut self, instruction: &Instruction<'_>, continued: Op) -> Option<ConstantValue> {
        let operands = with_continuations(&self.module.binary.clone(), instruction, continued);
        let expected = match self.module.ty(instruction.result_type) {
            Type::Struct(ty) => ty.members.len() as u64,
            Type::Array { length, .. } => *length,
            Type::Vector { count, .. } => u64::from(*count),
            Type::CooperativeMatrix(_) => return self.matrix_of_one(instruction, &operands),
            _ => return self.bad_constant(instruction, "it must be a vector, array or struct type"),
        };
        if expected != operands.len() as u64 {
            let detail = format!("the type has {expected} parts, but {} are given", operands.len());
            return self.bad_constant(instruction, &detail);
        }
        let mut parts = Vec::with_capacity(operands.len());
        for (position, &operand) in operands.iter().enumerate() {
            let part = self.constant_operand(instruction, operand)?;
            let wanted = self.part_type(instruction.result_type, position as u64)?;
            let part = match self.module.resolve(part).type_id == wanted {
                true => Some(part),
                false => self.part_of_other_pointers(instruction, part, wanted),
            };
            let Some(part) = part else {
                let detail = format!("part {position}, %{operand}, is not of type %{wanted}");
                self.report.error(&rules::CONSTANT_OPERAND, instruction.index, detail);
                return None;
            };
            parts.push(part);
        }
        Some(ConstantValue::Composite(parts.into()))
    }

    /// A cooperative matrix, all of whose components are one constant.
    fn matrix_of_one(&mut self, instruction: &Instruction<'_>, operands: &[Id]) -> Option<ConstantValue> {
        let (component, length) = self.module.elements(instruction.result_type)?;
        let &[operand] = operands else {
            return self.bad_constant(
                instruction,
                "a cooperative matrix has one constituent, which all its components are",
            );
        };
        let part = self.constant_operand(instruction, operand)?;
        if self.module.resolve(part).type_id != component {
            let detail = format!("%{operand} is not of the component type, %{component}");
            self.report.error(&rules::CONSTANT_OPERAND, instruction.index, detail);
            return None;
        }
        Some(ConstantValue::Composite(vec![part; length as usize].into()))
    }

    /// The type of a part of an aggregate, vector or matrix.
    pub(super) fn part_type(&self, type_id: Id, position: u64) -> Option<Id> {
        match self.module.ty(type_id) {
            Type::Struct(ty) => ty.members.get(position as usize).copied(),
            _ => {
                let (part, count) = self.module.elements(type_id)?;
                (position < count).then_some(part)
            }
        }
    }

    /// A part of a composite constant.
    fn part(&mut self, whole: ConstantRef, position: u64) -> Option<ConstantRef> {
        let type_id = self.part_type(self.module.resolve(whole).type_id, position)?;
        match &self.module.resolve(whole).value {
            ConstantValue::Composite(parts) => parts.get(position as usize).copied(),
            ConstantValue::Null => Some(self.new_constant(type_id, ConstantValue::Null)),
            ConstantValue::Undef => Some(self.new_constant(type_id, ConstantValue::Undef)),
            _ => None,
        }
    }

    fn operation(&mut self, instruction: &Instruction<'_>) -> Option<ConstantValue> {
        let op = Op::from_u32(instruction.word(0))?;
        let words = &instruction.operands[1..];
        let value = self.evaluate(instruction, op, words);
        if value.is_none() {
            let detail = format!("{op:?} with these operands and result type");
            self.report.error(&rules::SPEC_CONSTANT_OP, instruction.index, detail);
        }
        value
    }

    fn evaluate(&mut self, instruction: &Instruction<'_>, op: Op, words: &[u32]) -> Option<ConstantValue> {
        // How many operands are ids; literals follow.
        let ids = match op {
            Op::CompositeExtract => 1,
            Op::CompositeInsert | Op::VectorShuffle => 2,
            _ => words.len(),
        };
        let (ids, literals) = words.split_at_checked(ids)?;
        let mut operands = Vec::with_capacity(ids.len());
        let (base_type, ids) = match op {
            Op::UntypedAccessChainKHR
            | Op::UntypedInBoundsAccessChainKHR
            | Op::UntypedPtrAccessChainKHR
            | Op::UntypedInBoundsPtrAccessChainKHR => ids.split_first().map(|(&ty, ids)| (ty, ids))?,
            _ => (0, ids),
        };
        if base_type != 0 {
            // The type stands first, as that of a null.
            self.module.find_type(base_type)?;
            operands.push(self.new_constant(base_type, ConstantValue::Null));
        }
        for &id in ids {
            operands.push(self.constant_operand(instruction, id)?);
        }
        match op {
            Op::CompositeExtract => {
                let mut at = operands[0];
                for &literal in literals {
                    at = self.part(at, u64::from(literal))?;
                }
                let part = self.module.resolve(at);
                (part.type_id == instruction.result_type).then(|| part.value.clone())
            }
            Op::CompositeInsert => {
                let [object, whole] = operands[..] else { return None };
                let same = self.module.resolve(whole).type_id == instruction.result_type;
                if same { self.insert(whole, object, literals) } else { None }
            }
            Op::VectorShuffle => self.shuffle(instruction.result_type, &operands, literals),
            Op::AccessChain
            | Op::InBoundsAccessChain
            | Op::PtrAccessChain
            | Op::InBoundsPtrAccessChain
            | Op::UntypedAccessChainKHR
            | Op::UntypedInBoundsAccessChainKHR
            | Op::UntypedPtrAccessChainKHR
            | Op::UntypedInBoundsPtrAccessChainKHR
            | Op::GenericCastToPtr
            | Op::PtrCastToGeneric
            | Op::ConvertPtrToU
            | Op::ConvertUToPtr => Some(ConstantValue::Expression {
                op,
                operands: operands.into(),
            }),
            _ => self.componentwise(instruction.result_type, op, &operands),
        }
    }

    fn insert(&mut self, whole: ConstantRef, object: ConstantRef, path: &[u32]) -> Option<ConstantValue> {
        let Some((&first, rest)) = path.split_first() else {
            return Some(self.module.resolve(object).value.clone());
        };
        let type_id = self.module.resolve(whole).type_id;
        let inner_type = self.part_type(type_id, u64::from(first))?;
        let inner = self.part(whole, u64::from(first))?;
        let value = self.insert(inner, object, rest)?;
        if rest.is_empty() && self.module.resolve(object).type_id != inner_type {
            return None;
        }
        let mut parts = Vec::new();
        let mut position = 0;
        while self.part_type(type_id, position).is_some() {
            parts.push(if position == u64::from(first) {
                self.new_constant(inner_type, value.clone())
            } else {
                self.part(whole, position)?
            });
            position += 1;
        }
        Some(ConstantValue::Composite(parts.into()))
    }

    fn shuffle(&mut self, result_type: Id, operands: &[ConstantRef], literals: &[u32]) -> Option<ConstantValue> {
        let [first, second] = *operands else { return None };
        let Type::Vector { component, count } = *self.module.ty(result_type) else {
            return None;
        };
        let (left, left_component) = self.module.components(self.module.resolve(first).type_id);
        let (right, right_component) = self.module.components(self.module.resolve(second).type_id);
        if literals.len() != count as usize || left_component != component || right_component != component {
            return None;
        }
        let mut parts = Vec::with_capacity(literals.len());
        for &literal in literals {
            parts.push(match literal {
                u32::MAX => self.new_constant(component, ConstantValue::Undef),
                literal if literal < left => self.part(first, u64::from(literal))?,
                literal if literal - left < right => self.part(second, u64::from(literal - left))?,
                _ => return None,
            });
        }
        Some(ConstantValue::Composite(parts.into()))
    }

    /// The scalar type that arithmetic sees.
    fn scalar(&self, type_id: Id) -> Option<Scalar> {
        match *self.module.ty(type_id) {
            Type::Bool => Some(Scalar::Bool),
            Type::Int { width } => Some(Scalar::Int(width)),
            Type::Float {
                width,
                encoding: FloatEncoding::Ieee754,
            } => Some(Scalar::Float(width)),
            _ => None,
        }
    }

    fn componentwise(&mut self, result_type: Id, op: Op, operands: &[ConstantRef]) -> Option<ConstantValue> {
        let types: Vec<Id> = operands.iter().map(|&operand| self.module.resolve(operand).type_id).collect();
        let (count, component) = self.module.components(result_type);
        // A condition that is one Boolean selects wholes, of any type.
        if let (Op::Select, &[condition, yes, no]) = (op, operands)
            && *self.module.ty(types[0]) == Type::Bool
            && types[1] == result_type
            && types[2] == result_type
        {
            return match self.scalar_bits(condition) {
                Some(Some(bits)) => Some(self.module.resolve(if bits != 0 { yes } else { no }).value.clone()),
                Some(None) => Some(ConstantValue::Undef),
                None => Some(ConstantValue::Expression {
                    op,
                    operands: operands.into(),
                }),
            };
        }
        if types.iter().any(|&ty| self.module.components(ty).0 != count) {
            return None;
        }
        let lead = if op == Op::Select { types.get(1) } else { types.first() }?;
        let operand = self.scalar(self.module.components(*lead).1);
        let result = self.scalar(component);
        let (Some(operand), Some(result)) = (operand, result) else {
            // Bitcasts of pointers and comparisons with them wait for addresses.
            let of_pointers = types.iter().any(|&ty| self.module.ty(ty).pointer().is_some());
            return (of_pointers || self.module.ty(result_type).pointer().is_some()).then(|| ConstantValue::Expression {
                op,
                operands: operands.into(),
            });
        };
        if count == 1 {
            return self.lane(op, result, operand, operands, component);
        }
        let mut lanes = Vec::with_capacity(count as usize);
        for lane in 0..count {
            let mut arguments = Vec::with_capacity(operands.len());
            for &operand in operands {
                arguments.push(self.part(operand, u64::from(lane))?);
            }
            let value = self.lane(op, result, operand, &arguments, component)?;
            lanes.push(self.new_constant(component, value));
        }
        Some(ConstantValue::Composite(lanes.into()))
    }

    /// One component's value.
    fn lane(&self, op: Op, result: Scalar, operand: Scalar, arguments: &[ConstantRef], type_id: Id) -> Option<ConstantValue> {
        let mut bits = Vec::with_capacity(arguments.len());
        for &argument in arguments {
            match self.scalar_bits(argument) {
                Some(Some(value)) => bits.push(value),
                Some(None) => return Some(ConstantValue::Undef),
                // Arithmetic on what only the link knows.
                None => {
                    return Some(ConstantValue::Expression {
                        op,
                        operands: arguments.into(),
                    });
                }
            }
        }
        Some(match fold(op, result, operand, &bits)? {
            Folded::Undefined => ConstantValue::Undef,
            Folded::Bits(bits) if *self.module.ty(type_id) == Type::Bool => ConstantValue::Bool(bits != 0),
            Folded::Bits(bits) => ConstantValue::Bits(bits),
        })
    }

    /// A scalar's bits; `Some(None)` where it is undefined, `None` where only the link knows them.
    fn scalar_bits(&self, constant: ConstantRef) -> Option<Option<u64>> {
        match self.module.resolve(constant).value {
            ConstantValue::Bits(bits) => Some(Some(bits)),
            ConstantValue::Bool(value) => Some(Some(u64::from(value))),
            ConstantValue::Null => Some(Some(0)),
            ConstantValue::Undef => Some(None),
            _ => None,
        }
    }

    pub(super) fn declare_variable(&mut self, instruction: &Instruction<'_>) {
        if self.type_operand(instruction, instruction.result_type).is_none() {
            return;
        }
        let Some(class) = StorageClass::from_u32(instruction.word(0)) else {
            return;
        };
        let pointer_class = self.module.ty(instruction.result_type).pointer().map(|(class, _)| class);
        let Some(pointee) = self.module.held_type(instruction).filter(|_| pointer_class == Some(class)) else {
            return self
                .report
                .error(&rules::VARIABLE_TYPE, instruction.index, format!("%{}", instruction.result_type));
        };
        if self.module.layout(pointee).is_none() {
            let detail = format!("%{pointee} is the type of no value in memory");
            return self.report.error(&rules::VARIABLE_TYPE, instruction.index, detail);
        }
        let mut initializer = None;
        if let Some(id) = spirv::initializer(instruction) {
            // Its type is looked at later, with the other things that a producer may be forgiven.
            initializer = self.constant_operand(instruction, id);
        }
        self.set_type(instruction.result, instruction.result_type);
        self.set_index(instruction.result, What::GlobalVariable, self.module.global_variables.len());
        let type_id = instruction.result_type;
        self.module.global_variables.push(GlobalVariable {
            id: instruction.result,
            type_id,
            class,
            pointee,
            initializer,
        });
    }
}
