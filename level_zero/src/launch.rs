//! Launches: a kernel, its arguments as they were, and the groups that run.

use crate::arguments::Value;
use crate::device::compute_units;
use crate::error::{Result, fail_if};
use crate::image::Image;
use crate::kernel::{Kernel, Next};
use crate::pointer::Address;
use crate::ze::*;
use ::device::fault::{self, Object};
use ::device::launch::{self, Launch, LaunchOutcome};
use compiler::buffers::Buffers;
use compiler::nd_range::NdRange;
use compiler::prepared::{Prepared, place_behind};
use compiler::{ArgumentKind, LaunchFacts, local_size};
use std::io::Write;
use std::sync::Arc;
use vendors::limits;

/// Objects of so many bytes are large: 32-bit indices may wrap within them.
const LARGE: usize = (1 << 32) - (1 << 12);

/// A launch that can run any number of times.
pub struct Ready {
    kernel: Arc<Kernel>,
    /// `None`: there is no group. With what must live as long: its code, and images.
    launch: Option<(Launch, Arc<Prepared>, Vec<Arc<Image>>)>,
}

impl Ready {
    /// Of so many groups, with what the kernel was given.
    pub fn new(kernel: &Arc<Kernel>, next: &mut Next, groups: [u32; 3]) -> Result<Ready> {
        kernel.check_group_size(next.group_size)?;
        let mut ready = Ready {
            kernel: kernel.clone(),
            launch: None,
        };
        if groups.contains(&0) {
            return Ok(ready);
        }
        let local = next.group_size.map(u64::from);
        let global: [u64; 3] = std::array::from_fn(|axis| u64::from(groups[axis]) * local[axis]);
        let range = NdRange {
            work_dim: global.iter().rposition(|&size| size > 1).map_or(1, |axis| axis as u32 + 1),
            offset: next.offset.map(u64::from),
            global,
            local,
            is_chosen: false,
        };
        let cut = local_size::cut(&kernel.code, compute_units(), &range);
        let as_run = NdRange {
            local: cut.as_ref().map_or(local, |cut| cut.local),
            ..range
        };
        let Seen { buffers, objects, small } = see(kernel, &next.arguments.values, next.arguments.block.as_slice())?;
        // SAFETY: the block holds all arguments, and `next` keeps the images that they name.
        let of_arguments = unsafe { buffers.facts(&kernel.code, next.arguments.block.as_slice(), &range) };
        let facts = LaunchFacts {
            groups_of_one: cut.is_some_and(|cut| cut.of_one),
            ..as_run.facts(None, small, of_arguments)
        };
        let prepared = Prepared::get(&kernel.code, &mut next.arguments.prepared, facts, &as_run).map_err(|error| {
            say(&kernel.code.info.name, error.log.trim_end());
            ZE_RESULT_ERROR_MODULE_BUILD_FAILURE
        })?;
        let images = next.arguments.values.iter().filter_map(|value| match value {
            Value::Image(image) => Some(image.clone()),
            Value::Unset | Value::InBlock | Value::Local(_) => None,
        });
        let images = images.collect();
        let mut block = next.arguments.block.clone();
        let mut local_bytes = prepared.local_bytes();
        for (argument, value) in kernel.code.info.arguments.iter().zip(&next.arguments.values) {
            if let Value::Local(bytes) = value {
                let start;
                (start, local_bytes) = place_behind(local_bytes, argument.align, *bytes, 0);
                fail_if(
                    !block.put(argument.offset as usize, &start.to_ne_bytes()),
                    ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE,
                )?;
            }
        }
        // ze_device_compute_properties_t.maxSharedLocalMemory
        fail_if(local_bytes > limits::LOCAL_MEMORY, ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY)?;
        // SAFETY: the block is laid out as the kernel has it; `prepared` and `images` hold code and images for as long as the launch can run; the application vouches for what
        // its pointers reach.
        let mut launch = unsafe { prepared.launch(block, &range, as_run.local) };
        launch.local_bytes = local_bytes;
        launch.max_workers = compute_units() as usize;
        launch.objects = objects.into_iter().collect();
        ready.launch = Some((launch, prepared, images));
        Ok(ready)
    }

    /// Runs it: ZE_RESULT_ERROR_DEVICE_LOST if it did not come to its end, and a line on stderr that says why.
    pub fn run(&self) -> Result<()> {
        let Some((launch, ..)) = &self.launch else { return Ok(()) };
        let name = &self.kernel.code.info.name;
        match launch::run(launch) {
            LaunchOutcome::Complete => return Ok(()),
            LaunchOutcome::Trapped { trap, item } => {
                say(name, &format!("work-item {item:?} was stopped ({trap:?}): {}", trap.cause()));
            }
            LaunchOutcome::OutOfMemory => {
                say(
                    name,
                    "there is no memory for its work-groups; smaller work-groups, or smaller local and private arrays, need less",
                );
            }
        }
        Err(ZE_RESULT_ERROR_DEVICE_LOST)
    }
}

/// Where arguments lead.
struct Seen {
    buffers: Buffers,
    /// For who reads of a fault.
    objects: Vec<Object>,
    /// No object is large.
    small: bool,
}

fn see(kernel: &Kernel, values: &[Value], block: &[u8]) -> Result<Seen> {
    // ZE_RESULT_ERROR_INVALID_ARGUMENT: an argument was not set.
    fail_if(
        values.iter().any(|value| matches!(value, Value::Unset)),
        ZE_RESULT_ERROR_INVALID_ARGUMENT,
    )?;
    let mut seen = Seen {
        buffers: Buffers::default(),
        objects: Vec::new(),
        small: true,
    };
    for (index, argument) in kernel.code.info.arguments.iter().enumerate() {
        let ArgumentKind::GlobalPointer { constant } = argument.kind else {
            continue;
        };
        let bytes = block.get(argument.offset as usize..).and_then(|rest| rest.first_chunk());
        let pointer = usize::from_ne_bytes(bytes.copied().unwrap_or_default());
        if pointer == 0 {
            continue;
        }
        let found = kernel.module.context.allocations.find(Address(pointer));
        let (start, bytes) = found.map_or((pointer, 0), |found| (found.start, found.bytes));
        // Memory of the application's own may be as large as it likes.
        seen.small &= (1..LARGE).contains(&bytes);
        seen.buffers.add(argument.offset, start, bytes, constant);
        // Other pointers, in memory that the kernel reads, may lead there, too.
        seen.buffers.add_unknown();
        seen.objects.push(Object {
            argument: index as u32,
            start,
            bytes,
        });
    }
    Ok(seen)
}

/// Tells of an error of a kernel, unless `BROLGA_QUIET` is set.
fn say(kernel: &str, what: &str) {
    if !fault::quiet() {
        // Where there is no stderr, there is nobody to tell.
        let _ = writeln!(std::io::stderr(), "brolga: kernel '{kernel}': {what}");
    }
}
