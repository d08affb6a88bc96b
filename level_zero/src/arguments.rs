//! The values of a kernel's arguments, as they were set.

use crate::error::{Result, fail_if};
use crate::handle::Handle;
use crate::image::Image;
use crate::pointer::In;
use crate::sampler::Sampler;
use crate::ze::*;
use ::device::memory::ArgumentBlock;
use compiler::prepared::Prepared;
use compiler::{ArgumentKind, KernelInfo};
use std::sync::Arc;

/// Values of arguments.
#[derive(Clone)]
pub struct Arguments {
    /// The values, complete but for offsets of local memory.
    pub block: ArgumentBlock,
    /// What each argument was set to.
    pub values: Vec<Value>,
    /// What the last launch ran, as the next is likely to want the same.
    pub prepared: Option<Arc<Prepared>>,
}

/// What an argument was set to.
#[derive(Clone)]
pub enum Value {
    /// Nothing yet.
    Unset,
    /// Its bytes are in the block.
    InBlock,
    /// So many bytes of local memory.
    Local(u64),
    /// An image, whose record's address is in the block; a launch keeps it.
    Image(Arc<Image>),
}

impl Arguments {
    /// None has been set.
    pub fn new(info: &KernelInfo) -> Arguments {
        Arguments {
            block: ArgumentBlock::new(info.argument_bytes as usize),
            values: vec![Value::Unset; info.arguments.len()],
            prepared: None,
        }
    }

    /// Sets one. "If null then argument value is considered null": a NULL pointer, zeros; of local memory, so many bytes.
    pub fn set(&mut self, info: &KernelInfo, index: u32, size: usize, value: In<u8>) -> Result<()> {
        let index = index as usize;
        let argument = info.arguments.get(index).ok_or(ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_INDEX)?;
        self.values[index] = match argument.kind {
            ArgumentKind::LocalPointer => {
                // More than there is for all of them is seen by a launch.
                let most = argument.max_bytes.unwrap_or(u32::MAX.into());
                fail_if(size as u64 > most, ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE)?;
                Value::Local(size as u64)
            }
            ArgumentKind::Value | ArgumentKind::GlobalPointer { .. } => {
                fail_if(size as u64 != argument.size, ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE)?;
                let bytes = value.bytes(size).unwrap_or_else(|| vec![0; size]);
                self.put(argument.offset, &bytes)?;
                Value::InBlock
            }
            // ZE_RESULT_ERROR_INVALID_ARGUMENT: the image is of another kind than the kernel's. (No image is one of depths.)
            ArgumentKind::Image { kind, depth, .. } => {
                let Some(image) = handle::<Image>(value, size)?.optional()? else {
                    self.values[index] = Value::Unset;
                    return Ok(());
                };
                fail_if(depth || kind != image.kind(), ZE_RESULT_ERROR_INVALID_ARGUMENT)?;
                self.put(argument.offset, &image.argument().to_ne_bytes())?;
                Value::Image(image)
            }
            ArgumentKind::Sampler => {
                let Some(sampler) = handle::<Sampler>(value, size)?.optional()? else {
                    self.values[index] = Value::Unset;
                    return Ok(());
                };
                self.put(argument.offset, &sampler.argument().to_ne_bytes())?;
                Value::InBlock
            }
            // Pipes and queues are not the environment's.
            ArgumentKind::Pipe | ArgumentKind::Queue => return Err(ZE_RESULT_ERROR_UNSUPPORTED_FEATURE),
        };
        Ok(())
    }

    /// Puts bytes into the block. An argument whose place is not there would be the compiler's mistake; it is refused.
    fn put(&mut self, offset: u64, bytes: &[u8]) -> Result<()> {
        fail_if(
            !self.block.put(offset as usize, bytes),
            ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE,
        )
    }
}

/// The handle that is an argument's value; a null one where no value is given.
fn handle<T>(value: In<u8>, size: usize) -> Result<Handle<T>> {
    fail_if(size != size_of::<Handle<T>>(), ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE)?;
    if value.is_null() { Ok(Handle::NULL) } else { value.cast().get() }
}
