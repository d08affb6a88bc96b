//! What comes to a block as one constant or another (or a choice of two), and is only compared with constants there, comes as the truth instead (an operation on a phi
//! becomes a phi).
//!
//! `while (same < 8 && a[i + same] == b[same]) same++; r[i] = same == 8;` has nine ways to its end once it is unrolled, each of which knows the
//! outcome: for lanes that is a bit each, not a number each.

use ir::cfg::reverse_postorder;
use ir::*;
use rustc_hash::FxHashMap;
use target::costs::code_size::PHI_COMPARISONS;

/// A comparison of a parameter with a constant.
struct Compared {
    inst: Inst,
    /// What it is for each of the ways, in their order.
    outcomes: Vec<Outcome>,
}

/// What a comparison is for one way.
#[derive(Clone, Copy)]
enum Outcome {
    Known(bool),
    /// As this is, or the opposite.
    As(Value, bool),
}

impl Outcome {
    /// As a value at the end of a block; `known` has those that are the same always.
    fn value(self, func: &mut Function, block: Block, known: [Value; 2]) -> Value {
        match self {
            Outcome::Known(outcome) => known[usize::from(outcome)],
            Outcome::As(mask, true) => mask,
            Outcome::As(mask, false) => {
                let opposite = func.make_inst(
                    InstData::Unary {
                        op: UnaryOp::Not,
                        arg: mask,
                    },
                    Flags::empty(),
                );
                let insts = &mut func.block_mut(block).insts;
                insts.insert(insts.len() - 1, opposite);
                func.result(opposite)
            }
        }
    }
}

/// What comes to a parameter one way.
#[derive(Clone, Copy)]
enum Way {
    Constant(u64),
    /// The first where this is true, else the second.
    Choice(Value, [u64; 2]),
}

impl Way {
    fn of(func: &Function, value: Value) -> Option<Way> {
        if let Some(bits) = func.constant(value) {
            return Some(Way::Constant(bits));
        }
        match func.def_data(value)? {
            &InstData::Select { mask, args: [a, b] } => Some(Way::Choice(mask, [func.constant(a)?, func.constant(b)?])),
            _ => None,
        }
    }
}

/// Replaces comparisons. True if there were some; the parameters are left for `dce`.
pub fn run(func: &mut Function) -> bool {
    let order = reverse_postorder(func);
    let mut incoming: FxHashMap<Block, Vec<Block>> = FxHashMap::default();
    for &block in &order {
        for target in func.terminator(block).targets() {
            if !func.block(target.block).params.is_empty() {
                let preds: &mut Vec<Block> = incoming.entry(target.block).or_default();
                if preds.last() != Some(&block) {
                    preds.push(block);
                }
            }
        }
    }
    let mut candidates: Candidates = FxHashMap::default();
    for &block in &order[1..] {
        if let Some(preds) = incoming.get(&block) {
            collect(func, block, preds, &mut candidates);
        }
    }
    for inst in func.insts_of(&order) {
        let data = &func.inst(inst).data;
        data.for_each_operand(|&value| {
            if let Some(candidate) = candidates.get_mut(&value) {
                candidate.used(func, value, inst);
            }
        });
    }
    let mut found_in = |block: Block| -> Vec<Compared> {
        let params = func.block(block).params.iter();
        params.filter_map(|param| candidates.remove(param)?.found).flatten().collect()
    };
    let found: Vec<(Block, Vec<Compared>)> = order[1..]
        .iter()
        .map(|&block| (block, found_in(block)))
        .filter(|(_, found)| !found.is_empty())
        .collect();
    if found.is_empty() {
        return false;
    }
    let entry = func.entry();
    let [no, yes] = [0, 1].map(|bits| {
        let inst = func.make_inst(InstData::Const { ty: Type::MASK, bits }, Flags::empty());
        func.block_mut(entry).insts.insert(0, inst);
        func.result(inst)
    });
    let mut map = ValueMap::default();
    for (block, comparisons) in found {
        for Compared { inst, outcomes } in comparisons {
            let param = func.add_param(block, Type::MASK);
            map.insert(func.result(inst), param);
            let mut outcomes = outcomes.into_iter();
            for &pred in &incoming[&block] {
                let ways = func
                    .terminator(pred)
                    .targets()
                    .into_iter()
                    .filter(|target| target.block == block)
                    .count();
                let args: Vec<Value> = outcomes
                    .by_ref()
                    .take(ways)
                    .map(|outcome| outcome.value(func, pred, [no, yes]))
                    .collect();
                let targets = func.terminator_mut(pred).targets_mut().into_iter();
                for (target, arg) in targets.filter(|target| target.block == block).zip(args) {
                    target.args.push(arg);
                }
            }
        }
    }
    func.substitute(&map);
    true
}

/// Parameters of which each way brings something known.
type Candidates = FxHashMap<Value, Candidate>;

struct Candidate {
    ways: Vec<Way>,
    /// What is done with it, as long as these are comparisons with constants.
    found: Option<Vec<Compared>>,
}

impl Candidate {
    /// An instruction has it, the value `param`, for an operand.
    fn used(&mut self, func: &Function, param: Value, inst: Inst) {
        let ways = &self.ways;
        let found = self.found.take().filter(|found| found.len() < PHI_COMPARISONS);
        self.found = found.and_then(|mut found| {
            let &InstData::IntCompare { cc, args: [a, b] } = &func.inst(inst).data else {
                return None;
            };
            let bits = func.constant(b).filter(|_| a == param)?;
            let is_so = |way: u64| eval::int_compare(cc, func.ty(param).elem, way, bits);
            let outcome = |way: &Way| match *way {
                Way::Constant(way) => Outcome::Known(is_so(way)),
                Way::Choice(mask, [then, otherwise]) => match [is_so(then), is_so(otherwise)] {
                    [true, true] => Outcome::Known(true),
                    [false, false] => Outcome::Known(false),
                    [then, _] => Outcome::As(mask, then),
                },
            };
            found.push(Compared {
                inst,
                outcomes: ways.iter().map(outcome).collect(),
            });
            Some(found)
        });
    }
}

/// The parameters of a block to which something known comes each way, from `preds`, one each.
fn collect(func: &Function, block: Block, preds: &[Block], candidates: &mut Candidates) {
    let targets = preds.iter().flat_map(|&pred| func.terminator(pred).targets());
    let calls: Vec<&BlockCall> = targets.filter(|target| target.block == block).collect();
    for (position, &param) in func.block(block).params.iter().enumerate() {
        let ty = func.ty(param);
        if !ty.elem.is_int() || ty.is_vector() {
            continue;
        }
        let ways: Option<Vec<Way>> = calls.iter().map(|call| Way::of(func, call.args[position])).collect();
        if let Some(ways) = ways {
            let found = Some(Vec::new());
            candidates.insert(param, Candidate { ways, found });
        }
    }
}
