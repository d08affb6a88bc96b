//! Command-buffers: recording, enqueuing, changing, and what each function refuses.

use api::cl::*;
use api::command_buffer::{self, mutable, record};
use api::raw::{FromC, HostPointer, In, Out};
use api::transfer::{Read, buffer};
use api::{context, device, kernel, memory, platform, program, queue};
use std::ptr::{null, null_mut};

const SOURCE: &std::ffi::CStr = c"kernel void add(global int *r, int v) { r[get_global_id(0)] += v + (int)get_global_offset(0); }";
const ITEMS: usize = 16;

struct Fixture {
    context: cl_context,
    queue: cl_command_queue,
    kernel: cl_kernel,
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
        device::get_device_ids(platform, CL_DEVICE_TYPE_ALL, 1, Out::from_mut(&mut device), Out::null()).unwrap();
        let context = context::create_context(In::null(), 1, In::from_slice(&[device]), None, null_mut()).unwrap();
        let queue = queue::create_command_queue(context, device, 0).unwrap();
        let program = program::create_program_with_source(context, 1, In::from_slice(&[SOURCE.as_ptr()]), In::null()).unwrap();
        // SAFETY: strings.
        let (options, name) = unsafe { (In::from_c(c"-cl-std=CL3.0".as_ptr()), In::from_c(c"add".as_ptr())) };
        program::build_program(program, 0, In::null(), options, None, null_mut()).unwrap();
        let kernel = kernel::create_kernel(program, name).unwrap();
        let result = memory::create_buffer(context, CL_MEM_READ_WRITE, ITEMS * 4, null_mut()).unwrap();
        Fixture {
            context,
            queue,
            kernel,
            result,
        }
    }

    fn set_arguments(&self, value: cl_int) {
        kernel::set_kernel_arg(self.kernel, 0, 8, In::from_slice(&(self.result as usize).to_ne_bytes())).unwrap();
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

#[test]
fn what_is_refused() {
    let fixture = Fixture::new();
    fixture.set_arguments(1);
    let create = |count, queues: In<cl_command_queue>, properties: &[cl_properties]| {
        command_buffer::create_command_buffer(count, queues, In::from_slice(properties)).err()
    };
    let queues = [fixture.queue; 2];
    assert_eq!(create(0, In::from_slice(&queues), &[0]), Some(CL_INVALID_VALUE));
    assert_eq!(create(2, In::from_slice(&queues), &[0]), Some(CL_INVALID_VALUE));
    assert_eq!(create(1, In::null(), &[0]), Some(CL_INVALID_VALUE));
    assert_eq!(create(1, In::from_slice(&[fixture.context]), &[0]), Some(CL_INVALID_COMMAND_QUEUE));
    let twice = [CL_COMMAND_BUFFER_FLAGS_KHR, 0, CL_COMMAND_BUFFER_FLAGS_KHR, 0, 0];
    assert_eq!(create(1, In::from_slice(&queues), &twice), Some(CL_INVALID_VALUE));
    // The list ends where it makes no sense any more: nothing is read behind the unknown name.
    assert_eq!(create(1, In::from_slice(&queues), &[7]), Some(CL_INVALID_VALUE));

    let buffer = fixture.buffer(&[0]);
    assert_eq!(fixture.fill(buffer, 0, &[1]), Err(CL_INVALID_SYNC_POINT_WAIT_LIST_KHR));
    assert_eq!(fixture.fill(fixture.queue, 0, &[]), Err(CL_INVALID_COMMAND_BUFFER_KHR));
    let barrier = |queue: cl_command_queue, properties: &[cl_properties], count: cl_uint, handle: Out<cl_mutable_command_khr>| {
        record::command_barrier_with_wait_list(buffer, queue, In::from_slice(properties), count, In::null(), Out::null(), handle)
    };
    assert_eq!(barrier(fixture.queue, &[0], 0, Out::null()), Err(CL_INVALID_COMMAND_QUEUE));
    assert_eq!(barrier(null_mut(), &[1], 0, Out::null()), Err(CL_INVALID_VALUE));
    assert_eq!(barrier(null_mut(), &[0], 1, Out::null()), Err(CL_INVALID_SYNC_POINT_WAIT_LIST_KHR));
    let mut handle = null_mut();
    assert_eq!(barrier(null_mut(), &[0], 0, Out::from_mut(&mut handle)), Err(CL_INVALID_VALUE));
    assert_eq!(barrier(null_mut(), &[0], 0, Out::null()), Ok(()));
    assert_eq!(fixture.fill(buffer, 0, &[1]), Ok(2));
    assert_eq!(
        fixture
            .record(buffer, &[CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR, 1 << 20, 0])
            .err(),
        Some(CL_INVALID_VALUE)
    );
    let asserts = [
        CL_MUTABLE_DISPATCH_ASSERTS_KHR,
        CL_MUTABLE_DISPATCH_ASSERT_NO_ADDITIONAL_WORK_GROUPS_KHR,
        0,
    ];
    assert_eq!(fixture.record(buffer, &asserts).err(), Some(CL_INVALID_VALUE));
    command_buffer::finalize_command_buffer(buffer).unwrap();
    let queues = [fixture.queue];
    let enqueue =
        |count, queues: In<cl_command_queue>| command_buffer::enqueue_command_buffer(count, queues, buffer, 0, In::null(), Out::null());
    assert_eq!(enqueue(1, In::null()), Err(CL_INVALID_VALUE));
    assert_eq!(enqueue(0, In::from_slice(&queues)), Err(CL_INVALID_VALUE));
    assert_eq!(enqueue(2, In::from_slice(&[fixture.queue; 2])), Err(CL_INVALID_VALUE));
    assert_eq!(enqueue(1, In::from_slice(&[buffer])), Err(CL_INVALID_COMMAND_QUEUE));
    assert_eq!(enqueue(1, In::from_slice(&queues)), Ok(()));
    // Not made to be changed.
    assert_eq!(update(buffer, buffer, |_| ()), Err(CL_INVALID_OPERATION));
    queue::finish(fixture.queue).unwrap();
}

/// What a recording function is given.
#[derive(Clone, Copy)]
struct Given {
    buffer: cl_command_buffer_khr,
    queue: cl_command_queue,
    properties: In<cl_properties>,
    memory: cl_mem,
    image: cl_mem,
    kernel: cl_kernel,
    pointer: *mut c_void,
    count: cl_uint,
    points: In<cl_sync_point_khr>,
}

const ORIGIN: [usize; 3] = [0; 3];
const REGION: [usize; 3] = [2, 2, 1];

type Recorder = fn(&Given, Out<cl_mutable_command_khr>) -> Result<(), cl_int>;

/// Every recording function, and which object it takes: a buffer, an image, or a kernel.
#[rustfmt::skip]
const RECORDERS: &[(&str, &str, Recorder)] = &[
    ("clCommandBarrierWithWaitListKHR", "", |g, handle| {
        record::command_barrier_with_wait_list(g.buffer, g.queue, g.properties, g.count, g.points, Out::null(), handle)
    }),
    ("clCommandCopyBufferKHR", "buffer", |g, handle| {
        record::command_copy_buffer(g.buffer, g.queue, g.properties, g.memory, g.memory, 0, 8, 8, g.count, g.points, Out::null(), handle)
    }),
    ("clCommandCopyBufferRectKHR", "buffer", |g, handle| {
        let (from, to, region) = (In::from_slice(&ORIGIN), In::from_slice(&[0, 4, 0]), In::from_slice(&REGION));
        record::command_copy_buffer_rect(g.buffer, g.queue, g.properties, g.memory, g.memory, from, to, region, 4, 0, 4, 0, g.count, g.points, Out::null(), handle)
    }),
    ("clCommandFillBufferKHR", "buffer", |g, handle| {
        record::command_fill_buffer(g.buffer, g.queue, g.properties, g.memory, In::from_slice(&[1]), 1, 0, 8, g.count, g.points, Out::null(), handle)
    }),
    ("clCommandSVMMemcpyKHR", "", |g, handle| {
        let from = g.pointer.wrapping_byte_add(32);
        record::command_svm_memcpy(g.buffer, g.queue, g.properties, g.pointer, from, 8, g.count, g.points, Out::null(), handle)
    }),
    ("clCommandSVMMemFillKHR", "", |g, handle| {
        record::command_svm_mem_fill(g.buffer, g.queue, g.properties, g.pointer, In::from_slice(&[1]), 1, 8, g.count, g.points, Out::null(), handle)
    }),
    ("clCommandCopyImageKHR", "image", |g, handle| {
        let (from, to, region) = (In::from_slice(&ORIGIN), In::from_slice(&[4, 4, 0]), In::from_slice(&REGION));
        record::command_copy_image(g.buffer, g.queue, g.properties, g.image, g.image, from, to, region, g.count, g.points, Out::null(), handle)
    }),
    ("clCommandCopyImageToBufferKHR", "image buffer", |g, handle| {
        let (from, region) = (In::from_slice(&ORIGIN), In::from_slice(&REGION));
        record::command_copy_image_to_buffer(g.buffer, g.queue, g.properties, g.image, g.memory, from, region, 0, g.count, g.points, Out::null(), handle)
    }),
    ("clCommandCopyBufferToImageKHR", "image buffer", |g, handle| {
        let (to, region) = (In::from_slice(&ORIGIN), In::from_slice(&REGION));
        record::command_copy_buffer_to_image(g.buffer, g.queue, g.properties, g.memory, g.image, 0, to, region, g.count, g.points, Out::null(), handle)
    }),
    ("clCommandFillImageKHR", "image", |g, handle| {
        let (to, region) = (In::from_slice(&ORIGIN), In::from_slice(&REGION));
        record::command_fill_image(g.buffer, g.queue, g.properties, g.image, In::from_slice(&[0; 16]), to, region, g.count, g.points, Out::null(), handle)
    }),
    ("clCommandNDRangeKernelKHR", "kernel", |g, handle| {
        let size = In::from_slice(&[ITEMS]);
        record::command_nd_range_kernel(g.buffer, g.queue, g.properties, g.kernel, 1, In::null(), size, In::null(), g.count, g.points, Out::null(), handle)
    }),
];

#[test]
fn what_recording_refuses() {
    let (own, foreign) = (Fixture::new(), Fixture::new());
    let given = |fixture: &Fixture| {
        fixture.set_arguments(1);
        let format = cl_image_format {
            image_channel_order: CL_RGBA,
            image_channel_data_type: CL_UNSIGNED_INT8,
        };
        Given {
            buffer: fixture.buffer(&[0]),
            queue: null_mut(),
            properties: In::null(),
            memory: fixture.result,
            image: api::image::create_image_2d(fixture.context, 0, In::from_slice(&[format]), 8, 8, 0, null_mut()).unwrap(),
            kernel: fixture.kernel,
            pointer: api::svm::svm_alloc(fixture.context, 0, 64, 0).unwrap(),
            count: 0,
            points: In::null(),
        }
    };
    let (right, other) = (given(&own), given(&foreign));
    let (unknown, no_point, later) = ([77, 0, 0], [0], [1000]);
    let finalized = own.buffer(&[0]);
    command_buffer::finalize_command_buffer(finalized).unwrap();
    for (name, takes, record) in RECORDERS {
        let check = |what: &str, code: cl_int, given: Given| assert_eq!(record(&given, Out::null()), Err(code), "{name}: {what}");
        for wrong in [null_mut(), own.context] {
            check("no command-buffer", CL_INVALID_COMMAND_BUFFER_KHR, Given { buffer: wrong, ..right });
        }
        check("a queue", CL_INVALID_COMMAND_QUEUE, Given { queue: own.queue, ..right });
        check(
            "finalized",
            CL_INVALID_OPERATION,
            Given {
                buffer: finalized,
                ..right
            },
        );
        check(
            "properties",
            CL_INVALID_VALUE,
            Given {
                properties: In::from_slice(&unknown),
                ..right
            },
        );
        check("a count alone", CL_INVALID_SYNC_POINT_WAIT_LIST_KHR, Given { count: 1, ..right });
        for points in [In::from_slice(&no_point), In::from_slice(&later)] {
            check("points alone", CL_INVALID_SYNC_POINT_WAIT_LIST_KHR, Given { points, ..right });
            check(
                "no such point",
                CL_INVALID_SYNC_POINT_WAIT_LIST_KHR,
                Given { count: 1, points, ..right },
            );
        }
        if takes.contains("buffer") {
            check(
                "no buffer",
                CL_INVALID_MEM_OBJECT,
                Given {
                    memory: own.context,
                    ..right
                },
            );
            check(
                "another context's buffer",
                CL_INVALID_CONTEXT,
                Given {
                    memory: other.memory,
                    ..right
                },
            );
        }
        if takes.contains("image") {
            check(
                "no image",
                CL_INVALID_MEM_OBJECT,
                Given {
                    image: own.context,
                    ..right
                },
            );
            check(
                "another context's image",
                CL_INVALID_CONTEXT,
                Given {
                    image: other.image,
                    ..right
                },
            );
        }
        if *takes == "kernel" {
            check(
                "no kernel",
                CL_INVALID_KERNEL,
                Given {
                    kernel: own.context,
                    ..right
                },
            );
            check(
                "another context's kernel",
                CL_INVALID_CONTEXT,
                Given {
                    kernel: other.kernel,
                    ..right
                },
            );
        } else {
            let mut handle = null_mut();
            assert_eq!(
                record(&right, Out::from_mut(&mut handle)),
                Err(CL_INVALID_VALUE),
                "{name}: a handle"
            );
        }
        assert_eq!(record(&right, Out::null()), Ok(()), "{name}");
    }
    command_buffer::finalize_command_buffer(right.buffer).unwrap();
    own.enqueue(right.buffer).unwrap();
    queue::finish(own.queue).unwrap();
    // Enqueued to queues that are not the recorded one's like.
    let queues = [foreign.queue];
    let enqueued = command_buffer::enqueue_command_buffer(1, In::from_slice(&queues), right.buffer, 0, In::null(), Out::null());
    assert_eq!(enqueued, Err(CL_INVALID_CONTEXT));
    let types = [CL_STRUCTURE_TYPE_MUTABLE_DISPATCH_CONFIG_KHR];
    let update = |buffer, count, types| mutable::update_mutable_commands(buffer, count, types, In::null());
    assert_eq!(update(own.context, 0, In::null()), Err(CL_INVALID_COMMAND_BUFFER_KHR));
    let changeable = own.buffer(&[CL_COMMAND_BUFFER_FLAGS_KHR, CL_COMMAND_BUFFER_MUTABLE_KHR, 0]);
    let (_, command) = own.record(changeable, &[0]).unwrap();
    command_buffer::finalize_command_buffer(changeable).unwrap();
    assert_eq!(update(changeable, 1, In::null()), Err(CL_INVALID_VALUE));
    assert_eq!(update(changeable, 0, In::from_slice(&types)), Err(CL_INVALID_VALUE));
    assert_eq!(update(changeable, 1, In::from_slice(&types)), Err(CL_INVALID_VALUE));
    let ask = |command, name| mutable::get_mutable_command_info(command, name, 0, Out::null(), Out::null());
    assert_eq!(ask(command, 1), Err(CL_INVALID_VALUE));
    assert_eq!(
        ask(own.context, CL_MUTABLE_DISPATCH_DIMENSIONS_KHR),
        Err(CL_INVALID_MUTABLE_COMMAND_KHR)
    );
}

/// What an update may not change, where the recording did not say so; and lists without counts, and counts without lists.
#[test]
fn what_updates_refuse() {
    let fixture = Fixture::new();
    fixture.set_arguments(1);
    let made = || fixture.buffer(&[CL_COMMAND_BUFFER_FLAGS_KHR, CL_COMMAND_BUFFER_MUTABLE_KHR, 0]);
    let (open, closed, other) = (made(), made(), made());
    let record = |buffer, fields| {
        fixture
            .record(buffer, &[CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR, fields, 0])
            .unwrap()
            .1
    };
    let (all, none, foreign) = (record(open, mutable::CAPABILITIES), record(closed, 0), record(other, 0));
    for buffer in [open, closed, other] {
        command_buffer::finalize_command_buffer(buffer).unwrap();
    }
    let size = ITEMS;
    let value: cl_int = 1;
    let argument = cl_mutable_dispatch_arg_khr {
        arg_index: 1,
        arg_size: 4,
        arg_value: std::ptr::from_ref(&value).cast(),
    };
    let pointer = cl_mutable_dispatch_arg_khr {
        arg_index: 0,
        arg_size: 0,
        arg_value: null(),
    };
    let info = cl_mutable_dispatch_exec_info_khr {
        param_name: CL_KERNEL_EXEC_INFO_SVM_PTRS,
        param_value_size: 0,
        param_value: null(),
    };
    type Change<'a> = &'a dyn Fn(&mut cl_mutable_dispatch_config_khr);
    let changes: [(&str, Change); 6] = [
        ("offset", &|config| config.global_work_offset = &size),
        ("global size", &|config| config.global_work_size = &size),
        ("local size", &|config| config.local_work_size = &size),
        ("arguments", &|config| (config.num_args, config.arg_list) = (1, &argument)),
        ("pointers", &|config| (config.num_svm_args, config.arg_svm_list) = (1, &pointer)),
        ("execution info", &|config| {
            (config.num_exec_infos, config.exec_info_list) = (1, &info)
        }),
    ];
    for (name, change) in changes {
        assert_eq!(update(closed, none, change), Err(CL_INVALID_OPERATION), "{name}");
        assert_eq!(update(open, all, change), Ok(()), "{name}");
    }
    let halves: [Change; 6] = [
        &|config| config.num_args = 1,
        &|config| config.arg_list = &argument,
        &|config| config.num_svm_args = 1,
        &|config| config.arg_svm_list = &pointer,
        &|config| config.num_exec_infos = 1,
        &|config| config.exec_info_list = &info,
    ];
    for (index, change) in halves.into_iter().enumerate() {
        assert_eq!(update(open, all, change), Err(CL_INVALID_VALUE), "{index}");
    }
    // The errors of the functions that set the same.
    let (odd, far) = (ITEMS - 1, usize::MAX);
    let refused: [(cl_int, Change); 5] = [
        (CL_INVALID_OPERATION, &|config| config.work_dim = 2),
        (CL_INVALID_OPERATION, &|config| config.global_work_size = &odd),
        (CL_INVALID_GLOBAL_OFFSET, &|config| config.global_work_offset = &far),
        (CL_INVALID_WORK_GROUP_SIZE, &|config| config.local_work_size = &0),
        (CL_INVALID_WORK_ITEM_SIZE, &|config| config.local_work_size = &far),
    ];
    for (code, change) in refused {
        assert_eq!(update(open, all, change), Err(code));
    }
    assert_eq!(update(open, foreign, |_| ()), Err(CL_INVALID_MUTABLE_COMMAND_KHR));
    let nothing = [null::<c_void>()];
    let raw = |kind: cl_uint| mutable::update_mutable_commands(open, 1, In::from_slice(&[kind]), In::from_slice(&nothing));
    assert_eq!(raw(CL_STRUCTURE_TYPE_MUTABLE_DISPATCH_CONFIG_KHR), Err(CL_INVALID_VALUE));
    assert_eq!(raw(77), Err(CL_INVALID_VALUE));
    let promised = CL_MUTABLE_DISPATCH_ASSERT_NO_ADDITIONAL_WORK_GROUPS_KHR;
    let asserting = fixture.buffer(&[CL_COMMAND_BUFFER_MUTABLE_DISPATCH_ASSERTS_KHR, promised, 0]);
    assert_eq!(fixture.record(asserting, &[0]).err(), Some(CL_INVALID_VALUE));
}
