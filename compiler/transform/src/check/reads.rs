//! What reads a value, and what only copies it.
//!
//! A copy of a struct takes members along that nobody ever wrote, such as those that only fill it up. That is no fault, so it is no read: only what
//! computes with a value, or decides by it, reads it.
//!
//! Vectors are computed with as a whole, those components too of which nothing becomes. Such a component is observed only where what was computed
//! of it goes somewhere else than to a copy: to memory, to a decision, to a function.

use ir::*;
use rustc_hash::FxHashSet;

/// Values that something computes with, and those that are only copied.
#[derive(Debug)]
pub struct Reads {
    read: FxHashSet<Value>,
    /// What is an operand somewhere, parameters' arguments apart.
    used: FxHashSet<Value>,
    /// What has an effect, or of what something is computed that has.
    observed: FxHashSet<Value>,
}

impl Reads {
    /// Of a function, in which some stores are copies of their values. A value that goes to a block's parameter is read where the parameter is.
    pub fn new(func: &Function, is_copy: impl Fn(Inst) -> bool) -> Reads {
        let mut found = Reads {
            read: FxHashSet::default(),
            used: FxHashSet::default(),
            observed: FxHashSet::default(),
        };
        let mut pure: Vec<(Value, Vec<Value>)> = Vec::new();
        for inst in func.insts() {
            let data = &func.inst(inst).data;
            let copied: &[Value] = match data {
                InstData::Store { value, .. } if is_copy(inst) => std::slice::from_ref(value),
                // Members that only fill up a struct go from function to function.
                InstData::Call { args, .. } | InstData::Return { values: args } => args,
                _ => &[],
            };
            let mut handed_on = 0;
            data.for_each_target(|target| handed_on += target.args.len());
            let mut operands = Vec::new();
            data.for_each_operand(|&value| operands.push(value));
            // Targets' arguments are a terminator's last operands.
            operands.truncate(operands.len() - handed_on);
            for &value in &operands {
                found.used.insert(value);
                if !copied.contains(&value) {
                    found.read.insert(value);
                }
            }
            match func.inst(inst).results[..] {
                [result] if data.is_pure() => pure.push((result, operands)),
                _ => found.observed.extend(operands.into_iter().filter(|value| !copied.contains(value))),
            }
        }
        while found.hand_back(func) {}
        let mut before = usize::MAX;
        while found.observed.len() != before {
            before = found.observed.len();
            for (result, operands) in pure.iter().rev() {
                if found.observed.contains(result) {
                    found.observed.extend(operands);
                }
            }
            while found.hand_back(func) {}
        }
        found
    }

    /// Goes from parameters to their arguments. True if something was new.
    fn hand_back(&mut self, func: &Function) -> bool {
        let sizes = |found: &Self| (found.read.len(), found.used.len(), found.observed.len());
        let before = sizes(self);
        for &block in &func.layout {
            for (_, param, arg) in handed_on(func, block) {
                for set in [&mut self.read, &mut self.used, &mut self.observed] {
                    if set.contains(&param) {
                        set.insert(arg);
                    }
                }
            }
        }
        sizes(self) != before
    }

    /// Something computes with it.
    pub fn is_read(&self, value: Value) -> bool {
        self.read.contains(&value)
    }

    /// What is computed of it has an effect.
    pub fn is_observed(&self, value: Value) -> bool {
        self.observed.contains(&value)
    }

    /// It is copied, and nothing computes with it.
    pub fn is_only_copied(&self, value: Value) -> bool {
        self.used.contains(&value) && !self.read.contains(&value)
    }
}

/// What a block hands on to others: the other block, its parameter, the argument.
pub fn handed_on(func: &Function, block: Block) -> Vec<(Block, Value, Value)> {
    let mut found = Vec::new();
    let Some(&last) = func.block(block).insts.last() else {
        return found;
    };
    func.inst(last).data.for_each_target(|target| {
        let params = &func.block(target.block).params;
        found.extend(params.iter().zip(&target.args).map(|(&param, &arg)| (target.block, param, arg)));
    });
    found
}
