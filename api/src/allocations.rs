//! Memory that device and host share by its address: what a context knows of it.

use crate::cl::*;
use crate::device::Device;
use crate::environment::has_svm;
use crate::error::{Result, fail_if};
use crate::unified_svm;
use ::device::lock::Lock;
use ::device::memory::Allocation;
use compiler::buffers::allocate;
use core::ffi::c_void;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The shared allocations of a context, by address: those of SVM and those of unified shared memory.
#[derive(Debug, Default)]
pub struct Allocations(Lock<BTreeMap<usize, Shared>>);

/// An allocation.
#[derive(Debug)]
struct Shared {
    allocation: Allocation,
    kind: SharedKind,
}

/// Which function made an allocation, and what it was told.
#[derive(Clone, Debug)]
pub enum SharedKind {
    /// clSVMAlloc
    Svm {
        /// CL_MEM_SVM_FINE_GRAIN_BUFFER
        fine: bool,
    },
    /// clSVMAllocWithPropertiesKHR
    Typed {
        /// CL_SVM_INFO_TYPE_INDEX_KHR
        index: cl_uint,
        /// CL_SVM_INFO_PROPERTIES_KHR
        properties: Vec<cl_properties>,
        /// CL_SVM_INFO_ASSOCIATED_DEVICE_HANDLE_KHR
        device: Option<Arc<Device>>,
        /// CL_SVM_INFO_ACCESS_FLAGS_KHR
        flags: cl_bitfield,
    },
    /// clHostMemAllocINTEL, clDeviceMemAllocINTEL, clSharedMemAllocINTEL
    Unified {
        /// CL_MEM_ALLOC_TYPE_INTEL
        memory_type: cl_uint,
        /// CL_MEM_ALLOC_DEVICE_INTEL
        device: Option<Arc<Device>>,
        /// CL_MEM_ALLOC_FLAGS_INTEL
        flags: cl_bitfield,
    },
}

impl SharedKind {
    /// clSVMAlloc or clSVMAllocWithPropertiesKHR made it.
    pub fn is_svm(&self) -> bool {
        self.svm_type().is_some()
    }

    /// Its place among the types of SVM, if it is of one.
    pub fn svm_type(&self) -> Option<cl_uint> {
        match *self {
            SharedKind::Svm { fine } => Some(fine.into()),
            SharedKind::Typed { index, .. } => Some(index),
            SharedKind::Unified { .. } => None,
        }
    }

    /// The host may write to it, and need not map it for that.
    fn may_be_written_by_the_host(&self) -> bool {
        match *self {
            SharedKind::Svm { fine } => fine,
            SharedKind::Typed { index, .. } => unified_svm::TYPES[index as usize] & CL_SVM_CAPABILITY_HOST_WRITE_KHR != 0,
            SharedKind::Unified { memory_type, .. } => memory_type != CL_MEM_TYPE_DEVICE_INTEL,
        }
    }

    /// A function of unified shared memory made it.
    pub fn is_unified(&self) -> bool {
        !self.is_svm()
    }
}

/// An allocation that an address lies in.
#[derive(Clone, Debug)]
pub struct Found {
    /// Its first byte.
    pub start: usize,
    /// Its size.
    pub bytes: usize,
    /// What made it.
    pub kind: SharedKind,
}

impl Allocations {
    /// Allocates.
    pub fn allocate(&self, size: usize, alignment: usize, kind: SharedKind) -> Result<*mut c_void> {
        let allocation = allocate(size, alignment).map_err(|_| CL_MEM_OBJECT_ALLOCATION_FAILURE)?;
        if !kind.may_be_written_by_the_host() {
            allocation.follow_writes();
        }
        let pointer = allocation.as_ptr();
        self.0.lock().insert(pointer as usize, Shared { allocation, kind });
        Ok(pointer.cast())
    }

    /// Frees an allocation, if `pointer` is where one begins that one of the functions made.
    pub fn free(&self, pointer: *mut c_void, of: fn(&SharedKind) -> bool) -> bool {
        let mut allocations = self.0.lock();
        let known = allocations.get(&(pointer as usize)).is_some_and(|shared| of(&shared.kind));
        let shared = known.then(|| allocations.remove(&(pointer as usize)));
        drop(allocations);
        shared.is_some()
    }

    /// The allocation that an address lies in.
    pub fn find(&self, pointer: *const u8) -> Option<Found> {
        let allocations = self.0.lock();
        let (&start, shared) = allocations.range(..=pointer as usize).next_back()?;
        let bytes = shared.allocation.bytes();
        ((pointer as usize) < start + bytes.max(1)).then(|| Found {
            start,
            bytes,
            kind: shared.kind.clone(),
        })
    }
}

/// CL_INVALID_OPERATION if the device does not support SVM. All devices are alike.
pub fn check_svm_support() -> Result<()> {
    fail_if(!has_svm(), CL_INVALID_OPERATION)
}
