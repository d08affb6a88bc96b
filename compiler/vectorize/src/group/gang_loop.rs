//! A loop over the gangs of a group: each gang's number, its local ids and the place of its frame.

use super::Writer;
use crate::jam::Bunch;
use analysis::Layout;
use ir::*;

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
    /// Its header and the gang's number; none where there is one gang.
    head: Option<(Block, Value)>,
    /// Local ids that are counted along, with their counters.
    counted: Vec<(Steps, Value)>,
}

/// How the gangs of a group go along a dimension.
#[derive(Clone, Copy)]
struct Steps {
    dimension: usize,
    /// Work-items from one to the next.
    length: u64,
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
            let alone = GangLoop {
                latch,
                head: None,
                counted: Vec::new(),
            };
            return (from, values, alone);
        }
        let (head, latch) = (self.func.add_block(), self.func.add_block());
        let index = self.func.add_param(head, Type::I32);
        // Along one dimension the gang's number tells where it is; along several, local ids are counted along.
        let steps = self.steps();
        let counters = if steps.len() > 1 { steps.as_slice() } else { &[] };
        let counted: Vec<(Steps, Value)> = counters
            .iter()
            .map(|&steps| (steps, self.func.add_param(head, Type::I64)))
            .collect();
        let mut b = Builder::new(&mut self.func, from);
        let zero = b.i32(0);
        let zero_wide = b.i64(0);
        let mut args = vec![zero];
        args.extend(counted.iter().map(|_| zero_wide));
        b.jump(head, &args);
        self.ssa.declare_predecessor(head, from);
        let mut b = Builder::new(&mut self.func, head);
        let mut local_id = [b.i64(0); 3];
        for &(steps, counter) in &counted {
            local_id[steps.dimension] = counter;
        }
        if let [steps] = steps.as_slice() {
            let wide = b.convert(ConvertOp::ZExt, Elem::I64, index);
            local_id[steps.dimension] = b.binary_imm(BinaryOp::Mul, wide, steps.length as i64);
        }
        let values = self.gang_values(head, index, local_id);
        let gang_loop = GangLoop {
            latch,
            head: Some((head, index)),
            counted,
        };
        (head, values, gang_loop)
    }

    /// The dimensions along which there is more than one gang, or row of them, the fastest first.
    fn steps(&self) -> Vec<Steps> {
        let Layout::Rows { dimension } = self.facts.layout else {
            return Vec::new();
        };
        let row = usize::from(dimension);
        let bunch = Bunch::of(self.facts);
        let along = |dimension: usize| {
            let length = match bunch {
                Some(bunch) if dimension == row => self.facts.width * bunch.columns,
                Some(bunch) if dimension == bunch.below => bunch.rows,
                None if dimension == row => self.facts.width,
                _ => 1,
            };
            Steps {
                dimension,
                length: length.into(),
            }
        };
        let most = self.facts.local_size.most();
        let mut all: Vec<Steps> = (row..3).map(along).filter(|steps| most[steps.dimension] > steps.length).collect();
        // (The others stay in their order.)
        all.sort_by_key(|steps| self.facts.first_along != Some(steps.dimension as u8));
        all
    }

    /// Where gangs start again. Rows of more than one row are whole gangs, and told sizes are those of rows: bunches need known ones.
    fn row_end(&mut self, block: Block, steps: Steps) -> Value {
        match self.facts.local_size.along(steps.dimension) {
            Some(size) => Builder::new(&mut self.func, block).i64(size.next_multiple_of(steps.length) as i64),
            None => self.enqueued_local_size(block, steps.dimension),
        }
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
        self.tell_frame(block, frame);
        GangValues { index, local_id, frame }
    }

    /// Closes a loop over gangs; gives the block behind it.
    pub(super) fn close_gang_loop(&mut self, gang_loop: GangLoop) -> Block {
        let latch = gang_loop.latch;
        self.ssa.seal(latch);
        let Some((head, index)) = gang_loop.head else {
            return latch;
        };
        let done = self.func.add_block();
        let gangs = self.group.gangs;
        let next = Builder::new(&mut self.func, latch).binary_imm(BinaryOp::Add, index, 1);
        let mut args = vec![next];
        // Each that is full starts again and moves the following on; the last need not be full.
        let mut all_full = None;
        for (position, &(steps, counter)) in gang_loop.counted.iter().enumerate() {
            let mut b = Builder::new(&mut self.func, latch);
            let length = b.i64(steps.length as i64);
            let zero = b.i64(0);
            let step = match all_full {
                Some(full) => b.select(full, length, zero),
                None => length,
            };
            let mut moved = b.add(counter, step);
            if position + 1 < gang_loop.counted.len() {
                let end = self.row_end(latch, steps);
                let mut b = Builder::new(&mut self.func, latch);
                let full = b.icmp(IntCc::Eq, moved, end);
                moved = b.select(full, zero, moved);
                all_full = Some(full);
            }
            args.push(moved);
        }
        let mut b = Builder::new(&mut self.func, latch);
        let more = b.icmp(IntCc::Ult, next, gangs);
        b.branch(more, to(head, &args), to(done, &[]));
        self.ssa.declare_predecessor(head, latch);
        self.ssa.declare_predecessor(done, latch);
        self.ssa.seal(head);
        self.ssa.seal(done);
        done
    }
}
