//! Memory that is allocated: of the host, of the device, or shared. All of it is the host's here; what differs is what is said of it.

use crate::context::Context;
use crate::device::{Device, device};
use crate::error::{Result, entry, fail_if};
use crate::handle::Handle;
use crate::pointer::{Address, In, Out, extension, not_null};
use crate::ze::*;
use ::device::lock::Lock;
use ::device::machine::machine;
use ::device::memory::Allocation;
use compiler::buffers;
use core::ffi::c_void;
use std::collections::BTreeMap;

/// What a context has allocated, by address.
#[derive(Default)]
pub struct Allocations(Lock<BTreeMap<usize, Allocated>>);

struct Allocated {
    memory: Allocation,
    kind: Kind,
}

/// Which function allocated it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Host,
    Device,
    /// Of a device, unless none was named.
    Shared {
        has_device: bool,
    },
}

/// An allocation that an address lies in.
pub struct Found {
    /// Its first byte.
    pub start: usize,
    /// Its bytes.
    pub bytes: usize,
    kind: Kind,
}

impl Found {
    /// It is of both host and device.
    pub fn is_shared(&self) -> bool {
        matches!(self.kind, Kind::Shared { .. })
    }
}

impl Allocations {
    /// The allocation that an address lies in.
    pub fn find(&self, address: Address) -> Option<Found> {
        let allocations = self.0.lock();
        let (&start, found) = allocations.range(..=address.0).next_back()?;
        let bytes = found.memory.bytes();
        (address.0 < start + bytes).then_some(Found {
            start,
            bytes,
            kind: found.kind,
        })
    }
}

/// The largest flag of each descriptor, and the flags below it.
const DEVICE_FLAGS: u32 = 0x7;
const HOST_FLAGS: u32 = 0x1f;

fn allocate(context: Handle<Context>, size: usize, alignment: usize, relaxed: bool, kind: Kind, pointer: Out<usize>) -> Result<()> {
    let context = context.get()?;
    pointer.check()?;
    // ZE_RESULT_ERROR_UNSUPPORTED_SIZE: 0 == size, or it is larger than ze_device_properties_t.maxMemAllocSize and limits are not relaxed.
    let most = if relaxed { u64::MAX } else { machine().max_allocation_bytes };
    fail_if(size == 0 || size as u64 > most, ZE_RESULT_ERROR_UNSUPPORTED_SIZE)?;
    // ZE_RESULT_ERROR_UNSUPPORTED_ALIGNMENT: "Must be zero or a power-of-two".
    fail_if(
        alignment != 0 && !alignment.is_power_of_two(),
        ZE_RESULT_ERROR_UNSUPPORTED_ALIGNMENT,
    )?;
    let memory = buffers::allocate(size, alignment).map_err(|_| match kind {
        Kind::Host => ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY,
        Kind::Device | Kind::Shared { .. } => ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY,
    })?;
    if kind == Kind::Device {
        // The host has no access.
        memory.follow_writes();
    }
    let start = memory.as_ptr() as usize;
    context.allocations.0.lock().insert(start, Allocated { memory, kind });
    pointer.write(start)
}

/// ZE_RELAXED_ALLOCATION_LIMITS_EXP_FLAG_MAX_SIZE extends a descriptor.
fn is_relaxed(next: *const c_void) -> Result<bool> {
    let limits = extension::<ze_relaxed_allocation_limits_exp_desc_t>(next)
        .map(Out::read)
        .transpose()?;
    Ok(limits.is_some_and(|limits| limits.flags & ZE_RELAXED_ALLOCATION_LIMITS_EXP_FLAG_MAX_SIZE != 0))
}

/// ZE_RESULT_ERROR_INVALID_ENUMERATION: a flag is set that means nothing.
fn check_flags(flags: u32, known: u32) -> Result<()> {
    fail_if(flags & !known != 0, ZE_RESULT_ERROR_INVALID_ENUMERATION)
}

entry! {
    /// zeMemAllocHost
    pub fn zeMemAllocHost(hContext: Handle<Context>, host_desc: In<ze_host_mem_alloc_desc_t>, size: usize, alignment: usize, pptr: Out<usize>) {
        hContext.check()?;
        let desc = host_desc.get()?;
        check_flags(desc.flags, HOST_FLAGS)?;
        allocate(hContext, size, alignment, is_relaxed(desc.pNext)?, Kind::Host, pptr)
    }

    /// zeMemAllocDevice
    pub fn zeMemAllocDevice(hContext: Handle<Context>, device_desc: In<ze_device_mem_alloc_desc_t>, size: usize, alignment: usize, hDevice: Handle<Device>, pptr: Out<usize>) {
        hContext.check()?;
        hDevice.check()?;
        let desc = device_desc.get()?;
        check_flags(desc.flags, DEVICE_FLAGS)?;
        allocate(hContext, size, alignment, is_relaxed(desc.pNext)?, Kind::Device, pptr)
    }

    /// zeMemAllocShared
    pub fn zeMemAllocShared(hContext: Handle<Context>, device_desc: In<ze_device_mem_alloc_desc_t>, host_desc: In<ze_host_mem_alloc_desc_t>, size: usize, alignment: usize, hDevice: Handle<Device>, pptr: Out<usize>) {
        hContext.check()?;
        let kind = Kind::Shared { has_device: hDevice.optional()?.is_some() };
        let (device, host) = (device_desc.get()?, host_desc.get()?);
        check_flags(device.flags, DEVICE_FLAGS)?;
        check_flags(host.flags, HOST_FLAGS)?;
        let relaxed = is_relaxed(device.pNext)? || is_relaxed(host.pNext)?;
        allocate(hContext, size, alignment, relaxed, kind, pptr)
    }

    /// zeMemFree: ZE_RESULT_ERROR_INVALID_ARGUMENT if the pointer is not where an allocation of the context begins.
    pub fn zeMemFree(hContext: Handle<Context>, ptr: Address) {
        let context = hContext.get()?;
        not_null(ptr)?;
        let freed = context.allocations.0.lock().remove(&ptr.0);
        context.atomic_access.forget(ptr.0);
        fail_if(freed.is_none(), ZE_RESULT_ERROR_INVALID_ARGUMENT)
    }

    /// zeMemGetAllocProperties: of memory that the context did not allocate, ZE_MEMORY_TYPE_UNKNOWN.
    pub fn zeMemGetAllocProperties(hContext: Handle<Context>, ptr: Address, pMemAllocProperties: Out<ze_memory_allocation_properties_t>, phDevice: Out<Handle<Device>>) {
        let context = hContext.get()?;
        not_null(ptr)?;
        let found = context.allocations.find(ptr);
        pMemAllocProperties.fill(|properties| {
            properties.type_ = match found.as_ref().map(|found| found.kind) {
                None => ZE_MEMORY_TYPE_UNKNOWN,
                Some(Kind::Host) => ZE_MEMORY_TYPE_HOST,
                Some(Kind::Device) => ZE_MEMORY_TYPE_DEVICE,
                Some(Kind::Shared { .. }) => ZE_MEMORY_TYPE_SHARED,
            };
            // Two allocations that live have not the same address.
            properties.id = found.as_ref().map_or(0, |found| found.start as u64);
            properties.pageSize = if found.is_some() { machine().page_bytes as u64 } else { 0 };
        })?;
        let of_device = matches!(found, Some(Found { kind: Kind::Device | Kind::Shared { has_device: true }, .. }));
        phDevice.put(if of_device { device() } else { Handle::NULL });
        Ok(())
    }

    /// zeMemGetAddressRange: ZE_RESULT_ERROR_INVALID_ARGUMENT if the context did not allocate it.
    pub fn zeMemGetAddressRange(hContext: Handle<Context>, ptr: Address, pBase: Out<usize>, pSize: Out<usize>) {
        let context = hContext.get()?;
        not_null(ptr)?;
        let found = context.allocations.find(ptr).ok_or(ZE_RESULT_ERROR_INVALID_ARGUMENT)?;
        pBase.put(found.start);
        pSize.put(found.bytes);
        Ok(())
    }
}
