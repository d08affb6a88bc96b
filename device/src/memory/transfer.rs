//! Copying and filling memory: on the calling thread where it is little, with all cores where it is much, past the caches where they
//! would not hold it.

use super::streaming::{self, STEP};
use crate::live::written;
use crate::machine::machine;
use crate::pool;
use core::ops::Range;
use core::ptr;

/// From this size on, other threads are asked to help.
const SHARED_FROM: usize = 1 << 20;

/// What a thread takes at a time, at least.
const PIECE: usize = 256 << 10;

/// Pieces begin at multiples of this.
const BLOCK: usize = 4096;

/// A place of a rectangular copy: where its origin is, and how far rows and slices are apart.
#[derive(Clone, Copy, Debug)]
pub struct RectPlace<P> {
    /// The byte at the region's origin.
    pub origin: P,
    /// Bytes from a row to the next.
    pub row_pitch: usize,
    /// Bytes from a slice to the next.
    pub slice_pitch: usize,
}

impl RectPlace<*mut u8> {
    /// The place, to be read from.
    pub fn readable(self) -> RectPlace<*const u8> {
        RectPlace {
            origin: self.origin.cast_const(),
            row_pitch: self.row_pitch,
            slice_pitch: self.slice_pitch,
        }
    }
}

impl<P> RectPlace<P> {
    /// Do rows, and slices, of a region follow each other without a gap, so that they are one long row?
    fn is_dense(&self, [width, height, depth]: [usize; 3]) -> bool {
        (height == 1 || self.row_pitch == width) && (depth == 1 || self.slice_pitch == width * height)
    }

    /// The offset of a row, counted through all slices of `height` rows.
    fn row(&self, row: usize, height: usize) -> usize {
        row / height * self.slice_pitch + row % height * self.row_pitch
    }
}

/// A pointer that goes to the threads that help.
#[derive(Clone, Copy)]
struct Shared<P>(P);

// SAFETY: `copy`, `fill` and `copy_rect` give each thread its own part of what the caller vouched for.
unsafe impl<P> Send for Shared<P> {}
// SAFETY: as above.
unsafe impl<P> Sync for Shared<P> {}

/// Copies `bytes` bytes, with up to `max_workers` threads. The ranges may overlap; then the result is as if the source had been read first.
///
/// # Safety
/// The source must be readable and the destination writable for `bytes` bytes, and nobody else may write to them meanwhile.
pub unsafe fn copy(destination: *mut u8, source: *const u8, bytes: usize, max_workers: usize) {
    written::set(destination, bytes);
    let overlapping = (destination as usize).abs_diff(source as usize) < bytes;
    if overlapping || bytes < SHARED_FROM {
        // SAFETY: the caller's promise.
        return unsafe { ptr::copy(source, destination, bytes) };
    }
    let stream = exceeds_caches(bytes);
    let (to, from) = (Shared(destination), Shared(source));
    in_pieces(bytes, max_workers, move |piece| {
        let (to, from) = (to, from);
        let length = piece.end - piece.start;
        // SAFETY: the piece lies in both ranges, which don't overlap.
        unsafe {
            let (to, from) = (to.0.add(piece.start), from.0.add(piece.start));
            if stream {
                copy_streaming(to, from, length)
            } else {
                ptr::copy_nonoverlapping(from, to, length)
            }
        }
    });
}

/// Fills `bytes` bytes with repetitions of a pattern of 1 to 128 bytes (a power of two); the last one is cut off where `bytes` is no
/// multiple of its size.
///
/// # Safety
/// The destination must be writable for `bytes` bytes, and nobody else may access it meanwhile.
pub unsafe fn fill(destination: *mut u8, pattern: &[u8], bytes: usize, max_workers: usize) {
    debug_assert!(pattern.len().is_power_of_two() && pattern.len() <= STEP);
    if pattern.is_empty() || bytes == 0 {
        return;
    }
    written::set(destination, bytes);
    let mut block = [0; STEP];
    block
        .iter_mut()
        .zip(pattern.iter().cycle())
        .for_each(|(byte, &value)| *byte = value);
    let stream = exceeds_caches(bytes);
    let to = Shared(destination);
    in_pieces(bytes, max_workers, move |piece| {
        let to = to;
        // SAFETY: the piece lies in the destination; pieces begin at multiples of every pattern's size.
        unsafe { fill_piece(to.0.add(piece.start), &block, piece.end - piece.start, stream) };
    });
}

/// Copies a region of `region[0]` bytes by `region[1]` rows by `region[2]` slices, with up to `max_workers` threads.
///
/// # Safety
/// Every row of the region must be readable in the source and writable in the destination; the regions must not overlap, and nobody else may
/// write to them meanwhile.
pub unsafe fn copy_rect(destination: RectPlace<*mut u8>, source: RectPlace<*const u8>, region: [usize; 3], max_workers: usize) {
    let [width, height, depth] = region;
    if destination.is_dense(region) && source.is_dense(region) {
        // SAFETY: the region is one range of both places.
        return unsafe { copy(destination.origin, source.origin, width * height * depth, max_workers) };
    }
    let (to, from) = (Shared(destination), Shared(source));
    in_rows(region, max_workers, move |row, workers| {
        let (Shared(to), Shared(from)) = { (to, from) };
        // SAFETY: a row of the region.
        unsafe {
            copy(
                to.origin.add(to.row(row, height)),
                from.origin.add(from.row(row, height)),
                width,
                workers,
            )
        };
    });
}

/// Fills a region, as [`fill`] does: the pattern begins anew in each row.
///
/// # Safety
/// Every row of the region must be writable, and nobody else may access it meanwhile.
pub unsafe fn fill_rect(destination: RectPlace<*mut u8>, pattern: &[u8], region: [usize; 3], max_workers: usize) {
    let [width, height, depth] = region;
    if destination.is_dense(region) && width.is_multiple_of(pattern.len().max(1)) {
        // SAFETY: the region is one range.
        return unsafe { fill(destination.origin, pattern, width * height * depth, max_workers) };
    }
    let to = Shared(destination);
    in_rows(region, max_workers, move |row, workers| {
        let Shared(to) = { to };
        // SAFETY: a row of the region.
        unsafe { fill(to.origin.add(to.row(row, height)), pattern, width, workers) };
    });
}

/// Would a transfer of this size push everything else out of the caches, itself included?
fn exceeds_caches(bytes: usize) -> bool {
    bytes as u64 > machine().caches.last_level() && streaming::available()
}

/// Calls `f` with parts of `0..bytes`: with the whole where it is little, else from several threads.
fn in_pieces(bytes: usize, max_workers: usize, f: impl Fn(Range<usize>) + Send + Sync) {
    if bytes < SHARED_FROM {
        return f(0..bytes);
    }
    pool::for_each_range(bytes.div_ceil(BLOCK) as u64, (PIECE / BLOCK) as u64, max_workers, |blocks| {
        f(blocks.start as usize * BLOCK..bytes.min(blocks.end as usize * BLOCK));
    });
}

/// # Safety
/// Both ranges must be valid and disjoint, and [`streaming::available`] true.
unsafe fn copy_streaming(to: *mut u8, from: *const u8, bytes: usize) {
    let head = to.align_offset(STEP).min(bytes);
    let steps = (bytes - head) / STEP;
    let tail = head + steps * STEP;
    // SAFETY: head, steps and tail are the whole range; the steps begin at a multiple of their size.
    unsafe {
        ptr::copy_nonoverlapping(from, to, head);
        streaming::copy(to.add(head), from.add(head), steps);
        ptr::copy_nonoverlapping(from.add(tail), to.add(tail), bytes - tail);
    }
}

/// # Safety
/// The range must be valid, and [`streaming::available`] true if `stream`.
unsafe fn fill_piece(to: *mut u8, block: &[u8; STEP], bytes: usize, stream: bool) {
    if block.iter().all(|&byte| byte == block[0]) && !stream {
        // SAFETY: the caller's promise.
        return unsafe { to.write_bytes(block[0], bytes) };
    }
    let head = if stream { to.align_offset(STEP).min(bytes) } else { 0 };
    let mut turned = *block;
    turned.rotate_left(head % STEP);
    let steps = (bytes - head) / STEP;
    let tail = head + steps * STEP;
    // SAFETY: head, steps and tail are the whole range; head and tail are shorter than a block.
    unsafe {
        ptr::copy_nonoverlapping(block.as_ptr(), to, head);
        if stream {
            streaming::fill(to.add(head), &turned, steps);
        } else {
            (0..steps).for_each(|step| ptr::copy_nonoverlapping(turned.as_ptr(), to.add(step * STEP), STEP));
        }
        ptr::copy_nonoverlapping(turned.as_ptr(), to.add(tail), bytes - tail);
    }
}

/// Calls `f` for each row of a region, with the number of threads that may work on it: from one thread where the region is little, or its rows
/// are long enough to be shared themselves, else from several.
fn in_rows([width, height, depth]: [usize; 3], max_workers: usize, f: impl Fn(usize, usize) + Send + Sync) {
    let rows = height * depth;
    let bytes = width.saturating_mul(rows);
    if width >= SHARED_FROM || bytes < SHARED_FROM {
        return (0..rows).for_each(|row| f(row, max_workers));
    }
    pool::for_each_range(rows as u64, PIECE.div_ceil(width) as u64, max_workers, |range| {
        (range.start as usize..range.end as usize).for_each(|row| f(row, 1));
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(count: usize) -> Vec<u8> {
        (0..count as u64)
            .map(|index| (index.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as u8)
            .collect()
    }

    /// Sizes around each change of method; the last is beyond the caches of most machines' single cores.
    const SIZES: [usize; 8] = [0, 1, 127, 4096, SHARED_FROM - 1, SHARED_FROM, SHARED_FROM + 12345, 5 << 20];

    #[test]
    fn copies_are_exact() {
        for bytes in SIZES {
            for (to, from) in [(0, 0), (1, 0), (0, 3), (77, 5)] {
                let source = numbers(bytes + from);
                let mut destination = vec![0xaa; to + bytes + 1];
                // SAFETY: both vectors are long enough.
                unsafe { copy(destination.as_mut_ptr().add(to), source.as_ptr().add(from), bytes, usize::MAX) };
                assert!(destination[to..to + bytes] == source[from..], "{bytes} bytes");
                assert!(destination[..to].iter().all(|&byte| byte == 0xaa) && destination[to + bytes] == 0xaa);
            }
        }
    }

    #[test]
    fn streaming_copies_and_fills_are_exact() {
        if !streaming::available() {
            return;
        }
        for bytes in [0, 1, 31, 127, 128, 129, 1000, 100_000] {
            for shift in [0, 1, 31, 64, 127] {
                let source = numbers(bytes + 5);
                let mut destination = vec![0xaa; shift + bytes + 1];
                // SAFETY: both vectors are long enough.
                unsafe { copy_streaming(destination.as_mut_ptr().add(shift), source.as_ptr().add(5), bytes) };
                assert!(destination[shift..shift + bytes] == source[5..] && destination[shift + bytes] == 0xaa);
                let block: [u8; STEP] = core::array::from_fn(|index| index as u8);
                // SAFETY: the vector is long enough.
                unsafe { fill_piece(destination.as_mut_ptr().add(shift), &block, bytes, true) };
                assert!(
                    destination[shift..shift + bytes]
                        .iter()
                        .zip(block.iter().cycle())
                        .all(|(a, b)| a == b)
                );
                assert_eq!(destination[shift + bytes], 0xaa);
            }
        }
    }

    #[test]
    fn overlapping_copies_are_as_if_read_first() {
        for bytes in [1000, 3 << 20] {
            for (to, from) in [(0, 7), (7, 0), (bytes / 2, 0), (0, bytes / 2)] {
                let mut memory = numbers(2 * bytes);
                let expected = memory[from..from + bytes].to_vec();
                // SAFETY: both ranges lie in the vector.
                unsafe { copy(memory.as_mut_ptr().add(to), memory.as_ptr().add(from), bytes, usize::MAX) };
                assert!(memory[to..to + bytes] == expected);
            }
        }
    }

    #[test]
    fn fills_are_exact() {
        for bytes in SIZES {
            for size in [1, 2, 4, 8, 16, 32, 64, 128] {
                let pattern = numbers(size);
                let mut destination = vec![0xaa; bytes + 1];
                // SAFETY: the vector is long enough.
                unsafe { fill(destination.as_mut_ptr(), &pattern, bytes, usize::MAX) };
                assert!(
                    destination[..bytes].iter().zip(pattern.iter().cycle()).all(|(a, b)| a == b),
                    "{bytes} bytes of {size}"
                );
                assert_eq!(destination[bytes], 0xaa);
            }
        }
    }

    #[test]
    fn rectangles_are_filled_row_by_row() {
        let pattern = [1, 2, 3, 4];
        // Dense, with gaps, and large enough for several threads.
        for (row_pitch, slice_pitch, region) in [(12, 60, [12, 5, 2]), (16, 80, [12, 4, 2]), (4100, 4100 * 700, [4096, 600, 1])] {
            let mut bytes = vec![9; slice_pitch * region[2]];
            let place = RectPlace {
                origin: bytes.as_mut_ptr(),
                row_pitch,
                slice_pitch,
            };
            // SAFETY: the region lies in `bytes`.
            unsafe { fill_rect(place, &pattern, region, 4) };
            let filled = |index: usize| {
                let (x, y) = (index % row_pitch, index % slice_pitch / row_pitch);
                (x < region[0] && y < region[1]).then(|| pattern[x % 4])
            };
            assert!(bytes.iter().enumerate().all(|(index, &byte)| byte == filled(index).unwrap_or(9)));
        }
    }

    #[test]
    fn rectangles_are_copied_row_by_row() {
        for (region, from_pitch, to_pitch) in [
            ([5, 4, 3], [9, 50], [7, 40]),
            ([8, 4, 3], [8, 32], [8, 32]),
            ([8, 4, 3], [8, 32], [8, 33]),
            ([8, 1, 3], [100, 32], [200, 40]),
            ([1000, 700, 3], [1001, 1_000_000], [1024, 800_000]),
            ([2 << 20, 2, 1], [(2 << 20) + 5, 0], [2 << 20, 0]),
            ([0, 4, 3], [9, 50], [7, 40]),
        ] {
            let span = |pitch: [usize; 2]| pitch[1] * (region[2] - 1) + pitch[0] * (region[1] - 1) + region[0];
            let source = numbers(span(from_pitch));
            let mut destination = vec![0; span(to_pitch)];
            let mut expected = destination.clone();
            for z in 0..region[2] {
                for y in 0..region[1] {
                    let (from, to) = (z * from_pitch[1] + y * from_pitch[0], z * to_pitch[1] + y * to_pitch[0]);
                    expected[to..to + region[0]].copy_from_slice(&source[from..from + region[0]]);
                }
            }
            let from = RectPlace {
                origin: source.as_ptr(),
                row_pitch: from_pitch[0],
                slice_pitch: from_pitch[1],
            };
            let to = RectPlace {
                origin: destination.as_mut_ptr(),
                row_pitch: to_pitch[0],
                slice_pitch: to_pitch[1],
            };
            // SAFETY: the vectors span the regions.
            unsafe { copy_rect(to, from, region, usize::MAX) };
            assert!(destination == expected, "{region:?}");
        }
    }
}
