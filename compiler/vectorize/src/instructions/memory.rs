//! Loads, stores and copies: what one gang does where each work-item accesses memory of its own.
//!
//! Lanes whose addresses follow one another ([`Accesses`](analysis::access::Accesses)) have one address for all, that of lane 0.

use crate::vectorize::Vectorizer;
use analysis::access::LaneOrder;
use analysis::uniformity::Shape;
use ir::*;
use target::costs::OPERATIONS_FOR_LANE;

impl Vectorizer<'_> {
    /// How the lanes of an access lie, if each took so many elements.
    fn order(&self, inst: Inst, elements: u32) -> LaneOrder {
        match self.src.access(inst) {
            Some(access) if self.lanes > 1 => self.accesses.order_of(&access, elements * access.ty.elem.bytes()),
            _ => LaneOrder::One,
        }
    }

    /// Where lane 0's element is, or would be if its lane were active: counted from the first active lane, each lane so many bytes behind the one
    /// before.
    fn address_where_active(&mut self, address: &Address, bytes: i64) -> Address {
        let lane = self.mask_operand().map(|_| self.first_lane());
        let base = self.in_lane(address.base, lane, OPERATIONS_FOR_LANE);
        let index = address.index.map(|index| self.in_lane(index, lane, OPERATIONS_FOR_LANE));
        let mut first = Address { base, index, ..*address };
        if let Some(lane) = lane {
            let mut b = self.builder();
            let wide = b.convert(ConvertOp::ZExt, Elem::I64, lane);
            let bytes = b.binary_imm(BinaryOp::Mul, wide, bytes);
            first.base = b.sub(base, bytes);
        }
        first
    }

    /// Lane 0's address.
    fn first_address(&mut self, address: &Address) -> Address {
        let base = self.raw(address.base);
        let index = address.index.map(|index| self.raw(index));
        Address { base, index, ..*address }
    }

    /// The last lane's address, of lanes whose elements of so many bytes lie in reverse order.
    fn last_address(&mut self, order: LaneOrder, address: &Address, bytes: u32) -> Address {
        let first = match order {
            LaneOrder::ReversedWhereActive => self.address_where_active(address, -i64::from(bytes)),
            _ => self.first_address(address),
        };
        let back = i64::from(bytes) * i64::from(self.lanes - 1);
        let mut b = self.builder();
        let base = b.binary_imm(BinaryOp::Add, first.base, -back);
        Address { base, ..first }
    }

    /// The lanes in reverse order.
    fn reverse(&mut self, vector: Value) -> Value {
        let mut b = self.builder();
        let ty = b.ty(vector);
        let numbers = ty.with_elem(Elem::I32);
        let lane = b.lane(LaneOp::Iota, numbers, &[]);
        let last = b.constant(numbers, u64::from(ty.lanes - 1));
        let mirrored = b.sub(last, lane);
        b.lane(LaneOp::Permute, ty, &[vector, mirrored])
    }

    /// The mask of the lanes that run, in reverse order; none if all do.
    fn reversed_mask(&mut self) -> Option<Value> {
        self.mask_operand().map(|mask| self.reverse(mask))
    }

    /// Each lane's address: at least one part is a vector.
    fn lane_addresses(&mut self, address: &Address) -> Address {
        if let Some(address) = self.known_distances(address) {
            return address;
        }
        let uniform = |this: &Self, value: Value| this.uniformity.shape(value).is_uniform();
        match address.index {
            Some(index) if !uniform(self, index) => {
                let base = if uniform(self, address.base) {
                    self.raw(address.base)
                } else {
                    self.vector(address.base)
                };
                Address {
                    base,
                    index: Some(self.vector(index)),
                    ..*address
                }
            }
            index => Address {
                base: self.vector(address.base),
                index: index.map(|index| self.raw(index)),
                ..*address
            },
        }
    }

    /// Lane 0's address, and the others' distances from it as an index, where these are known.
    fn known_distances(&mut self, address: &Address) -> Option<Address> {
        let bytes = self.accesses.stride(address)?;
        i32::try_from(bytes.checked_mul(i64::from(self.lanes))?).ok()?;
        let (lanes, scale) = (self.lanes, i64::from(address.scale));
        let (base, index) = (self.raw(address.base), address.index.map(|index| self.raw(index)));
        let mut b = self.builder();
        let base = b.base_and_index(&Address { base, index, ..*address });
        // (Machines scale by some powers of two.)
        let (step, scale) = match bytes % scale {
            0 => (bytes / scale, scale),
            _ => (bytes, 1),
        };
        let lane = b.lane(LaneOp::Iota, Type::I32.with_lanes(lanes), &[]);
        let index = b.binary_imm(BinaryOp::Mul, lane, step);
        Some(Address {
            base,
            index: Some(index),
            scale: scale as u32,
            ..*address
        })
    }

    pub(super) fn write_load(&mut self, inst: Inst) {
        let node = self.src.inst(inst);
        let InstData::Load { ty, address, mem, .. } = &node.data else {
            return;
        };
        let result = node.results[0];
        let volatile = mem.flags.contains(MemFlags::VOLATILE);
        let data = if self.lanes == 1 || self.uniformity.shape(result) != Shape::Varying {
            InstData::Load {
                ty: *ty,
                address: self.first_address(address),
                mask: None,
                passthru: None,
                mem: *mem,
            }
        } else {
            let order = self.order(inst, 1);
            if order == LaneOrder::InTable && self.write_lookup(inst) {
                return;
            }
            if order.is_reversed() && !volatile {
                let address = self.last_address(order, address, ty.elem.bytes());
                let data = InstData::Load {
                    ty: ty.with_lanes(self.lanes),
                    address,
                    mask: self.reversed_mask(),
                    passthru: None,
                    mem: *mem,
                };
                let loaded = self.builder().value(data);
                let value = self.reverse(loaded);
                self.define(result, value);
                return;
            }
            let address = match order {
                LaneOrder::Consecutive if !volatile => self.first_address(address),
                LaneOrder::ConsecutiveWhereActive if !volatile => self.address_where_active(address, ty.elem.bytes().into()),
                _ => self.lane_addresses(address),
            };
            let mask = self.mask_operand();
            self.note_whole(inst, order, address, mask);
            InstData::Load {
                ty: ty.with_lanes(self.lanes),
                address,
                mask,
                passthru: None,
                mem: *mem,
            }
        };
        let value = self.builder().value(data);
        self.define(result, value);
    }

    /// Writes a load from a table that registers hold. What lanes that do not take part find there is of no interest.
    fn write_lookup(&mut self, inst: Inst) -> bool {
        let access = self.src.access(inst);
        let Some(lookup) = access.and_then(|access| self.accesses.lookup(&access)) else {
            return false;
        };
        let ty = lookup.table.with_lanes(self.lanes);
        let mem = MemInfo {
            flags: MemFlags::INVARIANT | MemFlags::DEREFERENCEABLE,
            ..MemInfo::new(Space::Constant, 1)
        };
        let base = self.builder().global_address(lookup.global);
        let table = self.builder().load(lookup.table, Address::base(base), mem);
        let elem = lookup.table.elem;
        let only_long = lookup.terms.iter().all(|&(value, _)| self.src.ty(value).elem == Elem::I64);
        let mut sum = None;
        for (value, factor) in lookup.terms {
            // (Long entries may be numbered by as many bits.)
            let value = if elem.bytes() < 8 { self.without_extension(value) } else { value };
            let mut term = self.vector(self.without_mask(value, u64::from(lookup.table.lanes - 1)));
            let mut b = self.builder();
            // Long entries are numbered by as many bits.
            let wanted = if elem.bytes() == 8 && only_long { Elem::I64 } else { Elem::I32 };
            if b.ty(term).elem != wanted {
                term = b.convert(ConvertOp::Trunc, wanted, term);
            }
            if factor != 1 {
                term = b.binary_imm(BinaryOp::Mul, term, factor);
            }
            sum = Some(sum.map_or(term, |sum| b.add(sum, term)));
        }
        let Some(mut index) = sum else { return false };
        let mut b = self.builder();
        if lookup.constant != 0 {
            index = b.binary_imm(BinaryOp::Add, index, lookup.constant);
        }
        let value = b.lane(LaneOp::Permute, ty, &[table, index]);
        self.define(self.src.result(inst), value);
        true
    }

    /// An integer, or one of 32 bits that it was extended from.
    fn without_extension(&self, value: Value) -> Value {
        match self.src.def_data(value) {
            Some(&InstData::Convert {
                op: ConvertOp::ZExt | ConvertOp::SExt,
                arg,
                ..
            }) if self.src.ty(arg) == Type::I32 => arg,
            _ => value,
        }
    }

    /// An integer, or another one with the same of these bits.
    fn without_mask(&self, value: Value, bits: u64) -> Value {
        match self.src.def_data(value) {
            Some(&InstData::Binary {
                op: BinaryOp::And,
                args: [masked, mask],
            }) if self.src.constant(mask).is_some_and(|mask| mask & bits == bits) => masked,
            _ => value,
        }
    }

    /// All lanes access consecutive memory: [`super::masked_store_blending`] has a use for it.
    fn note_whole(&mut self, inst: Inst, order: LaneOrder, address: Address, mask: Option<Value>) {
        if mask.is_none() && order.is_consecutive() {
            self.whole.insert(inst, address);
        }
    }

    pub(super) fn write_store(&mut self, inst: Inst) {
        let &InstData::Store {
            value,
            ref address,
            mut mem,
            ..
        } = &self.src.inst(inst).data
        else {
            return;
        };
        let elem = self.src.ty(value).elem;
        let volatile = mem.flags.contains(MemFlags::VOLATILE);
        let data = match self.order(inst, 1) {
            LaneOrder::One if self.lanes == 1 || !volatile => {
                // The lanes race for one place; the last active one wins. The block is entered with some lane active only.
                let scalar = if self.lanes == 1 || self.uniformity.shape(value).is_uniform() {
                    self.raw(value)
                } else {
                    let last = self.last_lane();
                    let vector = self.vector(value);
                    self.extract(vector, last)
                };
                InstData::Store {
                    value: scalar,
                    address: self.first_address(address),
                    mask: None,
                    mem,
                }
            }
            order if order.is_consecutive() && !volatile => {
                let (value, mask) = (self.vector(value), self.mask_operand());
                let before = self.owned.get(&inst).and_then(|before| self.whole.get(before));
                if mask.is_some() && (before.is_some() || mem.space == Space::Private) {
                    mem.flags |= MemFlags::OWNED;
                }
                let address = match (order, before.filter(|_| mask.is_some())) {
                    (LaneOrder::Consecutive, _) => self.first_address(address),
                    (_, Some(&before)) => before,
                    _ => self.address_where_active(address, elem.bytes().into()),
                };
                self.note_whole(inst, order, address, mask);
                InstData::Store { value, address, mask, mem }
            }
            order if order.is_reversed() && !volatile => {
                let value = self.vector(value);
                let (value, mask) = (self.reverse(value), self.reversed_mask());
                let address = self.last_address(order, address, elem.bytes());
                InstData::Store { value, address, mask, mem }
            }
            _ => {
                let (value, address) = (self.vector(value), self.lane_addresses(address));
                InstData::Store {
                    value,
                    address,
                    mask: self.mask_operand(),
                    mem,
                }
            }
        };
        self.builder().push(data);
    }

    pub(super) fn write_copy(&mut self, operands: [Value; 3], to_mem: MemInfo, from_mem: MemInfo) {
        if operands.iter().all(|&operand| self.uniformity.shape(operand).is_uniform()) {
            let [to, from, bytes] = operands.map(|operand| self.raw(operand));
            self.builder().push(InstData::Copy {
                to,
                from,
                bytes,
                to_mem,
                from_mem,
            });
            return;
        }
        let vectors = operands.map(|operand| self.vector(operand));
        let mask = self.mask_operand();
        for lane in 0..self.lanes {
            let [to, from, mut bytes] = vectors.map(|vector| self.extract_lane(vector, lane));
            if let Some(mask) = mask {
                let active = self.extract_lane(mask, lane);
                let mut b = self.builder();
                let none = b.i64(0);
                bytes = b.select(active, bytes, none);
            }
            self.builder().push(InstData::Copy {
                to,
                from,
                bytes,
                to_mem,
                from_mem,
            });
        }
    }

    /// Accesses all fields of the lanes' records at once.
    pub(super) fn write_record(&mut self, fields: &[Option<Inst>]) {
        let src = self.src;
        let first = fields.iter().position(Option::is_some).unwrap_or(0);
        let Some(inst) = fields[first] else { return };
        let Some(Access {
            ref address,
            mem,
            ty: Type { elem, .. },
            is_store,
            ..
        }) = src.access(inst)
        else {
            return;
        };
        let bytes = elem.bytes() * fields.len() as u32;
        let address = match self.order(inst, fields.len() as u32) {
            LaneOrder::ConsecutiveWhereActive => self.address_where_active(address, bytes.into()),
            _ => self.first_address(address),
        };
        let mask = self.mask_operand();
        let mem = MemInfo {
            align: mem.align.min(Align::of(elem.bytes())),
            ..mem
        };
        if is_store {
            let values: ValueList = fields
                .iter()
                .flatten()
                .filter_map(|&inst| match src.inst(inst).data {
                    InstData::Store { value, .. } => Some(value),
                    _ => None,
                })
                .collect();
            let values = values.iter().map(|&value| self.vector(value)).collect();
            self.builder().push(InstData::StoreInterleaved {
                values,
                address,
                mask,
                mem,
            });
            return;
        }
        let ty = Type::vector(elem, self.lanes);
        let loaded = self.builder().push(InstData::LoadInterleaved {
            ty,
            factor: fields.len() as u8,
            address,
            mask,
            mem,
        });
        for (field, inst) in fields.iter().enumerate() {
            if let Some(inst) = inst {
                let value = self.func.inst(loaded).results[field];
                self.define(src.result(*inst), value);
            }
        }
    }
}
