//! What kernels say of themselves.

use crate::error::entry;
use crate::handle::Handle;
use crate::kernel::Kernel;
use crate::pointer::{Out, extension, text};
use crate::ze::*;
use ::device::uuid::uuid;
use core::ffi::c_char;

entry! {
    /// zeKernelGetIndirectAccess
    pub fn zeKernelGetIndirectAccess(hKernel: Handle<Kernel>, pFlags: Out<u32>) {
        let kernel = hKernel.get()?;
        let flags = kernel.next.lock().indirect;
        pFlags.write(flags)
    }

    /// zeKernelGetName
    pub fn zeKernelGetName(hKernel: Handle<Kernel>, pSize: Out<usize>, pName: Out<c_char>) {
        let kernel = hKernel.get()?;
        text(pSize, pName, format!("{}\0", kernel.code.info.name).as_bytes())
    }

    /// zeKernelGetSourceAttributes: "a null-terminated string … separated by space"; with a NULL pointer, its size.
    pub fn zeKernelGetSourceAttributes(hKernel: Handle<Kernel>, pSize: Out<u32>, pString: Out<Out<c_char>>) {
        let kernel = hKernel.get()?;
        let attributes = format!("{}\0", kernel.code.info.attributes);
        pSize.check()?;
        if !pString.is_null() {
            pString.read()?.bytes().write_list(attributes.bytes());
        }
        pSize.write(attributes.len() as u32)
    }

    /// zeKernelGetProperties
    pub fn zeKernelGetProperties(hKernel: Handle<Kernel>, pKernelProperties: Out<ze_kernel_properties_t>) {
        let kernel = hKernel.get()?;
        let info = &kernel.code.info;
        let mut next = core::ptr::null_mut();
        pKernelProperties.fill(|properties| {
            next = properties.pNext;
            properties.numKernelArgs = info.arguments.len() as u32;
            // "0 if there is no required group size."
            let [x, y, z] = info.required_local_size.unwrap_or_default().map(|axis| axis as u32);
            (properties.requiredGroupSizeX, properties.requiredGroupSizeY, properties.requiredGroupSizeZ) = (x, y, z);
            properties.requiredNumSubGroups = info.sub_groups_per_group.unwrap_or(0);
            properties.requiredSubgroupSize = info.required_sub_group_size.unwrap_or(0);
            properties.maxSubgroupSize = kernel.code.preferred_multiple();
            properties.maxNumSubgroups = kernel.code.max_sub_groups() as u32;
            properties.localMemSize = info.local_bytes as u32;
            properties.privateMemSize = info.private_bytes as u32;
            // What is spilled is on the processor's stack.
            properties.spillMemSize = 0;
            let module = kernel.module.identity();
            properties.uuid = ze_kernel_uuid_t {
                kid: uuid(&format!("{module} {}", info.name)),
                mid: uuid(&module),
            };
        })?;
        if let Some(preferred) = extension::<ze_kernel_preferred_group_size_properties_t>(next) {
            preferred.fill(|preferred| preferred.preferredMultiple = kernel.code.preferred_multiple())?;
        }
        if let Some(most) = extension::<ze_kernel_max_group_size_properties_ext_t>(next) {
            most.fill(|most| most.maxGroupSize = kernel.code.max_work_group_size() as u32)?;
        }
        Ok(())
    }
}
