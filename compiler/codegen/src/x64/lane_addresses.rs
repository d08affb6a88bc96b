//! Where the lanes of an access are, if each has an address of its own.

use super::build::Shift;
use super::encode::Size;
use super::machine::{Amode, Base};
use super::ops;
use super::parts::{Parts, Registers};
use super::selector::Selector;
use super::short_indices::ShortIndices;
use ir::{Address, BinaryOp, ConvertOp, Elem, Flags, InstData, LaneOp, Value, eval};
use regalloc2::VReg;
use smallvec::SmallVec;

/// No gang has more.
const MOST_LANES: usize = 32;

/// Where each lane's memory is.
pub enum Places {
    /// One address for all but for the displacements, which are each lane's.
    Steps(Amode, Vec<i32>),
    /// Base and index have lanes.
    Lanes(Taken, Option<Taken>),
    /// One base, and an index a lane that is in memory, and scaled.
    InMemory { base: VReg, index: ShortIndices, scale: u32 },
    /// One base, and an index a lane that is extended with its sign or without, and scaled.
    Indexed {
        base: VReg,
        elem: Elem,
        /// The indices, eight bytes of them a register.
        index: Registers,
        signed: bool,
        scale: u32,
    },
}

/// A vector of addresses as one base and indices of their own.
struct Indices {
    base: Value,
    index: Value,
    signed: bool,
    scale: u32,
    /// What stands between the indices and the addresses.
    between: SmallVec<[Value; 4]>,
}

/// A part of an address.
pub enum Taken {
    InRegisters(Parts),
    /// Its lanes have been written to memory.
    Spilled(Parts, Amode),
    /// They have just been loaded from there.
    Short(ShortIndices),
}

impl Selector<'_> {
    /// Where the lanes of an access are.
    pub fn places(&mut self, address: &Address) -> Places {
        match self.steps(address) {
            Some((place, steps)) => self.stepped(&place, steps),
            None => {
                let mut written = 0;
                let base = self.take(address.base, &mut written);
                let index = address.index.map(|index| self.take(index, &mut written));
                Places::Lanes(base, index)
            }
        }
    }

    /// Lanes so many bytes behind an address. Where that is a slot's, it has a displacement of its own, which the lanes' take in.
    fn stepped(&mut self, start: &Address, steps: Vec<i32>) -> Places {
        let place = self.amode(start);
        let from_slot: Option<Vec<i32>> = steps.iter().map(|step| step.checked_add(place.disp)).collect();
        match from_slot {
            Some(steps) => Places::Steps(place, steps),
            None => Places::Steps(Amode::reg(self.c.lea(place), 0), steps),
        }
    }

    /// A part of an address, its lanes in memory from where they can be had one by one: that takes less than taking them out of registers.
    fn take(&mut self, value: Value, written: &mut u32) -> Taken {
        if let Some(indices) = self.indices_extended(value) {
            return Taken::Short(indices);
        }
        let parts = self.get(value);
        if let Some(place) = self.kept(value) {
            return Taken::Spilled(parts, place);
        }
        let lanes = u32::from(parts.ty.lanes);
        let in_memory = lanes >= 4
            && parts.bytes >= 4
            && !is_taken_in_pairs(&parts)
            && (0..lanes).any(|lane| !self.index_lanes.contains_key(&lane_key(&parts, lane)));
        if !in_memory {
            return Taken::InRegisters(parts);
        }
        let place = self.spill(&parts, *written);
        *written += parts.size().bytes() * parts.regs.len() as u32;
        Taken::Spilled(parts, place)
    }

    /// A lane of a part of an address, as 64 bits. The fields of a record have one index: its lanes are taken once a block.
    fn taken_lane(&mut self, from: &Taken, lane: u32) -> VReg {
        let (parts, memory) = match from {
            Taken::InRegisters(parts) => (parts, None),
            Taken::Spilled(parts, memory) => (parts, Some(*memory)),
            Taken::Short(indices) => return self.short_lane(*indices, lane),
        };
        let elem = parts.ty.elem;
        // (A scalar is the same for all lanes.)
        let key = lane_key(parts, if parts.ty.is_vector() { lane } else { 0 });
        if let Some(&reg) = self.index_lanes.get(&key) {
            return reg;
        }
        let reg = match memory {
            _ if !parts.ty.is_vector() => self.extended_to_64(elem, true, parts.regs[0]),
            Some(memory) => {
                let at = self.plus(memory, lane * parts.bytes);
                let op = if parts.bytes == 4 { &ops::MOVSXD } else { &ops::MOV };
                self.c.g2(op, Size::Q, at)
            }
            None if is_taken_in_pairs(parts) => {
                let sixteen = self.sixteen_bytes(parts, lane / 2 * 8);
                let pair = self.lane_of_register(Elem::I64, 8, sixteen, lane / 2 % 2);
                let first = self.extended_to_64(elem, true, pair);
                let second = self.c.shift_i(Shift::Sar, Size::Q, pair, 32);
                let [low, high] = [lane & !1, lane | 1].map(|lane| lane_key(parts, lane));
                self.index_lanes.insert(low, first);
                self.index_lanes.insert(high, second);
                return if lane.is_multiple_of(2) { first } else { second };
            }
            None => {
                let reg = self.lane(parts, lane);
                self.extended_to_64(elem, true, reg)
            }
        };
        self.index_lanes.insert(key, reg);
        reg
    }

    /// The address that lanes are known distances behind, and these, in bytes.
    pub fn steps(&self, address: &Address) -> Option<(Address, Vec<i32>)> {
        let is_vector = |s: &Self, value: Value| s.func.ty(value).is_vector();
        let (base, index, steps, scale) = match address.index {
            Some(index) if is_vector(self, index) && !is_vector(self, address.base) => {
                let scale = i64::from(address.scale);
                match eval::constant_lanes(self.func, index) {
                    Some(lanes) => {
                        let elem = self.func.ty(index).elem;
                        let steps = lanes.into_iter().map(|lane| eval::signed(elem, lane)).collect();
                        (address.base, None, steps, scale)
                    }
                    None => {
                        let (index, steps) = self.uniform_and_steps(index)?;
                        (address.base, Some(index), steps, scale)
                    }
                }
            }
            index if is_vector(self, address.base) && index.is_none_or(|index| !is_vector(self, index)) => {
                let (base, steps) = self.uniform_and_steps(address.base)?;
                (base, index, steps, 1)
            }
            _ => return None,
        };
        let steps: Option<Vec<i32>> = steps
            .into_iter()
            .map(|step| {
                let bytes = step.checked_mul(scale)?.checked_add(i64::from(address.offset))?;
                i32::try_from(bytes).ok()
            })
            .collect();
        let start = Address {
            base,
            index,
            offset: 0,
            ..*address
        };
        Some((start, steps?))
    }

    /// A vector as the sum of a scalar and constants.
    fn uniform_and_steps(&self, value: Value) -> Option<(Value, Vec<i64>)> {
        let elem = self.func.ty(value).elem;
        let inst = self.func.def_inst(value)?;
        let node = self.func.inst(inst);
        let (a, b) = match &node.data {
            // What was loaded straight into all lanes is in no register, and its memory may have changed since.
            InstData::Lane {
                op: LaneOp::Splat, args, ..
            } => {
                let lanes = usize::from(self.func.ty(value).lanes);
                return (!self.folded_loads.contains_key(&args[0])).then(|| (args[0], vec![0; lanes]));
            }
            // Shorter sums may wrap before they are extended.
            InstData::Binary {
                op: BinaryOp::Add,
                args: [a, b],
            } if elem == Elem::I64 || node.flags.contains(Flags::NSW) => (*a, *b),
            _ => return None,
        };
        let (rest, constants) = match (eval::constant_lanes(self.func, b), eval::constant_lanes(self.func, a)) {
            (Some(constants), _) => (a, constants),
            (_, Some(constants)) => (b, constants),
            _ => return None,
        };
        let (uniform, mut steps) = self.uniform_and_steps(rest)?;
        for (step, constant) in steps.iter_mut().zip(constants) {
            *step = step.checked_add(eval::signed(elem, constant))?;
        }
        Some((uniform, steps))
    }

    /// Where the lanes' memory is if all that is given is a vector of addresses (or one address for all).
    pub fn places_of(&mut self, address: Value) -> Places {
        if !self.func.ty(address).is_vector() {
            let place = Amode::reg(self.scalar(address), 0);
            return Places::Steps(place, vec![0; MOST_LANES]);
        }
        if let Some((place, steps)) = self.steps(&Address::base(address)) {
            return self.stepped(&place, steps);
        }
        match self.indices(address) {
            Some(indices) if let Some(index) = self.indices_in_memory(indices.index, indices.signed) => Places::InMemory {
                base: self.scalar(indices.base),
                index,
                scale: indices.scale,
            },
            Some(indices) => {
                let parts = self.get(indices.index);
                let bytes = u32::from(parts.ty.lanes) * parts.bytes;
                let index = (0..bytes.div_ceil(8))
                    .map(|eight| {
                        let reg = self.sixteen_bytes(&parts, eight * 8);
                        self.lane_of_register(Elem::I64, 8, reg, eight % 2)
                    })
                    .collect();
                Places::Indexed {
                    index,
                    elem: parts.ty.elem,
                    base: self.scalar(indices.base),
                    signed: indices.signed,
                    scale: indices.scale,
                }
            }
            None => Places::Lanes(Taken::InRegisters(self.get(address)), None),
        }
    }

    /// The values that [`Self::places_of`] makes nothing of although the address is computed from them: nearer to the address first.
    pub fn passed_over(&self, address: Value) -> SmallVec<[Value; 4]> {
        let mut between = SmallVec::new();
        if self.uniform_and_steps(address).is_some() {
            let mut at = address;
            while let Some(InstData::Binary { args: [a, b], .. }) = self.func.def_data(at) {
                between.push(at);
                at = match eval::constant_lanes(self.func, *b) {
                    Some(_) => *a,
                    None => *b,
                };
            }
            between.push(at);
        } else if let Some(indices) = self.indices(address) {
            between = indices.between;
        }
        between
    }

    /// The indices that become addresses by what is passed over alone, if they are extended.
    pub fn short_index(&self, address: Value) -> Option<Value> {
        if !self.func.ty(address).is_vector() || self.uniform_and_steps(address).is_some() {
            return None;
        }
        let Indices { index, between, .. } = self.indices(address)?;
        let extended = between.last().is_some_and(|&last| {
            let converts = matches!(self.func.def_data(last), Some(InstData::Convert { .. }));
            converts && self.passed_over.contains(&last)
        });
        extended.then_some(index)
    }

    fn indices(&self, address: Value) -> Option<Indices> {
        let func = self.func;
        let splat = |value| func.splatted(value).filter(|scalar| !self.folded_loads.contains_key(scalar));
        let [a, b] = func.binary(BinaryOp::Add, address)?;
        let mut between: SmallVec<[Value; 4]> = SmallVec::from_slice(&[address]);
        let (base, mut index) = match (splat(a), splat(b)) {
            (Some(base), None) => {
                between.push(a);
                (base, b)
            }
            (None, Some(base)) => {
                between.push(b);
                (base, a)
            }
            _ => return None,
        };
        let mut scale = 1;
        if let Some([shifted, by]) = func.binary(BinaryOp::Shl, index)
            && let Some(by @ 0..=3) = func.constant(by)
        {
            between.push(index);
            (index, scale) = (shifted, 1 << by);
        }
        let mut signed = false;
        if let Some(&InstData::Convert {
            op: op @ (ConvertOp::SExt | ConvertOp::ZExt),
            arg,
            ..
        }) = func.def_data(index)
            && func.ty(arg).elem.is_int()
        {
            between.push(index);
            (index, signed) = (arg, op == ConvertOp::SExt);
        }
        Some(Indices {
            base,
            index,
            signed,
            scale,
            between,
        })
    }

    /// The address of one lane.
    pub fn place_of(&mut self, places: &Places, lane: u32) -> Amode {
        match places {
            Places::Steps(place, steps) => Amode {
                disp: steps[lane as usize],
                ..*place
            },
            Places::Lanes(base, _) => Amode::reg(self.taken_lane(base, lane), 0),
            Places::InMemory { base, index, scale } => {
                let lane = self.short_lane(*index, lane);
                Amode {
                    base: Base::Reg(*base),
                    index: Some((lane, scale.ilog2() as u8)),
                    disp: 0,
                }
            }
            Places::Indexed {
                base,
                elem,
                index,
                signed,
                scale,
            } => {
                let (eight, within) = (lane * elem.bytes() / 8, lane * elem.bytes() % 8);
                let shifted = match (index[eight as usize], within) {
                    (first, 0) => first,
                    (all, within) => self.c.shift_i(Shift::Shr, Size::Q, all, within as u8 * 8),
                };
                // The last has zeros above it already.
                let is_last = within != 0 && within + elem.bytes() == 8;
                let lane = match is_last && !signed {
                    true => shifted,
                    false => self.extended_to_64(*elem, *signed, shifted),
                };
                Amode {
                    base: Base::Reg(*base),
                    index: Some((lane, scale.ilog2() as u8)),
                    disp: 0,
                }
            }
        }
    }

    /// The address of one lane.
    pub fn place(&mut self, places: &Places, address: &Address, lane: u32) -> Amode {
        match places {
            Places::Steps(..) | Places::Indexed { .. } | Places::InMemory { .. } => self.place_of(places, lane),
            Places::Lanes(base, index) => {
                let base = self.taken_lane(base, lane);
                let index = index.as_ref().map(|index| self.taken_lane(index, lane));
                self.scaled(Amode::reg(base, 0), index, address)
            }
        }
    }
}

/// Two lanes are taken out of a vector register at once: a few of them that way are there sooner than by way of memory.
fn is_taken_in_pairs(parts: &Parts) -> bool {
    parts.ty.is_vector() && parts.bytes == 4 && (4..=8).contains(&parts.ty.lanes)
}

/// What a lane of a vector is known by: vectors that differ may have registers in common.
fn lane_key(parts: &Parts, lane: u32) -> (VReg, u32) {
    let at = lane * parts.bytes;
    let size = parts.size().bytes();
    (parts.regs[(at / size) as usize], at % size)
}
