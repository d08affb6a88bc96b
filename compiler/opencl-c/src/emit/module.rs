//! A SPIR-V module that is being written: its sections, and what is declared once however often it is used.

use rspirv::spirv::{Capability, Decoration, Dim, Op, StorageClass};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// The result of an instruction, or a label.
pub type Id = u32;

/// An instruction's words without its first, which is made of their number.
pub fn push(words: &mut Vec<u32>, op: Op, operands: &[u32]) {
    words.push(((operands.len() as u32 + 1) << 16) | op as u32);
    words.extend_from_slice(operands);
}

/// A literal string's words.
pub fn string(words: &mut Vec<u32>, text: &str) {
    let mut bytes = text.as_bytes().chunks_exact(4);
    for chunk in &mut bytes {
        words.push(u32::from_le_bytes([chunk[0], chunk[1], chunk[2], chunk[3]]));
    }
    let mut last = [0; 4];
    last[..bytes.remainder().len()].copy_from_slice(bytes.remainder());
    words.push(u32::from_le_bytes(last));
}

/// The module.
#[derive(Debug, Default)]
pub struct Module {
    bound: Id,
    capabilities: BTreeSet<u32>,
    extensions: BTreeSet<&'static str>,
    opencl_std: Option<Id>,
    pub entry_points: Vec<u32>,
    pub execution_modes: Vec<u32>,
    pub strings: Vec<u32>,
    pub names: Vec<u32>,
    pub decorations: Vec<u32>,
    declarations: Vec<u32>,
    pub functions: Vec<u32>,
    /// Types and constants, by their words without the result.
    known: FxHashMap<Box<[u32]>, Id>,
    /// Floating-point types, and vectors of them.
    floats: FxHashSet<Id>,
    /// Files' names.
    files: FxHashMap<String, Id>,
    scratch: Vec<u32>,
}

impl Module {
    /// A new id.
    pub fn id(&mut self) -> Id {
        self.bound += 1;
        self.bound
    }

    pub fn capability(&mut self, capability: Capability) {
        self.capabilities.insert(capability as u32);
    }

    pub fn extension(&mut self, name: &'static str) {
        self.extensions.insert(name);
    }

    /// The instruction set of OpenCL's functions.
    pub fn opencl_std(&mut self) -> Id {
        match self.opencl_std {
            Some(id) => id,
            None => *self.opencl_std.insert({
                self.bound += 1;
                self.bound
            }),
        }
    }

    /// All of it.
    pub fn finish(mut self, version: u32, source_version: u32) -> Vec<u32> {
        let mut words = vec![0x0723_0203, version, 0, self.bound + 1, 0];
        for &capability in &self.capabilities {
            push(&mut words, Op::Capability, &[capability]);
        }
        for name in &self.extensions {
            let mut operands = Vec::new();
            string(&mut operands, name);
            push(&mut words, Op::Extension, &operands);
        }
        if let Some(id) = self.opencl_std {
            let mut operands = vec![id];
            string(&mut operands, "OpenCL.std");
            push(&mut words, Op::ExtInstImport, &operands);
        }
        // Physical64, OpenCL.
        push(&mut words, Op::MemoryModel, &[2, 2]);
        let sections = [&mut self.entry_points, &mut self.execution_modes, &mut self.strings];
        for section in sections {
            words.append(section);
        }
        // OpenCL C is language 3.
        push(&mut words, Op::Source, &[3, source_version]);
        let sections = [&mut self.names, &mut self.decorations, &mut self.declarations, &mut self.functions];
        for section in sections {
            words.append(section);
        }
        words
    }

    pub fn name(&mut self, id: Id, name: &str) {
        let mut operands = vec![id];
        string(&mut operands, name);
        push(&mut self.names, Op::Name, &operands);
    }

    pub fn member_name(&mut self, id: Id, member: u32, name: &str) {
        let mut operands = vec![id, member];
        string(&mut operands, name);
        push(&mut self.names, Op::MemberName, &operands);
    }

    pub fn decorate(&mut self, id: Id, decoration: Decoration, operands: &[u32]) {
        let mut words = vec![id, decoration as u32];
        words.extend_from_slice(operands);
        push(&mut self.decorations, Op::Decorate, &words);
    }

    /// The name that other modules know something by.
    pub fn linkage(&mut self, id: Id, name: &str, kind: rspirv::spirv::LinkageType) {
        self.capability(Capability::Linkage);
        let mut operands = Vec::new();
        string(&mut operands, name);
        operands.push(kind as u32);
        self.decorate(id, Decoration::LinkageAttributes, &operands);
        if kind == rspirv::spirv::LinkageType::LinkOnceODR {
            self.extension("SPV_KHR_linkonce_odr");
        }
    }

    /// OpString.
    pub fn text(&mut self, text: &str) -> Id {
        if let Some(&id) = self.files.get(text) {
            return id;
        }
        let id = self.id();
        let mut operands = vec![id];
        string(&mut operands, text);
        push(&mut self.strings, Op::String, &operands);
        self.files.insert(text.to_owned(), id);
        id
    }

    /// A type: `operands` are what follows the result.
    pub fn declare(&mut self, op: Op, operands: &[u32]) -> Id {
        let mut key = std::mem::take(&mut self.scratch);
        key.clear();
        key.push(op as u32);
        key.extend_from_slice(operands);
        let id = match self.known.get(key.as_slice()) {
            Some(&id) => id,
            None => {
                let id = self.declare_new(op, operands);
                self.known.insert(key.as_slice().into(), id);
                id
            }
        };
        self.scratch = key;
        id
    }

    /// A type that is different from all others.
    pub fn declare_new(&mut self, op: Op, operands: &[u32]) -> Id {
        let id = self.id();
        self.declare_as(id, op, operands);
        id
    }

    pub fn declare_as(&mut self, id: Id, op: Op, operands: &[u32]) {
        self.declarations.push(((operands.len() as u32 + 2) << 16) | op as u32);
        self.declarations.push(id);
        self.declarations.extend_from_slice(operands);
    }

    /// Declares a pointer that has been announced.
    pub fn declare_pointer(&mut self, id: Id, storage: StorageClass, pointee: Id) {
        self.declare_as(id, Op::TypePointer, &[storage as u32, pointee]);
        self.known.insert(Box::new([Op::TypePointer as u32, storage as u32, pointee]), id);
    }

    /// OpTypeForwardPointer.
    pub fn announce_pointer(&mut self, id: Id, storage: StorageClass) {
        push(&mut self.declarations, Op::TypeForwardPointer, &[id, storage as u32]);
    }

    /// A constant, or another declaration with a type: `operands` are what follows the result.
    pub fn constant(&mut self, op: Op, ty: Id, operands: &[u32]) -> Id {
        let mut key = std::mem::take(&mut self.scratch);
        key.clear();
        key.extend([op as u32, ty]);
        key.extend_from_slice(operands);
        let id = match self.known.get(key.as_slice()) {
            Some(&id) => id,
            None => {
                let id = self.constant_new(op, ty, operands);
                self.known.insert(key.as_slice().into(), id);
                id
            }
        };
        self.scratch = key;
        id
    }

    /// A declaration with a type that is different from all others: a variable.
    pub fn constant_new(&mut self, op: Op, ty: Id, operands: &[u32]) -> Id {
        let id = self.id();
        self.declarations.push(((operands.len() as u32 + 3) << 16) | op as u32);
        self.declarations.extend([ty, id]);
        self.declarations.extend_from_slice(operands);
        id
    }

    pub fn void(&mut self) -> Id {
        self.declare(Op::TypeVoid, &[])
    }

    pub fn bool(&mut self) -> Id {
        self.declare(Op::TypeBool, &[])
    }

    pub fn int(&mut self, bits: u32) -> Id {
        match bits {
            8 => self.capability(Capability::Int8),
            16 => self.capability(Capability::Int16),
            64 => self.capability(Capability::Int64),
            _ => {}
        }
        self.declare(Op::TypeInt, &[bits, 0])
    }

    pub fn float(&mut self, bits: u32) -> Id {
        match bits {
            16 => self.capability(Capability::Float16Buffer),
            64 => self.capability(Capability::Float64),
            _ => {}
        }
        let ty = self.declare(Op::TypeFloat, &[bits]);
        self.floats.insert(ty);
        ty
    }

    pub fn vector(&mut self, element: Id, lanes: u8) -> Id {
        match lanes {
            1 => return element,
            8 | 16 => self.capability(Capability::Vector16),
            _ => {}
        }
        let ty = self.declare(Op::TypeVector, &[element, lanes.into()]);
        if self.floats.contains(&element) {
            self.floats.insert(ty);
        }
        ty
    }

    /// Is it a floating-point type, or a vector of one?
    pub fn is_float(&self, ty: Id) -> bool {
        self.floats.contains(&ty)
    }

    pub fn pointer(&mut self, storage: StorageClass, pointee: Id) -> Id {
        if storage == StorageClass::Generic {
            self.capability(Capability::GenericPointer);
        }
        self.declare(Op::TypePointer, &[storage as u32, pointee])
    }

    pub fn array(&mut self, element: Id, len: u64) -> Id {
        let len = self.uint(len.max(1) as u32);
        self.declare(Op::TypeArray, &[element, len])
    }

    pub fn function_type(&mut self, result: Id, params: &[Id]) -> Id {
        let operands: Vec<u32> = std::iter::once(result).chain(params.iter().copied()).collect();
        self.declare(Op::TypeFunction, &operands)
    }

    pub fn image(&mut self, dim: Dim, depth: bool, arrayed: bool, msaa: bool, access: rspirv::spirv::AccessQualifier) -> Id {
        let void = self.void();
        let [depth, arrayed, msaa] = [depth, arrayed, msaa].map(u32::from);
        self.declare(Op::TypeImage, &[void, dim as u32, depth, arrayed, msaa, 0, 0, access as u32])
    }

    /// A constant of a 32-bit integer.
    pub fn uint(&mut self, value: u32) -> Id {
        let ty = self.int(32);
        self.constant(Op::Constant, ty, &[value])
    }

    /// A constant of a 64-bit integer.
    pub fn ulong(&mut self, value: u64) -> Id {
        let ty = self.int(64);
        self.constant(Op::Constant, ty, &[value as u32, (value >> 32) as u32])
    }

    /// An integer constant of any width.
    pub fn integer(&mut self, bits: u32, value: u64) -> Id {
        match bits {
            64 => self.ulong(value),
            _ => {
                let ty = self.int(bits);
                let mask = if bits >= 32 { u32::MAX } else { (1 << bits) - 1 };
                self.constant(Op::Constant, ty, &[value as u32 & mask])
            }
        }
    }

    pub fn truth(&mut self, value: bool) -> Id {
        let ty = self.bool();
        let op = if value { Op::ConstantTrue } else { Op::ConstantFalse };
        self.constant(op, ty, &[])
    }

    pub fn null(&mut self, ty: Id) -> Id {
        self.constant(Op::ConstantNull, ty, &[])
    }

    /// A vector with the same constant in all lanes.
    pub fn splat(&mut self, element: Id, element_type: Id, lanes: u8) -> Id {
        if lanes == 1 {
            return element;
        }
        let ty = self.vector(element_type, lanes);
        self.constant(Op::ConstantComposite, ty, &vec![element; lanes.into()])
    }
}
