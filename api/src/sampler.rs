//! Samplers: §5.7.

use crate::cl::*;
use crate::context::{self, Context};
use crate::environment::has_feature;
use crate::error::{Result, fail_if};
use crate::handle::{self, Handle, Kind, Object, lookup, publish};
use crate::image::check_support;
use crate::info::Info;
use crate::raw::{In, Out, named};
use ::device::image::{LevelRange, SamplerWord, sampler_argument};
use core::cmp::Ordering;
use core::ffi::c_void;
use std::sync::Arc;
use vendors::Features;

/// A sampler.
#[derive(Debug)]
pub struct Sampler {
    handle: Handle,
    /// Its context.
    pub context: Arc<Context>,
    word: SamplerWord,
    levels: LevelRange,
    state: State,
    /// CL_SAMPLER_PROPERTIES, with the zero that ends it; empty if none were given.
    properties: Vec<cl_sampler_properties>,
}

/// How an image is read.
#[derive(Clone, Copy, Debug)]
struct State {
    normalized_coords: cl_bool,
    addressing_mode: cl_addressing_mode,
    filter_mode: cl_filter_mode,
    mip_filter_mode: cl_filter_mode,
    lod_min: cl_float,
    lod_max: cl_float,
}

impl Default for State {
    /// What is not specified.
    fn default() -> State {
        State {
            normalized_coords: CL_TRUE,
            addressing_mode: CL_ADDRESS_CLAMP,
            filter_mode: CL_FILTER_NEAREST,
            mip_filter_mode: CL_FILTER_NEAREST,
            lod_min: 0.0,
            lod_max: cl_float::MAX,
        }
    }
}

impl Sampler {
    /// What kernels get of a sampler without mip levels; none where a number means nothing.
    pub fn word(normalized_coords: cl_bool, addressing_mode: cl_addressing_mode, filter_mode: cl_filter_mode) -> Option<u64> {
        let State { lod_min, lod_max, .. } = State::default();
        let word = SamplerWord::from_cl(addressing_mode, filter_mode, normalized_coords == CL_TRUE)?;
        Some(sampler_argument(word, LevelRange::new(lod_min, lod_max)))
    }

    /// What kernels get.
    pub fn argument(&self) -> u64 {
        sampler_argument(self.word, self.levels)
    }
}

impl Object for Sampler {
    const KIND: Kind = Kind::Sampler;
    const INVALID: cl_int = CL_INVALID_SAMPLER;
    fn handle(&self) -> &Handle {
        &self.handle
    }
}

/// clCreateSampler, clCreateSamplerWithProperties
fn create(context: &Arc<Context>, state: State, properties: Vec<cl_sampler_properties>) -> Result<cl_sampler> {
    // CL_INVALID_VALUE if addressing_mode, filter_mode, normalized_coords or a combination of these arguments are not valid.
    fail_if(!matches!(state.normalized_coords, CL_FALSE | CL_TRUE), CL_INVALID_VALUE)?;
    let word = SamplerWord::from_cl(state.addressing_mode, state.filter_mode, state.normalized_coords == CL_TRUE);
    let word = word.ok_or(CL_INVALID_VALUE)?;
    let word = match state.mip_filter_mode {
        CL_FILTER_NEAREST => word,
        CL_FILTER_LINEAR => word.with_linear_levels(),
        _ => return Err(CL_INVALID_VALUE),
    };
    // No level lies between these, or one is a NaN.
    fail_if(
        state.lod_min.partial_cmp(&state.lod_max).is_none_or(Ordering::is_gt),
        CL_INVALID_VALUE,
    )?;
    publish(Arc::new(Sampler {
        handle: Handle::default(),
        context: context.clone(),
        word,
        levels: LevelRange::new(state.lod_min, state.lod_max),
        state,
        properties,
    }))
}

/// clCreateSampler
pub fn create_sampler(
    context: cl_context,
    normalized_coords: cl_bool,
    addressing_mode: cl_addressing_mode,
    filter_mode: cl_filter_mode,
) -> Result<cl_sampler> {
    // CL_INVALID_CONTEXT if context is not a valid context.
    let context = context::alive(context)?;
    check_support()?;
    let state = State {
        normalized_coords,
        addressing_mode,
        filter_mode,
        ..State::default()
    };
    create(&context, state, Vec::new())
}

/// clCreateSamplerWithProperties
pub fn create_sampler_with_properties(context: cl_context, sampler_properties: In<cl_sampler_properties>) -> Result<cl_sampler> {
    // CL_INVALID_CONTEXT if context is not a valid context.
    let context = context::alive(context)?;
    check_support()?;
    let properties = sampler_properties.properties().unwrap_or_default();
    let mut state = State::default();
    let has_levels = has_feature(Features::MIPMAPS);
    // CL_INVALID_VALUE if the same property name is specified more than once,
    for (name, value) in named(&properties, CL_INVALID_VALUE)? {
        // or if the value specified for a supported property name is not valid, or the property name is not a supported property name.
        let name = cl_uint::try_from(name).map_err(|_| CL_INVALID_VALUE)?;
        let value = cl_uint::try_from(value).map_err(|_| CL_INVALID_VALUE)?;
        match name {
            CL_SAMPLER_NORMALIZED_COORDS => state.normalized_coords = value,
            CL_SAMPLER_ADDRESSING_MODE => state.addressing_mode = value,
            CL_SAMPLER_FILTER_MODE => state.filter_mode = value,
            CL_SAMPLER_MIP_FILTER_MODE if has_levels => state.mip_filter_mode = value,
            // A property has the bits of a float.
            CL_SAMPLER_LOD_MIN if has_levels => state.lod_min = cl_float::from_bits(value),
            CL_SAMPLER_LOD_MAX if has_levels => state.lod_max = cl_float::from_bits(value),
            _ => return Err(CL_INVALID_VALUE),
        }
    }
    create(&context, state, properties)
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
    param_name: cl_sampler_info,
    param_value_size: usize,
    param_value: Out<c_void>,
    param_value_size_ret: Out<usize>,
) -> Result<()> {
    // CL_INVALID_SAMPLER if sampler is a not a valid sampler object.
    let sampler = lookup::<Sampler>(sampler)?;
    let info = match param_name {
        CL_SAMPLER_REFERENCE_COUNT => Info::of(sampler.handle.references()),
        CL_SAMPLER_CONTEXT => Info::of(sampler.context.id()),
        CL_SAMPLER_NORMALIZED_COORDS => Info::of(sampler.state.normalized_coords),
        CL_SAMPLER_ADDRESSING_MODE => Info::of(sampler.state.addressing_mode),
        CL_SAMPLER_FILTER_MODE => Info::of(sampler.state.filter_mode),
        CL_SAMPLER_MIP_FILTER_MODE if has_feature(Features::MIPMAPS) => Info::of(sampler.state.mip_filter_mode),
        CL_SAMPLER_LOD_MIN if has_feature(Features::MIPMAPS) => Info::of(sampler.state.lod_min.to_bits()),
        CL_SAMPLER_LOD_MAX if has_feature(Features::MIPMAPS) => Info::of(sampler.state.lod_max.to_bits()),
        CL_SAMPLER_PROPERTIES => Info::list(&sampler.properties),
        // CL_INVALID_VALUE if param_name is not one of the supported values.
        _ => return Err(CL_INVALID_VALUE),
    };
    info.answer(param_value_size, param_value, param_value_size_ret)
}
