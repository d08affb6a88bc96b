//! A kernel's code as a launch takes it: the variants that its index space needs.

use crate::kernel::{Kernel, Variant};
use crate::nd_range::NdRange;
use crate::{BuildError, LaunchFacts};
use device::launch::{Code, Cost, Launch};
use device::memory::ArgumentBlock;
use interface::checks::{SHADOW_ALIGN, shadow_distance};
use std::sync::Arc;

/// The compiled code for launches of some kind, and what has been learned of them.
#[derive(Debug)]
pub struct Prepared {
    facts: LaunchFacts,
    full: Arc<Variant>,
    /// For work-groups that the end of the index space cuts off.
    edge: Option<Arc<Variant>>,
    cost: Arc<Cost>,
    /// The kernel's.
    name: Arc<str>,
    /// See [`Kernel::is_unfolded`].
    is_unfolded: bool,
}

impl Prepared {
    /// Is it for launches of which this is known?
    pub fn is_for(&self, facts: &LaunchFacts) -> bool {
        self.facts == *facts
    }

    /// Bytes of local memory for variables of the program.
    pub fn local_bytes(&self) -> u64 {
        self.full
            .needs
            .local_bytes
            .max(self.edge.as_ref().map_or(0, |edge| edge.needs.local_bytes))
    }

    /// Lanes of a gang.
    pub fn gang_width(&self) -> u32 {
        self.full.needs.gang_width
    }

    /// A launch in groups of the range's local size.
    ///
    /// # Safety
    /// The code must be kept for as long as the launch can run, and the arguments be those that it is made for: see [`Launch::new`].
    pub unsafe fn launch(&self, arguments: ArgumentBlock, range: &NdRange) -> Launch {
        // SAFETY: the compiler made the code for these sizes; the rest is the caller's promise.
        let mut launch = unsafe { Launch::new(Prepared::code(&self.full), arguments, range.work_dim, range.global, range.local) };
        launch.edge = self.edge.as_deref().map(Prepared::code);
        launch.global_offset = range.offset;
        launch.exchanged = self.facts.exchanged;
        launch.ends_overlap = self.facts.ends_overlap.contains(&true);
        launch.cost = self.cost.clone();
        launch.name = Some(self.name.clone());
        launch
    }

    /// The code for a launch: what the kernel's last launch used, or compiled now.
    pub fn get(
        kernel: &Kernel,
        last: &mut Option<Arc<Prepared>>,
        facts: LaunchFacts,
        range: &NdRange,
    ) -> Result<Arc<Prepared>, BuildError> {
        let same = last
            .as_ref()
            .filter(|last| last.facts == facts && last.is_unfolded == kernel.is_unfolded);
        // Where code is shared with other local sizes, each launch counts for code of its own.
        if let Some(last) = same.filter(|last| !last.is_shared()) {
            return Ok(last.clone());
        }
        let known = same.map(|last| last.cost.clone());
        let variant = |full_groups: bool| {
            let facts = LaunchFacts {
                full_groups,
                ..facts.clone()
            };
            kernel.variant(&facts)
        };
        let edge = if facts.full_groups { None } else { Some(variant(false)?) };
        let full = match &edge {
            Some(edge) if !range.has_full_group() => edge.clone(),
            _ => variant(true)?,
        };
        let cost = known.unwrap_or_else(|| full.cost(&facts.local_size));
        let new = Arc::new(Prepared {
            facts,
            full,
            edge,
            cost,
            name: kernel.info.name.as_str().into(),
            is_unfolded: kernel.is_unfolded,
        });
        *last = Some(new.clone());
        Ok(new)
    }

    fn is_shared(&self) -> bool {
        self.full.is_shared || self.edge.as_ref().is_some_and(|edge| edge.is_shared)
    }

    fn code(variant: &Variant) -> Code {
        Code {
            entry: variant.entry,
            needs: variant.needs,
        }
    }
}

/// Where local memory that is an argument begins behind other local memory, and where it ends with so many bytes of shadows for each [`SHADOW_ALIGN`] bytes.
pub fn place_behind(end: u64, align: u64, bytes: u64, shadows: u64) -> (u64, u64) {
    let start = end.next_multiple_of(align.clamp(1, 128));
    let with_shadows = match shadows {
        0 => bytes,
        _ => shadow_distance(bytes) / SHADOW_ALIGN * (SHADOW_ALIGN + shadows),
    };
    (start, start + with_shadows)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ArgumentFacts;
    use crate::built::built;

    #[test]
    fn kernel_objects_of_one_kernel_know_what_launches_cost() {
        let program = built("kernel void k(global int *a) { a[get_global_id(0)] = 1; }");
        // Each time a kernel object that has not been launched.
        let cost = |local: u64| {
            let range = NdRange {
                work_dim: 1,
                offset: [0; 3],
                global: [4096, 1, 1],
                local: [local, 1, 1],
                is_chosen: false,
            };
            let facts = range.facts(None, true, ArgumentFacts::default());
            let prepared = Prepared::get(&program.kernels[0], &mut None, facts, &range).expect("it is compiled");
            prepared.cost.clone()
        };
        assert!(Arc::ptr_eq(&cost(64), &cost(64)));
        assert!(!Arc::ptr_eq(&cost(64), &cost(128)));
    }
}
