//! Kinds of images, and what is done to them.

use crate::row::{Features, Row, version};
use rspirv::spirv::Capability;

pub(super) static ROWS: &[&Row] = &[
    &DEPTH_IMAGES,
    &IMAGE_3D_WRITES,
    &IMAGE2D_FROM_BUFFER,
    &MIPMAP_IMAGE,
    &MIPMAP_IMAGE_WRITES,
    &GL_DEPTH_IMAGES,
    &GL_MSAA_SHARING,
    &SRGB_IMAGE_WRITES,
];

const NO_OPENGL: &str = "this device shares nothing with OpenGL";

static DEPTH_IMAGES: Row = Row {
    opencl: &[("cl_khr_depth_images", version(1, 0, 0))],
    features: Features::DEPTH_IMAGES,
    needs: &["core:images"],
    ..Row::on("cl_khr_depth_images")
};

static IMAGE_3D_WRITES: Row = Row {
    opencl: &[("cl_khr_3d_image_writes", version(1, 0, 0))],
    macros: &[("__opencl_c_3d_image_writes", version(3, 0, 0))],
    features: Features::IMAGE_3D_WRITES,
    needs: &["core:images"],
    ..Row::on("cl_khr_3d_image_writes")
};

static IMAGE2D_FROM_BUFFER: Row = Row {
    opencl: &[("cl_khr_image2d_from_buffer", version(1, 0, 0))],
    needs: &["core:images"],
    ..Row::on("cl_khr_image2d_from_buffer")
};

static MIPMAP_IMAGE: Row = Row {
    opencl: &[("cl_khr_mipmap_image", version(1, 0, 0))],
    features: Features::MIPMAPS,
    needs: &["core:images"],
    ..Row::on("cl_khr_mipmap_image")
};

static MIPMAP_IMAGE_WRITES: Row = Row {
    opencl: &[("cl_khr_mipmap_image_writes", version(1, 0, 0))],
    capabilities: &[Capability::ImageMipmap],
    features: Features::MIPMAP_WRITES,
    needs: &["cl_khr_mipmap_image"],
    ..Row::on("cl_khr_mipmap_image_writes")
};

static GL_DEPTH_IMAGES: Row = Row {
    opencl: &[("cl_khr_gl_depth_images", version(1, 0, 0))],
    needs: &["cl_khr_depth_images"],
    ..Row::off("cl_khr_gl_depth_images", NO_OPENGL)
};

static GL_MSAA_SHARING: Row = Row {
    opencl: &[("cl_khr_gl_msaa_sharing", version(1, 0, 0))],
    features: Features::MULTISAMPLED_IMAGES,
    needs: &["cl_khr_gl_depth_images"],
    ..Row::off("cl_khr_gl_msaa_sharing", NO_OPENGL)
};

static SRGB_IMAGE_WRITES: Row = Row {
    opencl: &[("cl_khr_srgb_image_writes", version(1, 0, 0))],
    features: Features::SRGB_WRITES,
    needs: &["core:images"],
    ..Row::on("cl_khr_srgb_image_writes")
};
