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
use compiler::ArgumentKind;
use compiler::buffers::Buffers;
use compiler::checked::{self, Launched, Pointer, Words};
use compiler::checks::Extent;
use compiler::nd_range::NdRange;
use compiler::prepared::{Prepared, place_behind};
use compiler::unfolded::Run;
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
    /// zeKernelSetGroupSize; the launch may have other groups.
    local: [u64; 3],
    /// Who accesses the buffers, in checked mode.
    words: Option<Words>,
}

impl Ready {
    /// Of so many groups, with what the kernel was given.
    pub fn new(kernel: &Arc<Kernel>, next: &mut Next, groups: [u32; 3]) -> Result<Ready> {
        kernel.check_group_size(next.group_size)?;
        let local = next.group_size.map(u64::from);
        let mut ready = Ready {
            kernel: kernel.clone(),
            launch: None,
            local,
            words: None,
        };
        if groups.contains(&0) {
            return Ok(ready);
        }
        let global: [u64; 3] = std::array::from_fn(|axis| u64::from(groups[axis]) * local[axis]);
        let range = NdRange {
            work_dim: global.iter().rposition(|&size| size > 1).map_or(1, |axis| axis as u32 + 1),
            offset: next.offset.map(u64::from),
            global,
            local,
            is_chosen: false,
        };
        let Seen {
            buffers,
            objects,
            mut extents,
            small,
        } = see(kernel, &next.arguments.values, next.arguments.block.as_slice())?;
        let run = Run::of(&kernel.code, compute_units(), &range, next.arguments.block.as_slice(), || {
            buffers.are_apart()
        });
        let as_run = run.divided();
        // SAFETY: the block holds all arguments, and `next` keeps the images that they name.
        let of_arguments = unsafe { buffers.facts(run.kernel, next.arguments.block.as_slice(), &run.range, run.groups.global()) };
        let facts = run.groups.facts(&run.range, None, small, of_arguments);
        let prepared = Prepared::get(run.kernel, &mut next.arguments.prepared, facts, &as_run).map_err(|error| {
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
        // Without what checks need besides.
        let (mut asked_for, shadows) = (kernel.code.info.local_bytes, kernel.code.shadows());
        for (argument, value) in kernel.code.info.arguments.iter().zip(&next.arguments.values) {
            if let Value::Local(bytes) = value {
                let start;
                (start, local_bytes) = place_behind(local_bytes, argument.align, *bytes, shadows);
                (_, asked_for) = place_behind(asked_for, argument.align, *bytes, 0);
                extents.extend(argument.extent.map(|place| (place, Extent::of(*bytes), 0)));
                fail_if(
                    !block.put(argument.offset as usize, &start.to_ne_bytes()),
                    ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE,
                )?;
            }
        }
        // ze_device_compute_properties_t.maxSharedLocalMemory
        fail_if(asked_for > limits::LOCAL_MEMORY, ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY)?;
        ready.words = checked::give(&kernel.code, &mut extents);
        for (place, extent, _) in extents {
            fail_if(
                !block.put(place as usize, &extent.to_bytes()),
                ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE,
            )?;
        }
        // SAFETY: the block is laid out as the kernel has it; `prepared` and `images` hold code and images for as long as the launch can run; the
        // application vouches for what its pointers reach.
        let mut launch = unsafe { prepared.launch(block, &as_run) };
        launch.local_bytes = local_bytes;
        checked::equip(&mut launch, &kernel.code);
        launch.max_workers = compute_units() as usize;
        launch.objects = objects.into_iter().collect();
        ready.launch = Some((launch, prepared, images));
        Ok(ready)
    }

    /// Runs it: ZE_RESULT_ERROR_DEVICE_LOST if it did not come to its end, and a line on stderr that says why; in checked mode, ZE_RESULT_ERROR_UNKNOWN
    /// if checks failed, of which stderr tells.
    pub fn run(&self) -> Result<()> {
        let Some((launch, _, images)) = &self.launch else { return Ok(()) };
        if let Some(words) = &self.words {
            words.begin();
        }
        let outcome = launch::run(launch);
        let launched = Launched {
            kernel: &self.kernel.code,
            launch,
            local: self.local,
            image: &|address| images.iter().find(|image| image.argument() == address).map(|image| image.record()),
            source: None,
        };
        let found = checked::report(&launched, |_| ());
        let name = &self.kernel.code.info.name;
        match outcome {
            LaunchOutcome::Complete => return fail_if(found, ZE_RESULT_ERROR_UNKNOWN),
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
    /// For checks: where in the block they are told what, and where that begins.
    extents: Vec<Pointer>,
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
        extents: Vec::new(),
        small: true,
    };
    for (index, argument) in kernel.code.info.arguments.iter().enumerate() {
        let ArgumentKind::GlobalPointer { constant } = argument.kind else {
            continue;
        };
        let bytes = block.get(argument.offset as usize..).and_then(|rest| rest.first_chunk());
        let pointer = usize::from_ne_bytes(bytes.copied().unwrap_or_default());
        let found = kernel.module.context.allocations.find(Address(pointer));
        let found = found.map(|found| (found.start, found.bytes));
        if let Some(place) = argument.extent {
            let (extent, start) = checked::extent_at(pointer, found);
            seen.extents.push((place, extent, start));
        }
        if pointer == 0 {
            continue;
        }
        let (start, bytes) = found.unwrap_or((pointer, 0));
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
