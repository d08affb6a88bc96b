//! What work-groups add to a few places of a buffer is added up by each thread first, and to the buffer once.
//!
//! Histograms and counters end in atomics on memory that all threads share: a lock each, and a line that goes from core to core. Where a
//! buffer is accessed by nothing but atomics of one kind whose old values nobody needs, it can't be told from inside the kernel when they
//! are done, and from outside only after the launch, or by whoever synchronizes with it in the middle. So a call of the work-group's
//! function does them on a *tally* of its own, which begins with the operation's identity and stands for the buffer's first bytes, and
//! applies that to the buffer before it returns ([`settle`]). What lies behind these bytes is done in the buffer as ever.
//!
//! Only relaxed atomics for the device or less are taken, in kernels that order nothing for others on the way: no fence, barrier or other
//! atomic that reaches beyond the work-group. Sums of floats would be rounded otherwise, and are left alone.

mod find;
mod settle;

pub use settle::settle;

use analysis::GangFacts;
use analysis::bits::ranges::{Range, Ranges};
use analysis::tallies::{Tallies, Tally};
use find::Found;
use ir::cfg::Cfg;
use ir::*;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use target::costs::code_size::PRIVATIZED_ATOMICS;
use target::costs::memory::{TALLIES, TALLY};

/// Tallies begin and end at multiples of this, which rows of any gang divide.
const LINE: u32 = 256;

/// Has atomics on the first bytes of buffers done on tallies. By `sets`, arguments are known to have an alias set of their own
/// ([`transform::infer_noalias`]). Empty if there are none.
pub fn run(func: &mut Function, facts: &GangFacts, sets: &FxHashMap<i32, AliasSet>) -> Tallies {
    let mut tallies = Tallies::default();
    let found = find::find(func, sets);
    let atomics: usize = found.iter().map(|found| found.atomics.len()).sum();
    if found.is_empty() || found.len() > TALLIES || atomics > PRIVATIZED_ATOMICS {
        return tallies;
    }
    let ranges = Ranges::new(func, &Cfg::new(func), facts);
    // What they need is read before all else.
    let entry = func.entry();
    let own = std::mem::take(&mut func.block_mut(entry).insts);
    let mut b = Builder::new(func, entry);
    let (all, arguments) = (b.builtin(Builtin::Tallies, 0), b.builtin(Builtin::Arguments, 0));
    let mut places: SmallVec<[Place; TALLIES]> = SmallVec::new();
    for Found {
        argument,
        op,
        elem,
        atomics,
    } in &found
    {
        let offsets = atomics.iter().map(|&(_, inst)| Offset::of(b.func, &ranges, *argument, inst));
        let known = offsets
            .map(|offset| offset.end(*elem))
            .try_fold(0, |most, end| Some(end?.max(most)));
        let tally = Tally {
            argument: *argument,
            op: *op,
            elem: *elem,
            offset: tallies.bytes,
            bytes: known.unwrap_or(TALLY).next_multiple_of(LINE),
        };
        tallies.bytes += tally.bytes;
        places.push(Place::new(&mut b, all, arguments, &tally));
        tallies.each.push(tally);
    }
    func.block_mut(entry).insts.extend(own);
    for ((found, tally), place) in found.iter().zip(&tallies.each).zip(places) {
        // From the last to the first: blocks are cut behind what is still to be done.
        for &(block, inst) in found.atomics.iter().rev() {
            let offset = Offset::of(func, &ranges, tally.argument, inst);
            redirect(func, block, inst, place, tally, &offset);
        }
    }
    tallies
}

/// Where a tally and its buffer are.
#[derive(Clone, Copy)]
struct Place {
    buffer: Value,
    /// What stands for the buffer's first byte. The tally's first element may have begun before.
    near: Value,
}

impl Place {
    fn new(b: &mut Builder, all: Value, arguments: Value, tally: &Tally) -> Place {
        let buffer = tally.buffer(b, arguments);
        let before = b.binary_imm(BinaryOp::And, buffer, i64::from(tally.elem.bytes() - 1));
        let start = b.binary_imm(BinaryOp::Add, all, i64::from(tally.offset));
        let near = b.add(start, before);
        Place { buffer, near }
    }
}

/// How far behind the buffer's start an atomic is.
enum Offset {
    Constant(u32),
    /// An `i64`, and what is known of it.
    Value(Value, Range),
    /// What has to be taken from this address.
    Behind(Value),
}

impl Offset {
    fn of(func: &Function, ranges: &Ranges, argument: i32, inst: Inst) -> Offset {
        let &InstData::AtomicRmw { address, .. } = &func.inst(inst).data else {
            unreachable!("what was found are such atomics")
        };
        let is_start = |value: Value| func.argument(value) == Some(argument);
        if is_start(address) {
            return Offset::Constant(0);
        }
        if let Some([a, b]) = func.binary(BinaryOp::Add, address)
            && let Some(offset) = if is_start(a) { Some(b) } else { is_start(b).then_some(a) }
        {
            return match func.constant(offset) {
                Some(offset) if offset < u64::from(TALLY) => Offset::Constant(offset as u32),
                _ => Offset::Value(offset, ranges.of(func, offset)),
            };
        }
        Offset::Behind(address)
    }

    /// The bytes up to the last that is accessed, where they are few for sure.
    fn end(&self, elem: Elem) -> Option<u32> {
        let last = match self {
            Offset::Constant(offset) => *offset,
            Offset::Value(_, range) if range.min >= 0 => u32::try_from(range.max).ok()?,
            _ => return None,
        };
        // One element more: the first may have begun before.
        let end = last.checked_add(2 * elem.bytes())?;
        (end <= TALLY).then_some(end)
    }
}

/// Has an atomic done on its tally, if all lanes' are near the buffer's start.
fn redirect(func: &mut Function, block: Block, inst: Inst, place: Place, tally: &Tally, offset: &Offset) {
    let position = func
        .block(block)
        .insts
        .iter()
        .position(|&other| other == inst)
        .expect("it is there");
    let behind = func.block_mut(block).insts.split_off(position + 1);
    func.block_mut(block).insts.pop();
    let mut b = Builder::new(func, block);
    let distance = match *offset {
        Offset::Constant(offset) => b.i64(i64::from(offset)),
        Offset::Value(value, _) => value,
        Offset::Behind(address) => b.sub(address, place.buffer),
    };
    let near = b.add(place.near, distance);
    let mut data = b.func.inst(inst).data.clone();
    if let InstData::AtomicRmw { address, mem, scope, .. } = &mut data {
        *address = near;
        mem.space = Space::Local;
        *scope = Scope::WorkGroup;
    }
    if offset.end(tally.elem).is_some() {
        func.replace(inst, data);
        func.block_mut(block).insts.push(inst);
        func.block_mut(block).insts.extend(behind);
        return;
    }
    let last = i64::from(tally.bytes - 2 * tally.elem.bytes());
    // Where some lane's is not, all go to the buffer: it is as good a place.
    let is_near = b.icmp_imm(IntCc::Ule, distance, last);
    let is_near = b.sub_group(SubGroupOp::All, &[is_near]);
    let [here, there, rest] = [(); 3].map(|()| func.add_detached_block());
    let mut b = Builder::new(func, block);
    b.branch(is_near, to(here, &[]), to(there, &[]));
    let mut b = Builder::new(func, here);
    b.push(data);
    b.jump(rest, &[]);
    func.block_mut(there).insts.push(inst);
    Builder::new(func, there).jump(rest, &[]);
    func.block_mut(rest).insts = behind;
    let place = func.layout.iter().position(|&other| other == block).expect("it is in the layout") + 1;
    func.layout.splice(place..place, [here, there, rest]);
}

#[cfg(test)]
mod tests;
