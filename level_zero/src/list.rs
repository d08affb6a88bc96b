//! Command lists: recorded and executed by queues, or immediate.

use crate::command::Command;
use crate::context::Context;
use crate::device::{Device, device};
use crate::error::{Result, entry, fail_if};
use crate::handle::{self, Handle, publish};
use crate::pointer::{In, Out};
use crate::queue;
use crate::work::Line;
use crate::ze::*;
use ::device::lock::Lock;
use std::sync::Arc;

/// A command list.
pub struct List {
    context: Arc<Context>,
    /// Which of [`queue::GROUPS`] it is for.
    ordinal: u32,
    kind: Kind,
}

enum Kind {
    Recorded(Lock<Recorded>),
    Immediate { line: Arc<Line>, synchronous: bool, index: u32 },
}

/// What was appended.
#[derive(Clone, Default)]
struct Recorded {
    commands: Vec<Arc<Command>>,
    closed: bool,
}

impl Drop for List {
    fn drop(&mut self) {
        if let Kind::Immediate { line, .. } = &self.kind {
            line.close();
        }
    }
}

impl List {
    /// Appends a command: it is recorded, or submitted.
    pub fn append(&self, command: Command) -> Result<()> {
        match &self.kind {
            Kind::Recorded(recorded) => {
                let mut recorded = recorded.lock();
                // ZE_RESULT_ERROR_INVALID_ARGUMENT: "command lists … which are closed" take nothing.
                fail_if(recorded.closed, ZE_RESULT_ERROR_INVALID_ARGUMENT)?;
                recorded.commands.push(Arc::new(command));
                Ok(())
            }
            Kind::Immediate { line, synchronous, .. } => line.submit(*synchronous, Box::new(move || command.run())),
        }
    }

    /// ZE_RESULT_ERROR_INVALID_COMMAND_LIST_TYPE: it is for queues that launch no kernels.
    pub fn check_launches(&self) -> Result<()> {
        let group = queue::GROUPS[self.ordinal as usize];
        fail_if(
            group & ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COMPUTE == 0,
            ZE_RESULT_ERROR_INVALID_COMMAND_LIST_TYPE,
        )
    }

    /// What a queue of a group is to run: ZE_RESULT_ERROR_INVALID_COMMAND_LIST_TYPE of an immediate list, or of one for another group;
    /// ZE_RESULT_ERROR_INVALID_ARGUMENT if it is not closed.
    pub fn recorded(&self, ordinal: u32) -> Result<Vec<Arc<Command>>> {
        let Kind::Recorded(recorded) = &self.kind else {
            return Err(ZE_RESULT_ERROR_INVALID_COMMAND_LIST_TYPE);
        };
        fail_if(self.ordinal != ordinal, ZE_RESULT_ERROR_INVALID_COMMAND_LIST_TYPE)?;
        let recorded = recorded.lock();
        fail_if(!recorded.closed, ZE_RESULT_ERROR_INVALID_ARGUMENT)?;
        Ok(recorded.commands.clone())
    }

    fn line(&self) -> Result<&Arc<Line>> {
        match &self.kind {
            Kind::Immediate { line, .. } => Ok(line),
            Kind::Recorded(_) => Err(ZE_RESULT_ERROR_INVALID_ARGUMENT),
        }
    }
}

/// The largest flag of lists, and those below it.
const FLAGS: u32 = 0x3f;

entry! {
    /// zeCommandListCreate
    pub fn zeCommandListCreate(hContext: Handle<Context>, hDevice: Handle<Device>, desc: In<ze_command_list_desc_t>, phCommandList: Out<Handle<List>>) {
        let context = hContext.get()?;
        hDevice.check()?;
        let desc = desc.get()?;
        phCommandList.check()?;
        fail_if(desc.flags & !FLAGS != 0, ZE_RESULT_ERROR_INVALID_ENUMERATION)?;
        let ordinal = desc.commandQueueGroupOrdinal;
        queue::check_ordinal(ordinal)?;
        phCommandList.write(publish(Arc::new(List { context, ordinal, kind: Kind::Recorded(Lock::default()) })))
    }

    /// zeCommandListCreateImmediate
    pub fn zeCommandListCreateImmediate(hContext: Handle<Context>, hDevice: Handle<Device>, altdesc: In<ze_command_queue_desc_t>, phCommandList: Out<Handle<List>>) {
        let context = hContext.get()?;
        hDevice.check()?;
        let desc = altdesc.get()?;
        phCommandList.check()?;
        queue::check(&desc)?;
        let kind = Kind::Immediate {
            line: Line::new(),
            synchronous: queue::is_synchronous(&desc),
            index: desc.index,
        };
        phCommandList.write(publish(Arc::new(List { context, ordinal: desc.ordinal, kind })))
    }

    /// zeCommandListDestroy
    pub fn zeCommandListDestroy(hCommandList: Handle<List>) {
        hCommandList.destroy().map(drop)
    }

    /// zeCommandListClose. An immediate list is never closed: it is "implicitly" so.
    pub fn zeCommandListClose(hCommandList: Handle<List>) {
        if let Kind::Recorded(recorded) = &hCommandList.get()?.kind {
            recorded.lock().closed = true;
        }
        Ok(())
    }

    /// zeCommandListReset
    pub fn zeCommandListReset(hCommandList: Handle<List>) {
        if let Kind::Recorded(recorded) = &hCommandList.get()?.kind {
            *recorded.lock() = Recorded::default();
        }
        Ok(())
    }

    /// zeCommandListHostSynchronize: of immediate lists.
    pub fn zeCommandListHostSynchronize(hCommandList: Handle<List>, timeout: u64) {
        hCommandList.get()?.line()?.finish(timeout)
    }

    /// zeCommandListGetDeviceHandle
    pub fn zeCommandListGetDeviceHandle(hCommandList: Handle<List>, phDevice: Out<Handle<Device>>) {
        hCommandList.check()?;
        phDevice.write(device())
    }

    /// zeCommandListGetContextHandle
    pub fn zeCommandListGetContextHandle(hCommandList: Handle<List>, phContext: Out<Handle<Context>>) {
        phContext.write(Handle::of(&hCommandList.get()?.context))
    }

    /// zeCommandListGetOrdinal
    pub fn zeCommandListGetOrdinal(hCommandList: Handle<List>, pOrdinal: Out<u32>) {
        pOrdinal.write(hCommandList.get()?.ordinal)
    }

    /// zeCommandListImmediateGetIndex
    pub fn zeCommandListImmediateGetIndex(hCommandListImmediate: Handle<List>, pIndex: Out<u32>) {
        match &hCommandListImmediate.get()?.kind {
            Kind::Immediate { index, .. } => pIndex.write(*index),
            Kind::Recorded(_) => Err(ZE_RESULT_ERROR_INVALID_ARGUMENT),
        }
    }

    /// zeCommandListIsImmediate
    pub fn zeCommandListIsImmediate(hCommandList: Handle<List>, pIsImmediate: Out<ze_bool_t>) {
        pIsImmediate.write(hCommandList.get()?.line().is_ok().into())
    }

    /// zeCommandListCreateCloneExp: of a closed list; the clone is closed, too.
    pub fn zeCommandListCreateCloneExp(hCommandList: Handle<List>, phClonedCommandList: Out<Handle<List>>) {
        let list = hCommandList.get()?;
        phClonedCommandList.check()?;
        let commands = list.recorded(list.ordinal)?;
        let recorded = Recorded { commands, closed: true };
        let clone = List { context: list.context.clone(), ordinal: list.ordinal, kind: Kind::Recorded(Lock::new(recorded)) };
        phClonedCommandList.write(publish(Arc::new(clone)))
    }

    /// zeCommandListImmediateAppendCommandListsExp
    pub fn zeCommandListImmediateAppendCommandListsExp(
        hCommandListImmediate: Handle<List>,
        numCommandLists: u32,
        phCommandLists: Handles<List>,
        hSignalEvent: Handle<crate::event::Event>,
        numWaitEvents: u32,
        phWaitEvents: Handles<crate::event::Event>,
    ) {
        let list = hCommandListImmediate.get()?;
        list.line()?;
        fail_if(phCommandLists.is_null(), ZE_RESULT_ERROR_INVALID_NULL_POINTER)?;
        let lists = handle::all(phCommandLists.list(numCommandLists as usize))?;
        let commands = lists.iter().map(|other| other.recorded(list.ordinal)).collect::<Result<Vec<_>>>()?;
        list.append(Command::new(hSignalEvent, numWaitEvents, phWaitEvents, move || {
            commands.iter().flatten().map(|command| command.run()).fold(Ok(()), Result::and)
        })?)
    }
}
