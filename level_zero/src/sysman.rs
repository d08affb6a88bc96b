//! System management: what a host's tools ask of a device. A processor has its name and its memory here; whoever asks for its power, fans or engines is
//! told that there are none.

use crate::device::{Device, device};
use crate::device_info;
use crate::driver::{Driver, driver};
use crate::error::{entry, fail_if};
use crate::handle::{Handle, publish};
use crate::pointer::{Out, list};
use crate::ze::*;
use ::device::machine::machine;
use once_cell::race::OnceBox;
use std::sync::Arc;

/// The one memory module, which is all of the host's memory.
pub struct MemoryModule {
    /// As of [`Driver`].
    _place: u8,
}

/// What can be enumerated, and is not there.
pub struct Nothing;

fn memory_module() -> Handle<MemoryModule> {
    static MODULE: OnceBox<Arc<MemoryModule>> = OnceBox::new();
    let module = MODULE.get_or_init(|| {
        let module = Arc::new(MemoryModule { _place: 0 });
        publish(module.clone());
        Box::new(module)
    });
    Handle::of(module)
}

/// What nobody tells: "[w]ill be set to the string "unknown" if this cannot be determined".
const UNKNOWN: &str = "unknown";

entry! {
    /// zesInit
    pub fn zesInit(flags: u32) {
        // ZES_INIT_FLAG_PLACEHOLDER is the only flag.
        fail_if(flags > 1, ZE_RESULT_ERROR_INVALID_ENUMERATION)
    }

    /// zesDriverGet: handles of drivers and devices are the same as of the core's functions.
    pub fn zesDriverGet(pCount: Out<u32>, phDrivers: Out<Handle<Driver>>) {
        list(pCount, phDrivers, [driver()].into_iter())
    }

    /// zesDriverGetExtensionProperties: there are none.
    pub fn zesDriverGetExtensionProperties(hDriver: Handle<Driver>, pCount: Out<u32>, pExtensionProperties: Out<ze_driver_extension_properties_t>) {
        hDriver.check()?;
        list(pCount, pExtensionProperties, [].into_iter())
    }

    /// zesDeviceGet
    pub fn zesDeviceGet(hDriver: Handle<Driver>, pCount: Out<u32>, phDevices: Out<Handle<Device>>) {
        hDriver.check()?;
        list(pCount, phDevices, [device()].into_iter())
    }

    /// zesDeviceGetProperties
    pub fn zesDeviceGetProperties(hDevice: Handle<Device>, pProperties: Out<zes_device_properties_t>) {
        hDevice.check()?;
        let machine = machine();
        pProperties.fill(|properties| {
            device_info::describe(&mut properties.core);
            properties.numSubdevices = 0;
            properties.serialNumber = fixed(UNKNOWN);
            properties.boardNumber = fixed(UNKNOWN);
            properties.brandName = fixed(&machine.name);
            properties.modelName = fixed(&machine.name);
            properties.vendorName = fixed(&machine.vendor);
            properties.driverVersion = fixed(env!("CARGO_PKG_VERSION"));
        })
    }

    /// zesDeviceGetState: nothing is to be reset, and nothing can be repaired.
    pub fn zesDeviceGetState(hDevice: Handle<Device>, pState: Out<zes_device_state_t>) {
        hDevice.check()?;
        pState.fill(|state| (state.reset, state.repaired) = (0, 0))
    }

    /// zesDeviceEnum…: of what a processor has none, or of which nobody tells.
    pub fn zesDeviceEnumNothing(hDevice: Handle<Device>, pCount: Out<u32>, phHandles: Out<Handle<Nothing>>) {
        hDevice.check()?;
        list(pCount, phHandles, [].into_iter())
    }

    /// zesDeviceEnumMemoryModules
    pub fn zesDeviceEnumMemoryModules(hDevice: Handle<Device>, pCount: Out<u32>, phMemory: Out<Handle<MemoryModule>>) {
        hDevice.check()?;
        list(pCount, phMemory, [memory_module()].into_iter())
    }

    /// zesDeviceEccAvailable, zesDeviceEccConfigurable: a driver of processors does not control it.
    pub fn zesDeviceNoEcc(hDevice: Handle<Device>, pAnswer: Out<ze_bool_t>) {
        hDevice.check()?;
        pAnswer.write(0)
    }

    /// zesMemoryGetProperties: what it is made of, nobody tells.
    pub fn zesMemoryGetProperties(hMemory: Handle<MemoryModule>, pProperties: Out<zes_mem_properties_t>) {
        hMemory.check()?;
        pProperties.fill(|properties| {
            properties.type_ = ZES_MEM_TYPE_DDR;
            (properties.onSubdevice, properties.subdeviceId) = (0, 0);
            properties.location = ZES_MEM_LOC_SYSTEM;
            properties.physicalSize = machine().memory_bytes;
            // "A value of -1 means that this property is unknown."
            (properties.busWidth, properties.numChannels) = (-1, -1);
        })
    }

    /// zesMemoryGetState
    pub fn zesMemoryGetState(hMemory: Handle<MemoryModule>, pState: Out<zes_mem_state_t>) {
        hMemory.check()?;
        let size = machine().memory_bytes;
        pState.fill(|state| {
            state.health = ZES_MEM_HEALTH_UNKNOWN;
            state.free = ::device::machine::available_bytes().map_or(size, |bytes| bytes.min(size));
            state.size = size;
        })
    }
}
