//! Contexts. What is made in one is known to it; all are of the one device.

use crate::atomic_access::AtomicAccess;
use crate::device::Device;
use crate::driver::Driver;
use crate::error::{entry, fail_if};
use crate::handle::{Handle, publish};
use crate::memory::Allocations;
use crate::pointer::{Address, In, Out, not_null};
use crate::virtual_memory::Reservations;
use crate::ze::*;
use std::sync::Arc;

/// A context.
#[derive(Default)]
pub struct Context {
    /// What was allocated in it.
    pub allocations: Allocations,
    /// What atomic accesses its memory has, as it was told.
    pub atomic_access: AtomicAccess,
    /// Addresses that were reserved in it.
    pub reservations: Reservations,
}

/// zeContextCreate, zeContextCreateEx
fn create(driver: Handle<Driver>, desc: In<ze_context_desc_t>, context: Out<Handle<Context>>) -> crate::error::Result<()> {
    driver.check()?;
    let desc = desc.get()?;
    context.check()?;
    // ZE_CONTEXT_FLAG_TBD is the only flag.
    fail_if(desc.flags > 1, ZE_RESULT_ERROR_INVALID_ENUMERATION)?;
    compiler::checked::begin();
    context.write(publish(Arc::new(Context::default())))
}

/// What residency is asked for: there is none that memory of the host could lose.
fn check_residency(context: Handle<Context>, device: Handle<Device>, pointer: Address) -> crate::error::Result<()> {
    context.check()?;
    device.check()?;
    not_null(pointer)
}

entry! {
    /// zeContextCreate
    pub fn zeContextCreate(hDriver: Handle<Driver>, desc: In<ze_context_desc_t>, phContext: Out<Handle<Context>>) {
        create(hDriver, desc, phContext)
    }

    /// zeContextCreateEx
    pub fn zeContextCreateEx(hDriver: Handle<Driver>, desc: In<ze_context_desc_t>, numDevices: u32, phDevices: Handles<Device>, phContext: Out<Handle<Context>>) {
        hDriver.check()?;
        // ZE_RESULT_ERROR_INVALID_SIZE: (nullptr == phDevices) && (0 < numDevices)
        fail_if(phDevices.is_null() && numDevices > 0, ZE_RESULT_ERROR_INVALID_SIZE)?;
        crate::handle::all(phDevices.list(numDevices as usize))?;
        create(hDriver, desc, phContext)
    }

    /// zeContextDestroy
    pub fn zeContextDestroy(hContext: Handle<Context>) {
        hContext.destroy().map(drop)
    }

    /// zeContextGetStatus
    pub fn zeContextGetStatus(hContext: Handle<Context>) {
        hContext.check()
    }

    /// zeContextSystemBarrier: "[e]nsures in-bound writes to the device are globally observable"; the host's writes are.
    pub fn zeContextSystemBarrier(hContext: Handle<Context>, hDevice: Handle<Device>) {
        hContext.check()?;
        hDevice.check()
    }

    /// zeContextMakeMemoryResident
    pub fn zeContextMakeMemoryResident(hContext: Handle<Context>, hDevice: Handle<Device>, ptr: Address, size: usize) {
        let _ = size;
        check_residency(hContext, hDevice, ptr)
    }

    /// zeContextEvictMemory
    pub fn zeContextEvictMemory(hContext: Handle<Context>, hDevice: Handle<Device>, ptr: Address, size: usize) {
        let _ = size;
        check_residency(hContext, hDevice, ptr)
    }
}
