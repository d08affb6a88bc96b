//! Indices of 32 bits that a loop computes and extends are computed in the 64 bits of addresses.
//!
//! `sext(x + y)` is `sext(x) + sext(y)` where the sum does not wrap, and so are differences, products and shifts. What the loop does not change is
//! extended outside of it, and a loop's variable has 64 bits from its start. That takes the extension out of the loop, and [`crate::hoist_bases`] sees
//! what addresses have in common: whether an index is written as `int` or as `size_t` makes no difference.
//!
//! The 32 bits that others want of a widened value are its lower half. Only scalars are widened: vectors of 64 bits have half the lanes.

use super::{Fate, Known, Rule, rewrite};
use analysis::Analyses;
use cranelift_entity::SecondaryMap;
use ir::cfg::{Cfg, Loops};
use ir::*;
use rustc_hash::{FxHashMap, FxHashSet};
use target::costs::effort::OPERATIONS;

/// Rewrites. True if something changed.
pub fn run(func: &mut Function, analyses: &mut Analyses) -> bool {
    let flow = analyses.flow(func);
    if flow.loops().loops.is_empty() {
        return false;
    }
    let cfg = &flow.cfg;
    Widened::find(func, cfg, flow.loops()).is_some_and(|widened| rewrite(func, &cfg.order, [Type::I32, Type::I64], &widened))
}

/// The value that an instruction extends from 32 to 64 bits, with its sign.
fn extended(func: &Function, inst: Inst) -> Option<Value> {
    match func.inst(inst).data {
        InstData::Convert {
            op: ConvertOp::SExt,
            ty: Type::I64,
            arg,
            ..
        } if func.ty(arg) == Type::I32 => Some(arg),
        _ => None,
    }
}

/// An operation that gives the same number in 64 bits, since it does not wrap in 32.
fn exact(func: &Function, value: Value) -> Option<(BinaryOp, [Value; 2])> {
    let node = func.inst(func.def_inst(value)?);
    let InstData::Binary { op, args } = node.data else { return None };
    let is_exact = match op {
        BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul => true,
        // Amounts are taken modulo the width, which is another in 64 bits.
        BinaryOp::Shl => func.constant(args[1]).is_some_and(|amount| amount < 32),
        _ => false,
    };
    (is_exact && func.ty(value) == Type::I32 && node.flags.contains(Flags::NSW)).then_some((op, args))
}

/// Where values are computed.
struct Places<'a> {
    loops: &'a Loops,
    home: SecondaryMap<Value, Option<Block>>,
}

impl<'a> Places<'a> {
    fn new(func: &Function, cfg: &Cfg, loops: &'a Loops) -> Places<'a> {
        let home = func.homes(&cfg.order);
        Places { loops, home }
    }

    /// The innermost loop that computes a value.
    fn index(&self, value: Value) -> Option<usize> {
        self.loops.innermost(self.home[value]?)
    }

    fn stays(&self, index: usize, value: Value) -> bool {
        self.home[value].is_some_and(|home| !self.loops.contains(index, home))
    }
}

/// What may be widened in a loop.
struct Candidates<'a> {
    func: &'a Function,
    places: &'a Places<'a>,
    index: usize,
    /// The header's parameters that the loop steps by what needs no extension in it.
    variables: FxHashSet<Value>,
    /// Of operations: what [`Candidates::widened`] says of them.
    known: FxHashMap<Value, Option<u32>>,
}

impl<'a> Candidates<'a> {
    fn new(func: &'a Function, places: &'a Places<'a>, index: usize) -> Candidates<'a> {
        let natural = &places.loops.loops[index];
        let params = &func.block(natural.header).params;
        let mut candidates = Candidates {
            func,
            places,
            index,
            variables: params.iter().copied().filter(|&param| func.ty(param) == Type::I32).collect(),
            known: FxHashMap::default(),
        };
        loop {
            let mut kept = candidates.variables.clone();
            kept.retain(|&param| {
                let steps = steps(func, &natural.latches, param);
                steps.into_iter().all(|step| candidates.extensions(step, OPERATIONS) == 0)
            });
            if kept.len() == candidates.variables.len() {
                return candidates;
            }
            candidates.known.clear();
            candidates.variables = kept;
        }
    }

    fn is_free(&self, value: Value) -> bool {
        self.places.stays(self.index, value) || self.func.constant(value).is_some()
    }

    /// How many extensions the loop needs for a value in 64 bits.
    fn extensions(&mut self, value: Value, depth: u32) -> u32 {
        match self.is_free(value) || self.variables.contains(&value) {
            true => 0,
            false => self.widened(value, depth).unwrap_or(1),
        }
    }

    /// The same for an operation that takes 64 bits, where that pays: a sum may need one extension, instead of its own, if its other part is free.
    fn widened(&mut self, value: Value, depth: u32) -> Option<u32> {
        if let Some(&known) = self.known.get(&value) {
            return known;
        }
        let (op, args) = exact(self.func, value).filter(|_| depth > 0)?;
        let extensions = args.into_iter().map(|arg| self.extensions(arg, depth - 1)).sum();
        let pays = match extensions {
            0 => true,
            1 => matches!(op, BinaryOp::Add | BinaryOp::Sub) && args.into_iter().any(|arg| self.is_free(arg)),
            _ => false,
        };
        let found = pays.then_some(extensions);
        self.known.insert(value, found);
        found
    }

    /// A value of this loop that is computed in 64 bits where that is wanted.
    fn takes(&mut self, value: Value) -> bool {
        self.variables.contains(&value) || !self.is_free(value) && self.widened(value, OPERATIONS).is_some()
    }
}

/// What blocks hand to a parameter.
fn steps(func: &Function, from: &[Block], param: Value) -> Vec<Value> {
    let ValueDef::Param(header, position) = func.def(param) else {
        return Vec::new();
    };
    from.iter()
        .flat_map(|&block| func.terminator(block).targets())
        .filter(|target| target.block == header)
        .map(|target| target.args[position as usize])
        .collect()
}

/// What is computed in 64 bits.
#[derive(Default)]
struct Widened {
    /// Operations and loops' variables.
    values: FxHashSet<Value>,
    /// What is extended where it is computed.
    extended: FxHashSet<Value>,
    /// Comparisons of such values.
    comparisons: FxHashSet<Inst>,
}

impl Widened {
    /// None if there is nothing to gain.
    fn find(func: &Function, cfg: &Cfg, loops: &Loops) -> Option<Widened> {
        let insts = || {
            let of = |block: Block| func.block(block).insts.iter().map(move |&inst| (block, inst));
            cfg.order.iter().flat_map(move |&block| of(block))
        };
        if !insts().any(|(block, inst)| loops.innermost[block].is_some() && extended(func, inst).is_some()) {
            return None;
        }
        let places = Places::new(func, cfg, loops);
        let mut candidates: FxHashMap<usize, Candidates> = FxHashMap::default();
        let mut this = Widened::default();
        for (block, inst) in insts() {
            if let Some(arg) = extended(func, inst)
                && let Some(index) = places.index(arg)
                && loops.contains(index, block)
            {
                let candidates = candidates.entry(index).or_insert_with(|| Candidates::new(func, &places, index));
                if candidates.takes(arg) {
                    this.widen(arg, candidates, cfg);
                }
            }
        }
        if this.values.is_empty() {
            return None;
        }
        for (_, inst) in insts() {
            this.compare(func, &places, inst);
        }
        this.extended.retain(|value| !this.values.contains(value));
        Some(this)
    }

    /// Widens a value, with all that it is computed from.
    fn widen(&mut self, value: Value, candidates: &mut Candidates, cfg: &Cfg) {
        let header = candidates.places.loops.loops[candidates.index].header;
        let mut work = vec![value];
        while let Some(value) = work.pop() {
            if !candidates.takes(value) {
                self.extended.insert(value);
            } else if self.values.insert(value) {
                match exact(candidates.func, value) {
                    Some((BinaryOp::Shl, [arg, _])) => work.push(arg),
                    Some((_, args)) => work.extend(args),
                    None => work.extend(steps(candidates.func, &cfg.preds[header], value)),
                }
            }
        }
    }

    /// Comparisons take 64 bits where these cost nothing.
    fn compare(&mut self, func: &Function, places: &Places, inst: Inst) {
        if let InstData::IntCompare { cc, args } = func.inst(inst).data
            && !cc.is_unsigned()
            && let Some(&one) = args.iter().find(|arg| self.values.contains(arg))
        {
            let index = places.index(one).expect("what is widened is in a loop");
            let is_wide = |arg: &Value| self.values.contains(arg) || func.constant(*arg).is_some() || places.stays(index, *arg);
            if args.iter().all(is_wide) {
                self.extended.extend(args);
                self.comparisons.insert(inst);
            }
        }
    }
}

impl Rule for Widened {
    fn inst(&self, func: &Function, inst: Inst, _: &Known) -> Fate {
        let node = func.inst(inst);
        match self.comparisons.contains(&inst) || node.results.iter().any(|result| self.values.contains(result)) {
            true => Fate::Instead(node.data.clone(), ConvertOp::Trunc),
            false => Fate::Stays,
        }
    }

    fn takes_param(&self, _: &Function, param: Value) -> bool {
        self.values.contains(&param)
    }

    fn is_converted_early(&self, value: Value) -> bool {
        self.extended.contains(&value)
    }
}
