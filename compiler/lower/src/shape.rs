//! Types as lowering sees them: an aggregate is its scalars, or, where it has very many, memory.

use super::Failure;
use ir::Elem;
use rustc_hash::FxHashMap as HashMap;
use spirv::{FloatEncoding, Id, Module, Type, container_bits};
use std::rc::Rc;

/// Aggregates with more scalars than this are kept in memory.
pub const MAX_LEAVES: u64 = 64;

/// A scalar of a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Leaf {
    /// What it holds; a truth value is one byte in memory.
    pub elem: Elem,
    /// Where it is in memory, in bytes from the start.
    pub offset: u64,
}

/// How a value of a type is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shape {
    /// As its scalars, in the order of the type.
    Scalars(Rc<[Leaf]>),
    /// In memory, by its address.
    Memory,
}

impl Shape {
    /// The scalars; none where the value is in memory.
    pub fn leaves(&self) -> &[Leaf] {
        match self {
            Shape::Scalars(leaves) => leaves,
            Shape::Memory => &[],
        }
    }
}

/// Shapes of a module's types, each computed once.
#[derive(Debug, Default)]
pub struct Shapes {
    known: HashMap<Id, Shape>,
    counts: HashMap<Id, u64>,
}

impl Shapes {
    /// The shape of a type.
    pub fn get(&mut self, module: &Module, type_id: Id) -> Result<Shape, Failure> {
        if let Some(shape) = self.known.get(&type_id) {
            return Ok(shape.clone());
        }
        let shape = if self.count(module, type_id) > MAX_LEAVES {
            Shape::Memory
        } else {
            let mut leaves = Vec::new();
            collect(module, type_id, 0, &mut leaves)?;
            Shape::Scalars(leaves.into())
        };
        self.known.insert(type_id, shape.clone());
        Ok(shape)
    }

    /// How many scalars a type has.
    pub fn count(&mut self, module: &Module, type_id: Id) -> u64 {
        let (component, count) = match module.ty(type_id) {
            Type::Void => return 0,
            Type::Struct(data) => {
                if let Some(&known) = self.counts.get(&type_id) {
                    return known;
                }
                let total = data
                    .members
                    .iter()
                    .fold(0u64, |total, &member| total.saturating_add(self.count(module, member)));
                self.counts.insert(type_id, total);
                return total;
            }
            _ => match module.elements(type_id) {
                Some(elements) => elements,
                None => return 1,
            },
        };
        self.count(module, component).saturating_mul(count)
    }
}

/// The element that a scalar type is, if it is one. Handles (images, events, …) are addresses.
pub fn scalar(ty: &Type) -> Option<Elem> {
    match ty {
        Type::Bool => Some(Elem::Mask),
        Type::Int { width } => Elem::int(container_bits(*width)),
        Type::Float { width, encoding } => match (width, encoding) {
            (_, FloatEncoding::Float8E4M3 | FloatEncoding::Float8E5M2) => Some(Elem::I8),
            (16, FloatEncoding::BFloat16) => Some(Elem::BF16),
            (16, FloatEncoding::Ieee754) => Some(Elem::F16),
            (32, _) => Some(Elem::F32),
            (64, _) => Some(Elem::F64),
            _ => None,
        },
        Type::Pointer { .. }
        | Type::Image(_)
        | Type::Sampler
        | Type::SampledImage { .. }
        | Type::Event
        | Type::DeviceEvent
        | Type::Queue
        | Type::ReserveId
        | Type::Pipe { .. }
        | Type::PipeStorage
        | Type::NamedBarrier => Some(Elem::I64),
        _ => None,
    }
}

fn collect(module: &Module, type_id: Id, offset: u64, leaves: &mut Vec<Leaf>) -> Result<(), Failure> {
    let ty = module.ty(type_id);
    if let Some(elem) = scalar(ty) {
        leaves.push(Leaf { elem, offset });
        return Ok(());
    }
    match ty {
        Type::Void => Ok(()),
        Type::Struct(data) => {
            let members = data.members.iter().zip(&data.offsets);
            members
                .into_iter()
                .try_for_each(|(&member, at)| collect(module, member, offset + at, leaves))
        }
        other => {
            let Some((element, count)) = module.elements(type_id) else {
                return Err(Failure::Message(format!("values of the type {other:?} are not supported")));
            };
            let stride = size(module, element)?;
            (0..count).try_for_each(|n| collect(module, element, offset + n * stride, leaves))
        }
    }
}

/// Bytes that a value of a type takes in an array.
pub fn size(module: &Module, type_id: Id) -> Result<u64, Failure> {
    match module.layout(type_id) {
        Some(layout) => Ok(layout.size),
        None => Err(Failure::Message(format!("the type %{type_id} has no size"))),
    }
}

/// Alignment of a type in bytes; 1 where it has none.
pub fn align(module: &Module, type_id: Id) -> u32 {
    module.layout(type_id).map_or(1, |layout| layout.align.clamp(1, 1 << 20) as u32)
}
