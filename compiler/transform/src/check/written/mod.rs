//! Memory that is shared is written before it is read: [`local`] memory, and [`global`] memory of buffers.
//!
//! Such memory has a shadow of its size: what is written sets its bytes of the shadow to ones, and what is read compares them.

mod global;
mod local;

pub use global::{Buffers, note};
pub use local::Shadow;

use super::accesses::Part;
use super::reads::Reads;
use super::site::AccessKind;
use ir::*;

/// What must hold of what an access reads.
#[derive(Clone, Copy, Debug)]
pub enum Written {
    /// Nothing.
    Whatever,
    /// A truth value: all of it was written.
    All(Value),
    /// A truth value for what is only copied: some of it was written.
    Some(Value),
}

/// What is asked of the bytes of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Demand {
    Nothing,
    All,
    Some,
}

impl Demand {
    fn of(func: &Function, inst: Inst, part: &Part, reads: &Reads) -> Demand {
        let results = &func.inst(inst).results;
        match part.kind {
            AccessKind::Read if results.iter().any(|&result| reads.is_read(result)) => Demand::All,
            AccessKind::Read if results.iter().any(|&result| reads.is_only_copied(result)) => Demand::Some,
            AccessKind::Atomic if !matches!(func.inst(inst).data, InstData::AtomicStore { .. }) => Demand::All,
            _ => Demand::Nothing,
        }
    }

    /// What must hold of bytes of the shadow.
    fn holds(self, b: &mut Builder, shadow: Value) -> Written {
        match self {
            Demand::Nothing => Written::Whatever,
            Demand::All => Written::All(b.icmp_imm(IntCc::Eq, shadow, -1)),
            Demand::Some => Written::Some(b.icmp_imm(IntCc::Ne, shadow, 0)),
        }
    }
}

/// What must hold of the accesses behind one guard.
#[derive(Clone, Copy, Debug, Default)]
pub struct Both {
    all: Option<Value>,
    some: Option<Value>,
}

impl Both {
    /// One more access.
    pub fn add(&mut self, b: &mut Builder, written: Written) {
        match written {
            Written::Whatever => {}
            Written::All(ok) => self.all = Some(self.all.map_or(ok, |all| b.and(all, ok))),
            Written::Some(ok) => self.some = Some(self.some.map_or(ok, |some| b.or(some, ok))),
        }
    }

    /// The truth value, unless nothing must hold.
    pub fn ok(self) -> Option<Value> {
        self.all.or(self.some)
    }
}

/// Sets bytes to ones.
pub fn fill(b: &mut Builder, address: Address, bytes: u64, space: Space) {
    let mut done = 0;
    for elem in [Elem::I64, Elem::I8] {
        let size = u64::from(elem.bytes());
        let ones = b.constant(Type::scalar(elem), u64::MAX);
        while done + size <= bytes {
            let offset = address.offset + done as i32;
            b.store(ones, Address { offset, ..address }, MemInfo::new(space, 1));
            done += size;
        }
    }
}
