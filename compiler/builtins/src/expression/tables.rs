//! Tables that expressions look up.

use super::Expr;
use ir::*;

impl<'a> Expr<'a> {
    /// The entry of a table whose number is in the last four bits of an integer, in the integer's format. Only where [`Self::has_tables`].
    pub fn entry(self, table: &[f64; 16]) -> Expr<'a> {
        let module = self
            .writer
            .tables
            .as_ref()
            .expect("whoever looks up has asked whether there are tables");
        let elem = self.by_format(Elem::F32, Elem::F64);
        let global = table_of(&mut module.borrow_mut(), elem, table);
        let number = self & 15;
        self.emit(|b| {
            let index = match elem {
                Elem::F64 => number.value,
                _ => b.convert(ConvertOp::ZExt, Elem::I64, number.value),
            };
            let address = Address {
                index: Some(index),
                scale: elem.bytes(),
                ..Address::base(b.global_address(global))
            };
            let mem = MemInfo {
                flags: MemFlags::INVARIANT,
                ..MemInfo::new(Space::Constant, elem.bytes())
            };
            b.load(Type::scalar(elem), address, mem)
        })
    }
}

/// A table as a constant of a module, which has it once.
fn table_of(module: &mut Module, elem: Elem, table: &[f64; 16]) -> Global {
    let bits = table.iter().map(|&entry| eval::from_f64(elem, entry).to_le_bytes());
    let bytes: Vec<u8> = bits.flat_map(|bytes| bytes.into_iter().take(elem.bytes() as usize)).collect();
    let known = module.globals.iter().find(|(_, data)| data.constant && data.bytes == bytes);
    if let Some((global, _)) = known {
        return global;
    }
    module.globals.push(GlobalData {
        name: "table".into(),
        align: 64,
        constant: true,
        bytes,
        relocations: Vec::new(),
    })
}
