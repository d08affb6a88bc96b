//! A work-item's function becomes a gang's: values get a lane a work-item, divergent control flow becomes masks.
//!
//! What is uniform in the gang stays a scalar, and a branch on it stays a branch. What is linear is kept as lane 0's scalar and made a
//! vector where one is wanted. Where lanes part, the blocks of both ways follow one another in [`super::order`], each under the mask of
//! the lanes that come there, with a jump around where no lane does and the block is worth it (partial linearization: Moll & Hack,
//! PLDI 2018). Every edge into a block stores its lanes into the block's mask and parameters, which are variables of an [`SsaBuilder`];
//! so what is correct for one edge is correct for any shape of flow.
//!
//! The result is a function at the work-group level except for what the next step, [`super::group`], takes away: barriers, slots, and the
//! built-ins that are the same for a gang.

mod linearize;
mod masks;
mod nodes;
mod values;

pub use linearize::done_anyway;

use super::interleaved_access::Records;
use super::masked_store_blending::{Owned, owned};
use super::order::{Node, Order};
use analysis::GangFacts;
use analysis::access::Accesses;
use analysis::uniformity::{Extent, Shape, Uniformity};
use analysis::{Analyses, Analysis};
use cranelift_entity::SecondaryMap;
use ir::cfg::{Cfg, Loops, PostDominators};
use ir::ssa::{SsaBuilder, Variable};
use ir::*;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use target::Machine;

/// A gang's function, and what its scalars share with other gangs.
#[derive(Clone, Debug)]
pub struct GangFunction {
    /// The code.
    pub func: Function,
    /// For each scalar that is not the gang's own affair: the same for the group, or the launch.
    pub shared: SecondaryMap<Value, Extent>,
}

/// Why a function can't be vectorized at this width. Width 1 always works.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsuited(pub String);

/// Vectorizes a function. It must be in the form that `passes` leave: reducible, loop-closed, one return.
pub fn vectorize(src: &Function, facts: &GangFacts, machine: &Machine, known: &mut Analyses) -> Result<GangFunction, Unsuited> {
    let Some(known) = known.of(src, facts) else {
        return Err(Unsuited("irreducible control flow".into()));
    };
    let Analysis {
        cfg,
        loops,
        post,
        uniformity,
        ..
    } = known;
    let records = Records::new(src, known, facts, machine);
    let order = Order::new(src, cfg, loops, |index| {
        facts.width > 1 && (uniformity.leaves(index) == Extent::Lane || loops.loops[index].latches.len() > 1)
    });
    let owned = if facts.width > 1 {
        owned(src, cfg, facts.ends_overlap.contains(&true))
    } else {
        Owned::default()
    };
    let lanes = facts.width as u16;
    let results: Vec<Type> = src.results.iter().map(|ty| ty.with_lanes(lanes)).collect();
    let mut vectorizer = Vectorizer {
        func: Function::new(src.name.clone(), Level::Gang, &results),
        ssa: SsaBuilder::in_order(),
        values: src.per_value(None),
        incoming: src.per_value(None),
        masks: vec![None; order.nodes.len()],
        alias: vec![None; order.nodes.len()],
        begins: vec![Vec::new(); order.nodes.len()],
        blocks: Vec::new(),
        deferred: vec![Deferred::new(); order.nodes.len()],
        reached: vec![false; order.nodes.len()],
        awake: vec![true; order.nodes.len()],
        here: Here {
            node: 0,
            block: Block::from_u32(0),
            values: Local::new(),
            vectors: Local::new(),
        },
        entry_mask: Value::from_u32(0),
        shared: SecondaryMap::with_default(Extent::Gang),
        shared_variables: Vec::new(),
        lanes,
        src,
        cfg,
        post,
        loops,
        uniformity,
        accesses: known.accesses(src),
        records: &records,
        order: &order,
        owned: &owned,
        whole: FxHashMap::default(),
        facts,
    };
    vectorizer.func.slots = src.slots.clone();
    vectorizer.func.origins = src.origins.as_ref().map(|origins| Box::new(origins.of_successor()));
    vectorizer.func.reserve_for(src);
    vectorizer.run();
    Ok(vectorizer.finish())
}

/// Positions that still have to be visited, and whether lanes may wait there.
type Deferred = BTreeMap<u32, bool>;

/// State of the block being written.
pub(super) struct Here {
    pub node: usize,
    pub block: Block,
    /// Source values as they are in this block.
    values: Local<Option<Value>>,
    /// Vectors made here of uniform and linear values.
    vectors: Local<Option<Value>>,
}

pub(super) struct Vectorizer<'a> {
    pub func: Function,
    ssa: SsaBuilder,
    /// Each source value's variable: a scalar where it is uniform or linear, else a vector.
    values: SecondaryMap<Value, Option<Variable>>,
    /// What has been passed for a block parameter so far.
    incoming: SecondaryMap<Value, Option<Variable>>,
    /// Lanes that have come to each node so far.
    masks: Vec<Option<Variable>>,
    /// Nodes that the same lanes come to as to an earlier one.
    alias: Vec<Option<usize>>,
    /// Nodes that nobody can have come to yet when a node is entered.
    begins: Vec<Vec<usize>>,
    blocks: Vec<Block>,
    /// What still has to be visited when a node is left.
    deferred: Vec<Deferred>,
    reached: Vec<bool>,
    /// A node is entered with some lane active.
    awake: Vec<bool>,
    pub here: Here,
    entry_mask: Value,
    shared: SecondaryMap<Value, Extent>,
    shared_variables: Vec<Extent>,
    pub lanes: u16,
    pub src: &'a Function,
    cfg: &'a Cfg,
    post: &'a PostDominators,
    loops: &'a Loops,
    pub uniformity: &'a Uniformity,
    pub accesses: Accesses<'a>,
    pub records: &'a Records,
    order: &'a Order,
    pub owned: &'a Owned,
    /// Accesses of all lanes to consecutive memory, and where that is.
    pub whole: FxHashMap<Inst, Address>,
    pub facts: &'a GangFacts,
}

impl Vectorizer<'_> {
    fn run(&mut self) {
        for node in &self.order.nodes {
            let block = match *node {
                Node::Block(block) => self.func.add_block_like(self.src.block(block)),
                Node::Latch(_) => self.func.add_block(),
            };
            self.blocks.push(block);
        }
        self.find_aliases();
        self.find_beginnings();
        self.reached[0] = true;
        let mut ends: Vec<Vec<usize>> = vec![Vec::new(); self.order.nodes.len()];
        for (index, &last) in self.order.last.iter().enumerate() {
            ends[last as usize].push(index);
        }
        for (node, loops) in ends.iter().enumerate() {
            if self.reached[node] {
                match self.order.nodes[node] {
                    Node::Block(block) => self.write_block(node, block),
                    Node::Latch(index) => self.write_latch(node, index),
                }
            }
            for &index in loops {
                self.ssa.seal(self.blocks[self.position(self.loops.loops[index].header)]);
            }
        }
    }

    fn finish(mut self) -> GangFunction {
        let mut missed = self.func.per_block(false);
        for (&block, reached) in self.blocks.iter().zip(&self.reached) {
            missed[block] = !reached;
        }
        self.func.layout.retain(|&block| !missed[block]);
        for (variable, param) in self.ssa.finish(&mut self.func) {
            if let Some(&extent) = self.shared_variables.get(variable.0 as usize) {
                self.shared[param] = extent;
            }
        }
        GangFunction {
            func: self.func,
            shared: self.shared,
        }
    }

    fn position(&self, block: Block) -> usize {
        self.order.position[block] as usize
    }

    pub fn builder(&mut self) -> Builder<'_> {
        Builder::new(&mut self.func, self.here.block)
    }

    fn enter(&mut self, node: usize) {
        (self.here.node, self.here.block) = (node, self.blocks[node]);
        self.here.values.clear();
        self.here.vectors.clear();
    }

    /// Goes on in a new block, in the middle of a node. The jump to it must have been declared.
    pub fn continue_in(&mut self, block: Block) {
        self.ssa.seal(block);
        self.here.block = block;
        self.here.vectors.clear();
    }

    pub fn declare(&mut self, to: Block, from: Block) {
        self.ssa.declare_predecessor(to, from);
    }

    fn write_block(&mut self, node: usize, block: Block) {
        self.enter(node);
        let out = self.here.block;
        match self.loop_of_header(node) {
            Some(index) => self.enter_loop(index),
            None => self.ssa.seal(out),
        }
        if node == 0 {
            self.enter_function();
        }
        self.begin(node);
        if node != 0 {
            for &param in &self.src.block(block).params {
                let variable = self.incoming_variable(param);
                let value = self.ssa.use_variable(&mut self.func, variable, out);
                self.define(param, value);
            }
        }
        let insts = &self.src.block(block).insts;
        for &inst in &insts[..insts.len() - 1] {
            self.func.follow(self.src.place(inst));
            self.write_inst(inst);
        }
        self.func.follow(Place::default());
        self.write_terminator(block);
    }

    /// The loop that begins with this node.
    fn loop_of_header(&self, node: usize) -> Option<usize> {
        let Node::Block(block) = self.order.nodes[node] else { return None };
        let index = self.loops.innermost(block)?;
        (self.loops.loops[index].header == block).then_some(index)
    }

    /// Nobody has come to the blocks of this iteration of the loop yet.
    fn enter_loop(&mut self, index: usize) {
        let out = self.here.block;
        self.ssa.enter_loop(out);
        let (mut node, last) = (self.here.node + 1, self.order.last[index] as usize);
        let ty = Type::vector(Elem::Mask, self.lanes);
        let none = self.builder().mask(ty, false);
        while node <= last {
            if self.alias[node].is_none() {
                let variable = self.mask_variable(node);
                self.ssa.define(variable, out, none);
            }
            // What is inside a loop in it is entered by way of that loop's header.
            node = self.loop_of_header(node).map_or(node, |inner| self.order.last[inner] as usize) + 1;
        }
        // Lanes that have left it in earlier iterations are known at the latch; where all leave together, there are none.
        if let Some(latch) = self.order.latch[index]
            && self.uniformity.leaves(index) == Extent::Lane
        {
            self.deferred[self.here.node].insert(latch, false);
        }
    }

    fn enter_function(&mut self) {
        let out = self.here.block;
        for &param in self.src.params() {
            let uniform = !matches!(self.uniformity.shape(param), Shape::Varying);
            let ty = if uniform {
                self.src.ty(param)
            } else {
                self.src.ty(param).with_lanes(self.lanes)
            };
            let value = self.func.add_param(out, ty);
            self.define(param, value);
        }
        let ty = Type::vector(Elem::Mask, self.lanes);
        self.entry_mask = if self.facts.parameters_vary && self.lanes > 1 {
            self.func.add_param(out, ty)
        } else if self.lanes == 1 || self.facts.full_gangs() {
            self.builder().mask(ty, true)
        } else {
            let size = self.sub_group_size();
            let lanes = self.lanes;
            let mut b = self.builder();
            let iota = b.lane(LaneOp::Iota, Type::vector(Elem::I32, lanes), &[]);
            let size = b.splat(lanes, size);
            b.icmp(IntCc::Ult, iota, size)
        };
        let mask = self.mask_variable(0);
        self.ssa.define(mask, out, self.entry_mask);
    }

    /// Nobody has come yet to the nodes that begin here.
    fn begin(&mut self, node: usize) {
        let out = self.here.block;
        for node in std::mem::take(&mut self.begins[node]) {
            let Node::Block(block) = self.order.nodes[node] else { continue };
            if self.lanes > 1 && self.alias[node].is_none() {
                let ty = Type::vector(Elem::Mask, self.lanes);
                let none = self.builder().mask(ty, false);
                let variable = self.mask_variable(node);
                self.ssa.define(variable, out, none);
            }
            for &param in &self.src.block(block).params {
                let variable = self.incoming_variable(param);
                let (ty, _) = self.repr_type(param);
                let zero = self.builder().constant(ty, 0);
                self.ssa.define(variable, out, zero);
            }
        }
    }
}
