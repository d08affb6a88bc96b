//! Writes instructions at the end of a block.

use super::dot::DotOp;
use super::entities::{Block, Global, Inst, Slot, Value};
use super::function::Function;
use super::inst::{BlockCall, Flags, InstData, ValueList};
use super::memory::{Address, MemInfo};
use super::op::*;
use super::types::{Elem, Type};

impl Function {
    /// Writes instructions before the last of a block.
    pub fn before_end<T>(&mut self, block: Block, write: impl FnOnce(&mut Builder) -> T) -> T {
        let last = self.block_mut(block).insts.pop();
        let made = write(&mut Builder::new(self, block));
        self.block_mut(block).insts.extend(last);
        made
    }
}

/// Appends to [`Builder::block`], which may be set to another block at any time.
pub struct Builder<'f> {
    /// The function being written.
    pub func: &'f mut Function,
    /// Where the next instruction goes.
    pub block: Block,
    /// Flags for each instruction from now on.
    pub flags: Flags,
}

impl<'f> Builder<'f> {
    /// Writes to `block`.
    pub fn new(func: &'f mut Function, block: Block) -> Builder<'f> {
        Builder {
            func,
            block,
            flags: Flags::empty(),
        }
    }

    /// Appends any instruction.
    pub fn push(&mut self, data: InstData) -> Inst {
        self.func.append(self.block, data, self.flags)
    }

    /// Appends an instruction with one result.
    pub fn value(&mut self, data: InstData) -> Value {
        let inst = self.push(data);
        self.func.result(inst)
    }

    /// The type of a value.
    pub fn ty(&self, value: Value) -> Type {
        self.func.ty(value)
    }

    /// A new block, at the layout's end, with parameters of these types.
    pub fn add_block(&mut self, params: &[Type]) -> Block {
        let block = self.func.add_block();
        for &ty in params {
            self.func.add_param(block, ty);
        }
        block
    }

    /// The parameters of a block.
    pub fn params(&self, block: Block) -> &[Value] {
        &self.func.block(block).params
    }

    /// A constant by its bits, in each lane.
    pub fn constant(&mut self, ty: Type, bits: u64) -> Value {
        self.value(InstData::Const {
            ty,
            bits: bits & ty.elem.bit_mask(),
        })
    }

    /// An `i32`.
    pub fn i32(&mut self, value: i32) -> Value {
        self.constant(Type::I32, value as u32 as u64)
    }

    /// An `i64`.
    pub fn i64(&mut self, value: i64) -> Value {
        self.constant(Type::I64, value as u64)
    }

    /// An `f32`.
    pub fn f32(&mut self, value: f32) -> Value {
        self.constant(Type::F32, u64::from(value.to_bits()))
    }

    /// An `f64`.
    pub fn f64(&mut self, value: f64) -> Value {
        self.constant(Type::F64, value.to_bits())
    }

    /// A truth value in each lane of `ty` (whose element is ignored).
    pub fn mask(&mut self, ty: Type, value: bool) -> Value {
        self.constant(ty.as_mask(), u64::from(value))
    }

    /// One operand.
    pub fn unary(&mut self, op: UnaryOp, arg: Value) -> Value {
        self.value(InstData::Unary { op, arg })
    }

    /// Two operands.
    pub fn binary(&mut self, op: BinaryOp, a: Value, b: Value) -> Value {
        debug_assert_eq!(self.ty(a), self.ty(b), "{op}");
        self.value(InstData::Binary { op, args: [a, b] })
    }

    /// `a + b`
    pub fn add(&mut self, a: Value, b: Value) -> Value {
        self.binary(BinaryOp::Add, a, b)
    }

    /// `a - b`
    pub fn sub(&mut self, a: Value, b: Value) -> Value {
        self.binary(BinaryOp::Sub, a, b)
    }

    /// `a * b`
    pub fn mul(&mut self, a: Value, b: Value) -> Value {
        self.binary(BinaryOp::Mul, a, b)
    }

    /// `a & b`
    pub fn and(&mut self, a: Value, b: Value) -> Value {
        self.binary(BinaryOp::And, a, b)
    }

    /// `a | b`
    pub fn or(&mut self, a: Value, b: Value) -> Value {
        self.binary(BinaryOp::Or, a, b)
    }

    /// `a ^ b`
    pub fn xor(&mut self, a: Value, b: Value) -> Value {
        self.binary(BinaryOp::Xor, a, b)
    }

    /// `!a`, of integers or masks.
    pub fn not(&mut self, a: Value) -> Value {
        self.unary(UnaryOp::Not, a)
    }

    /// `a + b` of floats.
    pub fn fadd(&mut self, a: Value, b: Value) -> Value {
        self.binary(BinaryOp::FAdd, a, b)
    }

    /// `a - b` of floats.
    pub fn fsub(&mut self, a: Value, b: Value) -> Value {
        self.binary(BinaryOp::FSub, a, b)
    }

    /// `a * b` of floats.
    pub fn fmul(&mut self, a: Value, b: Value) -> Value {
        self.binary(BinaryOp::FMul, a, b)
    }

    /// `a / b` of floats.
    pub fn fdiv(&mut self, a: Value, b: Value) -> Value {
        self.binary(BinaryOp::FDiv, a, b)
    }

    /// `a * b + c`, rounded once.
    pub fn fma(&mut self, a: Value, b: Value, c: Value) -> Value {
        self.value(InstData::Fma { args: [a, b, c] })
    }

    /// The dot product of four bytes each, and `c`.
    pub fn dot(&mut self, op: DotOp, a: Value, b: Value, c: Value) -> Value {
        self.value(InstData::Dot { op, args: [a, b, c] })
    }

    /// An operation with a constant of the same type.
    pub fn binary_imm(&mut self, op: BinaryOp, a: Value, bits: i64) -> Value {
        let ty = self.ty(a);
        let b = self.constant(ty, bits as u64);
        self.binary(op, a, b)
    }

    /// `mask ? a : b`
    pub fn select(&mut self, mask: Value, a: Value, b: Value) -> Value {
        debug_assert_eq!(self.ty(a), self.ty(b));
        self.value(InstData::Select { mask, args: [a, b] })
    }

    /// Integer comparison.
    pub fn icmp(&mut self, cc: IntCc, a: Value, b: Value) -> Value {
        debug_assert_eq!(self.ty(a), self.ty(b));
        self.value(InstData::IntCompare { cc, args: [a, b] })
    }

    /// Integer comparison with a constant.
    pub fn icmp_imm(&mut self, cc: IntCc, a: Value, bits: i64) -> Value {
        let ty = self.ty(a);
        let b = self.constant(ty, bits as u64);
        self.icmp(cc, a, b)
    }

    /// Float comparison.
    pub fn fcmp(&mut self, cc: FloatCc, a: Value, b: Value) -> Value {
        debug_assert_eq!(self.ty(a), self.ty(b));
        self.value(InstData::FloatCompare { cc, args: [a, b] })
    }

    /// A conversion rounded the usual way: to nearest, and toward zero where the result is an integer. What has the type already is given back.
    pub fn convert(&mut self, op: ConvertOp, elem: Elem, arg: Value) -> Value {
        if self.ty(arg).elem == elem {
            return arg;
        }
        let rounding = match op {
            ConvertOp::FToS | ConvertOp::FToU => Rounding::Zero,
            _ => Rounding::Nearest,
        };
        let ty = self.ty(arg).with_elem(elem);
        self.value(InstData::Convert {
            op,
            ty,
            arg,
            rounding,
            saturate: false,
        })
    }

    /// Other bits, or the same: the same type gives back `arg`.
    pub fn bitcast(&mut self, elem: Elem, arg: Value) -> Value {
        self.convert(ConvertOp::Bitcast, elem, arg)
    }

    /// An index of elements of so many bytes, in bytes: 64 bits, with its sign.
    pub fn scaled(&mut self, index: Value, bytes: u32) -> Value {
        let wide = self.convert(ConvertOp::SExt, Elem::I64, index);
        self.binary_imm(BinaryOp::Mul, wide, bytes.into())
    }

    /// An address without its offset.
    pub fn base_and_index(&mut self, address: &Address) -> Value {
        let Some(index) = address.index else { return address.base };
        let bytes = self.scaled(index, address.scale);
        self.add(address.base, bytes)
    }

    /// An operation on lanes with a result of type `ty`.
    pub fn lane(&mut self, op: LaneOp, ty: Type, args: &[Value]) -> Value {
        self.value(InstData::Lane {
            op,
            ty,
            args: ValueList::from_slice(args),
        })
    }

    /// The same in `lanes` lanes; one lane gives back `arg`.
    pub fn splat(&mut self, lanes: u16, arg: Value) -> Value {
        if lanes == 1 {
            return arg;
        }
        let ty = self.ty(arg).with_lanes(lanes);
        self.lane(LaneOp::Splat, ty, &[arg])
    }

    /// A built-in variable.
    pub fn builtin(&mut self, builtin: Builtin, dimension: u8) -> Value {
        self.value(InstData::Builtin { builtin, dimension })
    }

    /// An operation across the gang.
    pub fn sub_group(&mut self, op: SubGroupOp, args: &[Value]) -> Value {
        self.value(InstData::SubGroup {
            op,
            args: ValueList::from_slice(args),
        })
    }

    /// The address of private memory.
    pub fn slot_address(&mut self, slot: Slot) -> Value {
        self.value(InstData::SlotAddress { slot })
    }

    /// The address of a program-scope variable.
    pub fn global_address(&mut self, global: Global) -> Value {
        self.value(InstData::GlobalAddress { global })
    }

    /// A load of all lanes.
    pub fn load(&mut self, ty: Type, address: Address, mem: MemInfo) -> Value {
        self.value(InstData::Load {
            ty,
            address,
            mask: None,
            passthru: None,
            mem,
        })
    }

    /// A store of all lanes.
    pub fn store(&mut self, value: Value, address: Address, mem: MemInfo) {
        self.push(InstData::Store {
            value,
            address,
            mask: None,
            mem,
        });
    }

    /// Goes to a block.
    pub fn jump(&mut self, block: Block, args: &[Value]) {
        self.push(InstData::Jump {
            target: BlockCall::new(block, args),
        });
    }

    /// Goes to one of two blocks.
    pub fn branch(&mut self, condition: Value, then: BlockCall, otherwise: BlockCall) {
        self.push(InstData::Branch {
            condition,
            targets: [then, otherwise],
        });
    }

    /// Leaves the function.
    pub fn ret(&mut self, values: &[Value]) {
        self.push(InstData::Return {
            values: ValueList::from_slice(values),
        });
    }
}
