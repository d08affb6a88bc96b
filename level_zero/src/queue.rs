//! Command queues: each runs the lists that it is given, in their order.

use crate::context::Context;
use crate::device::Device;
use crate::error::{Result, entry, fail_if};
use crate::fence::Fence;
use crate::handle::{self, Handle, publish};
use crate::list::List;
use crate::pointer::{In, Out};
use crate::work::Line;
use crate::ze::*;
use std::sync::Arc;

/// ze_command_queue_group_properties_t.numQueues: what queues there are is counted, not shared.
pub const QUEUES: u32 = 16;

/// Groups of queues, by their ordinals: of one that does everything, and of one that copies and fills only. Programs that copy while kernels run look for
/// such a group; both have all threads.
pub const GROUPS: [u32; 2] = [
    ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COMPUTE
        | ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COPY
        | ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COOPERATIVE_KERNELS,
    ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COPY,
];

/// ZE_RESULT_ERROR_INVALID_ARGUMENT: "must match the enumeration of zeDeviceGetCommandQueueGroupProperties"
pub fn check_ordinal(ordinal: u32) -> Result<()> {
    fail_if(ordinal as usize >= GROUPS.len(), ZE_RESULT_ERROR_INVALID_ARGUMENT)
}

/// A command queue.
pub struct Queue {
    line: Arc<Line>,
    synchronous: bool,
    ordinal: u32,
    index: u32,
}

impl Drop for Queue {
    fn drop(&mut self) {
        self.line.close();
    }
}

/// What queues and immediate lists are described by, checked.
pub fn check(desc: &ze_command_queue_desc_t) -> Result<()> {
    // ZE_RESULT_ERROR_INVALID_ENUMERATION: a mode, a priority or flags that mean nothing.
    let known =
        desc.mode <= ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS && desc.priority <= ZE_COMMAND_QUEUE_PRIORITY_PRIORITY_HIGH && desc.flags <= 7;
    fail_if(!known, ZE_RESULT_ERROR_INVALID_ENUMERATION)?;
    check_ordinal(desc.ordinal)?;
    fail_if(desc.index >= QUEUES, ZE_RESULT_ERROR_INVALID_ARGUMENT)
}

/// What it is described as runs commands before the functions that submit them return. The default mode is this driver's choice.
pub fn is_synchronous(desc: &ze_command_queue_desc_t) -> bool {
    desc.mode == ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS
}

entry! {
    /// zeCommandQueueCreate
    pub fn zeCommandQueueCreate(hContext: Handle<Context>, hDevice: Handle<Device>, desc: In<ze_command_queue_desc_t>, phCommandQueue: Out<Handle<Queue>>) {
        hContext.check()?;
        hDevice.check()?;
        let desc = desc.get()?;
        phCommandQueue.check()?;
        check(&desc)?;
        let queue = Queue {
            line: Line::new(),
            synchronous: is_synchronous(&desc),
            ordinal: desc.ordinal,
            index: desc.index,
        };
        phCommandQueue.write(publish(Arc::new(queue)))
    }

    /// zeCommandQueueDestroy
    pub fn zeCommandQueueDestroy(hCommandQueue: Handle<Queue>) {
        hCommandQueue.destroy().map(drop)
    }

    /// zeCommandQueueGetOrdinal
    pub fn zeCommandQueueGetOrdinal(hCommandQueue: Handle<Queue>, pOrdinal: Out<u32>) {
        pOrdinal.write(hCommandQueue.get()?.ordinal)
    }

    /// zeCommandQueueGetIndex
    pub fn zeCommandQueueGetIndex(hCommandQueue: Handle<Queue>, pIndex: Out<u32>) {
        pIndex.write(hCommandQueue.get()?.index)
    }

    /// zeCommandQueueExecuteCommandLists
    pub fn zeCommandQueueExecuteCommandLists(hCommandQueue: Handle<Queue>, numCommandLists: u32, phCommandLists: Handles<List>, hFence: Handle<Fence>) {
        let queue = hCommandQueue.get()?;
        fail_if(phCommandLists.is_null(), ZE_RESULT_ERROR_INVALID_NULL_POINTER)?;
        // ZE_RESULT_ERROR_INVALID_SIZE: 0 == numCommandLists
        fail_if(numCommandLists == 0, ZE_RESULT_ERROR_INVALID_SIZE)?;
        let lists = handle::all(phCommandLists.list(numCommandLists as usize))?;
        let fence = hFence.optional()?;
        // ZE_RESULT_ERROR_INVALID_SYNCHRONIZATION_OBJECT: "The application must use a fence created using the same command queue."
        fail_if(
            fence.as_ref().is_some_and(|fence| !Arc::ptr_eq(&fence.queue, &queue)),
            ZE_RESULT_ERROR_INVALID_SYNCHRONIZATION_OBJECT,
        )?;
        let commands = lists.iter().map(|list| list.recorded(queue.ordinal)).collect::<Result<Vec<_>>>()?;
        let signal = fence.map(|fence| fence.signal.clone());
        queue.line.submit(
            queue.synchronous,
            Box::new(move || {
                let began = ::device::clock::now();
                // What follows a command that failed runs: somebody may wait for its events.
                let results = commands.iter().flatten().map(|command| command.run());
                let result = results.fold(Ok(()), Result::and);
                if let Some(signal) = signal {
                    signal.set(began, ::device::clock::now(), result);
                }
                result
            }),
        )
    }

    /// zeCommandQueueSynchronize
    pub fn zeCommandQueueSynchronize(hCommandQueue: Handle<Queue>, timeout: u64) {
        hCommandQueue.get()?.line.finish(timeout)
    }
}
