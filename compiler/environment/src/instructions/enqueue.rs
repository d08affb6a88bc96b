//! Device-side enqueue (SPIR-V 3.52.22). Which environments have it, the capability DeviceEnqueue tells.

use super::{Kind, Shape};
use crate::Validator;
use rspirv::spirv::{Op, StorageClass};
use spirv::{Id, Instruction, Type};

impl<'a> Validator<'a> {
    /// `false` if the instruction is of another class.
    pub(super) fn enqueue(&mut self, instruction: &Instruction<'a>, op: Op) -> bool {
        let word = |position| instruction.word(position);
        match op {
            Op::GetDefaultQueue => self.handle_result(instruction, &Type::Queue),
            Op::CreateUserEvent => self.handle_result(instruction, &Type::DeviceEvent),
            Op::RetainEvent | Op::ReleaseEvent => self.handle(instruction, word(0), &Type::DeviceEvent),
            Op::IsValidEvent => {
                self.handle(instruction, word(0), &Type::DeviceEvent);
                let good = *self.module.ty(instruction.result_type) == Type::Bool;
                self.result(instruction, good, "a Boolean");
            }
            Op::SetUserEventStatus => {
                self.handle(instruction, word(0), &Type::DeviceEvent);
                self.number(instruction, word(1), "Status");
            }
            Op::CaptureEventProfilingInfo => {
                self.handle(instruction, word(0), &Type::DeviceEvent);
                self.number(instruction, word(1), "Profiling Info");
                if let Some((class, _)) = self.pointer(instruction, word(2)) {
                    self.operand(instruction, class == StorageClass::CrossWorkgroup, || {
                        "Value must be a pointer to CrossWorkgroup".into()
                    });
                }
            }
            Op::BuildNDRange => self.nd_range(instruction),
            Op::EnqueueMarker => {
                self.handle(instruction, word(0), &Type::Queue);
                self.events(instruction, 1);
                self.number_result(instruction);
            }
            Op::EnqueueKernel => {
                self.handle(instruction, word(0), &Type::Queue);
                self.number(instruction, word(1), "Flags");
                self.range(instruction, word(2));
                self.events(instruction, 3);
                let sizes = instruction.operands.get(10..).unwrap_or(&[]);
                self.invoked(instruction, 6, Some(sizes.len()));
                for &size in sizes {
                    self.number(instruction, size, "Local Size");
                }
                self.number_result(instruction);
            }
            Op::GetKernelNDrangeSubGroupCount | Op::GetKernelNDrangeMaxSubGroupSize => {
                self.range(instruction, word(0));
                self.invoked(instruction, 1, None);
                self.number_result(instruction);
            }
            Op::GetKernelWorkGroupSize | Op::GetKernelPreferredWorkGroupSizeMultiple | Op::GetKernelMaxNumSubgroups => {
                self.invoked(instruction, 0, None);
                self.number_result(instruction);
            }
            Op::GetKernelLocalSizeForSubgroupCount => {
                self.number(instruction, word(0), "Subgroup Count");
                self.invoked(instruction, 1, None);
                self.number_result(instruction);
            }
            _ => return false,
        }
        true
    }

    fn handle_result(&mut self, instruction: &Instruction<'a>, wanted: &Type) {
        let good = self.module.ty(instruction.result_type) == wanted;
        self.result(instruction, good, handle_name(wanted));
    }

    fn handle(&mut self, instruction: &Instruction<'a>, id: Id, wanted: &Type) {
        let good = self.module.value_type(id) == wanted;
        self.operand(instruction, good, || format!("%{id} must be of {}", handle_name(wanted)));
    }

    fn number(&mut self, instruction: &Instruction<'a>, id: Id, name: &str) {
        let good = self.value_shape(id).is_int32();
        self.operand(instruction, good, || format!("{name} must be a 32-bit integer"));
    }

    fn number_result(&mut self, instruction: &Instruction<'a>) {
        let good = self.shape(instruction.result_type).is_int32();
        self.result(instruction, good, "a 32-bit integer");
    }

    /// Num Events, Wait Events and Ret Event.
    fn events(&mut self, instruction: &Instruction<'a>, first: usize) {
        self.number(instruction, instruction.word(first), "Num Events");
        for position in [first + 1, first + 2] {
            if let Some((_, pointee)) = self.pointer(instruction, instruction.word(position)) {
                let good = *self.module.ty(pointee) == Type::DeviceEvent;
                self.operand(instruction, good, || {
                    "Wait Events and Ret Event must point to OpTypeDeviceEvent".into()
                });
            }
        }
    }

    fn range(&mut self, instruction: &Instruction<'a>, id: Id) {
        let good = matches!(self.module.value_type(id), Type::Struct(_));
        self.operand(instruction, good, || "ND Range must be what OpBuildNDRange gives".into());
    }

    /// Sizes and offset, each an integer of the address width, or an array of two or three.
    fn nd_range(&mut self, instruction: &Instruction<'a>) {
        let good = matches!(self.module.ty(instruction.result_type), Type::Struct(_));
        self.result(instruction, good, "a struct");
        let size = Shape {
            kind: Kind::Int(self.module.address_bits),
            count: 1,
        };
        for position in 0..3 {
            let type_id = self.module.type_of(instruction.word(position));
            let element = match *self.module.ty(type_id) {
                Type::Array { element, length: 2 | 3 } => element,
                _ => type_id,
            };
            self.operand(instruction, self.shape(element) == size, || {
                "sizes and offset must be integers of the address width, or arrays of two or three".into()
            });
        }
    }

    /// Invoke, Param, Param Size and Param Align; so many local sizes are given.
    fn invoked(&mut self, instruction: &Instruction<'a>, first: usize, sizes: Option<usize>) {
        let [invoke, parameter, size, align] = [0, 1, 2, 3].map(|position| instruction.word(first + position));
        let returns = self.module.function(invoke).map(|function| self.module.ty(function.result_type));
        self.operand(instruction, returns == Some(&Type::Void), || {
            "Invoke must be a function that returns nothing".into()
        });
        let byte = Shape {
            kind: Kind::Int(8),
            count: 1,
        };
        let parameters = self.module.function(invoke).map_or(&[][..], |function| &function.parameters);
        let pointers = parameters.iter().map(|&parameter| self.module.value_type(parameter).pointer());
        let good = pointers.enumerate().all(|(number, pointer)| match pointer {
            Some((_, pointee)) if number == 0 => self.shape(pointee) == byte,
            Some((class, _)) => class == StorageClass::Workgroup,
            None => false,
        });
        let count = sizes.map_or(parameters.len().max(1), |sizes| sizes + 1);
        self.operand(instruction, good && parameters.len() == count, || {
            "Invoke must take a pointer to bytes, and a pointer to Workgroup for each Local Size".into()
        });
        if let Some((_, pointee)) = self.pointer(instruction, parameter) {
            self.operand(instruction, self.shape(pointee) == byte, || "Param must point to bytes".into());
        }
        self.number(instruction, size, "Param Size");
        self.number(instruction, align, "Param Align");
    }
}

fn handle_name(ty: &Type) -> &'static str {
    match ty {
        Type::Queue => "OpTypeQueue",
        _ => "OpTypeDeviceEvent",
    }
}
