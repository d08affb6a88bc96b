//! Control flow (SPIR-V specification, section 3.52.17): blocks, phis, branches, calls.

use super::Failure;
use super::function::{Lowering, Result};
use super::memory::constant_arrays::constant_arrays;
use super::memory::narrowed::narrowed;
use super::shape::Shape;
use super::sincos::SinesAndCosines;
use super::value::{Pointer, Scalars, Val};
use interface::BuildError;
use ir::*;
use rspirv::spirv::Op;
use rustc_hash::FxHashSet as HashSet;
use spirv::{Function as SpirvFunction, Id, Instruction, SwitchTargets, Type as SpirvType};

/// What a label stands for.
#[derive(Debug)]
pub(super) struct Target<'m> {
    pub block: Block,
    phis: Vec<Phi<'m>>,
}

/// A phi. Its scalars are parameters of the block; a large aggregate goes by memory, in two steps, for phis read each other's old values:
/// each predecessor writes to `incoming`, the block itself copies from there to `current`.
#[derive(Clone, Debug)]
struct Phi<'m> {
    result: Id,
    type_id: Id,
    /// (value, predecessor) pairs.
    operands: &'m [u32],
    params: Scalars,
    memory: Option<(Pointer, Pointer)>,
}

/// What a call gives and takes.
pub(super) struct CallParts {
    pub args: ValueList,
    pub results: TypeList,
    /// Where the function writes a result that is in memory.
    pub memory: Option<Pointer>,
}

impl<'m> Lowering<'_, 'm> {
    /// Lowers the body. The parameters have their values already.
    pub(super) fn body(&mut self, function: &'m SpirvFunction) -> std::result::Result<(), BuildError> {
        self.narrowed = narrowed(self.spirv, function);
        // Debuggers show variables, and checks find objects, where they are.
        if !self.program.options.optimizations_disabled && !self.is_checked() {
            self.constant_arrays = constant_arrays(self.spirv, function);
            self.constant_arrays.retain(|variable, _| !self.narrowed.contains_key(variable));
        }
        let reachable = self.reachable(function);
        let blocks: Vec<_> = function.blocks.iter().filter(|block| reachable.contains(&block.label)).collect();
        for block in &blocks {
            let target = self
                .target(block.instructions.clone())
                .map_err(|failure| failure.at(&self.place_of(block.instructions.start)))?;
            self.blocks.insert(block.label, target);
        }
        for block in &blocks {
            let Some(target) = self.blocks.get(&block.label) else { continue };
            self.block = target.block;
            self.label = block.label;
            self.ended = false;
            self.sines_and_cosines = SinesAndCosines::find(self.spirv, block.instructions.clone());
            self.enter(block.label)
                .map_err(|failure| failure.at(&self.place_of(block.instructions.start)))?;
            let mut place = Place::default();
            for inst in self.spirv.instructions(block.instructions.clone()) {
                if self.ended {
                    break;
                }
                if matches!(inst.op(), Op::Line | Op::NoLine) {
                    place = self.place_named(&inst);
                }
                let first = self.func.counts().1;
                self.flags = Flags::empty();
                self.instruction(&inst)
                    .map_err(|failure| failure.at(&super::failure::place(self.spirv, inst.index)))?;
                self.come_from(first, place);
            }
        }
        let first = function
            .blocks
            .first()
            .and_then(|block| self.blocks.get(&block.label))
            .map(|target| target.block);
        if let Some(first) = first {
            Builder::new(&mut self.func, self.prologue).jump(first, &[]);
        }
        Ok(())
    }

    fn place_of(&self, index: u32) -> String {
        super::failure::place(self.spirv, index)
    }

    /// The place that OpLine names, for the instructions that follow; none for OpNoLine.
    fn place_named(&mut self, inst: &Instruction<'m>) -> Place {
        if inst.op() == Op::NoLine {
            return Place::default();
        }
        self.func.origins.get_or_insert_default();
        let file = self.spirv.string(inst.word(0)).unwrap_or_default();
        self.program.place(SourcePlace {
            file: file.into(),
            line: inst.word(1),
            column: inst.word(2),
            function: self.func.name.as_str().into(),
        })
    }

    /// Labels of the blocks that can be reached.
    fn reachable(&self, function: &SpirvFunction) -> HashSet<Id> {
        let last: rustc_hash::FxHashMap<Id, u32> = function
            .blocks
            .iter()
            .map(|block| (block.label, block.instructions.end.saturating_sub(1)))
            .collect();
        let mut reached = HashSet::default();
        let mut work: Vec<Id> = function.blocks.first().map(|block| block.label).into_iter().collect();
        while let Some(label) = work.pop() {
            let Some(&terminator) = last.get(&label).filter(|_| reached.insert(label)) else {
                continue;
            };
            let inst = self.spirv.instruction(terminator);
            match inst.op() {
                Op::Branch => work.push(inst.word(0)),
                Op::BranchConditional => work.extend([inst.word(1), inst.word(2)]),
                Op::Switch => {
                    work.push(inst.word(1));
                    work.extend(self.switch_targets(&inst).iter().map(|(_, label)| label));
                }
                _ => {}
            }
        }
        reached
    }

    fn switch_targets(&self, inst: &Instruction<'m>) -> SwitchTargets<'m> {
        SwitchTargets::of(inst, self.selector_width(inst))
    }

    fn selector_width(&self, inst: &Instruction<'m>) -> u32 {
        match self.spirv.value_type(inst.word(0)) {
            SpirvType::Int { width } => *width,
            _ => 32,
        }
    }

    /// A block with parameters for its phis.
    fn target(&mut self, instructions: std::ops::Range<u32>) -> Result<Target<'m>> {
        let block = self.func.add_block();
        let mut phis = Vec::new();
        for inst in self.spirv.instructions(instructions) {
            match inst.op() {
                Op::Phi => {}
                Op::Line | Op::NoLine => continue,
                _ => break,
            }
            let (mut params, mut memory) = (Scalars::new(), None);
            match self.shape(inst.result_type)? {
                Shape::Scalars(leaves) => {
                    params.extend(leaves.iter().map(|leaf| self.func.add_param(block, Type::scalar(leaf.elem))));
                }
                Shape::Memory => memory = Some((self.temporary(inst.result_type)?, self.temporary(inst.result_type)?)),
            }
            phis.push(Phi {
                result: inst.result,
                type_id: inst.result_type,
                operands: inst.operands,
                params,
                memory,
            });
        }
        Ok(Target { block, phis })
    }

    /// At a block's start: its phis get their values.
    fn enter(&mut self, label: Id) -> Result<()> {
        let phis = self.blocks.get(&label).map(|target| target.phis.clone()).unwrap_or_default();
        for phi in phis {
            let value = match phi.memory {
                Some((incoming, current)) => {
                    self.copy_type(phi.type_id, &current, &incoming)?;
                    Val::Memory(current)
                }
                None => self.value_of(phi.type_id, phi.params),
            };
            self.bind(phi.result, value);
        }
        Ok(())
    }

    /// A jump from here to a label, with the values that its phis get.
    fn call_of(&mut self, label: Id) -> Result<BlockCall> {
        let Some(target) = self.blocks.get(&label) else {
            return Err(Failure::Unsupported);
        };
        let block = target.block;
        let phis = target.phis.clone();
        let mut args = ValueList::new();
        for phi in &phis {
            let pair = phi.operands.chunks_exact(2).find(|pair| pair[1] == self.label);
            let value = self.val(pair.ok_or(Failure::Unsupported)?[0])?;
            match phi.memory {
                Some((incoming, _)) => self.store_plain(phi.type_id, value, &incoming)?,
                None => args.extend(self.scalars_of(value)?),
            }
        }
        Ok(BlockCall { block, args })
    }

    /// Lowers it if it is one of these; says whether it was.
    pub(super) fn flow(&mut self, inst: &Instruction<'m>) -> Result<bool> {
        match inst.op() {
            Op::Phi | Op::LoopMerge | Op::SelectionMerge | Op::LoopControlINTEL => {}
            Op::Branch => {
                let target = self.call_of(inst.word(0))?;
                self.end(InstData::Jump { target });
            }
            Op::BranchConditional => {
                let condition = self.scalar(inst.word(0))?;
                let targets = [self.call_of(inst.word(1))?, self.call_of(inst.word(2))?];
                self.end(InstData::Branch { condition, targets });
            }
            Op::Switch => {
                let value = self.scalar(inst.word(0))?;
                let mask = spirv::fold::mask(u64::MAX, self.selector_width(inst));
                let default = self.call_of(inst.word(1))?;
                let mut cases = Vec::new();
                let mut seen = HashSet::default();
                for (literal, label) in self.switch_targets(inst).iter() {
                    if seen.insert(literal & mask) {
                        cases.push((literal & mask, self.call_of(label)?));
                    }
                }
                let cases = cases.into();
                self.end(InstData::Switch { value, cases, default });
            }
            Op::Return => self.end(InstData::Return { values: ValueList::new() }),
            Op::ReturnValue => {
                let type_id = self.spirv.type_of(inst.word(0));
                let value = self.val(inst.word(0))?;
                let values = match self.result_address {
                    Some(address) => {
                        self.store_plain(type_id, value, &Pointer::new(address, Space::Generic))?;
                        ValueList::new()
                    }
                    None => self.scalars_of(value)?.into_iter().collect(),
                };
                self.end(InstData::Return { values });
            }
            // Clang's `__builtin_trap` comes to this, too: what else a work-item would do behind it, nobody has written.
            Op::Unreachable => self.end(InstData::Trap {
                reason: device::abi::Trap::Unreachable as u32,
            }),
            Op::FunctionCall => self.call(inst)?,
            Op::FunctionPointerCallINTEL => self.indirect_call(inst)?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Writes the block's terminator.
    pub(super) fn end(&mut self, data: InstData) {
        self.flags = Flags::empty();
        self.b().push(data);
        self.ended = true;
    }

    fn call(&mut self, inst: &Instruction<'m>) -> Result<()> {
        let callee = inst.word(0);
        let Some(callee) = self.program.callee(self.unit, callee)? else {
            return self.call_import(inst);
        };
        let CallParts { args, results, memory } = self.call_parts(inst)?;
        let call = self.b().push(InstData::Call { callee, args, results });
        let results = Scalars::from_slice(&self.func.inst(call).results);
        match memory {
            Some(memory) => self.bind(inst.result, Val::Memory(memory)),
            None => self.define(inst, results),
        }
        Ok(())
    }

    /// Arguments and results of a call, behind the operand that says what is called.
    pub(super) fn call_parts(&mut self, inst: &Instruction<'m>) -> Result<CallParts> {
        let mut args = ValueList::new();
        for &argument in inst.operands.get(1..).unwrap_or(&[]) {
            match self.val(argument)? {
                Val::Memory(memory) => args.push(self.materialize(&memory)),
                value => args.extend(self.scalars_of(value)?),
            }
        }
        let (mut results, mut memory) = (TypeList::new(), None);
        match self.shape(inst.result_type)? {
            Shape::Scalars(leaves) => results.extend(leaves.iter().map(|leaf| Type::scalar(leaf.elem))),
            Shape::Memory => {
                let place = self.temporary(inst.result_type)?;
                args.push(self.materialize(&place));
                memory = Some(place);
            }
        }
        Ok(CallParts { args, results, memory })
    }

    // Blocks that lowering itself makes.

    /// A loop over `start, start + step, …` while it is below `end` (unsigned, `i64`). `body` gets the index.
    pub(super) fn count_loop(
        &mut self,
        start: Value,
        end: Value,
        step: Value,
        body: impl FnOnce(&mut Self, Value) -> Result<()>,
    ) -> Result<()> {
        let (header, inner, exit) = (self.func.add_block(), self.func.add_block(), self.func.add_block());
        let index = self.func.add_param(header, Type::I64);
        self.b().jump(header, &[start]);
        self.block = header;
        let mut b = self.b();
        let more = b.icmp(IntCc::Ult, index, end);
        b.branch(more, to(inner, &[]), to(exit, &[]));
        self.block = inner;
        body(self, index)?;
        let mut b = self.b();
        let next = b.add(index, step);
        b.jump(header, &[next]);
        self.block = exit;
        Ok(())
    }
}
