//! The contract between generated kernel code and the machine that runs it.
//!
//! Both sides of the contract are in this file: the records that generated code reads (their field offsets are taken with
//! `core::mem::offset_of!` by the code generators, never written down twice), and the type of a kernel's entry.

use core::sync::atomic::AtomicU32;

/// What stays the same for every work-group of a launch.
///
/// Sizes are in work-items or work-groups; unused dimensions are 1 (sizes) or 0 (offsets).
#[repr(C)]
#[derive(Debug)]
pub struct LaunchRecord {
    /// The argument block: each kernel argument at the offset that the compiler gave it (`compiler::ArgumentInfo::offset`).
    /// A pointer into the Workgroup storage class is passed as a byte offset (u64) from [`WorkerRecord::local_memory`].
    pub arguments: *const u8,
    /// For `device::printf`, which finds the output of the launch by it. Null where nobody gathers output: then it is put out at once.
    pub printf: *mut core::ffi::c_void,
    /// `get_work_dim()`: 1 to 3.
    pub work_dim: u32,
    /// Not zero as soon as some work-group of the launch has trapped; workers stop taking groups then.
    pub stop: AtomicU32,
    /// `get_global_offset()`.
    pub global_offset: [u64; 3],
    /// `get_global_size()`.
    pub global_size: [u64; 3],
    /// `get_enqueued_local_size()`: the local size of every group that is not cut off by the end of the NDRange.
    pub local_size: [u64; 3],
    /// `get_num_groups()`, a group that is cut off counted.
    pub group_count: [u64; 3],
}

impl LaunchRecord {
    /// A launch over `global` work-items in groups of `local`, in three dimensions without an offset, whose output is put out at once.
    pub fn new(arguments: *const u8, global: [u64; 3], local: [u64; 3]) -> LaunchRecord {
        LaunchRecord {
            arguments,
            printf: core::ptr::null_mut(),
            work_dim: 3,
            stop: AtomicU32::new(0),
            global_offset: [0; 3],
            global_size: global,
            local_size: local,
            group_count: [0, 1, 2].map(|axis| global[axis].div_ceil(local[axis])),
        }
    }
}

/// What a thread that runs work-groups brings along. Generated code may write to it.
#[repr(C)]
#[derive(Debug)]
pub struct WorkerRecord {
    /// The work-group's local memory, [`KernelNeeds::local_bytes`] and the sizes of local arguments in all. 128-byte aligned.
    /// Local and private memory are one arena: `local_memory <= p < private_memory` means that a generic pointer is to
    /// local memory, `private_memory <= p < arena_end` to private memory, anything else to global memory.
    pub local_memory: *mut u8,
    /// Frames of the gangs, [`KernelNeeds::frame_bytes`] each. 128-byte aligned.
    pub private_memory: *mut u8,
    /// One past the last byte of the arena.
    pub arena_end: *mut u8,
    /// 4096 bytes that nobody else uses: what lanes that are switched off read and write, where no masked form exists.
    pub scratch: *mut u8,
    /// Index of the worker, 0 to compute units - 1.
    pub index: u32,
    /// [`Trap`] as a number; 0 while all is well.
    pub trap: u32,
    /// Global id of the (first) work-item that trapped.
    pub trap_item: [u64; 3],
    /// The frame of the gang that runs, for debuggers; kernels that have variables to show leave it there.
    pub frame: u64,
    /// Checked mode: memory that [`crate::live`] found to be there, so that kernels need not ask again. May be read.
    pub readable: Found,
    /// May be written.
    pub writable: Found,
}

/// Memory that was found.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Found {
    /// Its first address.
    pub start: u64,
    /// How many bytes there are; 0 for none.
    pub bytes: u64,
}

/// Why a kernel was stopped.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trap {
    /// `OpUnreachable` was reached, or the module asked for a trap.
    Unreachable = 1,
    /// `__assert_fail`.
    Assertion = 2,
    /// `OpAbortKHR`.
    Abort = 3,
    /// An indirect call to something that is no function of the program.
    BadCall = 4,
    /// A work-item's arrays of variable length are larger than the memory that there is for them.
    PrivateMemory = 5,
    /// The host no longer wants what the launch does.
    Stopped = 6,
}

impl Trap {
    /// The trap that a [`KernelEntry`] returned; `None` for 0 and for numbers that mean nothing.
    pub fn from_number(number: u32) -> Option<Trap> {
        [
            Trap::Unreachable,
            Trap::Assertion,
            Trap::Abort,
            Trap::BadCall,
            Trap::PrivateMemory,
            Trap::Stopped,
        ]
        .into_iter()
        .find(|&trap| trap as u32 == number)
    }

    /// What ended a work-item, and what can be done about it.
    pub fn cause(self) -> &'static str {
        match self {
            Trap::Unreachable => "it came to a place that its compiler took for unreachable; its behaviour is undefined there",
            Trap::Assertion => "an assertion of its own failed",
            Trap::Abort => "it aborted itself",
            Trap::BadCall => "it called a pointer that leads to no function of its program",
            Trap::PrivateMemory => {
                "its arrays of variable length are larger than what a work-item has for them (32 KiB); make them smaller, or of fixed size"
            }
            Trap::Stopped => "its context was terminated",
        }
    }
}

/// A bit of what a [`KernelEntry`] returns: nobody does anything in the row, whichever of its groups are asked for, nor in any later row of the layer.
pub const IDLE_ROWS_AFTER: u32 = 1 << 8;

/// The same for all earlier rows of the layer.
pub const IDLE_ROWS_BEFORE: u32 = 1 << 9;

/// Nobody does anything in the layer, nor in any later one.
pub const IDLE_LAYERS_AFTER: u32 = 1 << 10;

/// The same for all earlier layers.
pub const IDLE_LAYERS_BEFORE: u32 = 1 << 11;

/// All of these bits.
pub const IDLE: u32 = IDLE_ROWS_AFTER | IDLE_ROWS_BEFORE | IDLE_LAYERS_AFTER | IDLE_LAYERS_BEFORE;

/// A kernel's machine code: runs the work-groups `first_x..end_x` of row `y`, layer `z`, one after the other. (An empty row only asks whether it is idle.)
///
/// Returns 0, bits of [`IDLE`], or the [`Trap`] that ended it (then [`WorkerRecord::trap`] and [`WorkerRecord::trap_item`] are set). What it says of other
/// rows and layers is true of their groups that this code runs.
///
/// # Safety
/// The records must be valid and the worker's memory must satisfy the variant's [`KernelNeeds`]; the floating-point state must be the one
/// that OpenCL C expects (round to nearest, exceptions masked; subnormals on, unless [`KernelNeeds::flush_subnormals`]).
pub type KernelEntry =
    unsafe extern "C" fn(launch: *const LaunchRecord, worker: *mut WorkerRecord, first_x: u64, end_x: u64, y: u64, z: u64) -> u32;

/// Whoever calls a [`KernelEntry`] leaves the records' addresses above its frame, for debuggers: [`LAUNCH_AT`], [`WORKER_AT`].
pub const RECORDS: bool = cfg!(any(target_arch = "x86_64", target_arch = "aarch64"));

/// Where the launch's record's address is, in bytes from the kernel's canonical frame address on (DWARF 4, section 6.4).
pub const LAUNCH_AT: i64 = 8;

/// Where the worker's record's address is, likewise.
pub const WORKER_AT: i64 = 0;

/// What a compiled variant needs of the worker that runs it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KernelNeeds {
    /// Work-items that run in lock step: the sub-group size, or a multiple of it.
    pub gang_width: u32,
    /// Bytes of local memory for variables of the program, without arguments.
    pub local_bytes: u64,
    /// Bytes of private memory a gang; gang `g` of a group has `private_memory + g * frame_bytes`.
    pub frame_bytes: u64,
    /// Upper bound of the machine stack that the entry and all its callees use, in bytes.
    pub stack_bytes: u64,
    /// Arithmetic takes subnormal numbers for zeros, where the machine is faster that way (`-cl-denorms-are-zero`).
    pub flush_subnormals: bool,
    /// Groups run one after the other, in their order: what they leave in memory would depend on it, and is to be the same in each run.
    pub in_order: bool,
}

impl KernelNeeds {
    /// Gangs in a group of `local_size` work-items.
    pub fn gangs(&self, local_size: [u64; 3]) -> u64 {
        local_size
            .into_iter()
            .fold(1, u64::saturating_mul)
            .div_ceil(u64::from(self.gang_width.max(1)))
    }
}
