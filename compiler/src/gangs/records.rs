//! Accesses to all parts of records that follow one another from lane to lane are one access.
//!
//! `float4 x = v[i]` is four loads, since vectors of the source are their components, and each has its lanes 16 bytes apart. Together
//! they are consecutive memory, loaded as such and sorted into fields by shuffles, where each alone would be a gather.
//!
//! Loads are done at the first of them, with no write between; stores at the last, with nothing else that touches memory between.

use super::facts::GangFacts;
use super::strides::{Access, Strides};
use super::uniformity::{Shape, Uniformity};
use crate::ir::*;
use rustc_hash::FxHashMap;

/// Records of more elements are left to gathers.
const MOST: usize = 4;
/// Fields that are shorter than this, over all lanes, are taken lane by lane anyway.
pub const LEAST_BYTES: u32 = 16;

/// So many kinds of accesses, and so many of one kind, are followed at once.
const KINDS: usize = 16;
const LONGEST: usize = 64;

/// What becomes of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role<'a> {
    /// The whole record is accessed here: for each field its instruction, if anybody wants it.
    Whole(&'a [Option<Inst>]),
    /// Another instruction does it.
    Part,
}

/// The records that a function accesses.
#[derive(Debug, Default)]
pub struct Records {
    groups: Vec<Vec<Option<Inst>>>,
    /// By instruction: its group, and whether that is accessed there.
    roles: FxHashMap<Inst, (usize, bool)>,
}

/// What the accesses of a record have in common.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Key {
    is_store: bool,
    base: Value,
    index: Option<Value>,
    scale: u32,
    elem: Elem,
    space: Space,
    flags: MemFlags,
    alias: AliasSet,
}

/// Accesses that may become one: (offset, instruction), in the order of the code.
type Open = FxHashMap<Key, Vec<(i32, Inst)>>;

impl Records {
    /// Finds them.
    pub fn new(func: &Function, uniformity: &Uniformity, strides: &Strides, facts: &GangFacts) -> Records {
        let mut this = Records::default();
        if facts.width == 1 {
            return this;
        }
        for &block in &func.layout {
            let mut open = Open::default();
            for &inst in &func.block(block).insts {
                let data = &func.inst(inst).data;
                let key = key(func, uniformity, data);
                let writes = data.has_side_effects() && !data.is_terminator();
                let reads = data.reads_memory() || matches!(data, InstData::Load { .. });
                // What stands between the accesses of a record must not see or change it.
                open.retain(|other, accesses| {
                    let stays = Some(*other) == key || if other.is_store { !writes && !reads } else { !writes };
                    if !stays {
                        this.close(func, (uniformity, strides, facts), *other, accesses);
                    }
                    stays
                });
                if let Some(key) = key
                    && let InstData::Load { address, .. } | InstData::Store { address, .. } = data
                {
                    if open.len() > KINDS {
                        for (key, accesses) in open.drain() {
                            this.close(func, (uniformity, strides, facts), key, &accesses);
                        }
                    }
                    let accesses = open.entry(key).or_default();
                    // A second access to a place starts anew.
                    if accesses.len() > LONGEST || accesses.iter().any(|&(offset, _)| offset == address.offset) {
                        this.close(func, (uniformity, strides, facts), key, accesses);
                        accesses.clear();
                    }
                    accesses.push((address.offset, inst));
                }
            }
            for (key, accesses) in open {
                this.close(func, (uniformity, strides, facts), key, &accesses);
            }
        }
        this
    }

    /// What becomes of an instruction, if it accesses a part of a record.
    pub fn role(&self, inst: Inst) -> Option<Role<'_>> {
        let &(group, here) = self.roles.get(&inst)?;
        Some(if here { Role::Whole(&self.groups[group]) } else { Role::Part })
    }

    fn close(&mut self, func: &Function, facts: (&Uniformity, &Strides, &GangFacts), key: Key, accesses: &[(i32, Inst)]) {
        let (uniformity, strides, facts) = facts;
        let bytes = key.elem.bytes();
        let mut sorted = accesses.to_vec();
        sorted.sort_unstable_by_key(|&(offset, _)| offset);
        let mut rest = sorted.as_slice();
        while let [(first, inst), _, ..] = *rest {
            let (InstData::Load { address, mem, .. } | InstData::Store { address, mem, .. }) = &func.inst(inst).data else {
                return;
            };
            // Neighbours' records lie beside each other.
            let follows = |count: usize| {
                let access = strides.access(func, uniformity, facts, (address, *mem, count as u32 * bytes));
                matches!(access, Access::Consecutive | Access::ConsecutiveWhereActive)
            };
            let Some(count) = (2..=MOST)
                .find(|&count| follows(count))
                .filter(|_| bytes * facts.width >= LEAST_BYTES)
            else {
                return;
            };
            let mut fields = vec![None; count];
            let mut taken = 0;
            for &(offset, inst) in rest {
                let at = i64::from(offset) - i64::from(first);
                if at >= count as i64 * i64::from(bytes) {
                    break;
                }
                if at % i64::from(bytes) == 0 {
                    fields[at as usize / bytes as usize] = Some(inst);
                }
                taken += 1;
            }
            // What nobody asked for may be loaded where it can't be on another page.
            let aligned = !key.is_store && (count as u32 * bytes).is_power_of_two() && mem.align >= count as u32 * bytes;
            let present = fields.iter().flatten().count();
            if present == taken && (present == count || aligned && present > 1) {
                let group = self.groups.len();
                let mut order = accesses.iter().map(|&(_, inst)| inst).filter(|inst| fields.contains(&Some(*inst)));
                let place = if key.is_store { order.next_back() } else { order.next() };
                for &inst in fields.iter().flatten() {
                    self.roles.insert(inst, (group, Some(inst) == place));
                }
                self.groups.push(fields);
            }
            rest = &rest[taken..];
        }
    }
}

/// An access that a gather or a scatter would be made of.
fn key(func: &Function, uniformity: &Uniformity, data: &InstData) -> Option<Key> {
    let (address, mem, elem, is_store) = match data {
        InstData::Load { ty, address, mem, .. } => (address, mem, ty.elem, false),
        InstData::Store { value, address, mem, .. } => (address, mem, func.ty(*value).elem, true),
        _ => return None,
    };
    let uniform = |value: Value| matches!(uniformity.shape(value), Shape::Uniform(_));
    let same = uniform(address.base) && address.index.is_none_or(uniform);
    (!same && elem != Elem::Mask && !mem.flags.contains(MemFlags::VOLATILE)).then_some(Key {
        is_store,
        base: address.base,
        index: address.index,
        scale: address.scale,
        elem,
        space: mem.space,
        flags: mem.flags,
        alias: mem.alias,
    })
}
