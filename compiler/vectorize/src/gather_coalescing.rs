//! Bytes that stand together, in places that each lane finds for itself, are loaded and stored as one word, and pairs of words as one of
//! twice the length.
//!
//! `uchar4 p = image[y * width + (int)(x * 0.7f)]` is four loads, since vectors of the source are their components, and each of them would
//! be a gather of bytes, which no machine has. One gather of words takes as long as one of these; shifts part the word again, or put it
//! together for a store. Where neighbours' words lie beside each other, [`super::interleaved_access`] does better, unless the gang is too
//! small for it.
//!
//! Bytes that are not a whole word, as a pixel's three, may be the last of a page, and what stands behind them is not to be loaded. If they
//! lie in one aligned word, that word is loaded, and shifted; if they do not, their own word ends in the second of the two aligned words that
//! they lie in, and is loaded.

use super::access_groups::{self, Kind};
use analysis::access::LaneOrder;
use analysis::{Analyses, GangFacts};
use ir::*;
use rustc_hash::{FxHashMap, FxHashSet};
use target::Machine;
use target::costs::record::{FIELD, WHOLE_FIELD};

/// Bytes of the word that elements of so many bytes are parts of.
fn word_of(bytes: i32) -> i32 {
    if bytes < 4 { 4 } else { 8 }
}

/// Which words are coalesced.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Words {
    /// Those that may be accessed as they are.
    Whole,
    /// Those, and what has a part of a word only. (Where lanes are then known to be at certain distances, bytes take no addresses of their own, so that
    /// this is to be asked last.)
    Any,
}

/// Rewrites. True if something changed. What is in `kept` stays as it is.
pub fn run(func: &mut Function, facts: &GangFacts, machine: &Machine, known: &mut Analyses, wanted: Words, kept: &FxHashSet<Inst>) -> bool {
    if facts.width == 1 || !func.insts().any(|inst| is_wanted(func, inst)) {
        return false;
    }
    let mut blocks: Vec<(Block, Vec<Word>)> = func.layout.iter().map(|&block| (block, find(func, block, wanted))).collect();
    if blocks.iter().all(|(_, words)| words.is_empty()) {
        return false;
    }
    let Some(known) = known.of(func, facts) else {
        return false;
    };
    let accesses = known.accesses(func);
    let has_parts = blocks.iter().flat_map(|(_, words)| words).any(|word| word.last_within.is_some());
    let moved = has_parts.then(|| Moved::new(func));
    for (_, words) in &mut blocks {
        words.retain(|word| {
            let (first, bytes) = (word.parts[0].1, word.bytes as u32);
            let Some(access) = func.access(first) else { return false };
            let is_scattered = |bytes: u32| accesses.order_of(&access, bytes) == LaneOrder::Scattered;
            // Neighbours' words lie beside each other, or records of another length.
            let is_record = bytes * facts.width >= WHOLE_FIELD && !is_scattered(word.word() as u32)
                || bytes * facts.width >= FIELD
                    && (2..=machine.interleaved(bytes) as u32)
                        .any(|count| count * bytes != word.word() as u32 && !is_scattered(count * bytes));
            // (Rows of their own lanes go along in other ways, and known distances from lane to lane need no computing.)
            let anywhere = bytes < 4 && word.last_within.is_none() || accesses.stride_unless_wraps(&access.address).is_none();
            let is_only_moved = |moved: &Moved| word.parts.iter().all(|&(_, part)| moved.is_only_moved(func.result(part)));
            let is_moved = word.last_within.is_some() && moved.as_ref().is_some_and(is_only_moved);
            is_scattered(bytes) && anywhere && !is_record && !is_moved && !kept.contains(&first)
        });
    }
    let mut cut = Cut::default();
    for (block, words) in blocks.iter().filter(|(_, words)| !words.is_empty()) {
        rewrite(func, *block, words, &mut cut);
    }
    let changed = cut.changed;
    cut.take_naturals(func);
    changed
}

/// What is done with what is loaded.
struct Moved {
    /// Something other than a store has a use for it.
    used: FxHashSet<Value>,
}

impl Moved {
    fn new(func: &Function) -> Moved {
        let mut used = FxHashSet::default();
        for inst in func.insts() {
            let data = &func.inst(inst).data;
            let stored = match data {
                InstData::Store { value, .. } => Some(*value),
                _ => None,
            };
            data.for_each_operand(|&operand| {
                if stored != Some(operand) {
                    used.insert(operand);
                }
            });
            for target in data.targets() {
                used.extend(&target.args);
            }
        }
        Moved { used }
    }

    /// It is stored somewhere else, and nothing is computed with it: lane by lane, that takes no vector.
    fn is_only_moved(&self, value: Value) -> bool {
        !self.used.contains(&value)
    }
}

/// An access to a part of a word. (Pairs of words that were just written, as those in local memory are, would have to be put together from
/// two writes. Where the machine is to fetch what stands behind them, the code generator loads them lane by lane.)
fn is_wanted(func: &Function, inst: Inst) -> bool {
    let Some(Access {
        ty,
        mem,
        mask: None,
        is_store,
        ..
    }) = func.access(inst)
    else {
        return false;
    };
    let part = match ty.elem {
        Elem::I8 | Elem::I16 | Elem::F16 => true,
        Elem::I32 | Elem::F32 => !is_store && mem.space != Space::Local && !mem.flags.contains(MemFlags::AHEAD),
        _ => false,
    };
    part && !ty.is_vector() && mem.space != Space::Private
}

/// A word that is loaded or stored in pieces.
struct Word {
    offset: i32,
    align: Align,
    /// Bytes of a piece.
    bytes: i32,
    is_store: bool,
    /// The highest place in an aligned word from which on all pieces lie in it; none if the whole word may be loaded from wherever it is.
    last_within: Option<i32>,
    /// Where from its beginning, and the instruction, in the order of the code.
    parts: Vec<(i32, Inst)>,
}

impl Word {
    /// Its own bytes.
    fn word(&self) -> i32 {
        word_of(self.bytes)
    }

    /// As an integer.
    fn elem(&self) -> Elem {
        if self.word() == 4 { Elem::I32 } else { Elem::I64 }
    }

    /// The instruction in whose place the word is accessed: the first load, or the last store.
    fn place(&self) -> Inst {
        self.parts[if self.is_store { self.parts.len() - 1 } else { 0 }].1
    }
}

/// The words that a block loads piece by piece with no write between, or stores with no other access between.
fn find(func: &Function, block: Block, wanted: Words) -> Vec<Word> {
    let mut words = Vec::new();
    access_groups::each(
        func,
        block,
        |inst| is_wanted(func, inst),
        |kind, accesses| close(func, kind, accesses, &mut words),
    );
    words.retain(|word| wanted == Words::Any || word.last_within.is_none());
    words
}

/// Finds the words that accesses of one kind are to.
fn close(func: &Function, kind: Kind, accesses: &[(i32, Inst)], words: &mut Vec<Word>) {
    let order: FxHashMap<Inst, usize> = accesses.iter().enumerate().map(|(at, &(_, inst))| (inst, at)).collect();
    let mut sorted = accesses.to_vec();
    sorted.sort_unstable_by_key(|&(offset, _)| offset);
    let (bytes, is_store) = (kind.elem.bytes() as i32, kind.is_store);
    let word = word_of(bytes);
    let mut rest = sorted.as_slice();
    while let [(offset, first), ..] = *rest {
        let taken = rest.iter().take_while(|&&(at, _)| at - offset < word).count();
        let (here, after) = rest.split_at(taken);
        rest = after;
        let Some(Access { mem, .. }) = func.access(first) else { continue };
        let align = mem.align;
        let in_place = here.iter().all(|&(at, _)| (at - offset) % bytes == 0);
        let behind = word - bytes - here.iter().map(|&(at, _)| at - offset).max().unwrap_or(0);
        let whole = here.len() as i32 * bytes == word;
        // What nobody asked for may be loaded where it can't be on another page.
        let is_safe = behind == 0 || behind < align.bytes() as i32;
        let possible = whole || !is_store;
        if in_place && possible && here.len() > 1 {
            let mut parts: Vec<(i32, Inst)> = here.iter().map(|&(at, inst)| (at - offset, inst)).collect();
            parts.sort_by_key(|(_, inst)| order[inst]);
            words.push(Word {
                offset,
                align,
                bytes,
                is_store,
                last_within: (!is_safe).then_some(behind),
                parts,
            });
        }
    }
}

fn rewrite(func: &mut Function, block: Block, words: &[Word], cut: &mut Cut) {
    let by_place: FxHashMap<Inst, &Word> = words.iter().map(|word| (word.place(), word)).collect();
    let gone: FxHashSet<Inst> = words.iter().flat_map(|word| &word.parts).map(|&(_, part)| part).collect();
    for inst in func.take_insts(block) {
        if let Some(word) = by_place.get(&inst)
            && let Some(Access { address, mem, .. }) = func.access(inst)
        {
            let offset = word.offset;
            let address = Address { offset, ..address };
            let align = word.align;
            let mem = MemInfo { align, ..mem };
            let mut b = Builder::new(func, block);
            if word.is_store {
                store(&mut b, word, address, mem);
            } else {
                let loaded = match word.last_within {
                    Some(last) => load_within(&mut b, word, last, address, mem),
                    None => b.load(Type::scalar(word.elem()), address, mem),
                };
                word.parts.iter().for_each(|&part| cut.cut(&mut b, loaded, part));
            }
            cut.changed = true;
        }
        if !gone.contains(&inst) {
            func.block_mut(block).insts.push(inst);
        }
    }
}

/// Loads a word whose last bytes may be on a page that is not there: from the beginning of its aligned word if that has all of the pieces, which is
/// so from no place in it higher than `last`.
fn load_within(b: &mut Builder, word: &Word, last: i32, address: Address, mem: MemInfo) -> Value {
    let mut place = b.convert(ConvertOp::Trunc, Elem::I32, address.base);
    let mut distance = b.i64(0);
    if let Some(index) = address.index {
        let short = b.convert(ConvertOp::Trunc, Elem::I32, index);
        let bytes = b.binary_imm(BinaryOp::Mul, short, address.scale.into());
        place = b.add(place, bytes);
        distance = b.scaled(index, address.scale);
    }
    place = b.binary_imm(BinaryOp::Add, place, address.offset.into());
    place = b.binary_imm(BinaryOp::And, place, i64::from(word.word()) - 1);
    let within = b.icmp_imm(IntCc::Sle, place, last.into());
    let none = b.i32(0);
    let before = b.select(within, place, none);
    let bytes = b.convert(ConvertOp::ZExt, Elem::I64, before);
    let index = Some(b.sub(distance, bytes));
    let align = Align::of(1);
    let loaded = b.load(
        Type::scalar(word.elem()),
        Address {
            index,
            scale: 1,
            ..address
        },
        MemInfo { align, ..mem },
    );
    let bits = b.binary_imm(BinaryOp::Shl, before, 3);
    let bits = b.convert(ConvertOp::ZExt, word.elem(), bits);
    b.binary(BinaryOp::LShr, loaded, bits)
}

/// Puts the pieces together.
fn store(b: &mut Builder, word: &Word, address: Address, mem: MemInfo) {
    let mut whole = None;
    for &(at, part) in &word.parts {
        let InstData::Store { value, .. } = b.func.inst(part).data else {
            continue;
        };
        let bits = b.bitcast(b.ty(value).elem.as_int(), value);
        let mut piece = b.convert(ConvertOp::ZExt, word.elem(), bits);
        if at > 0 {
            piece = b.binary_imm(BinaryOp::Shl, piece, i64::from(at) * 8);
        }
        whole = Some(match whole {
            Some(so_far) => b.binary(BinaryOp::Or, so_far, piece),
            None => piece,
        });
    }
    if let Some(whole) = whole {
        b.store(whole, address, mem);
    }
}

/// The pieces of words that were loaded.
#[derive(Default)]
struct Cut {
    changed: bool,
    /// What takes the place of the loads.
    pieces: ValueMap,
    /// By piece, as an integer of its size: the number, of 32 bits and without a sign, that it is cut from.
    naturals: FxHashMap<Value, Value>,
}

impl Cut {
    fn cut(&mut self, b: &mut Builder, word: Value, (at, part): (i32, Inst)) {
        let old = b.func.result(part);
        let elem = b.ty(old).elem;
        let mut natural = word;
        if at > 0 {
            natural = b.binary_imm(BinaryOp::LShr, natural, i64::from(at) * 8);
        }
        if b.ty(word) == Type::I64 {
            let half = b.convert(ConvertOp::Trunc, Elem::I32, natural);
            let half = b.bitcast(elem, half);
            self.pieces.insert(old, half);
            return;
        }
        if at + (elem.bytes() as i32) < 4 {
            natural = b.binary_imm(BinaryOp::And, natural, elem.as_int().bit_mask() as i64);
        }
        let short = b.convert(ConvertOp::Trunc, elem.as_int(), natural);
        let piece = b.bitcast(elem, short);
        self.pieces.insert(old, piece);
        self.naturals.insert(short, natural);
    }

    /// What makes a number of a piece without its sign takes the number that it was cut from.
    fn take_naturals(self, func: &mut Function) {
        func.substitute(&self.pieces);
        let mut numbers = ValueMap::default();
        for index in 0..func.layout.len() {
            for position in 0..func.block(func.layout[index]).insts.len() {
                let inst = func.block(func.layout[index]).insts[position];
                if let InstData::Convert { op, ty, arg, .. } = &mut func.inst_mut(inst).data
                    && let Some(&natural) = self.naturals.get(arg)
                {
                    match op {
                        ConvertOp::UToF => (*op, *arg) = (ConvertOp::SToF, natural),
                        ConvertOp::ZExt if *ty == Type::I32 => {
                            numbers.insert(func.result(inst), natural);
                        }
                        _ => {}
                    }
                }
            }
        }
        func.substitute(&numbers);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::gang_after;

    /// The gang's code after the pass; none if it changed nothing.
    fn rewritten(text: &str) -> Option<String> {
        gang_after(text, |func, facts| {
            run(
                func,
                facts,
                &Machine::named("avx2").expect("there is one"),
                &mut Analyses::default(),
                Words::Any,
                &FxHashSet::default(),
            )
        })
    }

    /// `uchar4 p = a[b[i]]; c[i] = (uchar4)(p.x, p.y + 1, p.z, 7);`
    const PIXELS: &str = "
function workitem @pixels {
block0:
  v0 = builtin arguments
  v1 = load.i64 constant align 8 invariant dereferenceable [v0]
  v2 = load.i64 constant align 8 invariant dereferenceable [v0 + 8]
  v3 = load.i64 constant align 8 invariant dereferenceable [v0 + 16]
  v4 = builtin global_id 0
  v5 = load.i32 global align 4 [v2 + v4 * 4]
  v6 = load.i8 global align 4 [v1 + v5 * 4]
  v7 = load.i8 global align 1 [v1 + v5 * 4 + 1]
  v8 = load.i8 global align 2 [v1 + v5 * 4 + 2]
  v9 = const.i8 1
  v10 = add v7, v9
  v11 = const.i8 7
  store v6, global align 4 [v3 + v4 * 4]
  store v10, global align 1 [v3 + v4 * 4 + 1]
  store v8, global align 2 [v3 + v4 * 4 + 2]
  store v11, global align 1 [v3 + v4 * 4 + 3]
  return
}";

    #[test]
    fn pixels_are_words() {
        let gang = rewritten(PIXELS).expect("bytes are gathered otherwise");
        assert!(gang.matches("load.i32x8").count() == 2 && !gang.contains("load.i8"), "{gang}");
        assert_eq!(gang.matches("store").count(), 1, "{gang}");
    }

    #[test]
    fn pairs_of_words_are_one() {
        let pairs = PIXELS
            .replace("load.i8 global align 4 [v1 + v5 * 4]", "load.i32 global align 4 [v1 + v5 * 8]")
            .replace(
                "load.i8 global align 1 [v1 + v5 * 4 + 1]",
                "load.i32 global align 4 [v1 + v5 * 8 + 4]",
            )
            .replace(
                "load.i8 global align 2 [v1 + v5 * 4 + 2]",
                "load.i32 global align 4 [v1 + v5 * 8 + 8]",
            )
            .replace("const.i8", "const.i32");
        let gang = rewritten(&pairs).expect("two of the three words are one");
        assert!(
            gang.contains("load.i64x8 global") && gang.matches("load.i32x8").count() == 2,
            "{gang}"
        );
        // Where what stands behind them is fetched, neighbours' records lie beside each other, in local memory, and in rows that lanes have
        // of their own.
        assert_eq!(
            rewritten(&pairs.replace("align 4 [v1 + v5 * 8", "align 4 ahead [v1 + v5 * 8")),
            None
        );
        assert_eq!(rewritten(&pairs.replace("v5 * 8", "v4 * 12")), None);
        assert_eq!(rewritten(&pairs.replace("global", "local")), None);
        assert_eq!(rewritten(&pairs.replace("v5 * 8", "v4 * 256")), None);
    }

    /// Three of the four bytes, which stand anywhere.
    fn three_bytes() -> String {
        PIXELS
            .replace("load.i8 global align 4", "load.i8 global align 1")
            .replace("load.i8 global align 2", "load.i8 global align 1")
            .replace("  store v11, global align 1 [v3 + v4 * 4 + 3]\n", "")
    }

    #[test]
    fn parts_of_words_are_words_from_where_that_is_no_other_page() {
        let gang = rewritten(&three_bytes()).expect("bytes are gathered otherwise");
        assert!(gang.matches("load.i32x8").count() == 2 && !gang.contains("load.i8"), "{gang}");
        // The three bytes lie in one aligned word if it begins with them, or its first byte is another.
        assert!(gang.contains("icmp.sle") && gang.contains("const.i32x8 1"), "{gang}");
        // At even places, there is something of the second word, if not all of the first.
        let even = three_bytes().replace("load.i8 global align 1 [v1 + v5 * 4]", "load.i8 global align 2 [v1 + v5 * 4]");
        let gang = rewritten(&even).expect("bytes are gathered otherwise");
        assert!(gang.matches("load.i32x8").count() == 2 && !gang.contains("icmp"), "{gang}");
        // What is but stored again is moved lane by lane.
        let moved = three_bytes().replace("  v10 = add v7, v9\n", "").replace("store v10,", "store v7,");
        assert_eq!(rewritten(&moved), None);
        // Only later, when more is known of the lanes' places.
        let early = gang_after(&three_bytes(), |func, facts| {
            run(
                func,
                facts,
                &Machine::named("avx2").expect("there is one"),
                &mut Analyses::default(),
                Words::Whole,
                &FxHashSet::default(),
            )
        });
        assert_eq!(early, None);
    }

    #[test]
    fn nothing_else_is_read_or_written() {
        // A byte that nobody stores stays what it is.
        let gang = rewritten(&three_bytes()).expect("bytes are loaded otherwise");
        assert_eq!(gang.matches("store").count(), 3, "{gang}");
        // The first store may change what the third load reads.
        let text = PIXELS
            .replace("  v8 = load.i8 global align 2 [v1 + v5 * 4 + 2]\n", "")
            .replace("  store v10,", "  v8 = load.i8 global align 2 [v1 + v5 * 4 + 2]\n  store v10,");
        let gang = rewritten(&text).expect("two of the bytes stand together");
        assert!(gang.contains("load.i8x8") && gang.matches("store").count() == 4, "{gang}");
        let volatile = PIXELS.replace("align 1", "align 1 volatile").replace("align 2", "align 2 volatile");
        assert_eq!(rewritten(&volatile), None);
    }
}
