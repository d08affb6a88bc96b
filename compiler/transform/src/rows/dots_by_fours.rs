//! Products of bytes of four iterations, or of so many fours, which are summed: of each lane a word for four, and one instruction for all lanes' words.

use super::by_fours::{counted, word_or_byte};
use super::dots::{BYTES, Dot, Sum, only_dots};
use super::row::Walk;
use super::row_loop::RowLoop;
use ir::*;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

/// The loop's sums, if they are of products of bytes, and all that is wanted of it.
pub(super) fn find(rows: &RowLoop, func: &Function, body: &[Inst], own: &FxHashSet<Value>, exit: &BlockCall) -> Option<Vec<Dot>> {
    let params = &func.block(rows.block).params;
    let lanes = body.iter().find_map(|&inst| word_or_byte(func, inst)).map(|row| row.lanes)?;
    let back = rows.back(func);
    let sums = (0..params.len())
        .filter(|&position| position != rows.counter)
        .map(|position| Sum::of(func, (rows.block, body), lanes, position, back[position]))
        .collect::<Option<Vec<Sum>>>()?;
    let next = func.result(rows.step);
    let leaves = |value: &Value| !own.contains(value) || *value == next || sums.iter().any(|sum| sum.result == *value);
    let counter = params[rows.counter];
    let is_outside = |value: Value| !own.contains(&value);
    let goes_along = |inst| match Walk::of(func, inst, counter, is_outside) {
        Some(Walk::Rows(_) | Walk::Together) => true,
        _ => is_counter_apart(func, inst, counter, is_outside),
    };
    only_dots(func, rows, body, &sums, goes_along).filter(|_| exit.args.iter().all(leaves))
}

/// A load for all lanes at a distance from the counter that is the same in all iterations.
fn is_counter_apart(func: &Function, inst: Inst, counter: Value, is_outside: impl Fn(Value) -> bool) -> bool {
    let Some(Access { address, ty, mask, .. }) = func.access(inst).filter(Access::is_plain) else {
        return false;
    };
    let is_apart = |index: Value| {
        // (A shorter sum may not wrap before it is extended.)
        let (sum, must_not_wrap) = match func.def_data(index) {
            Some(&InstData::Convert {
                op: ConvertOp::SExt, arg, ..
            }) => (arg, true),
            _ => (index, false),
        };
        let Some(inst) = func.def_inst(sum) else { return false };
        let InstData::Binary { op: BinaryOp::Add, args } = func.inst(inst).data else {
            return false;
        };
        let wraps = must_not_wrap && !func.inst(inst).flags.contains(Flags::NSW);
        !wraps && (args[0] == counter && is_outside(args[1]) || args[1] == counter && is_outside(args[0]))
    };
    let is_scalar = !ty.is_vector() && mask.is_none() && is_outside(address.base) && address.scale == ty.elem.bytes();
    is_scalar && address.index.is_some_and(|index| func.ty(index) == Type::I64 && is_apart(index))
}

/// Writes them into the block `many`, of iterations from the loop's parameters `given` on. Gives what the loop's values are in the last.
pub(super) fn write(
    rows: &RowLoop,
    func: &mut Function,
    (many, body): (Block, &[Inst]),
    (given, iterations): (&[Value], u32),
    dots: &[Dot],
    beginnings: &FxHashMap<Inst, Value>,
) -> ValueMap {
    let params = func.block(rows.block).params.clone();
    let start = given[rows.counter];
    let mut map = ValueMap::default();
    for (&param, &value) in params.iter().zip(given) {
        map.insert(param, value);
    }
    // Bytes are where those of the first iteration are; what counts has counted to behind the last.
    let next = counted(rows, func, many, start, iterations);
    map.insert(func.result(rows.step), next);
    let words_of_each = iterations / BYTES;
    let mut words: FxHashMap<Inst, SmallVec<[Value; 4]>> = FxHashMap::default();
    // What the loop makes of single bytes.
    let mut of_bytes: FxHashSet<Value> = FxHashSet::default();
    for &inst in body.iter().filter(|&&inst| inst != rows.step) {
        let (mut data, flags) = (func.inst(inst).data.clone(), func.inst(inst).flags);
        let results = func.inst(inst).results.clone();
        if data.any_operand(|value| of_bytes.contains(value)) {
            of_bytes.extend(results);
            continue;
        }
        data.for_each_operand_mut(|value| *value = map.shorten(*value));
        if let InstData::Load { ty, mut address, mem, .. } = data {
            if let Some(&base) = beginnings.get(&inst) {
                (address.base, address.index) = (base, Some(start));
            }
            let mut b = Builder::new(func, many);
            let ty = ty.with_elem(Elem::I32);
            let mut word = |number: u32| {
                let offset = address.offset.wrapping_add_unsigned(number * BYTES);
                b.load(ty, Address { offset, ..address }, mem)
            };
            words.insert(inst, (0..words_of_each).map(&mut word).collect());
            of_bytes.extend(results);
            continue;
        }
        let copy = func.append(many, data, flags);
        for (old, new) in results.into_iter().zip(func.inst(copy).results.clone()) {
            map.insert(old, new);
        }
    }
    for dot in dots {
        let [param, result] = dot.sum;
        let mut b = Builder::new(func, many);
        let lanes = b.ty(result).lanes;
        let [xs, ys] = dot.loads.map(|load| &words[&load]);
        let mut splat = |word: Value| if b.ty(word).is_vector() { word } else { b.splat(lanes, word) };
        let pairs: SmallVec<[[Value; 2]; 4]> = xs.iter().zip(ys).map(|(&x, &y)| [splat(x), splat(y)]).collect();
        let before = map.shorten(param);
        let sum = pairs.iter().fold(before, |sum, &[x, y]| b.dot(dot.op, x, y, sum));
        map.insert(result, sum);
    }
    map
}
