//! Vector registers that values take.

use ir::{Elem, Function, InstData, Value};
use target::Machine;

/// Registers that a value takes in each of so many lanes. Masks take some where they have none of their own: there each lane is as wide as what is compared.
pub fn taken(func: &Function, value: Value, lanes: u32, machine: &Machine) -> u32 {
    let registers = machine.registers;
    let elem = match (func.ty(value).elem, func.def_data(value)) {
        (Elem::Mask, _) if registers.have_masks_apart() => return 0,
        (Elem::Mask, Some(InstData::IntCompare { args: [a, _], .. } | InstData::FloatCompare { args: [a, _], .. })) => func.ty(*a).elem,
        (Elem::Mask, _) => Elem::I32,
        (elem, _) => elem,
    };
    (lanes * elem.bytes()).div_ceil(registers.bytes)
}
