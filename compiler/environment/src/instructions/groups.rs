//! Group and sub-group instructions (SPIR-V 3.52.21 and 3.52.24, Environment 4 and 5, SPV_INTEL_subgroups).

use super::{Kind, Shape};

use crate::{Validator, deviations::Deviation, rules};
use rspirv::spirv::{Capability, GroupOperation, Op, Scope, StorageClass};
use spirv::{Id, Instruction, Type};
use vendors::Features;

const WORKGROUP: &[Scope] = &[Scope::Workgroup];
const SUBGROUP: &[Scope] = &[Scope::Subgroup];
const EITHER: &[Scope] = &[Scope::Workgroup, Scope::Subgroup];

/// What a reduction is over.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Over {
    Int,
    Float,
    Bool,
}

impl<'a> Validator<'a> {
    /// `false` if the instruction is of another class.
    pub(super) fn group(&mut self, instruction: &Instruction<'a>, op: Op) -> bool {
        let word = |position| instruction.word(position);
        match op {
            Op::GroupAsyncCopy | Op::GroupWaitEvents => self.async_copy(instruction, op),
            Op::GroupAll | Op::GroupAny => {
                self.group_scope(instruction);
                self.bools(instruction, 1);
            }
            Op::GroupBroadcast => self.broadcast(instruction),
            Op::GroupIAdd | Op::GroupUMin | Op::GroupSMin | Op::GroupUMax | Op::GroupSMax => self.reduction(instruction, Over::Int),
            Op::GroupFAdd | Op::GroupFMin | Op::GroupFMax => self.reduction(instruction, Over::Float),
            Op::GroupIMulKHR | Op::GroupBitwiseAndKHR | Op::GroupBitwiseOrKHR | Op::GroupBitwiseXorKHR => {
                self.reduction(instruction, Over::Int);
            }
            Op::GroupFMulKHR => self.reduction(instruction, Over::Float),
            Op::GroupLogicalAndKHR | Op::GroupLogicalOrKHR | Op::GroupLogicalXorKHR => self.reduction(instruction, Over::Bool),
            Op::SubgroupAllKHR | Op::SubgroupAnyKHR | Op::SubgroupAllEqualKHR => self.bools(instruction, 0),
            Op::SubgroupBallotKHR => {
                let good = *self.module.value_type(word(0)) == Type::Bool;
                self.operand(instruction, good, || "Predicate must be a Boolean".into());
                self.uint4(instruction, instruction.result_type, true);
            }
            Op::SubgroupFirstInvocationKHR => self.data(instruction, 0),
            Op::SubgroupReadInvocationKHR => {
                self.data(instruction, 0);
                self.int32(instruction, word(1));
            }
            Op::ReadClockKHR => {
                self.execution_scope(instruction, word(0), &[Scope::Device, Scope::Workgroup, Scope::Subgroup]);
                let result = self.shape(instruction.result_type);
                let good = matches!(
                    result,
                    Shape {
                        kind: Kind::Int(64),
                        count: 1
                    } | Shape {
                        kind: Kind::Int(32),
                        count: 2
                    }
                );
                self.result(instruction, good, "a 64-bit integer or a vector of two 32-bit integers");
            }
            Op::SubgroupShuffleINTEL | Op::SubgroupShuffleXorINTEL => {
                self.intel_data(instruction, 1);
                self.int32(instruction, word(1));
            }
            Op::SubgroupShuffleDownINTEL | Op::SubgroupShuffleUpINTEL => {
                self.intel_data(instruction, 2);
                self.int32(instruction, word(2));
            }
            Op::SubgroupBlockReadINTEL => self.block_access(instruction, instruction.result_type),
            Op::SubgroupBlockWriteINTEL => self.block_access(instruction, self.module.type_of(word(1))),
            _ => return self.non_uniform(instruction, op),
        }
        true
    }

    fn group_scope(&mut self, instruction: &Instruction<'a>) -> Option<Scope> {
        let scope = self.execution_scope(instruction, instruction.word(0), EITHER)?;
        if scope == Scope::Workgroup && !self.features.contains(Features::WORK_GROUP_COLLECTIVES) {
            let detail = "it is Workgroup, but CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT is false";
            self.report.error(&rules::EXECUTION_SCOPE, instruction.index, detail);
        }
        Some(scope)
    }

    fn bools(&mut self, instruction: &Instruction<'a>, position: usize) {
        let good = *self.module.value_type(instruction.word(position)) == Type::Bool;
        self.operand(instruction, good, || "Predicate must be a Boolean".into());
        self.result(instruction, *self.module.ty(instruction.result_type) == Type::Bool, "a Boolean");
    }

    fn int32(&mut self, instruction: &Instruction<'a>, id: Id) {
        self.operand(instruction, self.value_shape(id).is_int32(), || {
            format!("%{id} must be a 32-bit integer")
        });
    }

    /// An unsigned 32-bit integer vector of four: the form of a ballot.
    fn uint4(&mut self, instruction: &Instruction<'a>, type_id: Id, is_result: bool) {
        let good = self.shape(type_id)
            == Shape {
                kind: Kind::Int(32),
                count: 4,
            };
        if is_result {
            self.result(instruction, good, "a vector of four 32-bit integers");
        } else {
            self.operand(instruction, good, || "Value must be a vector of four 32-bit integers".into());
        }
    }

    /// A value of numbers that comes back as the result.
    fn data(&mut self, instruction: &Instruction<'a>, position: usize) {
        self.same_type(instruction, position..position + 1, instruction.result_type);
        let shape = self.shape(instruction.result_type);
        self.result(
            instruction,
            shape.is_int() || shape.is_float() || shape.is_bool(),
            "numbers or Booleans",
        );
    }

    fn async_copy(&mut self, instruction: &Instruction<'a>, op: Op) {
        let word = |position| instruction.word(position);
        self.execution_scope(instruction, word(0), WORKGROUP);
        let size = Shape {
            kind: Kind::Int(self.module.address_bits),
            count: 1,
        };
        if op == Op::GroupWaitEvents {
            self.int32(instruction, word(1));
            if let Some((_, pointee)) = self.pointer(instruction, word(2)) {
                self.operand(instruction, pointee == 0 || *self.module.ty(pointee) == Type::Event, || {
                    "Events List must point to OpTypeEvent".into()
                });
            }
            return;
        }
        self.result(instruction, *self.module.ty(instruction.result_type) == Type::Event, "OpTypeEvent");
        if let (Some((to, pointee)), Some((from, source))) = (self.pointer(instruction, word(1)), self.pointer(instruction, word(2))) {
            let classes = matches!(
                (to, from),
                (StorageClass::Workgroup, StorageClass::CrossWorkgroup) | (StorageClass::CrossWorkgroup, StorageClass::Workgroup)
            );
            self.operand(instruction, classes, || {
                "one pointer must be to Workgroup, and the other to CrossWorkgroup".into()
            });
            self.operand(instruction, pointee == source, || "both pointers must be to the same type".into());
            let shape = self.shape(pointee);
            self.operand(instruction, shape.is_int() || shape.is_float(), || {
                "the pointers must be to numbers".into()
            });
        }
        for position in [3, 4] {
            let shape = self.value_shape(word(position));
            let good = shape == size || shape.is_int32() && self.deviates(Deviation::NarrowCopySize, instruction);
            self.operand(instruction, good, || {
                "Num Elements and Stride must be integers of the address width".into()
            });
        }
        self.operand(instruction, *self.module.value_type(word(5)) == Type::Event, || {
            "Event must be of OpTypeEvent".into()
        });
    }

    fn broadcast(&mut self, instruction: &Instruction<'a>) {
        let scope = self.group_scope(instruction);
        self.same_type(instruction, 1..2, instruction.result_type);
        let shape = self.shape(instruction.result_type);
        let extended = scope == Some(Scope::Subgroup) && self.features.contains(Features::SUB_GROUP_EXTENDED_TYPES);
        self.group_type(instruction, shape, extended);
        if shape.count > 1 && !extended {
            let detail = "vectors need cl_khr_subgroup_extended_types, and Subgroup scope";
            self.report.error(&rules::GROUP_TYPE, instruction.index, detail);
        }
        let id = self.value_shape(instruction.word(2));
        let good = id.is_int() && id.count <= 3;
        self.operand(instruction, good, || {
            "LocalId must be an integer, or a vector of two or three".into()
        });
    }

    /// Integers of 32 and 64 bits and floating-point numbers; of 8 and 16 bits too where types are extended.
    fn group_type(&mut self, instruction: &Instruction<'a>, shape: Shape, extended: bool) {
        let good = match shape.kind {
            Kind::Int(width) => extended || width >= 32,
            Kind::Float(_) => true,
            _ => false,
        };
        if !good {
            let detail = match shape.kind {
                Kind::Int(_) => "integers of 8 and 16 bits need cl_khr_subgroup_extended_types, and Subgroup scope",
                _ => "integers or floating-point numbers are wanted",
            };
            self.report.error(&rules::GROUP_TYPE, instruction.index, detail);
        }
    }

    fn reduction(&mut self, instruction: &Instruction<'a>, over: Over) {
        let khr = instruction.info.grammar.opname.ends_with("KHR");
        let scope = if khr {
            self.execution_scope(instruction, instruction.word(0), EITHER)
        } else {
            self.group_scope(instruction)
        };
        self.group_operation(instruction, false);
        self.same_type(instruction, 2..3, instruction.result_type);
        let shape = self.shape(instruction.result_type);
        let good = match over {
            Over::Int => shape.is_int(),
            Over::Float => shape.is_float(),
            Over::Bool => shape.is_bool(),
        };
        self.result(
            instruction,
            good && shape.is_scalar(),
            "a scalar of the kind that the operation is for",
        );
        if over != Over::Bool {
            let extended = scope == Some(Scope::Subgroup) && self.features.contains(Features::SUB_GROUP_EXTENDED_TYPES);
            self.group_type(instruction, shape, extended);
        }
    }

    /// Reduce and the two scans; clustered reductions too for non-uniform instructions.
    fn group_operation(&mut self, instruction: &Instruction<'a>, non_uniform: bool) {
        let operation = GroupOperation::from_u32(instruction.word(1));
        let cluster = instruction.operands.get(3).copied().filter(|_| non_uniform);
        match operation {
            Some(GroupOperation::Reduce | GroupOperation::InclusiveScan | GroupOperation::ExclusiveScan) => {
                if cluster.is_some() {
                    self.report.error(
                        &rules::CLUSTER_SIZE,
                        instruction.index,
                        "ClusterSize belongs to ClusteredReduce alone",
                    );
                }
            }
            Some(GroupOperation::ClusteredReduce) if non_uniform && self.module.has_capability(Capability::GroupNonUniformClustered) => {
                match cluster {
                    Some(size) => self.cluster_size(instruction, size),
                    None => self
                        .report
                        .error(&rules::CLUSTER_SIZE, instruction.index, "ClusteredReduce needs one"),
                }
            }
            _ => self
                .report
                .error(&rules::GROUP_OPERATION, instruction.index, format!("{operation:?}")),
        }
    }

    fn cluster_size(&mut self, instruction: &Instruction<'a>, id: Id) {
        let size = self.module.constant_bits(id);
        let good = self.value_shape(id).is_int32() && size.is_some_and(|size| size.is_power_of_two());
        if !good {
            self.report.error(&rules::CLUSTER_SIZE, instruction.index, format!("%{id}"));
        }
    }

    fn non_uniform(&mut self, instruction: &Instruction<'a>, op: Op) -> bool {
        let word = |position| instruction.word(position);
        let shape = self.shape(instruction.result_type);
        let scopes = if op == Op::GroupNonUniformRotateKHR { EITHER } else { SUBGROUP };
        match op {
            Op::GroupNonUniformElect => {
                self.result(instruction, *self.module.ty(instruction.result_type) == Type::Bool, "a Boolean");
            }
            Op::GroupNonUniformAll | Op::GroupNonUniformAny => self.bools(instruction, 1),
            Op::GroupNonUniformAllEqual => {
                let value = self.value_shape(word(1));
                self.operand(instruction, is_number(value) && value.is_scalar(), || {
                    "Value must be a number".into()
                });
                self.result(instruction, *self.module.ty(instruction.result_type) == Type::Bool, "a Boolean");
            }
            Op::GroupNonUniformBroadcast => {
                self.same_type(instruction, 1..2, instruction.result_type);
                self.result(instruction, is_number(shape), "numbers");
                self.int32(instruction, word(2));
                let constant = self.module.constant_bits(word(2)).is_some() || self.module.header().version >= (1, 5);
                let good = constant || self.deviates(Deviation::BroadcastFromVariable, instruction);
                self.operand(instruction, good, || "before SPIR-V 1.5, Id must be a constant".into());
            }
            Op::GroupNonUniformBroadcastFirst => {
                self.same_type(instruction, 1..2, instruction.result_type);
                self.result(instruction, is_number(shape) && shape.is_scalar(), "a number");
            }
            Op::GroupNonUniformBallot => {
                let good = *self.module.value_type(word(1)) == Type::Bool;
                self.operand(instruction, good, || "Predicate must be a Boolean".into());
                self.uint4(instruction, instruction.result_type, true);
            }
            Op::GroupNonUniformInverseBallot | Op::GroupNonUniformBallotBitExtract => {
                self.uint4(instruction, self.module.type_of(word(1)), false);
                self.result(instruction, *self.module.ty(instruction.result_type) == Type::Bool, "a Boolean");
                if op == Op::GroupNonUniformBallotBitExtract {
                    self.int32(instruction, word(2));
                }
            }
            Op::GroupNonUniformBallotBitCount => {
                let operation = GroupOperation::from_u32(word(1));
                if !matches!(
                    operation,
                    Some(GroupOperation::Reduce | GroupOperation::InclusiveScan | GroupOperation::ExclusiveScan)
                ) {
                    self.report
                        .error(&rules::GROUP_OPERATION, instruction.index, format!("{operation:?}"));
                }
                self.uint4(instruction, self.module.type_of(word(2)), false);
                self.result(instruction, shape.is_int() && shape.is_scalar(), "an integer");
            }
            Op::GroupNonUniformBallotFindLSB | Op::GroupNonUniformBallotFindMSB => {
                self.uint4(instruction, self.module.type_of(word(1)), false);
                self.result(instruction, shape.is_int() && shape.is_scalar(), "an integer");
            }
            Op::GroupNonUniformShuffle | Op::GroupNonUniformShuffleXor | Op::GroupNonUniformShuffleUp | Op::GroupNonUniformShuffleDown => {
                self.same_type(instruction, 1..2, instruction.result_type);
                self.result(instruction, is_number(shape) && shape.is_scalar(), "a number");
                self.int32(instruction, word(2));
            }
            Op::GroupNonUniformRotateKHR => {
                self.data(instruction, 1);
                self.int32(instruction, word(2));
                if let Some(&size) = instruction.operands.get(3) {
                    self.cluster_size(instruction, size);
                }
            }
            Op::GroupNonUniformIAdd
            | Op::GroupNonUniformIMul
            | Op::GroupNonUniformSMin
            | Op::GroupNonUniformUMin
            | Op::GroupNonUniformSMax
            | Op::GroupNonUniformUMax
            | Op::GroupNonUniformBitwiseAnd
            | Op::GroupNonUniformBitwiseOr
            | Op::GroupNonUniformBitwiseXor => self.non_uniform_reduction(instruction, shape.is_int(), "an integer"),
            Op::GroupNonUniformFAdd | Op::GroupNonUniformFMul | Op::GroupNonUniformFMin | Op::GroupNonUniformFMax => {
                self.non_uniform_reduction(instruction, shape.is_float(), "a floating-point number");
            }
            Op::GroupNonUniformLogicalAnd | Op::GroupNonUniformLogicalOr | Op::GroupNonUniformLogicalXor => {
                self.non_uniform_reduction(instruction, shape.is_bool(), "a Boolean");
            }
            _ => return false,
        }
        self.execution_scope(instruction, word(0), scopes);
        true
    }

    fn non_uniform_reduction(&mut self, instruction: &Instruction<'a>, good: bool, wanted: &str) {
        let scalar = self.shape(instruction.result_type).is_scalar();
        self.result(instruction, good && scalar, wanted);
        self.same_type(instruction, 2..3, instruction.result_type);
        self.group_operation(instruction, true);
    }

    /// Data of one of SPV_INTEL_subgroups' shuffles: `values` operands of the result's type.
    fn intel_data(&mut self, instruction: &Instruction<'a>, values: usize) {
        self.same_type(instruction, 0..values, instruction.result_type);
        let Shape { kind, count } = self.shape(instruction.result_type);
        let vectors = matches!(count, 1 | 2 | 4 | 8 | 16) || count == 3 && !self.environment.is_level_zero();
        let good = match kind {
            Kind::Float(32) | Kind::Int(32) => vectors,
            Kind::Int(16) => vectors && self.intel_type("cl_intel_subgroups_short"),
            Kind::Int(8) => vectors && self.intel_type("cl_intel_subgroups_char"),
            Kind::Int(64) => count == 1,
            // Without Float16, half has no values.
            Kind::Float(16) => count == 1,
            Kind::Float(64) => count == 1 && self.module.has_capability(Capability::Float64),
            _ => false,
        };
        if !good {
            let extension = match kind {
                Kind::Int(16) => "cl_intel_subgroups_short",
                Kind::Int(8) => "cl_intel_subgroups_char",
                _ => "",
            };
            self.intel_type_error(instruction, instruction.result_type, extension);
        }
    }

    /// Data can't be of a type; perhaps for lack of an extension.
    fn intel_type_error(&mut self, instruction: &Instruction<'a>, data: Id, extension: &str) {
        let detail = match extension {
            "" => format!("not %{data}"),
            name if self.intel_type(name) => format!("not %{data}"),
            name => format!("%{data} needs {name}, which the device does not have"),
        };
        self.report.error(&rules::INTEL_SUBGROUP_TYPE, instruction.index, detail);
    }

    /// May data be of the type that an extension of OpenCL's adds? Level Zero has short and char for shuffles from the beginning.
    fn intel_type(&self, extension: &str) -> bool {
        self.environment.is_level_zero() || self.environment.registry.has(extension)
    }

    /// Data of a block read or write.
    pub(super) fn block_data(&mut self, instruction: &Instruction<'a>, data: Id) {
        let registry = &self.environment.registry;
        let Shape { kind, count } = self.shape(data);
        let vectors = matches!(count, 1 | 2 | 4 | 8);
        let good = match kind {
            Kind::Int(32) => vectors,
            // Of 16 components since 1.1.0 of OpenCL's extension, which Level Zero lacks.
            Kind::Int(16) if count == 16 => registry.has("cl_intel_subgroups_short") && !self.environment.is_level_zero(),
            Kind::Int(16) => vectors && self.intel_type("cl_intel_subgroups_short"),
            Kind::Int(8) => (vectors || count == 16) && registry.has("cl_intel_subgroups_char"),
            Kind::Int(64) => vectors && registry.has("cl_intel_subgroups_long"),
            _ => false,
        };
        if !good {
            let extension = match kind {
                Kind::Int(16) => "cl_intel_subgroups_short",
                Kind::Int(8) => "cl_intel_subgroups_char",
                Kind::Int(64) => "cl_intel_subgroups_long",
                _ => "",
            };
            self.intel_type_error(instruction, data, extension);
        }
    }

    fn block_access(&mut self, instruction: &Instruction<'a>, data: Id) {
        let pointer = self.pointer(instruction, instruction.word(0));
        let component = self.module.components(data).1;
        if let Some((class, pointee)) = pointer {
            // OpenCL's alone: Level Zero has no such extension.
            let local = self.environment.registry.has("cl_intel_subgroup_local_block_io") && !self.environment.is_level_zero();
            let classes = class == StorageClass::CrossWorkgroup || local && class == StorageClass::Workgroup;
            self.operand(instruction, classes, || match class {
                StorageClass::Workgroup => {
                    "a pointer to Workgroup needs cl_intel_subgroup_local_block_io, which the device does not have".into()
                }
                _ => "the pointer must be to CrossWorkgroup or Workgroup".into(),
            });
            self.operand(instruction, pointee == component, || {
                "the pointer must be to the data's component type".into()
            });
        }
        self.block_data(instruction, data);
    }
}

fn is_number(shape: Shape) -> bool {
    shape.is_int() || shape.is_float()
}
