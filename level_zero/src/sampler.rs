//! Samplers.

use crate::context::Context;
use crate::device::Device;
use crate::error::{entry, fail_if};
use crate::handle::{Handle, publish};
use crate::image::check_support;
use crate::pointer::{In, Out};
use crate::ze::*;
use ::device::image::{Addressing, LevelRange, SamplerWord, sampler_argument};
use std::sync::Arc;

/// A sampler.
pub struct Sampler {
    word: SamplerWord,
}

impl Sampler {
    /// What kernels get.
    pub fn argument(&self) -> u64 {
        sampler_argument(self.word, LevelRange::default())
    }
}

entry! {
    /// zeSamplerCreate
    pub fn zeSamplerCreate(hContext: Handle<Context>, hDevice: Handle<Device>, desc: In<ze_sampler_desc_t>, phSampler: Out<Handle<Sampler>>) {
        hContext.check()?;
        hDevice.check()?;
        check_support()?;
        let desc = desc.get()?;
        phSampler.check()?;
        let addressing = match desc.addressMode {
            ZE_SAMPLER_ADDRESS_MODE_NONE => Addressing::None,
            ZE_SAMPLER_ADDRESS_MODE_REPEAT => Addressing::Repeat,
            ZE_SAMPLER_ADDRESS_MODE_CLAMP => Addressing::ClampToEdge,
            ZE_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER => Addressing::Clamp,
            ZE_SAMPLER_ADDRESS_MODE_MIRROR => Addressing::MirroredRepeat,
            _ => return Err(ZE_RESULT_ERROR_INVALID_ENUMERATION),
        };
        // ZE_RESULT_ERROR_INVALID_ENUMERATION: ZE_SAMPLER_FILTER_MODE_LINEAR < desc->filterMode
        fail_if(desc.filterMode > ZE_SAMPLER_FILTER_MODE_LINEAR, ZE_RESULT_ERROR_INVALID_ENUMERATION)?;
        let word = SamplerWord::new(addressing, desc.filterMode == ZE_SAMPLER_FILTER_MODE_LINEAR, desc.isNormalized != 0);
        phSampler.write(publish(Arc::new(Sampler { word })))
    }

    /// zeSamplerDestroy
    pub fn zeSamplerDestroy(hSampler: Handle<Sampler>) {
        hSampler.destroy().map(drop)
    }
}
