//! Launches: a kernel's code, its arguments and its NDRange, run over all work-groups (OpenCL API §5.8).
//!
//! A small launch runs on the thread that has it and wakes nobody; a big one is shared out by the pool. Which it is, is known from
//! earlier launches ([`Cost`]), and seen while its first groups run.

use crate::abi::{Found, KernelEntry, KernelNeeds, LaunchRecord, Trap};
pub use crate::cost::Cost;
use crate::cost::SMALL;
use crate::enqueue::Family;
use crate::enter::on_kernel_stack;
use crate::findings::{self, Gathered};
use crate::job::{Job, Work};
use crate::lead::{lead, run_measured};
use crate::live;
use crate::lock::Lock;
use crate::memory::ArgumentBlock;
use crate::os::fault::{Object, Scene};
use crate::plan::Plan;
use crate::pool;
use crate::printf::{GATHERED, Output};
use crate::seat::{Seat, with_seat};
use crate::trace::{self, Row, Span};
use core::cell::Cell;
use core::ffi::c_void;
use core::ops::Range;
use core::sync::atomic::{AtomicU32, Ordering};
use smallvec::SmallVec;
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
    /// Each group finds its local memory zeroed.
    pub clear_local: bool,
    /// `get_work_dim()`: 1 to 3.
    pub work_dim: u32,
    /// `get_global_offset()`; 0 in unused dimensions.
    pub global_offset: [u64; 3],
    /// `get_global_size()`; 1 in unused dimensions. A size of 0 makes a launch that does nothing.
    pub global_size: [u64; 3],
    /// `get_enqueued_local_size()`; 1 in unused dimensions.
    pub local_size: [u64; 3],
    /// What is x here is this dimension to the kernel, and the other way round: reports tell of the kernel's.
    pub exchanged: Option<u8>,
    /// The code moves groups that the end of the NDRange would cut off back, so that all are full.
    pub ends_overlap: bool,
    /// Groups in x that are run for all y before the next ones in x: a width that lets what neighbouring rows read stay in the caches. 0: all.
    pub strip: u64,
    /// At most this many threads take part (a sub-device's compute units).
    pub max_workers: usize,
    /// What groups of this kernel cost, learned from launch to launch: keep one a variant.
    pub cost: Arc<Cost>,
    /// The kernel's name, for those who read of it.
    pub name: Option<Arc<str>>,
    /// What its arguments lead to, for those who read of a fault.
    pub objects: SmallVec<[Object; 4]>,
    /// Where what its checks find goes; without any, it is lost.
    pub findings: Option<Arc<Gathered>>,
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

/// Whether [`start`] had to leave the calling thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Started {
    /// The launch was small: it is over, and `on_done` was not and will not be called.
    Finished(LaunchOutcome),
    /// Workers are at it; `on_done` is called once, on the thread that finishes it (perhaps before [`start`] returns).
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
            clear_local: false,
            work_dim,
            global_offset: [0; 3],
            global_size,
            local_size,
            exchanged: None,
            ends_overlap: false,
            strip: 0,
            max_workers: usize::MAX,
            cost: Arc::default(),
            name: None,
            objects: SmallVec::new(),
            findings: None,
            keep: None,
        }
    }

    /// A place in the launch's dimensions as the kernel has them.
    pub(crate) fn to_kernel<T>(&self, mut place: [T; 3]) -> [T; 3] {
        if let Some(dimension) = self.exchanged {
            place.swap(0, dimension.into());
        }
        place
    }

    /// How many threads may take part: one where the code needs its groups in order.
    fn most_workers(&self) -> usize {
        let needs = [Some(&self.code), self.edge.as_ref()];
        match needs.iter().flatten().any(|code| code.needs.in_order) {
            true => 1,
            false => self.max_workers,
        }
    }

    /// Does it look as if [`run`] would be over before another thread had woken up?
    pub fn is_small(&self) -> bool {
        let groups = [0, 1, 2].map(|axis| self.global_size[axis].div_ceil(self.local_size[axis].max(1)));
        let groups = groups[0].saturating_mul(groups[1]).saturating_mul(groups[2]);
        groups == 0 || self.cost.of(groups).is_some_and(|time| time < SMALL)
    }
}

/// Runs a launch to its end; the calling thread takes part.
pub fn run(launch: &Launch) -> LaunchOutcome {
    run_in(launch, None)
}

/// The same, as a member of a family: its number there.
pub(crate) fn run_in(launch: &Launch, family: Option<(&Family, u32)>) -> LaunchOutcome {
    let Some(running) = Running::new(launch, family) else {
        return LaunchOutcome::OutOfMemory;
    };
    let workers = pool::hands(launch.most_workers());
    let done = running.lead(workers, true);
    if done < running.plan.groups() {
        let rest = Rest {
            running: &running,
            first: done,
        };
        let left = running.plan.groups() - done;
        pool::run_shared(&rest, left, launch.cost.sharing(left, workers), launch.most_workers());
    }
    running.outcome()
}

/// Starts a launch. A small one runs at once on the calling thread; for another, `on_done` is called when it is over.
pub fn start(launch: Launch, on_done: impl FnOnce(LaunchOutcome) + Send + 'static) -> Started {
    let launch = Box::new(launch);
    // SAFETY: the launch lives in its box until `Owned` is dropped, where it goes after `running`.
    let Some(running) = Running::new(unsafe { &*ptr::from_ref(&*launch) }, None) else {
        return Started::Finished(LaunchOutcome::OutOfMemory);
    };
    let workers = pool::hands(launch.most_workers());
    let groups = running.plan.groups();
    let done = if launch.is_small() { running.lead(workers, false) } else { 0 };
    if done == groups {
        return Started::Finished(running.outcome());
    }
    let (left, max_workers, sharing) = (groups - done, launch.most_workers(), launch.cost.sharing(groups - done, workers));
    let owned = Arc::new(Owned {
        running,
        first: done,
        _launch: launch,
    });
    pool::start_shared(owned, left, sharing, max_workers, |owned| {
        let outcome = owned.running.outcome();
        drop(owned);
        on_done(outcome);
    });
    Started::InFlight
}

/// A launch on its way.
struct Running<'a> {
    plan: Plan,
    record: LaunchRecord,
    /// What a worker needs; `frame_bytes` here is for all gangs of a group.
    needs: KernelNeeds,
    cost: &'a Cost,
    launch: &'a Launch,
    family: Option<(&'a Family<'a>, u32)>,
    /// Why it stopped before its end: whatever came first.
    failure: Lock<Option<LaunchOutcome>>,
    output: Output,
}

impl<'a> Running<'a> {
    /// `None` if there are more groups than can be counted.
    fn new(launch: &'a Launch, family: Option<(&'a Family<'a>, u32)>) -> Option<Running<'a>> {
        let edge = launch.edge.unwrap_or(launch.code);
        let plan = Plan::new(launch.code.entry, edge.entry, launch.global_size, launch.local_size, launch.strip)?;
        let record = LaunchRecord {
            arguments: launch.arguments.as_ptr(),
            printf: (&raw const GATHERED).cast_mut().cast(),
            work_dim: launch.work_dim,
            stop: AtomicU32::new(0),
            global_offset: launch.global_offset,
            global_size: launch.global_size,
            local_size: launch.local_size,
            group_count: plan.count,
        };
        let frames = |needs: KernelNeeds| needs.gangs(launch.local_size).saturating_mul(needs.frame_bytes);
        let needs = KernelNeeds {
            gang_width: launch.code.needs.gang_width,
            local_bytes: launch.local_bytes.max(launch.code.needs.local_bytes).max(edge.needs.local_bytes),
            frame_bytes: frames(launch.code.needs).max(frames(edge.needs)),
            stack_bytes: launch.code.needs.stack_bytes.max(edge.needs.stack_bytes),
            flush_subnormals: launch.code.needs.flush_subnormals,
            in_order: launch.code.needs.in_order,
        };
        if launch.findings.is_some() {
            live::begin_launch();
        }
        let plan = if launch.ends_overlap { plan.without_edges() } else { plan };
        let plan = plan.clearing(if launch.clear_local { needs.local_bytes as usize } else { 0 });
        Some(Running {
            plan,
            record,
            needs,
            cost: &launch.cost,
            launch,
            family,
            failure: Lock::new(None),
            output: Output::default(),
        })
    }

    /// Runs groups on this thread for as long as it does not pay to call others. Returns how many; all, if there is no more to do.
    fn lead(&self, workers: u32, curious: bool) -> u64 {
        with_seat(|seat| {
            lead(self.cost, self.plan.groups(), workers, curious, |groups| {
                self.run_groups(seat, groups)
            })
        })
    }

    /// Runs a range of groups on this thread. Tells whether to carry on.
    fn run_groups(&self, seat: &mut Seat, groups: Range<u64>) -> bool {
        let ready = seat.stack.reserve(self.needs.stack_bytes)
            && seat.arena.lay_out(self.needs.local_bytes, self.needs.frame_bytes, &mut seat.record);
        let Some(stack_top) = seat.stack.top().filter(|_| ready) else {
            self.fail(LaunchOutcome::OutOfMemory);
            return false;
        };
        // Requests look for it as long as the groups run; it lives longer.
        seat.family = self.family.map_or(ptr::null(), |(family, _)| ptr::from_ref(family).cast());
        // What was there for an earlier launch may have been freed since.
        (seat.record.readable, seat.record.writable) = (Found::default(), Found::default());
        let first = groups.start;
        let scene = Scene {
            launch: self.launch,
            worker: &raw const seat.record,
            groups: Cell::new([first, groups.end, 0, 0]),
        };
        let mut chunk = Chunk {
            plan: &self.plan,
            scene: &scene,
            launch: &self.record,
            seat: ptr::from_mut(seat),
            groups,
            trap: 0,
        };
        seat.stack.during(&scene, || {
            // SAFETY: the stack was reserved for this code and belongs to this thread's seat; `run_chunk` does not unwind.
            unsafe { on_kernel_stack(stack_top, self.needs.flush_subnormals, run_chunk, (&raw mut chunk).cast()) }
        });
        let trap = chunk.trap;
        if !seat.printed.is_empty() {
            self.output.add(first, std::mem::take(&mut seat.printed));
        }
        if let Some((family, number)) = self.family
            && !seat.asked.is_empty()
        {
            family.take(number, &mut seat.asked);
        }
        if !seat.found.is_empty() {
            let found = std::mem::take(&mut seat.found);
            if let Some(gathered) = &self.launch.findings {
                findings::merge(&mut gathered.lock(), &found);
            }
        }
        if trap != 0 {
            let trap = Trap::from_number(trap).unwrap_or(Trap::Unreachable);
            self.fail(LaunchOutcome::Trapped {
                trap,
                item: self.launch.to_kernel(seat.record.trap_item),
            });
            seat.record.trap = 0;
        }
        trap == 0
    }

    fn fail(&self, outcome: LaunchOutcome) {
        // The first failure is the one that is told.
        self.failure.lock().get_or_insert(outcome);
        self.record.stop.store(1, Ordering::Relaxed);
    }

    /// How it ended, once it has. What it printed is put out.
    fn outcome(&self) -> LaunchOutcome {
        self.output.flush();
        if self.record.stop.load(Ordering::Relaxed) == 0 {
            return LaunchOutcome::Complete;
        }
        self.failure.lock().unwrap_or(LaunchOutcome::Complete)
    }

    /// A worker's part of a launch that is shared out.
    fn run_shared_chunk(&self, job: &Job, groups: Range<u64>, slot: u32) -> bool {
        if self.record.stop.load(Ordering::Relaxed) != 0 {
            return false;
        }
        with_seat(|seat| {
            seat.record.index = slot;
            let count = groups.end - groups.start;
            let (carry_on, time) = run_measured(self.cost, job, count, || self.run_groups(seat, groups));
            trace::write(&Span {
                row: Row::Thread,
                category: "groups",
                name: "work-groups",
                began: time.start,
                ended: time.end,
                arguments: &[("groups", count)],
            });
            seat.arena.trim();
            seat.record.index = 0;
            carry_on
        })
    }
}

/// A range of groups that a thread runs in one go.
struct Chunk<'a> {
    plan: &'a Plan,
    scene: &'a Scene<'a>,
    launch: &'a LaunchRecord,
    seat: *mut Seat,
    groups: Range<u64>,
    trap: u32,
}

/// Runs a [`Chunk`], on the kernel stack.
unsafe extern "C" fn run_chunk(context: *mut c_void) {
    // SAFETY: `run_groups` passes a chunk that nobody else uses meanwhile.
    let chunk = unsafe { &mut *context.cast::<Chunk>() };
    // SAFETY: the launch's maker vouches for code and arguments; the seat was made ready for what the code needs, and its first field is the
    // worker record.
    chunk.trap = unsafe {
        chunk
            .plan
            .run(chunk.groups.clone(), chunk.launch, chunk.seat.cast(), &chunk.scene.groups)
    };
}

/// The groups of a launch from `first` on, for [`run`].
struct Rest<'a> {
    running: &'a Running<'a>,
    first: u64,
}

impl Work for Rest<'_> {
    fn run(&self, job: &Job, units: Range<u64>, slot: u32) -> bool {
        self.running
            .run_shared_chunk(job, self.first + units.start..self.first + units.end, slot)
    }
}

// SAFETY: the raw pointers of the record are to the launch's arguments, which are only read.
unsafe impl Send for Running<'_> {}
// SAFETY: as above; all that changes is atomic or locked.
unsafe impl Sync for Running<'_> {}

/// A launch on its way that owns what it runs, for [`start`].
struct Owned {
    running: Running<'static>,
    first: u64,
    _launch: Box<Launch>,
}

impl Work for Owned {
    fn run(&self, job: &Job, units: Range<u64>, slot: u32) -> bool {
        self.running
            .run_shared_chunk(job, self.first + units.start..self.first + units.end, slot)
    }
}
