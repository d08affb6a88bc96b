//! The device: the machine, as far as the process may use it.

use crate::driver::Driver;
use crate::error::entry;
use crate::handle::{Handle, publish};
use crate::pointer::{Out, list};
use crate::ze::*;
use ::device::clock;
use once_cell::race::OnceBox;
use std::sync::Arc;

/// The device.
pub struct Device {
    /// As of [`Driver`].
    _place: u8,
}

/// The device's handle.
pub fn device() -> Handle<Device> {
    static DEVICE: OnceBox<Arc<Device>> = OnceBox::new();
    let device = DEVICE.get_or_init(|| {
        let device = Arc::new(Device { _place: 0 });
        publish(device.clone());
        Box::new(device)
    });
    Handle::of(device)
}

/// Threads that may run a launch.
pub fn compute_units() -> u32 {
    ::device::machine::machine().compute_units as u32
}

entry! {
    /// zeDeviceGet
    pub fn zeDeviceGet(hDriver: Handle<Driver>, pCount: Out<u32>, phDevices: Out<Handle<Device>>) {
        hDriver.check()?;
        list(pCount, phDevices, [device()].into_iter())
    }

    /// zeDeviceGetRootDevice: the device is none's part.
    pub fn zeDeviceGetRootDevice(hDevice: Handle<Device>, phRootDevice: Out<Handle<Device>>) {
        hDevice.check()?;
        phRootDevice.write(Handle::NULL)
    }

    /// zeDeviceGetSubDevices: there are none.
    pub fn zeDeviceGetSubDevices(hDevice: Handle<Device>, pCount: Out<u32>, phSubdevices: Out<Handle<Device>>) {
        hDevice.check()?;
        list(pCount, phSubdevices, [].into_iter())
    }

    /// zeDeviceGetP2PProperties
    pub fn zeDeviceGetP2PProperties(hDevice: Handle<Device>, hPeerDevice: Handle<Device>, pP2PProperties: Out<ze_device_p2p_properties_t>) {
        hDevice.check()?;
        hPeerDevice.check()?;
        // The only peer is the device itself, whose memory it accesses without any means between devices.
        pP2PProperties.fill(|properties| properties.flags = 0)
    }

    /// zeDeviceCanAccessPeer: "[a] device can access its own memory".
    pub fn zeDeviceCanAccessPeer(hDevice: Handle<Device>, hPeerDevice: Handle<Device>, value: Out<ze_bool_t>) {
        hDevice.check()?;
        hPeerDevice.check()?;
        value.write(1)
    }

    /// zeDeviceGetStatus: a processor that is lost asks nothing.
    pub fn zeDeviceGetStatus(hDevice: Handle<Device>) {
        hDevice.check()
    }

    /// zeDeviceGetGlobalTimestamps: one clock for both.
    pub fn zeDeviceGetGlobalTimestamps(hDevice: Handle<Device>, hostTimestamp: Out<u64>, deviceTimestamp: Out<u64>) {
        hDevice.check()?;
        hostTimestamp.check()?;
        let now = clock::now();
        hostTimestamp.write(now)?;
        deviceTimestamp.write(now)
    }
}
