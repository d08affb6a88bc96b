//! Bytes and bits in reverse order, of which programs make shifts, masks and sums.
//!
//! ```c
//! x >> 24 | x >> 8 & 0xff00 | (x & 0xff00) << 8 | x << 24                 // byte_swap(x)
//! v = v >> 1 & 0x55555555 | (v & 0x55555555) << 1; … v >> 16 | v << 16    // bit_reverse(v)
//! ```
//!
//! Of each value it is known which bit of one other value each of its bits is, or that it is 0. What has the bits of a reversed value in their order,
//! moved or with some of them 0, is that value, a shift and a mask.

use ir::*;
use rustc_hash::{FxHashMap, FxHashSet};
use target::costs::bit_permutations::{FEWER, REVERSED_BITS};

/// A bit that is 0, in place of the number of the source's.
const ZERO: u8 = u8::MAX;

/// Where a value's bits come from.
#[derive(Clone, PartialEq, Debug)]
struct Bits {
    source: Value,
    /// By bit of the value: which bit of the source it is, or [`ZERO`].
    from: [u8; 64],
}

impl Bits {
    fn of(func: &Function, source: Value) -> Bits {
        let bits = func.ty(source).elem.bits() as usize;
        let from = std::array::from_fn(|bit| if bit < bits { bit as u8 } else { ZERO });
        Bits { source, from }
    }

    /// The value whose bits are those that `place` says of this one's.
    fn moved(&self, place: impl Fn(usize) -> Option<usize>) -> Bits {
        let from = std::array::from_fn(|bit| place(bit).map_or(ZERO, |bit| self.from[bit]));
        Bits { from, ..*self }
    }

    /// A sum of two where no bit is in both.
    fn plus(&self, other: &Bits) -> Option<Bits> {
        let apart = || self.from.iter().zip(&other.from).all(|(&a, &b)| a == ZERO || b == ZERO);
        (self.source == other.source && apart()).then(|| Bits {
            source: self.source,
            from: std::array::from_fn(|bit| self.from[bit].min(other.from[bit])),
        })
    }
}

/// Replaces them; what they were made of is left for `dce`. True if there were some.
pub fn run(func: &mut Function) -> bool {
    let sums = |inst: Inst| matches!(func.inst(inst).data, InstData::Binary { op, args } if is_sum(op) && args.iter().all(|&arg| selects(func, arg)));
    if !func.insts().any(sums) {
        return false;
    }
    let mut known = FxHashMap::default();
    for inst in func.insts() {
        if let &[result] = func.inst(inst).results.as_slice()
            && func.ty(result).elem.is_int()
            && let Some(bits) = bits(func, &known, inst)
        {
            known.insert(result, bits);
        }
    }
    func.expand(|func, block, inst| {
        let &InstData::Binary { op, .. } = &func.inst(inst).data else {
            return None;
        };
        let result = func.result(inst);
        let is_last = is_sum(op) || matches!(op, BinaryOp::RotL | BinaryOp::RotR);
        let bits = known.get(&result).filter(|_| is_last)?;
        let elem = func.ty(result).elem;
        let reversed = [UnaryOp::BitReverse, UnaryOp::ByteSwap];
        let found = reversed.into_iter().find_map(|op| Reversed::of(bits, op, elem))?;
        let enough = found.operations(func, bits.source, elem);
        has_operations(func, &known, result, bits.source, enough).then(|| found.write(&mut Builder::new(func, block), bits.source, elem))
    })
}

fn is_sum(op: BinaryOp) -> bool {
    matches!(op, BinaryOp::Or | BinaryOp::Xor | BinaryOp::Add)
}

/// It takes some bits of another value, or is a sum of such.
fn selects(func: &Function, value: Value) -> bool {
    match func.def_data(value) {
        Some(InstData::Binary { op, args }) => is_sum(*op) || amount(func, *op, args[1]).is_some(),
        Some(InstData::Convert { op: ConvertOp::ZExt, .. }) => true,
        _ => false,
    }
}

/// The constant that a shift, a rotation or a mask goes by.
fn amount(func: &Function, op: BinaryOp, arg: Value) -> Option<u64> {
    use BinaryOp::*;
    matches!(op, And | Shl | LShr | RotL | RotR).then(|| func.constant(arg)).flatten()
}

/// Where the bits of an instruction's result come from, if from one value.
fn bits(func: &Function, known: &FxHashMap<Value, Bits>, inst: Inst) -> Option<Bits> {
    let of = |value: Value| known.get(&value).cloned().unwrap_or_else(|| Bits::of(func, value));
    let width = func.ty(func.result(inst)).elem.bits() as usize;
    match func.inst(inst).data {
        InstData::Binary { op, args: [a, b] } if is_sum(op) => known.get(&a)?.plus(known.get(&b)?),
        InstData::Binary { op, args: [a, b] } => {
            let constant = amount(func, op, b)?;
            let by = constant as usize % width;
            let inside = |bit: usize| (bit < width).then_some(bit);
            Some(of(a).moved(|bit| match op {
                BinaryOp::And => (constant >> bit & 1 == 1).then_some(bit),
                BinaryOp::Shl => inside(bit)?.checked_sub(by),
                BinaryOp::LShr => inside(bit + by),
                BinaryOp::RotL => Some((inside(bit)? + width - by) % width),
                _ => Some((inside(bit)? + by) % width),
            }))
        }
        InstData::Convert {
            op: ConvertOp::Trunc | ConvertOp::ZExt,
            arg,
            ..
        } if func.ty(arg).elem.is_int() => Some(of(arg).moved(|bit| (bit < width).then_some(bit))),
        InstData::Unary {
            op: op @ (UnaryOp::BitReverse | UnaryOp::ByteSwap),
            arg,
        } => Some(of(arg).moved(|bit| (bit < width).then(|| reversed(op, width, bit)))),
        _ => None,
    }
}

/// The bit of a number of `width` bits that the operation puts in the place of another.
fn reversed(op: UnaryOp, width: usize, bit: usize) -> usize {
    match op {
        UnaryOp::BitReverse => width - 1 - bit,
        _ => width - 8 - bit / 8 * 8 + bit % 8,
    }
}

/// A reversed value, shifted, and the bits of it that are kept.
struct Reversed {
    op: UnaryOp,
    /// Bits to the right; to the left where it is less than 0.
    shift: i64,
    mask: Option<u64>,
}

impl Reversed {
    /// What has these bits, if anything that begins with the operation.
    fn of(bits: &Bits, op: UnaryOp, elem: Elem) -> Option<Reversed> {
        let width = elem.bits() as usize;
        let first = bits.from.iter().position(|&from| from != ZERO)?;
        let is_inside = bits.from.iter().all(|&from| from == ZERO || usize::from(from) < width);
        if !is_inside || op == UnaryOp::ByteSwap && width == 8 {
            return None;
        }
        // (Either is its own inverse.)
        let shift = reversed(op, width, bits.from[first].into()) as i64 - first as i64;
        let (mut kept, mut there) = (0u64, 0u64);
        for (bit, &from) in bits.from.iter().enumerate().take(width) {
            let place = bit as i64 + shift;
            let would_be = (0..width as i64).contains(&place).then(|| reversed(op, width, place as usize));
            there |= u64::from(would_be.is_some()) << bit;
            kept |= u64::from(from != ZERO) << bit;
            if from != ZERO && would_be != Some(from.into()) {
                return None;
            }
        }
        let mask = (kept != there).then_some(kept);
        Some(Reversed { op, shift, mask })
    }

    /// Operations that are many enough to have these instead.
    fn operations(&self, func: &Function, source: Value, elem: Elem) -> usize {
        let least = match self.op {
            UnaryOp::BitReverse => REVERSED_BITS,
            _ => 1,
        };
        let converted = usize::from(func.ty(source).elem != elem);
        least + converted + usize::from(self.shift != 0) + usize::from(self.mask.is_some()) + FEWER
    }

    fn write(&self, b: &mut Builder, source: Value, elem: Elem) -> Value {
        let whole = match b.ty(source).elem {
            from if from == elem => source,
            from if from.bits() > elem.bits() => b.convert(ConvertOp::Trunc, elem, source),
            _ => b.convert(ConvertOp::ZExt, elem, source),
        };
        let mut value = b.unary(self.op, whole);
        match self.shift {
            0 => {}
            right @ 1.. => value = b.binary_imm(BinaryOp::LShr, value, right),
            left => value = b.binary_imm(BinaryOp::Shl, value, -left),
        }
        match self.mask {
            Some(mask) => b.binary_imm(BinaryOp::And, value, mask as i64),
            None => value,
        }
    }
}

/// Whether there are so many operations between a value and its source.
fn has_operations(func: &Function, known: &FxHashMap<Value, Bits>, value: Value, source: Value, enough: usize) -> bool {
    let (mut seen, mut work) = (FxHashSet::default(), vec![value]);
    while let Some(value) = work.pop()
        && seen.len() < enough
    {
        if value == source || !known.contains_key(&value) || !seen.insert(value) {
            continue;
        }
        if let Some(data) = func.def_data(value) {
            data.for_each_operand(|&operand| work.push(operand));
        }
    }
    seen.len() >= enough
}
