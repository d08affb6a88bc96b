//! Launches that kernels ask for (OpenCL C 6.15.18, SPIR-V 3.52.22).
//!
//! A launch of the host's and all that come of it are a [`Family`]. What a kernel enqueues is noted with the thread that runs it, without a lock, and handed
//! to the family when the thread's groups are over. It starts when the launch that asked for it has ended: whatever its flags say, that is late enough.
//! The thread that has the host's launch runs the others one after the other, the youngest first, so that few wait at a time: each may be shared out by
//! the pool. Whether a launch is complete, with all that came of it, is of interest to those with an event only: others are forgotten when they
//! have ended, and a chain of launches takes no more memory than one.

mod events;
mod family;

pub use family::{Failure, Family};

use crate::abi::{LaunchRecord, WorkerRecord};
use crate::launch::Launch;
use crate::memory::ArgumentBlock;
use crate::printf::GATHERED;
use crate::seat::Seat;
use core::sync::atomic::{AtomicU64, Ordering};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Events that a family may have at a time: `CL_DEVICE_MAX_ON_DEVICE_EVENTS`.
pub const MAX_EVENTS: u32 = 1 << 16;

/// What a kernel asks for: the third operand of [`brolga_request`]. In parentheses the words that the fourth points to.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Request {
    /// (queue, flags, block, details, a [`Range`]'s ten words, number of events, events, event, captured, size, alignment, number of local sizes, these…):
    /// `enqueue_kernel`. With `details`, errors say what is wrong.
    Enqueue,
    /// (queue, details, number of events, events, event): `enqueue_marker`.
    Marker,
    /// (): `get_default_queue`.
    DefaultQueue,
    /// (): `create_user_event`.
    CreateEvent,
    /// (event)
    Retain,
    /// (event)
    Release,
    /// (event): 1 or 0.
    IsValid,
    /// (event, status): `set_user_event_status`.
    SetStatus,
    /// (event, what, place of two 64-bit words): `capture_event_profiling_info`.
    Profile,
    /// (block): `get_kernel_work_group_size`.
    WorkGroupSize,
    /// (block): `get_kernel_preferred_work_group_size_multiple`.
    PreferredMultiple,
    /// (block, a range's ten words): `get_kernel_sub_group_count_for_ndrange`.
    SubGroupCount,
    /// (block, a range's ten words): `get_kernel_max_sub_group_size_for_ndrange`.
    MaxSubGroupSize,
    /// (block, number of sub-groups): OpGetKernelLocalSizeForSubgroupCount.
    LocalSizeForSubGroups,
    /// (block): OpGetKernelMaxNumSubgroups.
    MaxSubGroups,
}

impl Request {
    const ALL: [Request; 15] = [
        Request::Enqueue,
        Request::Marker,
        Request::DefaultQueue,
        Request::CreateEvent,
        Request::Retain,
        Request::Release,
        Request::IsValid,
        Request::SetStatus,
        Request::Profile,
        Request::WorkGroupSize,
        Request::PreferredMultiple,
        Request::SubGroupCount,
        Request::MaxSubGroupSize,
        Request::LocalSizeForSubGroups,
        Request::MaxSubGroups,
    ];
}

/// What `enqueue_kernel` and `enqueue_marker` give where all is well.
pub const CLK_SUCCESS: i32 = 0;
/// What they give otherwise, unless details are asked for.
pub const CLK_ENQUEUE_FAILURE: i32 = -101;
/// The queue is none of the family's.
pub const CLK_INVALID_QUEUE: i32 = -102;
/// Sizes that no launch can have.
pub const CLK_INVALID_NDRANGE: i32 = -160;
/// The list and its length don't agree, or what is in it is no event.
pub const CLK_INVALID_EVENT_WAIT_LIST: i32 = -57;
/// More waits in the queue than it has room for.
pub const CLK_DEVICE_QUEUE_FULL: i32 = -161;
/// Local memory of no size.
pub const CLK_INVALID_ARG_SIZE: i32 = -51;
/// There are as many events as there can be.
pub const CLK_EVENT_ALLOCATION_FAILURE: i32 = -100;
/// More local memory than a work-group has.
pub const CLK_OUT_OF_RESOURCES: i32 = -5;

/// An on-device queue: what waits in it is bounded by its size. A kernel has its address.
#[derive(Debug)]
pub struct Queue {
    size: u64,
    used: AtomicU64,
}

impl Queue {
    /// A queue of so many bytes (`CL_QUEUE_SIZE`).
    pub fn new(size: u32) -> Queue {
        Queue {
            size: size.into(),
            used: AtomicU64::new(0),
        }
    }

    /// `CL_QUEUE_SIZE`
    pub fn size(&self) -> u32 {
        self.size as u32
    }

    /// What a kernel is given.
    pub fn address(&self) -> u64 {
        core::ptr::from_ref(self) as u64
    }

    fn take(&self, bytes: u64) -> bool {
        let fits = self.used.fetch_add(bytes, Ordering::Relaxed) + bytes <= self.size;
        if !fits {
            self.give_back(bytes);
        }
        fits
    }

    fn give_back(&self, bytes: u64) {
        self.used.fetch_sub(bytes, Ordering::Relaxed);
    }
}

/// An `ndrange_t`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Range {
    /// 1 to 3 if it is valid.
    pub work_dim: u32,
    /// The first global id; 0 in unused dimensions.
    pub offset: [u64; 3],
    /// Work-items; 1 in unused dimensions.
    pub global: [u64; 3],
    /// Work-items of a group, 1 in unused dimensions; `None` leaves it to the driver.
    pub local: Option<[u64; 3]>,
}

impl Range {
    /// From ten words: dimensions, offset, global and local size.
    fn read(words: &[u64]) -> Range {
        let work_dim = words[0] as u32;
        let sizes = |at: usize, unused: u64| [0, 1, 2].map(|axis| if axis < work_dim { words[at + axis as usize] } else { unused });
        let local = sizes(7, 1);
        Range {
            work_dim,
            offset: sizes(1, 0),
            global: sizes(4, 1),
            local: (0..work_dim.min(3) as usize).any(|axis| local[axis] != 0).then_some(local),
        }
    }
}

/// Blocks that kernels of a program enqueue, by their numbers.
pub trait Blocks: Sync {
    /// Whether a block can be launched with such sizes, and so many bytes for each pointer to local memory: `CLK_SUCCESS`, or what is wrong.
    fn check(&self, block: u32, range: &Range, local: &[u32]) -> i32;

    /// Bytes of the argument block of a block before what it has captured.
    fn argument_bytes(&self, block: u32) -> usize;

    /// The launch. Its arguments are an address and the local pointers, 8 bytes each; behind [`Blocks::argument_bytes`] is what the address is of, to the
    /// end.
    /// `None` where it can't be made, which has been told of.
    fn launch(&self, block: u32, range: &Range, arguments: ArgumentBlock, local: &[u32]) -> Option<Launch>;

    /// A launch over a range has ended.
    fn ended(&self, block: u32, range: &Range, launch: &Launch);

    /// The answer to a question about a block.
    fn ask(&self, question: Request, block: u32, range: &Range, number: u64) -> u32;
}

/// The type of [`brolga_request`]: launch, worker, request, words.
pub type RequestFunction =
    unsafe extern "C" fn(launch: *const LaunchRecord, worker: *mut WorkerRecord, request: u32, words: *const u64) -> u64;

/// Does what a kernel asks for. An error is that of [`Request::Enqueue`]; a handle that there is none for is 0.
///
/// # Safety
/// To be called from kernel code, with the records that it got, and the words that the request has.
pub unsafe extern "C" fn brolga_request(launch: *const LaunchRecord, worker: *mut WorkerRecord, request: u32, words: *const u64) -> u64 {
    let Some(&request) = Request::ALL.get(request as usize) else {
        return 0;
    };
    let refused = match request {
        Request::Enqueue | Request::Marker => u64::from(CLK_ENQUEUE_FAILURE as u32),
        _ => 0,
    };
    // SAFETY: the launch record is valid.
    let gathered = unsafe { launch.as_ref() }.is_some_and(|launch| launch.printf.cast_const() == (&raw const GATHERED).cast());
    // Whoever runs kernel code without this layer (an interpreter, a test) has no family.
    if !gathered {
        return refused;
    }
    // SAFETY: in these launches the worker record is the first field of a seat, which belongs to the thread that runs the code.
    let seat = unsafe { &mut *worker.cast::<Seat>() };
    // SAFETY: `run_groups` has put it there for as long as the groups run.
    let Some(family) = (unsafe { seat.family.as_ref() }) else {
        return refused;
    };
    // A panic must not cross the kernel's frames.
    // SAFETY: the caller's promise.
    catch_unwind(AssertUnwindSafe(|| unsafe { family.serve(request, words, &mut seat.asked) })).unwrap_or(refused)
}
