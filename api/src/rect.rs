//! Rectangular regions of buffers, images and host memory: §5.2.2 (clEnqueueReadBufferRect) and appendix D (overlap).

use crate::cl::CL_INVALID_VALUE;
use crate::error::{Result, fail_if};
use ::device::memory::RectPlace;
use std::ops::Range;

/// A region of bytes × rows × slices in a memory with pitches.
#[derive(Clone, Copy, Debug)]
pub struct Rect {
    /// The first byte.
    start: usize,
    /// One past the last byte.
    pub end: usize,
    /// Bytes, rows, slices.
    region: [usize; 3],
    row_pitch: usize,
    slice_pitch: usize,
}

impl Rect {
    /// A region, its pitches checked. Pitches of 0 mean that rows and slices follow each other.
    pub fn new(origin: [usize; 3], region: [usize; 3], row_pitch: usize, slice_pitch: usize) -> Result<Rect> {
        // CL_INVALID_VALUE if any region array element is 0.
        fail_if(region.contains(&0), CL_INVALID_VALUE)?;
        // CL_INVALID_VALUE if row_pitch is not 0 and is less than region[0].
        fail_if(row_pitch != 0 && row_pitch < region[0], CL_INVALID_VALUE)?;
        let row_pitch = if row_pitch == 0 { region[0] } else { row_pitch };
        // CL_INVALID_VALUE if slice_pitch is not 0 and is less than region[1] × row_pitch and not a multiple of row_pitch.
        let slice = region[1].checked_mul(row_pitch).ok_or(CL_INVALID_VALUE)?;
        fail_if(
            slice_pitch != 0 && (slice_pitch < slice || !slice_pitch.is_multiple_of(row_pitch)),
            CL_INVALID_VALUE,
        )?;
        let slice_pitch = if slice_pitch == 0 { slice } else { slice_pitch };
        Rect::with_pitches(origin, region, row_pitch, slice_pitch)
    }

    /// `size` bytes in a row.
    pub fn linear(offset: usize, size: usize) -> Result<Rect> {
        Rect::with_pitches([offset, 0, 0], [size, 1, 1], size, size)
    }

    /// A region of at least one row, whose pitches fit it.
    pub fn with_pitches(origin: [usize; 3], region: [usize; 3], row_pitch: usize, slice_pitch: usize) -> Result<Rect> {
        // CL_INVALID_VALUE if the region is out of bounds: no memory goes on so far.
        let offset = |place: [usize; 3]| {
            let slices = place[2].checked_mul(slice_pitch)?;
            let rows = place[1].checked_mul(row_pitch)?;
            slices.checked_add(rows)?.checked_add(place[0])
        };
        let start = offset(origin).ok_or(CL_INVALID_VALUE)?;
        let length = offset([region[0], region[1] - 1, region[2] - 1]).ok_or(CL_INVALID_VALUE)?;
        Ok(Rect {
            start,
            end: start.checked_add(length).ok_or(CL_INVALID_VALUE)?,
            region,
            row_pitch,
            slice_pitch,
        })
    }

    /// The same so many bytes further on in its memory.
    pub fn behind(self, bytes: usize) -> Rect {
        Rect {
            start: self.start + bytes,
            end: self.end + bytes,
            ..self
        }
    }

    /// Bytes, rows, slices.
    pub fn region(&self) -> [usize; 3] {
        self.region
    }

    /// The addresses of the region's rows in a memory that begins at `base`; those that follow each other as one. None where they are more than `most`.
    pub fn rows(&self, base: usize, most: usize) -> Vec<Range<usize>> {
        let [bytes, rows, slices] = self.region;
        let mut found: Vec<Range<usize>> = Vec::new();
        for slice in 0..slices {
            for row in 0..rows {
                let start = base + self.start + slice * self.slice_pitch + row * self.row_pitch;
                let full = found.len() == most;
                match found.last_mut() {
                    Some(last) if last.end == start => last.end = start + bytes,
                    _ if full => return Vec::new(),
                    _ => found.push(start..start + bytes),
                }
            }
        }
        found
    }

    /// How many bytes the region has.
    pub fn bytes(&self) -> usize {
        self.region.iter().product()
    }

    /// Where the region begins in a memory that begins at `base`.
    pub fn start_in(&self, base: *mut u8) -> *mut u8 {
        base.wrapping_add(self.start)
    }

    /// Are both pitches those of another region?
    pub fn has_pitches_of(&self, other: &Rect) -> bool {
        self.row_pitch == other.row_pitch && self.slice_pitch == other.slice_pitch
    }

    /// The region in a memory that begins at `base`.
    pub fn place(&self, base: *mut u8) -> RectPlace<*mut u8> {
        RectPlace {
            origin: self.start_in(base),
            row_pitch: self.row_pitch,
            slice_pitch: self.slice_pitch,
        }
    }

    /// Do two regions share bytes? (For regions of different pitches: could they?)
    pub fn overlaps(&self, base: *mut u8, other: &Rect, other_base: *mut u8) -> bool {
        let span = |rect: &Rect, base: *mut u8| (rect.start_in(base) as usize, base.wrapping_add(rect.end) as usize);
        let (mut low, mut high) = ((span(self, base), self), (span(other, other_base), other));
        if high.0.0 < low.0.0 {
            core::mem::swap(&mut low, &mut high);
        }
        if high.0.0 >= low.0.1 || self.bytes() == 0 || other.bytes() == 0 {
            return false;
        }
        if !self.has_pitches_of(other) {
            return true;
        }
        // The spans cross: the bytes do, unless one region lies beside the other within each row or slice.
        let distance = high.0.0 - low.0.0;
        let apart = |pitch: usize, length: fn(&Rect) -> usize| {
            let rest = distance % pitch;
            rest >= length(low.1) && pitch - rest >= length(high.1)
        };
        let beside_in_rows = apart(self.row_pitch, |rect| rect.region[0]);
        let beside_in_slices = apart(self.slice_pitch, |rect| (rect.region[1] - 1) * rect.row_pitch + rect.region[0]);
        !beside_in_rows && !beside_in_slices
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes_of(rect: &Rect) -> Vec<usize> {
        let [width, height, depth] = rect.region;
        let mut bytes = Vec::new();
        for z in 0..depth {
            for y in 0..height {
                bytes.extend((0..width).map(|x| rect.start + z * rect.slice_pitch + y * rect.row_pitch + x));
            }
        }
        bytes
    }

    #[test]
    fn overlap_is_what_the_bytes_say() {
        let base = core::ptr::null_mut();
        let places = (0..8).flat_map(|x| (0..4).flat_map(move |y| (0..3).map(move |z| [x, y, z])));
        let of_size = |region: [usize; 3]| places.clone().map(move |origin| Rect::new(origin, region, 8, 32).unwrap());
        // Regions of one size may go on in the next row; regions of different sizes, which only images have, lie within their slices.
        let one_size: Vec<Rect> = of_size([3, 2, 2]).collect();
        let sizes = [[3, 2, 2], [1, 4, 1], [8, 1, 3], [2, 1, 1]];
        let within = |rect: &Rect| rect.start % 8 + rect.region[0] <= 8 && rect.start % 32 / 8 + rect.region[1] <= 4;
        let many_sizes: Vec<Rect> = sizes.into_iter().flat_map(of_size).filter(within).collect();
        for rects in [one_size, many_sizes] {
            for a in &rects {
                for b in &rects {
                    let shared = bytes_of(a).iter().any(|byte| bytes_of(b).contains(byte));
                    assert_eq!(a.overlaps(base, b, base), shared, "{a:?} {b:?}");
                }
            }
        }
    }

    #[test]
    fn pitches_must_fit_the_region() {
        assert_eq!(Rect::new([0; 3], [4, 2, 1], 3, 0).err(), Some(CL_INVALID_VALUE));
        assert_eq!(Rect::new([0; 3], [4, 2, 1], 4, 6).err(), Some(CL_INVALID_VALUE));
        assert_eq!(Rect::new([0; 3], [4, 2, 1], 4, 9).err(), Some(CL_INVALID_VALUE));
        assert_eq!(Rect::new([0; 3], [4, 0, 1], 0, 0).err(), Some(CL_INVALID_VALUE));
        assert_eq!(Rect::new([1, 1, 1], [4, 2, 2], 8, 16).unwrap().end, 25 + 16 + 8 + 4);
    }
}
