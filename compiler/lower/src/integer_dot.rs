//! Dot products of integers (SPV_KHR_integer_dot_product).

use super::arithmetic::{clamp_int, resize_int};
use super::function::{Lowering, Result};
use super::value::Scalars;
use ir::*;
use rspirv::spirv::{Op, PackedVectorFormat};
use spirv::{Instruction, Type as SpirvType};

/// How many instructions are looked through for the loads of bytes.
const LOOK_BACK: usize = 100;

impl<'m> Lowering<'_, 'm> {
    /// What a narrower result than the sum can't hold is cut off or, in the saturating forms, clamped.
    pub(super) fn integer_dot(&mut self, inst: &Instruction<'m>) -> Result<()> {
        let op = match inst.op() {
            Op::SDot | Op::SDotAccSat => DotOp::SDot,
            Op::UDot | Op::UDotAccSat => DotOp::UDot,
            _ => DotOp::SUDot,
        };
        let signed = op.signed()[0];
        let saturating = matches!(inst.op(), Op::SDotAccSat | Op::UDotAccSat | Op::SUDotAccSat);
        let elem = self.result_elem(inst)?;
        let sides = [self.scalars(inst.word(0))?, self.scalars(inst.word(1))?];
        let packed = match self.spirv.value_type(inst.word(0)) {
            SpirvType::Int { width: 32 } => {
                let format = inst.word(if saturating { 3 } else { 2 });
                if format != PackedVectorFormat::PackedVectorFormat4x8Bit as u32 {
                    return Err(super::Failure::Unsupported);
                }
                Some([sides[0][0], sides[1][0]])
            }
            _ => match [self.four_bytes(&sides[0]), self.four_bytes(&sides[1])] {
                [Some(a), Some(b)] => Some([a, b]),
                _ => None,
            },
        };
        let mut sum = match packed {
            Some([a, b]) => {
                let zero = self.constant(Type::I32, 0);
                self.b().dot(op, a, b, zero)
            }
            None => self.sum_of_products(op, &sides, !saturating && elem.bits() <= 32)?,
        };
        if saturating {
            let accumulator = self.scalar(inst.word(2))?;
            let b = &mut self.b();
            let wide = if b.ty(sum).elem == elem { elem } else { Elem::I64 };
            let [exact, accumulator] = [sum, accumulator].map(|value| resize_int(b, wide, value, signed));
            sum = b.binary(if signed { BinaryOp::SAddSat } else { BinaryOp::UAddSat }, exact, accumulator);
            if wide != elem {
                sum = clamp_int(b, elem, sum, signed, signed);
            }
        }
        let result = resize_int(&mut self.b(), elem, sum, signed);
        self.define_scalar(inst, result);
        Ok(())
    }

    /// Component by component, in 64 bits; in 32 where that is exact, or `short` says that no more of the sum is wanted.
    fn sum_of_products(&mut self, op: DotOp, sides: &[Scalars; 2], short: bool) -> Result<Value> {
        let b = &mut self.b();
        let bytes = sides[0].first().is_some_and(|&first| b.ty(first).elem == Elem::I8);
        let wide = if bytes || short { Elem::I32 } else { Elem::I64 };
        let [x_signed, y_signed] = op.signed();
        let products = sides[0].iter().zip(&sides[1]).map(|(&x, &y)| {
            let (x, y) = (resize_int(b, wide, x, x_signed), resize_int(b, wide, y, y_signed));
            b.mul(x, y)
        });
        let products: Scalars = products.collect();
        products.into_iter().reduce(|x, y| b.add(x, y)).ok_or(super::Failure::Unsupported)
    }

    /// The integer whose four bytes these components are.
    pub(super) fn four_bytes(&mut self, components: &[Value]) -> Option<Value> {
        if components.len() != 4 || self.func.ty(components[0]) != Type::I8 {
            return None;
        }
        self.cut_up(components).or_else(|| self.loaded(components))
    }

    /// They were made of an integer.
    fn cut_up(&self, bytes: &[Value]) -> Option<Value> {
        let func = &self.func;
        let whole = |at: usize| match *func.def_data(bytes[at])? {
            InstData::Convert {
                op: ConvertOp::Trunc, arg, ..
            } => match *func.def_data(arg)? {
                InstData::Binary {
                    op: BinaryOp::LShr,
                    args: [whole, by],
                } if func.constant(by) == Some(8 * at as u64) => Some(whole),
                _ => None,
            },
            _ => None,
        };
        let first = whole(0)?;
        (func.ty(first) == Type::I32 && (1..4).all(|at| whole(at) == Some(first))).then_some(first)
    }

    /// They have just been loaded from memory that others than the work-item see; what is its own had better become values.
    fn loaded(&mut self, bytes: &[Value]) -> Option<Value> {
        let func = &self.func;
        let load = |at: usize| match *func.def_data(bytes[at])? {
            InstData::Load {
                address, mask: None, mem, ..
            } if !mem.flags.contains(MemFlags::VOLATILE) && mem.space != Space::Private => Some((address, mem)),
            _ => None,
        };
        let (address, mem) = load(0)?;
        let in_row = (1..4).all(|at| {
            load(at).is_some_and(|(next, other)| {
                let offset = next.offset - at as i32;
                Address { offset, ..next } == address && MemInfo { align: mem.align, ..other } == mem
            })
        });
        if !in_row {
            return None;
        }
        let mut missing = 4;
        for &inst in func.block(self.block).insts.iter().rev().take(LOOK_BACK) {
            let node = func.inst(inst);
            missing -= node.results.iter().filter(|result| bytes.contains(result)).count();
            if missing == 0 {
                let mut b = self.b();
                b.flags = Flags::empty();
                return Some(b.load(Type::I32, address, mem));
            }
            if node.data.has_side_effects() {
                return None;
            }
        }
        None
    }
}
