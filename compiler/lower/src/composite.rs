//! Composites (SPIR-V specification, section 3.52.12): taking apart, putting together, choosing.

use super::function::{Lowering, Result};
use super::value::{Pointer, Scalars, Val};
use super::{Failure, Shape, shape};
use ir::*;
use rspirv::spirv::Op;
use spirv::{Id, Instruction, Type as SpirvType};

/// A part of a composite.
struct Part {
    type_id: Id,
    /// Which scalar of the whole is its first.
    first: u64,
    /// Where it is in memory, from the start of the whole.
    offset: u64,
}

impl<'m> Lowering<'_, 'm> {
    /// Lowers it if it is one of these; says whether it was.
    pub(super) fn composite(&mut self, inst: &Instruction<'m>) -> Result<bool> {
        match inst.op() {
            Op::CompositeConstruct => self.construct(inst)?,
            Op::CompositeExtract => self.extract(inst)?,
            Op::CompositeInsert => self.insert(inst)?,
            Op::VectorShuffle => self.shuffle(inst)?,
            Op::VectorExtractDynamic => {
                let (vector, index) = (self.scalars(inst.word(0))?, self.scalar(inst.word(1))?);
                let result = select_component(&mut self.b(), &vector, index);
                self.define_scalar(inst, result);
            }
            Op::VectorInsertDynamic => {
                let (vector, index) = (self.scalars(inst.word(0))?, self.scalar(inst.word(2))?);
                let new = self.scalar(inst.word(1))?;
                let results = vector.iter().enumerate().map(|(n, &old)| {
                    let b = &mut self.b();
                    let here = b.icmp_imm(IntCc::Eq, index, n as i64);
                    b.select(here, new, old)
                });
                let results = results.collect();
                self.define(inst, results);
            }
            Op::CopyObject | Op::CopyLogical | Op::ExpectKHR => {
                let value = self.val(inst.word(0))?;
                self.bind(inst.result, value);
            }
            Op::Undef => {
                let value = self.zero(inst.result_type)?;
                self.bind(inst.result, value);
            }
            Op::Select => self.select(inst)?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Follows literal indexes into a composite type.
    fn part(&mut self, type_id: Id, indexes: &[u32]) -> Result<Part> {
        let mut part = Part {
            type_id,
            first: 0,
            offset: 0,
        };
        for &index in indexes {
            let (inner, skipped, offset) = match self.spirv.ty(part.type_id) {
                SpirvType::Struct(data) => {
                    let (Some(&inner), Some(&offset)) = (data.members.get(index as usize), data.offsets.get(index as usize)) else {
                        return Err(Failure::Unsupported);
                    };
                    let before = data.members[..index as usize].iter();
                    let skipped = before.map(|&member| self.leaf_count(member)).sum();
                    (inner, skipped, offset)
                }
                _ => {
                    let (inner, _) = self.spirv.elements(part.type_id).ok_or(Failure::Unsupported)?;
                    let skipped = self.leaf_count(inner) * u64::from(index);
                    (inner, skipped, shape::size(self.spirv, inner)? * u64::from(index))
                }
            };
            part = Part {
                type_id: inner,
                first: part.first + skipped,
                offset: part.offset + offset,
            };
        }
        Ok(part)
    }

    fn extract(&mut self, inst: &Instruction<'m>) -> Result<()> {
        let whole = inst.word(0);
        let part = self.part(self.spirv.type_of(whole), inst.operands.get(1..).unwrap_or(&[]))?;
        let value = match self.val(whole)? {
            Val::Memory(memory) => {
                let inner = self.advance(memory, part.offset);
                match self.shape(part.type_id)? {
                    Shape::Memory => Val::Memory(inner),
                    Shape::Scalars(_) => self.load_plain(part.type_id, &inner)?,
                }
            }
            other => {
                let scalars = self.scalars_of(other)?;
                let (first, count) = (part.first as usize, self.leaf_count(part.type_id) as usize);
                let Some(inner) = scalars.get(first..first + count) else {
                    return Err(Failure::Unsupported);
                };
                Val::Scalars(Scalars::from_slice(inner))
            }
        };
        self.bind(inst.result, value);
        Ok(())
    }

    fn insert(&mut self, inst: &Instruction<'m>) -> Result<()> {
        let (object, whole) = (inst.word(0), inst.word(1));
        let part = self.part(inst.result_type, inst.operands.get(2..).unwrap_or(&[]))?;
        match self.val(whole)? {
            Val::Memory(memory) => {
                let copy = self.memory_copy(inst.result_type, &memory)?;
                let place = self.advance(copy, part.offset);
                let object = self.val(object)?;
                self.store_plain(part.type_id, object, &place)?;
                self.bind(inst.result, Val::Memory(copy));
            }
            other => {
                let mut scalars = self.scalars_of(other)?;
                let new = self.scalars(object)?;
                let first = part.first as usize;
                let Some(place) = scalars.get_mut(first..first + new.len()) else {
                    return Err(Failure::Unsupported);
                };
                place.copy_from_slice(&new);
                self.define(inst, scalars);
            }
        }
        Ok(())
    }

    fn construct(&mut self, inst: &Instruction<'m>) -> Result<()> {
        if let Some(matrix) = self.spirv.matrix(inst.result_type) {
            let length = matrix.length as usize;
            let component = self.scalar(inst.word(0))?;
            self.define(inst, Scalars::from_elem(component, length));
            return Ok(());
        }
        if let Shape::Scalars(_) = self.shape(inst.result_type)? {
            let mut all = Scalars::new();
            for &part in inst.operands {
                all.extend(self.scalars(part)?);
            }
            self.define(inst, all);
            return Ok(());
        }
        let memory = self.temporary(inst.result_type)?;
        for (n, &constituent) in inst.operands.iter().enumerate() {
            let part = self.part(inst.result_type, &[n as u32])?;
            let place = self.advance(memory, part.offset);
            let value = self.val(constituent)?;
            self.store_plain(part.type_id, value, &place)?;
        }
        self.bind(inst.result, Val::Memory(memory));
        Ok(())
    }

    fn shuffle(&mut self, inst: &Instruction<'m>) -> Result<()> {
        let mut both = self.scalars(inst.word(0))?;
        both.extend(self.scalars(inst.word(1))?);
        let mut results = Scalars::new();
        for &index in inst.operands.get(2..).unwrap_or(&[]) {
            // 0xffffffff asks for no component in particular.
            let component = both.get(index as usize).or(both.first());
            results.push(*component.ok_or(Failure::Unsupported)?);
        }
        self.define(inst, results);
        Ok(())
    }

    fn select(&mut self, inst: &Instruction<'m>) -> Result<()> {
        let conditions = self.scalars(inst.word(0))?;
        let (yes, no) = (self.val(inst.word(1))?, self.val(inst.word(2))?);
        let value = match (yes, no) {
            (Val::Memory(yes), Val::Memory(no)) => {
                let (yes, no) = (self.materialize(&yes), self.materialize(&no));
                let chosen = self.b().select(conditions[0], yes, no);
                Val::Memory(Pointer::new(chosen, Space::Generic))
            }
            (yes, no) => {
                let alias = match (&yes, &no) {
                    (Val::Pointer(yes), Val::Pointer(no)) if yes.space == no.space => Some((yes.space, yes.alias, no.alias)),
                    _ => None,
                };
                let (yes, no) = (self.scalars_of(yes)?, self.scalars_of(no)?);
                let mut results = Scalars::new();
                for (n, (&yes, &no)) in yes.iter().zip(&no).enumerate() {
                    let condition = if conditions.len() == 1 {
                        conditions[0]
                    } else {
                        *conditions.get(n).ok_or(Failure::Unsupported)?
                    };
                    results.push(self.b().select(condition, yes, no));
                }
                match alias {
                    Some((space, yes, no)) => {
                        let mut pointer = Pointer::new(results[0], space);
                        pointer.alias = if yes == no { yes } else { 0 };
                        Val::Pointer(pointer)
                    }
                    None => Val::Scalars(results),
                }
            }
        };
        self.bind(inst.result, value);
        Ok(())
    }
}

/// `vector[index]`: a tree of selections, one level a bit of the index.
pub fn select_component(b: &mut Builder, vector: &[Value], index: Value) -> Value {
    let mut level: Scalars = Scalars::from_slice(vector);
    let mut bit = 0;
    while level.len() > 1 {
        let masked = b.binary_imm(BinaryOp::And, index, 1 << bit);
        let odd = b.icmp_imm(IntCc::Ne, masked, 0);
        level = level
            .chunks(2)
            .map(|pair| match *pair {
                [even, one] => b.select(odd, one, even),
                _ => pair[0],
            })
            .collect();
        bit += 1;
    }
    level[0]
}
