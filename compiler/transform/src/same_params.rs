//! Block parameters that are the same whichever way one comes become that value.
//!
//! Also where a loop computes a constant anew of itself (sparse constant propagation, Wegman and Zadeck 1991, without deciding branches): in
//! `for (ok = -1; …;) ok = ok == -1 ? -1 : 0;`, as checked mode has it for what a loop computes of a vector, `ok` is -1.
//!
//! Not for functions in loop-closed form, which is made of such parameters.

use analysis::Analyses;
use cranelift_entity::SecondaryMap;
use ir::eval;
use ir::*;
use rustc_hash::FxHashMap;
use target::costs::effort::ROUNDS;

/// Replaces them. True if there were some; the parameters are left for `dce`.
pub fn run(func: &mut Function, analyses: &mut Analyses) -> bool {
    let cfg = &analyses.flow(func).cfg;
    cfg.keep_reachable(func);
    let mut changed = false;
    for _ in 0..ROUNDS {
        let map = find(func, &cfg.order);
        if map.is_empty() {
            break;
        }
        func.substitute(&map);
        changed = true;
    }
    changed
}

/// What the arguments for a parameter have in common so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Common {
    #[default]
    Nothing,
    Value(Value),
    Constant(Type, u64),
    Different,
}

fn find(func: &mut Function, order: &[Block]) -> ValueMap {
    if func.layout.iter().skip(1).all(|&block| func.block(block).params.is_empty()) {
        return ValueMap::default();
    }
    let common = common(func, order);
    let entry = func.entry();
    let mut map = ValueMap::default();
    let mut constants: FxHashMap<(Type, u64), Value> = FxHashMap::default();
    let mut replaced = func.per_value(false);
    for index in 1..func.layout.len() {
        let block = func.layout[index];
        for position in 0..func.block(block).params.len() {
            let param = func.block(block).params[position];
            let by = match common[param] {
                Common::Value(value) => value,
                Common::Constant(ty, bits) => *constants.entry((ty, bits)).or_insert_with(|| {
                    let inst = func.make_inst(InstData::Const { ty, bits }, Flags::empty());
                    func.block_mut(entry).insts.insert(0, inst);
                    func.result(inst)
                }),
                _ => continue,
            };
            replaced[param] = true;
            map.insert(param, by);
        }
    }
    if map.is_empty() {
        return map;
    }
    // Nothing reads a parameter that was replaced before: it would be found again and again.
    let uses = func.use_counts();
    if !replaced.iter().any(|(param, &is)| is && uses[param] > 0) {
        return ValueMap::default();
    }
    map
}

/// What each parameter is on all edges, where parameters of a loop may be each other's arguments, or what these are computed of: none is taken for
/// different before that is seen.
fn common(func: &Function, order: &[Block]) -> SecondaryMap<Value, Common> {
    let mut common = func.per_value(Common::default());
    for &param in func.params() {
        common[param] = Common::Different;
    }
    let computed = computed_of_params(func, order, &mut common);
    let mut changed = true;
    while changed {
        changed = false;
        for &block in order {
            for &inst in &computed[block] {
                let result = func.result(inst);
                if common[result] == Common::Different {
                    continue;
                }
                let next = value_of(func, inst, &common);
                changed |= next != common[result];
                common[result] = next;
            }
            func.terminator(block).for_each_target(|call| {
                for (&arg, &param) in call.args.iter().zip(&func.block(call.block).params) {
                    let so_far = common[param];
                    // No way leads back from there.
                    if so_far == Common::Different {
                        continue;
                    }
                    let own = match common[arg] {
                        // Nothing has been seen to come to it.
                        Common::Nothing => continue,
                        Common::Different => Common::Value(arg),
                        known => known,
                    };
                    let next = match so_far {
                        Common::Nothing => own,
                        so_far if so_far == own => own,
                        _ => Common::Different,
                    };
                    changed |= next != so_far;
                    common[param] = next;
                }
            });
        }
    }
    // What was taken for a constant in the first iterations of a loop may still be one value that is handed on.
    for (param, only) in handed_on(func, order).iter() {
        if common[param] == Common::Different {
            common[param] = *only;
        }
    }
    common
}

/// By parameter: the one value that it is handed on all edges.
fn handed_on(func: &Function, order: &[Block]) -> SecondaryMap<Value, Common> {
    let mut handed = func.per_value(Common::default());
    for &param in func.params() {
        handed[param] = Common::Different;
    }
    for &block in order {
        for &inst in &func.block(block).insts {
            func.inst(inst)
                .results
                .iter()
                .for_each(|&result| handed[result] = Common::Different);
        }
        func.terminator(block).for_each_target(|call| {
            for (&arg, &param) in call.args.iter().zip(&func.block(call.block).params) {
                match handed[param] {
                    _ if arg == param => {}
                    Common::Nothing => handed[param] = Common::Value(arg),
                    Common::Value(known) if known == arg => {}
                    _ => handed[param] = Common::Different,
                }
            }
        });
    }
    handed
}

/// Instructions that compute something of nothing but parameters and constants, by block. Others' results are what they are, which is noted.
fn computed_of_params(func: &Function, order: &[Block], common: &mut SecondaryMap<Value, Common>) -> SecondaryMap<Block, Vec<Inst>> {
    let mut computed: SecondaryMap<Block, Vec<Inst>> = SecondaryMap::new();
    for &block in order {
        for &inst in &func.block(block).insts {
            let data = &func.inst(inst).data;
            if let InstData::Const { ty, bits } = *data {
                common[func.result(inst)] = Common::Constant(ty, bits);
                continue;
            }
            match eval::is_computed(data) && data.all_operands(|&value| common[value] != Common::Different) {
                true => computed[block].push(inst),
                false => func
                    .inst(inst)
                    .results
                    .iter()
                    .for_each(|&result| common[result] = Common::Different),
            }
        }
    }
    computed
}

/// What an instruction computes of what its operands are so far.
fn value_of(func: &Function, inst: Inst, common: &SecondaryMap<Value, Common>) -> Common {
    let data = &func.inst(inst).data;
    let (mut waits, mut is_constant) = (false, true);
    data.for_each_operand(|value| match common[*value] {
        Common::Nothing => waits = true,
        Common::Constant(..) => {}
        Common::Value(_) | Common::Different => is_constant = false,
    });
    let bits = |value: Value| match common[value] {
        Common::Constant(_, bits) => Some(bits),
        _ => None,
    };
    match is_constant {
        false => Common::Different,
        true if waits => Common::Nothing,
        true => {
            let ty = func.ty(func.result(inst));
            eval::compute(func, data, bits).map_or(Common::Different, |bits| Common::Constant(ty, bits))
        }
    }
}
