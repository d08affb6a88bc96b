//! Where all gangs come to the same barriers: one loop over gangs a region, and behind it a jump to the next region's.

use super::Writer;
use super::copy::Iteration;
use crate::regions::Marker;
use ir::ssa::Variable;
use ir::*;

impl Writer<'_> {
    /// One loop over gangs a region.
    pub(super) fn write_in_step(&mut self, body: Block, next: Block) {
        let count = self.regions.markers.len();
        let starts: Vec<Block> = (0..count)
            .map(|marker| if marker == 0 { body } else { self.func.add_block() })
            .collect();
        let exit = self.ssa.variable(Type::I32);
        for marker in 0..count {
            let region = &self.regions.regions[marker];
            let start = starts[marker];
            let ways = region.exits.len() + usize::from(region.returns);
            if ways > 1 {
                let value = Builder::new(&mut self.func, start).i32(count as i32);
                self.ssa.define(exit, start, value);
            }
            // What the group carries may change in the region; each gang begins with what it was before.
            let mut carried = Vec::new();
            for value in self.live[marker].clone() {
                if !self.spills.contains_key(&value) {
                    let variable = self.carried_variable(value);
                    carried.push((value, self.ssa.use_variable(&mut self.func, variable, start)));
                }
            }
            let (mut inside, values, gang_loop) = self.open_gang_loop(start);
            if self.regions.gangs_retire {
                if marker == 0 {
                    self.store_state(inside, values, 1);
                } else {
                    let state = self.load_state(inside, values);
                    let alive = self.func.add_block();
                    let retired = Builder::new(&mut self.func, inside).icmp_imm(IntCc::Eq, state, 0);
                    self.branch(inside, retired, gang_loop.latch, alive);
                    self.ssa.seal(alive);
                    inside = alive;
                }
            }
            for (value, before) in carried {
                self.define(value, inside, before);
            }
            self.reload(inside, values, marker);
            let copies = self.new_blocks(&region.blocks);
            let first = copies[&self.regions.markers[marker]];
            self.jump(inside, first);
            let iteration = Iteration {
                copies,
                gang: values,
                latch: gang_loop.latch,
                exit: (ways > 1).then_some(exit),
                any: None,
                unchanged: self.unchanged(marker),
            };
            self.copy_blocks(&region.blocks, &iteration);
            let done = self.close_gang_loop(gang_loop);
            self.leave_region(done, marker, &starts, next, (ways > 1).then_some(exit));
        }
        for &start in &starts[1..] {
            self.ssa.seal(start);
        }
    }

    fn leave_region(&mut self, done: Block, marker: Marker, starts: &[Block], next: Block, exit: Option<Variable>) {
        let region = &self.regions.regions[marker];
        let Some(exit) = exit else {
            let target = region.exits.first().map_or(next, |&exit| starts[exit]);
            self.jump(done, target);
            return;
        };
        let value = self.ssa.use_variable(&mut self.func, exit, done);
        let cases: Vec<(u64, BlockCall)> = region.exits.iter().map(|&exit| (exit as u64, to(starts[exit], &[]))).collect();
        let mut targets: Vec<Block> = region.exits.iter().map(|&exit| starts[exit]).collect();
        let default = if region.returns {
            next
        } else {
            // All gangs leave by one of the exits; the last one needs no test.
            *targets.last().expect("more than one exit")
        };
        let cases: Vec<(u64, BlockCall)> = cases.into_iter().filter(|(_, call)| call.block != default).collect();
        targets.retain(|&target| target != default);
        targets.push(default);
        Builder::new(&mut self.func, done).push(InstData::Switch {
            value,
            cases: cases.into(),
            default: to(default, &[]),
        });
        for target in targets {
            self.ssa.declare_predecessor(target, done);
        }
    }
}
