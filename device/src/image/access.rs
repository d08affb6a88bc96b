//! Reading and writing images one pixel at a time (OpenCL SPIR-V Environment, section "Image Addressing and Filtering"): what kernels call
//! where the format or the sampler of an access is not known when their code is made, and the oracle of the code that is made where it is.

use super::{Addressing, Format, ImageRecord, SamplerWord, kind};
use core::ops::Range;

/// How an access is to be made, in a word: a [`SamplerWord`] in the low bits, and above it whether coordinates are floats, and whether there is
/// a mip level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(transparent)]
pub struct AccessWord(pub u32);

impl AccessWord {
    /// Coordinates are floats.
    pub const FLOATS: u32 = 1 << 16;
    /// The last coordinate is a mip level, a float that the sampler's [`LevelRange`](super::LevelRange) holds; else the level is the first.
    pub const LEVEL: u32 = 1 << 17;

    fn sampler(self) -> SamplerWord {
        SamplerWord(self.0 & 0xffff)
    }
}

/// What generated code hands over, and gets back.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Exchange {
    /// Coordinates: integers or the bits of floats; those that the image does not have are not looked at.
    pub coordinates: [u32; 4],
    /// The texel: integers or the bits of floats, as [`Format::read`] and [`Format::write`] have them.
    pub texel: [u32; 4],
}

impl Exchange {
    /// Which of so many mip levels is meant, as a number that need not be whole.
    fn level(&self, word: AccessWord, levels: u32) -> f32 {
        match word.0 & AccessWord::LEVEL {
            0 => 0.0,
            // A NaN is the first level.
            _ => f32::from_bits(self.coordinates[3]).max(0.0).min(levels.saturating_sub(1) as f32),
        }
    }
}

/// Reads a texel.
///
/// # Safety
/// `image` is the first of the valid records of an image whose memory may be read, and `exchange` is valid.
pub unsafe extern "C" fn read(image: *const ImageRecord, word: u32, exchange: *mut Exchange) {
    // SAFETY: the caller's promise.
    let (first, exchange) = unsafe { (&*image, &mut *exchange) };
    let Some(format) = Format::new(first.order, first.data_type) else {
        exchange.texel = [0; 4];
        return;
    };
    let word = AccessWord(word);
    let coordinates = exchange.coordinates;
    let [x, y, z] = [0, 1, 2].map(|n| {
        if word.0 & AccessWord::FLOATS != 0 {
            Coordinate::Float(f32::from_bits(coordinates[n]))
        } else {
            Coordinate::Int(coordinates[n] as i32)
        }
    });
    let texel = |level: f32| {
        // SAFETY: the caller's promise; no level is beyond the last.
        unsafe { sample(&*image.add(level as usize), &format, word.sampler(), [x, y, z]) }
    };
    let level = exchange.level(word, first.levels);
    let (below, part) = (level.floor(), level.fract());
    exchange.texel = match word.sampler().has_linear_levels() && format.encoding.is_float() {
        false => texel((level - 0.5).ceil()),
        true if part == 0.0 => texel(below),
        true => {
            let (here, there) = (texel(below), texel(below + 1.0));
            let mixed = |n: usize| f32::from_bits(here[n]) * (1.0 - part) + f32::from_bits(there[n]) * part;
            core::array::from_fn(|n| mixed(n).to_bits())
        }
    };
}

/// Writes a texel; does nothing where that is outside the image.
///
/// # Safety
/// `image` is the first of the valid records of an image whose memory may be written, and `exchange` is valid.
pub unsafe extern "C" fn write(image: *const ImageRecord, word: u32, exchange: *mut Exchange) {
    // SAFETY: the caller's promise.
    let exchange = unsafe { &*exchange };
    // SAFETY: the caller's promise.
    let level = exchange.level(AccessWord(word), unsafe { (*image).levels });
    // SAFETY: the caller's promise; no level is beyond the last.
    let image = unsafe { &*image.add(level as usize) };
    let Some(format) = Format::new(image.order, image.data_type) else {
        return;
    };
    let sizes = sizes(image);
    let mut place = [0; 3];
    for ((place, &coordinate), size) in place.iter_mut().zip(&exchange.coordinates).zip(sizes) {
        if size != 0 {
            if coordinate >= size {
                return;
            }
            *place = u64::from(coordinate);
        }
    }
    let mut bytes = [0; 16];
    let pixel = &mut bytes[..format.bytes as usize];
    format.write(exchange.texel, pixel);
    let at = address(image, &format, place);
    // SAFETY: the texel is inside the image, which may be written.
    unsafe { at.copy_from_nonoverlapping(pixel.as_ptr(), pixel.len()) };
}

#[derive(Clone, Copy, Debug)]
enum Coordinate {
    Int(i32),
    Float(f32),
}

/// Sizes by coordinate; 0 where the image has none. A layer's number is the last coordinate.
fn sizes(image: &ImageRecord) -> [u32; 3] {
    match image.kind {
        kind::IMAGE_2D => [image.width, image.height, 0],
        kind::IMAGE_3D => [image.width, image.height, image.depth],
        kind::IMAGE_2D_ARRAY => [image.width, image.height, image.array_size],
        kind::IMAGE_1D_ARRAY => [image.width, image.array_size, 0],
        _ => [image.width, 0, 0],
    }
}

fn is_arrayed(image: &ImageRecord) -> bool {
    matches!(image.kind, kind::IMAGE_1D_ARRAY | kind::IMAGE_2D_ARRAY)
}

fn address(image: &ImageRecord, format: &Format, [x, y, z]: [u64; 3]) -> *mut u8 {
    let rows = match image.kind {
        kind::IMAGE_1D_ARRAY => y * image.slice_pitch,
        _ => y * image.row_pitch + z * image.slice_pitch,
    };
    image.data.wrapping_add((x * u64::from(format.bytes) + rows) as usize)
}

/// A texel along one dimension, none beyond the image, and its weight.
type Tap = (Option<u64>, f32);

unsafe fn sample(image: &ImageRecord, format: &Format, sampler: SamplerWord, coordinates: [Coordinate; 3]) -> [u32; 4] {
    let sizes = sizes(image);
    let layer = match is_arrayed(image) {
        true => sizes.iter().rposition(|&size| size != 0),
        false => None,
    };
    let linear = sampler.is_linear() && format.encoding.is_float();
    let mut taps: [[Tap; 2]; 3] = [[(Some(0), 1.0), (None, 0.0)]; 3];
    let mut counts = [1; 3];
    for (n, (&coordinate, &size)) in coordinates.iter().zip(&sizes).enumerate() {
        if size == 0 {
            continue;
        }
        if layer == Some(n) {
            let index = match coordinate {
                Coordinate::Int(index) => i64::from(index),
                Coordinate::Float(value) => value.round_ties_even() as i64,
            };
            taps[n][0] = (Some(index.clamp(0, i64::from(size) - 1) as u64), 1.0);
        } else if linear {
            taps[n] = linear_taps(sampler, coordinate, size);
            counts[n] = 2;
        } else {
            taps[n][0] = (nearest(sampler, coordinate, size), 1.0);
        }
    }
    let fetch = |x: Option<u64>, y: Option<u64>, z: Option<u64>| match (x, y, z) {
        (Some(x), Some(y), Some(z)) => {
            let at = address(image, format, [x, y, z]);
            // SAFETY: the texel is inside the image, which the caller promises may be read.
            format.read(unsafe { core::slice::from_raw_parts(at, format.bytes as usize) })
        }
        _ => format.border(),
    };
    if !linear {
        return fetch(taps[0][0].0, taps[1][0].0, taps[2][0].0);
    }
    let mut sum = [0.0; 4];
    for &(z, c) in &taps[2][..counts[2]] {
        for &(y, b) in &taps[1][..counts[1]] {
            for &(x, a) in &taps[0][..counts[0]] {
                for (sum, texel) in sum.iter_mut().zip(fetch(x, y, z)) {
                    *sum += a * b * c * f32::from_bits(texel);
                }
            }
        }
    }
    sum.map(f32::to_bits)
}

fn inside(index: i64, size: u32) -> Option<u64> {
    u64::try_from(index).ok().filter(|&index| index < u64::from(size))
}

/// Where a coordinate is outside and the mode does not say border: the nearest texel.
fn addressed(sampler: SamplerWord, index: i64, size: u32) -> Option<u64> {
    match sampler.addressing() {
        Addressing::Clamp => inside(index, size),
        _ => Some(index.clamp(0, i64::from(size) - 1) as u64),
    }
}

/// The coordinate as a number of texels, and the range that a nearest index is wrapped in, if any.
fn unnormalized(sampler: SamplerWord, coordinate: Coordinate, size: u32) -> (f32, Option<Range<i64>>) {
    let size_float = size as f32;
    let s = match coordinate {
        Coordinate::Int(index) => index as f32,
        Coordinate::Float(value) => value,
    };
    match sampler.addressing() {
        _ if !sampler.is_normalized() => (s, None),
        Addressing::Repeat => ((s - s.floor()) * size_float, Some(0..i64::from(size))),
        Addressing::MirroredRepeat => ((s - 2.0 * (0.5 * s).round_ties_even()).abs() * size_float, None),
        _ => (s * size_float, None),
    }
}

fn nearest(sampler: SamplerWord, coordinate: Coordinate, size: u32) -> Option<u64> {
    if let (Coordinate::Int(index), false) = (coordinate, sampler.is_normalized()) {
        return addressed(sampler, i64::from(index), size);
    }
    let (u, wrap) = unnormalized(sampler, coordinate, size);
    let index = u.floor() as i64;
    match wrap {
        Some(range) => Some(index.rem_euclid(range.end) as u64),
        None => addressed(sampler, index, size),
    }
}

fn linear_taps(sampler: SamplerWord, coordinate: Coordinate, size: u32) -> [Tap; 2] {
    let (u, wrap) = unnormalized(sampler, coordinate, size);
    let low = (u - 0.5).floor();
    let weight = u - 0.5 - low;
    let low = low as i64;
    let tap = |index: i64| match &wrap {
        Some(range) => Some(index.rem_euclid(range.end) as u64),
        None => addressed(sampler, index, size),
    };
    [(tap(low), 1.0 - weight), (tap(low.saturating_add(1)), weight)]
}
