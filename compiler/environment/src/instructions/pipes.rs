//! Pipe instructions (SPIR-V 3.52.23).

use crate::Validator;
use rspirv::spirv::{AccessQualifier, Op, Scope};
use spirv::{Id, Instruction, Type};

impl<'a> Validator<'a> {
    /// `false` if the instruction is of another class.
    pub(super) fn pipe(&mut self, instruction: &Instruction<'a>, op: Op) -> bool {
        let word = |position| instruction.word(position);
        use AccessQualifier::{ReadOnly, WriteOnly};
        match op {
            Op::ReadPipe | Op::WritePipe => {
                self.pipe_operand(instruction, 0, Some(if op == Op::ReadPipe { ReadOnly } else { WriteOnly }));
                self.pointer(instruction, word(1));
                self.packet(instruction, 2);
                self.result_int32(instruction);
            }
            Op::ReservedReadPipe | Op::ReservedWritePipe => {
                self.pipe_operand(instruction, 0, Some(if op == Op::ReservedReadPipe { ReadOnly } else { WriteOnly }));
                self.reservation(instruction, word(1));
                self.pipe_int32(instruction, word(2));
                self.pointer(instruction, word(3));
                self.packet(instruction, 4);
                self.result_int32(instruction);
            }
            Op::ReserveReadPipePackets | Op::ReserveWritePipePackets => {
                self.pipe_operand(
                    instruction,
                    0,
                    Some(if op == Op::ReserveReadPipePackets { ReadOnly } else { WriteOnly }),
                );
                self.pipe_int32(instruction, word(1));
                self.packet(instruction, 2);
                self.result(
                    instruction,
                    *self.module.ty(instruction.result_type) == Type::ReserveId,
                    "OpTypeReserveId",
                );
            }
            Op::CommitReadPipe | Op::CommitWritePipe => {
                self.pipe_operand(instruction, 0, Some(if op == Op::CommitReadPipe { ReadOnly } else { WriteOnly }));
                self.reservation(instruction, word(1));
                self.packet(instruction, 2);
            }
            Op::IsValidReserveId => {
                self.reservation(instruction, word(0));
                self.result(instruction, *self.module.ty(instruction.result_type) == Type::Bool, "a Boolean");
            }
            Op::GetNumPipePackets | Op::GetMaxPipePackets => {
                self.pipe_operand(instruction, 0, None);
                self.packet(instruction, 1);
                self.result_int32(instruction);
            }
            Op::GroupReserveReadPipePackets | Op::GroupReserveWritePipePackets => {
                self.execution_scope(instruction, word(0), &[Scope::Workgroup, Scope::Subgroup]);
                self.pipe_operand(
                    instruction,
                    1,
                    Some(if op == Op::GroupReserveReadPipePackets {
                        ReadOnly
                    } else {
                        WriteOnly
                    }),
                );
                self.pipe_int32(instruction, word(2));
                self.packet(instruction, 3);
                self.result(
                    instruction,
                    *self.module.ty(instruction.result_type) == Type::ReserveId,
                    "OpTypeReserveId",
                );
            }
            Op::GroupCommitReadPipe | Op::GroupCommitWritePipe => {
                self.execution_scope(instruction, word(0), &[Scope::Workgroup, Scope::Subgroup]);
                self.pipe_operand(
                    instruction,
                    1,
                    Some(if op == Op::GroupCommitReadPipe { ReadOnly } else { WriteOnly }),
                );
                self.reservation(instruction, word(2));
                self.packet(instruction, 3);
            }
            Op::CreatePipeFromPipeStorage => {
                let good = matches!(self.module.ty(instruction.result_type), Type::Pipe { .. });
                self.result(instruction, good, "OpTypePipe");
                let storage = self.module.value_type(word(0)).clone();
                let is_storage = storage == Type::PipeStorage
                    || storage
                        .pointer()
                        .is_some_and(|(_, pointee)| *self.module.ty(pointee) == Type::PipeStorage);
                self.operand(instruction, is_storage, || {
                    "Pipe Storage must be a pointer to OpTypePipeStorage".into()
                });
            }
            _ => return false,
        }
        true
    }

    fn pipe_operand(&mut self, instruction: &Instruction<'a>, position: usize, access: Option<AccessQualifier>) {
        let found = match *self.module.value_type(instruction.word(position)) {
            Type::Pipe { access } => Some(access),
            _ => None,
        };
        let good = found.is_some() && (access.is_none() || found == access);
        self.operand(instruction, good, || match access {
            Some(access) => format!("Pipe must be of OpTypePipe with {access:?}"),
            None => "Pipe must be of OpTypePipe".into(),
        });
    }

    fn reservation(&mut self, instruction: &Instruction<'a>, id: Id) {
        let good = *self.module.value_type(id) == Type::ReserveId;
        self.operand(instruction, good, || format!("%{id} must be of OpTypeReserveId"));
    }

    fn pipe_int32(&mut self, instruction: &Instruction<'a>, id: Id) {
        let good = self.value_shape(id).is_int32();
        self.operand(instruction, good, || format!("%{id} must be a 32-bit integer"));
    }

    fn result_int32(&mut self, instruction: &Instruction<'a>) {
        self.result(instruction, self.shape(instruction.result_type).is_int32(), "a 32-bit integer");
    }

    /// Packet size and alignment at `position`: constants, the size a multiple of the alignment.
    fn packet(&mut self, instruction: &Instruction<'a>, position: usize) {
        let values = [0, 1].map(|offset| {
            let id = instruction.word(position + offset);
            self.module.constant_bits(id).filter(|_| self.value_shape(id).is_int32())
        });
        let good = matches!(values, [Some(size), Some(align)] if align != 0 && size % align == 0);
        self.operand(instruction, good, || {
            "Packet Size and Packet Alignment must be 32-bit constants, one a multiple of the other".into()
        });
    }
}
