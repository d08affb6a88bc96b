//! Image objects: §5.3.
//!
//! An image is memory with pitches and a format. Commands count its layers in the dimension after the last that each layer has (the second
//! of a 1D array, the third of a 2D array), and so does everything here: an image's [`extent`](ImageRecord::extent) has three sizes, and those
//! that its kind lacks are 1. With that, a command's rules for origin and region need no cases.

mod commands;
mod create;
mod formats;
mod info;

pub use commands::{
    copy, copy_image_and_buffer, enqueue_copy, enqueue_copy_buffer_to_image, enqueue_copy_image_to_buffer, enqueue_fill, enqueue_map,
    enqueue_read_or_write, fill,
};
pub use create::{create_image, create_image_2d, create_image_3d, create_image_with_properties};
pub use formats::get_supported_image_formats;
pub use info::get_image_info;

use crate::cl::*;
use crate::environment::has_feature;
use crate::error::{Result, fail_if};
use crate::raw::In;
use crate::rect::Rect;
use ::device::image::kind::has_slices;
pub use ::device::image::limits;
use ::device::image::{Format, ImageRecord};
use vendors::Features;

/// `CL_DEVICE_IMAGE_PITCH_ALIGNMENT` and `CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT`, in pixels.
pub const ALIGNMENT: usize = 1;

/// CL_INVALID_OPERATION if there are no devices that support images (CL_DEVICE_IMAGE_SUPPORT is CL_FALSE). All devices are alike.
pub fn check_support() -> Result<()> {
    fail_if(!has_feature(Features::IMAGES), CL_INVALID_OPERATION)
}

/// What makes a memory object an image.
#[derive(Debug)]
pub struct Image {
    /// What kernels get: its mip levels, one if it has no others. The slice pitch is 0 where the kind has neither slices nor layers.
    levels: Box<[ImageRecord]>,
    format: Format,
    /// CL_IMAGE_NUM_MIP_LEVELS: 0 stands for one level, too.
    num_mip_levels: cl_uint,
}

// SAFETY: plain data, and an address; whoever reads or writes through it says why that is fine.
unsafe impl Send for Image {}
// SAFETY: as above.
unsafe impl Sync for Image {}

impl Image {
    /// What a kernel's argument points to: it stays where it is as long as the memory object lives.
    pub fn argument(&self) -> *const ImageRecord {
        self.levels.as_ptr()
    }

    /// The first mip level.
    pub fn record(&self) -> &ImageRecord {
        &self.levels[0]
    }

    /// CL_MEM_TYPE
    pub fn kind(&self) -> cl_mem_object_type {
        self.record().kind
    }

    /// Its channel order is CL_DEPTH.
    pub fn is_depth(&self) -> bool {
        self.format.is_depth()
    }

    /// Bytes of a pixel.
    fn pixel_bytes(&self) -> usize {
        self.format.bytes as usize
    }

    /// All of an image without mip levels: its bytes from its first on, and the region of a command that reads it.
    pub fn whole(&self) -> Option<(Rect, [usize; 3])> {
        let record = self.record();
        let region = record.extent();
        let rect = self.pitched([0; 3], region, record.row_pitch as usize, record.slice_pitch as usize);
        rect.ok().filter(|_| self.levels.len() == 1).map(|rect| (rect, region))
    }

    /// The mip level that a command is about, and where it begins in that: "Specifying Mipmap Levels to Image Operations", §5.3.
    fn level(&self, origin: In<usize>) -> Result<(&ImageRecord, [usize; 3])> {
        // CL_INVALID_VALUE if origin is NULL.
        let mut start = origin.triple(3, 0).ok_or(CL_INVALID_VALUE)?;
        if self.levels.len() == 1 {
            return Ok((self.record(), start));
        }
        // "If image is a 1D image, origin[1] specifies the mip level to use", and so on: the level follows the coordinates.
        let number = match self.kind() {
            CL_MEM_OBJECT_IMAGE1D => core::mem::take(&mut start[1]),
            CL_MEM_OBJECT_IMAGE1D_ARRAY | CL_MEM_OBJECT_IMAGE2D => core::mem::take(&mut start[2]),
            _ => origin.list(4).and_then(|origin| origin.get(3).copied()).ok_or(CL_INVALID_VALUE)?,
        };
        // CL_INVALID_MIP_LEVEL if the mip level specified in origin is not a valid level for image.
        let level = self.levels.get(number).ok_or(CL_INVALID_MIP_LEVEL)?;
        Ok((level, start))
    }

    /// The region of a command, in bytes.
    fn rect(&self, origin: In<usize>, region: In<usize>) -> Result<Rect> {
        // CL_INVALID_VALUE if origin or region is NULL.
        let (level, origin) = self.level(origin)?;
        let region = region.triple(3, 1).ok_or(CL_INVALID_VALUE)?;
        // CL_INVALID_VALUE if the region specified by origin and region is out of bounds, or if values in origin and region do not follow
        // the rules: "The values in region cannot be 0"; where the kind lacks a dimension, origin must be 0 and region 1.
        let extent = level.extent();
        let fits = |dimension: usize| {
            let end = origin[dimension].checked_add(region[dimension]);
            region[dimension] != 0 && end.is_some_and(|end| end <= extent[dimension])
        };
        fail_if(!(0..3).all(fits), CL_INVALID_VALUE)?;
        let rect = self.pitched(origin, region, level.row_pitch as usize, level.slice_pitch as usize)?;
        Ok(rect.behind(level.data as usize - self.record().data as usize))
    }

    /// The region of a command in memory of the application's.
    fn host_rect(&self, region: In<usize>, row_pitch: usize, slice_pitch: usize) -> Result<Rect> {
        let region = region.triple(3, 1).ok_or(CL_INVALID_VALUE)?;
        // row_pitch "must be greater than or equal to the element size in bytes × width"; 0 stands for that.
        let row = region[0] * self.pixel_bytes();
        fail_if(row_pitch != 0 && row_pitch < row, CL_INVALID_VALUE)?;
        let row_pitch = if row_pitch == 0 { row } else { row_pitch };
        // CL_INVALID_VALUE if image is a 1D or 2D image and slice_pitch or input_slice_pitch is not zero.
        fail_if(slice_pitch != 0 && !has_slices(self.kind()), CL_INVALID_VALUE)?;
        // "Otherwise this value must be greater than or equal to row_pitch × height"; 0 stands for that.
        let height = if self.kind() == CL_MEM_OBJECT_IMAGE1D_ARRAY { 1 } else { region[1] };
        let slice = row_pitch.checked_mul(height).ok_or(CL_INVALID_VALUE)?;
        fail_if(slice_pitch != 0 && slice_pitch < slice, CL_INVALID_VALUE)?;
        let slice_pitch = if slice_pitch == 0 { slice } else { slice_pitch };
        self.pitched([0; 3], region, row_pitch, slice_pitch)
    }

    /// A region of pixels as one of bytes: the layers of a 1D array are its rows.
    fn pitched(&self, [x, y, z]: [usize; 3], [width, height, depth]: [usize; 3], row_pitch: usize, slice_pitch: usize) -> Result<Rect> {
        let bytes = self.pixel_bytes();
        let row_pitch = if self.kind() == CL_MEM_OBJECT_IMAGE1D_ARRAY {
            slice_pitch
        } else {
            row_pitch
        };
        // Where there is one slice, the distance to the next is nowhere.
        let slice_pitch = if has_slices(self.kind()) { slice_pitch } else { row_pitch * height };
        Rect::with_pitches([x * bytes, y, z], [width * bytes, height, depth], row_pitch, slice_pitch)
    }
}
