//! Accesses that share a guard: those of one place in the source, one after the other in memory, as the components of a vector are.

use super::objects::{Provenance, Root};
use super::site::AccessKind;
use ir::*;

/// So far apart accesses may be that share a guard: what lies between belongs to the same value.
const GAP: i64 = 16;

/// A range of bytes that is accessed.
#[derive(Clone, Copy, Debug)]
pub struct Part {
    /// What is done.
    pub kind: AccessKind,
    /// The object that the address was derived from.
    pub root: Root,
    /// Its first byte.
    pub address: Address,
    /// How many.
    pub bytes: Bytes,
    /// What the address must be a multiple of.
    pub align: Align,
    /// Where the memory is.
    pub space: Space,
}

/// The length of an access.
#[derive(Clone, Copy, Debug)]
pub enum Bytes {
    /// So many.
    Constant(u64),
    /// As many as an `i64` says.
    Value(Value),
}

/// Accesses behind one guard.
#[derive(Clone, Debug)]
pub struct Run {
    /// So many instructions from the first on belong to it.
    pub length: usize,
    /// What is between the accesses and can be done before them.
    pub before: Vec<Inst>,
    /// The accesses.
    pub accesses: Vec<Inst>,
    /// What they touch.
    pub parts: Vec<Part>,
}

impl Run {
    /// The accesses that begin with the first of some instructions, if it is one.
    pub fn at(func: &Function, insts: &[Inst], provenance: &Provenance) -> Option<Run> {
        let parts = parts(func, *insts.first()?, provenance);
        if parts.is_empty() {
            return None;
        }
        let mut run = Run {
            length: 1,
            before: Vec::new(),
            accesses: vec![insts[0]],
            parts,
        };
        if let [part] = run.parts[..]
            && let AccessKind::Read | AccessKind::Write = part.kind
        {
            run.extend(func, insts, part, provenance);
        }
        Some(run)
    }

    /// Takes in the accesses that follow.
    fn extend(&mut self, func: &Function, insts: &[Inst], first: Part, provenance: &Provenance) {
        let place = |inst: Inst| func.origins.as_ref().map(|origins| origins.places[inst]);
        let Bytes::Constant(bytes) = first.bytes else { return };
        let (mut start, mut end) = (i64::from(first.address.offset), i64::from(first.address.offset) + bytes as i64);
        let mut between = Vec::new();
        for (position, &inst) in insts.iter().enumerate().skip(1) {
            let data = &func.inst(inst).data;
            if let [part] = parts(func, inst, provenance)[..]
                && let Bytes::Constant(bytes) = part.bytes
                && part.kind == first.kind
                && place(inst) == place(insts[0])
                && same_but_offset(&part.address, &first.address)
            {
                let (from, to) = (i64::from(part.address.offset), i64::from(part.address.offset) + bytes as i64);
                if from > end + GAP || to < start - GAP {
                    break;
                }
                (start, end) = (start.min(from), end.max(to));
                // The most aligned access of a value is its first.
                self.parts[0].align = self.parts[0].align.max(part.align);
                self.accesses.push(inst);
                self.before.append(&mut between);
                self.length = position + 1;
            } else if data.is_pure() && !reads_result(func, data, &self.accesses) {
                between.push(inst);
            } else {
                break;
            }
        }
        self.parts[0].address.offset = start as i32;
        self.parts[0].bytes = Bytes::Constant((end - start) as u64);
    }
}

fn same_but_offset(a: &Address, b: &Address) -> bool {
    a.base == b.base && a.index == b.index && a.scale == b.scale
}

fn reads_result(func: &Function, data: &InstData, accesses: &[Inst]) -> bool {
    data.any_operand(|&operand| func.def_inst(operand).is_some_and(|inst| accesses.contains(&inst)))
}

/// What an instruction accesses of the program's memory.
pub fn parts(func: &Function, inst: Inst, provenance: &Provenance) -> Vec<Part> {
    let part = |kind, address: Address, bytes, mem: &MemInfo| {
        let root = provenance.accessed(func, address.base)?;
        // Memory of the compiler's own is accessed as it should be.
        if let (Root::Slot(slot), Some(origins)) = (root, &func.origins)
            && origins.variables[slot].is_none()
        {
            return None;
        }
        Some(Part {
            kind,
            root,
            address,
            bytes,
            align: mem.align,
            space: mem.space,
        })
    };
    let constant = |ty: Type| Bytes::Constant(u64::from(ty.bytes()));
    let one = |kind, address: Address, ty: Type, mem| part(kind, address, constant(ty), mem).into_iter().collect();
    match &func.inst(inst).data {
        InstData::Load {
            ty,
            address,
            mask: None,
            mem,
            ..
        } => one(AccessKind::Read, *address, *ty, mem),
        InstData::Store {
            value,
            address,
            mask: None,
            mem,
        } => one(AccessKind::Write, *address, func.ty(*value), mem),
        InstData::AtomicLoad { ty, address, mem, .. } => one(AccessKind::Read, Address::base(*address), *ty, mem),
        InstData::AtomicStore { value, address, mem, .. }
        | InstData::AtomicRmw { value, address, mem, .. }
        | InstData::AtomicCas {
            desired: value,
            address,
            mem,
            ..
        } => one(AccessKind::Atomic, Address::base(*address), func.ty(*value), mem),
        data @ InstData::Copy { to, from, bytes, .. } => {
            let bytes = func.constant(*bytes).map_or(Bytes::Value(*bytes), Bytes::Constant);
            let sides = [(AccessKind::CopyTo, to), (AccessKind::CopyFrom, from)];
            let sides = sides.into_iter().zip(data.memory());
            // What is read is told first.
            let told = sides
                .rev()
                .filter_map(|((kind, &base), mem)| part(kind, Address::base(base), bytes, mem));
            told.collect()
        }
        _ => Vec::new(),
    }
}
