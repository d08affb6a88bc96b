//! Places: where they are, what is read from them and stored to them.

use super::function::{Func, Home};
use super::module::Id;
use super::types::{MemberAt, storage};
use crate::hir::{PlaceId, PlaceKind};
use crate::types::{AddressSpace, BitField, QualType, Scalar, TypeId, TypeKind};
use rspirv::spirv::{Op, StorageClass};

/// Where an object is.
#[derive(Clone, Debug)]
pub enum Spot {
    /// In memory, at a pointer to its type.
    Memory(Memory),
    /// A value, which is only read.
    Value(Id),
    /// Bits of the bytes at a pointer to `uchar`.
    Bits { memory: Memory, bits: BitField },
    /// Lanes of a vector.
    Lanes { vector: Box<Spot>, ty: TypeId, lanes: Box<[u8]> },
    /// A lane that is not known now.
    Lane { vector: Box<Spot>, ty: TypeId, lane: Id },
}

#[derive(Clone, Copy, Debug)]
pub struct Memory {
    pub pointer: Id,
    pub space: AddressSpace,
    pub align: u64,
    pub volatile: bool,
}

impl<'a> Func<'_, 'a> {
    /// Where a place is. What it has in it is evaluated.
    pub fn spot(&mut self, id: PlaceId) -> Spot {
        let body = self.body;
        let place = body.place(id);
        let memory = |pointer: Id| Memory {
            pointer,
            space: place.ty.space,
            align: place.align,
            volatile: place.ty.is_volatile(),
        };
        match place.kind {
            PlaceKind::Local(local) => match self.home(local) {
                Home::Memory(pointer) => Spot::Memory(Memory {
                    space: AddressSpace::Private,
                    ..memory(pointer)
                }),
                Home::Value(value) => Spot::Value(value),
                Home::Unset => {
                    let ty = self.e.ty(place.ty.id);
                    Spot::Value(self.e.module.constant(Op::Undef, ty, &[]))
                }
            },
            PlaceKind::Global(global) => {
                let pointer = self.e.global(global);
                self.reached.variables.insert(pointer);
                Spot::Memory(memory(pointer))
            }
            PlaceKind::Deref(pointer) => {
                let pointer = self.expr(pointer);
                Spot::Memory(memory(pointer))
            }
            PlaceKind::Member(base, index) => {
                let spot = self.spot(base);
                let owner = body.place(base).ty;
                self.member(spot, owner, index, place.ty, place.align)
            }
            PlaceKind::Element(base, index) => {
                let spot = self.spot(base);
                let index = self.expr(index);
                let base = self.in_memory(spot, body.place(base).ty);
                let ty = self.pointer_to(place.ty.id, base.space);
                // An array without a size is where its first element is.
                let unsized_array = matches!(self.e.program.types.as_array(body_type(self, id)), Some((_, None)));
                let op = if unsized_array {
                    Op::InBoundsPtrAccessChain
                } else {
                    Op::InBoundsAccessChain
                };
                let pointer = self.value(op, ty, &[base.pointer, index]);
                Spot::Memory(Memory {
                    pointer,
                    align: place.align,
                    volatile: base.volatile || place.ty.is_volatile(),
                    ..base
                })
            }
            PlaceKind::Lanes(base, ref lanes) => Spot::Lanes {
                vector: Box::new(self.spot(base)),
                ty: body.place(base).ty.id,
                lanes: lanes.clone(),
            },
            PlaceKind::Lane(base, lane) => {
                let vector = Box::new(self.spot(base));
                let lane = self.expr(lane);
                Spot::Lane {
                    vector,
                    ty: body.place(base).ty.id,
                    lane,
                }
            }
            PlaceKind::Literal(stmt, local) => {
                self.statement(stmt);
                match self.home(local) {
                    Home::Memory(pointer) => Spot::Memory(Memory {
                        space: AddressSpace::Private,
                        ..memory(pointer)
                    }),
                    Home::Value(value) => Spot::Value(value),
                    Home::Unset => self.no_spot(place.ty.id),
                }
            }
            PlaceKind::Temporary(value) => Spot::Value(self.expr(value)),
            PlaceKind::Error => self.no_spot(place.ty.id),
        }
    }

    fn no_spot(&mut self, ty: TypeId) -> Spot {
        let ty = self.e.ty(ty);
        Spot::Value(self.e.module.constant(Op::Undef, ty, &[]))
    }

    /// A member of a record.
    pub fn member(&mut self, spot: Spot, owner: QualType, index: u32, ty: QualType, align: u64) -> Spot {
        let Some(record) = self.e.program.types.as_record(owner.id) else {
            return self.no_spot(ty.id);
        };
        let layout = self.e.record_type(record);
        let field = self.e.program.types.record(record).fields[index as usize];
        let at = layout.members[index as usize];
        if let (Spot::Value(value), MemberAt::Index(member), None) = (&spot, at, field.bit_field) {
            let memory_type = self.e.memory_type(field.ty.id);
            let loaded = self.value(Op::CompositeExtract, memory_type, &[*value, member]);
            return Spot::Value(self.loaded_form(loaded, field.ty.id));
        }
        let base = self.in_memory(spot, owner);
        let volatile = base.volatile || ty.is_volatile();
        if let (MemberAt::Index(member), None) = (at, field.bit_field) {
            let pointer_type = self.pointer_to(field.ty.id, base.space);
            let member = self.e.module.uint(member);
            let pointer = self.value(Op::InBoundsAccessChain, pointer_type, &[base.pointer, member]);
            return Spot::Memory(Memory {
                pointer,
                align,
                volatile,
                ..base
            });
        }
        let bytes = self.pointer_to(TypeId::UCHAR, base.space);
        let mut pointer = self.value(Op::Bitcast, bytes, &[base.pointer]);
        let offset = match field.bit_field {
            Some(_) => field.offset,
            None => match at {
                MemberAt::Offset(offset) => offset,
                MemberAt::Index(_) => field.offset,
            },
        };
        if offset != 0 {
            let offset = self.e.module.ulong(offset);
            pointer = self.value(Op::InBoundsPtrAccessChain, bytes, &[pointer, offset]);
        }
        match field.bit_field {
            Some(bits) => Spot::Bits {
                memory: Memory {
                    pointer,
                    align: 1,
                    volatile,
                    ..base
                },
                bits,
            },
            None => {
                let pointer_type = self.pointer_to(field.ty.id, base.space);
                let pointer = self.value(Op::Bitcast, pointer_type, &[pointer]);
                Spot::Memory(Memory {
                    pointer,
                    align,
                    volatile,
                    ..base
                })
            }
        }
    }

    /// An object's place in memory; a value is put there.
    pub fn in_memory(&mut self, spot: Spot, ty: QualType) -> Memory {
        match spot {
            Spot::Memory(memory) => memory,
            Spot::Bits { memory, .. } => memory,
            Spot::Value(value) => {
                let align = self.e.program.types.align_of(ty.id).unwrap_or(1);
                let pointer = self.temporary(ty.id, align);
                self.store_memory(pointer, value, ty.id, align, false);
                Memory {
                    pointer,
                    space: AddressSpace::Private,
                    align,
                    volatile: false,
                }
            }
            // One lane can be pointed to.
            Spot::Lanes { vector, ty: owner, lanes } => {
                let lane = self.e.module.uint(lanes.first().copied().unwrap_or(0).into());
                self.lane_pointer(*vector, owner, lane)
            }
            Spot::Lane { vector, ty: owner, lane } => self.lane_pointer(*vector, owner, lane),
        }
    }

    fn lane_pointer(&mut self, vector: Spot, owner: TypeId, lane: Id) -> Memory {
        let base = self.in_memory(vector, QualType::plain(owner));
        let (scalar, _) = self.shape(owner);
        let element = TypeId::scalar(scalar);
        let ty = self.pointer_to(element, base.space);
        let first = self.value(Op::Bitcast, ty, &[base.pointer]);
        let pointer = self.value(Op::InBoundsPtrAccessChain, ty, &[first, lane]);
        Memory {
            pointer,
            align: scalar.size(),
            ..base
        }
    }

    /// Reads a place.
    pub fn load(&mut self, spot: &Spot, ty: TypeId) -> Id {
        match spot {
            Spot::Value(value) => *value,
            Spot::Memory(memory) => self.load_memory(memory.pointer, ty, memory.align, memory.volatile),
            Spot::Bits { memory, bits } => self.load_bits(memory, *bits, ty),
            Spot::Lanes { vector, ty: owner, lanes } => {
                let vector = self.load(vector, *owner);
                self.lanes_of(vector, *owner, lanes)
            }
            Spot::Lane { vector, ty: owner, lane } => {
                let vector = self.load(vector, *owner);
                let (scalar, _) = self.shape(*owner);
                let element = self.numeric(scalar, 1);
                self.value(Op::VectorExtractDynamic, element, &[vector, *lane])
            }
        }
    }

    /// Lanes of a vector, by number.
    pub fn lanes_of(&mut self, vector: Id, owner: TypeId, lanes: &[u8]) -> Id {
        let (scalar, count) = self.shape(owner);
        let ty = self.numeric(scalar, lanes.len() as u8);
        match lanes {
            // Of a scalar, that is its only lane.
            _ if count == 1 => vector,
            [lane] => self.value(Op::CompositeExtract, ty, &[vector, (*lane).into()]),
            _ => {
                let mut operands = vec![vector, vector];
                operands.extend(lanes.iter().map(|&lane| u32::from(lane)));
                self.value(Op::VectorShuffle, ty, &operands)
            }
        }
    }

    /// Stores a value to a place.
    pub fn store(&mut self, spot: &Spot, value: Id, ty: TypeId) {
        match spot {
            // An object that only holds a value: nobody sees what becomes of it.
            Spot::Value(_) => {}
            Spot::Memory(memory) => self.store_memory(memory.pointer, value, ty, memory.align, memory.volatile),
            Spot::Bits { memory, bits } => self.store_bits(memory, *bits, value, ty),
            Spot::Lanes { vector, ty: owner, lanes } => self.store_lanes(vector, *owner, lanes, value),
            Spot::Lane { vector, ty: owner, lane } => {
                let (scalar, _) = self.shape(*owner);
                if let Spot::Memory(memory) = &**vector
                    && memory.space == AddressSpace::Private
                {
                    let whole = self.load(vector, *owner);
                    let vector_type = self.e.ty(*owner);
                    let whole = self.value(Op::VectorInsertDynamic, vector_type, &[whole, value, *lane]);
                    return self.store(vector, whole, *owner);
                }
                let memory = self.lane_pointer((**vector).clone(), *owner, *lane);
                self.store_memory(memory.pointer, value, TypeId::scalar(scalar), memory.align, memory.volatile);
            }
        }
    }

    fn store_lanes(&mut self, vector: &Spot, owner: TypeId, lanes: &[u8], value: Id) {
        // Lanes of lanes: those of the vector itself.
        if let Spot::Lanes {
            vector: inner,
            ty,
            lanes: outer,
        } = vector
        {
            let composed: Vec<u8> = lanes.iter().map(|&lane| outer[usize::from(lane)]).collect();
            return self.store_lanes(inner, *ty, &composed, value);
        }
        let (scalar, count) = self.shape(owner);
        if count == 1 {
            return self.store(vector, value, owner);
        }
        let private = matches!(vector, Spot::Memory(memory) if memory.space == AddressSpace::Private);
        if !private {
            // Lanes that are not named are left alone: others may write them meanwhile.
            let element = self.numeric(scalar, 1);
            for (position, &lane) in lanes.iter().enumerate() {
                let part = match lanes.len() {
                    1 => value,
                    _ => self.value(Op::CompositeExtract, element, &[value, position as u32]),
                };
                let lane = self.e.module.uint(lane.into());
                let memory = self.lane_pointer(vector.clone(), owner, lane);
                self.store_memory(memory.pointer, part, TypeId::scalar(scalar), memory.align, memory.volatile);
            }
            return;
        }
        let ty = self.e.ty(owner);
        let whole = self.load(vector, owner);
        let whole = match lanes {
            [lane] => self.value(Op::CompositeInsert, ty, &[value, whole, (*lane).into()]),
            _ => {
                let mut operands = vec![whole, value];
                for lane in 0..count {
                    let from = lanes.iter().position(|&other| other == lane);
                    operands.push(from.map_or(u32::from(lane), |position| u32::from(count) + position as u32));
                }
                self.value(Op::VectorShuffle, ty, &operands)
            }
        };
        self.store(vector, whole, owner);
    }

    /// Reads an object of a type from memory, as a value.
    pub fn load_memory(&mut self, pointer: Id, ty: TypeId, align: u64, volatile: bool) -> Id {
        let memory_type = self.e.memory_type(ty);
        let loaded = self.load_raw(pointer, memory_type, align, volatile);
        self.loaded_form(loaded, ty)
    }

    /// What has been read from memory, as a value.
    pub fn loaded_form(&mut self, loaded: Id, ty: TypeId) -> Id {
        match self.e.program.types.kind(ty) {
            TypeKind::Scalar(Scalar::Bool) => {
                let zero = self.e.module.integer(8, 0);
                let truth = self.e.module.bool();
                self.value(Op::INotEqual, truth, &[loaded, zero])
            }
            _ => loaded,
        }
    }

    /// A value as it is in memory.
    pub fn stored_form(&mut self, value: Id, ty: TypeId) -> Id {
        match self.e.program.types.kind(ty) {
            TypeKind::Scalar(Scalar::Bool) => {
                let byte = self.e.module.int(8);
                let (one, zero) = (self.e.module.integer(8, 1), self.e.module.integer(8, 0));
                self.value(Op::Select, byte, &[value, one, zero])
            }
            _ => value,
        }
    }

    pub fn store_memory(&mut self, pointer: Id, value: Id, ty: TypeId, align: u64, volatile: bool) {
        let value = self.stored_form(value, ty);
        self.store_raw(pointer, value, align, volatile);
    }

    pub fn load_raw(&mut self, pointer: Id, memory_type: Id, align: u64, volatile: bool) -> Id {
        let mut operands = vec![pointer];
        access(&mut operands, align, volatile);
        self.value(Op::Load, memory_type, &operands)
    }

    pub fn store_raw(&mut self, pointer: Id, value: Id, align: u64, volatile: bool) {
        let mut operands = vec![pointer, value];
        access(&mut operands, align, volatile);
        self.effect(Op::Store, &operands);
    }

    /// The integer that holds a bit-field's bytes, and how it is put together: one access where its size is one of an integer's, else byte by byte.
    fn load_storage(&mut self, memory: &Memory, bits: BitField) -> (Id, u32) {
        let width = match bits.storage {
            1 => 8,
            2 => 16,
            3 | 4 => 32,
            _ => 64,
        };
        let ty = self.e.module.int(width);
        if u32::from(bits.storage) * 8 == width {
            let class = storage(memory.space);
            let pointer_type = self.e.module.pointer(class, ty);
            let pointer = match width {
                8 => memory.pointer,
                _ => self.value(Op::Bitcast, pointer_type, &[memory.pointer]),
            };
            return (self.load_raw(pointer, ty, 1, memory.volatile), width);
        }
        let byte = self.e.module.int(8);
        let mut whole = None;
        for index in 0..bits.storage.min(8) {
            let pointer = self.byte_at(memory, index);
            let part = self.load_raw(pointer, byte, 1, memory.volatile);
            let part = self.value(Op::UConvert, ty, &[part]);
            whole = Some(match whole {
                None => part,
                Some(before) => {
                    let shift = self.e.module.integer(width, u64::from(index) * 8);
                    let part = self.value(Op::ShiftLeftLogical, ty, &[part, shift]);
                    self.value(Op::BitwiseOr, ty, &[before, part])
                }
            });
        }
        (whole.unwrap_or(0), width)
    }

    fn byte_at(&mut self, memory: &Memory, index: u8) -> Id {
        if index == 0 {
            return memory.pointer;
        }
        let class: StorageClass = storage(memory.space);
        let byte = self.e.module.int(8);
        let ty = self.e.module.pointer(class, byte);
        let offset = self.e.module.ulong(index.into());
        self.value(Op::InBoundsPtrAccessChain, ty, &[memory.pointer, offset])
    }

    fn load_bits(&mut self, memory: &Memory, bits: BitField, ty: TypeId) -> Id {
        let (scalar, _) = self.shape(ty);
        let (whole, width) = self.load_storage(memory, bits);
        let word = self.e.module.int(width);
        let top = width - u32::from(bits.shift) - u32::from(bits.width);
        let up = self.e.module.integer(width, top.into());
        let down = self.e.module.integer(width, (width - u32::from(bits.width)).into());
        let high = if top == 0 {
            whole
        } else {
            self.value(Op::ShiftLeftLogical, word, &[whole, up])
        };
        let (shift, convert) = match scalar.is_signed() {
            true => (Op::ShiftRightArithmetic, Op::SConvert),
            false => (Op::ShiftRightLogical, Op::UConvert),
        };
        let value = if u32::from(bits.width) == width {
            high
        } else {
            self.value(shift, word, &[high, down])
        };
        if scalar == Scalar::Bool {
            let truth = self.e.module.bool();
            let zero = self.e.module.integer(width, 0);
            return self.value(Op::INotEqual, truth, &[value, zero]);
        }
        match scalar.bits() == width {
            true => value,
            false => {
                let ty = self.numeric(scalar, 1);
                self.value(convert, ty, &[value])
            }
        }
    }

    fn store_bits(&mut self, memory: &Memory, bits: BitField, value: Id, ty: TypeId) {
        let (scalar, _) = self.shape(ty);
        let (whole, width) = self.load_storage(memory, bits);
        let word = self.e.module.int(width);
        let value = match scalar {
            Scalar::Bool => {
                let (one, zero) = (self.e.module.integer(width, 1), self.e.module.integer(width, 0));
                self.value(Op::Select, word, &[value, one, zero])
            }
            _ if scalar.bits() == width => value,
            _ => self.value(Op::UConvert, word, &[value]),
        };
        let ones = if bits.width >= 64 { u64::MAX } else { (1u64 << bits.width) - 1 };
        let mask = ones << bits.shift;
        let clear = self.e.module.integer(width, !mask);
        let mask = self.e.module.integer(width, mask);
        let shift = self.e.module.integer(width, bits.shift.into());
        let value = if bits.shift == 0 {
            value
        } else {
            self.value(Op::ShiftLeftLogical, word, &[value, shift])
        };
        let value = self.value(Op::BitwiseAnd, word, &[value, mask]);
        let rest = self.value(Op::BitwiseAnd, word, &[whole, clear]);
        let whole = self.value(Op::BitwiseOr, word, &[rest, value]);
        if u32::from(bits.storage) * 8 == width {
            let class = storage(memory.space);
            let pointer_type = self.e.module.pointer(class, word);
            let pointer = match width {
                8 => memory.pointer,
                _ => self.value(Op::Bitcast, pointer_type, &[memory.pointer]),
            };
            return self.store_raw(pointer, whole, 1, memory.volatile);
        }
        let byte = self.e.module.int(8);
        for index in 0..bits.storage.min(8) {
            let shift = self.e.module.integer(width, u64::from(index) * 8);
            let part = if index == 0 {
                whole
            } else {
                self.value(Op::ShiftRightLogical, word, &[whole, shift])
            };
            let part = self.value(Op::UConvert, byte, &[part]);
            let pointer = self.byte_at(memory, index);
            self.store_raw(pointer, part, 1, memory.volatile);
        }
    }
}

/// Memory operands: Volatile and Aligned.
fn access(operands: &mut Vec<u32>, align: u64, volatile: bool) {
    let mask = u32::from(volatile) | if align > 0 { 2 } else { 0 };
    if mask != 0 {
        operands.push(mask);
    }
    if align > 0 {
        operands.push(align as u32);
    }
}

/// The type of the array that an element is of.
fn body_type(func: &Func, element: PlaceId) -> TypeId {
    match func.body.place(element).kind {
        PlaceKind::Element(base, _) => func.body.place(base).ty.id,
        _ => TypeId::ERROR,
    }
}
