//! Entry points: what is known of a kernel, and its function, which takes its arguments from the argument block.

use super::LoweredKernel;
use super::failure::{Failure, place};
use super::float_modes::FloatModes;
use super::function::{Lowering, Result};
use super::program::{Program, has_attribute};
use super::reach::only_read;
use super::shape;
use super::value::{Pointer, Val};
use device::image::kind;
use interface::checks::Extent;
use interface::{ArgumentInfo, ArgumentKind, BuildError, KernelInfo, TypeQualifiers};
use ir::UNPROMISED;
use ir::VARIABLE_SETS;
use ir::*;
use rspirv::spirv::{AccessQualifier, Decoration, Dim, ExecutionMode, FunctionParameterAttribute, Op, StorageClass};
use rustc_hash::FxHashMap as HashMap;
use spirv::{EntryPoint, Function as SpirvFunction, Id, ImageType, Module, Type as SpirvType, string};

/// No argument is larger.
const MAX_ARGUMENT_SIZE: u64 = 1 << 20;

impl<'m> Program<'m> {
    /// Lowers an entry point.
    pub(super) fn lower_kernel(&mut self, unit: usize, entry: &'m EntryPoint) -> std::result::Result<LoweredKernel, BuildError> {
        let spirv = self.units[unit].spirv;
        let start = spirv.definition(entry.function).map_or(0, |inst| inst.index);
        let fail = |failure: Failure| failure.at(&place(spirv, start));
        let function = spirv.function(entry.function).ok_or_else(|| fail(Failure::Unsupported))?;
        let texts = self.units[unit].argument_texts.remove(&entry.name).unwrap_or_default();
        let mut info = describe(spirv, entry, function, &texts).map_err(fail)?;
        if !self.options.checks.is_empty() {
            add_extents(&mut info);
        }
        info.has_argument_info |= self.options.kernel_arg_info;
        self.modes = FloatModes::new(spirv, entry, &self.options);
        info.flush_subnormals = self.options.denorms_are_zero && !self.modes.need_subnormals;
        let mut lowering = Lowering::new(self, unit, entry.name.clone(), &[]);
        lowering.arguments(function, &info.arguments).map_err(fail)?;
        lowering.body(function)?;
        let func = lowering.finish();
        // What is seen of the instructions is for the host; code relies on what the module promises.
        let pairs = || info.arguments.iter().zip(&function.parameters);
        let is_global = |argument: &ArgumentInfo| matches!(argument.kind, ArgumentKind::GlobalPointer { .. });
        let globals = pairs().filter(|(argument, _)| is_global(argument)).map(|(_, &param)| param);
        let read = only_read(spirv, function, globals);
        for (argument, param) in info.arguments.iter_mut().zip(&function.parameters) {
            argument.is_only_read |= read.contains(param);
        }
        info.private_bytes = func.slots.values().map(|slot| u64::from(slot.size)).sum();
        let function = self.ir.functions.push(func);
        Ok(LoweredKernel { info, function })
    }
}

impl<'m> Lowering<'_, 'm> {
    /// Gives the parameters of a kernel their values.
    pub(super) fn arguments(&mut self, function: &'m SpirvFunction, arguments: &[ArgumentInfo]) -> Result<()> {
        let block = self.builtin(Builtin::Arguments, 0);
        let constant = MemFlags::INVARIANT | MemFlags::DEREFERENCEABLE;
        // All buffers that nothing is promised of share a set; each restricted one has a set of its own.
        let mut sets = 2..VARIABLE_SETS;
        let mut own_set = || sets.next().unwrap_or(0);
        for (&param, argument) in function.parameters.iter().zip(arguments) {
            let offset = i32::try_from(argument.offset).map_err(|_| Failure::Unsupported)?;
            let place = Pointer {
                offset,
                flags: constant,
                ..Pointer::new(block, Space::Constant)
            };
            let type_id = self.spirv.type_of(param);
            let value = match (self.spirv.ty(type_id).pointer(), argument.kind) {
                (Some((_, pointee)), ArgumentKind::Value) => {
                    let only_read = self.read_only(function, param);
                    // A copy is an object by itself, which checks can tell from what else is in the block.
                    let copied = !only_read || self.is_checked();
                    let pointer = if copied { self.memory_copy(pointee, &place)? } else { place };
                    self.name_variable(&pointer, param);
                    Val::Pointer(pointer)
                }
                (Some(_), ArgumentKind::LocalPointer) => {
                    let offset = self.load_plain(type_id, &place)?;
                    let offset = self.scalars_of(offset)?[0];
                    let local = self.builtin(Builtin::LocalMemory, 0);
                    let alias = own_set();
                    Val::Pointer(Pointer {
                        alias,
                        ..Pointer::new(self.b().add(local, offset), Space::Local)
                    })
                }
                (Some((class, _)), _) => {
                    let address = self.load_plain(type_id, &place)?;
                    let address = self.scalars_of(address)?[0];
                    // What a block has captured is not in the private memory of those that run it.
                    let space = match class {
                        StorageClass::Function => Space::Generic,
                        class => super::function::space(class),
                    };
                    let mut pointer = Pointer::new(address, space);
                    let restricted = argument.qualifiers.is_restrict;
                    let alone = restricted || argument.kind == (ArgumentKind::GlobalPointer { constant: true });
                    pointer.alias = if alone { own_set() } else { UNPROMISED };
                    if restricted && argument.is_only_read {
                        pointer.flags |= MemFlags::INVARIANT;
                    }
                    Val::Pointer(pointer)
                }
                _ => self.load_plain(type_id, &place)?,
            };
            self.bind(param, value);
        }
        Ok(())
    }
}

/// Makes room in the argument block for what a launch says of the objects that pointers lead into.
pub(super) fn add_extents(info: &mut KernelInfo) {
    for argument in &mut info.arguments {
        if matches!(argument.kind, ArgumentKind::GlobalPointer { .. } | ArgumentKind::LocalPointer) {
            let offset = info.argument_bytes.next_multiple_of(8);
            argument.extent = Some(offset);
            info.argument_bytes = offset + Extent::BYTES;
        }
    }
}

/// Everything that a module says of a kernel.
fn describe(spirv: &Module, entry: &EntryPoint, function: &SpirvFunction, texts: &ArgumentTexts) -> Result<KernelInfo> {
    let mut info = KernelInfo {
        name: entry.name.clone(),
        ..KernelInfo::default()
    };
    let mut end = 0u64;
    for (number, &param) in function.parameters.iter().enumerate() {
        let mut argument = argument(spirv, param)?;
        argument.type_name = texts.types.get(number).cloned().unwrap_or_default();
        if let Some(text) = texts.qualifiers.get(number) {
            let words: Vec<&str> = text.split(' ').collect();
            let qualifiers = &mut argument.qualifiers;
            qualifiers.is_const |= words.contains(&"const");
            qualifiers.is_restrict |= words.contains(&"restrict");
            qualifiers.is_volatile |= words.contains(&"volatile");
            qualifiers.is_pipe |= words.contains(&"pipe");
        }
        let (size, align) = match argument.kind {
            ArgumentKind::Value => (argument.size, argument.align),
            _ => (8, 8),
        };
        if size.max(align) > MAX_ARGUMENT_SIZE {
            let text = format!("argument {number} has {size} bytes, more than any device takes ({MAX_ARGUMENT_SIZE})");
            return Err(Failure::Message(text));
        }
        argument.offset = end.next_multiple_of(align.max(1));
        end = argument.offset + size;
        info.arguments.push(argument);
    }
    info.argument_bytes = end;
    info.has_argument_info = !texts.types.is_empty();
    for mode in &entry.modes {
        execution_mode(&mut info, mode.mode, &mode.operands);
    }
    info.attributes = attributes(&info, entry, texts.unsigned_hint);
    Ok(info)
}

pub(super) fn argument(spirv: &Module, param: Id) -> Result<ArgumentInfo> {
    let type_id = spirv.type_of(param);
    let alignment = spirv
        .decoration(param, Decoration::Alignment)
        .and_then(|operands| operands.first().copied());
    let alignment = u64::from(alignment.filter(|align| align.is_power_of_two()).unwrap_or(1));
    let mut argument = ArgumentInfo {
        name: spirv.name(param).unwrap_or_default(),
        type_name: String::new(),
        kind: ArgumentKind::Value,
        size: 8,
        align: 8,
        offset: 0,
        is_only_read: has_attribute(spirv, param, FunctionParameterAttribute::NoWrite)
            || has_attribute(spirv, param, FunctionParameterAttribute::NoReadWrite),
        max_bytes: spirv
            .decoration(param, Decoration::MaxByteOffset)
            .and_then(|operands| operands.first().copied().map(u64::from))
            .or_else(|| spirv.constant_bits(*spirv.decoration(param, Decoration::MaxByteOffsetId)?.first()?)),
        extent: None,
        qualifiers: TypeQualifiers {
            is_const: false,
            is_restrict: spirv.is_decorated(param, Decoration::Restrict)
                || has_attribute(spirv, param, FunctionParameterAttribute::NoAlias),
            is_volatile: spirv.is_decorated(param, Decoration::Volatile),
            is_pipe: false,
        },
    };
    let by_value = |argument: &mut ArgumentInfo, type_id: Id| -> Result<()> {
        argument.size = shape::size(spirv, type_id)?;
        argument.align = u64::from(shape::align(spirv, type_id)).max(alignment);
        Ok(())
    };
    match spirv.ty(type_id) {
        &SpirvType::Pointer { class, pointee } => match class {
            StorageClass::CrossWorkgroup => argument.kind = ArgumentKind::GlobalPointer { constant: false },
            StorageClass::UniformConstant => {
                argument.kind = ArgumentKind::GlobalPointer { constant: true };
                argument.qualifiers.is_const = true;
            }
            StorageClass::Workgroup => {
                argument.kind = ArgumentKind::LocalPointer;
                let byte = pointee == 0 || matches!(spirv.ty(pointee), SpirvType::Int { width: 8 });
                // Where only bytes, or nothing, are named, it may be anything: the largest type of OpenCL C has 128.
                argument.align = match (byte, alignment) {
                    (true, 1) => 128,
                    _ => u64::from(shape::align(spirv, pointee)).max(alignment),
                };
            }
            _ => by_value(&mut argument, pointee)?,
        },
        SpirvType::Image(image) => {
            let access = image.access.unwrap_or(AccessQualifier::ReadOnly);
            argument.kind = ArgumentKind::Image {
                kind: image_kind(image),
                depth: image.depth == 1,
                read: access != AccessQualifier::WriteOnly,
                write: access != AccessQualifier::ReadOnly,
            };
        }
        SpirvType::Sampler => argument.kind = ArgumentKind::Sampler,
        SpirvType::Pipe { .. } => {
            argument.kind = ArgumentKind::Pipe;
            argument.qualifiers.is_pipe = true;
        }
        SpirvType::Queue => argument.kind = ArgumentKind::Queue,
        _ => by_value(&mut argument, type_id)?,
    }
    Ok(argument)
}

/// Which images can be given for an argument of a type.
fn image_kind(image: &ImageType) -> u32 {
    match (image.dim, image.arrayed) {
        (Dim::DimBuffer, _) => kind::IMAGE_1D_BUFFER,
        (Dim::Dim1D, false) => kind::IMAGE_1D,
        (Dim::Dim1D, true) => kind::IMAGE_1D_ARRAY,
        (Dim::Dim3D, _) => kind::IMAGE_3D,
        (_, false) => kind::IMAGE_2D,
        (_, true) => kind::IMAGE_2D_ARRAY,
    }
}

fn execution_mode(info: &mut KernelInfo, mode: ExecutionMode, operands: &[u32]) {
    // Modes that take ids come with the ids' values.
    let size = || match *operands {
        [x, y, z] => Some([x, y, z].map(u64::from)),
        _ => None,
    };
    match mode {
        ExecutionMode::LocalSize | ExecutionMode::LocalSizeId => info.required_local_size = size(),
        ExecutionMode::LocalSizeHint | ExecutionMode::LocalSizeHintId => info.local_size_hint = size(),
        ExecutionMode::SubgroupSize => info.required_sub_group_size = operands.first().copied(),
        ExecutionMode::SubgroupsPerWorkgroup | ExecutionMode::SubgroupsPerWorkgroupId => {
            info.sub_groups_per_group = operands.first().copied();
        }
        _ => {}
    }
}

/// CL_KERNEL_ATTRIBUTES.
fn attributes(info: &KernelInfo, entry: &EntryPoint, unsigned_hint: bool) -> String {
    let mut all = Vec::new();
    let sizes = |name: &str, [x, y, z]: [u64; 3]| format!("{name}({x},{y},{z})");
    all.extend(
        entry
            .modes
            .iter()
            .find(|mode| mode.mode == ExecutionMode::VecTypeHint)
            .and_then(|mode| vector_type(*mode.operands.first()?, unsigned_hint)),
    );
    all.extend(info.local_size_hint.map(|size| sizes("work_group_size_hint", size)));
    all.extend(info.required_local_size.map(|size| sizes("reqd_work_group_size", size)));
    all.extend(
        info.required_sub_group_size
            .map(|size| format!("intel_reqd_sub_group_size({size})")),
    );
    all.join(" ")
}

/// VecTypeHint's operand: the number of components above 16 bits, the component's type below.
fn vector_type(word: u32, unsigned: bool) -> Option<String> {
    let kind = (word & 0xffff) as usize;
    let name = *["char", "short", "int", "long", "half", "float", "double"].get(kind)?;
    let sign = if unsigned && kind < 4 { "u" } else { "" };
    let component = format!("{sign}{name}");
    let count = word >> 16;
    Some(if count > 1 {
        format!("vec_type_hint({component}{count})")
    } else {
        format!("vec_type_hint({component})")
    })
}

/// What `-cl-kernel-arg-info` leaves behind for a kernel: `kernel_arg_type.NAME.float*,uint,` in an OpString.
#[derive(Debug, Default)]
pub(super) struct ArgumentTexts {
    types: Vec<String>,
    qualifiers: Vec<String>,
    /// The type of vec_type_hint is an unsigned one.
    unsigned_hint: bool,
}

impl ArgumentTexts {
    /// Of all kernels of a module, by name.
    pub(super) fn of(spirv: &Module) -> HashMap<String, ArgumentTexts> {
        let mut all: HashMap<String, ArgumentTexts> = HashMap::default();
        let before_functions = spirv.binary.instructions().take_while(|inst| inst.op() != Op::Function);
        for text in before_functions
            .filter(|inst| inst.op() == Op::String)
            .filter_map(|inst| string(inst.operands))
        {
            let Some((kind, rest)) = text.split_once('.') else { continue };
            let Some((kernel, list)) = rest.split_once('.') else { continue };
            // Each entry ends with a comma, the last too.
            let list = || list.split_terminator(',').map(str::to_owned).collect();
            match kind {
                "kernel_arg_type" => all.entry(kernel.to_owned()).or_default().types = list(),
                "vec_type_hint" => all.entry(kernel.to_owned()).or_default().unsigned_hint = true,
                "kernel_arg_type_qual" => all.entry(kernel.to_owned()).or_default().qualifiers = list(),
                _ => {}
            }
        }
        all
    }
}

/// Notes which kernels print and enqueue, themselves or in what they call.
pub(super) fn find_calls(module: &ir::Module, kernels: &mut [LoweredKernel]) {
    for kernel in kernels {
        let mut seen = std::collections::HashSet::from([kernel.function]);
        let mut work = vec![kernel.function];
        while let Some(next) = work.pop() {
            let func = &module.functions[next];
            for inst in func.insts() {
                match func.inst(inst).data {
                    InstData::Call { callee, .. } if seen.insert(callee) => work.push(callee),
                    InstData::CallRuntime {
                        routine: Runtime::Printf, ..
                    } => kernel.info.uses_printf = true,
                    InstData::CallRuntime {
                        routine: Runtime::Request, ..
                    } => kernel.info.enqueues = true,
                    _ => {}
                }
            }
        }
    }
}
