//! Images and samplers, as the host sees them.

mod arguments;
mod commands;
mod formats;
mod kernels;
mod mipmaps;
mod objects;
mod refused;
mod regions;

use brolga_tests::cl_sys::*;
use brolga_tests::{ImageFormat, Shape};

const RGBA8: ImageFormat = (CL_RGBA, CL_UNORM_INT8);

const KINDS: [cl_mem_object_type; 6] = [
    CL_MEM_OBJECT_IMAGE1D,
    CL_MEM_OBJECT_IMAGE2D,
    CL_MEM_OBJECT_IMAGE3D,
    CL_MEM_OBJECT_IMAGE1D_ARRAY,
    CL_MEM_OBJECT_IMAGE2D_ARRAY,
    CL_MEM_OBJECT_IMAGE1D_BUFFER,
];

/// A shape of each kind that needs no other object.
fn shapes() -> [Shape; 5] {
    [
        Shape::new(CL_MEM_OBJECT_IMAGE1D, [7, 1, 1]),
        Shape::new(CL_MEM_OBJECT_IMAGE2D, [7, 5, 1]),
        Shape::new(CL_MEM_OBJECT_IMAGE3D, [7, 5, 3]),
        Shape::new(CL_MEM_OBJECT_IMAGE1D_ARRAY, [7, 4, 1]),
        Shape::new(CL_MEM_OBJECT_IMAGE2D_ARRAY, [7, 5, 4]),
    ]
}

/// Bytes that differ from their neighbours.
fn noise(n: usize) -> Vec<u8> {
    (0..n).map(|i| (i * 7 + i / 256 * 3 + 1) as u8).collect()
}
