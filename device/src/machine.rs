//! What the machine is, read once: names, sizes and counts that device queries report and that the pool goes by.

use crate::clock;
use crate::features::Features;
use crate::os::affinity::CpuSet;
use crate::os::caches::Caches;
use crate::os::cgroup::Limits;
use crate::os::memory::{limits, page_bytes, physical_bytes};
use crate::os::processor::{frequency_mhz, numa_node_of};
use once_cell::race::OnceBox;

pub use crate::os::memory::available_bytes;
pub use crate::os::processor::main_id;

/// The facts about the machine, as far as this process may use it.
#[derive(Clone, Debug)]
pub struct Machine {
    /// The processor's name, as its maker writes it.
    pub name: String,
    /// The processor's maker.
    pub vendor: String,
    /// The maker's PCI vendor id (`CL_DEVICE_VENDOR_ID`).
    pub vendor_id: u32,
    /// Family, model and stepping as CPUID's leaf 1 packs them; 0 on other architectures.
    pub signature: u32,
    /// Its instruction set extensions.
    pub features: Features,
    /// Its data caches.
    pub caches: Caches,
    /// Bytes of memory, limits of control groups and of the process counted: `CL_DEVICE_GLOBAL_MEM_SIZE`.
    pub memory_bytes: u64,
    /// Bytes that one allocation may have: `CL_DEVICE_MAX_MEM_ALLOC_SIZE`.
    pub max_allocation_bytes: u64,
    /// Processors that the process may keep busy, by affinity, quota and `BROLGA_THREADS`: `CL_DEVICE_MAX_COMPUTE_UNITS`.
    pub compute_units: usize,
    /// MHz: `CL_DEVICE_MAX_CLOCK_FREQUENCY`; 0 where nobody tells.
    pub frequency_mhz: u32,
    /// Nanoseconds: `CL_DEVICE_PROFILING_TIMER_RESOLUTION`.
    pub timer_resolution_ns: u64,
    /// Bytes of a page.
    pub page_bytes: usize,
    cpus: CpuSet,
    /// What [`Machine::partition`] says of NUMA nodes and of each level of caches: reading it opens a dozen files a processor.
    partitions: [OnceBox<Vec<usize>>; 5],
}

/// What processors can have in common: the domains of `CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Domain {
    /// A NUMA node.
    Numa,
    /// A cache of level 1 to 4.
    Cache(u8),
}

/// The machine. Read at the first call; at several, if they come at the same time: nobody waits for a thread that a fork() could leave
/// behind.
pub fn machine() -> &'static Machine {
    static MACHINE: OnceBox<Machine> = OnceBox::new();
    MACHINE.get_or_init(|| Box::new(Machine::read()))
}

impl Machine {
    fn read() -> Machine {
        let limits = Limits::of_process();
        let cpus = CpuSet::of_process();
        let caches = Caches::of_cpu(cpus.iter().next().unwrap_or(0));
        let (name, vendor) = processor_names();
        let memory_bytes = memory_bytes(limits.memory);
        let threads = std::env::var("BROLGA_THREADS").ok();
        Machine {
            vendor_id: vendor_id(&vendor),
            name,
            vendor,
            signature: signature(),
            features: Features::detect(),
            caches,
            memory_bytes,
            max_allocation_bytes: max_allocation_bytes(memory_bytes),
            compute_units: compute_units(cpus.count(), limits.cpus, threads.as_deref()),
            frequency_mhz: frequency_mhz(),
            timer_resolution_ns: clock::resolution(),
            page_bytes: page_bytes(),
            cpus,
            partitions: Default::default(),
        }
    }

    /// The processors that the process may run on.
    pub(crate) fn cpus(&self) -> &CpuSet {
        &self.cpus
    }

    /// Are there more threads than processors, as `BROLGA_THREADS` may have it? Then one that waits awake keeps another from its work.
    pub(crate) fn is_oversubscribed(&self) -> bool {
        self.compute_units > self.cpus.count()
    }

    /// How the compute units fall into domains: a count for each domain, in order. One entry where the machine has one domain
    /// or does not tell, or where a quota makes compute units fewer than processors.
    pub fn partition(&self, domain: Domain) -> &[usize] {
        let known = match domain {
            Domain::Numa => self.partitions.first(),
            Domain::Cache(0) => None,
            Domain::Cache(level) => self.partitions.get(usize::from(level)),
        };
        match known {
            Some(partition) => partition.get_or_init(|| Box::new(self.read_partition(domain))),
            None => std::slice::from_ref(&self.compute_units),
        }
    }

    /// The most `inner` domains that processors of one `outer` domain belong to; 1 where [`Machine::partition`] tells nothing of either.
    pub fn most_within(&self, outer: Domain, inner: Domain) -> usize {
        if self.partition(inner).len() < 2 {
            return 1;
        }
        if self.partition(outer).len() < 2 {
            return self.partition(inner).len();
        }
        most_within(self.cpus.iter().map(|cpu| (members(outer, cpu), members(inner, cpu))))
    }

    /// The family, model and stepping that [`Machine::signature`] packs. The extended parts count where the base has no room for more.
    pub fn family_model_stepping(&self) -> (u32, u32, u32) {
        unpack(self.signature)
    }

    fn read_partition(&self, domain: Domain) -> Vec<usize> {
        let mut groups: Vec<(Vec<usize>, usize)> = Vec::new();
        for cpu in self.cpus.iter() {
            let members = members(domain, cpu);
            match groups.iter_mut().find(|(known, _)| *known == members) {
                Some((_, count)) => *count += 1,
                None => groups.push((members, 1)),
            }
        }
        let counts: Vec<usize> = groups.into_iter().map(|(_, count)| count).collect();
        if counts.iter().sum::<usize>() == self.compute_units {
            counts
        } else {
            vec![self.compute_units]
        }
    }
}

/// The processors that have a domain in common with this one.
fn members(domain: Domain, cpu: usize) -> Vec<usize> {
    match domain {
        Domain::Numa => numa_node_of(cpu),
        Domain::Cache(level) => Caches::of_cpu(cpu)
            .shared_by
            .into_iter()
            .nth(usize::from(level).wrapping_sub(1))
            .unwrap_or_default(),
    }
}

/// The most different `inner` domains that one `outer` domain has, of processors with one of each.
fn most_within(domains: impl Iterator<Item = (Vec<usize>, Vec<usize>)>) -> usize {
    let mut found: Vec<(Vec<usize>, Vec<Vec<usize>>)> = Vec::new();
    for (outer, inner) in domains {
        match found.iter_mut().find(|(known, _)| *known == outer) {
            Some((_, inners)) if inners.contains(&inner) => {}
            Some((_, inners)) => inners.push(inner),
            None => found.push((outer, vec![inner])),
        }
    }
    found.iter().map(|(_, inners)| inners.len()).max().unwrap_or(1)
}

/// One compute unit a processor, no more than the quota (rounded up), no fewer than one; a number in `BROLGA_THREADS` rules.
fn compute_units(cpus: usize, quota: Option<f64>, threads: Option<&str>) -> usize {
    if let Some(threads) = threads
        .and_then(|text| text.trim().parse::<usize>().ok())
        .filter(|&threads| threads > 0)
    {
        return threads.min(4096);
    }
    quota.map_or(cpus, |quota| cpus.min(quota.ceil() as usize)).max(1)
}

/// Physical memory, less where a control group or a limit of the process says so.
fn memory_bytes(cgroup: Option<u64>) -> u64 {
    let physical = physical_bytes().max(64 << 20);
    limits().into_iter().chain([cgroup]).flatten().fold(physical, u64::min)
}

/// At least the minimum of §4.2: a quarter of the memory. Half of it can be had in one piece on any machine that is not full.
fn max_allocation_bytes(memory_bytes: u64) -> u64 {
    (memory_bytes / 2) & !0xffff
}

/// Family, model and stepping of a signature: Intel's manual, volume 2, CPUID, leaf 1.
fn unpack(signature: u32) -> (u32, u32, u32) {
    let bits = |from: u32, count: u32| signature >> from & ((1 << count) - 1);
    let (family, model) = (bits(8, 4), bits(4, 4));
    (
        if family == 0xf { family + bits(20, 8) } else { family },
        if matches!(family, 6 | 0xf) {
            bits(16, 4) << 4 | model
        } else {
            model
        },
        bits(0, 4),
    )
}

#[cfg(target_arch = "x86_64")]
fn signature() -> u32 {
    std::arch::x86_64::__cpuid(1).eax
}

#[cfg(not(target_arch = "x86_64"))]
fn signature() -> u32 {
    0
}

#[cfg(target_arch = "x86_64")]
fn processor_names() -> (String, String) {
    use std::arch::x86_64::__cpuid;
    let text = |words: &[u32]| {
        let bytes: Vec<u8> = words
            .iter()
            .flat_map(|word| word.to_le_bytes())
            .take_while(|&byte| byte != 0)
            .collect();
        String::from_utf8_lossy(&bytes).split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let leaf = __cpuid(0);
    let vendor = text(&[leaf.ebx, leaf.edx, leaf.ecx]);
    let mut name = String::new();
    if __cpuid(0x8000_0000).eax >= 0x8000_0004 {
        let words: Vec<u32> = (0x8000_0002..=0x8000_0004)
            .map(__cpuid)
            .flat_map(|leaf| [leaf.eax, leaf.ebx, leaf.ecx, leaf.edx])
            .collect();
        name = text(&words);
    }
    (if name.is_empty() { "x86-64 processor".into() } else { name }, vendor)
}

#[cfg(not(target_arch = "x86_64"))]
fn processor_names() -> (String, String) {
    let (name, maker) = crate::os::processor::names();
    let vendor = match maker.as_deref() {
        Some("0x41") => "ARM",
        Some("0x61") => "Apple",
        Some("0xc0") => "Ampere",
        Some("0x51") => "Qualcomm",
        _ => "unknown",
    };
    (
        name.unwrap_or_else(|| format!("{} processor", std::env::consts::ARCH)),
        vendor.into(),
    )
}

/// PCI vendor ids (the PCI ID repository).
fn vendor_id(vendor: &str) -> u32 {
    match vendor {
        "GenuineIntel" => 0x8086,
        "AuthenticAMD" => 0x1022,
        "HygonGenuine" => 0x1d94,
        "ARM" => 0x13b5,
        "Apple" => 0x106b,
        "Ampere" => 0x1def,
        "Qualcomm" => 0x17cb,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compute_units_honour_quota_and_wish() {
        assert_eq!(compute_units(8, None, None), 8);
        assert_eq!(compute_units(8, Some(1.5), None), 2);
        assert_eq!(compute_units(8, Some(0.1), None), 1);
        assert_eq!(compute_units(2, Some(64.0), None), 2);
        assert_eq!(compute_units(2, None, Some("5")), 5);
        assert_eq!(compute_units(2, None, Some("0")), 2);
        assert_eq!(compute_units(2, None, Some("many")), 2);
    }

    #[test]
    fn the_facts_hang_together() {
        let machine = machine();
        assert!(!machine.name.is_empty());
        assert!(machine.memory_bytes >= machine.max_allocation_bytes);
        assert!(machine.max_allocation_bytes >= machine.memory_bytes / 4);
        assert!(machine.page_bytes.is_power_of_two());
        for domain in [Domain::Numa, Domain::Cache(1), Domain::Cache(3), Domain::Cache(0), Domain::Cache(9)] {
            assert_eq!(machine.partition(domain).iter().sum::<usize>(), machine.compute_units);
        }
    }

    #[test]
    fn signatures_unpack() {
        // A Zen 4, a Sapphire Rapids, a Pentium MMX.
        assert_eq!(unpack(0x00a1_0f11), (0x19, 0x11, 1));
        assert_eq!(unpack(0x0008_06f8), (6, 0x8f, 8));
        assert_eq!(unpack(0x0000_0543), (5, 4, 3));
    }

    #[test]
    fn domains_within_domains() {
        let within = |pairs: &[(usize, usize)]| most_within(pairs.iter().map(|&(outer, inner)| (vec![outer], vec![inner])));
        assert_eq!(within(&[(0, 0), (0, 0), (0, 2), (1, 3)]), 2);
        // A cache that two nodes share.
        assert_eq!(within(&[(0, 0), (1, 0)]), 1);
        assert_eq!(within(&[]), 1);
        assert!(machine().most_within(Domain::Numa, Domain::Cache(3)) >= 1);
    }

    #[test]
    fn a_control_group_lowers_memory() {
        assert_eq!(memory_bytes(Some(32 << 20)), 32 << 20);
        assert!(memory_bytes(None) > 32 << 20);
    }
}
