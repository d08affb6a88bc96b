//! Commands that copy and fill memory.

use crate::command::Command;
use crate::context::Context;
use crate::device::{Device, compute_units};
use crate::error::{Result, entry, fail_if};
use crate::event::Event;
use crate::handle::Handle;
use crate::list::List;
use crate::pointer::{Address, In, not_null};
use crate::ze::*;
use ::device::memory::{self, RectPlace};

/// Copies bytes, when it runs.
fn copy(to: Address, from: Address, size: usize) -> Result<()> {
    // SAFETY: the application says that the memory is there when the command runs, and that nobody else writes to it meanwhile.
    unsafe { memory::copy(to.0 as *mut u8, from.0 as *const u8, size, compute_units() as usize) };
    Ok(())
}

/// A region's size: bytes, rows and slices, of which a depth of 0 means one.
fn region(region: &ze_copy_region_t) -> [usize; 3] {
    [region.width as usize, region.height as usize, region.depth.max(1) as usize]
}

/// Where a region begins in memory whose rows and slices are so many bytes apart.
fn place(base: Address, region: &ze_copy_region_t, row_pitch: u32, slice_pitch: u32) -> RectPlace<usize> {
    let (row_pitch, slice_pitch) = (row_pitch as usize, slice_pitch as usize);
    RectPlace {
        origin: base.0 + region.originX as usize + region.originY as usize * row_pitch + region.originZ as usize * slice_pitch,
        row_pitch,
        slice_pitch,
    }
}

/// The bytes from a region's first to behind its last.
fn span(place: &RectPlace<usize>, [width, height, depth]: [usize; 3]) -> core::ops::Range<usize> {
    let last = (height - 1) * place.row_pitch + (depth - 1) * place.slice_pitch + width;
    place.origin..place.origin + last
}

/// Two regions share bytes, or it is not seen that they don't.
pub fn overlap(to: &RectPlace<usize>, from: &RectPlace<usize>, size: [usize; 3]) -> bool {
    if size.contains(&0) {
        return false;
    }
    let (one, other) = (span(to, size), span(from, size));
    if one.end <= other.start || other.end <= one.start {
        return false;
    }
    let [width, height, depth] = size;
    let (row, slice) = (to.row_pitch, to.slice_pitch);
    // In one grid: pieces of `bytes`, a period apart, lie between each other.
    let apart = |bytes: usize, period: usize| {
        let distance = to.origin.abs_diff(from.origin).checked_rem(period).unwrap_or(0);
        distance >= bytes && period - distance >= bytes
    };
    let same_rows = from.row_pitch == row && (depth == 1 || from.slice_pitch == slice && slice.checked_rem(row) == Some(0));
    let same_slices = depth > 1 && from.slice_pitch == slice && from.row_pitch == row;
    !(same_rows && apart(width, row) || same_slices && apart((height - 1) * row + width, slice))
}

/// Copies a region between two places that don't overlap, when it runs.
pub fn transfer(to: &RectPlace<usize>, from: &RectPlace<usize>, size: [usize; 3]) -> Result<()> {
    if size.contains(&0) {
        return Ok(());
    }
    let to = RectPlace {
        origin: to.origin as *mut u8,
        row_pitch: to.row_pitch,
        slice_pitch: to.slice_pitch,
    };
    let from = RectPlace {
        origin: from.origin as *const u8,
        row_pitch: from.row_pitch,
        slice_pitch: from.slice_pitch,
    };
    // SAFETY: the application says that the memory is there when the command runs, and that nobody else accesses it meanwhile; who appends the command
    // sees to it that the places don't overlap.
    unsafe { memory::copy_rect(to, from, size, compute_units() as usize) };
    Ok(())
}

entry! {
    /// zeCommandListAppendMemoryCopy
    pub fn zeCommandListAppendMemoryCopy(hCommandList: Handle<List>, dstptr: Address, srcptr: Address, size: usize, hSignalEvent: Handle<Event>, numWaitEvents: u32, phWaitEvents: Handles<Event>) {
        let list = hCommandList.get()?;
        not_null(dstptr)?;
        not_null(srcptr)?;
        list.append(Command::new(hSignalEvent, numWaitEvents, phWaitEvents, move || copy(dstptr, srcptr, size))?)
    }

    /// zeCommandListAppendMemoryCopyFromContext
    pub fn zeCommandListAppendMemoryCopyFromContext(hCommandList: Handle<List>, dstptr: Address, hContextSrc: Handle<Context>, srcptr: Address, size: usize, hSignalEvent: Handle<Event>, numWaitEvents: u32, phWaitEvents: Handles<Event>) {
        let list = hCommandList.get()?;
        hContextSrc.check()?;
        not_null(dstptr)?;
        not_null(srcptr)?;
        list.append(Command::new(hSignalEvent, numWaitEvents, phWaitEvents, move || copy(dstptr, srcptr, size))?)
    }

    /// zeCommandListAppendMemoryFill
    pub fn zeCommandListAppendMemoryFill(hCommandList: Handle<List>, ptr: Address, pattern: In<u8>, pattern_size: usize, size: usize, hSignalEvent: Handle<Event>, numWaitEvents: u32, phWaitEvents: Handles<Event>) {
        let list = hCommandList.get()?;
        not_null(ptr)?;
        // ZE_RESULT_ERROR_INVALID_SIZE: "The pattern size must be a power-of-two and less than or equal to … maxMemoryFillPatternSize."
        fail_if(!pattern_size.is_power_of_two() || pattern_size > MAX_PATTERN, ZE_RESULT_ERROR_INVALID_SIZE)?;
        let pattern = pattern.bytes(pattern_size).ok_or(ZE_RESULT_ERROR_INVALID_NULL_POINTER)?;
        list.append(Command::new(hSignalEvent, numWaitEvents, phWaitEvents, move || {
            // SAFETY: the application says that the memory is there when the command runs, and that nobody else accesses it meanwhile.
            unsafe { memory::fill(ptr.0 as *mut u8, &pattern, size, compute_units() as usize) };
            Ok(())
        })?)
    }

    /// zeCommandListAppendMemoryCopyRegion
    pub fn zeCommandListAppendMemoryCopyRegion(
        hCommandList: Handle<List>,
        dstptr: Address,
        dstRegion: In<ze_copy_region_t>,
        dstPitch: u32,
        dstSlicePitch: u32,
        srcptr: Address,
        srcRegion: In<ze_copy_region_t>,
        srcPitch: u32,
        srcSlicePitch: u32,
        hSignalEvent: Handle<Event>,
        numWaitEvents: u32,
        phWaitEvents: Handles<Event>,
    ) {
        let list = hCommandList.get()?;
        not_null(dstptr)?;
        not_null(srcptr)?;
        let (to, from) = (dstRegion.get()?, srcRegion.get()?);
        let size = region(&to);
        // ZE_RESULT_ERROR_INVALID_SIZE: "The region width, height, and depth for both src and dst must be same."
        fail_if(size != region(&from), ZE_RESULT_ERROR_INVALID_SIZE)?;
        let to = place(dstptr, &to, dstPitch, dstSlicePitch);
        let from = place(srcptr, &from, srcPitch, srcSlicePitch);
        fail_if(overlap(&to, &from, size), ZE_RESULT_ERROR_OVERLAPPING_REGIONS)?;
        list.append(Command::new(hSignalEvent, numWaitEvents, phWaitEvents, move || transfer(&to, &from, size))?)
    }

    /// zeCommandListAppendMemoryPrefetch: memory is where it is.
    pub fn zeCommandListAppendMemoryPrefetch(hCommandList: Handle<List>, ptr: Address, size: usize) {
        hCommandList.check()?;
        let _ = size;
        not_null(ptr)
    }

    /// zeCommandListAppendMemAdvise: "a hint", of which none changes anything where memory is where it is.
    pub fn zeCommandListAppendMemAdvise(hCommandList: Handle<List>, hDevice: Handle<Device>, ptr: Address, size: usize, advice: u32) {
        hCommandList.check()?;
        hDevice.check()?;
        let _ = size;
        not_null(ptr)?;
        // The last advice of version 1.13 is ZE_MEMORY_ADVICE_CLEAR_SYSTEM_MEMORY_PREFERRED_LOCATION.
        fail_if(advice > ZE_MEMORY_ADVICE_BIAS_UNCACHED + 2, ZE_RESULT_ERROR_INVALID_ENUMERATION)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regions_overlap_where_they_share_bytes() {
        let place = |origin, row_pitch, slice_pitch| RectPlace {
            origin,
            row_pitch,
            slice_pitch,
        };
        // Every byte of small regions, one by one.
        let bytes = |place: &RectPlace<usize>, [width, height, depth]: [usize; 3]| {
            let mut all = std::collections::BTreeSet::new();
            for (x, y, z) in (0..depth).flat_map(|z| (0..height).flat_map(move |y| (0..width).map(move |x| (x, y, z)))) {
                all.insert(place.origin + x + y * place.row_pitch + z * place.slice_pitch);
            }
            all
        };
        for size in [[2, 1, 1], [2, 3, 1], [3, 2, 2], [1, 1, 3]] {
            for distance in 0..60 {
                let (one, other) = (place(100, 8, 32), place(100 + distance, 8, 32));
                let shared = !bytes(&one, size).is_disjoint(&bytes(&other, size));
                assert_eq!(overlap(&one, &other, size), shared, "{size:?} {distance}");
                assert_eq!(overlap(&other, &one, size), shared, "{size:?} {distance}");
            }
        }
        // With other pitches, it is enough that they might.
        assert!(overlap(&place(100, 8, 0), &place(104, 16, 0), [2, 4, 1]));
        assert!(!overlap(&place(100, 8, 0), &place(200, 16, 0), [2, 4, 1]));
    }
}
