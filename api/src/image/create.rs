//! Creating images: §5.3.1.

use super::formats::checked;
use super::{ALIGNMENT, Image, check_support, has_slices, limits};
use crate::cl::*;
use crate::context::{self, Context};
use crate::environment::has_feature;
use crate::error::{Result, fail_if};
use crate::handle::lookup;
use crate::machine;
use crate::memory::{Form, Memory, Storage, check_contents, check_flags, check_host_pointer, flags_of_part};
use crate::raw::{HostPointer, In};
use ::device::image::format::order;
use ::device::image::{Format, ImageRecord};
use ::device::live::written;
use core::ffi::c_void;
use std::sync::Arc;
use vendors::Features;

/// clCreateImage
pub fn create_image(
    context: cl_context,
    flags: cl_mem_flags,
    image_format: In<cl_image_format>,
    image_desc: In<cl_image_desc>,
    host_ptr: *mut c_void,
) -> Result<cl_mem> {
    create_image_with_properties(context, In::null(), flags, image_format, image_desc, host_ptr)
}

/// clCreateImageWithProperties
pub fn create_image_with_properties(
    context: cl_context,
    properties: In<cl_properties>,
    flags: cl_mem_flags,
    image_format: In<cl_image_format>,
    image_desc: In<cl_image_desc>,
    host_ptr: *mut c_void,
) -> Result<cl_mem> {
    // CL_INVALID_CONTEXT if context is not a valid context.
    let context = context::alive(context)?;
    check_support()?;
    // CL_INVALID_PROPERTY if a property name in properties is not a supported property name: none is.
    let properties = properties.bit_fields(&[], CL_INVALID_PROPERTY)?.list;
    // CL_INVALID_IMAGE_DESCRIPTOR if values specified in image_desc are not valid or if image_desc is NULL.
    let desc = image_desc.get().ok_or(CL_INVALID_IMAGE_DESCRIPTOR)?;
    check_flags(flags)?;
    match source(&desc, &context)? {
        None => create_new(&context, flags, image_format, &desc, host_ptr, properties),
        Some(source) => create_of(&source, flags, image_format, &desc, host_ptr, properties),
    }
}

/// clCreateImage2D
pub fn create_image_2d(
    context: cl_context,
    flags: cl_mem_flags,
    image_format: In<cl_image_format>,
    image_width: usize,
    image_height: usize,
    image_row_pitch: usize,
    host_ptr: *mut c_void,
) -> Result<cl_mem> {
    let desc = cl_image_desc {
        image_type: CL_MEM_OBJECT_IMAGE2D,
        image_width,
        image_height,
        image_row_pitch,
        ..EMPTY
    };
    create_of_sizes(context, flags, image_format, desc, host_ptr)
}

/// clCreateImage3D
pub fn create_image_3d(
    context: cl_context,
    flags: cl_mem_flags,
    image_format: In<cl_image_format>,
    image_width: usize,
    image_height: usize,
    image_depth: usize,
    image_row_pitch: usize,
    image_slice_pitch: usize,
    host_ptr: *mut c_void,
) -> Result<cl_mem> {
    // CL_INVALID_CONTEXT if context is not a valid context.
    context::alive(context)?;
    // CL_INVALID_IMAGE_SIZE if image_depth ≤ 1.
    fail_if(image_depth <= 1, CL_INVALID_IMAGE_SIZE)?;
    let desc = cl_image_desc {
        image_type: CL_MEM_OBJECT_IMAGE3D,
        image_width,
        image_height,
        image_depth,
        image_row_pitch,
        image_slice_pitch,
        ..EMPTY
    };
    create_of_sizes(context, flags, image_format, desc, host_ptr)
}

const EMPTY: cl_image_desc = cl_image_desc {
    image_type: 0,
    image_width: 0,
    image_height: 0,
    image_depth: 0,
    image_array_size: 0,
    image_row_pitch: 0,
    image_slice_pitch: 0,
    num_mip_levels: 0,
    num_samples: 0,
    mem_object: core::ptr::null_mut(),
};

fn create_of_sizes(
    context: cl_context,
    flags: cl_mem_flags,
    image_format: In<cl_image_format>,
    desc: cl_image_desc,
    host_ptr: *mut c_void,
) -> Result<cl_mem> {
    create_image(context, flags, image_format, In::from_slice(&[desc]), host_ptr).map_err(|code| match code {
        // CL_INVALID_IMAGE_SIZE if values specified by image_row_pitch and image_slice_pitch do not follow rules.
        CL_INVALID_IMAGE_DESCRIPTOR => CL_INVALID_IMAGE_SIZE,
        code => code,
    })
}

/// What the image is made of, if of another object. Checks what a descriptor says beside sizes.
fn source(desc: &cl_image_desc, context: &Arc<Context>) -> Result<Option<Arc<Memory>>> {
    let kind = desc.image_type;
    // CL_INVALID_IMAGE_DESCRIPTOR: image_type is none of the six.
    fail_if(
        !(CL_MEM_OBJECT_IMAGE2D..=CL_MEM_OBJECT_IMAGE1D_BUFFER).contains(&kind),
        CL_INVALID_IMAGE_DESCRIPTOR,
    )?;
    // CL_INVALID_IMAGE_DESCRIPTOR: num_samples must be 0, and so must num_mip_levels without cl_khr_mipmap_image.
    let levels = desc.num_mip_levels != 0 && !has_feature(Features::MIPMAPS);
    fail_if(levels || desc.num_samples != 0, CL_INVALID_IMAGE_DESCRIPTOR)?;
    if desc.mem_object.is_null() {
        // CL_INVALID_IMAGE_DESCRIPTOR: a 1D image buffer is made of a buffer.
        fail_if(kind == CL_MEM_OBJECT_IMAGE1D_BUFFER, CL_INVALID_IMAGE_DESCRIPTOR)?;
        return Ok(None);
    }
    // CL_INVALID_IMAGE_DESCRIPTOR: mem_object is not a valid memory object of the context, or one that the image can't be made of: "can be
    // a buffer memory object if image_type is CL_MEM_OBJECT_IMAGE1D_BUFFER or CL_MEM_OBJECT_IMAGE2D", "can be an image object if image_type
    // is CL_MEM_OBJECT_IMAGE2D. Otherwise it must be NULL."
    let source = lookup::<Memory>(desc.mem_object).map_err(|_| CL_INVALID_IMAGE_DESCRIPTOR)?;
    fail_if(!Arc::ptr_eq(&source.context, context), CL_INVALID_IMAGE_DESCRIPTOR)?;
    let levels = desc.num_mip_levels.max(1);
    let possible = match source.image() {
        Ok(image) => kind == CL_MEM_OBJECT_IMAGE2D && image.kind() == CL_MEM_OBJECT_IMAGE2D && image.num_mip_levels.max(1) == levels,
        // A buffer's bytes are one level's.
        Err(_) => source.check_buffer().is_ok() && matches!(kind, CL_MEM_OBJECT_IMAGE1D_BUFFER | CL_MEM_OBJECT_IMAGE2D) && levels == 1,
    };
    fail_if(!possible, CL_INVALID_IMAGE_DESCRIPTOR)?;
    Ok(Some(source.clone()))
}

/// Sizes and pitches of an image, as far as they need no memory.
#[derive(Clone, Copy)]
struct Layout {
    desc: cl_image_desc,
    row_pitch: usize,
    /// 0 where the kind has neither slices nor layers.
    slice_pitch: usize,
    /// All mip levels'.
    bytes: usize,
}

/// Mip levels begin at multiples of so many bytes: a cache line.
const LEVEL_ALIGN: usize = 64;

impl Layout {
    fn new(desc: &cl_image_desc, format: &Format) -> Result<Layout> {
        let mut desc = *desc;
        let kind = desc.image_type;
        // What a kind has no use for is not looked at.
        if !matches!(kind, CL_MEM_OBJECT_IMAGE2D | CL_MEM_OBJECT_IMAGE2D_ARRAY | CL_MEM_OBJECT_IMAGE3D) {
            desc.image_height = 1;
        }
        if kind != CL_MEM_OBJECT_IMAGE3D {
            desc.image_depth = 1;
        }
        if !matches!(kind, CL_MEM_OBJECT_IMAGE1D_ARRAY | CL_MEM_OBJECT_IMAGE2D_ARRAY) {
            desc.image_array_size = 1;
        }
        // CL_INVALID_IMAGE_SIZE if the image dimensions specified in image_desc are not valid or exceed the maximum image dimensions
        // described in the Device Queries table for all devices in context.
        let sizes = [desc.image_width, desc.image_height, desc.image_depth, desc.image_array_size];
        fail_if(!limits::allow(kind, sizes), CL_INVALID_IMAGE_SIZE)?;
        // CL_INVALID_IMAGE_DESCRIPTOR: a row pitch "must be greater than or equal to the image_width times the size of an image element in
        // bytes, and must be a multiple of the size of an image element in bytes"; 0 stands for the first.
        let pixel = format.bytes as usize;
        let row_pitch = match desc.image_row_pitch {
            0 => desc.image_width * pixel,
            pitch => pitch,
        };
        fail_if(
            row_pitch < desc.image_width * pixel || !row_pitch.is_multiple_of(pixel),
            CL_INVALID_IMAGE_DESCRIPTOR,
        )?;
        // CL_INVALID_IMAGE_DESCRIPTOR: a slice pitch "must be ≥ the image row pitch × image_height for a 2D image array or a 3D image, must
        // be ≥ the image row pitch for a 1D image array, and must be a multiple of the image row pitch"; 0 stands for the least.
        let least = row_pitch.checked_mul(desc.image_height).ok_or(CL_INVALID_IMAGE_DESCRIPTOR)?;
        let slice_pitch = match desc.image_slice_pitch {
            pitch if pitch != 0 && has_slices(kind) => pitch,
            _ => least,
        };
        fail_if(
            slice_pitch < least || !slice_pitch.is_multiple_of(row_pitch),
            CL_INVALID_IMAGE_DESCRIPTOR,
        )?;
        // CL_INVALID_IMAGE_DESCRIPTOR: there are no smaller levels than one of single pixels, which a level "half the size of the previous
        // level, rounded down" leads to.
        let longest = desc.image_width.max(desc.image_height).max(desc.image_depth);
        fail_if(desc.num_mip_levels > longest.ilog2() + 1, CL_INVALID_IMAGE_DESCRIPTOR)?;
        let slices = desc.image_depth * desc.image_array_size;
        let mut layout = Layout {
            desc,
            row_pitch,
            slice_pitch: if has_slices(kind) { slice_pitch } else { 0 },
            bytes: slice_pitch.checked_mul(slices).ok_or(CL_INVALID_IMAGE_DESCRIPTOR)?,
        };
        if desc.num_mip_levels > 1 {
            let next = Layout::new(&next_level(&desc), format)?;
            layout.bytes = layout.next_level() + next.bytes;
        }
        Ok(layout)
    }

    /// Where the next mip level is.
    fn next_level(&self) -> usize {
        let desc = &self.desc;
        let slices = desc.image_depth * desc.image_array_size;
        let slice = self.slice_pitch.max(self.row_pitch * desc.image_height);
        (slice * slices).next_multiple_of(LEVEL_ALIGN)
    }

    /// The image, its pixels in a memory.
    fn image(&self, format: Format, storage: &Storage) -> Form {
        let num_mip_levels = self.desc.num_mip_levels;
        let (mut level, mut data) = (*self, storage.data().ptr());
        let mut levels = Vec::new();
        loop {
            let desc = &level.desc;
            // No size exceeds 32 bits (`limits::MAX_BUFFER`, which is the largest).
            levels.push(ImageRecord {
                data,
                row_pitch: level.row_pitch as u64,
                slice_pitch: level.slice_pitch as u64,
                width: desc.image_width as u32,
                height: desc.image_height as u32,
                depth: desc.image_depth as u32,
                array_size: desc.image_array_size as u32,
                order: format.order,
                data_type: format.data_type,
                levels: num_mip_levels.max(1),
                samples: 1,
                kind: desc.image_type,
            });
            if desc.num_mip_levels <= 1 {
                break;
            }
            data = data.wrapping_add(level.next_level());
            match Layout::new(&next_level(desc), &format) {
                Ok(next) => level = next,
                // It has been made before.
                Err(_) => break,
            }
        }
        Form::Image(Image {
            levels: levels.into(),
            format,
            num_mip_levels,
        })
    }
}

/// The descriptor of the next mip level, and of those that follow it.
fn next_level(desc: &cl_image_desc) -> cl_image_desc {
    let half = |size: usize| (size / 2).max(1);
    cl_image_desc {
        image_width: half(desc.image_width),
        image_height: half(desc.image_height),
        image_depth: half(desc.image_depth),
        image_row_pitch: 0,
        image_slice_pitch: 0,
        num_mip_levels: desc.num_mip_levels - 1,
        ..*desc
    }
}

/// An image with memory of its own, or the application's.
fn create_new(
    context: &Arc<Context>,
    flags: cl_mem_flags,
    image_format: In<cl_image_format>,
    desc: &cl_image_desc,
    host_ptr: *mut c_void,
    properties: Vec<cl_properties>,
) -> Result<cl_mem> {
    check_contents(flags)?;
    check_host_pointer(flags, host_ptr)?;
    let format = checked(image_format, desc.image_type, flags)?;
    // CL_INVALID_IMAGE_DESCRIPTOR: "The image_row_pitch must be zero if host_ptr is NULL", and so must image_slice_pitch.
    fail_if(
        host_ptr.is_null() && (desc.image_row_pitch != 0 || desc.image_slice_pitch != 0),
        CL_INVALID_IMAGE_DESCRIPTOR,
    )?;
    // "CL_MEM_USE_HOST_PTR or CL_MEM_COPY_HOST_PTR cannot be specified if a mipmapped image is created. The host_ptr argument … must be a
    // NULL value." With which error is not said. The same list excludes depth images, of which OpenCL C reads levels; Khronos's tests make
    // such images, and so they can be made.
    fail_if(desc.num_mip_levels > 1 && !host_ptr.is_null(), CL_INVALID_HOST_PTR)?;
    let layout = Layout::new(desc, &format)?;
    // CL_MEM_OBJECT_ALLOCATION_FAILURE if there is a failure to allocate memory for the image object.
    fail_if(
        layout.bytes as u64 > machine::max_allocation_bytes(),
        CL_MEM_OBJECT_ALLOCATION_FAILURE,
    )?;
    let storage = Storage::new(flags, layout.bytes, HostPointer(host_ptr.cast()))?;
    Memory::create(context, layout.image(format, &storage), flags, layout.bytes, storage, properties)
}

/// An image that is made of another object.
fn create_of(
    source: &Arc<Memory>,
    flags: cl_mem_flags,
    image_format: In<cl_image_format>,
    desc: &cl_image_desc,
    host_ptr: *mut c_void,
    properties: Vec<cl_properties>,
) -> Result<cl_mem> {
    // CL_INVALID_VALUE if CL_MEM_IMMUTABLE_EXT is not set in flags and mem_object was created with CL_MEM_IMMUTABLE_EXT.
    fail_if(source.flags & !flags & CL_MEM_IMMUTABLE_EXT != 0, CL_INVALID_VALUE)?;
    let flags = flags_of_part(source, flags)?;
    // CL_INVALID_HOST_PTR if host_ptr is not NULL but CL_MEM_COPY_HOST_PTR or CL_MEM_USE_HOST_PTR are not set in flags: they can't be.
    fail_if(!host_ptr.is_null(), CL_INVALID_HOST_PTR)?;
    let format = checked(image_format, desc.image_type, flags)?;
    // CL_INVALID_IMAGE_DESCRIPTOR: "The image_slice_pitch must be zero if host_ptr is NULL". The row pitch of a 1D image buffer must be
    // zero, too, but programs give one, Khronos's tests among them; it does no harm.
    fail_if(desc.image_slice_pitch != 0, CL_INVALID_IMAGE_DESCRIPTOR)?;
    let mut desc = *desc;
    match source.image() {
        Ok(image) => {
            let record = image.record();
            desc.image_row_pitch = if desc.image_row_pitch == 0 {
                record.row_pitch as usize
            } else {
                desc.image_row_pitch
            };
            // CL_INVALID_IMAGE_FORMAT_DESCRIPTOR if a 2D image is created from a 2D image object and the rules are not followed: "All of
            // the values specified in image_desc must match the image descriptor information associated with mem_object", "The image
            // channel data type specified in image_format must match", "The image channel order … must be compatible".
            let same_size = desc.image_width == record.width as usize
                && desc.image_height == record.height as usize
                && desc.image_row_pitch == record.row_pitch as usize;
            let compatible = format.data_type == record.data_type && are_compatible(format.order, record.order);
            fail_if(!same_size || !compatible, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR)?;
        }
        Err(_) => {
            // CL_INVALID_IMAGE_FORMAT_DESCRIPTOR if a 2D image is created from a buffer and the row pitch and base address alignment does
            // not follow the rules described for creating a 2D image from a buffer.
            let alignment = ALIGNMENT * format.bytes as usize;
            let aligned = source.address().number().is_multiple_of(alignment) && desc.image_row_pitch.is_multiple_of(alignment);
            fail_if(
                desc.image_type == CL_MEM_OBJECT_IMAGE2D && !aligned,
                CL_INVALID_IMAGE_FORMAT_DESCRIPTOR,
            )?;
        }
    }
    let layout = Layout::new(&desc, &format)?;
    // CL_INVALID_IMAGE_SIZE: "the image_width × size of element in bytes must be ≤ size of the buffer object", "the image_row_pitch ×
    // image_height must be ≤ size of the buffer object".
    fail_if(layout.bytes > source.size, CL_INVALID_IMAGE_SIZE)?;
    let storage = Storage::part_of(source, 0);
    // What is written to the image is not followed.
    written::set(source.address().ptr(), source.size);
    Memory::create(
        &source.context,
        layout.image(format, &storage),
        flags,
        layout.bytes,
        storage,
        properties,
    )
}

/// May an image of one channel order be looked at as one of another? (Table "Compatible Image Channel Orders")
fn are_compatible(new: cl_channel_order, old: cl_channel_order) -> bool {
    let colour_spaces = [
        (order::SBGRA, order::BGRA),
        (order::SRGBA, order::RGBA),
        (order::SRGB, order::RGB),
        (order::SRGBX, order::RGBX),
    ];
    let pair = |&(srgb, linear): &(u32, u32)| (new, old) == (srgb, linear) || (new, old) == (linear, srgb);
    colour_spaces.iter().any(pair) || (new, old) == (order::DEPTH, order::R)
}
