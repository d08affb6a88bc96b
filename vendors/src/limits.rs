//! Limits that are the compiler's and not the machine's.

/// `CL_DEVICE_MAX_WORK_GROUP_SIZE`, and `CL_DEVICE_MAX_WORK_ITEM_SIZES` in each dimension.
pub const WORK_GROUP_SIZE: usize = 4096;

/// Sub-group sizes (gang widths), in ascending order: `CL_DEVICE_SUB_GROUP_SIZES_INTEL`.
pub const SUB_GROUP_SIZES: [usize; 5] = [1, 4, 8, 16, 32];

/// `CL_DEVICE_LOCAL_MEM_SIZE`: bytes of local memory that a work-group may have. They should stay in a core's own cache.
pub const LOCAL_MEMORY: u64 = 256 << 10;

/// `CL_DEVICE_PRINTF_BUFFER_SIZE`: bytes that the printf of one launch may put out at least. (There is no end to it but memory's.)
pub const PRINTF_BUFFER: usize = 1 << 20;
