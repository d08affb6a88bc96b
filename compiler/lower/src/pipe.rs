//! Pipes (SPIR-V specification, section 3.52.23): calls of `device::pipe`. One work-item of a group reserves and commits for all of them.

use super::Failure;
use super::arithmetic::resize_int;
use super::function::{Lowering, Result};
use super::value::{Scalars, Val};
use ir::*;
use rspirv::spirv::Op;
use spirv::{Id, Instruction};

impl<'m> Lowering<'_, 'm> {
    /// Lowers it if it is one of these; says whether it was.
    pub(super) fn pipe(&mut self, inst: &Instruction<'m>) -> Result<bool> {
        let op = inst.op();
        match op {
            Op::ReadPipe | Op::WritePipe => {
                let routine = if op == Op::ReadPipe {
                    Runtime::PipeRead
                } else {
                    Runtime::PipeWrite
                };
                let args = [
                    self.scalar(inst.word(0))?,
                    self.scalar(inst.word(1))?,
                    self.packet_size(inst.word(2))?,
                ];
                self.call_for_result(inst, routine, &args)?;
            }
            Op::ReservedReadPipe | Op::ReservedWritePipe => {
                let routine = if op == Op::ReservedReadPipe {
                    Runtime::PipeReservedRead
                } else {
                    Runtime::PipeReservedWrite
                };
                let args = [
                    self.scalar(inst.word(0))?,
                    self.scalar(inst.word(1))?,
                    self.count(inst.word(2))?,
                    self.scalar(inst.word(3))?,
                    self.packet_size(inst.word(4))?,
                ];
                self.call_for_result(inst, routine, &args)?;
            }
            Op::ReserveReadPipePackets | Op::ReserveWritePipePackets => {
                let args = [self.scalar(inst.word(0))?, self.count(inst.word(1))?];
                self.call_for_result(inst, reserve(op == Op::ReserveReadPipePackets), &args)?;
            }
            Op::GroupReserveReadPipePackets | Op::GroupReserveWritePipePackets => {
                let args = [self.scalar(inst.word(1))?, self.count(inst.word(2))?];
                let routine = reserve(op == Op::GroupReserveReadPipePackets);
                let scope = self.scope(inst.word(0));
                let first = self.first_of(scope);
                let reservation = self.call_where(first, routine, &args);
                let result = match scope {
                    Scope::SubGroup => self.b().sub_group(SubGroupOp::BroadcastFirst, &[reservation]),
                    _ => self.work_group(WorkGroupOp::Reduce(ReduceOp::Or), &[reservation]),
                };
                self.define_scalar(inst, result);
            }
            Op::CommitReadPipe | Op::CommitWritePipe => {
                let args = [self.scalar(inst.word(0))?, self.scalar(inst.word(1))?];
                self.b().push(call(commit(op == Op::CommitReadPipe), &args));
            }
            Op::GroupCommitReadPipe | Op::GroupCommitWritePipe => {
                let args = [self.scalar(inst.word(1))?, self.scalar(inst.word(2))?];
                let scope = self.scope(inst.word(0));
                // Finding the first of a group waits for all of them, and thus for their accesses.
                let first = self.first_of(scope);
                self.call_where(first, commit(op == Op::GroupCommitReadPipe), &args);
            }
            Op::IsValidReserveId => {
                let reservation = self.scalar(inst.word(0))?;
                let valid = self.b().icmp_imm(IntCc::Ne, reservation, 0);
                self.define_scalar(inst, valid);
            }
            Op::GetNumPipePackets | Op::GetMaxPipePackets => {
                let routine = if op == Op::GetNumPipePackets {
                    Runtime::PipePackets
                } else {
                    Runtime::PipeCapacity
                };
                let args = [self.scalar(inst.word(0))?];
                self.call_for_result(inst, routine, &args)?;
            }
            Op::ReadClockKHR => {
                let time = self.b().value(call(Runtime::Clock, &[]));
                let scalars = match self.result_elem(inst)? {
                    Elem::I64 => Scalars::from_slice(&[time]),
                    elem => {
                        let b = &mut self.b();
                        let high = b.binary_imm(BinaryOp::LShr, time, 32);
                        Scalars::from_slice(&[time, high].map(|half| resize_int(b, elem, half, false)))
                    }
                };
                self.define(inst, scalars);
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// CLK_NULL_RESERVE_ID, as the prelude of OpenCL C spells it.
    pub(super) fn null_reservation(&mut self, inst: &Instruction<'m>) {
        let none = self.i64(0);
        self.bind(inst.result, Val::Scalars(Scalars::from_slice(&[none])));
    }

    /// An integer operand as a number of packets.
    fn count(&mut self, id: Id) -> Result<Value> {
        let value = self.scalar(id)?;
        Ok(resize_int(&mut self.b(), Elem::I32, value, false))
    }

    fn packet_size(&mut self, id: Id) -> Result<Value> {
        let size = self.literal(id).ok_or(Failure::Unsupported)?;
        Ok(self.i32(size as i32))
    }

    fn call_for_result(&mut self, inst: &Instruction<'m>, routine: Runtime, args: &[Value]) -> Result<()> {
        let result = self.b().value(call(routine, args));
        self.define_scalar(inst, result);
        Ok(())
    }

    /// True for one of a group's work-items that have come here.
    fn first_of(&mut self, scope: Scope) -> Value {
        if scope == Scope::SubGroup {
            return self.b().sub_group(SubGroupOp::Elect, &[]);
        }
        let one = self.i32(1);
        let before = self.work_group(WorkGroupOp::ExclusiveScan(ReduceOp::Add), &[one]);
        self.b().icmp_imm(IntCc::Eq, before, 0)
    }

    /// Calls where the condition is true; gives 0 (or what the function gives) as an `i64`.
    fn call_where(&mut self, condition: Value, routine: Runtime, args: &[Value]) -> Value {
        let (inner, after) = (self.func.add_block(), self.func.add_block());
        let result = self.func.add_param(after, Type::I64);
        let zero = self.i64(0);
        self.b().branch(condition, to(inner, &[]), to(after, &[zero]));
        self.block = inner;
        let mut b = self.b();
        let done = b.push(call(routine, args));
        let value = if routine.signature().1.is_some() {
            self.func.result(done)
        } else {
            zero
        };
        self.b().jump(after, &[value]);
        self.block = after;
        result
    }
}

fn call(routine: Runtime, args: &[Value]) -> InstData {
    InstData::CallRuntime {
        routine,
        args: ValueList::from_slice(args),
    }
}

fn reserve(read: bool) -> Runtime {
    if read {
        Runtime::PipeReserveRead
    } else {
        Runtime::PipeReserveWrite
    }
}

fn commit(read: bool) -> Runtime {
    if read { Runtime::PipeCommitRead } else { Runtime::PipeCommitWrite }
}
