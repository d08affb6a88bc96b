//! Types of the program as SPIR-V's, in values and in memory.
//!
//! The two differ: a `bool` is a byte in memory. Structs have their members where the layout says; where SPIR-V's own rules would put one elsewhere, and
//! around bit-fields and in unions, there are bytes, and a member is reached by its offset.

use super::Emitter;
use super::module::Id;
use crate::types::{Access, AddressSpace, Image, ImageDim, QualType, RecordId, Scalar, TypeId, TypeKind, Types};
use rspirv::spirv::{AccessQualifier, Capability, Decoration, Dim, Op, StorageClass};
use std::rc::Rc;

/// Where a member of a record is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemberAt {
    /// A member of the SPIR-V struct.
    Index(u32),
    /// Bytes from the record's start.
    Offset(u64),
}

/// A record's SPIR-V struct.
#[derive(Clone, Debug)]
pub struct RecordType {
    pub id: Id,
    pub members: Vec<MemberAt>,
    /// What the SPIR-V struct consists of: a field, or a number of bytes.
    pub parts: Vec<Part>,
}

/// A member of a SPIR-V struct.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    Field(u32),
    /// Bytes at an offset.
    Bytes {
        offset: u64,
        len: u64,
    },
    /// All of a union, as so many values of a type that has its alignment.
    Words {
        word: TypeId,
        count: u64,
    },
}

pub fn storage(space: AddressSpace) -> StorageClass {
    match space {
        AddressSpace::Private => StorageClass::Function,
        AddressSpace::Global => StorageClass::CrossWorkgroup,
        AddressSpace::Constant => StorageClass::UniformConstant,
        AddressSpace::Local => StorageClass::Workgroup,
        AddressSpace::Generic => StorageClass::Generic,
    }
}

fn access(access: Access) -> AccessQualifier {
    match access {
        Access::ReadOnly => AccessQualifier::ReadOnly,
        Access::WriteOnly => AccessQualifier::WriteOnly,
        Access::ReadWrite => AccessQualifier::ReadWrite,
    }
}

impl Emitter<'_> {
    /// A scalar or vector of values.
    pub fn numeric(&mut self, scalar: Scalar, lanes: u8) -> Id {
        let element = match scalar {
            Scalar::Bool => self.module.bool(),
            Scalar::Half | Scalar::Float | Scalar::Double => {
                // Arithmetic of halves needs more than storing them.
                if scalar == Scalar::Half && self.session.options.has("cl_khr_fp16") {
                    self.module.capability(Capability::Float16);
                }
                self.module.float(scalar.bits())
            }
            _ => self.module.int(scalar.bits()),
        };
        self.module.vector(element, lanes)
    }

    /// `bool`s, as many as a vector has lanes.
    pub fn bools(&mut self, lanes: u8) -> Id {
        let element = self.module.bool();
        self.module.vector(element, lanes)
    }

    /// The type of values.
    pub fn ty(&mut self, id: TypeId) -> Id {
        if let Some(Some(&known)) = self.value_types.get(id.index()).map(Option::as_ref) {
            return known;
        }
        let ty = match self.program.types.kind(id) {
            TypeKind::Scalar(Scalar::Bool) => self.module.bool(),
            _ => self.memory_type(id),
        };
        if self.value_types.len() <= id.index() {
            self.value_types.resize(id.index() + 1, None);
        }
        self.value_types[id.index()] = Some(ty);
        ty
    }

    /// The type of objects in memory.
    pub fn memory_type(&mut self, id: TypeId) -> Id {
        if let Some(Some(&known)) = self.memory_types.get(id.index()).map(Option::as_ref) {
            return known;
        }
        let ty = self.new_memory_type(id);
        if self.memory_types.len() <= id.index() {
            self.memory_types.resize(id.index() + 1, None);
        }
        self.memory_types[id.index()] = Some(ty);
        ty
    }

    fn new_memory_type(&mut self, id: TypeId) -> Id {
        let types = &self.program.types;
        match *types.kind(id) {
            TypeKind::Error | TypeKind::Void => self.module.void(),
            TypeKind::Scalar(Scalar::Bool) => self.module.int(8),
            TypeKind::Scalar(scalar) => self.numeric(scalar, 1),
            TypeKind::Vector(scalar, lanes) => self.numeric(scalar, lanes),
            TypeKind::Enum(_) => {
                let scalar = types.element(id).unwrap_or(Scalar::Int);
                self.numeric(scalar, 1)
            }
            TypeKind::Atomic(inner) => self.memory_type(inner),
            TypeKind::Pointer(pointee) => self.pointer_type(pointee),
            TypeKind::Array(element, len) => {
                let element = self.memory_type(element.id);
                self.module.array(element, len.unwrap_or(0))
            }
            TypeKind::Record(record) => self.record_type(record).id,
            TypeKind::Image(image) => self.image_type(image),
            TypeKind::Sampler => self.sampler_type(),
            TypeKind::Event => self.module.declare(Op::TypeEvent, &[]),
            TypeKind::Queue => {
                self.module.capability(Capability::DeviceEnqueue);
                self.module.declare(Op::TypeQueue, &[])
            }
            TypeKind::ClkEvent => {
                self.module.capability(Capability::DeviceEnqueue);
                self.module.declare(Op::TypeDeviceEvent, &[])
            }
            TypeKind::ReserveId => {
                self.module.capability(Capability::Pipes);
                self.module.declare(Op::TypeReserveId, &[])
            }
            TypeKind::Pipe(_, how) => {
                self.module.capability(Capability::Pipes);
                self.module.declare(Op::TypePipe, &[access(how) as u32])
            }
            TypeKind::Function(_) => self.function_type_of(id),
            // The addresses of these are numbers.
            TypeKind::Block(_) | TypeKind::Opaque(_) => self.module.int(64),
        }
    }

    fn function_type_of(&mut self, id: TypeId) -> Id {
        let Some(function) = self.program.types.as_function(id) else {
            return self.module.void();
        };
        let result = self.ty(function.result.id);
        let params: Vec<Id> = function.params.iter().map(|param| self.ty(param.id)).collect();
        self.module.function_type(result, &params)
    }

    /// A pointer to an object.
    pub fn pointer_type(&mut self, pointee: QualType) -> Id {
        let types = &self.program.types;
        if types.as_function(pointee.id).is_some() {
            self.module.extension("SPV_INTEL_function_pointers");
            self.module.capability(Capability::FunctionPointersINTEL);
            let function = self.function_type_of(pointee.id);
            return self.module.pointer(StorageClass::CodeSectionINTEL, function);
        }
        let storage = storage(pointee.space);
        // A record that is being declared, or that never is, is announced.
        if let TypeKind::Record(record) = *types.kind(pointee.id) {
            if self.open_records.contains(&record) {
                if let Some(&(_, _, id)) = self
                    .announced
                    .iter()
                    .find(|(other, class, _)| *other == record && *class == storage)
                {
                    return id;
                }
                let id = self.module.id();
                self.module.announce_pointer(id, storage);
                if storage == StorageClass::Generic {
                    self.module.capability(Capability::GenericPointer);
                }
                self.announced.push((record, storage, id));
                return id;
            }
            if types.record(record).layout.is_some() {
                // Declaring it may announce pointers to it.
                self.memory_type(pointee.id);
                if let Some(&(_, _, id)) = self
                    .announced
                    .iter()
                    .find(|(other, class, _)| *other == record && *class == storage)
                {
                    return id;
                }
            }
        }
        let pointee = self.pointee_type(pointee.id);
        self.module.pointer(storage, pointee)
    }

    /// What pointers point to: of `void` and of what is not complete, bytes.
    pub fn pointee_type(&mut self, id: TypeId) -> Id {
        match self.program.types.kind(id) {
            TypeKind::Array(element, None) => self.memory_type(element.id),
            TypeKind::Function(_) => self.function_type_of(id),
            _ if self.program.types.size_of(id).is_none() => self.module.int(8),
            _ => self.memory_type(id),
        }
    }

    pub fn sampler_type(&mut self) -> Id {
        self.module.capability(Capability::ImageBasic);
        self.module.declare(Op::TypeSampler, &[])
    }

    fn image_type(&mut self, image: Image) -> Id {
        let (dim, arrayed) = match image.dim {
            ImageDim::D1 => (Dim::Dim1D, false),
            ImageDim::D1Buffer => (Dim::DimBuffer, false),
            ImageDim::D1Array => (Dim::Dim1D, true),
            ImageDim::D2 => (Dim::Dim2D, false),
            ImageDim::D2Array => (Dim::Dim2D, true),
            ImageDim::D3 => (Dim::Dim3D, false),
        };
        self.module.capability(Capability::ImageBasic);
        match image.dim {
            ImageDim::D1 | ImageDim::D1Array => self.module.capability(Capability::Sampled1D),
            ImageDim::D1Buffer => self.module.capability(Capability::SampledBuffer),
            _ => {}
        }
        if image.access == Access::ReadWrite {
            self.module.capability(Capability::ImageReadWrite);
        }
        self.module.image(dim, image.depth, arrayed, image.msaa, access(image.access))
    }

    /// A record's struct.
    pub fn record_type(&mut self, id: RecordId) -> Rc<RecordType> {
        if let Some(known) = self.records.get(&id) {
            return known.clone();
        }
        self.open_records.push(id);
        let types = &self.program.types;
        let record = types.record(id);
        let layout = record.layout.unwrap_or(crate::types::RecordLayout { size: 1, align: 1 });
        let mut parts = Vec::new();
        let mut members = vec![MemberAt::Offset(0); record.fields.len()];
        let mut packed = false;
        if record.is_union {
            // The member with the strictest alignment gives the struct its own.
            let align = |&(_, field): &(usize, &crate::types::Field)| types.align_of(field.ty.id).unwrap_or(1);
            let whole = record
                .fields
                .iter()
                .enumerate()
                .filter(|(_, field)| field.bit_field.is_none() && field.bits.is_none());
            let best = whole.max_by_key(|entry| (align(entry), types.size_of(entry.1.ty.id), std::cmp::Reverse(entry.0)));
            match best {
                // What other members have in its gaps would be lost when the union is copied.
                Some((_, field)) if has_gaps(types, field.ty.id) && layout.size.is_multiple_of(word_size(layout.align)) => {
                    let size = word_size(layout.align);
                    parts.push(Part::Words {
                        word: word(size),
                        count: layout.size / size,
                    });
                }
                Some((index, field)) => {
                    parts.push(Part::Field(index as u32));
                    members[index] = MemberAt::Index(0);
                    bytes_until(&mut parts, types.size_of(field.ty.id).unwrap_or(0), layout.size);
                }
                None => bytes_until(&mut parts, 0, layout.size),
            }
        } else {
            let mut end = 0u64;
            let has_bit_fields = record.fields.iter().any(|field| field.bit_field.is_some());
            for (index, field) in record.fields.iter().enumerate() {
                if field.bits.is_some() {
                    members[index] = MemberAt::Offset(field.offset);
                    continue;
                }
                let size = types.size_of(field.ty.id).unwrap_or(0);
                if size == 0 {
                    members[index] = MemberAt::Offset(field.offset);
                    continue;
                }
                let align = types.align_of(field.ty.id).unwrap_or(1).max(1);
                packed |= !field.offset.is_multiple_of(align);
                if field.offset > end {
                    // What SPIR-V's rules leave open needs no bytes, unless they hold bit-fields.
                    let natural = end.next_multiple_of(align);
                    if natural != field.offset || has_bit_fields {
                        bytes_until(&mut parts, end, field.offset);
                    }
                }
                members[index] = MemberAt::Index(parts.len() as u32);
                parts.push(Part::Field(index as u32));
                end = field.offset + size;
            }
            let align = parts.iter().map(|part| self.part_align(id, *part)).max().unwrap_or(1);
            packed |= !layout.size.is_multiple_of(align);
            let natural = if packed { end } else { end.next_multiple_of(align) };
            if natural < layout.size || has_bit_fields {
                bytes_until(&mut parts, end, layout.size);
            }
            if packed {
                // Every gap is spelled out.
                let mut full = Vec::new();
                let mut end = 0;
                for part in parts {
                    let (offset, len) = match part {
                        Part::Field(index) => {
                            let field = &record.fields[index as usize];
                            (field.offset, types.size_of(field.ty.id).unwrap_or(0))
                        }
                        Part::Bytes { offset, len } => (offset, len),
                        Part::Words { .. } => unreachable!("a struct has fields"),
                    };
                    bytes_until(&mut full, end, offset);
                    if let Part::Field(index) = part {
                        members[index as usize] = MemberAt::Index(full.len() as u32);
                    }
                    full.push(part);
                    end = offset + len;
                }
                bytes_until(&mut full, end, layout.size);
                parts = full;
            }
        }
        if parts.is_empty() {
            parts.push(Part::Bytes { offset: 0, len: 1 });
        }
        let operands: Vec<Id> = parts
            .iter()
            .map(|part| match *part {
                Part::Field(index) => self.memory_type(self.program.types.record(id).fields[index as usize].ty.id),
                Part::Bytes { len, .. } => {
                    let byte = self.module.int(8);
                    self.module.array(byte, len)
                }
                Part::Words { word, count } => {
                    let word = self.memory_type(word);
                    self.module.array(word, count)
                }
            })
            .collect();
        let ty = self.module.declare_new(Op::TypeStruct, &operands);
        if packed {
            self.module.decorate(ty, Decoration::CPacked, &[]);
        }
        if let Some(name) = record.tag.or(record.typedef) {
            let kind = if record.is_union { "union" } else { "struct" };
            self.module.name(ty, &format!("{kind}.{}", self.session.name(name)));
        }
        if self.session.options.keep_variables {
            for (number, part) in parts.iter().enumerate() {
                if let Part::Field(index) = *part
                    && let Some(name) = record.fields[index as usize].name
                {
                    self.module.member_name(ty, number as u32, self.session.name(name));
                }
            }
        }
        self.open_records.pop();
        let found = Rc::new(RecordType { id: ty, members, parts });
        self.records.insert(id, found.clone());
        for &(record, storage, pointer) in &self.announced {
            if record == id {
                self.module.declare_pointer(pointer, storage, ty);
            }
        }
        found
    }

    fn part_align(&self, id: RecordId, part: Part) -> u64 {
        match part {
            Part::Field(index) => {
                let field = &self.program.types.record(id).fields[index as usize];
                self.program.types.align_of(field.ty.id).unwrap_or(1).max(1)
            }
            Part::Bytes { .. } => 1,
            Part::Words { word, .. } => self.program.types.align_of(word).unwrap_or(1),
        }
    }
}

/// Has a type bytes that a copy of its values leaves out: between members, or behind the third component of a vector?
fn has_gaps(types: &Types, id: TypeId) -> bool {
    match *types.kind(id) {
        TypeKind::Vector(_, lanes) => lanes == 3,
        TypeKind::Array(element, _) => has_gaps(types, element.id),
        TypeKind::Record(record) => {
            let record = types.record(record);
            let fields = &record.fields;
            // Bit-fields are bytes, and so is what is between them; a union has no gaps itself.
            let is_whole = record.is_union || fields.iter().any(|field| field.bit_field.is_some());
            let sum: u64 = fields.iter().map(|field| types.size_of(field.ty.id).unwrap_or(0)).sum();
            let gap = !is_whole && record.layout.is_some_and(|layout| layout.size != sum);
            gap || !record.is_union && fields.iter().any(|field| has_gaps(types, field.ty.id))
        }
        _ => false,
    }
}

/// The size of the integers, or of the vectors of such, that have an alignment.
fn word_size(align: u64) -> u64 {
    align.clamp(1, 128)
}

/// An integer, or a vector of such, of a size.
fn word(size: u64) -> TypeId {
    match size {
        1 => TypeId::UCHAR,
        2 => TypeId::scalar(Scalar::UShort),
        4 => TypeId::scalar(Scalar::UInt),
        8 => TypeId::ULONG,
        _ => TypeId::vector(Scalar::ULong, (size / 8) as u8),
    }
}

/// Bytes between two offsets, if they are not one.
fn bytes_until(parts: &mut Vec<Part>, offset: u64, until: u64) {
    if until > offset {
        let len = until - offset;
        parts.push(Part::Bytes { offset, len });
    }
}
