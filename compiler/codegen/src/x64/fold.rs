//! What becomes part of the instruction that uses it: loads as memory operands, comparisons as conditions of the flags.

use super::atomics::is_within_thread;
use super::selector::Selector;
use ir::{Address, BinaryOp, ConvertOp, Elem, Inst, InstData, LaneOp, MemFlags, Space, Type, Value};
use rustc_hash::{FxHashMap, FxHashSet};

impl Selector<'_> {
    /// Looks through a block before it is translated.
    pub fn find_folds(&mut self, insts: &[Inst]) {
        self.compared_at_use.clear();
        self.folded.clear();
        self.passed_over.clear();
        self.sums.clear();
        self.wanted_in_memory.clear();
        self.in_memory.clear();
        self.find_ternaries(insts);
        self.find_complements(insts);
        self.find_counts(insts);
        self.find_inverted_comparisons(insts);
        self.find_fused_signs(insts);
        self.find_inverse_roots(insts);
        self.find_root_quotients(insts);
        self.find_products(insts);
        self.find_rests(insts);
        self.find_saturations(insts);
        self.find_conditional_operations(insts);
        self.find_word_lanes(insts);
        let func = self.func;
        // Loads since the last write to memory, and comparisons of this block, which nothing has used yet.
        let mut loads: FxHashSet<Value> = FxHashSet::default();
        let mut comparisons: FxHashSet<Value> = FxHashSet::default();
        // Loads of one element, which can be spread over a vector as they are loaded.
        let mut elements: FxHashSet<Value> = FxHashSet::default();
        // Loads of 32 bits, which can be extended as they are loaded.
        let mut words: FxHashSet<Value> = FxHashSet::default();
        // Loads of vectors of short integers, or of halves, which can be extended as they are loaded.
        let mut short_vectors: FxHashSet<Value> = FxHashSet::default();
        // Loads of short integers, which can be extended as they are loaded one by one.
        let mut shorts: FxHashMap<Value, Space> = FxHashMap::default();
        // Vectors that have been rounded to halves.
        let mut rounded: FxHashSet<Value> = FxHashSet::default();
        let own: FxHashSet<Value> = match insts.iter().any(|&inst| is_lane_by_lane(&func.inst(inst).data)) {
            true => insts.iter().filter_map(|&inst| func.inst(inst).results.first().copied()).collect(),
            false => FxHashSet::default(),
        };
        for &inst in insts {
            let node = func.inst(inst);
            let data = &node.data;
            match data {
                // Where lanes that are on are looked for, their addresses are taken from memory.
                InstData::AtomicRmw { address, mask, mem, .. } | InstData::AtomicCas { address, mask, mem, .. }
                    if is_within_thread(mem) || self.real_mask(*mask).is_none() =>
                {
                    self.pass_over(&own, *address);
                    self.fold_atomics_index(&shorts, *address, mem);
                }
                InstData::Binary { .. } if node.results.iter().any(|result| self.is_in_ternary(*result)) => {}
                InstData::Binary { op: BinaryOp::Add, args } if matches!(func.ty(args[0]), Type::I32 | Type::I64) => {
                    if let Some(constant) = func.signed_constant(args[1])
                        && self.uses[node.results[0]] > 0
                    {
                        self.sums.insert(args[0], (node.results[0], constant));
                    }
                }
                InstData::Binary { op, args } if self.takes_memory(*op, func.ty(args[0])) => self.fold_loads(&loads, args),
                InstData::Fma { args } if self.is_float_of_machine(func.ty(args[0])) => self.fold_loads(&loads, args),
                InstData::Lane {
                    op: LaneOp::Splat,
                    ty,
                    args,
                } if ty.is_vector() => self.fold_loads(&elements, args),
                InstData::Convert {
                    op: ConvertOp::SExt,
                    ty: Type::I64,
                    arg,
                    ..
                } => self.fold_loads(&words, &[*arg]),
                InstData::Convert {
                    op: ConvertOp::FPromote,
                    ty: Type { elem: Elem::F32, .. },
                    arg,
                    ..
                } if rounded.contains(arg) => {
                    self.passed_over.insert(*arg);
                }
                InstData::Convert { op, ty, arg, .. }
                    if !self.passed_over.contains(&node.results[0]) && self.extends_whole_registers(*op, *ty, *arg) =>
                {
                    self.fold_loads(&short_vectors, &[*arg]);
                }
                InstData::Load { ty, address, mask, .. } if self.is_loaded_by_lane(*ty, address, *mask) => {
                    self.fold_gathers_index(&shorts, address);
                }
                InstData::Branch { condition, .. } => self.defer(&comparisons, *condition),
                InstData::Select { mask, args } if !func.ty(args[0]).is_vector() && !is_single_or_double(func.ty(args[0])) => {
                    self.defer(&comparisons, *mask);
                }
                _ => {}
            }
            self.note_shorts(inst, &mut shorts);
            let Some(&result) = node.results.first().filter(|&&result| self.uses[result] == 1) else {
                if data.has_side_effects() {
                    loads.clear();
                    elements.clear();
                    words.clear();
                    short_vectors.clear();
                    shorts.clear();
                }
                continue;
            };
            match data {
                InstData::Load {
                    ty, address, mask, mem, ..
                } if !mem.flags.contains(MemFlags::VOLATILE) && self.real_mask(*mask).is_none() => {
                    if self.fills_registers(*ty, address) {
                        loads.insert(result);
                    }
                    if !ty.is_vector() && ty.elem != Elem::Mask {
                        elements.insert(result);
                    }
                    if *ty == Type::I32 {
                        words.insert(result);
                    }
                    if ty.is_vector() && (ty.elem.is_int() || ty.elem == Elem::F16) && self.is_near(address) {
                        short_vectors.insert(result);
                    }
                }
                InstData::Convert {
                    op: ConvertOp::FDemote,
                    ty,
                    arg,
                    ..
                } if ty.is_vector() && ty.elem == Elem::F16 && func.ty(*arg).elem == Elem::F32 => {
                    rounded.insert(result);
                }
                InstData::IntCompare { args, .. } if func.ty(args[0]).elem.is_int() && !func.ty(args[0]).is_vector() => {
                    comparisons.insert(result);
                }
                InstData::FloatCompare { args, .. } if is_single_or_double(func.ty(args[0])) => {
                    comparisons.insert(result);
                }
                InstData::Lane {
                    op: LaneOp::AnyTrue | LaneOp::AllTrue,
                    args,
                    ..
                } if func.ty(args[0]).is_vector() => {
                    comparisons.insert(result);
                }
                // An element that one instruction needs in all lanes.
                InstData::Lane {
                    op: LaneOp::Splat,
                    ty,
                    args,
                } if self.c.target.masks && self.folded.contains(&args[0]) && (ty.elem.bytes() >= 4 || self.has_halves(ty.elem)) => {
                    loads.insert(result);
                }
                _ if data.has_side_effects() => {
                    loads.clear();
                    elements.clear();
                    words.clear();
                    short_vectors.clear();
                    shorts.clear();
                }
                _ => {}
            }
        }
    }

    pub fn is_in_ternary(&self, value: Value) -> bool {
        self.ternaries.contains_key(&value) || self.passed_over.contains(&value)
    }

    fn fold_loads(&mut self, loads: &FxHashSet<Value>, args: &[Value]) {
        // One memory operand an instruction.
        if let Some(&value) = args.iter().rev().find(|value| loads.contains(value)) {
            self.folded.insert(value);
        }
    }

    /// What only the lanes' addresses are computed from is not needed as vectors.
    fn pass_over(&mut self, own: &FxHashSet<Value>, address: Value) {
        if !self.func.ty(address).is_vector() {
            return;
        }
        let mut needed_by_others = false;
        for (position, value) in self.passed_over(address).into_iter().enumerate() {
            let mut is_splat = false;
            if let Some(scalar) = self.func.splatted(value) {
                // It is wanted in a register.
                self.folded.remove(&scalar);
                is_splat = true;
            }
            let own = own.contains(&value) && self.uses[value] == 1;
            if own && !needed_by_others {
                self.passed_over.insert(value);
            }
            // What a splat is made of is needed in any case; the others stand in a row.
            needed_by_others |= !own && (position == 0 || !is_splat);
        }
    }

    fn defer(&mut self, comparisons: &FxHashSet<Value>, condition: Value) {
        if comparisons.contains(&condition) {
            self.compared_at_use.insert(condition);
        }
    }

    /// The value is an element in memory for all lanes, not lanes in memory.
    pub fn is_spread(&self, value: Value) -> bool {
        matches!(self.func.def_data(value), Some(InstData::Lane { .. }))
    }

    /// The load (or the spreading of an element that is loaded) is a memory operand of its only use.
    pub fn is_folded(&self, value: Value) -> bool {
        self.folded.contains(&value)
    }

    /// The operation is one instruction, with its last operand from memory.
    fn takes_memory(&self, op: BinaryOp, ty: Type) -> bool {
        use BinaryOp::*;
        match op {
            FAdd | FSub | FMul | FDiv | FMin | FMax => self.is_float_of_machine(ty),
            Add | Sub | And | Or | Xor => ty.is_vector() && ty.elem.is_int(),
            Mul | UMin | UMax | SMin | SMax => ty.is_vector() && matches!(ty.elem, Elem::I16 | Elem::I32),
            _ => false,
        }
    }

    /// The conversion begins with an extension that, from memory, reads exactly the bytes of what is extended.
    fn extends_whole_registers(&self, op: ConvertOp, ty: Type, arg: Value) -> bool {
        let elem = self.func.ty(arg).elem;
        let to = match (op, elem, ty.elem) {
            (ConvertOp::FPromote, Elem::F16, Elem::F32) => Some(4),
            _ => extended_bytes(op, ty).filter(|&to| elem.bytes() < to),
        };
        ty.is_vector() && to.is_some_and(|to| u32::from(ty.lanes) * to >= 16)
    }

    /// As an operand it reads exactly its own bytes.
    fn fills_registers(&self, ty: Type, address: &Address) -> bool {
        let whole = ty.is_vector() && ty.bytes() >= 16 && (ty.elem.is_int() || self.is_float_of_machine(ty));
        self.is_near(address) && (whole || is_single_or_double(ty))
    }

    /// Lanes are contiguous, and the last one's displacement fits, too.
    pub fn is_near(&self, address: &Address) -> bool {
        self.is_consecutive(address) && address.offset.unsigned_abs() < 1 << 30
    }
}

/// The bytes of a lane after the extension that a conversion of short integers begins with.
pub fn extended_bytes(op: ConvertOp, ty: Type) -> Option<u32> {
    match op {
        ConvertOp::SExt | ConvertOp::ZExt => Some(ty.elem.bytes()),
        ConvertOp::SToF | ConvertOp::UToF => Some(4),
        _ => None,
    }
}

fn is_lane_by_lane(data: &InstData) -> bool {
    matches!(data, InstData::AtomicRmw { .. } | InstData::AtomicCas { .. })
}

fn is_single_or_double(ty: Type) -> bool {
    !ty.is_vector() && matches!(ty.elem, Elem::F32 | Elem::F64)
}
