//! The scan: each interval gets a register as it starts, or a place on the stack.

use super::interval::{Interval, Place};
use super::liveness::{Definition, Fixed, NOBODY, Value, Values};
use super::position::{NEXT, Position, gap_of};
use super::registers::{Extent, NEVER, Owner, Register, Registers};
use crate::x64::function::Function;
use regalloc2::{MachineEnv, PReg};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// So much nearer counts the next use of a value that a loop makes anew in each iteration.
const CHANGING: Position = 4;

/// The scan, and what it has found in the end.
pub struct Scan {
    pub values: Values,
    pub intervals: Vec<Interval>,
    /// The first part of each value's life.
    pub first: Vec<u32>,
    /// The part that the scan has come to.
    current: Vec<u32>,
    /// The values that are on the stack at some time.
    pub spilled: Vec<bool>,
    pub registers: Registers,
    queue: BinaryHeap<Reverse<(Position, u32)>>,
    /// Values that had best be in one register (parameters with what they are given), as trees, and that register: the first that one of them got. Where that
    /// is taken, as by one that lives on, the others had best be together in the latest.
    together: Vec<u32>,
    settled: Vec<Option<[PReg; 2]>>,
}

impl Scan {
    pub fn new(function: &Function, values: Values, fixed: Vec<Fixed>, machine: &MachineEnv) -> Scan {
        let count = values.values.len();
        let mut scan = Scan {
            intervals: Vec::with_capacity(count + count / 4),
            first: vec![NOBODY; count],
            current: vec![NOBODY; count],
            spilled: vec![false; count],
            registers: Registers::new(machine, fixed),
            queue: BinaryHeap::new(),
            together: (0..count as u32).collect(),
            settled: vec![None; count],
            values,
        };
        for block in &function.blocks {
            for (succ, args) in block.succs.iter().zip(&block.args) {
                for (arg, param) in args.iter().zip(&function.blocks[succ.index()].params) {
                    let (arg, param) = (scan.root(arg.vreg() as u32), scan.root(param.vreg() as u32));
                    scan.together[arg as usize] = param;
                }
            }
        }
        scan
    }

    fn root(&mut self, value: u32) -> u32 {
        let mut at = value;
        while self.together[at as usize] != at {
            let up = self.together[self.together[at as usize] as usize];
            self.together[at as usize] = up;
            at = up;
        }
        at
    }

    pub fn run(&mut self) -> Result<(), String> {
        let lives = |(_, value): &(usize, &Value)| value.ranges.0 < value.ranges.1;
        let mut starts: Vec<(Position, u32)> = self
            .values
            .values
            .iter()
            .enumerate()
            .filter(lives)
            .map(|(number, value)| (value.start, number as u32))
            .collect();
        starts.sort();
        let mut starts = starts.into_iter().peekable();
        loop {
            let split = self.queue.peek().map_or(NEVER, |&Reverse((start, _))| start);
            let interval = match starts.next_if(|&(start, _)| start <= split) {
                Some((_, value)) => self.begin(value),
                None => match self.queue.pop() {
                    Some(Reverse((_, interval))) => interval,
                    None => break,
                },
            };
            self.settle(interval)?;
        }
        self.registers.finish();
        Ok(())
    }

    /// A value's life, whole.
    fn begin(&mut self, number: u32) -> u32 {
        let value = &self.values.values[number as usize];
        let interval = self.intervals.len() as u32;
        self.intervals.push(Interval {
            value: number,
            start: value.start,
            end: self.values.ranges[value.ranges.1 as usize - 1].1,
            ranges: value.ranges,
            uses: value.uses,
            place: Place::Stack,
            next: NOBODY,
        });
        self.first[number as usize] = interval;
        interval
    }

    pub fn interval(&self, interval: u32) -> &Interval {
        &self.intervals[interval as usize]
    }

    fn value_of(&self, interval: u32) -> &Value {
        &self.values.values[self.interval(interval).value as usize]
    }

    fn extent(&self, interval: u32) -> Extent<'_> {
        Extent::of(self.interval(interval), &self.values)
    }

    /// Cuts an interval in two; gives the second one. It has no place yet.
    fn split(&mut self, number: u32, at: Position) -> u32 {
        let interval = self.intervals[number as usize];
        debug_assert!(
            interval.start < at && at < interval.end,
            "an interval is split where it does not live"
        );
        let ranges = &self.values.ranges[interval.ranges.0 as usize..interval.ranges.1 as usize];
        let before = ranges.partition_point(|range| range.0 < at) as u32;
        let last = ranges[before as usize - 1].1;
        let through = last > at;
        let second = interval.ranges.0 + before - u32::from(through);
        let uses = &self.values.uses[interval.uses.0 as usize..interval.uses.1 as usize];
        let used = interval.uses.0 + uses.partition_point(|used| used.position() < at) as u32;
        let new = self.intervals.len() as u32;
        self.intervals.push(Interval {
            start: if through { at } else { self.values.ranges[second as usize].0 },
            ranges: (second, interval.ranges.1),
            uses: (used, interval.uses.1),
            ..interval
        });
        let first = &mut self.intervals[number as usize];
        first.end = at.min(last);
        first.ranges.1 = interval.ranges.0 + before;
        first.uses.1 = used;
        first.next = new;
        new
    }

    fn enqueue(&mut self, interval: u32) {
        self.queue.push(Reverse((self.interval(interval).start, interval)));
    }

    /// Finds a place for an interval that starts here.
    fn settle(&mut self, interval: u32) -> Result<(), String> {
        let start = self.interval(interval).start;
        let value = self.interval(interval).value;
        self.current[value as usize] = interval;
        // In the middle of an instruction nothing can be moved.
        if start != gap_of(start) && self.value_of(interval).start != start {
            self.spill(interval, start);
            return Ok(());
        }
        if self.take_free(interval) {
            return Ok(());
        }
        self.take_from_another(interval)
    }

    /// Gives it a register that is free long enough, if there is one. If not, all of its class have been told of where the scan is.
    fn take_free(&mut self, number: u32) -> bool {
        let interval = *self.interval(number);
        let hints = self.hints(number);
        let class = self.value_of(number).class;
        let extent = Extent::of(&interval, &self.values);
        let is_free = |register: &mut Register| {
            register.advance(interval.start);
            register.owner_at(interval.start).is_none()
        };
        let mut whole: Option<PReg> = None;
        for hint in hints.into_iter().flatten().filter(|hint| hint.class() == class) {
            let register = self.registers.find_mut(hint);
            if register.is_some_and(|register| is_free(register) && register.meets(extent, interval.value).is_none()) {
                whole = Some(hint);
                break;
            }
        }
        let mut part: Option<(Position, PReg)> = None;
        if whole.is_none() {
            for register in self.registers.of_mut(class) {
                if !is_free(register) {
                    continue;
                }
                let Some(taken) = register.meets(extent, interval.value) else {
                    whole = Some(register.reg);
                    break;
                };
                if part.is_none_or(|(best, _)| taken.range.0 > best) {
                    part = Some((taken.range.0, register.reg));
                }
            }
        }
        if let Some(reg) = whole {
            self.take(number, reg);
            return true;
        }
        // For a part of its life, if that is of use.
        let Some((until, reg)) = part else { return false };
        let uses = &self.values.uses[interval.uses.0 as usize..interval.uses.1 as usize];
        let served = uses
            .iter()
            .any(|used| used.position() > interval.start && used.position() < until && used.needs_register());
        if !served {
            return false;
        }
        self.cut(number, until);
        self.take(number, reg);
        true
    }

    /// Registers that would save a move, the best first.
    fn hints(&mut self, number: u32) -> [Option<PReg>; 5] {
        let Interval { value, start, .. } = *self.interval(number);
        let data = self.values.values[value as usize];
        let root = self.root(value);
        let settled = self.settled[root as usize];
        let defined = match data.definition {
            _ if start != data.start => None,
            Definition::Tied(from) => match self.current[from as usize] {
                NOBODY => None,
                other => match self.interval(other) {
                    Interval {
                        end,
                        place: Place::Register(reg),
                        ..
                    } if *end > gap_of(start) => Some(*reg),
                    _ => None,
                },
            },
            Definition::Fixed(reg) => Some(reg),
            _ => None,
        };
        let becomes = match data.becomes {
            NOBODY => None,
            other => {
                let root = self.root(other);
                self.settled[root as usize].map(|[first, _]| first)
            }
        };
        let [first, latest] = settled.map_or([None; 2], |settled| settled.map(Some));
        [first, defined, data.wanted, becomes, latest]
    }

    fn take(&mut self, number: u32, reg: PReg) {
        let Interval { value, .. } = *self.interval(number);
        let root = self.root(value);
        self.settled[root as usize].get_or_insert([reg; 2])[1] = reg;
        self.intervals[number as usize].place = Place::Register(reg);
        let extent = Extent::of(&self.intervals[number as usize], &self.values);
        self.registers.get_mut(reg).take(extent, number);
    }

    /// Ends an interval at a position or before; what is left of it is put back among those to come.
    fn cut(&mut self, number: u32, until: Position) {
        let interval = *self.interval(number);
        let uses = &self.values.uses[interval.uses.0 as usize..interval.uses.1 as usize];
        let used = uses.partition_point(|used| used.position() < until);
        let last = used.checked_sub(1).map_or(interval.start, |last| uses[last].position());
        let at = self.best_split(interval.start.max(last) + 1, until);
        let rest = self.split(number, at);
        self.enqueue(rest);
    }

    /// Where between two positions an interval is best split: as late as possible, but where little is executed. Where there is no gap
    /// between them, at the second.
    fn best_split(&self, from: Position, to: Position) -> Position {
        let blocks = &self.values.blocks;
        let gap = gap_of(to);
        let mut best = if gap >= from { gap } else { to };
        let mut block = blocks.at(to);
        let mut weight = blocks.weights[block];
        for _ in 0..64 {
            let start = blocks.starts[block];
            if start < from {
                break;
            }
            // The way into a block costs what the block before it does, about.
            let entry = blocks.weights[block].min(blocks.weights[block.saturating_sub(1)]);
            if entry < weight {
                weight = entry;
                best = start;
            }
            if block == 0 {
                break;
            }
            block -= 1;
        }
        best
    }

    /// The first use that must be in a register.
    fn first_needed(&self, number: u32) -> Option<Position> {
        let interval = self.interval(number);
        let uses = &self.values.uses[interval.uses.0 as usize..interval.uses.1 as usize];
        uses.iter().find(|used| used.needs_register()).map(|used| used.position())
    }

    /// The first use of what would be read from memory in each iteration of a loop if it had no register: what is another value in each
    /// iteration, and would be stored in each; or what has been on the stack up to the loop.
    fn first_wanted(&self, number: u32) -> Option<Position> {
        let interval = self.interval(number);
        let blocks = &self.values.blocks;
        let uses = &self.values.uses[interval.uses.0 as usize..interval.uses.1 as usize];
        let used = uses.first()?.position();
        let changes = blocks
            .loop_around(interval.start)
            .is_some_and(|(start, _)| self.value_of(number).start >= start);
        // What begins with a loop comes from in front of it.
        let before = match blocks.at(interval.start) {
            block if blocks.starts[block] == interval.start => block.saturating_sub(1),
            block => block,
        };
        let in_loop = || blocks.weights[blocks.at(used)] > blocks.weights[before];
        (changes || in_loop()).then_some(used)
    }

    /// The instruction at a position needs the interval in a register from there on.
    fn is_needed_by(&self, number: u32, at: Position) -> bool {
        let interval = self.interval(number);
        let uses = &self.values.uses[interval.uses.0 as usize..interval.uses.1 as usize];
        let next = uses.partition_point(|used| used.position() < at);
        let of_instruction = uses[next..].iter().take_while(|used| used.position() < gap_of(at) + NEXT);
        of_instruction.into_iter().any(|used| used.needs_register())
    }

    /// On the stack, until it must be in a register, or a loop begins that reads it; which may be from a position on that is behind this
    /// one.
    fn spill(&mut self, number: u32, now: Position) {
        let Interval { value, end, .. } = *self.interval(number);
        self.spilled[value as usize] = true;
        self.intervals[number as usize].place = Place::Stack;
        let needed = self.first_needed(number);
        let wanted = self
            .first_in_loop(number, now)
            .filter(|&wanted| needed.is_none_or(|needed| wanted < needed));
        let Some(next) = wanted.or(needed) else { return };
        let at = self.best_split(now + 1, gap_of(next)).max(now + 1);
        debug_assert!(at < end && at == gap_of(at), "{at} before {end}, needed at {next}");
        let rest = self.split(number, at);
        self.enqueue(rest);
    }

    /// The first use of an interval behind a position that is in a loop which that position is not in.
    fn first_in_loop(&self, number: u32, now: Position) -> Option<Position> {
        let interval = self.interval(number);
        let blocks = &self.values.blocks;
        let weight = blocks.weights[blocks.at(now)];
        let uses = &self.values.uses[interval.uses.0 as usize..interval.uses.1 as usize];
        let mut later = uses
            .iter()
            .map(|used| used.position())
            .filter(|&position| gap_of(position) > now + NEXT);
        later.find(|&position| blocks.weights[blocks.at(position)] > weight)
    }

    /// How long an interval could do without a register: the position of its next use, or nearer where it would cost more than to load it
    /// again, or farther where it costs less.
    fn next_use(&self, number: u32, from: Position) -> Position {
        let interval = self.interval(number);
        let value = &self.values.values[interval.value as usize];
        let all = self.values.uses(value);
        let next = all.partition_point(|used| used.position() < from);
        let mut far = interval.end;
        for used in &all[next..] {
            if used.needs_register() || used.position() >= far {
                far = far.min(used.position());
                break;
            }
            // What may be read from the stack costs little.
            far = far.min(from + 3 * (used.position() - from) + 4 * NEXT);
        }
        let Some((start, end)) = self.values.blocks.loop_around(from) else {
            return far;
        };
        // The loop's start comes again.
        let used_before = || next.checked_sub(1).is_some_and(|last| all[last].position() >= start);
        if end < far && end < interval.end && used_before() {
            far = end;
        }
        // What is another value in each iteration would have to be stored in each, and whoever waits for it would wait for memory.
        match value.start >= start && !self.spilled[interval.value as usize] {
            true => far.min(from + (far - from) / CHANGING + 1),
            false => far,
        }
    }

    /// Takes a register from whoever needs it last, or goes to the stack.
    fn take_from_another(&mut self, number: u32) -> Result<(), String> {
        let interval = *self.interval(number);
        let start = interval.start;
        let class = self.value_of(number).class;
        let extent = self.extent(number);
        let must = self.first_needed(number);
        let Some(needed) = must.or_else(|| self.first_wanted(number)) else {
            self.spill(number, start);
            return Ok(());
        };
        // For how long somebody who has it does without it; and until when the interval could have it.
        let mut best: Option<(Position, Position, PReg)> = None;
        for register in self.registers.of(class) {
            let until = register.meets(extent, interval.value).map_or(NEVER, |taken| taken.range.0);
            if until <= needed {
                continue;
            }
            let idle = match register.owner_at(start) {
                None => NEVER,
                Some(Owner::Instruction(_)) => continue,
                // What the same instruction writes must stay, and what it is about to read.
                Some(Owner::Interval(other)) if self.interval(other).start > gap_of(start) => continue,
                Some(Owner::Interval(other)) if self.is_needed_by(other, start) => continue,
                Some(Owner::Interval(other)) => self.next_use(other, start),
            };
            if best.is_none_or(|best| (idle, until) > (best.0, best.1)) {
                best = Some((idle, until, register.reg));
            }
        }
        let can_wait = must.is_none() || gap_of(needed) > start;
        match best {
            Some((idle, until, reg)) if !can_wait || idle > self.next_use(number, start + 1) => {
                if let Some(Owner::Interval(other)) = self.registers.get(reg).owner_at(start) {
                    self.evict(other, reg, start);
                }
                if until < interval.end {
                    self.cut(number, until);
                }
                self.take(number, reg);
                Ok(())
            }
            _ if can_wait => {
                self.spill(number, start);
                Ok(())
            }
            _ => self.make_room(number, needed),
        }
    }

    /// An interval loses its register at a position that the scan has come to.
    fn evict(&mut self, other: u32, reg: PReg, at: Position) {
        self.registers.get_mut(reg).give_back(other, at);
        let from = self.without_register(other, at);
        let rest = match self.interval(other).start < from {
            true => self.split(other, from),
            false => other,
        };
        self.spill(rest, at);
    }

    /// From where on an interval may be on the stack that loses its register: from a loop's start, if all uses there can read it from the
    /// stack. Else it would be loaded again at the end of each iteration.
    fn without_register(&self, number: u32, at: Position) -> Position {
        let interval = self.interval(number);
        let Some((start, end)) = self.values.blocks.loop_around(at) else {
            return at;
        };
        let Extent { ranges, .. } = self.extent(number);
        let whole = ranges[ranges.partition_point(|range| range.1 <= start)];
        let lives_through = interval.start < start && interval.end >= end && whole.0 <= start && whole.1 >= at;
        let uses = &self.values.uses[interval.uses.0 as usize..interval.uses.1 as usize];
        let from = uses.partition_point(|used| used.position() < start);
        let mut before = uses[from..].iter().take_while(|used| used.position() < at);
        match lives_through && before.all(|used| !used.needs_register()) {
            true => start,
            false => at,
        }
    }

    /// A register for an interval that needs it now, where each is needed again soon by somebody who is not there at the moment.
    fn make_room(&mut self, number: u32, needed: Position) -> Result<(), String> {
        let interval = *self.interval(number);
        let mut extent = self.extent(number);
        extent.end = extent.end.min(needed + 1);
        let class = self.value_of(number).class;
        let start = interval.start;
        let found = self.registers.of(class).iter().find_map(|register| {
            if matches!(register.owner_at(start), Some(Owner::Instruction(_))) {
                return None;
            }
            if let Some(Owner::Interval(other)) = register.owner_at(start)
                && (self.interval(other).start > gap_of(start) || self.is_needed_by(other, start))
            {
                return None;
            }
            match register.meets(extent, interval.value)?.owner {
                Owner::Interval(other) => Some((register.reg, other)),
                Owner::Instruction(_) => None,
            }
        });
        let (reg, other) = found.ok_or("an instruction needs more registers than there are")?;
        let at = self
            .registers
            .get(reg)
            .meets(extent, interval.value)
            .map_or(start, |taken| taken.range.0);
        // It may find another register until it lives again.
        self.registers.get_mut(reg).give_back(other, at);
        let rest = self.split(other, at);
        self.enqueue(rest);
        self.take_from_another(number)
    }
}
