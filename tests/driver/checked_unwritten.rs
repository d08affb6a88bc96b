//! Checked mode: what the host writes to buffers and shared memory by each of its ways is written, and what it does not write is not.

use crate::checked::{CHECK_FAILED, FILE, again};
use brolga_tests::cl_sys::*;
use brolga_tests::{Context, Range, Shape, check, cl};
use std::ffi::CStr;
use std::ptr::{null, null_mut};

const COUNT: usize = 64;
const BYTES: usize = 4 * COUNT;
const NUMBERS: [u32; COUNT] = [7; COUNT];

fn source(name: &str) -> String {
    format!(
        "kernel void {name}(global const uint *in, global uint *out) {{ int i = get_global_id(0); out[i] = in[i] + 1; }}
         kernel void writes(global uint *in) {{ in[get_global_id(0)] = 7; }}
         kernel void writes_there(global ulong *pointer) {{ ((global uint *)*pointer)[get_global_id(0)] = 7; }}"
    )
}

fn new_buffer(context: &Context, flags: cl_mem_flags, host: *mut c_void) -> cl_mem {
    let mut status = 0;
    let id = cl!(clCreateBuffer(context.id, flags, BYTES, host, &mut status));
    check(status, "clCreateBuffer");
    id
}

/// Reads all elements in a kernel, and says what came of it.
fn read(context: &Context, name: &str, set: impl Fn(cl_kernel)) {
    eprintln!("== {name}");
    let program = context.program(&source(name), "-cl-std=CL2.0 -brolga-check=global-uninit");
    let (kernel, out) = (program.kernel(name), context.zeros::<u32>(COUNT));
    set(kernel.id);
    check(
        cl!(clSetKernelArg(kernel.id, 1, size_of::<cl_mem>(), (&raw const out.id).cast())),
        "clSetKernelArg",
    );
    let event = kernel.enqueue(context, &Range::new([COUNT])).expect("a launch");
    let _ = event.wait();
    match event.status() {
        CL_COMPLETE => eprintln!("complete"),
        CHECK_FAILED => eprintln!("failed"),
        other => eprintln!("its event has the status {other}"),
    }
}

fn read_buffer(context: &Context, name: &str, buffer: cl_mem) {
    read(context, name, |kernel| {
        check(
            cl!(clSetKernelArg(kernel, 0, size_of::<cl_mem>(), (&raw const buffer).cast())),
            "clSetKernelArg",
        );
    });
}

fn read_shared(context: &Context, name: &str, pointer: *mut c_void) {
    read(context, name, |kernel| {
        check(cl!(clSetKernelArgSVMPointer(kernel, 0, pointer)), "clSetKernelArgSVMPointer")
    });
}

fn shared(context: &Context, flags: cl_svm_mem_flags) -> *mut c_void {
    let pointer = cl!(clSVMAlloc(context.id, CL_MEM_READ_WRITE | flags, BYTES, 0));
    assert!(!pointer.is_null());
    pointer
}

fn ran(status: cl_int) {
    check(status, "a command");
}

extern "C" fn native(_: *mut c_void) {}

#[test]
fn writes_of_the_host() {
    let Ok(_) = std::env::var(FILE) else { return };
    let context = Context::new();
    let queue = context.queue;
    let new = || new_buffer(&context, CL_MEM_READ_WRITE, null_mut());
    let (numbers, pattern) = (NUMBERS.as_ptr().cast::<c_void>(), NUMBERS.as_ptr().cast::<c_void>());
    let (no_events, event) = (null(), null_mut());

    read_buffer(&context, "nothing", new());
    for (name, flag) in [("copied_at_first", CL_MEM_COPY_HOST_PTR), ("used", CL_MEM_USE_HOST_PTR)] {
        read_buffer(&context, name, new_buffer(&context, flag, numbers.cast_mut()));
    }
    let buffer = new();
    ran(cl!(clEnqueueWriteBuffer(
        queue, buffer, CL_TRUE, 0, BYTES, numbers, 0, no_events, event
    )));
    read_buffer(&context, "write", buffer);
    let written = buffer;
    let buffer = new();
    ran(cl!(clEnqueueWriteBuffer(
        queue,
        buffer,
        CL_TRUE,
        0,
        BYTES - 4,
        numbers,
        0,
        no_events,
        event
    )));
    read_buffer(&context, "write_of_less", buffer);
    let buffer = new();
    ran(cl!(clEnqueueFillBuffer(queue, buffer, pattern, 4, 0, BYTES, 0, no_events, event)));
    read_buffer(&context, "fill", buffer);
    let buffer = new();
    ran(cl!(clEnqueueFillBuffer(
        queue,
        buffer,
        pattern,
        4,
        4,
        BYTES - 4,
        0,
        no_events,
        event
    )));
    read_buffer(&context, "fill_of_less", buffer);
    let buffer = new();
    ran(cl!(clEnqueueCopyBuffer(queue, written, buffer, 0, 0, BYTES, 0, no_events, event)));
    read_buffer(&context, "copy", buffer);
    // Two columns of a row that has four, one row after the other.
    let buffer = new();
    let (first, second, region, origin) = ([0, 0, 0], [8, 0, 0], [8, BYTES / 16, 1], [0, 0, 0]);
    for (name, at) in [("half_of_a_rectangle", &first), ("both_halves_of_it", &second)] {
        ran(cl!(clEnqueueWriteBufferRect(
            queue,
            buffer,
            CL_TRUE,
            at.as_ptr(),
            origin.as_ptr(),
            region.as_ptr(),
            16,
            0,
            0,
            0,
            numbers,
            0,
            no_events,
            event
        )));
        read_buffer(&context, name, buffer);
    }
    for (name, flags) in [("mapped_to_read", CL_MAP_READ), ("mapped_to_write", CL_MAP_WRITE_INVALIDATE_REGION)] {
        let (buffer, mut status) = (new(), 0);
        let pointer = cl!(clEnqueueMapBuffer(
            queue,
            buffer,
            CL_TRUE,
            flags,
            0,
            BYTES,
            0,
            no_events,
            event,
            &mut status
        ));
        ran(status);
        ran(cl!(clEnqueueUnmapMemObject(queue, buffer, pointer, 0, no_events, event)));
        read_buffer(&context, name, buffer);
    }
    let (whole, mut status) = (new(), 0);
    let part = cl_buffer_region { origin: 0, size: BYTES };
    let part = cl!(clCreateSubBuffer(
        whole,
        0,
        CL_BUFFER_CREATE_TYPE_REGION,
        (&raw const part).cast(),
        &mut status
    ));
    ran(status);
    read_buffer(&context, "nothing_in_a_part", part);
    ran(cl!(clEnqueueWriteBuffer(
        queue, part, CL_TRUE, 0, BYTES, numbers, 0, no_events, event
    )));
    read_buffer(&context, "the_whole_of_a_part", whole);
    if context.has_images() {
        let buffer = new();
        let shape = Shape::new(CL_MEM_OBJECT_IMAGE1D_BUFFER, [COUNT, 1, 1]).of(buffer);
        let image = context.try_image(CL_MEM_READ_WRITE, (CL_R, CL_UNSIGNED_INT32), shape, null_mut());
        let _image = image.expect("an image of the buffer");
        read_buffer(&context, "image", buffer);
    }
    let buffer = new();
    let arguments = [0_usize];
    let places = [arguments.as_ptr().cast::<c_void>()];
    ran(cl!(clEnqueueNativeKernel(
        queue,
        Some(native),
        arguments.as_ptr().cast_mut().cast(),
        size_of::<usize>(),
        1,
        &buffer,
        places.as_ptr().cast_mut(),
        0,
        no_events,
        event
    )));
    ran(cl!(clFinish(queue)));
    read_buffer(&context, "native_kernel", buffer);
    let (buffer, program) = (new(), context.program(&source("unused"), "-cl-std=CL2.0"));
    let kernel = program.kernel("writes");
    ran(cl!(clSetKernelArg(kernel.id, 0, size_of::<cl_mem>(), (&raw const buffer).cast())));
    let _ = kernel.enqueue(&context, &Range::new([COUNT])).expect("a launch").wait();
    read_buffer(&context, "by_a_kernel", buffer);

    read_shared(&context, "nothing_shared", shared(&context, 0));
    read_shared(&context, "fine_grained", shared(&context, CL_MEM_SVM_FINE_GRAIN_BUFFER));
    read_shared(&context, "of_the_application", Box::leak(Box::new(NUMBERS)).as_mut_ptr().cast());
    let pointer = shared(&context, 0);
    ran(cl!(clEnqueueSVMMemcpy(
        queue, CL_TRUE, pointer, numbers, BYTES, 0, no_events, event
    )));
    read_shared(&context, "shared_copy", pointer);
    let pointer = shared(&context, 0);
    ran(cl!(clEnqueueSVMMemFill(queue, pointer, pattern, 4, BYTES, 0, no_events, event)));
    read_shared(&context, "shared_fill", pointer);
    for (name, flags) in [("shared_mapped_to_read", CL_MAP_READ), ("shared_mapped_to_write", CL_MAP_WRITE)] {
        let pointer = shared(&context, 0);
        ran(cl!(clEnqueueSVMMap(queue, CL_TRUE, flags, pointer, BYTES, 0, no_events, event)));
        ran(cl!(clEnqueueSVMUnmap(queue, pointer, 0, no_events, event)));
        read_shared(&context, name, pointer);
    }
    let pointer = shared(&context, 0);
    let kernel = program.kernel("writes_there");
    let there = context.buffer(&[pointer as u64]);
    kernel.set(&[&there]);
    let _ = kernel.enqueue(&context, &Range::new([COUNT])).expect("a launch").wait();
    read_shared(&context, "by_a_pointer", pointer);

    // The host has no access to device memory.
    type DeviceMemAlloc = extern "C" fn(cl_context, cl_device_id, *const c_void, usize, cl_uint, *mut cl_int) -> *mut c_void;
    let address = |name: &CStr| {
        cl!(clGetExtensionFunctionAddressForPlatform(
            context.device.platform,
            name.as_ptr().cast()
        ))
    };
    let allocate = address(c"clDeviceMemAllocINTEL");
    assert!(!allocate.is_null());
    // SAFETY: the function has this type (cl_intel_unified_shared_memory).
    let allocate: DeviceMemAlloc = unsafe { std::mem::transmute(allocate) };
    let pointer = allocate(context.id, context.device.id, null(), BYTES, 0, null_mut());
    read_shared(&context, "device_memory", pointer);
}

#[test]
fn writes_of_a_program_without_checks() {
    let Ok(_) = std::env::var(FILE) else { return };
    let context = Context::new();
    // What is written is followed from here on.
    let _checked = context.program(&source("unused"), "-cl-std=CL2.0 -brolga-check=global-uninit");
    let pointer = shared(&context, 0);
    read_shared(&context, "before", pointer);
    let kernel = context.program(&source("unused"), "-cl-std=CL2.0").kernel("writes_there");
    let there = context.buffer(&[pointer as u64]);
    kernel.set(&[&there]);
    let _ = kernel.enqueue(&context, &Range::new([COUNT])).expect("a launch").wait();
    read_shared(&context, "behind", pointer);
}

/// The cases of a test that ended with a report.
fn faulty(test: &str, environment: &[(&str, &str)]) -> Vec<String> {
    let output = again(test, environment);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{stderr}");
    let cases = stderr.split("== ").skip(1).filter_map(|part| part.split_once('\n'));
    let faulty = cases.filter(|(_, said)| *said != "complete\n").map(|(name, said)| {
        let is_told = said.contains("which were not written before") && said.ends_with("failed\n");
        assert!(is_told, "{name}: {said}");
        name.to_owned()
    });
    faulty.collect()
}

#[test]
fn what_a_program_without_checks_may_have_written_is_written() {
    let faulty = faulty("checked_unwritten::writes_of_a_program_without_checks", &[(FILE, "")]);
    assert_eq!(faulty, ["before"]);
}

#[test]
fn what_the_host_writes_is_written() {
    let faulty = faulty(
        "checked_unwritten::writes_of_the_host",
        &[(FILE, ""), ("BROLGA_CHECK", "global-uninit")],
    );
    let expected = [
        "nothing",
        "write_of_less",
        "fill_of_less",
        "half_of_a_rectangle",
        "mapped_to_read",
        "nothing_in_a_part",
        "nothing_shared",
        "shared_mapped_to_read",
        "device_memory",
    ];
    assert_eq!(faulty, expected);
}
