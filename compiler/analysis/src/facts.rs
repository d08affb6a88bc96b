//! What group formation may assume.

use super::access::tables::Tables;
use super::guards::Guard;
use super::shape::{GangShape, Layout};
use super::tallies::Tallies;
use cranelift_entity::SecondaryMap;
use interface::LocalSize;
use ir::{Function, Slot, SlotData};
use std::sync::Arc;

/// What group formation may assume of a kernel's launch.
#[derive(Clone, Debug)]
pub struct GangFacts {
    /// Lanes of a gang.
    pub width: u32,
    /// Where the work-items stand.
    pub layout: Layout,
    /// The enqueued local size.
    pub local_size: LocalSize,
    /// Every group has as many work-items as the local size says.
    pub full_groups: bool,
    /// By dimension: the last groups are moved back to where the NDRange ends ([`LaunchFacts::ends_overlap`](interface::LaunchFacts::ends_overlap)).
    pub ends_overlap: [bool; 3],
    /// `get_work_dim()`.
    pub work_dim: u32,
    /// No global offset.
    pub zero_offset: bool,
    /// See [`LaunchFacts::aligned_offset`].
    pub aligned_offset: bool,
    /// All global ids are below [`interface::SMALL_IDS`], and sizes no larger.
    pub small_ids: bool,
    /// No object in memory has 2^32 - 2^12 bytes or more.
    pub small_objects: bool,
    /// The function is called by others, with parameters of its own in each lane.
    pub parameters_vary: bool,
    /// So many gangs are run at once ([`super::jam`]).
    pub gangs_at_once: u32,
    /// They lie below each other in so many rows.
    pub rows_at_once: u32,
    /// Gangs are run along this dimension first, if not along that of a gang.
    pub first_along: Option<u8>,
    /// Bytes between lanes in slots that are laid out by element ([`super::interleave`]); 0 for the others.
    pub lane_strides: SecondaryMap<Slot, u32>,
    /// What stands for the first bytes of buffers.
    pub tallies: Tallies,
    /// Under which work-items do nothing.
    pub guards: Vec<Guard>,
    /// Constants that registers hold.
    pub tables: Option<Arc<Tables>>,
}

impl GangFacts {
    /// For a kernel.
    pub fn new(shape: GangShape, facts: &interface::LaunchFacts) -> GangFacts {
        // A group that is cut off has rows of any length.
        let layout = match shape.layout {
            Layout::Rows { dimension }
                if !facts.full_groups && facts.local_size.most()[usize::from(dimension) + 1..].iter().any(|&size| size > 1) =>
            {
                Layout::Linear
            }
            layout => layout,
        };
        GangFacts {
            width: shape.width,
            layout,
            local_size: facts.local_size,
            full_groups: facts.full_groups,
            ends_overlap: facts.ends_overlap,
            work_dim: facts.work_dim,
            zero_offset: facts.zero_offset,
            aligned_offset: facts.aligned_offset,
            small_ids: facts.small_ids,
            small_objects: facts.small_objects,
            parameters_vary: false,
            gangs_at_once: 1,
            rows_at_once: 1,
            first_along: None,
            lane_strides: SecondaryMap::new(),
            tallies: Tallies::default(),
            guards: Vec::new(),
            tables: None,
        }
    }

    /// Every lane of every gang has a work-item.
    pub fn full_gangs(&self) -> bool {
        self.full_groups && self.local_size.is_multiple_of(self.width)
    }

    /// Bytes from one lane's copy of a slot to the next lane's.
    pub fn lane_stride(&self, func: &Function, slot: Slot) -> u32 {
        if self.lane_strides[slot] != 0 {
            return self.lane_strides[slot];
        }
        own_bytes(&func.slots[slot])
    }

    /// Bytes of all lanes' copies of a slot.
    pub fn slot_bytes(&self, data: &SlotData) -> u64 {
        u64::from(own_bytes(data)) * u64::from(self.width)
    }
}

/// Bytes of one lane's copy of a slot, to the next one's.
fn own_bytes(data: &SlotData) -> u32 {
    data.size.max(1).next_multiple_of(data.align.max(1))
}
