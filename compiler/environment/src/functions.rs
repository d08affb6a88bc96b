//! Functions: control flow, dominance, and each instruction in turn (SPIR-V 2.16.1, Environment 4).

use super::Validator;
use super::deviations::Deviation;
use super::flow::{Dominators, FlowGraph};
use super::rules;
use rspirv::spirv::{LinkageType, Op, OpenclStd100Op as Std, StorageClass};
use spirv::{ExtendedSet, Function, Id, Instruction, SwitchTargets, Type, What};

/// What is known of the function that is being checked.
pub(super) struct Body<'a> {
    /// Where the function is among the module's.
    pub position: u32,
    pub function: &'a Function,
    pub graph: FlowGraph,
    pub dominators: Dominators,
    /// Instructions of the function: OpFunction to OpFunctionEnd.
    pub first: u32,
}

impl<'a> Validator<'a> {
    pub(super) fn functions(&mut self) {
        for (position, function) in self.module.functions.iter().enumerate() {
            self.function(function, position as u32);
        }
        self.recursion();
        self.interfaces();
    }

    /// Since version 1.4, an interface lists the variables that the kernel and what it calls use.
    fn interfaces(&mut self) {
        let module = self.module;
        self.uses.sort_unstable();
        self.uses.dedup();
        self.calls.sort_unstable();
        if module.header().version < (1, 4) {
            return;
        }
        for entry in &module.entry_points {
            let Some(at) = module.functions.iter().position(|function| function.id == entry.function) else {
                continue;
            };
            let Some(unlisted) = self.unlisted(at as u32, &entry.interface) else {
                continue;
            };
            let found = |i: &Instruction<'_>| i.op() == Op::EntryPoint && i.word(1) == entry.function;
            let Some(instruction) = module.binary.instructions().find(found) else {
                continue;
            };
            let detail = format!("%{unlisted} is used, and not listed");
            self.report.error(&rules::INTERFACE, instruction.index, detail);
        }
    }

    /// A variable that a function or what it calls uses, and that is not among those given.
    fn unlisted(&self, start: u32, listed: &[Id]) -> Option<Id> {
        let mut seen = vec![false; self.module.functions.len()];
        let mut open = vec![start];
        while let Some(at) = open.pop() {
            if std::mem::replace(&mut seen[at as usize], true) {
                continue;
            }
            let first = self.uses.partition_point(|&(position, _)| position < at);
            let of_this = self.uses[first..].iter().take_while(|&&(position, _)| position == at);
            if let Some(&(_, variable)) = of_this.into_iter().find(|(_, variable)| !listed.contains(variable)) {
                return Some(variable);
            }
            let first = self.calls.partition_point(|&(caller, ..)| caller < at);
            let of_this = self.calls[first..].iter().take_while(|&&(caller, ..)| caller == at);
            open.extend(of_this.map(|&(.., callee)| callee));
        }
        None
    }

    fn function(&mut self, function: &'a Function, position: u32) {
        let Some(first) = self.module.binary.definition_index(function.id) else {
            return;
        };
        let linkage = self.module.linkage(function.id);
        let imported = matches!(linkage, Some((_, LinkageType::Import)));
        if function.blocks.is_empty() != imported {
            let detail = if imported {
                "it is imported, but has blocks"
            } else {
                "it has no blocks, and is not imported"
            };
            self.report.error(&rules::FUNCTION_BODY, first, detail);
        }
        let graph = FlowGraph::new(
            function
                .blocks
                .iter()
                .map(|block| self.successors(function, block.instructions.end - 1))
                .collect(),
        );
        let dominators = Dominators::new(&graph);
        let early = |&block: &u32| dominators.immediate(block).is_some_and(|idom| idom >= block);
        let early: Vec<u32> = (0..function.blocks.len() as u32).filter(early).collect();
        let label = |block: u32| {
            self.module
                .binary
                .definition_index(function.blocks[block as usize].label)
                .unwrap_or(first)
        };
        let labels: Vec<u32> = early.into_iter().map(label).collect();
        if let Some(&label) = labels.first() {
            if self.deviates(Deviation::BlockOrder, &self.module.instruction(label)) {
                self.disordered.push((position, graph.order()));
            } else {
                labels.iter().for_each(|&label| self.report.error(&rules::BLOCK_ORDER, label, ""));
            }
        }
        self.body = Some(Body {
            position,
            function,
            graph,
            dominators,
            first,
        });
        for &parameter in &function.parameters {
            // Level Zero takes a half as an argument from any module.
            let argument = self.environment.is_level_zero() && self.module.entry_points.iter().any(|entry| entry.function == function.id);
            if let Some(instruction) = self.module.definition(parameter).filter(|_| !argument) {
                self.half_value(&instruction, instruction.result_type);
            }
        }
        for (index, block) in function.blocks.iter().enumerate() {
            self.block(index as u32, block.instructions.clone());
        }
        self.body = None;
    }

    fn block(&mut self, block: u32, range: std::ops::Range<u32>) {
        let (mut phis, mut variables) = (true, block == 0);
        let last = range.end - 1;
        for index in range {
            let instruction = self.module.instruction(index);
            match instruction.op() {
                Op::Line | Op::NoLine | Op::Nop => continue,
                Op::Phi => {
                    if !phis || block == 0 {
                        self.report
                            .error(&rules::BLOCK_LAYOUT, index, "OpPhi comes first, and not in the entry block");
                    }
                    self.gate(&instruction);
                    self.half_value(&instruction, instruction.result_type);
                    self.phi(&instruction, block);
                    continue;
                }
                Op::Variable | Op::UntypedVariableKHR => {
                    if !variables {
                        self.report
                            .error(&rules::BLOCK_LAYOUT, index, "OpVariable comes first in the entry block");
                    }
                }
                Op::FunctionCall => {
                    variables = false;
                    self.note_call(&instruction);
                }
                // Debug information may stand among variables.
                Op::ExtInst => {}
                Op::LoopMerge | Op::SelectionMerge if index + 1 != last => {
                    self.report
                        .error(&rules::BLOCK_LAYOUT, index, "a merge instruction comes just before the terminator");
                }
                _ => variables = false,
            }
            phis = false;
            if self.gate(&instruction) && self.operands(&instruction, block) {
                if instruction.info.has_type {
                    self.half_value(&instruction, instruction.result_type);
                }
                self.instruction(&instruction);
            }
        }
    }

    /// Blocks that a terminator may go to.
    fn successors(&mut self, function: &Function, terminator: u32) -> Vec<u32> {
        let instruction = self.module.instruction(terminator);
        let labels: Vec<Id> = match instruction.op() {
            Op::Branch => vec![instruction.word(0)],
            Op::BranchConditional => vec![instruction.word(1), instruction.word(2)],
            Op::Switch => {
                let width = match *self.module.value_type(instruction.word(0)) {
                    Type::Int { width } => width,
                    _ => 32,
                };
                [instruction.word(1)]
                    .into_iter()
                    .chain(SwitchTargets::of(&instruction, width).iter().map(|(_, label)| label))
                    .collect()
            }
            _ => Vec::new(),
        };
        let mut targets = Vec::with_capacity(labels.len());
        for label in labels {
            match self.block_of_label(function, label) {
                Some(0) => self
                    .report
                    .error(&rules::BRANCH_TARGET, terminator, "the entry block can't be branched to"),
                Some(block) => targets.push(block),
                None => self
                    .report
                    .error(&rules::BRANCH_TARGET, terminator, format!("%{label} is no block of this function")),
            }
        }
        targets
    }

    pub(super) fn block_of_label(&self, function: &Function, label: Id) -> Option<u32> {
        let record = self.module.record(label);
        let block = function.blocks.get(record.index as usize).filter(|_| record.what == What::Label)?;
        (block.label == label).then_some(record.index)
    }

    /// Are all ids that the instruction uses there, and do their definitions dominate it?
    fn operands(&mut self, instruction: &Instruction<'a>, block: u32) -> bool {
        let mut good = true;
        if instruction.info.has_type && self.module.find_type(instruction.result_type).is_none() {
            return false; // told already
        }
        let extended = instruction.op() == Op::ExtInst && self.ends_with_literal(instruction);
        if let Some((first, more)) = instruction.info.form.ids(instruction.operands) {
            let more = &more[..more.len() - usize::from(extended && !more.is_empty())];
            for &id in first.iter().chain(more) {
                good &= self.usable(instruction, id, block);
            }
            return good;
        }
        for id in self.module.binary.ids(instruction) {
            good &= self.usable(instruction, id, block);
        }
        good
    }

    /// Instructions of OpenCL.std whose last operand is a literal: a number of components, or a rounding mode. The grammar knows ids only.
    fn ends_with_literal(&self, instruction: &Instruction<'a>) -> bool {
        self.module.extended_set(instruction.word(0)) == Some(ExtendedSet::OpenClStd)
            && matches!(
                Std::from_u32(instruction.word(1)),
                Some(Std::vloadn | Std::vload_halfn | Std::vloada_halfn | Std::vstore_half_r | Std::vstore_halfn_r | Std::vstorea_halfn_r)
            )
    }

    fn usable(&mut self, instruction: &Instruction<'a>, id: Id, block: u32) -> bool {
        let Some(definition) = self.module.binary.definition_index(id) else {
            self.report
                .error(&rules::ID_UNDEFINED, instruction.index, format!("%{id} is not defined"));
            return false;
        };
        let record = self.module.record(id);
        let Some(body) = &self.body else { return false };
        let refused = match record.what {
            What::Local => {
                let last = body.function.blocks.last().map_or(body.first, |block| block.instructions.end);
                if !(body.first..last).contains(&definition) {
                    Some("is defined in another function")
                } else if record.index == block && body.dominators.is_reachable(block) && definition >= instruction.index {
                    Some("is used before it is defined")
                } else if record.index != block && !body.dominators.dominates(record.index, block) {
                    Some("is defined in a block that does not dominate this one")
                } else {
                    None
                }
            }
            // Something whose definition was refused.
            What::Other if record.type_id == 0 => {
                let op = self.module.binary.instruction(definition).op();
                let names = matches!(op, Op::ExtInstImport | Op::String) || !self.module.binary.instruction(definition).info.has_type;
                return names;
            }
            What::GlobalVariable if self.module.header().version >= (1, 4) => {
                self.uses.push((body.position, id));
                None
            }
            _ => None,
        };
        if let Some(problem) = refused {
            self.report.error(&rules::DOMINANCE, instruction.index, format!("%{id} {problem}"));
        }
        refused.is_none()
    }

    fn phi(&mut self, instruction: &Instruction<'a>, block: u32) {
        let Some(body) = self.body.take() else { return };
        let pairs: Vec<(Id, Id)> = instruction
            .operands
            .as_chunks::<2>()
            .0
            .iter()
            .map(|&[value, label]| (value, label))
            .collect();
        let mut parents: Vec<u32> = Vec::with_capacity(pairs.len());
        for &(value, label) in &pairs {
            let Some(parent) = self.block_of_label(body.function, label) else {
                self.report.error(
                    &rules::PHI_PARENTS,
                    instruction.index,
                    format!("%{label} is no block of this function"),
                );
                continue;
            };
            parents.push(parent);
            if self.module.binary.definition_index(value).is_none() {
                self.report
                    .error(&rules::ID_UNDEFINED, instruction.index, format!("%{value} is not defined"));
                continue;
            }
            let record = self.module.record(value);
            if record.type_id != instruction.result_type {
                self.report.error(
                    &rules::PHI_TYPE,
                    instruction.index,
                    format!("%{value} is not of type %{}", instruction.result_type),
                );
            }
            if record.what == What::Local {
                let definition = self.module.binary.definition_index(value).unwrap_or(0);
                let last = body.function.blocks.last().map_or(body.first, |block| block.instructions.end);
                if !(body.first..last).contains(&definition) || !body.dominators.dominates(record.index, parent) {
                    let detail = format!("%{value} does not dominate its parent %{label}");
                    self.report.error(&rules::DOMINANCE, instruction.index, detail);
                }
            }
        }
        parents.sort_unstable();
        let mut wanted = body.graph.predecessors[block as usize].clone();
        wanted.sort_unstable();
        wanted.dedup();
        if parents != wanted || pairs.len() * 2 != instruction.operands.len() {
            self.report.error(&rules::PHI_PARENTS, instruction.index, "");
        }
        match self.module.ty(instruction.result_type) {
            Type::Image(_) | Type::SampledImage { .. } => self.report.error(&rules::OPAQUE_CHOICE, instruction.index, ""),
            Type::Void | Type::Function { .. } | Type::Opaque(_) => {
                self.report
                    .error(&rules::PHI_TYPE, instruction.index, "there is no value of this type");
            }
            _ => {}
        }
        self.body = Some(body);
    }

    /// Notes who calls whom.
    fn note_call(&mut self, instruction: &Instruction<'a>) {
        let record = self.module.record(instruction.word(0));
        if let (Some(body), What::Function) = (&self.body, record.what) {
            self.calls.push((body.position, instruction.index, record.index));
        }
    }

    /// The call graph must have no cycles.
    fn recursion(&mut self) {
        let module = self.module;
        let mut calls: Vec<Vec<(u32, usize)>> = vec![Vec::new(); module.functions.len()];
        for &(caller, call, callee) in &self.calls {
            calls[caller as usize].push((call, callee as usize));
        }
        // 0: not seen, 1: on the way, 2: done.
        let mut state = vec![0u8; calls.len()];
        for start in 0..calls.len() {
            let mut stack = vec![(start, 0)];
            while let Some((at, next)) = stack.pop() {
                if next == 0 {
                    if state[at] != 0 {
                        continue;
                    }
                    state[at] = 1;
                }
                match calls[at].get(next) {
                    None => state[at] = 2,
                    Some(&(call, callee)) => {
                        stack.push((at, next + 1));
                        match state[callee] {
                            0 => stack.push((callee, 0)),
                            1 => self.report.error(&rules::RECURSION, call, "this call closes a cycle"),
                            _ => {}
                        }
                    }
                }
            }
        }
    }

    /// A variable of a function.
    pub(super) fn local_variable(&mut self, instruction: &Instruction<'a>) {
        let class = StorageClass::from_u32(instruction.word(0));
        if class != Some(StorageClass::Function) {
            return self
                .report
                .error(&rules::VARIABLE_CLASS, instruction.index, "in a function it is Function");
        }
        let private = matches!(self.module.ty(instruction.result_type).pointer(), Some((StorageClass::Function, _)));
        let Some(pointee) = self.module.held_type(instruction).filter(|_| private) else {
            return self
                .report
                .error(&rules::VARIABLE_TYPE, instruction.index, format!("%{}", instruction.result_type));
        };
        if self.module.layout(pointee).is_none() {
            return self.report.error(
                &rules::VARIABLE_TYPE,
                instruction.index,
                format!("%{pointee} is the type of no value in memory"),
            );
        }
        if let Some(initializer) = spirv::initializer(instruction) {
            let constant = matches!(self.module.record(initializer).what, What::Constant | What::GlobalVariable);
            if !constant || self.module.type_of(initializer) != pointee {
                self.report
                    .error(&rules::VARIABLE_INITIALIZER, instruction.index, format!("%{initializer}"));
            }
        }
    }
}
