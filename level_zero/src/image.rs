//! Images: memory of the driver's, in rows and slices without gaps, and what kernels get of it.

use crate::context::Context;
use crate::device::Device;
use crate::error::{Result, entry, fail_if};
use crate::handle::{Handle, publish};
use crate::image_format;
use crate::pointer::{In, Out, extension};
use crate::ze::*;
use ::device::image::{Format, ImageRecord, kind, limits};
use ::device::machine::machine;
use ::device::memory::{Allocation, RectPlace};
use std::sync::Arc;
use vendors::Features;

/// An image.
pub struct Image {
    record: Box<ImageRecord>,
    /// Bytes of a texel.
    pub texel: usize,
    /// Views share it.
    memory: Arc<Allocation>,
}

// SAFETY: the record's pointer is to the memory beside it; who accesses that when is the application's business.
unsafe impl Send for Image {}
// SAFETY: as above.
unsafe impl Sync for Image {}

impl Image {
    /// Over some memory.
    fn new(format: &Format, record: ImageRecord, memory: Arc<Allocation>) -> Arc<Image> {
        let data = memory.as_ptr();
        Arc::new(Image {
            record: Box::new(ImageRecord { data, ..record }),
            texel: format.bytes as usize,
            memory,
        })
    }

    /// One of [`kind`].
    pub fn kind(&self) -> u32 {
        self.record.kind
    }

    /// What it is to kernels.
    pub fn record(&self) -> ImageRecord {
        *self.record
    }

    /// What kernels get, as long as the image lives.
    pub fn argument(&self) -> u64 {
        &raw const *self.record as u64
    }

    /// A part of it, all without a region: where it is, its bytes, rows and slices. ZE_RESULT_ERROR_INVALID_ARGUMENT if it is not within the image.
    pub fn part(&self, region: In<ze_image_region_t>) -> Result<(RectPlace<usize>, [usize; 3])> {
        let whole = self.record.extent();
        let (origin, size) = if region.is_null() {
            ([0; 3], whole)
        } else {
            let region = region.get()?;
            let size = [region.width, region.height.max(1), region.depth.max(1)];
            let origin = [region.originX, region.originY, region.originZ];
            (origin.map(|axis| axis as usize), size.map(|axis| axis as usize))
        };
        let within = (0..3).all(|axis| origin[axis] + size[axis] <= whole[axis]);
        fail_if(!within, ZE_RESULT_ERROR_INVALID_ARGUMENT)?;
        let record = &self.record;
        // The layers of a 1D array are rows to commands.
        let row_pitch = match record.kind {
            kind::IMAGE_1D_ARRAY => record.slice_pitch,
            _ => record.row_pitch,
        } as usize;
        let slice_pitch = record.slice_pitch as usize;
        let [x, y, z] = origin;
        let place = RectPlace {
            origin: record.data as usize + x * self.texel + y * row_pitch + z * slice_pitch,
            row_pitch,
            slice_pitch,
        };
        Ok((place, [size[0] * self.texel, size[1], size[2]]))
    }
}

/// ZE_RESULT_ERROR_UNSUPPORTED_FEATURE if the device has no images.
pub fn check_support() -> Result<()> {
    fail_if(
        !vendors::supported().features().contains(Features::IMAGES),
        ZE_RESULT_ERROR_UNSUPPORTED_FEATURE,
    )
}

/// A descriptor, checked but for its format and sizes.
fn checked(desc: In<ze_image_desc_t>) -> Result<ze_image_desc_t> {
    let desc = desc.get()?;
    // ZE_RESULT_ERROR_INVALID_ENUMERATION: 0x3 < desc->flags, ZE_IMAGE_TYPE_BUFFER < desc->type
    fail_if(
        desc.flags > 3 || desc.type_ > ZE_IMAGE_TYPE_BUFFER,
        ZE_RESULT_ERROR_INVALID_ENUMERATION,
    )?;
    check_support()?;
    Ok(desc)
}

/// The format of an image, and its record without memory.
fn describe(desc: &ze_image_desc_t) -> Result<(Format, ImageRecord)> {
    let format = image_format::of(&desc.format).ok_or(ZE_RESULT_ERROR_UNSUPPORTED_IMAGE_FORMAT)?;
    // ZE_RESULT_ERROR_UNSUPPORTED_FEATURE: there are no mip levels here.
    fail_if(desc.miplevels > 1, ZE_RESULT_ERROR_UNSUPPORTED_FEATURE)?;
    let (kind, height, depth, array_size) = match desc.type_ {
        ZE_IMAGE_TYPE_1D => (kind::IMAGE_1D, 1, 1, 1),
        ZE_IMAGE_TYPE_1DARRAY => (kind::IMAGE_1D_ARRAY, 1, 1, desc.arraylevels),
        ZE_IMAGE_TYPE_2D => (kind::IMAGE_2D, desc.height, 1, 1),
        ZE_IMAGE_TYPE_2DARRAY => (kind::IMAGE_2D_ARRAY, desc.height, 1, desc.arraylevels),
        ZE_IMAGE_TYPE_3D => (kind::IMAGE_3D, desc.height, desc.depth, 1),
        _ => (kind::IMAGE_1D_BUFFER, 1, 1, 1),
    };
    // ZE_RESULT_ERROR_UNSUPPORTED_SIZE: larger than ze_device_image_properties_t says, or nothing.
    let width = usize::try_from(desc.width).map_err(|_| ZE_RESULT_ERROR_UNSUPPORTED_SIZE)?;
    let fits = limits::allow(kind, [width, height as usize, depth as usize, array_size as usize]);
    fail_if(!fits, ZE_RESULT_ERROR_UNSUPPORTED_SIZE)?;
    let row_pitch = desc.width * u64::from(format.bytes);
    let record = ImageRecord {
        data: core::ptr::null_mut(),
        row_pitch,
        slice_pitch: row_pitch * u64::from(height),
        width: width as u32,
        height,
        depth,
        array_size,
        order: format.order,
        data_type: format.data_type,
        levels: 1,
        samples: 1,
        kind,
    };
    Ok((format, record))
}

/// zeImageViewCreateExt, zeImageViewCreateExp: the image's memory, its texels of as many bytes taken as of another format.
fn view(
    context: Handle<Context>,
    device: Handle<Device>,
    desc: In<ze_image_desc_t>,
    image: Handle<Image>,
    view: Out<Handle<Image>>,
) -> Result<()> {
    context.check()?;
    device.check()?;
    let image = image.get()?;
    let desc = checked(desc)?;
    view.check()?;
    // There are images of one plane only, whose number is 0.
    let plane = extension::<ze_image_view_planar_ext_desc_t>(desc.pNext)
        .map(Out::read)
        .transpose()?;
    fail_if(plane.is_some_and(|plane| plane.planeIndex != 0), ZE_RESULT_ERROR_INVALID_ARGUMENT)?;
    let (format, record) = describe(&desc)?;
    let same = record.kind == image.record.kind && record.extent() == image.record.extent() && format.bytes as usize == image.texel;
    fail_if(!same, ZE_RESULT_ERROR_INVALID_ARGUMENT)?;
    view.write(publish(Image::new(&format, record, image.memory.clone())))
}

entry! {
    /// zeImageGetProperties: no filter for a format that is not supported.
    pub fn zeImageGetProperties(hDevice: Handle<Device>, desc: In<ze_image_desc_t>, pImageProperties: Out<ze_image_properties_t>) {
        hDevice.check()?;
        let filters = match image_format::of(&checked(desc)?.format) {
            None => 0,
            Some(format) if format.encoding.is_float() => ZE_IMAGE_SAMPLER_FILTER_FLAG_POINT | ZE_IMAGE_SAMPLER_FILTER_FLAG_LINEAR,
            Some(_) => ZE_IMAGE_SAMPLER_FILTER_FLAG_POINT,
        };
        pImageProperties.fill(|properties| properties.samplerFilterFlags = filters)
    }

    /// zeImageCreate
    pub fn zeImageCreate(hContext: Handle<Context>, hDevice: Handle<Device>, desc: In<ze_image_desc_t>, phImage: Out<Handle<Image>>) {
        hContext.check()?;
        hDevice.check()?;
        let desc = checked(desc)?;
        phImage.check()?;
        let (format, record) = describe(&desc)?;
        let bytes = record.slice_pitch * u64::from(record.depth) * u64::from(record.array_size);
        fail_if(bytes > machine().max_allocation_bytes, ZE_RESULT_ERROR_UNSUPPORTED_SIZE)?;
        let memory = compiler::buffers::allocate(bytes as usize, 0).map_err(|_| ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY)?;
        phImage.write(publish(Image::new(&format, record, Arc::new(memory))))
    }

    /// zeImageDestroy: of a view, too. The memory stays as long as an image or a view of it is there.
    pub fn zeImageDestroy(hImage: Handle<Image>) {
        hImage.destroy().map(drop)
    }

    /// zeImageViewCreateExt
    pub fn zeImageViewCreateExt(hContext: Handle<Context>, hDevice: Handle<Device>, desc: In<ze_image_desc_t>, hImage: Handle<Image>, phImageView: Out<Handle<Image>>) {
        view(hContext, hDevice, desc, hImage, phImageView)
    }

    /// zeImageViewCreateExp
    pub fn zeImageViewCreateExp(hContext: Handle<Context>, hDevice: Handle<Device>, desc: In<ze_image_desc_t>, hImage: Handle<Image>, phImageView: Out<Handle<Image>>) {
        view(hContext, hDevice, desc, hImage, phImageView)
    }

    /// zeImageGetMemoryPropertiesExp
    pub fn zeImageGetMemoryPropertiesExp(hImage: Handle<Image>, pMemoryProperties: Out<ze_image_memory_properties_exp_t>) {
        let image = hImage.get()?;
        pMemoryProperties.fill(|properties| {
            properties.size = image.memory.bytes() as u64;
            properties.rowPitch = image.record.row_pitch;
            properties.slicePitch = image.record.slice_pitch;
        })
    }

    /// zeImageGetAllocPropertiesExt: two allocations that live have not the same address.
    pub fn zeImageGetAllocPropertiesExt(hContext: Handle<Context>, hImage: Handle<Image>, pImageAllocProperties: Out<ze_image_allocation_ext_properties_t>) {
        hContext.check()?;
        let image = hImage.get()?;
        pImageAllocProperties.fill(|properties| properties.id = image.record.data as u64)
    }

    /// zeContextMakeImageResident: memory is where it is.
    pub fn zeContextMakeImageResident(hContext: Handle<Context>, hDevice: Handle<Device>, hImage: Handle<Image>) {
        hContext.check()?;
        hDevice.check()?;
        hImage.check()
    }

    /// zeContextEvictImage
    pub fn zeContextEvictImage(hContext: Handle<Context>, hDevice: Handle<Device>, hImage: Handle<Image>) {
        hContext.check()?;
        hDevice.check()?;
        hImage.check()
    }
}
