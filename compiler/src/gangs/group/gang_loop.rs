//! A loop over the gangs of a group: each gang's number, its local ids and the place of its frame.

use super::Writer;
use crate::gangs::jam::{Bunch, bunch};
use crate::gangs::shape::Layout;
use crate::ir::*;

/// Values that a gang's iteration starts with.
#[derive(Clone, Copy)]
pub(super) struct GangValues {
    /// `i32`
    pub index: Value,
    /// Lane 0's local ids.
    pub local_id: [Value; 3],
    pub frame: Option<Value>,
}

/// A loop over gangs being written.
pub(super) struct GangLoop {
    pub latch: Block,
    /// Its header, the gang's number, which local ids are counted along and their counters; none where there is one gang.
    head: Option<(Block, Value, Vec<usize>, Vec<Value>)>,
}

impl Writer<'_> {
    /// Opens a loop over gangs that is entered from the end of `from`. Gives the block for a gang's code, the gang's values, and the latch.
    pub(super) fn open_gang_loop(&mut self, from: Block) -> (Block, GangValues, GangLoop) {
        if self.single_gang {
            let latch = self.func.add_block();
            let mut b = Builder::new(&mut self.func, from);
            let index = b.i32(0);
            let zero = b.i64(0);
            let values = self.gang_values(from, index, [zero; 3]);
            return (from, values, GangLoop { latch, head: None });
        }
        let (head, latch) = (self.func.add_block(), self.func.add_block());
        let index = self.func.add_param(head, Type::I32);
        // Where rows are cut into several gangs in more than one dimension, local ids are counted along.
        let counted = self.counted_dimensions();
        let counters: Vec<Value> = counted.iter().map(|_| self.func.add_param(head, Type::I64)).collect();
        let mut b = Builder::new(&mut self.func, from);
        let zero = b.i32(0);
        let zero_wide = b.i64(0);
        let mut args = vec![zero];
        args.extend(counters.iter().map(|_| zero_wide));
        b.jump(head, &args);
        self.ssa.declare_predecessor(head, from);
        let mut b = Builder::new(&mut self.func, head);
        let mut local_id = [b.i64(0); 3];
        for (&dimension, &counter) in counted.iter().zip(&counters) {
            local_id[dimension] = counter;
        }
        if counted.is_empty()
            && let Layout::Rows { dimension } = self.facts.layout
        {
            let wide = b.convert(ConvertOp::ZExt, Elem::I64, index);
            local_id[usize::from(dimension)] = b.binary_imm(BinaryOp::Mul, wide, i64::from(self.facts.width * self.facts.gangs_at_once));
        }
        let values = self.gang_values(head, index, local_id);
        (
            head,
            values,
            GangLoop {
                latch,
                head: Some((head, index, counted, counters)),
            },
        )
    }

    fn counted_dimensions(&self) -> Vec<usize> {
        match self.facts.layout {
            Layout::Rows { dimension } => {
                let dimension = usize::from(dimension);
                if self.facts.local_size[dimension + 1..].iter().all(|&size| size == 1) {
                    Vec::new()
                } else {
                    let whole_rows = self.bunch().is_some_and(|bunch| bunch.rows > 1);
                    (dimension + usize::from(whole_rows)..3).collect()
                }
            }
            Layout::Linear => Vec::new(),
        }
    }

    fn bunch(&self) -> Option<Bunch> {
        bunch(self.facts, self.facts.gangs_at_once)
    }

    fn gang_values(&mut self, block: Block, index: Value, local_id: [Value; 3]) -> GangValues {
        let frame_bytes = self.frame_bytes as i64;
        let frames = self.frames;
        let mut b = Builder::new(&mut self.func, block);
        let frame = frames.map(|frames| {
            let wide = b.convert(ConvertOp::ZExt, Elem::I64, index);
            let offset = b.binary_imm(BinaryOp::Mul, wide, frame_bytes);
            b.add(frames, offset)
        });
        GangValues { index, local_id, frame }
    }

    /// Closes a loop over gangs; gives the block behind it.
    pub(super) fn close_gang_loop(&mut self, gang_loop: GangLoop) -> Block {
        let latch = gang_loop.latch;
        self.ssa.seal(latch);
        let Some((head, index, counted, counters)) = gang_loop.head else {
            return latch;
        };
        let done = self.func.add_block();
        let (gangs, sizes) = (self.group.gangs, self.facts.local_size);
        let first_step = match self.bunch() {
            Some(bunch) if bunch.rows > 1 => i64::from(bunch.rows),
            Some(bunch) => i64::from(self.facts.width * bunch.columns),
            None => i64::from(self.facts.width),
        };
        let mut b = Builder::new(&mut self.func, latch);
        let next = b.binary_imm(BinaryOp::Add, index, 1);
        let mut args = vec![next];
        // The first counts in gangs, or rows of them; each that is full starts again and moves the following on by one.
        let mut step = b.i64(first_step);
        let zero = b.i64(0);
        let one = b.i64(1);
        for (&dimension, &counter) in counted.iter().zip(&counters) {
            let moved = b.add(counter, step);
            let full = b.icmp_imm(IntCc::Eq, moved, sizes[dimension] as i64);
            let value = b.select(full, zero, moved);
            args.push(value);
            step = b.select(full, one, zero);
        }
        let more = b.icmp(IntCc::Ult, next, gangs);
        b.branch(more, to(head, &args), to(done, &[]));
        self.ssa.declare_predecessor(head, latch);
        self.ssa.declare_predecessor(done, latch);
        self.ssa.seal(head);
        self.ssa.seal(done);
        done
    }
}
