//! Images: what their pages say beside origins, regions and formats.

use crate::*;
use api::image;

fn desc(mem_object: cl_mem) -> cl_image_desc {
    cl_image_desc {
        image_type: CL_MEM_OBJECT_IMAGE2D,
        image_width: 4,
        image_height: 4,
        image_depth: 0,
        image_array_size: 0,
        image_row_pitch: 0,
        image_slice_pitch: 0,
        num_mip_levels: 0,
        num_samples: 0,
        mem_object,
    }
}

/// cl_ext_immutable_memory_objects
#[test]
fn images_that_cannot_be_changed() {
    let fixture = Fixture::new();
    let Fixture {
        context, queue, device, ..
    } = fixture;
    let format = [cl_image_format {
        image_channel_order: CL_RGBA,
        image_channel_data_type: CL_UNSIGNED_INT8,
    }];
    let format = In::from_slice(&format);
    let host = [0_u64; 64];
    let pointer = host.as_ptr().cast_mut().cast::<c_void>();
    let place = HostPointer(pointer.cast());
    const FILLED: cl_mem_flags = CL_MEM_IMMUTABLE_EXT | CL_MEM_COPY_HOST_PTR;
    let make = |flags, source, pointer| image::create_image(context, flags, format, In::from_slice(&[desc(source)]), pointer);
    let plane = |flags, pointer| image::create_image_2d(context, flags, format, 4, 4, 0, pointer);
    let deep = |flags, pointer| image::create_image_3d(context, flags, format, 2, 2, 2, 0, 0, pointer);
    let constant = make(FILLED, NONE, pointer).unwrap();
    let own = make(0, NONE, NONE).unwrap();
    let bytes = memory::create_buffer(context, FILLED, 64, pointer).unwrap();
    let buffer = memory::create_buffer(context, 0, 64, NONE).unwrap();
    let (zero, region) = ([0_usize; 3], [4_usize, 4, 1]);
    let (zero, region) = (In::from_slice(&zero), In::from_slice(&region));
    let maps = |flags| {
        let mut row = 0;
        image::enqueue_map(
            queue,
            constant,
            CL_TRUE,
            flags,
            zero,
            region,
            Out::from_mut(&mut row),
            Out::null(),
            0,
            In::null(),
            Out::null(),
        )
    };
    let (_, writes) = fixture.kernel(c"kernel void k(write_only image2d_t a) { write_imageui(a, (int2)(0, 0), (uint4)(0)); }");
    let handle = (constant as usize).to_ne_bytes();
    refused! {
        CL_INVALID_VALUE: make(CL_MEM_IMMUTABLE_EXT, NONE, NONE);
        CL_INVALID_VALUE: make(FILLED | CL_MEM_READ_WRITE, NONE, pointer);
        CL_INVALID_VALUE: make(FILLED | CL_MEM_WRITE_ONLY, NONE, pointer);
        CL_INVALID_VALUE: make(FILLED | CL_MEM_HOST_WRITE_ONLY, NONE, pointer);
        CL_INVALID_VALUE: make(0, bytes, NONE);
        CL_INVALID_VALUE: make(CL_MEM_READ_ONLY, constant, NONE);
        CL_INVALID_VALUE: plane(CL_MEM_IMMUTABLE_EXT, NONE);
        CL_INVALID_VALUE: deep(CL_MEM_IMMUTABLE_EXT, NONE);
        CL_INVALID_OPERATION: image::enqueue_read_or_write::<Write>(queue, constant, CL_TRUE, zero, region, 0, 0, place, 0, In::null(), Out::null());
        CL_INVALID_OPERATION: image::enqueue_copy(queue, own, constant, zero, zero, region, 0, In::null(), Out::null());
        CL_INVALID_OPERATION: image::enqueue_fill(queue, constant, In::from_slice(&[0; 16]), zero, region, 0, In::null(), Out::null());
        CL_INVALID_OPERATION: image::enqueue_copy_buffer_to_image(queue, buffer, constant, 0, zero, region, 0, In::null(), Out::null());
        CL_INVALID_OPERATION: image::enqueue_copy_image_to_buffer(queue, own, bytes, zero, region, 0, 0, In::null(), Out::null());
        CL_INVALID_OPERATION: maps(CL_MAP_WRITE);
        CL_INVALID_OPERATION: maps(CL_MAP_WRITE_INVALIDATE_REGION);
        CL_INVALID_ARG_VALUE: kernel::set_kernel_arg(writes, 0, 8, In::from_slice(&handle));
        CL_INVALID_CONTEXT: image::get_supported_image_formats(device, 0, CL_MEM_OBJECT_IMAGE2D, 0, Out::null(), Out::null());
    }
    assert!(make(CL_MEM_IMMUTABLE_EXT, bytes, NONE).is_ok());
    assert!(plane(FILLED, pointer).is_ok() && deep(FILLED, pointer).is_ok() && maps(CL_MAP_READ).is_ok());
}

/// Pages of OpenCL 1.1, as far as they say something of their own.
#[test]
fn the_older_functions() {
    let Fixture { context, device, .. } = Fixture::new();
    let format = |image_channel_data_type| cl_image_format {
        image_channel_order: CL_RGB,
        image_channel_data_type,
    };
    let good = [cl_image_format {
        image_channel_order: CL_RGBA,
        image_channel_data_type: CL_UNSIGNED_INT8,
    }];
    let host = [0_u64; 64];
    let pointer = host.as_ptr().cast_mut().cast::<c_void>();
    let good = In::from_slice(&good);
    let (invalid, unsupported) = ([format(0)], [format(CL_UNORM_INT8)]);
    let formats = [
        (In::null(), CL_INVALID_IMAGE_FORMAT_DESCRIPTOR),
        (In::from_slice(&invalid), CL_INVALID_IMAGE_FORMAT_DESCRIPTOR),
        (In::from_slice(&unsupported), CL_IMAGE_FORMAT_NOT_SUPPORTED),
    ];
    let plane =
        |context, flags, format, [width, height]: [usize; 2], host| image::create_image_2d(context, flags, format, width, height, 0, host);
    let deep = |context, flags, format, [width, height]: [usize; 2], host| {
        image::create_image_3d(context, flags, format, width, height, 2, 0, 0, host)
    };
    for make in [&plane as &dyn Fn(_, _, _, _, _) -> _, &deep] {
        refused! {
            CL_INVALID_CONTEXT: make(device, 0, good, [2, 2], NONE);
            CL_INVALID_VALUE: make(context, 1 << 40, good, [2, 2], NONE);
            CL_INVALID_IMAGE_SIZE: make(context, 0, good, [0, 2], NONE);
            CL_INVALID_IMAGE_SIZE: make(context, 0, good, [2, 0], NONE);
            CL_INVALID_IMAGE_SIZE: make(context, 0, good, [image::limits::MAX_2D + 1, 1], NONE);
            CL_INVALID_HOST_PTR: make(context, CL_MEM_USE_HOST_PTR, good, [2, 2], NONE);
            CL_INVALID_HOST_PTR: make(context, CL_MEM_COPY_HOST_PTR, good, [2, 2], NONE);
            CL_INVALID_HOST_PTR: make(context, 0, good, [2, 2], pointer);
        }
        for (format, code) in formats {
            assert_eq!(make(context, 0, format, [2, 2], NONE).err(), Some(code));
        }
        assert!(make(context, 0, good, [2, 2], NONE).is_ok());
    }
}
