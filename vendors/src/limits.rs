//! Limits that are the compiler's and not the machine's.

/// `CL_DEVICE_MAX_WORK_GROUP_SIZE`, and `CL_DEVICE_MAX_WORK_ITEM_SIZES` in each dimension.
pub const WORK_GROUP_SIZE: usize = 4096;

/// Sub-group sizes (gang widths), in ascending order: `CL_DEVICE_SUB_GROUP_SIZES_INTEL`.
pub const SUB_GROUP_SIZES: [usize; 5] = [1, 4, 8, 16, 32];
