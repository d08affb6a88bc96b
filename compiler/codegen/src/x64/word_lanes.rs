//! Integers of 64 bits that are made of words of 32 bits and of which only the lower words are wanted, as in `(int)clamp((long)a * b + c, low, high)`:
//! computed for even and for odd words apart, which need no shuffles to have 64 bits each, and one to be joined again.

use super::arithmetic::direct;
use super::encode::Size;
use super::ops;
use super::parts::{Parts, Registers};
use super::selector::Selector;
use ir::{BinaryOp, ConvertOp, Elem, Inst, InstData, Value};
use regalloc2::VReg;
use rustc_hash::{FxHashMap, FxHashSet};

/// Operations that such an integer may be made by.
const MOST: usize = 16;

/// What an operation of such an expression is.
enum Node {
    Constant(u64),
    /// A vector of words, extended with its sign or without.
    Extended(bool, Value),
    /// A product of two such, as they are after that.
    Product(bool, [Value; 2]),
    Other(BinaryOp, [Value; 2]),
}

/// Words of a register: the even or the odd ones, of some part of a value.
#[derive(Clone, Copy)]
struct Place {
    part: usize,
    odd: bool,
    size: Size,
}

impl Selector<'_> {
    /// Looks for truncated integers of a block that are made so.
    pub fn find_word_lanes(&mut self, insts: &[Inst]) {
        let is_truncated = |&inst: &Inst| self.truncated_to_words(&self.func.inst(inst).data).is_some();
        if !self.c.target.masks || !insts.iter().any(is_truncated) {
            return;
        }
        let mut own: FxHashSet<Value> = FxHashSet::default();
        for &inst in insts {
            let node = self.func.inst(inst);
            own.extend(node.results.iter());
            if let Some(wide) = self.truncated_to_words(&node.data)
                && let Some(all) = self.word_expression(&own, wide)
            {
                self.passed_over.extend(all);
            }
        }
    }

    /// The integers of 64 bits of which an instruction takes the lower words.
    fn truncated_to_words(&self, data: &InstData) -> Option<Value> {
        match *data {
            InstData::Convert {
                op: ConvertOp::Trunc,
                ty,
                arg,
                ..
            } if ty.elem == Elem::I32 && ty.lanes >= 4 && self.func.ty(arg).elem == Elem::I64 => Some(arg),
            _ => None,
        }
    }

    /// All that such an integer is made by, if it is made of words and nothing else uses what is in between.
    fn word_expression(&self, own: &FxHashSet<Value>, wide: Value) -> Option<Vec<Value>> {
        let mut uses: FxHashMap<Value, u32> = FxHashMap::default();
        let mut all = vec![wide];
        let mut next = 0;
        uses.insert(wide, 1);
        while let Some(&value) = all.get(next) {
            next += 1;
            let mut operand = |value: Value| {
                if self.func.constant(value).is_none() {
                    let count = uses.entry(value).or_default();
                    if *count == 0 {
                        all.push(value);
                    }
                    *count += 1;
                }
            };
            match self.word_node(value)? {
                Node::Product(_, args) | Node::Other(_, args) => args.into_iter().for_each(&mut operand),
                Node::Constant(_) | Node::Extended(..) => {}
            }
            if all.len() > MOST {
                return None;
            }
        }
        let is_free = |value: &Value| own.contains(value) && uses[value] == self.uses[*value] && !self.passed_over.contains(value);
        (all.len() > 1 && all.iter().all(is_free)).then_some(all)
    }

    fn word_node(&self, value: Value) -> Option<Node> {
        if let Some(bits) = self.func.constant(value) {
            return Some(Node::Constant(bits));
        }
        match *self.func.def_data(value)? {
            InstData::Convert { .. } => self.extended_word(value).map(|(signed, arg)| Node::Extended(signed, arg)),
            InstData::Binary { op: BinaryOp::Mul, args } => {
                let [(signed, _), (also, _)] = [self.extended_word(args[0])?, self.extended_word(args[1])?];
                (signed == also).then_some(Node::Product(signed, args))
            }
            InstData::Binary { op, args } => direct(self.c.target, op, 8).map(|_| Node::Other(op, args)),
            _ => None,
        }
    }

    /// Whether it is with its sign that a vector of words was extended, and which.
    fn extended_word(&self, value: Value) -> Option<(bool, Value)> {
        match *self.func.def_data(value)? {
            InstData::Convert {
                op: op @ (ConvertOp::SExt | ConvertOp::ZExt),
                arg,
                ..
            } if self.func.ty(arg).elem == Elem::I32 && self.func.ty(arg).is_vector() => Some((op == ConvertOp::SExt, arg)),
            _ => None,
        }
    }

    /// The lower words of what was passed over for them.
    pub fn word_lanes(&mut self, data: &InstData) -> Option<Parts> {
        let wide = self.truncated_to_words(data)?;
        if !self.passed_over.contains(&wide) {
            return None;
        }
        let ty = self.func.ty(wide).with_elem(Elem::I32);
        let (size, count) = (self.part_size(ty.lanes, 4), self.c.target.part_count(ty.lanes, 4));
        let regs: Registers = (0..count)
            .map(|part| {
                let [even, odd] =
                    [false, true].map(|odd| self.every_other_word(wide, Place { part, odd, size }, &mut FxHashMap::default()));
                self.join_words(size, false, [even, odd])
            })
            .collect();
        Some(Parts::new(ty, 4, regs))
    }

    fn every_other_word(&mut self, value: Value, place: Place, known: &mut FxHashMap<Value, VReg>) -> VReg {
        if let Some(&reg) = known.get(&value) {
            return reg;
        }
        let Place { size, odd, .. } = place;
        let reg = match self.word_node(value).expect("it was looked for") {
            Node::Constant(bits) => self.splat_bits(size, 8, bits),
            Node::Extended(signed, arg) => {
                let words = self.get(arg).regs[place.part];
                match (signed, odd) {
                    (true, true) => self.c.v_shift(&ops::VPSRAQ_I8, 4, size, words, 32),
                    (false, true) => self.upper_words(size, words),
                    (true, false) => {
                        let one = self.splat_bits(size, 8, 1);
                        self.c.v3(&ops::VPMULDQ, size, words, one)
                    }
                    (false, false) => {
                        let lower = self.spread_source(size, 8, 0xffff_ffff);
                        self.c.v3(&ops::VPANDQ, size, words, lower)
                    }
                }
            }
            Node::Product(signed, args) => {
                let op = if signed { &ops::VPMULDQ } else { &ops::VPMULUDQ };
                let [a, b] = args.map(|arg| self.factor(arg, place, known));
                self.c.v3(op, size, a, b)
            }
            Node::Other(op, args) => {
                let op = direct(self.c.target, op, 8).expect("it was looked for");
                let a = self.every_other_word(args[0], place, known);
                let b = match self.func.constant(args[1]) {
                    Some(bits) => self.spread_source(size, 8, bits),
                    None => self.every_other_word(args[1], place, known).into(),
                };
                self.c.v3(op, size, a, b)
            }
        };
        known.insert(value, reg);
        reg
    }

    /// Words where products take them: at even places, with anything beside them.
    fn factor(&mut self, extended: Value, place: Place, known: &mut FxHashMap<Value, VReg>) -> VReg {
        let (_, arg) = self.extended_word(extended).expect("it was looked for");
        let words = self.get(arg).regs[place.part];
        if !place.odd || self.func.splatted(arg).is_some() {
            return words;
        }
        // Shifted, what is wanted with all its bits will do; but units that shuffle have less to do here than those that shift.
        match self.uses[extended] {
            1 => self.c.v2(&ops::VMOVSHDUP, place.size, words),
            _ => self.every_other_word(extended, place, known),
        }
    }
}
