//! Strides among the arguments that are 1.
//!
//! `x[i * incx]` is how BLAS and its like say where arrays are, and nearly everybody passes 1. Code that knows has neighbours where other code
//! gathers. So launches say which of the arguments that are factors in addresses are 1 ([`interface::ArgumentFact::One`]).

use analysis::Flow;
use interface::ArgumentFacts;
use ir::*;
use smallvec::SmallVec;
use target::costs::code_size::UNIT_STRIDES;

/// An argument that is a whole number: where it is in the argument block, and its bytes.
pub type Stride = (u32, u32);

/// The arguments that are factors in addresses.
pub fn find(func: &Function, flow: &Flow) -> SmallVec<[Stride; 2]> {
    let mut found: SmallVec<[Stride; 2]> = SmallVec::new();
    let multiplies = |inst: Inst| match func.inst(inst).data {
        InstData::Binary { op: BinaryOp::Mul, args } => args.iter().any(|&factor| stride(func, factor).is_some()),
        _ => false,
    };
    if !func.insts().any(multiplies) {
        return found;
    }
    // What addresses are made of.
    let mut addresses = func.per_value(false);
    let mut work: Vec<Value> = Vec::new();
    for Access { address, .. } in func.insts().filter_map(|inst| func.access(inst)) {
        work.push(address.base);
        work.extend(address.index);
    }
    while let Some(value) = work.pop() {
        if std::mem::replace(&mut addresses[value], true) {
            continue;
        }
        match func.def(value) {
            ValueDef::Result(inst, _) => match &func.inst(inst).data {
                InstData::Binary { op, args } => {
                    if *op == BinaryOp::Mul {
                        for &factor in args {
                            let stride = stride(func, factor).filter(|stride| !found.contains(stride) && found.len() < UNIT_STRIDES);
                            found.extend(stride);
                        }
                    }
                    work.extend(args);
                }
                InstData::Convert { arg, .. } => work.push(*arg),
                _ => {}
            },
            ValueDef::Param(block, position) => {
                // (A switch comes once for each of its cases.)
                let mut preds = flow.cfg.preds[block].to_vec();
                preds.dedup();
                let calls = preds.iter().flat_map(|&from| func.terminator(from).targets());
                work.extend(calls.filter(|call| call.block == block).map(|call| call.args[position as usize]));
            }
        }
    }
    found
}

/// The argument that a value is, maybe in other bits.
fn stride(func: &Function, value: Value) -> Option<Stride> {
    let value = match func.def_data(value) {
        Some(InstData::Convert { arg, .. }) => *arg,
        _ => value,
    };
    let ty = func.ty(value);
    let offset = u32::try_from(func.argument(value)?).ok()?;
    matches!(ty, Type::I32 | Type::I64).then_some((offset, ty.elem.bytes()))
}

/// Puts 1 where an argument is known to be. True if something changed.
pub fn run(func: &mut Function, arguments: &ArgumentFacts) -> bool {
    let mut changed = false;
    for block in func.layout.clone() {
        for inst in func.block(block).insts.clone() {
            if let InstData::Load { ty, .. } = func.inst(inst).data
                && let Some(offset) = func.argument(func.result(inst))
                && arguments.is_one(offset, ty.bytes())
            {
                func.replace(inst, InstData::Const { ty, bits: 1 });
                changed = true;
            }
        }
    }
    changed
}

#[cfg(test)]
mod tests {
    use super::*;
    use ir::parse::parse_function;

    const SCALED: &str = "
function workitem @scaled {
block0:
  v0 = builtin arguments
  v1 = load.i64 constant align 8 invariant dereferenceable [v0]
  v2 = load.i32 constant align 4 invariant dereferenceable [v0 + 8]
  v3 = load.i64 constant align 8 invariant dereferenceable [v0 + 16]
  v4 = load.i64 constant align 8 invariant dereferenceable [v0 + 24]
  v5 = builtin global_id 0
  v6 = sext.i64 v2 rte
  v7 = mul v6, v5
  v8 = load.i64 global align 8 [v1 + v7 * 8]
  v9 = mul v8, v3
  jump block1(v4)
block1(v10: i64):
  v11 = mul v10, v5
  store v9, global align 8 [v1 + v11 * 8]
  return
}";

    #[test]
    fn factors_of_addresses_are_found_and_become_1() {
        let mut func = parse_function(SCALED).expect("the test's text is IR");
        // What is computed is no stride, nor is what has come another way.
        assert_eq!(find(&func, &Flow::new(&func)).as_slice(), [(8, 4)]);
        let mut facts = ArgumentFacts::default();
        assert!(!run(&mut func, &facts));
        facts.add_one(8, 8);
        assert!(!run(&mut func, &facts));
        facts.add_one(8, 4);
        assert!(run(&mut func, &facts));
        assert!(func.to_string().contains("v2 = const.i32 1"), "{func}");
    }
}
