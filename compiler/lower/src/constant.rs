//! Constants: as scalars of a function, and as bytes of program-scope variables, with addresses in them.

use super::Failure;
use super::function::{Lowering, Result, space};
use super::program::Program;
use super::shape::{self, Shape};
use super::value::{BuiltInPointer, Pointer, Scalars, Val};
use ir::*;
use rspirv::spirv::{Op, StorageClass};
use spirv::{ConstantRef, ConstantValue, Id, Module, Type as SpirvType};

/// How deep expressions may be nested: deeper ones would need too much stack.
const MAX_EXPRESSION_DEPTH: u32 = 256;

/// How large a program-scope variable may be.
const MAX_GLOBAL_SIZE: usize = 64 << 20;

/// A scalar constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Static {
    Bits(u64),
    /// An address in a program-scope variable.
    Global(Global, i64),
    /// An address in the work-group's local memory.
    Local(i64),
}

/// Initial bytes and the addresses in them.
#[derive(Debug, Default)]
struct Image {
    bytes: Vec<u8>,
    relocations: Vec<(u32, Global, i64)>,
}

impl Lowering<'_, '_> {
    /// What an id stands for that no instruction of the function defines.
    pub(super) fn constant_value(&mut self, id: Id) -> Result<Val> {
        if let Some(variable) = self.spirv.global_variable(id) {
            // In Input, and from old translators in UniformConstant.
            if let Some(built_in) = self.spirv.built_in(id) {
                return Ok(Val::BuiltIn(BuiltInPointer {
                    built_in,
                    type_id: variable.pointee,
                    component: None,
                }));
            }
            return match variable.class {
                StorageClass::Input => Err(Failure::Unsupported),
                class => {
                    let address = self.program.address(self.unit, id)?;
                    let alias = self.program.alias_of(self.unit, id);
                    let base = self.static_value(address, Type::I64);
                    let mut pointer = Pointer {
                        alias,
                        ..Pointer::new(base, space(class))
                    };
                    if let Static::Local(offset) = address
                        && !self.is_checked()
                    {
                        pointer.base = self.builtin(Builtin::LocalMemory, 0);
                        pointer.offset = i32::try_from(offset).map_err(|_| Failure::Unsupported)?;
                    }
                    Ok(Val::Pointer(pointer))
                }
            };
        }
        let constant = self.spirv.constant_ref(id).ok_or(Failure::Unsupported)?;
        let type_id = self.spirv.resolve(constant).type_id;
        match self.shape(type_id)? {
            Shape::Scalars(_) => {
                let mut scalars = Scalars::new();
                self.constant_scalars(constant, &mut scalars)?;
                Ok(self.value_of(type_id, scalars))
            }
            Shape::Memory => {
                let global = self.program.constant_global(self.unit, constant)?;
                let base = self.root(InstData::GlobalAddress { global });
                Ok(Val::Memory(Pointer::new(base, Space::Constant)))
            }
        }
    }

    /// A large aggregate that is zero.
    pub(super) fn zero_memory(&mut self, type_id: Id) -> Result<Val> {
        let size = shape::size(self.spirv, type_id)?;
        let align = shape::align(self.spirv, type_id);
        let global = self.program.ir.globals.push(GlobalData {
            name: "zero".into(),
            align,
            constant: true,
            bytes: vec![0; global_size(size)?],
            relocations: Vec::new(),
        });
        let base = self.root(InstData::GlobalAddress { global });
        Ok(Val::Memory(Pointer::new(base, Space::Constant)))
    }

    fn constant_scalars(&mut self, constant: ConstantRef, into: &mut Scalars) -> Result<()> {
        let data = self.spirv.resolve(constant);
        match &data.value {
            ConstantValue::Null | ConstantValue::Undef => {
                if let Shape::Scalars(leaves) = self.shape(data.type_id)? {
                    into.extend(leaves.iter().map(|leaf| self.constant(Type::scalar(leaf.elem), 0)));
                }
                Ok(())
            }
            ConstantValue::Composite(parts) => parts.iter().try_for_each(|&part| self.constant_scalars(part, into)),
            _ => {
                let elem = shape::scalar(self.spirv.ty(data.type_id)).ok_or(Failure::Unsupported)?;
                let value = self.program.evaluate(self.unit, constant)?;
                let value = self.static_value(value, Type::scalar(elem));
                into.push(value);
                Ok(())
            }
        }
    }

    fn static_value(&mut self, value: Static, ty: Type) -> Value {
        let (base, addend) = match value {
            Static::Bits(bits) => return self.constant(ty, bits),
            Static::Global(global, addend) => (self.root(InstData::GlobalAddress { global }), addend),
            Static::Local(addend) => (self.builtin(Builtin::LocalMemory, 0), addend),
        };
        // Checks find a local variable by the sum, of whatever addend.
        if addend == 0 && !(self.is_checked() && matches!(value, Static::Local(_))) {
            return base;
        }
        let addend = self.i64(addend);
        self.root(InstData::Binary {
            op: BinaryOp::Add,
            args: [base, addend],
        })
    }
}

impl<'m> Program<'m> {
    /// The address of a program-scope or work-group variable.
    fn address(&mut self, unit: usize, variable: Id) -> Result<Static> {
        let (unit, variable) = self.resolve_variable(unit, variable)?;
        match self.units[unit].local.get(&variable) {
            Some(&offset) => Ok(Static::Local(offset as i64)),
            None => Ok(Static::Global(self.global(unit, variable)?, 0)),
        }
    }

    /// A program-scope variable.
    fn global(&mut self, unit: usize, id: Id) -> Result<Global> {
        if let Some(&global) = self.globals.get(&(unit, id)) {
            return Ok(global);
        }
        let spirv = self.units[unit].spirv;
        let variable = *spirv.global_variable(id).ok_or(Failure::Unsupported)?;
        if !matches!(variable.class, StorageClass::CrossWorkgroup | StorageClass::UniformConstant) {
            return Err(Failure::Unsupported);
        }
        let size = shape::size(spirv, variable.pointee)?;
        let decorated = spirv
            .decoration(id, rspirv::spirv::Decoration::Alignment)
            .and_then(|operands| operands.first().copied());
        let align = shape::align(spirv, variable.pointee).max(decorated.filter(|align| align.is_power_of_two()).unwrap_or(1));
        let global = self.ir.globals.push(GlobalData {
            name: spirv.name(id).unwrap_or_else(|| format!("{id}")),
            align,
            constant: variable.class == StorageClass::UniformConstant,
            ..GlobalData::default()
        });
        // Known before its contents are, for these may hold its own address.
        self.globals.insert((unit, id), global);
        let image = match variable.initializer {
            Some(initializer) => self.image(unit, initializer)?,
            None => Image {
                bytes: vec![0; global_size(size)?],
                relocations: Vec::new(),
            },
        };
        let data = &mut self.ir.globals[global];
        (data.bytes, data.relocations) = (image.bytes, image.relocations);
        Ok(global)
    }

    /// A large constant as a variable that nobody writes.
    pub(super) fn constant_global(&mut self, unit: usize, constant: ConstantRef) -> Result<Global> {
        if let Some(&global) = self.constants.get(&(unit, constant)) {
            return Ok(global);
        }
        let spirv = self.units[unit].spirv;
        let align = shape::align(spirv, spirv.resolve(constant).type_id);
        let Image { bytes, relocations } = self.image(unit, constant)?;
        let global = self.ir.globals.push(GlobalData {
            name: "constant".into(),
            align,
            constant: true,
            bytes,
            relocations,
        });
        self.constants.insert((unit, constant), global);
        Ok(global)
    }

    fn image(&mut self, unit: usize, constant: ConstantRef) -> Result<Image> {
        let spirv = self.units[unit].spirv;
        let size = shape::size(spirv, spirv.resolve(constant).type_id)?;
        let mut image = Image {
            bytes: vec![0; global_size(size)?],
            relocations: Vec::new(),
        };
        self.write(unit, constant, 0, &mut image)?;
        Ok(image)
    }

    fn write(&mut self, unit: usize, constant: ConstantRef, at: u64, image: &mut Image) -> Result<()> {
        let spirv = self.units[unit].spirv;
        let data = spirv.resolve(constant);
        match &data.value {
            ConstantValue::Null | ConstantValue::Undef => Ok(()),
            ConstantValue::Composite(parts) => {
                for (position, &part) in parts.iter().enumerate() {
                    let offset = match spirv.ty(data.type_id) {
                        SpirvType::Struct(ty) => ty.offsets.get(position).copied().ok_or(Failure::Unsupported)?,
                        _ => shape::size(spirv, spirv.resolve(part).type_id)? * position as u64,
                    };
                    self.write(unit, part, at + offset, image)?;
                }
                Ok(())
            }
            _ => {
                let size = shape::size(spirv, data.type_id)? as usize;
                let place = image
                    .bytes
                    .get_mut(at as usize..)
                    .and_then(|rest| rest.get_mut(..size))
                    .ok_or(Failure::Unsupported)?;
                match self.evaluate(unit, constant)? {
                    Static::Bits(bits) => {
                        for (byte, value) in place.iter_mut().zip(bits.to_le_bytes()) {
                            *byte = value;
                        }
                    }
                    Static::Global(global, addend) => image.relocations.push((at as u32, global, addend)),
                    Static::Local(_) => {
                        return Err(Failure::Message(
                            "the address of a Workgroup variable is no constant of the program".into(),
                        ));
                    }
                }
                Ok(())
            }
        }
    }

    /// A scalar constant.
    fn evaluate(&mut self, unit: usize, constant: ConstantRef) -> Result<Static> {
        self.evaluate_within(unit, constant, MAX_EXPRESSION_DEPTH)
    }

    fn evaluate_within(&mut self, unit: usize, constant: ConstantRef, depth: u32) -> Result<Static> {
        let depth = depth
            .checked_sub(1)
            .ok_or_else(|| Failure::Message("a constant expression is nested too deeply".into()))?;
        let spirv = self.units[unit].spirv;
        let data = spirv.resolve(constant);
        match &data.value {
            ConstantValue::Null | ConstantValue::Undef => Ok(Static::Bits(0)),
            ConstantValue::Bool(value) => Ok(Static::Bits(u64::from(*value))),
            ConstantValue::Bits(bits) => Ok(Static::Bits(*bits)),
            ConstantValue::Address(function) if spirv.function(*function).is_some() => {
                Ok(Static::Bits(self.function_number(unit, *function)?))
            }
            ConstantValue::Address(variable) => self.address(unit, *variable),
            ConstantValue::Expression { op, operands } => self.evaluate_expression(unit, *op, data.type_id, operands, depth),
            &ConstantValue::Sampler {
                addressing,
                normalized,
                filter,
            } => {
                let word = super::image::literal_sampler(addressing, normalized, filter);
                Ok(Static::Bits(u64::from(word.0)))
            }
            _ => Err(Failure::Unsupported),
        }
    }

    fn evaluate_expression(&mut self, unit: usize, op: Op, result: Id, operands: &[ConstantRef], depth: u32) -> Result<Static> {
        let spirv = self.units[unit].spirv;
        let Some(&first) = operands.first() else {
            return Err(Failure::Unsupported);
        };
        match op {
            Op::Bitcast | Op::GenericCastToPtr | Op::PtrCastToGeneric | Op::ConvertPtrToU | Op::ConvertUToPtr | Op::UConvert => {
                self.evaluate_within(unit, first, depth)
            }
            Op::AccessChain | Op::InBoundsAccessChain | Op::PtrAccessChain | Op::InBoundsPtrAccessChain => {
                let element = matches!(op, Op::PtrAccessChain | Op::InBoundsPtrAccessChain);
                let base = self.evaluate_within(unit, first, depth)?;
                let base_type = spirv.resolve(first).type_id;
                let (_, pointee) = spirv.ty(base_type).pointer().ok_or(Failure::Unsupported)?;
                let offset = match spirv.byte_offset(result, base_type, &operands[1..]).filter(|_| element) {
                    Some(bytes) => bytes,
                    None => constant_offset(spirv, pointee, &operands[1..], element)?,
                };
                Ok(add(base, offset))
            }
            Op::UntypedAccessChainKHR
            | Op::UntypedInBoundsAccessChainKHR
            | Op::UntypedPtrAccessChainKHR
            | Op::UntypedInBoundsPtrAccessChainKHR => {
                // The type that is walked is the first operand's.
                let [walked, base, indexes @ ..] = operands else {
                    return Err(Failure::Unsupported);
                };
                let element = matches!(op, Op::UntypedPtrAccessChainKHR | Op::UntypedInBoundsPtrAccessChainKHR);
                let base = self.evaluate_within(unit, *base, depth)?;
                let offset = constant_offset(spirv, spirv.resolve(*walked).type_id, indexes, element)?;
                Ok(add(base, offset))
            }
            Op::IAdd | Op::ISub => {
                let [x, y] = *operands else { return Err(Failure::Unsupported) };
                match (op, self.evaluate_within(unit, x, depth)?, self.evaluate_within(unit, y, depth)?) {
                    (Op::IAdd, address, Static::Bits(bits)) | (Op::IAdd, Static::Bits(bits), address) => Ok(add(address, bits as i64)),
                    (_, Static::Global(x, a), Static::Global(y, b)) if x == y => Ok(Static::Bits(a.wrapping_sub(b) as u64)),
                    (_, address, Static::Bits(bits)) if op == Op::ISub => Ok(add(address, (bits as i64).wrapping_neg())),
                    _ => Err(Failure::Unsupported),
                }
            }
            _ => Err(Failure::Unsupported),
        }
    }
}

/// Bytes of a program-scope variable's initial contents.
fn global_size(size: u64) -> Result<usize> {
    match usize::try_from(size) {
        Ok(size) if size <= MAX_GLOBAL_SIZE => Ok(size),
        _ => Err(Failure::Message(format!(
            "a program-scope variable of {size} bytes is larger than the device takes ({MAX_GLOBAL_SIZE} bytes)"
        ))),
    }
}

fn add(value: Static, bytes: i64) -> Static {
    match value {
        Static::Bits(bits) => Static::Bits(bits.wrapping_add_signed(bytes)),
        Static::Global(global, addend) => Static::Global(global, addend.wrapping_add(bytes)),
        Static::Local(addend) => Static::Local(addend.wrapping_add(bytes)),
    }
}

/// Bytes that constant indexes lead away from a pointer to a type.
fn constant_offset(spirv: &Module, mut type_id: Id, indexes: &[ConstantRef], element: bool) -> Result<i64> {
    let mut offset = 0i64;
    for (position, &index) in indexes.iter().enumerate() {
        let index = spirv.constant_index(index).ok_or(Failure::Unsupported)?;
        if element && position == 0 {
            offset = offset.wrapping_add(index.wrapping_mul(shape::size(spirv, type_id)? as i64));
            continue;
        }
        match spirv.ty(type_id) {
            SpirvType::Struct(data) => {
                let (Some(&inner), Some(&at)) = (data.members.get(index as usize), data.offsets.get(index as usize)) else {
                    return Err(Failure::Unsupported);
                };
                offset = offset.wrapping_add(at as i64);
                type_id = inner;
            }
            _ => {
                let (inner, _) = spirv.elements(type_id).ok_or(Failure::Unsupported)?;
                offset = offset.wrapping_add(index.wrapping_mul(shape::size(spirv, inner)? as i64));
                type_id = inner;
            }
        }
    }
    Ok(offset)
}
