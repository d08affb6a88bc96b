//! Kernels, and what their next launch is given.

use crate::arguments::Arguments;
use crate::device::compute_units;
use crate::error::{Result, entry, fail_if};
use crate::handle::{Handle, publish};
use crate::module::Module;
use crate::pointer::{In, Out};
use crate::ze::*;
use ::device::lock::Lock;
use compiler::local_size;
use std::sync::Arc;

/// A kernel.
pub struct Kernel {
    /// Its module.
    pub module: Arc<Module>,
    /// What the compiler knows of it; of the program that its module was linked to when it was created.
    pub code: Arc<compiler::Kernel>,
    /// What the next launch gets.
    pub next: Lock<Next>,
}

/// What a launch is given.
#[derive(Clone)]
pub struct Next {
    /// Values of arguments.
    pub arguments: Arguments,
    /// zeKernelSetGroupSize
    pub group_size: [u32; 3],
    /// zeKernelSetGlobalOffsetExp
    pub offset: [u32; 3],
    /// zeKernelSetIndirectAccess
    pub indirect: u32,
}

impl Kernel {
    /// ZE_RESULT_ERROR_INVALID_GROUP_SIZE_DIMENSION if a group can't have this size.
    pub fn check_group_size(&self, size: [u32; 3]) -> Result<()> {
        fail_if(
            !self.code.takes_local_size(size.map(u64::from)),
            ZE_RESULT_ERROR_INVALID_GROUP_SIZE_DIMENSION,
        )
    }
}

entry! {
    /// zeKernelCreate
    pub fn zeKernelCreate(hModule: Handle<Module>, desc: In<ze_kernel_desc_t>, phKernel: Out<Handle<Kernel>>) {
        let module = hModule.get()?;
        let desc = desc.get()?;
        phKernel.check()?;
        let name = desc.pKernelName.text().ok_or(ZE_RESULT_ERROR_INVALID_NULL_POINTER)?;
        // ZE_RESULT_ERROR_INVALID_ENUMERATION: 0x3 < desc->flags
        fail_if(desc.flags > 3, ZE_RESULT_ERROR_INVALID_ENUMERATION)?;
        let program = module.program()?;
        let code = program.kernels.iter().find(|kernel| kernel.info.name == name && module.has_kernel(&name));
        let code = code.ok_or(ZE_RESULT_ERROR_INVALID_KERNEL_NAME)?.clone();
        let required = code.info.required_local_size.map(|size| size.map(|axis| axis as u32));
        let next = Next {
            arguments: Arguments::new(&code.info),
            group_size: required.unwrap_or([1; 3]),
            offset: [0; 3],
            indirect: 0,
        };
        let next = Lock::new(next);
        phKernel.write(publish(Arc::new(Kernel { module, code, next })))
    }

    /// zeKernelDestroy
    pub fn zeKernelDestroy(hKernel: Handle<Kernel>) {
        hKernel.destroy().map(drop)
    }

    /// zeKernelSetGroupSize
    pub fn zeKernelSetGroupSize(hKernel: Handle<Kernel>, groupSizeX: u32, groupSizeY: u32, groupSizeZ: u32) {
        let kernel = hKernel.get()?;
        let size = [groupSizeX, groupSizeY, groupSizeZ];
        kernel.check_group_size(size)?;
        kernel.next.lock().group_size = size;
        Ok(())
    }

    /// zeKernelSetCacheConfig: "preferred" of what a processor's caches divide among themselves; both preferences change nothing here.
    pub fn zeKernelSetCacheConfig(hKernel: Handle<Kernel>, flags: u32) {
        hKernel.check()?;
        // ZE_RESULT_ERROR_INVALID_ENUMERATION: 0x3 < flags
        fail_if(flags & !(ZE_CACHE_CONFIG_FLAG_LARGE_SLM | ZE_CACHE_CONFIG_FLAG_LARGE_DATA) != 0, ZE_RESULT_ERROR_INVALID_ENUMERATION)
    }

    /// zeKernelSuggestGroupSize: a size that divides the global size.
    pub fn zeKernelSuggestGroupSize(hKernel: Handle<Kernel>, globalSizeX: u32, globalSizeY: u32, globalSizeZ: u32, groupSizeX: Out<u32>, groupSizeY: Out<u32>, groupSizeZ: Out<u32>) {
        let kernel = hKernel.get()?;
        let sizes = [groupSizeX, groupSizeY, groupSizeZ];
        sizes.iter().try_for_each(|size| size.check())?;
        let global = [globalSizeX, globalSizeY, globalSizeZ];
        // ZE_RESULT_ERROR_INVALID_GLOBAL_WIDTH_DIMENSION
        fail_if(global.contains(&0), ZE_RESULT_ERROR_INVALID_GLOBAL_WIDTH_DIMENSION)?;
        let dimensions = global.iter().rposition(|&size| size > 1).map_or(1, |axis| axis + 1);
        let local = local_size::choose(&kernel.code, compute_units(), dimensions, global.map(u64::from), true);
        sizes.into_iter().zip(local).try_for_each(|(size, local)| size.write(local as u32))
    }

    /// zeKernelSuggestMaxCooperativeGroupCount: groups of a launch may run one after the other, and so no more than one can rely on all being under way.
    pub fn zeKernelSuggestMaxCooperativeGroupCount(hKernel: Handle<Kernel>, totalGroupCount: Out<u32>) {
        hKernel.check()?;
        totalGroupCount.write(1)
    }

    /// zeKernelSetArgumentValue
    pub fn zeKernelSetArgumentValue(hKernel: Handle<Kernel>, argIndex: u32, argSize: usize, pArgValue: In<u8>) {
        let kernel = hKernel.get()?;
        kernel.next.lock().arguments.set(&kernel.code.info, argIndex, argSize, pArgValue)
    }

    /// zeKernelSetIndirectAccess: kernels access all memory, whether it is named or not; what is set can be asked for.
    pub fn zeKernelSetIndirectAccess(hKernel: Handle<Kernel>, flags: u32) {
        let kernel = hKernel.get()?;
        let known = ZE_KERNEL_INDIRECT_ACCESS_FLAG_HOST | ZE_KERNEL_INDIRECT_ACCESS_FLAG_DEVICE | ZE_KERNEL_INDIRECT_ACCESS_FLAG_SHARED;
        fail_if(flags & !known != 0, ZE_RESULT_ERROR_INVALID_ENUMERATION)?;
        kernel.next.lock().indirect = flags;
        Ok(())
    }

    /// zeKernelSetGlobalOffsetExp
    pub fn zeKernelSetGlobalOffsetExp(hKernel: Handle<Kernel>, offsetX: u32, offsetY: u32, offsetZ: u32) {
        let kernel = hKernel.get()?;
        kernel.next.lock().offset = [offsetX, offsetY, offsetZ];
        Ok(())
    }
}
