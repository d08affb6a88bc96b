//! Cheap values are computed again behind a barrier instead of being kept in memory across it.
//!
//! Each block gets its own copy of the cheap values that it uses: ids, constants, sums of what all gangs share. Copies within a region
//! are merged again by common-subexpression elimination.

use super::vectorize::GangFunction;
use analysis::uniformity::Extent;
use ir::*;
use rustc_hash::FxHashMap;
use target::costs::OPERATIONS_FOR_SPILL;

/// Copies cheap values into the blocks that use them.
pub fn sink(gang: &mut GangFunction) {
    let mut costs: FxHashMap<Value, Option<u32>> = FxHashMap::default();
    for block in gang.func.layout.clone() {
        let insts = std::mem::take(&mut gang.func.block_mut(block).insts);
        let own: rustc_hash::FxHashSet<Inst> = insts.iter().copied().collect();
        let mut copies: FxHashMap<Value, Value> = FxHashMap::default();
        for inst in insts {
            let mut data = gang.func.inst(inst).data.clone();
            let mut changed = false;
            data.for_each_operand_mut(|operand| {
                let new = copy(gang, block, *operand, &own, &mut copies, &mut costs);
                changed |= new != *operand;
                *operand = new;
            });
            if changed {
                gang.func.replace(inst, data);
            }
            gang.func.block_mut(block).insts.push(inst);
        }
    }
}

fn copy(
    gang: &mut GangFunction,
    block: Block,
    value: Value,
    own: &rustc_hash::FxHashSet<Inst>,
    copies: &mut FxHashMap<Value, Value>,
    costs: &mut FxHashMap<Value, Option<u32>>,
) -> Value {
    if let Some(&copy) = copies.get(&value) {
        return copy;
    }
    let Some(inst) = gang.func.def_inst(value) else { return value };
    if own.contains(&inst) || cost(gang, value, costs).is_none() || is_carried(gang, value) {
        return value;
    }
    let mut data = gang.func.inst(inst).data.clone();
    data.for_each_operand_mut(|operand| *operand = copy(gang, block, *operand, own, copies, costs));
    let flags = gang.func.inst(inst).flags;
    let inst = gang.func.append(block, data, flags);
    let new = gang.func.result(inst);
    gang.shared[new] = gang.shared[value];
    copies.insert(value, new);
    new
}

/// What the group shares is carried from region to region in registers, unless all groups share it: then it is made before all.
fn is_carried(gang: &GangFunction, value: Value) -> bool {
    gang.shared[value] <= Extent::Group && !is_of_launch(gang, value, OPERATIONS_FOR_SPILL)
}

/// It is made of arguments, and what is free to make; loops over gangs and groups leave it to the entry.
fn is_of_launch(gang: &GangFunction, value: Value, depth: u32) -> bool {
    let Some(data) = gang.func.def_data(value) else { return false };
    if matches!(data, InstData::Const { .. } | InstData::Builtin { .. }) {
        return true;
    }
    let always = MemFlags::INVARIANT | MemFlags::DEREFERENCEABLE;
    let again = match data {
        InstData::Load { mem, mask: None, .. } => mem.flags.contains(always),
        InstData::Binary { op, .. } => !op.is_int_division(),
        InstData::Convert { .. } => true,
        _ => false,
    };
    let mut made = again && depth > 0 && gang.shared[value] == Extent::Launch;
    data.for_each_operand(|&operand| made = made && is_of_launch(gang, operand, depth - 1));
    made
}

/// How many operations it takes to make the value from what is there anyway; none where it can't be made again.
fn cost(gang: &GangFunction, value: Value, costs: &mut FxHashMap<Value, Option<u32>>) -> Option<u32> {
    if gang.shared[value] <= Extent::Group {
        return Some(0);
    }
    if let Some(&known) = costs.get(&value) {
        return known;
    }
    costs.insert(value, None);
    let result = (|| {
        let data = gang.func.def_data(value)?;
        let cheap = data.is_pure()
            && !matches!(data, InstData::CallRuntime { .. })
            && !matches!(data, InstData::Binary { op, .. } if op.is_int_division() || matches!(op, BinaryOp::FDiv | BinaryOp::FRem))
            && !matches!(data, InstData::Unary { op: UnaryOp::Sqrt, .. })
            && !matches!(
                data,
                InstData::Lane {
                    op: LaneOp::Reduce(_) | LaneOp::InclusiveScan(_) | LaneOp::ExclusiveScan(_),
                    ..
                }
            );
        if !cheap {
            return None;
        }
        let mut total = u32::from(!matches!(data, InstData::Const { .. } | InstData::Builtin { .. }));
        let mut operands = ValueList::new();
        data.for_each_operand(|&operand| operands.push(operand));
        for operand in operands {
            total += cost(gang, operand, costs)?;
        }
        (total <= OPERATIONS_FOR_SPILL).then_some(total)
    })();
    costs.insert(value, result);
    result
}
