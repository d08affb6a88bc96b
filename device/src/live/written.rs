//! Checked mode: which bytes of buffers host and device have written (the check `global-uninit`).
//!
//! An allocation that is followed has a shadow of its size: what is written sets its bytes there to ones, as Memcheck does it (Seward and
//! Nethercote, USENIX ATC 2005), a byte for each byte, so that no two threads change one byte for different bytes. Kernels do it themselves where a
//! launch tells them where the shadow is, else they ask ([`brolga_written`]); commands of the host do it in [`crate::memory`]. What is written
//! once stays so. Of all other memory, nobody knows what it holds: it counts as written.

use super::{KNOWN, Known, WRITES, watch};
use crate::memory::Allocation;
use std::sync::atomic::{AtomicBool, Ordering};

/// This bit of the last operand of [`brolga_written`] says that it is enough that some of the bytes were written.
pub const SOME: u64 = 1 << 62;

static FOLLOWED: AtomicBool = AtomicBool::new(false);

/// Begins to follow what is written to allocations that ask for it.
pub fn follow_all() {
    watch();
    FOLLOWED.store(true, Ordering::Relaxed);
}

fn is_followed() -> bool {
    FOLLOWED.load(Ordering::Relaxed)
}

/// The shadow of an allocation.
#[derive(Debug)]
pub(super) struct Shadow {
    bytes: Allocation,
    /// All of it was written.
    is_full: bool,
}

impl Known {
    /// The shadow of so many bytes at an address, as far as they are in an allocation that is followed.
    fn shadow(&self, address: usize, bytes: usize) -> Option<(*mut u8, usize)> {
        let (&start, object) = self.objects.range(..=address).next_back()?;
        let shadow = object.shadow.as_ref()?;
        let offset = address - start;
        let rest = object.bytes.checked_sub(offset)?;
        Some((shadow.bytes.as_ptr().wrapping_add(offset), bytes.min(rest)))
    }
}

/// Gives an allocation that is noted its shadow: nobody has written to it. Without memory for it, it is not followed.
pub(crate) fn follow(start: usize) {
    if !is_followed() {
        return;
    }
    if let Some(object) = KNOWN.get().lock().objects.get_mut(&start) {
        let bytes = Allocation::untouched(object.bytes).ok();
        object.shadow = bytes.map(|bytes| Shadow { bytes, is_full: false });
    }
}

/// Notes that so many bytes are written, or may be.
pub fn set(start: *const u8, bytes: usize) {
    if !is_followed() {
        return;
    }
    if let Some((shadow, bytes)) = KNOWN.get().lock().shadow(start as usize, bytes) {
        // SAFETY: the shadow has so many bytes there, and lasts while what is known is locked. Kernels write nothing else there.
        unsafe { shadow.write_bytes(u8::MAX, bytes) };
    }
}

/// Notes that anything may be written that is followed now.
pub fn set_all() {
    if !is_followed() {
        return;
    }
    for object in KNOWN.get().lock().objects.values_mut() {
        if let Some(shadow) = object.shadow.as_mut().filter(|shadow| !shadow.is_full) {
            // SAFETY: its own memory, as above.
            unsafe { shadow.bytes.as_ptr().write_bytes(u8::MAX, shadow.bytes.bytes()) };
            shadow.is_full = true;
        }
    }
}

/// Where the shadow of what is at an address is; 0 where it is not followed.
pub fn shadow_of(address: usize) -> u64 {
    if !is_followed() {
        return 0;
    }
    KNOWN.get().lock().shadow(address, 0).map_or(0, |(shadow, _)| shadow as u64)
}

/// The type of [`brolga_written`]: address, bytes with [`WRITES`] and [`SOME`].
pub type WrittenFunction = unsafe extern "C" fn(address: u64, bytes: u64) -> u32;

/// Were so many bytes at an address written? With [`WRITES`], they are now.
///
/// # Safety
/// To be called from kernel code.
pub unsafe extern "C" fn brolga_written(address: u64, what: u64) -> u32 {
    let bytes = (what & !(WRITES | SOME)) as usize;
    let known = KNOWN.get().lock();
    let Some((shadow, bytes)) = known.shadow(address as usize, bytes).filter(|&(_, bytes)| bytes > 0) else {
        return 1;
    };
    // SAFETY: the shadow has so many bytes there, and lasts while what is known is locked. Where kernels change them meanwhile, either value is right.
    let mut each = (0..bytes).map(|at| unsafe { shadow.add(at).read_volatile() } != 0);
    let written = match what & SOME != 0 {
        true => each.any(|written| written),
        false => each.all(|written| written),
    };
    if what & WRITES != 0 {
        // SAFETY: as above.
        unsafe { shadow.write_bytes(u8::MAX, bytes) };
    }
    written.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_stays_written_and_what_is_not_followed_counts_as_written() {
        follow_all();
        let (one, other) = (Allocation::new(64, 0).expect("memory"), Allocation::new(64, 0).expect("memory"));
        one.follow_writes();
        let start = one.as_ptr() as u64;
        // SAFETY: it reads and writes the shadow alone.
        let written = |address: u64, what: u64| unsafe { brolga_written(address, what) } == 1;
        assert!(!written(start, 4));
        assert!(written(other.as_ptr() as u64, 4) && written(16, 4) && written(start, 0));
        set(one.as_ptr(), 6);
        assert!(written(start, 6) && !written(start, 8) && written(start, 8 | SOME) && !written(start + 8, 8 | SOME));
        // An atomic operation reads, then writes; the end of the allocation is the end of what is looked at.
        assert!(!written(start + 60, 4 | WRITES) && written(start + 60, 4) && written(start + 60, 40));
        assert_eq!(shadow_of(start as usize + 60), shadow_of(start as usize) + 60);
        assert_eq!(shadow_of(other.as_ptr() as usize), 0);
        set_all();
        assert!(written(start, 64));
        let (freed, _) = (shadow_of(start as usize), drop(one));
        assert_eq!(
            shadow_of(start as usize),
            freed,
            "who still has a pointer there writes to no other memory"
        );
    }
}
