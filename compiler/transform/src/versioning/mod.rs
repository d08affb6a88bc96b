//! Versioning: code is written twice, for gangs of which something is known there and for the others.
//!
//! ```c
//! if (holds) { /* a copy of the region, made simpler by what holds */ } else { /* the region */ }
//! ```
//! A client finds a [`Region`] and says what it would assume of a gang there ([`Assumption`]): how it is tested, with scalars, where the region
//! begins, and what it makes of the copy. [`version`] does the rest. What is written twice is paid for from a [`Budget`]. Who writes the
//! simpler code himself only has [`choose`] ask.

mod region;

pub use region::{Region, Twice};

use ir::*;
use passes::Plan;
use target::costs::versioning;

/// Something that is not known of each gang.
pub trait Assumption {
    /// Writes what tells whether it holds of the gang: the same for all lanes.
    fn test(&mut self, b: &mut Builder) -> Test;

    /// Makes use of it in the copies.
    fn simplify(&self, _func: &mut Function, _twice: &Twice) {}
}

/// A mask that is the same in all lanes, and which value of it says that an assumption holds.
#[derive(Clone, Copy, Debug)]
pub struct Test {
    /// The mask.
    pub mask: Value,
    /// Its value.
    pub holds: bool,
}

impl Test {
    /// It holds where the mask is true.
    pub fn when(mask: Value) -> Test {
        Test { mask, holds: true }
    }

    /// All lanes have the value of a mask.
    pub fn all_lanes(b: &mut Builder, mask: Value, value: bool) -> Test {
        let op = if value { SubGroupOp::All } else { SubGroupOp::Any };
        Test {
            mask: b.sub_group(op, &[mask]),
            holds: value,
        }
    }

    /// Ends a block.
    pub fn branch(self, func: &mut Function, block: Block, fast: BlockCall, slow: BlockCall) {
        let [then, otherwise] = if self.holds { [fast, slow] } else { [slow, fast] };
        Builder::new(func, block).branch(self.mask, then, otherwise);
    }
}

/// Writes a region twice, for gangs of which an assumption holds and for the others.
pub fn version(func: &mut Function, region: &Region, assumption: &mut dyn Assumption) -> Twice {
    let twice = region.write_twice(func);
    choose(func, twice.test, assumption, twice.fast.clone(), twice.slow.clone());
    assumption.simplify(func, &twice);
    twice
}

/// Ends a block: where an assumption holds, the way is `fast`.
pub fn choose(func: &mut Function, block: Block, assumption: &mut dyn Assumption, fast: BlockCall, slow: BlockCall) {
    assumption.test(&mut Builder::new(func, block)).branch(func, block, fast, slow);
}

/// Instructions that a pass may still write twice in a function. What comes of each region that it finds is noted in the plan.
pub struct Budget<'a> {
    pass: &'static str,
    plan: &'a mut Plan,
    left: usize,
}

impl<'a> Budget<'a> {
    /// A pass's, as it begins.
    pub fn new(pass: &'static str, plan: &'a mut Plan) -> Budget<'a> {
        let left = versioning::FUNCTION;
        Budget { pass, plan, left }
    }

    /// Pays for a region of so many instructions from a block on, if it may be written twice.
    pub fn pay(&mut self, from: Block, size: usize) -> bool {
        let most = versioning::REGION.min(self.left);
        let pays = size <= most;
        self.plan.note(self.pass, || {
            let taken = if pays { "written twice" } else { "as it is" };
            format!("region of {size} instructions from {from}: {taken}; at most {most} may be written twice")
        });
        self.left -= if pays { size } else { 0 };
        pays
    }
}

/// What may stand in a region. Gangs of one group come to a barrier together, and what is called is as large as what calls it.
pub fn may_copy(data: &InstData) -> bool {
    !matches!(
        data,
        InstData::Barrier { .. } | InstData::WorkGroup { .. } | InstData::Call { .. } | InstData::Unreachable
    )
}

/// What may stand in a region that ends where it is left, and whose lanes may be fewer than those that came to it.
pub fn may_copy_inside(data: &InstData) -> bool {
    may_copy(data)
        && !matches!(
            data,
            InstData::SubGroup { .. } | InstData::CallRuntime { .. } | InstData::Return { .. } | InstData::Trap { .. }
        )
}

/// It reports a failed check, or asks whether there is memory. Both are rare.
pub fn is_report(data: &InstData) -> bool {
    matches!(
        data,
        InstData::CallRuntime {
            routine: Runtime::Found | Runtime::FoundInCallee | Runtime::Raced | Runtime::Live,
            ..
        }
    )
}
