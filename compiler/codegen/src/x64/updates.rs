//! Integers that change where they are in memory: a load, an operation and a store to the same place as one instruction.
//!
//! Counters in tables are such. It takes the place of three instructions, or four where the address has a part of its own, and of a register. Lanes that have
//! an address each are changed one after the other, where they would be loaded and stored so: vectors of them are neither put together nor taken apart.
//! (Work-items that changed one place would race.)

use super::build::Alu;
use super::encode::Imm;
use super::forms::int_size;
use super::machine::{Amode, R, RmOf};
use super::ops;
use super::selector::Selector;
use ir::{Address, BinaryOp, Elem, Inst, InstData, MemFlags, Value};
use rustc_hash::FxHashMap;

/// What happens to an integer in memory.
#[derive(Clone, Copy, Debug)]
pub struct Update {
    /// The integer as it was.
    loaded: Value,
    op: Alu,
    operand: Value,
}

impl Selector<'_> {
    /// Looks through a block before it is translated, when other operations have found what they are made of.
    pub fn find_updates(&mut self, insts: &[Inst]) {
        self.updates.clear();
        let func = self.func;
        // Loads since the last write to memory, and what is computed of each; all have one use.
        let mut loads: FxHashMap<Value, &Address> = FxHashMap::default();
        let mut changed: FxHashMap<Value, Update> = FxHashMap::default();
        for &inst in insts {
            let node = func.inst(inst);
            match &node.data {
                InstData::Load {
                    ty, address, mask, mem, ..
                } if matches!(ty.elem, Elem::I32 | Elem::I64)
                    && (!ty.is_vector() || self.is_loaded_by_lane(*ty, address, *mask))
                    && self.is_plain(*mask, mem.flags)
                    && self.is_free(node.results[0])
                    && !self.records.contains_key(&node.results[0]) =>
                {
                    loads.insert(node.results[0], address);
                }
                InstData::Binary { op, args } if !loads.is_empty() && self.is_free(node.results[0]) => {
                    if let Some(update) = update(*op, *args, |value| loads.contains_key(&value))
                        && !self.passed_over.contains(&update.operand)
                        && self.has_for_all(update.operand)
                    {
                        changed.insert(node.results[0], update);
                    }
                }
                InstData::Store { value, address, mask, mem } => {
                    if let Some(&update) = changed.get(value)
                        && loads[&update.loaded] == address
                        && self.is_plain(*mask, mem.flags)
                        && !self.stored_records.contains_key(&inst)
                    {
                        self.passed_over.extend([update.loaded, *value]);
                        self.updates.insert(inst, update);
                    }
                }
                _ => {}
            }
            if node.data.has_side_effects() {
                match func.access(inst).filter(|store| store.is_store) {
                    // Other fields of the record stay as they are. (Those of one lane may be another lane's.)
                    Some(store) => loads.retain(|&loaded, address| {
                        let ty = func.ty(loaded);
                        !ty.is_vector() && !store.ty.is_vector() && address.is_beside(ty.bytes(), &store.address, store.ty.bytes())
                    }),
                    None => loads.clear(),
                }
                changed.retain(|_, update| loads.contains_key(&update.loaded));
            }
        }
    }

    fn is_plain(&self, mask: Option<Value>, flags: MemFlags) -> bool {
        self.real_mask(mask).is_none() && !flags.contains(MemFlags::VOLATILE)
    }

    /// It has one use, and is not yet a part of another instruction.
    fn is_free(&self, value: Value) -> bool {
        self.uses[value] == 1 && !self.is_folded(value) && !self.passed_over.contains(&value) && !self.ternaries.contains_key(&value)
    }

    /// The operand is a scalar, or the same in all lanes: a small constant, or there as a scalar.
    fn has_for_all(&self, operand: Value) -> bool {
        let is_small = |number: i64| i32::try_from(number).is_ok();
        let is_there = |scalar: Value| !self.is_folded(scalar) && !self.passed_over.contains(&scalar);
        let func = self.func;
        !func.ty(operand).is_vector() || func.signed_constant(operand).is_some_and(is_small) || func.splatted(operand).is_some_and(is_there)
    }

    /// The store and what it stores as one instruction, or one a lane, if that was found.
    pub fn update_in_place(&mut self, store: Inst) -> bool {
        let (Some(&update), InstData::Store { address, .. }) = (self.updates.get(&store), &self.func.inst(store).data) else {
            return false;
        };
        let ty = self.func.ty(update.operand);
        if !ty.is_vector() {
            let place = self.amode(address);
            self.update_at(update, place);
            return true;
        }
        let places = self.places(address);
        for lane in 0..u32::from(ty.lanes) {
            let place = self.place(&places, address, lane);
            self.update_at(update, place);
        }
        true
    }

    fn update_at(&mut self, Update { op, operand, .. }: Update, place: Amode) {
        let size = int_size(self.func.ty(operand).elem);
        let digit = R::Digit(op.digit());
        match self
            .func
            .signed_constant(operand)
            .map(|number| (i8::try_from(number), i32::try_from(number)))
        {
            Some((Ok(byte), _)) => self
                .c
                .machine(&ops::ALU_I8, size, digit, R::No, RmOf::Mem(place), Imm::I8(byte as u8)),
            Some((_, Ok(word))) => self.c.machine(&ops::ALU_I32, size, digit, R::No, RmOf::Mem(place), Imm::I32(word)),
            _ => {
                let operand = self.scalar(self.func.splatted(operand).unwrap_or(operand));
                self.c
                    .machine(op.memory_op(), size, R::Use(operand), R::No, RmOf::Mem(place), Imm::No);
            }
        }
    }
}

/// The operation on what was loaded, if the machine does it in memory.
fn update(op: BinaryOp, args: [Value; 2], is_loaded: impl Fn(Value) -> bool) -> Option<Update> {
    let alu = Alu::of(op)?;
    let [loaded, operand] = match args {
        [a, b] if is_loaded(a) => [a, b],
        [a, b] if op.is_commutative() && is_loaded(b) => [b, a],
        _ => return None,
    };
    Some(Update { loaded, op: alu, operand })
}
