//! A launch as rows of work-groups: which groups there are, in which order, and which code runs each.
//!
//! Groups come in strips: a strip is some groups wide in x, and all rows of a layer are run in it before the next strip begins, so that a
//! range of groups is a block of two dimensions. By default a strip is as wide as the NDRange: x first, then y, then z. A group is cut off when the NDRange ends inside of it (non-uniform work-groups,
//! OpenCL API §5.8 of `clEnqueueNDRangeKernel`); those groups run the launch's edge code.

use crate::abi::{KernelEntry, LaunchRecord, WorkerRecord};
use crate::call::call;
use core::cell::Cell;
use core::ops::Range;

/// The geometry of a launch and its code.
#[derive(Debug)]
pub(crate) struct Plan {
    /// Entry for groups of the full local size.
    pub(crate) full: KernelEntry,
    /// Entry for groups that are cut off.
    pub(crate) edge: KernelEntry,
    /// Groups in each dimension.
    pub(crate) count: [u64; 3],
    /// Groups in each dimension that are not cut off there: `count`, or one less.
    pub(crate) whole: [u64; 3],
    /// Groups across a strip; at least 1, at most `count[0]` (if that is not 0).
    strip: u64,
    /// Bytes of local memory that each group finds zeroed.
    clear: usize,
}

impl Plan {
    /// Divides a global size into groups, and those into strips of so many groups (0: one strip). `None` when their number does not
    /// fit 64 bits.
    pub(crate) fn new(full: KernelEntry, edge: KernelEntry, global: [u64; 3], local: [u64; 3], strip: u64) -> Option<Plan> {
        let local = local.map(|size| size.max(1));
        let count = [0, 1, 2].map(|axis| global[axis].div_ceil(local[axis]));
        let whole = [0, 1, 2].map(|axis| global[axis] / local[axis]);
        count[0].checked_mul(count[1])?.checked_mul(count[2])?;
        let strip = if strip == 0 { count[0] } else { strip.min(count[0]) }.max(1);
        Some(Plan {
            full,
            edge,
            count,
            whole,
            strip,
            clear: 0,
        })
    }

    /// Groups in all.
    pub(crate) fn groups(&self) -> u64 {
        self.count.iter().product()
    }

    /// Splits a range of groups into runs along x that one entry runs: entry, first x, end x, y, z. Stops when `visit` says so.
    pub(crate) fn for_each_run(&self, groups: Range<u64>, mut visit: impl FnMut(KernelEntry, Range<u64>, u64, u64) -> bool) {
        let [width, height, _] = self.count;
        if groups.is_empty() || width == 0 || height == 0 {
            return;
        }
        let (layer, in_layer) = (width * height, groups.start % (width * height));
        let mut z = groups.start / layer;
        let mut left_of_strip = in_layer / (self.strip * height) * self.strip;
        let mut right = width.min(left_of_strip + self.strip);
        let in_strip = in_layer - left_of_strip * height;
        let mut y = in_strip / (right - left_of_strip);
        let mut x = left_of_strip + in_strip % (right - left_of_strip);
        let mut left = groups.end - groups.start;
        while left > 0 {
            let end = right.min(x + left);
            left -= end - x;
            let inner_end = if y < self.whole[1] && z < self.whole[2] {
                self.whole[0].clamp(x, end)
            } else {
                x
            };
            if (inner_end > x && !visit(self.full, x..inner_end, y, z)) || (end > inner_end && !visit(self.edge, inner_end..end, y, z)) {
                return;
            }
            y += 1;
            if y == height {
                y = 0;
                if right == width {
                    (left_of_strip, z) = (0, z + 1);
                } else {
                    left_of_strip = right;
                }
                right = width.min(left_of_strip + self.strip);
            }
            x = left_of_strip;
        }
    }

    /// The same, with so many bytes of local memory zeroed before each group.
    pub(crate) fn clearing(self, clear: usize) -> Plan {
        Plan { clear, ..self }
    }

    /// Runs a range of groups; the trap's number if one stopped it, else 0. `now` says which groups of which row run: the first x, the end, y, z.
    ///
    /// # Safety
    /// That of [`KernelEntry`].
    pub(crate) unsafe fn run(
        &self,
        groups: Range<u64>,
        launch: *const LaunchRecord,
        worker: *mut WorkerRecord,
        now: &Cell<[u64; 4]>,
    ) -> u32 {
        let mut trap = 0;
        self.for_each_run(groups, |entry, x, y, z| {
            now.set([x.start, x.end, y, z]);
            if self.clear == 0 {
                // SAFETY: as promised by the caller.
                trap = unsafe { call(entry, launch, worker, [x.start, x.end, y, z]) };
                return trap == 0;
            }
            x.into_iter().all(|x| {
                // SAFETY: as promised by the caller: the worker has that much local memory, and nobody else uses it.
                unsafe { (*worker).local_memory.write_bytes(0, self.clear) };
                now.set([x, x + 1, y, z]);
                // SAFETY: as promised by the caller.
                trap = unsafe { call(entry, launch, worker, [x, x + 1, y, z]) };
                trap == 0
            })
        });
        trap
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    unsafe extern "C" fn full(_: *const LaunchRecord, _: *mut WorkerRecord, _: u64, _: u64, _: u64, _: u64) -> u32 {
        1
    }

    unsafe extern "C" fn edge(_: *const LaunchRecord, _: *mut WorkerRecord, _: u64, _: u64, _: u64, _: u64) -> u32 {
        2
    }

    /// Each group once, in the order of the strips, cut-off groups and no others with the edge code, however the range is chopped up.
    #[test]
    fn every_group_runs_once_with_its_code() {
        for (global, local) in [
            ([10, 1, 1], [4, 1, 1]),
            ([8, 1, 1], [4, 1, 1]),
            ([3, 1, 1], [4, 1, 1]),
            ([7, 5, 3], [2, 2, 2]),
            ([8, 6, 4], [2, 2, 2]),
            ([5, 8, 3], [5, 3, 1]),
            ([1, 1, 9], [1, 1, 2]),
            ([23, 4, 2], [2, 1, 1]),
        ] {
            for strip in [0, 1, 2, 3, 5, 100] {
                let plan = Plan::new(full, edge, global, local, strip).expect("it fits");
                let [width, height, depth] = plan.count;
                let across = if strip == 0 { width } else { strip };
                let mut expected = Vec::new();
                for z in 0..depth {
                    for left in (0..width).step_by(across as usize) {
                        for y in 0..height {
                            expected.extend((left..width.min(left + across)).map(|x| [x, y, z]));
                        }
                    }
                }
                let total = plan.groups();
                for step in [1, 2, 3, 7, total] {
                    let mut visited = Vec::new();
                    for first in (0..total).step_by(step as usize) {
                        plan.for_each_run(first..total.min(first + step), |entry, xs, y, z| {
                            assert!(!xs.is_empty());
                            for x in xs {
                                let cut = [x, y, z]
                                    .iter()
                                    .zip(global)
                                    .zip(local)
                                    .any(|((&id, global), local)| (id + 1) * local > global);
                                let expected: KernelEntry = if cut { edge } else { full };
                                assert!(
                                    core::ptr::fn_addr_eq(entry, expected),
                                    "group {x} {y} {z} of {global:?} by {local:?}"
                                );
                                visited.push([x, y, z]);
                            }
                            true
                        });
                    }
                    assert_eq!(visited, expected, "{global:?} by {local:?} in strips of {strip}, steps of {step}");
                }
            }
        }
    }

    #[test]
    fn nothing_and_too_much() {
        let plan = Plan::new(full, edge, [0, 4, 4], [1, 1, 1], 0).expect("it fits");
        assert_eq!(plan.groups(), 0);
        plan.for_each_run(0..0, |_, _, _, _| panic!("there is no group"));
        assert!(Plan::new(full, edge, [u64::MAX, 2, 1], [1, 1, 1], 0).is_none());
    }
}
