//! What kernels in checked mode find: what generated code calls, and where it is gathered until the launch is over.

use crate::abi::{LaunchRecord, WorkerRecord};
use crate::lock::Lock;
use crate::printf::GATHERED;
use crate::seat::Seat;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The first time that a check failed at a place, and how often it did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Bytes of the access, as far as they fit. Of a race: the two work-items' linear ids in their group, 16 bits each, that at the first place in
    /// the upper.
    pub bytes: u32,
    /// What the check says of it: for an access, its distance from its object's first byte.
    pub detail: u64,
    /// The work-item: its global id without the offset, counted along x, then y, then z. Of a race: the group's id, counted so, and in the upper
    /// half for global memory that of the work-item at the second place, plus 1.
    pub item: u64,
    /// How many accesses failed there.
    pub count: u64,
}

/// What a launch, or a thread of it, has found: by the number that the compiler gave each place, and in the upper half of the key for a race the
/// number of the other place, plus 1, and in a function that stays a call the number of the way to it.
pub type Findings = BTreeMap<u64, Finding>;

/// Where a launch gathers what its threads have found.
pub type Gathered = Lock<Findings>;

/// Adds what was found elsewhere. Of several work-items the one with the lowest id is told.
pub fn merge(into: &mut Findings, more: &Findings) {
    for (&site, finding) in more {
        into.entry(site)
            .and_modify(|known| {
                let count = known.count + finding.count;
                if (finding.item, finding.bytes) < (known.item, known.bytes) {
                    *known = *finding;
                }
                known.count = count;
            })
            .or_insert(*finding);
    }
}

/// The type of [`brolga_found`]: launch, worker, site and bytes (32 bits each, the site in the lower), detail, work-item.
pub type FoundFunction = unsafe extern "C" fn(launch: *const LaunchRecord, worker: *mut WorkerRecord, site: u64, detail: u64, item: u64);

/// A site that is none: nothing is noted.
pub const NOWHERE: u64 = u64::MAX;

/// Notes that a check failed for one work-item, unless the site is [`NOWHERE`].
///
/// # Safety
/// To be called from kernel code, with the records that it got.
pub unsafe extern "C" fn brolga_found(launch: *const LaunchRecord, worker: *mut WorkerRecord, site: u64, detail: u64, item: u64) {
    // SAFETY: as the caller promises.
    unsafe { found(launch, worker, site, detail, item, 0) };
}

/// The type of [`brolga_found_in_callee`]: as of [`brolga_found`], and the number of the way to the function that the place is in.
pub type FoundInCalleeFunction =
    unsafe extern "C" fn(launch: *const LaunchRecord, worker: *mut WorkerRecord, site: u64, detail: u64, item: u64, way: u64);

/// Notes that a check failed for one work-item in a function that it came to by calls, unless the site is [`NOWHERE`].
///
/// # Safety
/// To be called from kernel code, with the records that it got.
pub unsafe extern "C" fn brolga_found_in_callee(
    launch: *const LaunchRecord,
    worker: *mut WorkerRecord,
    site: u64,
    detail: u64,
    item: u64,
    way: u64,
) {
    // SAFETY: as the caller promises.
    unsafe { found(launch, worker, site, detail, item, way) };
}

/// # Safety
/// The records are what kernel code got.
unsafe fn found(launch: *const LaunchRecord, worker: *mut WorkerRecord, site: u64, detail: u64, item: u64, way: u64) {
    if site == NOWHERE {
        return;
    }
    // SAFETY: the launch record is valid.
    let launch = unsafe { launch.as_ref() };
    let finding = Finding {
        bytes: (site >> 32) as u32,
        detail,
        item,
        count: 1,
    };
    // SAFETY: the worker record is the thread's own.
    unsafe { note(launch, worker, site & u64::from(u32::MAX) | way << 32, finding) };
}

/// Notes that two work-items access the same memory. Each access is 32 bits: the work-item's linear id in the group, 16 bits, and above
/// it the number of the place, 15 bits. The arguments: launch, worker, the two accesses (the caller's in the lower half), how far from its object's
/// first byte, the group, and in the upper half that of the other, plus 1, where it can be another.
///
/// # Safety
/// To be called from kernel code, with the records that it got.
pub unsafe extern "C" fn brolga_raced(launch: *const LaunchRecord, worker: *mut WorkerRecord, both: u64, distance: u64, group: u64) {
    // Whoever comes second finds it; what is told must not depend on that.
    let groups = group >> 32 != 0;
    let (own, others) = (group & u64::from(u32::MAX), (group >> 32).wrapping_sub(1));
    let access = |word: u32, group: u64| (word >> 16 & 0x7fff, group, word & 0xffff);
    let one = access(both as u32, own);
    let other = access((both >> 32) as u32, if groups { others } else { own });
    let (first, second) = (one.min(other), one.max(other));
    let finding = Finding {
        bytes: first.2 << 16 | second.2,
        detail: distance,
        item: first.1 | if groups { (second.1 + 1) << 32 } else { 0 },
        count: 1,
    };
    let key = u64::from(first.0) | (u64::from(second.0) + 1) << 32;
    // SAFETY: the launch record is valid, and the worker record is the thread's own.
    unsafe { note(launch.as_ref(), worker, key, finding) };
}

/// Adds to what the thread has found.
///
/// # Safety
/// The worker record is that of the thread which runs the launch.
unsafe fn note(launch: Option<&LaunchRecord>, worker: *mut WorkerRecord, key: u64, finding: Finding) {
    let gathered = launch.is_some_and(|launch| launch.printf.cast_const() == (&raw const GATHERED).cast());
    if !gathered {
        // Whoever runs kernel code without this layer (an interpreter, a test) has no use for it.
        return;
    }
    // A panic must not cross the kernel's frames; without memory the finding is lost.
    let _ = catch_unwind(AssertUnwindSafe(|| {
        // SAFETY: in these launches the worker record is the first field of a seat, which belongs to the thread that runs the code.
        let found = unsafe { &mut (*worker.cast::<Seat>()).found };
        merge(found, &Findings::from([(key, finding)]));
    }));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_several_findings_the_first_work_item_is_told_and_all_are_counted() {
        let finding = |item, count| Finding {
            bytes: 4,
            detail: item * 4,
            item,
            count,
        };
        let mut all = Findings::from([(1, finding(7, 2))]);
        merge(&mut all, &Findings::from([(1, finding(3, 1)), (2, finding(9, 5))]));
        merge(&mut all, &Findings::from([(1, finding(5, 1))]));
        assert_eq!(all, Findings::from([(1, finding(3, 4)), (2, finding(9, 5))]));
    }
}
