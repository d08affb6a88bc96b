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
    let sub_groups = |name, size, input: In<usize>| {
        // SAFETY: sizes.
        let input = unsafe { In::from_c(input.as_ptr().cast::<c_void>()) };
        let mut answer = [0_usize; 3];
        kernel_info::get_kernel_sub_group_info(k, device, name, size, input, 8, out(&mut answer), Out::null())
    };
    let sizes = [8; 4];
    for name in [
        CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE,
        CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE,
        CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT,
    ] {
        for (size, input) in [
            (8, In::null()),
            (0, In::from_slice(&sizes)),
            (7, In::from_slice(&sizes)),
            (32, In::from_slice(&sizes)),
        ] {
            assert_eq!(sub_groups(name, size, input), Err(CL_INVALID_VALUE), "{name:#x} {size}");
        }
        assert_eq!(sub_groups(name, 8, In::from_slice(&sizes)), Ok(()), "{name:#x}");
    }
    for impossible in [[0; 3], [4, 0, 4], [usize::MAX; 3], [1 << 32, 1 << 32, 1]] {
        for name in [CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE] {
            // SAFETY: sizes.
            let input = unsafe { In::from_c(impossible.as_ptr().cast::<c_void>()) };
            let mut answer = 99_usize;
            kernel_info::get_kernel_sub_group_info(k, device, name, 24, input, 8, out(&mut answer), Out::null()).unwrap();
            assert_eq!(answer, 0, "{impossible:?}");
        }
    }
    let exec_info = |name, size: usize| {
        // SAFETY: as many bytes.
        let value = unsafe { In::from_c(sizes.as_ptr().cast::<c_void>()) };
        kernel::set_kernel_exec_info(k, name, size, value)
    };
    for name in [
        CL_KERNEL_EXEC_INFO_SVM_PTRS,
        CL_KERNEL_EXEC_INFO_USM_PTRS_INTEL,
        CL_KERNEL_EXEC_INFO_DEVICE_PTRS_EXT,
    ] {
        assert_eq!(
            [8, 12].map(|size| exec_info(name, size)),
            [Ok(()), Err(CL_INVALID_VALUE)],
            "{name:#x}"
        );
    }
    for name in [
        CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM,
        CL_KERNEL_EXEC_INFO_INDIRECT_HOST_ACCESS_INTEL,
        CL_KERNEL_EXEC_INFO_INDIRECT_DEVICE_ACCESS_INTEL,
        CL_KERNEL_EXEC_INFO_INDIRECT_SHARED_ACCESS_INTEL,
    ] {
        assert_eq!(
            [4, 0, 8].map(|size| exec_info(name, size)),
            [Ok(()), Err(CL_INVALID_VALUE), Err(CL_INVALID_VALUE)],
            "{name:#x}"
        );
    }
}

/// What an argument was declared as is known to whoever has the source, built with -cl-kernel-arg-info or not. A module tells what its types are.
#[test]
fn argument_information() {
    let fixture = Fixture::new();
    let (_, k) = fixture.kernel(c"kernel void k(global const int *restrict a, read_only image2d_t i, float f) { }");
    let text_of = |kernel, index, name| {
        let (mut text, mut size) = ([0_u8; 64], 0);
        kernel_info::get_kernel_arg_info(kernel, index, name, 64, out(&mut text), Out::from_mut(&mut size))?;
        Ok(String::from_utf8_lossy(&text[..size - 1]).into_owned())
    };
    let number_of = |kernel, index, name| {
        let mut number: cl_bitfield = 0;
        kernel_info::get_kernel_arg_info(kernel, index, name, 8, out(&mut number), Out::null()).map(|()| number)
    };
    for (index, name, type_name) in [(0, "a", "int*"), (1, "i", "image2d_t"), (2, "f", "float")] {
        assert_eq!(text_of(k, index, CL_KERNEL_ARG_NAME).as_deref(), Ok(name));
        assert_eq!(text_of(k, index, CL_KERNEL_ARG_TYPE_NAME).as_deref(), Ok(type_name));
    }
    let qualifiers = CL_KERNEL_ARG_TYPE_CONST | CL_KERNEL_ARG_TYPE_RESTRICT;
    assert_eq!(number_of(k, 0, CL_KERNEL_ARG_TYPE_QUALIFIER), Ok(qualifiers));
    let il = module();
    let program = program::create_program_with_il(fixture.context, In::from_slice(&il), il.len()).unwrap();
    program::build_program(program, 0, In::null(), In::null(), None, NONE).unwrap();
    let k = kernel::create_kernel(program, text(c"k")).unwrap();
    let address = number_of(k, 0, CL_KERNEL_ARG_ADDRESS_QUALIFIER);
    assert_eq!(address, Ok(CL_KERNEL_ARG_ADDRESS_GLOBAL.into()));
    refused! {
        CL_KERNEL_ARG_INFO_NOT_AVAILABLE: text_of(k, 0, CL_KERNEL_ARG_NAME);
        CL_KERNEL_ARG_INFO_NOT_AVAILABLE: text_of(k, 0, CL_KERNEL_ARG_TYPE_NAME);
        CL_KERNEL_ARG_INFO_NOT_AVAILABLE: number_of(k, 0, CL_KERNEL_ARG_TYPE_QUALIFIER);
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

/// What the kernel itself demands.
#[test]
fn demands_of_kernels() {
    let fixture = Fixture::new();
    let Fixture { context, queue, .. } = fixture;
    let launch = |kernel, global: usize, local: In<usize>| {
        let global = [global];
        api::launch::enqueue_nd_range_kernel(
            queue,
            kernel,
            1,
            In::null(),
            In::from_slice(&global),
            local,
            0,
            In::null(),
            Out::null(),
        )
    };
    let task = |kernel| api::launch::enqueue_task(queue, kernel, 0, In::null(), Out::null());
    let (_, fours) = fixture.kernel(c"__attribute__((reqd_work_group_size(4, 1, 1))) kernel void k() { }");
    let (_, unset) = fixture.kernel(c"kernel void k(global int *a) { a[0] = 1; }");
    refused! {
        CL_INVALID_WORK_GROUP_SIZE: launch(fours, 16, In::from_slice(&[8]));
        // OpenCL C 1.2 has uniform groups.
        CL_INVALID_WORK_GROUP_SIZE: launch(fours, 6, In::from_slice(&[4]));
        CL_INVALID_WORK_GROUP_SIZE: launch(fours, 6, In::null());
        CL_INVALID_WORK_GROUP_SIZE: task(fours);
        CL_INVALID_KERNEL_ARGS: task(unset);
    }
    assert_eq!(launch(fours, 16, In::null()), Ok(()));
    let il = module();
    let program = program::create_program_with_il(context, In::from_slice(&il), il.len()).unwrap();
    program::build_program(program, 0, In::null(), In::null(), None, NONE).unwrap();
    let pairs = kernel::create_kernel(program, text(c"k")).unwrap();
    let make = |flags, size, pointer| memory::create_buffer(context, flags, size, pointer).unwrap();
    let host = [0_u64; 32];
    let constant = CL_MEM_IMMUTABLE_EXT | CL_MEM_COPY_HOST_PTR;
    let (fits, large) = (make(0, 64, NONE), make(0, 65, NONE));
    let immutable = make(constant, 64, host.as_ptr().cast_mut().cast());
    let set = |index, object: cl_mem| kernel::set_kernel_arg(pairs, index, 8, In::from_slice(&(object as usize).to_ne_bytes()));
    refused! {
        CL_MAX_SIZE_RESTRICTION_EXCEEDED: set(0, large);
        CL_INVALID_ARG_VALUE: set(0, immutable);
    }
    assert_eq!((set(0, fits), set(1, large), set(1, immutable)), (Ok(()), Ok(()), Ok(())));
    let mut width = 0_usize;
    let (size, local) = (8, [1_usize]);
    // SAFETY: a size.
    let input = unsafe { In::from_c(local.as_ptr().cast::<c_void>()) };
    let name = CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT;
    kernel_info::get_kernel_sub_group_info(pairs, fixture.device, name, size, input, 8, out(&mut width), Out::null()).unwrap();
    let (one, two) = ([width], [2 * width]);
    refused! {
        CL_INVALID_WORK_GROUP_SIZE: launch(pairs, 4 * width, In::from_slice(&one));
        CL_INVALID_WORK_GROUP_SIZE: task(pairs);
    }
    assert_eq!(launch(pairs, 4 * width, In::from_slice(&two)), Ok(()));
    queue::finish(queue).unwrap();
}

#[test]
fn functions_of_the_hosts() {
    unsafe extern "C" fn nothing(_: *mut c_void) {}
    let Fixture { context, queue, .. } = Fixture::new();
    let buffer = memory::create_buffer(context, 0, 64, NONE).unwrap();
    let pipe = pipe::create_pipe(context, 0, 4, 4, In::null()).unwrap();
    let words = [0_u8; 16];
    let (arguments, objects) = (In::from_slice(&words), [buffer]);
    let place = |offset: usize| [words.as_ptr().wrapping_add(offset).cast::<c_void>()];
    let (inside, beyond) = (place(8), place(9));
    let (none, objects, inside, beyond) = (
        In::null(),
        In::from_slice(&objects),
        In::from_slice(&inside),
        In::from_slice(&beyond),
    );
    let call = |function: NativeKernel, (arguments, bytes): (In<u8>, usize), count, objects: In<cl_mem>, places| {
        api::launch::enqueue_native_kernel(
            queue,
            function,
            arguments,
            bytes,
            count,
            objects,
            places,
            0,
            In::null(),
            Out::null(),
        )
    };
    let (given, nothing) = ((arguments, 16), Some(nothing as unsafe extern "C" fn(*mut c_void)));
    refused! {
        CL_INVALID_VALUE: call(None, given, 0, In::null(), In::null());
        CL_INVALID_VALUE: call(nothing, (none, 16), 0, In::null(), In::null());
        CL_INVALID_VALUE: call(nothing, (none, 0), 1, objects, inside);
        CL_INVALID_VALUE: call(nothing, (arguments, 0), 0, In::null(), In::null());
        CL_INVALID_VALUE: call(nothing, given, 1, In::null(), inside);
        CL_INVALID_VALUE: call(nothing, given, 1, objects, In::null());
        CL_INVALID_VALUE: call(nothing, given, 0, objects, In::null());
        CL_INVALID_VALUE: call(nothing, given, 0, In::null(), inside);
        CL_INVALID_VALUE: call(nothing, given, 1, objects, beyond);
        CL_INVALID_MEM_OBJECT: call(nothing, given, 1, In::from_slice(&[context]), inside);
        CL_INVALID_MEM_OBJECT: call(nothing, given, 1, In::from_slice(&[pipe]), inside);
    }
    assert_eq!(call(nothing, given, 1, objects, inside), Ok(()));
    assert_eq!(call(nothing, (none, 0), 0, In::null(), In::null()), Ok(()));
    queue::finish(queue).unwrap();
}

#[test]
fn pipes_as_arguments() {
    let fixture = Fixture::new();
    let Fixture { context, .. } = fixture;
    let source = c"kernel void k(read_only pipe int p, global int *a) { read_pipe(p, a); }";
    let program = program::create_program_with_source(context, 1, In::from_slice(&[source.as_ptr()]), In::null()).unwrap();
    program::build_program(program, 0, In::null(), text(c"-cl-std=CL3.0"), None, NONE).unwrap();
    let k = kernel::create_kernel(program, text(c"k")).unwrap();
    let pipe = pipe::create_pipe(context, 0, 4, 4, In::null()).unwrap();
    let foreign = pipe::create_pipe(fixture.other_context, 0, 4, 4, In::null()).unwrap();
    let buffer = memory::create_buffer(context, 0, 64, NONE).unwrap();
    let set = |index, size, object: *mut c_void| kernel::set_kernel_arg(k, index, size, In::from_slice(&(object as usize).to_ne_bytes()));
    refused! {
        CL_INVALID_MEM_OBJECT: set(0, 8, buffer);
        CL_INVALID_MEM_OBJECT: set(0, 8, NONE);
        CL_INVALID_MEM_OBJECT: set(0, 8, context);
        CL_INVALID_MEM_OBJECT: kernel::set_kernel_arg(k, 0, 8, In::null());
        CL_INVALID_MEM_OBJECT: set(1, 8, pipe);
        CL_INVALID_CONTEXT: set(0, 8, foreign);
        CL_INVALID_ARG_SIZE: set(0, 4, pipe);
    }
    assert_eq!(set(0, 8, pipe), Ok(()));
}
