//! Image queries: §5.3.8.

use super::has_slices;
use crate::cl::*;
use crate::error::Result;
use crate::handle::lookup;
use crate::info::Info;
use crate::memory::Memory;
use crate::raw::Out;
use core::ffi::c_void;
use core::ptr::null_mut;

/// clGetImageInfo
pub fn get_image_info(
    image: cl_mem,
    param_name: cl_image_info,
    param_value_size: usize,
    param_value: Out<c_void>,
    param_value_size_ret: Out<usize>,
) -> Result<()> {
    // CL_INVALID_MEM_OBJECT if image is a not a valid image object.
    let object = lookup::<Memory>(image)?;
    let image = object.image()?;
    let (record, format) = (image.record(), &image.format);
    let kind = image.kind();
    // A size that the kind lacks is 0.
    let size = |has: bool, size: u32| Info::of::<usize>(if has { size as usize } else { 0 });
    let has_rows = matches!(kind, CL_MEM_OBJECT_IMAGE2D | CL_MEM_OBJECT_IMAGE2D_ARRAY | CL_MEM_OBJECT_IMAGE3D);
    let is_3d = kind == CL_MEM_OBJECT_IMAGE3D;
    let info = match param_name {
        CL_IMAGE_FORMAT => Info::of([format.order, format.data_type]),
        CL_IMAGE_ELEMENT_SIZE => Info::of(image.pixel_bytes()),
        CL_IMAGE_ROW_PITCH => Info::of(record.row_pitch as usize),
        CL_IMAGE_SLICE_PITCH => Info::of(record.slice_pitch as usize),
        CL_IMAGE_WIDTH => size(true, record.width),
        CL_IMAGE_HEIGHT => size(has_rows, record.height),
        CL_IMAGE_DEPTH => size(is_3d, record.depth),
        CL_IMAGE_ARRAY_SIZE => size(has_slices(kind) && !is_3d, record.array_size),
        CL_IMAGE_BUFFER => {
            let buffer = object.parent.as_ref().filter(|(parent, _)| parent.check_buffer().is_ok());
            Info::of(buffer.map_or(null_mut(), |(parent, _)| parent.id()))
        }
        CL_IMAGE_NUM_MIP_LEVELS => Info::of(image.num_mip_levels),
        // No image has samples.
        CL_IMAGE_NUM_SAMPLES => Info::of::<cl_uint>(0),
        // CL_INVALID_VALUE if param_name is not one of the supported values.
        _ => return Err(CL_INVALID_VALUE),
    };
    info.answer(param_value_size, param_value, param_value_size_ret)
}
