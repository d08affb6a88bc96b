//! Numbers made of ids, as programs make indices and bounds of them, with their ranges.
//!
//! What group formation looks for is here: sums and products that grow from lane to lane, in 32 bits and in 64, masks, shifts and
//! divisions by constants and by what the launch fixes, numbers below zero, and promises that nothing wraps where that is so.

use super::generator::Generator;
use super::{Random, Range};
use ir::*;

/// Numbers among the arguments: a bound of the ids, a divisor, a distance, and turns of a loop.
pub(super) const UNIFORMS: usize = 4;
const DIVISOR: usize = 1;
pub(super) const TURNS: usize = 3;

pub(super) fn uniforms(random: &mut Random, range: &Range) -> [i64; UNIFORMS] {
    [
        (range.offset[0] + range.global[0]) as i64 + 3 - random.below(9) as i64,
        1 + random.below(40) as i64,
        1 + random.below(3) as i64,
        random.below(6) as i64,
    ]
}

/// A value, and the range that it is in, seen as a signed number.
#[derive(Clone, Copy, Debug)]
pub(super) struct Number {
    pub value: Value,
    pub ty: Type,
    pub min: i128,
    pub max: i128,
}

const CONSTANTS: [i64; 24] = [
    0,
    1,
    1,
    2,
    3,
    4,
    5,
    7,
    8,
    15,
    16,
    31,
    100,
    -1,
    -2,
    -5,
    -16,
    i32::MAX as i64,
    1 << 31,
    i32::MIN as i64,
    u32::MAX as i64,
    1 << 32,
    i64::MAX,
    i64::MIN,
];

fn bounds(ty: Type) -> (i128, i128) {
    let half = 1i128 << (ty.elem.bits() - 1);
    (-half, half - 1)
}

impl Generator<'_> {
    /// A number of either size, with `steps` operations at most.
    pub fn number(&mut self, steps: u64) -> Number {
        let mut number = self.id();
        for _ in 0..self.random.below(steps + 1) {
            number = self.step(number);
        }
        number
    }

    fn known(&mut self, value: Value, min: u64, max: u64) -> Number {
        Number {
            value,
            ty: self.b.ty(value),
            min: min.into(),
            max: max.into(),
        }
    }

    fn id(&mut self) -> Number {
        let Range { offset, global, local } = self.range;
        let d = if self.random.one_in(3) { self.random.below(3) as usize } else { 0 };
        if let Some(&(slot, ty, turns)) = self.counters.last()
            && self.random.one_in(3)
        {
            let value = self.read((slot, ty));
            return self.known(value, 0, turns as u64);
        }
        let (builtin, min, max) = match self.random.below(10) {
            0..=3 => (Builtin::GlobalId, offset[d], offset[d] + global[d] - 1),
            4 => (Builtin::LocalId, 0, local[d] - 1),
            5 => (Builtin::GroupId, 0, global[d].div_ceil(local[d]) - 1),
            6 => (Builtin::GlobalLinearId, 0, self.range.items() - 1),
            7 => (Builtin::LocalLinearId, 0, self.range.group_items() - 1),
            8 if self.kinds.sub_groups => (Builtin::SubGroupLocalId, 0, 63),
            _ => (Builtin::GlobalSize, global[d], global[d]),
        };
        let d = if builtin.has_dimension() { d as u8 } else { 0 };
        let value = self.b.builtin(builtin, d);
        self.known(value, min, max)
    }

    /// A number that is less than the work-items of the launch, or of a group.
    pub fn small_id(&mut self) -> Number {
        let Range { offset, global, .. } = self.range;
        if self.random.one_in(3) {
            let builtin = *self.random.choose(&[Builtin::GlobalLinearId, Builtin::LocalLinearId]);
            let value = self.b.builtin(builtin, 0);
            return self.known(value, 0, self.range.items() - 1);
        }
        let d = self.random.below(2) as u8;
        let id = self.b.builtin(Builtin::GlobalId, d);
        let id = self.known(id, offset[d as usize], offset[d as usize] + global[d as usize] - 1);
        self.without_offset(id, d)
    }

    /// A global id as it would be without an offset.
    pub fn without_offset(&mut self, id: Number, d: u8) -> Number {
        let offset = self.range.offset[d as usize];
        if offset == 0 && self.random.one_in(2) {
            return id;
        }
        let start = match self.random.one_in(2) {
            true => self.b.builtin(Builtin::GlobalOffset, d),
            false => self.b.i64(offset as i64),
        };
        let start = self.known(start, offset, offset);
        self.exact(BinaryOp::Sub, id, start)
    }

    pub fn uniform(&mut self, which: usize) -> Number {
        let mem = MemInfo {
            flags: MemFlags::INVARIANT | MemFlags::DEREFERENCEABLE,
            ..MemInfo::new(Space::Constant, 8)
        };
        let Some(roots) = self.roots else { return self.plain(Type::I64, 1) };
        let number = self.uniforms[which];
        let ty = match i32::try_from(number).is_ok() && self.random.one_in(2) {
            true => Type::I32,
            false => Type::I64,
        };
        let address = Address::offset(roots.arguments, 8 * (super::ARGUMENTS - UNIFORMS + which) as i32);
        Number {
            value: self.b.load(ty, address, mem),
            ty,
            min: number.into(),
            max: number.into(),
        }
    }

    pub fn plain(&mut self, ty: Type, number: i64) -> Number {
        let number = if ty == Type::I32 { i64::from(number as i32) } else { number };
        Number {
            value: self.b.constant(ty, number as u64),
            ty,
            min: number.into(),
            max: number.into(),
        }
    }

    /// The same number in a type, or what is left of it there.
    pub fn resized(&mut self, number: Number, ty: Type) -> Number {
        let (from, to) = (number.ty.elem.bits(), ty.elem.bits());
        let op = match from < to {
            _ if from == to => return number,
            true if self.random.one_in(3) => ConvertOp::ZExt,
            true => ConvertOp::SExt,
            false => ConvertOp::Trunc,
        };
        let value = self.b.convert(op, ty.elem, number.value);
        let (min, max) = match op {
            ConvertOp::ZExt if number.min < 0 => (0, u32::MAX.into()),
            _ => (number.min, number.max),
        };
        let (least, most) = bounds(ty);
        match least <= min && max <= most {
            true => Number { value, ty, min, max },
            false => Number {
                value,
                ty,
                min: least,
                max: most,
            },
        }
    }

    /// A sum, difference, product or shift, with the promises that hold.
    pub fn exact(&mut self, op: BinaryOp, a: Number, b: Number) -> Number {
        let b = self.resized(b, a.ty);
        let over = |f: fn(i128, i128) -> i128| {
            let ends = [f(a.min, b.min), f(a.min, b.max), f(a.max, b.min), f(a.max, b.max)];
            (ends.iter().copied().min().unwrap_or(0), ends.iter().copied().max().unwrap_or(0))
        };
        let (min, max) = match op {
            BinaryOp::Add => over(|a, b| a + b),
            BinaryOp::Sub => over(|a, b| a - b),
            BinaryOp::Mul => over(|a, b| a.saturating_mul(b)),
            _ => over(|a, b| a << b),
        };
        let (least, most) = bounds(a.ty);
        let fits = least <= min && max <= most;
        if fits && self.random.one_in(2) {
            self.b.flags |= Flags::NSW;
        }
        if fits && a.min >= 0 && b.min >= 0 && min >= 0 && self.random.one_in(3) {
            self.b.flags |= Flags::NUW;
        }
        let value = self.b.binary(op, a.value, b.value);
        self.b.flags = Flags::empty();
        let (min, max) = if fits { (min, max) } else { (least, most) };
        Number { value, ty: a.ty, min, max }
    }

    /// The last operation of a number.
    pub fn step(&mut self, x: Number) -> Number {
        use BinaryOp::*;
        let ty = x.ty;
        let (least, most) = bounds(ty);
        let bits = i64::from(ty.elem.bits());
        let constant = *self.random.choose(&CONSTANTS);
        let small = *self.random.choose(&[1, 2, 3, 4, 5, 8, 10, 16, 64]);
        let natural = x.min >= 0;
        let made = |this: &mut Self, op, with: i64, (min, max): (i128, i128)| {
            let value = this.b.binary_imm(op, x.value, with);
            Number {
                value,
                ty,
                min: min.max(least),
                max: max.min(most),
            }
        };
        match self.random.below(14) {
            0 | 1 => {
                let (op, by) = (*self.random.choose(&[Add, Sub]), self.plain(ty, constant));
                self.exact(op, x, by)
            }
            2 => {
                let from = self.plain(ty, constant);
                self.exact(Sub, from, x)
            }
            3 | 4 => {
                let by = if self.random.one_in(4) { -small } else { small };
                let by = if self.random.one_in(4) {
                    self.uniform(2)
                } else {
                    self.plain(ty, by)
                };
                self.exact(Mul, x, by)
            }
            5 => {
                let by = self.plain(ty, small % 7);
                self.exact(Shl, x, by)
            }
            6 => {
                let with = self.plain(ty, constant);
                let (min, max) = match (natural, with.min >= 0) {
                    (true, true) => (0, x.max.min(with.max)),
                    (true, false) => (0, x.max),
                    (false, true) => (0, with.max),
                    _ => (least, most),
                };
                made(self, And, constant, (min, max))
            }
            7 => {
                let by = small % bits;
                match (self.random.one_in(2), natural) {
                    (true, _) => made(self, AShr, by, (x.min >> by, x.max >> by)),
                    (_, true) => made(self, LShr, by, (x.min >> by, x.max >> by)),
                    (_, false) if by > 0 => made(self, LShr, by, (0, (1 << (bits - by)) - 1)),
                    _ => x,
                }
            }
            8 => {
                let by = i128::from(small);
                let unsigned = (1i128 << bits) - 1;
                match (self.random.one_in(2), natural) {
                    (true, _) => made(self, URem, small, (0, by - 1)),
                    (_, true) => made(self, UDiv, small, (x.min / by, x.max / by)),
                    _ if small > 1 => made(self, UDiv, small, (0, unsigned / by)),
                    _ => x,
                }
            }
            9 => {
                // (Not by -1, which the least number can't be divided by.)
                let by = if self.random.one_in(3) { -small - 1 } else { small };
                let wide = i128::from(by);
                if self.random.one_in(2) {
                    let ends = [x.min / wide, x.max / wide];
                    return made(self, SDiv, by, (ends[0].min(ends[1]), ends[0].max(ends[1])));
                }
                let most = wide.abs() - 1;
                let range = (if natural { 0 } else { -most }, if x.max <= 0 { 0 } else { most });
                made(self, SRem, by, range)
            }
            10 if natural => {
                let by = self.uniform(DIVISOR);
                let by = self.resized(by, ty);
                let (op, min, max) = match self.random.below(4) {
                    0 => (UDiv, x.min / by.max, x.max / by.max),
                    1 => (SDiv, x.min / by.max, x.max / by.max),
                    2 => (SRem, 0, by.max - 1),
                    _ => (URem, 0, by.max - 1),
                };
                let value = self.b.binary(op, x.value, by.value);
                Number { value, ty, min, max }
            }
            11 => {
                let with = self.plain(ty, constant);
                let op = *self.random.choose(&[SMin, SMax, UMin, UMax]);
                let (min, max) = match op {
                    SMin => (x.min.min(with.min), x.max.min(with.max)),
                    SMax => (x.min.max(with.min), x.max.max(with.max)),
                    UMin if natural && with.min >= 0 => (x.min.min(with.min), x.max.min(with.max)),
                    UMax if natural && with.min >= 0 => (x.min.max(with.min), x.max.max(with.max)),
                    _ => (least, most),
                };
                made(self, op, constant, (min, max))
            }
            12 => {
                let other = self.id();
                let by = self.plain(other.ty, small);
                let other = self.exact(Mul, other, by);
                self.exact(Add, x, other)
            }
            _ => self.resized(x, if ty == Type::I32 { Type::I64 } else { Type::I32 }),
        }
    }

    /// A number is compared with a bound.
    pub fn bound(&mut self) -> Value {
        let x = self.number(2);
        let bound = match self.random.below(5) {
            0 | 1 => {
                let span = (x.max - x.min).clamp(0, 100) as u64;
                let near = (x.min + i128::from(self.random.below(span + 3)) - 1).clamp(i64::MIN.into(), i64::MAX.into());
                self.plain(x.ty, near as i64)
            }
            2 => self.uniform(0),
            3 => self.number(2),
            _ => {
                let constant = *self.random.choose(&CONSTANTS);
                self.plain(x.ty, constant)
            }
        };
        let bound = self.resized(bound, x.ty);
        let (cc, _) = *self.random.choose(IntCc::NAMES);
        match self.random.one_in(4) {
            true => self.b.icmp(cc, bound.value, x.value),
            false => self.b.icmp(cc, x.value, bound.value),
        }
    }
}
