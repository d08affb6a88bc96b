//! Linking: modules become a program with kernels and memory for its variables.

use crate::kernel::Kernel;
use crate::{BuildError, BuildErrorKind, BuildOptions, Module};
use device::memory::Allocation;
use ir::{Global, Module as IrModule, READABLE_BEHIND};
use lower::{self, Lowered, LoweredKernel};
use std::sync::Arc;

/// A linked program. Its kernels hold its program-scope variables' memory and the code compiled so far.
#[derive(Debug)]
pub struct Program {
    /// Kernels, in the module's order.
    pub kernels: Vec<Arc<Kernel>>,
    /// What kernels enqueue, by the numbers that `device::enqueue` gets.
    pub blocks: Vec<Arc<Kernel>>,
    /// Bytes of program-scope variables (CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE).
    pub global_bytes: u64,
    /// Variables that the modules export, and that kernels use.
    exported: Vec<(String, Global)>,
    linked: Arc<Linked>,
}

/// What the kernels of a program share.
#[derive(Debug)]
pub(crate) struct Linked {
    /// Functions at the work-item level, and variables.
    pub module: IrModule,
    /// Options of the build.
    pub options: BuildOptions,
    /// Memory of variables, and of constants.
    memory: [Option<Allocation>; 2],
    offsets: Vec<usize>,
}

impl Linked {
    /// Where a variable is.
    pub fn global_address(&self, global: Global) -> u64 {
        let memory = &self.memory[usize::from(self.module.globals[global].constant)];
        let base = memory.as_ref().map_or(0, |memory| memory.as_ptr() as u64);
        base + self.offsets[global.as_u32() as usize] as u64
    }
}

impl Program {
    /// Where a variable is that the modules export and some kernel uses, and its bytes.
    pub fn variable(&self, name: &str) -> Option<(u64, usize)> {
        let &(_, global) = self.exported.iter().find(|(exported, _)| exported == name)?;
        Some((self.linked.global_address(global), self.linked.module.globals[global].bytes.len()))
    }
}

/// Links modules to a program with kernels, and lowers it, so that every error is reported here.
pub fn link(modules: &[Arc<Module>], options: &BuildOptions) -> Result<Arc<Program>, BuildError> {
    let spirv: Vec<_> = modules.iter().map(|module| module.spirv()).collect();
    let Lowered {
        module,
        kernels,
        blocks,
        exported,
    } = debug::timed("lower", || lower::lower(&spirv, options))?;
    debug::show("ir", "lowered", || module.to_string());
    let linked = Arc::new(place_globals(module, options)?);
    let global_bytes = linked
        .module
        .globals
        .values()
        .filter(|global| !global.constant)
        .map(|global| global.bytes.len() as u64)
        .sum();
    let all = |lowered: Vec<LoweredKernel>, is_block| {
        let kernels = lowered.into_iter();
        kernels
            .map(|kernel| Arc::new(Kernel::new(kernel.info, linked.clone(), kernel.function, is_block)))
            .collect()
    };
    Ok(Arc::new(Program {
        kernels: all(kernels, false),
        blocks: all(blocks, true),
        global_bytes,
        exported,
        linked: linked.clone(),
    }))
}

/// Gives the variables memory and their initial values.
fn place_globals(mut module: IrModule, options: &BuildOptions) -> Result<Linked, BuildError> {
    module.exact_variables = !options.checks.is_empty();
    let behind = if module.exact_variables { 0 } else { READABLE_BEHIND };
    let mut totals = [0usize; 2];
    let mut offsets = Vec::with_capacity(module.globals.len());
    for global in module.globals.values() {
        let total = &mut totals[usize::from(global.constant)];
        *total = total.next_multiple_of(global.align.max(1) as usize);
        offsets.push(*total);
        *total += global.bytes.len();
    }
    let mut linked = Linked {
        module,
        options: options.clone(),
        memory: [None, None],
        offsets,
    };
    for (total, memory) in totals.into_iter().zip(&mut linked.memory) {
        if total != 0 {
            *memory = Some(Allocation::new(total + behind, 128).map_err(|_| BuildError {
                kind: BuildErrorKind::Link,
                log: format!("error: no memory for {total} bytes of program-scope variables\n"),
            })?);
        }
    }
    if let [_, Some(constants)] = &linked.memory {
        constants.set_only_read();
    }
    for (global, data) in linked.module.globals.iter() {
        let start = linked.global_address(global) as *mut u8;
        // SAFETY: the allocation has room for each variable at its offset, and nobody else knows of it yet.
        unsafe { std::ptr::copy_nonoverlapping(data.bytes.as_ptr(), start, data.bytes.len()) };
        for &(offset, target, addend) in &data.relocations {
            let address = linked.global_address(target).wrapping_add_signed(addend);
            if offset as usize + 8 <= data.bytes.len() {
                // SAFETY: eight bytes of the variable, checked above.
                unsafe { start.add(offset as usize).cast::<u64>().write_unaligned(address) };
            }
        }
    }
    Ok(linked)
}
