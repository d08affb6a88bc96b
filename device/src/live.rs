//! Checked mode: whether an address of which nobody knows what it was derived from leads to memory that is there.
//!
//! Kernels share all of the process's memory (fine-grained system SVM), so that an address can lead to an allocation of the driver's, and to
//! whatever else is mapped. Once [`watch`] was called, allocations have zones around them in which nothing else is, and stay for a while when
//! they are freed, as AddressSanitizer does it (Serebryany et al., USENIX ATC 2012): who accesses a zone has left the allocation, and who
//! accesses what was freed has kept a pointer too long. Kernels ask once ([`brolga_live`]), and then compare with the answer
//! ([`WorkerRecord::readable`]).

pub mod written;

use crate::abi::{Found, LaunchRecord, WorkerRecord};
use crate::fork::PerProcess;
use crate::lock::Lock;
use crate::memory::Block;
use crate::os::maps::{self, Mapped};
use std::collections::{BTreeMap, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};

/// Bytes of a zone at either side of an allocation, unless it is aligned to more.
pub(crate) const ZONE: usize = 256;

/// No object is at a lower address: systems leave the first page empty, for null pointers to be found.
pub const LOWEST: u64 = 4096;

/// Memory that was freed is kept while it is no more than this, in bytes and in pieces.
const KEPT: usize = 64 << 20;
const MOST_KEPT: usize = 4096;

/// What is mapped is asked for anew no more often than this in a launch: it takes long.
const MOST_READ: u32 = 64;

/// An address is told to be near an object that is no farther away, in bytes.
const NEAR: usize = 64 << 10;

/// This bit of the last operand of [`brolga_live`] says that the bytes are written.
pub const WRITES: u64 = 1 << 63;

static WATCHED: AtomicBool = AtomicBool::new(false);
static KNOWN: PerProcess<Lock<Known>> = PerProcess::new(Lock::default);

/// Begins to note allocations.
pub fn watch() {
    WATCHED.store(true, Ordering::Relaxed);
}

/// Allocations are noted.
pub(crate) fn is_watched() -> bool {
    WATCHED.load(Ordering::Relaxed)
}

#[derive(Debug, Default)]
struct Known {
    /// By first address.
    objects: BTreeMap<usize, Object>,
    /// Those that were freed, the oldest first.
    freed: VecDeque<usize>,
    freed_bytes: usize,
    /// Local and private memory of workers, by first address: one behind the last.
    arenas: BTreeMap<usize, usize>,
    maps: Vec<Mapped>,
    /// So often it was asked for in this launch.
    read: u32,
}

#[derive(Debug)]
struct Object {
    bytes: usize,
    /// Of each zone.
    zone: usize,
    /// Kernels only read it.
    is_only_read: bool,
    /// Which of its bytes were written, where that is followed.
    shadow: Option<written::Shadow>,
    /// It was freed, and this keeps it.
    freed: Option<Block>,
}

/// Where an address is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// Inside of an object, from its first byte to behind its last. It may be written, or only read.
    Inside(usize, usize, bool),
    /// In no object, but so near to one that nothing else can be there.
    Outside,
    /// Between what is known: from here to there.
    Between(usize, usize),
}

/// An object near an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Near {
    /// Its first byte.
    pub start: usize,
    /// Its size.
    pub bytes: usize,
    /// It was freed.
    pub freed: bool,
    /// It is local and private memory of work-groups.
    pub arena: bool,
}

impl Known {
    fn place(&self, address: usize, bytes: usize) -> Place {
        let Some(end) = address.checked_add(bytes) else {
            return Place::Outside;
        };
        let (mut low, mut high) = (0, usize::MAX);
        if let Some((&start, object)) = self.objects.range(..=address).next_back() {
            let last = start + object.bytes;
            if object.freed.is_none() && end <= last {
                return Place::Inside(start, last, !object.is_only_read);
            }
            low = last + object.zone;
        }
        if let Some((&start, object)) = self.objects.range(address.saturating_add(1)..).next() {
            high = start - object.zone;
        }
        if let Some((_, &last)) = self.arenas.range(..=address).next_back() {
            low = low.max(last);
        }
        if let Some((&start, _)) = self.arenas.range(address.saturating_add(1)..).next() {
            high = high.min(start);
        }
        match address < low || end > high {
            true => Place::Outside,
            false => Place::Between(low, high),
        }
    }

    /// What is mapped around an access.
    fn mapped(&mut self, address: usize, end: usize, writes: bool) -> Option<Mapped> {
        let find = |maps: &[Mapped]| {
            let position = maps.partition_point(|mapped| mapped.end <= address);
            let mapped = *maps.get(position)?;
            (mapped.start <= address && end <= mapped.end && mapped.readable && (mapped.writable || !writes)).then_some(mapped)
        };
        if let Some(mapped) = find(&self.maps) {
            return Some(mapped);
        }
        if self.read >= MOST_READ {
            return None;
        }
        self.read += 1;
        let Some(all) = maps::all() else {
            // Nobody knows better.
            return Some(Mapped {
                start: address,
                end,
                readable: true,
                writable: true,
            });
        };
        self.maps = joined(all);
        find(&self.maps)
    }
}

/// Neighbours that allow the same are one: a value may be in both.
fn joined(all: Vec<Mapped>) -> Vec<Mapped> {
    let mut joined: Vec<Mapped> = Vec::with_capacity(all.len());
    for mapped in all {
        match joined.last_mut() {
            Some(last) if last.end == mapped.start && (last.readable, last.writable) == (mapped.readable, mapped.writable) => {
                last.end = mapped.end;
            }
            _ => joined.push(mapped),
        }
    }
    joined
}

/// Notes an allocation with zones around it.
pub(crate) fn add(start: usize, bytes: usize, zone: usize) {
    let object = Object {
        bytes,
        zone,
        is_only_read: false,
        shadow: None,
        freed: None,
    };
    KNOWN.get().lock().objects.insert(start, object);
}

/// Notes that kernels only read an allocation.
pub(crate) fn set_only_read(start: usize) {
    if let Some(object) = KNOWN.get().lock().objects.get_mut(&start) {
        object.is_only_read = true;
    }
}

/// Notes that an allocation is freed, and keeps its memory for a while.
pub(crate) fn free(start: usize, block: Block) {
    let known = &mut *KNOWN.get().lock();
    // (What a process had before a fork is not known in its child.)
    let Some(object) = known.objects.get_mut(&start) else { return };
    object.freed = Some(block);
    known.freed_bytes += object.bytes;
    known.freed.push_back(start);
    while known.freed_bytes > KEPT || known.freed.len() > MOST_KEPT {
        let Some(oldest) = known.freed.pop_front() else { break };
        let gone = known.objects.remove(&oldest);
        known.freed_bytes -= gone.map_or(0, |object| object.bytes);
    }
}

/// Notes memory of a worker.
pub(crate) fn add_arena(start: usize, bytes: usize) {
    KNOWN.get().lock().arenas.insert(start, start + bytes);
}

/// Notes that memory of a worker is gone.
pub(crate) fn remove_arena(start: usize) {
    KNOWN.get().lock().arenas.remove(&start);
}

/// A launch begins: what was mapped before may be no more.
pub(crate) fn begin_launch() {
    if is_watched() {
        let known = &mut *KNOWN.get().lock();
        known.maps.clear();
        known.read = 0;
    }
}

/// The object next to an address, if one is near.
pub fn near(address: u64) -> Option<Near> {
    let address = address as usize;
    let known = KNOWN.get().lock();
    if let Some((&start, &end)) = known.arenas.range(..=address).next_back()
        && address < end
    {
        return Some(Near {
            start,
            bytes: end - start,
            freed: false,
            arena: true,
        });
    }
    let near = |(&start, object): (&usize, &Object)| Near {
        start,
        bytes: object.bytes,
        freed: object.freed.is_some(),
        arena: false,
    };
    let before = known.objects.range(..=address).next_back().map(near);
    let behind = known.objects.range(address.saturating_add(1)..).next().map(near);
    let candidates = [
        before.map(|near| (address.saturating_sub(near.start + near.bytes), near)),
        behind.map(|near| (near.start - address, near)),
    ];
    let nearest = candidates.into_iter().flatten().min_by_key(|(distance, _)| *distance);
    nearest.filter(|(distance, _)| *distance <= NEAR).map(|(_, near)| near)
}

/// The type of [`brolga_live`]: launch, worker, address, bytes with [`WRITES`].
pub type LiveFunction = unsafe extern "C" fn(launch: *const LaunchRecord, worker: *mut WorkerRecord, address: u64, bytes: u64) -> u32;

/// Are there so many bytes at an address? What is there with them is left in the worker's record.
///
/// # Safety
/// To be called from kernel code, with the records that it got.
pub unsafe extern "C" fn brolga_live(_: *const LaunchRecord, worker: *mut WorkerRecord, address: u64, bytes: u64) -> u32 {
    let (bytes, writes) = (bytes & !WRITES, bytes & WRITES != 0);
    if bytes == 0 {
        return 1;
    }
    let Some(end) = address.checked_add(bytes).filter(|_| address >= LOWEST) else {
        return 0;
    };
    // SAFETY: the worker record is the thread's own.
    let worker = unsafe { &mut *worker };
    let [local, private, last] = [worker.local_memory, worker.private_memory, worker.arena_end].map(|pointer| pointer as u64);
    let found = if address >= local && address < last {
        let (start, last) = if address < private { (local, private) } else { (private, last) };
        (end <= last).then_some((start, last, true))
    } else {
        // A panic must not cross the kernel's frames; without memory the access is left alone.
        match catch_unwind(AssertUnwindSafe(|| find(address as usize, end as usize, writes))) {
            Ok(found) => found,
            Err(_) => return 1,
        }
    };
    let Some((start, end, writable)) = found else { return 0 };
    worker.readable = Found { start, bytes: end - start };
    if writable {
        worker.writable = worker.readable;
    }
    1
}

/// What is around an access that is there, and whether it may be written.
fn find(address: usize, end: usize, writes: bool) -> Option<(u64, u64, bool)> {
    let known = &mut *KNOWN.get().lock();
    let (start, end, writable) = match known.place(address, end - address) {
        Place::Inside(_, _, false) if writes => return None,
        Place::Inside(start, end, writable) => (start, end, writable),
        Place::Outside => return None,
        Place::Between(low, high) => {
            let mapped = known.mapped(address, end, writes)?;
            (mapped.start.max(low), mapped.end.min(high), mapped.writable)
        }
    };
    Some((start as u64, end as u64, writable))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_have_zones_around_them_in_which_nothing_is() {
        let mut known = Known::default();
        let object = |bytes| Object {
            bytes,
            zone: ZONE,
            is_only_read: bytes == 0,
            shadow: None,
            freed: None,
        };
        known.objects.insert(0x10000, object(100));
        known.objects.insert(0x20000, object(0));
        known.arenas.insert(0x30000, 0x40000);
        assert_eq!(known.place(0x10000, 100), Place::Inside(0x10000, 0x10064, true));
        assert_eq!(known.place(0x10060, 4), Place::Inside(0x10000, 0x10064, true));
        assert_eq!(known.place(0x20000, 0), Place::Inside(0x20000, 0x20000, false));
        for (address, bytes) in [
            (0x10061, 4),
            (0x10064, 1),
            (0xffff, 1),
            (0xff00, 1),
            (0x20000, 1),
            (0x3ffff, 1),
            (usize::MAX, 2),
        ] {
            assert_eq!(known.place(address, bytes), Place::Outside, "{address:#x}");
        }
        assert_eq!(known.place(0xfeff, 1), Place::Between(0, 0xff00));
        assert_eq!(known.place(0x10064 + ZONE, 1), Place::Between(0x10164, 0x1ff00));
        assert_eq!(known.place(0x2ffff, 1), Place::Between(0x20100, 0x30000));
        assert_eq!(known.place(0x40000, 1), Place::Between(0x40000, usize::MAX));
    }

    #[test]
    fn neighbours_that_allow_the_same_are_one() {
        let of = |start, end, writable| Mapped {
            start,
            end,
            readable: true,
            writable,
        };
        let all = vec![of(1, 2, true), of(2, 3, true), of(3, 4, false), of(5, 6, false)];
        assert_eq!(joined(all), [of(1, 3, true), of(3, 4, false), of(5, 6, false)]);
    }
}
