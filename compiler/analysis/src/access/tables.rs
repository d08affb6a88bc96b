//! Loads from constants that fit into registers, which lanes permute instead of gathering.
//!
//! `constant float levels[16] = { ... }; x = levels[code[i] & 15]` is a gather of what one register holds: a load of the whole table,
//! which leaves the loop, and an instruction that takes a lane of it for each index. That an index is within the table need not be shown, for
//! elsewhere the program has undefined behaviour, and whatever an index is, some lane of the table is what is taken.

use ir::*;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use target::Machine;
use target::costs::lookup::MOST_BYTES;

/// Constant variables that a machine may hold in registers.
#[derive(Clone, Debug)]
pub struct Tables {
    /// Bytes of each.
    bytes: FxHashMap<Global, u32>,
    machine: Machine,
}

/// Sums that an address is followed through.
const DEPTH: u32 = 8;

impl Tables {
    /// Those of a module, of which nothing is one where nothing behind variables may be read.
    pub fn of(module: &Module, machine: &Machine) -> Tables {
        let constants = module.globals.iter().filter(|(_, data)| data.constant && !module.exact_variables);
        let sizes = constants.filter_map(|(global, data)| Some((global, u32::try_from(data.bytes.len()).ok()?)));
        Tables {
            bytes: sizes.filter(|(_, bytes)| (1..=MOST_BYTES).contains(bytes)).collect(),
            machine: *machine,
        }
    }

    /// What an access looks up, if it is a load from one of them, and that takes no longer than a gather.
    pub fn lookup(&self, func: &Function, access: &Access) -> Option<Lookup> {
        let Access { address, mem, ty, .. } = access;
        let once = mem.flags.intersects(MemFlags::VOLATILE | MemFlags::ONCE);
        if self.bytes.is_empty() || access.is_store || once || !access.is_plain() {
            return None;
        }
        let mut found = Found {
            func,
            entry: i64::from(ty.elem.bytes()),
            global: None,
            terms: SmallVec::new(),
            constant: 0,
        };
        found.sum(address.base, 1, DEPTH)?;
        if let Some(index) = address.index {
            found.product(index, i64::from(address.scale))?;
        }
        found.constant = found.constant.wrapping_add(address.offset.into());
        let bytes = *self.bytes.get(&found.global?)?;
        if found.constant % found.entry != 0 {
            return None;
        }
        let (machine, entry) = (&self.machine, ty.elem.bytes());
        let bytes = bytes.next_power_of_two().max(machine.least_table(entry));
        let table = ty.with_lanes((bytes / entry) as u16);
        machine.looks_up(entry, bytes).then_some(Lookup {
            global: found.global?,
            table,
            terms: found.terms,
            constant: found.constant / found.entry,
        })
    }
}

/// An entry of a table: the sum of some values, each times a factor, and a constant, all modulo the entries.
#[derive(Clone, Debug, PartialEq)]
pub struct Lookup {
    /// The table.
    pub global: Global,
    /// All of it, and what stands behind it up to a power of two of entries.
    pub table: Type,
    /// Integers of 32 or 64 bits, and what each is multiplied with.
    pub terms: SmallVec<[(Value, i64); 2]>,
    /// The constant.
    pub constant: i64,
}

/// A sum on the way.
struct Found<'a> {
    func: &'a Function,
    /// Bytes of an entry.
    entry: i64,
    global: Option<Global>,
    terms: SmallVec<[(Value, i64); 2]>,
    constant: i64,
}

impl Found<'_> {
    /// Adds an address or a number of 64 bits, times a factor.
    fn sum(&mut self, value: Value, factor: i64, depth: u32) -> Option<()> {
        if let Some(constant) = self.func.signed_constant(value) {
            self.constant = self.constant.wrapping_add(constant.wrapping_mul(factor));
            return Some(());
        }
        match self.func.def_data(value) {
            Some(&InstData::GlobalAddress { global }) if factor == 1 && self.global.is_none() => {
                self.global = Some(global);
                Some(())
            }
            Some(&InstData::Binary {
                op: BinaryOp::Add,
                args: [a, b],
            }) if depth > 0 => {
                self.sum(a, factor, depth - 1)?;
                self.sum(b, factor, depth - 1)
            }
            Some(&InstData::Binary {
                op: BinaryOp::Mul,
                args: [a, b],
            }) if depth > 0 && self.func.constant(b).is_some() => {
                self.sum(a, factor.checked_mul(self.func.signed_constant(b)?)?, depth - 1)
            }
            Some(&InstData::Binary {
                op: BinaryOp::Shl,
                args: [a, b],
            }) if depth > 0 && self.func.constant(b).is_some_and(|by| by < 32) => {
                self.sum(a, factor.checked_mul(1 << self.func.constant(b)?)?, depth - 1)
            }
            _ => self.product(value, factor),
        }
    }

    /// Adds a number of whole entries.
    fn product(&mut self, value: Value, factor: i64) -> Option<()> {
        if factor % self.entry != 0 || !matches!(self.func.ty(value), Type::I32 | Type::I64) {
            return None;
        }
        self.terms.push((value, factor / self.entry));
        Some(())
    }
}
