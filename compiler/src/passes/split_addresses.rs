//! Addresses as machines have them: what an access can't do itself becomes instructions, which are merged and leave loops.
//!
//! [`super::fold`] puts whatever it can into `base + index * scale + offset`, since group formation understands that. A machine's access
//! takes an index of 64 bits times 1, 2, 4 or 8. Sign extensions of indices and products with other scales are written out here, after
//! the last folding.

use crate::ir::*;

/// Splits. True if something changed.
pub fn run(func: &mut Function) -> bool {
    let mut changed = false;
    for index in 0..func.layout.len() {
        let block = func.layout[index];
        for inst in std::mem::take(&mut func.block_mut(block).insts) {
            let mut data = func.inst(inst).data.clone();
            if let Some(address) = address(&mut data)
                && split(func, block, address)
            {
                func.replace(inst, data);
                changed = true;
            }
            func.block_mut(block).insts.push(inst);
        }
    }
    changed
}

fn address(data: &mut InstData) -> Option<&mut Address> {
    match data {
        InstData::Load { address, .. }
        | InstData::Store { address, .. }
        | InstData::LoadInterleaved { address, .. }
        | InstData::StoreInterleaved { address, .. } => Some(address),
        _ => None,
    }
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
    let mut index = if narrow {
        b.convert(ConvertOp::SExt, Elem::I64, index)
    } else {
        index
    };
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
