//! Integers that change where they are in memory: a load, an operation and a store to the same place as one instruction.
//!
//! Counters in tables are such. It takes the place of three instructions, or four where the address has a part of its own, and of a register.

use super::build::Alu;
use super::encode::Imm;
use super::forms::int_size;
use super::machine::{R, RmOf};
use super::ops;
use super::selector::Selector;
use ir::{Address, BinaryOp, Inst, InstData, MemFlags, Type, Value};
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
                    ty: Type::I32 | Type::I64,
                    address,
                    mask,
                    mem,
                    ..
                } if self.is_plain(*mask, mem.flags) && self.is_free(node.results[0]) => {
                    loads.insert(node.results[0], address);
                }
                InstData::Binary { op, args } if !loads.is_empty() && self.is_free(node.results[0]) => {
                    if let Some(update) = update(*op, *args, |value| loads.contains_key(&value))
                        && !self.passed_over.contains(&update.operand)
                    {
                        changed.insert(node.results[0], update);
                    }
                }
                InstData::Store { value, address, mask, mem } => {
                    if let Some(&update) = changed.get(value)
                        && loads[&update.loaded] == address
                        && self.is_plain(*mask, mem.flags)
                    {
                        self.passed_over.extend([update.loaded, *value]);
                        self.updates.insert(inst, update);
                    }
                }
                _ => {}
            }
            if node.data.has_side_effects() {
                match func.access(inst).filter(|store| store.is_store) {
                    // Other fields of the record stay as they are.
                    Some(store) => {
                        let bytes = |value: Value| func.ty(value).bytes();
                        loads.retain(|&loaded, address| address.is_beside(bytes(loaded), &store.address, store.ty.bytes()));
                    }
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

    /// The store and what it stores as one instruction, if that was found.
    pub fn update_in_place(&mut self, store: Inst) -> bool {
        let (Some(&Update { op, operand, .. }), InstData::Store { address, .. }) = (self.updates.get(&store), &self.func.inst(store).data)
        else {
            return false;
        };
        let size = int_size(self.func.ty(operand).elem);
        let place = self.amode(address);
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
                let operand = self.scalar(operand);
                self.c
                    .machine(op.memory_op(), size, R::Use(operand), R::No, RmOf::Mem(place), Imm::No);
            }
        }
        true
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
