//! A tally's beginning and end: identities are written, and what differs from them is applied to the buffer.

use analysis::tallies::{Tallies, Tally};
use device::abi::LaunchRecord;
use ir::*;
use std::mem::offset_of;

/// Writes the tallies of a work-group's function, which are in `slot`, at its start, and applies them where it ends as it should.
pub fn settle(func: &mut Function, slot: Slot, tallies: &Tallies, width: u32) {
    let lanes = width.max(4) as u16;
    let entry = func.entry();
    let ends: Vec<Block> = func
        .layout
        .iter()
        .copied()
        .filter(|&block| matches!(func.terminator(block), InstData::Return { .. }))
        .collect();
    for tally in &tallies.each {
        clear(func, entry, slot, tally, lanes);
        for &end in &ends {
            apply(func, end, slot, tally, lanes);
        }
    }
}

/// A loop through a tally before a block's last instruction, which moves behind it.
struct Through {
    /// Runs once for each row of lanes.
    iteration: Block,
    /// The row, in bytes behind the tally's start.
    at: Value,
    /// What was last in the block is here.
    behind: Block,
}

impl Through {
    fn new(func: &mut Function, block: Block) -> Through {
        let last = func.block_mut(block).insts.pop();
        let [iteration, behind] = [(); 2].map(|()| func.add_block());
        let at = func.add_param(iteration, Type::I64);
        func.block_mut(behind).insts.extend(last);
        let mut b = Builder::new(func, block);
        let zero = b.i64(0);
        b.jump(iteration, &[zero]);
        Through { iteration, at, behind }
    }

    /// Ends the iteration in a block: goes on with the next row.
    fn close(&self, func: &mut Function, block: Block, tally: &Tally, row: u32) {
        let mut b = Builder::new(func, block);
        let next = b.binary_imm(BinaryOp::Add, self.at, i64::from(row));
        let more = b.icmp_imm(IntCc::Ult, next, i64::from(tally.bytes));
        b.branch(more, to(self.iteration, &[next]), to(self.behind, &[]));
    }
}

/// What changes nothing.
fn identity(tally: &Tally) -> u64 {
    let reduction = tally.op.reduction().expect("tallies have operations that can be put together");
    reduction.identity(tally.elem)
}

fn row_of(tally: &Tally, lanes: u16) -> (Type, u32, MemInfo) {
    let ty = Type::scalar(tally.elem).with_lanes(lanes);
    (ty, ty.bytes(), MemInfo::new(Space::Local, tally.elem.bytes()))
}

fn clear(func: &mut Function, entry: Block, slot: Slot, tally: &Tally, lanes: u16) {
    let (ty, row, mem) = row_of(tally, lanes);
    let through = Through::new(func, entry);
    let mut b = Builder::new(func, through.iteration);
    let start = b.slot_address(slot);
    let place = b.add(start, through.at);
    let identity = b.constant(ty, identity(tally));
    b.store(identity, Address::offset(place, tally.offset as i32), mem);
    through.close(func, through.iteration, tally, row);
}

/// Most rows have not been touched, or all of it.
fn apply(func: &mut Function, end: Block, slot: Slot, tally: &Tally, lanes: u16) {
    let (ty, row, mem) = row_of(tally, lanes);
    let through = Through::new(func, end);
    let [touched, all, some, next] = [(); 4].map(|()| func.add_block());
    let mut b = Builder::new(func, through.iteration);
    let tallied = b.slot_address(slot);
    let place = b.add(tallied, through.at);
    let value = b.load(ty, Address::offset(place, tally.offset as i32), mem);
    let identity = b.constant(ty, identity(tally));
    let changed = b.icmp(IntCc::Ne, value, identity);
    let one = Type::MASK;
    let any = b.lane(LaneOp::AnyTrue, one, &[changed]);
    b.branch(any, to(touched, &[]), to(next, &[]));

    b.block = touched;
    let launch = b.func.params()[0];
    let mut record = MemInfo::new(Space::Constant, 8);
    record.flags = MemFlags::INVARIANT | MemFlags::DEREFERENCEABLE;
    let arguments = b.load(
        Type::I64,
        Address::offset(launch, offset_of!(LaunchRecord, arguments) as i32),
        record,
    );
    let buffer = tally.buffer(&mut b, arguments);
    let start = b.binary_imm(BinaryOp::And, buffer, -i64::from(tally.elem.bytes()));
    let first = b.add(start, through.at);
    let first = b.splat(lanes, first);
    let iota = b.lane(LaneOp::Iota, Type::I64.with_lanes(lanes), &[]);
    let distances = b.binary_imm(BinaryOp::Mul, iota, i64::from(tally.elem.bytes()));
    let address = b.add(first, distances);
    let complete = b.lane(LaneOp::AllTrue, one, &[changed]);
    b.branch(complete, to(all, &[]), to(some, &[]));
    for (block, mask) in [(all, None), (some, Some(changed))] {
        b.block = block;
        b.push(InstData::AtomicRmw {
            op: tally.op,
            value,
            address,
            mask,
            mem: MemInfo::new(Space::Global, tally.elem.bytes()),
            order: Order::Relaxed,
            scope: Scope::Device,
        });
        b.jump(next, &[]);
    }
    through.close(func, next, tally, row);
}
