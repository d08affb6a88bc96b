//! Collective functions of work-groups and sub-groups.

use super::Call;
use crate::builtins::row::Group;
use crate::emit::function::Func;
use crate::emit::module::Id;
use crate::types::{Scalar, TypeId, TypeKind};
use rspirv::spirv::{BuiltIn, Capability, GroupOperation, Op};

impl Func<'_, '_> {
    pub fn group_predicate(&mut self, group: Group, op: Op, call: Call) -> Id {
        self.e.module.capability(Capability::Groups);
        let predicate = self.args(call)[0];
        let predicate = self.truth(predicate, self.arg_type(call, 0));
        let scope = self.scope(group);
        let truth = self.e.module.bool();
        let result = self.value(op, truth, &[scope, predicate]);
        self.truth_result(result, call.ty)
    }

    /// Which of three instructions is for a type.
    fn pick(&self, ops: [Op; 3], scalar: Scalar) -> Op {
        let [signed, unsigned, float] = ops;
        match scalar {
            scalar if scalar.is_float() => float,
            scalar if scalar.is_signed() => signed,
            _ => unsigned,
        }
    }

    pub fn group_arithmetic(&mut self, group: Group, operation: GroupOperation, ops: [Op; 3], call: Call) -> Id {
        let op = self.pick(ops, self.first(call));
        let mut value = self.args(call)[0];
        let scope = self.scope(group);
        let mut ty = self.e.ty(call.ty);
        let logical = matches!(op, Op::GroupLogicalAndKHR | Op::GroupLogicalOrKHR | Op::GroupLogicalXorKHR);
        let khr = logical
            || matches!(
                op,
                Op::GroupIMulKHR | Op::GroupFMulKHR | Op::GroupBitwiseAndKHR | Op::GroupBitwiseOrKHR | Op::GroupBitwiseXorKHR
            );
        match khr {
            true => self.need(Capability::GroupUniformArithmeticKHR, "SPV_KHR_uniform_group_instructions"),
            false => self.e.module.capability(Capability::Groups),
        }
        if logical {
            value = self.truth(value, self.arg_type(call, 0));
            ty = self.e.module.bool();
        }
        let result = self.value(op, ty, &[scope, operation as u32, value]);
        match logical {
            true => self.truth_result(result, call.ty),
            false => result,
        }
    }

    pub fn group_broadcast(&mut self, group: Group, call: Call) -> Id {
        self.e.module.capability(Capability::Groups);
        let args = self.args(call);
        let scope = self.scope(group);
        let ty = self.e.ty(call.ty);
        let id = match args.len() {
            2 => args[1],
            count => {
                let long = self.e.module.int(64);
                let vector = self.e.module.vector(long, count as u8 - 1);
                self.value(Op::CompositeConstruct, vector, &args[1..])
            }
        };
        self.value(Op::GroupBroadcast, ty, &[scope, args[0], id])
    }

    pub fn non_uniform(&mut self, op: Op, call: Call) -> Id {
        match op {
            Op::GroupNonUniformAll | Op::GroupNonUniformAny | Op::GroupNonUniformAllEqual => {
                self.e.module.capability(Capability::GroupNonUniformVote)
            }
            Op::GroupNonUniformElect => self.e.module.capability(Capability::GroupNonUniform),
            Op::GroupNonUniformShuffle | Op::GroupNonUniformShuffleXor => self.e.module.capability(Capability::GroupNonUniformShuffle),
            Op::GroupNonUniformShuffleUp | Op::GroupNonUniformShuffleDown => {
                self.e.module.capability(Capability::GroupNonUniformShuffleRelative);
            }
            Op::GroupNonUniformRotateKHR => self.need(Capability::GroupNonUniformRotateKHR, "SPV_KHR_subgroup_rotate"),
            _ => self.e.module.capability(Capability::GroupNonUniformBallot),
        }
        let mut args = self.args(call);
        if matches!(op, Op::GroupNonUniformAll | Op::GroupNonUniformAny | Op::GroupNonUniformBallot) {
            args[0] = self.truth(args[0], self.arg_type(call, 0));
        }
        // Before SPIR-V 1.5, the lane of a broadcast is a constant.
        let mut op = op;
        if op == Op::GroupNonUniformBroadcast && self.known(call.arguments[1]).is_none() {
            self.e.module.capability(Capability::GroupNonUniformShuffle);
            op = Op::GroupNonUniformShuffle;
        }
        args.insert(0, self.scope(Group::Sub));
        let is_truth = matches!(
            op,
            Op::GroupNonUniformElect
                | Op::GroupNonUniformAll
                | Op::GroupNonUniformAny
                | Op::GroupNonUniformAllEqual
                | Op::GroupNonUniformInverseBallot
                | Op::GroupNonUniformBallotBitExtract
        );
        if is_truth {
            let truth = self.e.module.bool();
            let result = self.value(op, truth, &args);
            return self.truth_result(result, call.ty);
        }
        let ty = self.e.ty(call.ty);
        let (scalar, lanes) = self.shape(call.ty);
        if op == Op::GroupNonUniformShuffle && lanes > 1 {
            // Shuffles are of scalars.
            let element = self.numeric(scalar, 1);
            let parts: Vec<Id> = (0..u32::from(lanes))
                .map(|lane| {
                    let part = self.value(Op::CompositeExtract, element, &[args[1], lane]);
                    self.value(op, element, &[args[0], part, args[2]])
                })
                .collect();
            return self.value(Op::CompositeConstruct, ty, &parts);
        }
        self.value(op, ty, &args)
    }

    pub fn ballot_count(&mut self, operation: GroupOperation, call: Call) -> Id {
        self.e.module.capability(Capability::GroupNonUniformBallot);
        let value = self.args(call)[0];
        let scope = self.scope(Group::Sub);
        let ty = self.e.ty(call.ty);
        self.value(Op::GroupNonUniformBallotBitCount, ty, &[scope, operation as u32, value])
    }

    fn arithmetic_capability(&mut self, operation: GroupOperation) {
        self.e.module.capability(match operation {
            GroupOperation::ClusteredReduce => Capability::GroupNonUniformClustered,
            _ => Capability::GroupNonUniformArithmetic,
        });
    }

    pub fn non_uniform_arithmetic(&mut self, operation: GroupOperation, ops: [Op; 3], call: Call) -> Id {
        self.arithmetic_capability(operation);
        let op = self.pick(ops, self.first(call));
        let args = self.args(call);
        let mut operands = vec![self.scope(Group::Sub), operation as u32];
        operands.extend(args);
        let ty = self.e.ty(call.ty);
        self.value(op, ty, &operands)
    }

    pub fn non_uniform_logical(&mut self, operation: GroupOperation, op: Op, call: Call) -> Id {
        self.arithmetic_capability(operation);
        let mut args = self.args(call);
        args[0] = self.truth(args[0], self.arg_type(call, 0));
        let mut operands = vec![self.scope(Group::Sub), operation as u32];
        operands.extend(args);
        let truth = self.e.module.bool();
        let result = self.value(op, truth, &operands);
        self.truth_result(result, call.ty)
    }

    pub fn intel(&mut self, op: Op, call: Call) -> Id {
        match op {
            Op::ConvertFToBF16INTEL | Op::ConvertBF16ToFINTEL => {
                self.need(Capability::BFloat16ConversionINTEL, "SPV_INTEL_bfloat16_conversion");
            }
            Op::RoundFToTF32INTEL => self.need(Capability::TensorFloat32RoundingINTEL, "SPV_INTEL_tensor_float32_conversion"),
            _ => self.need(Capability::SubgroupShuffleINTEL, "SPV_INTEL_subgroups"),
        }
        self.core_call(op, call)
    }

    /// A product of matrices.
    pub fn matrix_mad(&mut self, depth: u32, operands: u32, arguments: &[Id], ty: TypeId) -> Id {
        self.need(
            Capability::SubgroupMatrixMultiplyAccumulateINTEL,
            "SPV_INTEL_subgroup_matrix_multiply_accumulate",
        );
        let mut args = vec![self.e.module.uint(depth)];
        args.extend(arguments);
        args.push(operands);
        let ty = self.e.ty(ty);
        self.value(Op::SubgroupMatrixMultiplyAccumulateINTEL, ty, &args)
    }

    /// A product of a matrix whose upper half an even sub-group has, and whose lower half the next one. Each gets the other's part by rotations in the
    /// work-group: how far is the same for all.
    pub fn split_matrix_mad(&mut self, depth: u32, operands: u32, call: Call) -> Id {
        self.need(Capability::GroupNonUniformRotateKHR, "SPV_KHR_subgroup_rotate");
        let mut args = self.args(call);
        let (scalar, rows) = self.shape(self.arg_type(call, 0));
        let (element, word, truth) = (self.numeric(scalar, 1), self.e.module.int(32), self.e.module.bool());
        let [zero, one, eight] = [0, 1, 8].map(|number| self.e.module.uint(number));
        let number = self.input(BuiltIn::SubgroupId, word);
        let last_bit = self.value(Op::BitwiseAnd, word, &[number, one]);
        let is_odd = self.value(Op::INotEqual, truth, &[last_bit, zero]);
        let count = self.input(BuiltIn::NumSubgroups, word);
        let others = self.value(Op::ISub, word, &[count, one]);
        let back = self.value(Op::IMul, word, &[others, eight]);
        let scope = self.scope(Group::Work);
        let (mut upper, mut lower) = (Vec::new(), Vec::new());
        for row in 0..u32::from(rows) {
            let own = match rows {
                1 => args[0],
                _ => self.value(Op::CompositeExtract, element, &[args[0], row]),
            };
            let [next, before] = [eight, back].map(|delta| self.value(Op::GroupNonUniformRotateKHR, element, &[scope, own, delta]));
            let other = self.value(Op::Select, element, &[is_odd, before, next]);
            upper.push(self.value(Op::Select, element, &[is_odd, other, own]));
            lower.push(self.value(Op::Select, element, &[is_odd, own, other]));
        }
        upper.extend(lower);
        let whole = self.numeric(scalar, 2 * rows);
        args[0] = self.value(Op::CompositeConstruct, whole, &upper);
        self.matrix_mad(depth, operands, &args, call.ty)
    }

    /// Block reads and writes of buffers and images.
    pub fn block_io(&mut self, buffer: Op, image: Op, call: Call) -> Id {
        let is_image = matches!(self.e.program.types.kind(self.arg_type(call, 0)), TypeKind::Image(_));
        self.need(
            match is_image {
                true => Capability::SubgroupImageBlockIOINTEL,
                false => Capability::SubgroupBufferBlockIOINTEL,
            },
            "SPV_INTEL_subgroups",
        );
        let args = self.args(call);
        let op = if is_image { image } else { buffer };
        if call.ty == TypeId::VOID {
            self.effect(op, &args);
            return 0;
        }
        let ty = self.e.ty(call.ty);
        self.value(op, ty, &args)
    }
}
