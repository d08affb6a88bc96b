//! The frame of loops that count a variable in memory up to a bound, rotated or not.

use super::generator::Generator;
use ir::*;

/// `counter < end`, with any comparison.
pub struct LoopTest {
    /// Where the induction variable is, and its type.
    pub counter: (Slot, Type),
    pub cc: IntCc,
    pub end: Value,
    /// It is made in front of the loop, and then at the end of each iteration.
    pub rotated: bool,
}

/// Blocks of a loop that is being written.
#[derive(Clone, Copy)]
pub struct LoopBlocks {
    header: Block,
    exit: Block,
}

impl Generator<'_> {
    /// Goes on in the loop's body.
    pub fn begin_loop(&mut self, test: &LoopTest, start: Value) -> LoopBlocks {
        self.write(test.counter, start);
        let [header, body, exit] = [(); 3].map(|()| self.b.add_block(&[]));
        if test.rotated {
            self.test_loop(test, start, [body, exit]);
            self.b.block = header;
            self.b.jump(body, &[]);
        } else {
            self.b.jump(header, &[]);
            self.b.block = header;
            let at = self.read(test.counter);
            self.test_loop(test, at, [body, exit]);
        }
        self.b.block = body;
        LoopBlocks { header, exit }
    }

    /// Adds the step, by an addition with such flags, and goes on behind the loop.
    pub fn end_loop(&mut self, test: &LoopTest, blocks: LoopBlocks, step: i64, flags: Flags) {
        let at = self.read(test.counter);
        self.b.flags = flags;
        let next = self.b.binary_imm(BinaryOp::Add, at, step);
        self.b.flags = Flags::empty();
        self.write(test.counter, next);
        if test.rotated {
            self.test_loop(test, next, [blocks.header, blocks.exit]);
        } else {
            self.b.jump(blocks.header, &[]);
        }
        self.b.block = blocks.exit;
    }

    fn test_loop(&mut self, test: &LoopTest, at: Value, [again, exit]: [Block; 2]) {
        let more = self.b.icmp(test.cc, at, test.end);
        self.b.branch(more, to(again, &[]), to(exit, &[]));
    }
}
