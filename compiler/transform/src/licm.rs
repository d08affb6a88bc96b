//! Loop-invariant code moves in front of the loop.
//!
//! What is pure moves wherever it stands (costly functions only if each iteration executes them). A load moves if nothing in the loop
//! writes its memory, and if it is executed whenever the loop is entered or its address is always valid. Nothing convergent moves.
//!
//! Blocks that are hardly ever executed, and what is hardly ever chosen ([`ir::cold`]), keep what they compute, and what is quickly computed anew moves
//! only as long as there are not [`HOISTED_VALUES`] such values: each would be on the stack all through the loop.
//!
//! Where values are vectors, loads move only as long as there are registers for what they give: where these are not enough, a loop may as
//! well load from where the data is as from where the register allocator would put it.

use super::memory::Touch;
use analysis::Analyses;
use cranelift_entity::SecondaryMap;
use ir::cfg::{Cfg, Loops};
use ir::*;
use target::costs::code_size::HOISTED_VALUES;
use target::costs::effort::KINDS_OF_WRITES;
use target::{Machine, Registers};

/// Moves. True if something moved.
pub fn run(func: &mut Function, machine: &Machine, analyses: &mut Analyses) -> bool {
    let flow = analyses.flow(func);
    flow.cfg.keep_reachable(func);
    if flow.loops().loops.is_empty() {
        return false;
    }
    let mut changed = add_preheaders(func, &flow.cfg, flow.loops());
    if changed {
        analyses.forget();
    }
    let flow = analyses.flow(func);
    let (cfg, loops, tree) = (&flow.cfg, flow.loops(), flow.tree());
    let mut home = func.per_inst(func.entry());
    for &block in &cfg.order {
        func.block(block).insts.iter().for_each(|&inst| home[inst] = block);
    }
    let summaries = summaries(func, cfg, loops, tree);
    let preheaders: Vec<Option<Block>> = (0..loops.loops.len()).map(|index| preheader(cfg, loops, index)).collect();
    let mut vectors = Vectors::new(func, loops.loops.len(), machine.registers);
    let mut quick = vec![0; loops.loops.len()];
    let cold = ir::cold::blocks(func, cfg);
    let rare = ir::cold::insts(func);
    let mut moved = func.per_block(Vec::new());
    // In reverse postorder operands come first. Each instruction moves as far out as it can at once.
    for &block in cfg.order.iter().filter(|&&block| loops.innermost[block].is_some() && !cold[block]) {
        let mut insts = std::mem::take(&mut func.block_mut(block).insts);
        insts.retain(|&inst| {
            if rare[inst] && !matches!(func.inst(inst).data, InstData::Const { .. }) {
                return true;
            }
            let target = target(
                func,
                &preheaders,
                loops,
                tree,
                &summaries,
                &home,
                &mut vectors,
                &mut quick,
                inst,
                block,
            );
            if let Some(preheader) = target {
                home[inst] = preheader;
                moved[preheader].push(inst);
                changed = true;
            }
            target.is_none()
        });
        func.block_mut(block).insts = insts;
    }
    for &block in &cfg.order {
        let moved = std::mem::take(&mut moved[block]);
        if moved.is_empty() {
            continue;
        }
        let insts = &mut func.block_mut(block).insts;
        let end = insts.len() - 1;
        insts.splice(end..end, moved);
    }
    changed
}

/// Gives each loop a block in front of its header that goes nowhere else. True if one was missing.
fn add_preheaders(func: &mut Function, cfg: &Cfg, loops: &Loops) -> bool {
    let mut added = false;
    let mut new = func.per_block(None);
    for (index, natural) in loops.loops.iter().enumerate() {
        let header = natural.header;
        if preheader(cfg, loops, index).is_some() {
            continue;
        }
        let outside: Vec<Block> = cfg.preds[header]
            .iter()
            .copied()
            .filter(|&pred| !loops.contains(index, pred))
            .collect();
        let types: Vec<Type> = func.block(header).params.iter().map(|&param| func.ty(param)).collect();
        let block = func.add_detached_block();
        let args: Vec<Value> = types.into_iter().map(|ty| func.add_param(block, ty)).collect();
        let target = to(header, &args);
        func.append(block, InstData::Jump { target }, Flags::empty());
        for pred in outside {
            func.retarget(pred, header, block);
        }
        new[header] = Some(block);
        added = true;
    }
    if !added {
        return false;
    }
    func.layout = std::mem::take(&mut func.layout)
        .into_iter()
        .flat_map(|block| new[block].into_iter().chain([block]))
        .collect();
    true
}

fn preheader(cfg: &Cfg, loops: &Loops, index: usize) -> Option<Block> {
    loops.only_entry(cfg, index).filter(|&entry| cfg.succs[entry].len() == 1)
}

/// The vector registers that hold what has been loaded before loops.
struct Vectors {
    registers: Registers,
    most: u32,
    /// By loop.
    held: Vec<u32>,
    /// Scalars that all lanes need.
    spread: SecondaryMap<Value, bool>,
}

impl Vectors {
    fn new(func: &Function, loops: usize, registers: Registers) -> Vectors {
        let mut spread = func.per_value(false);
        let results = func.insts().flat_map(|inst| &func.inst(inst).results);
        for scalar in results.filter_map(|&result| func.splatted(result)) {
            spread[scalar] = true;
        }
        Vectors {
            registers,
            // The others are for what the loop computes.
            most: registers.count / 2,
            held: vec![0; loops],
            spread,
        }
    }

    /// How many registers an instruction fills from memory.
    fn loaded(&self, func: &Function, inst: Inst) -> u32 {
        let node = func.inst(inst);
        match (&node.data, node.results.as_slice()) {
            (InstData::Load { ty, .. }, _) if ty.is_vector() => ty.bytes().div_ceil(self.registers.bytes),
            (InstData::Load { .. }, &[result]) => u32::from(self.spread[result]),
            _ => 0,
        }
    }
}

/// What the inside of a loop may do.
#[derive(Clone, Default)]
struct Summary {
    touches: Vec<Touch>,
    /// The nearest block that dominates all those from which the loop is left, or in which the function ends; none if there are none.
    before_exits: Option<Block>,
}

impl Summary {
    fn touch(&mut self, touch: Touch) {
        if touch == Touch::Nothing || self.touches.contains(&Touch::Everything) || self.touches.contains(&touch) {
            return;
        }
        self.touches.push(touch);
        if self.touches.len() > KINDS_OF_WRITES {
            self.touches = vec![Touch::Everything];
        }
    }
}

fn summaries(func: &Function, cfg: &Cfg, loops: &Loops, tree: &DominatorTree) -> Vec<Summary> {
    let mut summaries = vec![Summary::default(); loops.loops.len()];
    let meets = tree.meets(cfg);
    for &block in &cfg.order {
        let Some(innermost) = loops.innermost(block) else { continue };
        for &inst in &func.block(block).insts {
            summaries[innermost].touch(Touch::of(&func.inst(inst).data));
        }
        // What leaves a loop around another leaves that one, too.
        let successors = &cfg.succs[block];
        let leaves = |index: usize| successors.is_empty() || successors.iter().any(|&succ| !loops.contains(index, succ));
        for index in loops.around(block).take_while(|&index| leaves(index)) {
            let before = &mut summaries[index].before_exits;
            *before = Some(before.map_or(block, |other| meets.of(other, block)));
        }
    }
    // Inner loops come last: what they touch is known when it is added to those around them.
    for index in (0..summaries.len()).rev() {
        if let Some(parent) = loops.loops[index].parent {
            for at in 0..summaries[index].touches.len() {
                let touch = summaries[index].touches[at];
                summaries[parent].touch(touch);
            }
        }
    }
    summaries
}

/// The preheader of the outermost loop that the instruction can leave.
#[allow(clippy::too_many_arguments)]
fn target(
    func: &Function,
    preheaders: &[Option<Block>],
    loops: &Loops,
    tree: &DominatorTree,
    summaries: &[Summary],
    home: &SecondaryMap<Inst, Block>,
    vectors: &mut Vectors,
    quick: &mut [u32],
    inst: Inst,
    block: Block,
) -> Option<Block> {
    let data = &func.inst(inst).data;
    let (load, costly) = match data {
        InstData::Load { mem, mask: None, .. } if !mem.flags.contains(MemFlags::VOLATILE) => (Some(mem), false),
        InstData::CallRuntime { routine, .. } if routine.is_pure() => (None, true),
        InstData::Image { op, .. } if op.is_pure() => (None, true),
        data if data.is_pure() => (None, false),
        _ => return None,
    };
    let is_invariant = |index: usize| {
        data.all_operands(|&value| {
            let defined = match func.def(value) {
                ValueDef::Param(block, _) => block,
                ValueDef::Result(inst, _) => home[inst],
            };
            !loops.contains(index, defined)
        })
    };
    let mut around = loops.around(block).take_while(|&index| is_invariant(index)).peekable();
    // Most leave no loop.
    around.peek()?;
    let always_valid = load.is_none_or(|mem| mem.flags.contains(MemFlags::DEREFERENCEABLE)) && !costly;
    let registers = vectors.loaded(func, inst);
    let is_quick = is_quick(data);
    let mut found = None;
    for index in around {
        let summary = &summaries[index];
        let unwritten = load.is_none_or(|mem| !summary.touches.iter().any(|&touch| touch.may_change(mem)));
        // Nothing can leave the loop, or end it, before the block is executed.
        let executed = always_valid || summary.before_exits.is_none_or(|exits| tree.dominates(block, exits));
        let held = vectors.held[index] + registers <= vectors.most && !(is_quick && quick[index] == HOISTED_VALUES);
        if !(unwritten && executed && held) {
            break;
        }
        let Some(preheader) = preheaders[index] else {
            break;
        };
        vectors.held[index] += registers;
        quick[index] += u32::from(is_quick);
        found = Some(preheader);
    }
    found
}

/// It takes about as long as loading its result from the stack.
fn is_quick(data: &InstData) -> bool {
    match data {
        InstData::IntCompare { .. } | InstData::Select { .. } => true,
        InstData::Binary { op, .. } => matches!(
            op,
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::And | BinaryOp::Or | BinaryOp::Xor | BinaryOp::Shl | BinaryOp::LShr | BinaryOp::AShr
        ),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ir::parse::parse_function;

    #[test]
    fn no_more_is_loaded_before_a_loop_than_registers_hold() {
        let each = |what: &dyn Fn(u32) -> String| (0..20).map(what).collect::<String>();
        let loads = each(&|n| {
            let (scalar, vector, sum, before) = (100 + 4 * n, 101 + 4 * n, 102 + 4 * n, if n == 0 { 4 } else { 98 + 4 * n });
            format!(
                "  v{scalar} = load.f32 global align 4 alias 1 [v0 + {}]\n  v{vector} = lane splat f32x4 v{scalar}\n  \
                 v{sum} = fadd v{before}, v{vector}\n",
                4 * n
            )
        });
        let text = format!(
            "function workgroup @f -> i32 {{\nblock0(v0: i64, v1: i64):\n  v2 = const.f32x4 0x0\n  v3 = const.i64 1\n  jump block1(v1, v2)\n\
             block1(v5: i64, v4: f32x4):\n{loads}  store v178, global align 4 alias 2 [v1]\n  v6 = sub v5, v3\n  v7 = icmp.ne v6, v3\n  \
             branch v7, block1(v6, v178), block2\nblock2:\n  v8 = const.i32 0\n  return v8\n}}"
        );
        let mut func = parse_function(&text).expect("the test's text is IR");
        let machine = Machine::named("avx2").expect("there is one");
        assert!(run(&mut func, &machine, &mut Analyses::default()));
        let text = func.to_string();
        let (before, inside) = text.split_once("block1(").expect("the loop");
        let most = machine.registers.count as usize / 2;
        for what in ["= load.f32 ", "= lane splat"] {
            assert_eq!(before.matches(what).count(), most.min(20), "{text}");
            assert_eq!(inside.matches(what).count(), 20 - most.min(20), "{text}");
        }
    }

    fn moved(text: &str) -> (String, String) {
        let mut func = parse_function(text).expect("the test's text is IR");
        run(&mut func, &Machine::named("avx2").expect("there is one"), &mut Analyses::default());
        let text = func.to_string();
        let (before, inside) = text.split_once("block1(").expect("the loop");
        (before.to_owned(), inside.to_owned())
    }

    /// Each of these would be on the stack all through the loop. What takes longer moves all the same.
    #[test]
    fn no_more_is_computed_before_a_loop_than_is_looked_at_quickly() {
        let count = HOISTED_VALUES as usize + 50;
        let sums: String = (0..count)
            .map(|n| {
                format!(
                    "  v{} = add v0, v{}\n  store v{}, global align 8 alias 1 [v0]\n",
                    100 + n,
                    99 + n,
                    100 + n
                )
            })
            .collect();
        let last = 100 + count;
        let text = format!(
            "function workgroup @f -> i32 {{\nblock0(v0: i64, v99: i64):\n  jump block1(v99)\nblock1(v1: i64):\n{sums}  \
             v{last} = udiv v0, v99\n  v{} = sub v1, v{last}\n  v{} = icmp.ne v{}, v0\n  branch v{}, block1(v{}), block2\n\
             block2:\n  v{} = const.i32 0\n  return v{}\n}}",
            last + 1,
            last + 2,
            last + 1,
            last + 2,
            last + 1,
            last + 3,
            last + 3
        );
        let (before, inside) = moved(&text);
        assert_eq!(before.matches("= add").count(), HOISTED_VALUES as usize, "{before}");
        assert_eq!(inside.matches("= add").count(), 50, "{inside}");
        assert_eq!(before.matches("= udiv").count(), 1, "{before}");
    }

    /// What a report says is computed where it is made.
    #[test]
    fn what_reports_need_stays_with_them() {
        let text = "function workgroup @f -> i32 {\nblock0(v0: i64, v1: i64):\n  jump block1(v1)\nblock1(v2: i64):\n  v3 = icmp.ult v2, v0\n  \
                    branch v3, block3, block2\nblock2:\n  v4 = add v0, v1\n  call_runtime found(v0, v1, v4, v4, v4)\n  jump block3\n\
                    block3:\n  v5 = xor v0, v1\n  v6 = add v2, v5\n  branch v3, block1(v6), block4\nblock4:\n  v7 = const.i32 0\n  return v7\n}";
        let (before, inside) = moved(text);
        assert!(before.contains("= xor") && !before.contains("= add v0, v1"), "{before}");
        assert!(inside.contains("= add v0, v1"), "{inside}");
    }
}
