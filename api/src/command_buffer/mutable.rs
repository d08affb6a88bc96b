//! Commands that can be changed after they were recorded: §5.17 (cl_khr_command_buffer_mutable_dispatch).

use super::{CommandBuffer, Step};
use crate::cl::*;
use crate::error::{Result, fail_if};
use crate::handle::{self, Handle, Kind, Object, lookup};
use crate::info::Info;
use crate::kernel::{Arguments, Kernel, check_exec_info};
use crate::launch::{Ready, check_range};
use crate::raw::{BitFields, FromC, In, Out};
use ::device::lock::Lock;
use compiler::nd_range::NdRange;
use core::ptr::null_mut;
use std::sync::{Arc, Weak};

/// CL_DEVICE_MUTABLE_DISPATCH_CAPABILITIES_KHR: everything.
pub const CAPABILITIES: cl_properties = CL_MUTABLE_DISPATCH_GLOBAL_OFFSET_KHR
    | CL_MUTABLE_DISPATCH_GLOBAL_SIZE_KHR
    | CL_MUTABLE_DISPATCH_LOCAL_SIZE_KHR
    | CL_MUTABLE_DISPATCH_ARGUMENTS_KHR
    | CL_MUTABLE_DISPATCH_EXEC_INFO_KHR;

/// A recorded kernel that the application may ask about and change. The command-buffer owns it.
pub struct MutableCommand {
    handle: Handle,
    buffer: Weak<CommandBuffer>,
    kernel: Arc<Kernel>,
    /// CL_MUTABLE_COMMAND_PROPERTIES_ARRAY_KHR
    properties: Vec<cl_properties>,
    /// CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR
    fields: cl_properties,
    state: Lock<State>,
}

/// What can change.
#[derive(Clone)]
struct State {
    /// Its place in the command-buffer.
    place: usize,
    range: NdRange,
    /// The local size is the application's, not our choice.
    local_given: bool,
    arguments: Arguments,
}

impl Object for MutableCommand {
    const KIND: Kind = Kind::MutableCommand;
    const INVALID: cl_int = CL_INVALID_MUTABLE_COMMAND_KHR;
    fn handle(&self) -> &Handle {
        &self.handle
    }
}

impl MutableCommand {
    /// A kernel with its present arguments.
    pub fn new(
        buffer: &Arc<CommandBuffer>,
        kernel: &Arc<Kernel>,
        properties: BitFields,
        range: NdRange,
        local_given: bool,
    ) -> Result<MutableCommand> {
        let (fields, asserts) = (properties.values[0], properties.values[1].unwrap_or_default());
        // CL_INVALID_VALUE if command_buffer was created with, or properties includes, CL_MUTABLE_DISPATCH_ASSERT_NO_ADDITIONAL_WORK_GROUPS_KHR
        // and local_work_size is NULL.
        fail_if((asserts != 0 || buffer.asserts_work_groups()) && !local_given, CL_INVALID_VALUE)?;
        let arguments = kernel.arguments.lock().clone();
        // CL_INVALID_KERNEL_ARGS if the kernel argument values have not been specified and the CL_MUTABLE_DISPATCH_ARGUMENTS_KHR flag was not
        // set in the properties parameter.
        let asked = fields.unwrap_or_default();
        fail_if(
            arguments.unset > 0 && asked & CL_MUTABLE_DISPATCH_ARGUMENTS_KHR == 0,
            CL_INVALID_KERNEL_ARGS,
        )?;
        Ok(MutableCommand {
            handle: Handle::default(),
            buffer: Arc::downgrade(buffer),
            kernel: kernel.clone(),
            properties: properties.list,
            // "If CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR is not specified then it defaults to the value returned by the
            // CL_DEVICE_MUTABLE_DISPATCH_CAPABILITIES_KHR device query."
            fields: fields.unwrap_or(CAPABILITIES),
            state: Lock::new(State {
                place: 0,
                range,
                local_given,
                arguments,
            }),
        })
    }

    /// What the command-buffer is to run.
    pub(super) fn step(&self) -> Result<Step> {
        self.step_of(&mut self.state.lock())
    }

    fn step_of(&self, state: &mut State) -> Result<Step> {
        if state.arguments.unset > 0 {
            return Ok(Step::Incomplete);
        }
        let buffer = self.buffer.upgrade().ok_or(CL_INVALID_COMMAND_BUFFER_KHR)?;
        let ready = Ready::new(&self.kernel, &mut state.arguments, &state.range, buffer.device())?;
        Ok(Step::Launch(Arc::new(ready)))
    }

    /// Remembers which of the command-buffer's commands it is.
    pub fn set_place(&self, place: usize) {
        self.state.lock().place = place;
    }

    /// Gives it a handle.
    pub fn publish(self: &Arc<MutableCommand>) -> Result<cl_mutable_command_khr> {
        handle::publish(self.clone())
    }

    /// The state that an update leads to, if it is valid.
    fn updated(&self, mut state: State, config: &cl_mutable_dispatch_config_khr) -> Result<State> {
        let cl_mutable_dispatch_config_khr {
            command: _,
            num_args,
            num_svm_args,
            num_exec_infos,
            work_dim,
            arg_list,
            arg_svm_list,
            exec_info_list,
            global_work_offset,
            global_work_size,
            local_work_size,
        } = *config;
        // SAFETY: of all pointers of the structure: the application gives them as the structure's specification demands.
        let (offset, global, local) = unsafe {
            (
                In::<usize>::from_c(global_work_offset),
                In::<usize>::from_c(global_work_size),
                In::<usize>::from_c(local_work_size),
            )
        };
        // SAFETY: as above.
        let (args, svm_args, exec_infos) = unsafe { (In::from_c(arg_list), In::from_c(arg_svm_list), In::from_c(exec_info_list)) };
        // CL_INVALID_OPERATION if work_dim is not zero and different from the work_dim set on command recording.
        fail_if(work_dim != 0 && work_dim != state.range.work_dim, CL_INVALID_OPERATION)?;
        // CL_INVALID_OPERATION if the property for what changes was not set on command recording.
        let forbidden = |field: cl_properties, changes: bool| fail_if(changes && self.fields & field == 0, CL_INVALID_OPERATION);
        forbidden(CL_MUTABLE_DISPATCH_GLOBAL_OFFSET_KHR, !offset.is_null())?;
        forbidden(CL_MUTABLE_DISPATCH_GLOBAL_SIZE_KHR, !global.is_null())?;
        forbidden(CL_MUTABLE_DISPATCH_LOCAL_SIZE_KHR, !local.is_null())?;
        forbidden(CL_MUTABLE_DISPATCH_ARGUMENTS_KHR, num_args != 0 || num_svm_args != 0)?;
        forbidden(CL_MUTABLE_DISPATCH_EXEC_INFO_KHR, num_exec_infos != 0)?;
        // CL_INVALID_VALUE if arg_list is NULL and num_args > 0, or arg_list is not NULL and num_args is 0; and so for arg_svm_list and
        // num_svm_args, exec_info_list and num_exec_infos.
        fail_if(args.is_null() != (num_args == 0), CL_INVALID_VALUE)?;
        fail_if(svm_args.is_null() != (num_svm_args == 0), CL_INVALID_VALUE)?;
        fail_if(exec_infos.is_null() != (num_exec_infos == 0), CL_INVALID_VALUE)?;

        // The errors of clSetKernelArg, clSetKernelArgSVMPointer and clSetKernelExecInfo.
        let infos = &self.kernel.info().arguments;
        for cl_mutable_dispatch_arg_khr {
            arg_index,
            arg_size,
            arg_value,
        } in args.list(num_args as usize).unwrap_or_default()
        {
            let info = infos.get(arg_index as usize).ok_or(CL_INVALID_ARG_INDEX)?;
            // SAFETY: as above.
            let value = unsafe { In::<u8>::from_c(arg_value) };
            state
                .arguments
                .assign(self.kernel.context(), info, arg_index as usize, arg_size, value)?;
        }
        for cl_mutable_dispatch_arg_khr { arg_index, arg_value, .. } in svm_args.list(num_svm_args as usize).unwrap_or_default() {
            let info = infos.get(arg_index as usize).ok_or(CL_INVALID_ARG_INDEX)?;
            state
                .arguments
                .assign_pointer(self.kernel.context(), info, arg_index as usize, arg_value)?;
        }
        for cl_mutable_dispatch_exec_info_khr {
            param_name,
            param_value_size,
            param_value,
        } in exec_infos.list(num_exec_infos as usize).unwrap_or_default()
        {
            // SAFETY: as above.
            let value = unsafe { In::<c_void>::from_c(param_value) };
            check_exec_info(param_name, param_value_size, value)?;
        }

        // The errors of clEnqueueNDRangeKernel.
        let was_uniform = state.range.is_uniform();
        let sizes = |new: In<usize>, old: [u64; 3]| {
            new.triple(state.range.work_dim as usize, 1)
                .unwrap_or(old.map(|size| size as usize))
        };
        let local_given = state.local_given || !local.is_null();
        let new_local = sizes(local, state.range.local);
        let buffer = self.buffer.upgrade().ok_or(CL_INVALID_COMMAND_BUFFER_KHR)?;
        state.range = check_range(
            &self.kernel,
            buffer.device(),
            state.range.work_dim,
            In::from_slice(&sizes(offset, state.range.offset)),
            In::from_slice(&sizes(global, state.range.global)),
            if local_given { In::from_slice(&new_local) } else { In::null() },
        )?;
        state.local_given = local_given;
        // CL_INVALID_OPERATION if the values of local_work_size and/or global_work_size result in a change to work-group uniformity.
        fail_if(state.range.is_uniform() != was_uniform, CL_INVALID_OPERATION)?;
        Ok(state)
    }
}

/// The properties that clCommandNDRangeKernelKHR knows, and their valid bits.
pub const PROPERTIES: [(cl_properties, cl_properties); 2] = [
    (CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR, CAPABILITIES),
    (
        CL_MUTABLE_DISPATCH_ASSERTS_KHR,
        CL_MUTABLE_DISPATCH_ASSERT_NO_ADDITIONAL_WORK_GROUPS_KHR,
    ),
];

impl Drop for CommandBuffer {
    fn drop(&mut self) {
        // "The lifetime of this handle is tied to the parent command-buffer, such that freeing the command-buffer will also free this
        // handle."
        for command in self.state.get_mut().commands.drain(..) {
            let _ = handle::release::<MutableCommand>(command.handle.as_ptr());
        }
    }
}

/// clUpdateMutableCommandsKHR: all updates, or none.
pub fn update_mutable_commands(
    command_buffer: cl_command_buffer_khr,
    num_configs: cl_uint,
    config_types: In<cl_uint>,
    configs: In<*const c_void>,
) -> Result<()> {
    // CL_INVALID_COMMAND_BUFFER_KHR if command_buffer is not a valid command-buffer.
    let buffer = lookup::<CommandBuffer>(command_buffer)?;
    // CL_INVALID_OPERATION if command_buffer has not been finalized, or was not created with the CL_COMMAND_BUFFER_MUTABLE_KHR flag.
    let mut state = buffer.state.lock();
    fail_if(
        !state.finalized || buffer.flags & CL_COMMAND_BUFFER_MUTABLE_KHR == 0,
        CL_INVALID_OPERATION,
    )?;
    // CL_INVALID_VALUE if config_types or configs is NULL and num_configs > 0, or is not NULL and num_configs is 0.
    fail_if(config_types.is_null() != (num_configs == 0), CL_INVALID_VALUE)?;
    fail_if(configs.is_null() != (num_configs == 0), CL_INVALID_VALUE)?;
    let types = config_types.list(num_configs as usize).unwrap_or_default();
    let configs = configs.list(num_configs as usize).unwrap_or_default();
    // A command may be named more than once; the later update goes on from the earlier.
    let mut updates: Vec<(&Arc<MutableCommand>, State)> = Vec::new();
    for (&config_type, &config) in types.iter().zip(&configs) {
        // CL_INVALID_VALUE if any element of config_types is not a valid cl_command_buffer_update_type_khr enum.
        fail_if(config_type != CL_STRUCTURE_TYPE_MUTABLE_DISPATCH_CONFIG_KHR, CL_INVALID_VALUE)?;
        // CL_INVALID_VALUE if any element of configs is NULL.
        // SAFETY: the element's type says what it points to.
        let config = unsafe { In::<cl_mutable_dispatch_config_khr>::from_c(config.cast()) };
        let config = config.get().ok_or(CL_INVALID_VALUE)?;
        // CL_INVALID_MUTABLE_COMMAND_KHR if command is not a valid mutable command object returned from clCommandNDRangeKernelKHR, or
        // created from command_buffer.
        let command = lookup::<MutableCommand>(config.command)?;
        let owned = state.commands.iter().find(|other| Arc::ptr_eq(other, &command));
        let command = owned.ok_or(CL_INVALID_MUTABLE_COMMAND_KHR)?;
        let earlier = updates.iter().position(|(other, _)| Arc::ptr_eq(other, command));
        let before = earlier.map_or_else(|| command.state.lock().clone(), |place| updates.swap_remove(place).1);
        updates.push((command, command.updated(before, &config)?));
    }
    let mut steps = Vec::with_capacity(updates.len());
    for (command, new) in &mut updates {
        steps.push((new.place, command.step_of(new)?));
    }
    for (command, new) in updates {
        *command.state.lock() = new;
    }
    let recorded = Arc::make_mut(&mut state.steps);
    for (place, step) in steps {
        recorded[place] = step;
    }
    Ok(())
}

/// clGetMutableCommandInfoKHR
pub fn get_mutable_command_info(
    command: cl_mutable_command_khr,
    param_name: cl_uint,
    param_value_size: usize,
    param_value: Out<c_void>,
    param_value_size_ret: Out<usize>,
) -> Result<()> {
    // CL_INVALID_MUTABLE_COMMAND_KHR if command is not a valid mutable command object.
    let command = lookup::<MutableCommand>(command)?;
    let state = command.state.lock();
    let sizes = |sizes: [u64; 3]| Info::list(&sizes.map(|size| size as usize)[..state.range.work_dim as usize]);
    let buffer = command.buffer.upgrade();
    let info = match param_name {
        CL_MUTABLE_COMMAND_COMMAND_QUEUE_KHR => Info::of(buffer.map_or(null_mut(), |buffer| buffer.queue.id())),
        CL_MUTABLE_COMMAND_COMMAND_BUFFER_KHR => Info::of(buffer.map_or(null_mut(), |buffer| buffer.id())),
        CL_MUTABLE_COMMAND_COMMAND_TYPE_KHR => Info::of(CL_COMMAND_NDRANGE_KERNEL),
        CL_MUTABLE_COMMAND_PROPERTIES_ARRAY_KHR => Info::list(&command.properties),
        CL_MUTABLE_DISPATCH_KERNEL_KHR => Info::of(command.kernel.id()),
        CL_MUTABLE_DISPATCH_DIMENSIONS_KHR => Info::of(state.range.work_dim),
        CL_MUTABLE_DISPATCH_GLOBAL_WORK_OFFSET_KHR => sizes(state.range.offset),
        CL_MUTABLE_DISPATCH_GLOBAL_WORK_SIZE_KHR => sizes(state.range.global),
        // "If a local work-item size was not set, zero is returned for each element in the array."
        CL_MUTABLE_DISPATCH_LOCAL_WORK_SIZE_KHR => sizes(if state.local_given { state.range.local } else { [0; 3] }),
        // CL_INVALID_VALUE if param_name is not one of the supported values.
        _ => return Err(CL_INVALID_VALUE),
    };
    info.answer(param_value_size, param_value, param_value_size_ret)
}
