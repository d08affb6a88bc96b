//! Images and samplers.

use crate::{Argument, Context, Info, check, cl, info};
use cl_sys::*;
use std::ptr::{null, null_mut};

/// Channel order and data type.
pub type ImageFormat = (cl_channel_order, cl_channel_type);

/// What an image descriptor says. The size is as commands count it: layers come after the last dimension that a layer has; unused ones are
/// 1.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    pub kind: cl_mem_object_type,
    pub size: [usize; 3],
    pub row_pitch: usize,
    pub slice_pitch: usize,
    pub source: cl_mem,
    /// Mip levels.
    pub levels: cl_uint,
}

impl Shape {
    /// An image of a kind; sizes that the kind lacks are 1.
    pub fn new(kind: cl_mem_object_type, size: [usize; 3]) -> Shape {
        Shape {
            kind,
            size,
            row_pitch: 0,
            slice_pitch: 0,
            source: null_mut(),
            levels: 0,
        }
    }

    pub fn d2(width: usize, height: usize) -> Shape {
        Shape::new(CL_MEM_OBJECT_IMAGE2D, [width, height, 1])
    }

    pub fn pitches(self, row_pitch: usize, slice_pitch: usize) -> Shape {
        Shape {
            row_pitch,
            slice_pitch,
            ..self
        }
    }

    /// Made of another memory object.
    pub fn of(self, source: cl_mem) -> Shape {
        Shape { source, ..self }
    }

    /// With so many mip levels.
    pub fn levels(self, levels: cl_uint) -> Shape {
        Shape { levels, ..self }
    }

    /// The size of a mip level: layers don't become fewer.
    pub fn level_size(&self, level: usize) -> [usize; 3] {
        let layers = match self.kind {
            CL_MEM_OBJECT_IMAGE1D_ARRAY => 1,
            CL_MEM_OBJECT_IMAGE2D_ARRAY => 2,
            _ => 3,
        };
        std::array::from_fn(|n| {
            if n == layers {
                self.size[n]
            } else {
                (self.size[n] >> level).max(1)
            }
        })
    }

    /// Where a mip level begins, as commands are told.
    pub fn level_origin(&self, level: usize) -> [usize; 4] {
        match self.kind {
            CL_MEM_OBJECT_IMAGE1D => [0, level, 0, 0],
            CL_MEM_OBJECT_IMAGE2D | CL_MEM_OBJECT_IMAGE1D_ARRAY => [0, 0, level, 0],
            _ => [0, 0, 0, level],
        }
    }

    pub fn descriptor(&self) -> cl_image_desc {
        let [width, height, depth] = self.size;
        cl_image_desc {
            image_type: self.kind,
            image_width: width,
            image_height: height,
            image_depth: depth,
            image_array_size: if self.kind == CL_MEM_OBJECT_IMAGE1D_ARRAY { height } else { depth },
            image_row_pitch: self.row_pitch,
            image_slice_pitch: self.slice_pitch,
            num_mip_levels: self.levels,
            num_samples: 0,
            buffer: self.source,
        }
    }

    /// How many pixels there are.
    pub fn pixels(&self) -> usize {
        self.size.iter().product()
    }
}

/// An image.
#[derive(Debug)]
pub struct Image<'a> {
    pub id: cl_mem,
    pub shape: Shape,
    context: &'a Context,
}

impl Context {
    /// Does the device have images? Tests of images have nothing to do where it has none.
    pub fn has_images(&self) -> bool {
        self.device.number(CL_DEVICE_IMAGE_SUPPORT) != 0
    }

    /// Makes an image, if that can be made.
    pub fn try_image(&self, flags: cl_mem_flags, format: ImageFormat, shape: Shape, host: *mut u8) -> Result<Image<'_>, cl_int> {
        let image_format = cl_image_format {
            image_channel_order: format.0,
            image_channel_data_type: format.1,
        };
        let mut status = 0;
        let id = cl!(clCreateImage(
            self.id,
            flags,
            &image_format,
            &shape.descriptor(),
            host.cast(),
            &mut status
        ));
        assert_eq!(id.is_null(), status != CL_SUCCESS);
        match status {
            CL_SUCCESS => Ok(Image { id, shape, context: self }),
            error => Err(error),
        }
    }

    /// A readable and writable image.
    #[track_caller]
    pub fn image(&self, format: ImageFormat, shape: Shape) -> Image<'_> {
        let image = self.try_image(CL_MEM_READ_WRITE, format, shape, null_mut());
        image.unwrap_or_else(|status| panic!("clCreateImage: {status}"))
    }
}

impl Image<'_> {
    pub fn info(&self, name: cl_image_info) -> Result<Info, cl_int> {
        info(|size, value, ret| cl!(clGetImageInfo(self.id, name, size, value, ret)))
    }

    pub fn number(&self, name: cl_image_info) -> u64 {
        self.info(name).expect("an image query").number()
    }

    fn bytes(&self, level: usize) -> usize {
        let pixels: usize = self.shape.level_size(level).iter().product();
        pixels * self.number(CL_IMAGE_ELEMENT_SIZE) as usize
    }

    /// All pixels, row by row, after everything in the queue before.
    #[track_caller]
    pub fn read(&self) -> Vec<u8> {
        self.read_level(0)
    }

    /// All pixels of a mip level.
    #[track_caller]
    pub fn read_level(&self, level: usize) -> Vec<u8> {
        let mut pixels = vec![0; self.bytes(level)];
        let (origin, region) = (self.shape.level_origin(level), self.shape.level_size(level));
        let to = pixels.as_mut_ptr().cast();
        let status = cl!(clEnqueueReadImage(
            self.context.queue,
            self.id,
            CL_TRUE,
            origin.as_ptr(),
            region.as_ptr(),
            0,
            0,
            to,
            0,
            null(),
            null_mut()
        ));
        check(status, "clEnqueueReadImage");
        pixels
    }

    /// Replaces all pixels.
    #[track_caller]
    pub fn write(&self, pixels: &[u8]) {
        self.write_level(0, pixels);
    }

    /// Replaces all pixels of a mip level.
    #[track_caller]
    pub fn write_level(&self, level: usize, pixels: &[u8]) {
        assert_eq!(pixels.len(), self.bytes(level));
        let (origin, region) = (self.shape.level_origin(level), self.shape.level_size(level));
        let from = pixels.as_ptr().cast();
        let status = cl!(clEnqueueWriteImage(
            self.context.queue,
            self.id,
            CL_TRUE,
            origin.as_ptr(),
            region.as_ptr(),
            0,
            0,
            from,
            0,
            null(),
            null_mut()
        ));
        check(status, "clEnqueueWriteImage");
    }
}

impl Argument for Image<'_> {
    fn value(&self) -> (usize, *const c_void) {
        (size_of::<cl_mem>(), std::ptr::from_ref(&self.id).cast())
    }
}

impl Drop for Image<'_> {
    fn drop(&mut self) {
        cl!(clReleaseMemObject(self.id));
    }
}

/// A sampler.
#[derive(Debug)]
pub struct Sampler(pub cl_sampler);

impl Context {
    #[track_caller]
    pub fn sampler(&self, normalized: bool, addressing: cl_addressing_mode, filter: cl_filter_mode) -> Sampler {
        let mut status = 0;
        let id = cl!(clCreateSampler(self.id, normalized.into(), addressing, filter, &mut status));
        check(status, "clCreateSampler");
        Sampler(id)
    }
}

impl Argument for Sampler {
    fn value(&self) -> (usize, *const c_void) {
        (size_of::<cl_sampler>(), std::ptr::from_ref(&self.0).cast())
    }
}

impl Drop for Sampler {
    fn drop(&mut self) {
        cl!(clReleaseSampler(self.0));
    }
}
