//! Formats of images: what a layout, a type and a swizzle are of the device's formats.

use crate::ze::*;
use ::device::image::Format;
use ::device::image::format::{data_type, order};

/// Bits of a component, and components.
fn layout(layout: u32) -> Option<(u32, u32)> {
    Some(match layout {
        ZE_IMAGE_FORMAT_LAYOUT_8 => (8, 1),
        ZE_IMAGE_FORMAT_LAYOUT_16 => (16, 1),
        ZE_IMAGE_FORMAT_LAYOUT_32 => (32, 1),
        ZE_IMAGE_FORMAT_LAYOUT_8_8 => (8, 2),
        ZE_IMAGE_FORMAT_LAYOUT_8_8_8_8 => (8, 4),
        ZE_IMAGE_FORMAT_LAYOUT_16_16 => (16, 2),
        ZE_IMAGE_FORMAT_LAYOUT_16_16_16_16 => (16, 4),
        ZE_IMAGE_FORMAT_LAYOUT_32_32 => (32, 2),
        ZE_IMAGE_FORMAT_LAYOUT_32_32_32_32 => (32, 4),
        _ => return None,
    })
}

/// Which component each channel of a texel is read from. What there is no component for is 0, and of the last channel 1.
fn channels(format: &ze_image_format_t, components: u32) -> Option<u32> {
    use self::{
        ZE_IMAGE_FORMAT_SWIZZLE_0 as ZERO, ZE_IMAGE_FORMAT_SWIZZLE_1 as ONE, ZE_IMAGE_FORMAT_SWIZZLE_A as A,
        ZE_IMAGE_FORMAT_SWIZZLE_B as B, ZE_IMAGE_FORMAT_SWIZZLE_G as G, ZE_IMAGE_FORMAT_SWIZZLE_R as R, ZE_IMAGE_FORMAT_SWIZZLE_X as ANY,
    };
    let each = [format.x, format.y, format.z, format.w];
    // "Don't care" takes each component where it is.
    let each: [u32; 4] = std::array::from_fn(|channel| {
        if each[channel] == ANY {
            [R, G, B, A][channel]
        } else {
            each[channel]
        }
    });
    Some(match (components, each) {
        (1, [R, ZERO | G, ZERO | B, ONE | A]) => order::R,
        (1, [ZERO, ZERO, ZERO, R]) => order::A,
        (1, [R, R, R, R]) => order::INTENSITY,
        (1, [R, R, R, ONE]) => order::LUMINANCE,
        (2, [R, G, ZERO | B, ONE | A]) => order::RG,
        (2, [R, ZERO, ZERO, G]) => order::RA,
        (4, [R, G, B, A]) => order::RGBA,
        (4, [B, G, R, A]) => order::BGRA,
        (4, [G, B, A, R]) => order::ARGB,
        (4, [A, B, G, R]) => order::ABGR,
        _ => return None,
    })
}

/// The format; `None` if there is none like it.
pub fn of(format: &ze_image_format_t) -> Option<Format> {
    let (bits, components) = layout(format.layout)?;
    let data_type = match (format.type_, bits) {
        (ZE_IMAGE_FORMAT_TYPE_UINT, 8) => data_type::UNSIGNED_INT8,
        (ZE_IMAGE_FORMAT_TYPE_UINT, 16) => data_type::UNSIGNED_INT16,
        (ZE_IMAGE_FORMAT_TYPE_UINT, 32) => data_type::UNSIGNED_INT32,
        (ZE_IMAGE_FORMAT_TYPE_SINT, 8) => data_type::SIGNED_INT8,
        (ZE_IMAGE_FORMAT_TYPE_SINT, 16) => data_type::SIGNED_INT16,
        (ZE_IMAGE_FORMAT_TYPE_SINT, 32) => data_type::SIGNED_INT32,
        (ZE_IMAGE_FORMAT_TYPE_UNORM, 8) => data_type::UNORM_INT8,
        (ZE_IMAGE_FORMAT_TYPE_UNORM, 16) => data_type::UNORM_INT16,
        (ZE_IMAGE_FORMAT_TYPE_SNORM, 8) => data_type::SNORM_INT8,
        (ZE_IMAGE_FORMAT_TYPE_SNORM, 16) => data_type::SNORM_INT16,
        (ZE_IMAGE_FORMAT_TYPE_FLOAT, 16) => data_type::HALF_FLOAT,
        (ZE_IMAGE_FORMAT_TYPE_FLOAT, 32) => data_type::FLOAT,
        _ => return None,
    };
    Format::new(channels(format, components)?, data_type)
}
