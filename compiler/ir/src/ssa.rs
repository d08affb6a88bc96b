//! Variables on top of SSA: the classic way to write code whose joins are not known beforehand.
//!
//! A pass defines and uses variables block by block; block parameters and jump arguments are made where they are needed
//! (Braun et al., Simple and Efficient Construction of Static Single Assignment Form, CC 2013). A variable that is used where nothing
//! has defined it is zero.

mod flow;
mod users;
mod written;

use super::cfg::Cfg;
use super::*;
use cranelift_entity::packed_option::PackedOption;
use cranelift_entity::{EntityRef, SecondaryMap};
use flow::{Flow, Numbers};
use rustc_hash::FxHashMap as HashMap;
use smallvec::SmallVec;
use users::{Incoming, Users};
use written::Written;

/// A variable of the one who writes the code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Variable(pub u32);

/// Where a variable has been defined.
#[derive(Clone, Copy, Debug)]
enum Defined {
    Nowhere,
    Once(Block, Value),
    Often,
}

/// Definitions so many blocks up a chain are not noted on the way; of longer ways, each block so far from the last.
const NEAR: usize = 8;

/// A loop's header whose latches are not written yet.
#[derive(Clone, Copy, Debug, Default)]
struct Header {
    /// The block in front of the loop, where there is one alone.
    before: PackedOption<Block>,
    /// Variables with greater numbers were made in the loop.
    variables: u32,
}

/// Builds SSA form while a function is written.
///
/// Each block must be sealed, when all jumps to it have been declared with [`SsaBuilder::declare_predecessor`], before [`SsaBuilder::finish`].
#[derive(Debug, Default)]
pub struct SsaBuilder {
    types: Vec<Type>,
    /// By variable.
    defined: Vec<Defined>,
    /// Definitions of variables that have several.
    definitions: HashMap<(Variable, Block), Value>,
    preds: SecondaryMap<Block, SmallVec<[Block; 2]>>,
    sealed: SecondaryMap<Block, bool>,
    headers: SecondaryMap<Block, Header>,
    /// By variable: each is defined by one block, before it is used.
    settled: Vec<bool>,
    /// Parameters made here: (block, its variable, value), and which values were replaced since.
    params: Vec<(Block, Variable, Value)>,
    replaced: ValueMap,
    zeros: HashMap<Type, Value>,
    /// Where blocks are written in order ([`SsaBuilder::in_order`]).
    written: Option<Written>,
    /// By variable: the number of the last block there that defines it.
    last: Vec<u32>,
    /// Where all blocks are known ([`SsaBuilder::of_flow`]).
    flow: Option<Flow>,
    /// By variable: the blocks there that define it.
    numbers: Vec<Numbers>,
}

impl SsaBuilder {
    /// Nothing defined.
    pub fn new() -> SsaBuilder {
        SsaBuilder::default()
    }

    /// Nothing defined, in a function whose blocks are written one after the other: each is sealed when what jumps to it is complete, or is the
    /// header of a loop ([`SsaBuilder::enter_loop`]) that is sealed when all its blocks are.
    ///
    /// What has not been defined since a block that dominates another is found there without a way through all blocks between them.
    pub fn in_order() -> SsaBuilder {
        SsaBuilder {
            written: Some(Written::default()),
            ..SsaBuilder::default()
        }
    }

    /// Nothing defined, in a function whose blocks are all there; each is sealed. Before a variable is used, it is told which blocks define it:
    /// by defining it, or by [`SsaBuilder::will_define`].
    ///
    /// It has parameters only where several definitions may come together, as far as an order of the blocks shows.
    pub fn of_flow(cfg: &Cfg) -> SsaBuilder {
        let mut ssa = SsaBuilder::default();
        for &block in &cfg.order {
            ssa.preds[block].extend_from_slice(&cfg.preds[block]);
            ssa.sealed[block] = true;
        }
        ssa.flow = Some(Flow::new(cfg));
        ssa
    }

    /// The variable will be defined in a block that can be reached; nobody has used it yet.
    pub fn will_define(&mut self, variable: Variable, block: Block) {
        if let Some(flow) = &self.flow {
            flow.defines(&mut self.numbers[variable.index()], block);
        }
    }

    /// A new variable.
    pub fn variable(&mut self, ty: Type) -> Variable {
        self.last.push(0);
        self.numbers.push(Numbers::new());
        self.types.push(ty);
        self.defined.push(Defined::Nowhere);
        self.settled.push(false);
        Variable(self.types.len() as u32 - 1)
    }

    /// A new variable that is defined now, in `block`, and nowhere else: no loop that is entered later changes it ([`SsaBuilder::enter_loop`]).
    pub fn settled_variable(&mut self, ty: Type, block: Block, value: Value) -> Variable {
        let variable = self.variable(ty);
        self.settled[variable.index()] = true;
        self.defined[variable.index()] = Defined::Once(block, value);
        self.came_to(variable, block);
        variable
    }

    /// `header` begins a loop that is entered there only. All jumps from outside have been declared, none from inside.
    ///
    /// What is settled already needs no parameter there, of which a nest would get as many as it has loops for each value.
    pub fn enter_loop(&mut self, header: Block) {
        let before = match *self.preds[header].as_slice() {
            [single] => single.into(),
            _ => None.into(),
        };
        let variables = self.types.len() as u32;
        self.headers[header] = Header { before, variables };
        self.begin(header);
    }

    /// In order, a block is begun.
    fn begin(&mut self, block: Block) {
        let Some(written) = &mut self.written else { return };
        let (sealed, preds) = (&self.sealed, &self.preds);
        let all_begun = |written: &Written, block: Block| preds[block].iter().all(|&pred| written.number(pred) != 0);
        written.close(|written, header| sealed[header] && all_begun(written, header));
        if written.number(block) == 0 {
            written.begin(block, &preds[block]);
            if !sealed[block] || !all_begun(written, block) {
                written.open(block);
            }
        }
    }

    fn came_to(&mut self, variable: Variable, block: Block) {
        if let Some(written) = &self.written {
            let number = written.number(block);
            debug_assert!(number != 0, "{block} is not begun");
            let last = &mut self.last[variable.index()];
            *last = number.max(*last);
        }
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
        debug_assert!(!self.settled[variable.index()], "the variable has its definition");
        self.came_to(variable, block);
        self.will_define(variable, block);
        self.note(variable, block, value);
    }

    fn note(&mut self, variable: Variable, block: Block, value: Value) {
        let defined = &mut self.defined[variable.0 as usize];
        match *defined {
            Defined::Once(home, before) if home != block => {
                self.definitions.insert((variable, home), before);
                *defined = Defined::Often;
            }
            Defined::Often => {}
            _ => {
                *defined = Defined::Once(block, value);
                return;
            }
        }
        self.definitions.insert((variable, block), value);
    }

    fn definition(&self, variable: Variable, block: Block) -> Option<Value> {
        match self.defined[variable.0 as usize] {
            Defined::Nowhere => None,
            Defined::Once(home, value) => (home == block).then_some(value),
            Defined::Often => self.definitions.get(&(variable, block)).copied(),
        }
    }

    /// The variable's value at the end of `block` as far as it is written.
    pub fn use_variable(&mut self, func: &mut Function, variable: Variable, block: Block) -> Value {
        // Walks up single predecessors in a loop, so that long chains of blocks need no stack.
        let mut passed: SmallVec<[Block; NEAR]> = SmallVec::new();
        let mut at = block;
        let value = loop {
            if let Some(value) = self.definition(variable, at) {
                break self.replaced.shorten(value);
            }
            match self.farther(variable, at) {
                Some(up) if up == at => {}
                Some(up) => {
                    at = up;
                    continue;
                }
                None => break self.zero(func, self.ty(variable)),
            }
            let header = self.headers[at];
            let single = match *self.preds[at].as_slice() {
                _ if header.before.is_some() && self.settled[variable.index()] && variable.0 < header.variables => header.before.expand(),
                [] if self.sealed[at] => break self.zero(func, self.ty(variable)),
                [single] if self.sealed[at] && single != at => Some(single),
                _ => None,
            };
            let Some(single) = single else {
                let value = func.add_param(at, self.ty(variable));
                self.params.push((at, variable, value));
                self.note(variable, at, value);
                break value;
            };
            passed.push(at);
            at = single;
        };
        // What is near is found again as fast.
        let step = match self.defined[variable.0 as usize] {
            Defined::Often if self.written.is_none() && self.flow.is_none() && !self.settled[variable.index()] => 1,
            _ => NEAR,
        };
        for &block in passed.iter().rev().skip(step - 1).step_by(step) {
            self.note(variable, block, value);
        }
        value
    }

    /// A block at whose end, or where it is a header, at whose beginning, the variable is what it is in this one, if blocks are written in order;
    /// none where it is nothing, as nobody who uses it can have come here.
    fn farther(&self, variable: Variable, block: Block) -> Option<Block> {
        if let Some(flow) = &self.flow {
            return Some(flow.farthest(&self.numbers[variable.index()], block));
        }
        let Some(written) = &self.written else { return Some(block) };
        let last = self.last[variable.index()];
        if self.settled[variable.index()] {
            return (written.number(block) >= last).then(|| written.farthest(block, last));
        }
        // What the rest of a loop defines is not known yet.
        Some(written.farthest(block, last.max(written.innermost(block))))
    }

    /// All jumps to `block` have been declared.
    pub fn seal(&mut self, block: Block) {
        self.sealed[block] = true;
        self.begin(block);
    }

    /// Gives every jump its arguments, then removes parameters that always have the same value. Call once, when the function is written
    /// and all blocks are sealed. Jumps must not have arguments for the parameters made here yet; other parameters must come first.
    ///
    /// Gives back the parameters that it made and that are left, with their variables.
    pub fn finish(&mut self, func: &mut Function) -> Vec<(Variable, Value)> {
        // Arguments may ask for further variables, which may make further parameters: those are at the list's end.
        let mut next = 0;
        // What comes in for all parameters, one after the other, and where that begins for each.
        let mut incoming: Vec<Value> = Vec::new();
        let mut starts: Vec<usize> = Vec::with_capacity(self.params.len() + 1);
        while next < self.params.len() {
            let (block, variable, _) = self.params[next];
            next += 1;
            debug_assert!(self.sealed[block], "{block} is not sealed");
            starts.push(incoming.len());
            for edge in 0..self.preds[block].len() {
                let value = self.use_variable(func, variable, self.preds[block][edge]);
                incoming.push(value);
            }
        }
        starts.push(incoming.len());
        let incoming = Incoming { values: incoming, starts };
        self.replace_trivial(func, &incoming);
        self.write_arguments(func, &incoming);
        let stays = |&&(_, _, param): &&(Block, Variable, Value)| !self.replaced.contains(param);
        let left = self.params.iter().filter(stays).map(|&(_, variable, param)| (variable, param));
        let left = left.collect();
        for &(_, _, param) in &self.params {
            self.replaced.shorten(param);
        }
        func.substitute(&self.replaced);
        left
    }

    /// Replaces each parameter whose arguments are one value and itself by that value.
    ///
    /// Parameters are looked at in the order of their blocks, so that what comes in is known but for back edges; those that
    /// were looked at before come again when one of their arguments has been replaced.
    fn replace_trivial(&mut self, func: &Function, incoming: &Incoming) {
        let mut place = func.per_block(u32::MAX);
        for (position, &block) in func.layout.iter().enumerate() {
            place[block] = position as u32;
        }
        let mut order: Vec<u32> = (0..self.params.len() as u32).collect();
        order.sort_by_key(|&index| place[self.params[index as usize].0]);
        let mut rank: Vec<u32> = vec![0; order.len()];
        let mut number = func.per_value(None);
        for (position, &index) in order.iter().enumerate() {
            rank[index as usize] = position as u32;
            number[self.params[index as usize].2] = Some(index);
        }
        let mut users = Users::new(order.len());
        for index in 0..order.len() {
            for &value in incoming.of(index) {
                if let Some(of) = number[value] {
                    users.add(of, index as u32);
                }
            }
        }
        let mut work: Vec<u32> = Vec::new();
        for (now, &index) in order.iter().enumerate() {
            work.push(index);
            while let Some(index) = work.pop() {
                let param = self.params[index as usize].2;
                if self.replaced.contains(param) {
                    continue;
                }
                let mut same = None;
                let trivial = incoming.of(index as usize).iter().all(|&value| {
                    let value = self.replaced.shorten(value);
                    value == param || *same.get_or_insert(value) == value
                });
                // Without any other value the block can't be reached; what the parameter is does not matter, so it stays.
                if let (true, Some(same)) = (trivial, same) {
                    self.replaced.insert(param, same);
                    // Along a chain of parameters, each of which is the one before, the list would grow by all that are done with.
                    users.retain(index, |user| !self.replaced.contains(self.params[user as usize].2));
                    work.extend(users.of(index).filter(|&user| rank[user as usize] <= now as u32));
                    if let Some(by) = number[same] {
                        users.hand_over(index, by);
                    }
                }
            }
        }
    }

    fn write_arguments(&mut self, func: &mut Function, incoming: &Incoming) {
        let mut of_block = func.per_block(Vec::new());
        for (index, &(block, _, _)) in self.params.iter().enumerate() {
            of_block[block].push(index);
        }
        for (block, own) in of_block.iter().filter(|(_, own)| !own.is_empty()) {
            let stays = |param: Value| !self.replaced.contains(param);
            let stays_own = |index: &usize| stays(self.params[*index].2);
            if !own.iter().all(stays_own) {
                let params = func.block(block).params.clone();
                func.retain_params(block, |position| stays(params[position]));
            }
            let own: Vec<usize> = own.iter().copied().filter(stays_own).collect();
            if own.is_empty() {
                continue;
            }
            // The n-th entry of `preds` is the n-th jump from that block to here.
            let preds = &self.preds[block];
            let mut taken: HashMap<Block, usize> = HashMap::default();
            for (edge, &pred) in preds.iter().enumerate() {
                let nth = taken.entry(pred).or_default();
                let mut calls = func
                    .terminator_mut(pred)
                    .targets_mut()
                    .into_iter()
                    .filter(|target| target.block == block);
                let call = calls.nth(*nth).expect("each declared predecessor jumps here");
                let args = own.iter().map(|&index| self.replaced.shorten(incoming.of(index)[edge]));
                call.args.extend(args);
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
    /// What was made before a nest and is used inside needs no parameter, not even one that goes again; what a loop may change has one.
    #[test]
    fn loops_have_no_parameters_for_what_is_settled() {
        let mut func = Function::new("nest", Level::WorkItem, &[Type::I32]);
        let mut ssa = SsaBuilder::new();
        let blocks: Vec<Block> = (0..20).map(|_| func.add_block()).collect();
        let n = func.add_param(blocks[0], Type::I32);
        ssa.seal(blocks[0]);
        let before = ssa.settled_variable(Type::I32, blocks[0], n);
        for pair in blocks.windows(2) {
            ssa.declare_predecessor(pair[1], pair[0]);
            ssa.enter_loop(pair[1]);
        }
        // It is another value in the next iteration of the first loop, and its one definition does not come before the loop.
        let one = Builder::new(&mut func, blocks[2]).i32(1);
        let inside = ssa.settled_variable(Type::I32, blocks[2], one);
        let innermost = *blocks.last().expect("there are some");
        assert_eq!(ssa.use_variable(&mut func, before, innermost), n);
        assert_eq!(ssa.use_variable(&mut func, before, innermost), n);
        assert_ne!(ssa.use_variable(&mut func, inside, blocks[1]), one);
        let params = |block: &&Block| !func.block(**block).params.is_empty();
        let with: Vec<&Block> = blocks[1..].iter().filter(params).collect();
        assert_eq!(with, [&blocks[1]], "{func}");
    }
}
