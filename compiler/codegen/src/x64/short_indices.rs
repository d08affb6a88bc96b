//! Indices of 8 and 16 bits that have just been loaded are taken from memory again, lane by lane, where lanes are accessed one by one.
//!
//! `table[pixels[i]]` and `atomic_inc(&bins[pixels[i]])`: to make addresses of the pixels in vectors, and take these apart again, takes several
//! instructions a lane; a load that extends what it loads is one.

use super::machine::Amode;
use super::selector::Selector;
use ir::{Address, ConvertOp, Elem, Inst, InstData, MemFlags, MemInfo, Space, Value};
use regalloc2::VReg;
use rustc_hash::FxHashMap;

/// Indices in memory.
#[derive(Clone, Copy, Debug)]
pub struct ShortIndices {
    first: Amode,
    /// Bytes from one to the next.
    step: u32,
    elem: Elem,
    signed: bool,
}

impl Selector<'_> {
    /// Notes what an instruction loads that lanes could be taken of: elements, and where they are.
    pub fn note_shorts(&self, inst: Inst, shorts: &mut FxHashMap<Value, Space>) {
        let node = self.func.inst(inst);
        if let InstData::Load {
            ty, address, mask, mem, ..
        }
        | InstData::LoadInterleaved {
            ty, address, mask, mem, ..
        } = &node.data
            && matches!(ty.elem, Elem::I8 | Elem::I16)
            && ty.is_vector()
            && !mem.flags.contains(MemFlags::VOLATILE)
            && self.real_mask(*mask).is_none()
            && self.is_near(address)
        {
            shorts.extend(node.results.iter().map(|&result| (result, mem.space)));
        }
    }

    /// For a gather that is done lane by lane: nothing has been written since the loads in `shorts`.
    pub fn fold_gathers_index(&mut self, shorts: &FxHashMap<Value, Space>, address: &Address) {
        if let Some(extended) = address.index
            && self.uses[extended] == 1
            && let Some((index, _)) = self.extended(extended)
            && shorts.contains_key(&index)
        {
            self.passed_over.insert(extended);
            self.fold_indices(index);
        }
    }

    /// For an atomic operation: what the first lane writes must not be another lane's index.
    pub fn fold_atomics_index(&mut self, shorts: &FxHashMap<Value, Space>, address: Value, mem: &MemInfo) {
        if mem.space == Space::Local
            && let Some(index) = self.short_index(address)
            && matches!(shorts.get(&index), Some(Space::Global | Space::Constant))
        {
            self.fold_indices(index);
        }
    }

    fn fold_indices(&mut self, index: Value) {
        self.wanted_in_memory.insert(index);
        if self.uses[index] == 1 && matches!(self.func.def_data(index), Some(InstData::Load { .. })) {
            self.folded.insert(index);
        }
    }

    /// Keeps in mind where the elements are that an instruction loads, if lanes of theirs are taken there.
    pub fn keep_places(&mut self, results: &[Value], address: &Address) {
        let mut place = None;
        for (field, result) in results.iter().enumerate() {
            if self.wanted_in_memory.contains(result) {
                let bytes = self.func.ty(*result).elem.bytes();
                let first = *place.get_or_insert_with(|| self.amode(address));
                let first = self.plus(first, field as u32 * bytes);
                self.in_memory.insert(*result, (first, results.len() as u32 * bytes));
            }
        }
    }

    /// What is extended, and whether with its sign.
    fn extended(&self, value: Value) -> Option<(Value, bool)> {
        match *self.func.def_data(value)? {
            InstData::Convert {
                op: op @ (ConvertOp::SExt | ConvertOp::ZExt),
                arg,
                ..
            } => Some((arg, op == ConvertOp::SExt)),
            _ => None,
        }
    }

    /// Where the lanes of an index are that has been passed over.
    pub fn indices_extended(&self, index: Value) -> Option<ShortIndices> {
        if !self.passed_over.contains(&index) {
            return None;
        }
        let (index, signed) = self.extended(index)?;
        self.indices_in_memory(index, signed)
    }

    /// The same, of what is extended.
    pub fn indices_in_memory(&self, index: Value, signed: bool) -> Option<ShortIndices> {
        let &(first, step) = self.in_memory.get(&index)?;
        let elem = self.func.ty(index).elem;
        Some(ShortIndices { first, step, elem, signed })
    }

    /// One of them, as 64 bits.
    pub fn short_lane(&mut self, indices: ShortIndices, lane: u32) -> VReg {
        let at = self.plus(indices.first, lane * indices.step);
        let loaded = self.c.load_int(indices.elem.bytes(), at);
        match indices.signed {
            true => self.extended_to_64(indices.elem, true, loaded),
            false => loaded,
        }
    }
}
