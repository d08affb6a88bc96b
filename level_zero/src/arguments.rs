//! The values of a kernel's arguments, as they were set.

use crate::error::{Result, fail_if};
use crate::pointer::In;
use crate::ze::*;
use ::device::memory::ArgumentBlock;
use compiler::prepared::Prepared;
use compiler::{ArgumentKind, KernelInfo};
use std::sync::Arc;
use vendors::limits;

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
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Value {
    /// Nothing yet.
    Unset,
    /// Its bytes are in the block.
    InBlock,
    /// So many bytes of local memory.
    Local(u64),
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
                let most = argument.max_bytes.unwrap_or(limits::LOCAL_MEMORY).min(limits::LOCAL_MEMORY);
                fail_if(size as u64 > most, ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE)?;
                Value::Local(size as u64)
            }
            ArgumentKind::Value | ArgumentKind::GlobalPointer { .. } => {
                fail_if(size as u64 != argument.size, ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE)?;
                let bytes = value.bytes(size).unwrap_or_else(|| vec![0; size]);
                fail_if(
                    !self.block.put(argument.offset as usize, &bytes),
                    ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE,
                )?;
                Value::InBlock
            }
            // There are no images and samplers; pipes and queues are not the environment's.
            ArgumentKind::Image { .. } | ArgumentKind::Sampler | ArgumentKind::Pipe | ArgumentKind::Queue => {
                return Err(ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
            }
        };
        Ok(())
    }
}
