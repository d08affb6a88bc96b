//! Image formats: which bits of a pixel are which channel, and what they mean (API specification, section "Image Format Descriptor";
//! OpenCL SPIR-V Environment, sections "Conversion Rules" and "Data Format for Reading and Writing Images").
//!
//! A [`Format`] is made of two tables, channel orders and data types, and of the rules which go together. Everything else derives from it:
//! the code that kernels get, and [`Format::read`] and [`Format::write`], which do one pixel.

use super::half;
use super::srgb::{linear_to_srgb, srgb_table};

/// What a part of a pixel holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Channel {
    Red,
    Green,
    Blue,
    Alpha,
    /// Red, green and blue.
    Luminance,
    /// All four.
    Intensity,
    /// The only one, where kernels read scalars: it stands for red here.
    Depth,
    /// Nothing.
    Ignored,
}

/// How a channel's bits are a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Encoding {
    /// Unsigned, 0 to 1.
    Unorm,
    /// Signed, -1 to 1.
    Snorm,
    /// A signed integer.
    Signed,
    /// An unsigned integer.
    Unsigned,
    /// IEEE 754, of 16 or 32 bits.
    Float,
}

impl Encoding {
    /// Kernels read and write floats (else 32-bit integers).
    pub const fn is_float(self) -> bool {
        matches!(self, Encoding::Unorm | Encoding::Snorm | Encoding::Float)
    }
}

/// A channel's place in a pixel, taken as a little-endian number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Field {
    /// What it holds.
    pub channel: Channel,
    /// Its lowest bit.
    pub shift: u8,
    /// How many bits it has.
    pub bits: u8,
}

/// A pixel's layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Format {
    /// `CL_RGBA`, …
    pub order: u32,
    /// `CL_UNORM_INT8`, …
    pub data_type: u32,
    /// Bytes of a pixel: `CL_IMAGE_ELEMENT_SIZE`.
    pub bytes: u32,
    /// What its channels are.
    pub encoding: Encoding,
    /// Red, green and blue are in the sRGB colour space.
    pub srgb: bool,
    /// All channels are in one packed number of [`Format::bytes`] bytes.
    pub packed: bool,
    /// Alpha of the border colour, as a number 0 or 1; its other channels are 0.
    pub border_alpha: u8,
    fields: [Field; 4],
    count: u8,
}

/// Channel orders, by their numbers in OpenCL's headers.
pub mod order {
    #![allow(missing_docs)]
    pub const R: u32 = 0x10b0;
    pub const A: u32 = 0x10b1;
    pub const RG: u32 = 0x10b2;
    pub const RA: u32 = 0x10b3;
    pub const RGB: u32 = 0x10b4;
    pub const RGBA: u32 = 0x10b5;
    pub const BGRA: u32 = 0x10b6;
    pub const ARGB: u32 = 0x10b7;
    pub const INTENSITY: u32 = 0x10b8;
    pub const LUMINANCE: u32 = 0x10b9;
    pub const RX: u32 = 0x10ba;
    pub const RGX: u32 = 0x10bb;
    pub const RGBX: u32 = 0x10bc;
    pub const DEPTH: u32 = 0x10bd;
    pub const SRGB: u32 = 0x10bf;
    pub const SRGBX: u32 = 0x10c0;
    pub const SRGBA: u32 = 0x10c1;
    pub const SBGRA: u32 = 0x10c2;
    pub const ABGR: u32 = 0x10c3;
    /// The first one: SPIR-V's enumerants are the distance to it.
    pub const FIRST: u32 = R;
}

/// Channel data types, by their numbers in OpenCL's headers.
pub mod data_type {
    #![allow(missing_docs)]
    pub const SNORM_INT8: u32 = 0x10d0;
    pub const SNORM_INT16: u32 = 0x10d1;
    pub const UNORM_INT8: u32 = 0x10d2;
    pub const UNORM_INT16: u32 = 0x10d3;
    pub const UNORM_SHORT_565: u32 = 0x10d4;
    pub const UNORM_SHORT_555: u32 = 0x10d5;
    pub const UNORM_INT_101010: u32 = 0x10d6;
    pub const SIGNED_INT8: u32 = 0x10d7;
    pub const SIGNED_INT16: u32 = 0x10d8;
    pub const SIGNED_INT32: u32 = 0x10d9;
    pub const UNSIGNED_INT8: u32 = 0x10da;
    pub const UNSIGNED_INT16: u32 = 0x10db;
    pub const UNSIGNED_INT32: u32 = 0x10dc;
    pub const HALF_FLOAT: u32 = 0x10dd;
    pub const FLOAT: u32 = 0x10de;
    pub const UNORM_INT_101010_2: u32 = 0x10e0;
    /// The first one: SPIR-V's enumerants are the distance to it.
    pub const FIRST: u32 = SNORM_INT8;
}

use Channel::{Alpha, Blue, Depth, Green, Ignored, Intensity, Luminance, Red};

/// (order, channels in the order of memory or from the highest bits on, sRGB, alpha of the border colour)
type OrderRow = (u32, &'static [Channel], bool, u8);

/// In the order of the headers.
static ORDERS: &[OrderRow] = &[
    (order::R, &[Red], false, 1),
    (order::A, &[Alpha], false, 0),
    (order::RG, &[Red, Green], false, 1),
    (order::RA, &[Red, Alpha], false, 0),
    (order::RGB, &[Red, Green, Blue], false, 1),
    (order::RGBA, &[Red, Green, Blue, Alpha], false, 0),
    (order::BGRA, &[Blue, Green, Red, Alpha], false, 0),
    (order::ARGB, &[Alpha, Red, Green, Blue], false, 0),
    (order::INTENSITY, &[Intensity], false, 0),
    (order::LUMINANCE, &[Luminance], false, 1),
    (order::RX, &[Red, Ignored], false, 0),
    (order::RGX, &[Red, Green, Ignored], false, 0),
    (order::RGBX, &[Red, Green, Blue, Ignored], false, 0),
    (order::DEPTH, &[Depth], false, 0),
    (order::SRGB, &[Red, Green, Blue], true, 1),
    (order::SRGBX, &[Red, Green, Blue, Ignored], true, 0),
    (order::SRGBA, &[Red, Green, Blue, Alpha], true, 0),
    (order::SBGRA, &[Blue, Green, Red, Alpha], true, 0),
    (order::ABGR, &[Alpha, Blue, Green, Red], false, 0),
];

/// A data type's layout.
#[derive(Clone, Copy)]
enum Layout {
    /// Each channel has so many bits, one after the other in memory.
    Each(u8),
    /// One number of so many bytes, the first channel in the highest bits that are used; bits of each channel.
    Packed(u32, &'static [u8]),
}

/// In the order of the headers.
static DATA_TYPES: &[(u32, Encoding, Layout)] = &[
    (data_type::SNORM_INT8, Encoding::Snorm, Layout::Each(8)),
    (data_type::SNORM_INT16, Encoding::Snorm, Layout::Each(16)),
    (data_type::UNORM_INT8, Encoding::Unorm, Layout::Each(8)),
    (data_type::UNORM_INT16, Encoding::Unorm, Layout::Each(16)),
    (data_type::UNORM_SHORT_565, Encoding::Unorm, Layout::Packed(2, &[5, 6, 5])),
    (data_type::UNORM_SHORT_555, Encoding::Unorm, Layout::Packed(2, &[5, 5, 5])),
    (data_type::UNORM_INT_101010, Encoding::Unorm, Layout::Packed(4, &[10, 10, 10])),
    (data_type::SIGNED_INT8, Encoding::Signed, Layout::Each(8)),
    (data_type::SIGNED_INT16, Encoding::Signed, Layout::Each(16)),
    (data_type::SIGNED_INT32, Encoding::Signed, Layout::Each(32)),
    (data_type::UNSIGNED_INT8, Encoding::Unsigned, Layout::Each(8)),
    (data_type::UNSIGNED_INT16, Encoding::Unsigned, Layout::Each(16)),
    (data_type::UNSIGNED_INT32, Encoding::Unsigned, Layout::Each(32)),
    (data_type::HALF_FLOAT, Encoding::Float, Layout::Each(16)),
    (data_type::FLOAT, Encoding::Float, Layout::Each(32)),
    (data_type::UNORM_INT_101010_2, Encoding::Unorm, Layout::Packed(4, &[10, 10, 10, 2])),
];

impl Format {
    /// The format of an order and a data type that the specification lets go together.
    pub fn new(order: u32, data_type: u32) -> Option<Format> {
        let &(_, channels, srgb, border_alpha) = ORDERS.iter().find(|row| row.0 == order)?;
        let &(_, encoding, layout) = DATA_TYPES.iter().find(|row| row.0 == data_type)?;
        if !goes_together(order, data_type, srgb) {
            return None;
        }
        let nothing = Field {
            channel: Ignored,
            shift: 0,
            bits: 0,
        };
        let mut fields = [nothing; 4];
        let (bytes, packed, count) = match layout {
            Layout::Each(bits) => {
                let mut shift = 0;
                for (field, &channel) in fields.iter_mut().zip(channels) {
                    *field = Field { channel, shift, bits };
                    shift += bits;
                }
                (u32::from(shift) / 8, false, channels.len())
            }
            Layout::Packed(bytes, widths) => {
                let mut shift: u8 = widths.iter().sum();
                for ((field, &channel), &bits) in fields.iter_mut().zip(channels).zip(widths) {
                    shift -= bits;
                    *field = Field { channel, shift, bits };
                }
                (bytes, true, widths.len())
            }
        };
        Some(Format {
            order,
            data_type,
            bytes,
            encoding,
            srgb,
            packed,
            border_alpha,
            fields,
            count: count as u8,
        })
    }

    /// All formats that there are.
    pub fn all() -> impl Iterator<Item = Format> {
        ORDERS
            .iter()
            .flat_map(|order| DATA_TYPES.iter().filter_map(|data_type| Format::new(order.0, data_type.0)))
    }

    /// Its channels, those with nothing in them too.
    pub fn fields(&self) -> &[Field] {
        &self.fields[..usize::from(self.count)]
    }

    /// Kernels read one number, not four.
    pub fn is_depth(&self) -> bool {
        self.order == order::DEPTH
    }

    /// Is a channel in the sRGB colour space?
    pub fn is_srgb(&self, field: Field) -> bool {
        self.srgb && matches!(field.channel, Red | Green | Blue)
    }

    /// A pixel's colour: the bits of four floats ([`Encoding::is_float`]) or four integers.
    pub fn read(&self, pixel: &[u8]) -> [u32; 4] {
        let one = if self.encoding.is_float() { 1f32.to_bits() } else { 1 };
        let mut color = [0, 0, 0, one];
        let number = number(pixel);
        for field in self.fields() {
            let raw = (number >> field.shift) as u32 & ones(field.bits);
            let value = self.decode(*field, raw);
            match field.channel {
                Red | Depth => color[0] = value,
                Green => color[1] = value,
                Blue => color[2] = value,
                Alpha => color[3] = value,
                Luminance => color[..3].fill(value),
                Intensity => color.fill(value),
                Ignored => {}
            }
        }
        color
    }

    /// Makes a pixel of a colour: the bits of four floats ([`Encoding::is_float`]) or four integers.
    pub fn write(&self, color: [u32; 4], pixel: &mut [u8]) {
        let mut number = 0u128;
        for field in self.fields() {
            let value = match field.channel {
                Red | Depth | Luminance | Intensity => color[0],
                Green => color[1],
                Blue => color[2],
                // Whoever takes an ignored channel for alpha finds it there.
                Alpha | Ignored => color[3],
            };
            number |= u128::from(self.encode(*field, value)) << field.shift;
        }
        let bytes = number.to_le_bytes();
        for (byte, &value) in pixel.iter_mut().zip(&bytes[..self.bytes as usize]) {
            *byte = value;
        }
    }

    /// The border colour, as [`Format::read`] gives colours.
    pub fn border(&self) -> [u32; 4] {
        let alpha = match (self.border_alpha, self.encoding.is_float()) {
            (0, _) => 0,
            (_, true) => 1f32.to_bits(),
            (_, false) => 1,
        };
        [0, 0, 0, alpha]
    }

    fn decode(&self, field: Field, raw: u32) -> u32 {
        let unused = 32 - u32::from(field.bits);
        let signed = ((raw << unused) as i32) >> unused;
        match self.encoding {
            Encoding::Unorm if self.is_srgb(field) => srgb_table()[raw as usize & 0xff].to_bits(),
            Encoding::Unorm => (raw as f32 * unorm_step(field.bits)).to_bits(),
            Encoding::Snorm => (signed as f32 * snorm_step(field.bits)).max(-1.0).to_bits(),
            Encoding::Signed => signed as u32,
            Encoding::Unsigned => raw,
            Encoding::Float if field.bits == 16 => half::to_float(raw as u16).to_bits(),
            Encoding::Float => raw,
        }
    }

    fn encode(&self, field: Field, value: u32) -> u32 {
        let float = f32::from_bits(value);
        let most = ones(field.bits);
        let (low, high) = (-((most >> 1) as i32) - 1, (most >> 1) as i32);
        match self.encoding {
            // Floats become integers with saturation, and NaN becomes 0: so does `as`.
            Encoding::Unorm => {
                let float = if self.is_srgb(field) { linear_to_srgb(float) } else { float };
                ((float * most as f32).round_ties_even() as u32).min(most)
            }
            Encoding::Snorm => ((float * high as f32).round_ties_even() as i32).clamp(low, high) as u32 & most,
            Encoding::Signed => (value as i32).clamp(low, high) as u32 & most,
            Encoding::Unsigned => value.min(most),
            Encoding::Float if field.bits == 16 => u32::from(half::from_float(float)),
            Encoding::Float => value,
        }
    }
}

/// What the step from an unsigned normalized number to the next is worth.
pub fn unorm_step(bits: u8) -> f32 {
    1.0 / ones(bits) as f32
}

/// What the step from a signed normalized number to the next is worth.
pub fn snorm_step(bits: u8) -> f32 {
    1.0 / (ones(bits) >> 1) as f32
}

fn goes_together(order: u32, data_type: u32, srgb: bool) -> bool {
    use data_type::*;
    match data_type {
        UNORM_SHORT_565 | UNORM_SHORT_555 | UNORM_INT_101010 => return matches!(order, order::RGB | order::RGBX),
        UNORM_INT_101010_2 => return order == order::RGBA,
        _ => {}
    }
    match order {
        order::INTENSITY | order::LUMINANCE => {
            matches!(data_type, UNORM_INT8 | UNORM_INT16 | SNORM_INT8 | SNORM_INT16 | HALF_FLOAT | FLOAT)
        }
        order::ARGB | order::BGRA | order::ABGR => matches!(data_type, UNORM_INT8 | SNORM_INT8 | SIGNED_INT8 | UNSIGNED_INT8),
        order::DEPTH => matches!(data_type, UNORM_INT16 | FLOAT),
        _ if srgb => data_type == UNORM_INT8,
        _ => true,
    }
}

/// The lowest so many bits.
const fn ones(bits: u8) -> u32 {
    (u64::MAX >> (64 - bits as u32)) as u32
}

/// A pixel's bytes, the first the lowest. No pixel has more than 16.
fn number(pixel: &[u8]) -> u128 {
    let mut bytes = [0; 16];
    for (to, &from) in bytes.iter_mut().zip(pixel) {
        *to = from;
    }
    u128::from_le_bytes(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn floats(color: [u32; 4]) -> [f32; 4] {
        color.map(f32::from_bits)
    }

    #[test]
    fn ends_of_normalized_numbers_are_exact() {
        for bits in [2, 5, 6, 8, 10, 16] {
            assert_eq!(ones(bits) as f32 * unorm_step(bits), 1.0, "{bits}");
        }
        for bits in [8, 16] {
            assert_eq!((ones(bits) >> 1) as f32 * snorm_step(bits), 1.0, "{bits}");
        }
        let snorm = Format::new(order::R, data_type::SNORM_INT8).unwrap();
        assert_eq!(floats(snorm.read(&[0x80])), [-1.0, 0.0, 0.0, 1.0]);
        assert_eq!(floats(snorm.read(&[0x81])), [-1.0, 0.0, 0.0, 1.0]);
    }

    #[test]
    fn packed_channels_start_at_the_top() {
        let format = Format::new(order::RGB, data_type::UNORM_SHORT_565).unwrap();
        let mut pixel = [0; 2];
        format.write([1f32, 0.0, 0.0, 1.0].map(f32::to_bits), &mut pixel);
        assert_eq!(u16::from_le_bytes(pixel), 0xf800);
        let format = Format::new(order::RGB, data_type::UNORM_SHORT_555).unwrap();
        format.write([1f32, 0.0, 0.0, 1.0].map(f32::to_bits), &mut pixel);
        assert_eq!(u16::from_le_bytes(pixel), 0x7c00);
        let format = Format::new(order::RGBA, data_type::UNORM_INT_101010_2).unwrap();
        assert_eq!(floats(format.read(&0x0000_0003_u32.to_le_bytes())), [0.0, 0.0, 0.0, 1.0]);
        assert_eq!(floats(format.read(&0xffc0_0000_u32.to_le_bytes())), [1.0, 0.0, 0.0, 0.0]);
    }

    #[test]
    fn orders_lay_channels_out() {
        let format = Format::new(order::BGRA, data_type::UNSIGNED_INT8).unwrap();
        assert_eq!(format.read(&[1, 2, 3, 4]), [3, 2, 1, 4]);
        let format = Format::new(order::ABGR, data_type::SIGNED_INT8).unwrap();
        assert_eq!(format.read(&[1, 2, 3, 0xff]), [-1i32 as u32, 3, 2, 1]);
        let format = Format::new(order::INTENSITY, data_type::FLOAT).unwrap();
        assert_eq!(floats(format.read(&2.5f32.to_le_bytes())), [2.5; 4]);
        let format = Format::new(order::LUMINANCE, data_type::HALF_FLOAT).unwrap();
        assert_eq!(floats(format.read(&0x3c00u16.to_le_bytes())), [1.0; 4]);
        let format = Format::new(order::A, data_type::UNORM_INT8).unwrap();
        assert_eq!(floats(format.read(&[255])), [0.0, 0.0, 0.0, 1.0]);
    }

    #[test]
    fn pixels_survive_reading_and_writing() {
        for format in Format::all() {
            for seed in 0..200u32 {
                let pixel: Vec<u8> = (0..format.bytes)
                    .map(|n| (seed.wrapping_mul(40503).wrapping_add(n * 9973) >> 3) as u8)
                    .collect();
                let color = format.read(&pixel);
                let mut again = pixel.clone();
                format.write(color, &mut again);
                // What -128 means is what -127 means, and NaNs are quiet.
                if format.encoding != Encoding::Snorm && !(format.encoding == Encoding::Float && floats(color).iter().any(|x| x.is_nan())) {
                    let used = format
                        .fields()
                        .iter()
                        .filter(|field| field.channel != Ignored)
                        .fold(0u128, |mask, field| mask | u128::from(ones(field.bits)) << field.shift);
                    assert_eq!(number(&pixel) & used, number(&again) & used, "{format:?}");
                }
                assert_eq!(
                    format.read(&again).map(|x| x & 0x7f80_0000),
                    color.map(|x| x & 0x7f80_0000),
                    "{format:?}"
                );
            }
        }
    }

    #[test]
    fn integers_and_floats_saturate() {
        let format = Format::new(order::RG, data_type::SIGNED_INT8).unwrap();
        let mut pixel = [0; 2];
        format.write([1000, -1000i32 as u32, 0, 0], &mut pixel);
        assert_eq!(pixel, [127, 128]);
        let format = Format::new(order::RG, data_type::UNSIGNED_INT8).unwrap();
        format.write([1000, -1000i32 as u32, 0, 0], &mut pixel);
        assert_eq!(pixel, [255, 255]);
        let format = Format::new(order::RG, data_type::UNORM_INT8).unwrap();
        format.write([f32::NAN, -1.0, 0.0, 0.0].map(f32::to_bits), &mut pixel);
        assert_eq!(pixel, [0, 0]);
        format.write([0.5 / 255.0, 7.0, 0.0, 0.0].map(f32::to_bits), &mut pixel);
        assert_eq!(pixel, [0, 255]);
    }

    #[test]
    fn bytes_of_pixels() {
        let bytes = |order, data_type| Format::new(order, data_type).map(|format| format.bytes);
        assert_eq!(bytes(order::RGBA, data_type::UNORM_INT8), Some(4));
        assert_eq!(bytes(order::RGBA, data_type::FLOAT), Some(16));
        assert_eq!(bytes(order::SRGB, data_type::UNORM_INT8), Some(3));
        assert_eq!(bytes(order::RGB, data_type::UNORM_SHORT_565), Some(2));
        assert_eq!(bytes(order::RGBX, data_type::UNORM_INT_101010), Some(4));
        assert_eq!(bytes(order::RGBA, data_type::UNORM_SHORT_565), None);
        assert_eq!(bytes(order::SRGBA, data_type::FLOAT), None);
        assert_eq!(bytes(0, 0), None);
    }
}
