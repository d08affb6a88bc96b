//! Integers of 64 bits whose numbers fit 32 are converted, divided and cut as such.
//!
//! `size_t` indices are numbers below 2^31 in nearly all launches. Vectors have twice as many lanes of 32 bits, and machines have
//! conversions to floats and ways to divide for these which they lack for 64. What [`analysis::bits::ranges`] knows tells where nothing is lost.
//! Sums and products stay as they are: addresses are made of them. And integers without a sign that are no larger than those with one are
//! converted to floats as such, for which machines have an instruction, and extended as such, so that they can be indices as they are.
//!
//! Cutting an index that fits loses nothing, which is noted (`nsw`): extended again, for an address, it is what it was.

use super::{Fate, Known, Rule, extended_from, narrow_products, rewrite};
use analysis::GangFacts;
use analysis::bits::exact;
use analysis::bits::nonnegative::Naturals;
use analysis::bits::ranges::Range;
use analysis::uniformity::{Shape, Uniformity};
use analysis::{Analyses, Analysis};
use ir::*;
use rustc_hash::FxHashSet;

/// Narrows. True if something changed. The function must be in the form that group formation takes, and stays in it.
pub fn run(func: &mut Function, facts: &GangFacts, known: &mut Analyses) -> bool {
    let has_products = facts.width > 1 && known.of(func, facts).is_some_and(|analysis| narrow_products::run(func, analysis));
    if has_products {
        known.forget();
    }
    numbers(func, facts, known) || has_products
}

/// Narrows numbers that fit.
fn numbers(func: &mut Function, facts: &GangFacts, known: &mut Analyses) -> bool {
    let Some(Analysis { cfg, uniformity, .. }) = known.of(func, facts) else {
        return false;
    };
    let exact: Vec<Inst> = func.insts().filter(|&inst| cuts_nothing(func, uniformity, inst)).collect();
    for inst in exact {
        func.inst_mut(inst).flags |= Flags::NSW;
    }
    let extensions: Vec<Inst> = func.insts().filter(|&inst| extended_without_sign(func, inst).is_some()).collect();
    let naturals = (!extensions.is_empty()).then(|| Naturals::new(func, (cfg, uniformity), facts, &extensions));
    let is_natural = |inst: Inst, block: Block| match (extended_without_sign(func, inst), &naturals) {
        (Some(arg), Some(naturals)) => uniformity.shape(arg) == Shape::Varying && naturals.is_extended(func.result(inst), arg, block),
        _ => false,
    };
    let mut fitting: FxHashSet<Inst> = FxHashSet::default();
    for &block in &cfg.order {
        let insts = func.block(block).insts.iter().copied();
        fitting.extend(insts.filter(|&inst| fits(func, uniformity, inst) || is_natural(inst, block)));
    }
    !fitting.is_empty() && rewrite(func, &cfg.order, [Type::I64, Type::I32], &Narrow { fitting, uniformity })
}

/// Cuts an integer of 64 bits that fits 32. (Of those that vary nobody asks: their addresses take vectors of 32 bits.)
fn cuts_nothing(func: &Function, uniformity: &Uniformity, inst: Inst) -> bool {
    match func.inst(inst).data {
        InstData::Convert {
            op: ConvertOp::Trunc,
            ty: Type::I32,
            arg,
            ..
        } => {
            let fits = Range::of_type(Type::I32).contains(uniformity.range(func, arg));
            func.ty(arg) == Type::I64 && uniformity.shape(arg) != Shape::Varying && fits
        }
        _ => false,
    }
}

/// What an instruction extends to 64 bits without its sign. Indices are extended with it where their addresses are computed, and so need not be
/// 64 bits wide before.
fn extended_without_sign(func: &Function, inst: Inst) -> Option<Value> {
    match func.inst(inst).data {
        InstData::Convert {
            op: ConvertOp::ZExt,
            ty: Type::I64,
            arg,
            ..
        } if func.ty(arg) == Type::I32 => Some(arg),
        _ => None,
    }
}

/// Nothing is lost, and something is won.
fn fits(func: &Function, uniformity: &Uniformity, inst: Inst) -> bool {
    // Takes no vector of 64 bits a lane, or can do without.
    let easy = |value: Value| extended_from(func, Type::I32, value).is_some() || uniformity.shape(value) != Shape::Varying;
    match func.inst(inst).data {
        InstData::Convert {
            op: op @ (ConvertOp::SToF | ConvertOp::UToF),
            arg,
            ..
        } => {
            let range = uniformity.range(func, arg);
            match func.ty(arg) {
                Type::I32 => op == ConvertOp::UToF && range.is_natural(),
                // Without a sign, what is below zero is a large number.
                Type::I64 => exact::common(Type::I32, [range]).is_some() && (op == ConvertOp::SToF || range.is_natural()),
                _ => false,
            }
        }
        InstData::Binary { op, args } if func.ty(args[0]) == Type::I64 && uniformity.shape(func.result(inst)) == Shape::Varying => {
            let pays = match op {
                BinaryOp::And | BinaryOp::LShr => args.into_iter().all(easy),
                op => op.is_int_division(),
            };
            pays && exact::is_exact(func, uniformity, Type::I32, inst)
        }
        _ => false,
    }
}

struct Narrow<'a> {
    fitting: FxHashSet<Inst>,
    uniformity: &'a Uniformity,
}

impl Rule for Narrow<'_> {
    fn inst(&self, func: &Function, inst: Inst, _: &Known) -> Fate {
        if !self.fitting.contains(&inst) {
            return Fate::Stays;
        }
        let back = |value: Value| exact::extension(func, self.uniformity, Type::I32, value);
        let mut data = exact::operation(func, self.uniformity, Type::I32, inst);
        match &mut data {
            InstData::Convert { op, arg, .. } => {
                *op = match (*op, back(*arg)) {
                    (ConvertOp::ZExt, _) => ConvertOp::SExt,
                    (_, ConvertOp::SExt) => ConvertOp::SToF,
                    _ => ConvertOp::UToF,
                }
            }
            // The lower half of a number, which may be one that grows from lane to lane.
            &mut InstData::Binary {
                op: BinaryOp::And,
                args: [arg, mask],
            } if func.constant(mask) == Some(u64::from(u32::MAX)) => {
                data = InstData::Convert {
                    op: ConvertOp::Trunc,
                    ty: Type::I32,
                    arg,
                    rounding: Rounding::Nearest,
                    saturate: false,
                };
            }
            _ => {}
        }
        Fate::Instead(data, back(func.result(inst)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use analysis::gang_shape;
    use interface::LaunchFacts;
    use ir::parse::parse_function;

    fn narrow(small_ids: bool) -> String {
        narrowed_text(small_ids, TEXT)
    }

    const TEXT: &str = "
function workitem @k {
block0:
  v0 = builtin arguments
  v1 = load.i64 constant align 8 invariant dereferenceable [v0]
  v2 = load.i32 constant align 4 invariant dereferenceable [v0 + 8]
  v3 = builtin global_id 0
  v4 = zext.i64 v2 rte
  v5 = udiv v3, v4
  v6 = urem v3, v1
  v7 = utof.f32 v3 rte
  v8 = const.i64 15
  v9 = and v3, v8
  store v5, global align 8 [v1 + v3 * 8]
  store v6, global align 8 [v1 + v3 * 8]
  store v7, global align 4 [v1 + v9 * 4]
  return
}";

    fn narrowed_text(small_ids: bool, text: &str) -> String {
        let mut func = parse_function(text).expect("the test's text is IR");
        let local_size = [64, 1, 1];
        // (With an offset nobody knows where gangs begin, and so which bits of an id are the lanes'.)
        let launch = LaunchFacts {
            small_ids,
            zero_offset: false,
            aligned_offset: false,
            ..LaunchFacts::usual(local_size)
        };
        run(
            &mut func,
            &GangFacts::new(gang_shape(None, 8, local_size), &launch),
            &mut Analyses::default(),
        );
        ir::verify::verify(&func, None).expect("the rules are kept");
        func.to_string()
    }

    #[test]
    fn what_may_be_below_zero_keeps_its_sign_or_its_size() {
        let below = TEXT.replace(
            "v7 = utof.f32 v3 rte",
            "v10 = const.i64 -5\n  v11 = add v3, v10\n  v7 = utof.f32 v11 rte",
        );
        assert!(narrowed_text(true, &below).contains(" utof.f32 v11 "));
        assert!(!narrowed_text(true, &below.replace("utof", "stof")).contains(" stof.f32 v11 "));
    }

    #[test]
    fn indices_that_are_natural_are_extended_with_their_sign() {
        let masked = "v10 = load.i32 global align 4 [v1 + v3 * 4]\n  v11 = const.i32 255\n  v12 = and v10, v11\n  v13 = zext.i64 v12 rte\n  v7 = load.f32 global align 4 [v1 + v13 * 4]";
        let masked = TEXT.replace("v7 = utof.f32 v3 rte", masked);
        assert!(narrowed_text(true, &masked).contains("sext.i64 v12 "));
        let bytes = masked.replace("zext.i64 v12", "zext.i64 v10").replace("v13 * 4", "v13 * 1");
        assert!(narrowed_text(true, &bytes).contains("zext.i64 v10 "));
        // The lower half of a number is that number in 32 bits.
        let half = TEXT.replace("v8 = const.i64 15", "v8 = const.i64 4294967295");
        assert!(!narrowed_text(true, &half).contains(" and "));
    }

    #[test]
    fn squares_have_no_sign() {
        let square = TEXT.replace(
            "v7 = utof.f32 v3 rte",
            "v10 = trunc.i32 v3 rte\n  v11 = const.i32 -7\n  v12 = add v10, v11\n  v13 = mul v12, v12 !nsw\n  v7 = utof.f32 v13 rte",
        );
        assert!(narrowed_text(true, &square).contains("stof.f32 v13 "));
        assert!(!narrowed_text(true, &square.replace(" !nsw", "")).contains("stof.f32 v13 "));
    }

    #[test]
    fn what_is_cut_from_small_ids_loses_nothing() {
        let cut = TEXT.replace("v7 = utof.f32 v3 rte", "v10 = trunc.i32 v3 rte\n  v7 = stof.f32 v10 rte");
        assert!(narrowed_text(true, &cut).contains("trunc.i32 v3 rte !nsw"));
        assert!(!narrowed_text(false, &cut).contains("nsw"));
        let large = cut.replace("trunc.i32 v3", "trunc.i32 v1");
        assert!(!narrowed_text(true, &large).contains("nsw"), "nobody knows what an address is");
    }

    #[test]
    fn what_fits_is_32_bits_wide() {
        let text = narrow(true);
        let ty = |what: &str| {
            let mut func = parse_function(&text).expect("it reads back");
            let all: Vec<Inst> = func.layout.iter().flat_map(|&block| func.block(block).insts.clone()).collect();
            let found = all.into_iter().find(|&inst| func.display_inst(inst).to_string().contains(what));
            let mut ty = None;
            let data = &mut func.inst_mut(found.expect(what)).data;
            data.for_each_operand_mut(|value| ty = ty.or(Some(*value)));
            ty.map(|value| func.ty(value))
        };
        assert_eq!(ty(" udiv "), Some(Type::I32), "{text}");
        assert_eq!(ty(" and "), Some(Type::I32), "{text}");
        assert_eq!(ty(" stof.f32 "), Some(Type::I32), "{text}");
        // Nobody knows what an address is.
        assert_eq!(ty(" urem "), Some(Type::I64), "{text}");
        // Without the fact ids may be any: but 15 has no more bits than it has.
        let text = narrow(false);
        assert!(
            text.contains(" utof.f32 v3") && text.contains(" udiv v3, v4") && !text.contains("and v3, v8"),
            "{text}"
        );
    }

    /// `if (x >= 0 && x < w && y >= 0) p = a[y * w + x];`, of bytes.
    const INSIDE: &str = "
function workitem @inside {
block0:
  v0 = builtin arguments
  v1 = load.i64 constant align 8 invariant dereferenceable [v0]
  v2 = load.i32 constant align 4 invariant dereferenceable [v0 + 8]
  v3 = builtin global_id 0
  v4 = load.i32 global align 4 [v1 + v3 * 8]
  v5 = load.i32 global align 4 [v1 + v3 * 8 + 4]
  v6 = const.i32 -1
  v7 = icmp.sgt v4, v6
  v8 = icmp.sgt v2, v4
  v9 = icmp.sgt v5, v6
  v10 = and v7, v9
  v11 = and v10, v8
  branch v11, block1, block2
block1:
  v12 = mul v2, v5 !nsw
  v13 = add v12, v4 !nsw
  v14 = zext.i64 v13 rte
  v15 = load.i8 global align 1 [v1 + v14 * 1]
  store v15, global align 1 [v1 + v3 * 1]
  jump block3
block2:
  jump block3
block3:
  return
}";

    /// The index has become one with a sign.
    fn has_sign(text: &str, small_objects: bool) -> bool {
        let mut func = parse_function(text).expect("the test's text is IR");
        let launch = LaunchFacts {
            small_objects,
            ..LaunchFacts::usual([64, 1, 1])
        };
        let facts = GangFacts::new(gang_shape(None, 8, [64, 1, 1]), &launch);
        run(&mut func, &facts, &mut Analyses::default());
        ir::verify::verify(&func, None).expect("the rules are kept");
        let text = func.to_string();
        assert_ne!(text.contains("sext.i64 v13"), text.contains("zext.i64 v13"), "{text}");
        text.contains("sext.i64 v13")
    }

    #[test]
    fn conditions_say_what_is_not_negative() {
        assert!(has_sign(INSIDE, false));
        // What may wrap, another condition, and the other way.
        assert!(!has_sign(&INSIDE.replace("v13 = add v12, v4 !nsw", "v13 = add v12, v4"), false));
        assert!(!has_sign(&INSIDE.replace("v9 = icmp.sgt v5, v6", "v9 = icmp.sgt v5, v2"), false));
        assert!(!has_sign(&INSIDE.replace("icmp.sgt v4, v6", "icmp.slt v4, v6"), false));
        assert!(!has_sign(&INSIDE.replace("v10 = and", "v10 = or"), false));
        let turned = INSIDE.replace("branch v11, block1, block2", "branch v11, block2, block1");
        assert!(!has_sign(&turned, false));
    }

    #[test]
    fn objects_are_smaller_than_large_indices_reach() {
        let wide = INSIDE
            .replace("v10 = and", "v10 = or")
            .replace("load.i8 global align 1 [v1 + v14 * 1]", "load.i8 global align 1 [v1 + v14 * 2]");
        assert!(has_sign(&wide, true) && !has_sign(&wide, false));
        // From the middle of an object, far before the index, and used for something else too.
        let middle = wide.replace(
            "v15 = load.i8 global align 1 [v1 ",
            "v16 = add v1, v3\n  v15 = load.i8 global align 1 [v16 ",
        );
        assert!(!has_sign(&middle, true));
        assert!(!has_sign(&wide.replace("v14 * 2]", "v14 * 2 - 5000]"), true));
        assert!(!has_sign(
            &wide.replace("  jump block3\nblock2", "  store v14, global align 8 [v1]\n  jump block3\nblock2"),
            true
        ));
    }
}
