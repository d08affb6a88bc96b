//! Executing kernels: §5.10.

mod children;
mod native;
mod ready;

pub use children::Blocks;
pub use native::enqueue_native_kernel;
pub use ready::Ready;

use crate::checked::order;
use crate::cl::*;
use crate::device::Device;
use crate::error::{Result, fail_if};
use crate::event::{Event, wait_list};
use crate::handle::lookup;
use crate::kernel::Kernel;
use crate::queue::{Queue, Submission};
use crate::raw::{In, Out};
use compiler::local_size;
use compiler::nd_range::NdRange;
use std::sync::Arc;
use vendors::limits;

/// Checks the sizes of clEnqueueNDRangeKernel, and chooses a local size where none is given.
pub fn check_range(
    kernel: &Kernel,
    device: &Device,
    work_dim: cl_uint,
    global_work_offset: In<usize>,
    global_work_size: In<usize>,
    local_work_size: In<usize>,
) -> Result<NdRange> {
    // CL_INVALID_WORK_DIMENSION if work_dim is not valid for the device.
    fail_if(!(1..=3).contains(&work_dim), CL_INVALID_WORK_DIMENSION)?;
    let dimensions = work_dim as usize;
    let widen = |sizes: [usize; 3]| sizes.map(|size| size as u64);
    let offset = widen(global_work_offset.triple(dimensions, 0).unwrap_or_default());
    // "If global_work_size is NULL, or the value in any passed dimension is 0 then the kernel command will trivially succeed."
    let mut global = [0; 3];
    if let Some(sizes) = global_work_size.triple(dimensions, 1) {
        global = widen(sizes);
    }
    // CL_INVALID_GLOBAL_OFFSET if the value specified in global_work_size + the corresponding values in global_work_offset for any
    // dimension is greater than the maximum value representable by size_t on the device.
    fail_if(
        offset.iter().zip(&global).any(|(offset, size)| offset.checked_add(*size).is_none()),
        CL_INVALID_GLOBAL_OFFSET,
    )?;
    let given = local_work_size.triple(dimensions, 1);
    let local = match given {
        Some(local) => {
            let local = widen(local);
            check_local_size(kernel, local)?;
            local
        }
        None => choose_local_size(kernel, device, dimensions, global),
    };
    let range = NdRange {
        work_dim,
        offset,
        global,
        local,
        is_chosen: given.is_none(),
    };
    // CL_INVALID_WORK_GROUP_SIZE if the work-group size must be uniform, and global_work_size is not evenly divisible by local_work_size
    // (or, where that is NULL, by the size that the kernel requires).
    fail_if(kernel.uniform_groups && !range.is_uniform(), CL_INVALID_WORK_GROUP_SIZE)?;
    // Matrices are spread over whole sub-groups: what is undefined in others is refused.
    let matrix_sub_group_size = kernel.info().matrix_sub_group_size;
    fail_if(
        matrix_sub_group_size.is_some_and(|size| !range.has_whole_sub_groups(size)),
        CL_INVALID_WORK_GROUP_SIZE,
    )?;
    Ok(range)
}

/// A local size for a launch that leaves it to the driver.
fn choose_local_size(kernel: &Kernel, device: &Device, dimensions: usize, global: [u64; 3]) -> [u64; 3] {
    local_size::choose(&kernel.code, device.compute_units(), dimensions, global, kernel.uniform_groups)
}

fn check_local_size(kernel: &Kernel, local: [u64; 3]) -> Result<()> {
    // CL_INVALID_WORK_GROUP_SIZE if the total number of work-items in the work-group is zero;
    fail_if(local.contains(&0), CL_INVALID_WORK_GROUP_SIZE)?;
    // CL_INVALID_WORK_ITEM_SIZE if the number of work-items specified in any dimension of local_work_size is not valid for the device.
    fail_if(
        local.iter().any(|&size| size > limits::WORK_GROUP_SIZE as u64),
        CL_INVALID_WORK_ITEM_SIZE,
    )?;
    // or does not match the required work-group size for kernel, is greater than the maximum work-group size supported for kernel, or is not
    // consistent with the required number of sub-groups for kernel; or if matrices would be spread over a part of a sub-group.
    fail_if(!kernel.code.takes_local_size(local), CL_INVALID_WORK_GROUP_SIZE)
}

/// Enqueues a launch whose sizes were checked.
pub fn enqueue(
    queue: &Arc<Queue>,
    kernel: &Arc<Kernel>,
    range: NdRange,
    command: cl_command_type,
    wait_list: Vec<Arc<Event>>,
    event: Out<cl_event>,
) -> Result<()> {
    // In a box: it is large, and handed from one to the next.
    let ready = Box::new(Ready::new(kernel, &mut kernel.arguments.lock(), &range, &queue.device)?);
    let mut submission = Submission::new(queue, command, wait_list, event, ready.cost());
    if order::wanted() {
        submission.name = Some(format!("kernel '{}'", kernel.info().name));
        submission.touches = ready.touches();
    }
    submission.submit(move || ready.run())
}

/// What clEnqueueNDRangeKernel and clEnqueueTask check of queue and kernel.
pub fn check_kernel(queue: &Queue, kernel: &Kernel) -> Result<()> {
    // CL_INVALID_CONTEXT if the context associated with command_queue and kernel are not the same.
    fail_if(!Arc::ptr_eq(&queue.context, kernel.context()), CL_INVALID_CONTEXT)?;
    // CL_INVALID_PROGRAM_EXECUTABLE if there is no successfully built program executable available for the device of command_queue.
    fail_if(!kernel.program.is_built_for(&queue.device), CL_INVALID_PROGRAM_EXECUTABLE)
}

/// clEnqueueNDRangeKernel
pub fn enqueue_nd_range_kernel(
    command_queue: cl_command_queue,
    kernel: cl_kernel,
    work_dim: cl_uint,
    global_work_offset: In<usize>,
    global_work_size: In<usize>,
    local_work_size: In<usize>,
    num_events_in_wait_list: cl_uint,
    event_wait_list: In<cl_event>,
    event: Out<cl_event>,
) -> Result<()> {
    // CL_INVALID_COMMAND_QUEUE if command_queue is not a valid host command-queue.
    let queue = lookup::<Queue>(command_queue)?;
    // CL_INVALID_KERNEL if kernel is not a valid kernel object.
    let kernel = lookup::<Kernel>(kernel)?;
    check_kernel(&queue, &kernel)?;
    let wait_list = wait_list(num_events_in_wait_list, event_wait_list, &queue.context)?;
    let range = check_range(
        &kernel,
        &queue.device,
        work_dim,
        global_work_offset,
        global_work_size,
        local_work_size,
    )?;
    enqueue(&queue, &kernel, range, CL_COMMAND_NDRANGE_KERNEL, wait_list, event)
}

/// clEnqueueTask: a kernel with one work-item.
pub fn enqueue_task(
    command_queue: cl_command_queue,
    kernel: cl_kernel,
    num_events_in_wait_list: cl_uint,
    event_wait_list: In<cl_event>,
    event: Out<cl_event>,
) -> Result<()> {
    // CL_INVALID_COMMAND_QUEUE if command_queue is not a valid host command-queue.
    let queue = lookup::<Queue>(command_queue)?;
    // CL_INVALID_KERNEL if kernel is not a valid kernel object.
    let kernel = lookup::<Kernel>(kernel)?;
    check_kernel(&queue, &kernel)?;
    let wait_list = wait_list(num_events_in_wait_list, event_wait_list, &queue.context)?;
    // CL_INVALID_WORK_GROUP_SIZE if a work-group size is specified for kernel in the program source and it is not (1, 1, 1).
    let one = In::from_slice(&[1]);
    let range = check_range(&kernel, &queue.device, 1, In::null(), one, one)?;
    enqueue(&queue, &kernel, range, CL_COMMAND_TASK, wait_list, event)
}

/// clGetKernelSuggestedLocalWorkSize: what clEnqueueNDRangeKernel would choose.
pub fn get_kernel_suggested_local_work_size(
    command_queue: cl_command_queue,
    kernel: cl_kernel,
    work_dim: cl_uint,
    global_work_offset: In<usize>,
    global_work_size: In<usize>,
    suggested_local_work_size: Out<usize>,
) -> Result<()> {
    // CL_INVALID_COMMAND_QUEUE if command_queue is not a valid host command-queue.
    let queue = lookup::<Queue>(command_queue)?;
    // CL_INVALID_KERNEL if kernel is not a valid kernel object.
    let kernel = lookup::<Kernel>(kernel)?;
    check_kernel(&queue, &kernel)?;
    // CL_INVALID_KERNEL_ARGS if the kernel argument values have not been specified.
    fail_if(kernel.arguments.lock().unset > 0, CL_INVALID_KERNEL_ARGS)?;
    // CL_INVALID_WORK_DIMENSION if work_dim is not valid for the device.
    fail_if(!(1..=3).contains(&work_dim), CL_INVALID_WORK_DIMENSION)?;
    // CL_INVALID_GLOBAL_WORK_SIZE if global_work_size is NULL or if any of its values are 0.
    let global = global_work_size.triple(work_dim as usize, 1).ok_or(CL_INVALID_GLOBAL_WORK_SIZE)?;
    fail_if(global.contains(&0), CL_INVALID_GLOBAL_WORK_SIZE)?;
    // CL_INVALID_VALUE if suggested_local_work_size is NULL.
    fail_if(suggested_local_work_size.is_null(), CL_INVALID_VALUE)?;
    let range = check_range(&kernel, &queue.device, work_dim, global_work_offset, global_work_size, In::null())?;
    suggested_local_work_size.write_list(work_dim as usize, range.local.map(|size| size as usize));
    Ok(())
}
