//! Memory for machine code: an arena of whole pages, which are written first, then executable, never both.
//!
//! A piece has pages of its own, so that writing one takes nothing from another that runs meanwhile. Its pages go back to the system when it is
//! dropped, and its addresses to the arena.

use device::code::{self, Access};
use device::fork::PerProcess;
use device::lock::Lock;
use device::machine::machine;
use std::io;
use std::ops::Range;
use wasmtime_internal_jit_icache_coherence::pipeline_flush_mt;

/// Addresses are reserved so many at a time: code that is near other code shares what the processor keeps of page tables.
const REGION_BYTES: usize = 16 << 20;

/// A child of fork() starts with an arena of its own: a thread that it does not have may have been at work in its parent's.
static ARENA: PerProcess<Lock<Arena>> = PerProcess::new(|| Lock::new(Arena::default()));

/// Pages with finished code in them.
#[derive(Debug)]
pub struct CodeMemory {
    pages: Range<usize>,
    arena: &'static Lock<Arena>,
}

impl CodeMemory {
    /// Takes pages for `bytes` bytes of code, lets `write` fill them (it learns where they will run), and makes them executable.
    pub fn new(bytes: usize, write: impl FnOnce(&mut [u8], u64)) -> Result<CodeMemory, String> {
        let refused = |why: io::Error| format!("no memory for {bytes} bytes of machine code: {why}");
        let arena = ARENA.get();
        let pages = arena
            .lock()
            .take(bytes.max(1).next_multiple_of(machine().page_bytes))
            .map_err(refused)?;
        // From here on `Drop` gives the pages back, whatever happens.
        let memory = CodeMemory { pages, arena };
        memory.protect(Access::Write).map_err(refused)?;
        // SAFETY: the arena gave these pages to nobody else, they are readable and writable, and zero since they were reserved.
        let code = unsafe { std::slice::from_raw_parts_mut(memory.pages.start as *mut u8, bytes) };
        write(code, memory.pages.start as u64);
        memory.protect(Access::Execute).map_err(refused)?;
        memory.synchronize().map_err(refused)?;
        Ok(memory)
    }

    /// The first byte.
    pub fn start(&self) -> *const u8 {
        self.pages.start as *const u8
    }

    fn protect(&self, access: Access) -> io::Result<()> {
        // SAFETY: the pages are this piece's own, and nobody reads or runs them yet.
        unsafe { code::protect(self.pages.clone(), access) }
    }

    /// Processors other than x86-64 have to be told of new code: what was written goes from the data caches to where instructions are fetched
    /// from, what the instruction caches hold of these addresses goes away, and what other threads have fetched already, too.
    fn synchronize(&self) -> io::Result<()> {
        #[cfg(target_arch = "aarch64")]
        {
            unsafe extern "C" {
                /// libgcc's; by the lines that the processor says its caches have (Arm Architecture Reference Manual, B2.4.4).
                fn __clear_cache(first: *const u8, end: *const u8);
            }
            // SAFETY: these addresses are mapped and can be read.
            unsafe { __clear_cache(self.start(), self.pages.end as *const u8) };
        }
        // Its error is the system's own on Linux, and another on Apple's systems.
        pipeline_flush_mt().map_err(io::Error::other)
    }
}

impl Drop for CodeMemory {
    fn drop(&mut self) {
        // SAFETY: who calls the code keeps this value alive, so nobody runs it any more.
        let cleared = unsafe { code::clear(self.pages.clone()) };
        if cleared && std::ptr::eq(self.arena, ARENA.get()) {
            self.arena.lock().give_back(self.pages.clone());
        }
    }
}

/// Addresses that code can have.
#[derive(Debug, Default)]
struct Arena {
    regions: Vec<Region>,
}

/// Reserved addresses.
#[derive(Debug)]
struct Region {
    all: Range<usize>,
    /// Nobody has these; in order, and no two touch each other.
    free: Vec<Range<usize>>,
}

impl Arena {
    /// Whole pages that nobody may touch yet: the first that are large enough.
    fn take(&mut self, bytes: usize) -> io::Result<Range<usize>> {
        if let Some(pages) = self.regions.iter_mut().find_map(|region| region.cut(bytes)) {
            return Ok(pages);
        }
        let size = bytes.max(REGION_BYTES);
        let all = code::reserve(size)?;
        let taken = all.start..all.start + bytes;
        let rest = taken.end..all.end;
        let free = if rest.is_empty() { Vec::new() } else { vec![rest] };
        self.regions.push(Region { all, free });
        Ok(taken)
    }

    fn give_back(&mut self, pages: Range<usize>) {
        let Some(number) = self.regions.iter().position(|region| region.all.contains(&pages.start)) else {
            return;
        };
        let region = &mut self.regions[number];
        region.give_back(pages);
        // One region stays for what comes next.
        if number > 0 && region.free.first() == Some(&region.all) {
            let all = self.regions.swap_remove(number).all;
            // SAFETY: nothing of the region is in use, and it is forgotten.
            unsafe { code::release(all) };
        }
    }
}

impl Region {
    fn cut(&mut self, bytes: usize) -> Option<Range<usize>> {
        let position = self.free.iter().position(|free| free.len() >= bytes)?;
        let free = &mut self.free[position];
        let taken = free.start..free.start + bytes;
        free.start = taken.end;
        if free.start == free.end {
            self.free.remove(position);
        }
        Some(taken)
    }

    fn give_back(&mut self, pages: Range<usize>) {
        let position = self.free.partition_point(|free| free.start < pages.start);
        self.free.insert(position, pages);
        for left in [position, position.wrapping_sub(1)] {
            if left < self.free.len() && left + 1 < self.free.len() && self.free[left].end == self.free[left + 1].start {
                self.free[left].end = self.free.remove(left + 1).end;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What may be done with the page at an address, as the system tells: `r-xp` and its like.
    fn permissions(address: usize) -> String {
        let told = || {
            let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
            maps.lines().find_map(|line| {
                let (range, rest) = line.split_once(' ')?;
                let (start, end) = range.split_once('-')?;
                let [start, end] = [start, end].map(|text| usize::from_str_radix(text, 16).unwrap());
                (start..end).contains(&address).then(|| rest[..4].to_owned())
            })
        };
        // An emulator writes the list itself, and can miss a page while other threads map and unmap theirs.
        (0..10).find_map(|_| told()).unwrap_or_default()
    }

    #[test]
    fn code_is_writable_or_executable_and_then_gone() {
        let mut while_written = String::new();
        let neighbour = CodeMemory::new(1, |_, _| {}).unwrap();
        // So large that it has a region of its own, which no other test gets a part of.
        let bytes = REGION_BYTES + 1;
        let memory = CodeMemory::new(bytes, |code, start| {
            assert_eq!((code.len(), code.as_ptr() as u64), (bytes, start));
            assert!(code[..10_000].iter().all(|&byte| byte == 0));
            code[..10_000].fill(0xcc);
            while_written = permissions(start as usize + 8192);
        })
        .unwrap();
        assert_eq!(while_written, "rw-p");
        let start = memory.start() as usize;
        assert_eq!(permissions(start), "r-xp");
        assert_eq!(permissions(start + REGION_BYTES), "r-xp");
        drop(memory);
        assert_ne!(permissions(start), "r-xp");
        assert_eq!(permissions(neighbour.start() as usize), "r-xp");
    }

    /// A function that returns a number.
    fn returning(number: u16) -> CodeMemory {
        #[cfg(target_arch = "x86_64")]
        let code = [&[0xb8], u32::from(number).to_le_bytes().as_slice(), &[0xc3]].concat();
        #[cfg(target_arch = "aarch64")]
        let code = [0x5280_0000 | u32::from(number) << 5, 0xd65f_03c0].map(u32::to_le_bytes).concat();
        CodeMemory::new(code.len(), |pages, _| pages.copy_from_slice(&code)).unwrap()
    }

    /// Where caches of instructions are not kept up to date by the machine, the code that was there before would run.
    #[test]
    fn new_code_runs_where_other_code_ran_on_each_thread() {
        let (to_runner, pieces) = std::sync::mpsc::sync_channel::<CodeMemory>(0);
        let (to_writer, results) = std::sync::mpsc::sync_channel(0);
        let runner = std::thread::spawn(move || {
            for piece in pieces {
                // SAFETY: `returning` wrote a function of this type there.
                let function = unsafe { core::mem::transmute::<*const u8, extern "C" fn() -> u32>(piece.start()) };
                to_writer.send((piece.start() as usize, function())).unwrap();
            }
        });
        let mut places = std::collections::HashMap::<usize, u32>::new();
        for number in 0..500 {
            to_runner.send(returning(number)).unwrap();
            let (place, result) = results.recv().unwrap();
            assert_eq!(result, u32::from(number));
            *places.entry(place).or_default() += 1;
        }
        drop(to_runner);
        runner.join().unwrap();
        assert!(
            places.values().any(|&times| times > 1),
            "no address was used twice: {}",
            places.len()
        );
    }

    fn arena_of_one_region() -> Arena {
        Arena {
            regions: vec![Region {
                all: 0..1000,
                free: std::iter::once(0..1000).collect(),
            }],
        }
    }

    #[test]
    fn what_comes_back_is_one_piece_again() {
        for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
            let mut arena = arena_of_one_region();
            let pieces = [300, 300, 400].map(|bytes| arena.take(bytes).unwrap());
            assert_eq!(pieces, [0..300, 300..600, 600..1000]);
            assert!(arena.regions[0].free.is_empty());
            for piece in order {
                arena.give_back(pieces[piece].clone());
            }
            assert!(arena.regions[0].free.iter().eq([&(0..1000)]));
        }
    }

    #[test]
    fn the_first_hole_that_is_large_enough_is_taken() {
        let mut arena = arena_of_one_region();
        let pieces = [100, 200, 300, 100].map(|bytes| arena.take(bytes).unwrap());
        arena.give_back(pieces[0].clone());
        arena.give_back(pieces[2].clone());
        assert_eq!(arena.take(150).unwrap(), 300..450);
        assert_eq!(arena.take(100).unwrap(), 0..100);
    }

    #[test]
    fn an_empty_region_goes_back_to_the_system() {
        let mut arena = Arena::default();
        let first = arena.take(machine().page_bytes).unwrap();
        let large = arena.take(2 * REGION_BYTES).unwrap();
        assert_eq!((arena.regions.len(), permissions(large.start).as_str()), (2, "---p"));
        arena.give_back(large);
        assert_eq!(arena.regions.len(), 1);
        arena.give_back(first);
        assert_eq!(arena.regions.len(), 1);
    }
}
