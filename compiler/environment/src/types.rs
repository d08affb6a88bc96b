//! What the environment says of types, constants and module-scope variables (Environment 2.6, 2.9 and 4).

use super::instructions::{Kind, Shape};
use super::{Validator, deviations::Deviation, rules};
use rspirv::spirv::{AccessQualifier, BuiltIn, Capability, Dim, ImageFormat, LinkageType, Op, StorageClass};
use spirv::{ConstantValue, GlobalVariable, Id, ImageType, Instruction, Type, What, grammar, newer};
use vendors::Features;

impl<'a> Validator<'a> {
    pub(super) fn types_and_variables(&mut self) {
        for instruction in self.module.binary.instructions() {
            match instruction.op() {
                Op::TypeInt => self.integer(&instruction),
                Op::TypeFloat => self.float(&instruction),
                Op::TypeVector => self.vector(&instruction),
                Op::TypeImage => {
                    if let Type::Image(image) = *self.module.ty(instruction.result) {
                        self.image_declaration(&instruction, &image);
                    }
                }
                Op::TypeSampler => self.needs_capability(&instruction, &[Capability::ImageBasic]),
                Op::TypePointer | Op::TypeUntypedPointerKHR => self.pointer_declaration(&instruction),
                Op::TypeCooperativeMatrixKHR | newer::TYPE_JOINT => self.matrix_declaration(&instruction),
                Op::TypePipe if instruction.word(0) > 1 => {
                    self.report
                        .error(&rules::TYPE_OPERAND, instruction.index, "a pipe is ReadOnly or WriteOnly");
                }
                Op::Variable | Op::UntypedVariableKHR => {
                    if let Some(variable) = self.module.global_variable(instruction.result) {
                        self.variable(&instruction, variable);
                    }
                }
                Op::ConstantNull if !instruction.operands.is_empty() && !self.deviates(Deviation::NullWithOperand, &instruction) => {
                    self.report
                        .error(&rules::CONSTANT_OPERAND, instruction.index, "OpConstantNull has none");
                }
                Op::SpecConstantOp => self.constant_operation(&instruction),
                Op::Function => break,
                _ => {}
            }
            if instruction.info.has_type && self.module.record(instruction.result).what == What::Constant {
                self.half_value(&instruction, instruction.result_type);
            }
        }
    }

    /// A value of a type. With Float16Buffer alone, half is what pointers point to, and the type of no value.
    pub(super) fn half_value(&mut self, instruction: &Instruction<'a>, type_id: Id) {
        if self.module.has_capability(Capability::Float16) || self.shape(type_id).kind != Kind::Float(16) {
            return;
        }
        if self.half_told {
            return;
        }
        self.half_told = true;
        let there = self.environment.has_capability(Capability::Float16);
        if !there || !self.deviates(Deviation::UndeclaredFloat16, instruction) {
            let advice = "With Float16Buffer alone, halves are read and written by vload_half and its kin. Values of half need the capability Float16.";
            self.report
                .error_with(&rules::HALF_VALUE, instruction.index, "Float16 is not declared", advice);
        }
    }

    pub(super) fn needs_capability(&mut self, instruction: &Instruction<'a>, any: &[Capability]) {
        if !any.iter().any(|&capability| self.module.has_capability(capability)) {
            let names: Vec<String> = any.iter().map(|capability| format!("{capability:?}")).collect();
            let advice = format!("Declare it: OpCapability {}.", names[0]);
            self.report
                .error_with(&rules::TYPE_CAPABILITY, instruction.index, names.join(" or "), advice);
        }
    }

    fn integer(&mut self, instruction: &Instruction<'a>) {
        if instruction.word(1) != 0 {
            let advice = "Declare the type with Signedness 0; instructions say whether they are signed.";
            self.report.error_with(
                &rules::SIGNEDNESS,
                instruction.index,
                format!("it is {}", instruction.word(1)),
                advice,
            );
        }
        match instruction.word(0) {
            8 => self.needs_capability(instruction, &[Capability::Int8]),
            16 => self.needs_capability(instruction, &[Capability::Int16]),
            64 => self.needs_capability(instruction, &[Capability::Int64]),
            _ => {}
        }
    }

    fn float(&mut self, instruction: &Instruction<'a>) {
        match instruction.word(0) {
            16 if instruction.operands.len() > 1 => {}
            16 => self.needs_capability(instruction, &[Capability::Float16, Capability::Float16Buffer]),
            64 => self.needs_capability(instruction, &[Capability::Float64]),
            _ => {}
        }
    }

    fn vector(&mut self, instruction: &Instruction<'a>) {
        let count = instruction.word(1);
        match count {
            2..=4 => {}
            8 | 16 => self.needs_capability(instruction, &[Capability::Vector16]),
            _ => {
                if !self.deviates(Deviation::OddVector, instruction) {
                    self.report
                        .error(&rules::VECTOR_COUNT, instruction.index, format!("it has {count}"));
                }
            }
        }
        let pointers = matches!(self.module.ty(instruction.word(0)), Type::Pointer { .. });
        if pointers {
            self.needs_capability(instruction, &[Capability::MaskedGatherScatterINTEL]);
        }
    }

    fn image_declaration(&mut self, instruction: &Instruction<'a>, image: &ImageType) {
        self.needs_capability(instruction, &[Capability::ImageBasic]);
        if image.access == Some(AccessQualifier::ReadWrite) {
            self.needs_capability(instruction, &[Capability::ImageReadWrite]);
        }
        let mut fail = |condition: bool, rule, detail: &str| {
            if condition {
                self.report.error(rule, instruction.index, detail);
            }
        };
        let sampled_type = self.module.ty(image.sampled_type);
        fail(*sampled_type != Type::Void, &rules::IMAGE_SAMPLED_TYPE, "");
        fail(image.sampled != 0, &rules::IMAGE_SAMPLED, "");
        let samples = self.features.contains(Features::MULTISAMPLED_IMAGES) && image.dim == Dim::Dim2D;
        fail(image.multisampled && !samples, &rules::IMAGE_MS, "");
        fail(
            image.arrayed && !matches!(image.dim, Dim::Dim1D | Dim::Dim2D),
            &rules::IMAGE_ARRAYED,
            "",
        );
        fail(
            image.format != ImageFormat::Unknown,
            &rules::IMAGE_FORMAT,
            &format!("it is {:?}", image.format),
        );
        fail(image.access.is_none(), &rules::IMAGE_ACCESS, "");
        let dim = matches!(image.dim, Dim::Dim1D | Dim::Dim2D | Dim::Dim3D | Dim::DimBuffer);
        fail(!dim, &rules::IMAGE_DIM, &format!("it is {:?}", image.dim));
        fail(image.depth == 1 && image.dim != Dim::Dim2D, &rules::IMAGE_DEPTH, "");
        fail(image.depth > 1, &rules::IMAGE_DEPTH, "it is 2");
        let depth_images = self.features.contains(Features::DEPTH_IMAGES) || self.environment.opencl_version().is_none();
        fail(
            image.depth == 1 && !depth_images,
            &rules::IMAGE_DEPTH,
            "the device has no depth images (cl_khr_depth_images)",
        );
    }

    fn pointer_declaration(&mut self, instruction: &Instruction<'a>) {
        let Some(class) = StorageClass::from_u32(instruction.word(0)) else {
            return;
        };
        let known = matches!(
            class,
            StorageClass::UniformConstant
                | StorageClass::Input
                | StorageClass::Workgroup
                | StorageClass::CrossWorkgroup
                | StorageClass::Function
                | StorageClass::Generic
        );
        self.matrix_pointer(instruction, class);
        // SPV_INTEL_function_pointers has one for code.
        let code = class == StorageClass::CodeSectionINTEL && self.module.has_capability(Capability::FunctionPointersINTEL);
        if !known && !code {
            self.report.error(&rules::STORAGE_CLASS, instruction.index, format!("{class:?}"));
        }
    }

    fn variable(&mut self, instruction: &Instruction<'a>, variable: &GlobalVariable) {
        self.initializer_type(instruction, variable);
        match variable.class {
            StorageClass::Input => return self.built_in(instruction, variable),
            StorageClass::UniformConstant => {}
            StorageClass::CrossWorkgroup => {
                if !self.features.contains(Features::PROGRAM_SCOPE_VARIABLES) {
                    let detail = "the device has no program-scope variables (CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE is 0)";
                    self.report.error(&rules::VARIABLE_CLASS, instruction.index, detail);
                }
            }
            StorageClass::Workgroup => {
                let initial = variable.initializer.map(|constant| &self.module.resolve(constant).value);
                if initial.is_some_and(|value| !matches!(value, ConstantValue::Undef | ConstantValue::Null)) {
                    self.report.error(&rules::LOCAL_INITIALIZER, instruction.index, "");
                }
            }
            class => {
                let detail = format!("outside functions it is UniformConstant, Input, Workgroup or CrossWorkgroup, not {class:?}");
                self.report.error(&rules::VARIABLE_CLASS, instruction.index, detail);
            }
        }
        if self.module.built_in(variable.id).is_some() {
            let constant = variable.class == StorageClass::UniformConstant;
            if constant && self.deviates(Deviation::BuiltInInUniformConstant, instruction) {
                return self.built_in(instruction, variable);
            }
            self.report
                .error(&rules::BUILT_IN_CLASS, instruction.index, format!("it is {:?}", variable.class));
        }
        let imported = matches!(self.module.linkage(variable.id), Some((_, LinkageType::Import)));
        if imported && variable.initializer.is_some() {
            self.report
                .error(&rules::VARIABLE_INITIALIZER, instruction.index, "an imported variable has none");
        }
    }

    fn initializer_type(&mut self, instruction: &Instruction<'a>, variable: &GlobalVariable) {
        let Some(constant) = variable.initializer else { return };
        let type_id = self.module.resolve(constant).type_id;
        if type_id == variable.pointee {
            return;
        }
        let class = |id| self.module.ty(id).pointer().map(|(class, _)| class);
        let pointer = class(variable.pointee).is_some();
        let number = Shape {
            kind: Kind::Int(self.module.address_bits),
            count: 1,
        };
        let null = self.shape(type_id) == number && matches!(self.module.resolve(constant).value, ConstantValue::Null);
        let tolerated = if pointer && class(type_id) == class(variable.pointee) {
            self.deviates(Deviation::InitializerPointee, instruction)
        } else {
            pointer && null && self.deviates(Deviation::NullNumber, instruction)
        };
        if !tolerated {
            let initializer = spirv::initializer(instruction).unwrap_or(0);
            let detail = format!("%{initializer} is not of type %{}", variable.pointee);
            self.report.error(&rules::VARIABLE_INITIALIZER, instruction.index, detail);
        }
    }

    fn built_in(&mut self, instruction: &Instruction<'a>, variable: &GlobalVariable) {
        let Some(built_in) = self.module.built_in(variable.id) else {
            return self.report.error(&rules::INPUT_BUILT_IN, instruction.index, "");
        };
        if variable.initializer.is_some() {
            self.report
                .error(&rules::VARIABLE_INITIALIZER, instruction.index, "a built-in variable has none");
        }
        let size = Kind::Int(self.module.address_bits);
        let (wanted, text) = match built_in {
            BuiltIn::WorkDim
            | BuiltIn::SubgroupSize
            | BuiltIn::SubgroupMaxSize
            | BuiltIn::NumSubgroups
            | BuiltIn::NumEnqueuedSubgroups
            | BuiltIn::SubgroupId
            | BuiltIn::SubgroupLocalInvocationId => (
                Shape {
                    kind: Kind::Int(32),
                    count: 1,
                },
                "a 32-bit integer",
            ),
            BuiltIn::GlobalSize
            | BuiltIn::GlobalInvocationId
            | BuiltIn::WorkgroupSize
            | BuiltIn::EnqueuedWorkgroupSize
            | BuiltIn::LocalInvocationId
            | BuiltIn::NumWorkgroups
            | BuiltIn::WorkgroupId
            | BuiltIn::GlobalOffset => (Shape { kind: size, count: 3 }, "a vector of three integers of the address width"),
            BuiltIn::GlobalLinearId | BuiltIn::LocalInvocationIndex => (Shape { kind: size, count: 1 }, "an integer of the address width"),
            BuiltIn::SubgroupEqMask
            | BuiltIn::SubgroupGeMask
            | BuiltIn::SubgroupGtMask
            | BuiltIn::SubgroupLeMask
            | BuiltIn::SubgroupLtMask => (
                Shape {
                    kind: Kind::Int(32),
                    count: 4,
                },
                "a vector of four 32-bit integers",
            ),
            other => return self.report.error(&rules::BUILT_IN, instruction.index, format!("{other:?}")),
        };
        let found = self.shape(variable.pointee);
        let narrow = wanted.kind == size && found.kind == Kind::Int(32) && found.count == wanted.count;
        if found != wanted && !(narrow && self.deviates(Deviation::NarrowBuiltIn, instruction)) {
            self.report
                .error(&rules::BUILT_IN_TYPE, instruction.index, format!("{built_in:?} is {text}"));
        }
        let masks = wanted.count == 4;
        let sub_group = masks || (wanted.kind == Kind::Int(32) && built_in != BuiltIn::WorkDim && self.module.address_bits == 64);
        if sub_group && !self.features.contains(Features::SUB_GROUPS) {
            self.report.error(
                &rules::BUILT_IN,
                instruction.index,
                format!("{built_in:?}, but the device has no sub-groups"),
            );
        }
    }

    /// OpSpecConstantOp: one of the operations listed for it, with operands and result as in a function.
    fn constant_operation(&mut self, instruction: &Instruction<'a>) {
        let Some(info) = grammar::lookup(instruction.word(0)) else { return };
        if !in_constants(info.op()) {
            return self.report.error(&rules::SPEC_CONSTANT_OP, instruction.index, info.name());
        }
        let operation = Instruction {
            info,
            operands: &instruction.operands[1..],
            ..*instruction
        };
        if self.gate(&operation) {
            self.instruction(&operation);
        }
    }
}

/// Operations that OpSpecConstantOp takes (SPIR-V 3.52.7), with those for the Kernel capability.
fn in_constants(op: Op) -> bool {
    matches!(
        op,
        Op::SConvert
            | Op::UConvert
            | Op::FConvert
            | Op::SNegate
            | Op::Not
            | Op::IAdd
            | Op::ISub
            | Op::IMul
            | Op::UDiv
            | Op::SDiv
            | Op::UMod
            | Op::SRem
            | Op::SMod
            | Op::ShiftRightLogical
            | Op::ShiftRightArithmetic
            | Op::ShiftLeftLogical
            | Op::BitwiseOr
            | Op::BitwiseXor
            | Op::BitwiseAnd
            | Op::VectorShuffle
            | Op::CompositeExtract
            | Op::CompositeInsert
            | Op::LogicalOr
            | Op::LogicalAnd
            | Op::LogicalNot
            | Op::LogicalEqual
            | Op::LogicalNotEqual
            | Op::Select
            | Op::IEqual
            | Op::INotEqual
            | Op::ULessThan
            | Op::SLessThan
            | Op::UGreaterThan
            | Op::SGreaterThan
            | Op::ULessThanEqual
            | Op::SLessThanEqual
            | Op::UGreaterThanEqual
            | Op::SGreaterThanEqual
            | Op::ConvertFToS
            | Op::ConvertSToF
            | Op::ConvertFToU
            | Op::ConvertUToF
            | Op::ConvertPtrToU
            | Op::ConvertUToPtr
            | Op::GenericCastToPtr
            | Op::PtrCastToGeneric
            | Op::Bitcast
            | Op::FNegate
            | Op::FAdd
            | Op::FSub
            | Op::FMul
            | Op::FDiv
            | Op::FRem
            | Op::FMod
            | Op::AccessChain
            | Op::InBoundsAccessChain
            | Op::PtrAccessChain
            | Op::InBoundsPtrAccessChain
            | Op::UntypedAccessChainKHR
            | Op::UntypedInBoundsAccessChainKHR
            | Op::UntypedPtrAccessChainKHR
            | Op::UntypedInBoundsPtrAccessChainKHR
    )
}
