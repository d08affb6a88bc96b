//! Entry points: kernels, their arguments and execution modes (Environment 2.8 and 4).

use super::{Validator, deviations::Deviation, rules};
use rspirv::spirv::{
    AddressingModel, Decoration, ExecutionMode, ExecutionModel, FunctionParameterAttribute, MemoryModel, Op, StorageClass,
};
use rustc_hash::FxHashSet;
use spirv::{Function, Id, Instruction, Type};
use vendors::Features;

impl<'a> Validator<'a> {
    pub(super) fn kernels(&mut self) {
        let mut names = FxHashSet::default();
        for instruction in self.module.binary.instructions() {
            match instruction.op() {
                Op::MemoryModel => self.memory_model(&instruction),
                Op::EntryPoint => self.entry_point(&instruction, &mut names),
                Op::ExecutionMode | Op::ExecutionModeId => self.execution_mode(&instruction),
                Op::Function => break,
                _ => {}
            }
        }
    }

    fn memory_model(&mut self, instruction: &Instruction<'a>) {
        let wanted = if self.environment.address_bits == 64 {
            AddressingModel::Physical64
        } else {
            AddressingModel::Physical32
        };
        let found = AddressingModel::from_u32(instruction.word(0));
        if found != Some(wanted) {
            let detail = format!("it is {}", found.map_or("unknown".into(), |model| format!("{model:?}")));
            let advice = format!(
                "The device has {}-bit addresses (CL_DEVICE_ADDRESS_BITS): compile for {wanted:?} (clang: --target=spirv{}).",
                self.environment.address_bits, self.environment.address_bits
            );
            self.report.error_with(&rules::ADDRESSING_MODEL, instruction.index, detail, advice);
        }
        if MemoryModel::from_u32(instruction.word(1)) != Some(MemoryModel::OpenCL) {
            self.report.error(&rules::MEMORY_MODEL, instruction.index, "");
        }
    }

    fn entry_point(&mut self, instruction: &Instruction<'a>, names: &mut FxHashSet<String>) {
        if ExecutionModel::from_u32(instruction.word(0)) != Some(ExecutionModel::Kernel) {
            self.report.error(&rules::EXECUTION_MODEL, instruction.index, "");
        }
        let module = self.module;
        // There may be several of one name, where the module is not valid.
        let Some(entry) = module.entry_points.iter().find(|entry| entry.function == instruction.word(1)) else {
            return;
        };
        let name = spirv::string(&instruction.operands[2..]).unwrap_or_default();
        if !names.insert(name.clone()) {
            self.report
                .error(&rules::ENTRY_POINT_NAME, instruction.index, format!("\"{name}\""));
        }
        for &id in &entry.interface {
            let variable = module.global_variable(id);
            let input = variable.is_some_and(|variable| variable.class == StorageClass::Input) || module.header().version >= (1, 4);
            let good = input || variable.is_some() && self.deviates(Deviation::InterfaceOfAllClasses, instruction);
            if variable.is_none() || !good {
                let advice = "Before SPIR-V 1.4 the interface lists Input variables only.";
                self.report
                    .error_with(&rules::INTERFACE, instruction.index, format!("%{id}"), advice);
            }
        }
        match module.function(entry.function) {
            Some(function) => self.kernel(instruction, function),
            None => self
                .report
                .error(&rules::ENTRY_POINT_FUNCTION, instruction.index, format!("%{}", entry.function)),
        }
    }

    fn kernel(&mut self, entry: &Instruction<'a>, function: &'a Function) {
        if *self.module.ty(function.result_type) != Type::Void {
            self.report
                .error(&rules::KERNEL_RETURN, entry.index, format!("it is %{}", function.result_type));
        }
        if function.blocks.is_empty() {
            self.report.error(&rules::ENTRY_POINT_FUNCTION, entry.index, "it has no body");
        }
        for &parameter in &function.parameters {
            self.argument(parameter);
        }
    }

    fn argument(&mut self, parameter: Id) {
        let module = self.module;
        let Some(instruction) = module.definition(parameter) else { return };
        let type_id = instruction.result_type;
        match module.ty(type_id) {
            Type::Int { .. } | Type::Float { .. } | Type::Vector { .. } => self.argument_numbers(&instruction, type_id),
            Type::Sampler | Type::Image(_) => {}
            Type::Pipe { .. } | Type::Queue if !self.environment.is_level_zero() => {}
            Type::Struct(_) => self.argument_struct(&instruction, type_id),
            Type::Pointer {
                class: StorageClass::Function,
                pointee,
            } => {
                let by_value = module.decorations(parameter).any(|decoration| {
                    decoration.kind == Decoration::FuncParamAttr
                        && decoration.operands.first() == Some(&(FunctionParameterAttribute::ByVal as u32))
                });
                if by_value && self.deviates(Deviation::ByValArgument, &instruction) {
                    self.argument_struct(&instruction, *pointee);
                } else {
                    self.argument_error(&instruction, "a pointer to Function");
                }
            }
            Type::Pointer { class, .. } => {
                if !matches!(
                    class,
                    StorageClass::CrossWorkgroup | StorageClass::Workgroup | StorageClass::UniformConstant
                ) {
                    self.argument_error(&instruction, &format!("a pointer to {class:?}"));
                }
            }
            Type::Array { .. } if self.deviates(Deviation::OddArgument, &instruction) => {}
            other => {
                let text = match other {
                    Type::Bool => "a Boolean, which has no size on the host",
                    Type::Array { .. } => "an array",
                    Type::Event => "an event",
                    _ => "of this type",
                };
                self.argument_error(&instruction, text);
            }
        }
    }

    fn argument_error(&mut self, parameter: &Instruction<'a>, what: &str) {
        self.report.error(&rules::KERNEL_ARGUMENT, parameter.index, format!("it is {what}"));
    }

    fn argument_numbers(&mut self, parameter: &Instruction<'a>, type_id: Id) {
        let (count, component) = self.module.components(type_id);
        match *self.module.ty(component) {
            Type::Int { .. } => {}
            Type::Float { width, .. } => self.argument_float(parameter, width),
            _ if count > 1 => self.argument_error(parameter, "a vector, but not of numbers"),
            _ => {}
        }
    }

    /// Width 32; 64 and 16 where the device has such numbers (Level Zero takes 16 from anybody).
    fn argument_float(&mut self, parameter: &Instruction<'a>, width: u32) {
        let needed = match width {
            16 if !self.environment.is_level_zero() => Features::FP16,
            64 => Features::FP64,
            _ => Features::empty(),
        };
        if !self.features.contains(needed) {
            self.argument_error(
                parameter,
                &format!("of {width}-bit floating-point numbers, which the device does not have"),
            );
        }
    }

    /// What a struct that is an argument is made of, at any depth. Each type is looked at once.
    fn argument_struct(&mut self, parameter: &Instruction<'a>, type_id: Id) {
        let module = self.module;
        let mut seen = FxHashSet::default();
        let mut open = vec![type_id];
        while let Some(at) = open.pop() {
            if !seen.insert(at) {
                continue;
            }
            match module.ty(at) {
                Type::Int { .. } | Type::Pointer { .. } => {}
                Type::Float { width, .. } => self.argument_float(parameter, *width),
                Type::Vector { component, .. } => open.push(*component),
                Type::Struct(ty) => open.extend(&ty.members),
                Type::Array { element, .. } => {
                    if !self.deviates(Deviation::ArrayInArgument, parameter) {
                        self.argument_error(parameter, "a struct with an array in it");
                    }
                    open.push(*element);
                }
                _ => self.argument_error(
                    parameter,
                    &format!("a struct with a member of type %{at}, which has no form on the host"),
                ),
            }
        }
    }

    /// Modes that a kernel has once, and modes that no kernel of this environment has.
    fn mode_of_its_own(&mut self, instruction: &Instruction<'a>, mode: ExecutionMode) {
        use rspirv::spirv::ExecutionMode as Mode;
        // OpenCL C++, of version 2.2 alone, had constructors and destructors of program-scope variables.
        let constructors = self.environment.opencl_version() == Some((2, 2));
        if matches!(mode, Mode::Initializer | Mode::Finalizer) && !constructors {
            let advice = "Initialize program-scope variables by constants, or launch the kernel from the host.";
            self.report
                .error_with(&rules::EXECUTION_MODE_UNSUPPORTED, instruction.index, format!("{mode:?}"), advice);
        }
        const ONCE: &[&[Mode]] = &[
            &[Mode::LocalSize, Mode::LocalSizeId],
            &[Mode::LocalSizeHint, Mode::LocalSizeHintId],
            &[Mode::VecTypeHint],
            &[Mode::SubgroupSize],
            &[Mode::SubgroupsPerWorkgroup, Mode::SubgroupsPerWorkgroupId],
        ];
        let entry = self.module.entry_points.iter().find(|entry| entry.function == instruction.word(0));
        if let (Some(alike), Some(entry)) = (ONCE.iter().find(|modes| modes.contains(&mode)), entry)
            && entry.modes.iter().filter(|other| alike.contains(&other.mode)).count() > 1
        {
            self.report.error(
                &rules::EXECUTION_MODE_CONFLICT,
                instruction.index,
                format!("{mode:?} is given twice"),
            );
        }
    }

    fn execution_mode(&mut self, instruction: &Instruction<'a>) {
        let target = instruction.word(0);
        let module = self.module;
        if !module.entry_points.iter().any(|entry| entry.function == target) {
            self.report
                .error(&rules::EXECUTION_MODE_TARGET, instruction.index, format!("%{target} is none"));
        }
        use rspirv::spirv::ExecutionMode as Mode;
        let mode = Mode::from_u32(instruction.word(1));
        if instruction.op() == Op::ExecutionModeId {
            let values = if mode == Some(Mode::FPFastMathDefault) { 3 } else { 2 };
            for &id in instruction.operands.get(values..).unwrap_or(&[]) {
                if module.constant_bits(id).is_none() || !self.value_shape(id).is_int() {
                    self.report.error(
                        &rules::EXECUTION_MODE_OPERAND,
                        instruction.index,
                        format!("%{id} is no integer constant"),
                    );
                }
            }
        }
        self.float_mode(instruction);
        if let Some(mode) = mode {
            self.mode_of_its_own(instruction, mode);
        }
        if mode == Some(Mode::LocalSize) {
            let sizes = &instruction.operands[2..];
            if sizes.contains(&0) || sizes.iter().map(|&size| u64::from(size)).try_fold(1u64, u64::checked_mul).is_none() {
                self.report.error(&rules::EXECUTION_MODE_OPERAND, instruction.index, "a size of 0");
            }
        }
        if matches!(mode, Some(Mode::SubgroupSize | Mode::SubgroupsPerWorkgroup)) && instruction.word(2) == 0 {
            self.report.error(&rules::EXECUTION_MODE_OPERAND, instruction.index, "a size of 0");
        }
        let size = instruction.word(2);
        if mode == Some(Mode::SubgroupSize) && size != 0 && !vendors::limits::SUB_GROUP_SIZES.contains(&(size as usize)) {
            let detail = format!(
                "{size} is none of the device's sub-group sizes {:?}",
                vendors::limits::SUB_GROUP_SIZES
            );
            self.report.error(&rules::EXECUTION_MODE_OPERAND, instruction.index, detail);
        }
    }
}
