//! What the driver gets from the machine: processors, memory, a compiler for OpenCL C, a directory for its cache.

use super::Finding;
use compiler::source::cache::{Cache, Location, location};
use device::cgroup::Limits;
use device::machine::machine;

const MACHINE: &str = "Machine";
const COMPILER: &str = "OpenCL C";
const CACHE: &str = "Cache";

/// All of that.
pub fn findings() -> Vec<Finding> {
    let mut findings = processors();
    findings.push(compiler());
    findings.push(cache());
    findings
}

fn processors() -> Vec<Finding> {
    let (machine, limits) = (machine(), Limits::of_process());
    let online = std::fs::read_to_string("/proc/cpuinfo").map_or(0, |text| text.matches("processor\t:").count());
    let what = format!(
        "{}: {} of {online} processors are compute units",
        machine.name, machine.compute_units
    );
    let mut findings = vec![if machine.compute_units >= online {
        Finding::good(MACHINE, what)
    } else {
        Finding::note(
            MACHINE,
            what,
            "if that is too few: see BROLGA_THREADS, the affinity of the process (taskset -p), and the quota of its control group",
        )
    }];
    if let Some(quota) = limits.cpus {
        findings.push(Finding::note(
            MACHINE,
            format!("a control group allows {quota} processors' time"),
            "",
        ));
    }
    let mib = machine.memory_bytes >> 20;
    findings.push(if mib < 256 {
        Finding::note(
            MACHINE,
            format!("{mib} MiB of memory for all buffers"),
            "give the container or the process more memory",
        )
    } else {
        Finding::good(MACHINE, format!("{mib} MiB of memory for all buffers"))
    });
    if let Some(bytes) = limits.memory {
        findings.push(Finding::note(
            MACHINE,
            format!("a control group allows {} MiB of memory", bytes >> 20),
            "",
        ));
    }
    findings
}

fn compiler() -> Finding {
    match compiler::source::clang() {
        Ok(clang) => Finding::good(COMPILER, format!("clang {} is {}", clang.version, clang.path.display())),
        Err(advice) => Finding::note(COMPILER, "no clang that the driver can use", advice),
    }
}

fn cache() -> Finding {
    let Location::At(path) = location() else {
        return Finding::note(CACHE, crate::cache::missing(), "programs are compiled anew in each process");
    };
    let Some(cache) = Cache::at(&path, u64::MAX) else {
        let cure = format!("chown and chmod 700 {}, or set BROLGA_CACHE to another directory", path.display());
        return Finding::note(CACHE, crate::cache::missing(), cure);
    };
    let probe = path.join(format!("doctor-{}.tmp", std::process::id()));
    let written = std::fs::write(&probe, b"probe");
    let _ = std::fs::remove_file(&probe);
    match written {
        Ok(()) => Finding::good(CACHE, format!("{} entries in {}", cache.entries().len(), path.display())),
        Err(error) => Finding::note(
            CACHE,
            format!("{} can't be written to: {error}", path.display()),
            "make room or give permission, or set BROLGA_CACHE to another directory",
        ),
    }
}
