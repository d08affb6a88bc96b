//! Loops along rows, four iterations at a time.
//!
//! Of four iterations each lane's words are contiguous: code generation loads them at once, and turns rows into columns; and stores columns
//! as rows. Bytes of four iterations are one word, and products of them that are only summed, `sum += a[row * n + i] * b[i]`, are one instruction
//! that machines have for quantized networks. Where rows are of bytes or shorts, four words' iterations are done before: a word alone costs a lane nearly what
//! four do. What is left of the iterations is for the loop as it was.

use super::bytes::Bytes;
use super::dots::Dot;
use super::dots_by_fours;
use super::row::Row;
use super::row_loop::RowLoop;
use analysis::Analyses;
use ir::cfg::Cfg;
use ir::*;
use passes::Plan;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::{SmallVec, smallvec};
use target::Machine;
use target::costs::code_size;

/// Iterations at a time: words that are loaded at once.
pub(super) const ITERATIONS: u32 = 4;

/// Bytes of a word.
const WORD_BYTES: u32 = 4;

/// Rewrites. True if there was such a loop.
pub fn run(func: &mut Function, _machine: &Machine, analyses: &mut Analyses, plan: &mut Plan) -> bool {
    let Some((cfg, found)) = RowLoop::all(func, analyses, word_or_byte) else {
        return false;
    };
    // Those behind first: the ways out of the others then lead to what is before them now.
    let mut changed = false;
    for rows in found.iter().rev() {
        let apart = rows.may_take(func, ITERATIONS);
        plan.note("rows_by_fours", || match apart {
            true => format!("loop at {}: {ITERATIONS} iterations at once", rows.block),
            false => format!(
                "loop at {}: as it is, since an iteration loads what one a few before it stores",
                rows.block
            ),
        });
        if apart {
            write(rows, func, cfg);
            changed = true;
        }
    }
    changed
}

/// A row of words, or of bytes or shorts that are loaded.
pub(super) fn word_or_byte(func: &Function, inst: Inst) -> Option<Row> {
    let is_load = matches!(func.inst(inst).data, InstData::Load { .. });
    Row::of(func, inst).filter(|row| row.mask.is_none() && (matches!(row.bytes, 4 | 8) || matches!(row.bytes, 1 | 2) && is_load))
}

fn index_of(func: &Function, inst: Inst) -> Option<Value> {
    func.access(inst)?.address.index
}

fn write(rows: &RowLoop, func: &mut Function, cfg: &Cfg) {
    rows.hand_out(func);
    let params = func.block(rows.block).params.clone();
    let entry = func.add_detached_block();
    let at_entry = rows.given(func, entry);
    let before = rows.enter_where_apart(func, cfg, entry, ITERATIONS);
    let insts = func.block(rows.block).insts.clone();
    let Some((_, body)) = insts.split_last() else { return };
    // (Another loop that was rewritten may have it handed out.)
    let Some(bound) = rows.bound(func) else { return };
    let own: FxHashSet<Value> = func.values_of(rows.block).collect();
    let accesses = body.iter().filter_map(|&inst| Some((inst, word_or_byte(func, inst)?)));
    let accesses: Vec<(Inst, Row)> = accesses
        .filter(|(_, row)| row.goes_along(params[rows.counter], |value| !own.contains(&value)))
        .collect();
    // Before the loop: where rows begin, and that there is an iteration, which the loop's own test says of those that follow.
    let mut b = Builder::new(func, entry);
    let beginnings: FxHashMap<Inst, Value> = accesses.iter().map(|(inst, row)| (*inst, row.beginning(&mut b))).collect();
    let any = rows.has_any(&mut b, at_entry[rows.counter], bound);
    let dots = dots_by_fours::find(rows, func, body, &own, &func.terminator(rows.block).targets()[rows.exit].clone());
    let by_fours = ByFours {
        rows,
        body,
        bound,
        rows_of: &accesses,
        beginnings: &beginnings,
        dots: dots.as_deref(),
    };
    let mut blocks = Vec::new();
    let mut next = rows.block;
    for iterations in by_fours.at_once(func) {
        let [head, many] = by_fours.write(func, iterations, next);
        blocks.splice(0..0, [head, many]);
        next = head;
    }
    let mut b = Builder::new(func, entry);
    match any {
        Some(any) => b.branch(any, to(next, &at_entry), to(rows.block, &at_entry)),
        None => b.jump(next, &at_entry),
    }
    let at = func.layout.iter().position(|&other| other == rows.block).unwrap_or(0);
    func.layout.splice(at..at, before.into_iter().chain([entry]).chain(blocks));
}

/// A loop that is written so.
struct ByFours<'a> {
    rows: &'a RowLoop,
    /// The loop's instructions but the last.
    body: &'a [Inst],
    bound: Value,
    /// What is accessed along rows.
    rows_of: &'a [(Inst, Row)],
    /// Where the rows begin.
    beginnings: &'a FxHashMap<Inst, Value>,
    /// The loop's sums, if it does nothing else.
    dots: Option<&'a [Dot]>,
}

impl ByFours<'_> {
    /// How many iterations at once, the least first: what is left of more is for fewer. (More than [`ITERATIONS`] only where nothing is stored, since what is stored
    /// is words: the question whether accesses are apart is for these.)
    fn at_once(&self, func: &Function) -> SmallVec<[u32; 2]> {
        let longest = self.rows_of.iter().map(|(_, row)| row.bytes).max();
        let words = longest.map_or(1, |bytes| (WORD_BYTES / bytes).max(1));
        let many = ITERATIONS * words;
        let is_short = self.dots.is_some() || self.body.len() * many as usize <= code_size::ROW_ITERATIONS;
        let has_room = |access: Access| access.address.offset.checked_add_unsigned(many * WORD_BYTES).is_some();
        let have_room = self.body.iter().filter_map(|&inst| func.access(inst)).all(has_room);
        let has_many = func.constant(self.bound).is_none_or(|bound| bound >= many.into());
        let mut at_once = smallvec![ITERATIONS];
        if words > 1 && is_short && have_room && has_many {
            at_once.push(many);
        }
        at_once
    }

    /// Writes a loop of so many iterations at once, and gives its blocks: at the first it is entered, with the loop's parameters; where fewer are left, it goes
    /// to `rest`.
    fn write(&self, func: &mut Function, iterations: u32, rest: Block) -> [Block; 2] {
        let ByFours { rows, body, .. } = *self;
        let [head, many] = std::array::from_fn(|_| func.add_detached_block());
        let at_head = rows.given(func, head);
        let given = rows.given(func, many);
        let mut b = Builder::new(func, head);
        let left = rows.left(&mut b, at_head[rows.counter], self.bound);
        let enough = b.icmp_imm(IntCc::Uge, left, iterations.into());
        b.branch(enough, to(many, &at_head), to(rest, &at_head));
        let mut map = match self.dots {
            Some(dots) => dots_by_fours::write(rows, func, (many, body), (&given, iterations), dots, self.beginnings),
            None => self.iterations(func, many, given, iterations),
        };
        let terminator = func.terminator(rows.block).clone();
        let Some((condition, _)) = func.branch(rows.block) else {
            return [head, many];
        };
        let mut of = |values: &[Value]| values.iter().map(|&value| map.shorten(value)).collect::<Vec<Value>>();
        let exit = &terminator.targets()[rows.exit];
        let (again, out) = (of(rows.back(func)), of(&exit.args));
        let mut ways = [to(head, &again), to(head, &again)];
        ways[rows.exit] = to(exit.block, &out);
        let [then, otherwise] = ways;
        Builder::new(func, many).branch(map.shorten(condition), then, otherwise);
        [head, many]
    }

    /// Writes iterations into the block `many`. Gives what the loop's values are in the last of them.
    fn iterations(&self, func: &mut Function, many: Block, mut iteration: Vec<Value>, iterations: u32) -> ValueMap {
        let ByFours {
            rows, body, beginnings, ..
        } = *self;
        let params = func.block(rows.block).params.clone();
        let mut bytes = Bytes::default();
        for (inst, _) in self.rows_of.iter().filter(|(_, row)| row.bytes < WORD_BYTES) {
            bytes.words.insert(func.result(*inst), None);
        }
        let start = iteration[rows.counter];
        let mut stores: Vec<(Inst, InstData, Flags)> = Vec::new();
        let back = rows.back(func).to_vec();
        let mut map = ValueMap::default();
        for number in 0..iterations {
            map = ValueMap::default();
            for (&param, &value) in params.iter().zip(&iteration) {
                map.insert(param, value);
            }
            for &inst in body {
                if inst == rows.step {
                    let next = counted(rows, func, many, start, number + 1);
                    map.insert(func.result(inst), next);
                    continue;
                }
                let (mut data, flags) = (func.inst(inst).data.clone(), func.inst(inst).flags);
                if let Some(number) = bytes.number(func, many, number, &data) {
                    map.insert(func.result(inst), number);
                    continue;
                }
                data.for_each_operand_mut(|value| *value = map.shorten(*value));
                let beginning = beginnings.get(&inst);
                let counts = beginning.is_some() || index_of(func, inst) == Some(params[rows.counter]);
                if let InstData::Load { address, .. } | InstData::Store { address, .. } = &mut data
                    && let Some(offset) = address.offset.checked_add_unsigned(number * address.scale).filter(|_| counts)
                {
                    // So many words behind those of the first iteration.
                    *address = Address {
                        base: beginning.copied().unwrap_or(address.base),
                        index: Some(start),
                        offset,
                        ..*address
                    };
                }
                if let Some(byte) = bytes.load(func, many, number, (inst, &data)) {
                    map.insert(func.result(inst), byte);
                    continue;
                }
                if matches!(data, InstData::Store { .. }) {
                    stores.push((inst, data, flags));
                    continue;
                }
                let copy = func.append(many, data, flags);
                for (old, new) in func.inst(inst).results.clone().into_iter().zip(func.inst(copy).results.clone()) {
                    map.insert(old, new);
                }
            }
            iteration = back.iter().map(|&value| map.shorten(value)).collect();
        }
        // Of all iterations together, so that they are stored at once.
        stores.sort_by_key(|&(inst, ..)| body.iter().position(|&other| other == inst));
        for (_, data, flags) in stores {
            func.append(many, data, flags);
        }
        map
    }
}

/// The counter so many iterations later, which wraps no more than one after the other.
pub(super) fn counted(rows: &RowLoop, func: &mut Function, block: Block, start: Value, iterations: u32) -> Value {
    let flags = func.inst(rows.step).flags;
    let mut b = Builder::new(func, block);
    let by = b.constant(b.ty(start), iterations.into());
    b.flags = flags;
    b.add(start, by)
}
