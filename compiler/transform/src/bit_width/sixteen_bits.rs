//! Integers of 32 bits whose numbers fit 16, or 8, are computed in 16 or 8.
//!
//! C computes with `short` and `char` as `int`. Lanes that are extended, only to be cut again, stay as they are ([`run_short`]), and
//! gangs of nothing else may be wider. (R. Stephenson, J. Babb, S. Amarasinghe: Bitwidth Analysis with Application to Silicon Compilation, 2000.)
//!
//! Pixels are bytes, and C computes with them as `int`. Where a gang's integers take more than one register, lanes of half the size halve
//! the instructions, and bytes become such lanes, and these bytes again, in fewer steps. What [`analysis::bits::ranges`] knows tells which
//! numbers fit, and [`analysis::bits::demanded`] where nobody would see more of a number than that.

use super::{Fate, Known, Rule, rewrite};
use analysis::GangFacts;
use analysis::bits::Demanded;
use analysis::bits::demanded::is_modular;
use analysis::bits::exact;
use analysis::products::Digits;
use analysis::uniformity::{Shape, Uniformity};
use analysis::{Analyses, Analysis};
use cranelift_entity::{EntityRef, SecondaryMap};
use ir::*;
use passes::Plan;
use target::Machine;
use target::costs::short_lanes::{BYTE_PRODUCT, BYTE_PRODUCT_BY_SCALAR, QUOTIENT, Saved};

/// Rewrites what pays. True if something changed; what is not needed any more is left for `dce`.
pub fn run(func: &mut Function, facts: &GangFacts, machine: &Machine, known: &mut Analyses, plan: &mut Plan) -> bool {
    let in_one_register = facts.width * Type::I32.bytes() <= machine.registers.bytes;
    if in_one_register || facts.parameters_vary || !has_short_sources(func) {
        return false;
    }
    let Some(known) = known.of(func, facts) else {
        return false;
    };
    let Analysis { cfg, uniformity, .. } = known;
    let mut sums = Sums::find(func, &cfg.order, uniformity, known.demanded(func), Type::I16);
    sums.keep_what_pays(func, &cfg.order, &Saved::new(16, 2), plan);
    sums.roles.values().any(Option::is_some) && rewrite(func, &cfg.order, [Type::I32, Type::I16], &sums)
}

/// Rewrites what is extended from 8 or 16 bits and cut to as many, where that saves instructions of a gang of so many registers of 32-bit lanes. True
/// if something changed.
pub fn run_short(func: &mut Function, facts: &GangFacts, registers: u32, known: &mut Analyses, plan: &mut Plan) -> bool {
    let mut changed = false;
    for to in [Type::I8, Type::I16] {
        let saved = &Saved::new(to.elem.bits(), registers);
        let is_short = |inst: Inst| short_source(func, inst).is_some_and(|arg| func.ty(arg) == to) || is_cut(func, inst, to);
        if facts.parameters_vary || !func.insts().any(is_short) {
            continue;
        }
        let Some(analysis) = known.of(func, facts) else { break };
        let Analysis { cfg, uniformity, .. } = analysis;
        let order = cfg.order.clone();
        let mut sums = Sums::find(func, &order, uniformity, analysis.demanded(func), to);
        sums.keep_what_pays(func, &order, saved, plan);
        if sums.roles.values().any(Option::is_some) && rewrite(func, &order, [Type::I32, to], &sums) {
            known.forget();
            crate::dce::run(func, known);
            known.forget();
            changed = true;
        }
    }
    changed
}

/// There is something to compute in fewer bits.
pub fn has_short_sources(func: &Function) -> bool {
    func.insts().any(|inst| short_source(func, inst).is_some())
}

/// Something may be wanted in fewer bits alone.
pub fn has_cuts(func: &Function) -> bool {
    func.insts()
        .any(|inst| is_cut(func, inst, Type::I8) || is_cut(func, inst, Type::I16))
}

/// The instruction cuts an integer of 32 bits to one of this type.
fn is_cut(func: &Function, inst: Inst, to: Type) -> bool {
    match func.inst(inst).data {
        InstData::Convert {
            op: ConvertOp::Trunc,
            ty,
            arg,
            ..
        } => ty == to && func.ty(arg) == Type::I32,
        _ => false,
    }
}

/// The shorter integer that the instruction makes one of 32 bits of.
fn short_source(func: &Function, inst: Inst) -> Option<Value> {
    match func.inst(inst).data {
        InstData::Convert {
            op: ConvertOp::SExt | ConvertOp::ZExt,
            ty: Type::I32,
            arg,
            ..
        } => matches!(func.ty(arg), Type::I8 | Type::I16).then_some(arg),
        _ => None,
    }
}

/// What a value can be in fewer bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    /// A shorter integer, with or without a sign.
    Source,
    /// An operation's result.
    Sum,
    /// A comparison, of which only selections between such numbers ask.
    Test,
}

/// Values that can be computed in fewer bits, in sets of what hangs together.
struct Sums<'a> {
    uniformity: &'a Uniformity,
    /// With so many bits.
    to: Type,
    roles: SecondaryMap<Value, Option<Role>>,
    /// Towards another value of the same set; a value that has none stands for its set.
    towards: SecondaryMap<Value, Option<Value>>,
}

impl<'a> Sums<'a> {
    fn find(func: &Function, order: &[Block], uniformity: &'a Uniformity, demanded: &Demanded, to: Type) -> Sums<'a> {
        let mut this = Sums {
            uniformity,
            to,
            roles: func.per_value(Default::default()),
            towards: func.per_value(Default::default()),
        };
        // How often masks are asked for, less what selections between such numbers ask.
        let mut asked = func.per_value(0);
        for inst in func.insts_of(order) {
            let data = &func.inst(inst).data;
            data.for_each_operand(|&value| asked[value] += 1);
            let &[result] = func.inst(inst).results.as_slice() else { continue };
            if func.ty(result) != Type::I32 || uniformity.shape(result) != Shape::Varying {
                continue;
            }
            if short_source(func, inst).is_some_and(|arg| func.ty(arg).elem.bits() <= to.elem.bits()) {
                this.roles[result] = Some(Role::Source);
            } else if is_sum(func, uniformity, demanded, to, inst) {
                this.roles[result] = Some(Role::Sum);
                if let InstData::Select { mask, .. } = data {
                    asked[*mask] -= 1;
                }
            }
        }
        for inst in func.insts_of(order) {
            if let InstData::IntCompare { args, .. } = &func.inst(inst).data
                && asked[func.result(inst)] == 0
                && args.iter().any(|&arg| this.roles[arg].is_some())
                && args.iter().all(|&arg| this.roles[arg].is_some() || func.constant(arg).is_some())
                && exact::common(to, args.map(|arg| uniformity.range(func, arg))).is_some()
            {
                this.roles[func.result(inst)] = Some(Role::Test);
            }
        }
        for inst in func.insts_of(order) {
            if let &[result] = func.inst(inst).results.as_slice()
                && matches!(this.roles[result], Some(Role::Sum | Role::Test))
            {
                let mut operands = ValueList::new();
                func.inst(inst).data.for_each_operand(|&value| operands.push(value));
                operands.retain(|value| this.roles[*value].is_some());
                operands.into_iter().for_each(|operand| this.join(result, operand));
            }
        }
        this
    }

    fn set_of(&mut self, value: Value) -> Value {
        let mut at = value;
        while let Some(next) = self.towards[at] {
            if let Some(over) = self.towards[next] {
                self.towards[at] = Some(over);
            }
            at = next;
        }
        at
    }

    fn join(&mut self, a: Value, b: Value) {
        let (a, b) = (self.set_of(a), self.set_of(b));
        if a != b {
            self.towards[a] = Some(b);
        }
    }

    /// Drops the sets that would take more instructions than before.
    fn keep_what_pays(&mut self, func: &Function, order: &[Block], saved: &Saved, plan: &mut Plan) {
        let to = self.to;
        let mut won = func.per_value(0);
        // Made of the shorter ones again, or cut to them, once each.
        let mut converted = func.per_value(false);
        for inst in func.insts_of(order) {
            let data = &func.inst(inst).data;
            let result = func.inst(inst).results.first().copied();
            let role = result.and_then(|result| self.roles[result]);
            if let (Some(role), Some(result)) = (role, result) {
                let set = self.set_of(result);
                won[set] += match (role, data) {
                    (Role::Source, InstData::Convert { arg, .. }) if func.ty(*arg) == to => saved.source(),
                    (Role::Source, _) => saved.extended(),
                    (
                        _,
                        &InstData::Binary {
                            op: BinaryOp::Mul, args, ..
                        },
                    ) => {
                        let is_same = |arg: Value| self.uniformity.shape(arg) != Shape::Varying && func.constant(arg).is_none();
                        saved.operation([to.elem, Elem::I32].map(|elem| match Digits::instructions(func, args, elem) {
                            BYTE_PRODUCT if args.into_iter().any(is_same) => BYTE_PRODUCT_BY_SCALAR,
                            instructions => instructions,
                        }))
                    }
                    (
                        _,
                        InstData::Binary {
                            op: BinaryOp::Shl | BinaryOp::LShr | BinaryOp::AShr,
                            ..
                        },
                    ) => saved.shift(),
                    (_, InstData::Binary { op, .. }) if op.is_int_division() => saved.operation(QUOTIENT),
                    _ => saved.operation([1, 1]),
                };
            }
            data.for_each_operand(|&value| {
                let cut = match (data, self.roles[value]) {
                    (
                        InstData::Convert {
                            op: ConvertOp::Trunc, ty, ..
                        },
                        Some(Role::Sum),
                    ) => (ty.elem.bits() <= to.elem.bits()).then_some(saved.cut()),
                    _ => None,
                };
                let set = match (self.roles[value], role, result) {
                    (_, Some(Role::Source), _) => return,
                    // A number of 32 bits in the middle.
                    (None, Some(_), Some(result)) => {
                        if self.uniformity.shape(value) != Shape::Varying || func.ty(value) != Type::I32 {
                            return;
                        }
                        self.set_of(result)
                    }
                    (Some(_), None, _) => self.set_of(value),
                    _ => return,
                };
                match cut {
                    Some(cut) => won[set] += cut,
                    None if !converted[value] => {
                        converted[value] = true;
                        won[set] -= saved.conversion();
                    }
                    None => {}
                }
            });
        }
        let (mut kept, mut less, mut dropped) = (0, 0, 0);
        for value in (0..func.counts().2).map(Value::new) {
            if self.roles[value].is_none() {
                continue;
            }
            let set = self.set_of(value);
            if won[set] > 0 {
                kept += 1;
                less += if set == value { won[set] } else { 0 };
            } else {
                dropped += 1;
                self.roles[value] = None;
            }
        }
        if kept + dropped > 0 {
            plan.note("sixteen_bits", || {
                let bits = to.elem.bits();
                format!("{kept} values in {bits} bits save {less} instructions a gang; {dropped} would save none, and stay")
            });
        }
    }
}

/// The result fits so many bits, and that of the operation in as many is the same; or nobody looks at what is above them, and they don't depend
/// on it. (No machine divides such numbers, but there are products with reciprocals of 16 bits.)
fn is_sum(func: &Function, uniformity: &Uniformity, demanded: &Demanded, to: Type, inst: Inst) -> bool {
    let data = &func.inst(inst).data;
    let is_division =
        matches!(*data, InstData::Binary { op, args: [_, by] } if op.is_int_division() && (to != Type::I16 || func.constant(by).is_none()));
    let is_short = |amount: Value| func.constant(amount).is_some_and(|amount| amount < u64::from(to.elem.bits()));
    let is_long_shift = matches!(data, InstData::Binary { op: BinaryOp::Shl, args } if !is_short(args[1]));
    let is_wanted = demanded.of(func.result(inst)) > to.elem.bits() || is_long_shift;
    !is_wanted && is_modular(func, data) || !is_division && exact::is_exact(func, uniformity, to, inst)
}

impl Rule for Sums<'_> {
    fn inst(&self, func: &Function, inst: Inst, _: &Known) -> Fate {
        let node = func.inst(inst);
        let role = node.results.first().and_then(|&result| self.roles[result]);
        match role {
            None => Fate::Stays,
            Some(Role::Source) => {
                let mut data = node.data.clone();
                if let InstData::Convert { ty, .. } = &mut data {
                    *ty = self.to;
                }
                Fate::Beside(data)
            }
            _ => {
                let back = exact::extension(func, self.uniformity, self.to, func.result(inst));
                Fate::Instead(exact::operation(func, self.uniformity, self.to, inst), back)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use analysis::gang_shape;
    use interface::LaunchFacts;
    use ir::parse::parse_function;

    /// The sum of two neighbours, scaled and held below 256, in a byte.
    const BLUR: &str = "
function workitem @blur {
block0:
  v0 = builtin arguments
  v1 = load.i64 constant align 8 invariant dereferenceable [v0]
  v2 = builtin global_id 0
  v3 = load.i8 global align 1 [v1 + v2 * 1]
  v4 = load.i8 global align 1 [v1 + v2 * 1 + 1]
  v5 = zext.i32 v3 rte
  v6 = zext.i32 v4 rte
  v7 = add v5, v6
  v8 = const.i32 3
  v9 = mul v7, v8
  v10 = const.i32 2
  v11 = lshr v9, v10
  v12 = const.i32 255
  v13 = smin v11, v12
  v14 = trunc.i8 v13 rte
  store v14, global align 1 [v1 + v2 * 1]
  return
}";

    fn rewritten(text: &str, width: u32) -> (bool, String) {
        let mut func = parse_function(text).expect("the test's text is IR");
        let local_size = [64, 1, 1];
        let facts = GangFacts::new(gang_shape(Some(width), width, local_size), &LaunchFacts::usual(local_size));
        let changed = run(
            &mut func,
            &facts,
            &Machine::named("avx2").expect("there is one"),
            &mut Analyses::default(),
            &mut Plan::default(),
        );
        crate::dce::run(&mut func, &mut Analyses::default());
        ir::verify::verify(&func, None).expect("the rules are kept");
        (changed, func.to_string())
    }

    #[test]
    fn sums_of_bytes_have_16_bits() {
        let (changed, text) = rewritten(BLUR, 16);
        assert!(changed && !text.contains("i32"), "{text}");
        // One register holds them as they are.
        assert!(!rewritten(BLUR, 8).0);
    }

    #[test]
    fn what_does_not_fit_stays() {
        let squares = BLUR.replace("v9 = mul v7, v8", "v9 = mul v7, v7");
        let (_, text) = rewritten(&squares, 16);
        assert!(text.contains("add") && text.contains("sext.i32"), "{text}");
        // The quotient of what has no sign in 16 bits.
        let (_, text) = rewritten(&BLUR.replace("v8 = const.i32 3", "v8 = const.i32 100"), 16);
        assert!(text.contains("lshr") && !text.contains("i32"), "{text}");
        let signed = BLUR.replace("v7 = add v5, v6", "v7 = sub v5, v6");
        assert!(rewritten(&signed.replace("lshr", "ashr"), 16).1.contains("ashr"));
        // Bits from above 16 would come down.
        let (_, text) = rewritten(&signed, 16);
        assert!(text.contains("sext.i32") && text.contains("smin"), "{text}");
    }

    #[test]
    fn quotients_by_constants_have_16_bits() {
        let quotient = BLUR.replace("lshr v9, v10", "sdiv v9, v8");
        let (_, text) = rewritten(&quotient, 16);
        assert!(text.contains("udiv") && !text.contains("i32"), "{text}");
        let signed = quotient.replace("v7 = add v5, v6", "v7 = sub v5, v6");
        let (_, text) = rewritten(&signed, 16);
        assert!(text.contains("sdiv") && !text.contains("i32"), "{text}");
        // Others are those of floats, which have 32 bits.
        let (_, text) = rewritten(&quotient.replace("sdiv v9, v8", "sdiv v9, v6"), 16);
        assert!(text.contains("i32"), "{text}");
    }

    #[test]
    fn choices_that_are_cut_have_as_few_bits() {
        let text = BLUR
            .replace(
                "  v5 = zext.i32 v3 rte\n  v6 = zext.i32 v4 rte\n  v7 = add v5, v6\n",
                "  v5 = icmp.ugt v3, v4\n",
            )
            .replace("v9 = mul v7, v8", "v6 = const.i32 0\n  v9 = select v5, v8, v6")
            .replace("v13 = smin v11, v12", "v13 = or v9, v10")
            .replace("  v11 = lshr v9, v10\n", "");
        let mut func = parse_function(&text).expect("the test's text is IR");
        assert!(!has_short_sources(&func) && has_cuts(&func));
        let local_size = [64, 1, 1];
        let facts = GangFacts::new(gang_shape(Some(16), 16, local_size), &LaunchFacts::usual(local_size));
        assert!(run_short(&mut func, &facts, 4, &mut Analyses::default(), &mut Plan::default()));
        crate::dce::run(&mut func, &mut Analyses::default());
        assert!(!func.to_string().contains("i32"), "{func}");
    }

    #[test]
    fn numbers_without_a_sign_are_compared_without_one() {
        let text = BLUR
            .replace("const.i32 3", "const.i32 100")
            .replace("v13 = smin v11, v12", "v15 = icmp.sgt v9, v8\n  v13 = select v15, v11, v12");
        let (_, text) = rewritten(&text, 16);
        assert!(text.contains("icmp.ugt") && !text.contains("i32"), "{text}");
    }

    #[test]
    fn numbers_that_are_wanted_as_they_are_stay() {
        let text = "
function workitem @floats {
block0:
  v0 = builtin arguments
  v1 = load.i64 constant align 8 invariant dereferenceable [v0]
  v2 = builtin global_id 0
  v3 = load.i8 global align 1 [v1 + v2 * 1]
  v4 = zext.i32 v3 rte
  v5 = stof.f32 v4 rte
  store v5, global align 4 [v1 + v2 * 4]
  return
}";
        assert!(!rewritten(text, 16).0);
    }
}
