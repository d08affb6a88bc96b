//! What creating, recording, enqueuing and changing refuse.

use crate::*;

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
            check(
                "a kernel that enqueues others",
                CL_INVALID_OPERATION,
                Given {
                    kernel: own.enqueues,
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
