//! Samplers: §5.7.

use crate::cl::*;
use crate::context::Context;
use crate::error::Result;
use crate::handle::{self, Handle, Kind, Object, lookup};
use crate::raw::{In, Out};
use core::ffi::c_void;

/// A sampler. The device has no images, so that none can be made.
#[derive(Debug)]
pub struct Sampler {
    handle: Handle,
}

impl Object for Sampler {
    const KIND: Kind = Kind::Sampler;
    const INVALID: cl_int = CL_INVALID_SAMPLER;
    fn handle(&self) -> &Handle {
        &self.handle
    }
}

/// clCreateSampler, clCreateSamplerWithProperties
fn create(context: cl_context) -> Result<cl_sampler> {
    // CL_INVALID_CONTEXT if context is not a valid context.
    lookup::<Context>(context)?;
    // CL_INVALID_OPERATION if images are not supported by any device associated with context.
    Err(CL_INVALID_OPERATION)
}

/// clCreateSampler
pub fn create_sampler(
    context: cl_context,
    _normalized_coords: cl_bool,
    _addressing_mode: cl_addressing_mode,
    _filter_mode: cl_filter_mode,
) -> Result<cl_sampler> {
    create(context)
}

/// clCreateSamplerWithProperties
pub fn create_sampler_with_properties(context: cl_context, _sampler_properties: In<cl_sampler_properties>) -> Result<cl_sampler> {
    create(context)
}

/// clRetainSampler
pub fn retain_sampler(sampler: cl_sampler) -> Result<()> {
    // CL_INVALID_SAMPLER if sampler is not a valid sampler object.
    handle::retain::<Sampler>(sampler)
}

/// clReleaseSampler
pub fn release_sampler(sampler: cl_sampler) -> Result<()> {
    // CL_INVALID_SAMPLER if sampler is not a valid sampler object.
    handle::release::<Sampler>(sampler)
}

/// clGetSamplerInfo
pub fn get_sampler_info(
    sampler: cl_sampler,
    _param_name: cl_sampler_info,
    _param_value_size: usize,
    _param_value: Out<c_void>,
    _param_value_size_ret: Out<usize>,
) -> Result<()> {
    // CL_INVALID_SAMPLER if sampler is a not a valid sampler object.
    lookup::<Sampler>(sampler)?;
    Err(CL_INVALID_VALUE)
}
