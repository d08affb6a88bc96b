//! Freed blocks of memory that a thread keeps at hand while it compiles.
//!
//! A compiler asks for thousands of small blocks, and gives most of them back before the next pass. The C library's own stock of such blocks is seven of a
//! size for each thread; beyond that it joins neighbours and parts them again. [`Allocator`] is the system's, with a larger stock inside [`stocked`].
//! Outside, it is the system's alone: launches and host threads hold no memory back.
//!
//! In front of each block is a word that tells its size. What gives a block back need not compute it then, which would make the library 3 % larger.

use core::alloc::{GlobalAlloc, Layout};
use core::cell::Cell;
use core::ptr::{self, null_mut};
use core::sync::atomic::{AtomicPtr, Ordering};
use std::alloc::System;

/// Blocks have multiples of so many bytes, up to [`SMALL`].
const STEP: usize = 16;

/// Of so many bytes at most, each multiple of [`STEP`] is a size.
const SMALL: usize = 1024;

/// Beyond, each doubling has so many sizes.
const SIZES_A_DOUBLING: usize = 4;

/// Larger blocks are the system's at once.
const LARGEST: usize = 64 << 10;

/// Sizes of blocks.
const SIZES: usize = SMALL / STEP + SIZES_A_DOUBLING * (LARGEST / SMALL).ilog2() as usize;

/// Bytes that a stock holds at most.
const MOST: usize = 1 << 20;

/// Bytes of the word in front of a block: the number of its size, or the bytes that were asked for, of blocks that have none.
const WORD: usize = size_of::<usize>();

/// Blocks that were given back: a list for each size, whose links are in the blocks.
struct Stock {
    lists: [*mut Block; SIZES],
    bytes: usize,
}

/// What a block in a list begins with.
struct Block {
    next: *mut Block,
}

std::thread_local! {
    /// The stock of a thread that is inside [`stocked`].
    static STOCK: Cell<*mut Stock> = const { Cell::new(null_mut()) };
}

/// The stock of whoever was inside last, for whoever comes next.
static RESTING: AtomicPtr<Stock> = AtomicPtr::new(null_mut());

/// The system's allocator, which takes from the thread's stock where there is one.
#[derive(Debug)]
pub struct Allocator;

/// The number of the size of a block for so many bytes. (Nobody asks for none.)
fn number_of(bytes: usize) -> usize {
    if bytes <= SMALL {
        return bytes.wrapping_sub(1) / STEP;
    }
    let doubling = (bytes - 1).ilog2();
    let step = (1 << doubling) / SIZES_A_DOUBLING;
    let doublings = (doubling - SMALL.ilog2()) as usize;
    SMALL / STEP + doublings * SIZES_A_DOUBLING + bytes.div_ceil(step) - SIZES_A_DOUBLING - 1
}

/// The bytes of a size.
fn size_of_number(number: usize) -> usize {
    match number.checked_sub(SMALL / STEP) {
        None => (number + 1) * STEP,
        Some(larger) => (SMALL << (larger / SIZES_A_DOUBLING)) / SIZES_A_DOUBLING * (SIZES_A_DOUBLING + 1 + larger % SIZES_A_DOUBLING),
    }
}

/// What the system is asked for, for a block with this word.
fn whole(word: usize) -> Layout {
    let bytes = if word < SIZES { size_of_number(word) } else { word };
    // SAFETY: a power of two; no layout is so large that a word more would not fit.
    unsafe { Layout::from_size_align_unchecked(WORD + bytes, WORD) }
}

/// A new block for the word.
fn make(word: usize, system: impl FnOnce(Layout) -> *mut u8) -> *mut u8 {
    let start = system(whole(word));
    if start.is_null() {
        return start;
    }
    // SAFETY: there is room for the word and what comes behind it.
    unsafe {
        start.cast::<usize>().write(word);
        start.add(WORD)
    }
}

/// # Safety
/// [`make`] has made the block.
unsafe fn word_of(block: *mut u8) -> usize {
    // SAFETY: the word is in front of it.
    unsafe { block.sub(WORD).cast::<usize>().read() }
}

/// # Safety
/// [`make`] has made the block with this word, and nobody uses it any more.
unsafe fn unmake(block: *mut u8, word: usize) {
    // SAFETY: so the system made it.
    unsafe { System.dealloc(block.sub(WORD), whole(word)) }
}

#[inline(never)]
fn take(bytes: usize) -> *mut u8 {
    // SAFETY: no layout is empty.
    let system = |layout| unsafe { System.alloc(layout) };
    if bytes > LARGEST {
        return make(bytes, system);
    }
    let number = number_of(bytes);
    let stock = STOCK.get();
    if !stock.is_null() {
        // SAFETY: this thread's, which nothing else uses.
        if let Some(block) = unsafe { &mut *stock }.take(number) {
            return block;
        }
    }
    make(number, system)
}

#[inline(never)]
fn take_zeroed(bytes: usize) -> *mut u8 {
    if STOCK.get().is_null() || bytes > LARGEST {
        let word = if bytes > LARGEST { bytes } else { number_of(bytes) };
        // SAFETY: no layout is empty.
        return make(word, |layout| unsafe { System.alloc_zeroed(layout) });
    }
    let block = take(bytes);
    if !block.is_null() {
        // SAFETY: it has as many bytes.
        unsafe { block.write_bytes(0, bytes) };
    }
    block
}

/// # Safety
/// The block came from here, and nobody uses it any more.
#[inline(never)]
unsafe fn give(block: *mut u8) {
    // SAFETY: the caller's promise.
    let word = unsafe { word_of(block) };
    let stock = STOCK.get();
    // SAFETY: the stock is this thread's, which nothing else uses; the rest is the caller's promise.
    unsafe {
        if stock.is_null() || word >= SIZES || !(*stock).put(block, word) {
            unmake(block, word);
        }
    }
}

/// # Safety
/// The block came from here; where the result is not null, nobody uses the old one any more.
#[inline(never)]
unsafe fn resize(block: *mut u8, bytes: usize) -> *mut u8 {
    // SAFETY: the caller's promise.
    let word = unsafe { word_of(block) };
    let small = bytes <= LARGEST;
    if small && word == number_of(bytes) {
        return block;
    }
    if !small && word >= SIZES {
        // SAFETY: the system made it, with this layout. (It moves the word too.)
        return make(bytes, |_| unsafe { System.realloc(block.sub(WORD), whole(word), WORD + bytes) });
    }
    let new = take(bytes);
    if !new.is_null() {
        let old = if word < SIZES { size_of_number(word) } else { word };
        // SAFETY: both have as many bytes.
        unsafe {
            ptr::copy_nonoverlapping(block, new, old.min(bytes));
            give(block);
        }
    }
    new
}

impl Stock {
    fn take(&mut self, number: usize) -> Option<*mut u8> {
        let block = self.lists[number];
        if block.is_null() {
            return None;
        }
        // SAFETY: what is in a list is a block that nobody uses, and begins with a link.
        self.lists[number] = unsafe { (*block).next };
        self.bytes -= size_of_number(number);
        Some(block.cast())
    }

    /// False if there is no room for it.
    ///
    /// # Safety
    /// The block is of this size, came from [`Allocator`], and nobody uses it any more.
    unsafe fn put(&mut self, block: *mut u8, number: usize) -> bool {
        let bytes = self.bytes + size_of_number(number);
        if bytes > MOST {
            return false;
        }
        self.bytes = bytes;
        let block = block.cast::<Block>();
        let next = self.lists[number];
        // SAFETY: it has room for a link, and is aligned for it.
        unsafe { block.write(Block { next }) };
        self.lists[number] = block;
        true
    }

    /// Gives all blocks back to the system.
    fn clear(&mut self) {
        for number in 0..SIZES {
            while let Some(block) = self.take(number) {
                // SAFETY: nobody uses what was in a list.
                unsafe { unmake(block, number) };
            }
        }
    }
}

// SAFETY: blocks are the system's, with as many bytes as were asked for or more, and in one place at a time: with who asked for them, or in one list of one
// stock, which one thread uses. Those of a larger alignment than a word's are the system's alone.
unsafe impl GlobalAlloc for Allocator {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if layout.align() > WORD {
            // SAFETY: the caller's promise.
            return unsafe { System.alloc(layout) };
        }
        take(layout.size())
    }

    #[inline]
    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise.
        unsafe {
            match layout.align() > WORD {
                true => System.dealloc(block, layout),
                false => give(block),
            }
        }
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if layout.align() > WORD {
            // SAFETY: the caller's promise.
            return unsafe { System.alloc_zeroed(layout) };
        }
        take_zeroed(layout.size())
    }

    #[inline]
    unsafe fn realloc(&self, block: *mut u8, layout: Layout, bytes: usize) -> *mut u8 {
        // SAFETY: the caller's promise.
        unsafe {
            match layout.align() > WORD {
                true => System.realloc(block, layout, bytes),
                false => resize(block, bytes),
            }
        }
    }
}

/// Does `work` with blocks at hand, if [`Allocator`] is the library's.
pub fn stocked<R>(work: impl FnOnce() -> R) -> R {
    struct Inside;

    impl Drop for Inside {
        fn drop(&mut self) {
            let stock = STOCK.replace(null_mut());
            if let Some(other) = ptr::NonNull::new(RESTING.swap(stock, Ordering::AcqRel)) {
                discard(other.as_ptr());
            }
        }
    }

    if !STOCK.get().is_null() {
        return work();
    }
    let mut stock = RESTING.swap(null_mut(), Ordering::AcqRel);
    if stock.is_null() {
        stock = Box::into_raw(Box::new(Stock {
            lists: [null_mut(); SIZES],
            bytes: 0,
        }));
    }
    STOCK.set(stock);
    let _inside = Inside;
    work()
}

/// Gives back what rests, before the library is unloaded.
pub fn give_back() {
    let stock = RESTING.swap(null_mut(), Ordering::AcqRel);
    if !stock.is_null() {
        discard(stock);
    }
}

fn discard(stock: *mut Stock) {
    // SAFETY: a stock that was made by `stocked`, and taken from where others could find it.
    let mut stock = unsafe { Box::from_raw(stock) };
    stock.clear();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_cover_what_is_asked_for() {
        let mut before = None;
        for bytes in 1..=LARGEST {
            let number = number_of(bytes);
            let size = size_of_number(number);
            assert!(size >= bytes && size.is_multiple_of(STEP), "{bytes}: {size}");
            assert!(size - bytes < STEP.max(bytes / SIZES_A_DOUBLING), "{bytes}: {size}");
            assert!(
                before.is_none_or(|before| number == before || number == before + 1),
                "{bytes}: {number}"
            );
            before = Some(number);
        }
        assert_eq!(before, Some(SIZES - 1));
    }

    fn bytes(size: usize) -> Layout {
        Layout::from_size_align(size, 8).unwrap()
    }

    #[test]
    fn blocks_come_back_inside_and_are_the_systems_outside() {
        // SAFETY: each block is given back once, with the layout it has by then.
        unsafe {
            let outside = Allocator.alloc(bytes(40));
            let again = stocked(|| {
                let first = Allocator.alloc(bytes(40));
                Allocator.dealloc(first, bytes(40));
                Allocator.dealloc(outside, bytes(40));
                assert_eq!(Allocator.alloc_zeroed(bytes(40)), outside, "the last comes first");
                assert!((0..40).all(|at| outside.add(at).read() == 0));
                outside.write(7);
                let same = Allocator.realloc(outside, bytes(40), 48);
                assert_eq!(same, outside, "a block grows within its size");
                let larger = Allocator.realloc(same, bytes(48), 100_000);
                let larger = Allocator.realloc(larger, bytes(100_000), 200_000);
                assert_eq!(larger.read(), 7);
                let smaller = Allocator.realloc(larger, bytes(200_000), 48);
                assert_eq!((smaller, smaller.read()), (outside, 7));
                smaller
            });
            Allocator.dealloc(again, bytes(48));
        }
    }

    #[test]
    fn what_is_more_aligned_is_the_systems() {
        let layout = Layout::from_size_align(100, 64).unwrap();
        // SAFETY: the block is given back once, with the layout it has by then.
        unsafe {
            let block = stocked(|| Allocator.alloc_zeroed(layout));
            assert!(block.addr().is_multiple_of(64) && (0..100).all(|at| block.add(at).read() == 0));
            block.write(7);
            let block = Allocator.realloc(block, layout, 10_000);
            assert!(block.addr().is_multiple_of(64) && block.read() == 7);
            Allocator.dealloc(block, Layout::from_size_align(10_000, 64).unwrap());
        }
    }

    #[test]
    fn a_stock_holds_no_more_than_it_may() {
        stocked(|| {
            // SAFETY: each block is given back once; the stock is this thread's.
            unsafe {
                let blocks: Vec<*mut u8> = (0..2 * MOST / LARGEST).map(|_| Allocator.alloc(bytes(LARGEST))).collect();
                blocks.into_iter().for_each(|block| Allocator.dealloc(block, bytes(LARGEST)));
                let stock = &mut *STOCK.get();
                assert!((MOST - LARGEST..=MOST).contains(&stock.bytes), "{}", stock.bytes);
                stock.clear();
                assert_eq!(stock.bytes, 0);
            }
        });
    }
}
