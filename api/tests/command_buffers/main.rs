//! Command-buffers: recording, enqueuing, changing, and what each function refuses.

mod refused;

use api::cl::*;
use api::command_buffer::{self, mutable, record};
use api::raw::{FromC, HostPointer, In, Out};
use api::transfer::{Read, buffer};
use api::{context, kernel, memory, platform, program, queue};
use std::ptr::{null, null_mut};
use std::time::{Duration, Instant};

const SOURCE: &std::ffi::CStr = c"
    kernel void add(global int *r, int v) { r[get_global_id(0)] += v + (int)get_global_offset(0); }
    kernel void ask(global int *r) { enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), ^{ r[0] = 1; }); }";
const ITEMS: usize = 16;

struct Fixture {
    device: cl_device_id,
    context: cl_context,
    queue: cl_command_queue,
    kernel: cl_kernel,
    /// It enqueues another.
    enqueues: cl_kernel,
    result: cl_mem,
}

fn out<T>(place: &mut T) -> Out<c_void> {
    // SAFETY: a valid place.
    unsafe { Out::from_c(std::ptr::from_mut(place).cast()) }
}

impl Fixture {
    fn new() -> Fixture {
        let (mut platform, mut device) = (null_mut(), null_mut());
        platform::get_platform_ids(1, Out::from_mut(&mut platform), Out::null()).unwrap();
        platform::get_device_ids(platform, CL_DEVICE_TYPE_ALL, 1, Out::from_mut(&mut device), Out::null()).unwrap();
        let context = context::create_context(In::null(), 1, In::from_slice(&[device]), None, null_mut()).unwrap();
        let queue = queue::create_command_queue(context, device, 0).unwrap();
        let program = program::create_program_with_source(context, 1, In::from_slice(&[SOURCE.as_ptr()]), In::null()).unwrap();
        // SAFETY: strings.
        let [options, add, ask] = [c"-cl-std=CL3.0", c"add", c"ask"].map(|text| unsafe { In::from_c(text.as_ptr()) });
        program::build_program(program, 0, In::null(), options, None, null_mut()).unwrap();
        let [kernel, enqueues] = [add, ask].map(|name| kernel::create_kernel(program, name).unwrap());
        let result = memory::create_buffer(context, CL_MEM_READ_WRITE, ITEMS * 4, null_mut()).unwrap();
        Fixture {
            device,
            context,
            queue,
            kernel,
            enqueues,
            result,
        }
    }

    fn set_arguments(&self, value: cl_int) {
        for kernel in [self.kernel, self.enqueues] {
            kernel::set_kernel_arg(kernel, 0, 8, In::from_slice(&(self.result as usize).to_ne_bytes())).unwrap();
        }
        kernel::set_kernel_arg(self.kernel, 1, 4, In::from_slice(&value.to_ne_bytes())).unwrap();
    }

    fn buffer(&self, properties: &[cl_properties]) -> cl_command_buffer_khr {
        command_buffer::create_command_buffer(1, In::from_slice(&[self.queue]), In::from_slice(properties)).unwrap()
    }

    /// Records the kernel; the sync-point and the handle.
    fn record(
        &self,
        buffer: cl_command_buffer_khr,
        properties: &[cl_properties],
    ) -> Result<(cl_sync_point_khr, cl_mutable_command_khr), cl_int> {
        let (mut point, mut command) = (0, null_mut());
        record::command_nd_range_kernel(
            buffer,
            null_mut(),
            In::from_slice(properties),
            self.kernel,
            1,
            In::null(),
            In::from_slice(&[ITEMS]),
            In::null(),
            0,
            In::null(),
            Out::from_mut(&mut point),
            Out::from_mut(&mut command),
        )?;
        Ok((point, command))
    }

    fn fill(&self, buffer: cl_command_buffer_khr, value: u8, after: &[cl_sync_point_khr]) -> Result<cl_sync_point_khr, cl_int> {
        let mut point = 0;
        let list = if after.is_empty() { In::null() } else { In::from_slice(after) };
        record::command_fill_buffer(
            buffer,
            null_mut(),
            In::null(),
            self.result,
            In::from_slice(&[value]),
            1,
            0,
            ITEMS * 4,
            after.len() as cl_uint,
            list,
            Out::from_mut(&mut point),
            Out::null(),
        )?;
        Ok(point)
    }

    fn enqueue(&self, buffer: cl_command_buffer_khr) -> Result<(), cl_int> {
        command_buffer::enqueue_command_buffer(0, In::null(), buffer, 0, In::null(), Out::null())
    }

    fn result(&self) -> [cl_int; ITEMS] {
        let mut values = [-1; ITEMS];
        let place = HostPointer(values.as_mut_ptr().cast());
        buffer::enqueue_read_or_write::<Read>(self.queue, self.result, CL_TRUE, 0, ITEMS * 4, place, 0, In::null(), Out::null()).unwrap();
        values
    }
}

fn state(buffer: cl_command_buffer_khr) -> cl_uint {
    let mut state: cl_uint = 99;
    command_buffer::get_command_buffer_info(buffer, CL_COMMAND_BUFFER_STATE_KHR, 4, out(&mut state), Out::null()).unwrap();
    state
}

fn update(
    buffer: cl_command_buffer_khr,
    command: cl_mutable_command_khr,
    change: impl FnOnce(&mut cl_mutable_dispatch_config_khr),
) -> Result<(), cl_int> {
    let mut config = cl_mutable_dispatch_config_khr {
        command,
        num_args: 0,
        num_svm_args: 0,
        num_exec_infos: 0,
        work_dim: 0,
        arg_list: null(),
        arg_svm_list: null(),
        exec_info_list: null(),
        global_work_offset: null(),
        global_work_size: null(),
        local_work_size: null(),
    };
    change(&mut config);
    let configs = [std::ptr::from_ref(&config).cast::<c_void>()];
    let types = [CL_STRUCTURE_TYPE_MUTABLE_DISPATCH_CONFIG_KHR];
    mutable::update_mutable_commands(buffer, 1, In::from_slice(&types), In::from_slice(&configs))
}

#[test]
fn what_is_recorded_runs_as_often_as_it_is_enqueued() {
    let fixture = Fixture::new();
    let buffer = fixture.buffer(&[0]);
    let first = fixture.fill(buffer, 0, &[]).unwrap();
    fixture.set_arguments(1);
    let (second, _) = fixture.record(buffer, &[0]).unwrap();
    assert_ne!(first, second);
    // What happens to the kernel afterwards is no business of the recorded command.
    fixture.set_arguments(100);
    assert_eq!(state(buffer), CL_COMMAND_BUFFER_STATE_RECORDING_KHR);
    assert_eq!(fixture.enqueue(buffer), Err(CL_INVALID_OPERATION));
    command_buffer::finalize_command_buffer(buffer).unwrap();
    assert_eq!(command_buffer::finalize_command_buffer(buffer), Err(CL_INVALID_OPERATION));
    assert_eq!(state(buffer), CL_COMMAND_BUFFER_STATE_EXECUTABLE_KHR);
    for _ in 0..3 {
        fixture.enqueue(buffer).unwrap();
    }
    assert_eq!(fixture.result(), [1; ITEMS]);
    assert_eq!(fixture.fill(buffer, 0, &[]), Err(CL_INVALID_OPERATION));
    command_buffer::release_command_buffer(buffer).unwrap();
    assert_eq!(fixture.enqueue(buffer), Err(CL_INVALID_COMMAND_BUFFER_KHR));
}

/// Nobody can flush that queue any more, nor wait for it.
#[test]
fn a_queue_that_is_released_runs_the_command_buffers_that_keep_it() {
    let mut fixture = Fixture::new();
    let buffer = fixture.buffer(&[0]);
    fixture.fill(buffer, 0, &[]).unwrap();
    fixture.set_arguments(1);
    fixture.record(buffer, &[0]).unwrap();
    command_buffer::finalize_command_buffer(buffer).unwrap();
    queue::release_command_queue(fixture.queue).unwrap();
    fixture.enqueue(buffer).unwrap();
    fixture.queue = queue::create_command_queue(fixture.context, fixture.device, 0).unwrap();
    let until = Instant::now() + Duration::from_secs(60);
    while fixture.result() != [1; ITEMS] {
        assert!(Instant::now() < until, "it has not run");
    }
}

#[test]
fn an_update_changes_the_executions_to_come() {
    let fixture = Fixture::new();
    let buffer = fixture.buffer(&[CL_COMMAND_BUFFER_FLAGS_KHR, CL_COMMAND_BUFFER_MUTABLE_KHR, 0]);
    fixture.fill(buffer, 0, &[]).unwrap();
    fixture.set_arguments(1);
    let (_, command) = fixture.record(buffer, &[0]).unwrap();
    assert_eq!(update(buffer, command, |_| ()), Err(CL_INVALID_OPERATION));
    command_buffer::finalize_command_buffer(buffer).unwrap();
    fixture.enqueue(buffer).unwrap();
    let value: cl_int = 5;
    let argument = cl_mutable_dispatch_arg_khr {
        arg_index: 1,
        arg_size: 4,
        arg_value: std::ptr::from_ref(&value).cast(),
    };
    update(buffer, command, |config| {
        config.num_args = 1;
        config.arg_list = &argument;
    })
    .unwrap();
    assert_eq!(fixture.result(), [1; ITEMS]);
    fixture.enqueue(buffer).unwrap();
    assert_eq!(fixture.result(), [5; ITEMS]);
    // An update that is refused changes nothing, of whatever it names before the mistake either.
    let wrong = cl_mutable_dispatch_arg_khr { arg_index: 2, ..argument };
    let refused = update(buffer, command, |config| {
        config.num_args = 2;
        let list = [
            cl_mutable_dispatch_arg_khr {
                arg_value: std::ptr::from_ref(&7).cast(),
                ..argument
            },
            wrong,
        ];
        config.arg_list = Box::leak(Box::new(list)).as_ptr();
    });
    assert_eq!(refused, Err(CL_INVALID_ARG_INDEX));
    assert_eq!(update(buffer, command, |config| config.work_dim = 2), Err(CL_INVALID_OPERATION));
    assert_eq!(update(buffer, command, |config| config.num_args = 1), Err(CL_INVALID_VALUE));
    assert_eq!(update(buffer, buffer, |_| ()), Err(CL_INVALID_MUTABLE_COMMAND_KHR));
    fixture.enqueue(buffer).unwrap();
    assert_eq!(fixture.result(), [5; ITEMS]);
    let mut old = [9_usize; 1];
    mutable::get_mutable_command_info(command, CL_MUTABLE_DISPATCH_GLOBAL_WORK_OFFSET_KHR, 8, out(&mut old), Out::null()).unwrap();
    assert_eq!(old, [0]);
    let eight = 8_usize;
    update(buffer, command, |config| {
        config.global_work_offset = &eight;
        config.global_work_size = &eight;
    })
    .unwrap();
    fixture.enqueue(buffer).unwrap();
    let expected: [cl_int; ITEMS] = std::array::from_fn(|i| if i < 8 { 0 } else { 13 });
    assert_eq!(fixture.result(), expected);
    command_buffer::release_command_buffer(buffer).unwrap();
    assert_eq!(
        mutable::get_mutable_command_info(command, CL_MUTABLE_DISPATCH_DIMENSIONS_KHR, 0, Out::null(), Out::null()),
        Err(CL_INVALID_MUTABLE_COMMAND_KHR)
    );
}

#[test]
fn arguments_may_come_after_the_recording_where_that_was_said() {
    let fixture = Fixture::new();
    let buffer = fixture.buffer(&[CL_COMMAND_BUFFER_FLAGS_KHR, CL_COMMAND_BUFFER_MUTABLE_KHR, 0]);
    fixture.fill(buffer, 0, &[]).unwrap();
    assert_eq!(fixture.record(buffer, &[0]).err(), Some(CL_INVALID_KERNEL_ARGS));
    let properties = [CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR, CL_MUTABLE_DISPATCH_ARGUMENTS_KHR, 0];
    let (_, command) = fixture.record(buffer, &properties).unwrap();
    command_buffer::finalize_command_buffer(buffer).unwrap();
    assert_eq!(state(buffer), CL_COMMAND_BUFFER_STATE_FINALIZED_KHR);
    assert_eq!(fixture.enqueue(buffer), Err(CL_INVALID_OPERATION));
    let (memory, value) = (fixture.result, 3 as cl_int);
    let arguments = [
        cl_mutable_dispatch_arg_khr {
            arg_index: 0,
            arg_size: 8,
            arg_value: std::ptr::from_ref(&memory).cast(),
        },
        cl_mutable_dispatch_arg_khr {
            arg_index: 1,
            arg_size: 4,
            arg_value: std::ptr::from_ref(&value).cast(),
        },
    ];
    update(buffer, command, |config| {
        config.num_args = 2;
        config.arg_list = arguments.as_ptr();
    })
    .unwrap();
    assert_eq!(state(buffer), CL_COMMAND_BUFFER_STATE_EXECUTABLE_KHR);
    let size = ITEMS;
    let forbidden = update(buffer, command, |config| config.global_work_size = &size);
    assert_eq!(forbidden, Err(CL_INVALID_OPERATION));
    fixture.enqueue(buffer).unwrap();
    assert_eq!(fixture.result(), [3; ITEMS]);
    command_buffer::release_command_buffer(buffer).unwrap();
}
