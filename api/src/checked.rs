//! Checked mode as OpenCL has it: what a launch tells of its memory objects, and how the event of one ends whose checks failed.

use crate::build::Origin;
use crate::cl::*;
use crate::error::{Result, fail_if};
use crate::kernel::Kernel;
use crate::memory::Memory;
use ::device::launch::Launch;
use compiler::checked::Launched;
use compiler::checks::Extent;
use std::sync::Arc;

pub mod host;
pub mod order;

/// What a launch tells a kernel of the memory object that an argument is.
pub fn extent_of(memory: &Memory) -> Extent {
    let is_only_read = memory.flags & (CL_MEM_READ_ONLY | CL_MEM_IMMUTABLE_EXT) != 0;
    let all = Extent::of(memory.size as u64);
    Extent {
        writable: if is_only_read { 0 } else { all.writable },
        ..all
    }
}

/// Tells of what the checks of a launch that is over have found, and says how its event ends. With the local size that was asked for, and the memory
/// objects among its arguments.
pub fn report(kernel: &Kernel, launch: &Launch, local: [u64; 3], memory: &[Arc<Memory>]) -> Result<()> {
    let image = |address: u64| {
        let memory = memory.iter().find(|memory| memory.kernel_argument() as u64 == address)?;
        memory.image().ok().map(|image| *image.record())
    };
    let launched = Launched {
        kernel: &kernel.code,
        launch,
        local,
        image: &image,
        source: match &kernel.program.origin {
            Origin::Source(text) => Some(text),
            _ => None,
        },
    };
    fail_if(
        compiler::checked::report(&launched, |sentence| kernel.context().report(sentence)),
        CL_CHECK_FAILED_BROLGA,
    )
}
