//! From SPIR-V to the kernel IR, at the level of one work-item.
//!
//! The modules of a program are lowered together: [`lower`] gives the functions that kernels reach, the program-scope variables that these use,
//! and what is known of each kernel. A value of the source is its scalars (a vector is its components); an aggregate of very many scalars is kept
//! in memory ([`shape`]). Vectors exist no more after this. Each theme of the instruction set has its file; what none of them knows is refused
//! by name.

mod arithmetic;
mod atomic;
mod block_2d;
mod builtin;
mod checked;
mod composite;
mod constant;
mod conversion;
mod enqueue;
mod failure;
mod float8;
mod float_modes;
mod flow;
mod function;
mod group;
mod image;
mod image_block;
mod import;
mod import_rows;
mod indirect;
mod integer_dot;
mod kernel;
mod masked;
mod matrix;
mod memory;
mod odd_integers;
mod opencl_std;
mod pipe;
mod program;
mod reach;
mod shape;
mod sincos;
#[cfg(test)]
mod tests;
mod value;
mod variable_length;
mod variables;
mod vector_memory;

use failure::Failure;
use function::Lowering;
use interface::{BuildError, BuildErrorKind, BuildOptions, KernelInfo};
use program::Program;
use rspirv::spirv::Op;
use shape::Shape;
use spirv::{Instruction, Module};

/// A program in the IR.
#[derive(Clone, Debug)]
pub struct Lowered {
    /// Functions and program-scope variables.
    pub module: ir::Module,
    /// Kernels, in the modules' order.
    pub kernels: Vec<LoweredKernel>,
    /// Functions that kernels enqueue, by the numbers that [`device::enqueue`] gets.
    pub blocks: Vec<LoweredKernel>,
    /// Variables that the modules export, and that kernels use, by the names of their linkage.
    pub exported: Vec<(String, ir::Global)>,
}

/// A kernel in the IR: a function without parameters and results.
#[derive(Clone, Debug)]
pub struct LoweredKernel {
    /// What is known of it.
    pub info: KernelInfo,
    /// Its function.
    pub function: ir::FuncRef,
}

/// Links modules and lowers their kernels.
pub fn lower(modules: &[&Module], options: &BuildOptions) -> Result<Lowered, BuildError> {
    let mut program = Program::new(modules, options)?;
    let entries: Vec<_> = modules
        .iter()
        .enumerate()
        .flat_map(|(unit, module)| module.entry_points.iter().map(move |entry| (unit, entry)))
        .collect();
    let mut names = std::collections::HashSet::new();
    if let Some((_, twice)) = entries.iter().find(|(_, entry)| !names.insert(&entry.name)) {
        let log = format!("error: the kernel '{}' is defined in more than one module\n", twice.name);
        return Err(BuildError {
            kind: BuildErrorKind::Link,
            log,
        });
    }
    let blocks = program.blocks.clone();
    let places = entries.iter().map(|&(unit, entry)| (unit, entry.function));
    let places: Vec<_> = places.chain(blocks.iter().copied()).collect();
    let mut reached = program.reach(&places).map_err(|failure| failure.at("the program"))?;
    let mut kernels = Vec::with_capacity(entries.len());
    for (&(unit, entry), reached) in entries.iter().zip(reached.drain(..entries.len())) {
        let mut kernel = program.lower_kernel(unit, entry)?;
        reached.note(&mut kernel.info)?;
        kernels.push(kernel);
        program.lower_pending()?;
    }
    let mut blocks_lowered = Vec::with_capacity(blocks.len());
    for (block, reached) in blocks.into_iter().zip(reached) {
        let mut block = program.lower_block(block)?;
        reached.note(&mut block.info)?;
        blocks_lowered.push(block);
        program.lower_pending()?;
    }
    program.refuse_recursion()?;
    kernel::find_calls(&program.ir, &mut kernels);
    if cfg!(debug_assertions) {
        check(&program.ir)?;
    }
    Ok(Lowered {
        exported: program.exported_variables(),
        module: program.ir,
        kernels,
        blocks: blocks_lowered,
    })
}

/// The result is what the IR says it must be: else lowering has a fault.
fn check(module: &ir::Module) -> Result<(), BuildError> {
    for func in module.functions.values() {
        if let Err(error) = ir::verify::verify(func, Some(module)) {
            let log = format!("internal error: lowering has made wrong code: {error}\n{func}\n");
            return Err(BuildError {
                kind: BuildErrorKind::Invalid,
                log,
            });
        }
    }
    Ok(())
}

impl<'m> Lowering<'_, 'm> {
    /// Lowers an instruction.
    fn instruction(&mut self, inst: &Instruction<'m>) -> function::Result<()> {
        let known = self.with_flushing(inst, |this| this.any_instruction(inst))?;
        if !known {
            return Err(Failure::Unsupported);
        }
        self.check_finite(inst)?;
        self.check_fits(inst)
    }

    /// Lowers an instruction; says whether it is known.
    fn any_instruction(&mut self, inst: &Instruction<'m>) -> function::Result<bool> {
        Ok(match inst.op() {
            Op::Nop | Op::Line | Op::NoLine => true,
            Op::AssumeTrueKHR => {
                self.assume(inst)?;
                true
            }
            Op::ExtInst => self.odd_integers(inst)? || self.extended(inst)?,
            _ => {
                self.odd_integers(inst)?
                    || self.arithmetic(inst)?
                    || self.memory(inst)?
                    || self.masked(inst)?
                    || self.matrix(inst)?
                    || self.composite(inst)?
                    || self.flow(inst)?
                    || self.conversion(inst)?
                    || self.atomic(inst)?
                    || self.group(inst)?
                    || self.pipe(inst)?
                    || self.enqueue(inst)?
                    || self.image(inst)?
                    || self.image_block(inst)?
                    || self.block_2d(inst)?
                    || self.variable_length(inst)?
            }
        })
    }
}
