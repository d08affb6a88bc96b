//! The shadow of buffers and of shared allocations: the driver's, for as long as they live ([`device::live::written`]).
//!
//! A launch tells where the shadow of an argument's object is ([`interface::checks::Extent`]): kernels go there themselves. Of pointers of which no
//! argument's object is known, they ask the driver. What is written is noted before it is there, so that who sees it finds it noted.

use super::super::accesses::{Bytes, Part};
use super::super::extents::Extents;
use super::super::objects::Root;
use super::super::reads::Reads;
use super::{Demand, Written, fill};
use device::live::WRITES;
use device::live::written::SOME;
use interface::KernelInfo;
use ir::*;
use target::costs::code_size::SHADOWED_AT_ONCE;

/// The shadows of a function's buffers.
pub struct Buffers {
    reads: Reads,
}

impl Buffers {
    /// A function's.
    pub fn new(func: &Function) -> Buffers {
        Buffers {
            reads: Reads::new(func, |inst| func.is_copy(inst)),
        }
    }

    /// Notes what an access will write. Returns where to go on, and what must hold of what it reads.
    pub fn follow(
        &self,
        func: &mut Function,
        at: Block,
        inst: Inst,
        part: &Part,
        extents: &mut Extents,
        info: &KernelInfo,
    ) -> (Block, Written) {
        let demand = Demand::of(func, inst, part, &self.reads);
        let nothing = (at, Written::Whatever);
        if demand == Demand::Nothing && !part.kind.writes() {
            return nothing;
        }
        let may_be_global = matches!(part.space, Space::Global | Space::Constant | Space::Generic);
        match part.root {
            Root::Argument(_) if part.root.is_local(info) => nothing,
            Root::Argument(_) => match part.bytes {
                Bytes::Constant(bytes) if int(bytes).is_some() || demand == Demand::Nothing && bytes <= SHADOWED_AT_ONCE => {
                    in_shadow(func, at, part, bytes, demand, extents)
                }
                _ => ask(func, at, part, demand, extents),
            },
            Root::Parameter(_) | Root::Unknown if may_be_global => ask(func, at, part, demand, extents),
            Root::Parameter(_) | Root::Unknown | Root::Local(_) | Root::Slot(_) | Root::Global(_) => nothing,
        }
    }
}

/// The same where the shadow is told, or that there is none.
fn in_shadow(func: &mut Function, at: Block, part: &Part, bytes: u64, demand: Demand, extents: &mut Extents) -> (Block, Written) {
    let (start, is_followed) = extents.shadow(func, part.root);
    let (inside, done) = (func.add_block(), func.add_block());
    let elem = int(bytes).filter(|_| demand != Demand::Nothing);
    let written = elem.map(|elem| func.add_param(done, Type::scalar(elem)));
    let mut b = Builder::new(func, at);
    let ones: Vec<Value> = elem.iter().map(|&elem| b.constant(Type::scalar(elem), u64::MAX)).collect();
    b.branch(is_followed, to(inside, &[]), to(done, &ones));
    let distance = extents.distance(func, inside, part);
    let mut b = Builder::new(func, inside);
    let address = Address::base(b.add(start, distance));
    let mem = MemInfo::new(Space::Global, part.align.bytes().min(8));
    let shadow: Vec<Value> = elem.iter().map(|&elem| b.load(Type::scalar(elem), address, mem)).collect();
    if part.kind.writes() {
        match int(bytes) {
            Some(elem) => {
                let ones = b.constant(Type::scalar(elem), u64::MAX);
                b.store(ones, address, mem);
            }
            None => fill(&mut b, address, bytes, Space::Global),
        }
    }
    b.jump(done, &shadow);
    let mut b = Builder::new(func, done);
    (done, written.map_or(Written::Whatever, |written| demand.holds(&mut b, written)))
}

/// The same by the driver, which finds the shadow by the address.
fn ask(func: &mut Function, at: Block, part: &Part, demand: Demand, extents: &mut Extents) -> (Block, Written) {
    let address = extents.address(func, at, part);
    let mut b = Builder::new(func, at);
    let bytes = match part.bytes {
        Bytes::Constant(bytes) => b.i64(bytes as i64),
        Bytes::Value(bytes) => bytes,
    };
    (at, called(&mut b, address, bytes, demand, part.kind.writes()))
}

fn called(b: &mut Builder, address: Value, bytes: Value, demand: Demand, writes: bool) -> Written {
    let writes = if writes { WRITES } else { 0 };
    let some = if demand == Demand::Some { SOME } else { 0 };
    let what = b.binary_imm(BinaryOp::Or, bytes, (writes | some) as i64);
    let answer = b.value(InstData::CallRuntime {
        routine: Runtime::WrittenAt,
        args: ValueList::from_slice(&[address, what]),
    });
    match demand {
        Demand::Nothing => Written::Whatever,
        Demand::All => Written::All(b.icmp_imm(IntCc::Ne, answer, 0)),
        Demand::Some => Written::Some(b.icmp_imm(IntCc::Ne, answer, 0)),
    }
}

/// An integer of so many bytes, if there is one.
fn int(bytes: u64) -> Option<Elem> {
    Elem::int(u32::try_from(bytes.checked_mul(8)?).ok()?)
}

/// Notes that a function of the driver's writes so many bytes.
pub fn note(b: &mut Builder, address: Value, bytes: Value) {
    called(b, address, bytes, Demand::Nothing, true);
}
