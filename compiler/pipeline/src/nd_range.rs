//! The index space of a launch, and what code may assume of it.

use crate::{ArgumentFacts, LaunchFacts, LocalSize, OFFSET_ALIGN, SMALL_IDS};

/// The index space of a launch; unused dimensions have size 1 and offset 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NdRange {
    /// 1 to 3.
    pub work_dim: u32,
    /// `get_global_offset()`
    pub offset: [u64; 3],
    /// `get_global_size()`
    pub global: [u64; 3],
    /// `get_enqueued_local_size()`
    pub local: [u64; 3],
    /// The driver chose the local size.
    pub is_chosen: bool,
}

impl NdRange {
    /// Does the index space end where a work-group ends?
    pub fn is_uniform(&self) -> bool {
        self.global
            .iter()
            .zip(&self.local)
            .all(|(global, local)| global.is_multiple_of(*local))
    }

    /// Offset + global size are at most [`SMALL_IDS`] in each dimension.
    pub fn has_small_ids(&self) -> bool {
        self.offset
            .iter()
            .zip(&self.global)
            .all(|(offset, size)| offset + size <= SMALL_IDS)
    }

    /// With x and a dimension exchanged.
    pub(crate) fn exchanged(&self, dimension: u8) -> NdRange {
        let exchange = |mut sizes: [u64; 3]| {
            sizes.swap(0, dimension.into());
            sizes
        };
        NdRange {
            offset: exchange(self.offset),
            global: exchange(self.global),
            local: exchange(self.local),
            ..*self
        }
    }

    /// Some work-group has the full size.
    pub fn has_full_group(&self) -> bool {
        self.global.iter().zip(&self.local).all(|(global, local)| global >= local)
    }

    /// No sub-group of this size is cut off, neither in full groups nor in those at the ends.
    pub fn has_whole_sub_groups(&self, size: u32) -> bool {
        let ends = |dimension: usize| {
            let (local, global) = (self.local[dimension], self.global[dimension]);
            [local.min(global), global % local.max(1)].into_iter().filter(|&size| size != 0)
        };
        let whole = |items: u64| items.is_multiple_of(u64::from(size));
        ends(0).all(|x| ends(1).all(|y| ends(2).all(|z| whole(x * y * z))))
    }

    /// What code may assume: of the index space, of the objects in global and constant memory that the kernel is given
    /// ([`LaunchFacts::small_objects`]), and of its arguments; `stop_word` is [`LaunchFacts::stop_word`].
    pub fn facts(&self, stop_word: Option<u64>, small_objects: bool, arguments: ArgumentFacts) -> LaunchFacts {
        LaunchFacts {
            local_size: LocalSize::Exactly(self.local),
            groups_of_one: false,
            whole_groups: None,
            exchanged: None,
            work_dim: self.work_dim,
            full_groups: self.is_uniform(),
            ends_overlap: [false; 3],
            zero_offset: self.offset == [0; 3],
            aligned_offset: self.offset.iter().all(|offset| offset.is_multiple_of(OFFSET_ALIGN)),
            small_ids: self.has_small_ids(),
            small_objects,
            stop_word,
            arguments,
        }
    }
}
