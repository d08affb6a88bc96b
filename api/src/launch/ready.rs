//! A launch that can run: code for what it fixes, arguments as they were, and what keeps both.
//!
//! The launch has addresses in it, of code and of memory objects. It is in no other file's reach: what is handed out is a [`Ready`], which keeps
//! what they lead to, and which a command can only have as a whole.

use super::children::Kin;
use crate::checked;
use crate::checked::order::{self, Touch};
use crate::cl::*;
use crate::device::Device;
use crate::error::{Result, fail_if};
use crate::kernel::{Arguments, Kernel, Value};
use crate::memory::Memory;
use crate::queue;
use crate::record::Recording;
use crate::report;
use crate::watch;
use ::device::enqueue::Queue;
use ::device::fault::Object;
use ::device::launch::{self, Launch, LaunchOutcome};
use ::device::memory::ArgumentBlock;
use compiler::ArgumentKind;
use compiler::buffers::Buffers;
use compiler::checked::{Pointer, Words};
use compiler::checks::Extent;
use compiler::nd_range::NdRange;
use compiler::prepared::{Prepared, place_behind};
use compiler::unfolded::Run;
use smallvec::SmallVec;
use std::mem;
use std::sync::Arc;
use vendors::limits;

/// A kernel's arguments as a launch takes them.
struct Snapshot {
    block: ArgumentBlock,
    /// Arguments that are local memory: where in the block, alignment and size.
    local: SmallVec<[(usize, u64, u64); 2]>,
    /// Memory objects, which must live until the launch is over.
    memory: SmallVec<[Arc<Memory>; 8]>,
    /// What arguments lead to.
    objects: SmallVec<[Object; 4]>,
    /// On-device queues.
    queues: SmallVec<[Arc<Queue>; 2]>,
    /// The memory of buffers.
    buffers: Buffers,
    words: Option<Words>,
}

impl Snapshot {
    /// One of nothing but the block.
    fn new(arguments: &Arguments) -> Snapshot {
        Snapshot {
            block: arguments.block.clone(),
            local: SmallVec::new(),
            memory: SmallVec::new(),
            objects: SmallVec::new(),
            queues: SmallVec::new(),
            buffers: Buffers::default(),
            words: None,
        }
    }

    /// Takes what the arguments are. (Where the snapshot is: it is large, and launches are short.)
    fn take(&mut self, kernel: &Kernel, arguments: &Arguments) -> Result<()> {
        let Snapshot {
            block,
            local,
            memory,
            objects,
            queues,
            buffers,
            words,
        } = self;
        // Checked mode: what arguments that point somewhere lead to, and where in the block that is told.
        let mut extents: SmallVec<[Pointer; 2]> = SmallVec::new();
        for (argument, (info, value)) in kernel.info().arguments.iter().zip(&arguments.values).enumerate() {
            match value {
                Value::Memory(object) => {
                    // CL_INVALID_KERNEL_ARGS: the memory object has been released since.
                    let object = object.upgrade().ok_or(CL_INVALID_KERNEL_ARGS)?;
                    // CL_MISALIGNED_SUB_BUFFER_OFFSET if a sub-buffer's offset is not aligned.
                    object.check_alignment()?;
                    if let ArgumentKind::GlobalPointer { constant } = info.kind {
                        buffers.add(info.offset, object.address().number(), object.size, constant);
                    }
                    fail_if(
                        !block.put(info.offset as usize, &object.kernel_argument().to_ne_bytes()),
                        CL_INVALID_ARG_SIZE,
                    )?;
                    if let Some(place) = info.extent {
                        extents.push((place, checked::extent_of(&object), object.address().number()));
                    }
                    objects.push(Object {
                        argument: argument as u32,
                        start: object.address().number(),
                        bytes: object.size,
                    });
                    memory.push(object);
                }
                Value::Local(bytes) => {
                    if let Some(place) = info.extent {
                        extents.push((place, Extent::of(*bytes), 0));
                    }
                    local.push((info.offset as usize, info.align, *bytes));
                }
                // A pointer of the application's, to anywhere.
                Value::InBlock if matches!(info.kind, ArgumentKind::GlobalPointer { .. }) => {
                    buffers.add_unknown();
                    let place = info.offset as usize;
                    let pointer = block.as_slice().get(place..).and_then(|rest| rest.first_chunk()).copied();
                    let start = usize::from_ne_bytes(pointer.unwrap_or_default());
                    if let Some(place) = info.extent {
                        let found = kernel.program.context.svm.find(start as *const u8);
                        let (extent, object) = compiler::checked::extent_at(start, found.map(|found| (found.start, found.bytes)));
                        extents.push((place, extent, object));
                    }
                    objects.push(Object {
                        argument: argument as u32,
                        start,
                        bytes: 0,
                    });
                }
                Value::Queue(queue) => {
                    // CL_INVALID_KERNEL_ARGS: the queue has been released since.
                    let queue = queue.upgrade().ok_or(CL_INVALID_KERNEL_ARGS)?;
                    fail_if(
                        !block.put(info.offset as usize, &queue.address().to_ne_bytes()),
                        CL_INVALID_ARG_SIZE,
                    )?;
                    queues.push(queue);
                }
                Value::Unset | Value::InBlock => {}
            }
        }
        if !extents.is_empty() {
            *words = compiler::checked::give(&kernel.code, &mut extents);
        }
        for (place, extent, _) in extents {
            fail_if(!block.put(place as usize, &extent.to_bytes()), CL_INVALID_KERNEL_ARGS)?;
        }
        Ok(())
    }

    /// Gives arguments that are local memory their places after the program's own variables; returns the bytes of all.
    fn place_local(&mut self, kernel: &Kernel, static_local_bytes: u64) -> Result<u64> {
        let shadows = kernel.code.shadows();
        let mut end = static_local_bytes;
        // Without what checks need besides.
        let mut asked_for = if kernel.code.checks().is_empty() {
            end
        } else {
            kernel.info().local_bytes
        };
        for &(place, align, bytes) in &self.local {
            // A pointer to local memory is an offset into the work-group's memory.
            let offset;
            (offset, end) = place_behind(end, align, bytes, shadows);
            fail_if(!self.block.put(place, &offset.to_ne_bytes()), CL_INVALID_KERNEL_ARGS)?;
            (_, asked_for) = place_behind(asked_for, align, bytes, 0);
        }
        // CL_OUT_OF_RESOURCES: "the kernel … local memory … exceeds what the device has".
        if asked_for > limits::LOCAL_MEMORY {
            let cause = format!(
                "its local variables and arguments together are larger than a work-group's local memory, which has {} bytes",
                limits::LOCAL_MEMORY
            );
            report::kernel(kernel, &cause, &format!("{asked_for} bytes"));
            return Err(CL_OUT_OF_RESOURCES);
        }
        Ok(end)
    }
}

/// Tells a launch what its kernel's checks, and its context, ask of it.
pub(super) fn equip(launch: &mut Launch, kernel: &Kernel) {
    launch.clear_local = kernel.context().initializes_local();
    compiler::checked::equip(launch, &kernel.code);
}

/// A launch that can run any number of times: its code, its arguments as they were, and what must live meanwhile.
pub struct Ready {
    kernel: Arc<Kernel>,
    /// As it was asked for; the launch may have other dimensions and groups.
    global_size: [u64; 3],
    local_size: [u64; 3],
    /// `None`: there is no work-item.
    launch: Option<Launch>,
    _prepared: Option<Arc<Prepared>>,
    memory: SmallVec<[Arc<Memory>; 8]>,
    /// Who accesses the buffers.
    words: Option<Words>,
    /// For what it enqueues.
    kin: Option<Kin>,
    recording: Option<Recording>,
}

impl Ready {
    /// Makes a launch of sizes that were checked.
    pub fn new(kernel: &Arc<Kernel>, arguments: &mut Arguments, range: &NdRange, device: &Arc<Device>) -> Result<Ready> {
        // CL_INVALID_KERNEL_ARGS if the kernel argument values have not been specified.
        if arguments.unset > 0 {
            checked::host::look_at_unset(kernel, arguments);
            return Err(CL_INVALID_KERNEL_ARGS);
        }
        if range.global.contains(&0) {
            return Ok(Ready {
                kernel: kernel.clone(),
                global_size: range.global,
                local_size: range.local,
                launch: None,
                _prepared: None,
                memory: SmallVec::new(),
                words: None,
                kin: None,
                recording: None,
            });
        }
        let mut snapshot = Snapshot::new(arguments);
        snapshot.take(kernel, arguments)?;
        checked::host::look(kernel, &snapshot.objects, &snapshot.memory);
        let run = Run::of(&kernel.code, device.compute_units(), range, snapshot.block.as_slice(), || {
            snapshot.buffers.are_apart()
        });
        let as_run = run.divided();
        // SAFETY: the block holds all arguments, and `memory` keeps the images that they name.
        let of_arguments = unsafe {
            snapshot
                .buffers
                .facts(run.kernel, snapshot.block.as_slice(), &run.range, run.groups.global())
        };
        let facts = run
            .groups
            .facts(&run.range, kernel.context().stop_word(), arguments.large.is_empty(), of_arguments);
        // CL_OUT_OF_RESOURCES if there is a failure to queue the execution instance of kernel because of insufficient resources.
        let prepared = Prepared::get(run.kernel, &mut arguments.prepared, facts, &as_run).map_err(|error| {
            report::kernel(kernel, error.log.trim_end(), "");
            CL_OUT_OF_RESOURCES
        })?;
        checked::host::look_at_lanes(kernel, as_run.local, prepared.gang_width());
        let local_bytes = snapshot.place_local(kernel, prepared.local_bytes())?;
        // SAFETY: the block is laid out as the kernel has it; `prepared` and `memory` hold code and buffers for as long as the launch can run; the
        // application vouches for what else its pointers reach.
        let mut launch = unsafe { prepared.launch(mem::take(&mut snapshot.block), &as_run) };
        launch.local_bytes = local_bytes;
        equip(&mut launch, kernel);
        launch.max_workers = device.compute_units() as usize;
        launch.objects = mem::take(&mut snapshot.objects);
        Ok(Ready {
            kernel: kernel.clone(),
            global_size: range.global,
            local_size: range.local,
            launch: Some(launch),
            _prepared: Some(prepared),
            memory: snapshot.memory,
            words: snapshot.words,
            kin: Kin::of(kernel, device, &snapshot.queues),
            recording: Recording::of(kernel, arguments, range),
        })
    }

    /// What it accesses.
    pub fn touches(&self) -> Vec<Touch> {
        let objects = self.launch.as_ref().map_or(&[][..], |launch| &launch.objects);
        order::of_launch(&self.kernel, objects, &self.memory)
    }

    /// How long it takes.
    pub fn cost(&self) -> queue::Cost {
        // Nobody knows how much it enqueues.
        if self.kin.is_none() && self.launch.as_ref().is_none_or(Launch::is_small) {
            queue::Cost::Small
        } else {
            queue::Cost::Large
        }
    }

    /// Runs it, and says what its end means for its event.
    pub fn run(&self) -> Result<()> {
        let Some(launch) = &self.launch else { return Ok(()) };
        self.kernel.context().check_alive()?;
        let name = &self.kernel.info().name;
        let began = watch::begin_launch();
        if let Some(words) = &self.words {
            words.begin();
        }
        let (outcome, enqueued) = match (&self.recording, &self.kin) {
            (Some(recording), _) => (Ok(recording.run(|| launch::run(launch))), Ok(())),
            (None, Some(kin)) => kin.run(&self.kernel, launch),
            (None, None) => (Ok(launch::run(launch)), Ok(())),
        };
        let failure = match outcome {
            Err(failure) => Some(failure),
            Ok(LaunchOutcome::Complete) => None,
            Ok(LaunchOutcome::Trapped { trap, item }) => Some((trap.cause(), format!("work-item {item:?} was stopped ({trap:?})"))),
            Ok(LaunchOutcome::OutOfMemory) => Some((
                "there is no memory for its work-groups; smaller work-groups, or smaller local and private arrays, need less",
                String::new(),
            )),
        };
        if let Some(began) = began {
            let end = failure.as_ref().map_or("complete", |(cause, _)| cause);
            watch::launch(name, self.global_size, self.local_size, began, end);
        }
        checked::report(&self.kernel, launch, self.local_size, &self.memory)?;
        enqueued?;
        match failure {
            None => Ok(()),
            Some(_) if self.kernel.context().is_terminated() => Err(CL_CONTEXT_TERMINATED_KHR),
            Some((cause, detail)) => {
                report::kernel(&self.kernel, cause, &detail);
                Err(CL_OUT_OF_RESOURCES)
            }
        }
    }
}
