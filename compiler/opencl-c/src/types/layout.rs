//! Sizes, alignments and the layout of structs and unions: clang's for the target `spirv64`.

use super::{QualType, RecordId, TypeId, TypeKind, Types};
use crate::Symbol;
use rustc_hash::FxHashMap;

/// A member of a struct or a union.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// `None` is an anonymous struct or union, whose members are reached through it, or an unnamed bit-field.
    pub name: Option<Symbol>,
    pub ty: QualType,
    /// The width of a bit-field, in bits.
    pub bits: Option<u32>,
    /// The alignment in bytes that an attribute asks for.
    pub aligned: Option<u64>,
    pub packed: bool,
    /// Is it `size_t` or another type as wide as an address, by its name, or an array of them?
    pub address_sized: bool,
    /// Where it is, in bytes; for a bit-field, where the bytes are that hold it.
    pub offset: u64,
    /// Where a bit-field is, once the layout is known.
    pub bit_field: Option<BitField>,
}

/// A bit-field in memory: bits `shift..shift + width`, counted from the lowest, of the `storage` bytes (1 to 16) at the field's offset, little-endian.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BitField {
    pub storage: u8,
    pub shift: u8,
    pub width: u8,
}

/// A struct or a union.
#[derive(Clone, Debug)]
pub struct Record {
    pub tag: Option<Symbol>,
    /// The `typedef` that names it, if it has no tag.
    pub typedef: Option<Symbol>,
    pub is_union: bool,
    pub packed: bool,
    /// The alignment in bytes that an attribute asks for.
    pub aligned: Option<u64>,
    pub fields: Vec<Field>,
    /// The members that have names, by them, and those that are reached through: anonymous structs and unions.
    pub by_name: FxHashMap<Symbol, u32>,
    pub anonymous: Vec<u32>,
    /// `None` while it is not complete.
    pub layout: Option<RecordLayout>,
}

/// The size and alignment of a complete record, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordLayout {
    pub size: u64,
    pub align: u64,
}

impl Default for Field {
    fn default() -> Field {
        Field {
            name: None,
            ty: QualType::plain(TypeId::ERROR),
            bits: None,
            aligned: None,
            packed: false,
            address_sized: false,
            offset: 0,
            bit_field: None,
        }
    }
}

impl Record {
    /// An incomplete one.
    pub fn new(tag: Option<Symbol>, is_union: bool) -> Record {
        Record {
            tag,
            typedef: None,
            is_union,
            packed: false,
            aligned: None,
            fields: Vec::new(),
            by_name: FxHashMap::default(),
            anonymous: Vec::new(),
            layout: None,
        }
    }

    pub(super) fn ndrange() -> Record {
        Record::new(None, false)
    }
}

impl Types {
    /// Sets the alignment in bytes that an attribute asks for, of a record that isn't complete.
    pub fn set_alignment(&mut self, id: RecordId, aligned: Option<u64>) {
        self.record_mut(id).aligned = aligned;
    }

    /// Names a record that has no tag by its `typedef`.
    pub fn name_record(&mut self, id: RecordId, name: Symbol) {
        let record = self.record_mut(id);
        if record.tag.is_none() && record.typedef.is_none() {
            record.typedef = Some(name);
        }
    }

    /// Gives a record its members and lays them out. Members' types must be complete, but for an array at the end.
    pub fn complete_record(&mut self, id: RecordId, mut fields: Vec<Field>, packed: bool) {
        let record = self.record(id);
        let is_union = record.is_union;
        let mut align = record.aligned.unwrap_or(1);
        // In bits from here.
        let mut end = 0u64;
        let mut size = 0u64;
        for field in &mut fields {
            let natural = self.align_of(field.ty.id).unwrap_or(1);
            let mut own = if packed || field.packed { 1 } else { natural };
            own = own.max(field.aligned.unwrap_or(1));
            let start = if is_union { 0 } else { end };
            match field.bits {
                Some(0) => {
                    // The next one begins at a boundary of this type.
                    end = start.next_multiple_of(natural.max(field.aligned.unwrap_or(1)) * 8);
                    field.offset = end / 8;
                    continue;
                }
                Some(width) => {
                    let unit = self.size_of(field.ty.id).unwrap_or(1) * 8;
                    let mut at = start;
                    if let Some(aligned) = field.aligned {
                        at = at.next_multiple_of(aligned * 8);
                    }
                    if !(packed || field.packed) && at % unit + u64::from(width) > unit {
                        at = at.next_multiple_of(natural * 8);
                    }
                    let (byte, shift) = (at / 8, (at % 8) as u8);
                    // The whole unit, where it lies inside; else the bytes that the bits are in.
                    let aligned_unit = at / unit * unit;
                    let fits = at - aligned_unit + u64::from(width) <= unit;
                    field.bit_field = Some(match fits && !(packed || field.packed) {
                        true => {
                            field.offset = aligned_unit / 8;
                            BitField {
                                storage: (unit / 8) as u8,
                                shift: (at - aligned_unit) as u8,
                                width: width as u8,
                            }
                        }
                        false => {
                            field.offset = byte;
                            BitField {
                                storage: (u64::from(shift) + u64::from(width)).div_ceil(8) as u8,
                                shift,
                                width: width as u8,
                            }
                        }
                    });
                    end = at + u64::from(width);
                    // An unnamed bit-field does not align the record.
                    if field.name.is_some() {
                        align = align.max(own);
                    }
                }
                None => {
                    let at = start.next_multiple_of(own * 8);
                    field.offset = at / 8;
                    end = at + self.size_of(field.ty.id).unwrap_or(0) * 8;
                    align = align.max(own);
                }
            }
            // What is larger than any memory need not be exact.
            end = end.min(1 << 60);
            size = size.max(end);
        }
        size = size.max(end);
        let by_name = (0u32..)
            .zip(&fields)
            .filter_map(|(index, field)| Some((field.name?, index)))
            .collect();
        let is_anonymous = |field: &Field| field.name.is_none() && field.bits.is_none();
        let anonymous = (0u32..)
            .zip(&fields)
            .filter(|(_, field)| is_anonymous(field))
            .map(|(index, _)| index)
            .collect();
        let layout = RecordLayout {
            size: size.div_ceil(8).next_multiple_of(align),
            align,
        };
        let record = self.record_mut(id);
        record.packed = packed;
        record.by_name = by_name;
        record.anonymous = anonymous;
        record.fields = fields;
        record.layout = Some(layout);
    }

    /// The size in bytes of an object; `None` of what has none: functions, and types that are not complete.
    pub fn size_of(&self, id: TypeId) -> Option<u64> {
        Some(match *self.kind(id) {
            TypeKind::Error | TypeKind::Void | TypeKind::Function(_) => return None,
            TypeKind::Scalar(scalar) => scalar.size(),
            TypeKind::Vector(scalar, lanes) => scalar.size() * u64::from(lanes).next_power_of_two(),
            TypeKind::Array(element, len) => self.size_of(element.id)?.checked_mul(len?)?,
            TypeKind::Record(id) => self.record(id).layout?.size,
            TypeKind::Enum(id) if !self.enumeration(id).complete => return None,
            TypeKind::Enum(id) => self.enumeration(id).underlying.size(),
            TypeKind::Atomic(id) => self.size_of(id)?,
            TypeKind::Pointer(_)
            | TypeKind::Image(_)
            | TypeKind::Sampler
            | TypeKind::Event
            | TypeKind::Queue
            | TypeKind::ClkEvent
            | TypeKind::ReserveId
            | TypeKind::Pipe(..)
            | TypeKind::Block(_)
            | TypeKind::Opaque(_) => 8,
        })
    }

    /// The alignment in bytes of an object.
    pub fn align_of(&self, id: TypeId) -> Option<u64> {
        match *self.kind(id) {
            TypeKind::Array(element, _) => self.align_of(element.id),
            TypeKind::Record(id) => Some(self.record(id).layout?.align),
            TypeKind::Enum(id) => Some(self.enumeration(id).underlying.size()),
            TypeKind::Atomic(id) => self.align_of(id),
            _ => self.size_of(id),
        }
    }

    /// Is a type complete: can an object have it?
    pub fn is_complete(&self, id: TypeId) -> bool {
        self.size_of(id).is_some()
    }
}
