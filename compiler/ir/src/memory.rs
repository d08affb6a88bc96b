//! Addresses, and what memory operations know of the memory that they touch.

use super::entities::Value;
use super::named::named;
use super::types::{Elem, Type};
use core::fmt;

named! {
    /// The address spaces of OpenCL. A back end does not care; alias analysis, atomics and the gang former do.
    pub enum Space {
        /// `__global`: CrossWorkgroup.
        Global = "global",
        /// `__constant`: UniformConstant, and the argument block. Nobody writes it while the kernel runs.
        Constant = "constant",
        /// `__local`: Workgroup. One thread only touches it.
        Local = "local",
        /// `__private`: Function. One work-item only touches it.
        Private = "private",
        /// Any of global, local and private.
        Generic = "generic",
    }
}

bitflags::bitflags! {
    /// What a memory operation promises or demands.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    pub struct MemFlags: u8 {
        /// Never merged, split, repeated or dropped.
        const VOLATILE = 1;
        /// A hint: not needed again soon.
        const NONTEMPORAL = 2;
        /// The memory doesn't change while the kernel runs: the load may move anywhere that its address is valid.
        const INVARIANT = 4;
        /// The address may be read at any time, whatever the mask says (the argument block, constants).
        const DEREFERENCEABLE = 8;
        /// A hint: what stands a little behind it is needed soon.
        const AHEAD = 16;
        /// Of a store: where some lane is on, those that are off may be written with what is there. Nobody else writes it meanwhile.
        const OWNED = 32;
        /// Whatever lanes are here, the access is done once, and its result is that of all of them. Work-item level.
        const ONCE = 64;
    }
}

/// Which memory operations can touch the same bytes: 0 is unknown and overlaps with all; two different numbers above 0 never overlap.
pub type AliasSet = u16;

/// The alias set of all buffers that nothing is promised of.
pub const UNPROMISED: AliasSet = 1;

/// Alias sets of variables start here; those of a kernel's arguments are below.
pub const VARIABLE_SETS: AliasSet = 1 << 15;

/// An alignment: a power of two of bytes.
///
/// Kept as its exponent: a store of records, which has the most operands, has no room for more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Align(u8);

impl Align {
    /// What is at a multiple of so many bytes is aligned to the largest power of two that divides them.
    pub const fn of(bytes: u32) -> Align {
        match bytes {
            0 => Align(0),
            bytes => Align(bytes.trailing_zeros() as u8),
        }
    }

    /// As a number of bytes.
    pub const fn bytes(self) -> u32 {
        1 << self.0
    }

    /// Reads the text form.
    pub fn parse(text: &str) -> Option<Align> {
        let bytes: u32 = text.parse().ok()?;
        bytes.is_power_of_two().then_some(Align::of(bytes))
    }
}

impl fmt::Display for Align {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.bytes().fmt(f)
    }
}

/// A load or a store.
#[derive(Clone, Copy, Debug)]
pub struct Access {
    /// Where.
    pub address: Address,
    /// What is known of the memory.
    pub mem: MemInfo,
    /// What is loaded or stored.
    pub ty: Type,
    /// The lanes that do it, if not all do.
    pub mask: Option<Value>,
    /// It stores.
    pub is_store: bool,
}

impl Access {
    /// Passes may do it elsewhere, or together with others.
    pub fn is_plain(&self) -> bool {
        !self.mem.is_volatile() && self.ty.elem != Elem::Mask
    }
}

/// What a memory operation knows of its memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MemInfo {
    /// The address space.
    pub space: Space,
    /// The alignment of each lane's address.
    pub align: Align,
    /// Promises and demands.
    pub flags: MemFlags,
    /// What else may touch the same bytes.
    pub alias: AliasSet,
}

impl MemInfo {
    /// Memory of which only space and alignment, in bytes, are known.
    pub const fn new(space: Space, align: u32) -> MemInfo {
        MemInfo {
            space,
            align: Align::of(align),
            flags: MemFlags::empty(),
            alias: 0,
        }
    }

    /// It must be accessed where and as often as the program says.
    pub fn is_volatile(&self) -> bool {
        self.flags.contains(MemFlags::VOLATILE)
    }

    /// Some of it may be memory of such a space and alias set.
    pub fn may_meet(&self, space: Space, alias: AliasSet) -> bool {
        let same_space = space == self.space || space == Space::Generic || self.space == Space::Generic;
        let same_set = alias == 0 || self.alias == 0 || alias == self.alias;
        same_space && same_set
    }

    /// A store to memory of such a space and alias set may change what is in this.
    pub fn may_be_changed(&self, space: Space, alias: AliasSet) -> bool {
        self.space != Space::Constant && !self.flags.contains(MemFlags::INVARIANT) && self.may_meet(space, alias)
    }
}

/// `base + index * scale + offset`, in bytes.
///
/// `base` is an `i64`; `index` an `i32` (sign-extended before it is scaled) or an `i64`. If base and index have one lane each, a vector
/// access is to consecutive memory from that address on; if one of them has lanes, each lane has an address of its own (gather, scatter).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Address {
    /// The base address.
    pub base: Value,
    /// What is scaled and added, if anything.
    pub index: Option<Value>,
    /// 1 to 2^31; 1 where there is no index.
    pub scale: u32,
    /// A constant number of bytes.
    pub offset: i32,
}

impl Address {
    /// Just a base.
    pub const fn base(base: Value) -> Address {
        Address {
            base,
            index: None,
            scale: 1,
            offset: 0,
        }
    }

    /// A base and a constant.
    pub const fn offset(base: Value, offset: i32) -> Address {
        Address {
            base,
            index: None,
            scale: 1,
            offset,
        }
    }

    /// So many bytes from here and so many from the other address are other bytes of one record: the addresses differ by a constant.
    pub fn is_beside(&self, bytes: u32, other: &Address, other_bytes: u32) -> bool {
        let [from, other_from] = [self, other].map(|address| i64::from(address.offset));
        let is_apart = from + i64::from(bytes) <= other_from || other_from + i64::from(other_bytes) <= from;
        is_apart && Address { offset: 0, ..*self } == Address { offset: 0, ..*other }
    }
}

named! {
    /// Memory orders of atomics and fences.
    pub enum Order {
        /// Atomic, no order.
        Relaxed = "relaxed",
        /// Acquire.
        Acquire = "acquire",
        /// Release.
        Release = "release",
        /// Both.
        AcquireRelease = "acq_rel",
        /// One total order.
        SequentiallyConsistent = "seq_cst",
    }
}

named! {
    /// Who takes part in a barrier, or must see a fence or atomic.
    pub enum Scope {
        /// The work-item alone.
        WorkItem = "work_item",
        /// Its gang.
        SubGroup = "sub_group",
        /// Its work-group.
        WorkGroup = "work_group",
        /// All work-groups.
        Device = "device",
        /// The host and other devices too.
        AllDevices = "all_devices",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stores_change_what_may_be_the_same_memory() {
        let of = |space, alias| MemInfo {
            alias,
            ..MemInfo::new(space, 4)
        };
        assert!(of(Space::Global, 1).may_be_changed(Space::Global, 1));
        assert!(of(Space::Global, 1).may_be_changed(Space::Global, 0), "a store to any set");
        assert!(of(Space::Local, 0).may_be_changed(Space::Generic, 2), "a store to any space");
        assert!(!of(Space::Global, 1).may_be_changed(Space::Global, 2));
        assert!(!of(Space::Global, 0).may_be_changed(Space::Local, 0));
        assert!(!of(Space::Constant, 0).may_be_changed(Space::Generic, 0));
        let invariant = MemInfo {
            flags: MemFlags::INVARIANT,
            ..of(Space::Global, 0)
        };
        assert!(!invariant.may_be_changed(Space::Global, 0));
    }
}
