//! Checks that a function keeps the rules of the IR: blocks and terminators, types and numbers of operands, dominance, and what each
//! level allows. Takes time in proportion to the function's size.
//!
//! What the verifier finds is a fault of the code that made the function, never of the user's program.

use super::cfg::Cfg;
use super::dominance::DominatorTree;
use super::*;
use core::fmt;
use cranelift_entity::{EntityRef, SecondaryMap};
use std::collections::HashSet;

/// The rules that a function breaks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifyError {
    /// The function's name.
    pub function: String,
    /// One text for each broken rule: block, instruction, what is wrong. No more than [`VerifyError::LIMIT`].
    pub messages: Vec<String>,
}

impl VerifyError {
    /// No more messages than this are collected.
    pub const LIMIT: usize = 20;
}

impl fmt::Display for VerifyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "function @{} breaks the rules of the IR:", self.function)?;
        for message in &self.messages {
            write!(f, "\n  {message}")?;
        }
        Ok(())
    }
}

impl std::error::Error for VerifyError {}

/// Checks a function; with its module, calls and global variables too.
pub fn verify(func: &Function, module: Option<&Module>) -> Result<(), VerifyError> {
    let mut verifier = Verifier {
        func,
        module,
        block: None,
        inst: None,
        messages: Vec::new(),
    };
    if verifier.structure() {
        verifier.instructions();
        verifier.uses();
    }
    match verifier.messages.is_empty() {
        true => Ok(()),
        false => Err(VerifyError {
            function: func.name.clone(),
            messages: verifier.messages,
        }),
    }
}

/// Checks all functions of a module.
pub fn verify_module(module: &Module) -> Result<(), VerifyError> {
    module.functions.values().try_for_each(|func| verify(func, Some(module)))
}

/// Panics in debug builds where `func` breaks a rule. `after` says which step made it so.
#[track_caller]
pub fn debug_verify(func: &Function, module: Option<&Module>, after: &str) {
    if cfg!(debug_assertions)
        && let Err(error) = verify(func, module)
    {
        panic!("after {after}: {error}\n{func}");
    }
}

struct Verifier<'a> {
    func: &'a Function,
    module: Option<&'a Module>,
    block: Option<Block>,
    inst: Option<Inst>,
    messages: Vec<String>,
}

impl Verifier<'_> {
    fn fail(&mut self, message: impl fmt::Display) {
        if self.messages.len() >= VerifyError::LIMIT {
            return;
        }
        let place = match (self.block, self.inst) {
            (Some(block), Some(inst)) => format!("{block}: `{}`: ", self.func.display_inst(inst)),
            (Some(block), None) => format!("{block}: "),
            _ => String::new(),
        };
        self.messages.push(format!("{place}{message}"));
    }

    fn check(&mut self, holds: bool, message: impl fmt::Display) -> bool {
        if !holds {
            self.fail(message);
        }
        holds
    }

    /// Blocks, terminators, and that each thing is in the tables and stands in one place only. False where nothing else can be checked.
    fn structure(&mut self) -> bool {
        if !self.check(!self.func.layout.is_empty(), "a function has at least one block") {
            return false;
        }
        let func = self.func;
        let (block_count, inst_count, value_count) = func.counts();
        let mut seen_blocks: SecondaryMap<Block, bool> = SecondaryMap::with_capacity(block_count);
        let mut seen_insts: SecondaryMap<Inst, bool> = SecondaryMap::with_capacity(inst_count);
        for &block in &func.layout {
            if block.index() >= block_count || std::mem::replace(&mut seen_blocks[block], true) {
                self.fail(format_args!("{block} stands twice in the layout, or is none of this function"));
                return false;
            }
        }
        for &block in &func.layout {
            (self.block, self.inst) = (Some(block), None);
            for (index, &param) in func.block(block).params.iter().enumerate() {
                let right = param.index() < value_count && func.def(param) == ValueDef::Param(block, index as u32);
                self.check(right, format_args!("parameter {index}, {param}, is defined elsewhere"));
            }
            let insts = &func.block(block).insts;
            if insts.is_empty() {
                self.fail("the block is empty; it must end with a terminator");
            }
            for (position, &inst) in insts.iter().enumerate() {
                if inst.index() >= inst_count || std::mem::replace(&mut seen_insts[inst], true) {
                    self.fail(format_args!("{inst} stands twice, or is none of this function"));
                    return false;
                }
                self.inst = Some(inst);
                let node = func.inst(inst);
                let last = position + 1 == insts.len();
                if node.data.is_terminator() != last {
                    self.fail(match last {
                        true => "a block ends with a terminator",
                        false => "a terminator stands at a block's end only",
                    });
                }
                for (index, &result) in node.results.iter().enumerate() {
                    let right = result.index() < value_count && func.def(result) == ValueDef::Result(inst, index as u32);
                    self.check(right, format_args!("result {index}, {result}, is defined elsewhere"));
                }
                node.data.for_each_operand(|&value| {
                    self.check(value.index() < value_count, format_args!("{value} is no value of this function"));
                });
                for target in node.data.targets() {
                    let known = target.block.index() < block_count && seen_blocks[target.block];
                    self.check(known, format_args!("{} is not in the layout", target.block));
                    self.check(target.block != func.entry(), "the entry block can't be jumped to");
                }
            }
        }
        (self.block, self.inst) = (None, None);
        self.messages.is_empty()
    }

    /// Each operand is defined on each way to its use.
    fn uses(&mut self) {
        let func = self.func;
        let cfg = Cfg::new(func);
        let tree = DominatorTree::new(&cfg);
        let (blocks, insts, _) = func.counts();
        let mut live: SecondaryMap<Block, bool> = SecondaryMap::with_capacity(blocks);
        let mut place: SecondaryMap<Inst, Option<(Block, u32)>> = SecondaryMap::with_capacity(insts);
        for &block in &func.layout {
            live[block] = true;
            for (position, &inst) in func.block(block).insts.iter().enumerate() {
                place[inst] = Some((block, position as u32));
            }
        }
        for &block in &func.layout {
            for (position, &inst) in func.block(block).insts.iter().enumerate() {
                (self.block, self.inst) = (Some(block), Some(inst));
                func.inst(inst).data.for_each_operand(|&value| {
                    let (home, defined_before) = match func.def(value) {
                        ValueDef::Param(home, _) if !live[home] => (None, false),
                        ValueDef::Param(home, _) => (Some(home), true),
                        ValueDef::Result(def, _) => match place[def] {
                            Some((home, at)) => (Some(home), at < position as u32),
                            None => (None, false),
                        },
                    };
                    match home {
                        None => self.fail(format_args!("{value} is not defined by any instruction or block of the layout")),
                        Some(home) if home == block => {
                            self.check(defined_before, format_args!("{value} is used before it is defined"));
                        }
                        // Where no path leads, nothing can be wrong.
                        Some(home) => {
                            let right = !cfg.is_reachable(block) || tree.dominates(home, block);
                            self.check(right, format_args!("{value}, defined in {home}, does not dominate this use"));
                        }
                    }
                });
            }
        }
        (self.block, self.inst) = (None, None);
    }

    /// Types of operands, results and parameters.
    fn instructions(&mut self) {
        let func = self.func;
        for &block in &func.layout {
            (self.block, self.inst) = (Some(block), None);
            for &param in &func.block(block).params {
                self.lanes(func.ty(param));
            }
            for &inst in &func.block(block).insts {
                self.inst = Some(inst);
                let before = self.messages.len();
                self.operands(inst);
                if self.messages.len() > before {
                    continue;
                }
                let node = func.inst(inst);
                let types = func.result_types(&node.data);
                let results: Vec<Type> = node.results.iter().map(|&result| func.ty(result)).collect();
                let same = results.as_slice() == types.as_slice();
                self.check(
                    same,
                    format_args!("the results have types {results:?}; the operation gives {types:?}"),
                );
                for ty in results {
                    self.lanes(ty);
                }
            }
        }
        (self.block, self.inst) = (None, None);
    }

    fn lanes(&mut self, ty: Type) {
        let right = match self.func.level {
            Level::WorkItem => ty.lanes == 1,
            Level::WorkGroup => ty.lanes >= 1,
        };
        self.check(right, format_args!("{ty}: at the work-item level every type has one lane"));
    }

    fn level(&mut self, level: Level) {
        self.check(
            self.func.level == level,
            match level {
                Level::WorkItem => "stands at the work-item level only",
                Level::WorkGroup => "stands at the work-group level only",
            },
        );
    }

    fn ty(&self, value: Value) -> Type {
        self.func.ty(value)
    }

    fn expect(&mut self, value: Value, expected: Type) {
        let ty = self.ty(value);
        self.check(ty == expected, format_args!("{value} has type {ty}, and must have {expected}"));
    }

    fn elem(&mut self, value: Value, allowed: impl Fn(Elem) -> bool, what: &str) {
        let ty = self.ty(value);
        self.check(allowed(ty.elem), format_args!("{value} has type {ty}, and must be {what}"));
    }

    fn same(&mut self, args: &[Value]) {
        let first = self.ty(args[0]);
        args[1..].iter().for_each(|&arg| self.expect(arg, first));
    }

    fn count(&mut self, args: &[Value], count: usize) -> bool {
        self.check(
            args.len() == count,
            format_args!("takes {count} operands, but there are {}", args.len()),
        )
    }

    fn reduce(&mut self, op: ReduceOp, elem: Elem) {
        let bits = matches!(op, ReduceOp::And | ReduceOp::Or | ReduceOp::Xor);
        let right = match elem {
            Elem::Mask => bits,
            _ => elem.is_float() == op.binary().is_float(),
        };
        self.check(right, format_args!("{op} does not combine {elem:?}"));
    }

    fn operands(&mut self, inst: Inst) {
        let func = self.func;
        let is_mask = |elem: Elem| elem == Elem::Mask;
        match &func.inst(inst).data {
            InstData::Const { ty, bits } => {
                let fits = bits & !ty.elem.bit_mask() == 0;
                self.check(fits, format_args!("{bits:#x} has more bits than {ty}"));
            }
            &InstData::Unary { op, arg } => match op {
                UnaryOp::Not => self.elem(arg, |elem| elem.is_int() || is_mask(elem), "an integer or a mask"),
                op if op.is_float() => self.elem(arg, Elem::is_float, "a float"),
                _ => self.elem(arg, Elem::is_int, "an integer"),
            },
            InstData::Binary { op, args } => {
                match op {
                    BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => {
                        self.elem(args[0], |elem| elem.is_int() || is_mask(elem), "an integer or a mask")
                    }
                    op if op.is_float() => self.elem(args[0], Elem::is_float, "a float"),
                    _ => self.elem(args[0], Elem::is_int, "an integer"),
                }
                self.same(args);
            }
            InstData::Fma { args } => {
                self.elem(args[0], Elem::is_float, "a float");
                self.same(args);
            }
            InstData::Select { mask, args } => {
                self.same(args);
                self.elem(*mask, is_mask, "a mask");
                let (lanes, chosen) = (self.ty(*mask).lanes, self.ty(args[0]));
                let right = lanes == 1 || lanes == chosen.lanes;
                self.check(
                    right,
                    format_args!("a mask of {lanes} lanes can't choose between values of {chosen}"),
                );
            }
            InstData::IntCompare { cc, args } => {
                let equality = matches!(cc, IntCc::Eq | IntCc::Ne);
                let allowed = |elem: Elem| elem.is_int() || equality && is_mask(elem);
                self.elem(args[0], allowed, "an integer (or, for eq and ne, a mask)");
                self.same(args);
            }
            InstData::FloatCompare { args, .. } => {
                self.elem(args[0], Elem::is_float, "a float");
                self.same(args);
            }
            &InstData::Convert { op, ty, arg, .. } => self.convert(op, self.ty(arg), ty),
            InstData::Lane { op, ty, args } => {
                self.level(Level::WorkGroup);
                self.lane_operation(*op, *ty, args);
            }
            &InstData::Builtin { builtin, dimension } => {
                self.level(Level::WorkItem);
                let right = dimension < 3 && (builtin.has_dimension() || dimension == 0);
                self.check(right, format_args!("{builtin} has no dimension {dimension}"));
            }
            InstData::SlotAddress { slot } => {
                self.check(func.slots.is_valid(*slot), format_args!("{slot} is not declared"));
            }
            InstData::GlobalAddress { global } => {
                let known = self.module.is_none_or(|module| module.globals.is_valid(*global));
                self.check(known, format_args!("{global} is not in the module"));
            }
            InstData::Load { .. }
            | InstData::Store { .. }
            | InstData::LoadInterleaved { .. }
            | InstData::StoreInterleaved { .. }
            | InstData::Copy { .. }
            | InstData::AtomicLoad { .. }
            | InstData::AtomicStore { .. }
            | InstData::AtomicRmw { .. }
            | InstData::AtomicCas { .. } => self.memory(&func.inst(inst).data),
            InstData::Fence { .. } => {}
            InstData::Barrier { execution, .. } => {
                self.level(Level::WorkItem);
                let right = matches!(execution, Scope::SubGroup | Scope::WorkGroup);
                self.check(right, "a barrier is for a sub-group or a work-group");
            }
            InstData::SubGroup { op, args } => {
                self.level(Level::WorkItem);
                self.sub_group(*op, args);
            }
            InstData::WorkGroup { op, args } => {
                self.level(Level::WorkItem);
                self.work_group(*op, args);
            }
            InstData::Call { callee, args, results } => self.call(*callee, args, results),
            InstData::CallRuntime { routine, args } => {
                let params = routine.signature().0;
                if self.count(args, params.len()) {
                    args.iter().zip(params).for_each(|(&arg, &param)| self.expect(arg, param));
                }
            }
            InstData::Image { op, args } => {
                self.level(Level::WorkItem);
                self.image(*op, args);
            }
            InstData::Jump { .. } | InstData::Trap { .. } | InstData::Unreachable => {}
            InstData::Branch { condition, .. } => self.expect(*condition, Type::MASK),
            InstData::Switch { value, cases, .. } => {
                self.elem(*value, Elem::is_int, "an integer");
                let ty = self.ty(*value);
                self.check(ty.lanes == 1, format_args!("{value} has type {ty}, and must have one lane"));
                let mut seen = HashSet::with_capacity(cases.len());
                for (case, _) in cases {
                    let right = seen.insert(*case) && case & !ty.elem.bit_mask() == 0;
                    self.check(right, format_args!("case {case} stands twice, or does not fit {ty}"));
                }
            }
            InstData::Return { values } => {
                if self.count(values, func.results.len()) {
                    values.iter().zip(&func.results).for_each(|(&value, &ty)| self.expect(value, ty));
                }
            }
        }
        for target in func.inst(inst).data.targets() {
            let params = &func.block(target.block).params;
            let (given, wanted) = (target.args.len(), params.len());
            if self.check(
                given == wanted,
                format_args!("{} has {wanted} parameters, but gets {given} arguments", target.block),
            ) {
                target
                    .args
                    .iter()
                    .zip(params)
                    .for_each(|(&arg, &param)| self.expect(arg, func.ty(param)));
            }
        }
    }

    fn image(&mut self, op: ImageOp, args: &[Value]) {
        let known = matches!(op.texel, Elem::F32 | Elem::F16 | Elem::I32);
        self.check(known, "texels are f32, f16 or i32");
        if self.count(args, op.operands()) {
            let (handles, rest) = args.split_at(op.handles());
            let (coordinates, rest) = rest.split_at(op.dim.coordinates());
            let (level, texel) = rest.split_at(usize::from(op.level));
            handles.iter().for_each(|&handle| self.expect(handle, Type::I64));
            self.elem(coordinates[0], |elem| matches!(elem, Elem::I32 | Elem::F32), "an i32 or f32");
            self.same(coordinates);
            let number = if op.access == ImageAccess::Sample { Type::F32 } else { Type::I32 };
            level.iter().for_each(|&value| self.expect(value, number));
            texel.iter().for_each(|&value| self.expect(value, Type::scalar(op.texel)));
        }
    }

    fn convert(&mut self, op: ConvertOp, from: Type, ty: Type) {
        use Elem::*;
        let (a, b) = (from.elem, ty.elem);
        let right = match op {
            ConvertOp::Trunc => a.is_int() && b.is_int() && a.bits() > b.bits(),
            ConvertOp::ZExt | ConvertOp::SExt => a.is_int() && b.is_int() && a.bits() < b.bits(),
            ConvertOp::FPromote => matches!((a, b), (F16 | BF16, F32) | (F32, F64)),
            ConvertOp::FDemote => matches!((a, b), (F32, F16 | BF16) | (F64, F32)),
            ConvertOp::FToS | ConvertOp::FToU => a.is_float() && b.is_int(),
            ConvertOp::SToF | ConvertOp::UToF => a.is_int() && b.is_float(),
            ConvertOp::Bitcast => a.bits() == b.bits() && a != Mask && b != Mask,
            ConvertOp::MaskToInt => a == Mask && b.is_int(),
            ConvertOp::IntToMask => a.is_int() && b == Mask,
        };
        self.check(
            right && from.lanes == ty.lanes,
            format_args!("{op} does not convert {from} to {ty}"),
        );
    }

    fn lane_operation(&mut self, op: LaneOp, ty: Type, args: &[Value]) {
        let count = match op {
            LaneOp::Iota => 0,
            LaneOp::Splat | LaneOp::Extract(_) | LaneOp::MaskBits | LaneOp::BitsMask | LaneOp::AnyTrue | LaneOp::AllTrue => 1,
            _ => 2,
        };
        if !self.count(args, count) {
            return;
        }
        let arg = |n: usize| self.func.ty(args[n]);
        let expected: &[Type] = match op {
            LaneOp::Iota => {
                self.check(ty.elem.is_int(), "counts with integers");
                &[]
            }
            LaneOp::Splat => &[ty.with_lanes(1)],
            LaneOp::Extract(lane) => {
                self.check(lane < arg(0).lanes, format_args!("{} has no lane {lane}", arg(0)));
                &[arg(0).with_elem(ty.elem)]
            }
            LaneOp::ExtractDynamic => &[arg(0).with_elem(ty.elem), Type::I32],
            LaneOp::Insert(lane) => {
                self.check(lane < ty.lanes, format_args!("{ty} has no lane {lane}"));
                &[ty, ty.with_lanes(1)]
            }
            LaneOp::Permute => &[ty, ty.with_elem(Elem::I32)],
            LaneOp::MaskBits => {
                self.check(arg(0).lanes <= 32, "32 lanes at most");
                &[arg(0).as_mask()]
            }
            LaneOp::BitsMask => {
                self.check(ty.elem == Elem::Mask && ty.lanes <= 32, "gives a mask of 32 lanes at most");
                &[Type::I32]
            }
            LaneOp::AnyTrue | LaneOp::AllTrue => &[arg(0).as_mask()],
            LaneOp::Reduce(op) => {
                self.reduce(op, ty.elem);
                &[arg(0).with_elem(ty.elem), arg(0).as_mask()]
            }
            LaneOp::InclusiveScan(op) | LaneOp::ExclusiveScan(op) => {
                self.reduce(op, ty.elem);
                &[ty, ty.as_mask()]
            }
            LaneOp::Compress | LaneOp::Expand => &[ty, ty.as_mask()],
        };
        args.iter().zip(expected).for_each(|(&arg, &ty)| self.expect(arg, ty));
        let result = match op {
            LaneOp::Extract(_) | LaneOp::ExtractDynamic | LaneOp::Reduce(_) => ty.with_lanes(1),
            LaneOp::AnyTrue | LaneOp::AllTrue => Type::MASK,
            LaneOp::MaskBits => Type::I32,
            _ => ty,
        };
        self.check(ty == result, format_args!("gives {result}, not {ty}"));
    }

    fn mem(&mut self, mem: &MemInfo) {
        let right = mem.align.is_power_of_two();
        self.check(right, format_args!("alignment {} is no power of two", mem.align));
    }

    /// The address, mask and memory of an access to `ty`.
    fn access(&mut self, ty: Type, address: &Address, mask: Option<Value>, mem: &MemInfo) {
        self.mem(mem);
        self.check(ty.elem != Elem::Mask, "a mask has no form in memory; convert it to an integer");
        self.elem(address.base, |elem| elem == Elem::I64, "an i64");
        if let Some(index) = address.index {
            self.elem(index, |elem| matches!(elem, Elem::I32 | Elem::I64), "an i32 or i64");
        }
        let scale_right = match address.index {
            Some(_) => (1..=1 << 31).contains(&address.scale),
            None => address.scale == 1,
        };
        self.check(
            scale_right,
            format_args!("{} is no scale (without an index it must be 1)", address.scale),
        );
        for part in [Some(address.base), address.index].into_iter().flatten() {
            let lanes = self.ty(part).lanes;
            let right = lanes == 1 || lanes == ty.lanes;
            self.check(right, format_args!("{part} has {lanes} lanes, the access {}", ty.lanes));
        }
        if let Some(mask) = mask {
            self.expect(mask, ty.as_mask());
        }
    }

    fn memory(&mut self, data: &InstData) {
        match data {
            InstData::Load {
                ty,
                address,
                mask,
                passthru,
                mem,
            } => {
                self.access(*ty, address, *mask, mem);
                if let Some(passthru) = passthru {
                    self.check(mask.is_some(), "what lanes get that don't load needs a mask");
                    self.expect(*passthru, *ty);
                }
            }
            InstData::Store { value, address, mask, mem } => self.access(self.ty(*value), address, *mask, mem),
            InstData::LoadInterleaved {
                ty,
                factor,
                address,
                mask,
                mem,
            } => {
                self.level(Level::WorkGroup);
                self.check(*factor >= 2, "a record has two elements at least");
                self.access(*ty, address, *mask, mem);
            }
            InstData::StoreInterleaved {
                values,
                address,
                mask,
                mem,
            } => {
                self.level(Level::WorkGroup);
                if self.check(values.len() >= 2, "a record has two elements at least") {
                    self.same(values);
                    self.access(self.ty(values[0]), address, *mask, mem);
                }
            }
            InstData::Copy {
                to,
                from,
                bytes,
                to_mem,
                from_mem,
            } => {
                [to, from, bytes].into_iter().for_each(|&value| self.expect(value, Type::I64));
                self.mem(to_mem);
                self.mem(from_mem);
            }
            InstData::AtomicLoad {
                ty, address, mask, mem, ..
            } => self.access(*ty, &Address::base(*address), *mask, mem),
            InstData::AtomicStore {
                value, address, mask, mem, ..
            } => self.access(self.ty(*value), &Address::base(*address), *mask, mem),
            InstData::AtomicRmw {
                op,
                value,
                address,
                mask,
                mem,
                ..
            } => {
                match op {
                    AtomicOp::Exchange => {}
                    AtomicOp::FAdd | AtomicOp::FMin | AtomicOp::FMax => self.elem(*value, Elem::is_float, "a float"),
                    _ => self.elem(*value, Elem::is_int, "an integer"),
                }
                self.access(self.ty(*value), &Address::base(*address), *mask, mem);
            }
            InstData::AtomicCas {
                expected,
                desired,
                address,
                mask,
                mem,
                ..
            } => {
                self.elem(*expected, Elem::is_int, "an integer");
                self.same(&[*expected, *desired]);
                self.access(self.ty(*expected), &Address::base(*address), *mask, mem);
            }
            _ => {}
        }
    }

    fn sub_group(&mut self, op: SubGroupOp, args: &[Value]) {
        let count = match op {
            SubGroupOp::Elect => 0,
            SubGroupOp::Broadcast | SubGroupOp::Shuffle => 2,
            _ => 1,
        };
        if !self.count(args, count) {
            return;
        }
        match op {
            SubGroupOp::All | SubGroupOp::Any | SubGroupOp::Ballot => self.expect(args[0], Type::MASK),
            SubGroupOp::Broadcast | SubGroupOp::Shuffle => self.expect(args[1], Type::I32),
            SubGroupOp::Reduce(op) | SubGroupOp::InclusiveScan(op) | SubGroupOp::ExclusiveScan(op) => {
                self.reduce(op, self.ty(args[0]).elem)
            }
            SubGroupOp::ClusteredReduce(op, size) => {
                self.reduce(op, self.ty(args[0]).elem);
                self.check(size.is_power_of_two(), format_args!("a cluster of {size} is no power of two"));
            }
            SubGroupOp::AllEqual | SubGroupOp::Elect | SubGroupOp::BroadcastFirst => {}
        }
    }

    fn work_group(&mut self, op: WorkGroupOp, args: &[Value]) {
        let count = match op {
            WorkGroupOp::Broadcast => 4,
            WorkGroupOp::Shuffle => 2,
            _ => 1,
        };
        if !self.count(args, count) {
            return;
        }
        match op {
            WorkGroupOp::All | WorkGroupOp::Any => self.expect(args[0], Type::MASK),
            WorkGroupOp::Broadcast | WorkGroupOp::Shuffle => args[1..].iter().for_each(|&arg| self.expect(arg, Type::I64)),
            WorkGroupOp::Reduce(op) | WorkGroupOp::InclusiveScan(op) | WorkGroupOp::ExclusiveScan(op) => {
                self.reduce(op, self.ty(args[0]).elem)
            }
        }
    }

    fn call(&mut self, callee: FuncRef, args: &[Value], results: &[Type]) {
        let Some(module) = self.module else { return };
        let Some(function) = module.functions.get(callee).filter(|function| !function.layout.is_empty()) else {
            self.fail(format_args!("{callee} is not in the module, or has no body"));
            return;
        };
        let params: Vec<Type> = function.params().iter().map(|&param| function.ty(param)).collect();
        if self.count(args, params.len()) {
            args.iter().zip(&params).for_each(|(&arg, &param)| self.expect(arg, param));
        }
        let same_results = function.results.as_slice() == results;
        self.check(same_results, format_args!("@{} gives {:?}", function.name, function.results));
        let same_level = function.level == self.func.level;
        self.check(same_level, format_args!("@{} is at another level", function.name));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn messages(func: &Function) -> String {
        verify(func, None).expect_err("the function breaks a rule").to_string()
    }

    #[test]
    fn names_the_instruction_and_the_rule() {
        let mut func = Function::new("f", Level::WorkItem, &[Type::I32]);
        let entry = func.add_block();
        let (a, b) = (func.add_param(entry, Type::I32), func.add_param(entry, Type::I64));
        let args = [a, b];
        let sum = func.append(entry, InstData::Binary { op: BinaryOp::Add, args }, Flags::empty());
        let sum = func.result(sum);
        Builder::new(&mut func, entry).ret(&[sum]);
        let text = messages(&func);
        assert!(
            text.contains("@f") && text.contains("block0: `v2 = add v0, v1`: v1 has type i64"),
            "{text}"
        );
    }

    #[test]
    fn uses_must_be_dominated() {
        let mut func = Function::new("f", Level::WorkItem, &[Type::I32]);
        let (entry, left, join) = (func.add_block(), func.add_block(), func.add_block());
        let condition = func.add_param(entry, Type::MASK);
        Builder::new(&mut func, entry).branch(condition, to(left, &[]), to(join, &[]));
        let mut b = Builder::new(&mut func, left);
        let value = b.i32(1);
        b.jump(join, &[]);
        Builder::new(&mut func, join).ret(&[value]);
        let text = messages(&func);
        assert!(text.contains("v1, defined in block1, does not dominate"), "{text}");
    }

    #[test]
    fn levels_differ_in_what_they_allow() {
        for level in [Level::WorkItem, Level::WorkGroup] {
            let mut func = Function::new("f", level, &[]);
            let entry = func.add_block();
            let mut b = Builder::new(&mut func, entry);
            b.builtin(Builtin::GlobalId, 1);
            b.constant(Type::vector(Elem::F32, 8), 0);
            b.ret(&[]);
            let text = messages(&func);
            assert_eq!(
                text.contains("stands at the work-item level only"),
                level == Level::WorkGroup,
                "{text}"
            );
            assert_eq!(text.contains("every type has one lane"), level == Level::WorkItem, "{text}");
        }
    }

    #[test]
    fn blocks_and_jumps_are_checked() {
        let mut func = Function::new("f", Level::WorkItem, &[]);
        assert!(messages(&func).contains("at least one block"));
        let (entry, next) = (func.add_block(), func.add_block());
        func.add_param(next, Type::I32);
        Builder::new(&mut func, entry).jump(next, &[]);
        assert!(messages(&func).contains("block1: the block is empty"));
        Builder::new(&mut func, next).jump(entry, &[]);
        assert!(messages(&func).contains("the entry block can't be jumped to"));
        *func.terminator_mut(next) = InstData::Return { values: ValueList::new() };
        assert!(messages(&func).contains("block1 has 1 parameters, but gets 0 arguments"));
        let dead = func.append(
            next,
            InstData::Fence {
                order: Order::Acquire,
                scope: Scope::Device,
            },
            Flags::empty(),
        );
        assert!(messages(&func).contains("a terminator stands at a block's end only"), "{dead}");
    }
}
