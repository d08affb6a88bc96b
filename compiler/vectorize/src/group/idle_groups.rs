//! The groups of a row in which nobody does anything are left out, however many there are.

use super::Writer;
use analysis::guards::Guard;
use analysis::trends::Trend;
use device::abi::{IDLE_LAYERS_AFTER, IDLE_LAYERS_BEFORE, IDLE_ROWS_AFTER, IDLE_ROWS_BEFORE};
use ir::*;

/// The bit for what comes after, or before, what is idle, by how a guard goes on from there.
fn beyond(trend: Trend, after: u32, before: u32) -> i32 {
    (if trend == Trend::Falls { before } else { after }) as i32
}

impl Writer<'_> {
    /// What guards ask for of the launch.
    pub(super) fn wanted_by_guards(&self) -> Vec<(Builtin, u8)> {
        let mut wanted = Vec::new();
        for guard in &self.facts.guards {
            let condition = &guard.condition;
            for &inst in &condition.block(condition.entry()).insts {
                match condition.inst(inst).data {
                    InstData::Builtin {
                        builtin: Builtin::GlobalId,
                        dimension,
                    } => wanted.extend([(Builtin::GlobalOffset, dimension), (Builtin::GlobalSize, dimension)]),
                    InstData::Builtin { builtin, dimension } => wanted.push((builtin, dimension)),
                    _ => {}
                }
            }
            wanted.extend((0..2).map(|dimension| (Builtin::NumGroups, dimension)));
        }
        wanted
    }

    /// Leaves out what a guard says is idle of the row's groups `first..end`: where it holds for the work-item for which it holds last. Gives the block
    /// behind, and what is left of the row.
    pub(super) fn leave_out_idle(&mut self, from: Block, guard: &Guard, [first, end]: [Value; 2]) -> (Block, [Value; 2]) {
        let trend = guard.groups[0];
        let mut b = Builder::new(&mut self.func, from);
        let probe = match trend {
            Trend::Rises => b.binary_imm(BinaryOp::Sub, end, 1),
            Trend::Same | Trend::Falls => first,
        };
        let [.., y, z] = self.params;
        let idle = self.is_idle(from, guard, [probe, y, z]);
        if trend == Trend::Same {
            let none = Builder::new(&mut self.func, from).select(idle, first, end);
            return (from, [first, none]);
        }
        // Some are. The first group of those that differ from the row's first one is between `low` and `high`.
        let (search, halve, behind) = (self.func.add_block(), self.func.add_block(), self.func.add_block());
        let [low, high] = [(); 2].map(|()| self.func.add_param(search, Type::I64));
        let bound = self.func.add_param(behind, Type::I64);
        let whole = if trend == Trend::Rises { end } else { first };
        Builder::new(&mut self.func, from).branch(idle, to(search, &[first, end]), to(behind, &[whole]));
        let mut b = Builder::new(&mut self.func, search);
        let more = b.icmp(IntCc::Ult, low, high);
        b.branch(more, to(halve, &[]), to(behind, &[low]));
        let mut b = Builder::new(&mut self.func, halve);
        let distance = b.sub(high, low);
        let half = b.binary_imm(BinaryOp::LShr, distance, 1);
        let middle = b.add(low, half);
        let idle = self.is_idle(halve, guard, [middle, y, z]);
        let mut b = Builder::new(&mut self.func, halve);
        let next = b.binary_imm(BinaryOp::Add, middle, 1);
        let (low_if_idle, low_if_not, high_if_idle, high_if_not) = match trend {
            Trend::Rises => (low, next, middle, high),
            Trend::Same | Trend::Falls => (next, low, high, middle),
        };
        let new_low = b.select(idle, low_if_idle, low_if_not);
        let new_high = b.select(idle, high_if_idle, high_if_not);
        b.jump(search, &[new_low, new_high]);
        for (to, from) in [(search, from), (behind, from), (halve, search), (behind, search), (search, halve)] {
            self.ssa.declare_predecessor(to, from);
        }
        [search, halve, behind].into_iter().for_each(|block| self.ssa.seal(block));
        (behind, if trend == Trend::Rises { [first, bound] } else { [bound, end] })
    }

    /// Returns from an idle row, and says whether others are idle too: where a guard holds for the group of the whole row, or of the whole layer, for which
    /// it holds last.
    pub(super) fn return_idle(&mut self, block: Block) {
        let facts = self.facts;
        let [.., y, z] = self.params;
        let mut said = Builder::new(&mut self.func, block).i32(0);
        let guards = if facts.work_dim > 1 { facts.guards.as_slice() } else { &[] };
        for guard in guards {
            let [x, last_y] = [0, 1].map(|dimension| self.last_group_to_leave(block, guard, dimension));
            let [_, rows, layers] = guard.groups;
            let row = beyond(rows, IDLE_ROWS_AFTER, IDLE_ROWS_BEFORE);
            let layer = beyond(layers, IDLE_LAYERS_AFTER, IDLE_LAYERS_BEFORE);
            for (group, says) in [([x, y, z], row), ([x, last_y, z], layer)] {
                let idle = self.is_idle(block, guard, group);
                let mut b = Builder::new(&mut self.func, block);
                let (says, nothing) = (b.i32(says), b.i32(0));
                let says = b.select(idle, says, nothing);
                said = b.or(said, says);
            }
        }
        Builder::new(&mut self.func, block).ret(&[said]);
    }

    /// The place, along a dimension, of the launch's group for which the guard holds last.
    fn last_group_to_leave(&mut self, block: Block, guard: &Guard, dimension: u8) -> Value {
        let mut b = Builder::new(&mut self.func, block);
        match guard.groups[usize::from(dimension)] {
            Trend::Falls => b.binary_imm(BinaryOp::Sub, self.preamble[&(Builtin::NumGroups, dimension)], 1),
            Trend::Same | Trend::Rises => b.i64(0),
        }
    }

    /// Does the guard hold for all work-items of a group?
    fn is_idle(&mut self, block: Block, guard: &Guard, group: [Value; 3]) -> Value {
        let condition = &guard.condition;
        let mut own = condition.per_value(group[0]);
        for &inst in &condition.block(condition.entry()).insts {
            let node = condition.inst(inst);
            match node.data {
                InstData::Builtin { builtin, dimension } => {
                    own[node.results[0]] = self.of_last_to_leave(block, guard, group, (builtin, dimension));
                }
                InstData::Return { ref values } => return own[values[0]],
                _ => {
                    let mut data = node.data.clone();
                    data.for_each_operand_mut(|operand| *operand = own[*operand]);
                    let copy = self.func.append(block, data, node.flags);
                    own[node.results[0]] = self.func.inst(copy).results[0];
                }
            }
        }
        // A guard without an end holds for nobody.
        Builder::new(&mut self.func, block).mask(Type::MASK, false)
    }

    /// A built-in variable of the group's work-item for which the guard holds last.
    fn of_last_to_leave(&mut self, block: Block, guard: &Guard, group: [Value; 3], (builtin, dimension): (Builtin, u8)) -> Value {
        let at = usize::from(dimension);
        let group = group[at];
        let last = guard.items[at] == Trend::Falls;
        match builtin {
            Builtin::GroupId => group,
            Builtin::LocalId if !last => Builder::new(&mut self.func, block).i64(0),
            Builtin::LocalId => {
                let size = self.enqueued_local_size(block, at);
                Builder::new(&mut self.func, block).binary_imm(BinaryOp::Sub, size, 1)
            }
            Builtin::GlobalId => {
                let size = self.enqueued_local_size(block, at);
                let mut b = Builder::new(&mut self.func, block);
                let mut id = b.mul(group, size);
                if last {
                    id = b.add(id, size);
                    // No further than the launch goes: sums are known not to wrap for ids that there are.
                    id = b.binary(BinaryOp::UMin, id, self.preamble[&(Builtin::GlobalSize, dimension)]);
                    id = b.binary_imm(BinaryOp::Sub, id, 1);
                }
                if !self.facts.zero_offset {
                    id = b.add(id, self.preamble[&(Builtin::GlobalOffset, dimension)]);
                }
                id
            }
            Builtin::EnqueuedLocalSize => self.enqueued_local_size(block, at),
            _ => self.preamble[&(builtin, dimension)],
        }
    }
}
