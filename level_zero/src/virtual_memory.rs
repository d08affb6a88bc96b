//! Virtual memory: addresses that an application reserves, and physical memory that it maps there.

use crate::context::Context;
use crate::device::Device;
use crate::error::{Result, entry, fail_if};
use crate::handle::{Handle, publish};
use crate::pointer::{Address, In, Out, not_null};
use crate::ze::*;
use ::device::lock::Lock;
use ::device::machine::machine;
use ::device::virtual_memory::{Access, Memory, Reservation};
use std::collections::BTreeMap;
use std::sync::Arc;

/// What a context has reserved, by the first address.
#[derive(Default)]
pub struct Reservations(Lock<BTreeMap<usize, Reserved>>);

struct Reserved {
    addresses: Reservation,
    pages: Pages,
}

/// Runs of pages with memory, by the first address. What is not here leads nowhere.
#[derive(Default)]
struct Pages(BTreeMap<usize, Run>);

/// Pages that are alike.
#[derive(Clone)]
struct Run {
    /// Behind the last one.
    end: usize,
    access: Access,
    /// It lives as long as pages lead to it.
    _memory: Arc<Memory>,
}

impl Pages {
    /// Has runs begin and end at an address, so that what is on one side can change alone.
    fn cut(&mut self, at: usize) {
        if let Some((&start, run)) = self.0.range_mut(..at).next_back()
            && run.end > at
        {
            let behind = run.clone();
            run.end = at;
            debug_assert!(start < at);
            self.0.insert(at, behind);
        }
    }

    /// The runs within a range, cut out of what they were parts of.
    fn within(&mut self, start: usize, end: usize) -> impl Iterator<Item = (&usize, &mut Run)> {
        self.cut(start);
        self.cut(end);
        self.0.range_mut(start..end)
    }

    /// Do all pages of a range have memory?
    fn covers(&mut self, start: usize, end: usize) -> bool {
        let mapped: usize = self.within(start, end).map(|(start, run)| run.end - start).sum();
        mapped == end - start
    }

    fn remove(&mut self, start: usize, end: usize) {
        self.cut(start);
        self.cut(end);
        self.0.retain(|&begin, _| !(start..end).contains(&begin));
    }

    /// What may be done with the page at an address, and the end of those behind it of which the same is true, up to `end`.
    fn access(&self, at: usize, end: usize) -> (Access, usize) {
        let find = |at: usize| match self.0.range(..=at).next_back() {
            Some((_, run)) if run.end > at => (run.access, run.end.min(end)),
            // As far as the next run.
            _ => (Access::None, self.0.range(at..).next().map_or(end, |(&start, _)| start.min(end))),
        };
        let (access, mut same) = find(at);
        while same < end {
            match find(same) {
                (next, until) if next == access => same = until,
                _ => break,
            }
        }
        (access, same)
    }
}

/// Memory of its own, which is mapped wherever the application likes.
pub struct Physical {
    memory: Arc<Memory>,
}

/// ZE_RESULT_ERROR_UNSUPPORTED_ALIGNMENT: "Address must be page aligned". ZE_RESULT_ERROR_UNSUPPORTED_SIZE: "0 == size", "Size must be page aligned".
fn check_range(start: Address, size: usize) -> Result<()> {
    not_null(start)?;
    let page = machine().page_bytes;
    fail_if(!start.0.is_multiple_of(page), ZE_RESULT_ERROR_UNSUPPORTED_ALIGNMENT)?;
    fail_if(size == 0 || !size.is_multiple_of(page), ZE_RESULT_ERROR_UNSUPPORTED_SIZE)
}

/// ZE_RESULT_ERROR_INVALID_ENUMERATION: ZE_MEMORY_ACCESS_ATTRIBUTE_READONLY < access
fn access_of(attribute: u32) -> Result<Access> {
    Ok(match attribute {
        ZE_MEMORY_ACCESS_ATTRIBUTE_NONE => Access::None,
        ZE_MEMORY_ACCESS_ATTRIBUTE_READWRITE => Access::ReadWrite,
        ZE_MEMORY_ACCESS_ATTRIBUTE_READONLY => Access::ReadOnly,
        _ => return Err(ZE_RESULT_ERROR_INVALID_ENUMERATION),
    })
}

fn attribute_of(access: Access) -> u32 {
    match access {
        Access::None => ZE_MEMORY_ACCESS_ATTRIBUTE_NONE,
        Access::ReadWrite => ZE_MEMORY_ACCESS_ATTRIBUTE_READWRITE,
        Access::ReadOnly => ZE_MEMORY_ACCESS_ATTRIBUTE_READONLY,
    }
}

impl Reservations {
    /// Does something with the reservation that all of a range lies in: ZE_RESULT_ERROR_INVALID_ARGUMENT if there is none.
    fn with(&self, start: Address, size: usize, run: impl FnOnce(&mut Reserved) -> Result<()>) -> Result<()> {
        check_range(start, size)?;
        let mut reservations = self.0.lock();
        let found = reservations.range_mut(..=start.0).next_back();
        let found = found.filter(|(_, reserved)| reserved.addresses.contains(start.0, size));
        run(found.ok_or(ZE_RESULT_ERROR_INVALID_ARGUMENT)?.1)
    }
}

entry! {
    /// zeVirtualMemQueryPageSize: the system's, whatever the size.
    pub fn zeVirtualMemQueryPageSize(hContext: Handle<Context>, hDevice: Handle<Device>, size: usize, pagesize: Out<usize>) {
        hContext.check()?;
        hDevice.check()?;
        pagesize.check()?;
        fail_if(size == 0, ZE_RESULT_ERROR_UNSUPPORTED_SIZE)?;
        pagesize.write(machine().page_bytes)
    }

    /// zeVirtualMemReserve
    pub fn zeVirtualMemReserve(hContext: Handle<Context>, pStart: Address, size: usize, pptr: Out<usize>) {
        let context = hContext.get()?;
        pptr.check()?;
        let page = machine().page_bytes;
        fail_if(size == 0 || !size.is_multiple_of(page), ZE_RESULT_ERROR_UNSUPPORTED_SIZE)?;
        // "If [it is] not available then [the implementation] will find another": so it does for an address within a page.
        let addresses = Reservation::new(pStart.0 / page * page, size).ok_or(ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY)?;
        let start = addresses.start();
        let reserved = Reserved { addresses, pages: Pages::default() };
        context.reservations.0.lock().insert(start, reserved);
        pptr.write(start)
    }

    /// zeVirtualMemFree: ZE_RESULT_ERROR_INVALID_ARGUMENT if the range is not what was reserved.
    pub fn zeVirtualMemFree(hContext: Handle<Context>, ptr: Address, size: usize) {
        let context = hContext.get()?;
        check_range(ptr, size)?;
        let mut reservations = context.reservations.0.lock();
        let bytes = reservations.get(&ptr.0).map(|reserved| reserved.addresses.bytes());
        fail_if(bytes != Some(size), ZE_RESULT_ERROR_INVALID_ARGUMENT)?;
        reservations.remove(&ptr.0);
        Ok(())
    }

    /// zePhysicalMemCreate
    pub fn zePhysicalMemCreate(hContext: Handle<Context>, hDevice: Handle<Device>, desc: In<ze_physical_mem_desc_t>, phPhysicalMemory: Out<Handle<Physical>>) {
        hContext.check()?;
        let desc = desc.get()?;
        phPhysicalMemory.check()?;
        // ZE_RESULT_ERROR_INVALID_ENUMERATION: 0x3 < desc->flags
        fail_if(desc.flags > 3, ZE_RESULT_ERROR_INVALID_ENUMERATION)?;
        // "[C]an be nullptr if creating physical host memory."
        if desc.flags & ZE_PHYSICAL_MEM_FLAG_ALLOCATE_ON_HOST == 0 || !hDevice.is_null() {
            hDevice.check()?;
        }
        fail_if(desc.size == 0 || desc.size as u64 > machine().memory_bytes, ZE_RESULT_ERROR_UNSUPPORTED_SIZE)?;
        fail_if(!desc.size.is_multiple_of(machine().page_bytes), ZE_RESULT_ERROR_UNSUPPORTED_ALIGNMENT)?;
        let memory = Memory::new(desc.size).ok_or(ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY)?;
        phPhysicalMemory.write(publish(Arc::new(Physical { memory: Arc::new(memory) })))
    }

    /// zePhysicalMemDestroy: pages that lead to it keep the memory.
    pub fn zePhysicalMemDestroy(hContext: Handle<Context>, hPhysicalMemory: Handle<Physical>) {
        hContext.check()?;
        hPhysicalMemory.destroy().map(drop)
    }

    /// zeVirtualMemMap: ZE_RESULT_ERROR_INVALID_ARGUMENT for addresses that were not reserved or lead somewhere, or more memory than there is.
    pub fn zeVirtualMemMap(hContext: Handle<Context>, ptr: Address, size: usize, hPhysicalMemory: Handle<Physical>, offset: usize, access: u32) {
        let context = hContext.get()?;
        let physical = hPhysicalMemory.get()?;
        let access = access_of(access)?;
        context.reservations.with(ptr, size, |reserved| {
            fail_if(!offset.is_multiple_of(machine().page_bytes), ZE_RESULT_ERROR_UNSUPPORTED_ALIGNMENT)?;
            let memory = physical.memory.clone();
            let fits = offset.checked_add(size).is_some_and(|end| end <= memory.bytes());
            let end = ptr.0 + size;
            fail_if(!fits || reserved.pages.within(ptr.0, end).next().is_some(), ZE_RESULT_ERROR_INVALID_ARGUMENT)?;
            fail_if(!reserved.addresses.map(ptr.0, size, &memory, offset, access), ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY)?;
            reserved.pages.0.insert(ptr.0, Run { end, access, _memory: memory });
            Ok(())
        })
    }

    /// zeVirtualMemUnmap: "[t]he page access attributes … will revert back to none".
    pub fn zeVirtualMemUnmap(hContext: Handle<Context>, ptr: Address, size: usize) {
        hContext.get()?.reservations.with(ptr, size, |reserved| {
            fail_if(!reserved.addresses.unmap(ptr.0, size), ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY)?;
            reserved.pages.remove(ptr.0, ptr.0 + size);
            Ok(())
        })
    }

    /// zeVirtualMemSetAccessAttribute: ZE_RESULT_ERROR_INVALID_ARGUMENT where no memory is mapped.
    pub fn zeVirtualMemSetAccessAttribute(hContext: Handle<Context>, ptr: Address, size: usize, access: u32) {
        let context = hContext.get()?;
        let access = access_of(access)?;
        context.reservations.with(ptr, size, |reserved| {
            let end = ptr.0 + size;
            fail_if(!reserved.pages.covers(ptr.0, end), ZE_RESULT_ERROR_INVALID_ARGUMENT)?;
            fail_if(!reserved.addresses.protect(ptr.0, size, access), ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY)?;
            reserved.pages.within(ptr.0, end).for_each(|(_, run)| run.access = access);
            Ok(())
        })
    }

    /// zeVirtualMemGetAccessAttribute: of the first page, and how many bytes from there on have the same.
    pub fn zeVirtualMemGetAccessAttribute(hContext: Handle<Context>, ptr: Address, size: usize, access: Out<u32>, outSize: Out<usize>) {
        let context = hContext.get()?;
        access.check()?;
        outSize.check()?;
        context.reservations.with(ptr, size, |reserved| {
            let (found, end) = reserved.pages.access(ptr.0, ptr.0 + size);
            access.write(attribute_of(found))?;
            outSize.write(end - ptr.0)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_told_apart() {
        let memory = Arc::new(Memory::new(machine().page_bytes).expect("memory"));
        let run = |end| Run {
            end,
            access: Access::ReadWrite,
            _memory: memory.clone(),
        };
        let mut pages = Pages::default();
        pages.0.insert(10, run(20));
        pages.0.insert(20, run(30));
        assert_eq!(pages.access(0, 40), (Access::None, 10));
        assert_eq!(pages.access(12, 40), (Access::ReadWrite, 30));
        assert_eq!(pages.access(12, 25), (Access::ReadWrite, 25));
        assert!(pages.covers(12, 28) && !pages.covers(12, 31));
        pages.within(15, 22).for_each(|(_, run)| run.access = Access::ReadOnly);
        assert_eq!(pages.access(10, 40), (Access::ReadWrite, 15));
        assert_eq!(pages.access(15, 40), (Access::ReadOnly, 22));
        pages.remove(14, 26);
        assert_eq!(pages.access(13, 40), (Access::ReadWrite, 14));
        assert_eq!(pages.access(14, 40), (Access::None, 26));
        assert_eq!(pages.access(30, 40), (Access::None, 40));
    }
}
