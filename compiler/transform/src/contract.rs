//! Contraction: a product and a sum that both may be contracted become one fused operation; so do a dot product of bytes and what it is
//! added to.
//!
//! Only products that nothing else needs are fused, and only types for which machines have the operation.

use cranelift_entity::SecondaryMap;
use ir::*;
use target::Machine;

/// Fuses. True if something changed; the products are left for `dce`.
pub fn run(func: &mut Function, machine: &Machine) -> bool {
    let uses = func.use_counts();
    let mut changed = false;
    for index in 0..func.layout.len() {
        let block = func.layout[index];
        for inst in func.take_insts(block) {
            let node = func.inst(inst);
            let flags = node.flags;
            if let InstData::Binary { op: BinaryOp::Add, args } = node.data
                && let Some(dot) = with_dot(func, &uses, args)
            {
                func.replace(inst, dot);
                changed = true;
            }
            let node = func.inst(inst);
            if let &InstData::Binary {
                op: op @ (BinaryOp::FAdd | BinaryOp::FSub),
                args: [a, b],
            } = &node.data
                && flags.contains(Flags::CONTRACT)
                && is_fused(func.ty(a).elem, machine)
            {
                let product = |value: Value| match func.def_inst(value).map(|inst| func.inst(inst)) {
                    Some(InstNode {
                        data: InstData::Binary { op: BinaryOp::FMul, args },
                        flags,
                        ..
                    }) if flags.contains(Flags::CONTRACT) && uses[value] == 1 => Some(*args),
                    _ => None,
                };
                let negated = |func: &mut Function, arg: Value| {
                    let inst = func.append(block, InstData::Unary { op: UnaryOp::FNeg, arg }, Flags::empty());
                    func.result(inst)
                };
                let args = match (op, product(a), product(b)) {
                    (BinaryOp::FAdd, Some([x, y]), _) => Some([x, y, b]),
                    (BinaryOp::FAdd, None, Some([x, y])) => Some([x, y, a]),
                    (BinaryOp::FSub, Some([x, y]), _) => Some([x, y, negated(func, b)]),
                    (BinaryOp::FSub, None, Some([x, y])) => Some([negated(func, x), y, a]),
                    _ => None,
                };
                if let Some(args) = args {
                    func.replace(inst, InstData::Fma { args });
                    changed = true;
                }
            }
            func.block_mut(block).insts.push(inst);
        }
    }
    changed
}

/// The machine has the operation. (Rounding a product and a sum of halves each by itself takes less than doing what the operation would.)
fn is_fused(elem: Elem, machine: &Machine) -> bool {
    match elem {
        Elem::F32 | Elem::F64 => true,
        Elem::F16 => machine.has_half_arithmetic,
        _ => false,
    }
}

/// The sum of a dot product and another value as one operation.
fn with_dot(func: &Function, uses: &SecondaryMap<Value, u32>, [a, b]: [Value; 2]) -> Option<InstData> {
    [(a, b), (b, a)].into_iter().find_map(|(dot, other)| match *func.def_data(dot)? {
        InstData::Dot { op, args: [x, y, zero] } if uses[dot] == 1 && func.constant(zero) == Some(0) => {
            Some(InstData::Dot { op, args: [x, y, other] })
        }
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use ir::parse::parse_function;

    #[test]
    fn halves_are_fused_by_machines_that_do() {
        let text = "function workitem @f -> f16 {
block0(v0: f16, v1: f16, v2: f16):
  v3 = fmul v0, v1 !contract
  v4 = fadd v3, v2 !contract
  return v4
}";
        let mut machine = Machine::named("sapphire-rapids").expect("there is one");
        for has in [false, true] {
            machine.has_half_arithmetic = has;
            let mut func = parse_function(text).expect("the test's text is IR");
            assert_eq!(run(&mut func, &machine), has);
        }
    }
}
