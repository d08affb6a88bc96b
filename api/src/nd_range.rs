//! The index space of a launch.

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

    /// Some work-group has the full size.
    pub fn has_full_group(&self) -> bool {
        self.global.iter().zip(&self.local).all(|(global, local)| global >= local)
    }
}
