//! A launch as rows of work-groups: which groups there are, in which order, and which code runs each.
//!
//! Groups come in strips: a strip is some groups wide in x, and all rows of a layer are run in it before the next strip begins, so that a
//! range of groups is a block of two dimensions. By default a strip is as wide as the NDRange: x first, then y, then z. A group is cut off when the NDRange ends inside of it (non-uniform work-groups,
//! OpenCL API §5.8 of `clEnqueueNDRangeKernel`); those groups run the launch's edge code.
//! Where code says that nobody does anything in rows or layers, these are passed over.

use crate::abi::{IDLE, IDLE_LAYERS_AFTER, IDLE_LAYERS_BEFORE, IDLE_ROWS_AFTER, IDLE_ROWS_BEFORE, KernelEntry, LaunchRecord, WorkerRecord};
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

/// Where a group is: its strip and its coordinates.
struct Place {
    left_of_strip: u64,
    right: u64,
    x: u64,
    y: u64,
    z: u64,
}

/// What follows a run of groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// Nothing.
    Stop,
    /// This row of the layer, a later one.
    Row(u64),
    /// This layer, a later one.
    Layer(u64),
}

impl Plan {
    /// Divides a global size into groups, and those into strips of so many groups (0: one strip). `None` when their number does not
    /// fit 64 bits.
    pub(crate) fn new(full: KernelEntry, edge: KernelEntry, global: [u64; 3], local: [u64; 3], strip: u64) -> Option<Plan> {
        let local = local.map(|size| size.max(1));
        let whole = [0, 1, 2].map(|axis| global[axis] / local[axis]);
        let count = [0, 1, 2].map(|axis| whole[axis] + u64::from(whole[axis] * local[axis] != global[axis]));
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

    /// No group is cut off: the code has those at the ends moved back.
    pub(crate) fn without_edges(self) -> Plan {
        Plan { whole: self.count, ..self }
    }

    /// Groups in all.
    pub(crate) fn groups(&self) -> u64 {
        self.count.iter().product()
    }

    /// Where a group is.
    fn place(&self, group: u64) -> Place {
        let [width, height, _] = self.count;
        // Most launches begin here, the short ones all, and six divisions are a visible part of those.
        if group == 0 {
            return Place {
                left_of_strip: 0,
                right: self.strip,
                x: 0,
                y: 0,
                z: 0,
            };
        }
        let (z, in_layer) = (group / (width * height), group % (width * height));
        let left_of_strip = in_layer / (self.strip * height) * self.strip;
        let right = width.min(left_of_strip + self.strip);
        let in_strip = in_layer - left_of_strip * height;
        Place {
            left_of_strip,
            right,
            x: left_of_strip + in_strip % (right - left_of_strip),
            y: in_strip / (right - left_of_strip),
            z,
        }
    }

    /// Splits a range of groups into runs along x that one entry runs: entry, first x, end x, y, z. `visit` says what follows.
    pub(crate) fn for_each_run(&self, groups: Range<u64>, mut visit: impl FnMut(KernelEntry, Range<u64>, u64, u64) -> Next) {
        let [width, height, _] = self.count;
        if groups.is_empty() || width == 0 || height == 0 {
            return;
        }
        let layer = width * height;
        let Place {
            mut left_of_strip,
            mut right,
            mut x,
            mut y,
            mut z,
        } = self.place(groups.start);
        let mut left = groups.end - groups.start;
        while left > 0 {
            let end = right.min(x + left);
            left -= end - x;
            let inner_end = if y < self.whole[1] && z < self.whole[2] {
                self.whole[0].clamp(x, end)
            } else {
                x
            };
            let mut next = Next::Row(y + 1);
            if inner_end > x {
                next = visit(self.full, x..inner_end, y, z);
            }
            if end > inner_end && next != Next::Stop {
                next = visit(self.edge, inner_end..end, y, z);
            }
            match next {
                Next::Stop => return,
                Next::Row(row) => {
                    left = left.saturating_sub((row - y - 1) * (right - left_of_strip));
                    y = row;
                    if y == height {
                        y = 0;
                        (left_of_strip, z) = if right == width { (0, z + 1) } else { (right, z) };
                    }
                }
                Next::Layer(later) => {
                    let done = left_of_strip * height + (y + 1) * (right - left_of_strip);
                    left = left.saturating_sub(layer - done + (later - z - 1) * layer);
                    (left_of_strip, y, z) = (0, 0, later);
                }
            }
            right = width.min(left_of_strip + self.strip);
            x = left_of_strip;
        }
    }

    /// What follows a row that is idle, by what is said of it. `ask` asks what is said of other rows, for all codes.
    fn behind_idle(&self, idle: u32, y: u64, z: u64, ask: impl Fn(u64, u64) -> u32) -> Next {
        let [_, rows, layers] = self.count;
        if idle & (IDLE_LAYERS_AFTER | IDLE_LAYERS_BEFORE) != 0 {
            return Next::Layer(match idle & IDLE_LAYERS_AFTER {
                0 => first_from(z + 1..layers, |z| ask(y, z) & IDLE_LAYERS_BEFORE == 0),
                _ => layers,
            });
        }
        Next::Row(match idle & (IDLE_ROWS_AFTER | IDLE_ROWS_BEFORE) {
            0 => y + 1,
            IDLE_ROWS_BEFORE => first_from(y + 1..rows, |y| ask(y, z) & IDLE_ROWS_BEFORE == 0),
            _ => rows,
        })
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
            // SAFETY: as promised by the caller.
            let run = |x: Range<u64>, y: u64, z: u64| unsafe { call(entry, launch, worker, [x.start, x.end, y, z]) };
            now.set([x.start, x.end, y, z]);
            let said = match self.clear {
                0 => run(x, y, z),
                _ => x
                    .into_iter()
                    .map(|x| {
                        // SAFETY: as promised by the caller: the worker has that much local memory, and nobody else uses it.
                        unsafe { (*worker).local_memory.write_bytes(0, self.clear) };
                        now.set([x, x + 1, y, z]);
                        run(x..x + 1, y, z)
                    })
                    .find(|&said| said != 0)
                    .unwrap_or(0),
            };
            if said & IDLE != 0 {
                // Each code speaks of the groups that it runs.
                let ask = |y, z| {
                    // SAFETY: as promised by the caller.
                    let [full, edge] = [self.full, self.edge].map(|entry| unsafe { call(entry, launch, worker, [0, 0, y, z]) });
                    full & edge & IDLE
                };
                return self.behind_idle(ask(y, z), y, z, ask);
            }
            trap = said;
            if trap == 0 { Next::Row(y + 1) } else { Next::Stop }
        });
        trap
    }
}

/// The first of some numbers for which something holds, which it does for all that follow; the end, if there is none.
fn first_from(numbers: Range<u64>, holds: impl Fn(u64) -> bool) -> u64 {
    let Range {
        start: mut low,
        end: mut high,
    } = numbers;
    // Near the start, it is found in a few steps.
    let mut step = 1;
    while low < high {
        let middle = low + step.min((high - low) / 2);
        if holds(middle) {
            high = middle;
        } else {
            low = middle + 1;
        }
        step = step.saturating_mul(2);
    }
    low
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
                            Next::Row(y + 1)
                        });
                    }
                    assert_eq!(visited, expected, "{global:?} by {local:?} in strips of {strip}, steps of {step}");
                }
            }
        }
    }

    #[test]
    fn groups_that_are_moved_back_are_not_cut_off() {
        let plan = Plan::new(full, edge, [7, 5, 3], [2, 2, 2], 0).expect("it fits").without_edges();
        let mut groups = 0;
        plan.for_each_run(0..plan.groups(), |entry, xs, y, _| {
            assert!(core::ptr::fn_addr_eq(entry, full as KernelEntry));
            groups += xs.end - xs.start;
            Next::Row(y + 1)
        });
        assert_eq!(groups, 4 * 3 * 2);
    }

    #[test]
    fn nothing_and_too_much() {
        let plan = Plan::new(full, edge, [0, 4, 4], [1, 1, 1], 0).expect("it fits");
        assert_eq!(plan.groups(), 0);
        plan.for_each_run(0..0, |_, _, _, _| panic!("there is no group"));
        assert!(Plan::new(full, edge, [u64::MAX, 2, 1], [1, 1, 1], 0).is_none());
    }

    /// What a row says that is idle, by its numbers: rows from 3 on, rows up to 2, layers from 2 on, layers up to 1.
    fn said(y: u64, z: u64) -> [u32; 4] {
        [
            if y >= 3 { IDLE_ROWS_AFTER } else { 0 },
            if y < 2 { IDLE_ROWS_BEFORE } else { 0 },
            if z >= 2 { IDLE_LAYERS_AFTER } else { 0 },
            if z < 1 { IDLE_LAYERS_BEFORE } else { 0 },
        ]
    }

    /// Each group that does something is run once, and of those that do nothing few rows.
    #[test]
    fn idle_rows_and_layers_are_passed_over() {
        for (global, strip) in [([12, 40, 30], 0), ([12, 40, 30], 2), ([11, 39, 29], 3), ([12, 39, 30], 5)] {
            let plan = Plan::new(full, edge, global, [2, 2, 2], strip).expect("it fits");
            for kind in 0..4 {
                let said = |y, z| said(y, z)[kind];
                for step in [1, 7, plan.groups()] {
                    let (mut visited, mut idle) = (Vec::new(), 0);
                    for first in (0..plan.groups()).step_by(step as usize) {
                        plan.for_each_run(first..plan.groups().min(first + step), |_, xs, y, z| {
                            if said(y, z) == 0 {
                                visited.extend(xs.map(|x| [x, y, z]));
                                return Next::Row(y + 1);
                            }
                            idle += 1;
                            plan.behind_idle(said(y, z), y, z, said)
                        });
                    }
                    let [width, height, depth] = plan.count;
                    let mut expected: Vec<[u64; 3]> = (0..depth)
                        .flat_map(|z| (0..height).map(move |y| [y, z]))
                        .filter(|&[y, z]| said(y, z) == 0)
                        .flat_map(|[y, z]| (0..width).map(move |x| [x, y, z]))
                        .collect();
                    visited.sort_unstable();
                    expected.sort_unstable();
                    assert_eq!(visited, expected, "{global:?} in strips of {strip}, steps of {step}, {kind}");
                    if step == plan.groups() && strip == 0 {
                        assert!(idle <= if kind < 2 { depth } else { 1 }, "{idle} rows of {global:?}, {kind}");
                    }
                }
            }
        }
    }

    #[test]
    fn the_first_is_found() {
        for end in 0..40 {
            for first in 0..=end {
                assert_eq!(first_from(0..end, |number| number >= first), first);
            }
        }
    }
}
