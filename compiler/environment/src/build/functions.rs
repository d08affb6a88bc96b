//! Functions and blocks: their frame, and the types of the values in them. What instructions mean is checked when all is there.

use super::Builder;
use crate::rules;
use rspirv::spirv::{FunctionControl, Op};
use spirv::{Block, ConstantValue, Function, Id, Instruction, Type, What};

/// A function that has not ended yet.
pub(super) struct OpenFunction {
    /// Its OpFunction's index.
    pub first: u32,
    function: Function,
    /// The types of the parameters that are still to come.
    parameter_types: std::vec::IntoIter<Id>,
    /// The label and first instruction of the block that is open.
    block: Option<(Id, u32)>,
}

impl Builder<'_> {
    pub(super) fn in_functions(&mut self, instruction: &Instruction<'_>) {
        let op = instruction.op();
        match op {
            Op::Function => self.open_function(instruction),
            Op::FunctionParameter => self.parameter(instruction),
            Op::Label => self.open_block(instruction),
            Op::FunctionEnd => self.close_function(instruction),
            Op::Line | Op::NoLine | Op::Nop => {}
            _ => self.body(instruction),
        }
    }

    fn misplaced(&mut self, instruction: &Instruction<'_>, detail: &str) {
        self.report.error(&rules::FUNCTION_LAYOUT, instruction.index, detail);
    }

    pub(super) fn open_function(&mut self, instruction: &Instruction<'_>) {
        if let Some(open) = self.function.take() {
            self.report.error(
                &rules::FUNCTION_LAYOUT,
                open.first,
                "there is another OpFunction before its OpFunctionEnd",
            );
        }
        let type_id = instruction.word(1);
        let parameter_types = match self.type_operand(instruction, type_id) {
            Some(Type::Function { result, parameters }) => {
                let (result, parameters) = (*result, parameters.clone());
                if result != instruction.result_type {
                    let detail = format!("the function type %{type_id} gives %{result}");
                    self.report.error(&rules::FUNCTION_TYPE, instruction.index, detail);
                }
                parameters
            }
            Some(_) => {
                self.report
                    .error(&rules::FUNCTION_TYPE, instruction.index, format!("%{type_id} is no function type"));
                Vec::new()
            }
            None => Vec::new(),
        };
        self.set_type(instruction.result, type_id);
        let function = Function {
            id: instruction.result,
            type_id,
            result_type: instruction.result_type,
            control: FunctionControl::from_bits_truncate(instruction.word(0)),
            parameters: Vec::with_capacity(parameter_types.len()),
            blocks: Vec::new(),
        };
        self.function = Some(OpenFunction {
            first: instruction.index,
            function,
            parameter_types: parameter_types.into_iter(),
            block: None,
        });
    }

    fn parameter(&mut self, instruction: &Instruction<'_>) {
        let Some(open) = &mut self.function else {
            return self.misplaced(instruction, "a parameter outside a function");
        };
        if open.block.is_some() || !open.function.blocks.is_empty() {
            return self.misplaced(instruction, "parameters come before blocks");
        }
        open.function.parameters.push(instruction.result);
        match open.parameter_types.next() {
            Some(expected) if expected == instruction.result_type => {}
            Some(expected) => {
                let detail = format!("the function type says %{expected} for this parameter");
                self.report.error(&rules::FUNCTION_TYPE, instruction.index, detail);
            }
            None => self
                .report
                .error(&rules::FUNCTION_TYPE, instruction.index, "the function type has fewer parameters"),
        }
        self.set_type(instruction.result, instruction.result_type);
        // Parameters are there from the entry block on.
        self.set_index(instruction.result, What::Local, 0);
    }

    fn open_block(&mut self, instruction: &Instruction<'_>) {
        let Some(open) = &mut self.function else {
            return self.misplaced(instruction, "a block outside a function");
        };
        if open.block.is_some() {
            self.report
                .error(&rules::BLOCK_LAYOUT, instruction.index, "the block before it has no terminator");
        }
        let index = open.function.blocks.len();
        open.block = Some((instruction.result, instruction.index + 1));
        self.set_index(instruction.result, What::Label, index);
    }

    fn body(&mut self, instruction: &Instruction<'_>) {
        let op = instruction.op();
        let Some(open) = &mut self.function else {
            return self.misplaced(instruction, "an instruction outside a function");
        };
        let Some((label, first)) = open.block else {
            // Non-semantic instructions may stand anywhere behind the first function's beginning.
            if op != Op::ExtInst {
                self.misplaced(instruction, "an instruction outside a block");
            } else {
                self.set_type(instruction.result, instruction.result_type);
            }
            return;
        };
        let block = open.function.blocks.len();
        if is_terminator(op) {
            open.function.blocks.push(Block {
                label,
                instructions: first..instruction.index + 1,
            });
            open.block = None;
        }
        if instruction.result == 0 || instruction.info.has_type && self.type_operand(instruction, instruction.result_type).is_none() {
            return;
        }
        self.set_type(instruction.result, instruction.result_type);
        if op == Op::Undef {
            let constant = self.new_constant(instruction.result_type, ConstantValue::Undef);
            self.set_index(instruction.result, What::Constant, constant.0 as usize);
        } else {
            self.set_index(instruction.result, What::Local, block);
        }
    }

    fn close_function(&mut self, instruction: &Instruction<'_>) {
        let Some(mut open) = self.function.take() else {
            return self.misplaced(instruction, "there is no function to end");
        };
        if open.block.is_some() {
            self.report
                .error(&rules::BLOCK_LAYOUT, instruction.index, "the last block has no terminator");
        }
        if open.parameter_types.next().is_some() {
            self.report
                .error(&rules::FUNCTION_TYPE, open.first, "parameters of the function type are missing");
        }
        let declared = open.function.blocks.is_empty();
        if declared && self.module.functions.last().is_some_and(|last| !last.blocks.is_empty()) {
            self.report.error(
                &rules::LAYOUT_ORDER,
                open.first,
                "functions without a body come before those that have one",
            );
        }
        self.set_index(open.function.id, What::Function, self.module.functions.len());
        self.module.functions.push(open.function);
    }
}

/// Does the instruction end a block?
pub(crate) fn is_terminator(op: Op) -> bool {
    rspirv::grammar::reflect::is_block_terminator(op)
}
