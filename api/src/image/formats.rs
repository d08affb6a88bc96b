//! Which formats there are for which images: §5.3.2 (clGetSupportedImageFormats) and §5.3.1.1 (what a format may be).

use super::check_support;
use crate::cl::*;
use crate::context::Context;
use crate::environment::has_feature;
use crate::error::{Result, fail_if};
use crate::handle::lookup;
use crate::memory::check_flags;
use crate::raw::{In, Out};
use ::device::image::Format;
use ::device::image::format::{data_type, order};
use vendors::Features;

/// What kernels may do with images of a format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// Some kernel reads it.
    pub reads: bool,
    /// Some kernel writes it.
    pub writes: bool,
    /// One kernel does both.
    pub at_once: bool,
}

impl Access {
    /// What memory flags ask for.
    pub fn of(flags: cl_mem_flags) -> Access {
        let at_once = flags & CL_MEM_KERNEL_READ_AND_WRITE != 0;
        Access {
            reads: flags & CL_MEM_WRITE_ONLY == 0 || at_once,
            writes: flags & (CL_MEM_READ_ONLY | CL_MEM_IMMUTABLE_EXT) == 0 || at_once,
            at_once,
        }
    }
}

/// Is a format supported for images of a kind?
pub fn is_supported(format: &Format, kind: cl_mem_object_type, access: Access) -> bool {
    // "The number of bits per element determined by the image_channel_data_type and image_channel_order must be a power of two."
    let sized = format.bytes.is_power_of_two();
    // Where the last channel is ignored, the specification and Khronos's tests disagree about what kernels read: about alpha of the border,
    // and of integers. Images that kernels only write have neither. They disagree about the bytes of CL_Rx, too, whatever is done with it.
    // (No data type gives CL_RGx a power of two.)
    let known = match format.order {
        order::RX | order::RGX => false,
        order::RGBX | order::SRGBX => !access.reads,
        _ => true,
    };
    // Kernels have depth images of two dimensions only.
    let depth =
        !format.is_depth() || has_feature(Features::DEPTH_IMAGES) && matches!(kind, CL_MEM_OBJECT_IMAGE2D | CL_MEM_OBJECT_IMAGE2D_ARRAY);
    let written = !access.writes
        || (!format.srgb || has_feature(Features::SRGB_WRITES))
            && (kind != CL_MEM_OBJECT_IMAGE3D || has_feature(Features::IMAGE_3D_WRITES));
    let at_once = !access.at_once || has_feature(Features::READ_WRITE_IMAGES);
    sized && known && depth && written && at_once
}

/// The format of an image that is to be made.
pub fn checked(format: In<cl_image_format>, kind: cl_mem_object_type, flags: cl_mem_flags) -> Result<Format> {
    // CL_INVALID_IMAGE_FORMAT_DESCRIPTOR if image_format is NULL.
    let format = format.get().ok_or(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR)?;
    let (order, data_type) = (format.image_channel_order, format.image_channel_data_type);
    // CL_INVALID_IMAGE_FORMAT_DESCRIPTOR if values specified in image_format are not valid.
    fail_if(!is_valid(order, data_type), CL_INVALID_IMAGE_FORMAT_DESCRIPTOR)?;
    // CL_IMAGE_FORMAT_NOT_SUPPORTED if there are no devices in context that support image_format.
    Format::new(order, data_type)
        .filter(|format| is_supported(format, kind, Access::of(flags)))
        .ok_or(CL_IMAGE_FORMAT_NOT_SUPPORTED)
}

/// Are an order and a data type in the specification's tables, and do the tables let them go together?
fn is_valid(channel_order: cl_channel_order, channel_type: cl_channel_type) -> bool {
    let packed = match channel_type {
        data_type::UNORM_SHORT_565 | data_type::UNORM_SHORT_555 | data_type::UNORM_INT_101010 => {
            matches!(channel_order, order::RGB | order::RGBX)
        }
        data_type::UNORM_INT_101010_2 => channel_order == order::RGBA,
        _ => true,
    };
    let known = (order::R..=order::ABGR).contains(&channel_order)
        && (data_type::SNORM_INT8..=data_type::UNORM_INT_101010_2).contains(&channel_type);
    known && packed
}

/// clGetSupportedImageFormats
pub fn get_supported_image_formats(
    context: cl_context,
    flags: cl_mem_flags,
    image_type: cl_mem_object_type,
    num_entries: cl_uint,
    image_formats: Out<cl_image_format>,
    num_image_formats: Out<cl_uint>,
) -> Result<()> {
    // CL_INVALID_CONTEXT if context is not a valid context.
    lookup::<Context>(context)?;
    // CL_INVALID_VALUE if flags is not valid. Beside the flags of an image there is CL_MEM_KERNEL_READ_AND_WRITE.
    check_flags(flags & !CL_MEM_KERNEL_READ_AND_WRITE)?;
    // CL_INVALID_VALUE if image_type is not valid.
    fail_if(
        !(CL_MEM_OBJECT_IMAGE2D..=CL_MEM_OBJECT_IMAGE1D_BUFFER).contains(&image_type),
        CL_INVALID_VALUE,
    )?;
    // CL_INVALID_VALUE if num_entries is zero and image_formats is not NULL.
    fail_if(num_entries == 0 && !image_formats.is_null(), CL_INVALID_VALUE)?;
    let access = Access::of(flags);
    let formats: Vec<cl_image_format> = Format::all()
        .filter(|format| check_support().is_ok() && is_supported(format, image_type, access))
        .map(|format| cl_image_format {
            image_channel_order: format.order,
            image_channel_data_type: format.data_type,
        })
        .collect();
    num_image_formats.write(formats.len() as cl_uint);
    image_formats.write_list(num_entries as usize, formats);
    Ok(())
}
