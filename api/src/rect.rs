//! Rectangular regions of buffers and host memory: §5.2.2 (clEnqueueReadBufferRect) and appendix D (overlap).

use crate::cl::CL_INVALID_VALUE;
use crate::error::{Result, fail_if};
use crate::raw::HostPointer;
use ::device::memory::RectPlace;

/// A region of bytes × rows × slices in a memory with pitches.
#[derive(Clone, Copy, Debug)]
pub struct Rect {
    /// The first byte.
    start: usize,
    /// One past the last byte.
    pub end: usize,
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

    /// Are both pitches those of another region?
    pub fn has_pitches_of(&self, other: &Rect) -> bool {
        self.row_pitch == other.row_pitch && self.slice_pitch == other.slice_pitch
    }

    /// The region in a memory that begins at `base`.
    pub fn place(&self, base: HostPointer) -> RectPlace<*mut u8> {
        RectPlace {
            origin: base.at(self.start).0,
            row_pitch: self.row_pitch,
            slice_pitch: self.slice_pitch,
        }
    }

    /// Do two regions of the same size share bytes? (For regions of different pitches: could they?)
    pub fn overlaps(&self, base: HostPointer, other: &Rect, other_base: HostPointer) -> bool {
        let (a, b) = (base.0 as usize + self.start, other_base.0 as usize + other.start);
        let (a_end, b_end) = (base.0 as usize + self.end, other_base.0 as usize + other.end);
        if a >= b_end || b >= a_end {
            return false;
        }
        if !self.has_pitches_of(other) {
            return true;
        }
        // The spans cross: the bytes do, unless one region lies beside the other within each row or slice.
        let apart = |distance: usize, pitch: usize, length: usize| {
            let rest = distance % pitch;
            rest >= length && pitch - rest >= length
        };
        let distance = a.abs_diff(b);
        let beside_in_rows = apart(distance, self.row_pitch, self.region[0]);
        let slice_length = (self.region[1] - 1) * self.row_pitch + self.region[0];
        let beside_in_slices = apart(distance, self.slice_pitch, slice_length);
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
        let region = [3, 2, 2];
        let base = HostPointer(core::ptr::null_mut());
        let rects: Vec<Rect> = (0..8)
            .flat_map(|x| (0..4).flat_map(move |y| (0..3).map(move |z| Rect::new([x, y, z], region, 8, 32).unwrap())))
            .collect();
        for a in &rects {
            for b in &rects {
                let shared = bytes_of(a).iter().any(|byte| bytes_of(b).contains(byte));
                assert_eq!(a.overlaps(base, b, base), shared, "{a:?} {b:?}");
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
