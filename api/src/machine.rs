//! What the object model asks of the machine: one function a fact.

use crate::cl::*;
pub use ::device::machine::Domain;
use ::device::machine::machine;

/// Alignment of buffers and sub-buffers: the size of the largest type, long16.
pub const MEMORY_ALIGNMENT: usize = 128;

/// The affinity domains, the widest first.
pub const AFFINITY_DOMAINS: [(cl_device_affinity_domain, Domain); 5] = [
    (CL_DEVICE_AFFINITY_DOMAIN_NUMA, Domain::Numa),
    (CL_DEVICE_AFFINITY_DOMAIN_L4_CACHE, Domain::Cache(4)),
    (CL_DEVICE_AFFINITY_DOMAIN_L3_CACHE, Domain::Cache(3)),
    (CL_DEVICE_AFFINITY_DOMAIN_L2_CACHE, Domain::Cache(2)),
    (CL_DEVICE_AFFINITY_DOMAIN_L1_CACHE, Domain::Cache(1)),
];

/// Compute units of each part that a domain divides the machine into.
pub fn partition(domain: Domain) -> Vec<u32> {
    machine().partition(domain).iter().map(|&units| units as u32).collect()
}

/// Processors that the process may keep busy.
pub fn compute_units() -> u32 {
    machine().compute_units as u32
}

/// The processor's name.
pub fn name() -> &'static str {
    &machine().name
}

/// The PCI vendor id of the processor's maker.
pub fn vendor_id() -> u32 {
    machine().vendor_id
}

/// The processor's signature as CPUID has it; 0 where there is no CPUID.
pub fn signature() -> u32 {
    machine().signature
}

/// The processor's family, model and stepping.
pub fn family_model_stepping() -> (u32, u32, u32) {
    machine().family_model_stepping()
}

/// The most caches of level 3 that processors of one NUMA node have among them.
pub fn caches_of_a_node() -> u32 {
    machine().most_within(Domain::Numa, Domain::Cache(3)) as u32
}

/// Work-items of a full gang.
pub fn gang_width() -> u32 {
    compiler::kernel::preferred_gang_width()
}

/// The gang widths that a kernel may ask for.
pub fn gang_widths() -> Vec<usize> {
    compiler::GANG_WIDTHS.map(|width| width as usize).to_vec()
}

/// Bytes of memory.
pub fn memory_bytes() -> u64 {
    machine().memory_bytes
}

/// Bytes that one allocation may have.
pub fn max_allocation_bytes() -> u64 {
    machine().max_allocation_bytes
}

/// Bytes of a cache line.
pub fn cache_line_bytes() -> u32 {
    machine().caches.line as u32
}

/// Bytes of the last cache.
pub fn cache_bytes() -> u64 {
    machine().caches.last_level()
}

/// The processor's clock.
pub fn clock_megahertz() -> u32 {
    machine().frequency_mhz
}

/// Nanoseconds between two times that the clock can tell apart.
pub fn timer_resolution() -> u64 {
    machine().timer_resolution_ns
}

/// The clock of device and host.
pub fn nanoseconds() -> u64 {
    ::device::clock::now()
}
