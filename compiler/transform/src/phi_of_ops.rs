//! Where ways meet that have computed the same number, each for itself, it is computed once more instead of being handed over.
//!
//! Compilers sink a store that ends both sides of a branch to where they meet, with the index of either side. As a parameter that comes by
//! two ways it may be anything; computed there it is seen to grow from lane to lane.

use ir::cfg::reverse_postorder;
use ir::*;
use target::costs::code_size::PHI_OPERATIONS;

/// Replaces parameters of blocks. True if there were some; they are left for `dce`.
pub fn run(func: &mut Function) -> bool {
    let order = reverse_postorder(func);
    let mut incoming: rustc_hash::FxHashMap<Block, Vec<BlockCall>> = Default::default();
    for &block in &order {
        for target in func.terminator(block).targets() {
            if !func.block(target.block).params.is_empty() {
                incoming.entry(target.block).or_default().push(target.clone());
            }
        }
    }
    let mut map = ValueMap::default();
    for &block in &order[1..] {
        let Some(calls) = incoming.get(&block).filter(|calls| calls.len() > 1) else {
            continue;
        };
        for (index, param) in func.block(block).params.clone().into_iter().enumerate() {
            let first = calls[0].args[index];
            let is_number = matches!(func.ty(param), Type::I32 | Type::I64);
            let is_made = func.def_data(first).is_some_and(InstData::is_pure) && func.constant(first).is_none();
            let alike = |call: &BlockCall| call.args[index] != first && alike(func, first, call.args[index], &mut { PHI_OPERATIONS });
            if is_number && is_made && calls[1..].iter().all(alike) {
                let others: Vec<Value> = calls[1..].iter().map(|call| call.args[index]).collect();
                let rest = std::mem::take(&mut func.block_mut(block).insts);
                let value = again(func, block, first, &others);
                func.block_mut(block).insts.extend(rest);
                map.insert(param, value);
            }
        }
    }
    func.substitute(&map);
    !map.is_empty()
}

/// Both values are made of the same values by the same operations.
fn alike(func: &Function, a: Value, b: Value, left: &mut usize) -> bool {
    if a == b {
        return true;
    }
    let (Some(x), Some(y)) = (func.def_data(a), func.def_data(b)) else {
        return false;
    };
    if *left == 0 || !is_arithmetic(x) {
        return func.constant(a).is_some() && x == y;
    }
    *left -= 1;
    let (of_x, of_y) = (operands(x), operands(y));
    let mut same = y.clone();
    let mut from = of_x.iter();
    same.for_each_operand_mut(|operand| *operand = from.next().copied().unwrap_or(*operand));
    of_x.len() == of_y.len() && same == *x && of_x.iter().zip(&of_y).all(|(&a, &b)| alike(func, a, b, left))
}

fn is_arithmetic(data: &InstData) -> bool {
    matches!(data, InstData::Binary { .. } | InstData::Convert { .. })
}

fn operands(data: &InstData) -> smallvec::SmallVec<[Value; 2]> {
    let mut found = smallvec::SmallVec::new();
    data.for_each_operand(|&value| found.push(value));
    found
}

/// Writes what makes a value, and the values that are alike.
fn again(func: &mut Function, block: Block, value: Value, others: &[Value]) -> Value {
    if others.iter().all(|&other| other == value) {
        return value;
    }
    let (Some(inst), Some(mut data)) = (func.def_inst(value), func.def_data(value).cloned()) else {
        return value;
    };
    let (mut flags, mut of_others) = (func.inst(inst).flags, Vec::new());
    for &other in others {
        if let Some(inst) = func.def_inst(other) {
            flags &= func.inst(inst).flags;
            of_others.push(operands(&func.inst(inst).data));
        }
    }
    let mut position = 0;
    data.for_each_operand_mut(|operand| {
        let alike: Vec<Value> = of_others.iter().map(|operands| operands[position]).collect();
        *operand = again(func, block, *operand, &alike);
        position += 1;
    });
    let inst = func.append(block, data, flags);
    func.result(inst)
}
