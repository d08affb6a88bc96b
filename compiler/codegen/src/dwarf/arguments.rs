//! A kernel's arguments, its variables and its launch's sizes, for debuggers (DWARF 4, sections 2.6, 4.1 and 5).
//!
//! They sit in the launch's records, to which whoever calls a kernel leaves pointers just above its frame ([`device::abi::RECORDS`]). So they are
//! there from the first instruction to the last, whatever the code generator keeps in registers. Variables that stay in memory are in the frame of the gang that runs, whose place the kernel leaves
//! in the worker's record: an array with an element a lane.

use cranelift_codegen::gimli::write::{AttributeValue, Expression, Unit, UnitEntryId};
use cranelift_codegen::gimli::{self, DwAte};
use device::abi::{LAUNCH_AT, LaunchRecord, WORKER_AT, WorkerRecord};
use device::image::ImageRecord;
use interface::{ArgumentInfo, ArgumentKind};
use ir::{FrameVariable, VariableType};
use rustc_hash::FxHashMap;
use std::mem::offset_of;
use std::sync::Arc;

/// OpenCL C's scalar types: name, how it is written in DWARF, bytes.
const SCALARS: &[(&str, DwAte, u64)] = &[
    ("char", gimli::DW_ATE_signed_char, 1),
    ("uchar", gimli::DW_ATE_unsigned_char, 1),
    ("short", gimli::DW_ATE_signed, 2),
    ("ushort", gimli::DW_ATE_unsigned, 2),
    ("int", gimli::DW_ATE_signed, 4),
    ("uint", gimli::DW_ATE_unsigned, 4),
    ("long", gimli::DW_ATE_signed, 8),
    ("ulong", gimli::DW_ATE_unsigned, 8),
    ("size_t", gimli::DW_ATE_unsigned, 8),
    ("uintptr_t", gimli::DW_ATE_unsigned, 8),
    ("ptrdiff_t", gimli::DW_ATE_signed, 8),
    ("intptr_t", gimli::DW_ATE_signed, 8),
    ("half", gimli::DW_ATE_float, 2),
    ("float", gimli::DW_ATE_float, 4),
    ("double", gimli::DW_ATE_float, 8),
    ("bool", gimli::DW_ATE_boolean, 1),
    (BYTE, gimli::DW_ATE_unsigned, 1),
];

/// What a value of a type that is not known consists of. No name that a program can give.
const BYTE: &str = "unnamed byte";

/// The types of a unit, each written once.
#[derive(Default)]
struct Types {
    known: FxHashMap<String, Option<UnitEntryId>>,
}

fn text(text: &str) -> AttributeValue {
    AttributeValue::String(text.bytes().filter(|&byte| byte != 0).collect())
}

impl Types {
    /// A type by the name that OpenCL C has for it. None where nothing is known of what it consists of.
    fn named(&mut self, unit: &mut Unit, name: &str) -> Option<UnitEntryId> {
        let name = name.trim();
        if let Some(&known) = self.known.get(name) {
            return known;
        }
        let made = self.make(unit, name);
        self.known.insert(name.to_owned(), made);
        made
    }

    fn make(&mut self, unit: &mut Unit, name: &str) -> Option<UnitEntryId> {
        if let Some(pointee) = name.strip_suffix('*') {
            let pointee = self.named(unit, pointee);
            let pointer = new(unit, gimli::DW_TAG_pointer_type, 8);
            // Without a type it is a `void *`.
            if let Some(pointee) = pointee {
                unit.get_mut(pointer).set(gimli::DW_AT_type, AttributeValue::UnitRef(pointee));
            }
            return Some(pointer);
        }
        if let Some(&(name, encoding, bytes)) = SCALARS.iter().find(|(scalar, ..)| *scalar == name) {
            let scalar = new(unit, gimli::DW_TAG_base_type, bytes);
            let entry = unit.get_mut(scalar);
            entry.set(gimli::DW_AT_name, text(name));
            entry.set(gimli::DW_AT_encoding, AttributeValue::Encoding(encoding));
            return Some(scalar);
        }
        let letters = name.trim_end_matches(|c: char| c.is_ascii_digit());
        let count: u64 = name[letters.len()..]
            .parse()
            .ok()
            .filter(|count| [2, 3, 4, 8, 16].contains(count))?;
        let scalar = self.named(unit, letters)?;
        let vector = array(unit, scalar, count);
        let entry = unit.get_mut(vector);
        entry.set(gimli::DW_AT_name, text(name));
        entry.set(gimli::DW_AT_GNU_vector, AttributeValue::Flag(true));
        Some(vector)
    }

    /// So many bytes.
    fn bytes(&mut self, unit: &mut Unit, bytes: u64) -> Option<UnitEntryId> {
        let byte = self.named(unit, BYTE)?;
        Some(array(unit, byte, bytes))
    }

    /// A pointer to an image's record.
    fn image(&mut self, unit: &mut Unit) -> Option<UnitEntryId> {
        const IMAGE: &str = "image";
        if let Some(&known) = self.known.get(IMAGE) {
            return known;
        }
        let member = |name: &'static str, ty, offset: usize| (Arc::from(name), offset as u64, VariableType::Scalar(ty));
        let record = VariableType::Struct(
            "brolga_image".into(),
            size_of::<ImageRecord>() as u64,
            vec![
                ("data".into(), offset_of!(ImageRecord, data) as u64, VariableType::Pointer(None)),
                member("row_pitch", "ulong", offset_of!(ImageRecord, row_pitch)),
                member("slice_pitch", "ulong", offset_of!(ImageRecord, slice_pitch)),
                member("width", "uint", offset_of!(ImageRecord, width)),
                member("height", "uint", offset_of!(ImageRecord, height)),
                member("depth", "uint", offset_of!(ImageRecord, depth)),
                member("array_size", "uint", offset_of!(ImageRecord, array_size)),
                member("order", "uint", offset_of!(ImageRecord, order)),
                member("data_type", "uint", offset_of!(ImageRecord, data_type)),
                member("levels", "uint", offset_of!(ImageRecord, levels)),
                member("samples", "uint", offset_of!(ImageRecord, samples)),
            ],
        );
        let pointer = self.of_variable(unit, &VariableType::Pointer(Some(Box::new(record))));
        self.known.insert(IMAGE.to_owned(), pointer);
        pointer
    }

    /// The type of a variable. None where nothing is known of it.
    fn of_variable(&mut self, unit: &mut Unit, ty: &VariableType) -> Option<UnitEntryId> {
        match ty {
            VariableType::Scalar(name) => self.named(unit, name),
            VariableType::Bytes(0) => None,
            &VariableType::Bytes(bytes) => self.bytes(unit, bytes),
            VariableType::Vector(scalar, count) => match **scalar {
                VariableType::Scalar(name) => self.named(unit, &format!("{name}{count}")),
                _ => None,
            },
            VariableType::Array(element, count) => {
                let element = self.of_variable(unit, element)?;
                Some(array(unit, element, *count))
            }
            VariableType::Pointer(pointee) => {
                let pointee = pointee.as_ref().and_then(|pointee| self.of_variable(unit, pointee));
                let pointer = new(unit, gimli::DW_TAG_pointer_type, 8);
                if let Some(pointee) = pointee {
                    unit.get_mut(pointer).set(gimli::DW_AT_type, AttributeValue::UnitRef(pointee));
                }
                Some(pointer)
            }
            VariableType::Struct(name, bytes, members) => {
                let types: Option<Vec<UnitEntryId>> = members.iter().map(|(_, _, ty)| self.of_variable(unit, ty)).collect();
                let whole = new(unit, gimli::DW_TAG_structure_type, *bytes);
                if !name.is_empty() {
                    unit.get_mut(whole).set(gimli::DW_AT_name, text(name));
                }
                for ((name, offset, _), ty) in members.iter().zip(types?) {
                    let member = unit.add(whole, gimli::DW_TAG_member);
                    let member = unit.get_mut(member);
                    member.set(gimli::DW_AT_name, text(name));
                    member.set(gimli::DW_AT_type, AttributeValue::UnitRef(ty));
                    member.set(gimli::DW_AT_data_member_location, AttributeValue::Udata(*offset));
                }
                Some(whole)
            }
        }
    }

    /// A variable with a copy a lane: an array of them.
    fn of_lanes(&mut self, unit: &mut Unit, variable: &FrameVariable) -> Option<UnitEntryId> {
        let ty = self.of_variable(unit, &variable.ty)?;
        let lanes = array(unit, ty, variable.lanes);
        // Vectors of three take as much room as those of four.
        unit.get_mut(lanes)
            .set(gimli::DW_AT_byte_stride, AttributeValue::Udata(variable.stride));
        Some(lanes)
    }

    /// What an argument is.
    fn of(&mut self, unit: &mut Unit, argument: &ArgumentInfo) -> Option<UnitEntryId> {
        match argument.kind {
            ArgumentKind::GlobalPointer { .. } | ArgumentKind::LocalPointer => {
                let name = &argument.type_name;
                self.named(unit, if name.ends_with('*') { name } else { "*" })
            }
            ArgumentKind::Value => match self.named(unit, &argument.type_name) {
                Some(known) => Some(known),
                None => self.bytes(unit, argument.size),
            },
            ArgumentKind::Image { .. } => self.image(unit),
            ArgumentKind::Sampler | ArgumentKind::Pipe | ArgumentKind::Queue => self.named(unit, "*"),
        }
    }
}

fn new(unit: &mut Unit, tag: gimli::DwTag, bytes: u64) -> UnitEntryId {
    let entry = unit.add(unit.root(), tag);
    unit.get_mut(entry).set(gimli::DW_AT_byte_size, AttributeValue::Udata(bytes));
    entry
}

fn array(unit: &mut Unit, element: UnitEntryId, count: u64) -> UnitEntryId {
    let array = unit.add(unit.root(), gimli::DW_TAG_array_type);
    unit.get_mut(array).set(gimli::DW_AT_type, AttributeValue::UnitRef(element));
    let range = unit.add(array, gimli::DW_TAG_subrange_type);
    let range = unit.get_mut(range);
    range.set(gimli::DW_AT_upper_bound, AttributeValue::Udata(count.saturating_sub(1)));
    array
}

/// A pointer that was left above the frame.
fn record(at: i64) -> Expression {
    let mut place = Expression::new();
    place.op_fbreg(at);
    place.op_deref();
    place
}

/// Where an argument is.
fn place_of(argument: &ArgumentInfo) -> Expression {
    let mut place = record(LAUNCH_AT);
    place.op_plus_uconst(offset_of!(LaunchRecord, arguments) as u64);
    place.op_deref();
    place.op_plus_uconst(argument.offset);
    if let ArgumentKind::LocalPointer = argument.kind {
        // The block has the distance from the beginning of the work-group's memory.
        place.op_deref();
        place.op_fbreg(WORKER_AT);
        place.op_deref();
        place.op_plus_uconst(offset_of!(WorkerRecord, local_memory) as u64);
        place.op_deref();
        place.op(gimli::DW_OP_plus);
        place.op(gimli::DW_OP_stack_value);
    }
    place
}

/// Where lane 0 of the gang that runs has a variable.
fn place_in_frame(variable: &FrameVariable) -> Expression {
    let mut place = record(WORKER_AT);
    place.op_plus_uconst(offset_of!(WorkerRecord, frame) as u64);
    place.op_deref();
    place.op_plus_uconst(variable.offset);
    place
}

/// Says of a function that it is a kernel with these arguments, and with variables in its gangs' frames.
pub fn describe(unit: &mut Unit, function: UnitEntryId, arguments: &[ArgumentInfo], variables: &[FrameVariable]) {
    if !device::abi::RECORDS {
        return;
    }
    let mut frame = Expression::new();
    frame.op(gimli::DW_OP_call_frame_cfa);
    unit.get_mut(function).set(gimli::DW_AT_frame_base, AttributeValue::Exprloc(frame));
    let mut types = Types::default();
    for argument in arguments.iter().filter(|argument| !argument.name.is_empty()) {
        let Some(ty) = types.of(unit, argument) else { continue };
        variable(
            unit,
            function,
            gimli::DW_TAG_formal_parameter,
            &argument.name,
            ty,
            place_of(argument),
        );
    }
    let mut names: FxHashMap<&str, usize> = arguments.iter().map(|argument| (argument.name.as_str(), 0)).collect();
    for shown in variables {
        // What an argument was copied to is the argument. Functions that were inlined may have variables of the same name.
        let name = match names.get_mut(&*shown.name) {
            Some(0) => continue,
            Some(count) => {
                *count += 1;
                format!("{}__{count}", shown.name)
            }
            None => {
                names.insert(&shown.name, 1);
                shown.name.to_string()
            }
        };
        if let Some(ty) = types.of_lanes(unit, shown) {
            variable(unit, function, gimli::DW_TAG_variable, &name, ty, place_in_frame(shown));
        }
    }
    let Some(size) = types.named(unit, "size_t") else { return };
    let sizes = array(unit, size, 3);
    for (name, offset) in [
        ("global_offset", offset_of!(LaunchRecord, global_offset)),
        ("global_size", offset_of!(LaunchRecord, global_size)),
        ("local_size", offset_of!(LaunchRecord, local_size)),
        ("num_groups", offset_of!(LaunchRecord, group_count)),
    ] {
        let mut place = record(LAUNCH_AT);
        place.op_plus_uconst(offset as u64);
        let entry = variable(unit, function, gimli::DW_TAG_variable, name, sizes, place);
        unit.get_mut(entry).set(gimli::DW_AT_artificial, AttributeValue::Flag(true));
    }
}

fn variable(unit: &mut Unit, function: UnitEntryId, tag: gimli::DwTag, name: &str, ty: UnitEntryId, place: Expression) -> UnitEntryId {
    let number = unit.add(function, tag);
    let entry = unit.get_mut(number);
    entry.set(gimli::DW_AT_name, text(name));
    entry.set(gimli::DW_AT_type, AttributeValue::UnitRef(ty));
    entry.set(gimli::DW_AT_location, AttributeValue::Exprloc(place));
    number
}
