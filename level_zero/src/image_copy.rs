//! Commands that copy images: to each other, to memory and from memory.

use crate::command::Command;
use crate::copy::{overlap, transfer};
use crate::error::{Result, entry, fail_if};
use crate::event::Event;
use crate::handle::Handle;
use crate::image::Image;
use crate::list::List;
use crate::pointer::{Address, In, not_null};
use crate::ze::*;
use ::device::image::kind;
use ::device::memory::RectPlace;
use std::sync::Arc;

/// A copy between an image and memory whose rows and slices are so many bytes apart; 0: without gaps.
struct Transfer {
    /// It lives as long as the command.
    _image: Arc<Image>,
    of_image: RectPlace<usize>,
    of_memory: RectPlace<usize>,
    size: [usize; 3],
}

impl Transfer {
    fn new(image: Handle<Image>, region: In<ze_image_region_t>, memory: Address, [row, slice]: [u32; 2]) -> Result<Transfer> {
        let image = image.get()?;
        not_null(memory)?;
        let (of_image, size) = image.part(region)?;
        // "[T]he rowPitch must be greater than or equal to the element size in bytes x width", the slicePitch to "rowPitch x height". What lies
        // between the layers of a 1D array is a slicePitch, too.
        let (row, slice) = match image.kind() {
            kind::IMAGE_1D_ARRAY if slice != 0 => (slice, 0),
            _ => (row, slice),
        };
        let pitch = |given: u32, least: usize| match given as usize {
            0 => Ok(least),
            given => fail_if(given < least, ZE_RESULT_ERROR_INVALID_ARGUMENT).map(|()| given),
        };
        let row_pitch = pitch(row, size[0])?;
        let of_memory = RectPlace {
            origin: memory.0,
            row_pitch,
            slice_pitch: pitch(slice, row_pitch * size[1])?,
        };
        Ok(Transfer {
            _image: image,
            of_image,
            of_memory,
            size,
        })
    }

    /// From the image to memory.
    fn read(&self) -> Result<()> {
        transfer(&self.of_memory, &self.of_image, self.size)
    }

    /// From memory to the image.
    fn fill(&self) -> Result<()> {
        transfer(&self.of_image, &self.of_memory, self.size)
    }
}

entry! {
    /// zeCommandListAppendImageCopy
    pub fn zeCommandListAppendImageCopy(hCommandList: Handle<List>, hDstImage: Handle<Image>, hSrcImage: Handle<Image>, hSignalEvent: Handle<Event>, numWaitEvents: u32, phWaitEvents: Handles<Event>) {
        copy(hCommandList, [hDstImage, hSrcImage], [In::NULL; 2], (hSignalEvent, numWaitEvents, phWaitEvents))
    }

    /// zeCommandListAppendImageCopyRegion
    pub fn zeCommandListAppendImageCopyRegion(hCommandList: Handle<List>, hDstImage: Handle<Image>, hSrcImage: Handle<Image>, pDstRegion: In<ze_image_region_t>, pSrcRegion: In<ze_image_region_t>, hSignalEvent: Handle<Event>, numWaitEvents: u32, phWaitEvents: Handles<Event>) {
        copy(hCommandList, [hDstImage, hSrcImage], [pDstRegion, pSrcRegion], (hSignalEvent, numWaitEvents, phWaitEvents))
    }

    /// zeCommandListAppendImageCopyToMemory
    pub fn zeCommandListAppendImageCopyToMemory(hCommandList: Handle<List>, dstptr: Address, hSrcImage: Handle<Image>, pSrcRegion: In<ze_image_region_t>, hSignalEvent: Handle<Event>, numWaitEvents: u32, phWaitEvents: Handles<Event>) {
        let list = hCommandList.get()?;
        let transfer = Transfer::new(hSrcImage, pSrcRegion, dstptr, [0; 2])?;
        list.append(Command::new(hSignalEvent, numWaitEvents, phWaitEvents, move || transfer.read())?)
    }

    /// zeCommandListAppendImageCopyFromMemory
    pub fn zeCommandListAppendImageCopyFromMemory(hCommandList: Handle<List>, hDstImage: Handle<Image>, srcptr: Address, pDstRegion: In<ze_image_region_t>, hSignalEvent: Handle<Event>, numWaitEvents: u32, phWaitEvents: Handles<Event>) {
        let list = hCommandList.get()?;
        let transfer = Transfer::new(hDstImage, pDstRegion, srcptr, [0; 2])?;
        list.append(Command::new(hSignalEvent, numWaitEvents, phWaitEvents, move || transfer.fill())?)
    }

    /// zeCommandListAppendImageCopyToMemoryExt
    pub fn zeCommandListAppendImageCopyToMemoryExt(hCommandList: Handle<List>, dstptr: Address, hSrcImage: Handle<Image>, pSrcRegion: In<ze_image_region_t>, destRowPitch: u32, destSlicePitch: u32, hSignalEvent: Handle<Event>, numWaitEvents: u32, phWaitEvents: Handles<Event>) {
        let list = hCommandList.get()?;
        let transfer = Transfer::new(hSrcImage, pSrcRegion, dstptr, [destRowPitch, destSlicePitch])?;
        list.append(Command::new(hSignalEvent, numWaitEvents, phWaitEvents, move || transfer.read())?)
    }

    /// zeCommandListAppendImageCopyFromMemoryExt
    pub fn zeCommandListAppendImageCopyFromMemoryExt(hCommandList: Handle<List>, hDstImage: Handle<Image>, srcptr: Address, pDstRegion: In<ze_image_region_t>, srcRowPitch: u32, srcSlicePitch: u32, hSignalEvent: Handle<Event>, numWaitEvents: u32, phWaitEvents: Handles<Event>) {
        let list = hCommandList.get()?;
        let transfer = Transfer::new(hDstImage, pDstRegion, srcptr, [srcRowPitch, srcSlicePitch])?;
        list.append(Command::new(hSignalEvent, numWaitEvents, phWaitEvents, move || transfer.fill())?)
    }
}

/// Copies a part of an image to another's, whose texels have as many bytes.
fn copy(
    list: Handle<List>,
    images: [Handle<Image>; 2],
    regions: [In<ze_image_region_t>; 2],
    (signal, count, waits): (Handle<Event>, u32, Handles<Event>),
) -> Result<()> {
    let list = list.get()?;
    let [destination, source] = [images[0].get()?, images[1].get()?];
    fail_if(destination.texel != source.texel, ZE_RESULT_ERROR_INVALID_ARGUMENT)?;
    let ((to, size), (from, other)) = (destination.part(regions[0])?, source.part(regions[1])?);
    // ZE_RESULT_ERROR_INVALID_SIZE: "The region width and height for both src and dst must be same."
    fail_if(size != other, ZE_RESULT_ERROR_INVALID_SIZE)?;
    fail_if(overlap(&to, &from, size), ZE_RESULT_ERROR_OVERLAPPING_REGIONS)?;
    list.append(Command::new(signal, count, waits, move || {
        let _held = (&destination, &source);
        transfer(&to, &from, size)
    })?)
}
