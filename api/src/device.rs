//! Devices and sub-devices: §4.2 "Querying Devices" and §4.3 "Partitioning a Device".

use crate::cl::*;
use crate::error::{Result, fail_if};
use crate::handle::{self, Handle, Kind, Object, lookup, publish};
use crate::machine;
use crate::raw::{In, Out};
use core::ops::Range;
use std::sync::Arc;

/// The machine's processors, or some of them.
#[derive(Debug)]
pub struct Device {
    handle: Handle,
    /// The device that it is a part of.
    pub parent: Option<Arc<Device>>,
    /// Which of the machine's compute units it has.
    pub units: Range<u32>,
    /// CL_DEVICE_PARTITION_TYPE: how it was made, as clCreateSubDevices was told.
    pub partition: Vec<cl_device_partition_property>,
}

impl Object for Device {
    const KIND: Kind = Kind::Device;
    const INVALID: cl_int = CL_INVALID_DEVICE;
    fn handle(&self) -> &Handle {
        &self.handle
    }
}

impl Device {
    /// The root device: every compute unit of the process.
    pub fn root() -> Device {
        Device {
            handle: Handle::default(),
            parent: None,
            units: 0..machine::compute_units(),
            partition: Vec::new(),
        }
    }

    /// What the application holds of it.
    pub fn id(&self) -> cl_device_id {
        self.handle.as_ptr()
    }

    /// CL_DEVICE_MAX_COMPUTE_UNITS
    pub fn compute_units(&self) -> u32 {
        self.units.end - self.units.start
    }
}

/// The devices of a list, for functions that answer CL_INVALID_DEVICE if one of them is not a device.
pub fn from_list(devices: &[cl_device_id]) -> Result<Vec<Arc<Device>>> {
    devices.iter().map(|&id| Ok(lookup::<Device>(id)?.clone())).collect()
}

/// clRetainDevice: counts for sub-devices alone.
pub fn retain_device(device: cl_device_id) -> Result<()> {
    match lookup::<Device>(device)?.parent {
        Some(_) => handle::retain::<Device>(device),
        None => Ok(()),
    }
}

/// clReleaseDevice
pub fn release_device(device: cl_device_id) -> Result<()> {
    match lookup::<Device>(device)?.parent {
        Some(_) => handle::release::<Device>(device),
        None => Ok(()),
    }
}

/// clCreateSubDevices
pub fn create_sub_devices(
    in_device: cl_device_id,
    properties: In<cl_device_partition_property>,
    num_devices: cl_uint,
    out_devices: Out<cl_device_id>,
    num_devices_ret: Out<cl_uint>,
) -> Result<()> {
    // CL_INVALID_DEVICE if in_device is not a valid device.
    let device = lookup::<Device>(in_device)?;
    let partition = Partition::parse(properties)?;
    let (partition, counts) = partition.of(&device)?;
    // CL_INVALID_VALUE if out_devices is not NULL and num_devices is less than the number of sub-devices created by the partition scheme.
    fail_if(!out_devices.is_null() && (num_devices as usize) < counts.len(), CL_INVALID_VALUE)?;
    if !out_devices.is_null() {
        let mut first = device.units.start;
        for (index, count) in counts.iter().enumerate() {
            let sub_device = Arc::new(Device {
                handle: Handle::default(),
                parent: Some(device.clone()),
                units: first..first + count,
                partition: partition.properties(),
            });
            first += count;
            out_devices.write_at(index, publish(sub_device)?);
        }
    }
    num_devices_ret.write(counts.len() as cl_uint);
    Ok(())
}

/// CL_DEVICE_PARTITION_AFFINITY_DOMAIN: the domains that divide the device.
pub fn affinity_domains(device: &Device) -> cl_device_affinity_domain {
    let domains = machine::AFFINITY_DOMAINS.into_iter();
    let mut all = domains
        .filter(|&(_, domain)| partition_by(device, domain).len() > 1)
        .fold(0, |all, (bit, _)| all | bit);
    if all != 0 {
        all |= CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE;
    }
    all
}

/// How a device divides by a domain: compute units of each part. Only the root device is divided so.
pub fn partition_by(device: &Device, domain: machine::Domain) -> Vec<u32> {
    match device.parent {
        None => machine::partition(domain),
        Some(_) => Vec::new(),
    }
}

/// What clCreateSubDevices is asked for.
enum Partition {
    Equally(cl_device_partition_property),
    ByCounts(Vec<cl_device_partition_property>),
    ByAffinityDomain(cl_device_partition_property),
}

impl Partition {
    fn parse(properties: In<cl_device_partition_property>) -> Result<Partition> {
        // CL_INVALID_VALUE if values specified in properties are not valid.
        match properties.get().ok_or(CL_INVALID_VALUE)? as cl_uint {
            CL_DEVICE_PARTITION_EQUALLY => {
                let list = properties.list(3).ok_or(CL_INVALID_VALUE)?;
                fail_if(list[1] <= 0 || list[2] != 0, CL_INVALID_VALUE)?;
                Ok(Partition::Equally(list[1]))
            }
            CL_DEVICE_PARTITION_BY_COUNTS => {
                let counts = properties.until_zero().ok_or(CL_INVALID_VALUE)?;
                Ok(Partition::ByCounts(counts[1..counts.len() - 1].to_vec()))
            }
            CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN => {
                let list = properties.list(3).ok_or(CL_INVALID_VALUE)?;
                fail_if(list[2] != 0, CL_INVALID_VALUE)?;
                Ok(Partition::ByAffinityDomain(list[1]))
            }
            _ => Err(CL_INVALID_VALUE),
        }
    }

    /// What a device is asked for comes to: the partition that is made, and the compute units of each sub-device.
    fn of(self, device: &Device) -> Result<(Partition, Vec<u32>)> {
        let units = device.compute_units();
        let counts = match &self {
            Partition::Equally(count) => {
                // CL_INVALID_DEVICE_PARTITION_COUNT if the number of compute units requested exceeds CL_DEVICE_MAX_COMPUTE_UNITS.
                let count = u32::try_from(*count).map_err(|_| CL_INVALID_DEVICE_PARTITION_COUNT)?;
                fail_if(count > units, CL_INVALID_DEVICE_PARTITION_COUNT)?;
                // CL_DEVICE_PARTITION_FAILED if the partition name is supported but in_device could not be further partitioned.
                fail_if(count == units, CL_DEVICE_PARTITION_FAILED)?;
                vec![count; (units / count) as usize]
            }
            Partition::ByCounts(counts) => {
                // CL_INVALID_DEVICE_PARTITION_COUNT if the partition name is CL_DEVICE_PARTITION_BY_COUNTS and the number of sub-devices
                // requested exceeds CL_DEVICE_PARTITION_MAX_SUB_DEVICES
                fail_if(
                    counts.is_empty() || counts.len() > units as usize,
                    CL_INVALID_DEVICE_PARTITION_COUNT,
                )?;
                // or the total number of compute units requested exceeds CL_DEVICE_MAX_COMPUTE_UNITS for in_device, or the number of
                // compute units requested for one or more sub-devices is less than zero.
                fail_if(
                    counts.iter().any(|&count| count < 0 || count > units as isize),
                    CL_INVALID_DEVICE_PARTITION_COUNT,
                )?;
                fail_if(counts.iter().sum::<isize>() > units as isize, CL_INVALID_DEVICE_PARTITION_COUNT)?;
                fail_if(units < 2, CL_DEVICE_PARTITION_FAILED)?;
                counts.iter().map(|&count| count as u32).collect()
            }
            Partition::ByAffinityDomain(wanted) => {
                // CL_INVALID_VALUE if values specified in properties are valid but not supported by the device,
                fail_if(affinity_domains(device) == 0, CL_INVALID_VALUE)?;
                // or if the domain is none. "The next level at which the device can be subdivided" is the widest that does.
                let wanted = *wanted as cl_device_affinity_domain;
                let next = wanted == CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE;
                let mut domains = machine::AFFINITY_DOMAINS
                    .into_iter()
                    .filter(|(bit, _)| next || *bit == wanted)
                    .peekable();
                fail_if(domains.peek().is_none(), CL_INVALID_VALUE)?;
                let mut partitions = domains.map(|(bit, domain)| (bit, partition_by(device, domain)));
                // CL_DEVICE_PARTITION_FAILED if the partition name is supported but in_device could not be further partitioned.
                let found = partitions.find(|(_, counts)| counts.len() > 1);
                let (used, counts) = found.ok_or(CL_DEVICE_PARTITION_FAILED)?;
                return Ok((Partition::ByAffinityDomain(used as cl_device_partition_property), counts));
            }
        };
        Ok((self, counts))
    }

    /// As CL_DEVICE_PARTITION_TYPE reports it: "the properties argument specified in clCreateSubDevices"; of a domain, "the affinity domain used
    /// to perform the partition".
    ///
    /// Of counts that is both zeros: the list of counts is "terminated with 0 or CL_DEVICE_PARTITION_BY_COUNTS_LIST_END", and the properties
    /// "list is terminated with 0" as well; clCreateSubDevices' example has both. The conformance tests compare as many entries as are
    /// returned. (Intel's runtime and PoCL leave out the last.)
    fn properties(&self) -> Vec<cl_device_partition_property> {
        match self {
            Partition::Equally(count) => vec![CL_DEVICE_PARTITION_EQUALLY as isize, *count, 0],
            Partition::ByCounts(counts) => {
                let mut list = vec![CL_DEVICE_PARTITION_BY_COUNTS as isize];
                list.extend(counts);
                list.extend([CL_DEVICE_PARTITION_BY_COUNTS_LIST_END as isize, 0]);
                list
            }
            Partition::ByAffinityDomain(domain) => vec![CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN as isize, *domain, 0],
        }
    }
}

/// clGetDeviceAndHostTimer: device and host have the same clock.
pub fn get_device_and_host_timer(device: cl_device_id, device_timestamp: Out<cl_ulong>, host_timestamp: Out<cl_ulong>) -> Result<()> {
    // CL_INVALID_DEVICE if device is not a valid device.
    lookup::<Device>(device)?;
    // CL_INVALID_VALUE if host_timestamp or device_timestamp is NULL.
    fail_if(device_timestamp.is_null() || host_timestamp.is_null(), CL_INVALID_VALUE)?;
    let now = machine::nanoseconds();
    device_timestamp.write(now);
    host_timestamp.write(now);
    Ok(())
}

/// clGetHostTimer
pub fn get_host_timer(device: cl_device_id, host_timestamp: Out<cl_ulong>) -> Result<()> {
    // CL_INVALID_DEVICE if device is not a valid device.
    lookup::<Device>(device)?;
    // CL_INVALID_VALUE if host_timestamp is NULL.
    fail_if(host_timestamp.is_null(), CL_INVALID_VALUE)?;
    host_timestamp.write(machine::nanoseconds());
    Ok(())
}
