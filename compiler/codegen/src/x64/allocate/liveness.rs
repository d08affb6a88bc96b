//! Where each value lives and is used, and which registers instructions ask for.

use super::position::{Blocks, NEXT, Position, READ, WRITE, gap, gap_of};
use crate::x64::function::Function;
use regalloc2::{Operand, OperandConstraint, OperandKind, OperandPos, PReg, PRegSet, RegClass};

/// No value.
pub const NOBODY: u32 = u32::MAX;

/// Positions from the first on, up to the second.
pub type Range = (Position, Position);

/// A use: where, and whether it must be in a register. A definition that writes a register is the first of its value's uses.
#[derive(Clone, Copy, Debug)]
pub struct Use(u32);

impl Use {
    fn new(position: Position, register: bool) -> Use {
        Use(position << 1 | u32::from(register))
    }

    pub fn position(self) -> Position {
        self.0 >> 1
    }

    pub fn needs_register(self) -> bool {
        self.0 & 1 == 1
    }
}

/// How a value comes to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Definition {
    /// It has none: nothing uses the number.
    None,
    /// In any register, where the instruction writes.
    Plain,
    /// In the register in which this value was.
    Tied(u32),
    /// In this register; it moves elsewhere in the gap that follows.
    Fixed(PReg),
    /// Whoever comes to the block hands it over.
    Param,
}

/// A value: a virtual register.
#[derive(Clone, Copy, Debug)]
pub struct Value {
    pub class: RegClass,
    pub definition: Definition,
    /// Where it begins to live.
    pub start: Position,
    /// Its uses, in order: a part of [`Values::uses`].
    pub uses: (u32, u32),
    /// Where it lives, in order: a part of [`Values::ranges`]. None where nobody needs it.
    pub ranges: (u32, u32),
    /// A register that an instruction reads it in.
    pub wanted: Option<PReg>,
    /// The value whose register would be best: one that is made from it in place, or a parameter that it is handed to.
    pub becomes: u32,
}

/// All values of a function.
pub struct Values {
    pub values: Vec<Value>,
    pub uses: Vec<Use>,
    pub ranges: Vec<Range>,
    pub blocks: Blocks,
}

impl Values {
    pub fn uses(&self, value: &Value) -> &[Use] {
        &self.uses[value.uses.0 as usize..value.uses.1 as usize]
    }

    pub fn ranges(&self, value: &Value) -> &[Range] {
        &self.ranges[value.ranges.0 as usize..value.ranges.1 as usize]
    }
}

/// A register that an instruction takes for itself.
#[derive(Clone, Copy, Debug)]
pub struct Fixed {
    pub reg: PReg,
    pub range: Range,
    /// The value that it is to hold, which may be there already.
    pub value: u32,
}

/// The operand whose register an operand is written to, if it is a definition that is tied to one.
pub fn tied_to(operand: &Operand) -> Option<usize> {
    match operand.kind() {
        OperandKind::Def => match operand.constraint() {
            OperandConstraint::Reuse(index) => Some(index),
            _ => None,
        },
        OperandKind::Use => None,
    }
}

/// Where a use reads, and what for. A definition may be tied to it.
fn reads(operand: Operand, is_tied: bool, inst: u32) -> Use {
    let late = operand.pos() == OperandPos::Late;
    match operand.constraint() {
        // It is copied to where it is needed in the gap.
        OperandConstraint::FixedReg(_) => Use::new(gap(inst), false),
        _ if is_tied => Use::new(gap(inst), false),
        constraint => Use::new(gap(inst) + if late { WRITE } else { READ }, constraint != OperandConstraint::Any),
    }
}

/// Finds it all.
pub fn find(function: &Function) -> (Values, Vec<Fixed>) {
    let none = Value {
        class: RegClass::Int,
        definition: Definition::None,
        start: 0,
        uses: (0, 0),
        ranges: (0, 0),
        wanted: None,
        becomes: NOBODY,
    };
    let mut values = vec![none; function.vregs];
    let mut fixed = Vec::new();
    count(function, &mut values, &mut fixed);
    let mut next = 0;
    for value in &mut values {
        let count = value.uses.1;
        value.uses = (next, next);
        next += count;
    }
    let mut uses = vec![Use(0); next as usize];
    collect(function, &mut values, &mut uses);
    let mut found = Values {
        values,
        uses,
        ranges: Vec::with_capacity(function.vregs + 16),
        blocks: Blocks::new(function),
    };
    Lives::new(function).find(&mut found);
    (found, fixed)
}

/// Definitions, how many uses there are, and registers that are asked for.
fn count(function: &Function, values: &mut [Value], fixed: &mut Vec<Fixed>) {
    for block in &function.blocks {
        for param in &block.params {
            let value = &mut values[param.vreg()];
            value.class = param.class();
            value.definition = Definition::Param;
            value.start = gap(block.insts.start);
        }
        for inst in block.insts.clone() {
            let data = &function.insts[inst as usize];
            let operands = &function.operands[data.start as usize..data.start as usize + usize::from(data.count)];
            for operand in operands {
                let value = &mut values[operand.vreg().vreg()];
                value.uses.1 += 1;
                if operand.kind() == OperandKind::Use {
                    if let OperandConstraint::FixedReg(reg) = operand.constraint() {
                        value.wanted.get_or_insert(reg);
                        fixed.push(Fixed {
                            reg,
                            range: (gap(inst) + READ, gap(inst) + WRITE),
                            value: operand.vreg().vreg() as u32,
                        });
                    }
                    continue;
                }
                value.class = operand.class();
                (value.definition, value.start) = match operand.constraint() {
                    OperandConstraint::FixedReg(reg) => (Definition::Fixed(reg), gap(inst + 1)),
                    OperandConstraint::Reuse(from) => (Definition::Tied(operands[from].vreg().vreg() as u32), gap(inst) + READ),
                    _ => (Definition::Plain, gap(inst) + WRITE),
                };
            }
            for operand in operands.iter().filter(|operand| operand.kind() == OperandKind::Def) {
                match operand.constraint() {
                    OperandConstraint::FixedReg(reg) => fixed.push(Fixed {
                        reg,
                        range: (gap(inst) + WRITE, gap(inst + 1)),
                        value: NOBODY,
                    }),
                    OperandConstraint::Reuse(from) => values[operands[from].vreg().vreg()].becomes = operand.vreg().vreg() as u32,
                    _ => {}
                }
            }
            // Most take none, which is quicker to see than to go through.
            let clobbers = Some(data.clobbers).filter(|&clobbers| clobbers != PRegSet::empty());
            for reg in clobbers.into_iter().flatten() {
                fixed.push(Fixed {
                    reg,
                    range: (gap(inst) + WRITE, gap(inst + 1)),
                    value: NOBODY,
                });
            }
        }
        for (succ, args) in block.succs.iter().zip(&block.args) {
            for (arg, param) in args.iter().zip(&function.blocks[succ.index()].params) {
                let value = &mut values[arg.vreg()];
                value.uses.1 += 1;
                value.becomes = param.vreg() as u32;
            }
        }
    }
}

/// Uses, in order.
fn collect(function: &Function, values: &mut [Value], uses: &mut [Use]) {
    let mut add = |value: usize, used: Use| {
        let (from, end) = &mut values[value].uses;
        // An instruction's operands may be in any order.
        let mut at = *end as usize;
        while at > *from as usize && uses[at - 1].position() > used.position() {
            uses[at] = uses[at - 1];
            at -= 1;
        }
        uses[at] = used;
        *end += 1;
    };
    for block in &function.blocks {
        for inst in block.insts.clone() {
            let data = &function.insts[inst as usize];
            let operands = &function.operands[data.start as usize..data.start as usize + usize::from(data.count)];
            // By position among the operands. Only calls have more than there are bits, and ties to none.
            let tied = operands.iter().filter_map(tied_to).fold(0u64, |tied, index| tied | 1 << index);
            for (index, operand) in operands.iter().enumerate() {
                let position = match operand.kind() {
                    OperandKind::Use => reads(*operand, index < 64 && tied >> index & 1 != 0, inst),
                    OperandKind::Def => match operand.constraint() {
                        OperandConstraint::FixedReg(_) => Use::new(gap(inst + 1), false),
                        OperandConstraint::Reuse(_) => Use::new(gap(inst) + READ, true),
                        _ => Use::new(gap(inst) + WRITE, true),
                    },
                };
                add(operand.vreg().vreg(), position);
            }
        }
        for arg in block.args.iter().flatten() {
            add(arg.vreg(), Use::new(gap(block.insts.end - 1), false));
        }
    }
}

/// Finds where values live: from each use up to the definition.
struct Lives {
    /// Each block's predecessors, one after the other, and where those of each begin.
    preds: Vec<u32>,
    first: Vec<u32>,
    /// The last value that was found to live at the start of each block, and at its end.
    at_start: Vec<u32>,
    at_end: Vec<u32>,
    /// Blocks at whose end the value lives.
    open: Vec<u32>,
    found: Vec<Range>,
}

impl Lives {
    fn new(function: &Function) -> Lives {
        let mut preds = Vec::new();
        let mut first = Vec::with_capacity(function.blocks.len() + 1);
        for block in &function.blocks {
            first.push(preds.len() as u32);
            preds.extend(block.preds.iter().map(|pred| pred.index() as u32));
        }
        first.push(preds.len() as u32);
        Lives {
            preds,
            first,
            at_start: vec![NOBODY; function.blocks.len()],
            at_end: vec![NOBODY; function.blocks.len()],
            open: Vec::new(),
            found: Vec::new(),
        }
    }

    fn find(&mut self, values: &mut Values) {
        for number in 0..values.values.len() {
            let value = values.values[number];
            if value.definition == Definition::None {
                continue;
            }
            self.ranges_of(number as u32, &value, values);
            let from = values.ranges.len() as u32;
            values.ranges.append(&mut self.found);
            values.values[number].ranges = (from, values.ranges.len() as u32);
        }
    }

    fn ranges_of(&mut self, number: u32, value: &Value, values: &Values) {
        let home = values.blocks.at(value.start);
        let uses = values.uses(value);
        // Nobody reads what is in a fixed register: it need not go anywhere.
        if matches!(value.definition, Definition::Fixed(_)) && uses.len() == 1 {
            return;
        }
        let local = |used: &Use| values.blocks.at(used.position()) == home;
        let Some(last) = uses.last() else { return };
        if uses.iter().all(local) {
            self.found.push((value.start, end_of(*last, value)));
            return;
        }
        for used in uses {
            let block = values.blocks.at(used.position());
            let start = values.blocks.starts[block].max(if block == home { value.start } else { 0 });
            self.found.push((start, end_of(*used, value)));
            if block != home && self.enter(block, number) {
                self.open.push(block as u32 - 1);
            }
        }
        while let Some(block) = self.open.pop() {
            let end = values.blocks.starts[block as usize + 1];
            // Blocks that follow each other make up one range.
            let mut first = block as usize;
            while first != home && self.enter(first, number) {
                first -= 1;
            }
            let start = if first == home { value.start } else { values.blocks.starts[first] };
            self.found.push((start, end));
        }
        self.join();
    }

    /// The value lives at the start of the block. True if that is news for the end of the block before it in the code, which is not noted then
    /// among those that are open.
    fn enter(&mut self, block: usize, value: u32) -> bool {
        if std::mem::replace(&mut self.at_start[block], value) == value {
            return false;
        }
        let mut follows = false;
        for &pred in &self.preds[self.first[block] as usize..self.first[block + 1] as usize] {
            if std::mem::replace(&mut self.at_end[pred as usize], value) != value {
                match pred as usize + 1 == block {
                    true => follows = true,
                    false => self.open.push(pred),
                }
            }
        }
        follows
    }

    /// Puts what has been found in order, and makes one of what touches.
    fn join(&mut self) {
        // Mostly it is in some order: the sort looks for that.
        self.found.sort();
        self.found.dedup_by(|next, before| {
            let touches = next.0 <= before.1;
            if touches {
                before.1 = before.1.max(next.1);
            }
            touches
        });
    }
}

/// Where a use ends. A definition occupies its register as long as the instruction writes.
fn end_of(used: Use, value: &Value) -> Position {
    let position = used.position();
    let defines = position == value.start && matches!(value.definition, Definition::Plain | Definition::Tied(_));
    if defines { gap_of(position) + WRITE + 1 } else { position + 1 }
}

const _: () = assert!(WRITE + 1 < NEXT);
