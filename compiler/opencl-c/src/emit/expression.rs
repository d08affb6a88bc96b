//! Values.

use super::function::{Func, Operand, UpdateFrame};
use super::module::Id;
use super::place::Spot;
use super::types::storage;
use crate::hir::{Callee, Const, ExprId, ExprKind, List, PlaceId, PlaceKind, UpdateResult};
use crate::types::{AddressSpace, QualType, Scalar, TypeId, TypeKind};
use rspirv::spirv::{Capability, Op};

impl<'a> Func<'_, 'a> {
    /// Evaluates an expression for what it does.
    pub fn discard(&mut self, id: ExprId) {
        let body = self.body;
        match body.expr(id).kind {
            ExprKind::Assign(place, value) => self.assign(place, value),
            ExprKind::Comma(first, second) => {
                self.discard(first);
                self.discard(second);
            }
            ExprKind::Cast(cast) => self.discard(cast.value),
            ExprKind::Conditional {
                condition,
                then,
                otherwise,
            } => {
                self.conditional(condition, then, otherwise, TypeId::VOID);
            }
            ExprKind::And(left, right) | ExprKind::Or(left, right) => {
                let (more, after) = (self.id(), self.id());
                match body.expr(id).kind {
                    ExprKind::And(..) => self.condition(left, more, after),
                    _ => self.condition(left, after, more),
                }
                self.begin(more);
                self.discard(right);
                self.branch(after);
                self.begin(after);
            }
            ExprKind::Load(place) if !body.place(place).ty.is_volatile() => {
                if !matches!(body.place(place).kind, PlaceKind::Local(_) | PlaceKind::Global(_)) {
                    self.spot(place);
                }
            }
            ExprKind::Statements(stmt, value) => {
                self.statement(stmt);
                if let Some(value) = value {
                    self.discard(value);
                }
            }
            ExprKind::Const(_) => {}
            _ => {
                self.expr(id);
            }
        }
    }

    /// Stores an expression's value to a place.
    pub fn assign(&mut self, place: PlaceId, value: ExprId) {
        let body = self.body;
        let ty = body.place(place).ty;
        // A struct or an array goes from memory to memory.
        if self.is_aggregate(ty.id) {
            if let ExprKind::Load(from) = body.expr(value).kind {
                let source = self.spot(from);
                let target = self.spot(place);
                if let (Spot::Memory(target), Spot::Memory(source)) = (&target, &source) {
                    let align = target.align.min(source.align);
                    let mut operands = vec![target.pointer, source.pointer];
                    let volatile = target.volatile || source.volatile;
                    let mask = u32::from(volatile) | if align > 0 { 2 } else { 0 };
                    if mask != 0 {
                        operands.push(mask);
                    }
                    if align > 0 {
                        operands.push(align as u32);
                    }
                    return self.effect(Op::CopyMemory, &operands);
                }
                let value = self.load(&source, ty.id);
                return self.store(&target, value, ty.id);
            }
            if let ExprKind::Const(ref constant) = body.expr(value).kind
                && let Spot::Memory(target) = self.spot(place)
            {
                return self.store_constant(target.pointer, ty.id, constant, target.align);
            }
        }
        let line = self.last_line();
        let value = self.expr(value);
        let spot = self.spot(place);
        self.back_to(line);
        self.store(&spot, value, ty.id);
    }

    pub fn is_aggregate(&self, ty: TypeId) -> bool {
        matches!(self.e.program.types.kind(ty), TypeKind::Record(_) | TypeKind::Array(..))
    }

    /// An expression's value. Of `void`, an id of no use.
    pub fn expr(&mut self, id: ExprId) -> Id {
        let body = self.body;
        let expr = body.expr(id);
        let ty = expr.ty;
        match expr.kind {
            ExprKind::Const(ref value) => self.constant(ty, value),
            ExprKind::Load(place) => {
                let spot = self.spot(place);
                if let Spot::Memory(_) = spot {
                    self.line(expr.loc);
                }
                self.load(&spot, ty)
            }
            ExprKind::AddressOf(place) => {
                let spot = self.spot(place);
                let memory = self.in_memory(spot, body.place(place).ty);
                memory.pointer
            }
            ExprKind::Decay(place) => self.decay(place, ty),
            ExprKind::FunctionAddress(function) => {
                let id = self.e.function(function);
                self.reached.calls.insert(function);
                let ty = self.e.ty(ty);
                self.e.module.constant(Op::ConstantFunctionPointerINTEL, ty, &[id])
            }
            ExprKind::Cast(cast) => self.cast(cast, ty),
            ExprKind::Negate(value) => self.negate(value, ty, expr.flags),
            ExprKind::Complement(value) => {
                let value = self.expr(value);
                let ty = self.e.ty(ty);
                self.value(Op::Not, ty, &[value])
            }
            ExprKind::Not(value) => {
                let value = self.expr(value);
                let ty = self.e.ty(ty);
                self.value(Op::LogicalNot, ty, &[value])
            }
            ExprKind::Arithmetic(op, left, right) => self.arithmetic(op, left, right, expr),
            ExprKind::Compare(op, left, right) => self.compare(op, left, right),
            ExprKind::And(left, right) => self.short_circuit(left, right, true),
            ExprKind::Or(left, right) => self.short_circuit(left, right, false),
            ExprKind::Conditional {
                condition,
                then,
                otherwise,
            } => self.conditional(condition, then, otherwise, ty),
            ExprKind::Select {
                condition,
                then,
                otherwise,
            } => self.select(condition, then, otherwise, ty),
            ExprKind::PointerAdd { pointer, index, back } => {
                let pointer = self.expr(pointer);
                let mut index = self.expr(index);
                if back {
                    let long = self.e.module.int(64);
                    index = self.value(Op::SNegate, long, &[index]);
                }
                self.move_pointer(pointer, ty, index)
            }
            ExprKind::PointerDifference { left, right, size } => {
                let long = self.e.module.int(64);
                let [left, right] = [left, right].map(|side| {
                    let side = self.expr(side);
                    self.value(Op::ConvertPtrToU, long, &[side])
                });
                let bytes = self.value(Op::ISub, long, &[left, right]);
                match size {
                    0 | 1 => bytes,
                    _ => {
                        let size = self.e.module.ulong(size);
                        self.value(Op::SDiv, long, &[bytes, size])
                    }
                }
            }
            ExprKind::Assign(place, value) => {
                let value = self.expr(value);
                let spot = self.spot(place);
                self.store(&spot, value, body.place(place).ty.id);
                // Of a bit-field, the value is what fits.
                match spot {
                    Spot::Bits { .. } => self.load(&spot, ty),
                    _ => value,
                }
            }
            ExprKind::Update {
                place,
                operand,
                value,
                result,
            } => self.update(place, operand, value, result),
            ExprKind::UpdateOld => self.updates.last().map_or(0, |frame| frame.old),
            ExprKind::UpdateOperand => match self.updates.last().map(|frame| frame.operand) {
                Some(Operand::Value(value)) => value,
                Some(Operand::Product(left, right)) => {
                    let spirv = self.e.ty(ty);
                    let id = self.value(Op::FMul, spirv, &[left, right]);
                    self.fast_math(id, None);
                    id
                }
                _ => self.undefined(ty),
            },
            ExprKind::Comma(first, second) => {
                self.discard(first);
                self.expr(second)
            }
            ExprKind::Call(callee, list) => {
                self.line(expr.loc);
                self.call(callee, list, ty)
            }
            ExprKind::Compose(list) => self.compose(list, ty),
            ExprKind::Shuffle { first, second, ref lanes } => self.shuffle(first, second, lanes, ty),
            ExprKind::ExtractDynamic(vector, lane) => {
                let vector = self.expr(vector);
                let lane = self.expr(lane);
                let ty = self.e.ty(ty);
                self.value(Op::VectorExtractDynamic, ty, &[vector, lane])
            }
            ExprKind::Member(value, index) => {
                let owner = QualType::plain(body.expr(value).ty);
                let value = self.expr(value);
                let spot = self.member(Spot::Value(value), owner, index, QualType::plain(ty), 0);
                self.load(&spot, ty)
            }
            ExprKind::Statements(stmt, value) => {
                self.statement(stmt);
                match value {
                    Some(value) => self.expr(value),
                    None => 0,
                }
            }
            ExprKind::Initialize(stmt, value) => {
                self.statement(stmt);
                self.expr(value)
            }
            // It is not called, so nobody looks at it.
            ExprKind::Block(..) => self.e.module.ulong(1),
            ExprKind::Error => self.undefined(ty),
        }
    }

    fn constant(&mut self, ty: TypeId, value: &Const) -> Id {
        let id = self.e.constant(ty, value);
        if let Const::Address(address) = value
            && let crate::hir::AddressBase::Global(global) = address.base
        {
            let variable = self.e.global(global);
            self.reached.variables.insert(variable);
        }
        id
    }

    pub fn undefined(&mut self, ty: TypeId) -> Id {
        if ty == TypeId::VOID {
            return 0;
        }
        let ty = self.e.ty(ty);
        self.e.module.constant(Op::Undef, ty, &[])
    }

    /// A pointer to an array's first element.
    fn decay(&mut self, place: PlaceId, ty: TypeId) -> Id {
        let body = self.body;
        let array = body.place(place).ty;
        let spot = self.spot(place);
        let memory = self.in_memory(spot, array);
        if let Some((_, None)) = self.e.program.types.as_array(array.id) {
            return memory.pointer;
        }
        let Some(pointee) = self.e.program.types.pointee(ty) else {
            return memory.pointer;
        };
        let ty = self.pointer_to(pointee.id, memory.space);
        let zero = self.e.module.ulong(0);
        self.value(Op::InBoundsAccessChain, ty, &[memory.pointer, zero])
    }

    /// A pointer moved by a number of elements.
    pub fn move_pointer(&mut self, pointer: Id, ty: TypeId, index: Id) -> Id {
        let Some(pointee) = self.e.program.types.pointee(ty) else {
            return pointer;
        };
        let spirv = self.e.ty(ty);
        let size = self.e.program.types.size_of(pointee.id).unwrap_or(0);
        if size == 0 && self.e.program.types.size_of(pointee.id).is_some() {
            // An object without a size counts as a byte.
            let bytes = self.pointer_to(TypeId::UCHAR, pointee.space);
            let pointer = self.value(Op::Bitcast, bytes, &[pointer]);
            let moved = self.value(Op::PtrAccessChain, bytes, &[pointer, index]);
            return self.value(Op::Bitcast, spirv, &[moved]);
        }
        self.value(Op::InBoundsPtrAccessChain, spirv, &[pointer, index])
    }

    fn short_circuit(&mut self, left: ExprId, right: ExprId, and: bool) -> Id {
        let truth = self.e.module.bool();
        if self.is_cheap(right) {
            let (left, right) = (self.expr(left), self.expr(right));
            let op = if and { Op::LogicalAnd } else { Op::LogicalOr };
            return self.value(op, truth, &[left, right]);
        }
        let (more, after) = (self.id(), self.id());
        let left = self.expr(left);
        let before = self.here();
        match and {
            true => self.branch_if(left, more, after),
            false => self.branch_if(left, after, more),
        }
        self.begin(more);
        let right = self.expr(right);
        let last = self.here();
        let comes = self.is_open();
        self.branch(after);
        self.begin(after);
        let known = self.e.module.truth(!and);
        match comes {
            true => self.value(Op::Phi, truth, &[known, before, right, last]),
            false => known,
        }
    }

    fn conditional(&mut self, condition: ExprId, then: ExprId, otherwise: ExprId, ty: TypeId) -> Id {
        if ty == TypeId::VOID {
            let (yes, no, after) = (self.id(), self.id(), self.id());
            self.condition(condition, yes, no);
            self.begin(yes);
            self.discard(then);
            self.branch(after);
            self.begin(no);
            self.discard(otherwise);
            self.branch(after);
            self.begin(after);
            return 0;
        }
        if let ExprKind::Const(ref value) = self.body.expr(condition).kind {
            return match value {
                Const::Zero | Const::Int(0) => self.expr(otherwise),
                _ => self.expr(then),
            };
        }
        let spirv = self.e.ty(ty);
        let scalar = self.e.program.types.as_scalar(ty).is_some();
        if scalar && self.is_cheap(then) && self.is_cheap(otherwise) {
            let condition = self.expr(condition);
            let (then, otherwise) = (self.expr(then), self.expr(otherwise));
            return self.value(Op::Select, spirv, &[condition, then, otherwise]);
        }
        let (yes, no, after) = (self.id(), self.id(), self.id());
        self.condition(condition, yes, no);
        let mut incoming = Vec::with_capacity(4);
        for (label, value) in [(yes, then), (no, otherwise)] {
            self.begin(label);
            let value = self.expr(value);
            if self.is_open() {
                incoming.extend([value, self.here()]);
            }
            self.branch(after);
        }
        self.begin(after);
        match incoming.as_slice() {
            [] => self.undefined(ty),
            _ => self.value(Op::Phi, spirv, &incoming),
        }
    }

    /// `?:` of vectors: the highest bit of each lane of the condition chooses.
    fn select(&mut self, condition: ExprId, then: ExprId, otherwise: ExprId, ty: TypeId) -> Id {
        let (scalar, lanes) = self.shape(self.body.expr(condition).ty);
        let condition = self.expr(condition);
        let (then, otherwise) = (self.expr(then), self.expr(otherwise));
        let integer = self.numeric(scalar, lanes);
        let zero = self.e.module.null(integer);
        let bools = self.e.bools(lanes);
        let chosen = self.value(Op::SLessThan, bools, &[condition, zero]);
        let ty = self.e.ty(ty);
        self.value(Op::Select, ty, &[chosen, then, otherwise])
    }

    fn update(&mut self, place: PlaceId, operand: Option<ExprId>, value: ExprId, result: UpdateResult) -> Id {
        let body = self.body;
        let ty = body.place(place).ty.id;
        let line = self.last_line();
        let spot = self.spot(place);
        let operand = match operand {
            None => Operand::None,
            Some(operand) => match self.product_to_contract(operand, value) {
                Some((left, right)) => {
                    let left = self.expr(left);
                    let right = self.expr(right);
                    Operand::Product(left, right)
                }
                None => Operand::Value(self.expr(operand)),
            },
        };
        // The operand may be of other lines, or have ended the block that knew its line.
        self.back_to(line);
        let old = self.load(&spot, ty);
        self.updates.push(UpdateFrame { old, operand });
        let new = self.expr(value);
        self.updates.pop();
        self.back_to(line);
        self.store(&spot, new, ty);
        match (result, &spot) {
            (UpdateResult::Old, _) => old,
            (UpdateResult::New, Spot::Bits { .. }) => self.load(&spot, ty),
            (UpdateResult::New, _) => new,
        }
    }

    fn compose(&mut self, list: List, ty: TypeId) -> Id {
        let spirv = self.e.ty(ty);
        let mut parts = Vec::with_capacity(list.len as usize);
        let mut all_constant = true;
        for &part in self.body.list(list) {
            all_constant &= matches!(self.body.expr(part).kind, ExprKind::Const(_))
                && self.e.program.types.as_scalar(self.body.expr(part).ty).is_some();
            parts.push(self.expr(part));
        }
        match (all_constant, parts.as_slice()) {
            (_, [one]) => *one,
            (true, _) => self.e.module.constant(Op::ConstantComposite, spirv, &parts),
            (false, [first, rest @ ..])
                if rest.iter().all(|part| part == first) && self.e.program.types.lanes(ty) as usize == parts.len() =>
            {
                self.value(Op::CompositeConstruct, spirv, &parts)
            }
            _ => self.value(Op::CompositeConstruct, spirv, &parts),
        }
    }

    fn shuffle(&mut self, first: ExprId, second: Option<ExprId>, lanes: &[Option<u8>], ty: TypeId) -> Id {
        let (_, count) = self.shape(self.body.expr(first).ty);
        let a = self.expr(first);
        let b = second.map(|second| self.expr(second));
        let spirv = self.e.ty(ty);
        if let [lane] = lanes {
            let Some(lane) = *lane else { return self.undefined(ty) };
            return match b {
                Some(b) if lane >= count => self.value(Op::CompositeExtract, spirv, &[b, u32::from(lane - count)]),
                _ if count == 1 => a,
                _ => self.value(Op::CompositeExtract, spirv, &[a, lane.into()]),
            };
        }
        if count == 1 {
            let parts = vec![a; lanes.len()];
            return self.value(Op::CompositeConstruct, spirv, &parts);
        }
        let mut operands = vec![a, b.unwrap_or(a)];
        operands.extend(lanes.iter().map(|lane| lane.map_or(u32::MAX, u32::from)));
        self.value(Op::VectorShuffle, spirv, &operands)
    }

    fn call(&mut self, callee: Callee, list: List, ty: TypeId) -> Id {
        let body = self.body;
        match callee {
            Callee::Builtin(id) => self.builtin(id, body.list(list), ty),
            Callee::Intrinsic(intrinsic) => self.intrinsic(intrinsic, body.list(list), ty),
            Callee::Function(function) => {
                let mut operands = Vec::with_capacity(list.len as usize + 1);
                operands.push(self.e.function(function));
                self.reached.calls.insert(function);
                let line = self.last_line();
                for &argument in body.list(list) {
                    operands.push(self.expr(argument));
                }
                // Arguments may be of other lines.
                self.back_to(line);
                let result = self.e.program.function(function).result.id;
                let result = self.e.ty(result);
                let call = self.value(Op::FunctionCall, result, &operands);
                if self.e.program.function(function).attributes.noreturn {
                    self.end(Op::Unreachable, &[], &[]);
                    let next = self.id();
                    self.begin(next);
                }
                call
            }
            Callee::Indirect(pointer) => {
                self.e.module.extension("SPV_INTEL_function_pointers");
                self.e.module.capability(Capability::FunctionPointersINTEL);
                let line = self.last_line();
                let mut operands = vec![self.expr(pointer)];
                for &argument in body.list(list) {
                    operands.push(self.expr(argument));
                }
                self.back_to(line);
                let ty = self.e.ty(ty);
                self.value(Op::FunctionPointerCallINTEL, ty, &operands)
            }
        }
    }

    /// A pointer to another type in the same space.
    pub fn as_pointer(&mut self, pointer: Id, ty: TypeId, space: AddressSpace) -> Id {
        let pointee = self.e.memory_type(ty);
        let ty = self.e.module.pointer(storage(space), pointee);
        self.value(Op::Bitcast, ty, &[pointer])
    }

    /// A `bool` as a number: 1, or -1 in the lanes of vectors.
    pub fn truth_to_integer(&mut self, truth: Id, scalar: Scalar, lanes: u8) -> Id {
        let element = self.numeric(scalar, 1);
        let ty = self.numeric(scalar, lanes);
        let yes = self.e.module.integer(scalar.bits(), if lanes == 1 { 1 } else { u64::MAX });
        let yes = self.e.module.splat(yes, element, lanes);
        let no = match lanes {
            1 => self.e.module.integer(scalar.bits(), 0),
            _ => self.e.module.null(ty),
        };
        self.value(Op::Select, ty, &[truth, yes, no])
    }
}
