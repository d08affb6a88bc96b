//! Types and numbers of operands and results.

use super::Verifier;
use crate::*;
use std::collections::HashSet;

impl Verifier<'_> {
    /// Types of operands, results and parameters.
    pub(super) fn instructions(&mut self) {
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
            InstData::Dot { args, .. } => {
                self.elem(args[0], |elem| elem == Elem::I32, "an integer of 32 bits");
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
                self.not_in_work_items();
                self.lane_operation(*op, *ty, args);
            }
            &InstData::Builtin { builtin, dimension } => {
                self.not_in_groups();
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
                self.not_in_groups();
                let right = matches!(execution, Scope::SubGroup | Scope::WorkGroup);
                self.check(right, "a barrier is for a sub-group or a work-group");
            }
            InstData::SubGroup { op, args } => {
                self.work_items_only();
                self.sub_group(*op, args);
            }
            InstData::WorkGroup { op, args } => {
                self.work_items_only();
                self.work_group(*op, args);
            }
            InstData::Call { callee, args, results } => self.call(*callee, args, results),
            InstData::CallRuntime { routine, args } => self.each(args, routine.signature().0),
            InstData::Image { op, args } => {
                self.work_items_only();
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
            InstData::Return { values } => self.each(values, &func.results),
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

    fn call(&mut self, callee: FuncRef, args: &[Value], results: &[Type]) {
        let Some(module) = self.module else { return };
        let Some(function) = module.functions.get(callee).filter(|function| !function.layout.is_empty()) else {
            self.fail(format_args!("{callee} is not in the module, or has no body"));
            return;
        };
        let params: Vec<Type> = function.params().iter().map(|&param| function.ty(param)).collect();
        // What passes make functions hand on to each other comes behind what the module's have.
        let (own, more) = args.split_at(args.len().min(params.len()));
        self.each(own, &params);
        self.each(more, &vec![Type::I64; more.len()]);
        let same_results = function.results.as_slice() == results;
        self.check(same_results, format_args!("@{} gives {:?}", function.name, function.results));
        let same_level = function.level == self.func.level;
        self.check(same_level, format_args!("@{} is at another level", function.name));
    }
}
