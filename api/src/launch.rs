//! Executing kernels: §5.10.

mod native;

pub use native::enqueue_native_kernel;

use crate::cl::*;
use crate::context::Context;
use crate::device::Device;
use crate::error::{Result, fail_if};
use crate::event::{Event, wait_list};
use crate::handle::lookup;
use crate::kernel::{Arguments, Kernel, Value};
use crate::local_size;
use crate::memory::Memory;
use crate::queue::{self, Queue, Submission};
use crate::raw::{In, Out};
use crate::watch;
use ::device::abi::Trap;
use ::device::launch::{self, Code, Cost, Launch, LaunchOutcome};
use ::device::machine::machine;
use ::device::memory::ArgumentBlock;
use compiler::{ArgumentFacts, ArgumentKind, LaunchFacts, Variant};
use smallvec::SmallVec;
use std::sync::Arc;
use vendors::limits;

/// The index space of a launch; unused dimensions have size 1 and offset 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NdRange {
    /// 1 to 3.
    pub work_dim: u32,
    /// `get_global_offset()`
    pub offset: [u64; 3],
    /// `get_global_size()`
    pub global: [u64; 3],
    /// `get_enqueued_local_size()`
    pub local: [u64; 3],
}

/// The compiled code for launches of some kind, and what has been learned of them.
#[derive(Debug)]
pub struct Prepared {
    facts: LaunchFacts,
    full: Arc<Variant>,
    /// For work-groups that the end of the index space cuts off.
    edge: Option<Arc<Variant>>,
    cost: Arc<Cost>,
}

impl NdRange {
    /// Checks the sizes of clEnqueueNDRangeKernel, and chooses a local size where none is given.
    pub fn check(
        kernel: &Kernel,
        device: &Device,
        work_dim: cl_uint,
        global_work_offset: In<usize>,
        global_work_size: In<usize>,
        local_work_size: In<usize>,
    ) -> Result<NdRange> {
        // CL_INVALID_WORK_DIMENSION if work_dim is not valid for the device.
        fail_if(!(1..=3).contains(&work_dim), CL_INVALID_WORK_DIMENSION)?;
        let dimensions = work_dim as usize;
        let widen = |sizes: [usize; 3]| sizes.map(|size| size as u64);
        let offset = widen(global_work_offset.triple(dimensions, 0).unwrap_or_default());
        // "If global_work_size is NULL, or the value in any passed dimension is 0 then the kernel command will trivially succeed."
        let mut global = [0; 3];
        if let Some(sizes) = global_work_size.triple(dimensions, 1) {
            global = widen(sizes);
        }
        // CL_INVALID_GLOBAL_OFFSET if the value specified in global_work_size + the corresponding values in global_work_offset for any
        // dimension is greater than the maximum value representable by size_t on the device.
        fail_if(
            offset.iter().zip(&global).any(|(offset, size)| offset.checked_add(*size).is_none()),
            CL_INVALID_GLOBAL_OFFSET,
        )?;
        let local = match local_work_size.triple(dimensions, 1) {
            Some(local) => {
                let local = widen(local);
                check_local_size(kernel, local)?;
                local
            }
            None => local_size::choose(kernel, device, dimensions, global),
        };
        let range = NdRange {
            work_dim,
            offset,
            global,
            local,
        };
        // CL_INVALID_WORK_GROUP_SIZE if the work-group size must be uniform, and global_work_size is not evenly divisible by local_work_size
        // (or, where that is NULL, by the size that the kernel requires).
        fail_if(kernel.uniform_groups && !range.is_uniform(), CL_INVALID_WORK_GROUP_SIZE)?;
        Ok(range)
    }

    /// Does the index space end where a work-group ends?
    pub fn is_uniform(&self) -> bool {
        self.global
            .iter()
            .zip(&self.local)
            .all(|(global, local)| global.is_multiple_of(*local))
    }

    /// Some work-group has the full size.
    fn has_full_group(&self) -> bool {
        self.global.iter().zip(&self.local).all(|(global, local)| global >= local)
    }

    fn facts(&self, context: &Context, small_objects: bool, arguments: ArgumentFacts) -> LaunchFacts {
        LaunchFacts {
            local_size: self.local,
            groups_of_one: false,
            work_dim: self.work_dim,
            full_groups: self.is_uniform(),
            zero_offset: self.offset == [0; 3],
            small_ids: self
                .offset
                .iter()
                .zip(&self.global)
                .all(|(offset, size)| offset + size <= compiler::SMALL_IDS),
            small_objects,
            stop_word: context.stop_word(),
            arguments,
        }
    }
}

fn check_local_size(kernel: &Kernel, local: [u64; 3]) -> Result<()> {
    // CL_INVALID_WORK_GROUP_SIZE if the total number of work-items in the work-group is zero;
    fail_if(local.contains(&0), CL_INVALID_WORK_GROUP_SIZE)?;
    // CL_INVALID_WORK_ITEM_SIZE if the number of work-items specified in any dimension of local_work_size is not valid for the device.
    fail_if(
        local.iter().any(|&size| size > limits::WORK_GROUP_SIZE as u64),
        CL_INVALID_WORK_ITEM_SIZE,
    )?;
    // or does not match the required work-group size for kernel;
    fail_if(
        kernel.info().required_local_size.is_some_and(|required| required != local),
        CL_INVALID_WORK_GROUP_SIZE,
    )?;
    // or is greater than the maximum work-group size supported for kernel;
    let items = local.iter().product::<u64>();
    fail_if(items > kernel.max_work_group_size() as u64, CL_INVALID_WORK_GROUP_SIZE)?;
    // or is not consistent with the required number of sub-groups for kernel.
    let sub_groups = items.div_ceil(u64::from(kernel.code.gang_width(local)).max(1));
    fail_if(
        kernel
            .info()
            .sub_groups_per_group
            .is_some_and(|count| u64::from(count) != sub_groups),
        CL_INVALID_WORK_GROUP_SIZE,
    )
}

impl Prepared {
    /// The code for a launch: what the kernel's last launch used, or compiled now.
    fn get(kernel: &Kernel, last: &mut Option<Arc<Prepared>>, facts: LaunchFacts, range: &NdRange) -> Result<Arc<Prepared>> {
        if let Some(last) = last.as_ref().filter(|last| last.facts == facts) {
            return Ok(last.clone());
        }
        let variant = |full_groups: bool| {
            let facts = LaunchFacts {
                full_groups,
                ..facts.clone()
            };
            // CL_OUT_OF_RESOURCES if there is a failure to queue the execution instance of kernel because of insufficient resources.
            kernel.code.variant(&facts).map_err(|error| {
                kernel.context().report(&format!("kernel {}: {}", kernel.info().name, error.log));
                CL_OUT_OF_RESOURCES
            })
        };
        let edge = if facts.full_groups { None } else { Some(variant(false)?) };
        let full = match &edge {
            Some(edge) if !range.has_full_group() => edge.clone(),
            _ => variant(true)?,
        };
        let new = Arc::new(Prepared {
            facts,
            full,
            edge,
            cost: Arc::default(),
        });
        *last = Some(new.clone());
        Ok(new)
    }

    fn code(variant: &Variant) -> Code {
        Code {
            entry: variant.entry,
            needs: variant.needs,
        }
    }
}

/// From so many bytes on a buffer may be too large for the caches.
const LARGE: usize = 1 << 20;

/// More buffers than this are not compared.
const MOST_APART: usize = 16;

/// No more bytes than this of a buffer are expected to be a work-item's.
const ITEM: u64 = 16;

/// A kernel's arguments as a launch takes them.
struct Snapshot {
    block: ArgumentBlock,
    /// Arguments that are local memory: where in the block, alignment and size.
    local: SmallVec<[(usize, u64, u64); 2]>,
    /// Memory objects, which must live until the launch is over.
    memory: SmallVec<[Arc<Memory>; 8]>,
    /// Large buffers: where in the block, and their size.
    large: SmallVec<[(u64, u64); 4]>,
    /// The memory of buffers, from its first address to behind its last; `None` where not all is known.
    places: Option<SmallVec<[(usize, usize); 8]>>,
}

impl Snapshot {
    fn take(kernel: &Kernel, arguments: &Arguments) -> Result<Snapshot> {
        let mut memory = SmallVec::new();
        let mut local = SmallVec::new();
        let mut large = SmallVec::new();
        let mut places = Some(SmallVec::new());
        for (info, value) in kernel.info().arguments.iter().zip(&arguments.values) {
            match value {
                Value::Memory(object) => {
                    // CL_INVALID_KERNEL_ARGS: the memory object has been released since.
                    let object = object.upgrade().ok_or(CL_INVALID_KERNEL_ARGS)?;
                    // CL_MISALIGNED_SUB_BUFFER_OFFSET if a sub-buffer's offset is not aligned.
                    object.check_alignment()?;
                    if object.size >= LARGE && object.check_buffer().is_ok() {
                        large.push((info.offset, object.size as u64));
                    }
                    if let (ArgumentKind::GlobalPointer { constant: false }, Some(places)) = (info.kind, &mut places) {
                        let start = object.data.ptr() as usize;
                        places.push((start, start + object.size));
                    }
                    memory.push(object);
                }
                Value::Local(bytes) => local.push((info.offset as usize, info.align, *bytes)),
                // A pointer of the application's, to anywhere.
                Value::InBlock if matches!(info.kind, ArgumentKind::GlobalPointer { .. }) => places = None,
                Value::Unset | Value::InBlock => {}
            }
        }
        Ok(Snapshot {
            block: arguments.block.clone(),
            local,
            memory,
            large,
            places,
        })
    }

    /// What code may assume of the arguments.
    fn facts(&self, kernel: &Kernel, range: &NdRange) -> ArgumentFacts {
        // SAFETY: the block holds all arguments, and `memory` keeps the images that they name.
        let mut facts = unsafe { ArgumentFacts::read(kernel.info(), self.block.as_slice()) };
        if kernel.code.wants_separate() && self.places.as_ref().is_some_and(|places| are_apart(places)) {
            facts.set_separate();
        }
        for &(offset, bytes) in kernel.code.strides() {
            let place = offset as usize..(offset + bytes) as usize;
            if let Some([1, rest @ ..]) = self.block.as_slice().get(place)
                && rest.iter().all(|&byte| byte == 0)
            {
                facts.add_one(offset, bytes);
            }
        }
        if !self.large.is_empty() {
            let caches = machine().caches.last_level();
            let sum: u64 = self.large.iter().map(|&(_, size)| size).sum();
            let items = range.global.iter().fold(1, |items: u64, &size| items.saturating_mul(size));
            for &(place, size) in &self.large {
                // Below twice the caches, much of what one launch leaves in them serves the next. Work-items that are few leave most of the
                // buffer alone.
                if sum >= 2 * caches && size >= caches / 8 && items.saturating_mul(ITEM) >= size {
                    facts.add_large(place);
                }
            }
        }
        facts
    }

    /// Gives arguments that are local memory their places after the program's own variables; returns the bytes of all.
    fn place_local(&mut self, static_local_bytes: u64) -> Result<u64> {
        let mut end = static_local_bytes;
        for &(place, align, bytes) in &self.local {
            // A pointer to local memory is an offset into the work-group's memory.
            let offset = end.next_multiple_of(align.clamp(1, 128));
            fail_if(!self.block.put(place, &offset.to_ne_bytes()), CL_INVALID_KERNEL_ARGS)?;
            end = offset + bytes;
        }
        // CL_OUT_OF_RESOURCES: "the kernel … local memory … exceeds what the device has".
        fail_if(end > limits::LOCAL_MEMORY, CL_OUT_OF_RESOURCES)?;
        Ok(end)
    }
}

/// No two of them share a byte. (There are so few that sorting them would take longer.)
fn are_apart(places: &[(usize, usize)]) -> bool {
    let apart = |&(start, end): &(usize, usize), rest: &[(usize, usize)]| rest.iter().all(|&(from, to)| end <= from || to <= start);
    places.len() <= MOST_APART && places.iter().enumerate().all(|(at, place)| apart(place, &places[at + 1..]))
}

/// A launch that can run any number of times: its code, its arguments as they were, and what must live meanwhile.
pub struct Ready {
    kernel: Arc<Kernel>,
    /// As it was asked for; the launch may have other groups.
    local_size: [u64; 3],
    /// `None`: there is no work-item.
    launch: Option<Launch>,
    _prepared: Option<Arc<Prepared>>,
    _memory: SmallVec<[Arc<Memory>; 8]>,
}

impl Ready {
    /// Makes a launch of sizes that were checked.
    pub fn new(kernel: &Arc<Kernel>, arguments: &mut Arguments, range: &NdRange, device: &Device) -> Result<Ready> {
        // CL_INVALID_KERNEL_ARGS if the kernel argument values have not been specified.
        fail_if(arguments.unset > 0, CL_INVALID_KERNEL_ARGS)?;
        if range.global.contains(&0) {
            return Ok(Ready {
                kernel: kernel.clone(),
                local_size: range.local,
                launch: None,
                _prepared: None,
                _memory: SmallVec::new(),
            });
        }
        let mut snapshot = Snapshot::take(kernel, arguments)?;
        let cut = local_size::cut(kernel, device, range);
        let as_run = NdRange {
            local: cut.as_ref().map_or(range.local, |cut| cut.local),
            ..*range
        };
        let facts = LaunchFacts {
            groups_of_one: cut.is_some_and(|cut| cut.of_one),
            ..as_run.facts(kernel.context(), arguments.large.is_empty(), snapshot.facts(kernel, range))
        };
        let prepared = Prepared::get(kernel, &mut arguments.prepared, facts, &as_run)?;
        let needs = prepared
            .full
            .needs
            .local_bytes
            .max(prepared.edge.as_ref().map_or(0, |edge| edge.needs.local_bytes));
        let local_bytes = snapshot.place_local(needs)?;
        let Snapshot { block, memory, .. } = snapshot;
        // SAFETY: the compiler made the code for these sizes and the block's layout; `prepared` and `memory` hold code and buffers for as
        // long as the launch can run; the application vouches for what else its pointers reach.
        let mut launch = unsafe { Launch::new(Prepared::code(&prepared.full), block, range.work_dim, range.global, as_run.local) };
        launch.edge = prepared.edge.as_deref().map(Prepared::code);
        launch.local_bytes = local_bytes;
        launch.global_offset = range.offset;
        launch.clear_local = kernel.context().initializes_local();
        launch.max_workers = device.compute_units() as usize;
        launch.cost = prepared.cost.clone();
        Ok(Ready {
            kernel: kernel.clone(),
            local_size: range.local,
            launch: Some(launch),
            _prepared: Some(prepared),
            _memory: memory,
        })
    }

    /// How long it takes.
    pub fn cost(&self) -> queue::Cost {
        if self.launch.as_ref().is_none_or(Launch::is_small) {
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
        let outcome = launch::run(launch);
        let failure = match outcome {
            LaunchOutcome::Complete => None,
            LaunchOutcome::Trapped { trap: Trap::Stopped, .. } => Some("its context was terminated".into()),
            LaunchOutcome::Trapped { trap, item } => Some(format!("work-item {item:?} was stopped: {trap:?}")),
            LaunchOutcome::OutOfMemory => Some("no memory for its work-groups".into()),
        };
        if let Some(began) = began {
            let end = failure.as_deref().unwrap_or("complete");
            watch::launch(name, launch.global_size, self.local_size, began, end);
        }
        match failure {
            None => Ok(()),
            Some(_) if self.kernel.context().is_terminated() => Err(CL_CONTEXT_TERMINATED_KHR),
            Some(failure) => {
                self.kernel.context().report(&format!("kernel {name}: {failure}"));
                Err(CL_OUT_OF_RESOURCES)
            }
        }
    }
}

/// Enqueues a launch whose sizes were checked.
pub fn enqueue(
    queue: &Arc<Queue>,
    kernel: &Arc<Kernel>,
    range: NdRange,
    command: cl_command_type,
    wait_list: Vec<Arc<Event>>,
    event: Out<cl_event>,
) -> Result<()> {
    let ready = Ready::new(kernel, &mut kernel.arguments.lock(), &range, &queue.device)?;
    Submission::new(queue, command, wait_list, event, ready.cost()).submit(move || ready.run())
}

/// What clEnqueueNDRangeKernel and clEnqueueTask check of queue and kernel.
pub fn check_kernel(queue: &Queue, kernel: &Kernel) -> Result<()> {
    // CL_INVALID_CONTEXT if the context associated with command_queue and kernel are not the same.
    fail_if(!Arc::ptr_eq(&queue.context, kernel.context()), CL_INVALID_CONTEXT)?;
    // CL_INVALID_PROGRAM_EXECUTABLE if there is no successfully built program executable available for the device of command_queue.
    fail_if(!kernel.program.is_built_for(&queue.device), CL_INVALID_PROGRAM_EXECUTABLE)
}

/// clEnqueueNDRangeKernel
pub fn enqueue_nd_range_kernel(
    command_queue: cl_command_queue,
    kernel: cl_kernel,
    work_dim: cl_uint,
    global_work_offset: In<usize>,
    global_work_size: In<usize>,
    local_work_size: In<usize>,
    num_events_in_wait_list: cl_uint,
    event_wait_list: In<cl_event>,
    event: Out<cl_event>,
) -> Result<()> {
    // CL_INVALID_COMMAND_QUEUE if command_queue is not a valid host command-queue.
    let queue = lookup::<Queue>(command_queue)?;
    // CL_INVALID_KERNEL if kernel is not a valid kernel object.
    let kernel = lookup::<Kernel>(kernel)?;
    check_kernel(&queue, &kernel)?;
    let wait_list = wait_list(num_events_in_wait_list, event_wait_list, &queue.context)?;
    let range = NdRange::check(
        &kernel,
        &queue.device,
        work_dim,
        global_work_offset,
        global_work_size,
        local_work_size,
    )?;
    enqueue(&queue, &kernel, range, CL_COMMAND_NDRANGE_KERNEL, wait_list, event)
}

/// clEnqueueTask: a kernel with one work-item.
pub fn enqueue_task(
    command_queue: cl_command_queue,
    kernel: cl_kernel,
    num_events_in_wait_list: cl_uint,
    event_wait_list: In<cl_event>,
    event: Out<cl_event>,
) -> Result<()> {
    // CL_INVALID_COMMAND_QUEUE if command_queue is not a valid host command-queue.
    let queue = lookup::<Queue>(command_queue)?;
    // CL_INVALID_KERNEL if kernel is not a valid kernel object.
    let kernel = lookup::<Kernel>(kernel)?;
    check_kernel(&queue, &kernel)?;
    let wait_list = wait_list(num_events_in_wait_list, event_wait_list, &queue.context)?;
    // CL_INVALID_WORK_GROUP_SIZE if a work-group size is specified for kernel in the program source and it is not (1, 1, 1).
    let one = In::from_slice(&[1]);
    let range = NdRange::check(&kernel, &queue.device, 1, In::null(), one, one)?;
    enqueue(&queue, &kernel, range, CL_COMMAND_TASK, wait_list, event)
}

/// clGetKernelSuggestedLocalWorkSize: what clEnqueueNDRangeKernel would choose.
pub fn get_kernel_suggested_local_work_size(
    command_queue: cl_command_queue,
    kernel: cl_kernel,
    work_dim: cl_uint,
    global_work_offset: In<usize>,
    global_work_size: In<usize>,
    suggested_local_work_size: Out<usize>,
) -> Result<()> {
    // CL_INVALID_COMMAND_QUEUE if command_queue is not a valid host command-queue.
    let queue = lookup::<Queue>(command_queue)?;
    // CL_INVALID_KERNEL if kernel is not a valid kernel object.
    let kernel = lookup::<Kernel>(kernel)?;
    check_kernel(&queue, &kernel)?;
    // CL_INVALID_KERNEL_ARGS if the kernel argument values have not been specified.
    fail_if(kernel.arguments.lock().unset > 0, CL_INVALID_KERNEL_ARGS)?;
    // CL_INVALID_WORK_DIMENSION if work_dim is not valid for the device.
    fail_if(!(1..=3).contains(&work_dim), CL_INVALID_WORK_DIMENSION)?;
    // CL_INVALID_GLOBAL_WORK_SIZE if global_work_size is NULL or if any of its values are 0.
    let global = global_work_size.triple(work_dim as usize, 1).ok_or(CL_INVALID_GLOBAL_WORK_SIZE)?;
    fail_if(global.contains(&0), CL_INVALID_GLOBAL_WORK_SIZE)?;
    // CL_INVALID_VALUE if suggested_local_work_size is NULL.
    fail_if(suggested_local_work_size.is_null(), CL_INVALID_VALUE)?;
    let range = NdRange::check(&kernel, &queue.device, work_dim, global_work_offset, global_work_size, In::null())?;
    suggested_local_work_size.write_list(work_dim as usize, range.local.map(|size| size as usize));
    Ok(())
}
