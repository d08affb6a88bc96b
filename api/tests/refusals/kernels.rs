//! Kernels, their arguments and their launches.

use crate::*;

#[test]
fn programs_and_kernels() {
    let fixture = Fixture::new();
    let Fixture { device, context, .. } = fixture;
    let source = c"kernel void k(global int *a, local int *l, float f) { a[0] = (int)f + l[0]; }";
    let (built, k) = fixture.kernel(source);
    let strings = [source.as_ptr()];
    let unbuilt = program::create_program_with_source(context, 1, In::from_slice(&strings), In::null()).unwrap();
    let buffer = memory::create_buffer(context, 0, 64, NONE).unwrap();
    let foreign = memory::create_buffer(fixture.other_context, 0, 64, NONE).unwrap();
    let set = |index, size, value: In<u8>| kernel::set_kernel_arg(k, index, size, value);
    let (word, handle) = ([0_u8; 4], (buffer as usize).to_ne_bytes());
    refused! {
        CL_INVALID_CONTEXT: program::create_program_with_source(device, 1, In::from_slice(&strings), In::null());
        CL_INVALID_VALUE: program::create_program_with_source(context, 0, In::from_slice(&strings), In::null());
        CL_INVALID_VALUE: program::create_program_with_source(context, 1, In::null(), In::null());
        CL_INVALID_PROGRAM: program::build_program(context, 0, In::null(), In::null(), None, NONE);
        CL_INVALID_VALUE: program::build_program(unbuilt, 1, In::null(), In::null(), None, NONE);
        CL_INVALID_VALUE: program::build_program(unbuilt, 0, In::from_slice(&[device]), In::null(), None, NONE);
        CL_INVALID_VALUE: program::build_program(unbuilt, 0, In::null(), In::null(), None, device);
        CL_INVALID_BUILD_OPTIONS: program::build_program(unbuilt, 0, In::null(), text(c"-no-such-option"), None, NONE);
        CL_INVALID_OPERATION: program::build_program(built, 0, In::null(), In::null(), None, NONE);
        CL_INVALID_PROGRAM: program::get_program_info(context, CL_PROGRAM_SOURCE, 0, Out::null(), Out::null());
        CL_INVALID_VALUE: program::get_program_info(built, 1, 0, Out::null(), Out::null());
        CL_INVALID_PROGRAM_EXECUTABLE: program::get_program_info(unbuilt, CL_PROGRAM_NUM_KERNELS, 0, Out::null(), Out::null());
        CL_INVALID_DEVICE: program::get_program_build_info(built, context, CL_PROGRAM_BUILD_LOG, 0, Out::null(), Out::null());
        CL_INVALID_VALUE: program::get_program_build_info(built, device, 1, 0, Out::null(), Out::null());
        CL_INVALID_PROGRAM: kernel::create_kernel(context, text(c"k"));
        CL_INVALID_PROGRAM_EXECUTABLE: kernel::create_kernel(unbuilt, text(c"k"));
        CL_INVALID_KERNEL_NAME: kernel::create_kernel(built, text(c"other"));
        CL_INVALID_VALUE: kernel::create_kernel(built, In::null());
        CL_INVALID_VALUE: kernel::create_kernels_in_program(built, 0, Out::from_mut(&mut null_mut()), Out::null());
        CL_INVALID_KERNEL: kernel::clone_kernel(built);
        CL_INVALID_KERNEL: kernel::set_kernel_arg(built, 0, 8, In::null());
        CL_INVALID_ARG_INDEX: set(3, 4, In::from_slice(&word));
        CL_INVALID_ARG_VALUE: set(2, 4, In::null());
        CL_INVALID_ARG_SIZE: set(2, 8, In::from_slice(&handle));
        CL_INVALID_ARG_SIZE: set(0, 4, In::from_slice(&handle));
        CL_INVALID_MEM_OBJECT: set(0, 8, In::from_slice(&(context as usize).to_ne_bytes()));
        CL_INVALID_CONTEXT: set(0, 8, In::from_slice(&(foreign as usize).to_ne_bytes()));
        CL_INVALID_ARG_VALUE: set(1, 4, In::from_slice(&word));
        CL_MAX_SIZE_RESTRICTION_EXCEEDED: set(1, 1 << 30, In::null());
        CL_INVALID_ARG_VALUE: kernel::set_kernel_arg_svm_pointer(k, 2, NONE);
        CL_INVALID_ARG_INDEX: kernel::set_kernel_arg_address(k, 2, 0);
        CL_INVALID_ARG_INDEX: kernel::set_kernel_arg_svm_pointer(k, 9, NONE);
        CL_INVALID_VALUE: kernel::set_kernel_exec_info(k, 1, 0, In::null());
        CL_INVALID_KERNEL: kernel_info::get_kernel_info(built, CL_KERNEL_NUM_ARGS, 0, Out::null(), Out::null());
        CL_INVALID_VALUE: kernel_info::get_kernel_info(k, 1, 0, Out::null(), Out::null());
        CL_INVALID_ARG_INDEX: kernel_info::get_kernel_arg_info(k, 9, CL_KERNEL_ARG_NAME, 0, Out::null(), Out::null());
        CL_INVALID_DEVICE: kernel_info::get_kernel_work_group_info(k, context, CL_KERNEL_WORK_GROUP_SIZE, 0, Out::null(), Out::null());
        CL_INVALID_VALUE: kernel_info::get_kernel_work_group_info(k, device, 1, 0, Out::null(), Out::null());
        CL_INVALID_VALUE: kernel_info::get_kernel_work_group_info(k, device, CL_KERNEL_GLOBAL_WORK_SIZE, 0, Out::null(), Out::null());
    }
}

#[test]
fn launches() {
    let fixture = Fixture::new();
    let Fixture { queue, .. } = fixture;
    let (_, k) = fixture.kernel(c"kernel void k(global int *a) { a[get_global_id(0)] = 1; }");
    let sizes = |size: usize| [size; 3];
    let launch = |queue, kernel, dimensions, offset: In<usize>, global: &[usize], local: In<usize>| {
        api::launch::enqueue_nd_range_kernel(
            queue,
            kernel,
            dimensions,
            offset,
            In::from_slice(global),
            local,
            0,
            In::null(),
            Out::null(),
        )
    };
    refused! {
        CL_INVALID_KERNEL_ARGS: launch(queue, k, 1, In::null(), &sizes(4), In::null());
    }
    let buffer = memory::create_buffer(fixture.context, 0, 64, NONE).unwrap();
    kernel::set_kernel_arg(k, 0, 8, In::from_slice(&(buffer as usize).to_ne_bytes())).unwrap();
    let foreign = queue::create_command_queue(fixture.other_context, fixture.device, 0).unwrap();
    refused! {
        CL_INVALID_COMMAND_QUEUE: launch(k, k, 1, In::null(), &sizes(4), In::null());
        CL_INVALID_KERNEL: launch(queue, queue, 1, In::null(), &sizes(4), In::null());
        CL_INVALID_CONTEXT: launch(foreign, k, 1, In::null(), &sizes(4), In::null());
        CL_INVALID_WORK_DIMENSION: launch(queue, k, 0, In::null(), &sizes(4), In::null());
        CL_INVALID_WORK_DIMENSION: launch(queue, k, 4, In::null(), &sizes(4), In::null());
        CL_INVALID_GLOBAL_OFFSET: launch(queue, k, 1, In::from_slice(&sizes(usize::MAX)), &sizes(4), In::null());
        CL_INVALID_WORK_GROUP_SIZE: launch(queue, k, 1, In::null(), &sizes(4), In::from_slice(&sizes(0)));
        CL_INVALID_WORK_ITEM_SIZE: launch(queue, k, 1, In::null(), &sizes(1 << 20), In::from_slice(&sizes(1 << 20)));
        CL_INVALID_WORK_GROUP_SIZE: launch(queue, k, 3, In::null(), &sizes(64), In::from_slice(&sizes(64)));
    }
    // The buffer is gone, and the kernel did not keep it.
    memory::release_mem_object(buffer).unwrap();
    assert_eq!(launch(queue, k, 1, In::null(), &sizes(4), In::null()), Err(CL_INVALID_KERNEL_ARGS));
}

#[test]
fn suggested_sizes() {
    let fixture = Fixture::new();
    let Fixture { queue, .. } = fixture;
    let (_, k) = fixture.kernel(c"kernel void k(global int *a) { a[get_global_id(0)] = 1; }");
    let foreign = queue::create_command_queue(fixture.other_context, fixture.device, 0).unwrap();
    let (some, none) = ([64_usize; 3], [64_usize, 0, 64]);
    let (some, none, most) = (In::from_slice(&some), In::from_slice(&none), [usize::MAX; 3]);
    let mut answer = [0_usize; 3];
    let ask = |queue, kernel, dimensions, offset, size, answer: &mut [usize; 3]| {
        api::launch::get_kernel_suggested_local_work_size(queue, kernel, dimensions, offset, size, Out::from_mut(&mut answer[0]))
    };
    refused! {
        CL_INVALID_KERNEL_ARGS: ask(queue, k, 1, In::null(), some, &mut answer);
    }
    let buffer = memory::create_buffer(fixture.context, 0, 64, NONE).unwrap();
    kernel::set_kernel_arg(k, 0, 8, In::from_slice(&(buffer as usize).to_ne_bytes())).unwrap();
    refused! {
        CL_INVALID_COMMAND_QUEUE: ask(k, k, 1, In::null(), some, &mut answer);
        CL_INVALID_KERNEL: ask(queue, queue, 1, In::null(), some, &mut answer);
        CL_INVALID_CONTEXT: ask(foreign, k, 1, In::null(), some, &mut answer);
        CL_INVALID_WORK_DIMENSION: ask(queue, k, 0, In::null(), some, &mut answer);
        CL_INVALID_WORK_DIMENSION: ask(queue, k, 4, In::null(), some, &mut answer);
        CL_INVALID_GLOBAL_WORK_SIZE: ask(queue, k, 1, In::null(), In::null(), &mut answer);
        CL_INVALID_GLOBAL_WORK_SIZE: ask(queue, k, 2, In::null(), none, &mut answer);
        CL_INVALID_GLOBAL_OFFSET: ask(queue, k, 1, In::from_slice(&most), some, &mut answer);
        CL_INVALID_VALUE: api::launch::get_kernel_suggested_local_work_size(queue, k, 1, In::null(), some, Out::null());
    }
    assert_eq!(answer, [0; 3]);
    ask(queue, k, 2, In::null(), some, &mut answer).unwrap();
    assert!(answer[0] > 0 && answer[1] > 0 && answer[2] == 0);
}
