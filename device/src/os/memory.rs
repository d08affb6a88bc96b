//! How much memory there is, and in pieces of which size.

/// Bytes of memory that the machine has; 0 where the system does not say.
pub(crate) fn physical_bytes() -> u64 {
    // SAFETY: sysconf only reads its argument.
    let pages = u64::try_from(unsafe { libc::sysconf(libc::_SC_PHYS_PAGES) }).unwrap_or(0);
    pages.saturating_mul(page_bytes() as u64)
}

/// Bytes of memory that can be had without anybody being swapped out (`MemAvailable`); `None` where the system does not say.
pub fn available_bytes() -> Option<u64> {
    let table = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = table.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}

/// The process's own limits (setrlimit): bytes of addresses, and of data.
pub(crate) fn limits() -> [Option<u64>; 2] {
    [address_space(), resource_limit(libc::RLIMIT_DATA)]
}

/// Bytes of addresses that the process may have, where that is limited (`ulimit -v`).
pub fn address_space() -> Option<u64> {
    resource_limit(libc::RLIMIT_AS)
}

#[cfg(any(target_env = "gnu", target_env = ""))]
type Resource = libc::__rlimit_resource_t;
#[cfg(not(any(target_env = "gnu", target_env = "")))]
type Resource = libc::c_int;

fn resource_limit(resource: Resource) -> Option<u64> {
    let mut limit = libc::rlimit {
        rlim_cur: libc::RLIM_INFINITY,
        rlim_max: libc::RLIM_INFINITY,
    };
    // SAFETY: `limit` is an rlimit that the call may write to.
    unsafe { libc::getrlimit(resource, &mut limit) };
    (limit.rlim_cur != libc::RLIM_INFINITY).then_some(limit.rlim_cur)
}

/// Bytes of a page.
pub(crate) fn page_bytes() -> usize {
    // SAFETY: sysconf only reads its argument.
    usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap_or(4096)
}
