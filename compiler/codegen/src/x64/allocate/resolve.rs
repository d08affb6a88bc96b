//! What the scan has found, as instructions' registers and moves.

use super::interval::{Interval, Place};
use super::liveness::{Definition, NOBODY, tied_to};
use super::parallel_moves::{Move, Spare, in_order};
use super::position::{NEXT, Position, READ, WRITE, gap, gap_of, inst_of};
use super::scan::Scan;
use super::slots::Slots;
use crate::x64::function::{Block, Function};
use regalloc2::{
    Allocation, Edit, Function as _, Inst, Operand, OperandConstraint, OperandKind, OperandPos, Output, ProgPoint, RegClass, SpillSlot,
};

/// Which moves in one gap come first. Those of one step happen at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Step {
    /// From the block's only predecessor.
    Entry,
    /// Between the parts of a value's life.
    Split,
    /// To the registers that the instruction asks for.
    Ask,
    /// To the block's only successor.
    Exit,
}

#[derive(Clone, Copy, Debug)]
struct Planned {
    inst: u32,
    step: Step,
    class: RegClass,
    what: Move,
}

struct Resolver<'a> {
    function: &'a Function,
    scan: &'a Scan,
    slots: Slots,
    /// By value, the part of its life that the walk through the code has come to.
    current: Vec<u32>,
    planned: Vec<Planned>,
    /// By block, the first and the last end of the blocks that it follows.
    before: Vec<(Position, Position)>,
    /// Extra places on the stack for moves, by class.
    extra: [[Option<SpillSlot>; 2]; 3],
}

/// Registers of operands, and moves. An error where an instruction would not get the registers that it needs.
pub fn resolve(function: &Function, scan: &Scan, slots: Slots) -> Result<Output, String> {
    let mut resolver = Resolver {
        function,
        scan,
        slots,
        current: scan.first.clone(),
        planned: Vec::new(),
        before: function.blocks.iter().map(|block| before(function, block)).collect(),
        extra: [[None; 2]; 3],
    };
    let mut output = Output::default();
    resolver.operands(&mut output)?;
    resolver.parts();
    resolver.arguments();
    output.edits = resolver.moves();
    output.num_spillslots = resolver.slots.words;
    Ok(output)
}

/// The first and the last of the positions in which a block's predecessors end.
fn before(function: &Function, block: &Block) -> (Position, Position) {
    let ends = block.preds.iter().map(|pred| gap(function.blocks[pred.index()].insts.end - 1));
    ends.fold((Position::MAX, 0), |(first, last), end| (first.min(end), last.max(end)))
}

impl Resolver<'_> {
    fn allocation(&self, value: u32, place: Place) -> Allocation {
        match place {
            Place::Register(reg) => Allocation::reg(reg),
            Place::Stack => Allocation::stack(self.slots.of(value)),
        }
    }

    /// Where a value is at a position that is not before the last one asked for.
    fn walk_to(&mut self, value: u32, position: Position) -> Allocation {
        let current = &mut self.current[value as usize];
        while let Some(interval) = self.scan.intervals.get(*current as usize) {
            if position < interval.end {
                return self.allocation(value, interval.place);
            }
            *current = interval.next;
        }
        debug_assert!(false, "a value is used where it does not live");
        Allocation::none()
    }

    fn plan(&mut self, at: Position, step: Step, class: RegClass, from: Allocation, to: Allocation) {
        if from != to {
            self.planned.push(Planned {
                inst: inst_of(at),
                step,
                class,
                what: Move { from, to },
            });
        }
    }

    fn operands(&mut self, output: &mut Output) -> Result<(), String> {
        let function = self.function;
        output.inst_alloc_offsets.reserve(function.insts.len());
        output.allocs.reserve(function.operands.len());
        for inst in 0..function.insts.len() as u32 {
            output.inst_alloc_offsets.push(output.allocs.len() as u32);
            let operands = function.inst_operands(Inst::new(inst as usize));
            // Few have any, which is looked for once.
            let has_ties = operands.iter().any(|operand| tied_to(operand).is_some());
            for index in 0..operands.len() {
                let allocation = self.operand(operands, has_ties, index, gap(inst));
                if !allocation.is_reg() && operands[index].constraint() != OperandConstraint::Any {
                    return Err(format!("instruction {inst} needs a register for its operand {index}"));
                }
                output.allocs.push(allocation);
            }
        }
        Ok(())
    }

    fn operand(&mut self, operands: &[Operand], has_ties: bool, index: usize, at: Position) -> Allocation {
        let operand = operands[index];
        let (value, class) = (operand.vreg().vreg() as u32, operand.class());
        let asked = match (operand.kind(), operand.constraint()) {
            (OperandKind::Def, OperandConstraint::FixedReg(reg)) => {
                self.leave(value, at + NEXT, Allocation::reg(reg));
                return Allocation::reg(reg);
            }
            (OperandKind::Def, OperandConstraint::Reuse(_)) => return self.walk_to(value, at + READ),
            (OperandKind::Def, _) => return self.walk_to(value, at + WRITE),
            (OperandKind::Use, OperandConstraint::FixedReg(reg)) => Some(Allocation::reg(reg)),
            (OperandKind::Use, _) => {
                let tied = |other: &&Operand| tied_to(other) == Some(index);
                let by = has_ties.then(|| operands.iter().find(tied)).flatten();
                let by = by.map(|other| other.vreg().vreg() as u32);
                by.map(|other| self.walk_to(other, at + READ))
            }
        };
        match asked {
            Some(asked) => {
                let from = self.walk_to(value, at);
                self.plan(at, Step::Ask, class, from, asked);
                asked
            }
            None if operand.pos() == OperandPos::Late => self.walk_to(value, at + WRITE),
            None => self.walk_to(value, at + READ),
        }
    }

    /// From the register that an instruction has left a value in to where it lives.
    fn leave(&mut self, value: u32, at: Position, from: Allocation) {
        if self.scan.first[value as usize] != NOBODY {
            let class = self.scan.values.values[value as usize].class;
            let to = self.walk_to(value, at);
            self.plan(at, Step::Split, class, from, to);
        }
    }

    /// Moves between the parts of values' lives.
    fn parts(&mut self) {
        let mut parts: Vec<Interval> = Vec::new();
        for value in 0..self.scan.first.len() as u32 {
            parts.clear();
            let mut at = self.scan.first[value as usize];
            while let Some(interval) = self.scan.intervals.get(at as usize) {
                parts.push(*interval);
                at = interval.next;
            }
            if parts.len() > 1 {
                self.connect(value, &parts);
            }
        }
    }

    fn connect(&mut self, value: u32, parts: &[Interval]) {
        let from = self.planned.len();
        self.along(value, parts);
        self.across(value, parts);
        // A value is stored once, as it comes to be, if this is done less often than to store it wherever it goes to the stack.
        let data = &self.scan.values.values[value as usize];
        let blocks = &self.scan.values.blocks;
        let is_store = |planned: &Planned| planned.what.to.is_stack();
        let stores = self.planned[from..].iter().filter(|planned| is_store(planned));
        let weight: f32 = stores.map(|planned| blocks.weights[blocks.at(gap(planned.inst))]).sum();
        if parts[0].place == Place::Stack {
            // It is there from the start.
            self.drop_stores(from);
        } else if weight > 0.0 && weight >= blocks.weights[blocks.at(data.start)] {
            self.drop_stores(from);
            let to = self.allocation(value, Place::Stack);
            let (at, source) = match data.definition {
                Definition::Fixed(reg) => (data.start, Allocation::reg(reg)),
                Definition::Param => (data.start, self.allocation(value, parts[0].place)),
                _ => (gap_of(data.start) + NEXT, self.allocation(value, parts[0].place)),
            };
            self.plan(at, Step::Split, data.class, source, to);
        }
    }

    fn drop_stores(&mut self, from: usize) {
        let mut kept = from;
        for index in from..self.planned.len() {
            if !self.planned[index].what.to.is_stack() {
                self.planned[kept] = self.planned[index];
                kept += 1;
            }
        }
        self.planned.truncate(kept);
    }

    /// Within blocks.
    fn along(&mut self, value: u32, parts: &[Interval]) {
        let data = self.scan.values.values[value as usize];
        let blocks = &self.scan.values.blocks;
        for index in 1..parts.len() {
            let (before, after) = (parts[index - 1], parts[index]);
            let at = gap_of(after.start);
            if before.end != after.start || blocks.is_start(after.start) {
                continue;
            }
            // Where it is before the gap in which it is moved.
            let source = if before.start < at || blocks.is_start(at) {
                self.allocation(value, before.place)
            } else {
                match (index.checked_sub(2), data.definition) {
                    (Some(earlier), _) => self.allocation(value, parts[earlier].place),
                    (None, Definition::Fixed(reg)) => Allocation::reg(reg),
                    (None, _) => self.allocation(value, before.place),
                }
            };
            let to = self.allocation(value, after.place);
            self.plan(at, Step::Split, data.class, source, to);
        }
    }

    /// On the edges between blocks.
    fn across(&mut self, value: u32, parts: &[Interval]) {
        let function = self.function;
        let data = self.scan.values.values[value as usize];
        let values = &self.scan.values;
        let place = |position: Position| {
            let part = parts.partition_point(|part| part.end <= position);
            parts[part.min(parts.len() - 1)].place
        };
        let mut part = 0;
        for &(start, end) in values.ranges(&data) {
            let mut block = values.blocks.at(start);
            if values.blocks.starts[block] < start {
                block += 1;
            }
            while block < function.blocks.len() && values.blocks.starts[block] < end {
                let entry = values.blocks.starts[block];
                let comes_from_elsewhere = !(data.definition == Definition::Param && data.start == entry);
                while part + 1 < parts.len() && parts[part].end <= entry {
                    part += 1;
                }
                // Mostly it comes from within the part.
                let from = part.checked_sub(1).map_or(0, |earlier| parts[earlier].end);
                let (first, last) = self.before[block];
                let moves = first < from || last >= parts[part].end;
                if comes_from_elsewhere && moves {
                    let to = parts[part].place;
                    for pred in &function.blocks[block].preds {
                        let last = gap(function.blocks[pred.index()].insts.end - 1);
                        let from = place(last);
                        if from != to {
                            let (from, to) = (self.allocation(value, from), self.allocation(value, to));
                            self.on_edge(pred.index(), block, data.class, from, to);
                        }
                    }
                }
                block += 1;
            }
        }
    }

    fn on_edge(&mut self, from: usize, to: usize, class: RegClass, source: Allocation, target: Allocation) {
        let blocks = &self.function.blocks;
        if blocks[from].succs.len() == 1 {
            self.plan(gap(blocks[from].insts.end - 1), Step::Exit, class, source, target);
        } else {
            self.plan(gap(blocks[to].insts.start), Step::Entry, class, source, target);
        }
    }

    /// From what blocks hand over to the parameters.
    fn arguments(&mut self) {
        let function = self.function;
        self.current.clone_from(&self.scan.first);
        for block in &function.blocks {
            let last = gap(block.insts.end - 1);
            for (succ, args) in block.succs.iter().zip(&block.args) {
                for (arg, param) in args.iter().zip(&function.blocks[succ.index()].params) {
                    let Some(target) = self.scan.intervals.get(self.scan.first[param.vreg()] as usize) else {
                        continue;
                    };
                    let to = self.allocation(param.vreg() as u32, target.place);
                    let from = self.walk_to(arg.vreg() as u32, last);
                    self.plan(last, Step::Exit, param.class(), from, to);
                }
            }
        }
    }

    /// All moves, in the order in which they are done.
    fn moves(&mut self) -> Vec<(ProgPoint, Edit)> {
        let mut planned = std::mem::take(&mut self.planned);
        planned.sort_by_key(|planned| (planned.inst, planned.step, planned.class as u8));
        let mut edits = Vec::with_capacity(planned.len() + 16);
        let mut together: Vec<Move> = Vec::new();
        for group in planned.chunk_by(|a, b| (a.inst, a.step, a.class) == (b.inst, b.step, b.class)) {
            let first = group[0];
            let point = ProgPoint::before(Inst::new(first.inst as usize));
            let mut emit = |Move { from, to }: Move| edits.push((point, Edit::Move { from, to }));
            if let [one] = group
                && (one.what.from.is_reg() || one.what.to.is_reg())
            {
                emit(one.what);
                continue;
            }
            together.clear();
            together.extend(group.iter().map(|planned| planned.what));
            let mut spare = Around {
                resolver: self,
                inst: first.inst,
                class: first.class,
            };
            in_order(&together, &mut spare, emit);
        }
        edits
    }
}

/// What is free in one gap.
struct Around<'a, 'b> {
    resolver: &'a mut Resolver<'b>,
    inst: u32,
    class: RegClass,
}

impl Spare for Around<'_, '_> {
    fn register(&mut self, not: &[Allocation]) -> Option<Allocation> {
        let at = gap(self.inst);
        // Before and behind the moves: what has been moved away has left room that others are still to be moved to.
        let free = |register: &&super::registers::Register| {
            (at..at + NEXT).all(|position| register.was_free(position)) && (at == 0 || register.was_free(at - 1))
        };
        let registers = self.resolver.scan.registers.of(self.class);
        let found = registers.iter().filter(free).map(|register| Allocation::reg(register.reg));
        found.into_iter().find(|register| !not.contains(register))
    }

    fn any_register(&mut self) -> Allocation {
        let registers = self.resolver.scan.registers.of(self.class);
        registers
            .first()
            .map_or(Allocation::none(), |register| Allocation::reg(register.reg))
    }

    fn slot(&mut self, number: usize) -> Allocation {
        let Resolver {
            function, slots, extra, ..
        } = &mut *self.resolver;
        let size = function.spillslot_size(self.class);
        let slot = extra[self.class as usize][number].get_or_insert_with(|| slots.add(size));
        Allocation::stack(*slot)
    }
}
