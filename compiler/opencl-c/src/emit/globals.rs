//! Variables of the program, and constants.

use super::Emitter;
use super::module::Id;
use super::types::{MemberAt, Part, storage};
use crate::hir::{Address, AddressBase, Const, GlobalId, Linkage};
use crate::types::{AddressSpace, Scalar, TypeId, TypeKind};
use rspirv::spirv::{Capability, Decoration, LinkageType, Op, StorageClass};

impl Emitter<'_> {
    /// A variable of the program.
    pub fn global(&mut self, id: GlobalId) -> Id {
        if let Some(&known) = self.globals.get(&id) {
            return known;
        }
        let global = self.program.global(id);
        let pointee = self.pointee_type(global.ty.id);
        let class = storage(global.ty.space);
        let ty = self.module.pointer(class, pointee);
        let mut operands = vec![class as u32];
        let has_value = !global.is_extern && global.ty.space != AddressSpace::Local;
        if has_value {
            let init = global.init.as_ref().unwrap_or(&Const::Zero);
            let init = self.memory_constant(global.ty.id, init);
            operands.push(init);
        }
        let variable = self.module.constant_new(Op::Variable, ty, &operands);
        self.globals.insert(id, variable);
        let name = self.session.name(global.name);
        if !name.is_empty() {
            self.module.name(variable, name);
        }
        if global.align > 0 {
            self.module.decorate(variable, Decoration::Alignment, &[global.align as u32]);
        }
        if global.ty.space == AddressSpace::Constant {
            self.module.decorate(variable, Decoration::Constant, &[]);
        }
        if global.is_extern {
            self.module.linkage(variable, name, LinkageType::Import);
        } else if global.linkage != Linkage::Internal && !self.session.options.whole && global.ty.space != AddressSpace::Local {
            self.module.linkage(variable, name, LinkageType::Export);
        }
        variable
    }

    /// A variable with a constant in it that has no name in the program.
    pub fn anonymous_constant(&mut self, ty: TypeId, value: &Const, align: u64) -> Id {
        let init = self.memory_constant(ty, value);
        let pointee = self.memory_type(ty);
        let ty = self.module.pointer(StorageClass::UniformConstant, pointee);
        let variable = self
            .module
            .constant_new(Op::Variable, ty, &[StorageClass::UniformConstant as u32, init]);
        self.module.decorate(variable, Decoration::Constant, &[]);
        if align > 0 {
            self.module.decorate(variable, Decoration::Alignment, &[align as u32]);
        }
        variable
    }

    /// A constant as a value.
    pub fn constant(&mut self, ty: TypeId, value: &Const) -> Id {
        if ty == TypeId::BOOL {
            return self.module.truth(!matches!(*value, Const::Zero | Const::Int(0)));
        }
        self.memory_constant(ty, value)
    }

    /// A constant as it is in memory.
    pub fn memory_constant(&mut self, ty: TypeId, value: &Const) -> Id {
        let types = &self.program.types;
        let spirv = self.memory_type(ty);
        match value {
            Const::Zero => self.module.null(spirv),
            Const::Int(bits) => match *types.kind(ty) {
                TypeKind::Vector(scalar, lanes) => {
                    let element = self.number(scalar, value);
                    let element_type = self.numeric(scalar, 1);
                    self.module.splat(element, element_type, lanes)
                }
                TypeKind::Sampler => self.sampler(*bits as u32),
                TypeKind::Pointer(_) => self.pointer_constant(spirv, *bits),
                TypeKind::Atomic(inner) => self.memory_constant(inner, value),
                TypeKind::Block(_) | TypeKind::Opaque(_) => self.module.ulong(*bits),
                _ if *bits == 0 && types.element(ty).is_none() => self.module.null(spirv),
                _ => self.number(types.element(ty).unwrap_or(Scalar::Int), value),
            },
            Const::Float(_) => match *types.kind(ty) {
                TypeKind::Vector(scalar, lanes) => {
                    let element = self.number(scalar, value);
                    let element_type = self.numeric(scalar, 1);
                    self.module.splat(element, element_type, lanes)
                }
                TypeKind::Atomic(inner) => self.memory_constant(inner, value),
                _ => self.number(types.element(ty).unwrap_or(Scalar::Float), value),
            },
            Const::Address(address) => self.address(ty, address),
            Const::Pointer(bits) => match types.pointee(ty) {
                Some(_) => self.pointer_constant(spirv, *bits),
                None => self.module.integer(64, *bits),
            },
            Const::Vector(lanes) => {
                let scalar = types.element(ty).unwrap_or(Scalar::Int);
                let lanes: Vec<Id> = lanes.iter().map(|lane| self.number(scalar, lane)).collect();
                self.module.constant(Op::ConstantComposite, spirv, &lanes)
            }
            Const::Array(elements) => {
                let Some((element, len)) = types.as_array(ty) else {
                    return self.module.null(spirv);
                };
                let mut ids: Vec<Id> = elements.iter().map(|value| self.memory_constant(element.id, value)).collect();
                self.pad(&mut ids, element.id, len);
                self.module.constant(Op::ConstantComposite, spirv, &ids)
            }
            Const::Bytes(bytes) => {
                let Some((element, len)) = types.as_array(ty) else {
                    return self.module.null(spirv);
                };
                let mut ids: Vec<Id> = bytes.iter().map(|&byte| self.module.integer(8, byte.into())).collect();
                self.pad(&mut ids, element.id, len);
                self.module.constant(Op::ConstantComposite, spirv, &ids)
            }
            Const::Struct(values) => self.record_constant(ty, |index| values.get(index as usize)),
            Const::Union(member, value) => self.union_constant(ty, *member, value),
            Const::Sampler(bits) => self.sampler(*bits),
        }
    }

    /// Zeros for the elements that an initializer leaves out.
    fn pad(&mut self, ids: &mut Vec<Id>, element: TypeId, len: Option<u64>) {
        let len = len.unwrap_or(ids.len() as u64) as usize;
        ids.truncate(len);
        if ids.len() < len {
            let zero = self.memory_type(element);
            let zero = self.module.null(zero);
            ids.resize(len, zero);
        }
    }

    /// A number of a scalar type.
    pub fn number(&mut self, scalar: Scalar, value: &Const) -> Id {
        let value = match *value {
            Const::Int(bits) if scalar.is_float() => bits as i64 as f64,
            Const::Int(bits) => {
                let bits_of = scalar.size() as u32 * 8;
                return self.module.integer(bits_of, bits);
            }
            Const::Float(value) if scalar.is_float() => value,
            Const::Float(value) => return self.module.integer(scalar.size() as u32 * 8, value as i64 as u64),
            _ => 0.0,
        };
        match scalar {
            Scalar::Double => {
                let ty = self.module.float(64);
                let bits = value.to_bits();
                self.module.constant(Op::Constant, ty, &[bits as u32, (bits >> 32) as u32])
            }
            Scalar::Float => {
                let ty = self.module.float(32);
                self.module.constant(Op::Constant, ty, &[(value as f32).to_bits()])
            }
            Scalar::Half => {
                self.module.capability(Capability::Float16);
                let ty = self.module.float(16);
                self.module.constant(Op::Constant, ty, &[u32::from(half_bits(value))])
            }
            _ => self.module.integer(scalar.size() as u32 * 8, 0),
        }
    }

    /// A pointer made of a number.
    fn pointer_constant(&mut self, ty: Id, bits: u64) -> Id {
        if bits == 0 {
            return self.module.null(ty);
        }
        let bits = self.module.ulong(bits);
        self.module.constant(Op::SpecConstantOp, ty, &[Op::ConvertUToPtr as u32, bits])
    }

    /// Where a constant pointer points to, as an expression of constants.
    fn address(&mut self, ty: TypeId, address: &Address) -> Id {
        let AddressBase::Global(global) = address.base else {
            let AddressBase::Function(function) = address.base else {
                unreachable!("an address is of a variable or of a function")
            };
            let id = self.function(function);
            let ty = self.memory_type(ty);
            return self.module.constant(Op::ConstantFunctionPointerINTEL, ty, &[id]);
        };
        let variable = self.global(global);
        let class = storage(self.program.global(global).ty.space);
        let wanted = self.memory_type(ty);
        let pointee = self.pointee_type(self.program.global(global).ty.id);
        let own = self.module.pointer(class, pointee);
        let mut at = (variable, own);
        if address.offset != 0 {
            let byte = self.module.int(8);
            let bytes = self.module.pointer(class, byte);
            let base = self.module.constant(Op::SpecConstantOp, bytes, &[Op::Bitcast as u32, variable]);
            let offset = self.module.ulong(address.offset as u64);
            let moved = self
                .module
                .constant(Op::SpecConstantOp, bytes, &[Op::InBoundsPtrAccessChain as u32, base, offset]);
            at = (moved, bytes);
        }
        let Some(target) = self.program.types.pointee(ty) else {
            return self.module.constant(Op::SpecConstantOp, wanted, &[Op::ConvertPtrToU as u32, at.0]);
        };
        if storage(target.space) != class {
            // Only generic pointers differ from what they point to.
            let target = self.pointee_type(target.id);
            let same = self.module.pointer(class, target);
            if at.1 != same {
                at.0 = self.module.constant(Op::SpecConstantOp, same, &[Op::Bitcast as u32, at.0]);
            }
            return self
                .module
                .constant(Op::SpecConstantOp, wanted, &[Op::PtrCastToGeneric as u32, at.0]);
        }
        match at.1 == wanted {
            true => at.0,
            false => self.module.constant(Op::SpecConstantOp, wanted, &[Op::Bitcast as u32, at.0]),
        }
    }

    fn sampler(&mut self, bits: u32) -> Id {
        self.module.capability(Capability::LiteralSampler);
        let ty = self.sampler_type();
        // In the program: the lowest bit is for normalized coordinates, three bits for addressing, then the filter.
        let addressing = (bits >> 1) & 7;
        let filter = u32::from(bits & 0x30 == 0x20);
        self.module.constant(Op::ConstantSampler, ty, &[addressing, bits & 1, filter])
    }

    fn record_constant<'c>(&mut self, ty: TypeId, value_of: impl Fn(u32) -> Option<&'c Const>) -> Id {
        let spirv = self.memory_type(ty);
        let Some(record) = self.program.types.as_record(ty) else {
            return self.module.null(spirv);
        };
        let layout = self.record_type(record);
        let fields = &self.program.types.record(record).fields;
        let mut ids = Vec::with_capacity(layout.parts.len());
        for part in &layout.parts {
            ids.push(match *part {
                Part::Field(index) => self.memory_constant(fields[index as usize].ty.id, value_of(index).unwrap_or(&Const::Zero)),
                Part::Bytes { offset, len } => {
                    // The bit-fields that are there.
                    let mut bytes = vec![0u8; len as usize];
                    for (index, field) in fields.iter().enumerate() {
                        let (Some(place), Some(Const::Int(bits))) = (field.bit_field, value_of(index as u32)) else {
                            continue;
                        };
                        let mask = (1u128 << place.width) - 1;
                        let bits = (u128::from(*bits) & mask) << place.shift;
                        for byte in 0..u64::from(place.storage) {
                            if let Some(target) = (field.offset + byte).checked_sub(offset).and_then(|at| bytes.get_mut(at as usize)) {
                                *target |= (bits >> (8 * byte)) as u8;
                            }
                        }
                    }
                    self.bytes(&bytes)
                }
                Part::Words { .. } => unreachable!("a struct has fields"),
            });
        }
        self.module.constant(Op::ConstantComposite, spirv, &ids)
    }

    fn union_constant(&mut self, ty: TypeId, member: u32, value: &Const) -> Id {
        let spirv = self.memory_type(ty);
        let Some(record) = self.program.types.as_record(ty) else {
            return self.module.null(spirv);
        };
        let layout = self.record_type(record);
        if layout.members.get(member as usize) == Some(&MemberAt::Index(0)) {
            return self.record_constant(ty, |index| (index == member).then_some(value));
        }
        let fields = &self.program.types.record(record).fields;
        let field = &fields[member as usize];
        // An address is no bytes yet; in the place of a number it is one.
        if let (&[Part::Field(index)], Const::Address(_)) = (layout.parts.as_slice(), value)
            && self.program.types.size_of(fields[index as usize].ty.id) == self.program.types.size_of(field.ty.id)
        {
            let place = self.memory_constant(fields[index as usize].ty.id, value);
            return self.module.constant(Op::ConstantComposite, spirv, &[place]);
        }
        let size = self.program.types.size_of(ty).unwrap_or(0) as usize;
        let mut bytes = vec![0u8; size];
        if self.bytes_of(field.ty.id, value, &mut bytes).is_none() {
            self.session
                .error(self.program_loc(), "this initializer of a union is not supported");
        }
        // The bytes, as what the struct has in their places.
        let mut ids = Vec::new();
        for part in &layout.parts {
            ids.push(match *part {
                Part::Bytes { offset, len } => self.bytes(&bytes[offset as usize..][..len as usize]),
                Part::Words { word, count } => self.words(word, count, &bytes),
                Part::Field(index) => {
                    let ty = self.program.types.record(record).fields[index as usize].ty.id;
                    match self.constant_of_bytes(ty, &bytes) {
                        Some(id) => id,
                        None => {
                            self.session
                                .error(self.program_loc(), "this initializer of a union is not supported");
                            let ty = self.memory_type(ty);
                            self.module.null(ty)
                        }
                    }
                }
            });
        }
        self.module.constant(Op::ConstantComposite, spirv, &ids)
    }

    fn program_loc(&self) -> crate::Loc {
        crate::Loc::NONE
    }

    fn bytes(&mut self, bytes: &[u8]) -> Id {
        let byte = self.module.int(8);
        let ty = self.module.array(byte, bytes.len() as u64);
        if bytes.iter().all(|&byte| byte == 0) {
            return self.module.null(ty);
        }
        let ids: Vec<Id> = bytes.iter().map(|&byte| self.module.integer(8, byte.into())).collect();
        self.module.constant(Op::ConstantComposite, ty, &ids)
    }

    /// So many integers, or vectors of such, that have these bytes.
    fn words(&mut self, word: TypeId, count: u64, bytes: &[u8]) -> Id {
        let element = self.memory_type(word);
        let ty = self.module.array(element, count);
        let size = self.program.types.size_of(word).unwrap_or(1) as usize;
        let words = bytes.chunks_exact(size).take(count as usize);
        let ids: Vec<Id> = words
            .map(|bytes| {
                let known = self.constant_of_bytes(word, bytes);
                known.unwrap_or_else(|| unreachable!("any bytes are an integer"))
            })
            .collect();
        self.module.constant(Op::ConstantComposite, ty, &ids)
    }

    /// Writes a constant as it is in memory; `None` if it holds addresses.
    fn bytes_of(&self, ty: TypeId, value: &Const, bytes: &mut [u8]) -> Option<()> {
        let types = &self.program.types;
        let size = types.size_of(ty)? as usize;
        match value {
            Const::Zero => {}
            Const::Int(_) | Const::Float(_) => {
                let scalar = types.element(ty)?;
                let bits = match (*value).clone() {
                    Const::Float(value) if scalar == Scalar::Float => u64::from((value as f32).to_bits()),
                    Const::Float(value) if scalar == Scalar::Half => u64::from(half_bits(value)),
                    Const::Float(value) => value.to_bits(),
                    Const::Int(bits) => bits,
                    _ => return None,
                };
                let step = scalar.size() as usize;
                for lane in 0..usize::from(types.lanes(ty)) {
                    bytes
                        .get_mut(lane * step..(lane + 1) * step)?
                        .copy_from_slice(&bits.to_le_bytes()[..step]);
                }
            }
            Const::Vector(lanes) => {
                let scalar = types.element(ty)?;
                let step = scalar.size() as usize;
                for (lane, value) in lanes.iter().enumerate() {
                    self.bytes_of(TypeId::scalar(scalar), value, bytes.get_mut(lane * step..)?)?;
                }
            }
            Const::Bytes(text) => {
                let len = text.len().min(size);
                bytes.get_mut(..len)?.copy_from_slice(&text[..len]);
            }
            Const::Array(elements) => {
                let (element, _) = types.as_array(ty)?;
                let step = types.size_of(element.id)? as usize;
                for (index, value) in elements.iter().enumerate() {
                    self.bytes_of(element.id, value, bytes.get_mut(index * step..)?)?;
                }
            }
            Const::Struct(values) => {
                let fields = &types.record(types.as_record(ty)?).fields;
                for (field, value) in fields.iter().zip(values) {
                    match field.bit_field {
                        Some(_) => return None,
                        None => self.bytes_of(field.ty.id, value, bytes.get_mut(field.offset as usize..)?)?,
                    }
                }
            }
            Const::Union(member, value) => {
                let field = &types.record(types.as_record(ty)?).fields[*member as usize];
                self.bytes_of(field.ty.id, value, bytes)?;
            }
            Const::Pointer(bits) => bytes.get_mut(..8)?.copy_from_slice(&bits.to_le_bytes()),
            Const::Address(_) | Const::Sampler(_) => return None,
        }
        Some(())
    }

    /// A constant that has these bytes in memory.
    fn constant_of_bytes(&mut self, ty: TypeId, bytes: &[u8]) -> Option<Id> {
        let types = &self.program.types;
        let size = types.size_of(ty)? as usize;
        let bytes = bytes.get(..size)?;
        let spirv = self.memory_type(ty);
        if bytes.iter().all(|&byte| byte == 0) {
            return Some(self.module.null(spirv));
        }
        match *types.kind(ty) {
            TypeKind::Scalar(_) | TypeKind::Enum(_) => {
                let scalar = types.element(ty)?;
                let mut word = [0; 8];
                word[..size].copy_from_slice(bytes);
                let bits = u64::from_le_bytes(word);
                let operands = [bits as u32, (bits >> 32) as u32];
                match scalar.is_float() {
                    true => Some(
                        self.module
                            .constant(Op::Constant, spirv, &operands[..if size == 8 { 2 } else { 1 }]),
                    ),
                    false => Some(self.module.integer(scalar.size() as u32 * 8, bits)),
                }
            }
            TypeKind::Vector(scalar, lanes) => {
                let step = scalar.size() as usize;
                let lanes: Option<Vec<Id>> = (0..usize::from(lanes))
                    .map(|lane| self.constant_of_bytes(TypeId::scalar(scalar), &bytes[lane * step..]))
                    .collect();
                Some(self.module.constant(Op::ConstantComposite, spirv, &lanes?))
            }
            TypeKind::Array(element, len) => {
                let step = types.size_of(element.id)? as usize;
                let elements: Option<Vec<Id>> = (0..len? as usize)
                    .map(|index| self.constant_of_bytes(element.id, &bytes[index * step..]))
                    .collect();
                Some(self.module.constant(Op::ConstantComposite, spirv, &elements?))
            }
            TypeKind::Pointer(_) => Some(self.pointer_constant(spirv, u64::from_le_bytes(bytes.try_into().ok()?))),
            TypeKind::Record(record) => {
                let layout = self.record_type(record);
                let mut ids = Vec::new();
                for &part in &layout.parts {
                    ids.push(match part {
                        Part::Bytes { offset, len } => self.bytes(bytes.get(offset as usize..(offset + len) as usize)?),
                        Part::Words { word, count } => self.words(word, count, bytes),
                        Part::Field(index) => {
                            let field = &self.program.types.record(record).fields[index as usize];
                            self.constant_of_bytes(field.ty.id, bytes.get(field.offset as usize..)?)?
                        }
                    });
                }
                Some(self.module.constant(Op::ConstantComposite, spirv, &ids))
            }
            _ => None,
        }
    }
}

/// The bits of a half, rounded to the nearest from a double.
pub fn half_bits(value: f64) -> u16 {
    let bits = value.to_bits();
    let sign = ((bits >> 48) & 0x8000) as u16;
    let exponent = ((bits >> 52) & 0x7ff) as i32;
    let mantissa = bits & ((1 << 52) - 1);
    if exponent == 0x7ff {
        return sign | 0x7c00 | if mantissa != 0 { 0x200 | (mantissa >> 42) as u16 } else { 0 };
    }
    let unbiased = exponent - 1023;
    if unbiased > 15 {
        return sign | 0x7c00;
    }
    if unbiased < -25 || exponent == 0 {
        return sign;
    }
    let full = mantissa | (1 << 52);
    // How many of the 53 bits are dropped: 42, and more for halves that are not normal.
    let shift = 42 + (-14 - unbiased).max(0) as u32;
    let kept = full >> shift;
    let rest = full & ((1 << shift) - 1);
    let half = 1u64 << (shift - 1);
    let up = rest > half || rest == half && kept & 1 == 1;
    let rounded = kept + u64::from(up);
    // A normal half's leading bit is counted in its exponent; a carry goes there too.
    let exponent = if unbiased >= -14 { ((unbiased + 14) as u64) << 10 } else { 0 };
    sign | (exponent + rounded) as u16
}
