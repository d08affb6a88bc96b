//! Control flow and calls (SPIR-V 3.52.17 and 3.52.9). Where branches lead to is checked with the function.

use super::super::rules;
use crate::Validator;
use rspirv::spirv::{LoopControl, Op};
use spirv::{Instruction, Type};

impl<'a> Validator<'a> {
    /// `false` if the instruction is of another class.
    pub(super) fn control(&mut self, instruction: &Instruction<'a>, op: Op) -> bool {
        let operands = instruction.operands;
        match op {
            Op::Branch | Op::Unreachable | Op::Undef => {}
            Op::BranchConditional => {
                let good = *self.module.value_type(instruction.word(0)) == Type::Bool;
                self.operand(instruction, good, || "Condition must be a Boolean".into());
                if instruction.word(1) == instruction.word(2) && self.module.header().version >= (1, 6) {
                    let detail = "since SPIR-V 1.6, the two labels must be different";
                    self.report.error(&rules::BRANCH_TARGET, instruction.index, detail);
                }
                match operands.len() {
                    3 => {}
                    5 if operands[3] == 0 && operands[4] == 0 => {
                        self.operand_error(instruction, "one branch weight must be greater than 0")
                    }
                    5 => {}
                    _ => self.operand_error(instruction, "there must be two branch weights, or none"),
                }
            }
            Op::Switch => self.switch(instruction),
            Op::LoopMerge => self.loop_merge(instruction),
            Op::SelectionMerge => {
                let function = self.body.as_ref().map(|body| body.function);
                if function.is_none_or(|function| self.block_of_label(function, instruction.word(0)).is_none()) {
                    self.report
                        .error(&rules::BRANCH_TARGET, instruction.index, "the merge block is none of this function");
                }
            }
            Op::Return => self.returns(instruction, None),
            Op::ReturnValue => self.returns(instruction, Some(instruction.word(0))),
            Op::FunctionCall => self.call(instruction),
            Op::FunctionPointerCallINTEL => self.call_by_pointer(instruction),
            // Its operands were checked with the block.
            Op::Phi => {}
            Op::ExtInst => self.extended(instruction),
            _ => return false,
        }
        true
    }

    fn switch(&mut self, instruction: &Instruction<'a>) {
        let selector = self.value_shape(instruction.word(0));
        self.operand(instruction, selector.is_int() && selector.is_scalar(), || {
            "Selector must be an integer".into()
        });
        let width = match selector.kind {
            super::Kind::Int(width) => width,
            _ => 32,
        };
        let targets = spirv::SwitchTargets::of(instruction, width);
        let mut literals: Vec<u64> = targets.iter().map(|(literal, _)| spirv::fold::mask(literal, width)).collect();
        let all = literals.len();
        literals.sort_unstable();
        literals.dedup();
        if literals.len() != all {
            self.report.error(&rules::SWITCH_LITERALS, instruction.index, "");
        }
    }

    fn loop_merge(&mut self, instruction: &Instruction<'a>) {
        let function = self.body.as_ref().map(|body| body.function);
        for position in 0..2 {
            let label = instruction.word(position);
            if function.is_none_or(|function| self.block_of_label(function, label).is_none()) {
                self.report.error(
                    &rules::BRANCH_TARGET,
                    instruction.index,
                    format!("%{label} is no block of this function"),
                );
            }
        }
        let control = LoopControl::from_bits_truncate(instruction.word(2));
        if control.contains(LoopControl::UNROLL | LoopControl::DONT_UNROLL) {
            self.operand_error(instruction, "Unroll and DontUnroll exclude each other");
        }
    }

    fn returns(&mut self, instruction: &Instruction<'a>, value: Option<u32>) {
        let Some(result) = self.body.as_ref().map(|body| body.function.result_type) else {
            return;
        };
        let is_void = *self.module.ty(result) == Type::Void;
        match value {
            None if !is_void => self.operand_error(instruction, format!("the function returns a value of type %{result}")),
            Some(_) if is_void => self.operand_error(instruction, "the function returns nothing"),
            Some(value) if self.module.type_of(value) != result => {
                self.operand_error(instruction, format!("%{value} is not of the function's type %{result}"));
            }
            _ => {}
        }
    }

    /// SPV_INTEL_function_pointers: a call of what a pointer names.
    fn call_by_pointer(&mut self, instruction: &Instruction<'a>) {
        let callee = instruction.word(0);
        let pointee = self.module.value_type(callee).pointer().map(|(_, pointee)| pointee);
        let Some(Type::Function { result, parameters }) = pointee.map(|id| self.module.ty(id)) else {
            return self.operand_error(instruction, format!("%{callee} must be a pointer to a function"));
        };
        self.result(instruction, *result == instruction.result_type, "the function's result type");
        if instruction.operands.len() - 1 != parameters.len() {
            return self.wrong_count(instruction, "argument", parameters.len(), instruction.operands.len() - 1);
        }
        for (position, &parameter) in parameters.iter().enumerate() {
            self.same_type(instruction, position + 1..position + 2, parameter);
        }
    }

    fn call(&mut self, instruction: &Instruction<'a>) {
        let callee = instruction.word(0);
        let Some(function) = self.module.function(callee) else {
            return self.operand_error(instruction, format!("%{callee} is no function"));
        };
        if self.module.entry_points.iter().any(|entry| entry.function == callee) {
            let advice = "Move the body into a function that both the kernel and the callers call.";
            self.report
                .error_with(&rules::ENTRY_POINT_CALLED, instruction.index, format!("%{callee}"), advice);
        }
        self.result(
            instruction,
            function.result_type == instruction.result_type,
            "the function's result type",
        );
        let arguments = &instruction.operands[1..];
        let Type::Function { parameters, .. } = self.module.ty(function.type_id) else {
            return;
        };
        if arguments.len() != parameters.len() {
            return self.wrong_count(instruction, "argument", parameters.len(), arguments.len());
        }
        for (position, &parameter) in parameters.iter().enumerate() {
            self.same_type(instruction, position + 1..position + 2, parameter);
        }
    }
}
