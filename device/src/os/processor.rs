//! What the system says of processors: their names, how fast they are, and which are near each other.

use super::affinity::parse_list;
use std::fs;

/// The processors of the NUMA node that a processor belongs to; empty where the system does not tell.
pub(crate) fn numa_node_of(cpu: usize) -> Vec<usize> {
    fs::read_dir("/sys/devices/system/node")
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|node| fs::read_to_string(node.path().join("cpulist")).ok())
        .map(|list| parse_list(&list))
        .find(|cpus| cpus.contains(&cpu))
        .unwrap_or_default()
}

/// MHz: the highest frequency that cpufreq knows, or else the one that `/proc/cpuinfo` shows now; 0 where neither tells.
pub(crate) fn frequency_mhz() -> u32 {
    let fastest = fs::read_to_string("/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq").ok();
    if let Some(khz) = fastest.and_then(|text| text.trim().parse::<u64>().ok()) {
        return (khz / 1000) as u32;
    }
    let shown = cpuinfo_field(&cpuinfo(), "cpu MHz").and_then(|text| text.parse::<f64>().ok());
    shown.map_or(0, |mhz| mhz.round() as u32)
}

/// The name of the processor, and the number of its maker as Arm gives them (`CPU implementer`), where the system tells. On an x86 the processor does.
#[cfg(not(target_arch = "x86_64"))]
pub(crate) fn names() -> (Option<String>, Option<String>) {
    let cpuinfo = cpuinfo();
    ["model name", "CPU implementer"]
        .map(|field| cpuinfo_field(&cpuinfo, field).map(String::from))
        .into()
}

/// MIDR_EL1 of the first processor of an aarch64 (Arm Architecture Reference Manual, D19.2.97), which only the system can read.
pub fn main_id() -> Option<u64> {
    let text = fs::read_to_string("/sys/devices/system/cpu/cpu0/regs/identification/midr_el1").ok()?;
    u64::from_str_radix(text.trim().trim_start_matches("0x"), 16).ok()
}

fn cpuinfo() -> String {
    fs::read_to_string("/proc/cpuinfo").unwrap_or_default()
}

fn cpuinfo_field<'a>(cpuinfo: &'a str, field: &str) -> Option<&'a str> {
    cpuinfo
        .lines()
        .filter_map(|line| line.split_once(':'))
        .find(|(name, _)| name.trim() == field)
        .map(|(_, value)| value.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_of_cpuinfo_are_read() {
        assert_eq!(cpuinfo_field("processor : 0\ncpu MHz\t\t: 2445.4\n", "cpu MHz"), Some("2445.4"));
        assert_eq!(cpuinfo_field("processor : 0\n", "cpu MHz"), None);
    }
}
