//! Where gangs may part at barriers: one loop over gangs, again and again, each gang going on where it stands.

use super::Writer;
use super::copy::Iteration;
use ir::*;

impl Writer<'_> {
    /// One loop over gangs, again and again, each gang going on where it stands.
    pub(super) fn write_apart(&mut self, body: Block, next: Block) {
        // Everybody starts at the entry. State 0 has returned, state n + 1 is marker n.
        let (inside, values, gang_loop) = self.open_gang_loop(body);
        self.store_state(inside, values, 1);
        self.jump(inside, gang_loop.latch);
        let ready = self.close_gang_loop(gang_loop);
        let round = self.func.add_block();
        self.jump(ready, round);
        let any = self.ssa.variable(Type::I32);
        let none = Builder::new(&mut self.func, round).i32(0);
        self.ssa.define(any, round, none);

        let (inside, values, gang_loop) = self.open_gang_loop(round);
        let state = self.load_state(inside, values);
        let blocks: Vec<Block> = self.gang.func.layout.clone();
        let copies = self.new_blocks(&blocks);
        let mut cases = Vec::new();
        let resumes: Vec<Block> = self.regions.markers.iter().map(|_| self.func.add_block()).collect();
        for (marker, &resume) in resumes.iter().enumerate() {
            cases.push((marker as u64 + 1, to(resume, &[])));
            self.ssa.declare_predecessor(resume, inside);
            self.ssa.seal(resume);
        }
        Builder::new(&mut self.func, inside).push(InstData::Switch {
            value: state,
            cases: cases.into(),
            default: to(gang_loop.latch, &[]),
        });
        self.ssa.declare_predecessor(gang_loop.latch, inside);
        for (marker, &resume) in resumes.iter().enumerate() {
            self.reload(resume, values, marker);
            let first = copies[&self.regions.markers[marker]];
            self.jump(resume, first);
        }
        let iteration = Iteration {
            copies,
            gang: values,
            latch: gang_loop.latch,
            exit: None,
            any: Some(any),
            unchanged: Vec::new(),
        };
        self.copy_blocks(&blocks, &iteration);
        let done = self.close_gang_loop(gang_loop);
        let any = self.ssa.use_variable(&mut self.func, any, done);
        let more = Builder::new(&mut self.func, done).icmp_imm(IntCc::Ne, any, 0);
        self.branch(done, more, round, next);
        self.ssa.seal(round);
    }
}
