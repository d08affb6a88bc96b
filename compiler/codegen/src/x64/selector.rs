//! What is known while a function is translated, and how the families of operations get at its values.

use super::active_lanes::KnownMasks;
use super::encode::Size;
use super::kept_lanes::KeptLanes;
use super::last_uses::LastUses;
use super::machine::{Amode, Label, Src};
use super::ops;
use super::parts::{Parts, Registers, Sources};
use super::products::Products;
use super::updates::Update;
use super::upper_halves::UpperHalves;
use super::vcode::VCode;
use crate::program::Program;
use cranelift_entity::SecondaryMap;
use device::abi::WorkerRecord;
use ir::{self, Block, Elem, Global, Inst, InstData, LaneOp, Slot, Type, Value};
use regalloc2::VReg;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

/// What is known while a function is translated.
pub struct Selector<'a> {
    /// The code so far.
    pub c: VCode,
    /// The function.
    pub func: &'a ir::Function,
    /// All functions of the kernel.
    pub program: &'a Program<'a>,
    /// Where variables are.
    pub global_address: &'a dyn Fn(Global) -> u64,
    /// The function is the kernel.
    pub is_entry: bool,
    /// Address of the worker's record.
    pub worker: VReg,
    /// Where constants are among the function's.
    pub pool: FxHashMap<Box<[u8]>, u32>,
    /// How often each value is used.
    pub uses: SecondaryMap<Value, u32>,
    /// See [`super::last_uses`].
    pub last_uses: LastUses,
    values: SecondaryMap<Value, Option<Parts>>,
    /// The machine's block for each of ours.
    pub blocks: SecondaryMap<Block, Option<Label>>,
    /// See [`super::active_lanes`].
    pub known_masks: KnownMasks,
    /// What masks are for parts of vectors, and for how many lanes, within the current block: by the mask's register and the first lane.
    pub mask_parts: FxHashMap<(VReg, u32), (VReg, u32)>,
    /// Constants and other values that are made where they are used, within the current block.
    made: FxHashMap<Value, Parts>,
    /// Lanes of indices as 64-bit integers, within the current block: by the register that they are in, and the byte in it.
    pub index_lanes: FxHashMap<(VReg, u32), VReg>,
    /// Indices of the current block times what is no scale of the machine: by the register, and the scale.
    pub scaled_indices: FxHashMap<(VReg, u32), VReg>,
    /// Of this block, masks whose bits from a lane on were put in the places of others' bits.
    pub spread_masks: FxHashMap<(Value, u32, u64), VReg>,
    /// What dot products of the current block have made of their operands.
    pub dot_operands: DotOperands,
    scratch: Option<VReg>,
    /// Where each slot is, at the beginning of the function's buffer.
    pub slots: SecondaryMap<Slot, u32>,
    pub slots_bytes: u32,
    /// Non-temporal stores go past the caches.
    pub streams: bool,
    /// Loads that become memory operands of what uses them.
    pub folded_loads: FxHashMap<Value, Amode>,
    /// Which loads of the current block these will be; see [`super::fold`].
    pub folded: FxHashSet<Value>,
    /// Loads of the current block that are done together, all of them for each; see [`super::records`].
    pub records: FxHashMap<Value, Vec<Value>>,
    /// Stores of the current block that are done together: all of them for the last, none for the others.
    pub stored_records: FxHashMap<Inst, Vec<Inst>>,
    /// Stores of the current block that are done together with what they store; see [`super::updates`].
    pub updates: FxHashMap<Inst, Update>,
    /// Comparisons of the current block that are held as their opposites; see [`super::fuse_masks`].
    pub inverted: FxHashSet<Value>,
    /// Scalars of the current block that others are made of by adding a constant: the sum, and the constant.
    pub sums: FxHashMap<Value, (Value, i64)>,
    /// Comparisons of the current block that are done where they are used.
    pub compared_at_use: FxHashSet<Value>,
    /// Quotients of the current block that are made of estimates; see [`super::root_quotients`].
    pub root_quotients: SmallVec<[Value; 4]>,
    /// Vectors of the current block that only addresses are made of whose lanes are taken one by one from what comes before.
    pub passed_over: FxHashSet<Value>,
    /// Loads of the current block of which lanes are taken from memory again; see [`super::short_indices`].
    pub wanted_in_memory: FxHashSet<Value>,
    /// Where these lanes are, and the bytes from one to the next.
    pub in_memory: FxHashMap<Value, (Amode, u32)>,
    /// Operations of a block that include another.
    pub ternaries: FxHashMap<Value, Ternary>,
    /// See [`super::products`].
    pub products: Products,
    /// See [`super::upper_halves`].
    pub upper_halves: UpperHalves,
    /// See [`super::kept_lanes`].
    pub kept_lanes: KeptLanes,
}

/// What has been made of operands within the current block: in products of matrices each is in several dot products.
#[derive(Default)]
pub struct DotOperands {
    /// Bytes with their highest bit inverted: 128 more or less.
    pub shifted: FxHashMap<VReg, VReg>,
    /// What 128 more or less in the other operand lacks: by the register, and whether its bytes are signed.
    pub lacking: FxHashMap<(VReg, bool), VReg>,
    /// The even bytes and the odd ones in 16 bits each: by the register, and whether they are signed.
    pub words: FxHashMap<(VReg, bool), [VReg; 2]>,
}

impl DotOperands {
    /// For another block.
    pub fn clear(&mut self) {
        self.shifted.clear();
        self.lacking.clear();
        self.words.clear();
    }
}

/// Some operations as one.
#[derive(Clone, Copy, Debug)]
pub struct Ternary {
    /// The last is what may be in memory.
    pub operands: [Value; 3],
    /// The result for each of what three bits can be.
    pub table: u8,
}

impl<'a> Selector<'a> {
    /// At the beginning of `func`, which is none of the kernel's entry and has no slots unless they are set.
    pub fn new(
        c: VCode,
        program: &'a Program<'a>,
        func: &'a ir::Function,
        worker: VReg,
        global_address: &'a dyn Fn(Global) -> u64,
    ) -> Selector<'a> {
        let uses = func.use_counts();
        Selector {
            c,
            func,
            program,
            global_address,
            is_entry: false,
            worker,
            pool: FxHashMap::default(),
            last_uses: LastUses::new(func, &uses),
            uses,
            values: func.per_value(Default::default()),
            blocks: func.per_block(Default::default()),
            known_masks: KnownMasks::default(),
            mask_parts: FxHashMap::default(),
            made: FxHashMap::default(),
            index_lanes: FxHashMap::default(),
            scaled_indices: FxHashMap::default(),
            spread_masks: FxHashMap::default(),
            dot_operands: DotOperands::default(),
            scratch: None,
            slots: SecondaryMap::new(),
            slots_bytes: 0,
            streams: false,
            folded_loads: FxHashMap::default(),
            folded: FxHashSet::default(),
            records: FxHashMap::default(),
            stored_records: FxHashMap::default(),
            updates: FxHashMap::default(),
            compared_at_use: FxHashSet::default(),
            root_quotients: SmallVec::new(),
            passed_over: FxHashSet::default(),
            inverted: FxHashSet::default(),
            sums: FxHashMap::default(),
            wanted_in_memory: FxHashSet::default(),
            in_memory: FxHashMap::default(),
            ternaries: FxHashMap::default(),
            products: Products::default(),
            upper_halves: UpperHalves::default(),
            kept_lanes: KeptLanes::default(),
        }
    }

    /// The machine's block for one of ours.
    pub fn block(&self, block: Block) -> Label {
        self.blocks[block].expect("blocks that can be reached are declared")
    }

    /// A value that is made again in each block that uses it, not kept in registers from one to the next.
    pub fn is_made_at_use(&self, value: Value) -> Option<u64> {
        match self.func.def_data(self.func.splatted(value).unwrap_or(value))? {
            InstData::Const { bits, .. } => Some(*bits),
            _ => None,
        }
    }

    /// The lanes' numbers, which are made again like constants.
    pub fn is_iota(&self, value: Value) -> bool {
        matches!(self.func.def_data(value), Some(InstData::Lane { op: LaneOp::Iota, .. }))
    }

    /// A value of the IR.
    pub fn get(&mut self, value: Value) -> Parts {
        if let Some(parts) = &self.values[value] {
            return parts.clone();
        }
        if let Some(parts) = self.made.get(&value) {
            return parts.clone();
        }
        if let Some(mem) = self.folded_loads.get(&value).copied() {
            // It has one use only.
            if self.is_spread(value) {
                let ty = self.func.ty(value);
                let bytes = ty.elem.bytes();
                let part = self.broadcast(self.part_size(ty.lanes, bytes), bytes, mem);
                return Parts::new(ty, bytes, vec![part; self.part_count(ty.lanes, bytes)]);
            }
            return self.load_parts(self.func.ty(value), mem);
        }
        let ty = self.func.ty(value);
        let parts = match (self.is_made_at_use(value), self.slot(value)) {
            (Some(bits), _) => self.constant(ty, bits),
            (None, Some(place)) => Parts::scalar(ty, self.c.lea(place)),
            (None, None) if self.is_iota(value) => self.iota(ty),
            (None, None) => unreachable!("a value is defined before its uses, in an order of dominance"),
        };
        self.made.insert(value, parts.clone());
        parts
    }

    /// A value of the IR as the last operand of instructions: constants and loads may stay in memory. Not for masks.
    pub fn sources(&mut self, value: Value) -> Sources {
        let ty = self.func.ty(value);
        if let Some(&mem) = self.folded_loads.get(&value) {
            if self.is_spread(value) {
                return vec![Src::Broadcast(mem); self.part_count(ty.lanes, ty.elem.bytes())].into();
            }
            let step = self.part_size(ty.lanes, ty.elem.bytes()).bytes() as i32;
            return (0..self.part_count(ty.lanes, ty.elem.bytes()) as i32)
                .map(|part| {
                    Src::Mem(Amode {
                        disp: mem.disp + part * step,
                        ..mem
                    })
                })
                .collect();
        }
        match self.is_made_at_use(value) {
            Some(bits) if ty.is_vector() && ty.elem != Elem::Mask && !self.made.contains_key(&value) => {
                let bytes = ty.elem.bytes();
                let source = self.spread_source(self.part_size(ty.lanes, bytes), bytes, bits);
                vec![source; self.part_count(ty.lanes, bytes)].into()
            }
            Some(bits) if matches!(ty, Type::F32 | Type::F64) => {
                let mem = self.pooled(&bits.to_le_bytes()[..ty.elem.bytes() as usize]);
                Sources::from_iter([Src::Mem(mem)])
            }
            None if self.is_iota(value) && ty.is_vector() && !self.made.contains_key(&value) => {
                self.iota_in_memory(ty).into_iter().map(Src::Mem).collect()
            }
            _ => self.get(value).sources(),
        }
    }

    /// A scalar of the IR.
    pub fn scalar(&mut self, value: Value) -> VReg {
        self.get(value).regs[0]
    }

    /// A mask of the IR in lanes of `bytes` bytes.
    pub fn get_mask(&mut self, value: Value, bytes: u32) -> Parts {
        if let Some(bits) = self.is_made_at_use(value)
            && self.func.ty(value).is_vector()
            && !self.c.target.masks
        {
            let ty = self.func.ty(value);
            let part = self.splat_bits(self.part_size(ty.lanes, bytes), bytes, 0u64.wrapping_sub(bits & 1));
            return Parts::new(ty, bytes, vec![part; self.part_count(ty.lanes, bytes)]);
        }
        let mask = self.get(value);
        if !mask.ty.is_vector() || mask.bytes == bytes || mask.in_mask_register() {
            return mask;
        }
        if let Some(known) = self.known_masks.widths.get(&(value, bytes)) {
            return known.clone();
        }
        let converted = self.mask(&mask, bytes);
        self.known_masks.widths.insert((value, bytes), converted.clone());
        converted
    }

    /// Goes on in another block.
    pub fn continue_in(&mut self, block: Label) {
        self.c.start(block);
        self.known_masks = KnownMasks::default();
        self.mask_parts.clear();
        self.made.clear();
        self.index_lanes.clear();
        self.scaled_indices.clear();
        self.spread_masks.clear();
        self.dot_operands.clear();
        self.scratch = None;
    }

    /// A value of the IR has been defined.
    pub fn is_set(&self, value: Value) -> bool {
        self.values[value].is_some()
    }

    /// Defines a value of the IR.
    pub fn set(&mut self, value: Value, parts: Parts) {
        debug_assert_eq!(parts.ty, self.func.ty(value));
        self.values[value] = Some(parts);
        self.keep_lanes(value);
    }

    /// Address of memory that lanes may touch which are switched off.
    pub fn scratch(&mut self) -> VReg {
        match self.scratch {
            Some(reg) => reg,
            None => {
                let field = Amode::reg(self.worker, core::mem::offset_of!(WorkerRecord, scratch) as i32);
                let reg = self.c.load_int(8, field);
                self.scratch = Some(reg);
                reg
            }
        }
    }

    /// Loads consecutive lanes into registers.
    pub fn load_parts(&mut self, ty: Type, mem: Amode) -> Parts {
        let bytes = ty.elem.bytes();
        if !ty.is_vector() {
            let reg = self.load_scalar_bits(ty.elem, mem);
            return Parts::scalar(ty, reg);
        }
        let size = self.part_size(ty.lanes, bytes);
        let regs: Registers = match ty.bytes() {
            4 => Registers::from_iter([self.c.v2(&ops::VMOVSS, Size::X, mem)]),
            8 => Registers::from_iter([self.c.v2(&ops::VMOVSD, Size::X, mem)]),
            _ => (0..self.part_count(ty.lanes, bytes) as u32)
                .map(|part| {
                    let from = self.plus(mem, part * size.bytes());
                    self.c.v2(&ops::VMOVUPS, size, from)
                })
                .collect(),
        };
        Parts::new(ty, bytes, regs)
    }
}
