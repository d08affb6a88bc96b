//! Products of 32-bit integers in 64 bits, of which 32 bits are wanted, are made of their halves.
//!
//! ```c
//! int z = (long)x * y >> 16;   // mul_hi(x, y) << 16 | (uint)(x * y) >> 16
//! ```
//!
//! Vectors have twice as many lanes of 32 bits, and machines that have both halves of products have them from the same two instructions.

use super::extended_from;
use analysis::Analysis;
use analysis::uniformity::Shape;
use ir::*;
use rustc_hash::FxHashMap;

/// Bits of a product that are cut out.
#[derive(Clone, Copy)]
struct Part {
    signed: bool,
    /// The shift that moves them down, and by how much.
    shift: BinaryOp,
    by: u32,
    /// The factors, as they were before they were extended.
    factors: [Factor; 2],
}

#[derive(Clone, Copy)]
enum Factor {
    Extended(Value),
    Constant(u32),
}

/// Replaces such products of lanes that differ. True if something changed.
pub fn run(func: &mut Function, analysis: Analysis) -> bool {
    let Analysis { cfg, uniformity, .. } = analysis;
    let mut uses = func.per_value(0);
    for inst in func.insts_of(&cfg.order) {
        func.inst(inst).data.for_each_operand(|&value| uses[value] += 1);
    }
    let varies = |inst: Inst| uniformity.shape(func.result(inst)) == Shape::Varying;
    let part = |inst: Inst| part_of_product(func, inst, |value| uses[value] == 1);
    let found: FxHashMap<Inst, Part> = func
        .insts_of(&cfg.order)
        .filter_map(|inst| part(inst).filter(|_| varies(inst)).map(|part| (inst, part)))
        .collect();
    !found.is_empty() && func.expand(|func, block, inst| Some(write(&mut Builder::new(func, block), found.get(&inst)?)))
}

fn part_of_product(func: &Function, inst: Inst, is_only_use: impl Fn(Value) -> bool) -> Option<Part> {
    let InstData::Convert {
        op: ConvertOp::Trunc,
        ty: Type::I32,
        arg,
        ..
    } = func.inst(inst).data
    else {
        return None;
    };
    let &InstData::Binary {
        op: shift @ (BinaryOp::AShr | BinaryOp::LShr),
        args: [product, by],
    } = func.def_data(arg)?
    else {
        return None;
    };
    let &InstData::Binary { op: BinaryOp::Mul, args } = func.def_data(product)? else {
        return None;
    };
    let by = func.constant(by).filter(|by| (1..64).contains(by))? as u32;
    if func.ty(arg) != Type::I64 || !is_only_use(arg) || !is_only_use(product) {
        return None;
    }
    [true, false].into_iter().find_map(|signed| {
        let factor = |value: Value| factor(func, signed, value);
        let factors = [factor(args[0])?, factor(args[1])?];
        Some(Part {
            signed,
            shift,
            by,
            factors,
        })
    })
}

fn factor(func: &Function, signed: bool, value: Value) -> Option<Factor> {
    if let Some(number) = func.signed_constant(value) {
        let bits = match signed {
            true => i32::try_from(number).ok()? as u32,
            false => u32::try_from(number).ok()?,
        };
        return Some(Factor::Constant(bits));
    }
    let Some(InstData::Convert { op, .. }) = func.def_data(value) else {
        return None;
    };
    let op = *op == if signed { ConvertOp::SExt } else { ConvertOp::ZExt };
    extended_from(func, Type::I32, value).filter(|_| op).map(Factor::Extended)
}

fn write(b: &mut Builder, part: &Part) -> Value {
    let args = part.factors.map(|factor| match factor {
        Factor::Extended(value) => value,
        Factor::Constant(bits) => b.constant(Type::I32, bits.into()),
    });
    let high = b.binary(if part.signed { BinaryOp::SMulHi } else { BinaryOp::UMulHi }, args[0], args[1]);
    match part.by {
        32 => high,
        33.. => b.binary_imm(part.shift, high, i64::from(part.by - 32)),
        by => {
            let low = b.mul(args[0], args[1]);
            let above = b.binary_imm(BinaryOp::Shl, high, i64::from(32 - by));
            let below = b.binary_imm(BinaryOp::LShr, low, i64::from(by));
            b.or(above, below)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use analysis::gang_shape;
    use analysis::{Analyses, GangFacts};
    use interface::LaunchFacts;
    use ir::parse::parse_function;

    fn rewritten(text: &str) -> Option<String> {
        let mut func = parse_function(text).expect("the test's text is IR");
        let local_size = [64, 1, 1];
        let facts = GangFacts::new(gang_shape(Some(8), 8, local_size), &LaunchFacts::usual(local_size));
        let mut known = Analyses::default();
        let analysis = known.of(&func, &facts).expect("it is in the form");
        let changed = run(&mut func, analysis);
        ir::verify::verify(&func, None).expect("the rules are kept");
        crate::dce::run(&mut func, &mut Analyses::default());
        changed.then(|| func.to_string())
    }

    const TEXT: &str = "
function workitem @k {
block0:
  v0 = builtin arguments
  v1 = load.i64 constant align 8 invariant dereferenceable [v0]
  v2 = builtin global_id 0
  v3 = load.i32 global align 4 [v1 + v2 * 4]
  v4 = sext.i64 v3 rte
  v5 = const.i64 -7
  v6 = mul v4, v5
  v7 = const.i64 16
  v8 = ashr v6, v7
  v9 = trunc.i32 v8 rte
  store v9, global align 4 [v1 + v2 * 4]
  return
}";

    #[test]
    fn parts_of_products_are_made_of_halves() {
        let text = rewritten(TEXT).expect("it is one");
        assert!(text.contains("smulhi") && text.contains("shl") && !text.contains("sext"), "{text}");
        let text = rewritten(&TEXT.replace("sext", "zext").replace("-7", "4294967295")).expect("it is one");
        assert!(text.contains("umulhi"), "{text}");
        let text = rewritten(&TEXT.replace("i64 16", "i64 40")).expect("it is one");
        assert!(
            text.contains("smulhi") && text.contains("ashr") && !text.contains("mul v"),
            "{text}"
        );
    }

    #[test]
    fn other_products_stay() {
        // Of numbers with a sign and without one; not moved down; and of 64 bits.
        for other in [
            TEXT.replace("sext", "zext"),
            TEXT.replace("i64 16", "i64 0"),
            TEXT.replace("const.i64 -7", "const.i64 8589934592"),
        ] {
            assert_eq!(rewritten(&other), None, "{other}");
        }
    }
}
