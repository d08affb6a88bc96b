//! Buffers: made, read, written, copied, filled, mapped.

use brolga_tests::cl_sys::*;
use brolga_tests::{Context, Range, check, cl};
use std::ptr::{null, null_mut};

fn bytes(n: usize) -> Vec<u8> {
    (0..n).map(|i| (i * 7 + 3) as u8).collect()
}

#[test]
fn parts_are_read_and_written() {
    let context = Context::new();
    let buffer = context.buffer(&bytes(1000));
    let patch = [250u8; 10];
    check(
        cl!(clEnqueueWriteBuffer(
            context.queue,
            buffer.id,
            CL_TRUE,
            100,
            10,
            patch.as_ptr().cast(),
            0,
            null(),
            null_mut()
        )),
        "write",
    );
    let mut part = [0u8; 14];
    check(
        cl!(clEnqueueReadBuffer(
            context.queue,
            buffer.id,
            CL_TRUE,
            98,
            14,
            part.as_mut_ptr().cast(),
            0,
            null(),
            null_mut()
        )),
        "read",
    );
    let mut want = bytes(1000);
    want[100..110].fill(250);
    assert_eq!(part, want[98..112]);
    assert_eq!(buffer.read(), want);
}

#[test]
fn copies() {
    let context = Context::new();
    let (from, to) = (context.buffer(&bytes(500)), context.zeros::<u8>(500));
    check(
        cl!(clEnqueueCopyBuffer(
            context.queue,
            from.id,
            to.id,
            10,
            200,
            300,
            0,
            null(),
            null_mut()
        )),
        "copy",
    );
    let mut want = vec![0; 500];
    want[200..].copy_from_slice(&bytes(500)[10..310]);
    assert_eq!(to.read(), want);
    let status = cl!(clEnqueueCopyBuffer(
        context.queue,
        from.id,
        from.id,
        0,
        50,
        100,
        0,
        null(),
        null_mut()
    ));
    assert_eq!(status, CL_MEM_COPY_OVERLAP);
}

#[test]
fn fills_with_patterns_of_each_size() {
    let context = Context::new();
    for size in [1usize, 2, 4, 8, 16, 32, 64, 128] {
        let buffer = context.buffer(&bytes(1024));
        let pattern: Vec<u8> = (0..size).map(|i| 200 - i as u8).collect();
        let (offset, length) = (size * 2, 1024 - size * 4 - size);
        let length = length / size * size;
        check(
            cl!(clEnqueueFillBuffer(
                context.queue,
                buffer.id,
                pattern.as_ptr().cast(),
                size,
                offset,
                length,
                0,
                null(),
                null_mut()
            )),
            "fill",
        );
        let mut want = bytes(1024);
        for i in 0..length {
            want[offset + i] = pattern[i % size];
        }
        assert_eq!(buffer.read(), want, "pattern of {size}");
    }
}

#[test]
fn rectangles() {
    let context = Context::new();
    let buffer = context.buffer(&bytes(16 * 8 * 3));
    let mut host = vec![0u8; 400];
    let (origin, host_origin, region) = ([2usize, 1, 1], [1usize, 0, 0], [5usize, 4, 2]);
    let status = cl!(clEnqueueReadBufferRect(
        context.queue,
        buffer.id,
        CL_TRUE,
        origin.as_ptr(),
        host_origin.as_ptr(),
        region.as_ptr(),
        16,
        16 * 8,
        10,
        10 * 6,
        host.as_mut_ptr().cast(),
        0,
        null(),
        null_mut()
    ));
    check(status, "clEnqueueReadBufferRect");
    let all = bytes(16 * 8 * 3);
    let mut want = vec![0u8; 400];
    for z in 0..2 {
        for y in 0..4 {
            for x in 0..5 {
                want[z * 60 + y * 10 + x + 1] = all[(z + 1) * 128 + (y + 1) * 16 + x + 2];
            }
        }
    }
    assert_eq!(host, want);
    let other = context.zeros::<u8>(400);
    let zero = [0usize; 3];
    let status = cl!(clEnqueueCopyBufferRect(
        context.queue,
        buffer.id,
        other.id,
        origin.as_ptr(),
        zero.as_ptr(),
        region.as_ptr(),
        16,
        128,
        0,
        0,
        0,
        null(),
        null_mut()
    ));
    check(status, "clEnqueueCopyBufferRect");
    let got = other.read();
    for (i, got) in got.into_iter().take(40).enumerate() {
        let (x, y, z) = (i % 5, i / 5 % 4, i / 20);
        assert_eq!(got, all[(z + 1) * 128 + (y + 1) * 16 + x + 2]);
    }
}

#[test]
fn maps_show_and_change() {
    let context = Context::new();
    let buffer = context.buffer(&bytes(256));
    let mut status = 0;
    let flags = CL_MAP_READ | CL_MAP_WRITE;
    let address = cl!(clEnqueueMapBuffer(
        context.queue,
        buffer.id,
        CL_TRUE,
        flags,
        64,
        128,
        0,
        null(),
        null_mut(),
        &mut status
    ));
    check(status, "clEnqueueMapBuffer");
    // SAFETY: 128 bytes are mapped until they are unmapped.
    let mapped = unsafe { std::slice::from_raw_parts_mut(address.cast::<u8>(), 128) };
    assert_eq!(mapped, &bytes(256)[64..192]);
    mapped.fill(9);
    check(
        cl!(clEnqueueUnmapMemObject(context.queue, buffer.id, address, 0, null(), null_mut())),
        "clEnqueueUnmapMemObject",
    );
    let mut want = bytes(256);
    want[64..192].fill(9);
    assert_eq!(buffer.read(), want);
}

#[test]
fn memory_of_the_host() {
    let context = Context::new();
    let mut host: Vec<u64> = (0..512).collect();
    let mut status = 0;
    let flags = CL_MEM_USE_HOST_PTR | CL_MEM_READ_WRITE;
    let buffer = cl!(clCreateBuffer(context.id, flags, 4096, host.as_mut_ptr().cast(), &mut status));
    check(status, "clCreateBuffer");
    let program = context.program("kernel void k(global ulong *a) { a[get_global_id(0)] *= 2; }", "");
    let kernel = program.kernel("k");
    check(
        cl!(clSetKernelArg(kernel.id, 0, 8, (&buffer as *const cl_mem).cast())),
        "clSetKernelArg",
    );
    kernel.enqueue(&context, &Range::new([512])).unwrap().wait().unwrap();
    let address = cl!(clEnqueueMapBuffer(
        context.queue,
        buffer,
        CL_TRUE,
        CL_MAP_READ,
        0,
        4096,
        0,
        null(),
        null_mut(),
        &mut status
    ));
    check(status, "clEnqueueMapBuffer");
    assert_eq!(address, host.as_mut_ptr().cast(), "a map of a buffer on host memory is that memory");
    assert_eq!(host, (0..512).map(|i| i * 2).collect::<Vec<u64>>());
    check(
        cl!(clEnqueueUnmapMemObject(context.queue, buffer, address, 0, null(), null_mut())),
        "clEnqueueUnmapMemObject",
    );
    context.finish();
    check(cl!(clReleaseMemObject(buffer)), "clReleaseMemObject");
}

#[test]
fn parts_of_buffers_are_buffers() {
    let context = Context::new();
    let buffer = context.buffer(&bytes(8192));
    let align = context.device.number(CL_DEVICE_MEM_BASE_ADDR_ALIGN) as usize / 8;
    let origin = 2048usize.next_multiple_of(align);
    let region = cl_buffer_region { origin, size: 100 };
    let mut status = 0;
    let kind = CL_BUFFER_CREATE_TYPE_REGION;
    let part = cl!(clCreateSubBuffer(
        buffer.id,
        CL_MEM_READ_WRITE,
        kind,
        (&raw const region).cast(),
        &mut status
    ));
    check(status, "clCreateSubBuffer");
    check(
        cl!(clEnqueueFillBuffer(
            context.queue,
            part,
            [1u8].as_ptr().cast(),
            1,
            10,
            20,
            0,
            null(),
            null_mut()
        )),
        "fill",
    );
    let mut want = bytes(8192);
    want[origin + 10..origin + 30].fill(1);
    assert_eq!(buffer.read(), want);
    let program = context.program("kernel void k(global uchar *a) { a[get_global_id(0)] = 77; }", "");
    let kernel = program.kernel("k");
    check(
        cl!(clSetKernelArg(kernel.id, 0, 8, (&part as *const cl_mem).cast())),
        "clSetKernelArg",
    );
    kernel.enqueue(&context, &Range::new([5])).unwrap().wait().unwrap();
    want[origin..origin + 5].fill(77);
    assert_eq!(buffer.read(), want);
    check(cl!(clReleaseMemObject(part)), "clReleaseMemObject");
    let wrong = cl_buffer_region { origin: 8192, size: 100 };
    cl!(clCreateSubBuffer(buffer.id, 0, kind, (&raw const wrong).cast(), &mut status));
    assert_eq!(status, CL_INVALID_VALUE);
}

#[test]
fn buffers_are_aligned_for_every_type() {
    let context = Context::new();
    let program = context.program("kernel void k(global ulong *r, global long16 *a) { r[0] = (ulong)a; }", "");
    for size in [1usize, 3, 128, 5000, 1 << 20] {
        let (r, a) = (context.zeros::<u64>(1), context.zeros::<u8>(size));
        program.kernel("k").run(&context, &Range::new([1]), &[&r, &a]);
        assert_eq!(r.read()[0] % 128, 0, "{size} bytes");
    }
}

#[test]
fn infos_of_a_buffer() {
    let context = Context::new();
    let buffer = context.buffer(&bytes(100));
    let number = |name| {
        let info = brolga_tests::info(|size, value, ret| cl!(clGetMemObjectInfo(buffer.id, name, size, value, ret)));
        info.unwrap().number()
    };
    assert_eq!(number(CL_MEM_SIZE), 100);
    assert_eq!(number(CL_MEM_TYPE), u64::from(CL_MEM_OBJECT_BUFFER));
    assert_eq!(number(CL_MEM_REFERENCE_COUNT), 1);
    assert_eq!(number(CL_MEM_CONTEXT), context.id as u64);
    assert_eq!(number(CL_MEM_HOST_PTR), 0);
    check(cl!(clRetainMemObject(buffer.id)), "clRetainMemObject");
    assert_eq!(number(CL_MEM_REFERENCE_COUNT), 2);
    check(cl!(clReleaseMemObject(buffer.id)), "clReleaseMemObject");
}
