//! What code may assume of the sizes of work-groups.

/// What code knows of the enqueued local size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LocalSize {
    /// It is this, in work-items.
    Exactly([u64; 3]),
    /// The launch tells ([`device::abi::LaunchRecord::local_size`]).
    Told {
        /// No more work-items in each dimension; 1 where it is 1.
        most: [u64; 3],
        /// No more work-items in all.
        items: u64,
        /// A divisor of the number of work-items.
        multiple: u32,
    },
}

impl LocalSize {
    /// What code for any local size like this one may assume: in the same dimensions it is 1, gangs of a width fill it or don't; and no group
    /// has more than so many work-items.
    pub fn like(size: [u64; 3], width: u32, most_items: u64) -> LocalSize {
        let is_filled = size.iter().product::<u64>().is_multiple_of(u64::from(width));
        LocalSize::Told {
            most: size.map(|size| if size == 1 { 1 } else { most_items }),
            items: most_items,
            multiple: if is_filled { width } else { 1 },
        }
    }

    /// The size, where it is known.
    pub fn exactly(self) -> Option<[u64; 3]> {
        match self {
            LocalSize::Exactly(size) => Some(size),
            LocalSize::Told { .. } => None,
        }
    }

    /// The size in a dimension, where it is known.
    pub fn along(self, dimension: usize) -> Option<u64> {
        match self {
            LocalSize::Exactly(size) => Some(size[dimension]),
            LocalSize::Told { most, .. } => (most[dimension] == 1).then_some(1),
        }
    }

    /// An upper bound in each dimension.
    pub fn most(self) -> [u64; 3] {
        match self {
            LocalSize::Exactly(most) | LocalSize::Told { most, .. } => most,
        }
    }

    /// How many work-items a group has that is not cut off, where it is known.
    pub fn items(self) -> Option<u64> {
        self.exactly().map(|size| size.iter().product())
    }

    /// No group has more work-items.
    pub fn most_items(self) -> u64 {
        match self {
            LocalSize::Exactly(size) => size.iter().product(),
            LocalSize::Told { items, .. } => items,
        }
    }

    /// A group that is not cut off has a multiple of so many work-items.
    pub fn is_multiple_of(self, count: u32) -> bool {
        match self {
            LocalSize::Exactly(size) => size.iter().product::<u64>().is_multiple_of(u64::from(count)),
            LocalSize::Told { multiple, .. } => multiple.is_multiple_of(count),
        }
    }
}
