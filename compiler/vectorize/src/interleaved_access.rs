//! Accesses to all parts of records that follow one another from lane to lane are one access.
//!
//! `float4 x = v[i]` is four loads, since vectors of the source are their components, and each has its lanes 16 bytes apart. Together
//! they are consecutive memory, loaded as such and sorted into fields by shuffles, where each alone would be a gather.
//!
//! Loads are done at the first of them, with no write between; stores at the last, with nothing else that touches memory between.

use super::access_groups::{self, Kind};
use analysis::access::Accesses;
use analysis::uniformity::Uniformity;
use analysis::{Analysis, GangFacts};
use ir::*;
use rustc_hash::FxHashMap;
use target::Machine;
use target::costs::record::FIELD;

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
    least_bytes: u32,
    groups: Vec<Vec<Option<Inst>>>,
    /// By instruction: its group, and whether that is accessed there.
    roles: FxHashMap<Inst, (usize, bool)>,
}

impl Records {
    /// Finds those of which the fields can be sorted out.
    pub fn new(func: &Function, known: Analysis, facts: &GangFacts, machine: &Machine) -> Records {
        Self::of(func, known, facts, |elem| machine.interleaved(elem.bytes()), FIELD)
    }

    /// Finds those of at most so many elements, of which each field has so many bytes over all lanes.
    pub fn of(func: &Function, known: Analysis, facts: &GangFacts, most: impl Fn(Elem) -> usize, least_bytes: u32) -> Records {
        let mut this = Records {
            least_bytes,
            ..Records::default()
        };
        if facts.width == 1 {
            return this;
        }
        for &block in &func.layout {
            access_groups::each(
                func,
                block,
                |inst| is_wanted(func, known.uniformity, inst),
                |kind, accesses| this.close(func, known.accesses(func), (facts.width, most(kind.elem)), kind, accesses),
            );
        }
        this
    }

    /// What becomes of an instruction, if it accesses a part of a record.
    pub fn role(&self, inst: Inst) -> Option<Role<'_>> {
        let &(group, here) = self.roles.get(&inst)?;
        Some(if here { Role::Whole(&self.groups[group]) } else { Role::Part })
    }

    /// Of each record the fields: for each its instruction, if anybody wants it.
    pub fn fields(&self) -> impl Iterator<Item = &[Option<Inst>]> {
        self.groups.iter().map(Vec::as_slice)
    }

    fn close(&mut self, func: &Function, known: Accesses, (width, most): (u32, usize), kind: Kind, accesses: &[(i32, Inst)]) {
        let bytes = kind.elem.bytes();
        let mut sorted = accesses.to_vec();
        sorted.sort_unstable_by_key(|&(offset, _)| offset);
        let mut rest = sorted.as_slice();
        while let [(first, inst), _, ..] = *rest {
            let Some(access) = func.access(inst) else { return };
            // Neighbours' records lie beside each other.
            let follows = |count: usize| known.order_of(&access, count as u32 * bytes).is_consecutive();
            let Some(count) = (2..=most)
                .find(|&count| follows(count))
                .filter(|_| bytes * width >= self.least_bytes)
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
            let aligned = !kind.is_store && (count as u32 * bytes).is_power_of_two() && access.mem.align.bytes() >= count as u32 * bytes;
            let present = fields.iter().flatten().count();
            if present == taken && (present == count || aligned && present > 1) {
                let group = self.groups.len();
                let mut order = accesses.iter().map(|&(_, inst)| inst).filter(|inst| fields.contains(&Some(*inst)));
                let place = if kind.is_store { order.next_back() } else { order.next() };
                for &inst in fields.iter().flatten() {
                    self.roles.insert(inst, (group, Some(inst) == place));
                }
                self.groups.push(fields);
            }
            rest = &rest[taken..];
        }
    }
}

/// A gather or a scatter would be made of the access.
fn is_wanted(func: &Function, uniformity: &Uniformity, inst: Inst) -> bool {
    let uniform = |value: Value| uniformity.shape(value).is_uniform();
    func.access(inst)
        .is_some_and(|Access { address, ty, .. }| ty.elem != Elem::Mask && !(uniform(address.base) && address.index.is_none_or(uniform)))
}
