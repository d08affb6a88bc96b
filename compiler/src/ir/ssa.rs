//! Variables on top of SSA: the classic way to write code whose joins are not known beforehand.
//!
//! A pass defines and uses variables block by block; block parameters and jump arguments are made where they are needed
//! (Braun et al., Simple and Efficient Construction of Static Single Assignment Form, CC 2013). A variable that is used where nothing
//! has defined it is zero.

use super::*;
use cranelift_entity::{EntityRef, SecondaryMap};
use rustc_hash::FxHashMap as HashMap;

/// A variable of the one who writes the code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Variable(pub u32);

/// Builds SSA form while a function is written.
///
/// Each block must be sealed, when all jumps to it have been declared with [`SsaBuilder::declare_predecessor`], before [`SsaBuilder::finish`].
#[derive(Debug, Default)]
pub struct SsaBuilder {
    types: Vec<Type>,
    definitions: HashMap<(Variable, Block), Value>,
    preds: SecondaryMap<Block, Vec<Block>>,
    sealed: SecondaryMap<Block, bool>,
    incomplete: HashMap<Block, Vec<(Variable, Value)>>,
    /// Parameters made here: (block, its variable, value), and which values were replaced since.
    params: Vec<(Block, Variable, Value)>,
    replaced: ValueMap,
    zeros: HashMap<Type, Value>,
}

impl SsaBuilder {
    /// Nothing defined.
    pub fn new() -> SsaBuilder {
        SsaBuilder::default()
    }

    /// A new variable.
    pub fn variable(&mut self, ty: Type) -> Variable {
        self.types.push(ty);
        Variable(self.types.len() as u32 - 1)
    }

    /// The type of a variable.
    pub fn ty(&self, variable: Variable) -> Type {
        self.types[variable.0 as usize]
    }

    /// There is a jump (exactly one entry an edge) from `from` to `to`.
    pub fn declare_predecessor(&mut self, to: Block, from: Block) {
        debug_assert!(!self.sealed[to], "{to} is sealed");
        self.preds[to].push(from);
    }

    /// The variable has this value from here on, at the end of `block` as far as it is written.
    pub fn define(&mut self, variable: Variable, block: Block, value: Value) {
        self.definitions.insert((variable, block), value);
    }

    /// The variable's value at the end of `block` as far as it is written.
    pub fn use_variable(&mut self, func: &mut Function, variable: Variable, block: Block) -> Value {
        // Walks up single predecessors in a loop, so that long chains of blocks need no stack.
        let mut passed = Vec::new();
        let mut at = block;
        let value = loop {
            if let Some(&value) = self.definitions.get(&(variable, at)) {
                break self.replaced.resolve(value);
            }
            if !self.sealed[at] {
                let value = func.add_param(at, self.ty(variable));
                self.incomplete.entry(at).or_default().push((variable, value));
                self.params.push((at, variable, value));
                self.define(variable, at, value);
                break value;
            }
            match *self.preds[at].as_slice() {
                [] => break self.zero(func, self.ty(variable)),
                [single] if single != at => {
                    passed.push(at);
                    at = single;
                }
                _ => {
                    let value = func.add_param(at, self.ty(variable));
                    self.params.push((at, variable, value));
                    self.define(variable, at, value);
                    break value;
                }
            }
        };
        for block in passed {
            self.define(variable, block, value);
        }
        value
    }

    /// All jumps to `block` have been declared.
    pub fn seal(&mut self, block: Block) {
        self.sealed[block] = true;
        self.incomplete.remove(&block);
    }

    /// The block was sealed.
    pub fn is_sealed(&self, block: Block) -> bool {
        self.sealed[block]
    }

    /// Gives every jump its arguments, then removes parameters that always have the same value. Call once, when the function is written
    /// and all blocks are sealed. Jumps must not have arguments for the parameters made here yet; other parameters must come first.
    ///
    /// Gives back the parameters that it made and that are left, with their variables.
    pub fn finish(&mut self, func: &mut Function) -> Vec<(Variable, Value)> {
        // Arguments may ask for further variables, which may make further parameters: those are at the list's end.
        let mut next = 0;
        let mut incoming: HashMap<Value, Vec<Value>> = HashMap::default();
        while next < self.params.len() {
            let (block, variable, param) = self.params[next];
            next += 1;
            debug_assert!(self.sealed[block], "{block} is not sealed");
            let preds = self.preds[block].clone();
            let mut values = Vec::with_capacity(preds.len());
            for pred in preds {
                values.push(self.use_variable(func, variable, pred));
            }
            incoming.insert(param, values);
        }
        self.remove_trivial(&mut incoming);
        self.write_arguments(func, &incoming);
        func.substitute(&self.replaced);
        self.params
            .iter()
            .filter(|(_, _, param)| incoming.contains_key(param))
            .map(|&(_, variable, param)| (variable, param))
            .collect()
    }

    /// A parameter whose arguments are one value and itself is that value.
    fn remove_trivial(&mut self, incoming: &mut HashMap<Value, Vec<Value>>) {
        let mut users: HashMap<Value, Vec<Value>> = HashMap::default();
        for (&param, values) in incoming.iter() {
            for &value in values {
                users.entry(value).or_default().push(param);
            }
        }
        let mut work: Vec<Value> = self.params.iter().map(|&(_, _, param)| param).collect();
        while let Some(param) = work.pop() {
            let Some(values) = incoming.get(&param) else { continue };
            let mut same = None;
            let trivial = values
                .iter()
                .map(|&value| self.replaced.resolve(value))
                .filter(|&value| value != param)
                .all(|value| {
                    let first = *same.get_or_insert(value);
                    first == value
                });
            // Without any other value the block can't be reached; what the parameter is does not matter, so it stays.
            if let (true, Some(same)) = (trivial, same) {
                incoming.remove(&param);
                self.replaced.insert(param, same);
                let dependents = users.remove(&param).unwrap_or_default();
                work.extend(dependents.iter().copied());
                users.entry(same).or_default().extend(dependents);
            }
        }
    }

    fn write_arguments(&mut self, func: &mut Function, incoming: &HashMap<Value, Vec<Value>>) {
        let mut by_block: HashMap<Block, Vec<Value>> = HashMap::default();
        let mut gone: HashMap<Block, Vec<Value>> = HashMap::default();
        let mut blocks = Vec::new();
        for &(block, _, param) in &self.params {
            let list = if incoming.contains_key(&param) { &mut by_block } else { &mut gone };
            list.entry(block).or_default().push(param);
            blocks.push(block);
        }
        blocks.sort();
        blocks.dedup();
        for block in blocks {
            if let Some(gone) = gone.get(&block) {
                let gone: rustc_hash::FxHashSet<Value> = gone.iter().copied().collect();
                let params = func.block(block).params.clone();
                func.retain_params(block, |position| !gone.contains(&params[position]));
            }
            let Some(params) = by_block.get(&block) else { continue };
            // The n-th entry of `preds` is the n-th jump from that block to here.
            let preds = self.preds[block].clone();
            let mut taken: HashMap<Block, usize> = HashMap::default();
            for (edge, pred) in preds.into_iter().enumerate() {
                let nth = taken.entry(pred).or_default();
                let mut calls = func
                    .terminator_mut(pred)
                    .targets_mut()
                    .into_iter()
                    .filter(|target| target.block == block);
                let call = calls.nth(*nth).expect("each declared predecessor jumps here");
                call.args
                    .extend(params.iter().map(|param| self.replaced.resolve(incoming[param][edge])));
                *nth += 1;
            }
        }
    }

    fn zero(&mut self, func: &mut Function, ty: Type) -> Value {
        if let Some(&zero) = self.zeros.get(&ty) {
            return zero;
        }
        let inst = func.make_inst(InstData::Const { ty, bits: 0 }, Flags::empty());
        let entry = func.entry();
        func.block_mut(entry).insts.insert(0, inst);
        let zero = func.result(inst);
        self.zeros.insert(ty, zero);
        zero
    }

    /// The value after all replacements (once finished).
    pub fn resolve(&self, value: Value) -> Value {
        self.replaced.resolve(value)
    }
}

impl Variable {
    /// Its index, for tables.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl EntityRef for Variable {
    fn new(index: usize) -> Variable {
        Variable(index as u32)
    }

    fn index(self) -> usize {
        self.0 as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A loop that sums 1 to n, written with variables.
    #[test]
    fn loop_carried_variables_become_parameters() {
        let mut func = Function::new("sum", Level::WorkItem, &[Type::I32]);
        let mut ssa = SsaBuilder::new();
        let (entry, header, body, exit) = (func.add_block(), func.add_block(), func.add_block(), func.add_block());
        let n = func.add_param(entry, Type::I32);
        let (sum, i, unrelated) = (ssa.variable(Type::I32), ssa.variable(Type::I32), ssa.variable(Type::I32));
        ssa.seal(entry);
        let zero = Builder::new(&mut func, entry).i32(0);
        ssa.define(sum, entry, zero);
        ssa.define(i, entry, n);
        ssa.define(unrelated, entry, n);
        Builder::new(&mut func, entry).jump(header, &[]);
        ssa.declare_predecessor(header, entry);

        let value = ssa.use_variable(&mut func, i, header);
        let mut b = Builder::new(&mut func, header);
        let more = b.icmp_imm(IntCc::Ne, value, 0);
        b.branch(more, to(body, &[]), to(exit, &[]));
        ssa.declare_predecessor(body, header);
        ssa.declare_predecessor(exit, header);
        ssa.seal(body);
        ssa.seal(exit);

        let (old_sum, old_i) = (ssa.use_variable(&mut func, sum, body), ssa.use_variable(&mut func, i, body));
        let mut b = Builder::new(&mut func, body);
        let new_sum = b.add(old_sum, old_i);
        let new_i = b.binary_imm(BinaryOp::Sub, old_i, 1);
        b.jump(header, &[]);
        ssa.define(sum, body, new_sum);
        ssa.define(i, body, new_i);
        ssa.declare_predecessor(header, body);
        ssa.seal(header);

        let result = ssa.use_variable(&mut func, sum, exit);
        let other = ssa.use_variable(&mut func, unrelated, exit);
        let mut b = Builder::new(&mut func, exit);
        let result = b.add(result, other);
        b.ret(&[result]);
        ssa.finish(&mut func);

        assert_eq!(func.block(header).params.len(), 2, "{func}");
        assert!(func.block(exit).params.is_empty() && func.block(body).params.is_empty(), "{func}");
        assert!(func.to_string().contains(&format!("{n}")), "{func}");
    }
}
