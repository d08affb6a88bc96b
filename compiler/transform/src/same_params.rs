//! Block parameters that are the same whichever way one comes become that value.
//!
//! Not for functions in loop-closed form, which is made of such parameters.

use cranelift_entity::SecondaryMap;
use ir::cfg::keep_reachable;
use ir::*;
use rustc_hash::FxHashMap;

/// How often the whole is repeated at most: a parameter that was taken for one value may be seen to be another.
const ROUNDS: usize = 4;

/// Replaces them. True if there were some; the parameters are left for `dce`.
pub fn run(func: &mut Function) -> bool {
    keep_reachable(func);
    let mut changed = false;
    for _ in 0..ROUNDS {
        let map = find(func);
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

fn find(func: &mut Function) -> ValueMap {
    let common = common(func);
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

/// What each parameter is on all edges, where parameters of a loop may be each other's arguments: none is taken for different before that is seen.
fn common(func: &Function) -> SecondaryMap<Value, Common> {
    let mut common = func.per_value(Common::default());
    for &param in func.params() {
        common[param] = Common::Different;
    }
    let mut changed = true;
    while changed {
        changed = false;
        for &block in &func.layout {
            for call in func.terminator(block).targets() {
                for (&arg, &param) in call.args.iter().zip(&func.block(call.block).params) {
                    let own = match (common[arg], func.def_data(arg)) {
                        (known @ (Common::Value(_) | Common::Constant(..)), _) => known,
                        (_, Some(&InstData::Const { ty, bits })) => Common::Constant(ty, bits),
                        // A parameter that nothing has been seen to come to.
                        (Common::Nothing, None) => continue,
                        _ => Common::Value(arg),
                    };
                    let next = match common[param] {
                        Common::Nothing => own,
                        so_far if so_far == own => own,
                        _ => Common::Different,
                    };
                    changed |= next != common[param];
                    common[param] = next;
                }
            }
        }
    }
    common
}
