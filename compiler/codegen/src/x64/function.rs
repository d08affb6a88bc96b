//! Machine code as the register allocator reads it: blocks in their final order, no critical edges, what nothing uses left out.

use super::machine::{Inst, Kind, Label};
use super::mask_dce::unused_masks;
use super::target::Target;
use super::vcode::VCode;
use regalloc2::{Operand, PRegSet, RegClass, VReg};
use smallvec::SmallVec;

impl VCode {
    /// Puts blocks in their final order and splits critical edges.
    pub fn finish(mut self) -> Function {
        let moved = self.merge_masked_results();
        let handed_on = self
            .blocks
            .iter()
            .flat_map(|block| &block.edges)
            .flat_map(|edge| edge.args.iter().copied());
        let unused = unused_masks(&self.insts, &self.operands, self.vregs, handed_on);
        let written: Vec<Label> = self.order.clone();
        let (cold, mut order): (Vec<Label>, Vec<Label>) = written.into_iter().partition(|label| self.blocks[label.0 as usize].cold);
        order.extend(cold);
        let mut pred_counts = vec![0u32; self.blocks.len()];
        for label in &order {
            for edge in &self.blocks[label.0 as usize].edges {
                pred_counts[edge.to.0 as usize] += 1;
            }
        }
        let mut function = Function {
            target: self.target,
            insts: Vec::with_capacity(self.insts.len() + 16),
            operands: core::mem::take(&mut self.operands),
            blocks: Vec::with_capacity(order.len()),
            vregs: self.vregs,
            pool: self.pool,
            buffer_bytes: self.buffer_bytes,
            outgoing_bytes: self.outgoing_bytes,
        };
        // Numbers of the blocks in the new order: edge blocks stand right behind their blocks.
        let mut numbers = vec![u32::MAX; self.blocks.len()];
        let mut next = 0;
        for label in &order {
            numbers[label.0 as usize] = next;
            next += 1;
            let edges = &self.blocks[label.0 as usize].edges;
            if edges.len() > 1 {
                next += edges
                    .iter()
                    .filter(|edge| !edge.args.is_empty() || pred_counts[edge.to.0 as usize] > 1)
                    .count() as u32;
            }
        }
        let cold_blocks: Vec<bool> = self.blocks.iter().map(|block| block.cold).collect();
        for label in &order {
            let data = core::mem::take(&mut self.blocks[label.0 as usize]);
            let start = function.insts.len();
            let own = data.insts.start as usize..data.insts.end as usize;
            let used = own.filter(|&inst| !unused[inst] && !moved[inst]);
            function.insts.extend(used.map(|inst| self.insts[inst]));
            let own = function.blocks.len();
            function.blocks.push(Block {
                insts: start as u32..function.insts.len() as u32,
                params: data.params,
                succs: SmallVec::new(),
                preds: SmallVec::new(),
                args: Vec::new(),
                cold: data.cold,
            });
            let several = data.edges.len() > 1;
            for edge in data.edges {
                let target = regalloc2::Block::new(numbers[edge.to.0 as usize] as usize);
                if several && (!edge.args.is_empty() || pred_counts[edge.to.0 as usize] > 1) {
                    let between = function.blocks.len();
                    let start = function.insts.len() as u32;
                    function.insts.push(Inst {
                        kind: Kind::Jump,
                        start: 0,
                        count: 0,
                        clobbers: PRegSet::empty(),
                        place: ir::Place::default(),
                    });
                    function.blocks.push(Block {
                        insts: start..start + 1,
                        params: Vec::new(),
                        succs: SmallVec::from_iter([target]),
                        preds: SmallVec::new(),
                        args: vec![edge.args],
                        cold: data.cold || cold_blocks[edge.to.0 as usize],
                    });
                    function.blocks[own].succs.push(regalloc2::Block::new(between));
                    function.blocks[own].args.push(SmallVec::new());
                } else {
                    function.blocks[own].succs.push(target);
                    function.blocks[own].args.push(edge.args);
                }
            }
        }
        for from in 0..function.blocks.len() {
            for index in 0..function.blocks[from].succs.len() {
                let to = function.blocks[from].succs[index];
                function.blocks[to.index()].preds.push(regalloc2::Block::new(from));
            }
        }
        function
    }
}

/// A block in its final place.
#[derive(Debug)]
pub struct Block {
    pub insts: core::ops::Range<u32>,
    pub params: Vec<VReg>,
    pub succs: SmallVec<[regalloc2::Block; 2]>,
    pub preds: SmallVec<[regalloc2::Block; 2]>,
    pub args: Vec<SmallVec<[VReg; 4]>>,
    /// It is hardly ever executed.
    pub cold: bool,
}

/// Machine code of a function, ready for register allocation.
#[derive(Debug)]
pub struct Function {
    pub target: Target,
    pub insts: Vec<Inst>,
    pub operands: Vec<Operand>,
    pub blocks: Vec<Block>,
    pub vregs: usize,
    pub pool: Vec<u8>,
    pub buffer_bytes: u32,
    pub outgoing_bytes: u32,
}

impl regalloc2::Function for Function {
    fn num_insts(&self) -> usize {
        self.insts.len()
    }

    fn num_blocks(&self) -> usize {
        self.blocks.len()
    }

    fn entry_block(&self) -> regalloc2::Block {
        regalloc2::Block::new(0)
    }

    fn block_insns(&self, block: regalloc2::Block) -> regalloc2::InstRange {
        let range = &self.blocks[block.index()].insts;
        regalloc2::InstRange::new(regalloc2::Inst::new(range.start as usize), regalloc2::Inst::new(range.end as usize))
    }

    fn block_succs(&self, block: regalloc2::Block) -> &[regalloc2::Block] {
        &self.blocks[block.index()].succs
    }

    fn block_preds(&self, block: regalloc2::Block) -> &[regalloc2::Block] {
        &self.blocks[block.index()].preds
    }

    fn block_params(&self, block: regalloc2::Block) -> &[VReg] {
        &self.blocks[block.index()].params
    }

    fn is_ret(&self, inst: regalloc2::Inst) -> bool {
        matches!(self.insts[inst.index()].kind, Kind::Return)
    }

    fn is_branch(&self, inst: regalloc2::Inst) -> bool {
        matches!(self.insts[inst.index()].kind, Kind::Jump | Kind::Branch(_))
    }

    fn branch_blockparams(&self, block: regalloc2::Block, _: regalloc2::Inst, succ: usize) -> &[VReg] {
        &self.blocks[block.index()].args[succ]
    }

    fn inst_operands(&self, inst: regalloc2::Inst) -> &[Operand] {
        let inst = &self.insts[inst.index()];
        &self.operands[inst.start as usize..inst.start as usize + usize::from(inst.count)]
    }

    fn inst_clobbers(&self, inst: regalloc2::Inst) -> PRegSet {
        self.insts[inst.index()].clobbers
    }

    fn num_vregs(&self) -> usize {
        self.vregs
    }

    fn spillslot_size(&self, class: RegClass) -> usize {
        match class {
            RegClass::Int | RegClass::Vector => 1,
            RegClass::Float => self.target.vector_bytes() as usize / 8,
        }
    }
}
