//! The data caches of a processor, from sysfs; from the C library or typical sizes where sysfs is silent (containers, gVisor).

use super::affinity::parse_list;
use std::fs;

/// Sizes in bytes; 0 for a level that is not there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Caches {
    /// Level 1, data.
    pub l1: u64,
    /// Level 2.
    pub l2: u64,
    /// Level 3.
    pub l3: u64,
    /// Level 4.
    pub l4: u64,
    /// Bytes of a cache line.
    pub line: u64,
    /// For each level, 1 to 4: the processors that share the first processor's cache.
    pub shared_by: [Vec<usize>; 4],
}

impl Caches {
    /// The caches of a processor.
    pub fn of_cpu(cpu: usize) -> Caches {
        let mut caches = Caches {
            l1: 0,
            l2: 0,
            l3: 0,
            l4: 0,
            line: 0,
            shared_by: Default::default(),
        };
        for index in 0..16 {
            let read = |name: &str| fs::read_to_string(format!("/sys/devices/system/cpu/cpu{cpu}/cache/index{index}/{name}")).ok();
            let Some(level) = read("level").and_then(|text| text.trim().parse::<usize>().ok()) else {
                break;
            };
            if read("type").is_some_and(|kind| kind.trim() == "Instruction") {
                continue;
            }
            let size = read("size").and_then(|text| parse_size(&text)).unwrap_or(0);
            if let Some(slot) = [&mut caches.l1, &mut caches.l2, &mut caches.l3, &mut caches.l4]
                .into_iter()
                .nth(level.wrapping_sub(1))
            {
                *slot = size;
                caches.shared_by[level - 1] = parse_list(&read("shared_cpu_list").unwrap_or_default());
            }
            if let Some(line) = read("coherency_line_size").and_then(|text| text.trim().parse().ok()) {
                caches.line = line;
            }
        }
        caches.fill_gaps();
        caches
    }

    fn fill_gaps(&mut self) {
        let ask = |name| {
            // SAFETY: sysconf only reads its argument.
            let value = unsafe { libc::sysconf(name) };
            u64::try_from(value).unwrap_or(0)
        };
        let or = |value: &mut u64, known: u64, typical: u64| {
            if *value == 0 {
                *value = if known != 0 { known } else { typical };
            }
        };
        #[cfg(target_env = "gnu")]
        let known = [
            libc::_SC_LEVEL1_DCACHE_SIZE,
            libc::_SC_LEVEL2_CACHE_SIZE,
            libc::_SC_LEVEL1_DCACHE_LINESIZE,
        ]
        .map(ask);
        #[cfg(not(target_env = "gnu"))]
        let known = [0; 3];
        or(&mut self.l1, known[0], 32 << 10);
        or(&mut self.l2, known[1], 512 << 10);
        or(&mut self.line, known[2], 64);
    }

    /// The size of the outermost cache: what a stream of data must exceed before it is worth bypassing the caches.
    pub fn last_level(&self) -> u64 {
        [self.l4, self.l3, self.l2, self.l1]
            .into_iter()
            .find(|&size| size != 0)
            .unwrap_or(0)
    }
}

/// `32K`, `8M`, or bytes.
fn parse_size(text: &str) -> Option<u64> {
    let text = text.trim();
    let digits = text.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
    let unit = match &text[digits.len()..] {
        "" => 1,
        "K" => 1 << 10,
        "M" => 1 << 20,
        "G" => 1 << 30,
        _ => return None,
    };
    digits.parse::<u64>().ok()?.checked_mul(unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read() {
        assert_eq!(parse_size("32K\n"), Some(32768));
        assert_eq!(parse_size("8M"), Some(8 << 20));
        assert_eq!(parse_size("123"), Some(123));
        assert_eq!(parse_size("1X"), None);
    }

    #[test]
    fn there_is_always_a_first_level() {
        for cpu in [0, 100_000] {
            let caches = Caches::of_cpu(cpu);
            assert!(caches.l1 >= 4096 && caches.line >= 16 && caches.line.is_power_of_two());
            assert!(caches.last_level() >= caches.l1);
        }
    }
}
