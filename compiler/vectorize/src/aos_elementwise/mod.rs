//! Records all parts of which go the same way stay as they lie in memory.
//!
//! `c[i] = a[i] + b[i]` of vectors of sixteen bytes is sixteen loads, sums and stores, since vectors of the source are their components;
//! and each load would have its lanes sixteen bytes apart. But as the same is done to all components, nobody sees which lane does it to
//! which. So of a gang of 32 lanes the first load takes the first 32 bytes of their records, those of the first two work-items, the second
//! the next 32, and so on; the stores do the same, and what is between stays as it is.

mod web;

use super::control_divergence::Apart;
use super::interleaved_access::Records;
use analysis::GangFacts;
use analysis::{Analyses, Analysis};
use ir::*;
use passes::Plan;
use rustc_hash::{FxHashMap, FxHashSet};
use target::costs::record::COMPONENTS;
use web::{Web, Whole};

/// Elements of a record: OpenCL C has no longer vectors.
const MOST: usize = 16;

/// The accesses to a record, one for each component.
type Fields = Vec<Inst>;

/// Rewrites. True if something changed. The function must be in the form that group formation takes, and stays in it.
pub fn run(func: &mut Function, facts: &GangFacts, known: &mut Analyses, plan: &mut Plan) -> bool {
    let found = known
        .of(func, facts)
        .map_or_else(Whole::default, |known| find(func, facts, known, false));
    let (whole, parted) = (found.accesses.len(), found.parted);
    if whole + parted > 0 {
        plan.note("aos_elementwise", || {
            format!("{whole} accesses to records as they are in memory; {parted} stores by component, since not all components are treated alike")
        });
    }
    if whole == 0 {
        return false;
    }
    rewrite(func, facts, &found.accesses);
    for block in func.layout.clone() {
        put_in_order(func, block, &found.components);
    }
    true
}

/// Accesses to records that would stay whole if all lanes came to them.
pub fn candidates(func: &Function, facts: &GangFacts, known: &mut Analyses) -> FxHashSet<Inst> {
    let found = has_stores(func).then(|| known.of(func, facts)).flatten();
    let found = found.map_or_else(Whole::default, |known| find(func, facts, known, true));
    found.accesses.into_iter().flatten().collect()
}

/// Whether there are such.
pub fn has_candidates(func: &Function, facts: &GangFacts, known: Analysis) -> bool {
    !find(func, facts, known, true).accesses.is_empty()
}

fn has_stores(func: &Function) -> bool {
    let is_store = |&inst: &Inst| matches!(func.inst(inst).data, InstData::Store { .. });
    func.insts().filter(is_store).count() > 1
}

/// Records that are written, and what these are made of. `anywhere` says that all lanes come to all blocks together.
fn find(func: &Function, facts: &GangFacts, known: Analysis, anywhere: bool) -> Whole {
    if facts.width == 1 || !facts.full_gangs() || facts.parameters_vary || !has_stores(func) {
        return Whole::default();
    }
    let Analysis {
        cfg,
        loops,
        post,
        uniformity,
        ..
    } = known;
    let records = Records::of(func, known, facts, |_| MOST, 0);
    let apart = Apart::new(func, cfg, post, loops, uniformity);
    let together = |block: Block| anywhere || !apart.at(block);
    let mut all: Vec<Fields> = Vec::new();
    let mut begins: FxHashMap<Inst, usize> = FxHashMap::default();
    for fields in records
        .fields()
        .filter_map(|fields| fields.iter().copied().collect::<Option<Fields>>())
    {
        begins.insert(fields[0], all.len());
        all.push(fields);
    }
    let mut kept: Vec<Fields> = Vec::new();
    for &block in cfg.order.iter().filter(|&&block| together(block)) {
        for &inst in &func.block(block).insts {
            // (Private memory has an order of its own.)
            if func.access(inst).is_some_and(|access| access.mem.space != Space::Private)
                && let Some(&number) = begins.get(&inst)
            {
                kept.push(std::mem::take(&mut all[number]));
            }
        }
    }
    Web::new(func, cfg, uniformity, kept).whole(together)
}

/// Has each component's access go to its share of the gang's records.
fn rewrite(func: &mut Function, facts: &GangFacts, found: &[Fields]) {
    let mut shares: FxHashMap<Inst, Share> = FxHashMap::default();
    for fields in found {
        let Some(access) = func.access(fields[0]) else { continue };
        let bytes = access.ty.bytes();
        for (number, &inst) in fields.iter().enumerate() {
            let share = Share {
                offset: access.address.offset + (number as u32 * facts.width * bytes) as i32,
                nearer: i64::from(bytes) * (fields.len() as i64 - 1),
                bytes,
            };
            shares.insert(inst, share);
        }
    }
    for block in func.layout.clone() {
        if !func.block(block).insts.iter().any(|inst| shares.contains_key(inst)) {
            continue;
        }
        for inst in func.take_insts(block) {
            if let Some(share) = shares.get(&inst)
                && let Some(Access { address, .. }) = func.access(inst)
            {
                let mut b = Builder::new(func, block);
                let lane = b.builtin(Builtin::SubGroupLocalId, 0);
                let lane = b.convert(ConvertOp::ZExt, Elem::I64, lane);
                let nearer = b.binary_imm(BinaryOp::Mul, lane, share.nearer);
                let base = b.sub(address.base, nearer);
                if let InstData::Load { address, mem, .. } | InstData::Store { address, mem, .. } = &mut func.inst_mut(inst).data {
                    (address.base, address.offset) = (base, share.offset);
                    mem.align = mem.align.min(Align::of(share.bytes));
                }
            }
            func.block_mut(block).insts.push(inst);
        }
    }
}

/// Where a component's access goes.
struct Share {
    /// Of the first lane's, from the address of its record.
    offset: i32,
    /// Neighbours' elements are so many bytes nearer to each other than neighbours' records.
    nearer: i64,
    /// Of an element.
    bytes: u32,
}

/// Few components at once are computed of what is loaded at once, so that their values find registers.
fn put_in_order(func: &mut Function, block: Block, components: &FxHashMap<Inst, usize>) {
    let insts = &func.block(block).insts;
    if !insts
        .iter()
        .any(|inst| components.get(inst).is_some_and(|&number| number >= COMPONENTS))
    {
        return;
    }
    // What is of no component needs none, and memory is only read between two instructions that change something.
    let iteration = |inst: &Inst| components.get(inst).map_or(0, |number| 1 + number / COMPONENTS);
    let mut ordered: Vec<Inst> = Vec::with_capacity(insts.len());
    for part in insts.split_inclusive(|&inst| func.inst(inst).data.has_side_effects() || func.inst(inst).data.is_convergent()) {
        let (rest, last) = part.split_at(part.len() - 1);
        let begin = ordered.len();
        ordered.extend(rest);
        ordered[begin..].sort_by_key(iteration);
        ordered.extend(last);
    }
    func.block_mut(block).insts = ordered;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vectorize;
    use analysis::gang_shape;
    use interface::LaunchFacts;
    use ir::parse::parse_function;
    use ir::verify::verify;
    use std::fmt::Write;

    /// `c[i] = a[i] * s + b[i]` of vectors of so many bytes; `form` says what is done to each component.
    fn kernel(components: usize, form: &str) -> String {
        let mut text = String::from(
            "function workitem @k {
block0:
  v0 = builtin arguments
  v1 = load.i64 constant align 8 invariant dereferenceable [v0]
  v2 = load.i64 constant align 8 invariant dereferenceable [v0 + 8]
  v3 = load.i64 constant align 8 invariant dereferenceable [v0 + 16]
  v4 = load.i8 constant align 1 invariant dereferenceable [v0 + 24]
  v5 = builtin global_id 0
  v6 = trunc.i32 v5 rte
  v7 = trunc.i8 v5 rte
",
        );
        let mut each = |line: &dyn Fn(usize) -> String| {
            for number in 0..components {
                writeln!(text, "  {}", line(number)).expect("a string takes it");
            }
        };
        each(&|number| format!("v{} = load.i8 global align 1 [v1 + v6 * {components} + {number}]", 100 + number));
        each(&|number| format!("v{} = load.i8 global align 1 [v2 + v6 * {components} + {number}]", 200 + number));
        each(&|number| format!("v{} = mul v{}, v4", 300 + number, 100 + number));
        each(&|number| {
            let [a, b, c] = [300, 200, 400].map(|first| first + number);
            form.replace("A", &format!("v{a}"))
                .replace("B", &format!("v{b}"))
                .replace("C", &format!("v{c}"))
        });
        each(&|number| format!("store v{}, global align 1 [v3 + v6 * {components} + {number}]", 400 + number));
        text + "  return\n}"
    }

    /// The gang's function, if records stay whole in it.
    fn whole(text: &str, local_size: [u64; 3]) -> Option<String> {
        let mut func = parse_function(text).expect("the test's text is IR");
        let facts = GangFacts::new(gang_shape(Some(16), 16, local_size), &LaunchFacts::usual(local_size));
        let changed = run(&mut func, &facts, &mut Analyses::default(), &mut Plan::default());
        verify(&func, None).expect("the pass keeps the rules");
        let gang = vectorize(
            &func,
            &facts,
            &target::Machine::named("avx2").expect("there is one"),
            &mut Analyses::default(),
        )
        .expect("reducible")
        .func;
        changed.then(|| gang.to_string())
    }

    #[test]
    fn components_that_go_the_same_way_stay_where_they_are() {
        for components in [2, 4, 16] {
            let gang = whole(&kernel(components, "C = add A, B"), [64, 1, 1]).expect("nobody sees the order");
            assert_eq!(gang.matches("load.i8x16 global").count(), 2 * components, "{gang}");
            assert_eq!(gang.matches("store v").count(), components, "{gang}");
            assert!(!gang.contains("interleaved") && !gang.contains("i64x16"), "{gang}");
        }
    }

    #[test]
    fn whoever_sees_the_order_keeps_it() {
        let text = kernel(4, "C = add A, B");
        let is_whole = |text: &str| whole(text, [64, 1, 1]).is_some();
        assert!(is_whole(&text));
        // Another component, another operation, a number of the lane's own, one component by itself, and one that is not stored.
        assert!(!is_whole(&text.replace("add v300, v200", "add v300, v201")));
        assert!(!is_whole(&text.replace("add v300, v200", "xor v300, v200")));
        assert!(!is_whole(&kernel(4, "C = add A, v7")));
        assert!(!is_whole(&text.replace("  return", "  store v400, global align 1 [v1]\n  return")));
        assert!(!is_whole(&text.replace("  store v402, global align 1 [v3 + v6 * 4 + 2]\n", "")));
        // What may change between two loads, and lanes that may be missing.
        assert!(!is_whole(&text.replace("  v101 =", "  store v100, global align 1 [v3]\n  v101 =")));
        assert!(whole(&text, [10, 1, 1]).is_none());
        let guarded = text.replace(
            "  v100 =",
            "  v8 = load.i32 global align 4 [v1 + v6 * 4]\n  v9 = icmp.sgt v8, v6\n  branch v9, block1, block2\nblock1:\n  v100 =",
        );
        let guarded = guarded.replace("  return", "  jump block3\nblock2:\n  jump block3\nblock3:\n  return");
        assert!(!is_whole(&guarded));
        let func = parse_function(&guarded).expect("the test's text is IR");
        let facts = GangFacts::new(gang_shape(Some(16), 16, [64, 1, 1]), &LaunchFacts::usual([64, 1, 1]));
        assert_eq!(candidates(&func, &facts, &mut Analyses::default()).len(), 12);
    }
}
