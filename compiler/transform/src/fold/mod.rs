//! Constant folding and algebraic simplification, with addresses folded into `base + index * scale + offset`.
//!
//! One walk in reverse postorder, so that operands are simple before their users are looked at. Floats are only simplified where the
//! result is the same for all operands, or where the instruction's flags give leave.

mod address;
mod binary;
mod bounds;
mod compare;
mod convert;
mod range;
mod rotate;

use cranelift_entity::SecondaryMap;
use ir::cfg::keep_reachable;
use ir::eval;
use ir::*;
use target::costs::effort::REWRITES;

/// Simplifies. True if something changed; what is dead then is left for `dce`.
pub fn run(func: &mut Function) -> bool {
    let (order, _) = keep_reachable(func);
    let mut folder = Folder {
        replaced: func.per_value(None),
        func,
        block: order[0],
        changed: false,
    };
    for &block in &order {
        folder.block(block);
    }
    folder.changed
}

/// What an instruction with one result turns into.
enum Step {
    /// Nothing simpler.
    Keep,
    /// A value that is there already.
    Value(Value),
    /// A constant.
    Bits(u64),
    /// Another instruction.
    Data(InstData, Flags),
}

fn binary(op: BinaryOp, a: Value, b: Value) -> Step {
    Step::Data(InstData::Binary { op, args: [a, b] }, Flags::empty())
}

fn unary(op: UnaryOp, arg: Value) -> Step {
    Step::Data(InstData::Unary { op, arg }, Flags::empty())
}

struct Folder<'f> {
    func: &'f mut Function,
    replaced: SecondaryMap<Value, Option<Value>>,
    /// Where new instructions go: at this block's end, so far.
    block: Block,
    changed: bool,
}

impl Folder<'_> {
    fn block(&mut self, block: Block) {
        self.block = block;
        for inst in self.func.take_insts(block) {
            // What is defined on the way here is in its final form.
            let replaced = &self.replaced;
            self.func.inst_mut(inst).data.for_each_operand_mut(|value| {
                if let Some(by) = replaced[*value] {
                    *value = by;
                }
            });
            self.instruction(inst);
        }
    }

    fn instruction(&mut self, inst: Inst) {
        for _ in 0..REWRITES {
            let node = self.func.inst(inst);
            let &[result] = node.results.as_slice() else { break };
            let (data, flags, ty) = (node.data.clone(), node.flags, self.func.ty(result));
            match self.step(&data, flags, ty) {
                Step::Keep => break,
                Step::Value(value) => {
                    debug_assert_eq!(self.func.ty(value), ty, "{data:?}");
                    self.replaced[result] = Some(value);
                    self.changed = true;
                    return;
                }
                Step::Bits(bits) => {
                    let node = self.func.inst_mut(inst);
                    node.data = InstData::Const {
                        ty,
                        bits: bits & ty.elem.bit_mask(),
                    };
                    node.flags = Flags::empty();
                    self.changed = true;
                    break;
                }
                Step::Data(data, flags) => {
                    self.func.replace(inst, data);
                    self.func.inst_mut(inst).flags = flags;
                    self.changed = true;
                }
            }
        }
        self.addresses(inst);
        self.func.block_mut(self.block).insts.push(inst);
    }

    fn step(&mut self, data: &InstData, flags: Flags, ty: Type) -> Step {
        match data {
            InstData::Unary { op, arg } => self.unary(*op, *arg),
            InstData::Binary { op, args } => self.binary(*op, *args, flags),
            InstData::Fma { args } => self.fma(*args, flags),
            InstData::Dot { op, args: [a, b, c] } => match (self.bits(*a), self.bits(*b), self.bits(*c)) {
                (Some(a), Some(b), Some(c)) => Step::Bits(op.eval(a, b, c)),
                _ => Step::Keep,
            },
            InstData::Select { mask, args } => self.select(*mask, *args, flags & Flags::RARE),
            InstData::IntCompare { cc, args } => self.int_compare(*cc, *args),
            InstData::FloatCompare { cc, args } => self.float_compare(*cc, *args),
            InstData::Convert { op, ty, arg, rounding, .. } => self.convert(*op, *ty, *arg, *rounding),
            InstData::Lane { op, args, .. } => self.lane(*op, args, ty),
            _ => Step::Keep,
        }
    }

    /// Operations across lanes, where all lanes are the same constant; and a lane whose number is known.
    fn lane(&mut self, op: LaneOp, args: &[Value], ty: Type) -> Step {
        if let (LaneOp::ExtractDynamic, &[vector, lane]) = (op, args)
            && let Some(lane) = self.bits(lane)
        {
            let op = LaneOp::Extract((lane % u64::from(self.ty(vector).lanes)) as u16);
            let args = ValueList::from_slice(&[vector]);
            return Step::Data(InstData::Lane { op, ty, args }, Flags::empty());
        }
        let Some(bits) = args.first().and_then(|&arg| self.bits(arg)) else {
            return Step::Keep;
        };
        match op {
            LaneOp::Splat if ty.lanes > 1 => Step::Bits(bits),
            LaneOp::Extract(_) | LaneOp::AnyTrue | LaneOp::AllTrue => Step::Bits(bits),
            LaneOp::MaskBits => match self.ty(args[0]).lanes {
                lanes @ 0..=31 => Step::Bits(bits * ((1 << lanes) - 1)),
                _ => Step::Bits(bits * u64::from(u32::MAX)),
            },
            LaneOp::BitsMask => match ty.lanes {
                _ if bits == 0 => Step::Bits(0),
                lanes if bits.trailing_ones() >= u32::from(lanes) => Step::Bits(1),
                _ => Step::Keep,
            },
            _ => Step::Keep,
        }
    }

    /// The bits of a constant.
    fn bits(&self, value: Value) -> Option<u64> {
        self.func.constant(value)
    }

    fn ty(&self, value: Value) -> Type {
        self.func.ty(value)
    }

    fn data(&self, value: Value) -> Option<&InstData> {
        self.func.def_data(value)
    }

    fn flags(&self, value: Value) -> Flags {
        self.func.def_inst(value).map_or(Flags::empty(), |inst| self.func.inst(inst).flags)
    }

    /// A new instruction in front of the one that is looked at.
    fn emit(&mut self, data: InstData) -> Value {
        let inst = self.func.append(self.block, data, Flags::empty());
        self.func.result(inst)
    }

    fn constant(&mut self, ty: Type, bits: u64) -> Value {
        self.emit(InstData::Const {
            ty,
            bits: bits & ty.elem.bit_mask(),
        })
    }

    fn not(&mut self, arg: Value) -> Value {
        self.emit(InstData::Unary { op: UnaryOp::Not, arg })
    }

    /// The mask and the two constants that it chooses between.
    fn select_of_constants(&self, value: Value) -> Option<(Value, u64, u64)> {
        match *self.data(value)? {
            InstData::Select { mask, args: [a, b] } if self.ty(mask).lanes == self.ty(value).lanes => {
                Some((mask, self.bits(a)?, self.bits(b)?))
            }
            _ => None,
        }
    }

    /// `mask ? a : b` as an instruction.
    fn choose(&mut self, mask: Value, ty: Type, a: u64, b: u64) -> Step {
        match (ty.elem, a, b) {
            _ if a == b => Step::Bits(a),
            (Elem::Mask, 1, 0) => Step::Value(mask),
            (Elem::Mask, 0, 1) => unary(UnaryOp::Not, mask),
            _ => {
                let args = [self.constant(ty, a), self.constant(ty, b)];
                Step::Data(InstData::Select { mask, args }, Flags::empty())
            }
        }
    }

    fn unary(&mut self, op: UnaryOp, arg: Value) -> Step {
        let ty = self.ty(arg);
        if let Some(bits) = self.bits(arg) {
            return Step::Bits(eval::unary(op, ty.elem, bits));
        }
        if let Some((mask, a, b)) = self.select_of_constants(arg) {
            return self.choose(mask, ty, eval::unary(op, ty.elem, a), eval::unary(op, ty.elem, b));
        }
        match (op, self.data(arg)) {
            (UnaryOp::Not, Some(&InstData::Unary { op: UnaryOp::Not, arg }))
            | (UnaryOp::Neg, Some(&InstData::Unary { op: UnaryOp::Neg, arg }))
            | (UnaryOp::FNeg, Some(&InstData::Unary { op: UnaryOp::FNeg, arg })) => Step::Value(arg),
            (UnaryOp::FAbs, Some(&InstData::Unary { op: UnaryOp::FAbs, .. })) => Step::Value(arg),
            (UnaryOp::FAbs, Some(&InstData::Unary { op: UnaryOp::FNeg, arg })) => unary(UnaryOp::FAbs, arg),
            (UnaryOp::FAbs, _) if self.lower_bound(arg).is_some() => Step::Value(arg),
            (UnaryOp::Not, Some(&InstData::IntCompare { cc, args })) => {
                let cc = cc.inverted();
                Step::Data(InstData::IntCompare { cc, args }, Flags::empty())
            }
            (UnaryOp::Not, Some(&InstData::FloatCompare { cc, args })) => {
                let cc = cc.inverted();
                Step::Data(InstData::FloatCompare { cc, args }, Flags::empty())
            }
            (
                UnaryOp::Neg,
                Some(&InstData::Binary {
                    op: BinaryOp::Sub,
                    args: [a, b],
                }),
            ) => binary(BinaryOp::Sub, b, a),
            _ => Step::Keep,
        }
    }

    /// `rare` says that the mask hardly ever is on.
    fn select(&mut self, mask: Value, [a, b]: [Value; 2], rare: Flags) -> Step {
        if a == b {
            return Step::Value(a);
        }
        if let Some(bits) = self.bits(mask) {
            return Step::Value(if bits != 0 { a } else { b });
        }
        let select = |mask, a, b, flags| Step::Data(InstData::Select { mask, args: [a, b] }, flags);
        let (ty, lanewise) = (self.ty(a), self.ty(mask).lanes == self.ty(a).lanes);
        let (bits_a, bits_b) = (self.bits(a), self.bits(b));
        if bits_a.is_some() && bits_a == bits_b {
            return Step::Value(a);
        }
        if ty.elem == Elem::Mask && lanewise {
            match (bits_a, bits_b) {
                (Some(1), Some(0)) => return Step::Value(mask),
                (Some(0), Some(1)) => return unary(UnaryOp::Not, mask),
                (_, Some(0)) => return binary(BinaryOp::And, mask, a),
                (Some(1), _) => return binary(BinaryOp::Or, mask, b),
                (Some(0), _) => {
                    let not = self.not(mask);
                    return binary(BinaryOp::And, not, b);
                }
                (_, Some(1)) => {
                    let not = self.not(mask);
                    return binary(BinaryOp::Or, not, a);
                }
                _ => {}
            }
        }
        if let Some(&InstData::Unary { op: UnaryOp::Not, arg }) = self.data(mask) {
            return if rare.is_empty() { select(arg, b, a, rare) } else { Step::Keep };
        }
        match (self.data(a), self.data(b)) {
            (Some(&InstData::Select { mask: inner, args: [c, _] }), _) if inner == mask => return select(mask, c, b, rare),
            (_, Some(&InstData::Select { mask: inner, args: [_, c] })) if inner == mask => return select(mask, a, c, rare),
            _ => {}
        }
        match self.data(mask) {
            Some(&InstData::IntCompare { cc, args }) if lanewise && ty.elem.is_int() => {
                let same = args == [a, b];
                if !same && args != [b, a] {
                    return Step::Keep;
                }
                use IntCc::*;
                match if same { cc } else { cc.swapped() } {
                    Slt | Sle => binary(BinaryOp::SMin, a, b),
                    Sgt | Sge => binary(BinaryOp::SMax, a, b),
                    Ult | Ule => binary(BinaryOp::UMin, a, b),
                    Ugt | Uge => binary(BinaryOp::UMax, a, b),
                    Eq => Step::Value(b),
                    Ne => Step::Value(a),
                }
            }
            Some(&InstData::FloatCompare { cc, args }) if lanewise => match (cc, args == [a, b], args == [b, a]) {
                (FloatCc::Olt, true, _) | (FloatCc::Ogt, _, true) => binary(BinaryOp::FMin, a, b),
                (FloatCc::Ogt, true, _) | (FloatCc::Olt, _, true) => binary(BinaryOp::FMax, a, b),
                _ => Step::Keep,
            },
            _ => Step::Keep,
        }
    }
}
