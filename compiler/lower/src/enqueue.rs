//! Device-side enqueue (SPIR-V specification, section 3.52.22): requests to `device::enqueue`. Blocks that are enqueued, or asked about, are lowered as kernels
//! of their own: their arguments are the address of what is captured, and pointers to local memory.

use super::LoweredKernel;
use super::arithmetic::resize_int;
use super::failure::{Failure, place};
use super::float_modes::FloatModes;
use super::function::{Lowering, Result};
use super::kernel;
use super::program::Program;
use super::value::Scalars;
use device::enqueue::Request;
use interface::{ArgumentKind, BuildError, KernelInfo};
use ir::*;
use rspirv::spirv::{Capability, Op};
use spirv::{Id, Instruction, Module, Type as SpirvType};

/// Words of a range: dimensions, offset, global and local size.
const RANGE: usize = 10;

/// Where an instruction names the function of a block; before its captured memory, that memory's size and alignment.
fn invoke(inst: &Instruction) -> Option<usize> {
    match inst.op() {
        Op::EnqueueKernel => Some(6),
        Op::GetKernelNDrangeSubGroupCount | Op::GetKernelNDrangeMaxSubGroupSize | Op::GetKernelLocalSizeForSubgroupCount => Some(1),
        Op::GetKernelWorkGroupSize | Op::GetKernelPreferredWorkGroupSizeMultiple | Op::GetKernelMaxNumSubgroups => Some(0),
        _ => None,
    }
}

fn enqueues(spirv: &Module) -> bool {
    spirv.capabilities.contains(&Capability::DeviceEnqueue)
}

impl<'m> Program<'m> {
    /// Numbers the functions of blocks.
    pub(super) fn find_blocks(&mut self) {
        for unit in 0..self.units.len() {
            let spirv = self.units[unit].spirv;
            if !enqueues(spirv) {
                continue;
            }
            for inst in spirv.binary.instructions() {
                self.units[unit].has_lines |= inst.op() == Op::Line;
                if let Some(position) = invoke(&inst) {
                    let function = self.home(unit, inst.word(position));
                    if !self.blocks.contains(&function) {
                        self.blocks.push(function);
                    }
                }
            }
        }
    }

    /// Lowers a block as a kernel.
    pub(super) fn lower_block(&mut self, (unit, id): (usize, Id)) -> std::result::Result<LoweredKernel, BuildError> {
        let spirv = self.units[unit].spirv;
        let start = spirv.definition(id).map_or(0, |inst| inst.index);
        let fail = |failure: Failure| failure.at(&place(spirv, start));
        let name = self.name(unit, id);
        let Some(function) = spirv.function(id).filter(|function| !function.blocks.is_empty()) else {
            return Err(fail(Failure::Link(format!(
                "the block '{name}' is enqueued, but no module of the program defines it"
            ))));
        };
        let mut info = KernelInfo {
            name: name.clone(),
            ..KernelInfo::default()
        };
        for (number, &param) in function.parameters.iter().enumerate() {
            let mut argument = kernel::argument(spirv, param).map_err(fail)?;
            argument.offset = 8 * number as u64;
            if number == 0 {
                argument.kind = ArgumentKind::GlobalPointer { constant: false };
                argument.size = 8;
            }
            info.arguments.push(argument);
        }
        info.argument_bytes = 8 * info.arguments.len() as u64;
        if !self.options.checks.is_empty() {
            kernel::add_extents(&mut info);
        }
        self.modes = FloatModes::usual(&self.options);
        info.flush_subnormals = self.options.denorms_are_zero && !self.modes.need_subnormals;
        let mut lowering = Lowering::new(self, unit, name, &[]);
        lowering.arguments(function, &info.arguments).map_err(fail)?;
        lowering.body(function)?;
        let func = lowering.finish();
        info.private_bytes = func.slots.values().map(|slot| u64::from(slot.size)).sum();
        let function = self.ir.functions.push(func);
        Ok(LoweredKernel { info, function })
    }
}

impl<'m> Lowering<'_, 'm> {
    /// Lowers it if it is one of these; says whether it was.
    pub(super) fn enqueue(&mut self, inst: &Instruction<'m>) -> Result<bool> {
        let op = inst.op();
        let request = match op {
            Op::BuildNDRange => {
                self.range(inst)?;
                return Ok(true);
            }
            Op::EnqueueKernel => Request::Enqueue,
            Op::EnqueueMarker => Request::Marker,
            Op::GetDefaultQueue => Request::DefaultQueue,
            Op::CreateUserEvent => Request::CreateEvent,
            Op::RetainEvent => Request::Retain,
            Op::ReleaseEvent => Request::Release,
            Op::IsValidEvent => Request::IsValid,
            Op::SetUserEventStatus => Request::SetStatus,
            Op::CaptureEventProfilingInfo => Request::Profile,
            Op::GetKernelWorkGroupSize => Request::WorkGroupSize,
            Op::GetKernelPreferredWorkGroupSizeMultiple => Request::PreferredMultiple,
            Op::GetKernelNDrangeSubGroupCount => Request::SubGroupCount,
            Op::GetKernelNDrangeMaxSubGroupSize => Request::MaxSubGroupSize,
            Op::GetKernelLocalSizeForSubgroupCount => Request::LocalSizeForSubGroups,
            Op::GetKernelMaxNumSubgroups => Request::MaxSubGroups,
            _ => return Ok(false),
        };
        // Whoever debugs a program is told what is wrong (OpenCL C 6.15.18: `-g`).
        let details = self.program.units[self.unit].has_lines;
        let details = self.i64(details.into());
        let mut words = Scalars::new();
        match request {
            Request::Enqueue => {
                words.push(self.scalar(inst.word(0))?);
                words.push(self.scalar(inst.word(1))?);
                words.push(self.block(inst.word(6))?);
                words.push(details);
                words.extend(self.range_words(inst.word(2))?);
                for position in [3, 4, 5, 7, 8, 9] {
                    words.push(self.scalar(inst.word(position))?);
                }
                let sizes = inst.operands.get(10..).unwrap_or_default();
                words.push(self.i64(sizes.len() as i64));
                for &size in sizes {
                    words.push(self.scalar(size)?);
                }
            }
            Request::Marker => {
                words.push(self.scalar(inst.word(0))?);
                words.push(details);
                for position in [1, 2, 3] {
                    words.push(self.scalar(inst.word(position))?);
                }
            }
            Request::SubGroupCount | Request::MaxSubGroupSize => {
                words.push(self.block(inst.word(1))?);
                words.extend(self.range_words(inst.word(0))?);
            }
            Request::LocalSizeForSubGroups => {
                words.push(self.block(inst.word(1))?);
                words.push(self.scalar(inst.word(0))?);
            }
            Request::WorkGroupSize | Request::PreferredMultiple | Request::MaxSubGroups => words.push(self.block(inst.word(0))?),
            _ => {
                for &operand in inst.operands {
                    words.push(self.scalar(operand)?);
                }
            }
        }
        let answer = self.request(request, &words)?;
        if inst.result != 0 {
            let elem = self.result_elem(inst)?;
            let result = match elem {
                Elem::Mask => self.b().icmp_imm(IntCc::Ne, answer, 0),
                _ => resize_int(&mut self.b(), elem, answer, false),
            };
            self.define_scalar(inst, result);
        }
        Ok(true)
    }

    /// Asks the machine; the words are integers.
    fn request(&mut self, request: Request, words: &[Value]) -> Result<Value> {
        self.flags = Flags::empty();
        let memory = self.slot(8 * words.len().max(1) as u64, 8)?;
        for (n, &word) in words.iter().enumerate() {
            let value = resize_int(&mut self.b(), Elem::I64, word, false);
            let leaf = super::shape::Leaf {
                elem: Elem::I64,
                offset: 8 * n as u64,
            };
            self.store_leaf(&leaf, value, &memory, 8, MemFlags::empty());
        }
        let args = [
            self.builtin(Builtin::Launch, 0),
            self.builtin(Builtin::Worker, 0),
            self.i32(request as i32),
            self.materialize(&memory),
        ];
        Ok(self.b().value(InstData::CallRuntime {
            routine: Runtime::Request,
            args: ValueList::from_slice(&args),
        }))
    }

    /// A block's number.
    fn block(&mut self, function: Id) -> Result<Value> {
        let home = self.program.home(self.unit, function);
        let number = self
            .program
            .blocks
            .iter()
            .position(|&block| block == home)
            .ok_or(Failure::Unsupported)?;
        Ok(self.i64(number as i64))
    }

    /// What OpBuildNDRange makes, as words.
    fn range_words(&mut self, id: Id) -> Result<Scalars> {
        let words = self.scalars(id)?;
        match words.len() {
            RANGE => Ok(words),
            _ => Err(Failure::Message(
                "an ND-range must have four members, the last three of three sizes each".into(),
            )),
        }
    }

    /// OpBuildNDRange: global size, local size, offset.
    fn range(&mut self, inst: &Instruction<'m>) -> Result<()> {
        let dimensions = match *self.spirv.ty(self.spirv.type_of(inst.word(0))) {
            SpirvType::Array { length, .. } => length,
            _ => 1,
        };
        let zero = self.i64(0);
        let mut words = Scalars::from_slice(&[self.i32(dimensions as i32)]);
        for position in [2, 0, 1] {
            let sizes = self.scalars(inst.word(position))?;
            words.extend((0..3).map(|axis| sizes.get(axis).copied().unwrap_or(zero)));
        }
        self.define(inst, words);
        Ok(())
    }
}
