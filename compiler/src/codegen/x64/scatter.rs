//! Gathers and scatters: an address a lane.

use super::build::Shift;
use super::encode::{Imm, Size};
use super::machine::{Amode, Base, Cc, R, RmOf};
use super::ops;
use super::select::Selector;
use super::values::{Parts, Registers};
use crate::ir::{Address, BinaryOp, ConvertOp, Elem, Flags, InstData, LaneOp, Type, Value, eval};
use regalloc2::{RegClass, VReg};
use smallvec::SmallVec;

/// No gang has more.
const MOST_LANES: usize = 32;

/// Where each lane's memory is.
pub enum Places {
    /// Each so many bytes behind one address.
    Steps(Amode, Vec<i32>),
    /// Base and index have lanes.
    Lanes(Taken, Option<Taken>),
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
pub struct Taken {
    parts: Parts,
    /// Where its lanes have been written to, if they have.
    memory: Option<Amode>,
}

impl Selector<'_> {
    /// Where the lanes of an access are.
    pub fn places(&mut self, address: &Address) -> Places {
        match self.steps(address) {
            Some((place, steps)) => {
                let place = self.amode(&place);
                Places::Steps(place, steps)
            }
            None => {
                let mut written = 0;
                let base = self.take(address.base, &mut written);
                let index = address.index.map(|index| self.take(index, &mut written));
                Places::Lanes(base, index)
            }
        }
    }

    /// A part of an address, its lanes in memory from where they can be had one by one: that takes less than taking them out of registers.
    fn take(&mut self, value: Value, written: &mut u32) -> Taken {
        let parts = self.get(value);
        let lanes = u32::from(parts.ty.lanes);
        let in_memory = lanes >= 4 && parts.bytes >= 4 && (0..lanes).any(|lane| !self.index_lanes.contains_key(&lane_key(&parts, lane)));
        let memory = in_memory.then(|| {
            let place = self.spill(&parts, *written);
            *written += parts.size().bytes() * parts.regs.len() as u32;
            place
        });
        Taken { parts, memory }
    }

    /// A lane of a part of an address, as 64 bits. The fields of a record have one index: its lanes are taken once a block.
    fn taken_lane(&mut self, from: &Taken, lane: u32) -> VReg {
        let Taken { parts, memory } = from;
        let elem = parts.ty.elem;
        if !parts.ty.is_vector() {
            return self.extended_to_64(elem, true, parts.regs[0]);
        }
        let key = lane_key(parts, lane);
        if let Some(&reg) = self.index_lanes.get(&key) {
            return reg;
        }
        let reg = match *memory {
            Some(memory) => {
                let at = self.plus(memory, lane * parts.bytes);
                let op = if parts.bytes == 4 { &ops::MOVSXD } else { &ops::MOV };
                self.c.g2(op, Size::Q, at)
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
                match self.constant_lanes(index, 4) {
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
        let (rest, constants) = match (self.constant_lanes(b, 4), self.constant_lanes(a, 4)) {
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
            return Places::Steps(self.amode(&place), steps);
        }
        match self.indices(address) {
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
            None => Places::Lanes(
                Taken {
                    parts: self.get(address),
                    memory: None,
                },
                None,
            ),
        }
    }

    /// The values that [`Self::places_of`] makes nothing of although the address is computed from them: nearer to the address first.
    pub fn passed_over(&self, address: Value) -> SmallVec<[Value; 4]> {
        let mut between = SmallVec::new();
        if self.uniform_and_steps(address).is_some() {
            let mut at = address;
            while let Some(InstData::Binary { args: [a, b], .. }) = self.func.def_data(at) {
                between.push(at);
                at = match self.constant_lanes(*b, 4) {
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

    fn indices(&self, address: Value) -> Option<Indices> {
        let func = self.func;
        let splat = |value: Value| match func.def_data(value)? {
            InstData::Lane {
                op: LaneOp::Splat, args, ..
            } => Some(args[0]).filter(|arg| !self.folded_loads.contains_key(arg)),
            _ => None,
        };
        let &InstData::Binary {
            op: BinaryOp::Add,
            args: [a, b],
        } = func.def_data(address)?
        else {
            return None;
        };
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
        if let Some(&InstData::Binary {
            op: BinaryOp::Shl,
            args: [shifted, by],
        }) = func.def_data(index)
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
            Places::Steps(..) | Places::Indexed { .. } => self.place_of(places, lane),
            Places::Lanes(base, index) => {
                let base = self.taken_lane(base, lane);
                let index = index.as_ref().map(|index| self.taken_lane(index, lane));
                self.scaled(Amode::reg(base, 0), index, address)
            }
        }
    }

    /// Loads a lane from each address: `needed` says which lanes may be loaded, `mask` where `passthru` counts.
    pub fn gather(&mut self, ty: Type, address: &Address, needed: Option<Value>, mask: Option<Value>, passthru: Option<Value>) -> Parts {
        if self.gathers_natively(ty, address, needed.is_some()) {
            let gathered = self.gather_under_mask(ty, address, needed, passthru.filter(|_| needed.is_some()));
            return if needed.is_some() {
                gathered
            } else {
                self.with_passthru(gathered, mask, passthru)
            };
        }
        let Some(needed) = needed else {
            let loaded = self.load_lanes(ty, address);
            return self.with_passthru(loaded, mask, passthru);
        };
        if !self.c.target.masks && ty.elem != Elem::Mask && ty.elem.bytes() >= 4 {
            return self.gather_masked(ty, address, needed, passthru);
        }
        let places = self.places(address);
        let on = self.get(needed);
        let bits = self.mask_bits(&on);
        let lanes: Vec<VReg> = (0..u32::from(ty.lanes))
            .map(|lane| {
                let place = self.place(&places, address, lane);
                let place = self.or_scratch_by_bit(place, bits, lane);
                self.load_scalar(ty.elem, place)
            })
            .collect();
        let loaded = self.join_lanes(ty, &lanes);
        self.with_passthru(loaded, mask, passthru)
    }

    /// Loads all lanes, one after the other: on most machines that takes no longer than their gathers.
    fn load_lanes(&mut self, ty: Type, address: &Address) -> Parts {
        let places = self.places(address);
        let lanes = u32::from(ty.lanes);
        if ty.elem == Elem::Mask {
            let lanes: Vec<VReg> = (0..lanes)
                .map(|lane| {
                    let place = self.place(&places, address, lane);
                    self.load_scalar(ty.elem, place)
                })
                .collect();
            return self.join_lanes(ty, &lanes);
        }
        let bytes = ty.elem.bytes();
        let per_piece = 16 / bytes;
        let pieces: Registers = (0..lanes.div_ceil(per_piece))
            .map(|piece| {
                let first = piece * per_piece;
                let place = self.place(&places, address, first);
                let mut reg = match bytes {
                    8 => self.c.v2(&ops::VMOVSD, Size::X, place),
                    4 => self.c.v2(&ops::VMOVSS, Size::X, place),
                    _ => {
                        let scalar = self.c.load_int(bytes, place);
                        self.c.int_to_v(Size::D, scalar)
                    }
                };
                for lane in 1..per_piece.min(lanes - first) {
                    let place = self.place(&places, address, first + lane);
                    reg = match bytes {
                        8 => self.c.v3(&ops::VMOVHPS, Size::X, reg, place),
                        4 => self.c.v3i(&ops::VINSERTPS, Size::X, reg, place, (lane as u8) << 4),
                        2 => self.c.v3i(&ops::VPINSRW, Size::X, reg, place, lane as u8),
                        _ => self.c.v3i(&ops::VPINSRB, Size::X, reg, place, lane as u8),
                    };
                }
                reg
            })
            .collect();
        self.join_pieces(ty, bytes, &pieces)
    }

    /// As if there were no mask where all lanes are on, else by the machine's masked gathers.
    fn gather_masked(&mut self, ty: Type, address: &Address, needed: Value, passthru: Option<Value>) -> Parts {
        let on = self.get(needed);
        let cc = self.test_all(&on);
        let [fast, slow, done] = self.fork(cc);
        self.continue_in(fast);
        let loaded = self.load_lanes(ty, address);
        let results: Registers = loaded.regs.iter().map(|_| self.c.param(done, RegClass::Float)).collect();
        self.c.jump(done, &loaded.regs);
        self.continue_in(slow);
        let gathered = self.gather_by_machine(ty, address, needed, passthru);
        self.c.jump(done, &gathered.regs);
        self.continue_in(done);
        Parts::new(ty, ty.elem.bytes(), results)
    }

    /// The address if a bit is on, else the scratch line.
    pub fn or_scratch_by_bit(&mut self, place: Amode, bits: VReg, lane: u32) -> Amode {
        self.or_scratch(place, |s| {
            s.c.test_i(Size::D, bits, (1u32 << lane) as i32);
            Cc::Ne
        })
    }

    /// Stores a lane to each address, the last lanes last.
    pub fn scatter(&mut self, value: &Parts, address: &Address, mask: Option<Value>) {
        if self.gathers_natively(value.ty, address, mask.is_some()) {
            return self.scatter_under_mask(value, address, mask);
        }
        let Some(mask) = mask else {
            let places = self.places(address);
            return self.store_lanes(value, None, |s, lane| s.place(&places, address, lane));
        };
        let mask = self.get(mask);
        let cc = self.test_all(&mask);
        let [fast, slow, done] = self.fork(cc);
        self.continue_in(fast);
        let places = self.places(address);
        self.store_lanes(value, None, |s, lane| s.place(&places, address, lane));
        self.c.jump(done, &[]);
        self.continue_in(slow);
        let bits = self.mask_bits(&mask);
        let places = self.places(address);
        self.store_lanes(value, Some(bits), |s, lane| s.place(&places, address, lane));
        self.c.jump(done, &[]);
        self.continue_in(done);
    }

    /// Stores lanes one after the other: those whose bits are on, if these are given.
    pub fn store_lanes(&mut self, value: &Parts, bits: Option<VReg>, place_of: impl Fn(&mut Self, u32) -> Amode) {
        let bytes = value.in_mask_register().then(|| self.mask_as_bytes(value));
        let value = bytes.as_ref().unwrap_or(value);
        let pieces = self.pieces(value);
        let per_piece = 16 / value.bytes;
        for lane in 0..u32::from(value.ty.lanes) {
            let mut place = place_of(self, lane);
            if let Some(bits) = bits {
                place = self.or_scratch_by_bit(place, bits, lane);
            }
            if value.ty.elem == Elem::Mask {
                let scalar = self.lane(value, lane);
                self.c.store_int(1, scalar, place);
                continue;
            }
            let (piece, at) = (pieces[(lane / per_piece) as usize], (lane % per_piece) as u8);
            let extract = match (value.bytes, at) {
                (8, 0) => {
                    self.c.v_store(&ops::VMOVSD_RM, Size::X, piece, place);
                    continue;
                }
                (8, _) => {
                    self.c.v_store(&ops::VMOVHPS_RM, Size::X, piece, place);
                    continue;
                }
                (4, 0) => {
                    self.c.v_store(&ops::VMOVSS_RM, Size::X, piece, place);
                    continue;
                }
                (4, _) => &ops::VPEXTRD_RM,
                (2, _) => &ops::VPEXTRW_RM,
                _ => &ops::VPEXTRB_RM,
            };
            self.c
                .machine(extract, Size::X, R::Use(piece), R::No, RmOf::Mem(place), Imm::I8(at));
        }
    }

    fn gather_by_machine(&mut self, ty: Type, address: &Address, mask: Value, passthru: Option<Value>) -> Parts {
        let bytes = ty.elem.bytes();
        let size = self.part_size(ty.lanes, bytes);
        let (base, indices, scale, disp) = self.vector_addresses(address);
        let mask_parts = self.get_mask(mask, bytes).regs;
        let passthru_parts = match passthru {
            Some(passthru) => self.get(passthru).regs,
            None => {
                let zero = self.c.zero();
                Registers::from_elem(zero, mask_parts.len())
            }
        };
        let quads = indices.bytes == 8;
        if !quads {
            let op = if bytes == 4 { &ops::VPGATHERDD } else { &ops::VPGATHERDQ };
            // 64-bit lanes take the 32-bit indices of half a register.
            let index_regs = if bytes == 4 { indices.regs.clone() } else { self.pieces(&indices) };
            let regs: Registers = (0..mask_parts.len())
                .map(|part| {
                    let from = Amode {
                        base,
                        index: Some((index_regs[part], scale)),
                        disp,
                    };
                    self.gather_part(op, size, from, passthru_parts[part], mask_parts[part])
                })
                .collect();
            return Parts::new(ty, bytes, regs);
        }
        if bytes == 8 {
            let regs: Registers = (0..mask_parts.len())
                .map(|part| {
                    let from = Amode {
                        base,
                        index: Some((indices.regs[part], scale)),
                        disp,
                    };
                    self.gather_part(&ops::VPGATHERQQ, size, from, passthru_parts[part], mask_parts[part])
                })
                .collect();
            return Parts::new(ty, bytes, regs);
        }
        // Four 64-bit indices give four lanes of 32 bits: half a register.
        let masks = self.pieces(&Parts::new(ty.as_mask(), 4, mask_parts));
        let others = self.pieces(&Parts::new(ty, 4, passthru_parts));
        let pieces: Registers = (0..masks.len())
            .map(|piece| {
                let from = Amode {
                    base,
                    index: Some((indices.regs[piece], scale)),
                    disp,
                };
                self.gather_part(&ops::VPGATHERQD, Size::Y, from, others[piece], masks[piece])
            })
            .collect();
        self.join_pieces(ty, 4, &pieces)
    }

    /// Base, vector of indices (32 or 64 bits), logarithm of the scale, displacement.
    pub fn vector_addresses(&mut self, address: &Address) -> (Base, Parts, u8, i32) {
        let base_is_vector = self.func.ty(address.base).is_vector();
        let scale = address.scale;
        let short = matches!(scale, 1 | 2 | 4 | 8);
        if let Some(index) = address.index
            && !base_is_vector
            && short
        {
            let base = self.scalar(address.base);
            // A sign-extended 32-bit index may stay one.
            let index = match self.func.def_data(index) {
                Some(&InstData::Convert {
                    op: ConvertOp::SExt, arg, ..
                }) if self.func.ty(arg).elem == Elem::I32 => arg,
                _ => index,
            };
            return (Base::Reg(base), self.get(index), scale.ilog2() as u8, address.offset);
        }
        let base = self.get(address.base);
        let Some(index) = address.index else {
            return (Base::None, base, 0, address.offset);
        };
        let index_is_vector = self.func.ty(index).is_vector();
        let index = self.get(index);
        let lanes = if base_is_vector { base.ty.lanes } else { index.ty.lanes };
        let ty = Type::vector(Elem::I64, lanes);
        let offsets = if index_is_vector {
            let wide = if index.bytes == 8 { index } else { self.extend_to(true, &index, 8) };
            match scale {
                1 => wide,
                scale if scale.is_power_of_two() => self.shift_by_constant(BinaryOp::Shl, &wide, scale.ilog2()),
                _ => {
                    let by = self.constant(ty, u64::from(scale));
                    self.binary_parts(BinaryOp::Mul, &wide, &by)
                }
            }
        } else {
            let wide = self.extended_to_64(index.ty.elem, true, index.regs[0]);
            let zero = self.c.constant(0);
            let scaled = self.scaled(Amode::reg(zero, 0), Some(wide), &Address { offset: 0, ..*address });
            let offset = self.c.lea(scaled);
            self.splat(ty, offset)
        };
        if base_is_vector {
            let sum = self.binary_parts(BinaryOp::Add, &base, &offsets);
            return (Base::None, sum, 0, address.offset);
        }
        (Base::Reg(base.regs[0]), offsets, 0, address.offset)
    }

    fn gather_part(&mut self, op: &'static super::encode::Op, size: Size, from: Amode, passthru: VReg, mask: VReg) -> VReg {
        let (dst, used_mask) = (self.c.vec(), self.c.vec());
        // The machine clears the mask.
        self.c
            .machine(op, size, R::Tied(dst, passthru), R::Tied(used_mask, mask), RmOf::Mem(from), Imm::No);
        dst
    }
}

/// What a lane of a vector is known by: vectors that differ may have registers in common.
fn lane_key(parts: &Parts, lane: u32) -> (VReg, u32) {
    let at = lane * parts.bytes;
    let size = parts.size().bytes();
    (parts.regs[(at / size) as usize], at % size)
}
