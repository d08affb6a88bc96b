//! Operators.

use super::function::Func;
use super::module::Id;
use crate::hir::{ArithmeticOp, CastKind, CompareOp, Const, Expr, ExprId, ExprKind, ValueFlags};
use crate::types::{Scalar, TypeId, TypeKind};
use rspirv::spirv::{Decoration, FPFastMathMode, Op, OpenclStd100Op as StdOp};

impl Func<'_, '_> {
    pub fn negate(&mut self, value: ExprId, ty: TypeId, flags: ValueFlags) -> Id {
        let value = self.expr(value);
        let (scalar, _) = self.shape(ty);
        let spirv = self.e.ty(ty);
        if scalar.is_float() {
            let id = self.value(Op::FNegate, spirv, &[value]);
            self.fast_math(id, None);
            return id;
        }
        let id = self.value(Op::SNegate, spirv, &[value]);
        self.no_wrap(id, flags);
        id
    }

    pub fn arithmetic(&mut self, op: ArithmeticOp, left: ExprId, right: ExprId, expr: &Expr) -> Id {
        let (ty, flags) = (expr.ty, expr.flags);
        let (scalar, _) = self.shape(ty);
        if scalar.is_float()
            && flags.contains(ValueFlags::CONTRACT)
            && let Some(id) = self.contracted(op, left, right, ty)
        {
            return id;
        }
        let known = self.is_small_amount(right, scalar.bits());
        let (left, right) = (self.expr(left), self.expr(right));
        // It can go wrong by itself, not only what it reads.
        if matches!(op, ArithmeticOp::Divide | ArithmeticOp::Remainder) {
            self.line(expr.loc);
        }
        self.arithmetic_of(op, (left, right), known, ty, flags)
    }

    /// Is it a constant below a number of bits, in all lanes?
    fn is_small_amount(&self, amount: ExprId, bits: u32) -> bool {
        let small = |value: &Const| matches!(value, Const::Zero) || matches!(*value, Const::Int(value) if value < u64::from(bits));
        match &self.body.expr(amount).kind {
            ExprKind::Const(Const::Vector(lanes)) => lanes.iter().all(small),
            ExprKind::Const(value) => small(value),
            ExprKind::Cast(cast) if cast.kind == CastKind::Splat => self.is_small_amount(cast.value, bits),
            _ => false,
        }
    }

    /// `small_amount`: the amount of a shift is known to be below the number of bits.
    fn arithmetic_of(&mut self, op: ArithmeticOp, (left, right): (Id, Id), small_amount: bool, ty: TypeId, flags: ValueFlags) -> Id {
        let (scalar, lanes) = self.shape(ty);
        let spirv = self.e.ty(ty);
        if scalar.is_float() {
            let op = match op {
                ArithmeticOp::Add => Op::FAdd,
                ArithmeticOp::Subtract => Op::FSub,
                ArithmeticOp::Multiply => Op::FMul,
                ArithmeticOp::Divide => Op::FDiv,
                _ => Op::FRem,
            };
            let id = self.value(op, spirv, &[left, right]);
            self.fast_math(id, None);
            return id;
        }
        let signed = scalar.is_signed();
        let core = match op {
            ArithmeticOp::Add => Op::IAdd,
            ArithmeticOp::Subtract => Op::ISub,
            ArithmeticOp::Multiply => Op::IMul,
            ArithmeticOp::Divide if signed => Op::SDiv,
            ArithmeticOp::Divide => Op::UDiv,
            ArithmeticOp::Remainder if signed => Op::SRem,
            ArithmeticOp::Remainder => Op::UMod,
            ArithmeticOp::ShiftLeft => Op::ShiftLeftLogical,
            ArithmeticOp::ShiftRight if signed => Op::ShiftRightArithmetic,
            ArithmeticOp::ShiftRight => Op::ShiftRightLogical,
            ArithmeticOp::And if scalar == Scalar::Bool => Op::LogicalAnd,
            ArithmeticOp::Or if scalar == Scalar::Bool => Op::LogicalOr,
            ArithmeticOp::Xor if scalar == Scalar::Bool => Op::LogicalNotEqual,
            ArithmeticOp::And => Op::BitwiseAnd,
            ArithmeticOp::Or => Op::BitwiseOr,
            ArithmeticOp::Xor => Op::BitwiseXor,
        };
        if matches!(op, ArithmeticOp::ShiftLeft | ArithmeticOp::ShiftRight) && !small_amount {
            // The amount's low bits count (OpenCL C, 6.3.j).
            let element = self.numeric(scalar, 1);
            let mask = self.e.module.integer(scalar.bits(), u64::from(scalar.bits()) - 1);
            let mask = self.e.module.splat(mask, element, lanes);
            let right = self.value(Op::BitwiseAnd, spirv, &[right, mask]);
            return self.value(core, spirv, &[left, right]);
        }
        let id = self.value(core, spirv, &[left, right]);
        if matches!(op, ArithmeticOp::Add | ArithmeticOp::Subtract | ArithmeticOp::Multiply) {
            self.no_wrap(id, flags);
        }
        id
    }

    /// Relational operators.
    pub fn compare(&mut self, op: CompareOp, left: ExprId, right: ExprId) -> Id {
        let ty = self.body.expr(left).ty;
        let (left, right) = (self.expr(left), self.expr(right));
        self.compare_of(op, left, right, ty)
    }

    pub fn compare_of(&mut self, op: CompareOp, mut left: Id, mut right: Id, ty: TypeId) -> Id {
        let (mut scalar, lanes) = self.shape(ty);
        let truth = self.e.bools(lanes);
        if self.e.program.types.element(ty).is_none() && !matches!(self.e.program.types.kind(ty), TypeKind::Atomic(_)) {
            match (self.e.program.types.kind(ty), op) {
                (TypeKind::Pointer(_), CompareOp::Equal) => return self.value(Op::PtrEqual, truth, &[left, right]),
                (TypeKind::Pointer(_), CompareOp::NotEqual) => return self.value(Op::PtrNotEqual, truth, &[left, right]),
                (TypeKind::Pointer(_), _) => {
                    let long = self.e.module.int(64);
                    left = self.value(Op::ConvertPtrToU, long, &[left]);
                    right = self.value(Op::ConvertPtrToU, long, &[right]);
                    scalar = Scalar::ULong;
                }
                _ => {}
            }
        }
        let signed = scalar.is_signed();
        let core = match op {
            _ if scalar.is_float() => match op {
                CompareOp::Equal => Op::FOrdEqual,
                CompareOp::NotEqual => Op::FUnordNotEqual,
                CompareOp::Less => Op::FOrdLessThan,
                CompareOp::LessEqual => Op::FOrdLessThanEqual,
                CompareOp::Greater => Op::FOrdGreaterThan,
                CompareOp::GreaterEqual => Op::FOrdGreaterThanEqual,
            },
            CompareOp::Equal if scalar == Scalar::Bool => Op::LogicalEqual,
            CompareOp::NotEqual if scalar == Scalar::Bool => Op::LogicalNotEqual,
            CompareOp::Equal => Op::IEqual,
            CompareOp::NotEqual => Op::INotEqual,
            CompareOp::Less if signed => Op::SLessThan,
            CompareOp::Less => Op::ULessThan,
            CompareOp::LessEqual if signed => Op::SLessThanEqual,
            CompareOp::LessEqual => Op::ULessThanEqual,
            CompareOp::Greater if signed => Op::SGreaterThan,
            CompareOp::Greater => Op::UGreaterThan,
            CompareOp::GreaterEqual if signed => Op::SGreaterThanEqual,
            CompareOp::GreaterEqual => Op::UGreaterThanEqual,
        };
        let truths = self.value(core, truth, &[left, right]);
        if scalar.is_float() {
            self.fast_math(truths, Some(FPFastMathMode::NSZ | FPFastMathMode::ALLOW_RECIP));
        }
        match lanes {
            1 => truths,
            _ => self.truth_to_integer(truths, scalar.signed(), lanes),
        }
    }

    /// `a * b + c` as one operation. Most machines have none for halves, and take longer for its result than for a product and a sum: `mad` may be either.
    fn fused(&mut self, ty: TypeId, factors: (Id, Id), addend: Id) -> Id {
        let (scalar, _) = self.shape(ty);
        let op = if scalar == Scalar::Half { StdOp::mad } else { StdOp::fma };
        let ty = self.e.ty(ty);
        self.standard(op, ty, &[factors.0, factors.1, addend])
    }

    /// `a * b + c`, and the other sums and differences with a product in them, where the language lets both be one operation.
    fn contracted(&mut self, op: ArithmeticOp, left: ExprId, right: ExprId, ty: TypeId) -> Option<Id> {
        if !self.e.session.options.fused_multiply_add || !matches!(op, ArithmeticOp::Add | ArithmeticOp::Subtract) {
            return None;
        }
        let subtract = op == ArithmeticOp::Subtract;
        let spirv = self.e.ty(ty);
        // Operands are evaluated from left to right.
        if let Some(product) = self.product(left) {
            let factors = self.factors(product);
            let mut c = self.expr(right);
            if subtract {
                c = self.value(Op::FNegate, spirv, &[c]);
            }
            return Some(self.fused(ty, factors, c));
        }
        if let Some(product) = self.product(right) {
            let c = self.expr(left);
            let (mut a, b) = self.factors(product);
            if subtract {
                a = self.value(Op::FNegate, spirv, &[a]);
            }
            return Some(self.fused(ty, (a, b), c));
        }
        None
    }

    /// A product that may be contracted.
    fn product(&self, expr: ExprId) -> Option<Product> {
        let node = self.body.expr(expr);
        match node.kind {
            ExprKind::Arithmetic(ArithmeticOp::Multiply, left, right) if node.flags.contains(ValueFlags::CONTRACT) => {
                Some(Product::Of(left, right))
            }
            ExprKind::UpdateOperand => match self.updates.last()?.operand {
                super::function::Operand::Product(left, right) => Some(Product::Known(left, right)),
                _ => None,
            },
            _ => None,
        }
    }

    fn factors(&mut self, product: Product) -> (Id, Id) {
        match product {
            Product::Of(left, right) => (self.expr(left), self.expr(right)),
            Product::Known(left, right) => (left, right),
        }
    }

    /// The factors of `b * c` in `a += b * c`, if the sum may be contracted with it: `operand` is the product, and `value` the sum.
    pub fn product_to_contract(&self, operand: ExprId, value: ExprId) -> Option<(ExprId, ExprId)> {
        let sum = self.body.expr(value);
        let (scalar, _) = self.shape(sum.ty);
        let product = self.body.expr(operand);
        let (ExprKind::Arithmetic(op, left, right), ExprKind::Arithmetic(ArithmeticOp::Multiply, a, b)) = (&sum.kind, &product.kind) else {
            return None;
        };
        let contracts = sum.flags.contains(ValueFlags::CONTRACT) && product.flags.contains(ValueFlags::CONTRACT);
        let is_operand = |side: ExprId| matches!(self.body.expr(side).kind, ExprKind::UpdateOperand);
        let sums = matches!(op, ArithmeticOp::Add | ArithmeticOp::Subtract) && (is_operand(*left) || is_operand(*right));
        (self.e.session.options.fused_multiply_add && scalar.is_float() && contracts && sums).then_some((*a, *b))
    }

    fn no_wrap(&mut self, id: Id, flags: ValueFlags) {
        if flags.contains(ValueFlags::NO_SIGNED_WRAP) && self.is_open() {
            self.decorate(id, Decoration::NoSignedWrap, None);
        }
    }

    /// What the options allow of a floating-point operation; all but `except`.
    pub fn fast_math(&mut self, id: Id, except: Option<FPFastMathMode>) {
        let options = &self.e.session.options;
        let mut mode = FPFastMathMode::empty();
        if options.fast_relaxed_math {
            mode |= FPFastMathMode::FAST
                | FPFastMathMode::NOT_NAN
                | FPFastMathMode::NOT_INF
                | FPFastMathMode::NSZ
                | FPFastMathMode::ALLOW_RECIP;
        }
        if options.finite_math_only {
            mode |= FPFastMathMode::NOT_NAN | FPFastMathMode::NOT_INF;
        }
        if options.unsafe_math {
            mode |= FPFastMathMode::NSZ | FPFastMathMode::ALLOW_RECIP;
        }
        if options.no_signed_zeros {
            mode |= FPFastMathMode::NSZ;
        }
        if let Some(except) = except
            && !mode.contains(FPFastMathMode::FAST)
        {
            mode -= except;
        }
        if !mode.is_empty() && self.is_open() {
            self.decorate(id, Decoration::FPFastMathMode, Some(mode.bits()));
        }
    }
}

#[derive(Clone, Copy)]
enum Product {
    Of(ExprId, ExprId),
    Known(Id, Id),
}
