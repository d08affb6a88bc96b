//! Constants of the program, which work-items read at places of their own.

use super::Random;
use super::generator::Generator;
use ir::*;

/// A constant, and its bytes.
pub(super) type Table = (Global, u32);

/// Bytes that constants may have: some fit into registers.
const SIZES: [u32; 9] = [1, 5, 16, 24, 64, 100, 128, 256, 400];

/// Adds some to a module.
pub(super) fn add(random: &mut Random, module: &mut Module) -> Vec<Table> {
    let count = random.below(3);
    let new = |number| {
        let bytes = *random.choose(&SIZES);
        let global = module.globals.push(GlobalData {
            name: format!("table{number}"),
            align: 8,
            constant: true,
            bytes: (0..bytes).map(|_| random.next() as u8).collect(),
            relocations: Vec::new(),
        });
        (global, bytes)
    };
    (0..count).map(new).collect()
}

impl Generator<'_> {
    /// An entry of a table, by what may be anything.
    pub fn table_entry(&mut self, ty: Type) -> Option<Value> {
        if self.tables.is_empty() {
            return None;
        }
        let (global, size) = *self.random.choose(self.tables);
        let (bytes, entries) = (ty.bytes(), size / ty.bytes());
        let mask = (1i64 << entries.checked_ilog2()?) - 1;
        let index_ty = *self.random.choose(&[Type::I32, Type::I64]);
        let any = match self.variable(index_ty) {
            Some(variable) => self.read(variable),
            None => self.constant(index_ty),
        };
        let index = self.b.binary_imm(BinaryOp::And, any, mask);
        // The rest of the entries, by what is added and taken off again.
        let beyond = self.random.below(u64::from(entries) - mask as u64) as i64;
        let fewer = if self.random.one_in(3) { self.random.below(8) as i64 } else { 0 };
        let index = self.b.binary_imm(BinaryOp::Sub, index, fewer);
        let offset = ((beyond + fewer) * i64::from(bytes)) as i32;
        let base = self.b.global_address(global);
        let address = if self.random.one_in(3) {
            let far = self.b.scaled(index, bytes);
            Address::offset(self.b.add(base, far), offset)
        } else {
            Address {
                base,
                index: Some(index),
                scale: bytes,
                offset,
            }
        };
        let mut mem = MemInfo::new(Space::Constant, bytes);
        mem.flags.set(MemFlags::INVARIANT, self.random.one_in(2));
        let value = self.b.load(ty, address, mem);
        Some(self.without_nan(value))
    }
}
