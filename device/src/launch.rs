//! Launches: a kernel's code, its arguments and its NDRange, run over all work-groups (OpenCL API §5.8).

use crate::abi::{KernelEntry, KernelNeeds, LaunchRecord, Trap};
use crate::memory::ArgumentBlock;
use crate::plan::Plan;
use crate::seat::{Seat, with_seat};
use core::ffi::c_void;
use core::ops::Range;
use core::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::any::Any;
use std::ptr;
use std::sync::Arc;

/// A compiled variant: where it starts and what it needs.
#[derive(Clone, Copy, Debug)]
pub struct Code {
    /// Its entry.
    pub entry: KernelEntry,
    /// What it needs of a worker.
    pub needs: KernelNeeds,
}

/// All that a launch needs to run. Whoever makes one vouches for its code: see [`Launch::new`].
#[derive(Clone, Debug)]
pub struct Launch {
    /// Runs the groups that have the full local size.
    code: Code,
    /// Runs the groups that the end of the NDRange cuts off. `None`: there are none, or `code` serves them too.
    pub edge: Option<Code>,
    /// The values of the kernel's arguments.
    pub arguments: ArgumentBlock,
    /// Bytes of local memory a group: the program's variables ([`KernelNeeds::local_bytes`]) and the local arguments.
    pub local_bytes: u64,
    /// `get_work_dim()`: 1 to 3.
    pub work_dim: u32,
    /// `get_global_offset()`; 0 in unused dimensions.
    pub global_offset: [u64; 3],
    /// `get_global_size()`; 1 in unused dimensions. A size of 0 makes a launch that does nothing.
    pub global_size: [u64; 3],
    /// `get_enqueued_local_size()`; 1 in unused dimensions.
    pub local_size: [u64; 3],
    /// At most this many threads take part (a sub-device's compute units).
    pub max_workers: usize,
    /// What groups of this kernel cost, learned from launch to launch: keep one a variant.
    pub cost: Arc<Cost>,
    /// What must live until the launch is over: the compiled code, the buffers.
    pub keep: Option<Arc<dyn Any + Send + Sync>>,
}

/// How a launch ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LaunchOutcome {
    /// All work-groups ran to their end.
    Complete,
    /// A work-item trapped; groups that had not begun then did not run.
    Trapped {
        /// Why.
        trap: Trap,
        /// The work-item's global id.
        item: [u64; 3],
    },
    /// There is no memory for the launch: its local and private memory, or its stack.
    OutOfMemory,
}

/// What the device has learned about the cost of a kernel's work-groups.
#[derive(Debug, Default)]
pub struct Cost {
    /// Picoseconds a group; 0 while unknown.
    picoseconds: AtomicU64,
}

impl Cost {
    /// Nanoseconds a group takes about; `None` while unknown.
    pub fn nanoseconds(&self) -> Option<u64> {
        match self.picoseconds.load(Ordering::Relaxed) {
            0 => None,
            picoseconds => Some(picoseconds.div_ceil(1000)),
        }
    }
}

/// Whether [`start`] had to leave the calling thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Started {
    /// The launch was small: it is over, and `on_done` will not be called.
    Finished(LaunchOutcome),
    /// Workers are at it; `on_done` will be called once, on the thread that finishes it.
    InFlight,
}

impl Launch {
    /// A launch over `global_size` work-items in groups of `local_size`; other fields start at their defaults.
    ///
    /// # Safety
    /// For as long as the launch can run, the code of `code` and `edge` must be what the compiler made for these arguments and sizes,
    /// it must stay where it is (`keep`), and all memory that it accesses through the arguments must be valid.
    pub unsafe fn new(code: Code, arguments: ArgumentBlock, work_dim: u32, global_size: [u64; 3], local_size: [u64; 3]) -> Launch {
        Launch {
            code,
            edge: None,
            arguments,
            local_bytes: code.needs.local_bytes,
            work_dim,
            global_offset: [0; 3],
            global_size,
            local_size,
            max_workers: usize::MAX,
            cost: Arc::default(),
            keep: None,
        }
    }

    fn needs(&self) -> KernelNeeds {
        let (full, edge) = (self.code.needs, self.edge.map_or(self.code.needs, |code| code.needs));
        let gangs = |needs: KernelNeeds| needs.gangs(self.local_size).saturating_mul(needs.frame_bytes);
        KernelNeeds {
            gang_width: 0,
            local_bytes: self.local_bytes.max(full.local_bytes).max(edge.local_bytes),
            frame_bytes: gangs(full).max(gangs(edge)),
            stack_bytes: full.stack_bytes.max(edge.stack_bytes),
        }
    }
}

/// Runs a launch to its end; the calling thread takes part.
pub fn run(launch: &Launch) -> LaunchOutcome {
    let edge = launch.edge.unwrap_or(launch.code).entry;
    let Some(plan) = Plan::new(launch.code.entry, edge, launch.global_size, launch.local_size) else {
        return LaunchOutcome::OutOfMemory;
    };
    let record = LaunchRecord {
        arguments: launch.arguments.as_ptr(),
        printf: ptr::null_mut(),
        work_dim: launch.work_dim,
        stop: AtomicU32::new(0),
        global_offset: launch.global_offset,
        global_size: launch.global_size,
        local_size: launch.local_size,
        group_count: plan.count,
    };
    with_seat(|seat| {
        let outcome = run_groups(&plan, &record, &launch.needs(), seat, 0..plan.groups());
        seat.arena.trim();
        outcome
    })
}

/// Starts a launch. A small one runs at once on the calling thread; for another, `on_done` is called when it is over.
pub fn start(launch: Launch, on_done: impl FnOnce(LaunchOutcome) + Send + 'static) -> Started {
    drop(on_done);
    Started::Finished(run(&launch))
}

/// Runs a range of a launch's groups on this thread.
fn run_groups(plan: &Plan, record: &LaunchRecord, needs: &KernelNeeds, seat: &mut Seat, groups: Range<u64>) -> LaunchOutcome {
    struct Rows<'a> {
        plan: &'a Plan,
        record: &'a LaunchRecord,
        seat: *mut Seat,
        groups: Range<u64>,
        trap: u32,
    }

    unsafe extern "C" fn rows(context: *mut c_void) {
        // SAFETY: `run_groups` passes a `Rows` that nobody else uses meanwhile.
        let rows = unsafe { &mut *context.cast::<Rows>() };
        // SAFETY: the launch's maker vouches for code and arguments; the seat was made ready for what the code needs.
        rows.trap = unsafe { rows.plan.run(rows.groups.clone(), rows.record, rows.seat.cast()) };
    }

    if !seat.stack.reserve(needs.stack_bytes) || !seat.arena.lay_out(needs.local_bytes, needs.frame_bytes, &mut seat.record) {
        return LaunchOutcome::OutOfMemory;
    }
    let Some(stack_top) = seat.stack.top() else {
        return LaunchOutcome::OutOfMemory;
    };
    seat.record.trap = 0;
    let seat = ptr::from_mut(seat);
    let mut rows_of_this_chunk = Rows {
        plan,
        record,
        seat,
        groups,
        trap: 0,
    };
    // SAFETY: the stack was reserved for this code, belongs to this thread's seat, and `rows` does not unwind.
    unsafe { crate::enter::on_kernel_stack(stack_top, rows, (&raw mut rows_of_this_chunk).cast()) };
    let trap = rows_of_this_chunk.trap;
    // SAFETY: the kernel is over; the seat is ours alone again.
    let record = unsafe { &(*seat).record };
    match Trap::from_number(trap) {
        None if trap == 0 => LaunchOutcome::Complete,
        trap => LaunchOutcome::Trapped {
            trap: trap.unwrap_or(Trap::Unreachable),
            item: record.trap_item,
        },
    }
}
