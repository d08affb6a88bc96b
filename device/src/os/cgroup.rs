//! What control groups allow this process: processor time (quota) and memory, in versions 1 and 2 of the interface.
//!
//! A limit anywhere on the way from the process's group to the root counts, so every ancestor is asked.

use std::fs;
use std::path::{Path, PathBuf};

/// The limits that hold for this process.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Limits {
    /// Processors' worth of time, as quota / period; `None` without a limit.
    pub cpus: Option<f64>,
    /// Bytes of memory; `None` without a limit.
    pub memory: Option<u64>,
}

impl Limits {
    /// The limits of the calling process.
    pub fn of_process() -> Limits {
        let read = |path: &str| fs::read_to_string(path).unwrap_or_default();
        Limits::from_text(&read("/proc/self/cgroup"), &read("/proc/self/mountinfo"))
    }

    fn from_text(membership: &str, mountinfo: &str) -> Limits {
        let mut limits = Limits::default();
        for mount in mountinfo.lines().filter_map(Mount::parse) {
            for directory in mount.directories(membership) {
                limits.tighten(&mount, &directory);
            }
        }
        limits
    }

    fn tighten(&mut self, mount: &Mount, directory: &Path) {
        let read = |name: &str| fs::read_to_string(directory.join(name)).ok();
        let (cpus, memory) = if mount.unified {
            (
                read("cpu.max").and_then(|text| quota_v2(&text)),
                read("memory.max").and_then(|text| memory(&text)),
            )
        } else {
            let quota = if mount.serves("cpu") {
                read("cpu.cfs_quota_us")
                    .zip(read("cpu.cfs_period_us"))
                    .and_then(|(quota, period)| quota_v1(&quota, &period))
            } else {
                None
            };
            let bytes = if mount.serves("memory") {
                read("memory.limit_in_bytes").and_then(|text| memory(&text))
            } else {
                None
            };
            (quota, bytes)
        };
        if let Some(cpus) = cpus {
            self.cpus = Some(self.cpus.map_or(cpus, |old| old.min(cpus)));
        }
        if let Some(bytes) = memory {
            self.memory = Some(self.memory.map_or(bytes, |old| old.min(bytes)));
        }
    }
}

/// A mounted hierarchy of groups: a line of `/proc/self/mountinfo` (proc(5)).
#[derive(Debug, PartialEq)]
struct Mount {
    /// The group that is seen at the mount point.
    root: String,
    point: PathBuf,
    /// Version 2.
    unified: bool,
    /// The super block's options, which name the controllers of version 1.
    options: String,
}

impl Mount {
    fn parse(line: &str) -> Option<Mount> {
        let (left, right) = line.split_once(" - ")?;
        let mut left = left.split(' ').skip(3);
        let (root, point) = (left.next()?, left.next()?);
        let mut right = right.split(' ');
        let (kind, options) = (right.next()?, right.nth(1)?);
        let unified = kind == "cgroup2";
        (unified || kind == "cgroup").then(|| Mount {
            root: root.into(),
            point: point.into(),
            unified,
            options: options.into(),
        })
    }

    fn serves(&self, controller: &str) -> bool {
        self.options.split(',').any(|option| option == controller)
    }

    /// The directories of the process's group and all its ancestors, as far as they are seen below the mount point.
    fn directories(&self, membership: &str) -> Vec<PathBuf> {
        let group = membership.lines().find_map(|line| {
            let mut fields = line.splitn(3, ':');
            let (hierarchy, controllers, group) = (fields.next()?, fields.next()?, fields.next()?);
            let ours = if self.unified {
                hierarchy == "0" && controllers.is_empty()
            } else {
                controllers
                    .split(',')
                    .any(|controller| matches!(controller, "cpu" | "memory") && self.serves(controller))
            };
            ours.then_some(group)
        });
        let Some(group) = group else { return Vec::new() };
        // In a container the mount shows a part of the hierarchy only; a group outside of it cannot be asked, its root can.
        let below = group
            .strip_prefix(self.root.trim_end_matches('/'))
            .unwrap_or("")
            .trim_start_matches('/');
        let mut directories = vec![self.point.clone()];
        for part in below.split('/').filter(|part| !part.is_empty() && *part != "..") {
            directories.push(directories[directories.len() - 1].join(part));
        }
        directories
    }
}

/// `cpu.max`: `max 100000` or `150000 100000`.
fn quota_v2(text: &str) -> Option<f64> {
    let mut fields = text.split_whitespace();
    quota_v1(fields.next()?, fields.next()?)
}

/// `cpu.cfs_quota_us` (-1: none) over `cpu.cfs_period_us`.
fn quota_v1(quota: &str, period: &str) -> Option<f64> {
    let (quota, period) = (quota.trim().parse::<f64>().ok()?, period.trim().parse::<f64>().ok()?);
    (quota > 0.0 && period > 0.0).then_some(quota / period)
}

/// `memory.max` (`max`: none) or `memory.limit_in_bytes` (a huge number: none).
fn memory(text: &str) -> Option<u64> {
    text.trim().parse::<u64>().ok().filter(|&bytes| bytes < 1 << 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_read() {
        assert_eq!(quota_v2("max 100000\n"), None);
        assert_eq!(quota_v2("150000 100000\n"), Some(1.5));
        assert_eq!(quota_v1("-1\n", "100000\n"), None);
        assert_eq!(quota_v1("50000\n", "100000\n"), Some(0.5));
        assert_eq!(memory("max\n"), None);
        assert_eq!(memory("1073741824\n"), Some(1 << 30));
        assert_eq!(memory("9223372036854771712\n"), None);
    }

    #[test]
    fn mounts_are_read() {
        let line = "30 23 0:26 /docker/abc /sys/fs/cgroup/cpu,cpuacct rw,nosuid shared:9 - cgroup cgroup rw,cpu,cpuacct";
        let mount = Mount::parse(line).expect("a cgroup mount");
        assert!(mount.serves("cpu") && !mount.serves("memory") && !mount.unified);
        let directories = mount.directories("4:memory:/docker/abc\n3:cpu,cpuacct:/docker/abc/x/y\n");
        let expected = ["", "x", "x/y"].map(|below| PathBuf::from("/sys/fs/cgroup/cpu,cpuacct").join(below));
        assert_eq!(directories, expected);
        assert_eq!(Mount::parse("22 28 0:20 / /proc rw - proc proc rw"), None);
        let unified = Mount::parse("31 23 0:27 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw,nsdelegate").expect("a cgroup2 mount");
        assert_eq!(unified.directories("0::/a\n").len(), 2);
        assert_eq!(unified.directories("4:memory:/a\n").len(), 0);
    }

    /// The hierarchy of both versions as files in a directory, with the limit that counts above the process's group.
    #[test]
    fn the_tightest_limit_on_the_way_up_counts() {
        let base = std::env::temp_dir().join(format!("brolga-cgroup-{}", std::process::id()));
        let write = |path: &str, text: &str| {
            let path = base.join(path);
            fs::create_dir_all(path.parent().expect("a parent")).expect("a directory");
            fs::write(path, text).expect("a file");
        };
        write("v2/a/cpu.max", "150000 100000\n");
        write("v2/a/b/cpu.max", "max 100000\n");
        write("v2/a/memory.max", "max\n");
        write("v2/a/b/memory.max", "4096000\n");
        write("cpu/g/cpu.cfs_quota_us", "50000\n");
        write("cpu/g/cpu.cfs_period_us", "100000\n");
        write("memory/memory.limit_in_bytes", "12345678\n");
        let at = base.display();
        let unified = Limits::from_text("0::/a/b\n", &format!("1 1 0:1 / {at}/v2 rw - cgroup2 c rw\n"));
        assert_eq!(
            unified,
            Limits {
                cpus: Some(1.5),
                memory: Some(4_096_000)
            }
        );
        let mounts = format!("1 1 0:1 / {at}/cpu rw - cgroup c rw,cpu\n1 1 0:1 / {at}/memory rw - cgroup c rw,memory\n");
        let old = Limits::from_text("1:cpu:/g\n2:memory:/g\n", &mounts);
        assert_eq!(
            old,
            Limits {
                cpus: Some(0.5),
                memory: Some(12_345_678)
            }
        );
        fs::remove_dir_all(base).expect("removed");
    }
}
