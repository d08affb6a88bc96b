//! Images and samplers as kernels see them: the contract between whoever makes them and the code that reads and writes them.
//!
//! A kernel's image argument is eight bytes of the argument block: the address of an [`ImageRecord`], which whoever owns the image keeps alive
//! and unchanged until the launch is over. The records of its further mip levels follow. A sampler argument is a [`SamplerWord`] in the first
//! four of eight bytes, and a [`LevelRange`] in the others. Numbers (channel orders, data types, kinds) are those of OpenCL's headers.

pub mod access;
pub mod format;
mod half;
pub mod limits;
pub mod srgb;

pub use format::{Channel, Encoding, Field, Format};

/// `CL_MEM_OBJECT_IMAGE…`
pub mod kind {
    #![allow(missing_docs)]
    pub const IMAGE_2D: u32 = 0x10f1;
    pub const IMAGE_3D: u32 = 0x10f2;
    pub const IMAGE_2D_ARRAY: u32 = 0x10f3;
    pub const IMAGE_1D: u32 = 0x10f4;
    pub const IMAGE_1D_ARRAY: u32 = 0x10f5;
    pub const IMAGE_1D_BUFFER: u32 = 0x10f6;

    /// Has it slices, or layers, so that it has a slice pitch?
    pub const fn has_slices(kind: u32) -> bool {
        matches!(kind, IMAGE_3D | IMAGE_1D_ARRAY | IMAGE_2D_ARRAY)
    }
}

/// A mip level of an image; the first stands for the image. Sizes are in pixels, pitches in bytes.
///
/// The texel at (x, y, z) of layer `n` starts at `data + x * bytes of a texel + y * row_pitch + (z or n) * slice_pitch`; a 1D array's layers are
/// `slice_pitch` apart, too.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ImageRecord {
    /// The first texel.
    pub data: *mut u8,
    /// Bytes from a row to the next.
    pub row_pitch: u64,
    /// Bytes from a slice, or a layer of an array, to the next.
    pub slice_pitch: u64,
    /// Pixels in a row.
    pub width: u32,
    /// Rows; 1 where the kind has none.
    pub height: u32,
    /// Slices; 1 where the kind has none.
    pub depth: u32,
    /// Layers of an array, 1D or 2D; 1 otherwise.
    pub array_size: u32,
    /// `CL_RGBA`, …
    pub order: u32,
    /// `CL_UNORM_INT8`, …
    pub data_type: u32,
    /// Mip levels of the image, 1 without: so many records follow one another, each with this number.
    pub levels: u32,
    /// Samples, 1 without.
    pub samples: u32,
    /// One of [`kind`].
    pub kind: u32,
}

impl ImageRecord {
    /// Its sizes as commands count them: an array's layers are in the dimension behind the last that each layer has. What is missing is 1.
    pub fn extent(&self) -> [usize; 3] {
        let [width, height, depth, layers] = [self.width, self.height, self.depth, self.array_size].map(|size| size as usize);
        match self.kind {
            kind::IMAGE_1D_ARRAY => [width, layers, 1],
            kind::IMAGE_2D_ARRAY => [width, height, layers],
            _ => [width, height, depth],
        }
    }

    /// Bytes of a row that are texels; 0 where the format is unknown.
    pub fn row_bytes(&self) -> u32 {
        let texel = Format::new(self.order, self.data_type).map_or(0, |format| format.bytes);
        self.width.saturating_mul(texel)
    }

    /// There are at least two texels in each of its dimensions, so that every place that a linear filter asks for has a neighbour.
    pub fn has_pairs(&self) -> bool {
        let sizes: &[u32] = match self.kind {
            kind::IMAGE_2D | kind::IMAGE_2D_ARRAY => &[self.width, self.height],
            kind::IMAGE_3D => &[self.width, self.height, self.depth],
            _ => &[self.width],
        };
        sizes.iter().all(|&size| size >= 2)
    }

    /// Offsets of all texels from the first one fit 31 bits.
    pub fn fits_31_bits(&self) -> bool {
        let Some(format) = Format::new(self.order, self.data_type) else {
            return false;
        };
        let layers = u128::from(self.depth.max(1)) * u128::from(self.array_size.max(1));
        let row = u128::from(self.row_pitch).max(u128::from(self.width) * u128::from(format.bytes));
        let slice = u128::from(self.slice_pitch).max(row * u128::from(self.height.max(1)));
        layers * slice <= i32::MAX as u128
    }
}

/// `CL_ADDRESS_…`, numbered as SPIR-V does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Addressing {
    /// `CL_ADDRESS_NONE`: coordinates are never outside.
    None = 0,
    /// `CL_ADDRESS_CLAMP_TO_EDGE`
    ClampToEdge = 1,
    /// `CL_ADDRESS_CLAMP`: outside is the border colour.
    Clamp = 2,
    /// `CL_ADDRESS_REPEAT`
    Repeat = 3,
    /// `CL_ADDRESS_MIRRORED_REPEAT`
    MirroredRepeat = 4,
}

/// A sampler: addressing mode in bits 0 to 2 ([`Addressing`]), linear filter in bit 3, normalized coordinates in bit 4, linear filter between
/// mip levels in bit 5.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(transparent)]
pub struct SamplerWord(pub u32);

impl SamplerWord {
    const ADDRESSING: u32 = 7;
    const LINEAR: u32 = 1 << 3;
    const NORMALIZED: u32 = 1 << 4;
    const LINEAR_LEVELS: u32 = 1 << 5;

    /// What reads without a sampler use: nearest, not normalized, `CL_ADDRESS_NONE`.
    pub const NONE: SamplerWord = SamplerWord(0);

    /// A sampler of its parts.
    pub const fn new(addressing: Addressing, linear: bool, normalized: bool) -> SamplerWord {
        let mut word = addressing as u32;
        if linear {
            word |= Self::LINEAR;
        }
        if normalized {
            word |= Self::NORMALIZED;
        }
        SamplerWord(word)
    }

    /// A sampler of `CL_ADDRESS_…`, `CL_FILTER_…` and whether coordinates are normalized; none where a number means nothing.
    pub const fn from_cl(addressing_mode: u32, filter_mode: u32, normalized: bool) -> Option<SamplerWord> {
        let (Some(addressing), Some(linear)) = (addressing_mode.checked_sub(0x1130), filter_mode.checked_sub(0x1140)) else {
            return None;
        };
        match (Self::addressing_of(addressing), linear) {
            (Some(addressing), 0 | 1) => Some(Self::new(addressing, linear == 1, normalized)),
            _ => None,
        }
    }

    const fn addressing_of(number: u32) -> Option<Addressing> {
        Some(match number {
            0 => Addressing::None,
            1 => Addressing::ClampToEdge,
            2 => Addressing::Clamp,
            3 => Addressing::Repeat,
            4 => Addressing::MirroredRepeat,
            _ => return None,
        })
    }

    /// How coordinates outside are taken.
    pub const fn addressing(self) -> Addressing {
        match Self::addressing_of(self.0 & Self::ADDRESSING) {
            Some(addressing) => addressing,
            None => Addressing::None,
        }
    }

    /// `CL_FILTER_LINEAR`
    pub const fn is_linear(self) -> bool {
        self.0 & Self::LINEAR != 0
    }

    /// Coordinates go from 0 to 1.
    pub const fn is_normalized(self) -> bool {
        self.0 & Self::NORMALIZED != 0
    }

    /// The same, with `CL_SAMPLER_MIP_FILTER_MODE` being `CL_FILTER_LINEAR`.
    pub const fn with_linear_levels(self) -> SamplerWord {
        SamplerWord(self.0 | Self::LINEAR_LEVELS)
    }

    /// What lies between two mip levels is a mixture of both.
    pub const fn has_linear_levels(self) -> bool {
        self.0 & Self::LINEAR_LEVELS != 0
    }
}

/// `CL_SAMPLER_LOD_MIN` and `CL_SAMPLER_LOD_MAX`, in steps of a 4096th: the first in bits 0 to 15, in the others how far the second is below
/// what 16 bits can say. So 0 limits nothing, since no image has 16 levels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(transparent)]
pub struct LevelRange(pub u32);

impl LevelRange {
    /// How many there are from a level to the next.
    pub const STEPS: u32 = 1 << 12;

    /// From a level to a level, which are no NaNs.
    pub fn new(least: f32, most: f32) -> LevelRange {
        // Floats become integers with saturation.
        let [least, most] = [least, most].map(|level| u32::from((level * Self::STEPS as f32).round() as u16));
        LevelRange(least | (0xffff - most) << 16)
    }

    /// A level brought into the range.
    pub fn limit(self, level: f32) -> f32 {
        let [least, most] = [self.0 & 0xffff, 0xffff - (self.0 >> 16)].map(|steps| steps as f32 / Self::STEPS as f32);
        level.max(least).min(most)
    }
}

/// A sampler's argument.
pub const fn sampler_argument(word: SamplerWord, levels: LevelRange) -> u64 {
    (levels.0 as u64) << 32 | word.0 as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samplers_keep_their_parts() {
        for addressing in 0..5 {
            for filter in 0..2 {
                for normalized in [false, true] {
                    let word = SamplerWord::from_cl(0x1130 + addressing, 0x1140 + filter, normalized).unwrap();
                    assert_eq!(word.addressing() as u32, addressing);
                    assert_eq!(word.is_linear(), filter == 1);
                    assert_eq!(word.is_normalized(), normalized);
                }
            }
        }
        assert_eq!(SamplerWord::from_cl(0x1135, 0x1140, false), None);
        assert_eq!(SamplerWord::from_cl(0x1130, 0x1142, false), None);
        assert_eq!(SamplerWord::from_cl(0, 0, false), None);
        let word = SamplerWord::new(Addressing::Repeat, true, true);
        assert!(word.with_linear_levels().has_linear_levels() && !word.has_linear_levels());
    }

    #[test]
    fn levels_are_limited() {
        let all = LevelRange::new(0.0, f32::MAX);
        assert_eq!(all, LevelRange::default());
        assert_eq!([-1.0, 0.25, 14.0].map(|level| all.limit(level)), [0.0, 0.25, 14.0]);
        let some = LevelRange::new(0.5, 2.25);
        assert_eq!([-1.0, 0.75, 2.5].map(|level| some.limit(level)), [0.5, 0.75, 2.25]);
        assert_eq!(LevelRange::new(-3.0, 1.0), LevelRange::new(0.0, 1.0));
    }
}
