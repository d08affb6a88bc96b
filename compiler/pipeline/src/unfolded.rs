//! Kernels that take a flat id apart, `x = i % w, y = i / w`, as kernels of as many dimensions ([`vectorize::unfold`]), and their launches.
//!
//! Such a kernel is another one, with code of its own, and all that is asked of a kernel is asked of that: which groups are best for it, among others.

use crate::groups::{Groups, run_of_row, whole};
use crate::kernel::{AsRun, Kernel};
use crate::local_size::{self, items, units};
use crate::nd_range::NdRange;
use smallvec::SmallVec;
use target::costs::unfolding::{ACCESS, LANE, ROW};
use vectorize::{AccessOrder, Sizes, Work};

/// A kernel for launches along more dimensions than are asked for.
#[derive(Debug)]
pub(crate) struct Unfolded {
    kernel: Kernel,
    /// How the first dimension becomes two, and then the second.
    sizes: SmallVec<[Sizes; 2]>,
    /// What work-items of the flat kernel do.
    work: Work,
    /// The kernel's second dimension is the third.
    is_moved: bool,
}

impl Unfolded {
    /// If it takes apart its id along x, the only one that it has, and sees no more of the launch.
    pub fn of(kernel: &AsRun) -> Option<Box<Unfolded>> {
        let info = &kernel.info;
        // (Printed lines would come in another order.)
        let shows_nothing = kernel.checks().is_empty() && !info.uses_printf && !info.enqueues;
        let sees_nothing = kernel.knows_no_groups() && info.sub_groups_per_group.is_none();
        if !shows_nothing || !sees_nothing || kernel.preferred_multiple() == 1 {
            return None;
        }
        let mut rows = vectorize::unfold(kernel.without_ids_in_calls()?, 0)?;
        let mut sizes: SmallVec<[Sizes; 2]> = SmallVec::from_iter([rows.sizes]);
        if let Some(planes) = vectorize::unfold(&rows.func, 1) {
            rows.func = planes.func;
            sizes.push(planes.sizes);
        }
        let kernel = kernel.with_function(rows.func);
        Some(Box::new(Unfolded {
            kernel,
            sizes,
            work: rows.work,
            is_moved: rows.is_moved,
        }))
    }

    /// The launch, if it can be one of this kernel, and gains by it.
    fn range(&self, compute_units: u32, asked: &NdRange, arguments: &[u8], are_apart: impl FnOnce() -> bool) -> Option<NdRange> {
        let mut global = [asked.global[0], 1, 1];
        for (axis, sizes) in self.sizes.iter().enumerate() {
            [global[axis], global[axis + 1]] = sizes.of(global[axis], arguments)?;
        }
        match self.is_moved {
            true => global[2] = asked.global[1],
            false if asked.global[1] > 1 => return None,
            false => {}
        }
        let gang = u64::from(self.kernel.preferred_multiple());
        let is_small = global[0] < gang || global[1] == 1 || items(global) < gang * units(compute_units);
        if is_small || !self.pays(global[0], gang, are_apart) {
            return None;
        }
        let dimensions = 1 + self.sizes.len() + usize::from(self.is_moved);
        Some(NdRange {
            work_dim: dimensions as u32,
            offset: [0; 3],
            global,
            local: local_size::choose(&self.kernel, compute_units, dimensions, global, false),
            is_chosen: true,
        })
    }

    /// Rows of so many work-items are better than a flat launch.
    fn pays(&self, row: u64, gang: u64, are_apart: impl FnOnce() -> bool) -> bool {
        let kernel = self.kernel.as_run();
        // Of products in tiles, what is shared counts for more than all else.
        if row.is_multiple_of(gang) || kernel.in_tiles() {
            return true;
        }
        let can_run_twice = !kernel.takes_ids_apart() && kernel.is_idempotent() && are_apart();
        let Some(run) = run_of_row(row, gang).filter(|_| can_run_twice) else {
            return false;
        };
        if !matches!(kernel.access_order(), AccessOrder::InOrder | AccessOrder::Streaming) {
            return true;
        }
        // Of a flat launch, so many gangs go over the end of a row, in which each lane accesses memory by itself; others share nothing with the row below.
        let over_ends = (gang - 1) as f64 / row as f64;
        let Work { instructions, accesses } = self.work;
        let gained = accesses * gang as f64 * LANE * over_ends + (accesses - 1.0) * ACCESS;
        let lost = instructions * (run - row) as f64 / row as f64 + ROW;
        lost < gained
    }
}

/// How a launch is run.
#[derive(Debug)]
pub struct Run<'k> {
    /// The kernel, or the same along more dimensions.
    pub kernel: &'k Kernel,
    /// The index space for it.
    pub range: NdRange,
    /// In which groups.
    pub groups: Groups,
}

impl<'k> Run<'k> {
    /// Of a launch with the arguments in a block; `are_apart` says whether the kernel's buffers don't overlap.
    pub fn of(kernel: &'k Kernel, compute_units: u32, asked: &NdRange, arguments: &[u8], are_apart: impl Fn() -> bool) -> Run<'k> {
        let is_flat = asked.global[2] == 1 && asked.offset == [0; 3] && asked.has_small_ids();
        let as_whole = || whole(kernel, asked).map(|(_, as_run)| as_run);
        let unfolded = if is_flat { kernel.unfolded(as_whole()) } else { None };
        let rows = unfolded.and_then(|unfolded| Some((&unfolded.kernel, unfolded.range(compute_units, asked, arguments, &are_apart)?)));
        let (kernel, range) = rows.unwrap_or((kernel, *asked));
        let groups = Groups::of(kernel, compute_units, &range, arguments, are_apart);
        Run { kernel, range, groups }
    }

    /// The index space in the groups that are run.
    pub fn divided(&self) -> NdRange {
        self.groups.divide(&self.range)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Program;
    use crate::built::built;
    use crate::kernel::preferred_gang_width;
    use std::sync::Arc;

    /// The index space of a launch of a kernel `k(a, b, c, w, n)`.
    fn global(kernel: &Kernel, range: &NdRange, w: i32, are_apart: bool) -> [u64; 3] {
        let mut block = vec![0; 32];
        block[24..28].copy_from_slice(&w.to_le_bytes());
        block[28..].copy_from_slice(&16i32.to_le_bytes());
        Run::of(kernel, 2, range, &block, || are_apart).range.global
    }

    fn line(items: u64) -> NdRange {
        NdRange {
            work_dim: 1,
            offset: [0; 3],
            global: [items, 1, 1],
            local: [64, 1, 1],
            is_chosen: false,
        }
    }

    fn kernel(body: &str) -> Arc<Program> {
        built(&format!(
            "kernel void k(global const float *a, global const float *b, global float *c, int w, int n) {{
                int i = get_global_id(0), x = i % w, y = i / w;
                {body}
            }}"
        ))
    }

    const SUM: &str = "c[i] = a[i] + b[x];";
    const PRODUCT: &str = "float s = 0; for (int k = 0; k < n; k++) s += a[y * n + k] * b[k * w + x]; c[i] = s;";

    #[test]
    fn rows_are_what_gangs_fill() {
        if preferred_gang_width() == 1 {
            return;
        }
        let (sum, product) = (kernel(SUM), kernel(PRODUCT));
        let of = |program: &Program, items: u64, w| global(&program.kernels[0], &line(items), w, true);
        assert_eq!(of(&sum, 6400, 64), [64, 100, 1]);
        assert_eq!(of(&product, 6400, 64), [64, 100, 1]);
        // Lanes would be idle, which products in tiles are worth.
        assert_eq!(of(&sum, 5000, 50), [5000, 1, 1]);
        assert_eq!(of(&product, 5000, 50), [50, 100, 1]);
        // Neither does the launch end with a row, nor are there many, nor is there a row at all.
        for (items, w) in [(6401, 64), (64, 64), (6400, 2), (6400, 0), (6400, -64), (6400, i32::MAX)] {
            assert_eq!(of(&product, items, w), [items, 1, 1], "{items}, {w}");
        }
    }

    #[test]
    fn work_items_that_run_twice_fill_rows() {
        if preferred_gang_width() == 1 {
            return;
        }
        let transpose = kernel("c[x * n + y] = a[i];");
        let of = |are_apart| global(&transpose.kernels[0], &line(10_000), 100, are_apart);
        assert_eq!((of(true), of(false)), ([100, 100, 1], [10_000, 1, 1]));
    }

    #[test]
    fn other_launches_stay() {
        let others = [
            "if (get_global_size(0) > 5) c[i] = x + y;",
            "c[i] = x + y + get_local_id(0);",
            "c[i] = x + y; printf(\"%d\", i);",
            "c[i] = x + y + get_global_id(1) + get_global_id(2);",
        ];
        for body in others {
            assert_eq!(global(&kernel(body).kernels[0], &line(6400), 64, true), [6400, 1, 1], "{body}");
        }
        let sum = kernel(SUM);
        let of = |range: NdRange| global(&sum.kernels[0], &range, 64, true);
        let moved = NdRange {
            offset: [64, 0, 0],
            ..line(6400)
        };
        let plane = NdRange {
            work_dim: 2,
            global: [6400, 2, 1],
            ..line(6400)
        };
        assert_eq!((of(moved), of(plane)), ([6400, 1, 1], [6400, 2, 1]));
    }
}
