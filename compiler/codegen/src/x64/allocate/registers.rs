//! What is in each register, and when.

use super::interval::Interval;
use super::liveness::{Fixed, NOBODY, Range, Values};
use super::position::Position;
use regalloc2::{MachineEnv, PReg, RegClass};

/// Farther than any position.
pub const NEVER: Position = Position::MAX;

/// Who has a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    /// An interval, by number.
    Interval(u32),
    /// An instruction, for this value.
    Instruction(u32),
}

#[derive(Clone, Copy, Debug)]
pub struct Taken {
    pub range: Range,
    pub owner: Owner,
}

/// A register as the scan comes along.
#[derive(Clone, Debug)]
pub struct Register {
    pub reg: PReg,
    /// Until when it is taken at the moment, and by whom.
    busy: Position,
    owner: Owner,
    /// When it will be taken, in order, and how many of these have begun.
    taken: Vec<Taken>,
    begun: usize,
    /// When it was taken, in order.
    past: Vec<Range>,
}

/// An interval's ranges, from `start` to `end` of those of its value.
#[derive(Clone, Copy, Debug)]
pub struct Extent<'a> {
    pub start: Position,
    pub end: Position,
    pub ranges: &'a [Range],
}

impl<'a> Extent<'a> {
    /// That of an interval.
    pub fn of(interval: &Interval, values: &'a Values) -> Extent<'a> {
        Extent {
            start: interval.start,
            end: interval.end,
            ranges: &values.ranges[interval.ranges.0 as usize..interval.ranges.1 as usize],
        }
    }

    fn range(&self, index: usize) -> Range {
        let (start, end) = self.ranges[index];
        (start.max(self.start), end.min(self.end))
    }
}

impl Register {
    fn new(reg: PReg) -> Register {
        Register {
            reg,
            busy: 0,
            owner: Owner::Instruction(NOBODY),
            taken: Vec::new(),
            begun: 0,
            past: Vec::new(),
        }
    }

    /// The scan has come to a position. What is asked of a register is right for the last one that it was told of.
    pub fn advance(&mut self, to: Position) {
        while let Some(next) = self.taken.get(self.begun).filter(|next| next.range.0 <= to) {
            // What an instruction reads may be part of the life of what it reads.
            if next.range.1 > self.busy {
                self.past.push(next.range);
                (self.busy, self.owner) = (next.range.1, next.owner);
            }
            self.begun += 1;
        }
    }

    /// Who has it at a position that the scan has come to.
    pub fn owner_at(&self, position: Position) -> Option<Owner> {
        (self.busy > position).then_some(self.owner)
    }

    /// Where it is taken next, by somebody else than the value's own instructions, while the interval lives.
    pub fn meets(&self, extent: Extent, value: u32) -> Option<Taken> {
        let mut taken = &self.taken[self.begun..];
        let mut index = 0;
        loop {
            let (start, end) = extent.range(index);
            // Mostly the first one decides.
            let skip = match taken.first() {
                None => return None,
                Some(first) if first.range.1 > start => 0,
                Some(_) => taken.partition_point(|taken| taken.range.1 <= start),
            };
            taken = &taken[skip..];
            let first = taken.first()?;
            if first.range.0 < end {
                if first.owner != Owner::Instruction(value) {
                    return Some(*first);
                }
                taken = &taken[1..];
                continue;
            }
            if first.range.0 >= extent.end {
                return None;
            }
            let rest = &extent.ranges[index + 1..];
            index += 1 + rest.partition_point(|range| range.1 <= first.range.0);
            if index >= extent.ranges.len() {
                return None;
            }
        }
    }

    /// An interval gets it, at the position that the scan has come to.
    pub fn take(&mut self, extent: Extent, interval: u32) {
        let owner = Owner::Interval(interval);
        let (start, end) = extent.range(0);
        debug_assert!(self.busy <= start, "a register is taken twice");
        self.past.push((start, end));
        (self.busy, self.owner) = (end, owner);
        for index in 1..extent.ranges.len() {
            let range = extent.range(index);
            let taken = &mut self.taken;
            let at = self.begun + taken[self.begun..].partition_point(|taken| taken.range.0 < range.0);
            taken.insert(at, Taken { range, owner });
        }
    }

    /// An interval gives it back from a position on.
    pub fn give_back(&mut self, interval: u32, from: Position) {
        let owner = Owner::Interval(interval);
        if self.owner == owner && self.busy > from {
            self.busy = from;
            match self.past.last_mut() {
                Some(last) if last.0 < from => last.1 = from,
                _ => drop(self.past.pop()),
            }
        }
        let mut kept = self.begun;
        for at in self.begun..self.taken.len() {
            let taken = self.taken[at];
            if taken.owner == owner && taken.range.1 > from {
                continue;
            }
            self.taken[kept] = taken;
            kept += 1;
        }
        self.taken.truncate(kept);
    }

    /// The register is free at a position that the scan has gone past.
    pub fn was_free(&self, position: Position) -> bool {
        let after = self.past.partition_point(|range| range.0 <= position);
        after == 0 || self.past[after - 1].1 <= position
    }
}

/// All registers, those of each class in the order in which they are taken.
pub struct Registers {
    all: Vec<Register>,
    /// By class, where they are in `all`.
    classes: [(usize, usize); 3],
    /// By number of the register.
    index: [u8; PReg::NUM_INDEX],
}

impl Registers {
    pub fn new(machine: &MachineEnv, fixed: Vec<Fixed>) -> Registers {
        let mut all = Vec::new();
        let mut index = [u8::MAX; PReg::NUM_INDEX];
        let classes = [0, 1, 2].map(|class| {
            let from = all.len();
            let regs = [machine.preferred_regs_by_class[class], machine.non_preferred_regs_by_class[class]];
            for reg in regs.into_iter().flatten() {
                index[reg.index()] = all.len() as u8;
                all.push(Register::new(reg));
            }
            (from, all.len())
        });
        for Fixed { reg, range, value } in fixed {
            if let Some(register) = all.get_mut(usize::from(index[reg.index()])) {
                register.taken.push(Taken {
                    range,
                    owner: Owner::Instruction(value),
                });
            }
        }
        Registers { all, classes, index }
    }

    /// Those of a class.
    pub fn of(&self, class: RegClass) -> &[Register] {
        let (from, to) = self.classes[class as usize];
        &self.all[from..to]
    }

    /// Those of a class, to be changed.
    pub fn of_mut(&mut self, class: RegClass) -> &mut [Register] {
        let (from, to) = self.classes[class as usize];
        &mut self.all[from..to]
    }

    /// One of them, if it is one that values get.
    pub fn find_mut(&mut self, reg: PReg) -> Option<&mut Register> {
        self.all.get_mut(usize::from(self.index[reg.index()]))
    }

    pub fn get(&self, reg: PReg) -> &Register {
        &self.all[usize::from(self.index[reg.index()])]
    }

    pub fn get_mut(&mut self, reg: PReg) -> &mut Register {
        &mut self.all[usize::from(self.index[reg.index()])]
    }

    /// The scan is over.
    pub fn finish(&mut self) {
        self.all.iter_mut().for_each(|register| register.advance(NEVER - 1));
    }
}
