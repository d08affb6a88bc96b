//! Buffers, pipes, samplers and shared memory.

use crate::*;

#[test]
fn buffers_and_sub_buffers() {
    let Fixture { device, context, .. } = Fixture::new();
    let create = |flags, size, pointer| memory::create_buffer(context, flags, size, pointer);
    let mut host = [0_u64; 64];
    let pointer = host.as_mut_ptr().cast::<c_void>();
    let buffer = create(CL_MEM_READ_ONLY | CL_MEM_HOST_READ_ONLY, 4096, NONE).unwrap();
    let write_only = create(CL_MEM_WRITE_ONLY | CL_MEM_HOST_NO_ACCESS, 4096, NONE).unwrap();
    let part = |parent, flags, region: [usize; 2]| {
        // SAFETY: a region of two sizes.
        let info = unsafe { In::from_c(region.as_ptr().cast::<c_void>()) };
        memory::create_sub_buffer(parent, flags, CL_BUFFER_CREATE_TYPE_REGION, info)
    };
    let sub = part(buffer, 0, [0, 128]).unwrap();
    let host_writes = create(CL_MEM_HOST_WRITE_ONLY, 4096, NONE).unwrap();
    let address = CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT;
    unsafe extern "C" fn gone(_: *mut c_void, _: *mut c_void) {}
    refused! {
        CL_INVALID_CONTEXT: memory::create_buffer(device, 0, 4, NONE);
        CL_INVALID_VALUE: create(1 << 40, 4, NONE);
        CL_INVALID_VALUE: create(CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, 4, NONE);
        CL_INVALID_VALUE: create(CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_WRITE_ONLY, 4, NONE);
        CL_INVALID_VALUE: create(CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR, 4, pointer);
        CL_INVALID_VALUE: create(CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR, 4, pointer);
        CL_INVALID_BUFFER_SIZE: create(0, 0, NONE);
        CL_INVALID_BUFFER_SIZE: create(0, usize::MAX, NONE);
        CL_INVALID_HOST_PTR: create(CL_MEM_COPY_HOST_PTR, 4, NONE);
        CL_INVALID_HOST_PTR: create(0, 4, pointer);
        CL_INVALID_PROPERTY: memory::create_buffer_with_properties(context, In::from_slice(&[77, 1, 0]), 0, 4, NONE);
        CL_INVALID_PROPERTY: memory::create_buffer_with_properties(context, In::from_slice(&[address, 2, 0]), 0, 4, NONE);
        CL_INVALID_PROPERTY: memory::create_buffer_with_properties(context, In::from_slice(&[address, 1, address, 1, 0]), 0, 4, NONE);
        CL_INVALID_MEM_OBJECT: part(sub, 0, [0, 64]);
        CL_INVALID_MEM_OBJECT: part(context, 0, [0, 64]);
        CL_INVALID_VALUE: part(buffer, CL_MEM_WRITE_ONLY, [0, 64]);
        CL_INVALID_VALUE: part(buffer, CL_MEM_READ_WRITE, [0, 64]);
        CL_INVALID_VALUE: part(write_only, CL_MEM_READ_WRITE, [0, 64]);
        CL_INVALID_VALUE: part(write_only, CL_MEM_READ_ONLY, [0, 64]);
        CL_INVALID_VALUE: part(buffer, CL_MEM_USE_HOST_PTR, [0, 64]);
        CL_INVALID_VALUE: part(buffer, CL_MEM_ALLOC_HOST_PTR, [0, 64]);
        CL_INVALID_VALUE: part(buffer, CL_MEM_COPY_HOST_PTR, [0, 64]);
        CL_INVALID_VALUE: part(buffer, CL_MEM_HOST_WRITE_ONLY, [0, 64]);
        CL_INVALID_VALUE: part(host_writes, CL_MEM_HOST_READ_ONLY, [0, 64]);
        CL_INVALID_VALUE: part(write_only, CL_MEM_HOST_READ_ONLY, [0, 64]);
        CL_INVALID_VALUE: part(write_only, CL_MEM_HOST_WRITE_ONLY, [0, 64]);
        CL_INVALID_VALUE: part(buffer, 0, [4096, 64]);
        CL_INVALID_BUFFER_SIZE: part(buffer, 0, [0, 0]);
        CL_MISALIGNED_SUB_BUFFER_OFFSET: part(buffer, 0, [4, 64]);
        CL_INVALID_VALUE: memory::create_sub_buffer(buffer, 0, 1, In::null());
        CL_INVALID_VALUE: memory::create_sub_buffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, In::null());
        CL_INVALID_MEM_OBJECT: memory::retain_mem_object(context);
        CL_INVALID_MEM_OBJECT: memory::release_mem_object(context);
        CL_INVALID_VALUE: memory::set_mem_object_destructor_callback(buffer, None, NONE);
        CL_INVALID_MEM_OBJECT: memory::set_mem_object_destructor_callback(context, Some(gone), NONE);
        CL_INVALID_OPERATION: memory::get_mem_object_info(buffer, CL_MEM_DEVICE_ADDRESS_EXT, 0, Out::null(), Out::null());
        CL_INVALID_MEM_OBJECT: memory::get_mem_object_info(context, CL_MEM_SIZE, 0, Out::null(), Out::null());
        CL_INVALID_VALUE: memory::get_mem_object_info(buffer, 1, 0, Out::null(), Out::null());
    }
}

#[test]
fn pipes() {
    let Fixture { device, context, .. } = Fixture::new();
    let create = |flags, packet, packets| pipe::create_pipe(context, flags, packet, packets, In::null());
    let made = create(0, 12, 10).unwrap();
    let buffer = memory::create_buffer(context, 0, 64, NONE).unwrap();
    let (mut size, mut flags, mut kind) = (0_u32, 0_u64, 0_u32);
    pipe::get_pipe_info(made, CL_PIPE_PACKET_SIZE, 4, out(&mut size), Out::null()).unwrap();
    memory::get_mem_object_info(made, CL_MEM_FLAGS, 8, out(&mut flags), Out::null()).unwrap();
    memory::get_mem_object_info(made, CL_MEM_TYPE, 4, out(&mut kind), Out::null()).unwrap();
    assert_eq!(
        (size, flags, kind),
        (12, CL_MEM_READ_WRITE | CL_MEM_HOST_NO_ACCESS, CL_MEM_OBJECT_PIPE)
    );
    refused! {
        CL_INVALID_CONTEXT: pipe::create_pipe(device, 0, 4, 4, In::null());
        CL_INVALID_VALUE: create(CL_MEM_READ_ONLY, 4, 4);
        CL_INVALID_VALUE: pipe::create_pipe(context, 0, 4, 4, In::from_slice(&[0]));
        CL_INVALID_PIPE_SIZE: create(0, 0, 4);
        CL_INVALID_PIPE_SIZE: create(0, 4, 0);
        CL_INVALID_PIPE_SIZE: create(0, pipe::MAX_PACKET_SIZE + 1, 4);
        CL_MEM_OBJECT_ALLOCATION_FAILURE: create(0, pipe::MAX_PACKET_SIZE, cl_uint::MAX);
        CL_INVALID_MEM_OBJECT: pipe::get_pipe_info(buffer, CL_PIPE_PACKET_SIZE, 0, Out::null(), Out::null());
        CL_INVALID_VALUE: pipe::get_pipe_info(made, CL_MEM_SIZE, 0, Out::null(), Out::null());
    }
}

#[test]
fn samplers() {
    let Fixture { context, .. } = Fixture::new();
    let create = |list: &[cl_sampler_properties]| sampler::create_sampler_with_properties(context, In::from_slice(list));
    let name = |name: cl_uint| cl_sampler_properties::from(name);
    refused! {
        CL_INVALID_VALUE: sampler::create_sampler(context, 7, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST);
        CL_INVALID_VALUE: sampler::create_sampler(context, CL_TRUE, 7, CL_FILTER_NEAREST);
        CL_INVALID_VALUE: sampler::create_sampler(context, CL_TRUE, CL_ADDRESS_CLAMP, 7);
        CL_INVALID_VALUE: create(&[77, 0, 0]);
        CL_INVALID_VALUE: create(&[name(CL_SAMPLER_FILTER_MODE), 7, 0]);
        CL_INVALID_VALUE: create(&[name(CL_SAMPLER_NORMALIZED_COORDS), 0, name(CL_SAMPLER_NORMALIZED_COORDS), 0, 0]);
    }
}

#[test]
fn shared_memory() {
    let Fixture {
        device, context, queue, ..
    } = Fixture::new();
    let allocate = |flags, size, alignment| svm::svm_alloc(context, flags, size, alignment);
    let flags = cl_properties::from(CL_MEM_ALLOC_FLAGS_INTEL);
    refused! {
        CL_INVALID_CONTEXT: svm::svm_alloc(device, 0, 4, 0);
        CL_INVALID_VALUE: allocate(CL_MEM_SVM_ATOMICS, 4, 0);
        CL_INVALID_VALUE: allocate(CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, 4, 0);
        CL_INVALID_VALUE: allocate(CL_MEM_USE_HOST_PTR, 4, 0);
        CL_INVALID_VALUE: allocate(0, 4, 3);
        CL_INVALID_VALUE: allocate(0, 4, 1 << 20);
        CL_INVALID_BUFFER_SIZE: allocate(0, 0, 0);
        CL_INVALID_BUFFER_SIZE: allocate(0, usize::MAX, 0);
        CL_INVALID_VALUE: svm::enqueue_svm_free(queue, 1, In::null(), None, NONE, 0, In::null(), Out::null());
        CL_INVALID_VALUE: svm::enqueue_svm_unmap(queue, NONE, 0, In::null(), Out::null());
        CL_INVALID_VALUE: svm::enqueue_svm_free(queue, 0, In::from_slice(&[device]), None, NONE, 0, In::null(), Out::null());
        CL_INVALID_VALUE: svm::enqueue_svm_migrate_mem(queue, 0, In::null(), In::null(), 0, 0, In::null(), Out::null());
        CL_INVALID_VALUE: svm::enqueue_svm_migrate_mem(queue, 1, In::from_slice(&[device.cast_const()]), In::null(), 0, 0, In::null(), Out::null());
        CL_INVALID_CONTEXT: unified::mem_free(device, NONE);
        CL_INVALID_CONTEXT: unified::mem_blocking_free(device, NONE);
        CL_INVALID_VALUE: unified::mem_blocking_free(context, device);
        CL_INVALID_CONTEXT: unified::get_mem_alloc_info(device, NONE, CL_MEM_ALLOC_TYPE_INTEL, 0, Out::null(), Out::null());
        CL_INVALID_DEVICE: unified::shared_mem_alloc(context, context, In::null(), 4, 0);
        CL_INVALID_PROPERTY: unified::host_mem_alloc(context, In::from_slice(&[flags, 0, flags, 0, 0]), 4, 0);
        CL_INVALID_PROPERTY: unified::host_mem_alloc(context, In::from_slice(&[flags, 1 << 20, 0]), 4, 0);
        CL_INVALID_PROPERTY: unified::host_mem_alloc(context, In::from_slice(&[flags, CL_MEM_ALLOC_INITIAL_PLACEMENT_HOST_INTEL, 0]), 4, 0);
        CL_INVALID_PROPERTY: unified::host_mem_alloc(context, In::from_slice(&[flags, CL_MEM_ALLOC_INITIAL_PLACEMENT_DEVICE_INTEL, 0]), 4, 0);
        CL_INVALID_PROPERTY: unified::device_mem_alloc(context, device, In::from_slice(&[flags, CL_MEM_ALLOC_INITIAL_PLACEMENT_HOST_INTEL, 0]), 4, 0);
        CL_INVALID_PROPERTY: unified::device_mem_alloc(context, device, In::from_slice(&[flags, CL_MEM_ALLOC_INITIAL_PLACEMENT_DEVICE_INTEL, 0]), 4, 0);
        CL_INVALID_PROPERTY: unified::shared_mem_alloc(context, device, In::from_slice(&[flags, 6, 0]), 4, 0);
        CL_INVALID_VALUE: unified::device_mem_alloc(context, device, In::null(), 4, 3);
        CL_INVALID_VALUE: unified::shared_mem_alloc(context, device, In::null(), 4, 3);
        CL_INVALID_BUFFER_SIZE: unified::device_mem_alloc(context, device, In::null(), 0, 0);
        CL_INVALID_BUFFER_SIZE: unified::device_mem_alloc(context, device, In::null(), usize::MAX, 0);
        CL_INVALID_BUFFER_SIZE: unified::shared_mem_alloc(context, device, In::null(), 0, 0);
        CL_INVALID_BUFFER_SIZE: unified::shared_mem_alloc(context, device, In::null(), usize::MAX, 0);
        CL_INVALID_VALUE: unified::enqueue_migrate_mem(queue, NONE, 4, 1 << 20, 0, In::null(), Out::null());
        CL_INVALID_VALUE: unified::enqueue_mem_advise(queue, NONE, 4, 77, 0, In::null(), Out::null());
        CL_INVALID_VALUE: unified::mem_free(context, device);
        CL_INVALID_BUFFER_SIZE: unified::host_mem_alloc(context, In::null(), 0, 0);
        CL_INVALID_VALUE: unified::host_mem_alloc(context, In::null(), 4, 3);
        CL_INVALID_PROPERTY: unified::host_mem_alloc(context, In::from_slice(&[77, 0, 0]), 4, 0);
        CL_INVALID_DEVICE: unified::device_mem_alloc(context, context, In::null(), 4, 0);
        CL_INVALID_VALUE: unified::get_mem_alloc_info(context, NONE, 1, 0, Out::null(), Out::null());
    }
}

/// cl_ext_immutable_memory_objects
#[test]
fn what_cannot_be_changed() {
    let fixture = Fixture::new();
    let Fixture { context, queue, .. } = fixture;
    let mut host = [7_u8; 64];
    let pointer = host.as_mut_ptr().cast::<c_void>();
    let place = HostPointer(pointer.cast());
    let make = |flags, pointer| memory::create_buffer(context, flags | CL_MEM_IMMUTABLE_EXT, 64, pointer);
    let part = |parent, flags| {
        let region: [usize; 2] = [0, 64];
        // SAFETY: a region of two sizes.
        let info = unsafe { In::from_c(region.as_ptr().cast::<c_void>()) };
        memory::create_sub_buffer(parent, flags, CL_BUFFER_CREATE_TYPE_REGION, info)
    };
    let constant = make(CL_MEM_COPY_HOST_PTR, pointer).unwrap();
    let own = memory::create_buffer(context, 0, 64, NONE).unwrap();
    let inherits = part(constant, 0).unwrap();
    let (origin, region) = (In::from_slice(&[0; 3]), In::from_slice(&[4, 4, 1]));
    let maps = |flags| map::enqueue_map_buffer(queue, constant, CL_TRUE, flags, 0, 64, 0, In::null(), Out::null());
    let (_, writes) = fixture.kernel(c"kernel void k(global int *a, global const int *b, constant int *c) { a[0] += b[0] + c[0]; }");
    let handle = (constant as usize).to_ne_bytes();
    let set = |index| kernel::set_kernel_arg(writes, index, 8, In::from_slice(&handle));
    refused! {
        CL_INVALID_VALUE: make(0, NONE);
        CL_INVALID_VALUE: make(CL_MEM_COPY_HOST_PTR | CL_MEM_READ_WRITE, pointer);
        CL_INVALID_VALUE: make(CL_MEM_COPY_HOST_PTR | CL_MEM_WRITE_ONLY, pointer);
        CL_INVALID_VALUE: make(CL_MEM_COPY_HOST_PTR | CL_MEM_HOST_WRITE_ONLY, pointer);
        CL_INVALID_VALUE: part(constant, CL_MEM_READ_WRITE);
        CL_INVALID_VALUE: part(constant, CL_MEM_WRITE_ONLY);
        CL_INVALID_VALUE: part(constant, CL_MEM_HOST_WRITE_ONLY);
        CL_INVALID_VALUE: pipe::create_pipe(context, CL_MEM_IMMUTABLE_EXT, 4, 4, In::null());
        CL_INVALID_VALUE: svm::svm_alloc(context, CL_MEM_IMMUTABLE_EXT, 4, 0);
        CL_INVALID_OPERATION: buffer::enqueue_read_or_write::<Write>(queue, constant, CL_TRUE, 0, 64, place, 0, In::null(), Out::null());
        CL_INVALID_OPERATION: buffer::enqueue_read_or_write::<Write>(queue, inherits, CL_TRUE, 0, 64, place, 0, In::null(), Out::null());
        CL_INVALID_OPERATION: buffer::enqueue_read_or_write_rect::<Write>(queue, constant, CL_TRUE, origin, origin, region, 0, 0, 0, 0, place, 0, In::null(), Out::null());
        CL_INVALID_OPERATION: buffer::enqueue_copy(queue, own, constant, 0, 0, 64, 0, In::null(), Out::null());
        CL_INVALID_OPERATION: buffer::enqueue_copy_rect(queue, own, constant, origin, origin, region, 0, 0, 0, 0, 0, In::null(), Out::null());
        CL_INVALID_OPERATION: buffer::enqueue_fill(queue, constant, In::from_slice(&[0]), 1, 0, 64, 0, In::null(), Out::null());
        CL_INVALID_OPERATION: maps(CL_MAP_WRITE);
        CL_INVALID_OPERATION: maps(CL_MAP_WRITE_INVALIDATE_REGION);
        CL_INVALID_ARG_VALUE: set(0);
    }
    set(1).unwrap();
    set(2).unwrap();
    maps(CL_MAP_READ).unwrap();
    buffer::enqueue_copy(queue, constant, own, 0, 0, 64, 0, In::null(), Out::null()).unwrap();
    host.fill(0);
    buffer::enqueue_read_or_write::<Read>(queue, own, CL_TRUE, 0, 64, place, 0, In::null(), Out::null()).unwrap();
    assert_eq!(host, [7; 64]);
}
