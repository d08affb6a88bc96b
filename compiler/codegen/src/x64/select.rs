//! Instruction selection: a function of the IR to machine code with virtual registers, in one walk over its blocks.

use super::dot::DotOperands;
use super::encode::Size;
use super::machine::{Amode, Kind, Label, Src, gpr};
use super::ops;
use super::target::Target;
use super::ternary::Ternary;
use super::values::{Parts, Registers, Sources};
use super::vcode::VCode;
use crate::program::{Program, check_entry};
use cranelift_entity::SecondaryMap;
use device::abi::WorkerRecord;
use ir::cfg::Cfg;
use ir::{self, Block, Elem, Global, Inst, InstData, LaneOp, Level, Slot, Type, Value};
use regalloc2::{Operand, PRegSet, VReg};
use rustc_hash::{FxHashMap, FxHashSet};

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
    values: SecondaryMap<Value, Option<Parts>>,
    /// The machine's block for each of ours.
    pub blocks: SecondaryMap<Block, Option<Label>>,
    /// Masks in other widths than they are held in, within the current block.
    mask_widths: FxHashMap<(Value, u32), Parts>,
    /// What masks are for parts of vectors, and for how many lanes, within the current block: by the mask's register and the first lane.
    pub mask_parts: FxHashMap<(VReg, u32), (VReg, u32)>,
    /// Constants and other values that are made where they are used, within the current block.
    made: FxHashMap<Value, Parts>,
    /// Lanes of indices as 64-bit integers, within the current block: by the register that they are in, and the byte in it.
    pub index_lanes: FxHashMap<(VReg, u32), VReg>,
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
    /// Comparisons of the current block that are done where they are used.
    pub compared_at_use: FxHashSet<Value>,
    /// Vectors of the current block that only addresses are made of whose lanes are taken one by one from what comes before.
    pub passed_over: FxHashSet<Value>,
    /// Loads of the current block of which lanes are taken from memory again; see [`super::short_indices`].
    pub wanted_in_memory: FxHashSet<Value>,
    /// Where these lanes are, and the bytes from one to the next.
    pub in_memory: FxHashMap<Value, (Amode, u32)>,
    /// Operations of a block that include another.
    pub ternaries: FxHashMap<Value, Ternary>,
}

/// Translates `program.functions[position]`.
pub fn select<'a>(
    target: Target,
    program: &'a Program<'a>,
    global_address: &'a dyn Fn(Global) -> u64,
    position: usize,
) -> Result<VCode, String> {
    let func = program.functions[position];
    if func.level != Level::WorkGroup || func.layout.is_empty() {
        return Err(format!("function {} is not at the work-group level", func.name));
    }
    let is_entry = position == 0;
    check_entry(func, is_entry)?;
    let mut c = VCode::new(target);
    let (slots, slots_bytes) = super::memory::lay_out_slots(func, target.vector_bytes());
    c.buffer_bytes = slots_bytes;
    let start = c.block();
    c.start(start);
    let numbers: &[usize] = if is_entry { &[7, 6, 2, 1, 8, 9] } else { &[7] };
    let arguments: Vec<VReg> = numbers.iter().map(|_| c.int()).collect();
    let defs: Vec<Operand> = arguments
        .iter()
        .zip(numbers)
        .map(|(&reg, &number)| Operand::reg_fixed_def(reg, gpr(number)))
        .collect();
    c.special(Kind::Start, &defs, PRegSet::empty());
    let mut selector = Selector {
        c,
        func,
        program,
        global_address,
        is_entry,
        worker: arguments[usize::from(is_entry)],
        pool: FxHashMap::default(),
        uses: func.use_counts(),
        values: func.per_value(Default::default()),
        blocks: func.per_block(Default::default()),
        mask_widths: FxHashMap::default(),
        mask_parts: FxHashMap::default(),
        made: FxHashMap::default(),
        index_lanes: FxHashMap::default(),
        dot_operands: DotOperands::default(),
        scratch: None,
        slots,
        slots_bytes,
        streams: is_entry && super::stream::may_stream(func),
        folded_loads: FxHashMap::default(),
        folded: FxHashSet::default(),
        records: FxHashMap::default(),
        stored_records: FxHashMap::default(),
        compared_at_use: FxHashSet::default(),
        passed_over: FxHashSet::default(),
        wanted_in_memory: FxHashSet::default(),
        in_memory: FxHashMap::default(),
        ternaries: FxHashMap::default(),
    };
    let cfg = Cfg::new(func);
    for &block in &cfg.order {
        selector.declare_block(block);
    }
    let arguments = if is_entry { arguments } else { selector.incoming_arguments() };
    let entry = selector.block(func.entry());
    selector.c.jump(entry, &arguments);
    for &block in &cfg.order {
        selector.emit_block(block)?;
    }
    Ok(selector.c)
}

impl<'a> Selector<'a> {
    /// The machine's block for one of ours.
    pub fn block(&self, block: Block) -> Label {
        self.blocks[block].expect("blocks that can be reached are declared")
    }

    /// A value that is made again in each block that uses it, not kept in registers from one to the next.
    fn is_made_at_use(&self, value: Value) -> Option<u64> {
        match self.func.def_data(value)? {
            InstData::Const { bits, .. } => Some(*bits),
            InstData::Lane {
                op: LaneOp::Splat, args, ..
            } => match self.func.def_data(args[0])? {
                InstData::Const { bits, .. } => Some(*bits),
                _ => None,
            },
            _ => None,
        }
    }

    /// The lanes' numbers, which are made again like constants.
    fn is_iota(&self, value: Value) -> bool {
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
        if let Some(known) = self.mask_widths.get(&(value, bytes)) {
            return known.clone();
        }
        let converted = self.mask(&mask, bytes);
        self.mask_widths.insert((value, bytes), converted.clone());
        converted
    }

    /// Goes on in another block.
    pub fn continue_in(&mut self, block: Label) {
        self.c.start(block);
        self.mask_widths.clear();
        self.mask_parts.clear();
        self.made.clear();
        self.index_lanes.clear();
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

    fn declare_block(&mut self, block: Block) {
        let created = self.c.block();
        self.blocks[block] = Some(created);
        for &param in &self.func.block(block).params {
            let ty = self.func.ty(param);
            let target = self.c.target;
            let regs: Registers = (0..target.canonical_count(ty))
                .map(|_| self.c.param(created, target.class_of(ty)))
                .collect();
            self.values[param] = Some(Parts::new(ty, target.canonical_bytes(ty), regs));
        }
    }

    fn emit_block(&mut self, block: Block) -> Result<(), String> {
        let created = self.block(block);
        self.continue_in(created);
        let func = self.func;
        let insts = &func.block(block).insts;
        self.find_folds(insts);
        self.find_records(insts);
        for &inst in insts {
            self.emit_inst(inst)
                .map_err(|error| format!("{}: {error}", func.display_inst(inst)))?;
        }
        Ok(())
    }

    fn emit_inst(&mut self, inst: Inst) -> Result<(), String> {
        let func = self.func;
        let node = func.inst(inst);
        let result = node.results.first().copied();
        if let Some(result) = result
            && (self.is_made_at_use(result).is_some()
                || self.is_iota(result)
                || self.is_compared_at_use(result)
                || self.passed_over.contains(&result))
        {
            return Ok(());
        }
        let ternary = result.and_then(|result| self.ternaries.get(&result).copied());
        let parts = match &node.data {
            _ if let Some(ternary) = ternary => self.emit_ternary(ternary),
            InstData::Unary { op, arg } => self.unary(*op, *arg),
            InstData::Binary { op, args } => self.binary(*op, *args),
            InstData::Fma { args } => self.fma(*args),
            InstData::Dot { op, args } => self.dot(*op, *args),
            InstData::Select { mask, args } => self.select(*mask, *args),
            InstData::IntCompare { cc, args } => self.int_compare(*cc, *args),
            InstData::FloatCompare { cc, args } => self.float_compare(*cc, *args),
            InstData::Convert {
                op,
                ty,
                arg,
                rounding,
                saturate,
            } => self.convert(*op, *ty, *arg, *rounding, *saturate),
            InstData::Lane { args, .. } if result.is_some_and(|result| self.is_folded(result)) => {
                if let (Some(result), Some(&mem)) = (result, self.folded_loads.get(&args[0])) {
                    self.folded_loads.insert(result, mem);
                }
                return Ok(());
            }
            InstData::Lane { op, ty, args } => self.lane_op(*op, *ty, args)?,
            InstData::GlobalAddress { global } => {
                let address = (self.global_address)(*global);
                let address = self.c.address(address);
                Parts::scalar(Type::I64, address)
            }
            InstData::Load {
                ty,
                address,
                mask,
                passthru,
                mem,
            } => {
                self.keep_places(&node.results, address);
                if let Some(result) = result
                    && self.is_folded(result)
                {
                    let place = self.amode(address);
                    self.folded_loads.insert(result, place);
                    return Ok(());
                }
                if let Some(result) = result
                    && self.load_record(result)
                {
                    return Ok(());
                }
                self.load(*ty, address, *mask, *passthru, mem)
            }
            InstData::AtomicLoad { ty, address, mask, .. } => self.atomic_load(*ty, *address, *mask),
            InstData::AtomicRmw {
                op,
                value,
                address,
                mask,
                mem,
                ..
            } => {
                let used = result.is_some_and(|result| self.uses[result] > 0);
                self.atomic_rmw(*op, *value, *address, *mask, mem, used)
            }
            InstData::AtomicCas {
                expected,
                desired,
                address,
                mask,
                mem,
                ..
            } => self.atomic_cas([*expected, *desired], *address, *mask, mem),
            InstData::LoadInterleaved { ty, address, mask, .. } => {
                self.keep_places(&node.results, address);
                let loaded = self.load_interleaved(*ty, node.results.len(), address, *mask);
                for (&result, parts) in node.results.iter().zip(loaded) {
                    self.set(result, parts);
                }
                return Ok(());
            }
            InstData::Call { callee, args, .. } => {
                let returned = self.call(*callee, args)?;
                for (&result, parts) in node.results.iter().zip(returned) {
                    self.set(result, parts);
                }
                return Ok(());
            }
            InstData::CallRuntime { routine, args } => match self.call_runtime(*routine, args)? {
                Some(parts) => parts,
                None => return Ok(()),
            },
            InstData::Const { .. } | InstData::SlotAddress { .. } => return Ok(()),
            InstData::Builtin { .. }
            | InstData::Barrier { .. }
            | InstData::Image { .. }
            | InstData::SubGroup { .. }
            | InstData::WorkGroup { .. } => return Err("is not an instruction of the work-group level".into()),
            InstData::Store { .. } if self.store_record(inst) => return Ok(()),
            _ => return self.emit_effect(&node.data),
        };
        if let Some(result) = result {
            self.set(result, parts);
        }
        Ok(())
    }

    /// Instructions without results.
    fn emit_effect(&mut self, data: &InstData) -> Result<(), String> {
        match data {
            InstData::Store { value, address, mask, mem } => self.store(*value, address, *mask, mem),
            InstData::StoreInterleaved { values, address, mask, .. } => self.store_interleaved(values, address, *mask),
            InstData::Copy { to, from, bytes, .. } => self.copy(*to, *from, *bytes),
            InstData::AtomicStore {
                value,
                address,
                mask,
                mem,
                order,
                ..
            } => self.atomic_store(*value, *address, *mask, mem, *order),
            InstData::Fence { order, scope } => self.fence(*order, *scope),
            terminator => return self.terminator(terminator),
        }
        Ok(())
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
