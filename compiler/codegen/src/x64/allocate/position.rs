//! Positions in the code: four for each instruction.

use crate::x64::function::Function;
use target::costs::assumed::{COLD_BLOCK, TRIP_COUNT};

/// A position. First an instruction's gap, where values are moved; then where it reads, where it writes, and its end.
pub type Position = u32;

/// Where the instruction reads, from its gap on.
pub const READ: Position = 1;
/// Where it writes (and where what must outlive its writing is read).
pub const WRITE: Position = 2;
/// To the next one's gap.
pub const NEXT: Position = 4;

/// The gap before an instruction.
pub const fn gap(inst: u32) -> Position {
    inst * NEXT
}

/// The gap of the instruction that a position belongs to.
pub const fn gap_of(position: Position) -> Position {
    position & !(NEXT - 1)
}

/// The instruction that a position belongs to.
pub const fn inst_of(position: Position) -> u32 {
    position / NEXT
}

/// The blocks by position, with how often they are executed.
pub struct Blocks {
    /// The block of each instruction.
    of_inst: Vec<u32>,
    /// The position of each block's start, and of the end of all.
    pub starts: Vec<Position>,
    /// How often each block is executed, about: a loop counts eight times.
    pub weights: Vec<f32>,
    /// Of the innermost loop around each block, where it starts and ends. Both are 0 outside of loops.
    loops: Vec<(Position, Position)>,
}

impl Blocks {
    pub fn new(function: &Function) -> Blocks {
        let count = function.blocks.len();
        let mut of_inst = vec![0; function.insts.len()];
        let mut starts = Vec::with_capacity(count + 1);
        for (number, block) in function.blocks.iter().enumerate() {
            starts.push(gap(block.insts.start));
            of_inst[block.insts.start as usize..block.insts.end as usize].fill(number as u32);
        }
        starts.push(gap(function.insts.len() as u32));
        // A block that is hardly ever executed stands behind all others: its way back is no loop.
        let mut last = vec![0; count];
        for (number, block) in function.blocks.iter().enumerate() {
            for succ in block.succs.iter().map(|succ| succ.index()) {
                if succ <= number && function.blocks[succ].cold == block.cold {
                    last[succ] = number + 1;
                }
            }
        }
        let mut depths = vec![0i32; count];
        let mut loops = vec![(0, 0); count];
        for header in 0..count {
            let end = last[header];
            if end > header {
                depths[header..end].iter_mut().for_each(|depth| *depth += 1);
                loops[header..end].fill((starts[header], starts[end]));
            }
        }
        let weight = |(number, block): (usize, &crate::x64::function::Block)| {
            let cold = if block.cold { COLD_BLOCK } else { 1.0 };
            cold * TRIP_COUNT.powi(depths[number].min(8))
        };
        Blocks {
            weights: function.blocks.iter().enumerate().map(weight).collect(),
            of_inst,
            starts,
            loops,
        }
    }

    /// The block that a position is in.
    pub fn at(&self, position: Position) -> usize {
        let inst = inst_of(position) as usize;
        self.of_inst.get(inst).map_or(self.weights.len() - 1, |&block| block as usize)
    }

    /// A block starts here.
    pub fn is_start(&self, position: Position) -> bool {
        self.starts[self.at(position)] == position
    }

    /// Where the innermost loop around a position starts and ends.
    pub fn loop_around(&self, position: Position) -> Option<(Position, Position)> {
        let (start, end) = self.loops[self.at(position)];
        (end > 0).then_some((start, end))
    }
}
