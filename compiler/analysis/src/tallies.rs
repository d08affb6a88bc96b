//! Tallies: private sums that stand for the first bytes of buffers which only atomics access.

use ir::*;
use smallvec::SmallVec;
use target::costs::memory::TALLIES;

/// Stands for the first bytes of a buffer, as long as a call of the work-group's function lasts.
#[derive(Clone, Debug)]
pub struct Tally {
    /// The buffer: where in the argument block its address is.
    pub argument: i32,
    /// What is done to each element.
    pub op: AtomicOp,
    /// The elements.
    pub elem: Elem,
    /// Where among all tallies it is.
    pub offset: u32,
    /// How long it is.
    pub bytes: u32,
}

impl Tally {
    /// The buffer's address, from that of the argument block.
    pub fn buffer(&self, b: &mut Builder, arguments: Value) -> Value {
        let mut mem = MemInfo::new(Space::Constant, 8);
        mem.flags = MemFlags::INVARIANT | MemFlags::DEREFERENCEABLE;
        b.load(Type::I64, Address::offset(arguments, self.argument), mem)
    }
}

/// All tallies of a kernel.
#[derive(Clone, Debug, Default)]
pub struct Tallies {
    /// One a buffer.
    pub each: SmallVec<[Tally; TALLIES]>,
    /// Bytes of all.
    pub bytes: u32,
}

/// An atomic that nobody outside can expect to be done before the launch is over.
pub fn is_free(data: &InstData) -> bool {
    let InstData::AtomicRmw {
        mem,
        order: Order::Relaxed,
        scope,
        mask: None,
        ..
    } = data
    else {
        return false;
    };
    *scope <= Scope::Device && matches!(mem.space, Space::Global | Space::Generic) && !mem.flags.contains(MemFlags::VOLATILE)
}
