//! Integers that are powers of two, or zero: constants, what loops make of them by shifts, and what is chosen of such.

use ir::cfg::Cfg;
use ir::*;
use rustc_hash::FxHashSet;
use smallvec::{SmallVec, smallvec};

/// The scalars that have at most one bit set. (All that are made by such operations are thought to at first; what is handed something else is not.)
pub fn powers_of_two(func: &Function, cfg: &Cfg) -> FxHashSet<Value> {
    let mut found: FxHashSet<Value> = FxHashSet::default();
    let is_int = |value: Value| matches!(func.ty(value), Type::I32 | Type::I64);
    for &block in &cfg.order {
        let params = func.block(block).params.iter().filter(|_| block != func.entry());
        found.extend(params.copied().filter(|&param| is_int(param)));
        let made = func.block(block).insts.iter().filter(|&&inst| is_made(func, inst));
        found.extend(made.map(|&inst| func.result(inst)).filter(|&value| is_int(value)));
    }
    loop {
        let before = found.len();
        for &block in &cfg.order {
            for &inst in &func.block(block).insts {
                let node = func.inst(inst);
                if let &[result] = node.results.as_slice()
                    && found.contains(&result)
                    && !kept(&node.data).iter().all(|value| found.contains(value))
                {
                    found.remove(&result);
                }
            }
            func.terminator(block).for_each_target(|call| {
                for (arg, param) in call.args.iter().zip(&func.block(call.block).params) {
                    if !found.contains(arg) {
                        found.remove(param);
                    }
                }
            });
        }
        if found.len() == before {
            return found;
        }
    }
}

/// It gives at most one bit, if what it is given has.
fn is_made(func: &Function, inst: Inst) -> bool {
    use BinaryOp::*;
    match func.inst(inst).data {
        InstData::Const { bits, .. } => bits.count_ones() <= 1,
        InstData::Binary { op, .. } => matches!(op, Shl | LShr | And | UMin | UMax),
        InstData::Convert { op, arg, .. } => matches!(op, ConvertOp::ZExt | ConvertOp::Trunc) && func.ty(arg).elem.is_int(),
        InstData::Select { .. } => true,
        _ => false,
    }
}

/// The operands that must have at most one bit.
fn kept(data: &InstData) -> SmallVec<[Value; 2]> {
    match *data {
        InstData::Binary { op, args: [a, b] } => match op {
            BinaryOp::UMin | BinaryOp::UMax => smallvec![a, b],
            _ => smallvec![a],
        },
        InstData::Convert { arg, .. } => smallvec![arg],
        InstData::Select { args: [a, b], .. } => smallvec![a, b],
        _ => SmallVec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ir::parse::parse_function;

    #[test]
    fn strides_of_reductions() {
        let func = parse_function(
            "function workitem @k {
block0:
  v0 = const.i32 1
  v1 = const.i32 128
  v2 = const.i32 3
  v3 = builtin local_id 0
  v4 = trunc.i32 v3 rte
  jump block1(v0, v1, v2, v4)
block1(v5: i32, v6: i32, v7: i32, v8: i32):
  v9 = shl v5, v0
  v10 = lshr v6, v0
  v11 = shl v7, v0
  v12 = umax v9, v10
  v13 = umax v9, v11
  v14 = shl v0, v4
  v15 = icmp.ult v9, v1
  branch v15, block1(v9, v10, v11, v8), block2
block2:
  return
}",
        )
        .expect("the test's text is IR");
        let found = powers_of_two(&func, &Cfg::new(&func));
        let names: FxHashSet<String> = found.iter().map(|value| value.to_string()).collect();
        let expected = ["v0", "v1", "v5", "v6", "v9", "v10", "v12", "v14"];
        assert_eq!(names, expected.map(str::to_owned).into_iter().collect());
    }
}
