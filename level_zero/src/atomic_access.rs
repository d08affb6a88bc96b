//! Which atomic accesses a program says it does to memory (zeMemSetAtomicAccessAttributeExp). All memory has all of them here, so that what is said is kept, and
//! told again.

use crate::context::Context;
use crate::device::Device;
use crate::error::{entry, fail_if};
use crate::handle::Handle;
use crate::pointer::{Address, Out, not_null};
use crate::ze::*;
use ::device::lock::Lock;
use std::collections::BTreeMap;

/// By address: bytes, and flags.
#[derive(Default)]
pub struct AtomicAccess(Lock<BTreeMap<usize, (usize, u32)>>);

/// Flags that exclude each other: what is not allowed, and what is.
const OPPOSITES: [(u32, u32); 4] = [
    (ZE_MEMORY_ATOMIC_ATTR_EXP_FLAG_NO_ATOMICS, ALLOWED),
    (
        ZE_MEMORY_ATOMIC_ATTR_EXP_FLAG_NO_HOST_ATOMICS,
        ZE_MEMORY_ATOMIC_ATTR_EXP_FLAG_HOST_ATOMICS,
    ),
    (
        ZE_MEMORY_ATOMIC_ATTR_EXP_FLAG_NO_DEVICE_ATOMICS,
        ZE_MEMORY_ATOMIC_ATTR_EXP_FLAG_DEVICE_ATOMICS,
    ),
    (
        ZE_MEMORY_ATOMIC_ATTR_EXP_FLAG_NO_SYSTEM_ATOMICS,
        ZE_MEMORY_ATOMIC_ATTR_EXP_FLAG_SYSTEM_ATOMICS,
    ),
];

const ALLOWED: u32 = ZE_MEMORY_ATOMIC_ATTR_EXP_FLAG_HOST_ATOMICS
    | ZE_MEMORY_ATOMIC_ATTR_EXP_FLAG_DEVICE_ATOMICS
    | ZE_MEMORY_ATOMIC_ATTR_EXP_FLAG_SYSTEM_ATOMICS;

/// Do flags contradict each other?
fn is_contradiction(flags: u32) -> bool {
    OPPOSITES.iter().any(|&(not, allowed)| flags & not != 0 && flags & allowed != 0)
}

impl AtomicAccess {
    /// The last that is said holds.
    fn set(&self, start: usize, bytes: usize, flags: u32) {
        let mut known = self.0.lock();
        match flags {
            0 => known.remove(&start),
            _ => known.insert(start, (bytes, flags)),
        };
    }

    /// What was said of an address; 0 if nothing was.
    fn of(&self, address: usize) -> u32 {
        let known = self.0.lock();
        let last = known.range(..=address).next_back();
        last.filter(|&(&start, &(bytes, _))| address - start < bytes)
            .map_or(0, |(_, &(_, flags))| flags)
    }

    /// The memory that begins there is gone.
    pub fn forget(&self, start: usize) {
        self.0.lock().remove(&start);
    }
}

entry! {
    /// zeMemSetAtomicAccessAttributeExp: of an allocation as a whole, or of a range of memory that the context did not allocate.
    pub fn zeMemSetAtomicAccessAttributeExp(hContext: Handle<Context>, hDevice: Handle<Device>, ptr: Address, size: usize, attr: u32) {
        let context = hContext.get()?;
        hDevice.check()?;
        not_null(ptr)?;
        // ZE_RESULT_ERROR_INVALID_ENUMERATION: 0x7f < attr
        fail_if(attr > 0x7f, ZE_RESULT_ERROR_INVALID_ENUMERATION)?;
        // "Sets atomic access attributes for a shared allocation"
        let found = context.allocations.find(ptr);
        fail_if(
            is_contradiction(attr) || found.as_ref().is_some_and(|found| !found.is_shared()),
            ZE_RESULT_ERROR_INVALID_ARGUMENT,
        )?;
        let (start, bytes) = found.map_or((ptr.0, size), |found| (found.start, found.bytes));
        context.atomic_access.set(start, bytes, attr);
        Ok(())
    }

    /// zeMemGetAtomicAccessAttributeExp
    pub fn zeMemGetAtomicAccessAttributeExp(hContext: Handle<Context>, hDevice: Handle<Device>, ptr: Address, size: usize, pAttr: Out<u32>) {
        let _ = size;
        let context = hContext.get()?;
        hDevice.check()?;
        not_null(ptr)?;
        pAttr.check()?;
        pAttr.write(context.atomic_access.of(ptr.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_that_is_said_holds() {
        let access = AtomicAccess::default();
        access.set(0x1000, 64, ZE_MEMORY_ATOMIC_ATTR_EXP_FLAG_NO_ATOMICS);
        access.set(0x1000, 64, ZE_MEMORY_ATOMIC_ATTR_EXP_FLAG_HOST_ATOMICS);
        let of = |address: usize| access.of(address);
        assert_eq!([0xfff, 0x1000, 0x103f, 0x1040].map(of), [0, 4, 4, 0]);
        access.forget(0x1000);
        assert_eq!(access.of(0x1000), 0);
        access.set(0x2000, 8, ZE_MEMORY_ATOMIC_ATTR_EXP_FLAG_SYSTEM_ATOMICS);
        access.set(0x2000, 8, 0);
        assert_eq!(access.of(0x2000), 0);
    }

    #[test]
    fn contradictions() {
        for flags in [0, 1, 2, 4, 0x54, 0x2a, 0x2b] {
            assert!(!is_contradiction(flags), "{flags:#x}");
        }
        for flags in [6, 0x18, 0x60, 5, 0x11, 0x41, 0x7f] {
            assert!(is_contradiction(flags), "{flags:#x}");
        }
    }
}
