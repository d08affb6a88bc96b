//! Memory by address: loads, stores, copies, atomics, and the memory of program-scope variables.

use core::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering};
use ir::*;

/// Loads the bits of an element.
///
/// # Safety
/// The bytes at `address` must be readable.
pub(super) unsafe fn load(elem: Elem, address: u64) -> u64 {
    let mut bytes = [0; 8];
    // SAFETY: the caller's promise; an element has 8 bytes at most.
    unsafe { std::ptr::copy_nonoverlapping(address as *const u8, bytes.as_mut_ptr(), elem.bytes() as usize) };
    u64::from_le_bytes(bytes)
}

/// Stores the bits of an element.
///
/// # Safety
/// The bytes at `address` must be writable.
pub(super) unsafe fn store(elem: Elem, address: u64, bits: u64) {
    let bytes = bits.to_le_bytes();
    // SAFETY: the caller's promise; an element has 8 bytes at most.
    unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), address as *mut u8, elem.bytes() as usize) };
}

/// Replaces an element by `change(old)` and gives the old one; nothing happens where that is none. Atomic where the address is aligned.
///
/// # Safety
/// The bytes at `address` must be readable and writable.
pub(super) unsafe fn update(elem: Elem, address: u64, change: impl Fn(u64) -> Option<u64>) -> u64 {
    macro_rules! atomic {
        ($atomic:ty, $int:ty) => {{
            // SAFETY: the caller's promise; the address is aligned.
            let cell = unsafe { <$atomic>::from_ptr(address as *mut $int) };
            let change = |old: $int| change(u64::from(old)).map(|new| new as $int);
            match cell.fetch_update(Ordering::SeqCst, Ordering::SeqCst, change) {
                Ok(old) | Err(old) => u64::from(old),
            }
        }};
    }
    if !address.is_multiple_of(u64::from(elem.bytes())) {
        // SAFETY: the caller's promise.
        let old = unsafe { load(elem, address) };
        if let Some(new) = change(old) {
            // SAFETY: the caller's promise.
            unsafe { store(elem, address, new) };
        }
        return old;
    }
    match elem.bytes() {
        1 => atomic!(AtomicU8, u8),
        2 => atomic!(AtomicU16, u16),
        4 => atomic!(AtomicU32, u32),
        _ => atomic!(AtomicU64, u64),
    }
}

/// The program-scope variables of a module, with their initial contents.
#[derive(Debug, Default)]
pub struct GlobalMemory {
    _bytes: Bytes,
    /// Where each is: what [`super::Config::globals`] wants.
    pub addresses: Vec<u64>,
}

impl GlobalMemory {
    /// Allocates and fills it.
    pub fn new(module: &Module) -> GlobalMemory {
        let mut offsets = Vec::new();
        let mut end = 0u64;
        for data in module.globals.values() {
            let offset = end.next_multiple_of(u64::from(data.align.max(1)));
            offsets.push(offset);
            end = offset + data.bytes.len() as u64;
        }
        let mut bytes = Bytes::new(end + READABLE_BEHIND as u64);
        let base = bytes.address();
        for (data, &offset) in module.globals.values().zip(&offsets) {
            let offset = offset as usize;
            let bytes = bytes.as_mut_slice();
            bytes[offset..offset + data.bytes.len()].copy_from_slice(&data.bytes);
            for &(at, target, addend) in &data.relocations {
                let address = base.wrapping_add(offsets[target.as_u32() as usize]).wrapping_add_signed(addend);
                let at = offset + at as usize;
                bytes[at..at + 8].copy_from_slice(&address.to_le_bytes());
            }
        }
        GlobalMemory {
            addresses: offsets.iter().map(|offset| base + offset).collect(),
            _bytes: bytes,
        }
    }
}

/// Memory whose first byte is aligned to 128.
#[derive(Debug, Default)]
pub(super) struct Bytes {
    blocks: Vec<Aligned>,
}

#[derive(Clone, Copy, Debug)]
#[repr(C, align(128))]
struct Aligned([u8; 128]);

impl Bytes {
    pub(super) fn new(size: u64) -> Bytes {
        let count = size.div_ceil(128) as usize;
        Bytes {
            blocks: vec![Aligned([0; 128]); count.max(1)],
        }
    }

    /// Where it begins. The memory is meant to be written by address.
    pub(super) fn address(&mut self) -> u64 {
        self.blocks.as_mut_ptr() as u64
    }

    fn as_mut_slice(&mut self) -> &mut [u8] {
        let length = self.blocks.len() * 128;
        // SAFETY: the blocks are bytes without padding, one after the other.
        unsafe { std::slice::from_raw_parts_mut(self.blocks.as_mut_ptr().cast(), length) }
    }
}
