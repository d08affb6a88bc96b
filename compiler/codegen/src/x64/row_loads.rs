//! Loads of lanes that lie in rows, each of which starts where a scalar says: so come matrices that have fewer columns than there are lanes.

use super::encode::Size;
use super::machine::Amode;
use super::ops;
use super::parts::{Parts, Registers};
use super::selector::Selector;
use ir::{Address, BinaryOp, Elem, InstData, Type, Value, eval};
use target::costs::effort::FEW_OPERATIONS;

/// An integer in each lane: a constant, and a scalar so many times.
struct Sum {
    constants: Vec<i64>,
    scalar: Option<Value>,
    times: Vec<i64>,
}

/// What is contiguous is loaded at once, a piece of a register or a whole one.
pub struct Rows {
    piece: Size,
    scalar: Option<Value>,
    /// Where each piece is, behind the address' base: a scalar so many times, and so many bytes.
    starts: Vec<(u32, i32)>,
}

impl Selector<'_> {
    /// The rows of a load without a mask.
    pub fn rows(&self, ty: Type, address: &Address) -> Option<Rows> {
        let index = address.index.filter(|_| ty.elem != Elem::Mask && ty.is_vector())?;
        if self.func.ty(address.base).is_vector() || self.func.ty(index) != Type::vector(Elem::I64, ty.lanes) {
            return None;
        }
        let sum = self.sum(index, FEW_OPERATIONS)?;
        let bytes = ty.elem.bytes();
        let whole = self.part_size(ty.lanes, bytes);
        let sizes = [Size::Z, Size::Y, Size::X].into_iter();
        sizes.filter(|&size| size <= whole && size.bytes() <= ty.bytes()).find_map(|piece| {
            let lanes = (piece.bytes() / bytes) as usize;
            let pieces = sum.constants.chunks(lanes).zip(sum.times.chunks(lanes));
            let starts = pieces.map(|(constants, times)| start(address, bytes, constants, times));
            Some(Rows {
                piece,
                scalar: sum.scalar,
                starts: starts.collect::<Option<_>>()?,
            })
        })
    }

    pub fn load_rows(&mut self, ty: Type, address: &Address, rows: &Rows) -> Parts {
        let base = self.amode(&Address {
            index: None,
            offset: 0,
            ..*address
        });
        let base = match base.disp {
            0 => base,
            _ => Amode::reg(self.c.lea(base), 0),
        };
        let scalar = rows.scalar.map(|scalar| self.scalar(scalar));
        let pieces: Registers = rows
            .starts
            .iter()
            .map(|&(times, offset)| {
                let from = Address {
                    scale: times,
                    offset,
                    ..*address
                };
                let place = self.scaled(base, scalar.filter(|_| times > 0), &from);
                self.c.v2(&ops::VMOVUPS, rows.piece, place)
            })
            .collect();
        self.join_pieces_of(rows.piece, ty, ty.elem.bytes(), &pieces)
    }

    /// A vector of integers of 64 bits as such a sum. They wrap, and so does the sum.
    fn sum(&self, value: Value, depth: u32) -> Option<Sum> {
        let depth = depth.checked_sub(1)?;
        let lanes = usize::from(self.func.ty(value).lanes);
        if let Some(constants) = eval::constant_lanes(self.func, value) {
            return Some(Sum {
                constants: constants.into_iter().map(|lane| lane as i64).collect(),
                scalar: None,
                times: vec![0; lanes],
            });
        }
        if let Some(scalar) = self.func.splatted(value) {
            // What was loaded straight into all lanes is in no register.
            return (!self.folded_loads.contains_key(&scalar)).then(|| Sum {
                constants: vec![0; lanes],
                scalar: Some(scalar),
                times: vec![1; lanes],
            });
        }
        let &InstData::Binary { op, args: [a, b] } = self.func.def_data(value)? else {
            return None;
        };
        let (a, b) = (self.sum(a, depth)?, self.sum(b, depth)?);
        let each = |of: &[i64], by: &[i64], compute: fn(i64, i64) -> i64| of.iter().zip(by).map(|(&a, &b)| compute(a, b)).collect();
        let (of, by) = if a.scalar.is_some() { (&a, &b) } else { (&b, &a) };
        match op {
            BinaryOp::Add if by.scalar.is_none() || by.scalar == of.scalar => Some(Sum {
                constants: each(&of.constants, &by.constants, i64::wrapping_add),
                scalar: of.scalar,
                times: each(&of.times, &by.times, i64::wrapping_add),
            }),
            BinaryOp::Mul if by.scalar.is_none() => Some(Sum {
                constants: each(&of.constants, &by.constants, i64::wrapping_mul),
                scalar: of.scalar,
                times: each(&of.times, &by.constants, i64::wrapping_mul),
            }),
            BinaryOp::Shl if b.scalar.is_none() => {
                let shift: fn(i64, i64) -> i64 = |a, by| a.wrapping_shl(by as u32);
                Some(Sum {
                    constants: each(&a.constants, &b.constants, shift),
                    scalar: a.scalar,
                    times: each(&a.times, &b.constants, shift),
                })
            }
            _ => None,
        }
    }
}

/// Where neighbouring lanes start, if they are contiguous.
fn start(address: &Address, bytes: u32, constants: &[i64], times: &[i64]) -> Option<(u32, i32)> {
    let scale = i64::from(address.scale);
    let place = |lane: usize| constants[lane].checked_mul(scale);
    let first = place(0)?;
    let beside = |lane: usize| times[lane] == times[0] && place(lane) == first.checked_add(i64::from(bytes) * lane as i64);
    if !(0..constants.len()).all(beside) {
        return None;
    }
    let offset = first.checked_add(i64::from(address.offset))?;
    Some((u32::try_from(times[0].checked_mul(scale)?).ok()?, i32::try_from(offset).ok()?))
}
