//! A command-buffer while it records a command.

use super::mutable::MutableCommand;
use super::{CommandBuffer, Step};
use crate::cl::*;
use crate::context::Context;
use crate::device::Device;
use crate::error::{Result, fail_if};
use crate::handle::lookup;
use crate::queue::Cost;
use crate::raw::{In, Out};
use std::sync::Arc;

/// A command-buffer that takes a command, and where the application wants the command's sync-point.
pub struct Recording {
    buffer: Arc<CommandBuffer>,
    sync_point: Out<cl_sync_point_khr>,
}

/// What every recording function is told of its command's place.
pub struct Place {
    pub command_buffer: cl_command_buffer_khr,
    pub command_queue: cl_command_queue,
    pub num_sync_points_in_wait_list: cl_uint,
    pub sync_point_wait_list: In<cl_sync_point_khr>,
    pub sync_point: Out<cl_sync_point_khr>,
}

impl Recording {
    /// Checks what all recording functions have in common.
    pub fn new(place: Place) -> Result<Recording> {
        // CL_INVALID_COMMAND_BUFFER_KHR if command_buffer is not a valid command-buffer.
        let buffer = lookup::<CommandBuffer>(place.command_buffer)?.clone();
        // CL_INVALID_COMMAND_QUEUE if the cl_khr_command_buffer_multi_device extension is not supported and command_queue is not NULL.
        fail_if(!place.command_queue.is_null(), CL_INVALID_COMMAND_QUEUE)?;
        let recorded = {
            let state = buffer.state.lock();
            // CL_INVALID_OPERATION if command_buffer has been finalized.
            fail_if(state.finalized, CL_INVALID_OPERATION)?;
            state.steps.len()
        };
        // CL_INVALID_SYNC_POINT_WAIT_LIST_KHR if sync_point_wait_list is NULL and num_sync_points_in_wait_list is > 0, or
        // sync_point_wait_list is not NULL and num_sync_points_in_wait_list is 0, or if synchronization-point objects in
        // sync_point_wait_list are not valid synchronization-points.
        let count = place.num_sync_points_in_wait_list as usize;
        fail_if(
            place.sync_point_wait_list.is_null() != (count == 0),
            CL_INVALID_SYNC_POINT_WAIT_LIST_KHR,
        )?;
        let points = place.sync_point_wait_list.list(count).unwrap_or_default();
        fail_if(
            points.iter().any(|&point| point == 0 || point as usize > recorded),
            CL_INVALID_SYNC_POINT_WAIT_LIST_KHR,
        )?;
        Ok(Recording {
            buffer,
            sync_point: place.sync_point,
        })
    }

    /// The command-buffer.
    pub fn buffer(&self) -> &Arc<CommandBuffer> {
        &self.buffer
    }

    /// The command-buffer's context.
    pub fn context(&self) -> &Arc<Context> {
        self.buffer.context()
    }

    /// The command-buffer's device.
    pub fn device(&self) -> &Arc<Device> {
        self.buffer.device()
    }

    /// Records a command.
    pub fn take(self, cost: Cost, work: impl Fn() -> Result<()> + Send + Sync + 'static) -> Result<()> {
        self.push(Step::Work(cost, Arc::new(work)), None)
    }

    /// Adds a step, and gives the application its sync-point: the step's number, from 1 on.
    pub(super) fn push(self, step: Step, command: Option<Arc<MutableCommand>>) -> Result<()> {
        let mut state = self.buffer.state.lock();
        fail_if(state.finalized, CL_INVALID_OPERATION)?;
        if let Some(command) = command {
            command.set_place(state.steps.len());
            state.commands.push(command);
        }
        let steps = Arc::make_mut(&mut state.steps);
        steps.push(step);
        // CL_OUT_OF_RESOURCES: sync-points are numbers of 32 bits.
        let number = cl_sync_point_khr::try_from(steps.len()).map_err(|_| CL_OUT_OF_RESOURCES)?;
        self.sync_point.write(number);
        Ok(())
    }
}
