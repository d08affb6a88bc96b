//! The local size of a launch that leaves it to us (clEnqueueNDRangeKernel with a NULL local_work_size, zeKernelSuggestGroupSize).

use crate::kernel::{AsRun, Kernel, MAX_WORK_GROUP_SIZE};
use target::costs::CACHE_LINE;
use target::costs::interleaving::ROWS;
use vendors::limits;

/// Work-items of a group that is large enough for what a group costs to be spread.
pub(crate) const ENOUGH: u64 = 256;
/// As many in a row are better than less than half of enough.
const MOST: u64 = 2 * ENOUGH;
const _: () = assert!(MOST <= MAX_WORK_GROUP_SIZE);
/// Lanes of the longest gangs that kernels may have.
pub(crate) const WIDEST: u64 = limits::SUB_GROUP_SIZES[limits::SUB_GROUP_SIZES.len() - 1] as u64;
/// More groups than these balance no load better, and each costs something: of larger launches, groups are larger.
const MANY_GROUPS: u64 = 1 << 22;
/// Groups for each compute unit, so that all end at about the same time.
pub(crate) const GROUPS_A_UNIT: u64 = 4;
/// Code is called once for a row of groups. Where all work-items of a row have so few instructions, a call is a visible part of it, and groups take in several
/// rows; in longer ones, what work-items of a row share is worth more, which is computed once a call …
const SHORT_ROW: u64 = 10_000;
/// … as long as there are so many groups for each compute unit: what a work-item of such a launch costs may differ from row to row.
const GROUPS_OF_ROWS_A_UNIT: u64 = 16;

/// Work-items of a column that go on in a line, if they access words of 32 bits.
const COLUMN: u64 = CACHE_LINE as u64 / 4;

/// Rows of a tile, and gangs of a row: eight gangs at once, in any shape, divide that.
const TILE_ROWS: u64 = 8;
const TILE_GANGS: u64 = 4;

/// Groups in a row, of which one that is cut off, with code of its own, is hardly seen.
const GROUPS_FOR_A_CUT: u64 = 64;
/// Then it is better than groups that are smaller by this factor.
const SMALL_GROUPS: u64 = 4;

/// Compute units that local sizes are for in reproducible mode: those of a machine that many have.
const REPRODUCIBLE_UNITS: u64 = 8;

/// Compute units that a launch is divided for, on a device of so many.
pub(crate) fn units(compute_units: u32) -> u64 {
    if target::reproducible() {
        REPRODUCIBLE_UNITS
    } else {
        u64::from(compute_units)
    }
}

/// A local size: the one that the kernel requires; else one that gangs divide, with groups for all compute units. With `uniform`, one that
/// divides the global size.
pub fn choose(kernel: &Kernel, compute_units: u32, dimensions: usize, global: [u64; 3], uniform: bool) -> [u64; 3] {
    if let Some(required) = kernel.info.required_local_size {
        return required;
    }
    let gang = u64::from(kernel.preferred_multiple());
    if let Some(count) = kernel.info.sub_groups_per_group {
        return [u64::from(count) * gang, 1, 1];
    }
    chosen(&kernel.as_run(), compute_units, dimensions, global, uniform)
}

/// The same of a kernel that requires none.
pub(crate) fn chosen(kernel: &AsRun, compute_units: u32, dimensions: usize, global: [u64; 3], uniform: bool) -> [u64; 3] {
    let gang = u64::from(kernel.preferred_multiple());
    if let Some(block) = Block::of(kernel, compute_units, dimensions, global)
        && let Some(local) = block.dividing(global, gang)
    {
        return local;
    }
    shape(global, dimensions, gang, wanted(kernel, compute_units, global), uniform)
}

/// Work-items that a group of such a launch should have along x, and in all.
pub(crate) fn wanted(kernel: &AsRun, compute_units: u32, global: [u64; 3]) -> [u64; 2] {
    let gang = u64::from(kernel.preferred_multiple());
    let (units, most) = (units(compute_units), kernel.max_work_group_size());
    let wide = enough(global, gang, units).min(most);
    let wanted = match kernel.straight_instructions() {
        Some(instructions) => wide.max(rows(global, instructions, units).min(most)),
        None => wide,
    };
    [wide, wanted]
}

/// Groups of several rows that a kernel had better be run in.
#[derive(Clone, Copy)]
pub(crate) struct Block {
    /// Along which rows follow one another.
    pub dimension: usize,
    /// At most.
    pub rows: u64,
    /// Work-items in all, at most.
    pub items: u64,
    /// Along x and of a column: groups that are as large are as good.
    pub least: [u64; 2],
}

impl Block {
    /// As many work-items of a column as go on in a line, or tiles that load less than rows.
    pub fn of(kernel: &AsRun, compute_units: u32, dimensions: usize, global: [u64; 3]) -> Option<Block> {
        if dimensions < 2 {
            return None;
        }
        let gang = u64::from(kernel.preferred_multiple());
        let items = (items(global) / (units(compute_units) * GROUPS_A_UNIT)).min(MOST);
        if let Some(dimension) = kernel.columns() {
            return Some(Block {
                dimension: dimension.into(),
                rows: COLUMN,
                items,
                least: [gang, 2],
            });
        }
        kernel.in_tiles().then(|| Block {
            dimension: 1,
            rows: TILE_ROWS,
            items: items.min(TILE_ROWS * TILE_GANGS * gang),
            least: [2 * gang, 2],
        })
    }

    /// Groups of this size are as good.
    pub fn is_like(&self, local: [u64; 3]) -> bool {
        local[0] >= self.least[0] && local[self.dimension] >= self.least[1]
    }

    /// Of a size that divides the global size. None if there are no such columns, or no rows that gangs divide, if need be with half or a quarter of their lanes.
    pub fn dividing(&self, global: [u64; 3], gang: u64) -> Option<[u64; 3]> {
        let at_once = u64::from(ROWS);
        let heights = (1..=self.rows / at_once).rev().map(|count| count * at_once);
        let height = heights
            .filter(|height| gang * height <= self.items)
            .find(|&height| global[self.dimension].is_multiple_of(height))?;
        let row = |lanes: u64| {
            let mut rows = (1..=self.items / height / lanes).rev().map(|count| count * lanes);
            rows.find(|&row| global[0].is_multiple_of(row))
        };
        let mut local = [1; 3];
        local[0] = [gang, gang / 2, gang / 4].into_iter().filter(|&lanes| lanes >= 4).find_map(row)?;
        local[self.dimension] = height;
        Some(local)
    }
}

/// Work-items of a group of rows, if rows of work-items of so many instructions are short: else 0.
fn rows(global: [u64; 3], instructions: u64, units: u64) -> u64 {
    if global[0].saturating_mul(instructions) <= SHORT_ROW {
        items(global) / (units * GROUPS_OF_ROWS_A_UNIT)
    } else {
        0
    }
}

/// As many work-items a group as leave groups for everyone; a gang at least.
pub(crate) fn enough(global: [u64; 3], gang: u64, units: u64) -> u64 {
    let all = items(global);
    (all / (units * GROUPS_A_UNIT)).clamp(gang, ENOUGH.max(all / MANY_GROUPS))
}

pub(crate) fn items(global: [u64; 3]) -> u64 {
    global.iter().fold(1, |all, &size| all.saturating_mul(size))
}

/// The shape of a group of about `wanted` work-items: x takes what it can get up to `wide`, y and z fill it up.
pub(crate) fn shape(global: [u64; 3], dimensions: usize, gang: u64, [wide, wanted]: [u64; 2], uniform: bool) -> [u64; 3] {
    let mut local = [1; 3];
    local[0] = along(global[0], wide, gang, uniform);
    // Gangs would go over the ends of rows.
    if local[0] > gang && !local[0].is_multiple_of(gang) {
        return local;
    }
    for axis in 1..dimensions.min(3) {
        let room = wanted / local.iter().product::<u64>();
        local[axis] = largest_divisor(global[axis], room);
    }
    local
}

/// The size along x: a divisor of the global size that gangs divide; else, if the last group may be cut off, a multiple of the gang. So it is where such
/// divisors are small, and groups are many.
pub(crate) fn along(global: u64, wanted: u64, gang: u64, uniform: bool) -> u64 {
    if global <= wanted {
        return global.max(1);
    }
    let cut = (wanted / gang * gang).max(1);
    let is_one_of_many = !uniform && global / wanted >= GROUPS_FOR_A_CUT;
    let divides = |&size: &u64| global.is_multiple_of(size);
    let mut smaller = (1..=wanted / gang).rev().map(|count| count * gang);
    let most = if wanted == ENOUGH { MOST } else { wanted };
    let longer = || (wanted / gang + 1..=most / gang).map(|count| count * gang).find(divides);
    match smaller.find(divides) {
        Some(divisor) if is_one_of_many && divisor * SMALL_GROUPS <= cut => cut,
        // What work-items of a row share is computed for each group.
        Some(divisor) if divisor * 2 <= wanted => longer().unwrap_or(divisor),
        Some(divisor) => divisor,
        // A row of whole gangs, and a little rest.
        None if !uniform && wanted == ENOUGH && global <= MOST => global / WIDEST * WIDEST,
        // Work-groups that don't fit gangs waste lanes in every group, and all of their code goes by masks; one that is cut off wastes them once.
        None => {
            let divisor = largest_divisor(global, wanted);
            if uniform || divisor * 2 > wanted && !is_one_of_many {
                divisor
            } else {
                cut
            }
        }
    }
}

fn largest_divisor(number: u64, most: u64) -> u64 {
    (1..=most.min(number).max(1))
        .rev()
        .find(|divisor| number.is_multiple_of(*divisor))
        .unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_left_for_all_units() {
        assert_eq!([1 << 20, 1000, 100, 1].map(|x| enough([x, 1, 1], 8, 2)), [256, 125, 12, 8]);
        assert_eq!([1 << 30, 1 << 32, 1 << 40].map(|x| enough([x, 1, 1], 8, 2)), [256, 1024, 1 << 18]);
    }

    #[test]
    fn gangs_divide_the_size_where_they_can() {
        assert_eq!(shape([1 << 20, 1, 1], 1, 8, [256; 2], false), [256, 1, 1]);
        assert_eq!(shape([1000, 1, 1], 1, 8, [250; 2], true), [200, 1, 1]);
        assert_eq!(shape([64, 64, 1], 2, 8, [256; 2], false), [64, 4, 1]);
        assert_eq!(shape([5, 7, 3], 3, 8, [26; 2], false), [5, 1, 3]);
        assert_eq!(shape([1, 1, 1], 1, 8, [8; 2], false), [1, 1, 1]);
    }

    #[test]
    fn short_rows_come_several_a_group() {
        assert_eq!(rows([256, 256, 1], 20, 2), 2048);
        assert_eq!(shape([256, 256, 1], 2, 8, [256, 2048], false), [256, 8, 1]);
        assert_eq!(rows([1024, 1024, 1], 5, 64), 1024);
        assert_eq!(rows([1024, 1024, 1], 20, 2), 0);
    }

    #[test]
    fn columns_fill_lines() {
        let columns = |global, dimension, gang, items| {
            let block = Block {
                dimension,
                rows: COLUMN,
                items,
                least: [1; 2],
            };
            block.dividing(global, gang)
        };
        assert_eq!(columns([512, 512, 1], 1, 16, 512), Some([32, 16, 1]));
        assert_eq!(columns([1000, 1080, 1], 1, 16, 512), Some([40, 12, 1]));
        assert_eq!(columns([64, 7, 64], 2, 8, 256), Some([16, 1, 16]));
        assert_eq!(columns([64, 64, 1], 1, 16, 128), Some([16, 8, 1]));
        // Rows or columns of odd length, and too few work-items for a gang's columns.
        assert_eq!(columns([512, 333, 1], 1, 16, 512), None);
        assert_eq!(columns([333, 512, 1], 1, 16, 512), None);
        assert_eq!(columns([16, 16, 1], 1, 16, 32), None);
    }

    #[test]
    fn rows_that_gangs_do_not_divide_stay_rows() {
        assert_eq!(shape([94, 94, 94], 3, 16, [256; 2], false), [94, 1, 1]);
        assert_eq!(shape([94, 94, 94], 3, 16, [47, 94], false), [47, 1, 1]);
    }

    #[test]
    fn blocks_stay_blocks() {
        assert_eq!(shape([512, 512, 1], 2, 16, [16, 64], false), [16, 4, 1]);
        assert_eq!(shape([94, 94, 94], 3, 16, [16, 64], false), [16, 2, 2]);
    }

    #[test]
    fn a_prime_is_cut_off_where_that_is_allowed() {
        assert_eq!(shape([1_000_003, 1, 1], 1, 8, [256; 2], false), [256, 1, 1]);
        assert_eq!(shape([1_000_003, 1, 1], 1, 8, [256; 2], true), [1, 1, 1]);
    }

    #[test]
    fn one_of_many_is_cut_off() {
        // 48 divides the first, 219 the second, 255 the third, of which every other group would be cut off.
        assert_eq!([262_128, 29_127, 1020].map(|x| along(x, 256, 16, false)), [256, 256, 255]);
        // In gangs of 8, 344 divides the first: as good for them, and not for those that are made longer.
        assert_eq!([false, true].map(|uniform| along(262_128, 256, 8, uniform)), [256, 344]);
        assert_eq!([262_128, 29_127, 510].map(|x| along(x, 256, 16, true)), [48, 219, 255]);
        assert_eq!(along(240 * 1023, 256, 16, false), 240);
    }

    #[test]
    fn little_is_cut_off_a_row() {
        let sizes = |uniform| [510, 257, 511, 400, 513].map(|x| along(x, 256, 8, uniform));
        assert_eq!(sizes(false), [480, 256, 480, 200, 171]);
        assert_eq!(sizes(true), [255, 1, 73, 200, 171]);
    }

    #[test]
    fn rows_are_not_cut_in_small_pieces() {
        // 80 divides the first, and 240 the second, which is more than half; the last is one of few work-items.
        assert_eq!(
            [along(400, 256, 16, true), along(720, 256, 16, true), along(400, 100, 16, true)],
            [400, 240, 80]
        );
    }

    #[test]
    fn sizes_never_exceed_what_is_there() {
        for x in [1, 3, 8, 17, 100, 1024, 65_537] {
            for y in [1, 2, 5, 64] {
                for gang in [1, 4, 8, 16] {
                    for uniform in [false, true] {
                        let local = shape([x, y, 1], 2, gang, [enough([x, y, 1], gang, 2).min(128); 2], uniform);
                        assert!(local.iter().product::<u64>() <= 128 && !local.contains(&0), "{local:?}");
                        assert!(!uniform || x % local[0] == 0 && y % local[1] == 0, "{local:?}");
                    }
                }
            }
        }
    }
}
