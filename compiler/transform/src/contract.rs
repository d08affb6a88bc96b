//! Contraction: a product and a sum that both may be contracted become one fused operation; so do a dot product of bytes and what it is
//! added to.
//!
//! Only products that nothing else needs are fused. Where the machine has no arithmetic of halves, theirs are fused as floats: the result is rounded to
//! a float and to a half, and the product not to a half before, which would take two conversions more.

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
                && is_fused(func.ty(a).elem)
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
                    let fused = match func.ty(a).elem {
                        Elem::F16 if !machine.has_half_arithmetic => by_floats(&mut Builder::new(func, block), args),
                        _ => InstData::Fma { args },
                    };
                    func.replace(inst, fused);
                    changed = true;
                }
            }
            func.block_mut(block).insts.push(inst);
        }
    }
    changed
}

/// Products and sums of this format become one operation. Of halves they are two where the same bits are asked for everywhere.
fn is_fused(elem: Elem) -> bool {
    match elem {
        Elem::F32 | Elem::F64 => true,
        Elem::F16 => !target::reproducible(),
        _ => false,
    }
}

/// A fused operation on halves, done in floats.
fn by_floats(b: &mut Builder, args: [Value; 3]) -> InstData {
    let ty = b.ty(args[0]);
    let [x, y, z] = args.map(|arg| b.convert(ConvertOp::FPromote, Elem::F32, arg));
    InstData::Convert {
        op: ConvertOp::FDemote,
        ty,
        arg: b.fma(x, y, z),
        rounding: Rounding::Nearest,
        saturate: false,
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
    fn halves_are_fused_as_the_machine_can() {
        let text = "function workitem @f -> f16 {
block0(v0: f16, v1: f16, v2: f16):
  v3 = fmul v0, v1 !contract
  v4 = fadd v3, v2 !contract
  return v4
}";
        let mut machine = Machine::named("sapphire-rapids").expect("there is one");
        for (has, elem) in [(false, Elem::F32), (true, Elem::F16)] {
            machine.has_half_arithmetic = has;
            let mut func = parse_function(text).expect("the test's text is IR");
            assert!(run(&mut func, &machine));
            let insts = func.layout.iter().flat_map(|&block| &func.block(block).insts);
            let fused: Vec<Elem> = insts
                .filter_map(|&inst| match func.inst(inst).data {
                    InstData::Fma { args } => Some(func.ty(args[0]).elem),
                    _ => None,
                })
                .collect();
            assert_eq!(fused, [elem]);
        }
    }
}
