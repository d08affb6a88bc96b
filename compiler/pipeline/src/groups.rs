//! The groups that a launch is run in, where others than those it asks for are faster, and no work-item can tell.

use crate::kernel::{AsRun, Kernel, OtherGroups};
use crate::local_size::{Block, ENOUGH, GROUPS_A_UNIT, WIDEST, chosen, enough, items, shape, units, wanted};
use crate::nd_range::NdRange;
use crate::{ArgumentFacts, LaunchFacts};
use target::costs::interleaving::ROWS;
use vendors::limits;

/// Gangs of groups of one work-item that are run together: always as many, so that code that was compiled once serves all launches.
const JOINED_GANGS: u64 = 4;

/// What a group costs besides its work-items, in work-items. An estimate, as the next two are.
const GROUP: u64 = 32;
/// What a row of a group costs so.
const ROW: u64 = 1;
/// A work-item in a gang that is masked takes as long as so many others. (From hardly more than one, in streams, to 25, in products of rows.)
const MASKED: u64 = 4;

/// The groups that a launch is run in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Groups {
    /// Their size.
    local: [u64; 3],
    /// The global size, without work-items that do nothing.
    global: [u64; 3],
    /// What the kernel reads of its group is that of a group of one.
    of_one: bool,
    /// See [`LaunchFacts::ends_overlap`].
    ends_overlap: [bool; 3],
    /// See [`LaunchFacts::whole_groups`].
    whole_groups: Option<[u64; 3]>,
    /// See [`LaunchFacts::exchanged`]: the sizes are those of the launch as it is run.
    exchanged: Option<u8>,
}

impl Groups {
    /// Those for a launch with the arguments in a block; `are_apart` says whether the kernel's buffers don't overlap.
    pub fn of(kernel: &Kernel, compute_units: u32, range: &NdRange, arguments: &[u8], are_apart: impl FnOnce() -> bool) -> Groups {
        let whole = whole(kernel, range);
        let whole_groups = whole.map(|(size, _)| size);
        let kernel = whole.map_or_else(|| kernel.as_run(), |(_, kernel)| kernel);
        let Some((dimension, kernel)) = exchanged(&kernel, compute_units, range) else {
            return Groups {
                whole_groups,
                ..Groups::along_x(&kernel, compute_units, range, arguments, are_apart)
            };
        };
        let range = range.exchanged(dimension);
        let local = chosen(&kernel, compute_units, range.work_dim as usize, range.global, false);
        let range = NdRange {
            local,
            is_chosen: true,
            ..range
        };
        Groups {
            whole_groups,
            exchanged: Some(dimension),
            ..Groups::along_x(&kernel, compute_units, &range, arguments, are_apart)
        }
    }

    /// The same of a kernel whose dimensions are those of the range.
    fn along_x(kernel: &AsRun, compute_units: u32, range: &NdRange, arguments: &[u8], are_apart: impl FnOnce() -> bool) -> Groups {
        let mut groups = cut(kernel, compute_units, range).unwrap_or(Groups {
            local: range.local,
            global: range.global,
            of_one: false,
            ends_overlap: [false; 3],
            whole_groups: None,
            exchanged: None,
        });
        let gang = u64::from(kernel.gang_width([limits::WORK_GROUP_SIZE as u64, 1, 1]));
        let is_alone = range.local == [1; 3] && !groups.of_one;
        if gang == 1 || range.global[0] < gang || is_alone || range.is_for_units(gang, units(compute_units)) {
            return groups;
        }
        let is_free = range.is_chosen || range.work_dim > 1 && kernel.knows_no_groups();
        let block = is_free
            .then(|| Block::of(kernel, compute_units, range.work_dim as usize, range.global))
            .flatten();
        if let Some(block) = &block
            && !range.is_chosen
            && !block.is_like(groups.local)
            && let Some(local) = block.dividing(range.global, gang)
        {
            groups.local = local;
        }
        let is_whole = items(groups.local).is_multiple_of(gang) && groups.divide(range).is_uniform();
        let is_like = |block: &Block| block.is_like(groups.local) && u64::from(kernel.gang_width(groups.local)) == gang;
        if is_whole && block.as_ref().is_none_or(is_like) {
            if !groups.of_one && groups.local[0].is_multiple_of(gang) && range.offset == [0; 3] && range.has_small_ids() {
                groups.leave_out_idle(kernel, arguments, are_apart);
            }
            return groups;
        }
        if kernel.takes_ids_apart() || !kernel.is_idempotent() || !are_apart() {
            let masked = !items(groups.local).is_multiple_of(gang);
            if masked && kernel.gains_by_edges(items(range.global)) {
                groups.local = with_edge(range.global[0], items(groups.local).max(gang), gang);
            }
            return groups;
        }
        let wanted = match range.is_chosen {
            true => wanted(kernel, compute_units, range.global),
            false => [groups.local[0], items(groups.local)],
        };
        groups.move_back(range, block, gang, wanted.map(|items| items.max(gang)));
        groups
    }

    /// Has the last groups moved back to where work-items do something, if some of a group would do nothing.
    fn leave_out_idle(&mut self, kernel: &AsRun, arguments: &[u8], are_apart: impl FnOnce() -> bool) {
        let global = kernel.without_idle(self.global, arguments);
        let fits = |axis: usize| global[axis] >= self.local[axis];
        if global != self.global && (0..3).all(fits) && !kernel.takes_ids_apart() && kernel.is_idempotent() && are_apart() {
            self.global = global;
            self.ends_overlap = self.sticks_out();
        }
    }

    /// By dimension: the last group would be cut off.
    fn sticks_out(&self) -> [bool; 3] {
        [0, 1, 2].map(|axis| !self.global[axis].is_multiple_of(self.local[axis]))
    }

    /// Has the last groups moved back, in a block or in rows of so many work-items; but not where many would run twice for what is left over.
    fn move_back(&mut self, range: &NdRange, block: Option<Block>, gang: u64, wanted: [u64; 2]) {
        let global = range.global;
        let rows = || overlapping(global, range.work_dim as usize, gang, wanted);
        let Some(local) = block.and_then(|block| in_block(global, &block, gang)).or_else(rows) else {
            return;
        };
        if items([0, 1, 2].map(|axis| run(global[axis], local[axis]))) <= most_run(items(global)) {
            self.local = local;
            self.ends_overlap = self.sticks_out();
        }
    }

    /// The global size without work-items that do nothing, by the kernel's dimensions.
    pub fn global(&self) -> [u64; 3] {
        let mut global = self.global;
        if let Some(dimension) = self.exchanged {
            global.swap(0, usize::from(dimension));
        }
        global
    }

    /// The index space in these groups.
    pub fn divide(&self, asked: &NdRange) -> NdRange {
        NdRange {
            local: self.local,
            global: self.global,
            ..self.exchanged.map_or(*asked, |dimension| asked.exchanged(dimension))
        }
    }

    /// What code may assume: see [`NdRange::facts`].
    pub fn facts(&self, asked: &NdRange, stop_word: Option<u64>, small_objects: bool, arguments: ArgumentFacts) -> LaunchFacts {
        let facts = self.divide(asked).facts(stop_word, small_objects, arguments);
        LaunchFacts {
            groups_of_one: self.of_one,
            whole_groups: self.whole_groups,
            exchanged: self.exchanged,
            full_groups: facts.full_groups || self.ends_overlap.contains(&true),
            ends_overlap: self.ends_overlap,
            ..facts
        }
    }
}

impl NdRange {
    /// The groups that it asks for are for compute units rather than for lanes ([`is_few`]).
    fn is_for_units(&self, gang: u64, units: u64) -> bool {
        !self.is_chosen && is_few(items(self.global), gang, units)
    }
}

/// Work-items that run in groups of a size, some of them twice.
fn run(global: u64, size: u64) -> u64 {
    global.div_ceil(size).saturating_mul(size)
}

/// No more are run for so many.
fn most_run(global: u64) -> u64 {
    global / 4 * 5
}

/// The kernel as it is in a launch whose groups are whole, if the range is like that, and it makes a difference.
pub(crate) fn whole<'a>(kernel: &'a Kernel, range: &NdRange) -> Option<([u64; 3], AsRun<'a>)> {
    // (Most kernels can be asked for less than it takes to divide sizes.)
    let is_whole = || range.offset == [0; 3] && range.is_uniform() && range.has_small_ids();
    let can_be = kernel.may_make_global_ids() && is_whole();
    can_be.then(|| kernel.with_global_ids(range.local))?
}

/// The dimension that is x to a launch, if that is better: there are gangs along it for all compute units.
fn exchanged<'a>(kernel: &AsRun<'a>, compute_units: u32, range: &NdRange) -> Option<(u8, AsRun<'a>)> {
    if range.work_dim == 1 {
        return None;
    }
    let (all, units) = (items(range.global), units(compute_units));
    let gang = u64::from(kernel.gang_width([limits::WORK_GROUP_SIZE as u64, 1, 1]));
    if is_few(all, gang, units) {
        return None;
    }
    let is_long = |dimension: u8| range.global[usize::from(dimension)] >= gang;
    let is_alone = || range.local == [1; 3] && kernel.is_quicker_alone(all, units);
    kernel.exchanged().filter(|&(dimension, _)| is_long(dimension) && !is_alone())
}

/// Groups of gangs in a row, and one that is cut off, whose gangs are masked.
fn with_edge(global: u64, most: u64, gang: u64) -> [u64; 3] {
    let cost = |size: u64| {
        let masked = (global % size).next_multiple_of(gang);
        (global / size * (size + GROUP) + MASKED * masked, u64::MAX - size)
    };
    [sizes(most, gang).min_by_key(|&size| cost(size)).unwrap_or(gang), 1, 1]
}

/// The shape of groups of gangs, the last of which are moved back.
fn overlapping(global: [u64; 3], dimensions: usize, gang: u64, [wide, wanted]: [u64; 2]) -> Option<[u64; 3]> {
    let mut local = [1; 3];
    local[0] = size_along(global[0], wide, gang, GROUP)?;
    for axis in 1..dimensions.min(3) {
        let room = wanted / local.iter().product::<u64>();
        local[axis] = size_along(global[axis], room, 1, ROW).unwrap_or(1);
    }
    Some(local)
}

/// Work-items that are run of a row whose last group is moved back. None if that is too many.
pub(crate) fn run_of_row(row: u64, gang: u64) -> Option<u64> {
    let size = size_along(row, ENOUGH, gang, GROUP)?;
    Some(run(row, size)).filter(|&run| run <= most_run(row))
}

/// The same of groups of several rows.
fn in_block(global: [u64; 3], block: &Block, gang: u64) -> Option<[u64; 3]> {
    let mut local = [1; 3];
    let at = block.dimension;
    local[at] = size_along(global[at], block.rows.min(block.items / gang), ROWS.into(), ROW)?;
    local[0] = size_along(global[0], block.items / local[at], gang, GROUP)?;
    Some(local)
}

/// So many steps along a dimension, `most` at most, that groups run few work-items twice, and are few. None if the NDRange is shorter than a step.
fn size_along(global: u64, most: u64, step: u64, cost: u64) -> Option<u64> {
    let few = |size: u64| run(global, size) <= most_run(global);
    sizes(most.min(global), step).min_by_key(|&size| {
        let groups = global.div_ceil(size);
        (!few(size), groups * (size + cost), groups * size, u64::MAX - size)
    })
}

/// A few sizes in steps: programs whose launches become smaller from one to the next come to an end of compiling.
fn sizes(most: u64, step: u64) -> impl Iterator<Item = u64> {
    [1, 2, 4, 8, 12, 16, 32, 64]
        .map(|steps| steps * step)
        .into_iter()
        .filter(move |&size| size <= most)
}

/// Cuts a launch into other groups than those it asks for, if that is better.
fn cut(kernel: &AsRun, compute_units: u32, range: &NdRange) -> Option<Groups> {
    // Rows of whole gangs, however wide these are, and nothing beside them: there is nothing to gain, and most launches are like that.
    if let ([x, 1, 1], [_, 1, 1]) = (range.local, range.global)
        && x.is_multiple_of(WIDEST)
    {
        return None;
    }
    let (all, units) = (items(range.global), units(compute_units));
    if is_few(all, 2, units) {
        return None;
    }
    let gang = u64::from(kernel.gang_width([limits::WORK_GROUP_SIZE as u64, 1, 1]));
    if is_few(all, gang, units) {
        return None;
    }
    let gangs = if all < GROUPS_A_UNIT * JOINED_GANGS * gang * units {
        1
    } else {
        JOINED_GANGS
    };
    let of_one = range.local == [1; 3];
    let others = |local| Groups {
        local,
        global: range.global,
        of_one,
        ends_overlap: [false; 3],
        whole_groups: None,
        exchanged: None,
    };
    let other = if of_one {
        None
    } else {
        kernel.other_groups(range.local, range.global)
    };
    let [wide, wanted] = if of_one {
        if !kernel.groups_of_one_can_join() || kernel.is_quicker_alone(all, units) {
            return None;
        }
        [gangs * gang; 2]
    } else {
        let asked = items(range.local);
        match (other?, range.local) {
            (OtherGroups::Rows, _) => [asked.max(enough(range.global, gang, units)); 2],
            (OtherGroups::Blocks, [_, 1, 1]) => [asked.max(gangs * gang); 2],
            (OtherGroups::Blocks, [x, ..]) => [x.max(gang), asked.max(gangs * gang)],
        }
    };
    let local = shape(range.global, range.work_dim as usize, gang, [wide, wanted], false);
    (local != range.local).then(|| others(local))
}

/// There is no gang for each compute unit: the launch has been cut for compute units, not for lanes. (From one gang each on, gangs are better even where some
/// units have one more than others: password crackers that tune themselves stay with such launches.)
fn is_few(all: u64, gang: u64, units: u64) -> bool {
    gang == 1 || all < gang * units
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gang_for_each_unit_is_not_few() {
        assert_eq!([15, 16, 24].map(|all| is_few(all, 8, 2)), [true, false, false]);
        assert!(is_few(1 << 20, 1, 2));
        assert_eq!(shape([24, 1, 1], 1, 8, [8; 2], false), [8, 1, 1]);
        let is_for_units = |global, is_chosen| {
            let range = NdRange {
                work_dim: 1,
                offset: [0; 3],
                global: [global, 1, 1],
                local: [1; 3],
                is_chosen,
            };
            range.is_for_units(8, 64)
        };
        assert!(is_for_units(100, false) && !is_for_units(100, true) && !is_for_units(1000, false));
    }

    #[test]
    fn groups_that_are_moved_back_run_little_twice() {
        let sizes = [1000, 500, 333, 1023, 17, 16].map(|global| size_along(global, 256, 16, GROUP));
        assert_eq!(sizes, [Some(256), Some(256), Some(192), Some(256), Some(16), Some(16)]);
        assert_eq!(size_along(15, 256, 16, GROUP), None);
        // 128 are as many fewer groups as they run work-items twice, but too many of those.
        assert_eq!([200, 100].map(|global| size_along(global, global, 16, GROUP)), [Some(32), Some(16)]);
        assert_eq!([1000, 500, 333, 17].map(|global| with_edge(global, 256, 16)[0]), [192, 64, 64, 16]);
        assert_eq!(
            [333, 500, 7].map(|global| size_along(global, 16, 4, ROW)),
            [Some(16), Some(16), Some(4)]
        );
        assert_eq!(overlapping([1000, 1000, 1], 2, 16, [256, 1024]), Some([256, 4, 1]));
        assert_eq!(overlapping([94, 94, 94], 3, 16, [94, 1024]), Some([32, 32, 1]));
        let block = Block {
            dimension: 1,
            rows: 16,
            items: 512,
            least: [1; 2],
        };
        assert_eq!(in_block([500, 333, 1], &block, 16), Some([32, 16, 1]));
        assert_eq!(in_block([500, 3, 1], &block, 16), None);
    }
}
