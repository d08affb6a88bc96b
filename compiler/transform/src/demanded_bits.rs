//! Numbers of 64 bits of which only the lower 32 are ever looked at are counted in 32 bits.
//!
//! `for (int i = get_global_id(0); i < n; i += get_global_size(0))` adds in 64 bits and cuts the sum, and compilers hand the sum to the
//! next iteration uncut. As a number of 32 bits it is seen to grow from lane to lane, and vectors of it are half as long. Sums, products
//! and bits of numbers modulo 2^32 need no more of these than that.

use analysis::Analyses;
use analysis::bits::demanded::is_modular;
use cranelift_entity::SecondaryMap;
use ir::*;

/// Rewrites parameters of blocks, and what is computed of them. True if something changed; what is not needed any more is left for `dce`.
pub fn run(func: &mut Function, analyses: &mut Analyses) -> bool {
    let order = analyses.flow(func).cfg.order.clone();
    let params = |func: &Function, block: Block| func.block(block).params.clone();
    // (The entry's parameters are the function's.)
    let mut all = order[1..].iter().flat_map(|&block| params(func, block));
    if !all.any(|param| func.ty(param) == Type::I64) && !order.iter().any(|&block| cuts(func, block)) {
        return false;
    }
    let (_, demanded) = analyses.demanded(func);
    let is_short = |func: &Function, value: Value| func.ty(value) == Type::I64 && demanded.of(value) <= 32;
    let mut changed = false;
    let mut narrow: Narrow = SecondaryMap::new();
    for &block in &order[1..] {
        for param in params(func, block) {
            if is_short(func, param) {
                narrow[param] = Some(func.add_param(block, Type::I32));
                changed = true;
            }
        }
    }
    // What is computed of them: in reverse postorder operands come first.
    let mut map = ValueMap::default();
    for &block in &order {
        for inst in func.take_insts(block) {
            let mut data = func.inst(inst).data.clone();
            let of_narrow = data.any_operand(|&value| narrow[value].is_some() || widened(func, value).is_some());
            if data.is_terminator() {
                for target in data.targets_mut() {
                    for (arg, param) in target.args.clone().into_iter().zip(params(func, target.block)) {
                        if narrow[param].is_some() {
                            let arg = shortened(&mut Builder::new(func, block), &narrow, arg);
                            target.args.push(arg);
                        }
                    }
                }
                func.inst_mut(inst).data = data;
            } else if let InstData::Convert { ty, arg, .. } = data
                && let Some(arg) = narrow[arg]
            {
                let by = Builder::new(func, block).convert(ConvertOp::Trunc, ty.elem, arg);
                map.insert(func.result(inst), by);
            } else if of_narrow && is_modular(func, &data) && is_short(func, func.result(inst)) {
                let mut b = Builder::new(func, block);
                data.for_each_operand_mut(|value| *value = shortened(&mut b, &narrow, *value));
                narrow[func.result(inst)] = Some(b.value(data));
                changed = true;
            }
            func.block_mut(block).insts.push(inst);
        }
    }
    func.substitute(&map);
    changed
}

/// Something is computed of numbers that were widened, and cut again.
fn cuts(func: &Function, block: Block) -> bool {
    func.block(block).insts.iter().any(|&inst| match func.inst(inst).data {
        InstData::Convert {
            op: ConvertOp::Trunc,
            ty: Type::I32,
            arg,
            ..
        } => func.def_data(arg).is_some_and(|data| {
            let widens = data.any_operand(|&value| widened(func, value).is_some());
            widens && is_modular(func, data)
        }),
        _ => false,
    })
}

/// The numbers of 32 bits that stand for some of 64.
type Narrow = SecondaryMap<Value, Option<Value>>;

/// The lower half of a number of 64 bits; other values stay as they are.
fn shortened(b: &mut Builder, narrow: &Narrow, value: Value) -> Value {
    if b.ty(value) != Type::I64 {
        return value;
    }
    if let Some(narrow) = narrow[value] {
        return narrow;
    }
    match b.func.def_data(value) {
        Some(&InstData::Const { bits, .. }) => b.i32(bits as i32),
        _ => match widened(b.func, value) {
            Some(arg) => arg,
            None => b.convert(ConvertOp::Trunc, Elem::I32, value),
        },
    }
}

/// The number of 32 bits that the value is.
fn widened(func: &Function, value: Value) -> Option<Value> {
    match func.def_data(value) {
        Some(&InstData::Convert {
            op: ConvertOp::SExt | ConvertOp::ZExt,
            arg,
            ..
        }) => (func.ty(arg) == Type::I32).then_some(arg),
        _ => None,
    }
}
