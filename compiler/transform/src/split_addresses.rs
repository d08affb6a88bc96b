//! Addresses as machines have them: what an access can't do itself becomes instructions, which are merged and leave loops.
//!
//! [`super::fold`] puts whatever it can into `base + index * scale + offset`, since group formation understands that. A machine's access
//! takes an index of 64 bits times 1, 2, 4 or 8. Sign extensions of indices and products with other scales are written out here, after
//! the last folding. Of lanes that are a known way from each other, the common part becomes the base.

use analysis::access::uniform_and_rest;
use ir::*;
use smallvec::SmallVec;

/// Splits. True if something changed.
pub fn run(func: &mut Function) -> bool {
    let mut changed = false;
    for index in 0..func.layout.len() {
        let block = func.layout[index];
        for inst in func.take_insts(block) {
            if let Some(&mut mut after) = func.inst_mut(inst).data.address_mut()
                && split_lanes(func, block, &mut after) | split(func, block, &mut after)
            {
                func.inst_mut(inst).data.address_mut().expect("it has one").clone_from(&after);
                changed = true;
            }
            func.block_mut(block).insts.push(inst);
        }
    }
    changed
}

/// `splat(x) + constants` as base or index: the sum of all that lanes share becomes the base, the constants the index.
fn split_lanes(func: &mut Function, block: Block, address: &mut Address) -> bool {
    let is_vector = |value: Value| func.ty(value).is_vector();
    match address.index {
        index if is_vector(address.base) && !index.is_some_and(is_vector) => {
            let Some((shared, steps)) = shared_and_steps(func, address.base) else {
                return false;
            };
            let mut b = Builder::new(func, block);
            let sum = shared.into_iter().reduce(|sum, part| b.add(sum, part));
            address.base = sum.expect("something is shared");
            if let Some(index) = index {
                address.base = plus_scaled(func, block, address, index);
            }
            (address.index, address.scale) = (Some(steps), 1);
            true
        }
        Some(index) if is_vector(index) && !is_vector(address.base) => {
            let Some((shared, steps)) = shared_and_steps(func, index) else {
                return false;
            };
            for part in shared {
                address.base = plus_scaled(func, block, address, part);
            }
            address.index = Some(steps);
            true
        }
        Some(index) if is_vector(index) => split_copies(func, block, address, index),
        _ => false,
    }
}

/// `splat(x) + constants` as base of lanes' indices, as in private arrays of which each lane has a copy: indices of 32 bits take in the scale and the constants
/// if these are known to fit, and the base is a scalar.
fn split_copies(func: &mut Function, block: Block, address: &mut Address, index: Value) -> bool {
    let (ty, scale) = (func.ty(index), address.scale);
    let Some((shared, steps)) = shared_and_steps(func, address.base) else {
        return false;
    };
    let farthest = eval::constant_lanes(func, steps).and_then(|lanes| lanes.into_iter().max());
    let (Some(farthest), true) = (farthest, ty.elem == Elem::I32 && scale.is_power_of_two()) else {
        return false;
    };
    let most = (1u64 << significant::bits(func, index, significant::DEPTH)) - 1;
    let fits = |last: u64| last <= i32::MAX as u64;
    if !(most * u64::from(scale)).checked_add(farthest).is_some_and(fits) {
        return false;
    }
    let mut b = Builder::new(func, block);
    let base = shared.into_iter().reduce(|sum, part| b.add(sum, part));
    let scaled = b.binary_imm(BinaryOp::Shl, index, i64::from(scale.ilog2()));
    let steps = b.convert(ConvertOp::Trunc, Elem::I32, steps);
    let index = b.add(scaled, steps);
    *address = Address {
        base: base.expect("something is shared"),
        index: Some(index),
        scale: 1,
        ..*address
    };
    true
}

/// The base and a scaled index.
fn plus_scaled(func: &mut Function, block: Block, address: &Address, index: Value) -> Value {
    let mut b = Builder::new(func, block);
    let index = Some(index);
    b.base_and_index(&Address { index, ..*address })
}

/// A vector as scalars and constants whose sum it is, over all integers.
fn shared_and_steps(func: &Function, value: Value) -> Option<(SmallVec<[Value; 2]>, Value)> {
    let (mut shared, mut rest) = (SmallVec::new(), value);
    while shared.is_empty() || eval::constant_lanes(func, rest).is_none() {
        let (one, others) = uniform_and_rest(func, rest).next()?;
        shared.push(one);
        rest = others;
    }
    Some((shared, rest))
}

fn split(func: &mut Function, block: Block, address: &mut Address) -> bool {
    // Lanes of indices are extended and scaled by gathers.
    let Some(index) = address.index.filter(|&index| !func.ty(index).is_vector()) else {
        return false;
    };
    let narrow = func.ty(index).elem != Elem::I64;
    let direct = matches!(address.scale, 1 | 2 | 4 | 8);
    if direct && !narrow {
        return false;
    }
    let mut b = Builder::new(func, block);
    let mut index = b.convert(ConvertOp::SExt, Elem::I64, index);
    if !direct {
        index = match address.scale {
            scale if scale.is_power_of_two() => b.binary_imm(BinaryOp::Shl, index, i64::from(scale.ilog2())),
            scale => b.binary_imm(BinaryOp::Mul, index, i64::from(scale)),
        };
        address.scale = 1;
    }
    address.index = Some(index);
    true
}
