//! Calls through pointers (SPV_INTEL_function_pointers). A pointer to a function is the function's number among those whose address some module
//! takes; a call through it is a switch over those of the type that is called. Work-items of a gang may call different ones.

use super::Failure;
use super::flow::CallParts;
use super::function::{Lowering, Result};
use super::program::Program;
use super::value::{Scalars, Val};
use device::abi::Trap;
use interface::{BuildError, BuildErrorKind};
use ir::*;
use rspirv::spirv::Op;
use rustc_hash::FxHashMap as HashMap;
use spirv::{Id, Instruction};

impl Program<'_> {
    /// Numbers the functions whose address is taken.
    pub(super) fn find_addressed(&mut self) {
        for unit in 0..self.units.len() {
            let spirv = self.units[unit].spirv;
            let before_functions = spirv.binary.instructions().take_while(|inst| inst.op() != Op::Function);
            for inst in before_functions.filter(|inst| inst.op() == Op::ConstantFunctionPointerINTEL) {
                let function = self.home(unit, inst.word(0));
                if !self.addressed.contains(&function) {
                    self.addressed.push(function);
                }
            }
        }
    }

    /// Where a function is defined; itself where no module defines it.
    pub(super) fn home(&self, unit: usize, id: Id) -> (usize, Id) {
        match self.import(unit, id) {
            Some((_, Some(export))) => export,
            _ => (unit, id),
        }
    }

    /// What a pointer to a function is.
    pub(super) fn function_number(&self, unit: usize, id: Id) -> Result<u64> {
        let function = self.home(unit, id);
        let position = self.addressed.iter().position(|&other| other == function);
        position.map(|position| position as u64 + 1).ok_or(Failure::Unsupported)
    }

    /// Validation has seen to it that no function calls itself by name; by pointers it still may.
    pub(super) fn refuse_recursion(&self) -> std::result::Result<(), BuildError> {
        if self.addressed.is_empty() {
            return Ok(());
        }
        let mut done: HashMap<FuncRef, bool> = HashMap::default();
        let mut work: Vec<(FuncRef, Vec<FuncRef>)> = Vec::new();
        for start in self.ir.functions.keys() {
            if done.contains_key(&start) {
                continue;
            }
            done.insert(start, false);
            work.push((start, self.ir.functions[start].callees()));
            while let Some((function, left)) = work.last_mut() {
                let Some(next) = left.pop() else {
                    done.insert(*function, true);
                    work.pop();
                    continue;
                };
                match done.get(&next) {
                    Some(true) => {}
                    Some(false) => {
                        let name = &self.ir.functions[next].name;
                        return Err(BuildError {
                            kind: BuildErrorKind::Invalid,
                            log: format!("error: the function '{name}' may call itself through a pointer; OpenCL has no recursion\n"),
                        });
                    }
                    None => {
                        done.insert(next, false);
                        work.push((next, self.ir.functions[next].callees()));
                    }
                }
            }
        }
        Ok(())
    }
}

impl<'m> Lowering<'_, 'm> {
    pub(super) fn indirect_call(&mut self, inst: &Instruction<'m>) -> Result<()> {
        let pointer = self.scalar(inst.word(0))?;
        let CallParts { args, results, memory } = self.call_parts(inst)?;
        let wanted: Vec<Type> = args.iter().map(|&arg| self.func.ty(arg)).collect();
        let after = self.func.add_block();
        let joined: Scalars = results.iter().map(|&ty| self.func.add_param(after, ty)).collect();
        let mut cases = Vec::new();
        for (position, (unit, id)) in self.program.addressed.clone().into_iter().enumerate() {
            let (params, given) = self.program.signature(unit, id)?;
            if params != wanted || given.as_slice() != results.as_slice() {
                continue;
            }
            // A function that no module defines can't be called.
            let Some(callee) = self.program.callee(unit, id)? else { continue };
            let block = self.func.add_block();
            let mut b = Builder::new(&mut self.func, block);
            let call = b.push(InstData::Call {
                callee,
                args: args.clone(),
                results: results.clone(),
            });
            let values = b.func.inst(call).results.clone();
            b.jump(after, &values);
            cases.push((position as u64 + 1, to(block, &[])));
        }
        let none = self.func.add_block();
        Builder::new(&mut self.func, none).push(InstData::Trap {
            reason: Trap::BadCall as u32,
        });
        let default = to(none, &[]);
        self.b().push(InstData::Switch {
            value: pointer,
            cases: cases.into(),
            default,
        });
        self.block = after;
        match memory {
            Some(memory) => self.bind(inst.result, Val::Memory(memory)),
            None => self.define(inst, joined),
        }
        Ok(())
    }
}
